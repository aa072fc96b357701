"""Writes the parts of the documentation that the program prints; with --check, only says which are stale.

Usage: write_docs.py [--check]. With --check, exits with 1 when a page is not what the program prints.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


def main() -> int:
    """Writes or checks every page."""
    check = sys.argv[1:] == ["--check"]
    stale = []
    for name, line, arguments in PAGES:
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        head, separator, _ = text.partition(line)
        if not separator:
            raise SystemExit(f"{name}: there is no line {line.strip()!r}")
        wanted = head + separator + printed(arguments)
        if wanted == text:
            continue
        stale.append(name)
        if not check:
            page.write_text(wanted, encoding="utf-8")
    for name in stale:
        print(f"{name}: is not what the program prints; ./dev docs" if check else f"{name}: written", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
