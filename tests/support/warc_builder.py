"""WARC files from descriptions of their records, whole or damaged on purpose.

A record is described by a dictionary, as the files `cases/*/case.json` have them:

    type      WARC-Type, `response` by default
    uri       WARC-Target-URI
    date      WARC-Date, 2023-04-01T00:00:00Z by default
    id        WARC-Record-ID without brackets; null leaves it out; by default a UUID made from uri and place
    warc      further WARC headers
    status    the status line, `HTTP/1.1 200 OK` by default; null for a block that is no HTTP message
    http      HTTP headers, a list of pairs; `Content-Type: text/html` by default
    newline   the line end of the HTTP header, CRLF by default
    body      text in `charset` (UTF-8 by default), `base64` bytes, or with `repeat` {prefix, unit, times, suffix}
    coding    content codings to apply to the body, of gzip, deflate, raw-deflate, br (headers are not added)
    chunked   whether to cut the body into chunks
    length    a false Content-Length: a number, or `+N` / `-N` from the true one
    flip      a place in the compressed member, or in the record, whose byte is inverted
    junk      bytes (text) to put before the record
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from typing import Any

import brotli
import pyarrow as pa
import zstandard

Record = dict[str, Any]

CONTAINERS = ("warc", "warc.gz", "single.warc.gz", "warc.zst")
# Those of old crawls and other writers: `blocks` has members that end anywhere.
OTHER_CONTAINERS = ("warc.lz4", "single.warc.lz4", "blocks.warc.gz", "arc", "arc.gz", "single.arc.gz")
BLOCK = 700


def body_of(record: Record) -> bytes:
    """The body, before codings."""
    if "base64" in record:
        return base64.b64decode(record["base64"])
    if "repeat" in record:
        parts = record["repeat"]
        text = parts.get("prefix", "") + parts["unit"] * parts["times"] + parts.get("suffix", "")
    else:
        text = record.get("body", "")
    encoded: bytes = text.encode(record.get("charset", "utf-8"))
    return encoded


def coded(body: bytes, coding: str) -> bytes:
    """The body in a content coding."""
    if coding == "gzip":
        return gzip.compress(body, mtime=0)
    if coding == "deflate":
        return zlib.compress(body)
    if coding == "raw-deflate":
        compressor = zlib.compressobj(wbits=-15)
        return compressor.compress(body) + compressor.flush()
    if coding == "br":
        compressed: bytes = brotli.compress(body)
        return compressed
    raise ValueError(f"no such coding: {coding}")


def chunked(body: bytes) -> bytes:
    """The body in three chunks and the last one."""
    third = max(1, len(body) // 3)
    pieces = [piece for piece in (body[:third], body[third : 2 * third], body[2 * third :]) if piece]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""])


def block_of(record: Record) -> bytes:
    """The record's block: the HTTP message, or the bare body."""
    body = body_of(record)
    for coding in record.get("coding", []):
        body = coded(body, coding)
    if record.get("chunked"):
        body = chunked(body)
    status = record.get("status", "HTTP/1.1 200 OK")
    if status is None:
        return body
    newline: str = record.get("newline", "\r\n")
    fields = record.get("http", [["Content-Type", "text/html"]])
    head = newline.join([status, *(f"{name}: {value}" for name, value in fields), "", ""])
    return head.encode("latin-1") + body


def record_bytes(record: Record, index: int) -> bytes:
    """The record as it stands in an uncompressed WARC."""
    block = block_of(record)
    uri: str = record.get("uri", f"http://example.jp/{index}")
    digits = hashlib.sha1(f"{uri} {index}".encode()).hexdigest()
    default_id = f"urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"
    headers = [("WARC-Type", record.get("type", "response"))]
    record_id = record.get("id", default_id)
    if record_id is not None:
        headers.append(("WARC-Record-ID", f"<{record_id}>"))
    headers += [("WARC-Date", record.get("date", "2023-04-01T00:00:00Z")), ("WARC-Target-URI", uri)]
    headers += list(record.get("warc", {}).items())
    length = record.get("length", len(block))
    if isinstance(length, str):
        length = len(block) + int(length)
    headers.append(("Content-Length", str(length)))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    version = record.get("version", "WARC/1.0")
    return f"{version}\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def arc_record_bytes(record: Record, index: int) -> bytes:
    """The record as it stands in an uncompressed ARC, which has no types, ids and other headers."""
    block = block_of(record)
    uri: str = record.get("uri", f"http://example.jp/{index}")
    digits = "".join(filter(str.isdigit, record.get("date", "2023-04-01T00:00:00Z")))
    length = record.get("length", len(block))
    if isinstance(length, str):
        length = len(block) + int(length)
    return f"{uri} 192.0.2.7 {digits} {record.get('mime', 'text/html')} {length}\n".encode() + block + b"\n"


def arc_file_record(name: str = "test.arc") -> bytes:
    """The record that an ARC file begins with."""
    fields = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n"
    return f"filedesc://{name} 0.0.0.0 20230401000000 text/plain {len(fields)}\n".encode() + fields + b"\n"


def flipped(data: bytes, record: Record) -> bytes:
    """The bytes with one inverted, if the record says so."""
    if "flip" not in record:
        return data
    place = record["flip"] % len(data)
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def member_of(data: bytes, container: str) -> bytes:
    """A record as it lies in the file, or in its one member."""
    if container in ("warc.gz", "arc.gz"):
        return gzip.compress(data, mtime=0)
    if container == "warc.zst":
        compressed: bytes = zstandard.ZstdCompressor(write_checksum=True).compress(data)
        return compressed
    if container == "warc.lz4":
        frame: bytes = pa.compress(data, codec="lz4", asbytes=True)
        return frame
    return data


def parts(records: list[Record], container: str) -> list[tuple[bytes, bytes]]:
    """Each record as it lies in the file, or in its one member, and the junk before it."""
    if container not in CONTAINERS + OTHER_CONTAINERS:
        raise ValueError(f"no such container: {container}")
    to_bytes = arc_record_bytes if "arc" in container.split(".") else record_bytes
    found = []
    for index, record in enumerate(records):
        data = member_of(to_bytes(record, index), container)
        found.append((record.get("junk", "").encode(), flipped(data, record)))
    return found


def build(records: list[Record], container: str, cut: int = 0) -> bytes:
    """The file. `cut` bytes are missing at its end."""
    blob = b"".join(junk + data for junk, data in parts(records, container))
    if "arc" in container.split("."):
        blob = member_of(arc_file_record(), container) + blob
    if container in ("single.warc.gz", "single.arc.gz"):
        blob = gzip.compress(blob, mtime=0)
    if container == "single.warc.lz4":
        blob = pa.compress(blob, codec="lz4", asbytes=True)
    if container == "blocks.warc.gz":
        blob = b"".join(gzip.compress(blob[at : at + BLOCK], mtime=0) for at in range(0, len(blob), BLOCK))
    return blob[: len(blob) - cut]


def place_of(records: list[Record], container: str, offset: int, length: int) -> str:
    """A place in the file by the records, which no compressor changes.

    `2` is all of record 2, `2+7` begins 7 bytes behind its begin, `2..4-1` ends a byte before the end of record 4.
    """
    begins, ends, at = [], [], 0
    # The only record of a member shares it with none: places are those of the member.
    alone = container == "single.warc.gz" and len(records) == 1
    for junk, data in parts(records, "warc.gz" if alone else container):
        begins.append(at + len(junk))
        at += len(junk) + len(data)
        ends.append(at)
    first, before = nearest(begins, offset)
    last, behind = nearest(ends, offset + length)
    start = f"{first}" + (f"{before:+}" if before else "")
    return start + (f"..{last}" if last != first or behind else "") + (f"{behind:+}" if behind else "")


def nearest(places: list[int], place: int) -> tuple[int, int]:
    """The nearest of some places, and the way from there."""
    index = min(range(len(places)), key=lambda i: abs(places[i] - place))
    return index, place - places[index]
