"""Judges presets by their text: what each keeps of Japanese pages' main content, and how much of what it keeps is that.

    presets.py [--split judging|tuning|all] [--collection FILE]… [--preset NAME]… [--data FOLDER] [--lost] [-P N=VALUE]…

    --split        sites of main_content_gold.toml whose pages judge (default: judging, which chose no bound)
    --collection   judge by own pages instead: JSON Lines, an object a page: url, html (decoded), gold (the text that a
                   reader came for); may be repeated
    --preset       of uzushio, swallow, recommended; may be repeated (default: all)
    --data         folder of real pages (default: what UZUSHIO_REAL_PAGES names, or `../shared/data`)
    --lost         name the pages of which less than half is kept
    -P             what presets take, such as kenlm=FILE; may be repeated

Each preset runs whole (`uzushio run --preset NAME`) on all archives of the folder, so that pages with gold lie among a
crawl's other pages, which paragraphs' statistics and duplicates are found in; pages of a collection are written into an
archive beside them. All texts are compared by letters and digits alone, so that Markdown neither costs nor gains; both
sides are bags of runs of RUN letters.

A page counts where its gold is Japanese: a share of LEAST_KANA of its letters is kana. Half-translated manuals have
pages in English, which a preset for Japanese text is right to leave out.

* kept: of the gold's runs, those in the text that the preset writes of the page; where it writes none, or the text of a
  duplicate has more of them, those in the one text of all that shares most lines with the gold. A duplicate is no loss.
* gold: of the runs that the preset writes of pages with gold, those that the gold has.

Both are of all pages' runs together, in which long manuals outweigh all else, and then the mean over sites. Of
`uzushio` three grades are good for training (docs/pipeline.md); all three are taken.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import main_content_gold
import pyarrow.dataset as ds
from extract import PAGES
from report import ROOT, Row, row, write

PROGRAM = ROOT / "build" / "uzushio"
RUN = 5
"""Letters of a run."""
LEAST_KANA = 0.1
LEAST_LINE = 20
"""Letters of a line that duplicates are found by."""
GRADES = ("filter=none", "filter=DedupDocsPercentile(0.1,1.5)", "filter=DedupDocsPercentile(0.05,2.5)")
RESULTS = {
    "uzushio": [f"graded/{grade}" for grade in GRADES],
    "swallow": ["unique"],
    "recommended": ["clean"],
}
KEPT_TARGET, GOLD_TARGET = 0.90, 0.95


@dataclass
class Gold:
    """A page and what is to be kept of it."""

    site: str
    url: str
    html: str | None
    """None where the page lies in an archive."""
    text: str


def letters(text: str) -> str:
    """Letters and digits alone."""
    return "".join(character for character in text if character.isalnum())


def runs(text: str) -> Counter[str]:
    """Runs of letters, with how often each occurs; a text shorter than one is one."""
    return Counter(text[start : start + RUN] for start in range(max(len(text) - RUN + 1, min(len(text), 1))))


def lines(text: str) -> set[str]:
    """The letters of lines that are long enough to know a text by."""
    found = (letters(line) for line in text.splitlines())
    return {line for line in found if len(line) >= LEAST_LINE}


def is_japanese(text: str) -> bool:
    """By the share of kana."""
    every = letters(text)
    return sum("\u3040" <= letter <= "\u30ff" for letter in every) >= LEAST_KANA * max(len(every), 1)


def of_archives(data: Path, split: str) -> list[Gold]:
    """Pages whose content rules say."""
    splits = main_content_gold.SPLITS if split == "all" else (split,)
    every = [item for name in splits for item in main_content_gold.rows(data, name)]
    return [Gold(item["site"], item["url"], None, item["main_content"]) for item in every]


def of_collections(files: Iterable[Path]) -> list[Gold]:
    """Own pages. Errors: ValueError for a line that is none, or a URL that was there."""
    pages: list[Gold] = []
    seen = set()
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            item = json.loads(line)
            missing = {"url", "html", "gold"} - item.keys()
            if missing or item["url"] in seen:
                wrong = (
                    f"lacks {', '.join(sorted(missing))}" if missing else f"has the URL of another page, {item['url']}"
                )
                raise ValueError(f"{file}:{number}: {wrong}")
            seen.add(item["url"])
            pages.append(Gold(urlsplit(item["url"]).netloc, item["url"], item["html"], item["gold"]))
    return pages


def write_archive(pages: Sequence[Gold], path: Path) -> None:
    """The pages that lie in no archive, a gzip member each."""
    with path.open("wb") as file:
        for page in pages:
            body = (page.html or "").encode("utf-8", "replace")
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
            block = head.encode() + body
            digits = hashlib.sha256(page.url.encode()).hexdigest()
            id_ = "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "8" + digits[17:20], digits[20:32]))
            record = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{id_}>\r\n"
                f"WARC-Target-URI: {page.url}\r\n"
                f"WARC-Date: 2025-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(block)}\r\n\r\n"
            )
            file.write(gzip.compress(record.encode() + block + b"\r\n\r\n", mtime=0))


def written(preset: str, archives: Sequence[Path], properties: Sequence[str], folder: Path) -> dict[str, list[str]]:
    """The texts that a preset writes, by URL."""
    more = [part for one in properties for part in ("-P", one)]
    command: list[str | Path] = [
        PROGRAM,
        "run",
        "--preset",
        preset,
        "--input",
        *archives,
        "--output",
        folder,
        "--quiet",
        *more,
    ]
    subprocess.run(command, check=True)
    texts: dict[str, list[str]] = defaultdict(list)
    for result in RESULTS[preset]:
        if not (folder / result).is_dir() and preset == "uzushio":
            continue  # a grade that nothing is of
        files = [str(file) for file in sorted((folder / result).glob("**/part-*.parquet"))]
        table = ds.dataset(files).to_table(["url", "text"])
        for url, text in zip(table["url"].to_pylist(), table["text"].to_pylist(), strict=True):
            texts[url].append(plain(text))
    return texts


def plain(text: str) -> str:
    """A text without paths and marks, where a stage has left them."""
    return "\n".join(part.rpartition("\x1c")[2] for part in text.split("\n\n"))


class Judge:
    """Holds what a preset has written against gold."""

    def __init__(self, texts: dict[str, list[str]]) -> None:
        self.texts = texts
        self.places: dict[str, list[str]] = defaultdict(list)
        """Texts by their lines."""
        for of_url in texts.values():
            for text in of_url:
                for line in lines(text):
                    self.places[line].append(text)

    def nearest(self, gold: str) -> str:
        """The text that shares most letters of lines with the gold, or nothing."""
        shared: Counter[str] = Counter()
        for line in sorted(lines(gold)):
            for text in self.places.get(line, ()):
                shared[text] += len(line)
        return shared.most_common(1)[0][0] if shared else ""

    def kept(self, page: Gold) -> tuple[int, int, int]:
        """Runs of the gold that are kept; of the page's own text, and of these that the gold has."""
        gold = runs(letters(page.text))
        own = [runs(letters(text)) for text in self.texts.get(page.url, ())]
        both, size = max(((sum((gold & one).values()), one.total()) for one in own), default=(0, 0))
        kept = max(both, sum((gold & runs(letters(self.nearest(page.text)))).values()))
        return kept, size, both


def judge(preset: str, pages: Sequence[Gold], texts: dict[str, list[str]], lost: bool) -> list[Row]:
    """The rows of a preset."""
    one = Judge(texts)
    sites: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
    for page in pages:
        counts = (runs(letters(page.text)).total(), *one.kept(page))
        sites[page.site].append(counts)
        if lost and 2 * counts[1] < counts[0]:
            print(f"{preset}: {counts[1] / counts[0]:.2f} of {counts[0]} kept: {page.url}")
    where = f"{len(pages)} Japanese pages of {len(sites)} sites"
    whole = [sum(column) for column in zip(*(counts for of_site in sites.values() for counts in of_site), strict=True)]
    kept, pure = [], []
    for of_site in sites.values():
        total, found, size, both = map(sum, zip(*of_site, strict=True))
        kept.append(found / total)
        if size:
            pure.append(both / size)
    targets = (KEPT_TARGET, GOLD_TARGET) if preset == "recommended" else (None, None)
    some = sum(2 * counts[1] >= counts[0] for of_site in sites.values() for counts in of_site)
    share = whole[3] / whole[2] if whole[2] else 0.0
    return [
        row(f"{preset}: gold that is kept", [whole[1] / whole[0]], "share", input=where, target=targets[0]),
        row(f"{preset}: … mean over sites", [statistics.mean(kept)], "share", input=where),
        row(f"{preset}: kept that is gold", [share], "share", input=where, target=targets[1]),
        row(f"{preset}: … mean over sites", [statistics.mean(pure or [0.0])], "share", input=where),
        row(f"{preset}: pages kept by half or more", [some / len(pages)], "share", input=where),
    ]


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Judges presets by their text.")
    parser.add_argument("--split", choices=(*main_content_gold.SPLITS, "all"), default="judging")
    parser.add_argument("--collection", type=Path, action="append", default=[])
    parser.add_argument("--preset", choices=RESULTS, action="append")
    parser.add_argument("--data", type=Path, default=PAGES)
    parser.add_argument("--lost", action="store_true")
    parser.add_argument("-P", dest="properties", action="append", default=[])
    options = parser.parse_args()
    archives = sorted(options.data.glob("*.warc.gz"))
    if not archives:
        print("bench presets: no pages; name a folder by --data or UZUSHIO_REAL_PAGES", file=sys.stderr)
        return 1
    own = bool(options.collection)
    every = of_collections(options.collection) if own else of_archives(options.data, options.split)
    pages = [page for page in every if is_japanese(page.text)]
    print(f"{len(every)} pages with gold, {len(pages)} of them Japanese, among those of {len(archives)} archives")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        folder = Path(name)
        if own:
            write_archive(every, folder / "collection.warc.gz")
            archives.append(folder / "collection.warc.gz")
        for preset in options.preset or RESULTS:
            texts = written(preset, archives, options.properties, folder / preset)
            rows += judge(preset, pages, texts, options.lost)
    write("presets", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
