"""What the collections of pages with gold have in common: a page, its decoding, and what the gold has to fulfil."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from content_rules import lines_of, remove
from resiliparse.parse.html import HTMLTree

CODECS = {"shift_jis": "cp932", "x-sjis": "cp932", "sjis": "cp932", "windows-31j": "cp932", "iso-8859-1": "cp1252"}
"""As browsers read them."""
DECLARED = re.compile(rb"""charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)
WORD = re.compile(r"\w+")
KANA = re.compile(r"[\u3041-\u30ff]")
LEAST_RECALL = 0.9
"""Share of the gold's words that the page has to have: else the gold is of another text."""


@dataclass
class CollectedPage:
    """A page with what is its main content."""

    id: str
    """The collection, and the file in it."""
    url: str
    domain: str
    """Pages of one are in one fold of a cross-validation: a domain, or a generator's theme."""
    kind: str
    """newspaper, article, portal; of Japanese sites: news, blog, wiki, shop, …"""
    collection: str
    html: str
    gold: str
    """Lines of the content. Where a line breaks says nothing."""
    apart: list[str]
    """Texts of which the collection does not say whether they are content, as the headline."""
    language: str = ""
    """`ja`, or empty."""

    def row(self) -> dict[str, Any]:
        """For JSON Lines."""
        return asdict(self)


def decode(data: bytes) -> str:
    """A page's text: UTF-8, or what it declares, or an encoding of Japanese, or a Western one."""
    found = DECLARED.search(data[:8192])
    declared = found[1].decode().lower() if found else ""
    for codec in ("utf-8", CODECS.get(declared, declared), "euc_jp", "cp932"):
        try:
            return data.decode(codec)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode(CODECS.get(declared, "cp1252"), "replace")


def page_text(html: str) -> str:
    """All text of a page's body but scripts and styles."""
    tree = HTMLTree.parse(html)
    if tree.body is None:
        return ""
    remove(tree.body, ["script, style, template"])
    return lines_of([tree.body])


def words(text: str) -> Counter[str]:
    """Words, and characters of scripts without spaces, with their numbers."""
    return Counter(part for word in WORD.findall(text.lower()) for part in (word if not word.isascii() else [word]))


def recall(gold: str, text: str) -> float:
    """Share of the gold's words that a text has."""
    wanted = words(gold)
    return (wanted & words(text)).total() / max(wanted.total(), 1)


def is_japanese(text: str) -> bool:
    """Whether a text has more kana than a quotation would have."""
    return len(KANA.findall(text)) > 0.05 * len(text)


def host(url: str) -> str:
    """A URL's host without `www.`."""
    return urlsplit(url).netloc.lower().split(":")[0].removeprefix("www.")


def digest(text: str) -> str:
    """What pages are ordered by: the same on every machine, and nothing to do with the text's meaning."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
