"""Measures `uzushio extract --index` on a store that is far away, against reading whole files, in ratios of one run.

    crawl.py [--size BYTES] [--rounds N] [--folder DIR]

    --size     bytes of WARC files, as 600M or 4G (default: 1G), in FILES files
    --rounds   how often each run is repeated (default: 3)
    --folder   where the files lie meanwhile (default: the system's folder for temporary data)

A made-up crawl: 95 % of the pages are in other languages, the Japanese ones lie among them by chance, and are as long
as the others on average. Each record is a gzip member. Pages are those that UZUSHIO_REAL_PAGES names (default:
`../shared/data`), each many times, by other addresses; without them, generated ones. versitygw (CONTRIBUTING.md) has
the files, and a proxy stands before it (tests/support/slow_proxy.py): an answer begins after LATENCY, and a connection
has RATE. All is on this machine, which the program shares with the proxy and the server.

A request takes LATENCY and its bytes by RATE. So many at a time as the program is said to have on their way (four of
each file, a file for each thread) can not be faster than that; the share of this limit that is reached is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import os
import random
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from process import Cost, measured
from report import ROOT, Row, row, write

sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "tools"))
import tutorial_crawl
from slow_proxy import Limits, Served, SlowProxy, serve_slowly
from versitygw import BINARY, KEY, MISSING, SECRET, serve_versitygw

PROGRAM = Path(os.environ.get("UZUSHIO_BIN", ROOT / "build" / "uzushio"))
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
REAL = ("web", "docs", "legacy", "small")
FILES = 4
JAPANESE = 0.05
LATENCY, RATE = 0.02, 50e6
LONG_LATENCY = 0.2  # so few requests a second that the processor has time for them, on a busy machine, too
BUSY_EVERY = 20
AHEAD = 4  # requests of a file that are on their way: kRangesAhead
MEMORY = 1024  # MiB
MOST_PAGES = 600  # of a kind that are repeated: they are in memory
MOST_BYTES, MOST_REQUESTS, MOST_WORK, LEAST_SHARE = 1 / 8, 1.2, 1.15, 0.9
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


@dataclass
class Body:
    """A HTTP response, and as raw deflate with what ends a record."""

    plain: bytes
    packed: bytes


def deflated(data: bytes, end: int) -> bytes:
    """Raw deflate that ends as zlib's constant says."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush(end)


def body_of(html: bytes, content_type: str) -> Body:
    """Of a page."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(html)}\r\n\r\n"
    plain = head.encode() + html + b"\r\n\r\n"
    return Body(plain, deflated(plain, zlib.Z_FINISH))


def member(body: Body, number: int, tld: str) -> bytes:
    """A record of its own address, as a gzip member: its header is compressed, the rest is there already."""
    digits = hashlib.sha256(b"%d" % number).hexdigest()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}>\r\n"
        "WARC-Date: 2025-01-01T00:00:00Z\r\n"
        f"WARC-Target-URI: http://site{number % 5000}.example.{tld}/{number}.html\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body.plain) - 4}\r\n\r\n"
    ).encode()
    check = zlib.crc32(body.plain, zlib.crc32(head))
    size = (len(head) + len(body.plain)) & 0xFFFFFFFF
    packed = deflated(head, zlib.Z_FULL_FLUSH) + body.packed
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + packed + check.to_bytes(4, "little") + size.to_bytes(4, "little")


def real_pages(folder: Path) -> tuple[list[tuple[bytes, str]], list[tuple[bytes, str]]]:
    """HTML and its content type: of Japanese pages, and of pages in other languages, as `uzushio index` tells them."""
    japanese: list[tuple[bytes, str]] = []
    others: list[tuple[bytes, str]] = []
    for name in REAL:
        archive = PAGES / f"{name}.warc.gz"
        measured([PROGRAM, "index", archive, "--output", folder / name, "--progress", "none"])
        data = archive.read_bytes()
        table = pa.concat_tables([pq.read_table(path) for path in sorted((folder / name).glob("*.parquet"))])
        for found in table.to_pylist():
            if found["fetch_status"] != 200 or found["content_mime_detected"] != "text/html":
                continue
            begin = found["warc_record_offset"]
            record = gzip.decompress(data[begin : begin + found["warc_record_length"]])
            http = record.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n\r\n")
            head, _, html = http.partition(b"\r\n\r\n")
            if re.search(rb"(?im)^(content|transfer)-encoding:", head):
                continue
            sent = re.search(rb"(?im)^content-type:[ \t]*([^\r\n]*)", head)
            page = html, sent[1].decode("latin-1") if sent else "text/html"
            (japanese if found["content_languages"] == "jpn" else others).append(page)
    collection = PAGES / "wcxb-dev.jsonl.zst"
    if collection.exists():
        with pa.input_stream(str(collection), compression="zstd") as packed:
            lines = [json.loads(line) for line in io.TextIOWrapper(packed, encoding="utf-8")]
        web = [(line["html"].encode(), "text/html; charset=utf-8") for line in lines]
        others = random.Random(1).sample(others, min(len(others), len(web))) + web
    return japanese, others


def made_pages() -> tuple[list[tuple[bytes, str]], list[tuple[bytes, str]]]:
    """The tutorial's pages, and English ones of random words."""
    hosts = list(tutorial_crawl.SITES)
    japanese = [tutorial_crawl.article(host, number, 2023)[3].encode() for number in range(100) for host in hosts]
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(5000)]
    others = ["<p>" + " ".join(chance.choices(words, k=chance.randint(500, 5000))) + "</p>" for _ in range(300)]
    return [(html, "text/html") for html in japanese], [(html.encode(), "text/html") for html in others]


def bodies(folder: Path) -> tuple[list[Body], list[Body], str]:
    """Of Japanese pages and of others, of about as many bytes each, and what they are."""
    is_real = all((PAGES / f"{name}.warc.gz").exists() for name in REAL)
    japanese, others = real_pages(folder) if is_real else made_pages()
    chance = random.Random(2)
    chosen = [body_of(*page) for page in chance.sample(others, min(len(others), MOST_PAGES))]
    mean = sum(len(body.packed) for body in chosen) // len(chosen)
    padded = []
    for html, content_type in chance.sample(japanese, min(len(japanese), MOST_PAGES)):
        lacking = mean - len(body_of(html, content_type).packed)
        script = b"<script>/* %s */</script>" % chance.randbytes(max(lacking, 0)).hex().encode()
        padded.append(body_of(html + script if lacking > 0 else html, content_type))
    return padded, chosen, "real pages" if is_real else "generated pages"


def write_crawl(folder: Path, size: int, japanese: list[Body], others: list[Body]) -> None:
    """FILES files of so many bytes in all."""
    chance, number = random.Random(3), 0
    for part in range(FILES):
        with (folder / f"{part:05}.warc.gz").open("wb") as file:
            while file.tell() < size // FILES:
                is_japanese = chance.random() < JAPANESE
                body = chance.choice(japanese if is_japanese else others)
                file.write(member(body, number, "jp" if is_japanese else "com"))
                number += 1


@dataclass
class Run:
    """One, what it cost, what it said of itself, and what was asked of the store."""

    cost: Cost
    summary: dict[str, Any]
    served: Served
    output: Path

    @property
    def documents(self) -> int:
        """How many it has made."""
        return int(self.summary["documents"])


class Bench:
    """A crawl in a folder, as a bucket and as files."""

    def __init__(self, folder: Path, proxy: SlowProxy) -> None:
        self.folder = folder
        self.proxy = proxy
        self.runs = 0

    def extract(self, *options: object, threads: int = 2) -> Run:
        """A run of `uzushio extract` in the folder of the buckets."""
        self.runs += 1
        output = self.folder / f"out{self.runs}"
        summary = self.folder / "summary.json"
        command = [PROGRAM, "extract", *options, "--output", output, "--threads", threads, "--summary", summary]
        self.proxy.take()
        cost = measured([*command, "--memory", f"{MEMORY}MiB", "--progress", "none"], self.folder / "buckets")
        return Run(cost, json.loads(summary.read_text()), self.proxy.take(), output)

    def indexed(self, *options: object, threads: int = 2) -> Run:
        """By the index."""
        return self.extract("--index", self.folder / "index", "--index-language", "jpn", *options, threads=threads)

    def far(self, threads: int = 2) -> Run:
        """By the index, from the store."""
        return self.indexed("--index-base", "s3://", threads=threads)


def files_of(output: Path) -> dict[str, str]:
    """Checksums of an output's files of documents."""
    paths = sorted(output.glob("language=*/*"))
    return {str(path.relative_to(output)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def texts_of(output: Path) -> list[tuple[str, str]]:
    """The documents' addresses and texts, in order."""
    rows: list[tuple[str, str]] = []
    for path in sorted(output.glob("language=*/*.parquet")):
        table = pq.ParquetFile(path).read(columns=["url", "text"])
        rows += zip(table["url"].to_pylist(), table["text"].to_pylist(), strict=True)
    return rows


def share(run: Run, threads: int) -> float:
    """Of the limit of so many requests at a time."""
    return run.served.owed / (AHEAD * threads * (run.served.ended - run.served.began))


def measure(bench: Bench, rounds: int, what: str) -> list[Row]:
    """All runs, and the rows."""
    size = sum(path.stat().st_size for path in (bench.folder / "buckets" / "crawl").iterdir())
    whole = [bench.extract("s3://crawl", "--language", "ja") for _ in range(rounds)]
    far, near = [], []
    for _ in range(rounds):  # in pairs: whatever else runs here has both
        far.append(bench.far())
        near.append(bench.indexed())
    by_threads = {threads: [bench.far(threads) for _ in range(rounds)] for threads in (1, 4)} | {2: far}
    bench.proxy.limits.busy_every = BUSY_EVERY
    busy = bench.far()
    bench.proxy.limits = Limits(LONG_LATENCY, RATE)
    slow = bench.far()
    documents = far[0].documents
    if texts_of(far[0].output) != texts_of(whole[0].output):
        raise SystemExit("bench crawl: reading by the index made other documents than reading whole files")
    table = sum(path.stat().st_size for path in (bench.folder / "index").glob("*.parquet"))
    pages = int(near[0].summary["index"]["table_rows"])
    same = files_of(busy.output) == files_of(far[0].output)
    print(f"{documents} documents of {pages} pages", flush=True)
    more = {"input": what, "threads": 2}

    def lower(metric: str, samples: list[float], unit: str, target: float | None = None, **other: object) -> Row:
        return row(metric, samples, unit, **{"target": target, "better": "lower", **more, **other})

    work = [a.cost.processor / b.cost.processor for a, b in zip(far, near, strict=True)]
    return [
        lower("bytes read, by index/size of files", [run.served.bytes / size for run in far], "ratio", MOST_BYTES),
        lower("bytes read, whole files/size of files", [run.served.bytes / size for run in whole], "ratio"),
        lower("requests a page", [run.served.requests / documents for run in far], "requests", MOST_REQUESTS),
        lower("requests a GB, whole files", [1e9 * run.served.requests / size for run in whole], "requests"),
        lower(
            "time, by index/whole files",
            [a.cost.seconds / b.cost.seconds for a, b in zip(far, whole, strict=True)],
            "ratio",
        ),
        *(
            row(
                f"share of the limit, {AHEAD * threads} requests at a time",
                [share(run, threads) for run in runs],
                "ratio",
                target=LEAST_SHARE,
                input=what,
                threads=threads,
            )
            for threads, runs in sorted(by_threads.items())
        ),
        row(
            f"share of the limit, answers after {LONG_LATENCY} s", [share(slow, 2)], "ratio", target=LEAST_SHARE, **more
        ),
        *(
            row(
                f"most requests at a time, of {AHEAD * threads}",
                [float(run.served.most_at_once) for run in runs],
                "requests",
                input=what,
                threads=threads,
            )
            for threads, runs in sorted(by_threads.items())
        ),
        lower("processor a document, store/local files", work, "ratio", MOST_WORK),
        lower("processor a document, store", [1e3 * run.cost.processor / documents for run in far], "ms"),
        lower("processor a document, local files", [1e3 * run.cost.processor / documents for run in near], "ms"),
        lower("peak memory/--memory", [run.cost.memory / MEMORY for run in far], "ratio", 1.0),
        lower("index, bytes a page of all languages", [table / pages], "bytes"),
        lower("a page of all languages", [size / pages], "bytes"),
        lower("peak memory", [run.cost.memory for run in far], "MiB"),
        row(f"503 on every {BUSY_EVERY}th request: same bytes", [float(same)], "", target=1.0, **more),
        row("requests answered with 503", [float(busy.served.busy)], "requests", **more),
    ]


def bytes_of(text: str) -> int:
    """Of `1G`."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: a number with K, M or G is expected")
    return int(found[1]) * UNITS[found[2]]


@contextlib.contextmanager
def environment_of(url: str) -> Iterator[None]:
    """What leads this process's commands to a store."""
    given = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_ENDPOINT_URL": url,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    before = dict(os.environ)
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main(arguments: Sequence[str]) -> int:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=bytes_of, default=bytes_of("1G"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    if not BINARY.exists():
        print(f"bench crawl: {MISSING}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="uzushio-crawl-") as made:
        folder = Path(made)
        crawl = folder / "buckets" / "crawl"
        crawl.mkdir(parents=True)
        (folder / "pages").mkdir()
        japanese, others, kind = bodies(folder / "pages")
        write_crawl(crawl, options.size, japanese, others)
        index = [PROGRAM, "index", "crawl", "--output", folder / "index", "--progress", "none"]
        measured(index, folder / "buckets")
        what = f"{options.size / 1e9:g} GB of {kind}, {FILES} files"
        print(what, flush=True)
        with (
            serve_versitygw(folder / "buckets", folder / "log") as there,
            serve_slowly(there, Limits(LATENCY, RATE)) as proxy,
            environment_of(proxy.url),
        ):
            rows = measure(Bench(folder, proxy), options.rounds, what)
    write("crawl", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
