"""Trains the model of main content, and measures it by cross-validation.

    train_main_content.py --checkouts FOLDER [--pages FOLDER] [--model FILE] [--scores FILE]

    --checkouts a folder of checkouts of the projects whose pages tools/content_collections.py reads, which says how
                they are fetched
    --pages     where wcxb-dev.jsonl.zst and the WARC files with Japanese pages are (default: what UZUSHIO_REAL_PAGES
                names, or `../shared/data`)
    --model     what is written (default: src/html/main_content/main_content.model)
    --scores    probabilities of each page's paragraphs by models that saw no page of its domain, for
                bench/main_content.py (default: build/main_content/scores.pickle)

Pages are WCXB's development part (CC-BY-4.0, Murrough Foley 2026), those Japanese sites of bench/main_content_gold.toml
that are for tuning, the first half, by file names, of Trafilatura's gold, where only paragraphs with snippets that have
to be kept, or left out, are known, and the collections of tools/content_collections.py, where texts that a collection
does not judge are not counted; a third of all a second time without classes and ids, so that the model can do without,
and foreign pages as they would be in Japanese (tools/japanese_version.py).
The program itself computes the features, and runs the model, so that nothing is written twice.

The model has two passes of boosted trees (LightGBM, one thread, fixed seeds: the same bytes each time). The second one
looks at the first one's scores of the paragraphs around; what it learns from are scores of models that did not see the
page. Likewise what tokens of class names say is learnt from other folds than the page's: a fold is a fifth of the
domains.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import multiprocessing
import pickle
import re
import struct
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import lightgbm as lgb
import numpy as np
import zstandard
from content_collections import collected, snippet_pages
from gold_alignment import labels, word_f1, words
from japanese_version import TRANSLATIONS, japanese_page
from uzushio._core import ContentPage

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import main_content_gold  # noqa: E402
from extract import PAGES  # noqa: E402

FOLDS = 5
DEPTH = 6
"""As DecisionTree::kDepth of src/html/main_content/boosted_trees.h."""
PASSES = ((0.15, 80), (0.1, 120))
"""Learning rate and number of trees of each."""
TREES = {
    "objective": "cross_entropy",
    "num_leaves": 48,
    "max_depth": DEPTH,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "seed": 1,
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}
LEAST_DOMAINS = 3
"""That a token, or a word, has to be seen on."""
MOST_TOKENS = 18_000
MOST_WORDS = 16_000
MOST_LINK_TOKENS = 8_000
"""That are kept: those that say most, seen on most domains."""
PRIOR_DOMAINS = 2.0
"""A token counts as if it had been seen on so many more, with an average share of content."""
LEAST_SCORE = 4
"""Of a token that is kept, in 1/16 of log2 of the odds."""
PROCESSES = 2
"""That train models at a time."""
LEAST_ORACLE = 0.7
"""F of the best choice of paragraphs; pages where it is less teach nothing: their gold is of another text."""
JAPANESE_WEIGHT = 3.0
"""Of a page of the Japanese manuals: they are few, and what the program is for. WCXB's gold leaves out code and tables
at times."""
SNIPPETS_WEIGHT = 0.5
"""Of a page of which little is known."""
COLLECTION_WEIGHTS = {
    "fundus": 2.5,
    "postlight": 1.5,
    "jbrayton": 1.0,
    "jocmp": 1.0,
    "recast": 1.0,
    "shinyfrog": 1.0,
    "portals": 1.0,
    "japanese": 1.5,
    "readability": 0.5,
    "smartreader": 0.5,
    "omnivore": 0.5,
    "newspaper4k": 0.5,
}
"""Of a collection's page; that of WCXB's is 1. Newspapers are few and alike, what a reader gave is not by hand."""
JAPANESE_VERSION_WEIGHT = 0.5
"""Of a page as it would be in Japanese, in weights of the page."""
MOST_WIDE = 0.1
"""Share of Japanese, Chinese or Korean characters of a page that has a version in Japanese."""
FLOOR_WORDS = 10
"""Added to a paragraph's words for its weight, so that short ones count."""

TOP_LEVEL = {
    "at",
    "be",
    "ch",
    "com",
    "cz",
    "de",
    "edu",
    "es",
    "eu",
    "fr",
    "info",
    "it",
    "net",
    "nl",
    "org",
    "pl",
    "tv",
    "uk",
}
"""Of Trafilatura's pages."""

TokenTable = list[tuple[int, int]]


@dataclass
class Source:
    """A page as a collection has it."""

    id: str
    site: str
    kind: str
    url: str
    html: bytes
    """UTF-8."""
    gold: str = ""
    apart: Sequence[str] = ()
    """Texts of which the collection does not say whether they are content."""
    snippets: tuple[Sequence[str], Sequence[str]] | None = None
    """Texts that have to be kept, and to be left out, where nothing else is known."""
    weight: float = 1.0


class Version(StrEnum):
    """What a page's features are computed of."""

    AS_IS = "as it is"
    ANONYMOUS = "without classes and ids"
    JAPANESE = "in Japanese"


@dataclass
class Page:
    """A page with its gold."""

    source: Source
    version: Version
    counts: np.ndarray
    """Words of each paragraph."""
    labels: np.ndarray
    known: np.ndarray | None
    """Of which paragraphs the label is known; None: of all."""
    apart: np.ndarray
    """Of which paragraphs the collection does not say whether they are content."""
    teaches: bool
    """Whether models learn from it."""
    token_shares: dict[int, float] = field(default_factory=dict)
    word_shares: dict[int, float] = field(default_factory=dict)
    link_shares: dict[int, float] = field(default_factory=dict)

    @functools.cached_property
    def fold(self) -> int:
        """All pages of a site are in one."""
        return int(hashlib.sha256(self.source.site.encode()).hexdigest(), 16) % FOLDS

    @property
    def weights(self) -> np.ndarray:
        """Of the paragraphs; their sum is the page's weight."""
        counts = (self.counts + FLOOR_WORDS) * ~self.apart * (1.0 if self.known is None else self.known)
        weight = self.source.weight * (JAPANESE_VERSION_WEIGHT if self.version == Version.JAPANESE else 1)
        return np.asarray(weight * counts / max(counts.sum(), 1))

    def parsed(self) -> ContentPage:
        """The program's own, parsed again each time: all pages' trees are more than memory has."""
        html = self.source.html.decode()
        if self.version == Version.JAPANESE:
            html = japanese_page(html)
        return ContentPage(html, self.source.url, self.version == Version.ANONYMOUS)


def domain(url: str) -> str:
    """The part of a host that its owner registered, nearly: three names under such as co.uk, else two."""
    names = urlsplit(url).netloc.lower().split(":")[0].split(".")
    return ".".join(names[-3:] if len(names) > 2 and len(names[-2]) <= 3 and len(names[-1]) == 2 else names[-2:])


def site_of_file(name: str) -> str:
    """The domain that a file of Trafilatura's begins with, as `blog.python.org.html` or `dw.com-elephants.html`."""
    names = name.removesuffix(".html").split("-")[0].split(".")
    end = next((i for i, part in enumerate(names) if i > 0 and part in TOP_LEVEL), min(1, len(names) - 1))
    return ".".join(names[max(end - 1, 0) : end + 1])


MARKS = dict.fromkeys((0x02, 0x03, *range(0x0E, 0x17), 0x1F))


def plain(text: str) -> str:
    """The text without marks."""
    return text.translate(MARKS)


def wcxb(folder: Path) -> Iterator[dict[str, Any]]:
    """The development part's pages, as they are stored."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    with (folder / "wcxb-dev.jsonl.zst").open("rb") as file, decompressor.stream_reader(file) as stream:
        buffer = b""
        while chunk := stream.read(1 << 24):
            *lines, buffer = (buffer + chunk).split(b"\n")
            yield from map(json.loads, lines)
        if buffer.strip():
            yield json.loads(buffer)


def japanese(folder: Path, split: str) -> Iterator[dict[str, Any]]:
    """Pages of the Japanese sites of a split, as main_content_gold.py writes them."""
    yield from main_content_gold.rows(folder, split)


def one_space(text: str) -> str:
    """With one space where there was white space."""
    return " ".join(text.split())


def read_sources(folder: Path, checkouts: Path) -> Iterator[Source]:
    """All pages."""
    for row in wcxb(folder):
        url = row["url"] or ""
        site = domain(url) or row["id"]
        yield Source(row["id"], site, row["page_type"], url, row["html"].encode(), row["main_content"])
    for row in japanese(folder, "tuning"):
        html, gold = row["html"].encode(), row["main_content"]
        yield Source(row["url"], row["site"], "japanese", row["url"], html, gold, weight=JAPANESE_WEIGHT)
    for page in snippet_pages(checkouts):
        html, site, snippets = page.html.encode(), site_of_file(page.file), (page.kept, page.left_out)
        yield Source(page.file, site, "snippets", "", html, snippets=snippets, weight=SNIPPETS_WEIGHT)
    for found in collected(checkouts):
        site = found.domain if found.language == "ja" else domain(f"https://{found.domain}/")
        weight = COLLECTION_WEIGHTS[found.collection]
        html = found.html.encode()
        yield Source(found.id, site, found.kind, found.url, html, found.gold, found.apart, weight=weight)


def read_page(source: Source) -> list[Page]:
    """The page with its labels, where it has text; a third of all a second time without classes and ids."""
    draw = hashlib.sha256(source.id.encode()).digest()
    page = labelled(source, Version.AS_IS)
    if page is None:
        return []
    pages = [page]
    if draw[0] % 3 == 0 and (bare := labelled(source, Version.ANONYMOUS)) is not None:
        pages.append(bare)
    if source.snippets is None and (source.kind in ("newspaper", "portal") or draw[1] % 2 == 0):
        pages += japanese_versions(page)
    return pages


def japanese_versions(page: Page) -> list[Page]:
    """The page as it would be in Japanese, where it is not and its elements are the same."""
    as_it_is = page.parsed()
    text = "".join(as_it_is.texts())
    if sum(character >= "\u2e80" for character in text) > MOST_WIDE * len(text):
        return []
    version = replace(page, version=Version.JAPANESE, token_shares={}, link_shares={})
    parsed = version.parsed()
    if parsed.elements() != as_it_is.elements():
        return []
    shares = word_shares(version, parsed)
    version.word_shares = {word: share for word, share in shares.items() if word in translated_words()}
    return [version]


WORDS_OF_SCRIPTS = re.compile("[ぁ-ゖ]+|[ァ-ヿ]+|[一-鿿々]+|[a-z]+", re.IGNORECASE)


@functools.cache
def translated_words() -> frozenset[int]:
    """Translations, and words in a row of them. A word of a longer one, as の, says something else alone."""

    def words_of(texts: Iterable[str]) -> frozenset[int]:
        return frozenset(itertools.chain.from_iterable(ContentPage("".join(f"<p>{x}</p>" for x in texts), "").words()))

    parts = [WORDS_OF_SCRIPTS.findall(text) for text in TRANSLATIONS.values()]
    inside = {word for words in parts if len(words) > 1 for word in words}
    alone = {words[0] for words in parts if len(words) == 1}
    return words_of(TRANSLATIONS.values()) - words_of(inside - alone)


def labelled(source: Source, version: Version) -> Page | None:
    """The page with its labels; None where it has no text. Classes decide what some paragraphs are."""
    parsed = ContentPage(source.html.decode(), source.url, version == Version.ANONYMOUS)
    texts = [plain(text) for text in parsed.texts()]
    if not texts:
        return None
    paragraphs = [words(text) for text in texts]
    counts = np.array([len(paragraph) for paragraph in paragraphs], float)
    if source.snippets is not None:
        spaced = [one_space(text) for text in texts]
        kept, left = (
            np.array([any(one_space(part) in text for part in parts) for text in spaced], bool)
            for parts in source.snippets
        )
        none = np.zeros(len(texts), bool)
        return Page(source, version, counts, kept.astype(float), kept | left, none, bool((kept | left).any()))
    gold = words(source.gold)
    unknown = {tuple(words(text)) for text in source.apart}
    apart = np.array([tuple(paragraph) in unknown for paragraph in paragraphs], bool)
    found = labels(paragraphs, gold)
    content = (text for text, label in zip(paragraphs, found, strict=True) if label >= 0.5)
    teaches = bool(gold) and word_f1(list(itertools.chain.from_iterable(content)), gold) >= LEAST_ORACLE
    page = Page(source, version, counts, found, None, apart, teaches)
    if version == Version.AS_IS:
        page.token_shares, page.word_shares = token_shares(page, parsed), word_shares(page, parsed)
        page.link_shares = link_shares(page, parsed)
    return page


def read_all(sources: Sequence[Source]) -> Iterator[Page]:
    """All pages with their labels."""

    def read(i: int) -> list[Page]:
        pages = read_page(sources[i])
        for page in pages:
            page.source = replace(page.source, html=b"")  # which is here already
        return pages

    for source, pages in zip(sources, in_processes(read, range(len(sources))), strict=True):
        for page in pages:
            page.source = source
            yield page


def token_shares(page: Page, parsed: ContentPage) -> dict[int, float]:
    """For each token of the page's elements, the share of content in their words."""
    before = np.concatenate([[0.0], np.cumsum(page.counts)])
    content = np.concatenate([[0.0], np.cumsum(page.counts * page.labels)])
    found: dict[int, list[float]] = {}
    for first, end, tokens in parsed.elements():
        if before[end] == before[first]:
            continue
        for token in set(tokens):
            sums = found.setdefault(token, [0.0, 0.0, 0])
            if first >= sums[2]:  # else it lies in another of the same token
                sums[0] += before[end] - before[first]
                sums[1] += content[end] - content[first]
                sums[2] = end
    return {token: float(sums[1] / sums[0]) for token, sums in found.items()}


def word_shares(page: Page, parsed: ContentPage) -> dict[int, float]:
    """For each word of the page's short texts, the share of them that are content."""
    return shares(page, enumerate(parsed.words()))


def link_shares(page: Page, parsed: ContentPage) -> dict[int, float]:
    """For each token of the page's links, the share of them that are in content."""
    return shares(page, parsed.links())


def shares(page: Page, found: Iterable[tuple[int, list[int]]]) -> dict[int, float]:
    """For each token of what is in paragraphs, the share of it that is in content."""
    sums: dict[int, list[float]] = {}
    for paragraph, tokens in found:
        for token in set() if page.apart[paragraph] else set(tokens):
            of_token = sums.setdefault(token, [0.0, 0.0])
            of_token[0] += 1
            of_token[1] += page.labels[paragraph]
    return {token: float(content / number) for token, (number, content) in sums.items()}


def score_table(
    pages: Sequence[Page], shares_of: Callable[[Page], dict[int, float]], average: float, most: int
) -> TokenTable:
    """How much each token speaks for content, where the average token has such a share of it."""
    shares: dict[int, dict[str, list[float]]] = defaultdict(dict)
    for page in pages:
        for token, share in shares_of(page).items():
            sums = shares[token].setdefault(page.source.site, [0.0, 0])
            sums[0] += share
            sums[1] += 1
    found = []
    for token, by_site in shares.items():
        if len(by_site) < LEAST_DOMAINS:
            continue
        total = sum(of_site / number for of_site, number in by_site.values())
        share = min(max((total + PRIOR_DOMAINS * average) / (len(by_site) + PRIOR_DOMAINS), 1e-3), 1 - 1e-3)
        score = round(16 * float(np.log2(share / (1 - share)) - np.log2(average / (1 - average))))
        if abs(score) >= LEAST_SCORE:
            found.append((-abs(score) * len(by_site), token, score))
    return [(token, score) for _, token, score in sorted(found)[:most]]


def token_table(pages: Sequence[Page], without: frozenset[int]) -> TokenTable:
    """Scores of tokens of elements and of words, by pages of other folds than these."""
    seen = [page for page in pages if page.fold not in without and page.teaches]
    as_they_are = [page for page in seen if page.token_shares]
    averages = [float((page.counts * page.labels).sum() / max(page.counts.sum(), 1)) for page in as_they_are]

    def of_paragraphs(shares_of: Callable[[Page], dict[int, float]], most: int) -> TokenTable:
        averages = [np.mean(list(shares.values())) for page in as_they_are if (shares := shares_of(page))]
        return score_table(seen, shares_of, float(np.mean(averages)), most)

    links = of_paragraphs(lambda page: page.link_shares, MOST_LINK_TOKENS)
    of_words = of_paragraphs(lambda page: page.word_shares, MOST_WORDS)
    tokens = score_table(as_they_are, lambda page: page.token_shares, float(np.mean(averages)), MOST_TOKENS)
    return sorted({**dict(links), **dict(of_words), **dict(tokens)}.items())


BY_TOKENS = (
    "token_",
    "word_least",
    "word_most",
    "word_sum",
    "previous_word",
    "next_word",
    "section_",
    "since_low_word",
)
"""How names of features begin that the table of tokens decides."""


class Folds:
    """Features and first scores of each page that are fit for training, and for judging, one fold."""

    def __init__(self, pages: list[Page]):
        self.pages = pages
        self.teaching = [i for i, page in enumerate(pages) if page.teaches]
        self.by_tokens = np.array([name.startswith(BY_TOKENS) for name in ContentPage.names()])
        # Of page i, those that no table decides; and for models that do not see fold f, the others: tokens neither from
        # f nor from the page's fold.
        self.features: dict[int, np.ndarray] = {}
        self.token_features: dict[tuple[int, int], np.ndarray] = {}
        self.margins: dict[tuple[int, int], np.ndarray] = {}

    @functools.cache  # noqa: B019
    def table(self, without: frozenset[int]) -> TokenTable:
        """Of pages of other folds."""
        return token_table(self.pages, without)

    def features_of(self, i: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """A page's features that no table decides, and the others for each fold."""
        page = self.pages[i]
        parsed = page.parsed()
        by_fold = []
        for fold in range(FOLDS):
            rows = np.frombuffer(parsed.features(self.table(frozenset({fold, page.fold}))), np.float32)
            rows = rows.reshape(-1, len(self.by_tokens))
            by_fold.append(rows[:, self.by_tokens])
        return rows[:, ~self.by_tokens], by_fold

    def compute_features(self) -> None:
        """Of all pages."""
        for folds in itertools.combinations_with_replacement(range(FOLDS), 2):
            self.table(frozenset(folds))
        for i, (common, by_fold) in enumerate(in_processes(self.features_of, range(len(self.pages)))):
            self.features[i] = common
            self.token_features |= {(i, fold): rows for fold, rows in enumerate(by_fold)}

    def first(self, i: int, fold: int) -> np.ndarray:
        """The first pass' features."""
        rows = np.empty((len(self.features[i]), len(self.by_tokens)), np.float32)
        rows[:, ~self.by_tokens] = self.features[i]
        rows[:, self.by_tokens] = self.token_features[i, fold]
        return rows

    def both(self, i: int, fold: int) -> np.ndarray:
        """The features of both passes."""
        parsed = self.pages[i].parsed()
        parsed.features([])
        rows = np.frombuffer(parsed.context(self.margins[i, fold].tolist()), np.float32)
        return np.hstack([self.first(i, fold), rows.reshape(-1, len(ContentPage.context_names()))])

    def train(self, seen: Sequence[int], number: int, fold_of: Callable[[int], int]) -> lgb.Booster:
        """The trees of a pass, from these pages with their features for a fold."""
        rate, trees = PASSES[number]
        columns = len(self.by_tokens) + number * len(ContentPage.context_names())
        rows = np.empty((sum(len(self.features[i]) for i in seen), columns), np.float32)
        at = 0
        for i in seen:
            of_page = (self.both if number else self.first)(i, fold_of(i))
            rows[at : at + len(of_page)] = of_page
            at += len(of_page)
        weights = np.concatenate([self.pages[i].weights for i in seen])
        targets = np.concatenate([self.pages[i].labels for i in seen])
        data = lgb.Dataset(rows, targets, weight=weights / weights.mean(), params=TREES).construct()
        del rows  # the data set has them in its own form
        return lgb.train(TREES | {"learning_rate": rate}, data, trees)


def raw(model: lgb.Booster, rows: np.ndarray) -> np.ndarray:
    """Log-odds."""
    return np.asarray(model.predict(rows, raw_score=True), np.float32)


def first_scores(folds: Folds, skipped: set[int]) -> dict[tuple[int, int], np.ndarray]:
    """Scores of the skipped folds' pages, by a model that saw none of them."""
    fold = min(skipped)
    seen = [i for i in folds.teaching if folds.pages[i].fold not in skipped]
    model = folds.train(seen, 0, lambda _: fold)
    return {
        (i, other): raw(model, folds.first(i, other))
        for i, page in enumerate(folds.pages)
        for other in skipped
        if {page.fold, other} == skipped
    }


def second_scores(folds: Folds, fold: int) -> dict[tuple[str, str], np.ndarray]:
    """Log-odds of a fold's pages, by a model that saw none of them."""
    seen = [i for i in folds.teaching if folds.pages[i].fold != fold]
    model = folds.train(seen, 1, lambda _: fold)
    judged = [i for i, page in enumerate(folds.pages) if page.fold == fold]
    return {(folds.pages[i].source.id, folds.pages[i].version.value): raw(model, folds.both(i, fold)) for i in judged}


work_of_processes: Callable[[Any], Any]


def do_work(task: Any) -> Any:
    """In a process of in_processes."""
    return work_of_processes(task)


def in_processes(work: Callable[[Any], Any], tasks: Sequence[Any], chunksize: int = 1) -> Iterator[Any]:
    """What work gives for each task, in their order; some at a time, by processes that have all that there is here."""
    global work_of_processes
    work_of_processes = work
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        yield from pool.imap(do_work, tasks, chunksize)


def first_passes(folds: Folds, groups: Sequence[set[int]]) -> None:
    """Scores of the pages of each group of folds, by models that saw none of it."""
    for group, margins in zip(groups, in_processes(functools.partial(first_scores, folds), groups), strict=True):
        folds.margins |= margins
        say(f"first pass without folds {sorted(group)}")


def cross_validate(folds: Folds) -> dict[tuple[str, str], np.ndarray]:
    """Log-odds of each page's paragraphs by models that saw no page of its fold. After first_passes of each fold."""
    first_passes(folds, [set(pair) for pair in itertools.combinations(range(FOLDS), 2)])
    scores: dict[tuple[str, str], np.ndarray] = {}
    for fold in range(FOLDS):
        scores |= second_scores(folds, fold)
        say(f"second pass without fold {fold}")
    return scores


def final_model(folds: Folds) -> tuple[TokenTable, lgb.Booster, lgb.Booster]:
    """Of all pages. The second pass learns from scores of first ones that did not see the page. After first_passes."""
    # What tokens say of a page must not come from the page while training: features as for judging it.
    first, second = (folds.train(folds.teaching, number, lambda i: folds.pages[i].fold) for number in (0, 1))
    return token_table(folds.pages, frozenset()), first, second


def heap(tree: dict[str, Any]) -> tuple[list[int], list[float], list[float]]:
    """A tree as a complete one of DEPTH levels: features and thresholds of its nodes, then values of its leaves."""
    features = [0] * ((1 << DEPTH) - 1)
    thresholds = [float("inf")] * ((1 << DEPTH) - 1)
    values = [0.0] * (1 << DEPTH)

    def place(node: dict[str, Any], at: int, level: int) -> None:
        if "leaf_value" in node:
            first = (at + 1 << DEPTH - level) - (1 << DEPTH)
            values[first : first + (1 << DEPTH - level)] = [node["leaf_value"]] * (1 << DEPTH - level)
            return
        if node["decision_type"] != "<=":
            raise ValueError(f"a decision {node['decision_type']}")
        features[at] = node["split_feature"]
        # Features are of 32 bits: the greatest such number that is not above the threshold decides the same.
        threshold = np.float32(node["threshold"])
        if float(threshold) > node["threshold"]:
            threshold = np.nextafter(threshold, np.float32(-np.inf))
        thresholds[at] = float(threshold)
        place(node["left_child"], 2 * at + 1, level + 1)
        place(node["right_child"], 2 * at + 2, level + 1)

    place(tree["tree_structure"], 0, 0)
    return features, thresholds, values


def encode(table: TokenTable, boosters: Sequence[lgb.Booster]) -> bytes:
    """The model's file: see src/html/main_content/model.h."""
    out = bytearray(b"UZMC0002")
    out += struct.pack("<III", len(ContentPage.names()), len(ContentPage.context_names()), len(table))
    out += struct.pack(f"<{len(table)}I", *(token for token, _ in table))
    out += struct.pack(f"<{len(table)}h", *(score for _, score in table))
    out += bytes(len(out) % 4)
    for booster in boosters:
        trees = booster.dump_model()["tree_info"]
        out += struct.pack("<I", len(trees))
        for tree in trees:
            features, thresholds, values = heap(tree)
            out += struct.pack(f"<{len(thresholds)}f", *thresholds)
            out += struct.pack(f"<{len(values)}f", *values)
            out += bytes([*features, 0])
    return bytes(out)


def say(text: str) -> None:
    """On standard error, as soon as it is known: it takes some ten minutes on two cores."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--pages", type=Path, default=PAGES)
    parser.add_argument("--model", type=Path, default=ROOT / "src/html/main_content/main_content.model")
    parser.add_argument("--scores", type=Path, default=ROOT / "build/main_content/scores.pickle")
    arguments = parser.parse_args()
    sources = list(read_sources(arguments.pages, arguments.checkouts))
    folds = Folds(list(read_all(sources)))
    say(f"{len(folds.pages)} pages, {len(folds.teaching)} to learn from")
    folds.compute_features()
    say("features")
    first_passes(folds, [{fold} for fold in range(FOLDS)])
    table, first, second = final_model(folds)
    arguments.model.write_bytes(encode(table, [first, second]))
    say(f"{arguments.model}: {arguments.model.stat().st_size:,} bytes")
    scores = cross_validate(folds)
    arguments.scores.parent.mkdir(parents=True, exist_ok=True)
    arguments.scores.write_bytes(pickle.dumps(scores))


if __name__ == "__main__":
    main()
