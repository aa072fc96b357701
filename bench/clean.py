"""Measures `uzushio clean`: the four configurations, each stage alone, and the original on the same text.

--data FOLDER has the pages (default: UZUSHIO_REAL_PAGES, or `../shared/data`); their text is written down several
times, --megabytes in all, with other characters in four sentences of five. Every document has a line of its own, by
which it is found again in the outputs. --original TREE is the original's source tree; without it, that part is left
out. Lists of words and templates are made here, and the original's own are used where it is compared.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import clean_compare
import pyarrow as pa
import pyarrow.parquet as pq
from clean_original import Original
from process import Cost, measured
from report import ROOT, Row, row, write

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
RELEASE = ROOT / "build" / "release"
ROUNDS = 5
CONFIGURATIONS = ["chitra", "rmTemplate", "sudachiDictCorpus", "warc"]
DIGITS = "零一二三四五六七八九"
STAGES: list[dict[str, Any]] = [
    {"class": "SplitIntoSentence"},
    {"class": "SplitIntoSentence", "by": "punctuation"},
    {"class": "RemoveWikipediaCitation"},
    {"class": "NormalizeCharacter"},
    {"class": "NormalizeWhitespace"},
    {"class": "ConcatShortSentence"},
    {"class": "RemoveEmail"},
    {"class": "RemoveURL"},
    {"class": "FilterBySentenceLength"},
    {"class": "RemoveShortDocument"},
    {"class": "RemoveScriptDocument"},
    {"class": "RemoveNGWordDocument", "path": "ng_words.txt"},
    {"class": "RemoveSubstring", "matchSentence": True},
    {"class": "RemoveSubstring"},
    {"class": "DeduplicateElement"},
    {"class": "DeduplicateRepeatingSentence"},
    {"class": "FilterJapaneseBasedOnCharacter"},
]


@dataclass
class Corpus:
    """A folder with documents.txt and documents.parquet, ng_words.txt and template_sentences.txt."""

    folder: Path
    size: int
    """Bytes of documents.txt."""
    documents: int

    def given(self, configuration: str) -> Path:
        """The input of a configuration: warc's has paragraphs."""
        return self.folder / ("documents.parquet" if configuration == "warc" else "documents.txt")


def uzushio(folder: Path, *arguments: object, threads: int = 1) -> Cost:
    """Runs the program in a folder."""
    command = [RELEASE / "uzushio", *arguments, "--threads", threads, "--quiet", "--overwrite"]
    return measured(command, folder)


# --- the text ---


def paragraphs_of(folder: Path, pages: list[Path]) -> list[list[list[str]]]:
    """Of each document the sentences of each paragraph."""
    uzushio(folder, "extract", *pages, "--text=original", "--output", folder / "pages")
    (folder / "none.conf").write_text("filters: [{class: DocLength, low: 1}]", encoding="utf-8")
    uzushio(folder, "filter", folder / "pages", "--config", folder / "none.conf", "--output", folder / "texts")
    files = sorted((folder / "texts").rglob("*.parquet"))
    texts = [text for file in files for text in pq.ParquetFile(file).read(["text"])["text"].to_pylist()]
    return [[sentences_of(one) for one in text.split("\n\n") if one.strip()] for text in texts]


def sentences_of(paragraph: str) -> list[str]:
    """Lines, and in them what ends by a full stop."""
    return [one for line in paragraph.split("\n") for one in re.split("(?<=[。！？])(?=.)", line) if one]


def changed(choose: random.Random, sentence: str) -> str:
    """A sentence, mostly with another kanji somewhere."""
    if len(sentence) < 6 or choose.random() < 0.2:
        return sentence
    at = choose.randrange(len(sentence) - 1)
    return sentence[:at] + chr(0x4E00 + choose.randrange(0x4E00)) + sentence[at + 1 :]


def mark(number: int) -> str:
    """The line by which a document is found again."""
    return f"第{''.join(DIGITS[int(digit)] for digit in f'{number:07}')}番目の文書のしるしです。"


def documents(texts: list[list[list[str]]], size: int) -> Iterator[list[list[str]]]:
    """Of so many bytes in all; one in twenty is there twice."""
    choose, number = random.Random(1), 0
    while size > 0:
        first = number < len(texts)
        text = texts[number % len(texts)]
        made = [[one if first else changed(choose, one) for one in paragraph] for paragraph in text]
        document = [[mark(number)], *made]
        number += 1
        for _ in range(2 if choose.random() < 0.05 else 1):
            size -= sum(len(one.encode()) + 1 for paragraph in document for one in paragraph)
            yield document


def write_corpus(folder: Path, texts: list[list[list[str]]], size: int) -> Corpus:
    """Text and Parquet, and lists."""
    count = 0
    lines: Counter[str] = Counter()
    schema = pa.schema([("document", pa.string())])
    text, parquet = folder / "documents.txt", folder / "documents.parquet"
    with text.open("w", encoding="utf-8") as file, pq.ParquetWriter(parquet, schema) as writer:
        made = documents(texts, size)
        while batch := [*itertools.islice(made, 1000)]:
            rows = ["\n\n".join("\n".join(paragraph) for paragraph in document) for document in batch]
            writer.write_table(pa.table({"document": rows}, schema))
            for document in batch:
                flat = [one for paragraph in document for one in paragraph]
                file.write("\n".join(flat) + "\n\n")
                lines.update(set(flat))
            count += len(batch)
    often = [line for line, _ in lines.most_common(100) if len(line) > 1]
    (folder / "template_sentences.txt").write_text("\n\n".join(often), encoding="utf-8")
    choose = random.Random(1)
    rare = {"".join(chr(choose.randrange(0x3041, 0x3097)) for _ in range(5)) for _ in range(200)}
    (folder / "ng_words.txt").write_text("\n".join(["アダルト", "エロ", *sorted(rare)]), encoding="utf-8")
    return Corpus(folder, (folder / "documents.txt").stat().st_size, count)


# --- speed ---


def configure(folder: Path, stages: list[dict[str, Any]]) -> Path:
    """A configuration's file."""
    path = folder / "stages.conf"
    path.write_text(json.dumps({"stages": stages}), encoding="utf-8")
    return path


def clean(corpus: Corpus, configuration: object, *more: object, threads: int = 1) -> Cost:
    """Runs a configuration."""
    given = corpus.given(str(configuration))
    options = ["--config", configuration, "--output", corpus.folder / "out", *more]
    if configuration in ("chitra", "warc"):
        options += ["--set", "RemoveNGWordDocument.path=ng_words.txt"]
    return uzushio(corpus.folder, "clean", given, *options, threads=threads)


def stage_rows(corpus: Corpus, rows: list[Row]) -> None:
    """Each stage alone, behind one that makes lines: its share of the processor's time.

    DeduplicateElement passes over the documents before the chain begins: its time is what the whole job takes longer.
    """
    summary = corpus.folder / "summary.json"
    plain = min(clean(corpus, configure(corpus.folder, STAGES[:1])).user for _ in range(3))
    for stage in STAGES:
        stages = [stage] if stage["class"].startswith("Split") else [STAGES[0], stage]
        speeds = []
        for _ in range(3):
            cost = clean(corpus, configure(corpus.folder, stages), "--summary", summary)
            told = json.loads(summary.read_text())
            seconds = cost.user * told["steps"][-1]["seconds"] / told["seconds"]
            if stage["class"] == "DeduplicateElement":
                seconds = cost.user - plain
            speeds.append(corpus.size / seconds / 1e6)
        name = " ".join([stage["class"], *(f"{key}={value}" for key, value in stage.items() if key != "class")])
        rows.append(row(f"{name} alone", speeds, "MB/s"))


def configuration_rows(corpus: Corpus, rows: list[Row]) -> None:
    """The four, text read to text written."""
    told = f"{corpus.documents} documents, {corpus.size / 1e6:.0f} MB"
    for name in CONFIGURATIONS:
        one = [clean(corpus, name) for _ in range(ROUNDS)]
        two = [clean(corpus, name, threads=2) for _ in range(ROUNDS)]
        target = 50.0 if name == "chitra" else None
        speeds = [corpus.size / cost.user / 1e6 for cost in one]
        rows.append(row(f"{name}: a core", speeds, "MB/s", target=target, input=told))
        times = statistics.median(cost.seconds for cost in one)
        rows.append(row(f"{name}: 2 threads / 1", [times / cost.seconds for cost in two], "times", threads=2))
        for threads, costs in ((1, one), (2, two)):
            rows.append(row(f"{name}: whole job", [cost.seconds for cost in costs], "s", threads=threads))
            rows.append(row(f"{name}: peak memory", [cost.memory for cost in costs], "MiB", threads=threads))


# --- the original ---


def without_repeats(corpus: Corpus) -> None:
    """Paragraphs that were there before go from warc's input: which of them stays, the original leaves open."""
    stages = [{"class": "SplitIntoParagraph"}, {"class": "DeduplicateElement"}]
    options = ["--input-format", "parquet", "--output-format", "parquet", "--output-element-delimiter", "\\n\\n"]
    config = ("--config", configure(corpus.folder, stages), "--output", corpus.folder / "once")
    uzushio(corpus.folder, "clean", corpus.folder / "documents.parquet", *config, *options, threads=2)
    table = pa.concat_tables([pq.read_table(path) for path in sorted((corpus.folder / "once").glob("part-*.parquet"))])
    pq.write_table(table.select(["document"]), corpus.folder / "documents.parquet", row_group_size=1000)


def original_rows(corpus: Corpus, tree: Path, rows: list[Row]) -> None:
    """How much longer the original takes, and what comes out otherwise."""
    original = Original(tree)
    for name in ("ng_words.txt", "template_sentences.txt"):
        shutil.copy(original.resources / name, corpus.folder / name)
    without_repeats(corpus)
    (corpus.folder / "one.txt").write_text(mark(0) + "\n", encoding="utf-8")
    theirs = corpus.folder / "theirs"
    starts = []
    for _ in range(3):
        shutil.rmtree(theirs, ignore_errors=True)
        starts.append(original.clean(corpus.folder, corpus.folder / "one.txt", theirs, "sudachiDictCorpus").seconds)
    rows.append(row("the original: Spark's start, and one sentence", starts, "s", threads=2))
    start = statistics.median(starts)
    for name in CONFIGURATIONS:
        shutil.rmtree(theirs, ignore_errors=True)
        cost = original.clean(corpus.folder, corpus.given(name), theirs, name)
        ours = [clean(corpus, name, threads=2) for _ in range(3)]
        rows.append(row(f"{name}: the original", [cost.seconds], "s", threads=2))
        rows.append(row(f"{name}: the original's processor time", [cost.processor], "s", threads=2))
        ratios = [cost.seconds / one.seconds for one in ours]
        rows.append(row(f"{name}: the original / ours", ratios, "times", target=20, threads=2))
        ratios = [(cost.seconds - start) / one.seconds for one in ours]
        rows.append(row(f"{name}: … without Spark's start", ratios, "times", threads=2))
        found = clean_compare.compare(corpus.folder, name, corpus.folder / "out", theirs)
        for kind, count in found.items():
            rows.append(row(f"{name}: {kind}", [count], ""))


def main() -> int:
    """Measures and writes the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=PAGES, help="folder of pages")
    parser.add_argument("--megabytes", type=int, default=200, help="of text")
    parser.add_argument("--original", type=Path, metavar="TREE", help="source tree of the original")
    options = parser.parse_args()
    pages = sorted(options.data.glob("*.warc.gz"))
    if not pages:
        print("bench clean: no pages; name a folder by --data or UZUSHIO_REAL_PAGES", file=sys.stderr)
        return 1
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        folder = Path(name)
        corpus = write_corpus(folder, paragraphs_of(folder, pages), options.megabytes * 10**6)
        configuration_rows(corpus, rows)
        stage_rows(corpus, rows)
        if options.original:
            original_rows(corpus, options.original, rows)
        else:
            print("no --original: the original is not measured", file=sys.stderr)
    write("clean", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
