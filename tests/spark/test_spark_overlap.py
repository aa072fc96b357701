"""`overlap` on DataFrames: the table of the local program, however documents are spread."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from on_spark import SPARK_TESTS
from program import Uzushio, read_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [*SPARK_TESTS, pytest.mark.every_spark]


def rows_of(choose: random.Random, count: int) -> list[tuple[str | None, str | None]]:
    """Documents of few URLs and few paragraphs, with paths and marks, or without; some are said again."""
    rows: list[tuple[str | None, str | None]] = []
    for number in range(count):
        paragraphs = []
        for _ in range(choose.randrange(5)):
            plain = f"これは {choose.randrange(60)} 番の段落です。"
            is_marked = choose.random() < 0.5
            paragraphs.append(f"body>p#x\x1c{plain.replace('段落', chr(2) + '段落' + chr(3))}" if is_marked else plain)
        url = choose.choice([None, "", *[f"http://a.jp/{choose.randrange(count)}" for _ in range(6)]])
        rows.append((url, None if number % 40 == 0 else "\n\n".join(paragraphs)))
    return rows + [choose.choice(rows) for _ in range(count // 5)]


@pytest.fixture(name="folder")
def make_folder(spark: SparkSession, tmp_path: Path) -> Path:
    """Datasets: two of documents, one of which has texts that are not UTF-8, one without URLs, one of nothing."""
    choose = random.Random(29)
    for name, count in (("one", 150), ("two", 260), ("three", 90), ("none", 1)):
        frame = spark.createDataFrame(rows_of(choose, count), "link string, text string").repartition(3)
        if name == "two":
            bad = "CASE WHEN link LIKE '%7' THEN cast(X'E38182FF' AS string) ELSE text END AS text"
            frame = frame.selectExpr("link", bad)
        frame = frame.drop("link") if name == "three" else frame
        frame = frame.limit(0) if name == "none" else frame
        frame.write.parquet(str(tmp_path / name))
    return tmp_path


def table_of(frame: DataFrame) -> list[dict[str, Any]]:
    """The rows, in their order."""
    return [row.asDict() for row in frame.collect()]


def test_rows_are_the_local_programs(spark: SparkSession, folder: Path, uzushio: Uzushio) -> None:
    """In the same order, doubles equal to the last bit, for any partitions; so is what was read."""
    from uzushio import spark as on_frames

    names = ["one", "two", "three", "none"]
    uzushio("stats", folder / "two", "--output", folder / "statistics", "--intermediate")
    given = [*names, "statistics"]
    paths = [folder / name for name in given]
    uzushio("overlap", *paths, "--output", folder / "local", "--url-column", "link")
    wanted = pq.read_table(folder / "local" / "overlap.parquet").to_pylist()
    summary = read_json(folder / "local" / ".uzushio" / "manifest.json")["counts"]
    assert summary["quarantined"]["no-utf8"] > 0
    assert any(row["both"] for row in wanted if row["kind"] == "documents")
    frames = {str(folder / name): spark.read.parquet(str(folder / name)) for name in names}
    texts = next((folder / "statistics").rglob("paragraphs*"))
    frames[str(folder / "statistics")] = spark.read.parquet(str(texts))
    for partitions in (1, 5):
        counts = on_frames.Counts()
        parted = {name: frame.repartition(partitions) for name, frame in frames.items()}
        table = on_frames.overlap(parted, url_column="link", counts=counts)
        assert table_of(table) == wanted
        told = [{key: value for key, value in one.items() if key != "distinct"} for one in summary["datasets"]]
        assert counts.value == {"datasets": told, "quarantined": summary["quarantined"]}


def test_most_datasets_and_nothing(spark: SparkSession, folder: Path) -> None:
    """64 of them, of which each shares all with all; those without a document share nothing."""
    from uzushio import spark as on_frames

    frame = spark.read.parquet(str(folder / "one")).limit(3).coalesce(1).persist()
    try:
        rows = table_of(on_frames.overlap({str(number): frame for number in range(64)}, url_column="link"))
    finally:
        frame.unpersist()
    assert len(rows) == 3 * 64 * 63 // 2
    assert {row["jaccard"] for row in rows} == {1.0}
    empty = frame.where("false")
    rows = table_of(on_frames.overlap({"a": empty, "b": empty}, url_column="link"))
    assert [(row["kind"], row["countA"], row["either"], row["jaccard"]) for row in rows] == [
        ("urls", 0, 0, 0.0),
        ("documents", 0, 0, 0.0),
        ("paragraphs", 0, 0, 0.0),
    ]


def test_statistics_that_lack_paragraphs(spark: SparkSession, folder: Path) -> None:
    """A warning, as locally; none of those that have all."""
    from uzushio import spark as on_frames

    documents = spark.read.parquet(str(folder / "one"))
    with on_frames.stats(documents) as statistics:
        with pytest.warns(
            RuntimeWarning, match=r"datasets\['rows'\]: these statistics lack paragraphs that occur once"
        ):
            on_frames.overlap({"rows": statistics.rows, "documents": documents})
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            table = on_frames.overlap({"texts": statistics.texts, "documents": documents})
        assert [(row["kind"], row["jaccard"]) for row in table_of(table)] == [("paragraphs", 1.0)]


def test_mistakes(spark: SparkSession, folder: Path) -> None:
    """They name Python's arguments, and are raised by the call."""
    import uzushio as uz
    from uzushio import spark as on_frames

    frame = spark.read.parquet(str(folder / "one"))
    wrong: list[tuple[Any, str]] = [
        ([frame, frame], "datasets: DataFrames by name are expected, as {'2022': a, '2023': b}, not list"),
        ({"a": frame}, "datasets: 2 to 64 DataFrames are compared, not 1"),
        ({str(number): frame for number in range(65)}, "datasets: 2 to 64 DataFrames are compared, not 65"),
        ({"a": frame, "": frame}, "datasets: '' is no name; give a text that is not empty"),
        ({"a": frame, "b": "c"}, "datasets['b']: a DataFrame of Spark is expected, not str"),
        (
            {"a": frame, "b": frame.drop("text")},
            "datasets['b']: there is no column 'text', only link; text_column names the texts",
        ),
        (
            {"a": frame, "b": frame.selectExpr("1 AS url", "text")},
            "datasets['b']: column 'url'",
        ),
    ]
    for datasets, said in wrong:
        with pytest.raises(uz.UsageError) as raised:
            on_frames.overlap(datasets)
        assert str(raised.value).startswith(said)
    for name in ("output", "tmp", "allow_incomplete", "memory", "threads"):
        given: dict[str, Any] = {name: 1}
        with pytest.raises(TypeError, match=rf"unexpected keyword argument '{name}'; .*belong to uzushio.overlap"):
            on_frames.overlap({"a": frame, "b": frame}, **given)
