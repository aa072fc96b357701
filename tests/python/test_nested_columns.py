"""Columns that are no texts: lists and structures of any library's kinds go with their rows."""

from __future__ import annotations

import datetime
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import uzushio as uz

pytestmark = pytest.mark.module
CHAIN = uz.FilterChain([uz.Filter("DocLength", low=3)])
TEXTS = ["短い", "長い文章", None, "もう一つの文章", "最後の文章"]
PASSED = [1, 3, 4]

COLUMNS: dict[str, list[Any]] = {
    "texts": [["a"], ["b", None, "長い、長い、とても長い文章"], None, [], ["c"]],
    "bytes": [[b"a"], [b"\xff"], None, [], [b"c" * 20]],
    "structure": [
        {"a": "x", "n": 1},
        {"a": "長い、長い、とても長い文章", "n": 2},
        None,
        {"a": None, "n": 3},
        {"a": "y", "n": 4},
    ],
    "deep": [[{"a": ["x"]}], [{"a": ["y", "z" * 30]}, {"a": None}], None, [], [{"a": []}]],
    "dates": [[datetime.date(2024, 1, 1)], [], None, [None], [datetime.date(2024, 1, 2)]],
}


def test_lists_and_structures_of_polars() -> None:
    """Whole, sliced, in several pieces, and in a structure of its own kind of texts."""
    frame = pl.DataFrame({"text": TEXTS} | COLUMNS)
    frames = [frame, pl.concat([frame[:2], frame[2:]], rechunk=False), pl.concat([frame[:3], frame])[3:]]
    for one in frames:
        result = CHAIN.apply(one, removed=True)
        for name, values in COLUMNS.items():
            assert result.passed[name].to_pylist() == [values[row] for row in PASSED]
            assert result.removed[name].to_pylist() == [values[0], values[2]]
        assert pl.DataFrame(result.passed).schema == frame.schema
        batches = list(CHAIN.stream(one))
        assert [row for batch in batches for row in batch["deep"].to_pylist()] == [
            COLUMNS["deep"][row] for row in PASSED
        ]
    arrays = frame.with_columns(
        pl.Series("array", [["a", "b"]] * 5, pl.Array(pl.String, 2)),
        pl.Series("e", list("abcab"), pl.Enum(list("abc"))),
    )
    result = CHAIN.apply(arrays)
    assert result.passed["array"].to_pylist() == [["a", "b"]] * 3
    assert result.passed["e"].to_pylist() == ["b", "a", "b"]


@pytest.mark.parametrize(
    "type_", [pa.string_view(), pa.binary_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string_view())]
)
def test_views_within_any_type(type_: pa.DataType) -> None:
    """Of pyarrow, with nulls; slices have their own rows."""
    inner: list[Any] = ["a", "長い、長い、とても長い文章", None, "b", "c"]
    values = pa.array(inner, pa.string())
    if pa.types.is_dictionary(type_):
        values = pa.DictionaryArray.from_arrays(
            pa.array([0, 1, None, 2, 3], pa.int8()), pa.array(["a", inner[1], "b", "c"]).cast(pa.string_view())
        )
    else:
        values = values.cast(type_)
    columns = {
        "text": pa.array(TEXTS),
        "list": pa.ListArray.from_arrays(pa.array([0, 1, 2, 3, 4, 5], pa.int32()), values),
        "large": pa.LargeListArray.from_arrays(pa.array([0, 1, 2, 3, 4, 5], pa.int64()), values),
        "fixed": pa.FixedSizeListArray.from_arrays(values, 1),
        "struct": pa.StructArray.from_arrays([values], ["a"]),
    }
    table = pa.table(columns)
    expected = [columns["list"][row].as_py() for row in PASSED]
    for one in (table, pa.concat_tables([table, table])[5:]):
        passed = CHAIN.apply(one).passed
        assert passed["list"].to_pylist() == passed["large"].to_pylist() == passed["fixed"].to_pylist() == expected
        assert passed["struct"].to_pylist() == [{"a": item} for (item,) in expected]
        assert "view" not in str(passed.schema)


def test_texts_that_are_views() -> None:
    """The column of texts, and others."""
    table = pa.table({"text": pa.array(TEXTS, pa.string_view()), "other": pa.array(TEXTS, pa.string_view())})
    assert CHAIN.apply(table).passed["other"].to_pylist() == [TEXTS[row] for row in PASSED]
    assert CHAIN.metrics(table)["DocLength"].to_pylist() == [2.0, 4.0, 0.0, 7.0, 5.0]


def test_pandas_with_lists() -> None:
    """As objects, and as Arrow's types."""
    frame = pd.DataFrame({"text": TEXTS, "texts": COLUMNS["texts"]})
    assert CHAIN.apply(frame).passed["texts"].to_pylist() == [COLUMNS["texts"][row] for row in PASSED]
    typed = frame.astype({"texts": pd.ArrowDtype(pa.list_(pa.string_view()))})
    assert CHAIN.apply(typed).passed["texts"].to_pylist() == [COLUMNS["texts"][row] for row in PASSED]


def test_lazy_frames_are_told_what_to_do() -> None:
    """By `map_batches` a chain takes one."""
    frame = pl.DataFrame({"text": TEXTS}).lazy()
    with pytest.raises(uz.UsageError, match=r"frame\.map_batches takes a function of DataFrames"):
        CHAIN.apply(frame)  # type: ignore[arg-type]
    mapped = frame.map_batches(lambda batch: pl.from_arrow(CHAIN.apply(batch).passed))  # type: ignore[arg-type,return-value]
    assert mapped.collect()["text"].to_list() == [TEXTS[row] for row in PASSED]
