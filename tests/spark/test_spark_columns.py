"""Columns and names on Spark: what the local program takes and refuses, Spark's stages and DataFrames do, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import random_documents, write_corpus
from on_spark import SPARK_TESTS, OnSpark, assert_same
from program import Uzushio, read_json, write_parquet

pytestmark = SPARK_TESTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(name="large")
def make_large(spark: SparkSession) -> Iterator[SparkSession]:
    """The session, which gives Python large types."""
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    yield spark
    spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_large_types(large: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """`spark.sql.execution.arrow.useLargeVarTypes`: the same rows."""
    import uzushio as uz
    from uzushio import spark as on_frames

    write_corpus(uzushio, tmp_path, random_documents(3, 40))
    documents = large.read.parquet(str(tmp_path / "documents"))
    chain = uz.FilterChain([uz.Filter("DocLength", low=20)])
    uzushio("stats", tmp_path / "documents", "--output", tmp_path / "local")
    with on_frames.stats(documents, text_bytes=1 << 20) as statistics:
        statistics.rows.write.parquet(str(tmp_path / "rows"))
    assert_same(tmp_path / "rows", tmp_path / "local" / "statistics.parquet", "hash")
    (tmp_path / "a.conf").write_text('filters: [{"class": "DocLength", "low": 20}]')
    chained = ("--config", tmp_path / "a.conf", "--stats", tmp_path / "local")
    uzushio("filter", tmp_path / "documents", *chained, "--output", tmp_path / "clean")
    for index in ("file", "join"):
        found = on_frames.filter(documents, chain, str(tmp_path / "local"), index)
        found.write.parquet(str(tmp_path / f"clean-{index}"))
        assert_same(tmp_path / f"clean-{index}", tmp_path / "clean", "docId")


def test_frames_that_are_refused(spark: SparkSession) -> None:
    """Before anything runs, by the names of columns."""
    import uzushio as uz
    from uzushio import spark as on_frames

    chain = uz.FilterChain([uz.Filter("DocLength")])

    def refused(frame: Any, message: str) -> None:
        for stage in (on_frames.filter, on_frames.metrics):
            with pytest.raises(uz.UsageError, match=message):
                stage(frame, chain)

    refused(spark.sql("SELECT 'a' AS body, 1 AS n"), "no column 'text', only body, n; text_column names the texts$")
    named = spark.sql("SELECT 'a' AS text, 'b' AS docId, 'c' AS url")
    misspelt: list[tuple[Any, dict[str, Any], str]] = [
        (
            on_frames.filter,
            {"chain": chain, "id_column": "docid"},
            "no column 'docid', only text, docId, url; id_column",
        ),
        (on_frames.minhash, {"text_column": "body"}, "^there is no column 'body', only text, docId, url; text_column"),
        (on_frames.minhash, {"date_column": "day"}, "^there is no column 'day', only text, docId, url; date_column"),
        (
            on_frames.clean,
            {"config": chain, "text_column": "body"},
            "^there is no column 'body', only text, docId, url",
        ),
    ]
    for stage, options, message in misspelt:
        with pytest.raises(uz.UsageError, match=message):
            stage(named, **options)
    of_pandas: list[tuple[Any, dict[str, Any]]] = [
        (on_frames.filter, {"chain": chain}),
        (on_frames.minhash, {}),
        (on_frames.stats, {}),
    ]
    for stage, options in of_pandas:
        with pytest.raises(uz.UsageError, match=r"of Spark is expected, not pandas.*; spark.createDataFrame makes one"):
            stage(named.toPandas(), **options)
    refused(spark.sql("SELECT 'a' AS text, 'b' AS text"), "2 columns 'text'")
    refused(spark.sql("SELECT 1 AS text"), "'text' is of type int32")
    refused(spark.sql("SELECT 'a' AS text, 1.5D AS docId"), "'docId' is of type double")
    with pytest.raises(uz.UsageError, match="no column 'text'"):
        on_frames.stats(spark.sql("SELECT 'a' AS body"), text_bytes=1)
    with pytest.raises(uz.UsageError, match="no column 'reprHash'"):
        on_frames.merge([spark.sql("SELECT 1L AS hash")], text_bytes=1)
    with pytest.raises(uz.UsageError, match=r"^rotations 0: "):
        on_frames.stats(spark.sql("SELECT 'a' AS text"), text_bytes=1, candidates="simhash", rotations=0)
    with pytest.raises(uz.UsageError, match=r"^groups pivots: "):
        on_frames.stats(spark.sql("SELECT 'a' AS text"), text_bytes=1, groups="pivots")
    with pytest.raises(TypeError, match="'max_page'; did you mean max_page_bytes"):
        on_frames.extract(spark, [__file__], max_page=1)
    with pytest.raises(uz.UsageError, match=r"^statistics .*nowhere: there is no .uzushio/frequency.index"):
        on_frames.filter(spark.sql("SELECT 'a' AS text"), chain, "nowhere")
    with pytest.raises(uz.UsageError, match="column 'filter'"):
        on_frames.filter(spark.sql("SELECT 'a' AS text, 'b' AS filter"), chain, partitioned=True)


def test_integer_ids_and_nulls_in_frames(spark: SparkSession) -> None:
    """Ids are kept in their type, and decimals in metrics; bytes are texts; a null is an empty text."""
    import uzushio as uz
    from uzushio import spark as on_frames

    rows = "VALUES (7L, CAST('文章です' AS BINARY)), (8L, NULL) AS t(docId, text)"
    documents = spark.sql(f"SELECT * FROM {rows}")
    chain = uz.FilterChain([uz.Filter("DocLength", low=1)])
    assert [tuple(row) for row in on_frames.filter(documents, chain).collect()] == [(7, "文章です")]
    measured = sorted(tuple(row) for row in on_frames.metrics(documents, chain).collect())
    assert measured == [("7", 4.0, 4, 12, 4, 12), ("8", 0.0, 0, 0, 0, 0)]


@pytest.mark.parametrize("index", ["file", "join"])
def test_sorting_without_ids_is_stable(index: str, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """Documents need no id to be sorted, and those of one metric stay in order, as the local program has them."""
    folder = tmp_path / "documents"
    folder.mkdir()
    for part in range(3):
        texts = [f"{part} {n} " + "あ" * (n % 4) for n in range(100, 150)]
        pq.write_table(pa.table({"text": texts}), folder / f"{part}.parquet", row_group_size=20)
    uzushio("stats", folder, "--output", tmp_path / "stats")
    options = (folder, "--metric", "DocLength", "--sorted-by", "DocLength", "--stats", tmp_path / "stats")
    uzushio("metrics", *options, "--output", tmp_path / "local")
    on_spark("metrics", *options, "--output", tmp_path / "spark", "--index", index)

    def rows(where: str) -> list[dict[str, Any]]:
        files = sorted((tmp_path / where / ".uzushio/sorted").glob("*.pq"))
        return [row for path in files for row in pq.ParquetFile(path).read().to_pylist()]

    assert rows("spark") == rows("local") != []


@pytest.mark.parametrize("index", ["file", "join"])
def test_measuring_what_is_no_text(index: str, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """A text that is no UTF-8 has NaN, and is not put aside, however frequencies are found."""
    folder = tmp_path / "documents"
    folder.mkdir()
    texts = pa.array([b"\xe3\x81\x82" * 30, b"\xff\xfe", None])
    pq.write_table(pa.table({"docId": [1, 2, 3], "text": texts}), folder / "a.parquet")
    pq.write_table(pa.table({"text": ["あ" * 30] * 2}), tmp_path / "b.parquet")
    uzushio("stats", tmp_path / "b.parquet", "--output", tmp_path / "stats")
    options = (folder, "--metric", "DocLength", "--metric", "LargeFreqParagraphs", "--stats", tmp_path / "stats")
    uzushio("metrics", *options, "--output", tmp_path / "local")
    counts = on_spark("metrics", *options, "--output", tmp_path / "spark", "--index", index)
    known = read_json(tmp_path / "local" / ".uzushio/manifest.json")["counts"]
    assert {name: counts[name] for name in known} == known == {"documents": 3, "quarantined": {}}
    local, spark = (
        sorted(map(str, pq.read_table(tmp_path / which / "metrics.parquet").to_pylist()))
        for which in ("local", "spark")
    )
    assert spark == local


def test_names(uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """Inputs, statistics and outputs of any name; --index join reads statistics by Spark itself."""
    name = "[1] a*b {x,y}? 100%\nb%41 日本 語"
    root = tmp_path / name
    root.mkdir()
    write_corpus(uzushio, root, random_documents(4, 30))
    uzushio("stats", root / "documents", "--output", root / "local-stats")
    (tmp_path / "a.conf").write_text('filters: [{"class": "LargeFreqParagraphs", "count": 2, "freq": 3}]')
    on_spark("stats", root / "documents", "--output", root / name, "--single-task-pairs", 1)
    index_of = ".uzushio/frequency.index"
    assert (root / name / index_of).read_bytes() == (root / "local-stats" / index_of).read_bytes()
    options = (root / "documents", "--config", tmp_path / "a.conf", "--stats", root / "local-stats")
    uzushio("filter", *options, "--output", root / "local")
    for index in ("file", "join"):
        on_spark("filter", *options, "--index", index, "--output", root / f"{name}-{index}")
        assert_same(root / f"{name}-{index}", root / "local", "docId")


def test_names_that_are_no_text(uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """As inputs, which the kernels open; not as outputs, which Spark writes."""
    folder = tmp_path / os.fsdecode(b"\xe9")
    folder.mkdir()
    write_parquet(pa.table({"docId": ["a"], "text": ["文章です。"]}), folder / os.fsdecode(b"\xe8.parquet"))
    on_spark("filter", folder, "--output", tmp_path / "spark")
    uzushio("filter", folder, "--output", tmp_path / "local")
    assert_same(tmp_path / "spark", tmp_path / "local", "docId")
    inputs = [read_json(tmp_path / which / ".uzushio/manifest.json")["run"]["inputs"] for which in ("spark", "local")]
    assert inputs[0] == inputs[1] == [{"name": f"file://{tmp_path}/%E9/%E8.parquet", "bytes": inputs[1][0]["bytes"]}]
    on_spark("filter", folder, "--output", folder / "out", code=2)


def test_names_as_uris(uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """In which %XX is a byte, in inputs, statistics and outputs."""
    root = tmp_path / "50% 文"
    root.mkdir()
    write_corpus(uzushio, root, random_documents(4, 30))
    (tmp_path / "a.conf").write_text('filters: [{"class": "LargeFreqParagraphs", "count": 2, "freq": 3}]')
    uri = f"file://{tmp_path}/50%25 文"
    on_spark("stats", f"{uri}/documents", "--output", f"{uri}/stats")
    for index in ("file", "join"):
        options = ("--config", tmp_path / "a.conf", "--stats", f"{uri}/stats", "--index", index)
        on_spark("filter", f"{uri}/documents", *options, "--output", f"{uri}/{index}")
    uzushio(
        "filter", root / "documents", "--config", tmp_path / "a.conf", "--stats", root / "stats", "--output", root / "c"
    )
    for index in ("file", "join"):
        assert_same(root / index, root / "c", "docId")


def test_places_of_any_letters(tmp_path: Path) -> None:
    """Are opened as they are: Hadoop's names are no URIs. What names a server stays as it is written."""
    from uzushio.spark._paths import name_of, place_of
    from uzushio.spark.worker.tasks import open_place

    assert place_of("s3a://key:a%2Fb@pages/50%25") == "s3a://key:a%2Fb@pages/50%"
    assert name_of("s3a://key:a%2Fb@pages/50%") == "s3a://key:a%2Fb@pages/50%25"

    (tmp_path / "a%20b 文").write_text("text")
    filesystem, path = open_place(f"file://{tmp_path}/a%20b 文")
    assert filesystem.get_file_info(path).size == 4


def test_numbers_that_spark_has_not(on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Are refused by the column's name."""
    pq.write_table(pa.table({"docId": pa.array([2**64 - 1], pa.uint64()), "text": ["文"]}), tmp_path / "a.parquet")
    on_spark("filter", tmp_path / "a.parquet", "--output", tmp_path / "out", code=2)
    assert "column 'docId' is of type uint64, which Spark has not" in capsys.readouterr().err
