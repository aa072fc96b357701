"""That a page is done as it stands, and that what differs is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from walk_through import matches, walk


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("a\n", "a\nb\n", False),
        ("a … c\n", "a b c\n", True),
        ("a … c\n", "a b d\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("…\nc\n", "a\nb\nc\n", True),
        ("  a  …  c\n", "  a b  c\n", True),
        ("  a\n", "    a\n", False),
        ("a.b\n", "axb\n", False),
        ("", "a\n", False),
    ],
)
def test_what_is_shown(shown: str, printed: str, same: bool) -> None:
    """Each sign of a line counts, but for what `…` stands for."""
    assert matches(printed, shown) == same


def test_a_page(tmp_path: Path) -> None:
    """Files, commands over two lines, examples that share names, and the line of what differs."""
    page = tmp_path / "page.md"
    text = (
        '# Page\n\n```text title="in/a.txt"\nいろは\n```\n\n```console\n$ cat \\\n    in/a.txt\nいろは\n$ true\n```\n'
    )
    text += "\n```pycon\n>>> a = 1\n```\n\n```pycon\n>>> a + 1\n2\n```\n"
    page.write_text(text, encoding="utf-8")
    assert walk(page, tmp_path / "folder") == 4
    page.write_text(text.replace("$ true\n", "$ echo no\nyes\n"), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"page.md:8: \$ echo no"):
        walk(page, tmp_path / "folder")
