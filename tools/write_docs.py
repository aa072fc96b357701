"""Writes the parts of the documentation that the program prints; with --check, only says which are stale.

Usage: write_docs.py [--check]. With --check, exits with 1 when a page is not what the program prints.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from generated_files import write_or_check

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "uzushio"
# The page, the line that its printed part follows, to its end, and the arguments that print it.
PAGES = [
    ("docs/filters.md", "This part is what `uzushio filters --markdown` prints.\n\n", ("filters", "--markdown")),
    (
        "docs/commands.md",
        "This part is what `uzushio options --form markdown` prints.\n\n",
        ("options", "--form", "markdown"),
    ),
]


def printed(arguments: tuple[str, ...]) -> str:
    """What the program prints, with one line end at the end."""
    done = subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip() + "\n"


def page_with_printed(name: str, line: str, arguments: tuple[str, ...]) -> tuple[Path, str]:
    """A page and its text, with what the program prints behind the line."""
    page = ROOT / name
    head, separator, _ = page.read_text(encoding="utf-8").partition(line)
    if not separator:
        raise SystemExit(f"{name}: there is no line {line.strip()!r}")
    return page, head + separator + printed(arguments)


if __name__ == "__main__":
    sys.exit(write_or_check((page_with_printed(*page) for page in PAGES), "is not what the program prints; ./dev docs"))
