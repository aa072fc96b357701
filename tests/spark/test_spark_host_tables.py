"""`hosts` on DataFrames: the table of the local program, however documents are spread."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from on_spark import SPARK_TESTS
from program import Uzushio, read_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [*SPARK_TESTS, pytest.mark.every_spark]

CHAIN: list[dict[str, Any]] = [
    {"class": "DocLength", "low": 12},
    {"class": "LargeFreqParagraphs", "count": 2, "freq": 40},
    {"class": "HiraganaRatio", "high": 0.7},
    {"class": "HostFilter", "suffixes": [".5ch.net"]},
    {"class": "DocLength", "low": 30},
]
HOSTS = ["a.example.jp", "EXAMPLE.jp.", "日本語.jp", "a.5ch.net", "192.0.2.1", "z.example.com"]


@pytest.fixture(name="documents")
def make_documents(spark: SparkSession, tmp_path: Path) -> Path:
    """Documents of few hosts and some of none, with texts and URLs that are null, and a text that is not UTF-8."""
    choose = random.Random(23)
    rows: list[tuple[str | None, str | None, str | None]] = []
    for number in range(400):
        url = choose.choice([None, "mailto:a@b", *[f"http://{host}:80/{number}" for host in HOSTS]])
        paragraphs = [f"これは {choose.randrange(30)} 番の段落です。漢字。" for _ in range(choose.randrange(4))]
        rows.append((choose.choice([None, f"{number}"]), url, "\n\n".join(paragraphs) if number % 50 else None))
    frame = spark.createDataFrame(rows, "docId string, link string, text string")
    bad = "CASE WHEN docId = '7' OR docId = '8' OR docId = '9' THEN cast(X'E38182FF' AS string) ELSE text END AS text"
    frame.repartition(3).selectExpr("docId", "link", bad).write.parquet(str(tmp_path / "documents"))
    return tmp_path / "documents"


def rows_of(frame: DataFrame) -> list[tuple[Any, ...]]:
    """All rows, in order of hosts."""
    return [tuple(row) for row in frame.orderBy("host").collect()]


def local_rows(folder: Path) -> list[tuple[Any, ...]]:
    """Those of the local program, in their order."""
    table = pq.read_table(folder / "hosts.parquet").to_pydict()
    return list(zip(*table.values(), strict=True))


@pytest.mark.parametrize("index", ["file", "shared", "join"])
def test_rows_are_the_local_programs(
    index: str, spark: SparkSession, documents: Path, uzushio: Uzushio, tmp_path: Path
) -> None:
    """Doubles are equal to the last bit, for any partitions and ways to frequencies; so are the counts."""
    from uzushio import spark as on_frames

    (tmp_path / "chain.conf").write_text(json.dumps({"filters": CHAIN}), encoding="utf-8")
    uzushio("stats", documents, "--output", tmp_path / "statistics")
    options = ("--config", tmp_path / "chain.conf", "--stats", tmp_path / "statistics", "--url-column", "link")
    uzushio("hosts", documents, "--output", tmp_path / "local", *options)
    wanted = local_rows(tmp_path / "local")
    summary = read_json(tmp_path / "local" / ".uzushio" / "manifest.json")["counts"]
    assert summary["quarantined"]["no-utf8"] > 0
    assert {row[0] for row in wanted} >= {"", "xn--wgv71a119e.jp", "example.jp", "192.0.2.1"}
    frame = spark.read.parquet(str(documents))
    for partitions in (1, 7):
        counts = on_frames.Counts()
        table = on_frames.hosts(
            frame.repartition(partitions),
            tmp_path / "chain.conf",
            tmp_path / "statistics",
            index,
            url_column="link",
            counts=counts,
        )
        assert rows_of(table) == wanted
        assert table.columns == pq.read_schema(tmp_path / "local" / "hosts.parquet").names
        assert counts.value == {name: summary[name] for name in ("documents", "without_host", "quarantined")}


def test_without_a_chain(spark: SparkSession, documents: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """Numbers of documents and characters; of no documents, no hosts."""
    from uzushio import spark as on_frames

    uzushio("hosts", documents, "--output", tmp_path / "local", "--url-column", "link")
    frame = spark.read.parquet(str(documents))
    table = on_frames.hosts(frame, url_column="link")
    assert table.columns == ["host", "documents", "characters", "removed"]
    assert rows_of(table) == local_rows(tmp_path / "local")
    assert on_frames.hosts(frame.where("false"), url_column="link").collect() == []


def test_written_tables_are_evidence(spark: SparkSession, documents: Path, tmp_path: Path) -> None:
    """Of a table that is written to one file, HostFilter takes its statistics."""
    import uzushio as uz
    from uzushio import spark as on_frames

    frame = spark.read.parquet(str(documents)).withColumnRenamed("link", "url")
    table = on_frames.hosts(frame, [{"class": "HostFilter", "suffixes": [".5ch.net"]}])
    (tmp_path / "hosts").mkdir()
    rows = [row.asDict() for row in table.orderBy("host").collect()]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "hosts" / "hosts.parquet")
    chain = uz.FilterChain([uz.Filter("HostFilter", statistics=str(tmp_path / "hosts"), removed=0.5, ng=1.0)])
    left = on_frames.filter(frame, chain)
    assert left.where("url LIKE '%5ch.net%'").count() == 0
    assert left.where("url LIKE '%example%'").count() > 0


def test_mistakes(spark: SparkSession, documents: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They name Python's arguments, and are raised by the call; the command line names the function."""
    import uzushio as uz
    from uzushio import spark as on_frames
    from uzushio.spark.__main__ import main

    frame = spark.read.parquet(str(documents))
    with pytest.raises(uz.UsageError, match="no column 'url', only docId, link, text; url_column names the URLs"):
        on_frames.hosts(frame)
    with pytest.raises(uz.UsageError, match="no column 'body', only docId, link, text; text_column names the texts"):
        on_frames.hosts(frame, text_column="body", url_column="link")
    with pytest.raises(uz.UsageError, match="index='disk': there are file, shared, join"):
        on_frames.hosts(frame, index="disk", url_column="link")
    with pytest.raises(uz.UsageError, match="no column 'url', only docId, link, text; url_column"):
        on_frames.hosts(frame, [{"class": "HostFilter"}])
    given: dict[str, Any]
    for name in ("output", "tmp", "allow_incomplete", "overwrite", "summary", "max_bad", "threads"):
        given = {name: 1}
        with pytest.raises(
            TypeError, match=rf"hosts\(\) got an unexpected keyword argument '{name}'; .*belong to uzushio.hosts"
        ):
            on_frames.hosts(frame, **given)
    given = {"config": "chain.conf"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'config'; did you mean chain"):
        on_frames.hosts(frame, **given)
    for stage in ("hosts", "overlap"):
        assert main([stage, "a.parquet", "--output", "out"]) == 2
        said = capsys.readouterr().err
        assert f"{stage}: on Spark, it is a function of DataFrames only, uzushio.spark.{stage}" in said
