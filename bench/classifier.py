"""Classifiers of static embeddings: the filter Classifier beside model2vec and LightGBM, on the same real texts.

    ./dev bench classifier [--texts N]

Vectors are random, of tokenizers that are trained on the texts; trees are trained by LightGBM on them, of each kind of
objective (bench/classifier_peer.py, in an environment of its own). Then the speed of models of the size of published
ones, in processor time, in turns (bench_classifier). Texts are Japanese pages of the archives in
UZUSHIO_REAL_PAGES, but for those above 64 KiB, which the filter cuts into tokens in parts.

Then the filter Onnx beside a loop of ONNX Runtime's Python (bench/onnx_peer.py, bench_onnx), on the first of these
pages: transformers of random weights, whole documents and sentences.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from report import Row, row, write

ROOT = Path(__file__).resolve().parent.parent
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
PEER = Path(os.environ.get("UZUSHIO_CLASSIFIER_PEER", ROOT / "build/classifier-venv/bin/python"))
PROGRAM = Path(os.environ.get("UZUSHIO_BIN", ROOT / "build/uzushio"))
OURS = Path(os.environ.get("UZUSHIO_BENCH", ROOT / "build/release")) / "bench_classifier"
OURS_ONNX = OURS.with_name("bench_onnx")
ROUNDS = 5
CLOSE = 1e-5
MOST = 64 << 10
MOST_ONNX = 30


def write_texts(folder: Path, most: int) -> Path:
    """Pages, each a line without the marks of paragraphs, as documents."""
    archives = [PAGES / f"{name}.warc.gz" for name in ("docs", "web", "legacy", "small")]
    subprocess.run([PROGRAM, "extract", *archives, "--output", folder / "documents", "--quiet"], check=True)
    files = sorted((folder / "documents").rglob("*.parquet"))
    pages = [text for file in files for text in pq.read_table(file, columns=["text"])["text"].to_pylist()]
    plain = [" ".join(line.rpartition("\x1c")[2] for line in page.split("\n") if line) for page in pages]
    cleaned = [" ".join("".join(c for c in page if c >= " ").split(" ")) for page in plain]
    distinct = dict.fromkeys(" ".join(page.split()) for page in cleaned)
    texts = [text for text in distinct if 0 < len(text.encode()) <= MOST][:most]
    lines = [json.dumps({"docId": str(number), "text": text}) for number, text in enumerate(texts)]
    path = folder / "texts.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def scores(
    folder: Path, texts: Path, filters: list[dict[str, Any]], name_of_class: str = "Classifier"
) -> list[list[float]]:
    """The metrics of filters."""
    chain = [{"class": name_of_class, **one} for one in filters]
    (folder / "chain.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
    output = folder / "metrics"
    options = ["--config", str(folder / "chain.conf"), "--output", str(output), "--overwrite", "--quiet"]
    subprocess.run([str(PROGRAM), "metrics", str(texts), *options], check=True)
    table = pq.read_table(output / "metrics.parquet")
    return [table[name].to_pylist() for name in table.column_names if name.startswith(name_of_class)]


def speed(command: list[str | Path], folder: Path, texts: Path, *more: str) -> float:
    """MB/s of one round."""
    done = subprocess.run([*command, folder, texts, *more, "1"], check=True, capture_output=True, text=True)
    seconds, size = done.stdout.split()
    return float(size) / float(seconds) / 1e6


def differences(folder: Path, texts: Path) -> list[Row]:
    """Of the filter's scores and those of the packages."""
    rows: list[Row] = []
    peer: list[str | Path] = [PEER, ROOT / "bench/classifier_peer.py", "compare", texts, folder]
    made = subprocess.run(peer, check=True, capture_output=True, text=True).stdout.splitlines()
    for line in made:
        told = json.loads(line)
        outputs = len(told["predicted"][0])
        given = [{**told["filter"], "output": i if outputs > 1 else -1} for i in range(outputs)]
        columns = scores(folder, texts, given)
        pairs = [
            (a, one[i]) for i, column in enumerate(columns) for a, one in zip(column, told["predicted"], strict=True)
        ]
        # Outputs of regressions are of any size.
        worst = max(abs(a - b) / max(1, abs(b)) for a, b in pairs)
        count = f"of {len(pairs)}"
        name = f"{told['vectors']}; {told['head']}"
        rows.append(row(f"largest difference / 1e-5, {name}", [worst / CLOSE], count, target=1, better="lower"))
    return rows


def speeds(folder: Path, texts: Path) -> list[Row]:
    """Of the filter's parts and of the packages, in turns."""
    rows: list[Row] = []
    lines = texts.read_text(encoding="utf-8").splitlines()
    ended = folder / "texts"
    ended.write_bytes(b"".join(json.loads(line)["text"].encode() + b"\0" for line in lines))
    what = f"{len(lines)} pages, {ended.stat().st_size / 1e6:.1f} MB"
    peer: list[str | Path] = [PEER, ROOT / "bench/classifier_peer.py"]
    made = subprocess.run([*peer, "make", texts, folder], check=True, capture_output=True, text=True)
    for line in made.stdout.splitlines():
        model, name = line.split("\t")
        mine, peers = [], []
        for _ in range(ROUNDS):
            mine.append(speed([OURS], folder / model, ended))
            peers.append(speed([*peer, "time"], folder / model, ended))
        rows.append(row(f"Uzushio, {name}", mine, "MB/s", input=what))
        rows.append(row(f"model2vec and LightGBM, {name}", peers, "MB/s", input=what))
        ratios = [one / other for one, other in zip(mine, peers, strict=True)]
        rows.append(row(f"times as fast, {name}", ratios, "", target=1, input=what))
    return rows


def onnx(folder: Path, texts: Path) -> list[Row]:
    """Differences of logits, and speeds in turns."""
    rows: list[Row] = []
    few = folder / "few.jsonl"
    lines = texts.read_text(encoding="utf-8").splitlines()[:MOST_ONNX]
    few.write_text("\n".join(lines), encoding="utf-8")
    ended = folder / "few"
    plain = [json.loads(line)["text"].replace("。", "。\n") for line in lines]  # paragraphs: sentences
    ended.write_bytes(b"".join(text.encode() + b"\0" for text in plain))
    what = f"{len(lines)} pages, {ended.stat().st_size / 1e3:.0f} kB"
    peer: list[str | Path] = [PEER, ROOT / "bench/onnx_peer.py"]
    made = subprocess.run([*peer, "make", few, folder], check=True, capture_output=True, text=True)
    library, *models = made.stdout.splitlines()
    for line in models:
        model, name = line.split("\t")
        said = subprocess.run([*peer, "score", folder / model, few], check=True, capture_output=True, text=True)
        given = {"model": str(folder / model / "model.onnx"), "tokenizer": str(folder / model / "tokenizer.json")}
        given |= {"library": library, "activation": "none"}
        found = scores(folder, few, [{**given, "output": 0}], "Onnx")[0]
        worst = max(abs(a - b) / max(1, abs(b)) for a, b in zip(found, json.loads(said.stdout), strict=True))
        rows.append(row(f"largest difference / 1e-5, {name}", [worst / CLOSE], what, target=1, better="lower"))
        for unit in ("document", "paragraph"):
            mine, peers = [], []
            for _ in range(ROUNDS):
                mine.append(speed([OURS_ONNX, library], folder / model, ended, unit))
                peers.append(speed([*peer, "time"], folder / model, ended, unit))
            rows.append(row(f"Uzushio, {name}, {unit}", mine, "MB/s", input=what))
            rows.append(row(f"ONNX Runtime in Python, {name}, {unit}", peers, "MB/s", input=what))
            ratios = [one / other for one, other in zip(mine, peers, strict=True)]
            rows.append(row(f"times as fast, {name}, {unit}", ratios, "", target=1, input=what))
    return rows


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only-onnx", action="store_true", help="transformers in ONNX alone")
    parser.add_argument("--texts", type=int, default=1000, help="texts whose scores are compared (1,000)")
    arguments = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as temporary:
        folder = Path(temporary)
        texts = write_texts(folder, arguments.texts)
        rows += onnx(folder, texts)
        if not arguments.only_onnx:
            rows += differences(folder, texts) + speeds(folder, texts)
    write("classifier", rows)


main()
