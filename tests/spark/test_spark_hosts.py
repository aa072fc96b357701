"""HostFilter on Spark: what the local program keeps, by the column `url`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from on_spark import SPARK_TESTS, OnSpark, assert_same
from program import Uzushio

pytestmark = SPARK_TESTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_hosts_on_spark(spark: SparkSession, on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path) -> None:
    """DataFrames, by index and by join, and the command line; without URLs, an error before anything runs."""
    import uzushio as uz
    from uzushio import spark as on_frames

    urls = ["http://www.example.com/x", "http://ja.wikipedia.org/", None, "http://example.jp/", "http://a.5ch.net"] * 40
    ids = [str(n) for n in range(len(urls))]
    texts = [f"{n} 番めの文章\n\n同じ文章" for n in range(len(urls))]
    (tmp_path / "documents").mkdir()
    pq.write_table(pa.table({"docId": ids, "url": urls, "text": texts}), tmp_path / "documents" / "a.parquet")
    (tmp_path / "own").write_text("example.com\n")
    parameters = {"lists": [str(tmp_path / "own")]}
    (tmp_path / "a.conf").write_text(json.dumps({"filters": [{"class": "HostFilter", **parameters}]}))
    uzushio("stats", tmp_path / "documents", "--output", tmp_path / "statistics")
    common = ("filter", tmp_path / "documents", "--config", tmp_path / "a.conf", "--stats", tmp_path / "statistics")
    uzushio(*common, "--output", tmp_path / "local")
    on_spark(*common, "--output", tmp_path / "spark")
    assert_same(tmp_path / "spark", tmp_path / "local", "docId")
    chain = uz.FilterChain([uz.Filter("HostFilter", **parameters)])
    frame = spark.read.parquet(str(tmp_path / "documents"))
    for index in ("file", "join"):
        found = on_frames.filter(frame, chain, str(tmp_path / "statistics"), index)
        found.write.parquet(str(tmp_path / f"frame-{index}"))
        assert_same(tmp_path / f"frame-{index}", tmp_path / "local", "docId")
    for stage in (on_frames.filter, on_frames.metrics):
        with pytest.raises(
            uz.UsageError, match="HostFilter looks at URLs, and there is no column 'url', only docId, text"
        ):
            stage(frame.drop("url"), chain)
    pq.write_table(pa.table({"docId": ids, "text": texts}), tmp_path / "b.parquet")
    for stage_name in ("filter", "metrics"):
        command = (stage_name, tmp_path / "b.parquet", "--config", tmp_path / "a.conf", "--output", tmp_path / "no")
        on_spark(*command, code=2)
    assert not (tmp_path / "no").exists()
