"""The README and the tutorials, done as a reader does them, on the archives that their script writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from program import ROOT
from walk_through import blocks, walk

PAGES = ["README.md", "README.ja.md", "docs/tutorial.md", "docs/ja/tutorial.md", "docs/near-duplicates.md"]
PAGES += ["docs/classifier.md", "docs/ja/classifier.md", "docs/migration.md", "docs/thresholds.md"]
PAGES += ["docs/recipes.md", "docs/ja/recipes.md", "docs/ja/near-duplicates.md", "docs/ja/migration.md"]
PAGES += ["docs/ja/thresholds.md", "docs/comparison.md", "docs/ja/comparison.md"]


@pytest.fixture(name="desk")
def make_desk(tmp_path: Path) -> Path:
    """The reader's folder: tools are those of the sources."""
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    return tmp_path


@pytest.mark.module
def test_the_python_of_the_build_imports_the_module(tmp_path: Path) -> None:
    """As the tutorial says; nothing has to be set."""
    python = ROOT / "build" / "venv" / "bin" / "python"
    code = "import uzushio; print(uzushio.__file__)"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(ROOT / "build" / "release" / "python")


@pytest.mark.module
@pytest.mark.parametrize("page", PAGES)
def test_a_page(page: str, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command and example, with what it prints."""
    monkeypatch.chdir(desk)
    shown = [block.text for block in blocks(ROOT / page) if block.title is None]
    assert walk(ROOT / page, desk) == sum(text.count("$ ") + text.count(">>> ") for text in shown) > 0
