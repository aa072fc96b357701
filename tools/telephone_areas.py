"""Writes src/personal/telephone_areas.inc: how long the area codes of Japanese telephone numbers are.

The source is libphonenumber's metadata of Japan as PyPI's `phonenumbers` has it (9.0.43 for the table that is
committed), which follows the numbering plan of the Ministry of Internal Affairs and Communications. Facts alone: for
each four digits behind the leading 0 of a fixed line, the lengths that its area code may have, the 0 among them, as
bits. Lines are `AREA(last, lengths)`: up to these four digits, in order.

    python tools/telephone_areas.py src/personal/telephone_areas.inc    (with `pip install phonenumbers==9.0.43`)
"""

from __future__ import annotations

import importlib
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

# What follows the four digits: an area code may be shared by exchanges of several.
REST = ("12345", "22222", "23456", "34567", "45678", "56789")
JAPAN = 81


def lengths_of(numbers: Any, prefix: int) -> int:
    """A bit for each length, or 0 where no such fixed line is."""
    bits = 0
    for rest in REST:
        number = numbers.PhoneNumber(country_code=JAPAN, national_number=int(f"{prefix:04}{rest}"))
        fixed = numbers.number_type(number) == numbers.PhoneNumberType.FIXED_LINE
        if fixed and numbers.is_valid_number(number):
            shown = numbers.format_number(number, numbers.PhoneNumberFormat.NATIONAL)
            bits |= 1 << shown.index("-")
    return bits


def main() -> None:
    """Writes the file named on the command line."""
    numbers = importlib.import_module("phonenumbers")
    runs = groupby(range(10000), lambda prefix: lengths_of(numbers, prefix) if prefix >= 1000 else 0)
    lines = [f"AREA({max(prefixes)}, {bits})" for bits, prefixes in runs]
    rows = (" ".join(lines[i : i + 7]) for i in range(0, len(lines), 7))
    Path(sys.argv[1]).write_text("\n".join(rows) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
