"""How near shown text comes to what Chromium shows, line by line, without scripts and style sheets.

The reference is innerText of the page's body, loaded with `Content-Security-Policy: default-src 'none'; style-src-attr
'unsafe-inline'`, of which `rt`, `rp` and `style` elements are taken out. Lines are compared as multisets, without
white space at their ends, weighted by characters. Lines that differ are told apart by cause; what is decided to be
otherwise than in a browser (rows of tables on one line, no anchors of headings) has a figure without it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
MARKS = dict.fromkeys((2, 3, *range(14, 23), 31))


WIDE = "[\u3000-\u30ff\u3400-\u9fff\uff01-\uff9f]"
BETWEEN_WIDE = re.compile(f"(?<={WIDE}) (?={WIDE})")


def lines_of(text: str) -> Counter[str]:
    """The lines with something on them, without spaces between wide characters, as Chromium leaves for line breaks."""
    lines = (BETWEEN_WIDE.sub("", " ".join(raw.split())) for raw in text.split("\n"))
    return Counter(line for line in lines if line)


def plain(text: str) -> str:
    """A document's text without paths, structures and marks."""
    return "\n".join(paragraph.rpartition("\x1c")[2] for paragraph in text.split("\n\n")).translate(MARKS)


DECIDED = ("rows of tables are one line", "anchors of headings")
ANCHORS = re.compile("[¶#§🔗∞]")


def causes_of(text: str, ours: Counter[str], shown: str, theirs: Counter[str]) -> Counter[str]:
    """Characters of lines that only one of both has, by why: what is alike but for white space is broken otherwise."""

    def bare(line: str) -> str:
        return "".join(line.split()).replace("\u200b", "")

    rows = {row for row in text.split("\n") if "\t" in row}
    row_lines, row_text = lines_of("\n".join(rows)), "\n".join(map(bare, rows))
    ours_bare, theirs_bare = bare(text), bare(shown)
    ours_plain, theirs_plain = ANCHORS.sub("", ours_bare), ANCHORS.sub("", theirs_bare)
    causes: Counter[str] = Counter()
    for line, count in (ours - theirs).items():
        has_twin = ANCHORS.search(bare(line)) is None and any(line + anchor in theirs for anchor in "¶#§🔗∞")
        if line in row_lines:
            cause = DECIDED[0]
        elif has_twin or (bare(line) not in theirs_bare and ANCHORS.sub("", bare(line)) in theirs_plain):
            cause = DECIDED[1]
        else:
            cause = "line breaks elsewhere" if bare(line) in theirs_bare else "other text"
        causes[cause] += len(line) * count
    for line, count in (theirs - ours).items():
        if bare(line) in row_text:
            cause = DECIDED[0]
        elif bare(line) in ours_bare:
            cause = "line breaks elsewhere"
        else:
            cause = DECIDED[1] if ANCHORS.sub("", bare(line)) in ours_plain else "other text"
        causes[cause] += len(line) * count
    return causes


def scores(ours: Counter[str], theirs: Counter[str]) -> tuple[int, int, int]:
    """Characters of lines in both, of ours, of theirs."""

    def characters(lines: Counter[str]) -> int:
        return sum(len(line) * count for line, count in lines.items())

    return characters(ours & theirs), characters(ours), characters(theirs)


def documents(warcs: list[Path], form: str, folder: Path) -> list[dict[str, Any]]:
    """The documents with the pages' bytes."""
    output = folder / form
    options = ["--text", form, "--language", "all", "--full-data", "--quiet"]
    subprocess.run([ROOT / "build/uzushio", "extract", *warcs, "--output", output, *options], check=True)
    rows = []
    for file in sorted(output.glob("language=*/*.parquet")):
        full = output / ".uzushio/full-data" / file.relative_to(output)
        bodies = pq.read_table(full, columns=["body", "mediaType"]).to_pylist()
        texts = pq.read_table(file, columns=["docId", "url", "charset", "text"]).to_pylist()
        rows += [text | body for text, body in zip(texts, bodies, strict=True) if body["mediaType"] == "html"]
    return rows


def shown_by(page: Page, row: dict[str, Any]) -> str:
    """What Chromium shows of it."""
    body = row["body"].decode({"Shift_JIS": "cp932"}.get(row["charset"], row["charset"]), "replace")
    policy = "default-src 'none'; style-src-attr 'unsafe-inline'"
    page.route(
        "**/*",
        lambda route: (
            route.fulfill(
                body=body.encode("utf-8", "replace"),
                headers={"content-type": "text/html; charset=utf-8", "content-security-policy": policy},
            )
            if route.request.is_navigation_request() and route.request.frame.parent_frame is None
            else route.abort()
        ),
    )
    page.goto("http://page.invalid/", wait_until="commit")
    page.wait_for_load_state("domcontentloaded")
    text: str = page.evaluate(
        "() => { document.querySelectorAll('rt, rp, style').forEach((e) => e.remove());"
        " return document.body === null ? '' : document.body.innerText; }"
    )
    page.unroute_all()
    return text


def main() -> None:
    """Prints the table, and with --worst the pages that differ most."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--worst", type=int, default=0, help="pages to show lines of that differ")
    parser.add_argument("--data", type=Path, default=PAGES)
    arguments = parser.parse_args()
    warcs = sorted(arguments.data.glob("*.warc.gz"))
    totals: dict[str, list[int]] = {}
    pages = []
    causes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page()
        reference: dict[str, Counter[str]] = {}
        shown = ""
        for form in ("shown", "original"):
            rows = documents(warcs, form, Path(folder))
            rows = [row for row in rows if not reference or row["docId"] in reference]
            step = max(1, len(rows) // arguments.pages) if not reference else 1
            total = [0, 0, 0]
            for row in rows[::step][: arguments.pages]:
                if form == "shown":
                    shown = shown_by(page, row)
                    reference[row["docId"]] = lines_of(shown)
                ours, theirs = lines_of(plain(row["text"])), reference[row["docId"]]
                both = scores(ours, theirs)
                total = [a + b for a, b in zip(total, both, strict=True)]
                if form == "shown" and ours != theirs:
                    causes += causes_of(plain(row["text"]), ours, shown, theirs)
                    pages.append((both[1] + both[2] - 2 * both[0], row["url"], ours - theirs, theirs - ours))
            totals[form] = total
        browser.close()
    rows_of_table = []
    for form, (same, written, wanted) in totals.items():
        f1 = 2 * same / (written + wanted) if written + wanted else 0.0
        print(
            f"{form:9} {len(reference)} pages: F1 {f1:.4f}, precision {same / written:.4f}, recall {same / wanted:.4f}"
        )
        target = 0.985 if form == "shown" else None
        rows_of_table.append(
            {
                "metric": f"lines of Chromium's innerText, F1 by characters, {form}, {len(reference)} pages",
                "value": f1,
                "unit": "share",
                "target": target,
                "better": "higher",
                "holds": None if target is None else f1 >= target,
                "samples": [f1],
            }
        )
    same, written, wanted = totals["shown"]
    for cause, characters in causes.most_common():
        print(f"  {characters / (written + wanted):.4f} {cause}")
    decided = sum(causes[cause] for cause in DECIDED)
    undecided = 1 - (written + wanted - 2 * same - decided) / (written + wanted)
    print(f"shown, but for what is decided to be otherwise: F1 {undecided:.4f}")
    rows_of_table.append(
        {
            "metric": f"the same, shown, but for {' and '.join(DECIDED)}",
            "value": undecided,
            "unit": "share",
            "target": None,
            "better": "higher",
            "holds": None,
            "samples": [undecided],
        }
    )
    pages.sort(key=lambda entry: -entry[0])
    for wrong, url, ours_only, theirs_only in pages[: arguments.worst]:
        print(f"\n{wrong} {url}")
        for name, lines in (("ours", ours_only), ("Chromium", theirs_only)):
            for line, count in sorted(lines.items(), key=lambda entry: -len(entry[0]) * entry[1])[:4]:
                print(f"  {name}: {count} x {line[:160]!r}")
    results = ROOT / "build/bench/text.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text(json.dumps(rows_of_table, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
