"""Hostile inputs stay within `--memory`, or are refused with the memory that would do."""

from __future__ import annotations

import gzip
import json
import random
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xxhash
import zstandard
from program import PROGRAM, read_json

pytestmark = pytest.mark.once  # the memory of a sanitized program is another

MIB = 1 << 20
# What a process has had is counted from the one on that started it: a small one.
MEASURE = """
import os, sys
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(process, 0)
print(used.ru_maxrss >> 10)
sys.exit(os.waitstatus_to_exitcode(status))
"""
OPTIONS = {"metrics": ["--metric", "DocLength"], "minhash": ["--keep", "longest", "--verify", "0.5"]}
KANA = "".join(map(chr, range(0x3042, 0x3092)))


def run(
    tmp_path: Path, command: str, source: Path, memory: int, threads: int, code: int = 0, more: tuple[str, ...] = ()
) -> str:
    """Runs a stage that has so many MiB: it keeps to them, and exits with `code`. Returns what it said."""
    options = ["--output", str(tmp_path / "out"), "--memory", f"{memory}MiB", "--threads", str(threads)]
    options += ["--summary", str(tmp_path / "summary.json"), "--progress", "none", *OPTIONS.get(command, [])]
    options += more
    done = subprocess.run(
        [sys.executable, "-S", "-c", MEASURE, str(PROGRAM), command, str(source), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, f"exit {done.returncode}\n{done.stderr}"
    assert int(done.stdout) <= 1.1 * memory, done.stderr
    return done.stderr


def refused(said: str, name: str) -> None:
    """The error names the file and a memory, which is not what was given."""
    assert said.count("\n") == 1
    assert name in said
    assert "--memory" in said
    assert "would do" in said


def texts(size: int, count: int) -> list[str]:
    """Texts of about so many bytes in paragraphs of up to 3 kB. None is another."""
    choose = random.Random(7)
    base = "\n\n".join("".join(choose.choices(KANA, k=min(1000, size // 3))) for _ in range(max(1, size // 3000)))
    return [base[at:] + base[:at] for at in range(count)]


# --- extract ---


def response(body: bytes, coding: str = "", claimed: int | None = None) -> bytes:
    """A record of a page."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
    http += f"Content-Encoding: {coding}\r\n\r\n".encode() if coding else b"\r\n"
    length = len(http) + len(body) if claimed is None else claimed
    header = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.jp/\r\n"
    header += f"WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Length: {length}\r\n\r\n"
    return header.encode() + http + body + b"\r\n\r\n"


@pytest.mark.parametrize("threads", [1, 2])
def test_damaged_records_of_a_megabyte(tmp_path: Path, threads: int) -> None:
    """The lengths of every second one are false; of each of these a MiB is put aside."""
    body = b"x" * 1_000_000
    with (tmp_path / "a.warc").open("wb") as file:
        for _ in range(300):
            file.write(response(body, claimed=len(body) + 700) + response(b"x"))
    run(tmp_path, "extract", tmp_path / "a.warc", 128 + 104 * threads, threads)
    assert read_json(tmp_path / "summary.json")["quarantined"] == {"bad-length": 300}


def numbered(before: str, count: int, behind: str = "") -> str:
    """So many of the same, with their numbers."""
    return "".join(f"{before}{number}{behind}" for number in range(count))


@pytest.mark.parametrize(
    "markup",
    [
        f"<p><b{numbered(' a', 1000, '=b')}>" + "<p>あ" * 12_000,
        f"<p><b title={'x' * 900_000}>" + "<p>あ" * 1000,
        f"<p><b class={'x' * 900_000}>" + "<p>あ" * 20_000,
        "".join(f"<html{numbered(f' a{tag}x', 1000)}>" for tag in range(80)),
        "".join(f"<b{numbered(' a', 180, '=b')} z={tag}>" for tag in range(500)),
        "<p>あ" * 1_000_000,
        "\0" * 8_000_000,
        "</x>" * 1_900_000,
        numbered("<p a", 700_000, ">"),
        "あ</i a=b>" * 600_000,
    ],
    ids=["attributes", "value", "class", "html", "equal", "elements", "zeros", "errors", "names", "pieces"],
)
def test_pages_that_become_large_trees(tmp_path: Path, markup: str) -> None:
    """A tree is bounded by its bytes, whatever it is made of, and the page after it is read."""
    page = response(f"<p>{KANA * 5}{markup}".encode())
    fine = response(f"<p>{KANA * 5}".encode())
    (tmp_path / "a.warc").write_bytes((page + fine) * 2)
    run(tmp_path, "extract", tmp_path / "a.warc", 128 + 104, 1)
    summary = read_json(tmp_path / "summary.json")
    assert summary["documents"] >= 2
    assert summary["documents"] + sum(summary["rejected"].values()) == 4
    assert set(summary["rejected"]) <= {"tree-too-large", "too-many-attributes", "language-rapid", "language"}


def test_windows_of_zstd(tmp_path: Path) -> None:
    """Of each of eight files, a window of 128 MiB would have to be kept."""
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    for number in range(8):
        frame = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        data = response(random.Random(number).randbytes(MIB) * 140)
        (tmp_path / f"{number}.warc.zst").write_bytes(frame.compress(data) + frame.flush())
    files = [tmp_path / f"{number}.warc.zst" for number in range(8)]
    run(tmp_path, "extract", files[0], 700, 8, more=(*map(str, files[1:]), "--max-bad", "8"))
    assert read_json(tmp_path / "summary.json")["quarantined"] == {"zstd-window": 8}


def test_blocks_of_lz4(tmp_path: Path) -> None:
    """Of each of eight files, blocks of 4 MiB, stored and compressed, each of which depends on no other."""
    header = b"\x60\x70"
    start = b"\x04\x22\x4d\x18" + header + bytes([xxhash.xxh32(header).intdigest() >> 8 & 0xFF])
    files = []
    for number in range(8):
        stored = random.Random(number).randbytes(4 * MIB)
        packed: bytes = pa.compress(bytes(4 * MIB), codec="lz4_raw", asbytes=True)
        blocks = struct.pack("<I", len(stored) | 1 << 31) + stored + struct.pack("<I", len(packed)) + packed
        files.append(tmp_path / f"{number}.warc.lz4")
        files[-1].write_bytes(start + blocks * 20 + bytes(4))
    run(tmp_path, "extract", files[0], 128 + 8 * 104, 8, more=(*map(str, files[1:]), "--max-bad", "8"))
    assert read_json(tmp_path / "summary.json")["quarantined"] == {"no-record": 8}


@pytest.mark.parametrize("container", ["warc", "warc.gz"])
def test_records_in_content_that_is_skipped(tmp_path: Path, container: str) -> None:
    """A text of 9 MiB that holds records is one that is too large."""
    forged = b"\r\n\r\n" + response(f"<p>{KANA * 5}".encode())
    records = [response(forged * (9 * MIB // len(forged))), response(f"<p>{KANA * 5}".encode())]
    packed = [gzip.compress(record) for record in records] if container == "warc.gz" else records
    (tmp_path / f"a.{container}").write_bytes(b"".join(packed))
    run(tmp_path, "extract", tmp_path / f"a.{container}", 128 + 104, 1)
    summary = read_json(tmp_path / "summary.json")
    assert (summary["documents"], summary["rejected"]) == (1, {"page-too-large": 1})


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", ["justext", "model"])
def test_content_of_many_paragraphs(tmp_path: Path, threads: int, method: str) -> None:
    """As many as a page may have, with texts and paths that fill it; all are content, or kept with a score."""
    paragraphs = "<p>" + "<p>".join(["あいうえお" * 8] * 47_000)
    deep = f"<div class={'x' * 40}>" + "<p>あ" * 95_000
    body = gzip.compress(f"<div>{paragraphs}</div>".encode())
    (tmp_path / "a.warc").write_bytes((response(body, "gzip") + response(gzip.compress(deep.encode()), "gzip")) * 10)
    more = ("--main-content", method, "--mark-boilerplate")
    run(tmp_path, "extract", tmp_path / "a.warc", 128 + 128 * threads, threads, more=more)
    assert read_json(tmp_path / "summary.json")["documents"] == 20


@pytest.mark.parametrize("threads", [1, 4, 8])
@pytest.mark.parametrize("method", ["justext", "model"])
def test_content_of_pages_of_all_shapes(tmp_path: Path, threads: int, method: str) -> None:
    """What a page of many paragraphs takes is given back before others have long texts."""
    many = response(gzip.compress(("<div>" + "<p>あ" * 99_000).encode(), 1), "gzip")
    text = response(gzip.compress(f"<p>{'あいうえお' * 520_000}".encode(), 1), "gzip")
    (tmp_path / "a.warc").write_bytes((many + text + text) * 16)
    more = ("--main-content", method, "--mark-boilerplate")
    run(tmp_path, "extract", tmp_path / "a.warc", 128 + 128 * threads, threads, more=more)
    assert read_json(tmp_path / "summary.json")["documents"] == 48


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", ["parquet", "jsonl.zst"])
def test_full_data_of_pages_of_all_shapes(tmp_path: Path, threads: int, form: str) -> None:
    """Many paragraphs, long texts, long paths; 8 MB of headers with 8 MB of a page; more paragraphs than anything."""
    many = response(gzip.compress(("<div>" + "<p>あ" * 95_000).encode(), 1), "gzip")
    text = response(gzip.compress(f"<p>{'あいうえお' * 520_000}".encode(), 1), "gzip")
    deep = response(gzip.compress((f"<div class={'x' * 40}>" + "<p>あ" * 95_000).encode(), 1), "gzip")
    body = gzip.compress(f"<p>{KANA * 20}<!--{random.Random(7).randbytes(5_000).hex() * 820}-->".encode(), 1)
    fields = f"gzip\r\nX-Bad: {'?' * 3_500_000}\r\nX-Long: {'y' * 3_500_000}"
    long = response(body, fields).replace(b"?" * 3_500_000, b"\xff" * 3_500_000)
    wet = b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://example.jp/\r\nContent-Length: 6950000\r\n\r\n"
    wet += "あ\n\n".encode() * 1_390_000 + b"\r\n\r\n"
    (tmp_path / "in").mkdir()
    for name in "ab"[:threads]:
        (tmp_path / "in" / f"{name}.warc").write_bytes((many + text + long + deep) * 2 + wet)
    run(
        tmp_path,
        "extract",
        tmp_path / "in",
        128 + 248 * threads,
        threads,
        more=("--language", "all", f"--full-data={form}"),
    )
    assert read_json(tmp_path / "summary.json")["documents"] == 9 * threads


@pytest.mark.parametrize("threads", [1, 2])
def test_pages_that_inflate(tmp_path: Path, threads: int) -> None:
    """A batch of some kilobytes holds dozens of documents of 7 MB."""
    body = gzip.compress(f"<p>{'あいうえお' * 466_666}</p>".encode())
    assert len(body) < 16_000
    (tmp_path / "a.warc").write_bytes(response(body, "gzip") * 40)
    run(tmp_path, "extract", tmp_path / "a.warc", 128 + 104 * threads, threads)
    assert read_json(tmp_path / "summary.json")["documents"] == 40


def test_larger_pages_need_more_memory(tmp_path: Path) -> None:
    """Threads become fewer, and in the end the command is refused."""
    (tmp_path / "a.warc").write_bytes(response(f"<p>{KANA * 50}</p>".encode()))
    command = [str(PROGRAM), "extract", str(tmp_path / "a.warc"), "--threads", "4", "--max-page-bytes", "64MiB"]

    def extract(memory: str) -> subprocess.CompletedProcess[str]:
        options = ["--memory", memory, "--output", str(tmp_path / memory)]
        return subprocess.run([*command, *options], capture_output=True, text=True, check=False)

    some = extract("1GiB")
    assert some.returncode == 0
    assert "--memory allows 3 of 4 threads" in some.stderr
    none = extract("256MiB")
    assert none.returncode == 2
    assert "extract needs 400MiB for one thread and pages of 64MiB" in none.stderr


# --- texts and records ---


def plain(path: Path) -> None:
    """Lines, and no empty one."""
    lines = "\n".join(texts(900, 300))
    with path.open("w") as file:
        for number in range(450):
            file.write(f"{number}\n{lines}\n")


def endless_text(path: Path) -> None:
    """A line of 300 MB in a small file."""
    with gzip.open(path, "wb", 1) as file:
        for _ in range(300):
            file.write(b"a" * 1_000_000)


def endless_json(path: Path) -> None:
    """The same as an object that never ends."""
    with gzip.open(path, "wb", 1) as file:
        file.write(b'{"text": "')
        for _ in range(300):
            file.write(b"a" * 1_000_000)


def long_json(path: Path) -> None:
    """An object of 60 MB."""
    path.write_text(json.dumps({"text": texts(60_000_000, 1)[0]}, ensure_ascii=False))


def json_of_pages(path: Path) -> None:
    """Texts as long as `extract` makes them."""
    with path.open("w") as file:
        for number, text in enumerate(texts(8_300_000, 6)):
            file.write(json.dumps({"docId": str(number), "text": text}, ensure_ascii=False) + "\n")


def write_parquet(path: Path, rows: list[str], **options: object) -> None:
    """One row group."""
    table = pa.table({"docId": [str(number) for number in range(len(rows))], "text": rows})
    pq.write_table(table, path, row_group_size=len(rows), use_dictionary=False, compression="zstd", **options)


def large_row_group(path: Path) -> None:
    """170 MB of texts of 4 kB."""
    write_parquet(path, texts(4000, 1300) * 32)


def texts_of_pages(path: Path) -> None:
    """Texts as long as `extract` makes them, a page each."""
    write_parquet(path, texts(8_300_000, 20), write_batch_size=1)


def large_page(path: Path) -> None:
    """120 MB in one page."""
    write_parquet(path, texts(1_000_000, 120), data_page_size=1 << 30, write_batch_size=1 << 20)


Maker = Callable[[Path], None]


@pytest.mark.parametrize(("command", "memory"), [("stats", 224), ("filter", 256), ("metrics", 320), ("minhash", 256)])
@pytest.mark.parametrize(
    ("name", "make", "kept"),
    [
        ("plain.txt", plain, True),
        ("endless.txt.gz", endless_text, True),
        ("endless.jsonl.gz", endless_json, True),
        ("long.jsonl", long_json, False),
        ("pages.jsonl", json_of_pages, True),
        ("group.parquet", large_row_group, True),
        ("texts.parquet", texts_of_pages, True),
        ("page.parquet", large_page, False),
    ],
)
def test_inputs_of_others(tmp_path: Path, command: str, memory: int, name: str, make: Maker, kept: bool) -> None:
    """Each is read within the memory, or refused. Two threads, whichever of them reads."""
    if ".txt" in name and command != "stats":
        name = name.replace(".txt", ".jsonl")  # no stage of documents reads plain text: lines that are no JSON
    make(tmp_path / name)
    no_columns = command != "stats" and name in ("plain.jsonl", "endless.jsonl.gz")
    said = run(tmp_path, command, tmp_path / name, memory, 2, code=0 if kept and not no_columns else 2)
    if not kept:
        refused(said, name)
    elif no_columns:
        assert "holds no JSON object" in said
    (tmp_path / name).unlink()


@pytest.mark.parametrize(("command", "memory"), [("filter", 256), ("metrics", 320)])
def test_long_documents_at_each_row(tmp_path: Path, command: str, memory: int) -> None:
    """What a row's document took is not kept while those of other rows take as much."""
    rows = 64
    long = "a\n\n" * 100_000
    groups = [long if row == group else "short" for group in range(rows) for row in range(rows)]
    table = pa.table({"docId": [str(number) for number in range(len(groups))], "text": groups})
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=rows, use_dictionary=False, compression="zstd")
    more = ("--config", str(tmp_path / "chain.conf")) if command == "filter" else ()
    (tmp_path / "chain.conf").write_text("filters: [{class: DocLength, low: 1}]", encoding="utf-8")
    run(tmp_path, command, tmp_path / "in.parquet", memory, 2, more=more)


MANY = [("filter", 256), ("metrics", 320), ("hosts", 256), ("decontaminate", 272)]


@pytest.mark.parametrize(("command", "memory"), MANY)
def test_documents_of_many_paragraphs(tmp_path: Path, command: str, memory: int) -> None:
    """Several of them in a batch keep to the memory; one that does not is refused, with the memory that will do."""
    rows = 256
    small = {"docId": [str(row) for row in range(rows)], "text": ["a\n\n" * 100_000] * rows}
    large = {"docId": ["large"], "text": ["a\n\n" * 2_000_000]}
    for name, columns in (("small", small), ("large", large)):
        table = pa.table({**columns, "url": [f"http://{row}.jp/" for row in range(len(columns["docId"]))]})
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=64, use_dictionary=False, compression="zstd")
    (tmp_path / "chain.conf").write_text("filters: [{class: DocLength, low: 1}]", encoding="utf-8")
    (tmp_path / "items.jsonl").write_text(
        '{"question": "質問の文がここにあり、答えの文がここに続きます。"}', encoding="utf-8"
    )
    own = {"metrics": (), "decontaminate": ("--against", str(tmp_path / "items.jsonl"))}
    more = ("--overwrite", *own.get(command, ("--config", str(tmp_path / "chain.conf"))))
    run(tmp_path, command, tmp_path / "small.parquet", memory, 2, more=more)
    said = run(tmp_path, command, tmp_path / "large.parquet", memory, 2, code=2, more=more)
    assert 'document "large" has 2000000 paragraphs' in said
    named = re.search(r"--memory (\d+)MiB", said)
    assert named
    run(tmp_path, command, tmp_path / "large.parquet", int(named[1]), 2, more=more)


def test_blank_lines_are_no_paragraphs(tmp_path: Path) -> None:
    """A document of two paragraphs has room, whatever lies between them."""
    table = pa.table({"docId": ["blank"], "text": ["a" + "\n" * 2_000_000 + "b"]})
    pq.write_table(table, tmp_path / "in.parquet")
    (tmp_path / "chain.conf").write_text("filters: [{class: DocLength, low: 1}]", encoding="utf-8")
    run(tmp_path, "filter", tmp_path / "in.parquet", 256, 2, more=("--config", str(tmp_path / "chain.conf")))
    assert read_json(tmp_path / "summary.json")["input"]["paragraphs"] == 2


def test_elements_of_hosts(tmp_path: Path) -> None:
    """A document that a filter cuts into too many is refused, under its id on one line."""
    (tmp_path / "chain.conf").write_text('filters: [{class: SplitElement, delim: ","}]', encoding="utf-8")
    table = pa.table({"docId": ["a\nb\x1b[31m"], "text": ["a," * 2_500_000], "url": ["http://a.jp/"]})
    pq.write_table(table, tmp_path / "in.parquet")
    more = ("--config", str(tmp_path / "chain.conf"))
    said = run(tmp_path, "hosts", tmp_path / "in.parquet", 256, 2, code=2, more=more)
    assert said.count("\n") == 1
    assert r'document "a\nb\u001b[31m" is cut into more than' in said


def test_cuts_in_plain_text_are_counted(tmp_path: Path) -> None:
    """Paragraphs above 1 MiB come in pieces."""
    (tmp_path / "a.txt").write_text(f"{KANA * 50_000}\n\nend\n")
    said = run(tmp_path, "stats", tmp_path / "a.txt", 256, 1)
    summary = read_json(tmp_path / "summary.json")
    assert summary["cuts_in_plain_text"] == 11
    assert summary["paragraphs"] == 13
    assert "cuts in paragraphs of plain text" in said


@pytest.mark.parametrize(
    ("name", "make", "kept"),
    [
        ("pages.jsonl", json_of_pages, True),
        ("group.parquet", large_row_group, True),
        ("page.parquet", large_page, False),
    ],
)
def test_overlap_of_inputs_of_others(tmp_path: Path, name: str, make: Maker, kept: bool) -> None:
    """Read within the memory, or refused."""
    make(tmp_path / name)
    (tmp_path / "other.jsonl").write_text('{"text": "other"}\n')
    more = (str(tmp_path / "other.jsonl"),)
    said = run(tmp_path, "overlap", tmp_path / name, 256, 2, code=0 if kept else 2, more=more)
    if not kept:
        refused(said, name)
    (tmp_path / name).unlink()


def test_overlap_of_more_than_memory_holds(tmp_path: Path) -> None:
    """Twelve million values in datasets of Parquet; half of each is in the other."""
    paragraphs, documents = 60, 100_000
    for number, name in enumerate(("a", "b")):
        schema = pa.schema([("url", pa.string()), ("text", pa.string())])
        with pq.ParquetWriter(tmp_path / f"{name}.parquet", schema) as writer:
            for first in range(0, documents, 5000):
                rows = range(first + number * documents // 2, first + number * documents // 2 + 5000)
                texts = ["\n\n".join(f"{row}/{part}" for part in range(paragraphs)) for row in rows]
                writer.write_table(pa.table({"url": [f"http://{row}" for row in rows], "text": texts}, schema))
    run(tmp_path, "overlap", tmp_path / "a.parquet", 256, 2, more=(str(tmp_path / "b.parquet"),))
    summary = read_json(tmp_path / "summary.json")
    found = {row["kind"]: (row["countA"], row["countB"], row["both"], row["jaccard"]) for row in summary["overlaps"]}
    whole = documents * paragraphs
    assert found["paragraphs"] == (whole, whole, whole // 2, 1 / 3)
    assert found["urls"] == found["documents"] == (documents, documents, documents // 2, 1 / 3)
    assert summary["spilled_bytes"] > 2 * whole * 16 - (64 << 20)


def test_tokens_of_one_character(tmp_path: Path) -> None:
    """Texts of 8 MiB without a place to cut them, by a tokenizer for which each is one word; it needs memory itself."""
    model = {"type": "BPE", "vocab": {"あ": 0, "ああ": 1}, "merges": [["あ", "あ"]]}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0", "model": model}), encoding="utf-8")
    text = "あ" * (8 * MIB // 3)
    lines = (json.dumps({"docId": str(n), "text": text}, ensure_ascii=False) + "\n" for n in range(4))
    (tmp_path / "long.jsonl").write_text("".join(lines), encoding="utf-8")
    more = ("--metric", "Tokens", "--tokenizer", str(tmp_path / "tokenizer.json"))
    assert "2 threads need" in run(tmp_path, "metrics", tmp_path / "long.jsonl", 320, 2, code=2, more=more)
    run(tmp_path, "metrics", tmp_path / "long.jsonl", 480, 2, more=more)
    tokens = read_json(tmp_path / "summary.json")["metrics"][f"Tokens({more[-1]})"]
    assert tokens == [tokens[0]] * 9
    assert len(text) / 2 <= tokens[0] <= len(text) / 2 + 8 * MIB / (1 << 16)


# --- report ---


def test_documents_of_one_url(tmp_path: Path) -> None:
    """A million captures of one page on each side, with texts that all differ or are all but equal, are compared."""
    rows = 1_000_000
    url = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), ["https://www.example.jp/"])
    numbers = [str(number) for number in range(rows)]
    for name, texts_of in (("new", numbers), ("old", ["同" if int(text) % 2 else f"旧{text}" for text in numbers])):
        table = pa.table({"docId": numbers, "url": url, "text": texts_of})
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=200_000)
        command = [PROGRAM, "filter", tmp_path / f"{name}.parquet", "--output", tmp_path / name, "--quiet"]
        subprocess.run([str(part) for part in command], check=True)
    more = ("--against", str(tmp_path / "old"), "--match", "url", "--tmp", str(tmp_path))
    run(tmp_path, "report", tmp_path / "new", 448, 2, more=more)
    diff = read_json(tmp_path / "summary.json")["diff"]
    assert diff["equal"] + diff["changed"] + diff["only_a"] == rows
    assert (diff["equal"], diff["changed"], diff["only_a"], diff["only_b"]) == (0, rows, 0, 0)
