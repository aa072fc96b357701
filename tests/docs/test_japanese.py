"""Pages in Japanese show the commands, files and outputs of the English ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from program import ROOT

PAGES = sorted((ROOT / "docs" / "ja").glob("*.md"))
BLOCK = re.compile(r"^```[^\n]*\n.*?^```$|(?:^ {4}[^\n]*\n\n*)+", re.MULTILINE | re.DOTALL)


def blocks_of(page: Path) -> list[str]:
    """Fences, and what is indented, without comments, which are of the page's language."""
    found = BLOCK.findall(page.read_text(encoding="utf-8") + "\n")
    return [re.sub(r" +# .*", "", block).rstrip() for block in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_are_those_of_the_english_page(page: Path) -> None:
    """In their order; a block that one of them lacks is named."""
    assert blocks_of(page) == blocks_of(ROOT / "docs" / page.name)


# In tables; a place that a link leads to is the page's.
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)*|(?<!\d)\.\d+")
WORDS = {"ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "hundred": "100", "thousand": "1,000"}
WORDS |= {"october": "10", "november": "11", "december": "12"}


def rows_of(page: Path) -> list[str]:
    """The rows of the tables of a page, without what its links lead to."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [re.sub(r"\]\([^)]*\)", "]", line) for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_have_the_numbers_of_the_english_page(page: Path) -> None:
    """Row by row, each as often; beyond them only those that English has as words, as in 1 台 for "one machine"."""
    english, japanese = rows_of(ROOT / "docs" / page.name), rows_of(page)
    assert len(japanese) == len(english)
    for ours, theirs in zip(japanese, english, strict=True):
        there, here = Counter(NUMBER.findall(theirs)), Counter(NUMBER.findall(ours))
        words = {number for word, number in WORDS.items() if word in theirs.lower()}
        more = {number for number in here if len(number) > 1} - there.keys() - words
        assert not there - here, f"{theirs}\n{ours}"
        assert not more, f"{theirs}\n{ours}"
