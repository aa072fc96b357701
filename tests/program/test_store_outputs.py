"""What is special to outputs on S3: servers of its own on this machine."""

from __future__ import annotations

import fnmatch
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from object_store import SERVERS, ObjectStore, serve_refusing_store, serve_store
from pages import page
from pipeline_pages import write_crawl
from program import PROGRAM
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
    """What can not be there says so."""
    extract = [PROGRAM, "extract", corpus / "crawl"]
    store.run(*extract, "--output", "s3://store/documents")
    said = store.run(*extract, "--output", "s3://nothing/documents", code=1)
    assert "s3://nothing/documents" in said
    said = store.run(*extract, "--output", corpus / "out", "--summary", "s3://store/summary.json", code=2)
    assert "--summary s3://store/summary.json: is written to local or mounted folders only" in said
    stats = [PROGRAM, "stats", "s3://store/documents", "--output", "s3://store/statistics"]
    said = store.run(*stats, "--pairs", "s3://store/pairs", code=2)
    assert "--pairs s3://store/pairs: is written to local or mounted folders only" in said
    store.run(*stats, "--pairs", corpus / "pairs")
    store.check("documents")


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


@pytest.mark.parametrize("status", [403, 503])
def test_an_output_that_is_not_complete(corpus: Path, status: int) -> None:
    """It is named as it was given. A file that the store does not give, or that has nothing yet, is told of as such."""
    not_complete = "s3://store/documents: this output is not complete; run its stage again"
    with serve_refusing_store("moto") as store:
        store.run(PROGRAM, "extract", corpus / "crawl", "--output", "s3://store/documents", "--language", "ja,en")
        part = next(name for name in store.names("documents") if "part-0" in name)
        store.put("documents/_INCOMPLETE", b"{}")
        read = [PROGRAM, "filter", "s3://store/documents", "--output", corpus / "read"]
        assert f"{not_complete}, or read it as it is by --allow-incomplete" in store.run(*read, code=2)
        store.proxy.method, store.proxy.pattern, store.proxy.status = "GET", "part-0", status
        for more in ([], ["--allow-incomplete"]):
            said = store.run(*read, *more, code=1)
            assert f"s3://store/documents/{part}: no readable Parquet file: " in said
            assert "not complete" not in said
        store.proxy.method = ""
        store.put(f"documents/{part}", b"")
        for more in ([], ["--allow-incomplete"]):
            said = store.run(*read, *more, code=2)
            assert f"{not_complete}: s3://store/documents/{part}: no readable Parquet file: " in said
