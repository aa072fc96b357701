"""The command line: `python -m uzushio`, and what the script `uzushio` of an installation calls."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(__file__).parent / "bin" / "uzushio"


def main() -> NoReturn:
    """Becomes the program, which lies in the package, with this process's arguments.

    >>> from uzushio.__main__ import PROGRAM
    >>> PROGRAM.name
    'uzushio'
    """
    if not PROGRAM.exists():
        sys.exit(f"uzushio: error: {PROGRAM}: there is no such program; the package is not installed whole")
    os.environ.setdefault("UZUSHIO_PYTHON", sys.executable)  # for `run --on spark`
    os.execv(PROGRAM, ["uzushio", *sys.argv[1:]])


if __name__ == "__main__":
    main()
