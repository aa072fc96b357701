"""Measures `uzushio minhash --contained`: how surely contained documents are found, and what that takes.

Documents are real pages, without near-duplicates, and such as are put in: passages of pages with another head and tail
or with characters changed, and pages inside of others. The truth about them is all pairs of documents, by sets of
5-grams. Run by `./dev bench minhash --contained`.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from minhash import PAGES, gram_hashes, plain, uzushio
from report import Row, row

LEAST = 0.9
LENGTHS = (50, 100, 200, 300, 500, 1000)
OF_EACH = 150


def without_marks(text: str) -> str:
    """A plain text that is compared as it is."""
    return re.sub("\n+", "\n", re.sub("[\x00-\x08\x0b-\x1f]", "", plain(text))).strip("\n")


def passages(texts: list[str]) -> list[tuple[str, str]]:
    """Documents to put in, with their kinds; of a few, more than a tenth is another's."""
    choose = random.Random(1)
    long = [text for text in texts if len(text) >= 1500]
    made = []
    for length in LENGTHS:
        for _ in range(OF_EACH):
            page, other = choose.choice(long), choose.choice(long)
            at, cut = choose.randrange(len(page) - length), choose.randrange(length // 10)
            part, head = page[at : at + length], choose.randrange(cut + 1)
            made.append(
                ("head and tail", other[:head] + part[head : length - (cut - head)] + other[100 : 100 + cut - head])
            )
            letters = list(part)
            for _ in range(max(length // 60, 1)):
                letters[choose.randrange(length)] = chr(0x4E00 + choose.randrange(5000))
            made.append(("characters", "".join(letters)))
    for _ in range(3 * OF_EACH):
        page, article = choose.choice(long), choose.choice(texts)
        at = choose.randrange(len(page))
        made.append(("quotes another", page[:at] + article + page[at:]))
    return made


def containers_of(texts: list[str]) -> dict[int, set[int]]:
    """Of each document that is contained in longer ones, all of these.

    One of any tenth of its n-grams, and one more, is in a container: the rarest ones are looked up.
    """
    sets = [gram_hashes(text) for text in texts]
    sizes, lengths = np.array([len(one) for one in sets]), np.array([len(text) for text in texts])
    grams, places = np.unique(np.concatenate(sets), return_inverse=True)
    order = np.argsort(places, kind="stable")
    owners, starts = (
        np.repeat(np.arange(len(sets)), sizes)[order],
        np.searchsorted(places[order], np.arange(len(grams) + 1)),
    )
    found: dict[int, set[int]] = {}
    end = 0
    for at, own in enumerate(sets):
        mine, end = places[end : end + len(own)], end + len(own)
        rare = mine[np.argsort(starts[mine + 1] - starts[mine], kind="stable")][: len(own) - int(LEAST * len(own)) + 1]
        others = np.unique(np.concatenate([owners[starts[gram] : starts[gram + 1]] for gram in rare]))
        for other in others[(lengths[others] > lengths[at]) | ((lengths[others] == lengths[at]) & (others < at))]:
            there = sets[other]
            share = np.mean(there[np.minimum(np.searchsorted(there, own), len(there) - 1)] == own)
            if share >= LEAST:
                found.setdefault(at, set()).add(int(other))
    return found


def rows_of(folder: Path, rows: list[Row]) -> None:
    """Recall by kind and length, precision, seconds of the processor with and without."""
    for name in ("docs", "legacy", "web", "small"):
        uzushio("extract", PAGES / f"{name}.warc.gz", "--output", folder / "documents" / name)
    uzushio("minhash", folder / "documents", "--output", folder / "unique")
    table = pa.concat_tables(
        [pq.read_table(path, columns=["text"]) for path in sorted((folder / "unique").glob("*.parquet"))]
    )
    texts = [without_marks(text) for text in table["text"].to_pylist()]
    made = passages(texts)
    kinds = ["real pages"] * len(texts) + [kind for kind, _ in made]
    texts += [without_marks(text) for _, text in made]
    names = [f"{at:06}" for at in range(len(texts))]
    pq.write_table(pa.table({"docId": names, "text": texts}), folder / "all.parquet", row_group_size=1000)
    given = [folder / "all.parquet", "--keep", "first", "--threads", "1"]
    costs = [
        (
            uzushio("minhash", *given, "--output", folder / "near").processor,
            uzushio("minhash", *given, "--output", folder / "contained", "--contained", LEAST).processor,
        )
        for _ in range(3)
    ]
    gone: list[dict[str, Any]] = [
        one
        for path in (folder / "contained" / ".uzushio/duplicates").glob("*.pq")
        for one in pq.ParquetFile(path).read(["docId", "duplicateOf", "reason"]).to_pylist()
    ]
    near = {int(one["docId"]) for one in gone if one["reason"] == "text"}
    found = {int(one["docId"]): int(one["duplicateOf"]) for one in gone if one["reason"] == "contained"}
    left = [at for at in range(len(texts)) if at not in near]
    truth = {left[at]: {left[one] for one in of} for at, of in containers_of([texts[at] for at in left]).items()}
    groups: dict[str, list[bool]] = defaultdict(list)
    for at in truth:
        length = len(texts[at])
        groups[f"{kinds[at]}, {'200 characters or more' if length >= 200 else 'shorter'}"].append(at in found)
        least = max((one for one in (0, *LENGTHS) if one <= length), default=0)
        groups[f"from {least} characters"].append(at in found)
        if length >= 200:
            groups["all of 200 characters or more"].append(at in found)
    for name, hits in sorted(groups.items()):
        target = {"target": 0.99} if name.startswith("all") else {}
        rows.append(
            row(f"contained found, {name}", [sum(hits) / len(hits)], "", input=f"{len(hits)} documents", **target)
        )
    right = sum(of in truth.get(at, ()) for at, of in found.items())
    rows.append(row("precision", [right / len(found)], "", input=f"{len(found)} documents", target=1.0))
    size = f"{len(texts)} documents, {sum(map(len, texts)) / 1e6:.0f} million characters"
    rows.append(row("seconds without --contained", [one for one, _ in costs], "s", input=size))
    rows.append(row("seconds with --contained", [one for _, one in costs], "s", input=size))
    rows.append(row("times", [with_it / one for one, with_it in costs], "", target=2.0, better="lower", input=size))
