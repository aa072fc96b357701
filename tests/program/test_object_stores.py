"""Inputs and outputs on each object store: servers of its own on this machine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from azure_store import ACCOUNT, AzureStore, serve_azure_store
from crash_stages import STAGES, write_inputs
from google_store import GoogleStore, serve_google_store
from large_documents import write_large
from object_store import RefusingStore, serve_refusing_store
from pipeline_pages import write_crawl
from program import PROGRAM, read_documents, read_json
from stored_outputs import files_of, rows_of

Store = RefusingStore | AzureStore | GoogleStore


@dataclass(frozen=True)
class Kind:
    """A store, and what is special to it."""

    serve: Callable[[], AbstractContextManager[Store]]
    shown: str  # what messages call it
    overlapping: tuple[str, ...]  # places in or around the output `documents`
    failures: tuple[tuple[str, str], ...]  # methods and paths of requests, each of which may fail
    large_part: str  # the path of requests that put a large file in parts
    unfinished: frozenset[int]  # sizes of a large file of which a part is not there
    tells_uploads: bool  # whether it lists those in parts that were not completed
    every: int  # of requests to a busy store, how many there are for one that is refused


S3 = Kind(
    partial(serve_refusing_store, "moto"),
    RefusingStore.uri,
    overlapping=("s3://store/documents", "s3a://store/documents/more", "s3://store"),
    failures=(
        ("PUT", "part-00001"),
        ("PUT", "manifest"),
        ("PUT", "commit"),
        ("PUT", "INCOMPLETE"),
        ("DELETE", "commit"),
        ("DELETE", "part-0"),
        ("DELETE", "lock-"),
    ),
    large_part="partNumber",
    unfinished=frozenset(),
    tells_uploads=True,
    every=7,
)
KINDS = {
    "moto": S3,
    "versitygw": replace(S3, serve=partial(serve_refusing_store, "versitygw")),
    "azure": Kind(
        serve_azure_store,
        AzureStore.uri,
        overlapping=(
            f"{AzureStore.uri}/documents",
            f"abfss://store@{ACCOUNT}.dfs.core.windows.net/documents/more",
            f"abfs://{ACCOUNT}@store/documents",
            f"abfs://{ACCOUNT}.blob.core.windows.net/store",
            AzureStore.uri,
        ),
        failures=(
            ("PUT", "part-00001.*comp=block$"),
            ("PUT", "part-00001.*comp=blocklist"),
            ("PUT", "put-.*blocklist"),
            ("PUT", "manifest"),
            ("PUT", "commit"),
            ("PUT", "INCOMPLETE"),
            ("DELETE", "put-"),
            ("DELETE", "part-0"),
        ),
        large_part="part-0.*comp=block",
        unfinished=frozenset({0}),  # the object is empty until all of its blocks are there
        tells_uploads=True,
        every=7,
    ),
    "google": Kind(
        serve_google_store,
        "gs://store",
        overlapping=(f"{GoogleStore.uri}/documents", "gcs://store/documents/more", "gs://store"),
        failures=(
            ("PUT", "part-00001"),
            ("PUT", "manifest"),
            ("PUT", "commit"),
            ("PUT", "INCOMPLETE"),
            ("DELETE", "part-0"),
        ),
        large_part="part-0",
        unfinished=frozenset(),  # Google's library would complete it when it is told to give up; this is not done
        tells_uploads=False,
        every=6,
    ),
}


NOT_SANITIZED = {
    "azure",  # whose library is built without sanitizers
    "versitygw",  # for which the program does what it does for moto
}


def with_marks(name: str, *more: str) -> Any:
    """Values of parameters, of which the first is a store."""
    return pytest.param(name, *more, marks=[pytest.mark.once] if name in NOT_SANITIZED else [])


NOT_ON_S3 = pytest.mark.parametrize("kind", [with_marks(name) for name in ("azure", "google")], indirect=True)
"""For tests that need not run on S3, where test_store_crashes.py and test_store_run.py cover the same."""


@pytest.fixture(name="kind", params=[with_marks(name) for name in KINDS])
def find_kind(request: pytest.FixtureRequest) -> Kind:
    """By its name."""
    return KINDS[request.param]


@pytest.fixture(name="store")
def make_store(kind: Kind) -> Iterator[Store]:
    """An empty one."""
    with kind.serve() as store:
        yield store


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path) -> Path:
    """Archives."""
    return write_crawl(tmp_path, 2)


@pytest.mark.once
@NOT_ON_S3
def test_stages_write_what_they_write_locally(store: Store, tmp_path: Path, dictionary: Path) -> None:
    """Byte for byte, and nothing else."""
    write_inputs(tmp_path, dictionary)
    (tmp_path / "run" / "tmp").mkdir(parents=True)
    for name, stage in STAGES.items():
        if not stage.on_store or stage.steps:
            continue
        here = tmp_path / "here" / name
        store.run_in(tmp_path / "run", PROGRAM, *stage.arguments(name, False, str(here)))
        there = [PROGRAM, *stage.arguments(name, False, f"{store.uri}/outputs/{name}"), "--overwrite"]
        store.run_in(tmp_path / "run", *there)
        store.check(f"outputs/{name}")
        assert files_of(store.copy(f"outputs/{name}", tmp_path / "copies" / name)) == files_of(here), name
        assert "complete already" in store.run_in(tmp_path / "run", *there[:-1])
        assert not list((tmp_path / "run" / "tmp").iterdir()), name


CHAIN: list[tuple[str, str, list[str]]] = [
    ("documents", "extract", ["{crawl}"]),
    ("statistics", "stats", ["{documents}", "--intermediate"]),
    ("merged", "merge", ["{statistics}"]),
    ("unique", "minhash", ["{documents}"]),
    ("second", "minhash", ["{documents}", "--against", "{unique}"]),
    ("metrics", "metrics", ["{documents}", "--stats", "{merged}", "--config", "{chain}"]),
    ("clean", "filter", ["{documents}", "--stats", "{statistics}", "--config", "{chain}", "--metrics", "{metrics}"]),
    ("hosts", "hosts", ["{documents}"]),
    ("index", "index", ["{crawl}"]),
    ("indexed", "extract", ["--index", "{index}"]),
]


def without_archives(folder: Path) -> dict[str, Any]:
    """The rows of an output, without the names of the archives, which differ between places."""
    none = {"warc": None, "warc_filename": None}
    return {name: [row | none for row in rows] for name, rows in rows_of(folder).items()}


def test_stages_read_what_is_on_the_store(store: Store, corpus: Path) -> None:
    """Each reads what those before it wrote there, and what is beside its inputs; nothing else is on the store."""
    (corpus / "chain.conf").write_text("filters: [{class: DocLength, low: 50}]", encoding="utf-8")
    store.put_folder(corpus / "crawl")
    here = {"crawl": str(corpus / "crawl"), "chain": str(corpus / "chain.conf")}
    there = here | {"crawl": f"{store.uri}/crawl/*.warc.gz"}
    for name, command, options in CHAIN:
        here[name] = str(corpus / name)
        there[name] = f"{store.uri}/corpus/{name}"
        store.run(PROGRAM, command, *[one.format(**here) for one in options], "--output", here[name])
        on_store = [PROGRAM, command, *[one.format(**there) for one in options], "--output", there[name]]
        store.run(*on_store, TMPDIR=str(corpus / "tmp"))
        store.check(f"corpus/{name}")
        copy = store.copy(f"corpus/{name}", corpus / "copies" / name)
        assert without_archives(copy) == without_archives(Path(here[name])), name
        local = read_json(Path(here[name]) / ".uzushio" / "manifest.json")
        assert store.manifest(f"corpus/{name}")["counts"] == local["counts"], name
        before = store.names("corpus")
        assert "complete already" in store.run(*on_store, TMPDIR=str(corpus / "tmp"))
        assert store.names("corpus") == before
        assert not list((corpus / "tmp").iterdir())
    copies = corpus / "copies"
    assert read_documents(copies / "indexed") == read_documents(copies / "documents")
    # Copies are outputs.
    store.run(PROGRAM, "filter", here["documents"], "--stats", copies / "merged", "--output", corpus / "filtered")
    store.run(PROGRAM, "report", copies / "metrics", "--output", corpus / "report.html")


PIPELINE = """
stages: [
  {name: documents, command: extract, input: ${crawl}}
  {name: statistics, command: stats, input: "@documents"}
  {name: clean, command: filter, input: "@documents", stats: "@statistics", filters: [{class: DocLength, low: 50}]}
  {name: unique, command: minhash, input: "@clean"}
]
"""


@NOT_ON_S3
def test_a_run(store: Store, corpus: Path) -> None:
    """A whole corpus from a pipeline, of archives there; the same command again finds it done."""
    store.put_folder(corpus / "crawl")
    (corpus / "p.conf").write_text(PIPELINE, encoding="utf-8")
    run = [PROGRAM, "run", corpus / "p.conf", "-P", f"crawl={store.uri}/crawl"]
    store.run(*run, "--output", f"{store.uri}/corpus")
    store.run(*run, "--output", corpus / "here")
    for name in ("documents", "statistics", "clean", "unique"):
        store.check(f"corpus/{name}")
        there = files_of(store.copy(f"corpus/{name}", corpus / "copies" / name))
        assert there == files_of(corpus / "here" / name), name
    before = store.checksums("corpus")
    assert not [name for name in before if "put-" in name or "lock-" in name]
    assert "4 done before" in store.run(*run, "--output", f"{store.uri}/corpus")
    assert store.checksums("corpus") == before
    report = [PROGRAM, "report", f"{store.uri}/corpus", "--output", corpus / "page.html"]
    assert "documents" in store.run(*report)


@pytest.mark.parametrize(
    ("kind", "method", "pattern"),
    [with_marks(name, *failure) for name, kind in KINDS.items() for failure in kind.failures],
    indirect=["kind"],
)
@pytest.mark.parametrize("replaces", [False, True])
def test_a_failed_upload_goes_on(
    store: Store, kind: Kind, corpus: Path, method: str, pattern: str, replaces: bool
) -> None:
    """Readers see what was there before, or all that is new; the work stays, and the next start ends it."""
    output, tmp = f"{store.uri}/documents", corpus / "tmp"
    extract = [PROGRAM, "extract", corpus / "crawl", "--output", output, "--tmp", tmp]
    if replaces:
        store.run(PROGRAM, "extract", corpus / "crawl" / "0.warc.gz", "--output", output)
        extract.append("--overwrite")
    before = read_ids(store, corpus / "before")
    assert (before is not None) == replaces
    store.proxy.method, store.proxy.pattern = method, pattern
    failed = subprocess.run(list(map(str, extract)), capture_output=True, text=True, env=store.environment, check=False)
    # There is a mark where there was no output, and nothing to remove.
    asks = (pattern, replaces) not in {("INCOMPLETE", True), ("part-0", False)}
    assert bool(store.proxy.refused) == asks
    if not asks:
        assert failed.returncode == 0, failed.stderr
        return
    assert failed.returncode == 1, failed.stderr
    assert "the same command goes on with putting it" in failed.stderr or method == "DELETE"
    store.proxy.method = ""
    is_new = method == "DELETE" and pattern != "put-"
    after = read_ids(store, corpus / "after")
    assert (after == before) != is_new
    assert (after is not None) == (replaces or is_new)
    assert list(tmp.iterdir())
    store.run(*extract)
    store.check("documents")
    assert len(read_ids(store, corpus / "end") or []) > len(before or [])
    assert not list(tmp.iterdir())


def read_ids(store: Store, folder: Path) -> list[str] | None:
    """The ids of what a reader finds; nothing where it finds no whole output."""
    command = [str(PROGRAM), "filter", f"{store.uri}/documents", "--output", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=store.environment, check=False)
    if done.returncode != 0:
        assert done.returncode == 2, done.stderr
        return None
    return [row["docId"] for path in folder.glob("*.parquet") for row in pq.ParquetFile(path).read().to_pylist()]


def test_a_large_upload_that_fails(store: Store, kind: Kind, tmp_path: Path) -> None:
    """What was put of it can not be seen."""
    write_large(tmp_path / "a.jsonl")
    (tmp_path / "tmp").mkdir()
    output = f"{store.uri}/documents"
    chain = [PROGRAM, "filter", tmp_path / "a.jsonl", "--output", output, "--tmp", tmp_path / "tmp"]
    store.proxy.method, store.proxy.pattern, store.proxy.passed = "PUT", kind.large_part, 2
    store.run(*chain, code=1)
    assert store.proxy.passed == 0
    assert {size for name, size in store.sizes("documents").items() if "part-0" in name} == kind.unfinished
    assert store.uploads() == ([] if kind.tells_uploads else None)
    store.proxy.method = ""
    store.run(*chain)
    store.check("documents")
    assert max(store.sizes("documents").values()) > 30 << 20


def test_places(store: Store, kind: Kind, corpus: Path) -> None:
    """An output is no input, and in none, whatever the form of its name; files of others are told."""
    root, shown = store.uri, kind.shown
    extract = [PROGRAM, "extract", corpus / "crawl"]
    store.run(*extract, "--output", f"{root}/documents")
    for output in kind.overlapping:
        said = store.run(PROGRAM, "filter", f"{root}/documents", "--output", output, code=2)
        assert f"--output {shown}" in said
    said = store.run(*extract, "--output", f"{root}/documents/more", code=2)
    assert f"lies in {shown}/documents, which is a finished output" in said
    store.put("foreign/mine.txt", b"mine")
    said = store.run(*extract, "--output", f"{root}/foreign", code=2)
    assert f"{shown}/foreign/mine.txt: lies in the place of the output" in said
    said = store.run(*extract, "--output", "hdfs://host/documents", code=2)
    assert "hdfs://host/documents: " in said
    said = store.run(PROGRAM, "stats", f"{root}/nothing", "--output", corpus / "x", code=2)
    assert f"{root}/nothing: no such file or folder" in said
    store.check("documents")


def test_locks(store: Store, kind: Kind, corpus: Path) -> None:
    """Another's is told of, with what to delete; one's own does not stop the next start."""
    extract = [PROGRAM, "extract", corpus / "crawl", "--output", f"{store.uri}/documents", "--tmp", corpus / "tmp"]
    lock = {"host": "far", "pid": 7, "since": "2026-01-01T00:00:00Z"}
    store.put("documents/.uzushio/lock-0.json", json.dumps(lock).encode())
    said = store.run(*extract, code=2)
    assert "another process is writing this output: process 7 on far, since 2026-01-01T00:00:00Z" in said
    assert f"delete {kind.shown}/documents/.uzushio/lock-0.json" in said
    assert store.names("documents") == [".uzushio/lock-0.json"]
    store.delete("documents/.uzushio/lock-0.json")
    store.run(*extract)
    store.check("documents")


def test_a_busy_store(store: Store, kind: Kind, corpus: Path) -> None:
    """Refused requests are sent again."""
    store.put_folder(corpus / "crawl")
    store.run(PROGRAM, "extract", f"{store.uri}/crawl", "--output", corpus / "quiet")
    store.proxy.every, store.proxy.status = kind.every, 503
    store.run(PROGRAM, "extract", f"{store.uri}/crawl", "--output", corpus / "busy")
    assert store.proxy.refused > 1
    assert files_of(corpus / "busy") == files_of(corpus / "quiet")
    store.proxy.refused = 0
    store.run(PROGRAM, "extract", f"{store.uri}/crawl", "--output", f"{store.uri}/documents")
    assert store.proxy.refused > 1
    store.proxy.every = 0
    store.check("documents")
    assert files_of(store.copy("documents", corpus / "copy")) == files_of(corpus / "quiet")
