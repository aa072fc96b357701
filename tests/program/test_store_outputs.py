"""Outputs on an object store: servers of its own on this machine."""

from __future__ import annotations

import fnmatch
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from large_documents import write_large
from object_store import SERVERS, ObjectStore, serve_faulty, serve_store
from pages import page
from pipeline_pages import write_crawl
from program import PROGRAM, read_json
from stored_outputs import rows_of
from warc_builder import build


@pytest.fixture(name="store", params=SERVERS)
def make_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """An empty one."""
    with serve_store(request.param) as store:
        yield store


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path) -> Path:
    """Archives."""
    return write_crawl(tmp_path, 3)


STAGES: list[tuple[str, str, list[str]]] = [
    ("documents", "extract", ["{crawl}"]),
    ("statistics", "stats", ["{documents}", "--intermediate"]),
    ("merged", "merge", ["{statistics}"]),
    ("unique", "minhash", ["{documents}"]),
    ("clean", "filter", ["{documents}"]),
    ("hosts", "hosts", ["{documents}"]),
    ("metrics", "metrics", ["{documents}", "--config", "{chain}"]),
    ("index", "index", ["{crawl}"]),
]


def test_stages_write_what_they_write_locally(store: ObjectStore, corpus: Path) -> None:
    """Each reads what those before it wrote there; nothing but what the manifests list is on the store."""
    (corpus / "chain.conf").write_text("filters: [{class: DocLength, low: 50}]", encoding="utf-8")
    here = {"crawl": str(corpus / "crawl"), "chain": str(corpus / "chain.conf")}
    there = dict(here)
    for name, command, options in STAGES:
        here[name] = str(corpus / name)
        there[name] = f"s3://store/corpus/{name}"
        store.run(PROGRAM, command, *[one.format(**here) for one in options], "--output", here[name])
        on_store = [PROGRAM, command, *[one.format(**there) for one in options], "--output", there[name]]
        store.run(*on_store, TMPDIR=str(corpus / "tmp"))
        store.check(f"corpus/{name}")
        copy = store.copy(f"corpus/{name}", corpus / "copies" / name)
        assert rows_of(copy) == rows_of(Path(here[name])), name
        local = read_json(Path(here[name]) / ".uzushio" / "manifest.json")
        assert store.manifest(f"corpus/{name}")["counts"] == local["counts"]
        before = store.names("corpus")
        assert "complete already" in store.run(*on_store, TMPDIR=str(corpus / "tmp"))
        assert store.names("corpus") == before
        assert not list((corpus / "tmp").iterdir())
    # Copies are outputs.
    merged = str(corpus / "copies" / "merged")
    store.run(PROGRAM, "filter", here["documents"], "--stats", merged, "--output", corpus / "filtered")
    store.run(PROGRAM, "report", corpus / "copies" / "metrics", "--output", corpus / "report.html")


def test_an_output_is_replaced_when_told(store: ObjectStore, corpus: Path) -> None:
    """By files beside the old ones; what others have put there is never touched."""
    crawl, output = corpus / "crawl", "s3://store/documents"
    extract = [PROGRAM, "extract", "--output", output, "--tmp", corpus / "tmp"]
    store.run(*extract, crawl / "0.warc.gz")
    old = store.names("documents")
    said = store.run(*extract, crawl / "1.warc.gz", code=2)
    assert f"{output}: holds the output of a run with other inputs" in said
    assert store.names("documents") == old
    store.put("documents/notes.txt", b"mine")
    said = store.run(*extract, crawl / "1.warc.gz", "--overwrite", code=2)
    assert f"{output}/notes.txt: was not written by the run" in said
    store.delete("documents/notes.txt")
    store.run(*extract, crawl / "1.warc.gz", "--overwrite")
    store.check("documents")
    assert not set(store.names("documents")) & set(old) - {".uzushio/manifest.json"}
    store.put("other/part-00000.parquet", b"mine")
    store.run(PROGRAM, "extract", crawl, "--output", "s3://store/other", "--overwrite", code=2)
    assert store.names("other") == ["part-00000.parquet"]


def test_places_on_a_store(store: ObjectStore, corpus: Path) -> None:
    """An output is no input, and in none; what can not be there says so."""
    extract = [PROGRAM, "extract", corpus / "crawl"]
    store.run(*extract, "--output", "s3://store/documents")
    for output in ("s3://store/documents", "s3a://store/documents/more", "s3://store"):
        said = store.run(PROGRAM, "filter", "s3://store/documents", "--output", output, code=2)
        assert "--output s3" in said
    said = store.run(*extract, "--output", "s3://store/documents/more", code=2)
    assert "lies in s3://store/documents, which is a finished output" in said
    said = store.run(*extract, "--output", "s3://nothing/documents", code=1)
    assert "s3://nothing/documents" in said
    said = store.run(*extract, "--output", corpus / "out", "--summary", "s3://store/summary.json", code=2)
    assert "--summary s3://store/summary.json: is written to local or mounted folders only" in said
    stats = [PROGRAM, "stats", "s3://store/documents", "--output", "s3://store/statistics"]
    said = store.run(*stats, "--pairs", "s3://store/pairs", code=2)
    assert "--pairs s3://store/pairs: is written to local or mounted folders only" in said
    store.run(*stats, "--pairs", corpus / "pairs")
    store.check("documents")


def test_locks(store: ObjectStore, corpus: Path) -> None:
    """Another's is told of, with what to delete; one's own does not stop the next start."""
    extract = [PROGRAM, "extract", corpus / "crawl", "--output", "s3://store/documents", "--tmp", corpus / "tmp"]
    lock = {"host": "far", "pid": 7, "since": "2026-01-01T00:00:00Z"}
    store.put("documents/.uzushio/lock-0.json", json.dumps(lock).encode())
    said = store.run(*extract, code=2)
    assert "another process is writing this output: process 7 on far, since 2026-01-01T00:00:00Z" in said
    assert "delete s3://store/documents/.uzushio/lock-0.json" in said
    assert store.names("documents") == [".uzushio/lock-0.json"]
    store.delete("documents/.uzushio/lock-0.json")
    store.run(*extract)
    store.check("documents")


@pytest.mark.parametrize(
    ("method", "pattern"),
    [
        ("PUT", r"/part-00001"),
        ("PUT", r"/manifest\.json"),
        ("PUT", r"/commit\.json"),
        ("PUT", r"/_INCOMPLETE"),
        ("DELETE", r"/commit\.json"),
        ("DELETE", r"/part-0"),
        ("DELETE", r"/lock-"),
    ],
)
@pytest.mark.parametrize("replaces", [False, True])
def test_a_failed_upload_goes_on(store: ObjectStore, corpus: Path, method: str, pattern: str, replaces: bool) -> None:
    """Readers see what was there before, or all that is new; the work stays, and the next start ends it."""
    output, tmp = "s3://store/documents", corpus / "tmp"
    extract = [PROGRAM, "extract", corpus / "crawl", "--output", output, "--tmp", tmp]
    if replaces:
        store.run(PROGRAM, "extract", corpus / "crawl" / "0.warc.gz", "--output", output)
        extract.append("--overwrite")
    before = read_store(store, corpus / "before", 0 if replaces else 2)
    with serve_faulty(store, method, pattern) as (proxy, to_proxy):
        failed = subprocess.run(
            list(map(str, extract)), capture_output=True, text=True, env=store.environment | to_proxy, check=False
        )
        if not proxy.refused:
            assert failed.returncode == 0, failed.stderr
            return
        assert failed.returncode == 1, failed.stderr
        assert "the same command goes on with putting it" in failed.stderr or method == "DELETE"
        is_new = method == "DELETE"
        after = read_store(store, corpus / "after", 0 if replaces or is_new else 2)
        assert (after == before) == (not is_new)
        assert list(tmp.iterdir())
        proxy.method = ""
        store.run(*extract, code=0, **to_proxy)
    store.check("documents")
    assert len(read_store(store, corpus / "end", 0)) > len(before)
    assert not list(tmp.iterdir())


def read_store(store: ObjectStore, folder: Path, code: int) -> list[Any]:
    """The ids of what a reader finds; none where it finds no whole output."""
    store.run(PROGRAM, "filter", "s3://store/documents", "--output", folder, code=code)
    return [row["docId"] for path in folder.glob("*.parquet") for row in pq.ParquetFile(path).read().to_pylist()]


@pytest.mark.module
def test_in_python(store: ObjectStore, tmp_path: Path) -> None:
    """By the same names."""
    (tmp_path / "a.warc.gz").write_bytes(build([page(number) for number in range(3)], "warc.gz"))
    script = (
        "import uzushio, sys; done = uzushio.extract(sys.argv[1], output=sys.argv[2]); "
        "print(done.documents, done.output)"
    )
    output = "s3://store/documents"
    path = str(PROGRAM.parent / "python")
    said = store.run(sys.executable, "-c", script, tmp_path / "a.warc.gz", output, PYTHONPATH=path)
    assert said == f"3 {output}\n"
    store.check("documents")
    count = f"import uzushio; print(uzushio.stats('{output}', output='s3://store/statistics').output)"
    assert store.run(sys.executable, "-c", count, PYTHONPATH=path) == "s3://store/statistics\n"


def test_a_failed_upload_in_parts_leaves_none(store: ObjectStore, tmp_path: Path) -> None:
    """A file above 10 MiB is put in parts; those before the one that is refused are given up."""
    write_large(tmp_path / "a.jsonl")
    (tmp_path / "tmp").mkdir()
    output = "s3://store/documents"
    chain = [PROGRAM, "filter", tmp_path / "a.jsonl", "--output", output, "--tmp", tmp_path / "tmp"]
    with serve_faulty(store, "PUT", r"partNumber=2") as (proxy, to_proxy):
        store.run(*chain, code=1, **to_proxy)
    assert proxy.refused
    assert "Uploads" not in store.client.list_multipart_uploads(Bucket="store")
    assert not [name for name in store.names("documents") if name.endswith(".parquet")]
    store.run(*chain)
    store.check("documents")
    assert max(len(store.get(f"documents/{name}")) for name in store.names("documents")) > 30 << 20


def test_quarantined_records_are_found(store: ObjectStore, tmp_path: Path) -> None:
    """The error names the folder as it is called on the store, by a pattern that commands take."""
    text = "これは、ある日の出来事について書いた文章です。"
    pq.write_table(pa.table({"docId": ["1", "2"], "text": [text.encode(), b"\xff"]}), tmp_path / "a.parquet")
    filtered = [PROGRAM, "filter", tmp_path / "a.parquet", "--output", "s3://store/clean", "--max-bad", 0]
    said = store.run(*filtered, code=3)
    (name,) = re.findall(r"; see s3://store/clean/(\S+)", said)
    assert name == ".uzushio/*/quarantine/"
    files = [one for one in store.names("clean") if fnmatch.fnmatch(one, name + "*")]
    assert len(files) == 1
