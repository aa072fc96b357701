"""Kana, the classifier and CLD2 in one table, on pages of hosts that the classifier was not trained on.

The pages' hosts are parted into five; hosts that share a source or a name are in one part. Each part is judged by a
model that `uzushio train-language` made of the others, of their texts and titles.

What a page is in, its label says, as for the other figures, where it has at least 200 kana or its label is foreign.
Pages of a Japanese label with fewer kana, which may be half translated, or not at all, are labelled by fastText's
lid.176, which is none of those that are compared: line by line, Japanese from half of the characters on, foreign up to
a tenth; what lies between is left out.

What selections of Common Crawl's index find (bench/index_language.py) is held against these labels, and against what
`extract` keeps, which is what an index is read for. Pages of which its first language and `extract` say different
things are listed in build/bench/index-language.tsv.
"""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from extract import BUILD, PAGES, PROGRAM, is_page, members
from index_language import FIRST, INDEX_WAYS, decide_by_index
from report import Row, row

JAPANESE = ("ja", "mixed-ja", "ja-basic")
MIN_KANA = 200
FOLDS = 5
WAYS = (
    "kana, rapid test alone",
    "kana",
    "classifier, rapid test alone",
    "classifier, rapid",
    "classifier, precise",
    "CLD2",
)
# Okazaki et al. 2024, section 3.2: the rapid test alone, on pages of Common Crawl.
SWALLOW = {"precision": 0.888, "recall": 0.967, "F1": 0.926}


@dataclass
class Page:
    """A page with its label."""

    line: dict[str, str]
    data: bytes
    text: str = ""
    title: str = ""
    japanese: bool | None = None
    decisions: dict[str, bool] = field(default_factory=dict)
    languages: list[tuple[str, int]] = field(default_factory=list)  # as an index has them, with percents

    @property
    def kana(self) -> int:
        """Of its markup."""
        return int(self.line["kana"])

    @property
    def host(self) -> str:
        """Without what mirrors have before it."""
        return self.line["url"].split("/")[2].removeprefix("mirror.")


def read_pages(names: Iterable[str], folder: Path) -> list[Page]:
    """The labelled pages with their texts."""
    pages: dict[tuple[str, int], Page] = {}
    for name in names:
        for line, data in members(name):
            if is_page(line, whole_only=True) and line["lang"] != "-":
                pages[name, int(line["offset"])] = Page(line, data)
    files = [PAGES / f"{name}.warc.gz" for name in names]
    command = [PROGRAM, "extract", *files, "--output", folder / "all", "--language", "all", "--quiet"]
    subprocess.run([str(part) for part in command], check=True)
    for path in (folder / "all").rglob("*.parquet"):
        for document in pq.read_table(path, columns=["warc", "offset", "text", "title"], partitioning=None).to_pylist():
            page = pages.get((Path(document["warc"]).name.removesuffix(".warc.gz"), document["offset"]))
            if page is not None:
                page.text, page.title = document["text"], document["title"]
    return list(pages.values())


def plain(text: str) -> str:
    """A document's lines, without markup."""
    paragraphs = [paragraph.rpartition("\x1c")[2] for paragraph in text.split("\n\n")]
    return "\n".join(paragraphs).replace("\x02", "").replace("\x03", "")


def label(pages: list[Page]) -> None:
    """Says which pages are Japanese."""
    doubtful = []
    for page in pages:
        if page.line["lang"] not in JAPANESE:
            page.japanese = False
        elif page.kana >= MIN_KANA:
            page.japanese = True
        elif page.text:
            doubtful.append(page)
    command = [str(BUILD / "bench-venv" / "bin" / "python"), str(Path(__file__).with_name("peer_fasttext.py"))]
    texts = "".join(json.dumps(plain(page.text)) + "\n" for page in doubtful)
    done = subprocess.run(command, input=texts, check=True, capture_output=True, text=True)
    for page, share in zip(doubtful, map(float, done.stdout.split()), strict=True):
        page.japanese = True if share >= 0.5 else False if share <= 0.1 else None


def folds(pages: list[Page]) -> list[list[Page]]:
    """The pages in parts of about one size: hosts of one source, or with one name, in one."""
    groups: dict[str, set[str]] = {}
    for page in pages:
        source = page.line["source"].split(":")[0]
        site = ".".join(page.host.split(".")[-2:])
        keys = {page.host, site} | ({f"source {source}"} if source != "github" else set())
        joined = set().union(*(groups.get(key, set()) for key in keys), keys)
        for key in joined:
            groups[key] = joined
    of_group: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        of_group[min(groups[page.host])].append(page)
    parts: list[list[Page]] = [[] for _ in range(FOLDS)]
    for _, group in sorted(of_group.items(), key=lambda item: (-len(item[1]), item[0])):
        min(parts, key=len).extend(group)
    return parts


def train(pages: list[Page], folder: Path, *options: str) -> Path:
    """A model of these pages."""
    known = [page for page in pages if page.japanese is not None and page.text]
    columns = {
        "text": [page.text for page in known],
        "title": [page.title for page in known],
        "language": ["ja" if page.japanese else "xx" for page in known],
    }
    pq.write_table(pa.table(columns), folder / "train.parquet")
    command = [PROGRAM, "train-language", folder / "train.parquet", "--text-column", "text,title", "--quiet"]
    command += ["--output", folder / "model", "--overwrite", *options]
    subprocess.run([str(part) for part in command], check=True)
    return folder / "model"


def decide(pages: list[Page], model: Path, folder: Path) -> dict[str, float]:
    """Notes what each way says of the pages; the bytes and seconds that it took."""
    at = 0
    by_offset = {}
    with (folder / "fold.warc.gz").open("wb") as file:
        for page in pages:
            by_offset[at] = page
            at += file.write(page.data)
    command = [BUILD / "release" / "bench_language", "--model", model, folder / "fold.warc.gz"]
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    *lines, last = done.stdout.splitlines()
    for line in lines:
        _, offset, *said = line.split("\t")
        by_offset[int(offset)].decisions.update(zip(WAYS, (one == "1" for one in said), strict=True))
    seconds: dict[str, float] = json.loads(last)
    return seconds


def figures(name: str, pages: list[Page], targets: bool = False, ways: Iterable[str] = WAYS) -> list[Row]:
    """Precision, recall and F1 of each way on these pages."""
    rows = []
    known = [page for page in pages if page.japanese is not None]
    wanted = sum(bool(page.japanese) for page in known)
    text = f"{len(known)} pages, {wanted} Japanese"
    for way in ways:
        found = [page for page in known if page.decisions.get(way, False)]
        right = sum(bool(page.japanese) for page in found)
        values = {}
        if wanted:
            values["recall"] = right / wanted
        if found and wanted < len(known):
            values["precision"] = right / len(found)
        if right and len(values) == 2:
            values["F1"] = 2 * right / (len(found) + wanted)
        for measure, value in values.items():
            target = SWALLOW[measure] if targets and way == "classifier, rapid test alone" else None
            rows.append(row(f"{name}: {way}: {measure}", [value], "ratio", target=target, input=text))
    return rows


def index_figures(pages: list[Page], sure: list[Page], path: Path) -> list[Row]:
    """What selections of an index find: of pages by their labels, and of those that `extract` keeps.

    Writes a line for each page of which the index's first language and `extract` say different things.
    """
    rows = figures("all", pages, ways=INDEX_WAYS) + figures("labelled by source", sure, ways=INDEX_WAYS)
    kept = [replace(page, japanese=page.decisions.get("kana", False)) for page in pages]
    (BUILD / "bench").mkdir(exist_ok=True)
    rows += figures("kept by extract", kept, ways=(*INDEX_WAYS, "classifier, precise", "CLD2"))
    kana = {id(page): sum("ぁ" <= character <= "ヶ" for character in page.text) for page in kept if page.japanese}
    for way in INDEX_WAYS:
        found = sum(kana[id(page)] for page in kept if page.japanese and page.decisions[way])
        text = f"{sum(kana.values())} kana"
        rows.append(row(f"kept by extract: {way}: recall of kana", [found / sum(kana.values())], "ratio", input=text))
    with path.open("w", encoding="utf-8") as file:
        file.write("url\tlang\tkana\tlabel\tkept\tclassifier\tindex\n")
        for page in sorted(pages, key=lambda page: page.line["url"]):
            is_kept = page.decisions.get("kana", False)
            if is_kept == page.decisions[FIRST]:
                continue
            said = ",".join(f"{code}:{percent}" for code, percent in page.languages)
            classifier = page.decisions.get("classifier, precise", False)
            fields = (page.line["url"], page.line["lang"], page.kana, page.japanese, is_kept, classifier, said)
            file.write("\t".join(map(str, fields)) + "\n")
    return rows


def table(names: Iterable[str], folder: Path) -> list[Row]:
    """All figures."""
    pages = read_pages(names, folder)
    label(pages)
    parts = folds(pages)
    spent: dict[str, float] = defaultdict(float)
    for number, part in enumerate(parts):
        others = [page for other in parts if other is not part for page in other]
        for name, value in decide(part, train(others, folder), folder).items():
            spent[name] += value
        hosts = ", ".join(sorted({page.host for page in part}))
        print(f"part {number}: {len(part)} pages of {hosts}")
    rows = figures("all", pages)
    sure = [page for page in pages if page.line["lang"] not in JAPANESE or page.kana >= MIN_KANA]
    rows += figures("labelled by source", sure, targets=True)
    decide_by_index(pages)
    rows += index_figures(pages, sure, BUILD / "bench" / "index-language.tsv")
    for charset in ("utf-8", "shift_jis", "euc-jp", "iso-2022-jp"):
        rows += figures(charset, [page for page in pages if page.line["charset"] == charset])
    rows += figures("under 200 kana", [page for page in pages if page.kana < 200])
    rows += figures("1 to 199 kana", [page for page in pages if 0 < page.kana < 200])
    rows += figures("1 to 49 kana", [page for page in pages if 0 < page.kana < 50])
    rows += figures("half translated", [page for page in pages if page.line["lang"].startswith("mixed-")])
    size = f"texts of {spent['text_bytes'] / 1e6:.0f} MB"
    for name, way in (("kana", "kana"), ("score", "classifier"), ("cld2", "CLD2")):
        rows.append(row(f"{way}, speed on texts", [spent["text_bytes"] / spent[name] / 1e6], "MB/s", input=size))
    return rows
