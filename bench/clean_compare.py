"""What the original and `uzushio clean` make of the same documents: where they differ, and why.

A document is known by its line of its own. Reasons are looked for in this order; what has none of them is told as
not explained, and shown.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

MARK = re.compile("第[零一二三四五六七八九]{7}番目の文書のしるしです。")
SHOWN = 5
Sentences = list[str]


def documents_of(folder: Path, name: str) -> dict[str, list[Sentences]]:
    """By mark, or "" where it is gone; of sudachiDictCorpus, whose documents are not parted, each line is one."""
    found: dict[str, list[Sentences]] = defaultdict(list)
    for path in sorted(folder.glob("part-*.txt")):
        text = path.read_bytes().decode()
        if name == "sudachiDictCorpus":
            for line in text.split("\n")[:-1]:
                found[line].append([line])
            continue
        for document in text.split("\n\n"):
            if document:
                known = MARK.search(document)
                found[known[0] if known else ""].append(document.split("\n"))
    return found


def lines_of(path: Path, delimiter: str) -> list[str]:
    """A list's entries."""
    return [one.strip() for one in path.read_text(encoding="utf-8").split(delimiter) if one.strip()]


class Reasons:
    """Why a sentence, or a document, may be in one of both outputs only."""

    def __init__(self, folder: Path) -> None:
        self.words = re.compile("|".join(map(re.escape, lines_of(folder / "ng_words.txt", "\n"))))
        templates = lines_of(folder / "template_sentences.txt", "\n\n")
        self.literal = {line for one in templates for line in one.split("\n")}
        self.templates = [re.compile(line) for line in sorted(self.literal)]

    def of_sentence(self, sentence: str) -> str:
        """Of one that only one of them has."""
        if not sentence:
            return "empty elements"
        if sentence in self.literal:
            return "templates, literally or as regular expressions"
        if any(template.fullmatch(sentence) for template in self.templates):
            return "templates, literally or as regular expressions"
        if any(c > "\uffff" for c in sentence):
            return "lengths in UTF-16 units"
        if any(unicodedata.category(c) == "Cn" for c in sentence):
            return "characters that are newer than Java's Unicode"
        return "not explained"

    def of_document(self, sentences: Iterable[str]) -> str:
        """Of one that only one of them has."""
        sentences = [*sentences]
        if any(self.words.search(one) for one in sentences):
            return "with a word, whose borders another dictionary moves"
        kinds = {self.of_sentence(one) for one in sentences} - {"not explained"}
        return next(iter(sorted(kinds)), "not explained")


def compare(folder: Path, name: str, ours: Path, theirs: Path) -> dict[str, int]:
    """How many documents and sentences each has, are the same, and differ for which reason."""
    here, there = documents_of(ours, name), documents_of(theirs, name)
    reasons = Reasons(folder)
    counts: Counter[str] = Counter()
    counts["documents of the original"] = sum(map(len, there.values()))
    counts["sentences of the original"] = sum(len(one) for all_ in there.values() for one in all_)
    counts["documents the same"] = 0
    for mark in sorted({*here, *there}):
        mine, other = Counter(map(tuple, here.get(mark, []))), Counter(map(tuple, there.get(mark, [])))
        counts["documents the same"] += (mine & other).total()
        more, less = [*(mine - other).elements()], [*(other - mine).elements()]
        for a, b in zip(more, less, strict=False):
            counts["documents with other sentences"] += 1
            for who, only in (("ours", Counter(a) - Counter(b)), ("the original's", Counter(b) - Counter(a))):
                for sentence in only.elements():
                    kind = reasons.of_sentence(sentence)
                    counts[f"sentences only {who}: {kind}"] += 1
                    show(counts, name, who, kind, sentence)
            counts["… that are in another order"] += Counter(a) == Counter(b)
        for who, alone in (("ours", more[len(less) :]), ("the original's", less[len(more) :])):
            for document in alone:
                kind = reasons.of_document(document)
                counts[f"documents only {who}: {kind}"] += 1
                show(counts, name, who, kind, "⏎".join(document))
    return {kind: count for kind, count in counts.items() if not kind.startswith("shown: ")}


def show(counts: Counter[str], name: str, who: str, kind: str, text: str) -> None:
    """The first few."""
    shown = f"shown: {who} {kind}"
    if counts[shown] < SHOWN:
        print(f"{name}, only {who}, {kind}: {text[:300]!r}", file=sys.stderr)
    counts[shown] += 1
