"""How near shown text comes to what Chromium shows, line by line, without scripts and style sheets.

The reference is innerText of the page's body, loaded with `Content-Security-Policy: default-src 'none'; style-src-attr
'unsafe-inline'`, of which `rt`, `rp` and `style` elements are taken out. Lines are compared as multisets, without
white space at their ends, weighted by characters. Two things are decided to be otherwise than in a browser: a row of a
data table is one line, and anchors of headings are no text. A second reference has both: the same page, with its
tables and anchors rewritten in the browser (`DECIDED_RULES`) before innerText is read again. Lines that differ are
told apart by cause.
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


# What docs/formats.md says of data tables and anchors, on the browser's tree. Texts of cells are the browser's.
DECIDED_RULES = r"""() => {
  const BLOCKS = new Set(('ARTICLE ASIDE BLOCKQUOTE DIV DL FIELDSET FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER MAIN'
    + ' NAV OL P PRE SECTION TABLE TEXTAREA UL').split(' '));
  const isCell = (e) => e !== null && (e.tagName === 'TD' || e.tagName === 'TH');
  const spanOf = (cell, name) => Math.min(Math.max(parseInt(cell.getAttribute(name) ?? '1', 10) || 1, 1), 1000);
  const isAll = (e) => (e.tagName === 'P' || e.tagName === 'DIV') && isCell(e.parentElement)
    && e.parentElement.children.length === 1 && e.parentElement.textContent.trim() === e.textContent.trim();
  const headersOf = (table) => {
    const head = table.querySelector('thead');
    if (head !== null && head.querySelector('td, th')?.tagName === 'TH') return 'head';
    const first = [...(table.querySelector('tr')?.children ?? [])].filter(isCell);
    return first.length > 1 && first.every((cell) => cell.tagName === 'TH') ? 'row' : 'none';
  };
  // Cells by row, each in the columns and rows that it covers.
  const gridOf = (table) => {
    const rows = [];
    for (const group of table.rows.length === 0 ? [] : new Set([...table.rows].map((row) => row.parentElement))) {
      const below = [];
      for (const row of [...group.children].filter((e) => e.tagName === 'TR')) {
        const cells = [];
        const fill = () => {
          while ((below[cells.length]?.rows ?? 0) > 0) {
            below[cells.length].rows -= 1;
            cells.push(below[cells.length].cell);
          }
        };
        for (const cell of [...row.children].filter(isCell)) {
          fill();
          for (let i = spanOf(cell, 'colspan'); i > 0; --i) {
            below[cells.length] = {cell, rows: spanOf(cell, 'rowspan') - 1};
            cells.push(cell);
          }
        }
        fill();
        rows.push({cells, own: [...row.children].filter(isCell)});
      }
    }
    return rows;
  };
  const isData = (table, grid) => {
    if (['presentation', 'none'].includes(table.getAttribute('role'))) return false;
    if (table.parentElement.closest('table') !== null || table.querySelector('table') !== null) return false;
    const headers = headersOf(table);
    for (const block of table.querySelectorAll('td *, th *')) {
      if (!BLOCKS.has(block.tagName) || isAll(block)) continue;
      if (headers === 'none' || !['P', 'DIV', 'UL', 'OL', 'DL'].includes(block.tagName)) return false;
      if (headers === 'row' && !['P', 'DIV'].includes(block.tagName)) return false;
      if (new TextEncoder().encode(block.closest('td, th').textContent).length > 2048) return false;
    }
    const columns = new Set();
    for (const {cells, own} of grid) {
      for (const cell of own) if (cell.textContent.trim() !== '') columns.add(cells.indexOf(cell));
    }
    return columns.size > 1;
  };
  for (const link of document.querySelectorAll('a')) {
    const hasClass = link.matches('.headerlink, .hash-link, .header-anchor, .anchorjs-link');
    if (!hasClass && link.closest('h1, h2, h3, h4, h5, h6, dt') === null) continue;
    const href = link.getAttribute('href');
    if (href && !href.includes('#')) continue;
    const text = link.textContent.replace(/\u200b+$/, '').trim();
    const isSign = ['', '¶', '#', '§', '🔗', '∞', 'Link to here', 'Permalink'].includes(text);
    if (isSign || (hasClass && [...text].length <= 2 && !/\p{L}/u.test(text))) link.remove();
  }
  const tables = [...document.querySelectorAll('table')].map((table) => [table, gridOf(table)]);
  for (const [table, grid] of tables.filter(([table, grid]) => isData(table, grid))) {
    if (!table.checkVisibility()) continue;
    const texts = new Map();
    for (const cell of table.querySelectorAll('td, th')) {
      texts.set(cell, cell.checkVisibility() ? cell.innerText.split(/\s+/).join(' ').trim() : '');
    }
    const lines = document.createElement('div');
    if (table.caption !== null) {
      const caption = document.createElement('div');
      caption.append(...table.caption.childNodes);
      lines.append(caption);
    }
    for (const {cells, own} of grid) {
      if (own.every((cell) => texts.get(cell) === '')) continue;
      const row = document.createElement('div');
      // A cell is written where it begins, a row up to its last own one.
      const begins = cells.map((cell, i) => own.includes(cell) && cells.indexOf(cell) === i);
      const written = cells.slice(0, begins.lastIndexOf(true) + 1);
      row.textContent = written.map((cell, i) => begins[i] ? texts.get(cell) : '').join('\t');
      lines.append(row);
    }
    table.replaceWith(lines);
  }
  return document.body === null ? '' : document.body.innerText;
}"""

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
        full = output / ".uzushio/full-data" / file.relative_to(output).with_suffix(".pq")
        bodies = pq.read_table(full, columns=["body", "mediaType"]).to_pylist()
        texts = pq.read_table(file, columns=["docId", "url", "charset", "text"]).to_pylist()
        rows += [text | body for text, body in zip(texts, bodies, strict=True) if body["mediaType"] == "html"]
    return rows


def shown_by(page: Page, row: dict[str, Any]) -> tuple[str, str]:
    """What Chromium shows of it, and what it would show by the two rules that are decided to be otherwise."""
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
    decided: str = page.evaluate(DECIDED_RULES) if text else text
    page.unroute_all()
    return text, decided


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
        by_rules = [0, 0, 0]
        rule_causes: Counter[str] = Counter()
        for form in ("shown", "original"):
            rows = documents(warcs, form, Path(folder))
            rows = [row for row in rows if not reference or row["docId"] in reference]
            step = max(1, len(rows) // arguments.pages) if not reference else 1
            total = [0, 0, 0]
            for row in rows[::step][: arguments.pages]:
                text = plain(row["text"])
                ours = lines_of(text)
                if form == "shown":
                    shown, decided = shown_by(page, row)
                    reference[row["docId"]] = lines_of(shown)
                    ruled = lines_of(decided)
                    same_by_rules = scores(ours, ruled)
                    by_rules = [a + b for a, b in zip(by_rules, same_by_rules, strict=True)]
                    if ours != ruled:
                        rule_causes += causes_of(text, ours, decided, ruled)
                        wrong = same_by_rules[1] + same_by_rules[2] - 2 * same_by_rules[0]
                        pages.append((wrong, row["url"], ours - ruled, ruled - ours))
                theirs = reference[row["docId"]]
                total = [a + b for a, b in zip(total, scores(ours, theirs), strict=True)]
                if form == "shown" and ours != theirs:
                    causes += causes_of(text, ours, shown, theirs)
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
    same, written, wanted = by_rules
    f1 = 2 * same / (written + wanted) if written + wanted else 0.0
    print(f"shown, next to the page with tables and anchors as decided: F1 {f1:.4f}")
    for cause, characters in rule_causes.most_common():
        print(f"  {characters / (written + wanted):.4f} {cause}")
    rows_of_table.append(
        {
            "metric": "the same, shown, next to the page with rows of tables and anchors of headings as decided",
            "value": f1,
            "unit": "share",
            "target": 0.985,
            "better": "higher",
            "holds": f1 >= 0.985,
            "samples": [f1],
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
