"""Scores: classifiers of fastText, probabilities and speed beside the package of Python, on the same real texts.

    ./dev bench scores [--texts N]

fastText trains six models on the texts (bench/scores_train.py); the labels are how much of a text is hiragana, in five
steps. Texts are Japanese pages of the archives in UZUSHIO_REAL_PAGES, and their paragraphs until there are N; models
are trained on the pages. What is measured is the processor's time of scoring pages one after the other, without
loading, in turns with the package.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from report import Row, row, write

ROOT = Path(__file__).resolve().parent.parent
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
OURS = Path(os.environ.get("UZUSHIO_BENCH", ROOT / "build/release")) / "bench_fasttext"
TRAINER = Path(os.environ.get("UZUSHIO_TRAINER", ROOT / "build/scores-venv/bin/python"))
PEER = Path(os.environ.get("UZUSHIO_PEER", ROOT / "build/bench-venv/bin/python"))
PROGRAM = Path(os.environ.get("UZUSHIO_BIN", ROOT / "build/uzushio"))
ROUNDS = 5
MEASURED = 2_000_000  # characters of pages that are scored in a round, and that models are trained on
FASTER = 3
CLOSE = 1e-5


def texts_of_pages(folder: Path, most: int) -> tuple[list[str], list[str]]:
    """The pages, and the paragraphs that are long enough to be text, each once: one line each."""
    archives = [PAGES / f"{name}.warc.gz" for name in ("docs", "web", "legacy", "small")]
    subprocess.run([PROGRAM, "extract", *archives, "--output", folder / "documents", "--quiet"], check=True)
    files = sorted((folder / "documents").rglob("*.parquet"))
    pages = [text for file in files for text in pq.read_table(file, columns=["text"])["text"].to_pylist()]
    plain = ["\n".join(line.rpartition("\x1c")[2] for line in page.split("\n")) for page in pages]
    cleaned = [page.translate({mark: None for mark in range(0x20) if mark != 0x0A}) for page in plain]
    parts = dict.fromkeys(part for page in cleaned for part in page.split("\n") if len(part) >= 4)
    ends = itertools.accumulate(len(page) for page in cleaned)
    lines = [" ".join(page.split("\n")) for page, end in zip(cleaned, ends, strict=True) if end <= MEASURED]
    return lines, [*lines, *parts][:most]


def label_of(text: str) -> int:
    """0 to 4, by hiragana."""
    share = sum("ぁ" <= c <= "ゖ" for c in text) / max(len(text), 1)
    return sum(share > bound for bound in (0.1, 0.25, 0.4, 0.55))


def compare(model: Path, texts: Path) -> tuple[int, float, int]:
    """Texts whose most probable label differs, the largest difference of a probability, and texts."""
    ours = subprocess.run([OURS, model, texts], check=True, capture_output=True, text=True).stdout.splitlines()
    theirs = subprocess.run([PEER, ROOT / "bench/scores_peer.py", model, texts], check=True, capture_output=True)
    labels = ours[0].split()
    others, worst = 0, 0.0
    for line, answer in zip(ours[1:], theirs.stdout.decode().splitlines(), strict=True):
        found = dict(zip(labels, map(float, line.split()), strict=True))
        wanted = json.loads(answer)
        worst = max([worst, *(abs(found[label] - wanted.get(label, 0)) for label in labels)])
        # Of equal probabilities, either may be first.
        others += bool(wanted) and found[max(wanted, key=wanted.__getitem__)] < max(found.values())
    return others, worst, len(ours) - 1


def speeds(command: list[str | Path], model: Path, texts: Path) -> float:
    """MB/s of one round."""
    done = subprocess.run([*command, model, texts, "1"], check=True, capture_output=True, text=True)
    seconds, size = done.stdout.split()
    return float(size) / float(seconds) / 1e6


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=100_000, help="texts whose probabilities are compared (100,000)")
    arguments = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as temporary:
        folder = Path(temporary)
        pages, texts = texts_of_pages(folder, arguments.texts)
        labelled, some, all_texts = folder / "labelled.txt", folder / "pages", folder / "texts"
        labelled.write_text("".join(f"__label__{label_of(page)} {page}\n" for page in pages), encoding="utf-8")
        some.write_bytes(b"".join(page.encode() + b"\0" for page in pages))
        all_texts.write_bytes(b"".join(text.encode() + b"\0" for text in texts))
        what = f"{len(pages)} pages, {some.stat().st_size / 1e6:.1f} MB"
        trained = subprocess.run(
            [TRAINER, ROOT / "bench/scores_train.py", labelled, folder], check=True, capture_output=True, text=True
        )
        for line in trained.stdout.splitlines():
            file, name = line.split("\t")
            model = folder / file
            others, worst, count = compare(model, all_texts)
            rows.append(row(f"other labels, {name}", [others], f"of {count}", target=0, better="lower"))
            rows.append(row(f"largest difference / 1e-5, {name}", [worst / CLOSE], "", target=1, better="lower"))
            mine, peers = [], []
            for _ in range(ROUNDS):
                mine.append(speeds([OURS], model, some))
                peers.append(speeds([PEER, ROOT / "bench/scores_peer.py"], model, some))
            rows.append(row(f"Uzushio, {name}", mine, "MB/s", input=what))
            rows.append(row(f"fasttext-predict, {name}", peers, "MB/s", input=what))
            ratios = [one / other for one, other in zip(mine, peers, strict=True)]
            rows.append(row(f"times as fast, {name}", ratios, "", target=FASTER, input=what))
    write("scores", rows)


main()
