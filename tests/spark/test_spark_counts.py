"""The counts of DataFrames are those of the local program's summary, however often and wherever rows are worked out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from on_spark import CHAIN, SPARK_TESTS
from pages import page
from program import CASES, Uzushio, read_json
from warc_builder import build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

uzushio_module = pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = [*SPARK_TESTS, pytest.mark.every_spark]


def local_counts(folder: Path) -> Any:
    """What the local program has counted."""
    return read_json(folder / ".uzushio/manifest.json")["counts"]


def test_records_of_archives(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """Of files with documents, with none, and with damage; by one action, by another, in fewer partitions, doubled."""
    from uzushio import spark as on_frames

    damaged = read_json(CASES / "damage-junk" / "case.json")["records"]
    english = [{"body": "<p>Nothing but English, and not much of it either."}]
    (tmp_path / "pages").mkdir()
    for number, records in enumerate([[page(1), *english, page(2)], english, [], damaged, [page(3)]]):
        (tmp_path / "pages" / f"{number}.warc.gz").write_bytes(build(records, "warc.gz", 0))
    uzushio("extract", tmp_path / "pages", "--output", tmp_path / "local")
    known = local_counts(tmp_path / "local")
    assert known["rejected"]
    assert known["quarantined"]

    counts = on_frames.Counts()
    documents = on_frames.extract(spark, [str(tmp_path / "pages")], counts=counts)
    with pytest.raises(uzushio_module.UsageError, match="of 5 files, 0 are counted yet: run an action"):
        _ = counts.value
    assert len(documents.limit(1).collect()) == 1
    with pytest.raises(uzushio_module.UsageError, match=r"of 5 files, [0-4] are counted yet"):
        _ = counts.value
    documents.write.parquet(str(tmp_path / "spark"))
    assert counts.value == known
    documents.union(documents).coalesce(2).groupBy("language").count().collect()
    assert counts.value == known
    with pytest.raises(uzushio_module.UsageError, match="the counts of another DataFrame; give each its own"):
        on_frames.extract(spark, [str(tmp_path / "pages")], counts=counts)


@pytest.mark.parametrize("index", ["file", "join"])
def test_documents_of_filters(index: str, spark: SparkSession, corpus: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """What passed, and what was removed by what; of partitions with rows and without, and texts that are none."""
    from uzushio import FilterChain
    from uzushio import spark as on_frames

    rows = pq.read_table(corpus / "documents").select(["docId", "text"]).to_pydict()
    texts = [*(text.encode() for text in rows["text"]), b"\xff\xfe"]
    (tmp_path / "documents").mkdir()
    table = pa.table({"docId": [*rows["docId"], "bad"], "text": texts})
    pq.write_table(table, tmp_path / "documents" / "a.parquet")
    chain, statistics = corpus / "chain.conf", corpus / "statistics"
    uzushio("filter", tmp_path / "documents", "--config", chain, "--stats", statistics, "--output", tmp_path / "local")
    known = local_counts(tmp_path / "local") | {"steps": [{"filter": step["class"]} for step in CHAIN]}
    assert known["quarantined"] == {"no-utf8": 1}
    assert known["passed"]["documents"] > 0
    assert sum(removed["documents"] > 0 for removed in known["removed"]) > 1

    counts = on_frames.Counts()
    documents = spark.read.parquet(str(tmp_path / "documents")).repartition(3, "docId")
    documents = documents.union(documents.where("docId = ''"))  # whose partitions have no rows
    chained = FilterChain.from_file(chain)
    clean = on_frames.filter(documents, chained, str(statistics), index, counts=counts)
    with pytest.raises(uzushio_module.UsageError, match="nothing is counted yet"):
        _ = counts.value
    clean.write.parquet(str(tmp_path / "spark"))
    assert counts.value == known
    clean.union(clean).coalesce(2).groupBy("docId").count().collect()
    assert counts.value == known

    none = on_frames.Counts()
    assert on_frames.filter(documents.where("docId = ''"), chained, str(statistics), index, counts=none).count() == 0
    assert none.value["input"] == {"documents": 0, "paragraphs": 0, "text_bytes": 0, "characters": 0}
    assert [removed["reason"] for removed in none.value["removed"]] == [r["reason"] for r in known["removed"]]
