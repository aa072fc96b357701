"""The stages of `uzushio clean` in plain Python: each makes documents of documents, which are lists of elements."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

Document = list[str]
Stage = Callable[[list[Document]], list[Document]]

WHITE = " \t\n\x0b\f\r\u3000"
NOT_BREAK = "[^\n\r\u0085\u2028\u2029]"  # Java's dot
CITATION = re.compile(
    r"\[\d+?\]|\[要.+?\]|\{\{+[^{}]+?\}\}+|\[(要出典|リンク切れ|.+?\?)\]".replace(".", NOT_BREAK), re.ASCII
)
EMAIL = re.compile(r"[\w\d_-]+@[\w\d_-]+\.[\w\d._-]+", re.ASCII)
URL = re.compile(r"(https?|sftp?)://[\w/:%#\$&\?\(\)~\.=\+\-]+", re.ASCII)
ENDS = "。！？!?．｡"
OPENERS = "「『（(［[〈《【〔｛{“‘｢"
CLOSERS = "」』）)］]〉》】〕｝}”’｣"


def elementwise(change: Callable[[str], Sequence[str]]) -> Stage:
    """Each element becomes these; what is empty is gone."""
    return lambda documents: [[new for one in document for new in change(one) if new] for document in documents]


def rewriting(change: Callable[[str], str]) -> Stage:
    """Each element becomes another."""
    return elementwise(lambda one: [change(one)])


def keeping(holds: Callable[[str], bool]) -> Stage:
    """Elements stay for which this holds."""
    return elementwise(lambda one: [one] if holds(one) else [])


def documentwise(change: Callable[[Document], Document]) -> Stage:
    """Each document becomes another."""
    return lambda documents: [change(document) for document in documents]


# --- what splits ---


def split_element(delim: str = "\n") -> Stage:
    """At a literal delimiter."""
    return elementwise(lambda one: one.split(delim))


def inside(line: str) -> list[bool]:
    """Of each character, whether it is inside of matched brackets, the closing one not counted."""
    found = [False] * len(line)
    waiting: list[int] = []
    for at, c in enumerate(line):
        if c in OPENERS:
            waiting.append(at)
        elif c in CLOSERS:
            own = OPENERS[CLOSERS.index(c)]
            if any(line[begin] == own for begin in waiting):
                while line[waiting[-1]] != own:
                    waiting.pop()
                begin = waiting.pop()
                found[begin:at] = [True] * (at - begin)
    return found


def sentences(line: str) -> list[str]:
    """A line cut behind its ends."""
    within, cuts, at = inside(line), [0], 0
    while at < len(line):
        if line[at] in ENDS and not within[at]:
            while at + 1 < len(line) and line[at + 1] in ENDS + CLOSERS and not within[at + 1]:
                at += 1
            cuts.append(at + 1)
        at += 1
    return [line[begin:end] for begin, end in zip(cuts, [*cuts[1:], len(line)], strict=True)]


def split_into_sentence(by: str = "lines") -> Stage:
    """Lines, or the sentences of each."""
    if by == "lines":
        return split_element("\n")
    return elementwise(lambda one: [sentence for line in one.split("\n") for sentence in sentences(line)])


# --- what rewrites ---


def printable(c: str, keep_white: bool) -> bool:
    """Whether NormalizeCharacter leaves it."""
    return c.isprintable() or (keep_white and c in WHITE)


def normalize_character(keepWS: bool = False) -> Stage:
    """Without what is not printable."""
    return rewriting(lambda one: "".join(c for c in one if printable(c, keepWS)))


def concat_short_sentence(concatThr: int = 2) -> Stage:
    """Short elements go to the one before."""

    def change(document: Document) -> Document:
        made: Document = []
        for one in document:
            if made and len(one) <= concatThr:
                made[-1] += one
            else:
                made.append(one)
        return made

    return documentwise(change)


def whole_lines_left(document: Document, templates: list[list[str]]) -> list[list[str]]:
    """Of each element's lines those of no template: at each line the template of most lines goes."""
    left = [element.split("\n") for element in document]
    places = [(number, at) for number, lines in enumerate(left) for at in range(len(lines))]
    lines = [left[number][at] for number, at in places]
    at = 0
    while at < len(lines):
        sizes = [len(one) for one in templates if one == lines[at : at + len(one)]]
        for number, place in places[at : at + max(sizes, default=0)]:
            left[number][place] = ""
        at += max(sizes, default=1)
    return left


def texts_left(document: Document, templates: list[str]) -> list[list[str]]:
    """Of each element what is in no template, in lines: at each place the longest goes."""
    whole = "\n".join(document)
    owners = [number for number, element in enumerate(document) for _ in f"{element}\n"]
    borders = {at for at, owner in enumerate(owners[:-1]) if owner != owners[at + 1]}
    left = ["" for _ in document]
    at = 0
    while at < len(whole):
        size = max((len(one) for one in templates if whole.startswith(one, at)), default=0)
        if not size and at not in borders:
            left[owners[at]] += whole[at]
        at += max(size, 1)
    return [element.split("\n") for element in left]


def remove_substring(path: str, delim: str = "\n\n", matchSentence: bool = False) -> Stage:
    """Without templates, which are whole lines or any text. What loses something loses its empty lines, too."""
    text = Path(path).read_text(encoding="utf-8")
    templates = [one.strip() for one in text.split(delim) if one.strip()]

    def change(document: Document) -> Document:
        if matchSentence:
            left = whole_lines_left(document, [one.split("\n") for one in templates])
        else:
            left = texts_left(document, templates)
        made = ["\n".join(line for line in lines if line) for lines in left]
        pairs = zip(document, left, made, strict=True)
        kept = (before if "\n".join(lines) == before else after for before, lines, after in pairs)
        return [one for one in kept if one]

    return documentwise(change)


# --- what removes ---


def lines_of(element: str) -> int:
    """How many, without line breaks at the end."""
    rest = element.rstrip("\n")
    return rest.count("\n") + 1 if rest else 0


@functools.cache
def tokenizer() -> Any:
    """Sudachi with the package's dictionary."""
    sudachipy = __import__("sudachipy")
    return sudachipy.Dictionary(dict="small").create(mode=sudachipy.SplitMode.C)


def has_word(element: str, words: list[str]) -> bool:
    """Whether one of the words stands there, from a token's border to another."""
    places = [(at, at + len(word)) for word in words for at in range(len(element)) if element.startswith(word, at)]
    if not places:
        return False
    tokens = tokenizer().tokenize(element)
    begins, ends = {token.begin() for token in tokens}, {token.end() for token in tokens}
    return any(begin in begins and end in ends for begin, end in places)


def remove_ng_word_document(path: str, sudachi: str = "") -> Stage:
    """Documents without any of the words."""
    del sudachi  # the same
    words = [word for line in Path(path).read_text(encoding="utf-8").split("\n") if (word := line.strip())]
    return lambda documents: [one for one in documents if not any(has_word(element, words) for element in one)]


def deduplicate_element(documents: list[Document]) -> list[Document]:
    """Of equal elements the first."""
    first: dict[str, tuple[int, int]] = {}
    places = [[(number, at, one) for at, one in enumerate(document)] for number, document in enumerate(documents)]
    for document in places:
        for number, at, one in document:
            first.setdefault(one, (number, at))
    return [[one for number, at, one in document if first[one] == (number, at)] for document in places]


def deduplicate_repeating_sentence(minRepeat: int = 2) -> Stage:
    """Of so many equal neighbours the first."""

    def change(document: Document) -> Document:
        runs = [[*run] for _, run in groupby(document)]
        return [one for run in runs for one in (run[:1] if len(run) >= minRepeat else run)]

    return documentwise(change)


def filter_japanese(kanaRate: float = 0.05, jpRate: float = 0.7) -> Stage:
    """Elements with kana and Japanese characters enough."""

    def holds(one: str) -> bool:
        kana = sum("\u3040" <= c <= "\u30ff" for c in one)
        kanji = sum("\u4e00" <= c <= "\u9fff" for c in one)
        return kana / len(one) > kanaRate and (kana + kanji) / len(one) > jpRate

    return keeping(holds)


STAGES: dict[str, Callable[..., Stage]] = {
    "SplitElement": split_element,
    "SplitIntoParagraph": lambda: split_element("\n\n"),
    "SplitIntoSentence": split_into_sentence,
    "RemoveWikipediaCitation": lambda: rewriting(lambda one: CITATION.sub("", one)),
    "NormalizeCharacter": normalize_character,
    "NormalizeWhitespace": lambda: rewriting(lambda one: re.sub(f"[{WHITE}]+", " ", one)),
    "ConcatShortSentence": concat_short_sentence,
    "RemoveEmail": lambda: keeping(lambda one: not EMAIL.search(one)),
    "RemoveURL": lambda: keeping(lambda one: not URL.search(one)),
    "FilterBySentenceLength": lambda min=10, max=200: keeping(lambda one: min <= len(one) <= max),
    "RemoveShortDocument": lambda min=5: lambda documents: [one for one in documents if sum(map(lines_of, one)) >= min],
    "RemoveScriptDocument": lambda: (
        lambda documents: [one for one in documents if not any(set(element) & set("{|}") for element in one)]
    ),
    "RemoveNGWordDocument": remove_ng_word_document,
    "RemoveSubstring": remove_substring,
    "DeduplicateElement": lambda: deduplicate_element,
    "DeduplicateRepeatingSentence": deduplicate_repeating_sentence,
    "FilterJapaneseBasedOnCharacter": filter_japanese,
    "Identity": lambda: lambda documents: documents,
}


def clean(stages: list[dict[str, Any]], texts: Sequence[str]) -> list[Document]:
    """Documents through stages, as a configuration has them; those without elements are gone."""
    documents = [[text] for text in texts if text]
    for given in stages:
        stage = STAGES[given["class"]](**{key: value for key, value in given.items() if key != "class"})
        documents = [document for document in stage(documents) if document]
    return documents


def documents_of(text: str, delimiter: str) -> list[str]:
    """The documents of a text file."""
    return [one for part in text.replace("\r\n", "\n").split(delimiter) if (one := part.strip("\n"))]
