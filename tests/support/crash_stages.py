"""Every command that writes an output, with small inputs: what the tests of crashes run."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages import KANA
from pipeline_pages import WORDS, page
from program import run_uzushio
from warc_builder import build


@dataclass(frozen=True)
class Stage:
    """A command with the arguments of a run, and of an earlier run whose output it replaces."""

    new: str
    old: str
    both: str = ""
    output: str = "out"
    more: tuple[str, ...] = ()  # outputs beside this one
    steps: tuple[str, ...] = ()  # folders of the output that are datasets, where it is none itself
    told: tuple[str, ...] = ()  # files that tell of the run: their bytes differ between runs
    has_tmp: bool = True
    has_threads: bool = True
    is_file: bool = False
    on_store: bool = True  # whether the output may be on an object store

    def arguments(self, command: str, old: bool, output: str = "") -> list[str]:
        """Of the command, in a folder beside `in`, which has the inputs."""
        given = [
            command,
            *(self.old if old else self.new).split(),
            *self.both.split(),
            "--output",
            output or self.output,
        ]
        if self.has_tmp:
            given += ["--tmp", "tmp"]
        if self.has_threads:
            given += ["--threads", "1"]
        return given


ARCHIVES = ("../in/a.warc.gz ../in/b.warc.gz", "../in/a.warc.gz")
DOCUMENTS = ("../in/documents ../in/bad.jsonl", "../in/documents")  # one of which has a line to quarantine
LABELLED = ("../in/labelled.jsonl", "../in/some.jsonl")
STAGES = {
    "extract": Stage(*ARCHIVES, "--full-data", has_tmp=False),
    "index": Stage(*ARCHIVES, has_tmp=False),
    "robots-txt": Stage("../in/robots.warc.gz ../in/a.warc.gz", "../in/robots.warc.gz"),
    "clean": Stage("../in/texts ../in/text.txt", "../in/text.txt", "--config ../in/clean.conf"),
    "stats": Stage(*DOCUMENTS, "--debug --intermediate --pairs pairs", more=("pairs",)),
    "merge": Stage("../in/part0 ../in/part1", "../in/part0", "--debug"),
    "filter": Stage(
        *DOCUMENTS,
        "--config ../in/chain.conf --stats ../in/part0 --mode partitioned --summary summary.json",
        told=("summary.json",),
    ),
    "metrics": Stage(*DOCUMENTS, "--config ../in/chain.conf --stats ../in/part0 --sorted-by DocLength"),
    "minhash": Stage(*DOCUMENTS, "--buckets 8 --values 4 --verify 0.5"),
    "decontaminate": Stage(*DOCUMENTS, "--against ../in/items.jsonl", has_tmp=False),
    "overlap": Stage("../in/documents ../in/more", "../in/more ../in/documents"),
    "hosts": Stage(*DOCUMENTS, "--config ../in/chain.conf"),
    "run": Stage(
        "../in/p.conf -P least=60",
        "../in/p.conf -P least=50",
        steps=("documents", "clean"),
        told=("out/_summary.json",),
        has_tmp=False,
    ),
    "report": Stage("../in/documents ../in/part0", "../in/documents", is_file=True, on_store=False),
    "host-lists": Stage(
        "../in/hosts.txt ../in/others.txt",
        "../in/hosts.txt",
        has_tmp=False,
        has_threads=False,
        is_file=True,
        on_store=False,
    ),
    "train-language": Stage(*LABELLED, has_tmp=False, is_file=True, on_store=False),
    "train-classifier": Stage(*LABELLED, "--dim 4 --bucket 100", is_file=True, on_store=False),
    "train-lm": Stage(*LABELLED, "--sudachi ../in/system.dic --order 2 --memory 512MiB", is_file=True, on_store=False),
}

CLEAN = 'stages: [{"class": "SplitIntoSentence"}, {"class": "DeduplicateElement"}]'
CHAIN = "filters: [{class: DocLength, low: 50}, {class: DuplicateParagraphs, limit: 3}]"
PIPELINE = """
stages: [
  {name: documents, command: extract, input: "../in/a.warc.gz"}
  {name: clean, command: filter, input: "@documents", filters: [{class: DocLength, low: ${least}}]}
]
"""


def _robots(number: int) -> dict[str, Any]:
    return {
        "uri": f"https://h{number}.example.jp/robots.txt",
        "http": [["Content-Type", "text/plain"]],
        "body": "User-agent: GPTBot\nDisallow: /",
    }


def write_inputs(parent: Path, dictionary: Path) -> Path:
    """All that the stages read, in a folder of its own."""
    folder = parent / "in"
    folder.mkdir()
    choose = random.Random(5)
    pages = [page(choose, number) for number in range(12)]
    pages[-1]["flip"] = 200  # damaged
    (folder / "a.warc.gz").write_bytes(build(pages[:6], "warc.gz"))
    (folder / "b.warc.gz").write_bytes(build(pages[6:], "warc.gz"))
    (folder / "robots.warc.gz").write_bytes(build([_robots(number) for number in range(3)], "warc.gz"))
    for archive, output in (("a", "documents"), ("b", "more")):
        run_uzushio("extract", folder / f"{archive}.warc.gz", "--output", folder / output)
    for part, documents in (("part0", "documents"), ("part1", "more")):
        run_uzushio("stats", folder / documents, "--output", folder / part, "--intermediate")
    sentences = ["".join(choose.choices(WORDS, k=6)) + "。" for _ in range(60)]
    (folder / "texts").mkdir()
    for path in (folder / "text.txt", folder / "texts" / "0.txt", folder / "texts" / "1.txt"):
        path.write_text("\n".join(choose.choices(sentences, k=40)), encoding="utf-8")
    texts = {"clean.conf": CLEAN, "chain.conf": CHAIN, "p.conf": PIPELINE}
    texts |= {"hosts.txt": "a.example.jp\nb.example.jp\n", "others.txt": "c.example.jp\n"}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    rows = [
        {"docId": str(n), "text": f"{choose.choice(sentences)}{n}", "language": "ja", "label": str(n % 2)}
        for n in range(80)
    ]
    rows += [
        {**row, "docId": f"e{row['docId']}", "text": "only some English words", "language": "en"} for row in rows[:40]
    ]
    rows += [{"docId": "i", "question": KANA}]
    (folder / "bad.jsonl").write_text(f"{json.dumps(rows[0], ensure_ascii=False)}\nno JSON\n", encoding="utf-8")
    for name, some in (("labelled", rows[:-1]), ("some", rows[20:-1]), ("items", rows[-1:])):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in some]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "system.dic").symlink_to(dictionary)
    return folder
