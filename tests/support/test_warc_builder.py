"""The builder of the cases' inputs, checked with two readers of WARC that others wrote."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import Any

import brotli
import pytest
import warc_builder
import zstandard
from warc_builder import CONTAINERS, OTHER_CONTAINERS, build, record_bytes
from warcio.archiveiterator import ArchiveIterator

TEXT = "これは日本語の文章です。①と㈱も入っています。"

RECORDS: list[dict[str, Any]] = [
    {"type": "warcinfo", "status": None, "body": "software: test\r\n"},
    {
        "uri": "http://a.example/",
        "http": [["Content-Type", "text/html"], ["X-Test", "1"]],
        "body": TEXT,
        "charset": "cp932",
    },
    {
        "uri": "http://b.example/",
        "id": "urn:uuid:00000000-0000-4000-8000-000000000001",
        "warc": {"WARC-Truncated": "length"},
        "http": [["Transfer-Encoding", "chunked"], ["Content-Encoding", "gzip"]],
        "repeat": {"prefix": "<", "unit": "あ", "times": 5000, "suffix": ">"},
        "coding": ["gzip"],
        "chunked": True,
    },
    {"type": "conversion", "uri": "http://c.example/", "status": None, "body": "一\n二"},
]


def decompressed(data: bytes, container: str) -> bytes:
    """The file without its compression."""
    if container == "warc":
        return data
    if container == "warc.zst":
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
            return reader.read()
    return gzip.decompress(data)


@pytest.mark.parametrize("container", CONTAINERS)
def test_warcio_reads_what_was_described(container: str) -> None:
    """All types, addresses, headers and bodies come back."""
    data = decompressed(build(RECORDS, container), container)
    records = [
        (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.raw_stream.read())
        for record in ArchiveIterator(io.BytesIO(data), no_record_parse=True)
    ]
    assert [kind for kind, _, _ in records] == ["warcinfo", "response", "response", "conversion"]
    addresses = ["http://a.example/", "http://b.example/", "http://c.example/"]
    assert [address for _, address, _ in records][1:] == addresses
    head, _, body = records[1][2].partition(b"\r\n\r\n")
    assert head == b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Test: 1"
    assert body.decode("cp932") == TEXT
    assert records[3][2].decode() == "一\n二"


@pytest.mark.parametrize("container", ["warc", "warc.gz", "single.warc.gz"])
def test_fastwarc_reads_what_was_described(container: str) -> None:
    """A second reader agrees on ids and headers. It is installed for the benchmarks only."""
    fastwarc = pytest.importorskip("fastwarc.warc")
    records = list(fastwarc.ArchiveIterator(io.BytesIO(build(RECORDS, container)), parse_http=False))
    assert len(records) == len(RECORDS)
    assert records[2].headers["WARC-Record-ID"] == "<urn:uuid:00000000-0000-4000-8000-000000000001>"
    assert records[2].headers["WARC-Truncated"] == "length"


def test_warcio_undoes_chunks_and_gzip() -> None:
    """A body that is repeated, gzipped and chunked is what it says."""
    record = next(iter(ArchiveIterator(io.BytesIO(build(RECORDS[2:3], "warc.gz")))))
    assert record.content_stream().read().decode() == "<" + "あ" * 5000 + ">"


@pytest.mark.parametrize("body", [b"abc", b"abcd", b"abcde" * 100])
def test_chunks_add_up(body: bytes) -> None:
    """The chunks end with an empty one and add up to the body."""
    rest, pieces = warc_builder.chunked(body), []
    while True:
        size, _, rest = rest.partition(b"\r\n")
        pieces.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) :].removeprefix(b"\r\n")
        if int(size, 16) == 0:
            break
    assert (b"".join(pieces), rest) == (body, b"")


def test_content_codings() -> None:
    """Each is undone by its library."""
    body = TEXT.encode() * 100
    assert gzip.decompress(warc_builder.coded(body, "gzip")) == body
    assert zlib.decompress(warc_builder.coded(body, "deflate")) == body
    assert zlib.decompress(warc_builder.coded(body, "raw-deflate"), wbits=-15) == body
    assert brotli.decompress(warc_builder.coded(body, "br")) == body
    with pytest.raises(ValueError, match="compress"):
        warc_builder.coded(body, "compress")


@pytest.mark.parametrize("container", ["arc", "arc.gz", "blocks.warc.gz"])
def test_warcio_reads_other_containers(container: str) -> None:
    """ARC has the same addresses and bodies, behind the record of the file."""
    data = build(RECORDS[1:3], container)
    if container == "blocks.warc.gz":
        data = gzip.decompress(data)
    records = [
        (
            record.rec_headers.get_header("uri" if "warc" not in container else "WARC-Target-URI"),
            record.raw_stream.read(),
        )
        for record in ArchiveIterator(io.BytesIO(data), no_record_parse=True)
    ]
    expected = [
        (record.rec_headers.get_header("WARC-Target-URI"), record.raw_stream.read())
        for record in ArchiveIterator(io.BytesIO(build(RECORDS[1:3], "warc")), no_record_parse=True)
    ]
    assert records[-2:] == expected


@pytest.mark.parametrize(("length", "written"), [("+3", b"8"), ("-2", b"3"), (-5, b"-5"), (99, b"99")])
def test_content_length_lies_as_told(length: str | int, written: bytes) -> None:
    """It counts the block by default."""
    record = {"status": None, "body": "12345"}
    assert b"Content-Length: 5\r\n\r\n12345\r\n\r\n" in record_bytes(record, 0)
    assert b"Content-Length: " + written + b"\r\n" in record_bytes(record | {"length": length}, 0)


def test_record_ids() -> None:
    """Null leaves the id out; by default it depends on address and place."""
    assert b"WARC-Record-ID" not in record_bytes({"id": None}, 0)
    heads = {record_bytes({"uri": "http://a.example/"}, place).split(b"\r\n")[2] for place in (0, 1, 1)}
    assert len(heads) == 2


def test_damage() -> None:
    """A flip changes one stored byte, junk comes before its record, and a cut takes the end off."""
    sound = build(RECORDS, "warc.gz")
    flipped = build([{**RECORDS[0], "flip": 100}, *RECORDS[1:]], "warc.gz")
    assert sum(a != b for a, b in zip(sound, flipped, strict=True)) == 1
    with pytest.raises((zlib.error, gzip.BadGzipFile)):
        gzip.decompress(flipped)
    assert build(RECORDS, "warc.gz", cut=7) == sound[:-7]
    first = build(RECORDS[:1], "warc.gz")
    junk = build([RECORDS[0], {**RECORDS[1], "junk": "JUNK"}, *RECORDS[2:]], "warc.gz")
    assert junk == first + b"JUNK" + sound[len(first) :]


@pytest.mark.parametrize("container", CONTAINERS + OTHER_CONTAINERS)
def test_same_description_gives_same_bytes(container: str) -> None:
    """Nothing depends on the clock or on chance."""
    assert build(RECORDS, container) == build(RECORDS, container)
