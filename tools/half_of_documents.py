"""Every other document of a dataset, as one Parquet file: half_of_documents.py DATASET 0|1 OUTPUT."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def main() -> None:
    """Writes the half."""
    dataset, part, output = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    table = pa.concat_tables([pq.ParquetFile(path).read() for path in sorted(dataset.rglob("*.parquet"))])
    pq.write_table(table.take(pa.array(range(part, table.num_rows, 2))), output)


if __name__ == "__main__":
    main()
