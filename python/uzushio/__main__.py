"""The command `uzushio`, also as `python -m uzushio`: the program in C++ that lies in this package."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import pyarrow


def main() -> NoReturn:
    """Becomes the program, with this process's arguments.

    >>> from uzushio.__main__ import main
    >>> main.__annotations__
    {'return': typing.NoReturn}
    """
    package = Path(__file__).parent
    # The program looks for Arrow beside this package; where one environment lies over another, pyarrow is elsewhere.
    if not (package.parent / "pyarrow").is_dir():
        folders = [*pyarrow.get_library_dirs(), *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)]
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, folders))
    program = package / "bin" / "uzushio"
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
