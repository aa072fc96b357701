"""The Python module's arguments: columns of any library's types, numbers of any kind, names of any bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz
from program import read_json, write_parquet

pytestmark = pytest.mark.module

TEXTS = ["ひらがなの文章です。", "別の文章です。", None]
CASTS: dict[str, Callable[[pa.Array], pa.Array]] = {
    "large string": lambda texts: texts.cast(pa.large_string()),
    "view": lambda texts: pa.array(texts.to_pylist(), pa.string_view()),
    "large bytes": lambda texts: texts.cast(pa.large_binary()),
    "dictionary": lambda texts: texts.dictionary_encode(),
    "dictionary of views": lambda texts: pa.DictionaryArray.from_arrays(
        texts.dictionary_encode().indices, pa.array(texts.dictionary_encode().dictionary.to_pylist(), pa.string_view())
    ),
    "large dictionary": lambda texts: texts.cast(pa.large_string()).dictionary_encode(),
}


@pytest.mark.parametrize("kind", CASTS)
def test_types_that_say_the_same(kind: str) -> None:
    """Texts and ids of any type for texts."""
    chain = uz.FilterChain([uz.Filter("DocLength", low=1)])
    texts, ids = pa.array(TEXTS), pa.array(["1", "2", "3"])
    plain, other = (
        pa.table({"docId": i, "text": t}) for i, t in ((ids, texts), (CASTS[kind](ids), CASTS[kind](texts)))
    )
    assert chain.apply(other).passed.to_pylist() == chain.apply(plain).passed.to_pylist()
    assert chain.metrics(other).equals(chain.metrics(plain))
    assert uz.near_duplicates(other).equals(uz.near_duplicates(plain))


def test_integer_ids_are_kept() -> None:
    """In their type, and as decimals in `docId` of metrics."""
    chain = uz.FilterChain([uz.Filter("DocLength", low=1)])
    for table in (
        pa.table({"docId": pa.array([2**64 - 1, 7, None], pa.uint64()), "text": TEXTS}),
        pl.DataFrame({"docId": pl.Series([2**64 - 1, 7, None], dtype=pl.UInt64), "text": TEXTS}),
    ):
        passed = chain.apply(table).passed
        assert passed["docId"].type == pa.uint64()
        assert passed["docId"].to_pylist() == [2**64 - 1, 7]
        assert chain.metrics(table)["docId"].to_pylist()[:2] == [str(2**64 - 1), "7"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.Table.from_arrays([pa.array(["a"])] * 2, names=["text", "text"]), "2 columns 'text'"),
        (pa.Table.from_arrays([pa.array(["a"])] * 3, names=["text", "docId", "docId"]), "2 columns 'docId'"),
        (pa.table({"body": ["a"]}), "no column 'text', only body"),
        (pa.table({"text": [1]}), "'text' is of type int64"),
        (pa.table({"text": [["a"]]}), "'text' is of type list"),
        (pa.table({"text": ["a"], "docId": [1.5]}), "'docId' is of type double"),
        (pd.DataFrame([["a", "b"]], columns=["text", "text"]), "DataFrame"),
        (pd.DataFrame({"text": ["a", 1]}), "DataFrame"),
    ],
)
def test_other_columns_are_refused(table: Any, message: str) -> None:
    """By name."""
    chain = uz.FilterChain([uz.Filter("DocLength")])
    for call in (chain.apply, chain.metrics):
        with pytest.raises(uz.UsageError, match=message):
            call(table)
    if "docId" not in message:
        with pytest.raises(uz.UsageError, match=message):
            uz.near_duplicates(table)


def test_a_column_that_removed_adds() -> None:
    """It can not be there twice."""
    chain = uz.FilterChain([uz.Filter("DocLength", low=3)])
    table = pa.table({"text": ["短い"], "filter": ["x"]})
    assert chain.apply(table).passed.num_rows == 0
    with pytest.raises(uz.UsageError, match="column 'filter'"):
        chain.apply(table, removed=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidates": "simhash", "rotations": 0}, "rotations 0: give a whole number, from 1 to 64"),
        ({"rotations": 65}, "rotations 65: "),
        ({"rotations": 2**64}, "rotations "),
        ({"rotations": -1}, "rotations -1: "),
        ({"rotations": 1.5}, "rotations 1.5: "),
        ({"rotations": True}, "rotations true: "),
        ({"rotations": float("nan")}, "rotations nan: "),
        ({"window": 0}, "window 0: "),
        ({"candidates": "minhash"}, "candidates minhash: give one of buckets, simhash"),
        ({"groups": "Pivot"}, "groups Pivot: give one of pivot, components; did you mean pivot?"),
        ({"groups": ["pivot", "components"]}, 'groups ["pivot","components"]: give one of pivot'),
        ({"threads": 0}, "threads 0: "),
        ({"threads": 2**31}, "threads 2147483648: "),
        ({"memory": -1}, "memory -1: give a size"),
        ({"memory": float("inf")}, "memory inf: give a size"),
    ],
)
def test_wrong_options_of_near_duplicates(options: dict[str, Any], message: str) -> None:
    """Each is named; `rotations=0` was a division by zero, and other names were taken for the defaults."""
    with pytest.raises(uz.UsageError) as error:
        uz.near_duplicates(["文章", "文章"], **options)
    assert str(error.value).startswith(message)


def test_numbers_of_numpy(tmp_path: Path) -> None:
    """They are numbers, wherever a number is wanted."""
    plain = uz.near_duplicates(["文章です", "文章でず"], candidates="simhash", rotations=3, window=8, threads=1)
    found = uz.near_duplicates(
        ["文章です", "文章でず"],
        candidates="simhash",
        rotations=np.int32(3),  # type: ignore[arg-type]
        window=np.uint8(8),  # type: ignore[arg-type]
        threads=np.int64(1),  # type: ignore[arg-type]
        memory=np.int64(2 << 30),  # type: ignore[arg-type]
    )
    assert found.equals(plain)
    three: Any = np.int64(3)
    half: Any = np.float32(0.5)
    chain = uz.FilterChain([uz.Filter("DocLength", low=three), uz.Filter("HiraganaRatio", low=half)])
    assert chain == uz.FilterChain([uz.Filter("DocLength", low=3), uz.Filter("HiraganaRatio", low=0.5)])
    (tmp_path / "a.conf").write_text('filters: [{"class": "DocLength", "low": ${low}}]')
    from_file = uz.FilterChain.from_file(tmp_path / "a.conf", properties={"low": three})
    assert from_file == uz.FilterChain([uz.Filter("DocLength", low=3)])
    page = uz.extract_html("<p>文章", max_depth=np.int64(100), max_attributes=np.uint16(100))  # type: ignore[arg-type]
    assert page.text == "文章"
    pq.write_table(pa.table({"text": ["文章", "文章"]}), tmp_path / "a.parquet")
    arguments: Any = {"threads": np.int64(1), "overwrite": np.True_, "intermediate": np.False_, "max_bad": np.int8(0)}
    summary = uz.stats(tmp_path / "a.parquet", tmp_path / "stats", **arguments)
    assert summary["paragraphs"] == 2
    assert not (tmp_path / "stats" / ".uzushio/intermediate").exists()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), '"nan" is no number'),
        (float("inf"), '"inf" is no number'),
        (np.float64("-inf"), '"-inf" is no number'),
        (-1, "-1 is not between"),
        (np.int64(-1), "-1 is not between"),
        (2**63, "is not between"),
        (2**64, "is no number"),
        (10**500, "is no number"),
        (1e39, "is not between"),
        (True, "true is no number"),
        (np.True_, "true is no number"),
        (None, "null is no number"),
        ("much", '"much" is no number'),
        ([1], "[1] is no number"),
        (b"1", "is of type bytes"),
        (Decimal("0.1"), "is of type Decimal"),
        ("\ud800", "is no UTF-8"),
    ],
)
def test_wrong_numbers_of_filters(value: Any, message: str) -> None:
    """The parameter is named."""
    with pytest.raises(uz.UsageError) as error:
        uz.FilterChain([uz.Filter("CompressionRate", low=value)])
    assert message in str(error.value)
    assert "filters[0].low" in str(error.value) or "is of type" in message or "UTF-8" in message


def test_the_largest_numbers_are_kept() -> None:
    """2^63 is no number below zero."""
    chain = uz.FilterChain([uz.Filter("DocLength", high=2**31 - 1)])
    assert chain.filters[0].parameters["high"] == 2**31 - 1
    assert uz.FilterChain([uz.Filter("DocLength", high=2**63)]).filters[0].parameters["high"] == 2**63 - 1


@pytest.mark.parametrize(
    "caps",
    [
        {"max_depth": 0},
        {"max_attributes": -1},
        {"max_attributes": 1.5},
        {"max_attributes": 2**64},
        {"max_depth": float("nan")},
    ],
)
def test_wrong_caps(caps: dict[str, Any]) -> None:
    """Each is named."""
    with pytest.raises(uz.UsageError, match=f"^{next(iter(caps))} .*: give a whole number"):
        uz.extract_html("<p>文章", **caps)


def test_texts_with_half_characters_are_refused() -> None:
    """No text of Python's that is no UTF-8 gets further than the first line."""
    chain = uz.FilterChain([uz.Filter("DocLength")])
    with pytest.raises(uz.UsageError, match="UTF-8"):
        chain.apply_text("\ud800")
    with pytest.raises(uz.UsageError, match="UTF-8"):
        chain.apply_text("文", doc_id="\ud800")


@pytest.mark.parametrize("name", ["[1] a*b {x}", "100% of\nit", os.fsdecode(b"latin-\xe9"), b"bytes-\xe8"])
def test_names_of_any_bytes(name: str | bytes, tmp_path: Path) -> None:
    """Files and folders, as str, bytes and os.PathLike, wherever there is a path."""
    folder = tmp_path / os.fsdecode(name)
    results = tmp_path / "results" / os.fsdecode(name)
    folder.mkdir()
    results.mkdir(parents=True)
    write_parquet(pa.table({"docId": ["x"], "text": ["文章です。\n\n文章です。"]}), folder / "a.parquet")
    (folder / "a.conf").write_text('filters: [{"class": "DocLength", "low": 1}]')
    uz.stats(os.fsencode(folder / "a.parquet"), results / "stats")
    summary = uz.filter(
        [str(folder)], results / "out", config=folder / "a.conf", statistics=results / "stats", overwrite=True
    )
    assert summary["passed"]["documents"] == 1
    assert read_json(results / "out" / ".uzushio/manifest.json")["counts"]["passed"]["documents"] == 1
    assert uz.explain("x", results / "out").startswith("document x")
    assert len(uz.Statistics(results / "stats")) == len(uz.Statistics(os.fsencode(results / "stats"))) == 1
    assert uz.FilterChain.from_file(folder / "a.conf").columns == ["DocLength"]
    archive = folder / "a.warc"
    archive.write_bytes(b"WARC/1.0\r\nContent-Length: none\r\n\r\n")
    reader = uz.read_warc(archive, quarantine=folder / "aside")
    with pytest.raises(uz.InputError, match="no record in this file can be read"):
        list(reader)
    assert [record.warc.encode() for record in reader.quarantined]
    assert list((folder / "aside" / "quarantine").iterdir())
    assert uz.near_duplicates(["文章", "文章"], tmp=folder)["exactFreq"].to_pylist() == [2, 2]
    with pytest.raises(uz.Error) as error:
        uz.stats(folder / "_none", folder / "_more")
    assert "no such file or folder" in str(error.value)
    str(error.value).encode()


def test_what_counts_as_missing() -> None:
    """NaN and NA of pandas; other numbers are no texts."""
    assert uz.near_duplicates(pd.Series(["a", None], dtype="string"))["group"].to_pylist() == [0, -1]
    assert uz.near_duplicates(["a", float("nan")])["group"].to_pylist() == [0, -1]  # type: ignore[list-item]
    with pytest.raises(uz.UsageError, match="texts are expected"):
        uz.near_duplicates(["a", 1.5])  # type: ignore[list-item]
    with pytest.raises(uz.UsageError, match="None is no code"):
        uz.read_warc("nowhere.warc", languages=["ja", None])  # type: ignore[list-item]


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    """An error of the user, as all are."""
    with pytest.raises(uz.UsageError, match="is a folder"):
        uz.FilterChain.from_file(tmp_path)


def test_the_column_of_texts_has_one_name(tmp_path: Path) -> None:
    """In `clean`, too, whose configurations call it another."""
    texts = tmp_path / "a.jsonl"
    texts.write_text('{"body": "一つ目の文です"}\n', encoding="utf-8")
    done = uz.clean(texts, tmp_path / "clean", config="sudachiDictCorpus", text_column="body")
    assert done.passed.documents == 1
    old: dict[str, Any] = {"input_column": "body"}
    with pytest.raises(TypeError, match=r"did you mean text_column\?"):
        uz.clean(texts, tmp_path / "clean", config="sudachiDictCorpus", **old)
