"""Runs the whole way on far more than the memory it may have, and looks whether anything grows with it.

    soak.py [--size BYTES] [--memory SIZE] [--threads N] [--folder DIR]

    --size     bytes of WARC to generate, as 50G or 500M (default: 50G)
    --memory   what each stage may have (default: 1GiB)
    --threads  threads of each stage (default: 2)
    --folder   where outputs and temporary files go (default: a temporary folder; it holds documents, not pages)

No page lies on the disk: a server on this machine answers requests for ranges of s3://soak/*.warc with what it makes at
the time, the same for the same place. Then extract → stats → merge → filter → minhash.

While a stage runs, its memory (VmRSS), the bytes that it has read and its temporary files are taken every INTERVAL. Its
time is parted by what has been read: a tenth is a tenth of the bytes. Of extract, which does the same from beginning to
end, memory and rate are held against the targets; of the others, which have phases, the peak is held against --memory.
Temporary files have no names, or lie in the output's folder: the folder for temporary files stays empty, and nothing is
beside an output's files at the end.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from report import ROOT, Row, row, write

PROGRAM = ROOT / "build" / "uzushio"
INTERVAL = 0.2
PAGE = 1 << 16
"""Bytes of a record."""
PAGES = 1000
"""Records of a file."""
SENTENCES = 20000
"""How many sentences pages are made of: some paragraphs of most pages are those of others."""
PRIVATE = Path(".uzushio")
"""What an output has besides its rows (docs/formats.md)."""
LEAST_GROWTH, LEAST_RATE = 1.02, 0.9
SCRIPT = b"/* " + b"var soak = [0, 1, 2]; " * (PAGE // 20)
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def sentences() -> list[str]:
    """Sentences of made-up words."""
    chance = random.Random(1)
    kana = [chr(code) for code in range(0x3042, 0x3094)]
    words = ["".join(chance.choices(kana, k=chance.randint(2, 5))) for _ in range(5000)]
    return ["、".join("は".join(chance.choices(words, k=4)) for _ in range(3)) + "。" for _ in range(SENTENCES)]


POOL = sentences()


def record(number: int) -> bytes:
    """A record of PAGE bytes: text, and scripts for the rest, as pages have them."""
    chance = random.Random(number)
    texts = ["".join(chance.choices(POOL, k=chance.randint(1, 4))) for _ in range(12)]
    texts += [f"{number} {POOL[number % SENTENCES]}"]
    body = "<!DOCTYPE html><html lang=ja><title>頁</title><body>" + "".join(f"<p>{text}</p>" for text in texts)
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode() + b"<script>"
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:{number:08x}-0000-4000-8000-{number:012x}>\r\n"
        f"WARC-Target-URI: http://site{number % 5000:04d}.example.jp/{number:010d}\r\n"
        "WARC-Date: 2025-01-01T00:00:00Z\r\n"
        "Content-Type: application/http; msgtype=response\r\nContent-Length: {:06d}\r\n\r\n"
    )
    length = PAGE - len(head.format(0)) - 4
    return head.format(length).encode() + page + SCRIPT[: length - len(page)] + b"\r\n\r\n"


class Archives(BaseHTTPRequestHandler):
    """Answers as S3 does for objects of PAGES records each."""

    protocol_version = "HTTP/1.1"
    served = 0
    lock = threading.Lock()

    def _answer(self, with_body: bool) -> None:
        found = re.fullmatch(r"/soak/(\d{6})\.warc", self.path)
        if not found:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        size, first = PAGE * PAGES, int(found[1]) * PAGES
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        begin, end = (int(wanted[1]), min(int(wanted[2]) + 1, size)) if wanted else (0, size)
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{size}")
        self.send_header("Content-Length", str(end - begin))
        self.send_header("Last-Modified", "Wed, 01 Jan 2025 00:00:00 GMT")
        self.send_header("ETag", f'"{first}"')
        self.end_headers()
        at = begin if with_body else end
        while at < end:
            part = record(first + at // PAGE)[at % PAGE : at % PAGE + end - at]
            self.wfile.write(part)
            at += len(part)
            with Archives.lock:
                Archives.served += len(part)

    def do_GET(self) -> None:
        """A range of an object, or all of it."""
        self._answer(True)

    def do_HEAD(self) -> None:
        """Whether there is one, and its size."""
        self._answer(False)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


@dataclass
class Watched:
    """A stage: at each moment seconds, bytes read, and MiB of memory and of temporary files without names."""

    name: str
    moments: list[tuple[float, int, float, float]] = field(default_factory=list)
    named: set[str] = field(default_factory=set)

    def tenth(self, number: int) -> list[tuple[float, int, float, float]]:
        """The moments of a tenth of the bytes, the first is 0."""
        total = self.moments[-1][1]
        return [moment for moment in self.moments if number * total <= moment[1] * 10 <= (number + 1) * total]

    def memory(self, number: int) -> float:
        """The most of a tenth, in MiB."""
        return max(moment[2] for moment in self.tenth(number))

    def rate(self, number: int) -> float:
        """Bytes a second of a tenth."""
        first, *_, last = self.tenth(number)
        return (last[1] - first[1]) / max(last[0] - first[0], 1e-9)


def field_of(file: Path, name: str) -> int:
    """A number of a file in /proc, in which a line is `NAME: NUMBER`."""
    found = re.search(rf"^{name}:\s*(\d+)", file.read_text(), re.MULTILINE)
    return int(found[1]) if found else 0


def unnamed(process: Path) -> float:
    """MiB of open files that have no name any more."""
    total = 0
    for file in (process / "fd").iterdir():
        try:
            status = file.stat()
            if status.st_nlink == 0 and file.readlink().as_posix().startswith("/"):
                total += status.st_blocks * 512
        except OSError:  # closed meanwhile
            continue
    return total / 2**20


def run(name: str, arguments: Sequence[object], environment: dict[str, str], temporary: Path) -> Watched:
    """Runs a stage and watches it."""
    watched = Watched(name)
    command = [str(part) for part in (PROGRAM, name, *arguments)]
    print(" ".join(command[:2]), flush=True)
    start, served = time.monotonic(), Archives.served
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    place = Path("/proc") / str(process.pid)
    while process.poll() is None:
        try:
            read = Archives.served - served if name == "extract" else field_of(place / "io", "rchar")
            memory = field_of(place / "status", "VmRSS") / 1024
            if memory > 0:
                watched.moments.append((time.monotonic() - start, read, memory, unnamed(place)))
        except OSError:  # it has just ended
            break
        watched.named |= {path.name for path in temporary.iterdir()}
        time.sleep(INTERVAL)
    said = process.communicate()[1]
    if process.returncode != 0:
        raise SystemExit(f"{name} failed:\n{said[-2000:]}")
    print(said.strip()[-1500:], flush=True)
    return watched


def bytes_of(text: str) -> int:
    """Of `50G`."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: a number with K, M or G is expected")
    return int(found[1]) * UNITS[found[2]]


def rows_of(watched: Watched, limit: float, size: str, threads: int) -> list[Row]:
    """Peaks, and of extract how the last tenth is to the earlier ones."""
    more = {"input": size, "threads": threads}
    name = watched.name
    peak = max(moment[2] for moment in watched.moments)
    rows = [
        row(f"{name}: peak of memory", [peak], "MiB", target=1.1 * limit, better="lower", **more),
        row(f"{name}: named temporary files", [len(watched.named)], "files", target=0.0, better="lower", **more),
        row(f"{name}: unnamed temporary files", [max(moment[3] for moment in watched.moments)], "MiB", **more),
        row(f"{name}: time", [watched.moments[-1][0]], "s", better="lower", **more),
    ]
    if name == "extract":
        growth = watched.memory(9) / watched.memory(1)
        rows.append(
            row(f"{name}: memory, last/second tenth", [growth], "ratio", target=LEAST_GROWTH, better="lower", **more)
        )
        rates = watched.rate(9) / watched.rate(0)
        rows.append(row(f"{name}: rate, last/first tenth", [rates], "ratio", target=LEAST_RATE, **more))
    return rows


def main() -> None:
    """All stages, and the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=bytes_of, default=bytes_of("50G"))
    parser.add_argument("--memory", default="1GiB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Archives)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    files = max(options.size // (PAGE * PAGES), 1)
    found = re.fullmatch(r"(\d+)([MG])iB", options.memory)
    if not found:
        parser.error("--memory: as 512MiB or 1GiB")
    limit = float(found[1]) * (1024 if found[2] == "G" else 1)
    size = f"{files * PAGE * PAGES / 1e9:.1f} GB, {files * PAGES} pages"
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="soak-") as made:
        folder, temporary = Path(made), Path(made) / "temporary"
        temporary.mkdir()
        environment["TMPDIR"] = str(temporary)
        common = ["--memory", options.memory, "--threads", options.threads, "--progress", "none"]
        chain = folder / "chain.conf"
        chain.write_text(
            'filters: [{"class": "DeduplicateDocumentsPercentile"}, {"class": "HiraganaRatio", "low": 0}]\n'
        )

        def stage(name: str, output: str, *arguments: object) -> list[Row]:
            watched = run(name, [*arguments, "--output", folder / output, *common], environment, temporary)
            files = [path.relative_to(folder / output) for path in (folder / output).rglob("*")]
            left = [path for path in files if path != PRIVATE and path.name.startswith((".", "tmp"))]
            if left:
                raise SystemExit(f"{name} has left {left[:3]}")
            return rows_of(watched, limit, size, options.threads)

        archives = [f"s3://soak/{number:06d}.warc" for number in range(files)]
        rows = stage("extract", "documents", *archives)
        rows += stage("stats", "counted", folder / "documents", "--intermediate")
        rows += stage("merge", "statistics", folder / "counted")
        rows += stage("filter", "clean", folder / "documents", "--stats", folder / "statistics", "--config", chain)
        rows += stage("minhash", "unique", folder / "documents")
    write("soak", rows)


if __name__ == "__main__":
    main()
