"""Calls as users of Python make them: what they mean, and what is said where they can not be."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import uzushio as uz

pytestmark = pytest.mark.module

CHAIN = uz.FilterChain([uz.Filter("DocLength", low=3)])
LOOSE: Any = uz
LOOSE_CHAIN: Any = CHAIN


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: LOOSE.extract("none.warc", "out", languages="日本語"), uz.UsageError, "^languages: '日本語'"),
        (lambda: LOOSE.extract("none.warc", "out", languages=[]), uz.UsageError, "^languages: nothing is named"),
        (lambda: LOOSE.metrics("a.jsonl", "out"), uz.UsageError, "give one of config and metric$"),
        (lambda: LOOSE.filter("a.jsonl", "out", config="none.conf"), uz.UsageError, "^config none.conf"),
        (
            lambda: LOOSE.extract("a", out="b"),
            TypeError,
            r"^extract\(\) got an unexpected keyword argument 'out'; did you mean output\?$",
        ),
        (lambda: LOOSE.extract("a"), TypeError, r"^extract\(\): missing a required argument: 'output'$"),
        (lambda: LOOSE.extract(io.BytesIO(b"WARC"), "b"), uz.UsageError, "^inputs: a path is expected, not an open"),
        (
            lambda: LOOSE.extract([io.BytesIO(b"WARC")], "b"),
            uz.UsageError,
            "^inputs: a path is expected, not an open file; read_warc and extract_html take what is read$",
        ),
        (
            lambda: LOOSE.overlap([pa.table({})], "b"),
            uz.UsageError,
            "^inputs: paths are expected, not a list of Table$",
        ),
        (lambda: LOOSE.run(inputs="a.jsonl", output="b"), uz.UsageError, "^give one of pipeline and preset$"),
        (lambda: LOOSE.read_warc(b"WARC"), uz.UsageError, "not bytes; give io.BytesIO of it$"),
        (
            lambda: LOOSE.Statistics.of(["a"]),
            uz.UsageError,
            r"pyarrow.table\(\{'text': texts\}\) makes a table of texts$",
        ),
        (
            lambda: LOOSE.filter(pd.DataFrame({"text": ["a"]}), "b", config=CHAIN),
            uz.UsageError,
            "^inputs: paths are expected, not DataFrame; FilterChain.apply takes tables in memory$",
        ),
        (
            lambda: LOOSE.run(preset="clean", inputs="a.jsonl", output="b", plan=True).steps,
            AttributeError,
            "^this is a plan, and nothing was run: its stages are in `plan`",
        ),
        (lambda: list(LOOSE.read_warc(".")), uz.UsageError, r"^\.: is a folder, and a file is expected"),
        (lambda: list(LOOSE.read_warc("a.jsonl")), uz.InputError, r"^a\.jsonl: no record .*; is it a WARC file\?$"),
        (lambda: LOOSE.run(preset="uzushio"), TypeError, "missing a required argument: 'output'"),
        (lambda: LOOSE.extract_html(3), uz.UsageError, "^html: a text or bytes are expected, not int"),
        (lambda: LOOSE.extract_html("a", content_type=3), uz.UsageError, "^content_type: a text is expected, not int"),
        (lambda: LOOSE.extract_html("a", max_nodes=3), TypeError, "did you mean max_tree_bytes"),
        (lambda: LOOSE_CHAIN.apply(pl.LazyFrame({"text": ["a"]})), uz.UsageError, "map_batches"),
        (lambda: LOOSE_CHAIN.apply([1, 2]), uz.UsageError, "a table is expected"),
    ],
)
def test_messages(
    call: Callable[[], object], kind: type[Exception], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They name what Python calls it, and what to do."""
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"text": "a"}\n', encoding="utf-8")
    with pytest.raises(kind, match=message):
        call()


def test_what_is_missing_is_a_file_not_found(tmp_path: Path) -> None:
    """Which programs of Python catch; a UsageError, as before."""
    for call in (
        lambda: uz.stats(tmp_path / "none.parquet", tmp_path / "out"),
        lambda: uz.filter(tmp_path / "none.jsonl", tmp_path / "out"),
    ):
        for kind in (FileNotFoundError, uz.UsageError, uz.MissingFile):
            with pytest.raises(kind, match="none"):
                call()


def test_pages_of_any_bytes() -> None:
    """And no content type, as dicts of headers give it."""
    page = "<p>文章です。".encode()
    for html in (page, bytearray(page), memoryview(page)):
        assert uz.extract_html(html, content_type=None).text == "文章です。"


def test_chains_take_texts() -> None:
    """In a list, a Series, an array, or documents."""
    texts = ["短い", "長い文章", None]
    columns: list[Any] = [texts, tuple(texts), pa.array(texts), pd.Series(texts), pl.Series(texts)]
    for column in columns:
        assert CHAIN.apply(column).passed.to_pydict() == {"text": ["長い文章"]}
    page = uz.extract_html("<p>長い文章です。", url="http://a.jp/")
    found = CHAIN.apply([page]).passed.to_pylist()
    assert found == [{"docId": page.doc_id, "url": "http://a.jp/", "text": "長い文章です。"}]
    assert CHAIN.metrics(texts)["DocLength"].to_pylist() == [2.0, 4.0, 0.0]
    assert CHAIN.apply([]).passed.num_rows == 0


def test_pipelines_without_a_positional_none(tmp_path: Path) -> None:
    """A preset has no file."""
    row = {"docId": "a", "url": "http://a.jp/", "text": "文章です。"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), encoding="utf-8")
    found = uz.run(preset="clean", output=tmp_path / "out", inputs=tmp_path / "a.jsonl", plan=True)
    assert found.plan


def test_everything_of_the_module_leaves_pythons_filter() -> None:
    """`from uzushio import *` does not shadow it, and `uzushio.filter` is there."""
    names: dict[str, Any] = {}
    exec("from uzushio import *", names)
    assert "filter" not in names
    assert uz.filter.__name__ == "filter"
