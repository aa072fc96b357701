"""Inputs and outputs on Google Cloud Storage: a server of its own on this machine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from google_store import GoogleStore, serve_google_store
from large_documents import write_large
from pipeline_pages import write_archive
from program import PROGRAM, read_json

ROOT = "gs://anonymous@store"  # the server asks for no credentials


@pytest.fixture(name="store")
def make_store() -> Iterator[GoogleStore]:
    """An empty one."""
    with serve_google_store() as store:
        yield store


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path) -> Path:
    """Archives."""
    for part in range(2):
        write_archive(tmp_path / "crawl" / f"{part}.warc.gz", 40, part)
    (tmp_path / "tmp").mkdir()
    return tmp_path


def rows_of(folder: Path) -> dict[str, Any]:
    """The rows of a folder's Parquet files, by the names that they would have locally, without the archives' names."""
    name_hash = read_json(folder / ".uzushio" / "manifest.json").get("name_hash", "-")
    rows = {}
    for path in folder.rglob("*.parquet"):
        name = str(path.relative_to(folder)).replace(f".uzushio/{name_hash}/", ".uzushio/")
        found = pq.ParquetFile(path).read().to_pylist()
        rows[name.replace(f"-{name_hash}", "")] = [{**row, "warc": None} for row in found]
    return rows


PIPELINE = """
stages: [
  {name: documents, command: extract, input: ${crawl}}
  {name: statistics, command: stats, input: "@documents"}
  {name: clean, command: filter, input: "@documents", stats: "@statistics", filters: [{class: DocLength, low: 50}]}
  {name: unique, command: minhash, input: "@clean"}
]
"""
STAGES: list[tuple[str, str, list[str]]] = [
    ("documents", "extract", ["{crawl}"]),
    ("statistics", "stats", ["{documents}"]),
    ("unique", "minhash", ["{documents}"]),
    ("second", "minhash", ["{documents}", "--against", "{unique}"]),
    ("metrics", "metrics", ["{documents}", "--stats", "{statistics}", "--config", "{chain}"]),
    ("clean", "filter", ["{documents}", "--stats", "{statistics}", "--config", "{chain}", "--metrics", "{metrics}"]),
]


def test_stages_write_what_they_write_locally(store: GoogleStore, corpus: Path) -> None:
    """Each reads what those before it wrote there, and what is beside its inputs; nothing else is on the store."""
    (corpus / "chain.conf").write_text("filters: [{class: DocLength, low: 50}]", encoding="utf-8")
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    here = {"crawl": str(corpus / "crawl"), "chain": str(corpus / "chain.conf")}
    there = here | {"crawl": f"{ROOT}/crawl/*.warc.gz"}
    for name, command, options in STAGES:
        here[name] = str(corpus / name)
        there[name] = f"{ROOT}/corpus/{name}"
        store.run(PROGRAM, command, *[one.format(**here) for one in options], "--output", here[name])
        on_store = [PROGRAM, command, *[one.format(**there) for one in options], "--output", there[name]]
        store.run(*on_store, "--tmp", corpus / "tmp")
        store.check(f"corpus/{name}")
        copy = store.copy(f"corpus/{name}", corpus / "copies" / name)
        assert rows_of(copy) == rows_of(Path(here[name])), name
        assert "complete already" in store.run(*on_store, "--tmp", corpus / "tmp")
        assert not list((corpus / "tmp").iterdir())


def test_a_run(store: GoogleStore, corpus: Path) -> None:
    """A whole corpus from a pipeline; the same command again finds it done."""
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    (corpus / "p.conf").write_text(PIPELINE, encoding="utf-8")
    run = [PROGRAM, "run", corpus / "p.conf", "-P", f"crawl={ROOT}/crawl", "--output", f"{ROOT}/corpus"]
    store.run(*run)
    for name in ("documents", "statistics", "clean", "unique"):
        store.check(f"corpus/{name}")
    before = store.sizes("corpus")
    assert "4 done before" in store.run(*run)
    assert store.sizes("corpus") == before


@pytest.mark.parametrize(
    ("method", "pattern"),
    [("PUT", "part-00001"), ("PUT", "manifest"), ("PUT", "commit"), ("PUT", "INCOMPLETE"), ("DELETE", "part-0")],
)
@pytest.mark.parametrize("replaces", [False, True])
def test_a_failed_upload_goes_on(store: GoogleStore, corpus: Path, method: str, pattern: str, replaces: bool) -> None:
    """Readers see what was there before, or all that is new; the work stays, and the next start ends it."""
    output, tmp = f"{ROOT}/documents", corpus / "tmp"
    extract = [PROGRAM, "extract", corpus / "crawl", "--output", output, "--tmp", tmp]
    if replaces:
        store.run(PROGRAM, "extract", corpus / "crawl" / "0.warc.gz", "--output", output)
        extract.append("--overwrite")
    before = read_documents(store, corpus / "before")
    store.proxy.method, store.proxy.pattern = method, pattern
    failed = subprocess.run(list(map(str, extract)), capture_output=True, text=True, env=store.environment, check=False)
    # There is a mark where there was no output, and nothing to remove.
    asks = (pattern, replaces) not in {("INCOMPLETE", True), ("part-0", False)}
    assert bool(store.proxy.refused) == asks
    if not asks:
        assert failed.returncode == 0, failed.stderr
        return
    assert failed.returncode == 1, failed.stderr
    store.proxy.method = ""
    assert (read_documents(store, corpus / "after") == before) == (method == "PUT")
    store.run(*extract)
    store.check("documents")
    assert len(read_documents(store, corpus / "end") or []) > len(before or [])
    assert not list(tmp.iterdir())


def read_documents(store: GoogleStore, folder: Path) -> list[str] | None:
    """The ids of what a reader finds; nothing where it finds no whole output."""
    command = [str(PROGRAM), "filter", f"{ROOT}/documents", "--output", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=store.environment, check=False)
    if done.returncode != 0:
        return None
    return [row["docId"] for path in folder.glob("*.parquet") for row in pq.ParquetFile(path).read().to_pylist()]


def test_a_failed_upload_in_parts_leaves_none(store: GoogleStore, tmp_path: Path) -> None:
    """Google's library completes what it has begun when it is told to give up; this is not done."""
    write_large(tmp_path / "a.jsonl")
    (tmp_path / "tmp").mkdir()
    chain = [PROGRAM, "filter", tmp_path / "a.jsonl", "--output", f"{ROOT}/documents", "--tmp", tmp_path / "tmp"]
    store.proxy.method, store.proxy.pattern, store.proxy.passed = "PUT", "part-0", 2
    store.run(*chain, code=1)
    assert store.proxy.passed == 0
    assert not [name for name in store.names("documents") if "part-0" in name]
    store.proxy.method = ""
    store.run(*chain)
    store.check("documents")
    assert max(store.sizes("documents").values()) > 20 << 20


def test_places(store: GoogleStore, corpus: Path) -> None:
    """An output is no input, and in none; of other stores it is said that they are not written to."""
    extract = [PROGRAM, "extract", corpus / "crawl"]
    store.run(*extract, "--output", f"{ROOT}/documents")
    for output in (f"{ROOT}/documents", "gcs://store/documents/more", "gs://store"):
        said = store.run(PROGRAM, "filter", f"{ROOT}/documents", "--output", output, code=2)
        assert "--output gs://store" in said
    said = store.run(*extract, "--output", "hdfs://host/documents", code=2)
    assert "hdfs://host/documents: " in said
    said = store.run(PROGRAM, "stats", f"{ROOT}/nothing", "--output", corpus / "x", code=2)
    assert f"{ROOT}/nothing: no such file or folder" in said
    lock = {"host": "far", "pid": 7, "since": "2026-01-01T00:00:00Z"}
    store.put("other/.uzushio/lock-0.json", json.dumps(lock).encode())
    said = store.run(*extract, "--output", f"{ROOT}/other", code=2)
    assert "process 7 on far, since 2026-01-01T00:00:00Z" in said
    assert "delete gs://store/other/.uzushio/lock-0.json" in said


def test_a_store_that_gives_no_access(store: GoogleStore, corpus: Path) -> None:
    """It is said what to set, as an error of the user's."""
    store.put("crawl/0.warc.gz", b"x")
    store.proxy.method, store.proxy.pattern = "GET", "crawl"
    said = store.run(PROGRAM, "extract", f"{ROOT}/crawl/0.warc.gz", "--output", corpus / "out", code=2)
    assert f"{ROOT}/crawl/0.warc.gz: the store gives no access; set GOOGLE_APPLICATION_CREDENTIALS" in said


def test_a_busy_store(store: GoogleStore, corpus: Path) -> None:
    """Refused requests are sent again; of parts of files, this server takes the question what it has for their end."""
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", corpus / "quiet")
    store.proxy.every, store.proxy.status = 6, 503
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", corpus / "busy")
    assert store.proxy.refused > 1
    assert rows_of(corpus / "busy") == rows_of(corpus / "quiet")
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", f"{ROOT}/documents")
    store.proxy.every = 0
    store.check("documents")
