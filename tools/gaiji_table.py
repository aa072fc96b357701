"""Writes JIS X 0213 as an array in C++: a number for each of the 94 cells of the 94 rows of the two planes.

A number is the cell's code point, and above its 21 bits the place, from 1 on, of a second one among SECOND; 0 for a
cell without a character. The mapping is that of Python's codec euc_jisx0213.
"""

from __future__ import annotations

import sys
from pathlib import Path

SECOND = (0x309A, 0x300, 0x301, 0x2E5, 0x2E9)


def number(plane: int, row: int, cell: int) -> int:
    """What stands for a cell."""
    data = (b"\x8f" if plane == 2 else b"") + bytes((0xA0 + row, 0xA0 + cell))
    text = data.decode("euc_jisx0213", "ignore")
    if not text:
        return 0
    second = SECOND.index(ord(text[1])) + 1 if len(text) == 2 else 0
    return second << 21 | ord(text[0])


def main() -> None:
    """Writes the file named on the command line."""
    numbers = [number(plane, row, cell) for plane in (1, 2) for row in range(1, 95) for cell in range(1, 95)]
    lines = (",".join(map(str, numbers[i : i + 94])) for i in range(0, len(numbers), 94))
    Path(sys.argv[1]).write_text(",\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
