"""That figures which a page repeats are those of the pages where they were measured."""

from __future__ import annotations

import re

import pytest
from program import ROOT

# Pages that repeat figures, and where these stand.
PAGES = {
    "comparison.md": ["benchmarks.md", "datatrove.md", "cost.md", "swallow.md"],
    "near-duplicates.md": ["benchmarks.md", "minhash.md"],
}
CODE = re.compile(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)|!\[[^]]*\]", re.MULTILINE | re.DOTALL)
# With a point, or a comma between thousands; versions have two points.
FIGURE = re.compile(r"(?<![\d.,^])(?:\d{1,3}(?:,\d{3})+|\d*\.\d+)(?![\d.]*\.\d)(?![\d,])")


def figures(name: str) -> set[str]:
    """The figures of a page, without those in code; .5 and 0.5 are one."""
    text = CODE.sub(" ", (ROOT / "docs" / name).read_text(encoding="utf-8"))
    return {re.sub(r"^0\.", ".", figure) for figure in FIGURE.findall(text)}


@pytest.mark.parametrize("page", PAGES)
def test_repeated_figures(page: str) -> None:
    """Each stands in one of the pages."""
    measured = set().union(*(figures(name) for name in PAGES[page]))
    repeated = figures(page)
    assert len(repeated) >= 10
    assert repeated <= measured, repeated - measured
