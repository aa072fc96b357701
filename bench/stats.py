"""Measures `uzushio stats`, `merge` and the frequency index: speed in ratios of one run, memory, recall, error.

Real paragraphs are those of the pages that UZUSHIO_REAL_PAGES names (default: `../shared/data`); without them, that
part is left out. UZUSHIO_ORIGINAL names a command that makes the original's statistics with every paragraph
(`COMMAND DOCUMENTS_DIR OUTPUT_DIR --intermediate`); without it the comparison is left out.

    stats.py [--study] [--large] [PARAGRAPHS]

    PARAGRAPHS    of the largest synthetic corpus; there are ones of a tenth and a hundredth, too (default 10,000,000:
                  12 GiB of memory, some ten minutes)
    --large       one of three times as many besides, for speed and memory (some ten minutes more)
    --study       also what does not change from day to day: the truth about the real paragraphs, for which every pair
                  of them is compared (minutes; it is kept in build/bench/truth, and used from then on without --study,
                  too); all ways to find candidates; the original's windows; one thread on the largest corpus
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from report import ROOT, Row, row, write

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
BUILD = ROOT / "build"
RELEASE = BUILD / "release"
MIB = 1 << 20
Pairs = set[tuple[int, int]]


@dataclass
class Run:
    """What a run of the program took and made."""

    seconds: float
    summary: dict[str, Any]
    output: Path


def run(command: str, source: Path, output: Path, *options: object, threads: int = 2, memory: str = "12GiB") -> Run:
    """Runs a stage anew."""
    summary = output.parent / (output.name + ".json")
    arguments = [command, source, "--output", output, "--threads", threads, "--memory", memory, "--summary", summary]
    start = time.monotonic()
    subprocess.run(list(map(str, [RELEASE / "uzushio", *arguments, *options, "--quiet", "--overwrite"])), check=True)
    return Run(time.monotonic() - start, json.loads(summary.read_text()), output)


def pairs_of(path: Path) -> Pairs:
    """Pairs of hashes."""
    table = pq.read_table(path, columns=["hash", "otherHash"])
    return set(zip(table["hash"].to_pylist(), table["otherHash"].to_pylist(), strict=True))


def recall_rows(name: str, truth: Path, found: Pairs, rows: list[Row], complete: bool) -> None:
    """Shares of true pairs that were found; with a `complete` truth, also of false ones."""
    table = pq.read_table(truth)
    pairs = list(zip(table["hash"].to_pylist(), table["otherHash"].to_pylist(), strict=True))
    means, similarities = table["meanLength"].to_pylist(), table["similarity"].to_pylist()
    hits = [pair in found for pair in pairs]

    def add(what: str, chosen: list[bool], target: float | None) -> None:
        of = [hit for hit, choose in zip(hits, chosen, strict=True) if choose]
        if of:
            rows.append(row(f"{name}: recall of pairs, {what}", [sum(of) / len(of)], "", target=target))

    add("all", [True] * len(pairs), 0.95)
    add("short", [mean <= 30 for mean in means], 0.95)
    add("long", [mean > 30 for mean in means], 0.95)
    long_near = [mean > 30 and s >= 800_000 for mean, s in zip(means, similarities, strict=True)]
    add("long, Jaccard ≥ .8", long_near, 0.98)
    add("all, similarity ≥ .8", [s >= 800_000 for s in similarities], 0.98)
    if complete:
        rows.append(row(f"{name}: false pairs", [len(found - set(pairs))], "", target=0, better="lower"))


@dataclass
class Truth:
    """The distinct paragraphs of a corpus, and all their pairs."""

    counts: dict[int, int]
    pairs: Pairs

    def near_freq(self) -> dict[int, int]:
        """How often each paragraph or a near-duplicate of it occurs."""
        near = dict(self.counts)
        for a, b in self.pairs:
            near[a] += self.counts[b]
            near[b] += self.counts[a]
        return near


def group_rows(name: str, truth: Truth, output: Path, rows: list[Row], targets: bool = True) -> None:
    """How far the frequencies are from the true ones, and how many pairs inside groups are true."""
    files = [output] if output.is_file() else sorted(output.glob("*.parquet"))
    near, groups = dict(truth.counts), defaultdict(list)
    for path in files:
        table = pq.read_table(path)
        for hash_, repr_hash, freq in zip(
            *(table[c].to_pylist() for c in ("hash", "reprHash", "nearFreq")), strict=True
        ):
            if hash_ in near:
                near[hash_] = freq
                groups[repr_hash].append(hash_)
    true = truth.near_freq()
    beside = {hash_ for pair in truth.pairs for hash_ in pair}
    errors = sorted(abs(math.log2(near[h] / true[h])) for h in beside)

    def goal(value: float) -> float | None:
        return value if targets else None

    rows.append(
        row(
            f"{name}: mean |log2 error| where there are near-duplicates",
            [statistics.mean(errors)],
            "",
            target=goal(0.04),
            better="lower",
        )
    )
    p99 = errors[int(0.99 * len(errors))]
    rows.append(row(f"{name}: 99th percentile of it", [p99], "", target=goal(0.6), better="lower"))
    inside = within = 0
    for group in groups.values():
        members = set(group)
        inside += len(members) * (len(members) - 1) // 2
        if len(members) > 1:
            within += sum((min(a, b), max(a, b)) in truth.pairs for a in members for b in members if a < b)
    rows.append(row(f"{name}: pairs in groups that are true", [within / max(1, inside)], "", target=goal(0.85)))
    largest = max(map(len, groups.values()))
    rows.append(row(f"{name}: largest group", [largest], "", input=f"of {len(truth.counts)} paragraphs"))


def load_truth(statistics_folder: Path, make: bool) -> tuple[Truth, Path] | None:
    """The true pairs of the texts that `--intermediate` kept; made once, if at all."""
    texts = statistics_folder / ".uzushio/intermediate" / "paragraphs.pq"
    folder = BUILD / "bench" / "truth"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (hashlib.sha256(texts.read_bytes()).hexdigest()[:16] + ".parquet")
    if not path.exists() and not make:
        print("the true pairs of these pages are not known yet: --study finds them", file=sys.stderr)
        return None
    if not path.exists():
        print("comparing all pairs …", file=sys.stderr)
        partial = path.with_suffix(".partial")
        subprocess.run([str(RELEASE / "bench_truth"), str(statistics_folder), str(partial)], check=True)
        partial.rename(path)
    table = pq.read_table(texts, columns=["hash", "exactFreq"])
    counts = dict(zip(table["hash"].to_pylist(), table["exactFreq"].to_pylist(), strict=True))
    return Truth(counts, pairs_of(path)), path


def study(name: str, statistics_folder: Path, truth: Path) -> list[dict[str, Any]]:
    """The ways to find candidates, as a table of recall against cost."""
    command = [str(RELEASE / "bench_candidates"), str(statistics_folder), str(truth)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    ways = [json.loads(line) for line in lines]
    print(f"\n{name}\n{'way':<52} {'pairs/paragraph':>15} {'recall':>7} {'long':>7} {'short':>7} {'long ≥ .8':>9}")
    for way in ways[1:]:
        print(
            f"{way['way']:<52} {way['pairs_per_paragraph']:>15.1f} {way['recall']:>7.4f} {way['long']:>7.4f} "
            f"{way['short']:>7.4f} {way['long 8']:>9.4f}"
        )
    (BUILD / "bench" / f"candidates-{name}.json").write_text(json.dumps(ways, indent=1))
    return ways


def modelled(distances: list[int], rotations: int, window: int, size: float) -> float:
    """The recall of sorted windows among signatures that are otherwise random.

    A pair with d of 128 bits different has its first difference after k bits with probability (1 - d/128)^k in each
    rotation, and is within the window when fewer than `window` of `size` signatures share so long a prefix.
    """
    bits = max(0.0, math.log2(size / window))
    found: float = sum(n * (1 - (1 - (1 - d / 128) ** bits) ** rotations) for d, n in enumerate(distances))
    return found / sum(distances)


def real_pages(folder: Path, rows: list[Row], with_study: bool) -> None:
    """Recall, error and speed on real paragraphs, and the original on the same."""
    documents = folder / "documents"
    archives = [PAGES / f"{name}.warc.gz" for name in ("docs", "web", "legacy")]
    command = [
        str(RELEASE / "uzushio"),
        "extract",
        *map(str, archives),
        "--text=original",
        "--output",
        str(documents),
        "--quiet",
    ]
    subprocess.run(command, check=True)
    whole = run("stats", documents, folder / "whole", "--intermediate", "--pairs", folder / "pairs")
    known = load_truth(whole.output, with_study)
    if known is not None:
        truth, path = known
        recall_rows("real", path, pairs_of(folder / "pairs" / "pairs.parquet"), rows, complete=True)
        group_rows("real", truth, whole.output / "statistics.parquet", rows)
    largest_groups(documents, folder, rows)
    merging(documents, folder, whole, rows)
    if known is not None and with_study:
        ways = study("real", whole.output, path)
        rows.append(row("real: windows, recall of 5 rotations x 64", [way(ways, "simhash 5 x 64")["recall"]], ""))
    the_original(documents, folder, truth if known is not None else None, rows)


def largest_groups(documents: Path, folder: Path, rows: list[Row]) -> None:
    """How groups grow with the corpus, on samples of the real paragraphs."""
    texts = pq.read_table(folder / "whole" / ".uzushio/intermediate" / "paragraphs.pq", columns=["hash"])
    hashes = sorted(texts["hash"].to_pylist())
    for share in (16, 4, 1):
        members = set(hashes[::share])
        source = sampled(documents, folder / f"sample{share}", members)
        for groups in ("pivot", "components"):
            output = run("stats", source, folder / f"{groups}{share}", "--groups", groups)
            largest, size = output.summary["largest_group"], output.summary["distinct_paragraphs"]
            rows.append(
                row(f"real: {groups}, share of the largest group", [largest / size], "", input=f"{size} paragraphs")
            )


def merging(documents: Path, folder: Path, whole: Run, rows: list[Row]) -> None:
    """Whether merged statistics are those of one run."""
    for parts in (2, 16):
        merged = run("merge", split(documents, folder, parts), folder / f"merged{parts}", "--intermediate")
        whole_rows = pq.read_table(whole.output / "statistics.parquet")
        equal = pq.read_table(merged.output / "statistics.parquet").equals(whole_rows)
        rows.append(row(f"real: {parts} parts merged, equal to one run", [float(equal)], "", target=1))


def the_original(documents: Path, folder: Path, truth: Truth | None, rows: list[Row]) -> None:
    """The original's time and errors against ours, on the documents that it takes."""
    limits = ("--max-document-bytes", "2MiB", "--max-paragraphs", "999")
    original = os.environ.get("UZUSHIO_ORIGINAL")
    if not original:
        print("UZUSHIO_ORIGINAL is not set: the original is not measured", file=sys.stderr)
        return
    ratios = []
    for number in range(3):
        ours = min(run("stats", documents, folder / "ours", *limits).seconds for _ in range(3))
        start = time.monotonic()
        theirs = folder / f"original{number}"
        subprocess.run(
            [*original.split(), str(documents), str(theirs), "--intermediate"], check=True, stdout=subprocess.DEVNULL
        )
        ratios.append((time.monotonic() - start) / ours)
    rows.append(row("the original's time / ours", ratios, "times", target=30, threads=2))
    if truth is None:
        return
    same = run("stats", documents, folder / "ours", *limits, "--intermediate").output
    texts = pq.read_table(same / ".uzushio/intermediate" / "paragraphs.pq", columns=["hash", "exactFreq"])
    counts = dict(zip(texts["hash"].to_pylist(), texts["exactFreq"].to_pylist(), strict=True))
    common = Truth(counts, {(a, b) for a, b in truth.pairs if a in counts and b in counts})
    group_rows("the same, ours", common, same / "statistics.parquet", rows, targets=False)
    group_rows("the original", common, folder / "original0", rows, targets=False)


def way(ways: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """One of the ways of a study."""
    return next(item for item in ways if item["way"] == name)


def sampled(documents: Path, folder: Path, hashes: set[int]) -> Path:
    """A dataset of the paragraphs with these hashes, as often as they occur."""
    folder.mkdir()
    texts = pq.read_table(documents.parent / "whole" / ".uzushio/intermediate" / "paragraphs.pq")
    kept = [
        text
        for hash_, count, text in zip(*(texts[c].to_pylist() for c in ("hash", "exactFreq", "text")), strict=True)
        if hash_ in hashes
        for _ in range(count)
    ]
    write_texts(folder / "a.parquet", ["\n\n".join(kept[i : i + 50]) for i in range(0, len(kept), 50)])
    return folder


def write_texts(path: Path, texts: list[str]) -> None:
    """Documents as Parquet."""
    pq.write_table(pa.table({"text": texts}), path)


def split(documents: Path, folder: Path, parts: int) -> Path:
    """Statistics of parts of the documents, in one folder of folders; for a glob of their texts."""
    texts = [
        text
        for path in sorted(documents.rglob("*.parquet"))
        for text in pq.ParquetFile(path).read()["text"].to_pylist()
    ]
    target = folder / f"parts{parts}"
    target.mkdir()
    for part in range(parts):
        write_texts(target / f"{part}.parquet", texts[part::parts])
        run("stats", target / f"{part}.parquet", target / f"stats{part}", "--intermediate")
    return Path(f"{target}/stats*/.uzushio/intermediate/paragraphs.pq")


@dataclass
class Measured:
    """A made-up corpus: in memory and at 256 MiB."""

    seconds: float
    spilled: float
    """Bytes for a byte of text."""


def synthetic(folder: Path, largest: int, rows: list[Row], large: bool, with_study: bool) -> None:
    """Recall, speed, growth and memory on made-up corpora of three sizes, and speed and memory of a larger one."""
    measured: dict[int, Measured] = {}
    sizes = (largest // 100, largest // 10, largest)
    for size in sizes:
        corpus = make_corpus(folder, size)
        rounds = 1 if size == largest else 3
        measured[size] = speed(folder, size, rounds, rows, slowdown=1.7 if size == largest else None)
        if size < largest or with_study:
            threads(folder, size, rounds, rows)
        run("stats", corpus / "documents.parquet", folder / "pairs", "--pairs", folder / "near", "--intermediate")
        found = pairs_of(folder / "near" / "pairs.parquet")
        recall_rows(f"{size:,}", corpus / "truth.parquet", found, rows, complete=False)
    growth = math.log(measured[largest].seconds / measured[largest // 100].seconds) / math.log(100)
    rows.append(row("growth exponent of time", [growth], "", target=1.15, better="lower"))
    if measured[largest // 10].spilled > 0:
        spilled = measured[largest].spilled / measured[largest // 10].spilled
        rows.append(row(f"bytes spilled, {largest:,} / {largest // 10:,}", [spilled], "", target=1.2, better="lower"))
    if with_study:
        windows(folder, sizes, rows)
    if large:
        make_corpus(folder, 3 * largest)
        speed(folder, 3 * largest, 1, rows, slowdown=2)


def make_corpus(folder: Path, size: int) -> Path:
    """So many paragraphs, and their true pairs."""
    corpus = folder / str(size)
    corpus.mkdir()
    generator = [str(RELEASE / "bench_synthetic"), str(size), str(corpus)]
    subprocess.run(generator, check=True, stdout=subprocess.DEVNULL)
    return corpus


def speed(folder: Path, size: int, rounds: int, rows: list[Row], slowdown: float | None) -> Measured:
    """In memory, and at 256 MiB, where it may take `slowdown` times as long."""
    documents, name = folder / str(size) / "documents.parquet", f"{size:,}"
    two = [run("stats", documents, folder / "two") for _ in range(rounds)]
    seconds = min(item.seconds for item in two)
    rows.append(row(f"{name}: paragraphs/s", [size / item.seconds for item in two], "1/s", threads=2))
    small = run("stats", documents, folder / "small", memory="256MiB")
    peak = small.summary["peak_memory_bytes"] / (256 * MIB)
    rows.append(row(f"{name}: peak memory / --memory 256MiB", [peak], "", target=1.1, better="lower"))
    spilled = small.summary["spilled_bytes"] / small.summary["text_bytes"]
    rows.append(row(f"{name}: bytes spilled / byte of text, 256MiB", [spilled], ""))
    ratio = [small.seconds / seconds]
    rows.append(row(f"{name}: time at 256MiB / in memory", ratio, "times", target=slowdown, better="lower"))
    ours, theirs = ((folder / which / "statistics.parquet").read_bytes() for which in ("small", "two"))
    rows.append(row(f"{name}: the same bytes at 256MiB", [float(ours == theirs)], "", target=1))
    return Measured(seconds, spilled)


def threads(folder: Path, size: int, rounds: int, rows: list[Row]) -> None:
    """Two threads against one."""
    documents = folder / str(size) / "documents.parquet"
    ratios = [
        run("stats", documents, folder / "one", threads=1).seconds / run("stats", documents, folder / "two").seconds
        for _ in range(rounds)
    ]
    rows.append(row(f"{size:,}: 2 threads / 1", ratios, "times", target=1.8 if size > 100_000 else None))


def windows(folder: Path, sizes: tuple[int, ...], rows: list[Row]) -> None:
    """The ways to find candidates, and how the original's windows lose recall as a corpus grows."""
    recalls: dict[int, dict[str, float]] = {}
    for size in sizes[:-1]:
        corpus = folder / str(size)
        texts = run("stats", corpus / "documents.parquet", folder / "texts", "--intermediate").output
        ways = study(f"{size:,}", texts, corpus / "truth.parquet")
        recalls[size] = {item["way"]: item["recall"] for item in ways[1:]}
        distances = ways[0]["distances"]
    corpus = folder / str(sizes[-1])
    true = pairs_of(corpus / "truth.parquet")
    for rotations, window in ((5, 64), (5, 1024)):
        options = ("--candidates", "simhash", "--rotations", rotations, "--window", window)
        run("stats", corpus / "documents.parquet", folder / "windows", *options, "--pairs", folder / "near2")
        found = pairs_of(folder / "near2" / "pairs.parquet")
        recalls.setdefault(sizes[-1], {})[f"simhash {rotations} x {window}"] = len(true & found) / len(true)
    print("\nwindows: recall, and the model's")
    for rotations, window in ((5, 64), (5, 1024)):
        key = f"simhash {rotations} x {window}"
        line = [
            f"{size:,}: {r[key]:.3f} ({modelled(distances, rotations, window, size):.3f})"
            for size, r in recalls.items()
        ]
        line.append(f"10^10: ({modelled(distances, rotations, window, 1e10):.3f})")
        print(f"{key}: " + ", ".join(line))
        rows.append(row(f"model: {key} at 10^10", [modelled(distances, rotations, window, 1e10)], ""))


def index(folder: Path, rows: list[Row]) -> None:
    """Look-ups of the frequency index."""
    for entries in (400_000, 4_000_000, 40_000_000):
        command = [str(RELEASE / "bench_index"), str(entries), str(folder)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        target = 20 if entries < 40_000_000 else None
        rows.append(row(f"index of {entries:,}: look-ups", [float(x) for x in lines], "M/s", target=target))


def main() -> None:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paragraphs", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--study", action="store_true")
    wanted = parser.parse_args()
    if wanted.paragraphs < 1000:
        parser.error("give 1,000 paragraphs or more")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
        folder = Path(temporary)
        index(folder, rows)
        if (PAGES / "docs.warc.gz").exists():
            real_pages(folder, rows, wanted.study)
        else:
            print("no real pages: set UZUSHIO_REAL_PAGES", file=sys.stderr)
        synthetic(folder, wanted.paragraphs, rows, wanted.large, wanted.study)
    write("stats", rows)


if __name__ == "__main__":
    main()
