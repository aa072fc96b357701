"""ARC, LZ4, early versions of WARC, and members that end anywhere: the documents are those of WARC."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import uzushio as module
from pages import KANA, page
from program import Uzushio, read_documents, read_json
from warc_builder import OTHER_CONTAINERS, arc_file_record, arc_record_bytes, build, record_bytes

PAGES = [
    {**page(0), "date": "2009-11-07T01:02:03Z"},
    {**page(1), "http": [["Content-Type", "text/html; charset=Shift_JIS"]], "charset": "cp932"},
    {**page(2), "coding": ["gzip"], "http": [["Content-Type", "text/html"], ["Content-Encoding", "gzip"]]},
    {"uri": "http://example.jp/plain", "http": [["Content-Type", "text/plain"]], "body": f"{KANA}\n\n{KANA}"},
    {"uri": "http://example.jp/gone", "status": "HTTP/1.1 404 Not Found", "body": "<p>gone</p>"},
    {"uri": "dns:example.jp", "status": None, "body": "20230401000000\nexample.jp. 1 IN A 192.0.2.7"},
    page(3),
]
PLACES = {"warc", "offset", "length"}


def rows_of(folder: Path, without: set[str]) -> list[dict[str, Any]]:
    """The documents of an output, without some columns."""
    return [{name: row[name] for name in row.keys() - without} for row in read_documents(folder)]


@pytest.mark.parametrize("container", OTHER_CONTAINERS)
@pytest.mark.parametrize("name", ["by its name", "by nothing"])
def test_documents_are_those_of_warc(uzushio: Uzushio, tmp_path: Path, container: str, name: str) -> None:
    """With their URLs, dates and charsets, whatever the file is called, for any number of threads; in Python, too."""
    (tmp_path / "a.warc").write_bytes(build(PAGES, "warc"))
    uzushio("extract", tmp_path / "a.warc", "--output", tmp_path / "expected")
    is_arc = "arc" in container.split(".")
    without = PLACES | ({"docId"} if is_arc else set())
    expected = rows_of(tmp_path / "expected", without)
    assert [row["date"] for row in expected[:2]] == ["2009-11-07T01:02:03", "2023-04-01T00:00:00"]
    archive = tmp_path / (f"b.{container}" if name == "by its name" else "archive")
    archive.write_bytes(build(PAGES, container))
    for threads in (1, 3):
        uzushio("extract", archive, "--output", tmp_path / f"out{threads}", "--threads", threads,
                "--summary", tmp_path / "summary.json")  # fmt: skip
        assert rows_of(tmp_path / f"out{threads}", without) == expected
        counts = read_json(tmp_path / "summary.json")
        assert counts["quarantined"] == {}
        assert counts["rejected"] == {
            "http-status/404": 1,
            "warc-type/response-not-http": 1,
            **({"warc-type/warcinfo": 1} if is_arc else {}),
        }
    read = module.read_warc(archive)
    assert [document.url for document in read] == [row["url"] for row in expected]
    assert len({row["docId"] for row in read_documents(tmp_path / "out1")}) == len(expected)


def test_folders_have_old_archives(uzushio: Uzushio, tmp_path: Path) -> None:
    """They are found by their names."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number, container in enumerate(["arc", "arc.gz", "warc.lz4", "warc.gz"]):
        (folder / f"{number}.{container}").write_bytes(build([page(number)], container))
    uzushio("extract", folder, "--output", tmp_path / "out")
    assert [row["url"] for row in read_documents(tmp_path / "out")] == [f"http://example.jp/{i}" for i in range(4)]


@pytest.mark.parametrize("version", ["WARC/0.16", "WARC/0.17", "WARC/0.18"])
def test_early_versions_of_warc(uzushio: Uzushio, tmp_path: Path, version: str) -> None:
    """Names of fields are in any case, and ids of other kinds than UUIDs."""
    records = [
        record_bytes({**page(number), "version": version, "id": f"tag:archive.org,2009:{number}"}, number)
        .replace(b"WARC-Type", b"Warc-type")
        .replace(b"Content-Length", b"Content-Type: application/http; msgtype=response\r\ncontent-length", 1)
        for number in range(3)
    ]
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    (tmp_path / "b.warc.gz").write_bytes(b"".join(map(gzip.compress, records)))
    uzushio("extract", tmp_path / "a.warc", tmp_path / "b.warc.gz", "--output", tmp_path / "out")
    rows = read_documents(tmp_path / "out")
    assert [row["url"] for row in rows] == [f"http://example.jp/{i}" for i in range(3)] * 2
    assert len({row["docId"] for row in rows[:3]}) == 3


def test_full_data_of_arc_has_names_of_warc(uzushio: Uzushio, tmp_path: Path) -> None:
    """The fields of its line."""
    (tmp_path / "a.arc.gz").write_bytes(build([page(0)], "arc.gz"))
    uzushio("extract", tmp_path / "a.arc.gz", "--output", tmp_path / "out", "--full-data", "jsonl")
    (full,) = (tmp_path / "out").rglob("full-data/**/*.jsonl.gz")
    (row,) = map(json.loads, gzip.decompress(full.read_bytes()).splitlines())
    headers = json.dumps(row)
    for text in ("http://example.jp/0", "2023-04-01T00:00:00Z", "192.0.2.7", "WARC-IP-Address"):
        assert text in headers


def test_an_index_of_arc(uzushio: Uzushio, tmp_path: Path) -> None:
    """Its records are found by their members, and give the documents of the whole file."""
    (tmp_path / "a.arc.gz").write_bytes(build(PAGES, "arc.gz"))
    uzushio("index", tmp_path / "a.arc.gz", "--output", tmp_path / "index")
    uzushio("extract", "--index", tmp_path / "index", "--output", tmp_path / "out")
    uzushio("extract", tmp_path / "a.arc.gz", "--output", tmp_path / "whole")
    assert read_documents(tmp_path / "out") == read_documents(tmp_path / "whole")
    assert len(read_documents(tmp_path / "out")) == 5


@pytest.mark.parametrize("container", ["arc", "arc.gz", "single.arc.gz"])
@pytest.mark.parametrize("length", ["+3", "-2", -1, 10**15])
def test_lengths_of_arc_that_lie(uzushio: Uzushio, tmp_path: Path, container: str, length: str | int) -> None:
    """One record is lost and counted, and reading goes on."""
    records = [page(0), {**page(1), "length": length}, page(2)]
    (tmp_path / "a").write_bytes(build(records, container))
    summary = tmp_path / "summary.json"
    uzushio("extract", tmp_path / "a", "--output", tmp_path / "out", "--summary", summary, "--max-bad", "1")
    assert [row["url"] for row in read_documents(tmp_path / "out")] == ["http://example.jp/0", "http://example.jp/2"]
    assert read_json(summary)["quarantined"] == {"bad-length": 1}


def test_records_in_a_page_of_arc_are_none(uzushio: Uzushio, tmp_path: Path) -> None:
    """A page over the cap that holds records of ARC, and one whose length is true."""
    forged = b"\n" + arc_record_bytes({**page(7), "uri": "http://forged.example/"}, 0)
    body = (f"<p>{KANA}<pre>".encode() + forged * 3).decode()
    for name, pages in (("cap", [{"uri": "http://example.jp/big", "body": body * 500}]), ("true", [{"body": body}])):
        records = [arc_record_bytes(record, index) for index, record in enumerate([*pages, page(1)])]
        (tmp_path / f"{name}.arc").write_bytes(arc_file_record() + b"".join(records))
        uzushio("extract", tmp_path / f"{name}.arc", "--output", tmp_path / name, "--max-page-bytes", "100KiB")
        assert "http://forged.example/" not in {row["url"] for row in read_documents(tmp_path / name)}
        assert "http://example.jp/1" in {row["url"] for row in read_documents(tmp_path / name)}
