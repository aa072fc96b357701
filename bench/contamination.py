"""Contamination: items of benchmarks found in pages, pages taken for contaminated, memory and time; beside two others.

    ./dev bench contamination [--decon PROGRAM] [--checkouts FOLDER]

Items are made up, in the form of benchmarks, of sentences of Aozora Bunko's pages (bench/contamination_made.py). They
are planted in other real pages, word for word and changed, an item in a page; a page is found where it is removed, and
an item where the report names it. False positives are pages removed of all others in which nothing was planted. PROGRAM
is AllenAI's decon, as its authors' sources make it; without it, that part is left out. Peers get a part of the pages,
as much text as they take in minutes.

With a folder of checkouts, the same is measured on items of published benchmarks and 10^5 Japanese texts of the
projects that bench/contamination_real.py names.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import resource
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from contamination_made import KINDS, WORD, Maker, Row, answer_of, plant, planted, sentences_of
from contamination_real import items_of_benchmarks, japanese_texts
from report import ROOT, row, write
from report import Row as Figure

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
PROGRAM = ROOT / "build/release/uzushio"
SEARCH = ROOT / "build/release/bench_contamination"
PEER = ROOT / "build/contamination-venv/bin/python"
ITEMS = 8_000
MANY_ITEMS = 1_000_000
PLANTED = 2_000  # of each kind, of all forms
PLANTED_FOR_PEERS = 200
LARGEST_PAGE = 2_000  # characters of pages in which is planted
PAGE_BYTES = 6_000  # of documents that time is measured on
TIMED = 4_000
TIMED_FOR_DATATROVE = 200
CHARACTERS_FOR_PEERS = 1_500_000
ROUNDS = 7
TARGETS = {"verbatim": 0.99} | dict.fromkeys(("width", "kana", "line breaks", "option order", "names"), 0.95)
MEMORY_TARGET = 200.0  # MB
TIME_TARGET = 30.0  # microseconds
FALSE_TARGET = 1e-5
SOURCE = "aozora"  # of hosts whose sentences items are made of
# Its defaults; without asking for four words with spaces between, which Japanese items lack; and questions alone.
DECON = {
    "decon": (),
    "decon, any words": ("--eval-min-unique-word-count", "0"),
    "decon, questions alone": ("--eval-min-unique-word-count", "0", "--index-answers", "false"),
}


def read_pages(folder: Path) -> list[tuple[str, str, str]]:
    """Pages as the program extracts them: their language, host and text without marks."""
    archives = [PAGES / f"{name}.warc.gz" for name in ("docs", "web", "legacy", "small")]
    uzushio("extract", *archives, "--output", folder / "documents", "--language", "all")
    pages = []
    for path in sorted((folder / "documents").rglob("*.parquet")):
        language = path.parent.name.partition("=")[2]
        for document in pq.read_table(path, columns=["url", "text"], partitioning=None).to_pylist():
            parts = [part.rpartition("\x1c")[2] for part in document["text"].split("\n\n")]
            text = "\n\n".join(re.sub("[\x02\x03\x0e-\x16\x1f]", "", part) for part in parts)
            pages.append((language, document["url"].split("/")[2], text))
    return pages


def uzushio(*arguments: object) -> None:
    """Runs the program."""
    subprocess.run([str(part) for part in (PROGRAM, *arguments, "--quiet", "--overwrite")], check=True)


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """As lines of JSON."""
    with path.open("w", encoding="utf-8") as file:
        for line in rows:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return path


def found_by_us(texts: Iterable[str], items: Path, folder: Path) -> dict[int, set[str]]:
    """The items of each text that is removed."""
    documents = write_lines(
        folder / "texts.jsonl", ({"docId": str(number), "url": "", "text": text} for number, text in enumerate(texts))
    )
    uzushio("decontaminate", documents, "--against", items, "--output", folder / "clean")
    found: dict[int, set[str]] = defaultdict(set)
    report = folder / "clean" / ".uzushio" / "contamination.pq"
    for line in pq.read_table(report, columns=["docId", "itemId"], partitioning=None).to_pylist():
        found[int(line["docId"])].add(line["itemId"])
    return found


def found_by_datatrove(texts: list[str], items: Path) -> dict[str, tuple[set[int], float]]:
    """By configuration, the texts that are removed, and seconds."""
    command: list[str | Path] = [PEER, ROOT / "bench/contamination_peers.py", items]
    run = subprocess.run(command, check=True, input=json.dumps(texts), capture_output=True, text=True)
    found = json.loads(run.stdout[run.stdout.index('{"datatrove"') :])  # behind what a library may have printed
    return {name: (set(one["removed"]), one["seconds"]) for name, one in found.items()}


def found_by_decon(
    program: Path, texts: list[str], items: list[Row], folder: Path, *options: str
) -> tuple[set[int], float]:
    """The texts of which it reports an item, and seconds of the processor, with those of its start."""
    pages, evals, reports = folder / "decon-pages", folder / "decon-evals", folder / "decon-reports"
    for one in (pages, evals, reports):
        one.mkdir(exist_ok=True)
    for old in reports.iterdir():
        old.unlink()
    write_lines(pages / "texts.jsonl", ({"text": text} for text in texts))
    rows: list[dict[str, Any]] = []
    for number, item in enumerate(items):  # a choice an entry, as its guide has it
        right = answer_of(item)
        for choice in dict.fromkeys([right, *item["choices"]]):
            rows.append(
                {
                    "eval_key": item["id"].partition("-")[0],
                    "eval_instance_index": number,
                    "split": "test",
                    "question": item["question"],
                    "answer": choice,
                    "is_correct": choice == right,
                    "doc_id": len(rows),
                    "fingerprint": f"{len(rows):016x}",
                }
            )
    write_lines(evals / "items.jsonl", rows)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command: list[str | Path] = [program, "detect", "--training-dir", pages, "--evals-dir", evals]
    subprocess.run(
        [*command, "--report-output-dir", reports, *options],
        check=True,
        capture_output=True,
        env={**os.environ, "RAYON_NUM_THREADS": "1"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = itertools.chain.from_iterable(path.read_text().splitlines() for path in reports.glob("*.jsonl"))
    found = {json.loads(line)["training_line"] for line in lines}
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def recall_of(found: list[bool], forms: list[str]) -> str:
    """By form, for the table."""
    counts = {
        form: [f for f, other in zip(found, forms, strict=True) if other == form] for form in dict.fromkeys(forms)
    }
    return ", ".join(f"{form} {sum(some) / len(some):.3f}" for form, some in counts.items() if some)


def pieces_of(texts: list[str]) -> list[str]:
    """Texts of PAGE_BYTES bytes, in the order of pages."""
    parts = []
    for text in texts:
        data = text.encode()
        for begin in range(0, len(data) - PAGE_BYTES + 1, PAGE_BYTES):
            parts.append(data[begin : begin + PAGE_BYTES].decode("utf-8", "ignore"))
    return parts


def measure_search(items: Path, texts: list[str], rounds: int, folder: Path) -> tuple[list[int], list[list[float]]]:
    """Bytes: of the index, that the process has more, at most; by round: seconds of searching, of folding, bytes."""
    (folder / "texts").write_bytes(b"".join(text.encode() + b"\0" for text in texts))
    command: list[str | Path] = [SEARCH, items, folder / "texts", str(rounds)]
    first, *lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return list(map(int, first.split())), [list(map(float, line.split())) for line in lines]


@dataclass
class Corpus:
    """Items, in files and as they are, and the pages without their sentences."""

    folder: Path
    maker: Maker
    rows: list[Row]
    items: Path
    items_as_texts: Path  # answers as texts
    pages: list[str]
    japanese: list[str]
    decon: Path | None

    def removed_by_all(self, texts: list[str]) -> dict[str, set[int]]:
        """The texts that each program removes, in each of its configurations."""
        removed = {"Uzushio": set(found_by_us(texts, self.items, self.folder))}
        removed |= {name: found for name, (found, _) in found_by_datatrove(texts, self.items_as_texts).items()}
        if self.decon:
            for name, options in DECON.items():
                removed[name] = found_by_decon(self.decon, texts, self.rows, self.folder, *options)[0]
        return removed


def make_corpus(folder: Path, decon: Path | None) -> Corpus:
    """Of the real pages."""
    pages = read_pages(folder)
    maker = Maker(sentences_of(text for _, host, text in pages if SOURCE in host), 1)
    others = [(language, text) for language, host, text in pages if SOURCE not in host]
    japanese = [text for language, text in others if language == "ja"]
    print(f"{len(pages)} pages, {len(others)} without sentences of items, of which {len(japanese)} are Japanese")
    rows = list(maker.items(ITEMS))
    items = write_lines(folder / "items.jsonl", rows)
    as_texts = write_lines(folder / "texts-of-items.jsonl", ({**one, "answer": answer_of(one)} for one in rows))
    random.Random(7).shuffle(japanese)
    return Corpus(folder, maker, rows, items, as_texts, [text for _, text in others], japanese, decon)


def recall_figures(corpus: Corpus, _: list[str]) -> list[Figure]:
    """Of planted items: by the report, and of a part of the pages beside the others."""
    figures, few, forms_of_few = [], [], []
    choose = random.Random(5)
    places = [text for text in corpus.japanese if 200 <= len(text) <= LARGEST_PAGE]
    for kind in KINDS:
        chosen = [corpus.rows[number] for number in choose.sample(range(ITEMS), PLANTED)]
        texts = [plant(planted(one, kind, corpus.maker.words, choose), choose.choice(places), choose) for one in chosen]
        found = found_by_us(texts, corpus.items, corpus.folder)
        named = [one["id"] in found.get(number, set()) for number, one in enumerate(chosen)]
        forms = [one["id"].partition("-")[0] for one in chosen]
        note = f"{len(texts)} pages: {recall_of(named, forms)}"
        share = sum(named) / len(named)
        figures.append(row(f"recall, {kind}", [share], "ratio", target=TARGETS.get(kind), input=note))
        few += texts[:PLANTED_FOR_PEERS]
        forms_of_few += forms[:PLANTED_FOR_PEERS]
    for name, removed in corpus.removed_by_all(few).items():
        for place, kind in enumerate(KINDS):
            part = range(place * PLANTED_FOR_PEERS, (place + 1) * PLANTED_FOR_PEERS)
            right = [number in removed for number in part]
            note = f"{len(part)} pages: {recall_of(right, [forms_of_few[number] for number in part])}"
            figures.append(row(f"removed, {kind}, {name}", [sum(right) / len(right)], "ratio", input=note))
    return figures


def false_figures(corpus: Corpus, _: list[str]) -> list[Figure]:
    """Of pages in which nothing was planted."""
    figures = []
    for name, texts in (("Japanese", corpus.japanese), ("all", corpus.pages)):
        found = found_by_us(texts, corpus.items, corpus.folder)
        note = f"{len(found)} of {len(texts)} pages"
        figures.append(row(f"taken wrongly, {name} pages", [len(found) / len(texts)], "ratio", input=note))
        most = (len(found) + 1.65 * len(found) ** 0.5 + 3) / len(texts)  # 3 of none: Poisson's distribution
        label = f"taken wrongly, {name} pages: at most, with 95 %"
        figures.append(row(label, [most], "ratio", target=FALSE_TARGET, better="lower", input=note))
        for number in sorted(found):
            print(f"taken wrongly: {sorted(found[number])}: {texts[number][:200]!r}")
    ends = itertools.accumulate(map(len, corpus.japanese))
    few = [text for text, end in zip(corpus.japanese, ends, strict=True) if end <= CHARACTERS_FOR_PEERS]
    for name, removed in corpus.removed_by_all(few).items():
        note = f"{len(removed)} of {len(few)} pages"
        figures.append(row(f"taken wrongly, {name}", [len(removed) / len(few)], "ratio", input=note))
    return figures


def real_figures(checkouts: Path, folder: Path) -> list[Figure]:
    """Of published benchmarks: items found that are planted, and texts removed in which none was."""
    rows = list(items_of_benchmarks(checkouts))
    items = write_lines(folder / "published.jsonl", rows)
    texts = list(japanese_texts(checkouts))
    choose = random.Random(5)
    places = [text for text in choose.sample(texts, 20_000) if 200 <= len(text) <= LARGEST_PAGE]
    words = sorted({word for text in places for word in WORD.findall(text)})
    figures = []
    for kind in KINDS:
        chosen = choose.sample(rows, PLANTED)
        pages = [plant(planted(one, kind, words, choose), choose.choice(places), choose) for one in chosen]
        found = found_by_us(pages, items, folder)
        removed = [number in found for number in range(len(chosen))]  # an item may be in two benchmarks
        note = f"{len(pages)} pages: {recall_of(removed, [one['id'].partition('-')[0] for one in chosen])}"
        share = sum(removed) / len(removed)
        figures.append(row(f"published, recall, {kind}", [share], "ratio", target=TARGETS.get(kind), input=note))
    found = found_by_us(texts, items, folder)
    for number, names in sorted(found.items()):
        print(f"taken wrongly, published: {sorted(names)[:3]}: {texts[number][:200]!r}")
    note = f"{len(found)} of {len(texts)} texts, {len(rows)} items"
    label = "published, taken wrongly"
    figures.append(row(label, [len(found) / len(texts)], "ratio", target=FALSE_TARGET, better="lower", input=note))
    timed = pieces_of(choose.sample(texts, 20_000))[:TIMED]
    _, rounds = measure_search(items, timed, ROUNDS, folder)
    times = [one[0] / one[2] * PAGE_BYTES * 1e6 for one in rounds]
    label = "published, search, of 6 kB"
    figures.append(row(label, times, "us", target=TIME_TARGET, better="lower", input=f"{len(timed)} texts"))
    return figures


def show(figures: list[Figure]) -> list[Figure]:
    """Prints on what each was measured: the table has only figures."""
    for figure in figures:
        print(f"{figure.metric}: {figure.value:.5g} {figure.unit}; {figure.input}", flush=True)
    return figures


def time_figures(corpus: Corpus, texts: list[str]) -> list[Figure]:
    """Of the processor, for a text of 6 kB."""
    figures = []
    note = f"{len(texts)} texts of {PAGE_BYTES} bytes, {ITEMS} items"
    _, rounds = measure_search(corpus.items, texts, ROUNDS, corpus.folder)
    for name, place, target in (("search", 0, TIME_TARGET), ("of it, folding", 1, None)):
        times = [one[place] / one[2] * PAGE_BYTES * 1e6 for one in rounds]
        figures.append(row(f"{name}, of 6 kB", times, "us", target=target, better="lower", input=note))
    few = texts[:TIMED_FOR_DATATROVE]
    for name, (_, seconds) in found_by_datatrove(few, corpus.items_as_texts).items():
        figures.append(row(f"{name}, of 6 kB", [seconds / len(few) * 1e6], "us", input=f"{len(few)} of them"))
    if corpus.decon:
        many = texts * 3  # so that they take longer than making the index, which is left out
        start, after = (
            found_by_decon(corpus.decon, some, corpus.rows, corpus.folder, *DECON["decon, any words"])[1]
            for some in (many[:1], many)
        )
        time = (after - start) / (len(many) - 1) * 1e6
        figures.append(row("decon, any words, of 6 kB", [time], "us", input=f"{len(many)} texts"))
    return figures


def many_figures(corpus: Corpus, texts: list[str]) -> list[Figure]:
    """With a million items."""
    many = write_lines(corpus.folder / "many.jsonl", corpus.maker.many(MANY_ITEMS))
    (index, more, most), rounds = measure_search(many, texts, 3, corpus.folder)
    note = f"{MANY_ITEMS} items, {many.stat().st_size / 1e6:.0f} MB of JSON Lines"
    figures = []
    sizes = {"index": index, "the process has more": more, "… at most, while it is made": most}
    for name, size in sizes.items():
        target = MEMORY_TARGET if name == "index" else None
        figures.append(row(f"memory, {name}", [size / 1e6], "MB", target=target, better="lower", input=note))
    times = [one[0] / one[2] * PAGE_BYTES * 1e6 for one in rounds]
    figures.append(row("search, of 6 kB, 10^6 items", times, "us", input=note))
    found = found_by_us(corpus.pages, many, corpus.folder)
    note = f"{len(found)} of {len(corpus.pages)} pages"
    figures.append(row("taken wrongly, 10^6 items", [len(found) / len(corpus.pages)], "ratio", input=note))
    for number in sorted(found):
        print(f"taken wrongly, 10^6 items: {sorted(found[number])[:5]}: {corpus.pages[number][:200]!r}")
    return figures


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decon", type=Path, help="AllenAI's program")
    parser.add_argument("--checkouts", type=Path, help="a folder of checkouts of the projects of contamination_real.py")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as temporary:
        figures = show(real_figures(arguments.checkouts, Path(temporary))) if arguments.checkouts else []
        corpus = make_corpus(Path(temporary), arguments.decon)
        timed = pieces_of(corpus.japanese)[:TIMED]
        for part in (time_figures, recall_figures, many_figures, false_figures):
            figures += show(part(corpus, timed))
    write("contamination", figures)


if __name__ == "__main__":
    main()
