"""Measures `uzushio extract` against physical limits and a peer, in ratios of one run.

Inputs are built from real pages: the folder that the environment variable UZUSHIO_REAL_PAGES names (default:
`../shared/data`) has `NAME.warc.gz`, a gzip member a record, and `NAME.manifest.tsv.gz`, a line a record.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from report import ROOT, Row, row, write

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
BUILD = ROOT / "build"
PROGRAM = BUILD / "release" / "uzushio"
BARE = BUILD / "release" / "bench_bare"
ROUNDS = 5
MIB = 1 << 20


@dataclass
class Input:
    """A WARC to measure on."""

    path: Path
    parts: Path  # the same records in a folder of four files
    text: str  # what it is, for the table
    bytes: int  # decompressed


def members(name: str) -> list[tuple[dict[str, str], bytes]]:
    """The records of a WARC as compressed members, with their lines of the manifest."""
    with gzip.open(PAGES / f"{name}.manifest.tsv.gz", "rt", encoding="utf-8") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    data = (PAGES / f"{name}.warc.gz").read_bytes()
    ends = [int(line["offset"]) for line in lines[1:]] + [len(data)]
    return [(line, data[int(line["offset"]) : end]) for line, end in zip(lines, ends, strict=True)]


def is_page(line: dict[str, str], whole_only: bool = False) -> bool:
    """Whether a record is a whole page and, unless `whole_only`, without content coding.

    Without: as Common Crawl stores pages, and as the peer reads them.
    """
    kind = line["kind"].split("+")
    whole = line["type"] == "response" and line["status"] == "200" and kind[0] == "page" and "truncated" not in kind
    return whole and (whole_only or not {"gzip", "chunked"} & set(kind))


def write_input(path: Path, text: str, parts: list[bytes], times: int) -> Input:
    """Writes the members, several times over: in one file, and in four."""
    parts = parts * times
    path.write_bytes(b"".join(parts))
    folder = path.parent / path.name.removesuffix(".warc.gz")
    folder.mkdir()
    for index in range(4):
        (folder / f"{index}.warc.gz").write_bytes(b"".join(parts[index::4]))
    size = sum(len(gzip.decompress(part)) for part in parts)
    return Input(path, folder, f"{text}; {len(parts)} pages, {size / 1e6:.0f} MB", size)


def build_inputs(folder: Path) -> tuple[Input, Input]:
    """All-Japanese pages, and pages of which 95 % are foreign."""
    pages = [item for name in ("docs", "web", "legacy") for item in members(name) if is_page(item[0])]
    japanese = [m for line, m in pages if line["lang"] in ("ja", "mixed-ja") and int(line["kana"]) >= 200]
    foreign = [m for line, m in pages if line["lang"] not in ("ja", "mixed-ja", "ja-basic") and line["lang"] != "-"]
    chooser = random.Random(1)
    chooser.shuffle(japanese)
    chooser.shuffle(foreign)
    mixed: list[bytes] = []
    for index, member in enumerate(foreign):
        mixed.append(member)
        if index % 19 == 18:
            mixed.append(japanese[index // 19])
    return (
        write_input(folder / "japanese.warc.gz", "100 % Japanese", japanese, 3),
        write_input(folder / "mixed.warc.gz", "95 % foreign", mixed, 16),
    )


def run_json(command: list[str | Path]) -> dict[str, float]:
    """Runs a command that prints JSON."""
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def bare(mode: str, data: Input) -> float:
    """Seconds of a physical limit."""
    return run_json([BARE, mode, data.path])["seconds"]


def peer(data: Input) -> float:
    """Seconds of FastWARC and Resiliparse, without their start-up."""
    return run_json([BUILD / "bench-venv" / "bin" / "python", ROOT / "bench" / "peer_resiliparse.py", data.path])[
        "seconds"
    ]


def extract(data: Path, folder: Path, *options: str, threads: int = 1) -> tuple[float, float]:
    """Seconds of the whole process, and its peak memory in bytes."""
    summary = folder / "summary.json"
    command = [PROGRAM, "extract", data, "--output", folder / "out", "--overwrite", "--quiet"]
    command += ["--threads", str(threads), "--summary", summary, *options]
    start = time.perf_counter()
    subprocess.run([str(part) for part in command], check=True)
    seconds = time.perf_counter() - start
    return seconds, json.loads(summary.read_text())["peak_memory_bytes"]


def measure(japanese: Input, mixed: Input, folder: Path) -> list[Row]:
    """All figures; the two sides of a ratio take turns."""
    samples: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        samples.setdefault(name, []).append(value)

    for turn in range(ROUNDS):
        print(f"round {turn + 1} of {ROUNDS}", file=sys.stderr)
        seconds, memory = extract(japanese.path, folder)
        note("ja", japanese.bytes / seconds / 1e6)
        note("memory 1", memory / MIB)
        note("lexbor", bare("lexbor", japanese) / seconds)
        note("peer", peer(japanese) / seconds)
        note("one file ja", seconds / extract(japanese.path, folder, threads=2)[0])
        seconds, _ = extract(mixed.path, folder)
        note("mixed", mixed.bytes / seconds / 1e6)
        note("libdeflate", bare("libdeflate", mixed) / seconds)
        note("one file mixed", seconds / extract(mixed.path, folder, threads=2)[0])
        note("rapid", extract(mixed.path, folder, "--language", "ja,und")[0] / seconds)
        for name, data in (("ja", japanese), ("mixed", mixed)):
            one, _ = extract(data.parts, folder)
            two, memory = extract(data.parts, folder, threads=2)
            note(f"two {name}", one / two)
        note("memory 2", memory / MIB)
    one_thread, two_threads = 128 + 64, 128 + 2 * 64
    ja, foreign = japanese.text, mixed.text
    return [
        row("Japanese input", samples["ja"], "MB/s", input=ja),
        row("Japanese input / bare lexbor", samples["lexbor"], "ratio", target=0.5, input=ja),
        row("Japanese input / FastWARC + Resiliparse", samples["peer"], "ratio", target=2.0, input=ja),
        row(
            "Japanese input, 4 files, 2 threads / 1",
            samples["two ja"],
            "ratio",
            target=1.8,
            input=ja,
            threads=2,
        ),
        row("Japanese input, 1 file, 2 threads / 1", samples["one file ja"], "ratio", input=ja, threads=2),
        row("mixed input", samples["mixed"], "MB/s", input=foreign),
        row("mixed input / bare libdeflate", samples["libdeflate"], "ratio", target=0.4, input=foreign),
        row(
            "mixed input, 4 files, 2 threads / 1",
            samples["two mixed"],
            "ratio",
            target=1.8,
            input=foreign,
            threads=2,
        ),
        row("mixed input, 1 file, 2 threads / 1", samples["one file mixed"], "ratio", input=foreign, threads=2),
        row("mixed input, rapid test / none, reading included", samples["rapid"], "ratio", input=foreign),
        row("peak memory", samples["memory 1"], "MiB", target=one_thread, better="lower", input=ja),
        row(
            "peak memory, 2 threads",
            samples["memory 2"],
            "MiB",
            target=two_threads,
            better="lower",
            threads=2,
        ),
    ]


def main() -> int:
    """Builds the inputs, measures, writes."""
    if not (PAGES / "docs.warc.gz").exists():
        print("bench extract: no real pages; set UZUSHIO_REAL_PAGES to a folder with them", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
        folder = Path(temporary)
        japanese, mixed = build_inputs(folder)
        write("extract", measure(japanese, mixed, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
