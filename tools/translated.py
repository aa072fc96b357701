"""Translates what the program prints as Markdown: texts by a table, while names, defaults and values stay.

The table is TOML, which Python reads without a package: `"printed text" = "translation"`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CELL = re.compile(r"(?<!\\)\|")
KEPT_COLUMNS = {"option", "parameter", "metric", "type", "range"}
REQUIRED = "required"  # the only default value that is a text
NAMES = re.compile(r"[^\s,]+(?:, [^\s,]+)*")
NUMBER = re.compile(r"-?\b\d[\w.+]*")
PLACE = "{}"  # of a number
# Lines outside of tables: what a filter works on follows its summary; the name of an input or a metric stands first.
SUMMARY = re.compile(r"(.+) (Works on .+\.)")
INPUT = re.compile(r"(`[^`]+`): (.+)\.")
METRIC = re.compile(r"(Metric) (`[^`]+`): (.+)\.")


@dataclass
class Translations:
    """The table of a file, and which of its texts were needed."""

    texts: dict[str, str]
    used: set[str] = field(default_factory=set)
    missing: dict[str, None] = field(default_factory=dict)  # in order

    @classmethod
    def of_file(cls, path: Path) -> Translations:
        """Reads a TOML file whose keys are the printed texts."""
        return cls(tomllib.loads(path.read_text(encoding="utf-8")))

    def of(self, text: str) -> str:
        """The translation of a text, or the text itself, which is then missing."""
        self.used.add(text)
        translation = self.texts.get(text)
        if not translation:
            self.missing[text] = None
        return translation or text

    def faults(self) -> Iterator[str]:
        """Which lines the file lacks or has in vain, after everything was translated."""
        for text in self.missing:
            yield f"add the translation of {json.dumps(text, ensure_ascii=False)}"
        for text, translation in self.texts.items():
            if text not in self.used:
                yield f"remove {json.dumps(text, ensure_ascii=False)}, which is no longer printed"
            elif text.count(PLACE) != translation.count(PLACE):
                yield f"the translation of {json.dumps(text, ensure_ascii=False)} has other places for numbers"


def translated(printed: str, translations: Translations) -> str:
    """The Markdown of `uzushio options` or `uzushio filters` in the language of the translations."""
    columns: list[str] = []
    lines = []
    for line in printed.split("\n"):
        if line.startswith("|"):
            cells = [cell.strip() for cell in CELL.split(line)[1:-1]]
            if not columns:
                columns = cells
                cells = [translations.of(cell) if cell else "" for cell in cells]
            elif not line.startswith("| ---"):
                cells = [_cell(*cell, translations) for cell in zip(columns, cells, strict=True)]
            lines.append(f"| {' | '.join(cells)} |")
        else:
            columns = []
            lines.append(_line(line, translations))
    return "\n".join(lines)


def _line(line: str, translations: Translations) -> str:
    """A line outside of tables."""
    if not line or line.startswith("#"):
        return line
    if found := METRIC.fullmatch(line):
        return f"{translations.of(found[1])} {found[2]}：{translations.of(found[3])}。"
    if found := INPUT.fullmatch(line):
        return f"{found[1]}：{translations.of(found[2])}。"
    if found := SUMMARY.fullmatch(line):
        return translations.of(found[1]) + translations.of(found[2])
    return translations.of(line)


def _cell(column: str, cell: str, translations: Translations) -> str:
    """A cell below the head of a table."""
    if not cell or column in KEPT_COLUMNS or (column == "default" and cell != REQUIRED):
        return cell
    if column in ("values", "only in"):
        return "; ".join(_values(part, translations) for part in cell.split("; "))
    return translations.of(cell)


def _values(text: str, translations: Translations) -> str:
    """Names are kept; a range is translated without its numbers, so that ranges alike need one translation."""
    if NAMES.fullmatch(text):
        return text
    translation = translations.of(NUMBER.sub(PLACE, text))
    for number in NUMBER.findall(text):
        translation = translation.replace(PLACE, number, 1)
    return translation
