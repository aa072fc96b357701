"""Inputs on S3: servers of its own on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from object_store import SERVERS, ObjectStore, serve_faulty, serve_store
from pages import page
from program import PROGRAM
from sanitized import first_sanitized
from slow_proxy import Limits, serve_slowly
from warc_builder import build


@pytest.fixture(name="store", params=first_sanitized(SERVERS))
def make_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """An empty one."""
    with serve_store(request.param) as store:
        yield store


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_archives_on_s3_are_read(store: ObjectStore, scheme: str, tmp_path: Path) -> None:
    """By their names, by folders and by globs; what is not there is a clear error."""
    for part in range(2):
        store.put(f"2023/{part}.warc.gz", build([page(number) for number in range(part, part + 3)], "warc.gz"))
    lacking = subprocess.run([PROGRAM, "doctor"], capture_output=True, env=store.environment, check=False).returncode

    def extract(name: str, code: int = 0) -> str:
        uri = f"{scheme}://store/{name}"
        return store.run(PROGRAM, "extract", uri, "--output", tmp_path / "out", "--overwrite", code=code)

    for name in ("2023", "2023/*.warc.gz"):
        assert "6 documents" in extract(name)
    assert f"{scheme}://store/2023: a folder, which can be read" in store.run(
        PROGRAM, "doctor", f"{scheme}://store/2023", code=lacking
    )
    assert f"missing  {scheme}://store/2024: " in store.run(PROGRAM, "doctor", f"{scheme}://store/2024", code=1)
    assert "3 documents" in extract("2023/1.warc.gz")
    assert f"{scheme}://store/2024: no such file or folder" in extract("2024", code=2)


@pytest.mark.module
@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_archives_on_s3_are_read_in_python(store: ObjectStore, scheme: str) -> None:
    """By the same names; credentials in them stand in no column."""
    store.put("2023/0.warc.gz", build([page(number) for number in range(3)], "warc.gz"))
    path = str(PROGRAM.parent / "python")
    script = "import sys, uzushio; print([one.warc for one in uzushio.read_warc(sys.argv[1])])"
    said = store.run(sys.executable, "-c", script, f"{scheme}://store/2023/0.warc.gz", PYTHONPATH=path)
    assert said == f"{[f'{scheme}://store/2023/0.warc.gz'] * 3}\n"
    key, secret = (store.environment.pop(f"AWS_{name}") for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"))
    given = f"{scheme}://{key}:{secret}@store/2023/*.warc.gz"
    assert store.run(sys.executable, "-c", script, given, PYTHONPATH=path) == said


def test_a_store_that_gives_no_access(store: ObjectStore, tmp_path: Path) -> None:
    """Of inputs and outputs it is said what to set, as an error of the user's."""
    archive = build([page(1)], "warc.gz")
    store.put("crawl/0.warc.gz", archive)
    (tmp_path / "0.warc.gz").write_bytes(archive)
    advice = "the store gives no access; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    for method, pattern, name in (("HEAD", "crawl", "crawl"), ("HEAD", "crawl", "crawl/0.warc.gz"),
                                  ("GET", "list-type", "crawl"), ("GET", "list-type", "crawl/*.warc.gz")):  # fmt: skip
        with serve_faulty(store, method, pattern) as (_, to_proxy):
            extract = [PROGRAM, "extract", f"s3://store/{name}", "--output", tmp_path / "out"]
            assert f"s3://store/{name}: {advice}" in store.run(*extract, code=2, **to_proxy)
            assert not (tmp_path / "out").exists()
    with serve_faulty(store, "GET", "list-type") as (_, to_proxy):
        extract = [PROGRAM, "extract", tmp_path / "0.warc.gz", "--output", "s3://store/documents"]
        assert f"s3://store/documents: {advice}" in store.run(*extract, code=2, **to_proxy)


def test_credentials_in_uris_are_told_nobody(store: ObjectStore, tmp_path: Path) -> None:
    """They open what a URI names, and stand in no message, manifest, summary or column."""
    for part in range(2):
        store.put(f"crawl/{part}.warc.gz", build([page(number) for number in range(part, part + 3)], "warc.gz"))
    key, secret = (store.environment.pop(f"AWS_{name}") for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"))
    given = f"s3://{key}:{secret}@store"
    said = []
    for number, name in enumerate(("crawl", "crawl/0.warc.gz", "crawl/*.warc.gz")):
        out = ["--output", tmp_path / f"o{number}", "--summary", tmp_path / f"{number}.json"]
        said.append(store.run(PROGRAM, "extract", f"{given}/{name}", *out))
    said.append(store.run(PROGRAM, "extract", f"{given}/nothing", "--output", tmp_path / "x", code=2))
    assert "s3://store/nothing: no such file or folder" in said[-1]
    said.append(store.run(PROGRAM, "extract", f"{given}/nothing*", "--output", tmp_path / "x", code=2))
    said.append(store.run(PROGRAM, "extract", f"s3://{key}:a/b@/x", "--output", tmp_path / "x", code=2))
    store.run(PROGRAM, "index", f"{given}/crawl", "--output", tmp_path / "index")
    (row, *_) = pq.read_table(tmp_path / "index").to_pylist()
    assert row["warc_filename"] == "s3://store/crawl/0.warc.gz"
    pq.write_table(pa.Table.from_pylist([row | {"warc_filename": "crawl/0.warc.gz"}]), tmp_path / "t.parquet")
    by_index = ["--index", tmp_path / "t.parquet", "--index-base", f"{given}/", "--output", tmp_path / "by-index"]
    said.append(store.run(PROGRAM, "extract", *by_index))
    said += [path.read_text() for path in tmp_path.rglob("*.json")]
    assert not [text for text in said if secret in text or "a/b" in text]


def test_statistics_are_merged_by_credentials_in_uris(store: ObjectStore, tmp_path: Path) -> None:
    """What is found beside an input is opened by the credentials that it was named with."""
    (tmp_path / "a.txt").write_text("これは、文章です。\n\nこれも、文章です。\n", encoding="utf-8")
    store.run(PROGRAM, "stats", tmp_path / "a.txt", "--intermediate", "--output", "s3://store/part")
    key, secret = (store.environment.pop(f"AWS_{name}") for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"))
    store.run(PROGRAM, "merge", f"s3://{key}:{secret}@store/part", "--output", tmp_path / "merged")
    assert secret not in (tmp_path / "merged" / ".uzushio" / "manifest.json").read_text()


ODD_NAMES = (
    "日本語/ページ 1.warc.gz",
    "a+b c/1+1=2.warc.gz",
    "100%/%41 %2F.warc.gz",
    "names/a&b;c=d,e@f!$'()~.warc.gz",
    "names/[1]?*#x.warc.gz",
)


def uri_of(key: str) -> str:
    """An object, as a URI whose percent signs and characters of patterns are none."""
    return "s3://store/" + "".join(f"%{ord(char):02X}" if char in "%*?[]#" else char for char in key)


def test_names_that_uris_have_to_escape(store: ObjectStore, tmp_path: Path) -> None:
    """Each object is found by its name, in its folder, by a pattern, and by a table of a crawl's index."""
    for number, key in enumerate(ODD_NAMES):
        store.put(key, build([page(number)], "warc.gz"))

    def extract(*inputs: str) -> list[str]:
        store.run(PROGRAM, "extract", *inputs, "--output", tmp_path / "out", "--overwrite")
        files = (tmp_path / "out").glob("language=*/*.parquet")
        return sorted(row["url"] for path in files for row in pq.ParquetFile(path).read().to_pylist())

    for number, key in enumerate(ODD_NAMES):
        assert extract(uri_of(key)) == [f"http://example.jp/{number}"], key
        folder = key.partition("/")[0]
        of_folder = sorted(f"http://example.jp/{i}" for i, other in enumerate(ODD_NAMES) if other.startswith(folder))
        assert extract(uri_of(folder)) == of_folder
        assert extract(uri_of(folder) + "/*.warc.gz") == of_folder
    every = [f"http://example.jp/{number}" for number in range(len(ODD_NAMES))]
    assert extract("s3://store/**/*.warc.gz") == every
    index = [PROGRAM, "index", "s3://store/**/*.warc.gz", "--output", "s3://store/tables/索引 +%25"]
    store.run(*index)
    store.check("tables/索引 +%")
    assert extract("--index", "s3://store/tables/索引 +%25") == every


def test_folders_of_more_objects_than_a_listing_has(store: ObjectStore, tmp_path: Path) -> None:
    """A store names a thousand at once."""
    archive = build([page(1)], "warc.gz")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: store.put(f"many/{number:04}.txt", b"x"), range(1, 1100)))
        list(pool.map(lambda number: store.put(f"many/{number:04}.warc.gz", archive), (0, 999, 1000, 1001, 2000)))
    assert "5 documents" in store.run(PROGRAM, "extract", "s3://store/many/*.warc.gz", "--output", tmp_path / "out")
    assert len(store.names("many")) == 1104


def test_marks_of_folders_and_what_is_empty(store: ObjectStore, tmp_path: Path) -> None:
    """Folders that a web page of a store has made are objects that end with a slash; they are no inputs."""
    for mark in ("crawl/", "crawl/2023/", "crawl/2024/", "empty/"):
        store.put(mark)
    store.put("crawl/2023/0.warc.gz", build([page(1)], "warc.gz"))
    store.put("crawl/2023/empty.warc.gz")

    def extract(name: str, code: int = 0) -> str:
        uri = f"s3://store/{name}"
        return store.run(PROGRAM, "extract", uri, "--output", tmp_path / "out", "--overwrite", code=code)

    assert "1 document" in extract("crawl/")
    assert "1 document" in extract("crawl/2023/*")
    assert "0 documents" in extract("crawl/2023/empty.warc.gz")
    for name in ("empty", "empty/", "crawl/2024"):
        assert f"s3://store/{name}" in extract(name, code=2)
    store.put("documents/")
    store.put("documents/inner/")
    extract_there = [PROGRAM, "extract", "s3://store/crawl", "--output", "s3://store/documents"]
    store.run(*extract_there)
    assert "complete already" in store.run(*extract_there)
    store.delete("documents/inner/")
    store.check("documents")


def test_an_index_that_leads_beyond_the_end(store: ObjectStore, tmp_path: Path) -> None:
    """Rows of an archive that is shorter now, is empty, or is gone."""
    records = [build([page(number)], "warc.gz") for number in range(4)]
    for name in ("short", "empty", "gone"):
        store.put(f"crawl/{name}.warc.gz", b"".join(records))
    store.run(PROGRAM, "index", "s3://store/crawl", "--output", tmp_path / "index")
    store.put("crawl/short.warc.gz", b"".join(records)[: -len(records[3]) - len(records[2]) // 2])
    store.put("crawl/empty.warc.gz")
    store.delete("crawl/gone.warc.gz")
    extract = [PROGRAM, "extract", "--index", tmp_path / "index", "--output", tmp_path / "out"]
    said = store.run(*extract, "--max-bad", "100", "--summary", tmp_path / "summary.json")
    counts = json.loads((tmp_path / "summary.json").read_text())
    assert counts["documents"] == 2, said
    assert counts["quarantined"] == {"index-file": 4, "index-length": 1, "index-offset": 5}


def test_requests_for_ranges_are_on_their_way_at_once(store: ObjectStore, tmp_path: Path) -> None:
    """Four of each file that is read; those that a busy store refuses are repeated."""
    filling = [{"uri": f"http://example.com/{number}", "body": "x" * 500} for number in range(10)]
    for part in range(4):
        records = [one for number in range(8) for one in (page(number), *filling)]
        store.put(f"crawl/{part}.warc.gz", build(records, "warc.gz"))
    store.run(PROGRAM, "index", "s3://store/crawl", "--output", tmp_path / "index")
    extract = [PROGRAM, "extract", "--index", tmp_path / "index", "--index-language", "jpn", "--index-gap", 1]
    extract += ["--threads", 4]
    store.run(*extract, "--output", tmp_path / "expected")
    with serve_slowly(store.environment["AWS_ENDPOINT_URL"], Limits(latency=0.3, busy_every=7)) as proxy:
        store.run(*extract, "--output", tmp_path / "out", AWS_ENDPOINT_URL=proxy.url)
        served = proxy.take()
    assert served.busy > 5
    assert served.most_at_once > 10
    for path in (tmp_path / "expected").glob("language=*/*"):
        assert (tmp_path / "out" / path.relative_to(tmp_path / "expected")).read_bytes() == path.read_bytes()


def test_a_public_bucket_needs_no_key(tmp_path: Path) -> None:
    """Without credentials, requests have no signature. moto does not know such."""
    statement = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": ["s3:GetObject", "s3:ListBucket"],
        "Resource": ["arn:aws:s3:::store", "arn:aws:s3:::store/*"],
    }
    extract = [PROGRAM, "extract", "s3://store/crawl", "--output", tmp_path / "out"]
    with serve_store("versitygw") as store:
        store.environment |= {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": str(tmp_path)}
        store.put("crawl/0.warc.gz", build([page(1)], "warc.gz"))
        assert "the store gives no access" in store.run(*extract, code=2)
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        store.client.put_bucket_policy(Bucket="store", Policy=policy)
        assert "1 document" in store.run(*extract)
