"""minhash and clean on DataFrames: what the local program keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from on_spark import SPARK_TESTS

pytestmark = SPARK_TESTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def documents(folder: Path) -> Path:
    """Many are like others."""
    numbers = range(200)
    texts = [
        f"これは、{n % 40} 番めの、やさしい文章です。つづきが、ここにあります。{'と、' * (n % 3)}" for n in numbers
    ]
    ids = [f"d{n:03}" for n in numbers]
    table = pa.table({"docId": ids, "text": texts, "date": ["2024-01-01T00:00:00"] * 200, "n": list(numbers)})
    folder.mkdir()
    for part in range(2):
        pq.write_table(table[part * 100 : part * 100 + 100], folder / f"{part}.parquet")
    return folder


def test_minhash_of_frames(spark: SparkSession, tmp_path: Path) -> None:
    """Rows and duplicates, and the counts; the files go."""
    import uzushio as uz
    from uzushio import spark as on_frames

    expected = uz.minhash(documents(tmp_path / "documents"), tmp_path / "local", verify=0.8)
    kept = [row for path in sorted((tmp_path / "local").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    paths = sorted((tmp_path / "local/.uzushio/duplicates").glob("*.pq"))
    gone = [row for path in paths for row in pq.read_table(path).to_pylist()]
    frame = spark.read.parquet(str(tmp_path / "documents"))
    (tmp_path / "scratch").mkdir()
    with on_frames.minhash(frame, scratch=str(tmp_path / "scratch"), verify=0.8) as found:
        assert sorted(row.asDict().items() for row in found.rows.collect()) == sorted(row.items() for row in kept)
        assert sorted(sorted(row.asDict().items()) for row in found.duplicates.collect()) == sorted(
            sorted(row.items()) for row in gone
        )
        assert (found.counts["kept"], found.counts["duplicates"]) == (expected.kept, expected.duplicates)
        assert expected.duplicates > 0
    assert list((tmp_path / "scratch").iterdir()) == []


def test_clean_of_frames(spark: SparkSession, tmp_path: Path) -> None:
    """A job that compares documents; all columns stay."""
    import uzushio as uz
    from uzushio import spark as on_frames

    given = documents(tmp_path / "documents")
    uz.clean(
        given,
        tmp_path / "local",
        config="sudachiDictCorpus",
        text_column="text",
        output_column="text",
        output_format="parquet",
    )
    kept = [row for path in sorted((tmp_path / "local").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    frame = spark.read.parquet(str(given))
    with on_frames.clean(frame, "sudachiDictCorpus", scratch=str(tmp_path)) as found:
        rows = {row["docId"]: row["text"] for row in found.rows.collect()}
        assert found.rows.columns == ["docId", "text", "date", "n"]
        assert rows == {row["docId"]: row["text"] for row in kept}
        assert found.counts["input"]["documents"] == 200
        with pytest.raises(uz.UsageError, match="no duplicates"):
            _ = found.duplicates


def test_mistakes_are_told_before_anything_runs(spark: SparkSession, tmp_path: Path) -> None:
    """In Python's names; nothing is left."""
    import uzushio as uz
    from uzushio import spark as on_frames

    frame = spark.range(3).selectExpr("string(id) docId", "string(id) text")
    with pytest.raises(
        TypeError, match=r"minhash\(\) got an unexpected keyword argument 'bucket'; did you mean buckets"
    ):
        on_frames.minhash(frame, bucket=3)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'overwrite'"):
        on_frames.minhash(frame, overwrite=True)
    with pytest.raises(uz.UsageError, match="verify"):
        on_frames.minhash(frame, scratch=str(tmp_path), verify=3)
    with pytest.raises(uz.UsageError, match="no such file"):
        on_frames.clean(frame, "nowhere.conf", scratch=str(tmp_path))
    with pytest.raises(uz.UsageError, match="body"):
        on_frames.minhash(frame, "body", scratch=str(tmp_path))
    assert list(tmp_path.iterdir()) == []
