"""Main content on the collections of tools/content_collections.py: F by collection, and whether probabilities hold.

Each page is judged by models that saw no page of its domain; other extractors read the same pages. All texts are scored
alike: F of two bags of words, where a character of Chinese, Japanese or Korean is a word; the mean over a site's pages,
then over sites. Lines that are a text of which the collection does not say whether it is content, as a headline, are
left out of every extractor's text.
"""

from __future__ import annotations

import itertools
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from collected_page import CollectedPage
from gold_alignment import labels, word_f1, words
from japanese_version import japanese_page
from report import Row, row
from train_main_content import Version, plain
from uzushio._core import ContentPage

GROUPS = {
    "fundus": "newspapers",
    "postlight": "sites' extractors",
    "jbrayton": "more extractors",
    "jocmp": "more extractors",
    "recast": "more extractors",
    "shinyfrog": "more extractors",
    "portals": "portals",
    "readability": "readers' tests",
    "smartreader": "readers' tests",
    "omnivore": "readers' tests",
    "newspaper4k": "readers' tests",
    "japanese": "Japanese sites",
}
KINDS = {
    "blog": "blogs",
    "company blog": "blogs",
    "shop blog": "blogs",
    "essay": "blogs",
    "shop": "shops and houses",
    "hotel": "shops and houses",
    "clinic": "shops and houses",
    "news": "news and magazines",
    "magazine": "news and magazines",
    "wiki": "wikis",
    "document": "documents",
    "documentation": "documents",
    "guide": "documents",
    "municipality": "public bodies",
    "university": "public bodies",
    "organization": "public bodies",
}
"""Of Japanese pages; those of few are others."""
TARGETS = {"newspapers": 0.96, "sites' extractors": 0.925}
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)

Scores = Mapping[tuple[str, str], Any]


@dataclass
class Reliability:
    """Probabilities of paragraphs, and what of them is content, in words."""

    words: np.ndarray = field(default_factory=lambda: np.zeros(len(BINS) - 1))
    expected: np.ndarray = field(default_factory=lambda: np.zeros(len(BINS) - 1))
    content: np.ndarray = field(default_factory=lambda: np.zeros(len(BINS) - 1))

    def add(self, page: ContentPage, log_odds: np.ndarray, gold: str, apart: Iterable[str] = ()) -> None:
        """Counts a page's paragraphs, by models that did not see it."""
        paragraphs = [words(plain(text)) for text in page.texts()]
        unknown = {tuple(words(text)) for text in apart}
        known = np.array([tuple(paragraph) not in unknown for paragraph in paragraphs], bool)
        counts = np.array([len(paragraph) for paragraph in paragraphs], float) * known
        probabilities = 1 / (1 + np.exp(-log_odds.astype(float)))
        place = np.clip(np.digitize(probabilities, BINS) - 1, 0, len(BINS) - 2)
        np.add.at(self.words, place, counts)
        np.add.at(self.expected, place, counts * probabilities)
        np.add.at(self.content, place, counts * labels(paragraphs, words(gold)))

    def rows(self, name: str) -> list[Row]:
        """The share of content by what was expected, and the mean distance of both."""
        where = f"{int(self.words.sum()):,} words"
        distance = float(np.abs(self.content - self.expected).sum() / max(self.words.sum(), 1))
        result = [row(f"calibration, {name}: mean distance", [distance], "share", input=where)]
        for i, (low, high) in enumerate(itertools.pairwise(BINS)):
            if self.words[i]:
                share = f"{self.words[i] / self.words.sum():.3f} of the words, {self.expected[i] / self.words[i]:.3f}"
                values = [float(self.content[i] / self.words[i])]
                result.append(row(f"calibration, {name}: {low:g} to {high:g}", values, "share", input=share))
        return result


def without_apart(text: str, apart: Iterable[str]) -> str:
    """The text without lines that the collection does not judge."""
    unknown = {tuple(words(line)) for line in apart}
    return "\n".join(line for line in text.splitlines() if tuple(words(line.lstrip("# "))) not in unknown)


def groups_of(page: CollectedPage) -> list[str]:
    """What a page's F is counted in."""
    group = GROUPS[page.collection]
    return [group, f"{group}, {KINDS.get(page.kind, 'others')}"] if page.collection == "japanese" else [group]


class MeanOfSites:
    """Figures of pages, of which a site has some."""

    def __init__(self) -> None:
        self.values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, group: str, site: str, value: float) -> None:
        """A page's."""
        self.values[group][site].append(value)

    def rows(self, name: str, targets: Mapping[str, float]) -> list[Row]:
        """The mean over sites, by group."""
        result = []
        for group, sites in sorted(self.values.items()):
            pages = sum(map(len, sites.values()))
            mean = statistics.mean(statistics.mean(of_site) for of_site in sites.values())
            where = f"{pages} pages of {len(sites)} sites"
            result.append(row(f"{name}: F, {group}", [mean], "F", input=where, target=targets.get(group)))
        return result


def log_odds_of(page: ContentPage, identity: str, scores: Scores) -> np.ndarray:
    """Scores of a page as it is, by models that did not see it. Those of another program are of no use."""
    log_odds: np.ndarray = scores.get((identity, Version.AS_IS), np.empty(0, np.float32))
    if len(log_odds) != len(page.texts()):
        sys.exit(f"{identity}: build/main_content/scores.pickle is of other pages; ./dev train makes it again")
    return log_odds


def kept_by(page: ContentPage, log_odds: np.ndarray, shown: ContentPage | None = None) -> str:
    """What is kept by scores of models that did not see the page, as another one of the same paragraphs shows it."""
    page.features([])
    kept = page.kept(log_odds.tolist())
    return "\n".join(plain(text) for text, keep in zip((shown or page).texts(), kept, strict=True) if keep)


def kept_in_versions(identity: str, html: str, url: str, scores: Scores) -> dict[str, str]:
    """What is kept of a page by each version of it that there is, and by the page as it is next to that."""
    kept: dict[str, str] = {}
    versions = [version for version in (Version.ANONYMOUS, Version.JAPANESE) if (identity, version) in scores]
    if not versions:
        return kept
    as_it_is = ContentPage(html, url)
    kept_as_it_is = kept_by(as_it_is, scores[identity, Version.AS_IS])
    for version in versions:
        other = japanese_page(html) if version == Version.JAPANESE else html
        parsed = ContentPage(other, url, anonymous=version == Version.ANONYMOUS)
        shown = as_it_is if version == Version.JAPANESE else None
        kept[version.value] = kept_by(parsed, scores[identity, version], shown)
        kept[f"{version.value}: the same pages as they are"] = kept_as_it_is
    return kept


def collection_rows(
    pages: Iterable[CollectedPage], scores: Scores, peers: Mapping[str, Callable[[CollectedPage], str]]
) -> list[Row]:
    """F of the program's models and of others; of a third of the pages without classes and ids, too."""
    found: dict[str, MeanOfSites] = defaultdict(MeanOfSites)
    reliability: dict[str, Reliability] = defaultdict(Reliability)
    for page in pages:
        gold = words(without_apart(page.gold, page.apart))
        parsed = ContentPage(page.html, page.url)
        log_odds = log_odds_of(parsed, page.id, scores)
        texts = {"Uzushio": kept_by(parsed, log_odds)}
        reliability[GROUPS[page.collection]].add(parsed, log_odds, page.gold, page.apart)
        versions = kept_in_versions(page.id, page.html, page.url, scores)
        texts |= {f"Uzushio, {name}": text for name, text in versions.items()}
        texts |= {name: extract(page) for name, extract in peers.items()}
        for name, text in texts.items():
            value = word_f1(words(without_apart(text, page.apart)), gold)
            for group in groups_of(page):
                found[name].add(group, page.domain, value)
    rows = [one for name, means in found.items() for one in means.rows(name, TARGETS if name == "Uzushio" else {})]
    return rows + [one for name, kind in sorted(reliability.items()) for one in kind.rows(name)]
