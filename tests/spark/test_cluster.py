"""A cluster whose machines have no uzushio: it comes as an archive; and an executor dies in each stage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from documents import variants
from on_spark import CHAIN, SPARK_TESTS, assert_same
from pages import page
from program import ROOT, Uzushio, read_json
from warc_builder import build

ARCHIVE = ROOT / "build" / "uzushio-env.tar.gz"
PACKAGE = ROOT / "build" / "release" / "python"

pytestmark = SPARK_TESTS


def run_job(name: str, *arguments: Path) -> Any:
    """What a program of tests/support prints last, in an environment that says nothing of Python."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK"))}
    job = [sys.executable, str(ROOT / "tests" / "support" / name), *map(str, arguments)]
    done = subprocess.run(job, capture_output=True, text=True, env=environment, cwd=arguments[-1], check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.first
@pytest.mark.skipif(not ARCHIVE.exists(), reason="needs ./dev archive")
def test_stages_on_a_cluster_that_loses_executors(uzushio: Uzushio, tmp_path: Path) -> None:
    """The results are those of the local program."""
    (tmp_path / "pages").mkdir()
    for part in range(6):
        records = [page(number) for number in range(100 * part, 100 * part + 60)]
        (tmp_path / "pages" / f"{part}.warc.gz").write_bytes(build(records, "warc.gz", 0))
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": CHAIN}), encoding="utf-8")
    told = run_job("cluster_job.py", PACKAGE, ARCHIVE, tmp_path)
    assert "environment/" in told.pop("package")
    counts = told.pop("counts")
    assert told == dict.fromkeys(["extract", "stats", "merge", "filter", "metrics", "frames"], 1)

    local = tmp_path / "locally"
    uzushio("extract", tmp_path / "pages", "--output", local / "documents")
    uzushio("stats", tmp_path / "documents", "--output", local / "counted", "--intermediate")
    uzushio("merge", local / "counted", "--output", local / "statistics")
    options = [tmp_path / "documents", "--config", tmp_path / "chain.conf", "--stats", local / "statistics"]
    uzushio("filter", *options, "--output", local / "clean")
    uzushio("metrics", *options, "--output", local / "measured")
    for found, stage in zip(counts, ("documents", "clean"), strict=True):
        known = read_json(local / stage / ".uzushio/manifest.json")["counts"]
        assert {name: found[name] for name in known} == known
    assert_same(tmp_path / "documents", local / "documents", "docId")
    assert_same(tmp_path / "statistics" / "statistics.parquet", local / "statistics" / "statistics.parquet", "hash")
    assert_same(tmp_path / "clean", local / "clean", "docId")
    assert_same(tmp_path / "measured" / "metrics.parquet", local / "measured" / "metrics.parquet", "docId")


@pytest.mark.skipif(
    not os.environ.get("UZUSHIO_LOST_EXECUTORS"), reason="some 25 clusters: set UZUSHIO_LOST_EXECUTORS=1"
)
def test_an_executor_lost_after_any_stage_changes_nothing(uzushio: Uzushio, tmp_path: Path) -> None:
    """Neither rows nor a count; the rows are those of the local program."""
    texts = variants(3, 60) + variants(4, 20, 11)
    (tmp_path / "documents").mkdir()
    for part in range(2):
        table = pa.table({"docId": [f"{part}-{i}" for i in range(len(texts[part::2]))], "text": texts[part::2]})
        pq.write_table(table, tmp_path / "documents" / f"{part}.parquet", row_group_size=20)
    (tmp_path / "documents" / "c.jsonl").write_text('{"docId": "z", "text": "おはよう"}\nnonsense\n', encoding="utf-8")
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": CHAIN}), encoding="utf-8")
    told = run_job("lost_executors_job.py", PACKAGE, tmp_path)

    local = tmp_path / "locally"
    documents, chain = tmp_path / "documents", ["--config", tmp_path / "chain.conf", "--stats", tmp_path / "stats-0"]
    uzushio("stats", documents, "--output", local / "stats", "--intermediate", "--pairs", local / "stats-pairs")
    uzushio("filter", documents, *chain, "--output", local / "filter")
    uzushio("metrics", documents, *chain, "--output", local / "metrics")
    tables = {
        "stats": [("statistics.parquet", "hash"), (".uzushio/intermediate/paragraphs.pq", "hash")],
        "filter": [("", "docId")],
        "metrics": [("metrics.parquet", "docId")],
    }
    for stage, runs in told.items():
        assert len(runs) > 2
        first = runs[0]["summary"]
        for run in runs:
            output = Path(run["output"])
            assert run["summary"] | {"output": "", "seconds": 0} == first | {"output": "", "seconds": 0}, output
            for path, key in tables[stage]:
                assert_same(output / path, local / stage / path, key)
            if stage == "stats":
                assert_same(Path(f"{output}-pairs"), local / "stats-pairs", "hash", "otherHash")
        known = read_json(local / stage / ".uzushio/manifest.json")["counts"]
        for name in ("documents", "paragraphs", "distinct_paragraphs", "groups", "rows", "passed", "quarantined"):
            assert first.get(name) == known.get(name)
