"""Which of a page's paragraphs a gold text was made of.

Gold texts are what an annotator kept of a page, in the page's order but for exceptions, and without marks of where. A
paragraph's label is the share of its words that are in the gold text, where it stands there: of paragraphs that occur
twice, and of short ones that could stand anywhere, those count that lie between the others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

WORD = re.compile(r"\w+")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af々〆]|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af々〆]+")

MOST_PLACES = 12
"""Of a paragraph in the gold text."""
SEEDS = 8
"""Places in a paragraph from where it is looked for."""
LOOK_AHEAD = 6
"""Words that paragraph or gold may have beside."""
LONG = 6
"""Words of a paragraph that may stand out of order."""


def words(text: str) -> list[str]:
    """Words in small letters; a Chinese, Japanese or Korean character is one."""
    return [part for word in WORD.findall(text.lower()) for part in WIDE.findall(word)]


def word_f1(kept: Sequence[str], gold: Sequence[str]) -> float:
    """F of the two bags of words; 1 where both are empty (WCXB's `evaluate.py` defines it so)."""
    if not gold or not kept:
        return float(not gold and not kept)
    return 2 * sum((Counter(kept) & Counter(gold)).values()) / (len(kept) + len(gold))


class Gold:
    """A gold text's words, with the places of each word and of each two and three in a row."""

    def __init__(self, gold: Sequence[str]):
        self.words = gold
        self.places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for length in (1, 2, 3):
            for i in range(len(gold) - length + 1):
                self.places[tuple(gold[i : i + length])].append(i)

    def follow(self, paragraph: Sequence[str], start: int, place: int) -> tuple[int, int]:
        """How many words of the paragraph, from `start` on, follow in the gold from `place` on; and where that ends."""
        gold = self.words
        i, j, matched = start, place, 0
        while i < len(paragraph) and j < len(gold):
            if paragraph[i] == gold[j]:
                i, j, matched = i + 1, j + 1, matched + 1
                continue
            for skip in range(1, LOOK_AHEAD):
                if paragraph[i + skip : i + skip + 2] == gold[j : j + 2] and i + skip < len(paragraph):
                    i += skip
                    break
                if paragraph[i : i + 2] == gold[j + skip : j + skip + 2] and j + skip < len(gold):
                    j += skip
                    break
            else:
                i += 1
        return matched, j

    def find(self, paragraph: Sequence[str]) -> list[tuple[int, int, int]]:
        """Places of a paragraph: where it begins, where it ends, and how many of its words are there."""
        length = len(paragraph)
        seed = min(length, 3)
        found: dict[int, tuple[int, int, int]] = {}
        for start in range(0, max(length - seed, 0) + 1, max(1, length // SEEDS)):
            for place in self.places.get(tuple(paragraph[start : start + seed]), [])[: 30 if length < 3 else SEEDS]:
                if place - start in found:
                    continue
                matched, end = self.follow(paragraph, start, place)
                if 2 * matched >= length or matched >= 12:
                    found[place - start] = (place, end, matched)
            if len(found) > 2 * MOST_PLACES:
                break
        return sorted(found.values(), key=lambda place: -place[2])[:MOST_PLACES]


def labels(paragraphs: Sequence[Sequence[str]], gold: Sequence[str]) -> np.ndarray:
    """For each paragraph, the share of its words that are of the gold text: 0 … 1."""
    result = np.zeros(len(paragraphs))
    if not gold:
        return result
    index = Gold(gold)
    places = [index.find(paragraph) if paragraph else [] for paragraph in paragraphs]

    # The chain of places, in the order of both texts, that covers most; best[i] is for chains that end before i
    # (a Fenwick tree of maxima).
    size = len(gold) + 2
    best: list[tuple[float, int]] = [(0.0, -1)] * size
    nodes: list[tuple[int, int, int, int, int]] = []
    for number, found in enumerate(places):
        length = len(paragraphs[number])
        new = []
        for begin, end, matched in found:
            worth, before = (0.0, -1)
            at = begin + 1
            while at > 0:
                worth, before = max((worth, before), best[at], key=lambda entry: entry[0])
                at -= at & -at
            nodes.append((number, begin, end, matched, before))
            new.append((end, worth + matched * matched / length - (0.5 if length <= 2 else 0.0), len(nodes) - 1))
        for end, worth, node in new:
            at = end + 1
            while at < size:
                if worth > best[at][0]:
                    best[at] = (worth, node)
                at += at & -at
    at, last, top = len(gold) + 1, -1, 0.0
    while at > 0:
        if best[at][0] > top:
            top, last = best[at]
        at -= at & -at

    covered = np.zeros(len(gold) + 1, bool)
    chained = set()
    while last >= 0:
        number, begin, end, matched, last = nodes[last]
        result[number] = matched / len(paragraphs[number])
        covered[begin:end] = True
        chained.add(number)
    for number, found in enumerate(places):
        length = len(paragraphs[number])
        if number in chained or length < LONG:
            continue
        for begin, end, matched in found:
            if end > begin and covered[begin:end].mean() < 0.3 and matched >= 0.7 * length:
                result[number] = matched / length
                covered[begin:end] = True
                break
    return result
