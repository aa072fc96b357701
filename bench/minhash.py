"""Measures `uzushio minhash`: how surely it finds duplicates, its speed, and the whole job next to others.

Documents are those of the real pages that UZUSHIO_REAL_PAGES names (default: `../shared/data`). The truth about them is
all pairs with a Jaccard index of .5 or more, of sets of 5-grams of characters. UZUSHIO_DOUBRI names a doubri-minhash;
without it, that row is left out. --large: 10^6 documents, too. --edits: of all this, what compares texts by edits only,
on 1,000 of the documents. --contained: bench/minhash_contained.py instead.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse
from process import Cost, measured
from report import ROOT, Row, row, write

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
RELEASE = ROOT / "build" / "release"
PEERS = Path(__file__).parent / "minhash_peers.py"
BUCKETS, VALUES = 40, 20
Pairs = dict[tuple[int, int], float]


def uzushio(*arguments: object) -> Cost:
    """Runs the program."""
    return measured([RELEASE / "uzushio", *arguments, "--quiet", "--overwrite"])


# --- how surely pairs are found ---


def detection_rows(folder: Path, rows: list[Row]) -> None:
    """Pairs of a known Jaccard index: the share that is found, and what the formula says."""
    choose, size, pairs = random.Random(1), 400, 1500
    texts: list[str] = []
    kinds: list[float] = []
    for percent in (50, 60, 70, 75, 80, 85, 88, 90, 92, 95):
        # Two texts of n grams, the first k of which are the same: k / (2 n - k).
        n = size - 4
        common = round(2 * n * percent / (100 + percent))
        kinds.append(common / (2 * n - common))
        for _ in range(pairs):
            text = [chr(0x4E00 + choose.randrange(20000)) for _ in range(2 * size)]
            texts += ["".join(text[:size]), "".join(text[: common + 4] + text[size : 2 * size - common - 4])]
    pq.write_table(pa.table({"docId": pa.array(range(len(texts))), "text": texts}), folder / "pairs.parquet")
    uzushio("minhash", folder / "pairs.parquet", "--output", folder / "pairs", "--keep", "first", "--skip-verify")
    gone = {int(one) for one in removed(folder / "pairs")}
    for kind, similarity in enumerate(kinds):
        first = 2 * pairs * kind
        found = sum(at in gone for at in range(first + 1, first + 2 * pairs, 2)) / pairs
        formula = 1 - (1 - similarity**VALUES) ** BUCKETS
        deviation = (formula * (1 - formula) / pairs) ** 0.5
        name = f"pairs of {similarity:.3f} found, less the formula's {formula:.4f}"
        rows.append(row(name, [found - formula], "", input=f"{pairs} pairs, standard deviation {deviation:.4f}"))
        rows.append(
            row(
                f"… in standard deviations, at {similarity:.3f}",
                [abs(found - formula) / max(deviation, 1 / pairs)],
                "",
                target=3.5,
                better="lower",
            )
        )


def removed(folder: Path) -> list[str]:
    """Ids of duplicates."""
    files = sorted((folder / ".uzushio/duplicates").glob("*.pq"))
    return [one for path in files for one in pq.ParquetFile(path).read(["docId"])["docId"].to_pylist()]


# --- real documents ---


def plain(text: str) -> str:
    """Paragraphs joined by one line end, without paths and link marks."""
    parts = (re.sub("[\x02\x03]", "", part.rpartition("\x1c")[2]) for part in text.split("\n\n"))
    return "\n".join(part for part in parts if part)


def gram_hashes(text: str) -> Any:
    """The set of 5-grams of characters, as 64-bit numbers in order."""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64)
    if len(points) < 5:
        return np.array([hash(text) & (2**64 - 1)], np.uint64)
    h = np.zeros(len(points) - 4, np.uint64)
    for i in range(5):
        h = (h ^ points[i : len(points) - 4 + i]) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    return np.unique(h)


def true_pairs(texts: list[str]) -> Pairs:
    """All pairs of .8 or more, exactly, and nearly all from .5 on.

    Of large sets, pairs are looked at when an eighth of their grams says .3 or more, which is .5 less four standard
    deviations at least.
    """
    sets = [gram_hashes(text) for text in texts]
    small = [at for at, one in enumerate(sets) if len(one) < 4000]
    large = [at for at, one in enumerate(sets) if len(one) >= 2000]
    pairs = near(sets, [sets[at] for at in small], small)
    pairs.update(near(sets, [sets[at][sets[at] % np.uint64(8) == 0] for at in large], large))
    return pairs


def near(sets: list[Any], some: list[Any], places: list[int]) -> Pairs:
    """Of documents at `places`, of whose grams `some` are known: the pairs, exactly."""
    grams, columns = np.unique(np.concatenate(some), return_inverse=True)
    ends = np.cumsum([0] + [len(one) for one in some])
    matrix = scipy.sparse.csr_matrix((np.ones(len(columns), np.int32), columns, ends), (len(some), len(grams)))
    sizes = np.diff(ends)
    turned = matrix.T.tocsr()
    pairs: Pairs = {}
    for first in range(0, len(some), 250):
        product = (matrix[first : first + 250] @ turned).tocoo()
        a, b, both = product.row + first, product.col, product.data
        likely = (a < b) & (both > 0.3 * (sizes[a] + sizes[b] - both))
        for i, j in zip(a[likely], b[likely], strict=True):
            x, y = sets[places[i]], sets[places[j]]
            if min(len(x), len(y)) < 0.5 * max(len(x), len(y)):
                continue
            common = len(np.intersect1d(x, y, assume_unique=True))
            similarity = common / (len(x) + len(y) - common)
            if similarity >= 0.5:
                pairs[places[i], places[j]] = similarity
    return pairs


def quality(gone: set[int], pairs: Pairs) -> tuple[float, float, float]:
    """Of documents with an earlier one of .9 or more, how many went; of those that went, who has one of .8, of .9."""
    wanted = {max(pair) for pair, similarity in pairs.items() if similarity >= 0.9}
    with_80 = {one for pair, similarity in pairs.items() if similarity >= 0.8 for one in pair}
    with_90 = {one for pair, similarity in pairs.items() if similarity >= 0.9 for one in pair}
    many = max(1, len(gone))
    return len(wanted & gone) / len(wanted), len(gone & with_80) / many, len(gone & with_90) / many


PARTS = 3


def parts_rows(folder: Path, texts: list[str], pairs: Pairs, rows: list[Row]) -> None:
    """The same documents in parts beside each other: sharing a bucket, and texts compared at .9 and .8."""
    table = pq.ParquetFile(folder / "documents" / "a.parquet").read()
    for part in range(PARTS):
        some = table.take(list(range(part, len(texts), PARTS)))
        pq.write_table(some, folder / f"part{part}.parquet", row_group_size=1000)
    order = sorted(range(len(texts)), key=lambda at: (-len(texts[at]), at))  # --keep longest
    height = {at: place for place, at in enumerate(order)}
    costs: dict[str, tuple[float, float]] = {}
    for name, options in (
        ("--skip-verify", ["--skip-verify"]),
        ("--verify 0.9", []),
        ("--verify 0.8", ["--verify", "0.8"]),
    ):
        common = ["--keep", "longest", "--threads", 1, *options]
        seconds, size = 0.0, 0
        for part in range(PARTS):
            documents, index = folder / f"part{part}.parquet", folder / f"index{part}"
            seconds += uzushio("minhash", documents, "--output", index, "--index-only", *common).processor
            size += sum(file.stat().st_size for file in (index / ".uzushio/minhash").iterdir())
        gone: set[int] = set()
        for part in range(PARTS):
            beside = [f"--beside={folder / f'index{other}'}" for other in range(PARTS) if other != part]
            out = ["--output", folder / "part"]
            seconds += uzushio("minhash", folder / f"part{part}.parquet", *out, *common, *beside).processor
            gone |= {int(one) for one in removed(folder / "part")}
        costs[name] = (seconds, size / len(texts))
        title = f"{PARTS} parts {name}".strip()
        rows.append(row(f"{title}: processor", [seconds], "s"))
        rows.append(row(f"{title}: index", [size / len(texts)], "bytes a document"))
        for least in (0.9, 0.8):
            near_ones = [pair for pair, similarity in pairs.items() if similarity >= least]
            wanted = {max(pair, key=height.__getitem__) for pair in near_ones}
            # Of those that went, who has one of this similarity that stands higher.
            recall, precision = len(wanted & gone) / len(wanted), len(wanted & gone) / max(1, len(gone))
            is_asked = name.endswith(str(least))
            rows.append(
                row(
                    f"{title}: recall at {least}",
                    [recall],
                    "",
                    target=0.99 if name == "--verify 0.9" and is_asked else None,
                )
            )
            rows.append(row(f"{title}: precision at {least}", [precision], "", target=0.995 if is_asked else None))
    ratio = costs["--verify 0.9"][0] / costs["--skip-verify"][0]
    rows.append(row(f"{PARTS} parts: processor / with --skip-verify", [ratio], "times", target=1.6, better="lower"))


def job_rows(name: str, cost: Cost, found: tuple[float, float, float], rows: list[Row]) -> None:
    """A program's line of the table."""
    rows.append(row(f"{name}: whole job", [cost.seconds], "s"))
    rows.append(row(f"{name}: processor", [cost.processor], "s"))
    rows.append(row(f"{name}: peak memory", [cost.memory], "MiB"))
    for title, value in zip(("recall at .9", "precision at .8", "precision at .9"), found, strict=True):
        rows.append(row(f"{name}: {title}", [value], ""))


def quality_rows(folder: Path, rows: list[Row]) -> None:
    """Recall and precision on real documents, and the whole job next to others."""
    uzushio(
        "extract", *sorted(PAGES.glob("*.warc.gz")), "--language=all", "--text=original", "--output", folder / "pages"
    )
    files = sorted((folder / "pages").rglob("*.parquet"))
    texts = [plain(text) for file in files for text in pq.ParquetFile(file).read(["text"])["text"].to_pylist()]
    (folder / "documents").mkdir()
    table = pa.table({"docId": [f"{at:08}" for at in range(len(texts))], "text": texts})
    pq.write_table(table, folder / "documents" / "a.parquet", row_group_size=1000)
    start = time.monotonic()
    pairs = true_pairs(texts)
    print(
        f"{len(texts)} documents, {len(pairs)} pairs of .5 or more, in {time.monotonic() - start:.0f} s",
        file=sys.stderr,
    )
    for name, options in (("uzushio --skip-verify", ["--skip-verify"]), ("uzushio", [])):
        out = folder / "unique"
        arguments = ["minhash", folder / "documents", "--output", out, "--keep", "first", "--threads", 1, *options]
        cost = min(uzushio(*arguments) for _ in range(3))
        found = quality({int(one) for one in removed(out)}, pairs)
        job_rows(name, cost, found, rows)
        rows[-3].target, rows[-1].target = 0.99, None if options else 1.0
        for one in (rows[-3], rows[-1]):
            one.holds = None if one.target is None else one.value >= one.target
    parts_rows(folder, texts, pairs, rows)
    formula = [1 - (1 - s**VALUES) ** BUCKETS for s in pairs.values() if s >= 0.9]
    rows.append(row("pairs of .9 or more: the formula's mean", [float(np.mean(formula))], "", input=f"{len(formula)}"))
    for peer in ("text-dedup", "datatrove"):
        out = folder / f"{peer}.json"
        cost = measured([sys.executable, PEERS, peer, folder / "documents" / "a.parquet", out, 40, 20])
        job_rows(peer, cost, quality(set(json.loads(out.read_text())), pairs), rows)


# --- documents that are compared by edits ---


def edit_rows(folder: Path, rows: list[Row]) -> None:
    """150 buckets of 15 values, n-grams and edits of .8, next to others with these buckets, who compare nothing."""
    uzushio(
        "extract", *sorted(PAGES.glob("*.warc.gz")), "--language=all", "--text=original", "--output", folder / "pages"
    )
    files = sorted((folder / "pages").rglob("*.parquet"))
    texts = [plain(text) for file in files for text in pq.ParquetFile(file).read(["text"])["text"].to_pylist()]
    texts = random.Random(4).sample(texts, 1000)
    table = pa.table({"docId": [f"{at:08}" for at in range(len(texts))], "text": texts})
    documents = folder / "few.parquet"
    pq.write_table(table, documents)
    pairs = [pair for pair, similarity in true_pairs(texts).items() if similarity >= 0.8]
    near_ones, near_all = {max(pair) for pair in pairs}, {one for pair in pairs for one in pair}
    dictionary = Path(next(iter(importlib.import_module("sudachidict_core").__path__))) / "resources" / "system.dic"

    def add(name: str, cost: Cost, gone: set[int]) -> None:
        for title, value, unit in (("processor", cost.processor, "s"), ("peak memory", cost.memory, "MiB")):
            rows.append(row(f"{name}: {title}", [value], unit, input=f"{sum(map(len, texts))} characters"))
        rows.append(row(f"{name}: documents that went", [len(gone)], ""))
        rows.append(row(f"{name}: recall at .8", [len(gone & near_ones) / len(near_ones)], ""))
        rows.append(row(f"{name}: precision at .8", [len(gone & near_all) / max(1, len(gone))], ""))

    for name, options in (
        ("n-grams alone", ["--skip-edit-similarity"]),
        ("n-grams and edits", ["--edit-similarity", "0.8"]),
        ("of Sudachi's tokens", ["--tokens", "sudachi-C", "--sudachi", dictionary]),
    ):
        cost = uzushio("minhash", documents, "--output", folder / "unique", "--threads", 1, *options)
        add(f"uzushio, {name}", cost, {int(one) for one in removed(folder / "unique")})
    for peer in ("text-dedup", "datatrove"):
        out = folder / f"{peer}.json"
        command = ["timeout", 600, sys.executable, PEERS, peer, documents, out, 150, 15]
        try:
            cost = measured(command)
        except subprocess.CalledProcessError as error:
            print(f"{peer} is left out: it ended with {error.returncode} (124: not within 600 s)", file=sys.stderr)
            continue
        add(peer, cost, set(json.loads(out.read_text())))


# --- signatures ---


def speed_rows(folder: Path, rows: list[Row]) -> None:
    """One core's signatures, next to datasketch's of 112 values and doubri's of 800."""
    table = pq.ParquetFile(folder / "documents" / "a.parquet").read(["text"])["text"].to_pylist()
    texts = [text for text in table if re.search("[ぁ-ん]", text)]
    with (folder / "texts.bin").open("wb") as file:
        for text in texts:
            data = text.encode()
            file.write(len(data).to_bytes(8, "little") + data)
    done = subprocess.run(
        [RELEASE / "bench_signatures", folder / "texts.bin", "5"], check=True, capture_output=True, text=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    ours = sorted(int(size) / float(seconds) / 1e6 for seconds, size in lines)
    rows.append(row("signatures", ours, "MB/s"))
    few = random.Random(2).sample(texts, len(texts) // 40)
    size = sum(len(text.encode()) for text in few)
    (folder / "few.json").write_text(json.dumps(few))
    measured([sys.executable, PEERS, "datasketch", folder / "few.json", folder / "seconds.json"])
    theirs = size / json.loads((folder / "seconds.json").read_text()) / 1e6
    rows.append(row("datasketch, 112 values", [theirs], "MB/s"))
    rows.append(row("signatures / datasketch's", [one / theirs for one in ours], "times", target=8))
    doubri = os.environ.get("UZUSHIO_DOUBRI")
    if not doubri:
        print("UZUSHIO_DOUBRI is not set: doubri is not measured", file=sys.stderr)
        return
    lines_of_json = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in few)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([doubri, "-q", str(folder / "few.mh")], input=lines_of_json, text=True, check=True)
    theirs = size / (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) / 1e6
    rows.append(row("doubri-minhash, 800 values", [theirs], "MB/s"))
    rows.append(row("signatures / doubri's", [one / theirs for one in ours], "times", target=10))


def large_rows(folder: Path, rows: list[Row]) -> None:
    """10^6 documents of some 200 characters, a third of which are nearly others, within 512 MiB."""
    choose, count = random.Random(3), 1_000_000
    real = "\n".join(pq.ParquetFile(folder / "documents" / "a.parquet").read(["text"])["text"].to_pylist())
    schema = pa.schema([("docId", pa.int64()), ("text", pa.string())])
    before: list[str] = []
    with pq.ParquetWriter(folder / "large.parquet", schema) as writer:
        for first in range(0, count, 10_000):
            texts = []
            for _ in range(10_000):
                if before and choose.random() < 1 / 3:
                    text = before[choose.randrange(len(before))]
                    at = choose.randrange(len(text))
                    text = text[:at] + "改" + text[at + 1 :]
                else:
                    at = choose.randrange(len(real) - 400)
                    text = real[at : at + choose.randrange(100, 300)]
                texts.append(text)
            before = (before + texts)[-50_000:]
            writer.write_table(
                pa.table({"docId": pa.array(range(first, first + 10_000)), "text": texts}, schema=schema)
            )
    for threads in (1, 2):
        summary = folder / "summary.json"
        options = ["--keep", "first", "--skip-verify", "--memory", "512MiB", "--threads", threads, "--summary", summary]
        cost = uzushio("minhash", folder / "large.parquet", "--output", folder / "large", *options)
        counts = json.loads(summary.read_text())
        more = {"threads": threads, "input": f"{counts['text_bytes'] / 1e6:.0f} MB of text"}
        rows.append(row("10^6 documents", [cost.seconds], "s", **more))
        rows.append(row("… peak memory at 512MiB", [cost.memory], "MiB", target=563, better="lower", **more))
        rows.append(row("… spilled", [counts["spilled_bytes"] / 1e6], "MB", **more))
        rows.append(row("… duplicates", [counts["duplicates"]], "", **more))


def main() -> None:
    """Measures and writes the rows."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        folder = Path(name)
        if "--edits" in sys.argv:
            edit_rows(folder, rows)
            write("minhash-edits", rows)
            return
        if "--contained" in sys.argv:
            importlib.import_module("minhash_contained").rows_of(folder, rows)
            write("minhash-contained", rows)
            return
        detection_rows(folder, rows)
        quality_rows(folder, rows)
        speed_rows(folder, rows)
        if "--large" in sys.argv:
            large_rows(folder, rows)
    write("minhash", rows)


if __name__ == "__main__":
    main()
