"""Measures `uzushio filter`: the chain against copying, each filter, the language model against Sudachi, the original.

Documents are those of the real pages that UZUSHIO_REAL_PAGES names (default: `../shared/data`). UZUSHIO_ORIGINAL and
UZUSHIO_ORIGINAL_FILTER name commands that run the original: `COMMAND DOCUMENTS_DIR STATISTICS_DIR --intermediate` makes
statistics, `COMMAND DOCUMENTS_DIR STATISTICS_DIR CHAIN.conf OUTPUT_DIR` filters. Without them that part is left out.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from report import ROOT, Row, row, write

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
BUILD = ROOT / "build"
RELEASE = BUILD / "release"
ROUNDS = 5
# Thresholds of the original's `pipeline_03a.conf`, without word lists and language models.
CHAIN: list[dict[str, Any]] = [
    {"class": "DocLength", "low": 50},
    {"class": "DeduplicateDocumentsPercentile", "expected": 5, "percentile": 0.05},
    {"class": "HiraganaRatio", "low": 0.1, "high": 2.0},
    {"class": "HiraganaRatio", "low": 0.15, "high": 2.0},
    {"class": "LinkCharRatio", "low": 0, "high": 0.8},
    {"class": "LinkCharRatio", "low": 0, "high": 0.4},
    {"class": "MergeListTag"},
    {"class": "MarkdownizeHeading"},
    {"class": "NoContentDOM"},
    {"class": "LargeFreqParagraphs", "count": 3, "freq": 1000},
    {"class": "LargeFreqParagraphs", "count": 3, "freq": 100},
    {"class": "CompressionRate", "low": 0.25, "high": 5.0},
    {"class": "CompressionRate", "low": 0.40, "high": 0.75},
    {"class": "CompressionRate", "low": 0.50, "high": 0.75},
    {"class": "DocLength", "low": 200},
    {"class": "DeduplicateDocumentsPercentile", "expected": 2.5, "percentile": 0.05},
    {"class": "DeduplicateDocumentsPercentile", "expected": 1.5, "percentile": 0.1},
]


def uzushio(*arguments: object) -> float:
    """Runs the program; returns seconds."""
    start = time.monotonic()
    subprocess.run([str(RELEASE / "uzushio"), *map(str, arguments), "--quiet", "--overwrite"], check=True)
    return time.monotonic() - start


def two_at_once(folder: Path, *arguments: object) -> float:
    """Seconds of two processes that share nothing, to two outputs: more than that can not be had of two threads."""
    start = time.monotonic()
    command = [str(RELEASE / "uzushio"), *map(str, arguments), "--quiet", "--overwrite", "--output"]
    sides = [subprocess.Popen([*command, str(folder / f"side{side}")]) for side in range(2)]
    codes = [side.wait() for side in sides]
    if any(codes):
        raise SystemExit("one of two at once failed")
    return time.monotonic() - start


def configure(path: Path, filters: list[dict[str, Any]]) -> Path:
    """A chain's file."""
    path.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    return path


def chain_rows(folder: Path, rows: list[Row]) -> None:
    """The chain against reading and writing alone, and both on two threads."""
    documents, statistics = folder / "documents", folder / "statistics"
    chain = configure(folder / "chain.conf", CHAIN)
    # As many pieces as a real corpus has for each thread: the last one of each takes some of the time.
    copies = folder / "copies"
    for copy in range(4):
        for path in documents.rglob("*.parquet"):
            linked = copies / str(copy) / path.relative_to(documents)
            linked.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, linked)
    seconds: dict[tuple[str, int], list[float]] = {}
    for _ in range(ROUNDS):
        for threads in (1, 2):
            common = ["filter", copies, "--output", folder / "out", "--threads", threads, "--keep-markup"]
            seconds.setdefault(("copying", threads), []).append(uzushio(*common))
            chained = uzushio(*common, "--config", chain, "--stats", statistics)
            seconds.setdefault(("the chain", threads), []).append(chained)
        both = two_at_once(
            folder, "filter", copies, "--threads", 1, "--keep-markup", "--config", chain, "--stats", statistics
        )
        seconds.setdefault(("two processes", 2), []).append(both / 2)

    def ratios(above: tuple[str, int], below: tuple[str, int]) -> list[float]:
        return [a / b for a, b in zip(seconds[above], seconds[below], strict=True)]

    for threads, target in ((1, 0.5), (2, 0.9)):
        samples = ratios(("copying", threads), ("the chain", threads))
        rows.append(row("copying's time / the chain's", samples, "times", target=target, threads=threads))
    samples = ratios(("the chain", 1), ("two processes", 2))
    rows.append(row("the chain: two processes of one thread / 1", samples, "times"))
    for name in ("copying", "the chain"):
        samples = ratios((name, 1), (name, 2))
        rows.append(row(f"{name}: 2 threads / 1", samples, "times", target=1.85, threads=2))


def filter_rows(folder: Path, rows: list[Row]) -> None:
    """Each filter alone."""
    documents, statistics = folder / "documents", folder / "statistics"
    summary = folder / "summary.json"
    for item in {item["class"]: item for item in reversed(CHAIN)}.values():
        one = configure(folder / "one.conf", [item])
        speeds = []
        for _ in range(3):
            options = ["--config", one, "--stats", statistics, "--threads", 1, "--summary", summary]
            uzushio("filter", documents, "--output", folder / "out", *options)
            counts = json.loads(summary.read_text())
            speeds.append(counts["input"]["text_bytes"] / counts["steps"][0]["seconds"] / 1e6)
        rows.append(row(f"{item['class']} alone", speeds, "MB/s"))


def lm_rows(folder: Path, rows: list[Row]) -> None:
    """The chain of language model filters against Sudachi alone."""
    spec = importlib.util.find_spec("sudachidict_small")
    assert spec is not None
    assert spec.submodule_search_locations
    dictionary = Path(spec.submodule_search_locations[0]) / "resources" / "system.dic"
    files = sorted((folder / "documents").rglob("*.parquet"))
    small = folder / "small"
    small.mkdir()
    pq.write_table(pq.ParquetFile(files[0]).read().slice(0, 800), small / "a.parquet")
    uzushio("train-lm", small / "a.parquet", "--sudachi", dictionary, "--output", folder / "model.binary")
    model = {"sudachi": str(dictionary), "kenlm": str(folder / "model.binary"), "outliers": 0.1}
    chain = configure(
        folder / "lm.conf",
        [
            {"class": "KenLMParagraphPerplexity", **model, "count": 3, "threshold": 1e6},
            {"class": "KenLMParagraphPerplexity", **model, "count": 2, "threshold": 5e6},
            {"class": "KenLMDocAvgPerplexity", **model, "low": 5},
            {"class": "KenLMDocAvgPerplexity", **model, "high": 5e5, "low": 7},
        ],
    )
    command = [str(RELEASE / "bench_tokenize"), str(dictionary), str(small / "a.parquet")]
    ratios, speeds = [], []
    for _ in range(3):
        alone, size, _ = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        summary = folder / "summary.json"
        options = ["--config", chain, "--threads", 1, "--summary", summary]
        uzushio("filter", small / "a.parquet", "--output", folder / "out", *options)
        seconds = sum(step["seconds"] for step in json.loads(summary.read_text())["steps"])
        ratios.append(float(alone) / seconds)
        speeds.append(int(size) / seconds / 1e6)
    rows.append(row("Sudachi's time alone / four filters by perplexity", ratios, "times", target=0.85))
    rows.append(row("four filters by perplexity", speeds, "MB/s"))


def original_rows(folder: Path, rows: list[Row]) -> None:
    """The original: speed, and the documents that both pass. It reads documents without link marks."""
    make_statistics, filter_command = os.environ.get("UZUSHIO_ORIGINAL"), os.environ.get("UZUSHIO_ORIGINAL_FILTER")
    if not make_statistics or not filter_command:
        print("UZUSHIO_ORIGINAL and UZUSHIO_ORIGINAL_FILTER are not set: the original is not measured", file=sys.stderr)
        return
    plain = folder / "plain"
    plain.mkdir()
    for number, path in enumerate(sorted((folder / "documents").rglob("*.parquet"))):
        table = pq.ParquetFile(path).read()
        texts = [re.sub("[\x02\x03]", "", text) for text in table["text"].to_pylist()]
        # What the original leaves out for its length is left out for both.
        keep = [len(text.encode()) < 2 << 20 and text.count("\n\n") + 1 < 1000 for text in texts]
        index = table.schema.get_field_index("text")
        table = table.set_column(index, "text", pa.array(texts, pa.string())).filter(pa.array(keep))
        pq.write_table(table, plain / f"{number}.parquet")
    run = [*make_statistics.split(), str(plain), str(folder / "theirs"), "--intermediate"]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    uzushio("merge", folder / "theirs", "--output", folder / "merged")
    chain = configure(folder / "chain.conf", CHAIN)
    ratios = []
    for _ in range(3):
        command = [*filter_command.split(), str(plain), str(folder / "theirs"), str(chain), str(folder / "passed")]
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        theirs = time.monotonic() - start
        options = ["--config", chain, "--stats", folder / "merged", "--threads", 2]
        ours = min(uzushio("filter", plain, "--output", folder / "ours", *options) for _ in range(3))
        ratios.append(theirs / ours)
    rows.append(row("the original's time / ours", ratios, "times", target=20, threads=2))
    ours_table, theirs_table = pq.read_table(folder / "ours"), pq.read_table(folder / "passed")
    mine = dict(zip(ours_table["docId"].to_pylist(), ours_table["text"].to_pylist(), strict=True))
    other = dict(zip(theirs_table["docId"].to_pylist(), theirs_table["text"].to_pylist(), strict=True))
    same = sum(mine.get(doc_id) == text for doc_id, text in other.items())
    every = len(set(mine) | set(other))
    rows.append(
        row("documents that both pass with the same text / that either passes", [same / every], "", target=0.97)
    )
    kinds = Counter(
        "only ours" if doc_id not in other else "only theirs" if doc_id not in mine else "other text"
        for doc_id in set(mine) | set(other)
        if mine.get(doc_id) != other.get(doc_id)
    )
    print(f"{len(other)} documents pass there, {len(mine)} here; differences: {dict(kinds)}")
    differences = [
        {"docId": d, "ours": mine.get(d), "theirs": other.get(d)}
        for d in sorted(set(mine) | set(other))
        if mine.get(d) != other.get(d)
    ]
    (BUILD / "bench" / "filter-differences.json").write_text(json.dumps(differences, ensure_ascii=False, indent=1))


def main() -> None:
    """All of it."""
    rows: list[Row] = []
    if not (PAGES / "docs.warc.gz").exists():
        print("no real pages: set UZUSHIO_REAL_PAGES", file=sys.stderr)
        return
    (BUILD / "bench").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
        folder = Path(temporary)
        archives = [PAGES / f"{name}.warc.gz" for name in ("docs", "web", "legacy")]
        uzushio("extract", *archives, "--text=original", "--output", folder / "documents")
        uzushio("stats", folder / "documents", "--output", folder / "statistics")
        chain_rows(folder, rows)
        filter_rows(folder, rows)
        lm_rows(folder, rows)
        original_rows(folder, rows)
    write("filter", rows)


if __name__ == "__main__":
    main()
