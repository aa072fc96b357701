"""That the documents which filters are held against tell a wrong filter from a right one, before anyone writes it.

The filter that is made up here measures the longest run of katakana in a line, and removes documents above a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import filter_oracle as oracle
import pytest
from corpus import documents_of_runs, random_documents
from filter_oracle import Document

Characters = Callable[[Document], Iterable[str]]
DOCUMENTS = [*random_documents(1, 400).values(), *documents_of_runs(2, 160).values()]


def lines(document: Document) -> list[str]:
    """The lines of all paragraphs that are not removed."""
    return [line for paragraph in oracle.alive(document) for line in paragraph.text.split("\n")]


def longest(pieces: Iterable[str], first: int = 0x30A0, last: int = 0x30FF, without: str = "") -> int:
    """The longest run in one of the pieces."""
    most = 0
    for piece in pieces:
        run = 0
        for character in piece:
            run = run + 1 if first <= ord(character) <= last and character not in without else 0
            most = max(most, run)
    return most


def closed(document: Document) -> int:
    """Only runs that another character ends."""
    most = 0
    for line in lines(document):
        run = 0
        for character in line:
            if 0x30A0 <= ord(character) <= 0x30FF:
                run += 1
            else:
                most, run = max(most, run), 0
    return most


def bytes_of(document: Document) -> int:
    """Bytes for characters."""
    return 3 * longest(lines(document))


def half_width(document: Document) -> int:
    """With those of half width."""
    return longest([line.translate(dict.fromkeys(range(65382, 65440), 12449)) for line in lines(document)])


def right(document: Document) -> int:
    """The filter's metric."""
    return longest(lines(document))


WRONG: dict[str, Callable[[Document], float]] = {
    "over borders of lines": lambda d: longest(p.text.replace("\n", "") for p in oracle.alive(d)),
    "over borders of paragraphs": lambda d: longest(["".join(lines(d))]),
    "without the prolonged sound mark": lambda d: longest(lines(d), without="ー"),
    "without the first of the block": lambda d: longest(lines(d), first=0x30A1),
    "without the last of the block": lambda d: longest(lines(d), last=0x30FE),
    "with one before the block": lambda d: longest(lines(d), first=0x309F),
    "with one behind the block": lambda d: longest(lines(d), last=0x3100),
    "bytes for characters": bytes_of,
    "with half width": half_width,
    "broken by marks of links": lambda d: longest(
        line for paragraph in oracle.alive(d) for line in paragraph.marked.split("\n")
    ),
    "without runs at the ends of lines": closed,
    "of removed paragraphs, too": lambda d: longest(line for paragraph in d for line in paragraph.text.split("\n")),
    "a share of code points with line ends": lambda d: right(d) / max(1, sum(len(p.text) for p in oracle.alive(d))),
}


@pytest.fixture(name="documents", scope="module")
def remove_paragraphs() -> list[Document]:
    """The documents, after a filter has taken frequent paragraphs."""
    remove = oracle.duplicate_paragraphs(101)
    for document in DOCUMENTS:
        assert remove.change is not None
        remove.change(document)
    return DOCUMENTS


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_metric_is_seen(documents: list[Document], name: str) -> None:
    """In several documents."""
    assert sum(right(document) != WRONG[name](document) for document in documents) >= 2


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9])
def test_a_wrong_bound_is_seen(documents: list[Document], share: float) -> None:
    """Documents lie at a limit that is taken from the corpus, on both sides of it, and beyond usual defaults."""
    metrics = sorted(map(right, documents))
    limit = sorted(set(metrics))[int(share * len(set(metrics)))]
    assert metrics[0] < limit < metrics[-1]
    assert sum(metric >= limit for metric in metrics) > sum(metric > limit for metric in metrics) > 0
    assert metrics[-1] > 200


def test_all_blocks_have_runs_beyond_defaults() -> None:
    """At the ends of lines, at their begin, and within."""
    texts = "\n".join(line for document in documents_of_runs(2, 160).values() for line in lines(document))
    for first, last in ((0x30A0, 0x30FF), (0x3040, 0x309F), (0x4E00, 0x9FFF), (0xFF61, 0xFF9F), (0x41, 0x5A)):
        assert longest(texts.split("\n"), first, last) >= 99
