"""The README and the tutorials, done as a reader does them, on the archives that their script writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import ROOT
from walk_through import blocks, walk

PAGES = ["README.md", "README.ja.md", "docs/tutorial.md", "docs/ja/tutorial.md", "docs/near-duplicates.md"]
PAGES += ["docs/migration.md", "docs/thresholds.md"]


@pytest.fixture(name="desk")
def make_desk(tmp_path: Path) -> Path:
    """The reader's folder: tools are those of the sources."""
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    return tmp_path


@pytest.mark.module
@pytest.mark.parametrize("page", PAGES)
def test_a_page(page: str, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command and example, with what it prints."""
    monkeypatch.chdir(desk)
    shown = [block.text for block in blocks(ROOT / page) if block.title is None]
    assert walk(ROOT / page, desk) == sum(text.count("$ ") + text.count(">>> ") for text in shown) > 0
