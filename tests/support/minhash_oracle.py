"""`uzushio minhash` in plain Python: signatures, the rule of buckets, exact Jaccard indexes."""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

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


def standing(row: dict[str, Any], place: int, keep: str) -> tuple[int, str, int]:
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


def part(rows: Iterable[dict[str, Any]], settings: Settings) -> Parted:
    """The rule: a document goes when one that stands higher shares a bucket with it (and, verified, is near enough)."""
    documents = list(rows)
    texts = [plain(row["text"]) for row in documents]
    order = [standing(row, place, settings.keep) for place, row in enumerate(documents)]
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
        leaders = sorted(above[place], key=order.__getitem__)
        if settings.verify:
            leaders = [one for one in leaders if jaccard(texts[place], texts[one], settings.ngram) >= settings.verify]
        if leaders:
            parted.duplicates[row["docId"]] = documents[leaders[0]]["docId"]
        else:
            parted.kept.append(row["docId"])
    return parted
