"""Trains the model of main content, and measures it by cross-validation.

    train_main_content.py --trafilatura FOLDER [--checkouts FOLDER] [--pages FOLDER] [--model FILE] [--scores FILE]

    --trafilatura   a checkout of adbar/trafilatura
    --checkouts     a folder of checkouts of the projects whose pages tools/content_collections.py reads, which says how
                    they are fetched; without it these pages are not learnt from
    --pages     where wcxb-dev.jsonl.zst and the WARC files with Japanese pages are (default: what UZUSHIO_REAL_PAGES
                names, or `../shared/data`)
    --model     what is written (default: src/html/main_content/main_content.model)
    --scores    probabilities of each page's paragraphs by models that saw no page of its domain, for
                bench/main_content.py (default: build/main_content/scores.pickle)

Pages are WCXB's development part (CC-BY-4.0, Murrough Foley 2026), those Japanese sites of bench/main_content_gold.toml
that are for tuning, and the first half, by file names, of Trafilatura's gold (its tests/evaldata.json; Apache-2.0),
where only paragraphs with snippets that have to be kept, or left out, are known; with --checkouts, the collections of
tools/content_collections.py, where texts that a collection does not judge are not counted; a third of all a second time
without classes and ids, so that the model can do without. The program itself computes the features, and runs the model,
so that nothing is written twice.

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
import pickle
import struct
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import lightgbm as lgb
import numpy as np
import zstandard
from collected_page import CollectedPage
from content_collections import collected
from gold_alignment import labels, word_f1, words
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
"""That a token has to be seen on."""
PRIOR_DOMAINS = 2.0
"""A token counts as if it had been seen on so many more, with an average share of content."""
LEAST_SCORE = 4
"""Of a token that is kept, in 1/16 of log2 of the odds."""
LEAST_ORACLE = 0.7
"""F of the best choice of paragraphs; pages where it is less teach nothing: their gold is of another text."""
JAPANESE_WEIGHT = 3.0
"""Of a Japanese page: they are few, and what the program is for. WCXB's gold leaves out code and tables at times."""
SNIPPETS_WEIGHT = 0.5
"""Of a page of which little is known; that of others is 1."""
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
class Page:
    """A page with its gold."""

    id: str
    site: str
    kind: str
    paragraphs: list[list[str]]
    gold: list[str]
    page: Any
    """The program's own: uzushio._core.ContentPage."""
    anonymous: bool
    labels: np.ndarray = field(default_factory=lambda: np.zeros(0))
    known: np.ndarray | None = None
    """Of which paragraphs the label is known; None: of all."""
    token_shares: dict[int, float] = field(default_factory=dict)
    apart: np.ndarray | None = None
    """Of which paragraphs the collection does not say whether they are content; None: of none."""

    @property
    def fold(self) -> int:
        """All pages of a site are in one."""
        return int(hashlib.sha256(self.site.encode()).hexdigest(), 16) % FOLDS

    @property
    def weights(self) -> np.ndarray:
        """Of the paragraphs; their sum is the page's weight."""
        counts = np.array([len(paragraph) for paragraph in self.paragraphs], float) + FLOOR_WORDS
        if self.apart is not None:
            counts *= ~self.apart
        if self.known is None:
            return np.asarray((JAPANESE_WEIGHT if self.kind == "japanese" else 1.0) * counts / max(counts.sum(), 1))
        counts *= self.known
        return np.asarray(SNIPPETS_WEIGHT * counts / max(counts.sum(), 1))

    @property
    def teaches(self) -> bool:
        """Whether models learn from it."""
        if self.known is not None:
            return bool(self.known.any())
        content = (text for text, label in zip(self.paragraphs, self.labels, strict=True) if label >= 0.5)
        kept = list(itertools.chain.from_iterable(content))
        return bool(self.gold) and word_f1(kept, self.gold) >= LEAST_ORACLE


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


def make_page(identity: str, site: str, kind: str, url: str, html: str, gold: list[str], anonymous: bool) -> Page:
    """A page as the program parses it, without labels."""
    page = ContentPage(html, url, anonymous)
    return Page(identity, site, kind, [words(plain(text)) for text in page.texts()], gold, page, anonymous)


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


def trafilatura_gold(checkout: Path) -> Iterator[tuple[dict[str, Any], bytes]]:
    """The first half of Trafilatura's gold, with the pages."""
    tests = checkout / "tests"
    gold = json.loads((tests / "evaldata.json").read_text(encoding="utf-8"))
    items = sorted(gold.values(), key=lambda item: str(item["file"]))
    for item in items[: len(items) // 2]:
        file = next(path for part in ("cache", "eval") if (path := tests / part / item["file"]).exists())
        yield item, file.read_bytes()


def decode(html: bytes) -> str:
    """A page of Trafilatura's: UTF-8, or an older Western one."""
    try:
        return html.decode()
    except UnicodeDecodeError:
        return html.decode("cp1252", "replace")


def one_space(text: str) -> str:
    """With one space where there was white space."""
    return " ".join(text.split())


def read_pages(folder: Path, trafilatura: Path, checkouts: Path | None) -> list[Page]:
    """All pages with their labels; those of content_collections.py where there are checkouts."""
    pages: list[Page] = []

    def add(page_of: Callable[[bool], Page], label: Callable[[Page], None]) -> None:
        first = page_of(False)
        again = hashlib.sha256(first.id.encode()).digest()[0] % 3 == 0
        for page in [first, page_of(True)] if again else [first]:  # classes decide what some paragraphs are
            if page.paragraphs:
                label(page)
                pages.append(page)

    def add_gold(identity: str, site: str, kind: str, url: str, html: str, gold: str) -> None:
        def label(page: Page) -> None:
            page.labels = labels(page.paragraphs, page.gold)

        add(functools.partial(make_page, identity, site, kind, url, html, words(gold)), label)

    def add_snippets(item: dict[str, Any], html: str) -> None:
        def label(page: Page) -> None:
            texts = [one_space(plain(text)) for text in page.page.texts()]
            kept, left = (
                np.array([any(one_space(part) in text for part in item[key]) for text in texts], bool)
                for key in ("with", "without")
            )
            page.labels, page.known = kept.astype(float), kept | left

        file = str(item["file"])
        add(functools.partial(make_page, file, site_of_file(file), "snippets", "", html, []), label)

    def add_collected(row: CollectedPage) -> None:
        texts = {tuple(words(text)) for text in row.apart}

        def label(page: Page) -> None:
            page.labels = labels(page.paragraphs, page.gold)
            page.apart = np.array([tuple(paragraph) in texts for paragraph in page.paragraphs], bool)

        japanese_page = row.language == "ja"
        site = row.domain if japanese_page else domain(f"https://{row.domain}/")
        kind = "japanese" if japanese_page else row.kind
        add(functools.partial(make_page, row.id, site, kind, row.url, row.html, words(row.gold)), label)

    for row in wcxb(folder):
        url = row["url"] or ""
        add_gold(row["id"], domain(url) or row["id"], row["page_type"], url, row["html"], row["main_content"])
    for row in japanese(folder, "tuning"):
        add_gold(row["url"], row["site"], "japanese", row["url"], row["html"], row["main_content"])
    for item, html in trafilatura_gold(trafilatura):
        add_snippets(item, decode(html))
    for collected_page in collected(checkouts) if checkouts else ():
        add_collected(collected_page)
    for page in pages:
        page.token_shares = {} if page.anonymous or page.known is not None else token_shares(page)
    return pages


def token_shares(page: Page) -> dict[int, float]:
    """For each token of the page's elements, the share of content in their words."""
    counts = np.array([len(paragraph) for paragraph in page.paragraphs], float)
    before = np.concatenate([[0.0], np.cumsum(counts)])
    content = np.concatenate([[0.0], np.cumsum(counts * page.labels)])
    found: dict[int, list[float]] = {}
    for first, end, tokens in page.page.elements():
        if before[end] == before[first]:
            continue
        for token in set(tokens):
            sums = found.setdefault(token, [0.0, 0.0, 0])
            if first >= sums[2]:  # else it lies in another of the same token
                sums[0] += before[end] - before[first]
                sums[1] += content[end] - content[first]
                sums[2] = end
    return {token: sums[1] / sums[0] for token, sums in found.items()}


def token_table(pages: Sequence[Page], without: set[int]) -> TokenTable:
    """How much each token speaks for content, on pages of other folds than these."""
    shares: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    averages = []
    for page in pages:
        if page.fold in without or not page.token_shares or not page.teaches:
            continue
        counts = np.array([len(paragraph) for paragraph in page.paragraphs], float)
        averages.append(float((counts * page.labels).sum() / max(counts.sum(), 1)))
        for token, share in page.token_shares.items():
            shares[token][page.site].append(share)
    average = float(np.mean(averages))
    table = []
    for token, by_site in sorted(shares.items()):
        if len(by_site) < LEAST_DOMAINS:
            continue
        total = sum(sum(of_site) / len(of_site) for of_site in by_site.values())
        share = min(max((total + PRIOR_DOMAINS * average) / (len(by_site) + PRIOR_DOMAINS), 1e-3), 1 - 1e-3)
        score = round(16 * float(np.log2(share / (1 - share)) - np.log2(average / (1 - average))))
        if abs(score) >= LEAST_SCORE:
            table.append((token, score))
    return table


class Folds:
    """Features and first scores of each page that are fit for training, and for judging, one fold."""

    def __init__(self, pages: list[Page]):
        self.pages = pages
        self.teaching = [i for i, page in enumerate(pages) if page.teaches]
        # features[i, f]: of page i, for models that do not see fold f; tokens neither from f nor from the page's fold
        self.features: dict[tuple[int, int], np.ndarray] = {}
        self.margins: dict[tuple[int, int], np.ndarray] = {}

    def compute_features(self, fold: int) -> None:
        """Of all pages, for models that do not see the fold."""
        names = len(ContentPage.names())
        for other in range(FOLDS):
            table = token_table(self.pages, {fold, other})
            for i, page in enumerate(self.pages):
                if page.fold == other:
                    rows = np.frombuffer(page.page.features(table), np.float32)
                    self.features[i, fold] = rows.reshape(-1, names)

    def context(self, i: int, fold: int) -> np.ndarray:
        """The features of both passes."""
        page = self.pages[i].page
        page.features([])
        rows = np.frombuffer(page.context(self.margins[i, fold].tolist()), np.float32)
        return np.hstack([self.features[i, fold], rows.reshape(-1, len(ContentPage.context_names()))])


def train(rows: list[np.ndarray], pages: list[Page], number: int) -> lgb.Booster:
    """The trees of a pass."""
    rate, trees = PASSES[number]
    weights = np.concatenate([page.weights for page in pages])
    data = lgb.Dataset(
        np.concatenate(rows), np.concatenate([page.labels for page in pages]), weight=weights / weights.mean()
    )
    return lgb.train(TREES | {"learning_rate": rate}, data, trees)


def raw(model: lgb.Booster, rows: np.ndarray) -> np.ndarray:
    """Log-odds."""
    return np.asarray(model.predict(rows, raw_score=True), np.float32)


def first_scores(folds: Folds, skipped: set[int]) -> lgb.Booster:
    """Scores of the skipped folds' pages, by a model that saw none of them."""
    fold = min(skipped)
    seen = [i for i in folds.teaching if folds.pages[i].fold not in skipped]
    model = train([folds.features[i, fold] for i in seen], [folds.pages[i] for i in seen], 0)
    for i, page in enumerate(folds.pages):
        for other in skipped:
            if page.fold in skipped and ({page.fold, other} == skipped):
                folds.margins[i, other] = raw(model, folds.features[i, other])
    return model


def cross_validate(folds: Folds) -> dict[tuple[str, bool], np.ndarray]:
    """Log-odds of each page's paragraphs by models that saw no page of its fold."""
    for fold in range(FOLDS):
        folds.compute_features(fold)
    say("features")
    for fold in range(FOLDS):
        first_scores(folds, {fold})
    for pair in itertools.combinations(range(FOLDS), 2):
        first_scores(folds, set(pair))
        say(f"first pass without folds {pair}")
    scores = {}
    for fold in range(FOLDS):
        seen = [i for i in folds.teaching if folds.pages[i].fold != fold]
        model = train([folds.context(i, fold) for i in seen], [folds.pages[i] for i in seen], 1)
        for i, page in enumerate(folds.pages):
            if page.fold == fold:
                scores[page.id, page.anonymous] = raw(model, folds.context(i, fold))
        say(f"second pass without fold {fold}")
    return scores


def final_model(folds: Folds) -> tuple[TokenTable, lgb.Booster, lgb.Booster]:
    """Of all pages. The second pass learns from scores of first ones that did not see the page."""
    seen = folds.teaching
    pages = [folds.pages[i] for i in seen]
    # What tokens say of a page must not come from the page while training: features as for judging it.
    first = train([folds.features[i, folds.pages[i].fold] for i in seen], pages, 0)
    second = train([folds.context(i, folds.pages[i].fold) for i in seen], pages, 1)
    return token_table(folds.pages, set()), first, second


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
    out = bytearray(b"UZMC0001")
    out += struct.pack("<III", len(ContentPage.names()), len(ContentPage.context_names()), len(table))
    for token, score in table:
        out += struct.pack("<Ii", token, score)
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
    """On standard error, as soon as it is known: it takes a quarter of an hour."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trafilatura", type=Path, required=True)
    parser.add_argument("--checkouts", type=Path)
    parser.add_argument("--pages", type=Path, default=PAGES)
    parser.add_argument("--model", type=Path, default=ROOT / "src/html/main_content/main_content.model")
    parser.add_argument("--scores", type=Path, default=ROOT / "build/main_content/scores.pickle")
    arguments = parser.parse_args()
    folds = Folds(read_pages(arguments.pages, arguments.trafilatura, arguments.checkouts))
    say(f"{len(folds.pages)} pages, {len(folds.teaching)} to learn from")
    scores = cross_validate(folds)
    arguments.scores.parent.mkdir(parents=True, exist_ok=True)
    arguments.scores.write_bytes(pickle.dumps(scores))
    table, first, second = final_model(folds)
    arguments.model.write_bytes(encode(table, [first, second]))
    say(f"{arguments.model}: {arguments.model.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
