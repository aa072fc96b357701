"""`uzushio minhash` in plain Python: signatures, the rule of buckets, exact Jaccard indexes."""

from __future__ import annotations

import datetime
import functools
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

WORD = (1 << 64) - 1
UNDATED = (1 << 40) - 1


def mix64(x: int) -> int:
    """Stafford's variant 13."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def plain(text: str | None) -> str:
    """Paragraphs joined by one line end, without paths and link marks."""
    paragraphs = [re.sub("[\x02\x03]", "", part.partition("\x1c")[2] or part) for part in (text or "").split("\n\n")]
    return "\n".join(paragraph for paragraph in paragraphs if paragraph)


def grams(text: str, n: int = 5) -> set[str]:
    """The set that a text is."""
    return {text[i : i + n] for i in range(len(text) - n + 1)} or {text}


def jaccard(a: str, b: str, n: int = 5) -> float:
    """Of two plain texts."""
    first, second = grams(a, n), grams(b, n)
    return len(first & second) / len(first | second)


def hash_of(gram: str, n: int) -> int:
    """Of an n-gram, or of a shorter text."""
    h = 0
    for character in gram:
        h = (h * 0x9E3779B97F4A7C15 + ord(character) + 1) & WORD
    return mix64(h if len(gram) == n else h ^ 0x9E3779B97F4A7C15)


def buckets_of(text: str, n: int, buckets: int, values: int) -> list[int]:
    """The buckets of a plain text."""
    features = {hash_of(gram, n) >> 32 for gram in grams(text, n)}
    made = []
    for bucket in range(buckets):
        h = mix64(bucket + 1)
        for i in range(bucket * values, (bucket + 1) * values):
            random = mix64(0x757A757368696F00 + i)
            factor, offset = random & 0xFFFFFFFF | 1, random >> 32
            h = mix64((h + min((factor * x + offset) & 0xFFFFFFFF for x in features)) & WORD)
        made.append(h)
    return made


@dataclass
class Settings:
    """As the program's options."""

    ngram: int = 5
    buckets: int = 40
    values: int = 20
    keep: str = "newest"
    verify: float | None = None


@dataclass
class Parted:
    """Ids that stay, and of the others which they duplicate."""

    kept: list[str] = field(default_factory=list)
    duplicates: dict[str, str] = field(default_factory=dict)


def priority(row: dict[str, Any], place: int, keep: str) -> tuple[int, str, int]:
    """The least stays."""
    if keep == "first":
        return 0, "", place
    if keep == "longest":
        return -len(plain(row["text"])), row["docId"], place
    try:
        date = datetime.datetime.fromisoformat(row["date"]).replace(tzinfo=datetime.UTC)
    except (TypeError, ValueError):
        return UNDATED, row["docId"], place
    return -int(date.timestamp()), row["docId"], place


def part(rows: Iterable[dict[str, Any]], settings: Settings, decided: Iterable[dict[str, Any]] = ()) -> Parted:
    """The rule: a document goes when one that stands higher shares a bucket with it (and, verified, is near enough).

    Documents of other runs that are `decided` stand above all of `rows`, and are not told of.
    """
    above_all = list(decided)
    documents = [*above_all, *rows]
    texts = [plain(row["text"]) for row in documents]
    order = [(place >= len(above_all), priority(row, place, settings.keep)) for place, row in enumerate(documents)]
    sharing: dict[int, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        for bucket in buckets_of(text, settings.ngram, settings.buckets, settings.values):
            sharing[bucket].append(place)
    above: dict[int, set[int]] = defaultdict(set)
    for places in sharing.values():
        places.sort(key=order.__getitem__)
        for at, place in enumerate(places):
            above[place].update(places[: min(at, 8 if settings.verify else 1)])
    parted = Parted()
    for place, row in enumerate(documents):
        if place < len(above_all):
            continue
        leaders = sorted(above[place], key=order.__getitem__)
        if settings.verify:
            leaders = [one for one in leaders if jaccard(texts[place], texts[one], settings.ngram) >= settings.verify]
        if leaders:
            parted.duplicates[row["docId"]] = documents[leaders[0]]["docId"]
        else:
            parted.kept.append(row["docId"])
    return parted


# --- texts compared with each other, pair by pair ---

Sequence = list[str]


def contained(rows: list[dict[str, Any]], kept: Iterable[str], keep: str, least: float) -> dict[str, tuple[str, float]]:
    """Of documents that are kept, those that are contained in others: the longest of their containers, the share."""
    places = {row["docId"]: place for place, row in enumerate(rows)}
    texts = {name: plain(rows[places[name]]["text"]) for name in kept}
    order = {name: priority(rows[places[name]], places[name], keep) for name in texts}
    sets = {name: grams(text) for name, text in texts.items()}
    names = sorted(texts, key=lambda name: (-len(texts[name]), order[name]))
    found = {}
    for at, name in enumerate(names):
        shares = ((other, len(sets[name] & sets[other]) / len(sets[name])) for other in names[:at])
        longest = next(((other, share) for other, share in shares if share >= least), None)
        if longest:
            found[name] = longest
    return found


@functools.cache
def tokenizer_of(mode: str) -> Any:
    """Sudachi."""
    import sudachipy  # type: ignore[import-untyped]

    return sudachipy.Dictionary(dict="small").create(mode=getattr(sudachipy.SplitMode, mode))


def surfaces(text: str, mode: str) -> Sequence:
    """What Sudachi cuts a plain text into, each line by itself."""
    found = [morpheme.surface() for line in text.split("\n") for morpheme in tokenizer_of(mode).tokenize(line)]
    return [surface for surface in found if surface]


def jaccard_of(a: Sequence, b: Sequence, n: int) -> float:
    """Of two sequences' sets of n-grams."""
    first, second = ({tuple(s[i : i + n]) for i in range(len(s) - n + 1)} or {tuple(s)} for s in (a, b))
    return len(first & second) / len(first | second)


def edit_similarity(a: Sequence, b: Sequence) -> float:
    """1 - distance / longer length, by the table, a row at a time."""
    if not a or not b:
        return 1.0 if a == b else 0.0
    numbers = {token: number for number, token in enumerate({*a, *b})}
    second = np.array([numbers[token] for token in b])
    steps = np.arange(len(b) + 1)
    row = steps
    for token in a:
        best = np.minimum(row[1:] + 1, row[:-1] + (second != numbers[token]))
        started = np.concatenate([[row[0] + 1], best])
        row = np.minimum.accumulate(started - steps) + steps
    return float(1 - int(row[-1]) / max(len(a), len(b)))


def pairs_of(documents: list[Sequence], n: int, jaccard: float, edits: float | None) -> dict[tuple[int, int], float]:
    """All pairs of near-duplicates, and what decided last."""
    sets = [{tuple(s[i : i + n]) for i in range(len(s) - n + 1)} or {tuple(s)} for s in documents]
    pairs = {}
    for second, of_second in enumerate(sets):
        for first, of_first in enumerate(sets[:second]):
            if min(len(of_first), len(of_second)) < jaccard * max(len(of_first), len(of_second)):
                continue
            similarity = jaccard_of(documents[first], documents[second], n)
            if similarity < jaccard:
                continue
            if edits is not None:
                similarity = edit_similarity(documents[first], documents[second])
            if edits is None or similarity >= edits:
                pairs[first, second] = similarity
    return pairs


def first_of_each(pairs: dict[tuple[int, int], float]) -> dict[int, tuple[int, float]]:
    """Of each document with a near-duplicate before it, the first such one, and how similar it is."""
    found: dict[int, tuple[int, float]] = {}
    for (first, second), similarity in sorted(pairs.items()):
        found.setdefault(second, (first, similarity))
    return found
