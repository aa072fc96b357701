"""Stages and pipelines on Spark with outputs on S3: the rows of local ones, and whole outputs whatever ends a run.

Each run is a process with a session of its own, which costs seconds.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hadoop_places import MISSING, find_jars, s3a_settings
from object_store import FaultyProxy, ObjectStore, serve_store, serving
from on_spark import BRIEF, SPARK_TESTS, as_options, assert_same
from pipeline_pages import write_archive
from program import PROGRAM, ROOT, Uzushio
from spark_pipeline import KEYS, arguments, done_before, write_pipeline

pytest.importorskip("pyspark")
pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = [*SPARK_TESTS, pytest.mark.skipif(not find_jars(), reason=MISSING)]


@pytest.fixture(name="store")
def make_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """A bucket on versitygw, which processes with its environment reach."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "build" / "release" / "python"))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    with serve_store("versitygw") as store:
        yield store


def settings(url: str) -> list[str]:
    """For a session on this machine that reaches the server."""
    given = {f"spark.hadoop.{name}": value for name, value in s3a_settings(url).items()}
    given |= BRIEF | {"spark.driver.extraClassPath": os.pathsep.join(map(str, find_jars()))}
    return ["--master", "local[2]", *as_options(given)]


def test_a_pipeline_goes_on_elsewhere(uzushio: Uzushio, store: ObjectStore, tmp_path: Path) -> None:
    """Begun here, ended on Spark, on one store: the rows of a run in a folder. Nothing is then left to do here."""
    write_pipeline(tmp_path, intermediate=True)
    on_spark = ["--on", "spark", "--python", sys.executable, *settings(store.environment["AWS_ENDPOINT_URL"])]
    uzushio(*arguments(tmp_path, "whole", "here"))
    store.run(PROGRAM, *arguments(tmp_path, "first", "s3://store/corpus"))
    said = store.run(PROGRAM, *arguments(tmp_path, "whole", "s3://store/corpus"), *on_spark)
    assert "hosts: runs here, as hosts is not on Spark" in said
    assert done_before(tmp_path) == ["documents/2013", "documents/2014"]
    for step in KEYS:
        store.check_files(f"corpus/{step}")
    assert store.manifest("corpus/clean/2013")["engine"] == "spark"
    copy = store.copy("corpus", tmp_path / "copy")
    assert not [path for path in copy.rglob("*") if "lock-" in path.name or ".work-" in str(path)]
    for step, keys in KEYS.items():
        assert_same(tmp_path / "here" / step, copy / step, *keys)
    store.run(PROGRAM, *arguments(tmp_path, "whole", "s3://store/corpus"))
    assert done_before(tmp_path) == list(KEYS)
    # What is in the hidden folder has other names there, too: what merging needs, the index of frequencies.
    for place, where in (("s3://store/corpus", "there"), (tmp_path / "here", "merged")):
        store.run(PROGRAM, "merge", f"{place}/statistics", "--output", tmp_path / where)
    assert_same(tmp_path / "merged", tmp_path / "there", "hash")
    filters = "{filters: [{class: LargeFreqParagraphs, count: 1, freq: 30}]}"
    (tmp_path / "chain.conf").write_text(filters, encoding="utf-8")
    for place, where in (("s3://store/corpus", "clean-there"), (tmp_path / "here", "clean-here")):
        stats = ["--config", tmp_path / "chain.conf", "--stats", f"{place}/statistics"]
        store.run(PROGRAM, "filter", f"{place}/documents/2013", *stats, "--output", tmp_path / where)
    assert_same(tmp_path / "clean-here", tmp_path / "clean-there", "docId")


@pytest.mark.parametrize("point", ["begun", "moved"])
def test_a_pipeline_that_was_killed_on_spark(point: str, uzushio: Uzushio, store: ObjectStore, tmp_path: Path) -> None:
    """Is ended here, whether or not the files of its step were whole."""
    write_archive(tmp_path / "crawl.warc.gz", 20, 2013)
    stages = """
      {name: documents, command: extract, input: "${crawl}"}
      {name: statistics, command: stats, input: "@documents"}
    """
    (tmp_path / "pipeline.conf").write_text(f"stages: [{stages}]", encoding="utf-8")

    def arguments_of(output: str) -> list[Any]:
        return ["run", tmp_path / "pipeline.conf", "-P", f"crawl={tmp_path / 'crawl.warc.gz'}", "--output", output]

    proxy = Killer(store.environment["AWS_ENDPOINT_URL"], *POINTS[point])
    with serving(proxy):
        on_spark = ["--on", "spark", "--python", sys.executable, *settings(proxy.url)]
        words = [str(word) for word in [PROGRAM, *arguments_of("s3://store/corpus"), *on_spark]]
        run = subprocess.Popen(words, env=store.environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
        proxy.group = run.pid
        said = run.communicate()[1]
    assert proxy.refused, said
    store.run(PROGRAM, *arguments_of("s3://store/corpus"))
    uzushio(*arguments_of(str(tmp_path / "here")))
    for step, key in (("documents", "docId"), ("statistics", "hash")):
        store.check_files(f"corpus/{step}")
        assert_same(tmp_path / "here" / step, store.copy(f"corpus/{step}", tmp_path / "copy" / step), key)
    listed = [item["Key"] for item in store.client.list_objects_v2(Bucket="store")["Contents"]]
    assert not [key for key in listed if "lock-" in key or ".work-" in key]


class Killer(FaultyProxy):
    """Ends processes before a request of a method whose path matches is handed on."""

    group = 0

    def fails(self, method: str, path: str) -> bool:
        """Whether a request is refused: all are, once the processes have ended."""
        if self.refused == 0 and not super().fails(method, path):
            return False
        self.refused += 1
        if self.group:
            os.killpg(self.group, signal.SIGKILL)
        return True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nobody is there who would hear an answer."""


# What a run does on the store: its work is whole; a file is moved; the manifest is put.
POINTS = {
    "begun": ("PUT", r"/documents/\.uzushio/work\.json"),
    "written": ("PUT", r"/documents/\.uzushio/commit\.json"),
    "moved": ("PUT", r"/documents/language[^/]*/part-"),
    "manifest": ("PUT", r"/documents/\.uzushio/manifest\.json"),
    "replaced": ("DELETE", r"/documents/language[^/]*/part-"),
}


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_driver(point: str, store: ObjectStore, tmp_path: Path) -> None:
    """Readers see the old output or the new one, and the same command ends what was begun."""
    archive = write_archive(tmp_path / "crawl.warc.gz", 20, 2013)
    there = store.environment["AWS_ENDPOINT_URL"]
    command = [sys.executable, "-m", "uzushio.spark", "extract", archive, "--output", "s3://store/documents", "--quiet"]
    store.run(PROGRAM, "extract", archive, "--output", "s3://store/documents", "--language", "all")
    old = store.checksums("documents")
    proxy = Killer(there, *POINTS[point])
    with serving(proxy):
        environment = store.environment | {"AWS_ENDPOINT_URL": there}
        words = [str(word) for word in [*command, "--overwrite", *settings(proxy.url)]]
        run = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
        proxy.group = run.pid
        said = run.communicate()[1]
    assert proxy.refused, said
    assert run.returncode == -signal.SIGKILL
    is_new = point == "replaced"
    assert ("engine" in store.manifest("documents")) == is_new
    if not is_new:
        assert old.items() <= store.checksums("documents").items()
    # The local program, which is another engine, throws nothing away that is whole; elsewhere, the lock is in the way.
    if point == "written":
        local = [PROGRAM, "extract", archive, "--output", "s3://store/documents"]
        (tmp_path / "tmp").mkdir()
        said = store.run(*local, "--overwrite", code=2, TMPDIR=str(tmp_path / "tmp"))
        assert re.search(r"another process is writing this output: local-\d+, process \d+ on .*, delete s3://", said)
    store.run(*command, *settings(there), *([] if is_new else ["--overwrite"]))
    store.check_files("documents")
    assert store.manifest("documents")["engine"] == "spark"
    listed = store.client.list_objects_v2(Bucket="store")["Contents"]
    assert all(item["Key"].startswith("documents/") for item in listed)
