"""Inputs and outputs on Azure Blob Storage: a server of its own on this machine, Azurite."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from azure_store import ACCOUNT, KEY, AzureStore, serve_azure_store, shared_access
from crash_stages import STAGES, write_inputs
from large_documents import write_large
from pipeline_pages import write_archive
from program import PROGRAM, read_json

pytestmark = pytest.mark.once  # Azure's library is built without sanitizers

ROOT = AzureStore.uri


@pytest.fixture(name="store")
def make_store() -> Iterator[AzureStore]:
    """An empty one."""
    with serve_azure_store() as store:
        yield store


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path) -> Path:
    """Archives."""
    for part in range(2):
        write_archive(tmp_path / "crawl" / f"{part}.warc.gz", 40, part)
    (tmp_path / "tmp").mkdir()
    return tmp_path


def files_of(folder: Path) -> dict[str, bytes]:
    """All that the manifest of an output lists, by the names that they have locally."""
    manifest = read_json(folder / ".uzushio" / "manifest.json")
    name_hash = manifest.get("name_hash", "-")
    named = {file["path"]: file["path"].replace(f".uzushio/{name_hash}/", ".uzushio/") for file in manifest["files"]}
    return {name.replace(f"-{name_hash}", ""): (folder / path).read_bytes() for path, name in named.items()}


def test_stages_write_what_they_write_locally(store: AzureStore, tmp_path: Path, dictionary: Path) -> None:
    """Byte for byte, and nothing else."""
    write_inputs(tmp_path, dictionary)
    (tmp_path / "run" / "tmp").mkdir(parents=True)
    for name, stage in STAGES.items():
        if not stage.on_store or stage.steps:
            continue
        here = tmp_path / "here" / name
        store.run_in(tmp_path / "run", PROGRAM, *stage.arguments(name, False, str(here)))
        there = [PROGRAM, *stage.arguments(name, False, f"{ROOT}/outputs/{name}"), "--overwrite"]
        store.run_in(tmp_path / "run", *there)
        store.check(f"outputs/{name}")
        assert files_of(store.copy(f"outputs/{name}", tmp_path / "copies" / name)) == files_of(here), name
        assert "complete already" in store.run_in(tmp_path / "run", *there[:-1])


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Those of documents."""
    return [row for path in sorted(folder.glob("*/*.parquet")) for row in pq.ParquetFile(path).read().to_pylist()]


PIPELINE = """
stages: [
  {name: documents, command: extract, input: ${crawl}}
  {name: statistics, command: stats, input: "@documents"}
  {name: clean, command: filter, input: "@documents", stats: "@statistics", filters: [{class: DocLength, low: 50}]}
  {name: unique, command: minhash, input: "@clean"}
]
"""


def test_a_run(store: AzureStore, corpus: Path) -> None:
    """A whole corpus from a pipeline, of archives there; the same command again finds it done."""
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    (corpus / "p.conf").write_text(PIPELINE, encoding="utf-8")
    run = [PROGRAM, "run", corpus / "p.conf", "-P", f"crawl={ROOT}/crawl"]
    store.run(*run, "--output", f"{ROOT}/corpus")
    store.run(*run, "--output", corpus / "here")
    for name in ("documents", "statistics", "clean", "unique"):
        store.check(f"corpus/{name}")
        there = files_of(store.copy(f"corpus/{name}", corpus / "copies" / name))
        assert there == files_of(corpus / "here" / name), name
    before = store.checksums("corpus")
    assert not [name for name in before if "put-" in name or "lock-" in name]
    assert "4 done before" in store.run(*run, "--output", f"{ROOT}/corpus")
    assert store.checksums("corpus") == before
    report = [PROGRAM, "report", f"{ROOT}/corpus", "--output", corpus / "page.html"]
    assert "documents" in store.run(*report)


@pytest.mark.parametrize(
    "inputs",
    [
        f"{ROOT}/crawl",
        f"{ROOT}/crawl/",
        f"{ROOT}/crawl/*.warc.gz",
        f"{ROOT}/c*/?.warc.gz",
        f"abfss://store@{ACCOUNT}.dfs.core.windows.net/crawl",
        f"abfs://{ACCOUNT}.blob.core.windows.net/store/crawl",
        f"abfs://{ACCOUNT}@store/crawl/*",
        "abfs://store/crawl",
    ],
)
def test_inputs(store: AzureStore, corpus: Path, inputs: str) -> None:
    """A folder, and patterns, of each form that a URI may have; the names in the output lead back to the archives."""
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    store.put("crawl-of-others/notes.txt", b"x")
    store.run(PROGRAM, "extract", inputs, "--output", corpus / "out")
    store.run(PROGRAM, "extract", corpus / "crawl", "--output", corpus / "here")
    rows, local = (rows_of(corpus / name) for name in ("out", "here"))
    assert rows
    assert [{**row, "warc": ""} for row in rows] == [{**row, "warc": ""} for row in local]
    named = {row["warc"] for row in rows}
    beginning = inputs.partition("/c")[0] + "/crawl"
    assert named == {f"{beginning}/{number}.warc.gz" for number in range(2)}
    store.run(PROGRAM, "extract", *sorted(named), "--output", corpus / "again")
    assert rows_of(corpus / "again") == rows


def test_an_index(store: AzureStore, corpus: Path) -> None:
    """It names archives there; what is read beside the inputs is there as well."""
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", corpus / "here")
    expected = rows_of(corpus / "here")
    store.run(PROGRAM, "index", f"{ROOT}/crawl", "--output", f"{ROOT}/index")
    extract = [PROGRAM, "extract", "--index", f"{ROOT}/index", "--output"]
    store.run(*extract, f"{ROOT}/documents")
    assert rows_of(store.copy("documents", corpus / "documents")) == expected
    store.run(PROGRAM, "minhash", f"{ROOT}/documents", "--output", f"{ROOT}/unique")
    store.run(PROGRAM, "stats", f"{ROOT}/documents", "--output", f"{ROOT}/statistics")
    chain = [PROGRAM, "filter", f"{ROOT}/documents", "--stats", f"{ROOT}/statistics", "--output", f"{ROOT}/clean"]
    store.run(*chain)
    store.check("clean")
    store.run(PROGRAM, "minhash", f"{ROOT}/clean", "--against", f"{ROOT}/unique", "--output", f"{ROOT}/second")
    store.check("second")


@pytest.mark.parametrize(
    ("method", "pattern"),
    [
        ("PUT", "part-00001.*comp=block$"),
        ("PUT", "part-00001.*comp=blocklist"),
        ("PUT", "put-.*blocklist"),
        ("PUT", "manifest"),
        ("PUT", "commit"),
        ("PUT", "INCOMPLETE"),
        ("DELETE", "put-"),
        ("DELETE", "part-0"),
    ],
)
@pytest.mark.parametrize("replaces", [False, True])
def test_a_failed_upload_goes_on(store: AzureStore, corpus: Path, method: str, pattern: str, replaces: bool) -> None:
    """Readers see what was there before, or all that is new; the work stays, and the next start ends it."""
    output, tmp = f"{ROOT}/documents", corpus / "tmp"
    extract = [PROGRAM, "extract", corpus / "crawl", "--output", output, "--tmp", tmp, "--language", "all"]
    if replaces:
        store.run(PROGRAM, "extract", corpus / "crawl" / "0.warc.gz", "--output", output, "--language", "all")
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
    is_new = method == "DELETE" and pattern != "put-"
    assert (read_documents(store, corpus / "after") == before) != is_new
    store.run(*extract)
    store.check("documents")
    assert len(read_documents(store, corpus / "end") or []) > len(before or [])
    assert not list(tmp.iterdir())


def read_documents(store: AzureStore, folder: Path) -> list[str] | None:
    """The ids of what a reader finds; nothing where it finds no whole output."""
    command = [str(PROGRAM), "filter", f"{ROOT}/documents", "--output", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=store.environment, check=False)
    if done.returncode != 0:
        return None
    return [row["docId"] for path in folder.glob("*.parquet") for row in pq.ParquetFile(path).read().to_pylist()]


def test_a_large_upload_that_fails(store: AzureStore, tmp_path: Path) -> None:
    """What was put of it can not be seen: the object is empty until all of its blocks are there."""
    write_large(tmp_path / "a.jsonl")
    (tmp_path / "tmp").mkdir()
    chain = [PROGRAM, "filter", tmp_path / "a.jsonl", "--output", f"{ROOT}/documents", "--tmp", tmp_path / "tmp"]
    store.proxy.method, store.proxy.pattern, store.proxy.passed = "PUT", "part-0.*comp=block", 2
    store.run(*chain, code=1)
    assert store.proxy.passed == 0
    assert {size for name, size in store.sizes("documents").items() if "part-0" in name} == {0}
    store.proxy.method = ""
    store.run(*chain)
    store.check("documents")
    assert max(store.sizes("documents").values()) > 20 << 20


def test_places(store: AzureStore, corpus: Path) -> None:
    """An output is no input, and in none, whatever the form of its name; locks of others are told."""
    extract = [PROGRAM, "extract", corpus / "crawl"]
    store.run(*extract, "--output", f"{ROOT}/documents")
    for output in (
        f"{ROOT}/documents",
        f"abfss://store@{ACCOUNT}.dfs.core.windows.net/documents/more",
        f"abfs://{ACCOUNT}@store/documents",
        f"abfs://{ACCOUNT}.blob.core.windows.net/store",
        ROOT,
    ):
        said = store.run(PROGRAM, "filter", f"{ROOT}/documents", "--output", output, code=2)
        assert f"--output {ROOT}" in said
    said = store.run(*extract, "--output", f"{ROOT}/documents/more", code=2)
    assert "which is a finished output" in said
    store.put("foreign/mine.txt", b"mine")
    said = store.run(*extract, "--output", f"{ROOT}/foreign", code=2)
    assert f"{ROOT}/foreign/mine.txt: lies in the place of the output" in said
    said = store.run(PROGRAM, "stats", f"{ROOT}/nothing", "--output", corpus / "x", code=2)
    assert f"{ROOT}/nothing: no such file or folder" in said
    lock = {"host": "far", "pid": 7, "since": "2026-01-01T00:00:00Z"}
    store.put("other/.uzushio/lock-0.json", json.dumps(lock).encode())
    said = store.run(*extract, "--output", f"{ROOT}/other", code=2)
    assert "process 7 on far, since 2026-01-01T00:00:00Z" in said
    assert f"delete {ROOT}/other/.uzushio/lock-0.json" in said


def test_temporary_objects_of_a_stop_go(store: AzureStore, corpus: Path) -> None:
    """They are no objects of others."""
    store.put("documents/.uzushio/put-0123456789abcdef", b"{")
    store.run(PROGRAM, "extract", corpus / "crawl", "--output", f"{ROOT}/documents")
    store.check("documents")


def test_a_store_that_gives_no_access(store: AzureStore, corpus: Path) -> None:
    """It is said what to set, as an error of the user's, and no key."""
    store.put("crawl/0.warc.gz", (corpus / "crawl" / "0.warc.gz").read_bytes())
    other = "b" * 86 + "=="
    connection = store.environment["AZURE_STORAGE_CONNECTION_STRING"].replace(KEY, other)
    extract = [PROGRAM, "extract", f"{ROOT}/crawl/0.warc.gz", "--output"]
    said = store.run(*extract, corpus / "out", code=2, AZURE_STORAGE_CONNECTION_STRING=connection)
    assert f"{ROOT}/crawl/0.warc.gz: the store gives no access; set AZURE_STORAGE_CONNECTION_STRING" in said
    assert other not in said
    write = [PROGRAM, "extract", corpus / "crawl", "--output"]
    said = store.run(*write, f"{ROOT}/out", code=2, AZURE_STORAGE_CONNECTION_STRING=connection)
    assert f"{ROOT}/out: the store gives no access" in said
    said = store.run(*write, f"abfs://nothing@{ACCOUNT}.dfs.core.windows.net/out", code=2)
    assert f"abfs://nothing@{ACCOUNT}.dfs.core.windows.net/out" in said
    assert "the account has no such container; create it first" in said
    none = store.environment["AZURE_STORAGE_CONNECTION_STRING"].replace("AccountKey=", "NoKey=")
    said = store.run(*extract, corpus / "out", code=2, AZURE_STORAGE_CONNECTION_STRING=none)
    assert "the store gives no access" in said


def test_credentials(store: AzureStore, corpus: Path) -> None:
    """A SAS token does, by two variables, and is in no message and no file; in a URI it is refused."""
    token = shared_access()
    signature = token.rpartition("sig=")[2]
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    server = f"BlobEndpoint={store.endpoint}"
    both = [
        {"AZURE_STORAGE_CONNECTION_STRING": f"{server};SharedAccessSignature={token}"},
        {"AZURE_STORAGE_CONNECTION_STRING": server, "AZURE_STORAGE_SAS_TOKEN": f"?{token}"},
        {"AZURE_STORAGE_CONNECTION_STRING": server, "AZURE_STORAGE_KEY": KEY},
    ]
    for number, given in enumerate(both):
        output = f"{ROOT}/out{number}"
        extract = [PROGRAM, "extract", f"{ROOT}/crawl", "--output", output, "--summary", corpus / "summary.json"]
        said = store.run(*extract, code=0, **given)
        store.check(f"out{number}")
        texts = [said, (corpus / "summary.json").read_text(encoding="utf-8")]
        texts += [store.get(f"out{number}/{name}").decode(errors="replace") for name in store.names(f"out{number}")]
        assert not [text for text in texts if signature in text or KEY in text]
    reading = shared_access("rl")
    given = {"AZURE_STORAGE_CONNECTION_STRING": f"{server};SharedAccessSignature={reading}"}
    said = store.run(PROGRAM, "extract", corpus / "crawl", "--output", f"{ROOT}/out", code=1, **given)
    assert f"{ROOT}/out" in said
    assert "the store gives no access" in said
    assert reading.rpartition("sig=")[2] not in said
    for command in (["--output", f"{ROOT}/out?{token}"], [f"{ROOT}/crawl?{token}", "--output", corpus / "x"]):
        said = store.run(PROGRAM, "extract", corpus / "crawl", *command, code=2)
        assert signature not in said
    assert f"{ROOT}/crawl: has a query; give a SAS token by AZURE_STORAGE_SAS_TOKEN" in said
    no_account = [PROGRAM, "extract", "abfs://box/crawl", "--output", corpus / "x"]
    said = store.run(*no_account, code=2, AZURE_STORAGE_CONNECTION_STRING="")
    assert "names no account" in said


def run_python(store: AzureStore, script: str, *arguments: object) -> str:
    """What a script says that imports the module."""
    return store.run(sys.executable, "-c", script, *arguments, PYTHONPATH=str(PROGRAM.parent / "python"))


@pytest.mark.module
def test_in_python(store: AzureStore, corpus: Path) -> None:
    """By the same names."""
    store.put("crawl/0.warc.gz", (corpus / "crawl" / "0.warc.gz").read_bytes())
    extract = "import uzushio, sys; print(uzushio.extract(sys.argv[1], output=sys.argv[2]).output)"
    assert run_python(store, extract, f"{ROOT}/crawl", f"{ROOT}/documents") == f"{ROOT}/documents\n"
    store.check("documents")
    read = "import uzushio, sys; print({one.warc for one in uzushio.read_warc(sys.argv[1])})"
    assert run_python(store, read, f"{ROOT}/crawl/0.warc.gz") == f"{ {f'{ROOT}/crawl/0.warc.gz'} }\n"


@pytest.mark.module
@pytest.mark.parametrize("root", [ROOT, f"abfss://{ACCOUNT}.blob.core.windows.net/store"])
def test_places_of_tasks(store: AzureStore, tmp_path: Path, root: str) -> None:
    """Tasks of Spark put files there by pyarrow, with the same credentials; what was there is replaced."""
    (tmp_path / "a").write_bytes(b"new")
    store.put("folder/a b 文", b"old")
    script = (
        "import sys; from pathlib import Path; from uzushio.spark.worker.tasks import copy_to, open_place; "
        "copy_to(Path(sys.argv[1]), *open_place(sys.argv[2]))"
    )
    run_python(store, script, tmp_path / "a", f"{root}/folder/a b 文")
    assert store.names("folder") == ["a b 文"]
    assert store.get("folder/a b 文") == b"new"


def test_a_busy_store(store: AzureStore, corpus: Path) -> None:
    """Refused requests are sent again."""
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", corpus / "quiet")
    store.proxy.every, store.proxy.status = 7, 503
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", corpus / "busy")
    assert store.proxy.refused > 1
    assert files_of(corpus / "busy") == files_of(corpus / "quiet")
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", f"{ROOT}/documents")
    store.proxy.every = 0
    store.check("documents")
    assert files_of(store.copy("documents", corpus / "copy")) == files_of(corpus / "quiet")


@pytest.mark.parametrize("cut", ["", "comp=list", "crawl/0"])
def test_a_connection_that_breaks(store: AzureStore, corpus: Path, cut: str) -> None:
    """Before an answer, or within the body of a listing or a file: it is asked for again, and nothing is missing."""
    for path in (corpus / "crawl").iterdir():
        store.put(f"crawl/{path.name}", path.read_bytes())
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", corpus / "quiet")
    store.proxy.cut, store.proxy.cuts, store.proxy.is_closed = cut, 3, cut == ""
    store.run(PROGRAM, "extract", f"{ROOT}/crawl", "--output", corpus / "cut")
    assert store.proxy.cuts == 0
    assert files_of(corpus / "cut") == files_of(corpus / "quiet")
    if cut == "crawl/0":
        return
    store.proxy.cuts = 3
    store.run(PROGRAM, "extract", corpus / "crawl", "--output", f"{ROOT}/documents")
    assert store.proxy.cuts == 0
    store.check("documents")


def test_what_is_being_deleted(store: AzureStore, corpus: Path) -> None:
    """Arrow leases an object to delete it; where a killed process has left the lease, it is waited for."""
    store.run(PROGRAM, "extract", corpus / "crawl" / "0.warc.gz", "--output", f"{ROOT}/documents")
    store.proxy.method, store.proxy.pattern = "PUT", "comp=lease"
    store.proxy.status, store.proxy.most, store.proxy.said = 409, 4, {"x-ms-error-code": "LeaseAlreadyPresent"}
    store.run(PROGRAM, "extract", corpus / "crawl", "--output", f"{ROOT}/documents", "--overwrite")
    assert store.proxy.refused == 4
    store.check("documents")
