"""Writes the parts of the documentation that the program prints; with --check, only says which are stale.

Usage: write_docs.py [--check]. With --check, exits with 1 when a page is not what the program prints. Pages in
Japanese are made of the same text, translated by docs/ja/reference.toml; a text that this file lacks, and one that is
no longer printed, is an error in both cases.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from generated_files import write_or_check
from translated import Translations, translated

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "uzushio"
TRANSLATIONS = ROOT / "docs" / "ja" / "reference.toml"


class Page(NamedTuple):
    """A page whose end is printed, and the lines that this part follows: in English and in Japanese."""

    name: str
    arguments: tuple[str, ...]
    line: str
    japanese_line: str


PAGES = [
    Page(
        "filters.md",
        ("filters", "--markdown"),
        "This part is what `uzushio filters --markdown` prints.\n\n",
        "この部分は、`uzushio filters --markdown` の表示を日本語にしたものです。\n\n",
    ),
    Page(
        "commands.md",
        ("options", "--form", "markdown"),
        "This part is what `uzushio options --form markdown` prints.\n\n",
        "この部分は、`uzushio options --form markdown` の表示を日本語にしたものです。\n\n",
    ),
]


def printed(arguments: tuple[str, ...]) -> str:
    """What the program prints, with one line end at the end."""
    done = subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip() + "\n"


def with_end(path: Path, line: str, end: str) -> tuple[Path, str]:
    """A page and its text, with another end behind the line."""
    head, separator, _ = path.read_text(encoding="utf-8").partition(line)
    if not separator:
        raise SystemExit(f"{path.relative_to(ROOT)}: there is no line {line.strip()!r}")
    return path, head + separator + end


def main() -> int:
    """Writes or checks all pages; those in Japanese only if each of their texts is translated."""
    translations = Translations.of_file(TRANSLATIONS)
    english, japanese = [], []
    for page in PAGES:
        text = printed(page.arguments)
        english.append(with_end(ROOT / "docs" / page.name, page.line, text))
        end = translated(text, translations)
        japanese.append(with_end(ROOT / "docs" / "ja" / page.name, page.japanese_line, end))
    faults = list(translations.faults())
    for fault in faults:
        print(f"{TRANSLATIONS.relative_to(ROOT)}: {fault}", file=sys.stderr)
    stale = write_or_check(english if faults else english + japanese, "is not what the program prints; ./dev docs")
    return 1 if faults else stale


if __name__ == "__main__":
    sys.exit(main())
