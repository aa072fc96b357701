"""What `uzushio extract --full-data` writes beside the documents: all of a page, a row for each document."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import zstandard
from pages import page
from program import PROGRAM, Uzushio, read_documents, read_json
from warc_builder import Record, body_of, build

JAPANESE = "<p>ここには、やさしい日本語の文章があります。"
LINKED = "<p>これは<a href=x>ひとつめの字</a>と<a href=y>😀ふたつめ</a>です。"


def read_full(folder: Path, ending: str = "parquet") -> list[dict[str, Any]]:
    """The rows of full data in order of file and row, with their language; bytes as such."""
    rows: list[dict[str, Any]] = []
    suffix = "pq" if ending == "parquet" else ending
    for path in sorted(folder.glob(f".uzushio/full-data/language=*/part-*.{suffix}")):
        language = path.parent.name.removeprefix("language=")
        rows += [{**row, "language": language} for row in rows_of(path)]
    return rows


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of any format."""
    if path.suffix in {".parquet", ".pq"}:
        rows: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
        return rows
    data = path.read_bytes()
    if path.suffix == ".gz":
        text = gzip.decompress(data)
    else:
        text = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True).read()
    assert text.endswith(b"\n")
    rows = [json.loads(line) for line in text[:-1].split(b"\n")]
    for row in rows:
        row["body"] = base64.b64decode(row["body"], validate=True)
        for field in row["warcHeaders"] + row["httpHeaders"]:
            field["bytes"] = None if field["bytes"] is None else base64.b64decode(field["bytes"], validate=True)
    return rows


def files_of(folder: Path) -> dict[str, bytes]:
    """All files by their paths."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(path: Path, records: list[Record], container: str = "warc.gz") -> Path:
    """An archive."""
    path.write_bytes(build(records, container))
    return path


def fields(headers: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Names and values of fields that are UTF-8."""
    assert all(field["bytes"] is None for field in headers)
    return [(field["name"], field["value"]) for field in headers]


def text(name: str, value: str) -> dict[str, Any]:
    """A field that is UTF-8."""
    return {"name": name, "value": value, "bytes": None}


def mixed() -> list[Record]:
    """Pages of several languages, charsets and codings; some of them no documents."""
    html = [["Content-Type", "text/html"]]
    return [
        page(0),
        {"body": "<title>English</title><p>This is a page of plain and simple English words for everyone."},
        {"body": JAPANESE + "<meta charset=sjis>", "charset": "shift_jis"},
        {"body": JAPANESE, "http": [["Content-Type", "text/html; charset=EUC-JP"]], "charset": "euc_jp"},
        {"status": "HTTP/1.1 404 Not Found", "body": JAPANESE},
        {"body": JAPANESE + LINKED, "coding": ["gzip"], "http": [*html, ["Content-Encoding", "gzip"]]},
        {"body": JAPANESE, "coding": ["gzip"], "http": [*html, ["Content-Encoding", "br"]]},  # quarantined
        {"body": JAPANESE, "chunked": True, "http": [*html, ["Transfer-Encoding", "chunked"]]},
        {
            "body": "これは、ここにあるただの文章です。\n\nそしてこれが、ふたつめの段落です。",
            "http": [["Content-Type", "text/plain"]],
        },
        {
            "type": "conversion",
            "status": None,
            "body": "これは、ここから抜き出された文章です。\n",
            "warc": {"X-Wet": "yes"},
        },
        {"type": "request", "status": None, "body": "GET / HTTP/1.1\r\n\r\n"},
        {"body": "<p>Ceci n'est pas une page en anglais, mais une page qui parle de tout et de rien."},
    ]


def test_a_row_for_each_document(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same ids in the same order and folders; the page's bytes, codings undone; its paragraphs."""
    records = mixed()
    source = write(tmp_path / "a.warc.gz", records)
    uzushio("extract", source, "--output", tmp_path / "out", "--language", "all", "--full-data")
    documents, full = read_documents(tmp_path / "out"), read_full(tmp_path / "out")
    assert len(documents) == 9
    assert len({row["language"] for row in documents}) >= 3
    names = ("docId", "url", "charset", "title", "language")
    assert [[row[name] for name in names] for row in full] == [[row[name] for name in names] for row in documents]
    bodies = {row["url"]: row["body"] for row in full}
    for index, record in enumerate(records):
        if f"http://example.jp/{index}" in bodies:
            assert bodies[f"http://example.jp/{index}"] == body_of(record)
    for row, document in zip(full, documents, strict=True):
        paragraphs = [text.split("\x1c") for text in document["text"].split("\n\n")]
        assert [[one["path"], one["text"]] for one in row["paragraphs"]] == [
            [path.split("\x1e")[0], re.sub("[\x02\x03]", "", text)] for path, text in paragraphs
        ]
        for one, (_, text) in zip(row["paragraphs"], paragraphs, strict=True):
            links = [one["text"][link["begin"] : link["end"]] for link in one["links"]]
            assert links == re.findall("\x02(.*?)\x03", text)
    assert sum(len(one["links"]) for row in full for one in row["paragraphs"]) == 2


def test_without_the_option_nothing_is_different(uzushio: Uzushio, tmp_path: Path) -> None:
    """Documents and quarantine are the same bytes; the mark lists more files, and counts what is in them."""
    source = write(tmp_path / "a.warc.gz", mixed())
    uzushio("extract", source, "--output", tmp_path / "plain")
    done = uzushio("extract", source, "--output", tmp_path / "full", "--full-data", "parquet")
    plain, full = files_of(tmp_path / "plain"), files_of(tmp_path / "full")
    marks = [json.loads(files.pop(".uzushio/manifest.json")) for files in (plain, full)]
    assert {name: data for name, data in full.items() if not name.startswith(".uzushio/full-data/")} == plain
    listed = {file["path"]: file for file in marks[1]["files"]}
    assert set(listed) == set(full)
    (of_full,) = [file for path, file in listed.items() if path.startswith(".uzushio/full-data/")]
    assert of_full["rows"] == 7
    assert of_full["bytes"] == len(full[".uzushio/full-data/language=ja/part-00000.pq"])
    assert len(of_full["xxh64"]) == 16
    assert marks[1]["counts"].pop("body_bytes") == sum(len(row["body"]) for row in read_full(tmp_path / "full"))
    assert marks[1]["counts"] == marks[0]["counts"]
    assert "full data of " in done.stderr


def test_headers(uzushio: Uzushio, tmp_path: Path) -> None:
    """All of them in their order: repeated, empty, of a megabyte, and of bytes that are no UTF-8."""
    long = "あ" * 350_000
    http = [
        ["Content-Type", "text/html"],
        ["Set-Cookie", "a=1"],
        ["X-Empty", ""],
        ["set-cookie", "b=2; x: y"],
        ["X-Long", long.encode().decode("latin-1")],
        ["X-Caf\xe9", "1"],
        ["X-Bad", "caf\xe9\x00\xff"],
        ["Set-Cookie", "a=1"],
    ]
    bare = {"body": JAPANESE, "http": http, "warc": {"WARC-Concurrent-To": "<urn:1>"}}
    data = build([bare], "warc").replace(b"WARC-Concurrent-To: <urn:1>\r\n", b"X-Two: 1\r\nX-Two: \xfe\r\nX-None:\r\n")
    (tmp_path / "a.warc").write_bytes(data)
    for form in ("parquet", "jsonl.gz", "jsonl.zst"):
        output = tmp_path / form
        uzushio("extract", tmp_path / "a.warc", "--output", output, f"--full-data={form}")
        (row,) = read_full(output, form)
        assert row["httpHeaders"] == [
            text("Content-Type", "text/html"),
            text("Set-Cookie", "a=1"),
            text("X-Empty", ""),
            text("set-cookie", "b=2; x: y"),
            text("X-Long", long),
            {"name": "X-Caf�", "value": None, "bytes": b"X-Caf\xe9: 1"},
            {"name": "X-Bad", "value": None, "bytes": b"X-Bad: caf\xe9\x00\xff"},
            text("Set-Cookie", "a=1"),
        ]
        assert row["warcHeaders"][:4:3] == [
            text("WARC-Type", "response"),
            text("WARC-Target-URI", "http://example.jp/0"),
        ]
        assert row["warcHeaders"][4:7] == [
            text("X-Two", "1"),
            {"name": "X-Two", "value": None, "bytes": b"X-Two: \xfe"},
            text("X-None", ""),
        ]


def test_plain_text_and_wet(uzushio: Uzushio, tmp_path: Path) -> None:
    """They have bytes, but no elements; WET has no HTTP headers either."""
    uzushio("extract", write(tmp_path / "a.warc", mixed(), "warc"), "--output", tmp_path / "out", "--full-data")
    *_, plain, wet = read_full(tmp_path / "out")
    assert (plain["mediaType"], wet["mediaType"]) == ("text", "text")
    assert fields(plain["httpHeaders"]) == [("Content-Type", "text/plain")]
    assert [one["text"] for one in plain["paragraphs"]] == [
        "これは、ここにあるただの文章です。",
        "そしてこれが、ふたつめの段落です。",
    ]
    assert wet["httpHeaders"] == []
    assert ("X-Wet", "yes") in fields(wet["warcHeaders"])
    assert wet["body"].decode() == "これは、ここから抜き出された文章です。\n"
    assert wet["paragraphs"] == [
        {"path": "", "text": "これは、ここから抜き出された文章です。", "score": None, "links": []}
    ]
    assert wet["metadata"] == []


def test_metadata_and_scores(uzushio: Uzushio, tmp_path: Path) -> None:
    """What meta elements say; how surely paragraphs are content, where that is asked for."""
    head = "<meta charset=utf-8><meta name=Author content=私><meta property=og:title content='題'><meta name=empty>"
    head += "<meta http-equiv=Refresh content=5><meta content=nameless><title>題</title>"
    source = write(
        tmp_path / "a.warc", [{"body": f"<html lang=ja><head>{head}</head><h1>題</h1>{JAPANESE * 3}"}], "warc"
    )
    more = ("--main-content", "--mark-boilerplate")
    uzushio("extract", source, "--output", tmp_path / "out", "--full-data", *more)
    (row,) = read_full(tmp_path / "out")
    assert [(one["name"], one["value"]) for one in row["metadata"]] == [
        ("charset", "utf-8"),
        ("Author", "私"),
        ("og:title", "題"),
        ("empty", ""),
        ("Refresh", "5"),
    ]
    assert row["title"] == "題"
    assert all(0 <= one["score"] <= 99 for one in row["paragraphs"])


@pytest.mark.parametrize("form", ["parquet", "jsonl.gz", "jsonl.zst"])
def test_the_same_bytes_for_any_threads(uzushio: Uzushio, tmp_path: Path, form: str) -> None:
    """Of several files, one of them long; lines of JSON have the rows of Parquet."""
    archive = tmp_path / "in"
    archive.mkdir()
    choose = [{"body": JAPANESE + f"<p>{number}番" + "長い文章。" * (number % 7) * 40_000} for number in range(40)]
    write(archive / "a.warc.gz", [page(number) for number in range(300)] + choose)
    write(archive / "b.warc.gz", mixed())
    command = ("extract", archive, "--language", "all", "--output")
    for threads in (1, 2):
        uzushio(*command, tmp_path / str(threads), "--threads", threads, "--full-data", form)
    assert files_of(tmp_path / "1") == files_of(tmp_path / "2")
    if form != "parquet":
        uzushio(*command, tmp_path / "parquet", "--full-data")
        assert read_full(tmp_path / "1", form) == read_full(tmp_path / "parquet")


@pytest.mark.parametrize("delay", [0.02, 0.1, 0.3])
def test_killed_and_started_again(uzushio: Uzushio, tmp_path: Path, delay: float) -> None:
    """Each input has both of its outputs or none; the result is that of an undisturbed run."""
    inputs = [write(tmp_path / f"{number}.warc.gz", [page(one) for one in range(300)]) for number in range(6)]
    command = ["extract", *map(str, inputs), "--threads", "2", "--full-data", "--output"]
    uzushio(*command, tmp_path / "whole")
    with subprocess.Popen([str(PROGRAM), *command, str(tmp_path / "out")], stderr=subprocess.DEVNULL) as process:
        time.sleep(delay)  # only chooses the moment: any is right
        process.send_signal(signal.SIGKILL)
    for part in (tmp_path / ".out.partial" / "_parts").glob("part-*.json"):
        paths = [file["path"] for file in read_json(part)["files"]]
        assert sorted(path.startswith(".uzushio/full-data/") for path in paths) == [False, True]
    uzushio(*command, tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


def test_readers_of_the_folder_see_documents_alone(uzushio: Uzushio, tmp_path: Path) -> None:
    """The program's stages and pyarrow; full data is read by its own folder's name."""
    source = write(tmp_path / "a.warc.gz", [page(number) for number in range(5)])
    uzushio("extract", source, "--output", tmp_path / "out", "--full-data")
    assert ds.dataset(tmp_path / "out", partitioning="hive").count_rows() == 5
    full = ds.dataset(tmp_path / "out" / ".uzushio/full-data", partitioning="hive")
    assert full.count_rows() == 5
    assert full.schema.names[-3:] == ["body", "paragraphs", "language"]
    uzushio("filter", tmp_path / "out", "--output", tmp_path / "clean")
    uzushio("stats", tmp_path / "out", "--output", tmp_path / "stats", "--summary", tmp_path / "stats.json")
    assert read_json(tmp_path / "stats.json")["documents"] == 5


def test_the_option_is_part_of_the_run(uzushio: Uzushio, tmp_path: Path) -> None:
    """With another format, or without, it is another run; `--overwrite` leaves nothing of the old one."""
    source, out = write(tmp_path / "a.warc.gz", [page(0)]), tmp_path / "out"
    uzushio("extract", source, "--output", out, "--full-data", "jsonl")
    assert "nothing to do" in uzushio("extract", source, "--output", out, "--full-data=jsonl.gz").stderr
    for option in (["--full-data"], ["--full-data=jsonl.zst"], []):
        done = uzushio("extract", source, "--output", out, *option, code=2)
        assert "another configuration" in done.stderr
    uzushio("extract", source, "--output", out, "--overwrite")
    assert not (out / ".uzushio/full-data").exists()
    done = uzushio("extract", source, "--output", tmp_path / "new", "--full-data", "--memory", "256MiB", code=2)
    assert "extract needs 376MiB for one thread and pages of 8MiB, with their full data" in done.stderr


def test_nothing_to_write(uzushio: Uzushio, tmp_path: Path) -> None:
    """Without documents there are no files."""
    uzushio("extract", write(tmp_path / "a.warc.gz", mixed()[4:5]), "--output", tmp_path / "out", "--full-data")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".uzushio"]
    assert read_json(tmp_path / "out" / ".uzushio/manifest.json")["counts"]["body_bytes"] == 0
