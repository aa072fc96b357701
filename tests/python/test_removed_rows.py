"""What was removed, row by row, and how often it is counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pytest
import uzushio as uz

pytestmark = pytest.mark.module
TEXTS = ["短い", "同じ\n\n同じ\n\n同じ", None, "", "長い文章です", "同じ\n\n同じ", "a"]
TABLE = pa.table({"docId": list("abcdefg"), "text": TEXTS})
OF_DOCUMENTS = {name for name, one in uz.filters().items() if one.kind == "documents"}


@pytest.mark.parametrize(
    "chain",
    [
        [uz.Filter.DocLength(low=3)],
        [uz.Filter.AdjacentDuplicateParagraphs(), uz.Filter.DocLength(low=3)],
        [uz.Filter.DuplicateParagraphs(limit=1), uz.Filter.DocLength(low=1), uz.Filter.HiraganaRatio(low=0.5)],
        [uz.Filter.HiraganaRatio(low=0.1), uz.Filter.DocLength(low=3)],
        [uz.Filter.DuplicateParagraphs(limit=1)],
        [],
    ],
)
def test_rows_are_as_many_as_are_counted(chain: list[uz.Filter]) -> None:
    """Documents that are empty when a filter removes them, too."""
    result = uz.FilterChain(chain).apply(TABLE, removed=True)
    rows = Counter(result.removed["filter"].to_pylist())
    gone: set[str] = set()
    for reason, counts in result.counts["removed"].items():
        if reason.split("(")[0].split(".")[0] in OF_DOCUMENTS:
            assert rows[reason] == counts["documents"]
            ids = result.removed.filter(pa.compute.equal(result.removed["filter"], reason))["docId"].to_pylist()
            assert gone.isdisjoint(ids)
            gone.update(ids)
        else:
            assert counts["documents"] == 0
    assert len(gone) + result.passed.num_rows + result.counts["empty"]["documents"] == TABLE.num_rows
    assert gone.isdisjoint(result.passed["docId"].to_pylist())


def test_texts_of_documents_are_made_once() -> None:
    """However often they are asked for."""
    document: Any = uz.extract_html("<p>一つ目の文です。<p>二つ目の文です。")
    assert document.text is document.text
