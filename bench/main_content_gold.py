"""Writes the main content of Japanese pages, as rules by hand say it, to judge an extractor by.

    main_content_gold.py [--split tuning|judging|all] [--output FILE] [--pages FOLDER] [--check]

    --split     of which sites (default: all)
    --output    JSON Lines, an object a page: site, split, url, html (decoded), main_content (default: standard output)
    --pages     folder of the real pages (default: what UZUSHIO_REAL_PAGES names, or `../shared/data`)
    --check     apply the rules to every page of the sites, not only to the chosen ones, and write nothing

The rules are in main_content_gold.toml. Of each site at most MOST_PAGES pages are chosen, by digests of their URLs, one
of each folder first; pages with less content than LEAST, and pages with the content of another, are left out. A page
that no rule is for, and a page on which a rule finds no content, are errors: each is printed with its URL, and the exit
code is 1. White space in `main_content` is not to be compared: a line is a block or a row, cells have a space between.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from extract import PAGES, is_page
from fastwarc.warc import ArchiveIterator

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
from content_rules import Rule, RuleError, main_content

RULES = Path(__file__).with_suffix(".toml")
NAMES = ("web", "legacy", "docs", "small")
SPLITS = ("tuning", "judging")
LANGUAGES = ("ja", "mixed-ja")
MIN_KANA = 200
MOST_PAGES = 12
"""Of a site."""
LEAST = 150
"""Characters of content that a page has to have: chapters that are a table of contents have fewer."""


@dataclass
class Site:
    """Pages of one author and one template, or few."""

    name: str
    urls: str  # regular expression that the URLs begin with
    split: str
    rules: list[Rule]

    def rule(self, url: str) -> Rule:
        """The first rule that is for a page."""
        for rule in self.rules:
            if re.search(rule.url, url):
                return rule
        raise RuleError("no rule is for this page")


@dataclass
class Page:
    """A record's place, and what the manifest says of it."""

    path: Path
    begin: int
    end: int
    url: str
    charset: str
    coded: bool  # in a content or transfer coding

    def html(self) -> str:
        """The decoded body."""
        with self.path.open("rb") as file:
            file.seek(self.begin)
            member = io.BytesIO(file.read(self.end - self.begin))
        coding = "all" if self.coded else "none"  # headers of other records may belie their bodies
        options = {"parse_http": True, "auto_decode": coding, "quirks_mode": True, "max_header_len": 1 << 20}
        for record in ArchiveIterator(member, **options):
            body: bytes = record.reader.read()
            return body.decode(CODECS.get(self.charset, self.charset), "replace")
        raise ValueError(f"{self.path}: no record at {self.begin}")


CODECS = {"shift_jis": "cp932"}  # as browsers read it


def read_sites(path: Path = RULES) -> list[Site]:
    """The rules."""
    sites = []
    for table in tomllib.loads(path.read_text(encoding="utf-8"))["site"]:
        rules = [Rule(**rule) for rule in table.pop("rule")]
        site = Site(rules=rules, **table)
        if site.split not in SPLITS or any(bool(rule.content) == rule.skip for rule in rules):
            raise ValueError(f"{path}: {site.name}: a site has a split, and a rule either content or skip")
        sites.append(site)
    return sites


def read_pages(folder: Path) -> Iterator[Page]:
    """The whole pages in Japanese, each URL once."""
    seen = set()
    for name in NAMES:
        path = folder / f"{name}.warc.gz"
        with gzip.open(folder / f"{name}.manifest.tsv.gz", "rt", encoding="utf-8") as file:
            lines = list(csv.DictReader(file, delimiter="\t"))
        ends = [int(line["offset"]) for line in lines[1:]] + [path.stat().st_size]
        for line, end in zip(lines, ends, strict=True):
            japanese = line["lang"] in LANGUAGES and int(line["kana"]) >= MIN_KANA
            if japanese and is_page(line, whole_only=True) and line["url"] not in seen:
                seen.add(line["url"])
                coded = not is_page(line)
                yield Page(path, int(line["offset"]), end, line["url"], line["charset"], coded)


def digest(text: str) -> str:
    """What pages are ordered by: the same on every machine, and nothing to do with the text's meaning."""
    return hashlib.sha256(text.encode()).hexdigest()


def spread(pages: Iterable[Page]) -> list[Page]:
    """The pages in the order in which they are taken: one of each folder, then another of each."""
    folders = defaultdict(list)
    for page in sorted(pages, key=lambda page: digest(page.url)):
        folders[page.url.rpartition("/")[0]].append(page)
    rounds = zip_longest(*(folders[folder] for folder in sorted(folders, key=digest)))
    return [page for turn in rounds for page in turn if page is not None]


def gold(site: Site, pages: Iterable[Page], most: int) -> Iterator[tuple[Page, str, str | RuleError]]:
    """So many pages of a site with their HTML and main content; what a rule does not fit, besides."""
    found = 0
    texts = set()
    for page in spread(page for page in pages if re.match(site.urls, page.url)):
        html = page.html()
        try:
            rule = site.rule(page.url)
            text = "" if rule.skip else main_content(html, rule)
        except RuleError as error:
            yield page, html, error
            continue
        if len(text) >= LEAST and text not in texts:
            texts.add(text)
            yield page, html, text
            found += 1
            if found == most:
                return


def rows(folder: Path, split: str) -> Iterator[dict[str, str]]:
    """The chosen pages of a split's sites: what the command line writes. RuleError where a rule does not fit."""
    pages = list(read_pages(folder))
    for site in read_sites():
        if site.split == split:
            for page, html, text in gold(site, pages, MOST_PAGES):
                if isinstance(text, RuleError):
                    raise RuleError(f"{site.name}: {page.url}: {text}")
                yield {"site": site.name, "split": site.split, "url": page.url, "html": html, "main_content": text}


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Writes the main content of Japanese pages, as rules by hand say it.")
    parser.add_argument("--split", choices=(*SPLITS, "all"), default="all")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--pages", type=Path, default=PAGES)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    pages = list(read_pages(options.pages))
    bad = 0
    with options.output.open("w", encoding="utf-8") if options.output else nullcontext(sys.stdout) as output:
        for site in read_sites():
            if options.split not in (site.split, "all"):
                continue
            good = 0
            for page, html, text in gold(site, pages, len(pages) if options.check else MOST_PAGES):
                if isinstance(text, RuleError):
                    print(f"{site.name}: {page.url}: {text}", file=sys.stderr)
                    bad += 1
                    continue
                good += 1
                if not options.check:
                    item = {"site": site.name, "split": site.split, "url": page.url, "html": html, "main_content": text}
                    print(json.dumps(item, ensure_ascii=False), file=output)
            print(f"{site.name}: {good} pages, {site.split}", file=sys.stderr)
            bad += not good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
