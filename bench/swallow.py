"""Measures the recipe of the Swallow corpus: each filter alone, next to the published code, and what each step leaves.

--data FOLDER has the pages (default: UZUSHIO_REAL_PAGES, or `../shared/data`). --published FOLDER is a checkout of
swallow-llm/swallow-corpus; without it, that part is left out. Of its scripts, quality.py, kutoten.py and footer.py are
measured, which need no other packages, without the JSON Lines around them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from report import ROOT, Row, row, write

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
RELEASE = ROOT / "build" / "release"
PRESET = ROOT / "presets" / "swallow.conf"
ROUNDS = 5
# Bounds of SwallowQuality that remove nothing.
LEAST = ["num_letters", "hiragana_fraction", "japanese_fraction", "num_japanese_letters", "avg_sentence_length"]
MOST = [
    *(f"duplicate_{part}_fraction{unit}" for part in ("paragraph", "sentence") for unit in ("", "_in_character")),
    *(f"top_{n}gram_character_fraction" for n in (2, 3, 4)),
    *(f"duplicate_{n}gram_character_fraction" for n in range(5, 11)),
    *("katakana_fraction", "ellipsis_fraction", "avg_sentence_length", "max_sentence_length"),
]
LOOSE = {f"min_{name}": 0 for name in LEAST} | {f"max_{name}": 1e15 if name.endswith("length") else 1 for name in MOST}
TARGETS = {"SwallowQuality": 40.0}
REPAIRS = [{"class": "NormalizePunctuation"}, {"class": "TrimFooter"}]


def uzushio(*arguments: object) -> float:
    """Runs the program on one thread; returns the processor's seconds for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [RELEASE / "uzushio", *arguments, "--threads", 1, "--quiet", "--overwrite"]
    subprocess.run([str(part) for part in command], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def configure(path: Path, filters: list[dict[str, Any]]) -> Path:
    """A chain's file."""
    path.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    return path


def write_lists(folder: Path) -> None:
    """Words and hosts: a thousand of each that are hardly anywhere, and the few of the funnel."""
    choose = random.Random(1)
    words = {"".join(chr(choose.randrange(0x3041, 0x3097)) for _ in range(choose.randrange(4, 9))) for _ in range(1000)}
    (folder / "words").write_text("\n".join(sorted(words)), encoding="utf-8")
    (folder / "hosts").write_text("\n".join(f"h{number}.example.org" for number in range(1000)), encoding="utf-8")
    (folder / "few-words").write_text("アダルト\nエロ\n", encoding="utf-8")
    (folder / "few-hosts").write_text("example.org\n", encoding="utf-8")


# --- speed ---


def seconds_of(folder: Path, filters: list[dict[str, Any]]) -> tuple[float, int]:
    """The processor's seconds for the steps of a chain, and the bytes of text.

    The steps' seconds are the clock's, on which others may have the processor: what counts is their share.
    """
    chain, summary = configure(folder / "one.conf", filters), folder / "summary.json"
    options = ["--config", chain, "--output", folder / "out", "--summary", summary]
    processor = uzushio("filter", folder / "documents", *options)
    told = json.loads(summary.read_text())
    steps = sum(step["seconds"] for step in told["steps"])
    return processor * steps / told["seconds"], told["input"]["text_bytes"]


def speeds(folder: Path, filters: list[dict[str, Any]]) -> list[float]:
    """MB of text a second, of each round."""
    rounds = [seconds_of(folder, filters) for _ in range(ROUNDS)]
    return [size / seconds / 1e6 for seconds, size in rounds]


def speed_rows(folder: Path, size: int, rows: list[Row]) -> None:
    """Each filter alone, and all metrics."""
    filters: list[dict[str, Any]] = [
        {"class": "SwallowQuality", **LOOSE},
        {"class": "NgWordRatio", "list": str(folder / "words"), "limit": 1e6},
        {"class": "HostFilter", "lists": str(folder / "hosts")},
        *REPAIRS,
    ]
    for one in filters:
        name = one["class"]
        rows.append(row(f"{name} alone", speeds(folder, [one]), "MB/s", target=TARGETS.get(name)))
    options = ["--metric", "Swallow", "--output", folder / "metrics"]
    whole = [size / uzushio("metrics", folder / "documents", *options) / 1e6 for _ in range(ROUNDS)]
    rows.append(row("metrics --metric Swallow, reading and writing too", whole, "MB/s"))


# --- the published code ---


def plain(text: str) -> str:
    """Paragraphs joined by one line break, without paths and link marks."""
    return "\n".join(re.sub("[\x02\x03]", "", part.rpartition("\x1c")[2]) for part in text.split("\n\n"))


def texts_of(folder: Path) -> dict[str, str]:
    """By docId."""
    found = {}
    for path in sorted(folder.rglob("*.parquet")):
        table = pq.ParquetFile(path).read(["docId", "text"])
        for doc_id, text in zip(table["docId"].to_pylist(), table["text"].to_pylist(), strict=True):
            found[doc_id] = plain(text)
    return found


def timed(work: Callable[[str], Any], texts: dict[str, str]) -> tuple[dict[str, Any], float]:
    """What a function makes of each text, and the processor's seconds for all."""
    start = time.process_time()
    made = {doc_id: work(text) for doc_id, text in texts.items()}
    return made, time.process_time() - start


def equal(name: str, ours: float, theirs: float) -> bool:
    """Counts are equal; fractions may be added up in another order."""
    return ours == theirs if name.startswith(("num", "max")) else math.isclose(ours, theirs, rel_tol=1e-12)


def published_rows(folder: Path, checkout: Path, rows: list[Row]) -> None:
    """How much longer the published functions take for the same documents, and how many come out the same."""
    sys.path.insert(0, str(checkout))
    quality, kutoten, footer = (importlib.import_module(name) for name in ("quality", "kutoten", "footer"))
    texts = {doc_id: text for doc_id, text in texts_of(folder / "documents").items() if len(text) >= 4}  # or it raises
    size = sum(len(text.encode()) for text in texts.values())
    told = f"{len(texts)} documents, {size / 1e6:.1f} MB"

    annotated, seconds = timed(lambda text: quality.main({"text": text}), texts)
    theirs = size / seconds / 1e6
    rows.append(row("quality.py", [theirs], "MB/s", input=told))
    ours = next(item for item in rows if item.metric == "SwallowQuality alone")
    ratios = [one / theirs for one in ours.samples]
    rows.append(row("SwallowQuality / quality.py", ratios, "times", target=100, input=told))
    table = pq.read_table(folder / "metrics").to_pylist()
    same = [
        all(equal(name, one[name], value) for name, value in annotated[one["docId"]].items())
        for one in table
        if one["docId"] in texts
    ]
    rows.append(row("… documents of which all metrics are the same", [sum(same) / len(texts)], "", input=told))
    chain = configure(folder / "one.conf", [{"class": "SwallowQuality"}])
    uzushio("filter", folder / "documents", "--config", chain, "--output", folder / "out")
    passed = texts_of(folder / "out").keys()
    agreed = sum(quality.apply_v1(found) == (doc_id in passed) for doc_id, found in annotated.items())
    rows.append(row("… documents decided alike", [agreed / len(texts)], "", input=told))

    repaired, seconds = timed(lambda text: footer.apply(kutoten.normalize(text)[0]), texts)
    theirs = size / seconds / 1e6
    rows.append(row("kutoten.py and footer.py", [theirs], "MB/s", input=told))
    ratios = [one / theirs for one in speeds(folder, REPAIRS)]
    rows.append(row("both repairs / kutoten.py and footer.py", ratios, "times", target=50, input=told))
    left = texts_of(folder / "out")
    alike = sum(left.get(doc_id, "") == text for doc_id, text in repaired.items())
    rows.append(row("… documents repaired alike", [alike / len(texts)], "", input=told))


# --- the funnel ---


def funnel_rows(folder: Path, rows: list[Row]) -> None:
    """Documents and text after each step of the preset, and after minhash."""
    summary = folder / "summary.json"
    lists = ["-P", f"ng_words={folder / 'few-words'}", "-P", f"host_lists={folder / 'few-hosts'}"]
    options = ["--config", PRESET, *lists, "--output", folder / "clean", "--summary", summary]
    uzushio("filter", folder / "documents", *options)
    told = json.loads(summary.read_text())
    documents, text = told["input"]["documents"], told["input"]["text_bytes"]

    def step(name: str) -> None:
        rows.append(row(f"left by {name}: documents", [documents], ""))
        rows.append(row(f"left by {name}: text", [text / 1e6], "MB"))

    step("extract")
    for number, one in enumerate(told["steps"]):
        gone = [item for item in told["removed"] if item["step"] == number]
        documents -= sum(item["documents"] for item in gone)
        text -= sum(item["text_bytes"] for item in gone)
        step(one["filter"])
    documents = told["passed"]["documents"]  # some have nothing left
    uzushio("minhash", folder / "clean", "--skip-verify", "--output", folder / "unique", "--summary", summary)
    unique = json.loads(summary.read_text())
    rows.append(row("left by the chain: documents", [documents], ""))
    rows.append(row("left by minhash: documents", [unique["kept"]], ""))


def main() -> int:
    """Measures and writes the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=PAGES, help="folder of pages")
    parser.add_argument("--published", type=Path, help="checkout of swallow-llm/swallow-corpus")
    options = parser.parse_args()
    pages = sorted(options.data.glob("*.warc.gz"))
    if not pages:
        print("bench swallow: no pages; name a folder by --data or UZUSHIO_REAL_PAGES", file=sys.stderr)
        return 1
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        folder = Path(name)
        write_lists(folder)
        summary = folder / "extracted.json"
        content = ["--main-content", "--mark-boilerplate", "--output", folder / "documents", "--summary", summary]
        uzushio("extract", *pages, *content)
        size = seconds_of(folder, [{"class": "DocLength", "low": 0}])[1]
        speed_rows(folder, size, rows)
        if options.published:
            published_rows(folder, options.published, rows)
        else:
            print("no --published: the published code is not measured", file=sys.stderr)
        funnel_rows(folder, rows)
    write("swallow", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
