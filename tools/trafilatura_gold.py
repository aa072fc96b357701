"""Trafilatura's gold: pages with snippets that have to be kept, and snippets that have to be left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from git_snapshots import Snapshot


@dataclass(frozen=True)
class SnippetPage:
    """A page of which only some texts are judged."""

    file: str
    html: str
    kept: list[str]
    left_out: list[str]


def decode(html: bytes) -> str:
    """UTF-8, or an older Western page."""
    try:
        return html.decode()
    except UnicodeDecodeError:
        return html.decode("cp1252", "replace")


def first_half(snapshot: Snapshot) -> Iterator[SnippetPage]:
    """The first half of the pages, by file names; the second one judges the model."""
    gold = json.loads(snapshot.read("tests/evaldata.json"))
    items = sorted(gold.values(), key=lambda item: str(item["file"]))
    paths = set(snapshot.paths())
    folders = ("tests/cache", "tests/eval")
    chosen = {
        next(path for folder in folders if (path := f"{folder}/{item['file']}") in paths): item
        for item in items[: len(items) // 2]
    }
    for path, html in snapshot.read_all(chosen):
        item = chosen[path]
        yield SnippetPage(str(item["file"]), decode(html), item["with"], item["without"])
