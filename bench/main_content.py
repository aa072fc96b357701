"""Measures `uzushio extract --main-content`: what it keeps, next to other extractors on the same pages; speed.

Pages with gold are WCXB's development part and Japanese sites (main_content_gold.toml), from the folder that
UZUSHIO_REAL_PAGES names (default: `../shared/data`), and those of the projects that tools/content_collections.py reads,
of which UZUSHIO_CHECKOUTS names a folder of checkouts. Trafilatura's gold, its first half by file names, is measured by
the counts of its own script.

    main_content.py [--quick]

    --quick    without the other extractors

The program's figures for WCXB, Trafilatura's gold and the collections are of cross-validation
(tools/train_main_content.py leaves the scores in build/main_content; it is run first where they are not there: half an
hour). Those for Japanese manuals are of sites that the model never saw, by the finished program.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import ROOT, Row, row, write

sys.path.insert(0, str(ROOT / "tools"))
import main_content_gold
import resiliparse.extract.html2text as resiliparse
import rs_trafilatura
import trafilatura
import uzushio
from collected_page import CollectedPage
from content_collections import collected, snippet_pages
from extract import PAGES
from gold_alignment import word_f1
from main_content_collections import Reliability, collection_rows, kept_by, kept_in_versions, log_odds_of
from trafilatura_gold import SnippetPage
from train_main_content import one_space, plain, wcxb
from uzushio._core import ContentPage

CHECKOUTS = os.environ.get("UZUSHIO_CHECKOUTS", "")
SCORES = ROOT / "build/main_content/scores.pickle"
KINDS = ("article", "documentation", "service", "forum", "collection", "listing", "product")
WORD = re.compile(r"\w+")
ROUNDS = 5


@dataclass
class Gold:
    """A page and what is to be found on it."""

    id: str
    group: str
    """WCXB's kind, or a Japanese site."""
    url: str
    html: str
    text: str
    without: list[str]


Extractor = Callable[[Gold], str]


def by_trafilatura(page: Gold) -> str:
    """As its own evaluation calls it."""
    return trafilatura.extract(page.html, url=page.url or None, include_comments=False, include_tables=True) or ""


def by_rs_trafilatura(page: Gold) -> str:
    """With its defaults."""
    return rs_trafilatura.extract(page.html, url=page.url or None).main_content or ""


def by_resiliparse(page: Gold) -> str:
    """Its main content."""
    return str(resiliparse.extract_plain_text(page.html, main_content=True, alt_texts=False))


def of_collected(extract: Extractor) -> Callable[[CollectedPage], str]:
    """An extractor for a collection's pages."""
    return lambda page: extract(Gold(page.id, page.kind, page.url, page.html, page.gold, []))


PEERS: dict[str, Extractor] = {
    "rs-trafilatura": by_rs_trafilatura,
    "Trafilatura": by_trafilatura,
    "Resiliparse": by_resiliparse,
}


def kept_text(page: ContentPage, kept: Sequence[bool]) -> str:
    """Paragraphs that are kept, without link marks."""
    return "\n\n".join(plain(text) for text, keep in zip(page.texts(), kept, strict=True) if keep)


def by_program(page: Gold, anonymous: bool = False) -> str:
    """By the finished model, without the title that `extract` may put first."""
    parsed = ContentPage(page.html, page.url, anonymous)
    return kept_text(parsed, parsed.kept()) if parsed.texts() else ""


class CrossValidated:
    """By models that saw no page of the page's domain."""

    def __init__(self) -> None:
        if not SCORES.exists():
            script = ROOT / "tools/train_main_content.py"
            again = ROOT / "build/main_content/again.model"
            subprocess.run([sys.executable, script, "--checkouts", CHECKOUTS, "--model", again], check=True)
        self.scores: dict[tuple[str, str], Any] = pickle.loads(SCORES.read_bytes())

    def __call__(self, page: Gold) -> str:
        """The text that the program would keep."""
        parsed = ContentPage(page.html, page.url)
        return kept_by(parsed, log_odds_of(parsed, page.id, self.scores))

    def calibration_rows(self, pages: list[Gold]) -> list[Row]:
        """Whether probabilities hold, on pages with all of their gold."""
        reliability = Reliability()
        for page in pages:
            parsed = ContentPage(page.html, page.url)
            reliability.add(parsed, log_odds_of(parsed, page.id, self.scores), page.text)
        return reliability.rows("WCXB")


def character_f1(kept: str, gold: str) -> float:
    """F of the bags of characters, without white space."""
    a, b = Counter("".join(kept.split())), Counter("".join(gold.split()))
    both = sum((a & b).values())
    return 2 * both / (a.total() + b.total()) if both else float(not a and not b)


def wcxb_pages() -> list[Gold]:
    """WCXB's development part."""
    return [
        Gold(item["id"], item["page_type"], item["url"] or "", item["html"], item["main_content"], item["without"])
        for item in wcxb(PAGES)
    ]


def japanese_pages(split: str) -> list[Gold]:
    """Pages of the sites of a split."""
    return [
        Gold(item["url"], item["site"], item["url"], item["html"], item["main_content"], [])
        for item in main_content_gold.rows(PAGES, split)
    ]


def wcxb_rows(name: str, extract: Extractor, pages: list[Gold], rows: list[Row], ours: bool) -> None:
    """F by kind, and the share of what has to be left out that is let through: WCXB's own measures."""
    scores: dict[str, list[float]] = defaultdict(list)
    through = []
    for page in pages:
        text = extract(page)
        scores[page.group].append(word_f1(WORD.findall(text.lower()), WORD.findall(page.text.lower())))
        if page.without:
            low = text.lower()
            through.append(sum(snippet.lower() in low for snippet in page.without) / len(page.without))
    everything = [score for of_kind in scores.values() for score in of_kind]
    where = f"WCXB development, {len(pages)} pages"
    rows.append(row(f"{name}: F", [statistics.mean(everything)], "F", input=where, target=0.875 if ours else None))
    for kind in KINDS:
        rows.append(row(f"{name}: F, {kind}", [statistics.mean(scores[kind])], "F", input=where))
    target = {"target": 0.06, "better": "lower"} if ours else {}
    rows.append(row(f"{name}: let through", [statistics.mean(through)], "share", input=where, **target))


def japanese_rows(name: str, extract: Extractor, pages: list[Gold], rows: list[Row], target: float | None) -> None:
    """F in characters: the mean over a site's pages, then over sites."""
    sites: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        sites[page.group].append(character_f1(extract(page), page.text))
    mean = statistics.mean(statistics.mean(of_site) for of_site in sites.values())
    where = f"{len(pages)} Japanese pages of {len(sites)} sites"
    rows.append(row(f"{name}: F, Japanese", [mean], "F", input=where, target=target))
    for site, of_site in sites.items():
        rows.append(row(f"{name}: F, {site}", [statistics.mean(of_site)], "F", input=where))


def version_rows(validated: CrossValidated, pages: list[Gold], rows: list[Row]) -> None:
    """F of pages without classes and ids, and as they would be in Japanese, next to the same pages as they are."""
    found: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        gold = WORD.findall(page.text.lower())
        kept = kept_in_versions(page.id, page.html, page.url, validated.scores)
        for name, text in kept.items():
            found[name].append(word_f1(WORD.findall(text.lower()), gold))
    for name, values in sorted(found.items()):
        rows.append(row(f"F, {name}", [statistics.mean(values)], "F", input=f"{len(values)} WCXB pages"))


def trafilatura_rows(name: str, extract: Extractor, gold: Sequence[SnippetPage], rows: list[Row], ours: bool) -> None:
    """The counts of its tests/evaluate.py: snippets that have to be kept, and to be left out."""
    kept = missed = wrong = 0
    for page in gold:
        text = one_space(extract(Gold(page.file, "", "", page.html, "", [])))
        found = sum(one_space(snippet) in text for snippet in page.kept)
        kept += found
        missed += len(page.kept) - found
        wrong += sum(one_space(snippet) in text for snippet in page.left_out)
    value = 2 * kept / (2 * kept + missed + wrong)
    where = f"the first {len(gold)} of Trafilatura's pages"
    rows.append(row(f"{name}: F of snippets", [value], "F", input=where, target=0.93 if ours else None))


def speed_rows(pages: list[Gold], rows: list[Row], peers: dict[str, Extractor]) -> None:
    """Against extraction of everything, and against the others: whole pages, in turns, on one core."""
    base: list[float] = []
    ratios: list[float] = []
    command = [str(ROOT / "build/release/uzushio"), "extract", str(PAGES / "web.warc.gz"), "--threads", "1"]
    options = ["--language", "all", "--output", str(ROOT / "build/bench/content"), "--overwrite", "--quiet"]
    for _ in range(ROUNDS):
        seconds = []
        for more in ([], ["--main-content"]):
            start = time.monotonic()
            subprocess.run([*command, *options, *more], check=True)
            seconds.append(time.monotonic() - start)
        base.append(seconds[1])
        ratios.append(seconds[0] / seconds[1])
    rows.append(row("time of extract / with --main-content", ratios, "times", input="web.warc.gz", target=0.85))
    size = sum(len(page.html.encode()) for page in pages)
    where = f"{len(pages)} WCXB pages, {size / 1e6:.0f} MB"

    def ours(page: Gold) -> str:
        try:
            html = page.html.encode()
            return uzushio.extract_html(html, url=page.url, main_content=True, max_tree_bytes=1 << 30).text
        except uzushio.PageRejected:
            return ""

    def seconds_of(extract: Extractor) -> float:
        start = time.process_time()
        for page in pages:
            extract(page)
        return time.process_time() - start

    own = [seconds_of(ours) for _ in range(ROUNDS)]
    rows.append(row("ms a page", [1e3 * seconds / len(pages) for seconds in own], "ms", input=where))
    rows.append(row("speed", [size / seconds / 1e6 for seconds in own], "MB/s", input=where))
    for name, target in (("Trafilatura", 12.0), ("rs-trafilatura", 8.0), ("Resiliparse", 1.0)):
        if name in peers:
            times = seconds_of(peers[name]) / statistics.median(own)
            rows.append(row(f"{name}'s time / ours", [times], "times", input=where, target=target))


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Measures `uzushio extract --main-content`.")
    parser.add_argument("--quick", action="store_true")
    peers = {} if parser.parse_args().quick else PEERS
    if not CHECKOUTS:
        parser.error("UZUSHIO_CHECKOUTS has to name a folder of checkouts (tools/content_collections.py --clone)")
    rows: list[Row] = []
    pages, judging = wcxb_pages(), japanese_pages("judging")
    validated = CrossValidated()
    wcxb_rows("Uzushio", validated, pages, rows, ours=True)
    japanese_rows("Uzushio", by_program, judging, rows, 0.97)
    japanese_rows("Uzushio without classes and ids", lambda page: by_program(page, True), judging, rows, 0.95)
    version_rows(validated, pages, rows)
    rows += validated.calibration_rows(pages)
    rows += collection_rows(
        collected(Path(CHECKOUTS)), validated.scores, {k: of_collected(v) for k, v in peers.items()}
    )
    for name, extract in peers.items():
        wcxb_rows(name, extract, pages, rows, ours=False)
        japanese_rows(name, extract, judging, rows, None)
    snippets = list(snippet_pages(Path(CHECKOUTS)))
    extractors: dict[str, Extractor] = {"Uzushio": validated, **peers}
    for name, extract in extractors.items():
        trafilatura_rows(name, extract, snippets, rows, ours=name == "Uzushio")
    speed_rows(pages[::5], rows, peers)
    write("main-content", rows)


if __name__ == "__main__":
    main()
