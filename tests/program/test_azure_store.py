"""What is special to inputs and outputs on Azure Blob Storage: a server of its own on this machine, Azurite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from azure_store import ACCOUNT, KEY, AzureStore, serve_azure_store, shared_access
from pipeline_pages import write_crawl
from program import PROGRAM, read_documents
from stored_outputs import files_of

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
    return write_crawl(tmp_path, 2)


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
    store.put_folder(corpus / "crawl")
    store.put("crawl-of-others/notes.txt", b"x")
    store.run(PROGRAM, "extract", inputs, "--output", corpus / "out")
    store.run(PROGRAM, "extract", corpus / "crawl", "--output", corpus / "here")
    rows, local = (read_documents(corpus / name) for name in ("out", "here"))
    assert rows
    assert [{**row, "warc": ""} for row in rows] == [{**row, "warc": ""} for row in local]
    named = {row["warc"] for row in rows}
    beginning = inputs.partition("/c")[0] + "/crawl"
    assert named == {f"{beginning}/{number}.warc.gz" for number in range(2)}
    store.run(PROGRAM, "extract", *sorted(named), "--output", corpus / "again")
    assert read_documents(corpus / "again") == rows


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
    store.put_folder(corpus / "crawl")
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


@pytest.mark.parametrize("cut", ["", "comp=list", "crawl/0"])
def test_a_connection_that_breaks(store: AzureStore, corpus: Path, cut: str) -> None:
    """Before an answer, or within the body of a listing or a file: it is asked for again, and nothing is missing."""
    store.put_folder(corpus / "crawl")
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


@pytest.mark.parametrize("replaces", [False, True])
def test_a_run_goes_on_from_an_empty_manifest(store: AzureStore, corpus: Path, replaces: bool) -> None:
    """A stop of Hadoop's file system may leave one: an object is there before what it has. The step is not done."""
    pipeline = "stages: [{name: documents, command: extract, input: ${crawl}}]"
    run = [PROGRAM, "run", corpus / "p.conf", "-P", f"crawl={corpus / 'crawl'}", "--output", f"{ROOT}/corpus"]
    (corpus / "p.conf").write_text(pipeline, encoding="utf-8")
    if replaces:
        store.run(*run)
        (corpus / "p.conf").write_text(pipeline.replace("extract,", "extract, language: all,"), encoding="utf-8")
    store.proxy.method, store.proxy.pattern = "PUT", "documents/.*manifest"
    store.run(*run, code=1)
    store.proxy.method = ""
    assert ("_INCOMPLETE" in store.names("corpus/documents")) != replaces
    store.put("corpus/documents/.uzushio/manifest.json", b'{"run": ')
    assert "documents/.uzushio/manifest.json: is damaged" in store.run(*run, code=2)
    store.put("corpus/documents/.uzushio/manifest.json", b"")
    store.run(*run)
    store.check("corpus/documents")
    assert "1 done before" in store.run(*run)
