"""What spark-submit runs: `spark-submit … uzushio_spark.py STAGE INPUT… --output URI`, as `python -m uzushio.spark`."""

import sys

from uzushio.spark.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
