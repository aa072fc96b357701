"""A cluster whose machines have no uzushio: it comes as an archive; and an executor dies in each stage."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Uzushio
from test_extract import page
from test_spark import CHAIN, assert_same
from warc_builder import build

ARCHIVE = ROOT / "build" / "uzushio-env.tar.gz"
PACKAGE = ROOT / "build" / "release" / "python"

pytestmark = [
    pytest.mark.module,
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java"),
    pytest.mark.skipif(not ARCHIVE.exists(), reason="needs ./dev archive"),
]


def test_stages_on_a_cluster_that_loses_executors(uzushio: Uzushio, tmp_path: Path) -> None:
    """The results are those of the local program."""
    (tmp_path / "pages").mkdir()
    for part in range(6):
        records = [page(number) for number in range(100 * part, 100 * part + 60)]
        (tmp_path / "pages" / f"{part}.warc.gz").write_bytes(build(records, "warc.gz", 0))
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": CHAIN}), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK"))}
    job = [sys.executable, *map(str, (ROOT / "tests" / "cluster_job.py", PACKAGE, ARCHIVE, tmp_path))]
    done = subprocess.run(job, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert "environment/" in told.pop("package")
    assert told == dict.fromkeys(["extract", "stats", "merge", "filter", "metrics"], 1)

    local = tmp_path / "locally"
    uzushio("extract", tmp_path / "pages", "--output", local / "documents")
    uzushio("stats", tmp_path / "documents", "--output", local / "counted", "--intermediate")
    uzushio("merge", local / "counted", "--output", local / "statistics")
    options = [tmp_path / "documents", "--config", tmp_path / "chain.conf", "--stats", local / "statistics"]
    uzushio("filter", *options, "--output", local / "clean")
    uzushio("metrics", *options, "--output", local / "measured")
    assert_same(tmp_path / "documents", local / "documents", "docId")
    assert_same(tmp_path / "statistics" / "statistics.parquet", local / "statistics" / "statistics.parquet", "hash")
    assert_same(tmp_path / "clean", local / "clean", "docId")
    assert_same(tmp_path / "measured" / "metrics.parquet", local / "measured" / "metrics.parquet", "docId")
