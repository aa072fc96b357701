"""Pages of Japanese sites that others keep in public repositories, with their content by the rules of a table.

The table, japanese_sites.toml, has facts alone: where pages are, and which elements have their content.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

from collected_page import KANA, CollectedPage, decode, digest
from content_rules import Rule, RuleError, main_content, texts_of
from git_snapshots import Snapshot

SITES = Path(__file__).with_name("japanese_sites.toml")
MOST_PAGES = 12
"""Of a site."""
LEAST = 150
"""Characters of content that a page has to have."""
LEAST_KANA = 80
"""Of the content."""


@dataclass
class JapaneseSite:
    """Pages of one template in a repository."""

    name: str
    repository: str
    commit: str
    licence: str
    """Of the repository."""
    pages: str
    """Regular expression that the whole path of a file has."""
    url: str
    """What stands before the path in the pages' URLs; `index.html` at the end is left out."""
    kind: str
    generator: str
    """Sites of one generator and theme are in one fold."""
    content: list[str]
    without: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)
    """As content, on the pages that have it."""
    apart: list[str] = field(default_factory=list)
    """Selectors of what may be content or not: bylines, dates, tags. It is not in the gold."""

    def address(self, path: str) -> str:
        """A file's URL."""
        return self.url + quote(re.sub(r"(^|/)index\.html$", r"\1", path), safe="/%?=&;~")


def read_sites(path: Path = SITES) -> list[JapaneseSite]:
    """The table."""
    sites = [JapaneseSite(**table) for table in tomllib.loads(path.read_text(encoding="utf-8"))["site"]]
    if len({site.name for site in sites}) < len(sites):
        raise ValueError(f"{path}: two sites have one name")
    return sites


def spread(paths: list[str]) -> list[str]:
    """Paths in the order in which they are taken: one of each folder's parent, then another of each."""
    folders = defaultdict(list)
    for path in sorted(paths, key=digest):
        folders[path.removesuffix("/index.html").rpartition("/")[0]].append(path)
    rounds = zip_longest(*(folders[folder] for folder in sorted(folders, key=digest)))
    return [path for turn in rounds for path in turn if path is not None]


def site_pages(site: JapaneseSite, snapshot: Snapshot, say: Callable[[str], None]) -> Iterator[CollectedPage]:
    """At most MOST_PAGES pages of a site; what a rule does not fit is said."""
    rule = Rule(content=site.content, without=site.without + site.apart)
    texts = set()
    for path, data in snapshot.read_all(spread([path for path in snapshot.paths() if re.fullmatch(site.pages, path)])):
        html = decode(data)
        try:
            gold = main_content(html, rule, site.optional)
        except RuleError as error:
            say(f"{site.name}: {path}: {error}")
            continue
        if len(gold) < LEAST or len(KANA.findall(gold)) < LEAST_KANA or gold in texts:
            continue
        texts.add(gold)
        apart = texts_of(html, site.apart)
        url = site.address(path)
        identity = f"japanese/{site.name}/{path}"
        yield CollectedPage(identity, url, site.generator, site.kind, "japanese", html, gold, apart, "ja")
        if len(texts) == MOST_PAGES:
            return
    if not texts:
        say(f"{site.name}: no page has content of {LEAST} characters")
