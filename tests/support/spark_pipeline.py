"""A pipeline whose first stage may run on this machine and whose others on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline_pages import write_archive
from program import read_json

STAGES = """
  {name: documents, command: extract, for: {year: [2013, 2014]}, input: "${crawl}/${year}.warc.gz"}
  {name: statistics, command: stats, input: "@documents", intermediate: INTERMEDIATE}
  {
    name: clean, command: filter, for: {year: [2013, 2014]}, input: "@documents", stats: "@statistics"
    filters: [{class: DocLength, low: 50}, {class: LargeFreqParagraphs, count: 1, freq: 30}]
  }
  {name: hosts, command: hosts, input: "@clean"}
  {name: unique, command: minhash, input: "@clean", buckets: 10}
"""
KEYS = {
    "documents/2013": ["docId"],
    "documents/2014": ["docId"],
    "statistics": ["hash"],
    "clean/2013": ["docId"],
    "clean/2014": ["docId"],
    "hosts": ["host"],
    "unique": ["docId"],
}
"""What its steps write, and by which columns rows are told apart."""


def write_pipeline(folder: Path, intermediate: bool) -> None:
    """Archives of two years; the pipeline, `whole`; one of its first stage alone, `first`."""
    stages = STAGES.replace("INTERMEDIATE", str(intermediate).lower())
    for year in (2013, 2014):
        write_archive(folder / "crawl" / f"{year}.warc.gz", 20, year)
    (folder / "whole.conf").write_text(f"stages: [{stages}]", encoding="utf-8")
    first = stages.lstrip().split("\n", maxsplit=1)[0]
    (folder / "first.conf").write_text(f"stages: [{first}]", encoding="utf-8")


def arguments(folder: Path, pipeline: str, output: str) -> list[Any]:
    """Of a run on this machine; the output is in the same folder, or a URI."""
    given = ["-P", f"crawl={folder / 'crawl'}", "--summary", folder / "summary.json"]
    return ["run", folder / f"{pipeline}.conf", "--output", output if "://" in output else folder / output, *given]


def done_before(folder: Path) -> list[str]:
    """The steps that the last run found done."""
    return [step["name"] for step in read_json(folder / "summary.json")["steps"] if step["was_done"]]
