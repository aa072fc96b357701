"""Pages in Japanese show the commands, files and outputs of the English ones."""

from __future__ import annotations

import re
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
