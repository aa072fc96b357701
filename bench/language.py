"""Measures the tests for Japanese on labelled pages: precision, recall, F1, and what the rapid test saves.

The labels are the manifests': a page is Japanese when its `lang` is `ja`, `mixed-ja` or `ja-basic` and it has at least
200 kana (character references are not among these), foreign when its `lang` is another. Pages of a Japanese label
with fewer kana, and pages without a label, are left out of the figures unless said otherwise.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from extract import BUILD, PAGES, ROUNDS, build_inputs, is_page, members
from language_table import table
from report import Row, row, write

NAMES = ("docs", "web", "legacy", "small")
JAPANESE = ("ja", "mixed-ja", "ja-basic")
MIN_KANA = 200
# Okazaki et al. 2024, section 3: the rapid test, evaluated on pages of Common Crawl.
SWALLOW = {"precision": 0.888, "recall": 0.967, "F1": 0.926, "speed": 15.0}


def decisions(paths: list[Path]) -> tuple[dict[tuple[str, int], tuple[bool, bool]], dict[str, float]]:
    """By file name and offset, what the rapid and the precise test say; and the seconds."""
    command = [BUILD / "release" / "bench_language", *paths]
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    *lines, last = done.stdout.splitlines()
    pages = {}
    for line in lines:
        path, offset, rapid, precise = line.split("\t")
        pages[Path(path).name.removesuffix(".warc.gz"), int(offset)] = (rapid == "1", precise == "1")
    seconds: dict[str, float] = json.loads(last)
    return pages, seconds


def scores(name: str, found: list[bool], wanted: list[bool], against: dict[str, float]) -> list[Row]:
    """Precision, recall and F1 of a decision."""
    both = sum(f and w for f, w in zip(found, wanted, strict=True))
    precision, recall = both / sum(found), both / sum(wanted)
    values = {"precision": precision, "recall": recall, "F1": 2 * precision * recall / (precision + recall)}
    text = f"{len(found)} labelled pages, {sum(wanted)} Japanese"
    return [
        row(f"{name}: {measure}", [value], "ratio", target=against.get(measure), input=text)
        for measure, value in values.items()
    ]


def quality() -> list[Row]:
    """The figures on all labelled pages."""
    labelled = []
    pages, _ = decisions([PAGES / f"{name}.warc.gz" for name in NAMES])
    for name in NAMES:
        for line, _ in members(name):
            key = (name, int(line["offset"]))
            if is_page(line, whole_only=True) and line["lang"] != "-":
                labelled.append((line, *pages.get(key, (False, False))))
    sure = [item for item in labelled if item[0]["lang"] not in JAPANESE or int(item[0]["kana"]) >= MIN_KANA]
    wanted = [line["lang"] in JAPANESE for line, _, _ in sure]
    rows = scores("rapid test", [rapid for _, rapid, _ in sure], wanted, SWALLOW)
    rows += scores("precise test", [precise for _, _, precise in sure], wanted, {})
    pure = [item for item in sure if item[0]["lang"] not in JAPANESE or item[0]["lang"] == "ja"]
    target = {"precision": 0.99, "recall": 0.985}
    found = [precise for _, _, precise in pure]
    rows += scores("precise test, label ja only", found, [line["lang"] == "ja" for line, _, _ in pure], target)
    for charset in ("utf-8", "shift_jis", "euc-jp", "iso-2022-jp"):
        ours = [precise for line, _, precise in sure if line["lang"] == "ja" and line["charset"] == charset]
        if ours:
            recall = sum(ours) / len(ours)
            text = f"{sum(ours)} of {len(ours)} pages labelled ja"
            rows.append(row(f"found of {charset}", [recall], "ratio", target=0.985, input=text))
    return rows


def speed() -> list[Row]:
    """How much faster pages are gone through with the rapid test than without, reading left out."""
    samples: dict[str, list[float]] = {"ratio": [], "rapid": [], "foreign": []}
    with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
        _, mixed = build_inputs(Path(temporary))
        for _ in range(ROUNDS):
            _, seconds = decisions([mixed.path])
            samples["ratio"].append(seconds["all"] / (seconds["rapid"] + seconds["passing"]))
            samples["foreign"].append((seconds["all"] - seconds["passing"]) / seconds["rapid"])
            samples["rapid"].append(seconds["bytes"] / seconds["rapid"] / 1e6)
    text = mixed.text
    return [
        row("rapid test, speed", samples["rapid"], "MB/s", input=text),
        row("foreign pages, rapid test / extraction", samples["foreign"], "ratio", input=text),
        row(
            "all pages, with / without rapid test", samples["ratio"], "ratio", target=SWALLOW["speed"], input=mixed.text
        ),
    ]


def main() -> int:
    """Measures and writes."""
    if not (PAGES / "docs.warc.gz").exists():
        print("bench language: no real pages; set UZUSHIO_REAL_PAGES to a folder with them", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
        rows = table(NAMES, Path(temporary))
    write("language", quality() + speed() + rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
