"""Personal data: F1 of each kind beside HojiChar's, datatrove's and dolma's, on pages and on made-up sentences; speed.

    ./dev bench personal-data [--checkouts FOLDER]

Pages: the lines of bench/personal_data_gold.jsonl, of checkouts of the repositories that it names and of the real
pages. The filter was tuned on all of them, and the gold began as what it finds, corrected by reading that and what
broader patterns find: the figures say what is known to be wrong, not how it does on pages that nobody has looked at.
A piece is found where one of its kind covers at least half of what both cover.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from personal_data_made import sentences
from personal_data_texts import digest, lines_of_checkouts, lines_of_pages, read_gold
from report import Row, row, write

ROOT = Path(__file__).resolve().parent.parent
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
FINDER = ROOT / "build/release/bench_personal_data"
PEERS = {"HojiChar": "personal-venv", "datatrove": "personal-venv", "dolma": "dolma-venv"}
STRICT = {"telephone": 0.99, "email": 0.99, "card": 0.99}
TARGET = 0.97

Piece = tuple[int, int, str]


def found_by_us(texts: list[str], folder: Path) -> list[list[Piece]]:
    """Places in characters."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    (folder / "texts").write_bytes(b"".join(text + b"\0" for text in encoded))
    pieces: list[list[Piece]] = [[] for _ in texts]
    lines = subprocess.run([FINDER, folder / "texts"], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        number, begin, end, kind = line.split()
        data = encoded[int(number)]
        places = [len(data[: int(at)].decode()) for at in (begin, end)]
        pieces[int(number)].append((places[0], places[1], kind))
    return pieces


def found_by_peer(name: str, texts: list[str]) -> list[list[Piece]] | None:
    """None where it is not installed."""
    python = ROOT / "build" / PEERS[name] / "bin/python"
    if not python.exists():
        return None
    command: list[str | Path] = [python, ROOT / "bench/personal_data_peers.py", name.lower()]
    run = subprocess.run(command, check=True, input=json.dumps(texts), capture_output=True, text=True)
    found = json.loads(run.stdout[run.stdout.index("[[") :])  # behind what a library may have printed
    return [[(begin, end, kind) for begin, end, kind in pieces] for pieces in found]


def same(one: Piece, other: Piece) -> bool:
    """One kind, and half of what both cover."""
    both = min(one[1], other[1]) - max(one[0], other[0])
    return one[2] == other[2] and both * 2 >= max(one[1], other[1]) - min(one[0], other[0])


def count(
    found: list[list[Piece]], gold: list[list[Piece]], ignored: list[list[tuple[int, int]]]
) -> dict[str, list[int]]:
    """By kind: right ones, found ones, those of the gold."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for pieces, wanted, either in zip(found, gold, ignored, strict=True):
        for piece in wanted:
            counts[piece[2]][2] += 1
            counts[piece[2]][0] += any(same(piece, other) for other in pieces)
        for piece in pieces:
            right = any(same(piece, other) for other in wanted)
            if right or not any(piece[0] < end and piece[1] > begin for begin, end in either):
                counts[piece[2]][1] += 1
    return counts


def table(name: str, corpus: str, counts: dict[str, list[int]], rows: list[Row]) -> None:
    """Rows of F1."""
    for kind, (right, found, wanted) in sorted(counts.items()):
        if not wanted or (name != "Uzushio" and not found):
            continue  # not a kind of this one
        f1 = 2 * min(right, found) / (found + wanted)
        precision = min(right, found) / max(found, 1)
        label = f"{corpus}: {kind}, {name}: precision {precision:.3f}, recall {right / wanted:.3f}, n {wanted}"
        target = STRICT.get(kind, TARGET) if name == "Uzushio" else None
        rows.append(row(f"F1, {label}", [f1], "", target=target))


def judge(
    corpus: str,
    texts: list[str],
    gold: list[list[Piece]],
    ignored: list[list[tuple[int, int]]],
    folder: Path,
    rows: list[Row],
) -> None:
    """Ours and the peers'."""
    table("Uzushio", corpus, count(found_by_us(texts, folder), gold, ignored), rows)
    for name in PEERS:
        pieces = found_by_peer(name, texts)
        if pieces is not None:
            table(name, corpus, count(pieces, gold, ignored), rows)


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--checkouts", type=Path, help="a folder with checkouts of the repositories that the gold names"
    )
    arguments = parser.parse_args()
    gold = read_gold(ROOT / "bench/personal_data_gold.jsonl")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as temporary:
        folder = Path(temporary)
        lines: dict[str, str] = {}
        every: list[str] = []
        if arguments.checkouts:
            uris = sorted({entry["uri"] for entry in gold.values() if entry["uri"].startswith("github:")})
            for _, line in lines_of_checkouts(uris, arguments.checkouts):
                lines.setdefault(digest(line), line)
        if (PAGES / "docs.warc.gz").exists():
            for _, line in lines_of_pages(PAGES, folder):
                every.append(line)
                lines.setdefault(digest(line), line)
        keys = [key for key in gold if key in lines]
        print(f"{len(keys)} of {len(gold)} lines are there")
        pieces = [[(b, b + n, k) for b, n, k in gold[key]["pieces"]] for key in keys]
        ignored = [[(entry[0], entry[0] + entry[1]) for entry in gold[key]["ignored"]] for key in keys]
        judge("pages, tuned on", [lines[key] for key in keys], pieces, ignored, folder, rows)
        made = sentences(1, 200)
        judge("made", [text for text, _ in made], [pieces for _, pieces in made], [[] for _ in made], folder, rows)
        if every:
            kana = [line for line in every if any("ぁ" <= c <= "ヶ" for c in line)]
            texts = ["\n".join(kana[i : i + 40]) for i in range(0, len(kana), 40)]
            (folder / "texts").write_bytes(b"".join(text.encode() + b"\0" for text in texts))
            run = subprocess.run([FINDER, folder / "texts", "7"], check=True, capture_output=True, text=True).stdout
            speeds = [
                int(size) / float(seconds) / 1e6 for seconds, size, _ in (line.split() for line in run.splitlines())
            ]
            rows.append(row("finding, Japanese lines of real pages", speeds, "MB/s", target=200))
    write("personal-data", rows)


if __name__ == "__main__":
    main()
