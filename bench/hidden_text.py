"""What pages hide by markup, next to what is known to be their content: what is lost with it, and what is kept of it.

    hidden_text.py --checkouts FOLDER [--only COLLECTION]...

The pages are those of tools/content_collections.py. A page's text is hidden where the rules of docs/formats.md say so
(`hidden`, inline `display: none` and `visibility: hidden`, closed dialogs, `noscript`), and is kept where that, without
links, is more than half of the page. Two errors are counted, in words (a Chinese, Japanese or Korean character is one):
those of the content that are dropped with hidden text, and those of hidden text that are kept and are not of the
content. Beside, the same where all hidden text is dropped, and where all is kept.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from content_collections import collected, read_collections  # noqa: E402
from gold_alignment import words  # noqa: E402
from resiliparse.parse.html import HTMLTree, NodeType  # noqa: E402

NO_TEXT = "script style template iframe noembed noframes title datalist audio video canvas head rt rp"
NEVER = frozenset(NO_TEXT.split())
HIDING_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
LEAST_IN_NOSCRIPT = 256
"""Characters; less asks for scripts."""


def is_hidden(node: Any) -> bool:
    """Whether markup hides the element."""
    if node.tag == "noscript" or "hidden" in node.attrs or (node.tag == "dialog" and "open" not in node.attrs):
        return True
    return HIDING_STYLE.search(node.getattr("style", "") or "") is not None


@dataclass
class Texts:
    """A page's text by whether markup hides it, and how much of that counts against what is shown."""

    shown: list[str]
    hidden: list[str]
    counted: int = 0

    @property
    def hides_most(self) -> bool:
        """As the program decides, in characters without spaces."""
        return self.counted > sum(len("".join(text.split())) for text in self.shown)


def children_of(node: Any) -> list[Any]:
    """An element's children. The parser takes those of `noscript` for text, as scripts would run."""
    if node.tag == "noscript":
        body = HTMLTree.parse(node.text).body
        return [] if body is None else [body]
    children, child = [], node.first_child
    while child is not None:
        children.append(child)
        child = child.next
    return children


def texts_of(html: str) -> Texts:
    """Walks the page's body."""
    texts = Texts([], [])
    body = HTMLTree.parse(html).body

    def walk(nodes: list[Any], found: list[str], in_hidden: bool) -> int:
        """Appends the text; returns its characters outside of links."""
        open_nodes = [(node, False) for node in nodes[::-1]]
        counted = 0
        while open_nodes:
            node, in_link = open_nodes.pop()
            if node.type == NodeType.TEXT:
                found.append(node.text)
                counted += 0 if in_link else len("".join(node.text.split()))
            elif node.type == NodeType.ELEMENT and node.tag not in NEVER:
                if in_hidden or not is_hidden(node):
                    open_nodes += [(child, in_link or node.tag == "a") for child in children_of(node)[::-1]]
                    continue
                hidden: list[str] = []
                characters = walk(children_of(node), hidden, in_hidden=True)
                texts.hidden += hidden
                if node.tag != "noscript" or characters >= LEAST_IN_NOSCRIPT:
                    texts.counted += characters
        return counted

    walk([] if body is None else [body], texts.shown, in_hidden=False)
    return texts


@dataclass
class Errors:
    """Of a way to decide, in words."""

    lost: int = 0
    pages_with_losses: int = 0
    kept: int = 0
    pages_kept: int = 0

    def add(self, keeps: bool, of_content: int, hidden: int) -> None:
        """A page whose hidden text has so many words that only it has of the content, and so many in all."""
        if keeps:
            self.kept += hidden - of_content
            self.pages_kept += hidden > 0
        else:
            self.lost += of_content
            self.pages_with_losses += of_content > 0


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--only", action="append", choices=[each.name for each in read_collections()])
    parser.add_argument("--worst", type=int, default=0, help="pages to show, of each error")
    arguments = parser.parse_args()
    ways = {"more than half": Errors(), "always dropped": Errors(), "always kept": Errors()}
    counts: Counter[str] = Counter()
    pages: list[tuple[int, bool, str, str]] = []
    for page in (page for only in arguments.only or [None] for page in collected(arguments.checkouts, only)):
        texts = texts_of(page.html)
        gold, shown = Counter(words(page.gold)), Counter(words(" ".join(texts.shown)))
        hidden = Counter(words(" ".join(texts.hidden)))
        of_content = sum((gold & (shown + hidden)).values()) - sum((gold & shown).values())
        is_hiding = bool("".join(texts.hidden).strip())
        counts.update(pages=1, hiding=is_hiding, gold=gold.total(), hidden=hidden.total())
        for way, keeps in zip(ways.values(), (texts.hides_most, False, True), strict=True):
            way.add(keeps, of_content, hidden.total())
        error = hidden.total() - of_content if texts.hides_most else of_content
        pages.append((error, texts.hides_most, page.id, " ".join(" ".join(texts.hidden).split())[:300]))
    print(f"{counts['pages']} pages, {counts['hiding']} with hidden text: {counts['hidden']:,} words")
    print(f"content: {counts['gold']:,} words")
    for name, way in ways.items():
        lost, kept = way.lost / counts["gold"], way.kept / counts["gold"]
        print(f"{name:15} content lost: {way.lost:,} words ({lost:.5f}) on {way.pages_with_losses} pages;")
        print(f"{'':15} other hidden text kept: {way.kept:,} words ({kept:.5f}) on {way.pages_kept} pages")
    for is_kept in (False, True):
        of_kind = sorted((page for page in pages if page[1] == is_kept), reverse=True)
        for error, _, name, text in of_kind[: arguments.worst]:
            print(f"\n{'kept' if is_kept else 'lost'} {error} {name}\n  {text}")


if __name__ == "__main__":
    main()
