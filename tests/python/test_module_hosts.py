"""HostFilter on tables: by the column `url`, wherever documents come from."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
import uzushio as uz
from uzushio import _core

pytestmark = pytest.mark.module

TABLE = pa.table(
    {
        "docId": ["a", "b", "c", "d"],
        "url": ["http://www.example.com/x", "http://ja.wikipedia.org/", None, "http://example.jp/"],
        "text": ["文", "文", "文", "文"],
    }
)


@pytest.fixture(name="chain")
def make_chain(tmp_path: Path) -> uz.FilterChain:
    """One own list."""
    (tmp_path / "own").write_text("example.com\n")
    return uz.FilterChain([uz.Filter("HostFilter", lists=str(tmp_path / "own"))])


def test_tables(chain: uz.FilterChain) -> None:
    """Reasons, metrics, streams."""
    result = chain.apply(TABLE, removed=True)
    assert result.passed["docId"].to_pylist() == ["c", "d"]
    reasons = dict(zip(result.removed["docId"].to_pylist(), result.removed["filter"].to_pylist(), strict=True))
    assert reasons == {"a": "HostFilter(custom)", "b": "HostFilter(suffixes)"}
    assert chain.metrics(TABLE).column(1).to_pylist() == [2.0, 1.0, 0.0, 0.0]
    assert chain.stream(TABLE).read_all()["docId"].to_pylist() == ["c", "d"]
    for kind in (pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())):
        urls = TABLE["url"].combine_chunks()
        column = urls.dictionary_encode() if pa.types.is_dictionary(kind) else urls.cast(kind)
        assert chain.apply(TABLE.set_column(1, "url", column)).passed["docId"].to_pylist() == ["c", "d"]


def test_batches(chain: uz.FilterChain) -> None:
    """Functions for `map` and `filter` of datasets."""
    batch = TABLE.to_pydict()
    assert chain.mapper()(batch)["docId"] == ["c", "d"]
    assert chain.predicate()(TABLE) == [False, False, True, True]
    assert chain.predicate()(TABLE.to_pandas()) == [False, False, True, True]


def test_without_urls(chain: uz.FilterChain) -> None:
    """Said at once, of an empty table, too."""
    for table in (TABLE.drop_columns("url"), TABLE.drop_columns("url").slice(0, 0)):
        for call in (chain.apply, chain.stream, chain.metrics, chain.mapper(), chain.predicate()):
            with pytest.raises(uz.UsageError, match="HostFilter looks at URLs, and there is no column 'url'"):
                call(table)
    with pytest.raises(uz.UsageError, match="give the text's as url"):
        chain.apply_text("文")
    assert chain.apply_text("文", url="").removed is None


def test_texts_and_documents(chain: uz.FilterChain) -> None:
    """The entry is told."""
    removed = chain.apply_text("文", url="HTTP://A.EXAMPLE.COM").removed
    assert removed == uz.Removal("HostFilter", 0, "HostFilter(custom)", 2.0, "= 2", "listed: example.com")
    page = uz.extract_html("<p>文", url="http://x.5ch.net/")
    found = chain.apply_text(page).removed
    assert found
    assert found.detail == "listed: .5ch.net"
    assert chain._core.known_columns() == ["url"]
    assert not _core.FilterChain.make("[]").known_columns()


def test_empty_lists_may_be_given(tmp_path: Path) -> None:
    """No suffixes are bad then."""
    (tmp_path / "own").write_text("example.com\n")
    chain = uz.FilterChain([uz.Filter("HostFilter", lists=[str(tmp_path / "own")], suffixes=[])])
    assert chain.apply(TABLE).passed["docId"].to_pylist() == ["b", "c", "d"]
    assert chain.reasons == ["HostFilter(custom)"]
    declared = {one.name: one for one in uz.filters()["HostFilter"].parameters}
    assert declared["lists"].default == []
    assert declared["suffixes"].default == [".5ch.net", "wikipedia.org"]
    with pytest.raises(uz.UsageError, match="categories: the list is empty"):
        uz.FilterChain([uz.Filter("HostFilter", categories=[])])
