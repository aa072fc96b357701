"""How well the structure of pages is kept: code, rows of tables, headings, items of lists.

Markdown and reStructuredText of real projects are rendered by the generators of structure_generators.py, extracted, and
compared with their source, unit by unit (tests/support/structure_units.py). Repositories are folders with files of a
project; the files are taken evenly from each. The peers' Markdown is read by the parser that reads the source;
Resiliparse writes HTML.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow.parquet as pq
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
from structure_generators import GENERATORS, WITH_LANGUAGES, LeftOut, Page, Source
from structure_units import KINDS, Unit, Units, units_of_html, units_of_markdown, units_of_shown

ROOT = Path(__file__).resolve().parent.parent
TARGET = 0.985
WITH_TARGET = ("code", "rows", "headings", "items", "depths")
# Nobody has looked at what becomes of these while the rules were made.
NOT_THESE = ("js-primer", "haskell-jp", "promises-book")


def sources_of(folder: Path, most: int) -> list[Source]:
    """The texts of the repositories, at most so many of each, evenly."""
    sources = []
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        if any(name in repository.name for name in NOT_THESE):
            continue
        found = [
            path
            for path in sorted(repository.rglob("*"))
            if path.suffix in (".md", ".rst")
            and path.is_file()
            and not {"tests", "node_modules", ".github"} & set(path.relative_to(repository).parts)
            and path.stat().st_size < 200_000
        ]
        step = max(1, -(-len(found) // most))
        sources += [Source(repository, path) for path in found[::step]]
    return sources


def write_pages(pages: list[Page], warc: Path) -> None:
    """Writes an archive with the pages, the URL of each ending in its number."""
    with warc.open("wb") as file:
        writer = WARCWriter(file, gzip=False)
        for number, page in enumerate(pages):
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            body = io.BytesIO(page.html.encode())
            url = f"http://pages.invalid/{number}"
            writer.write_record(writer.create_warc_record(url, "response", payload=body, http_headers=headers))


def texts_in(files: Iterable[Path], count: int) -> list[str]:
    """The documents' texts, by the number of their page."""
    texts = [""] * count
    for file in files:
        for row in pq.read_table(file, columns=["url", "text"]).to_pylist():
            texts[int(row["url"].rpartition("/")[2])] = row["text"]
    return texts


def by_uzushio(program: Path, pages: list[Page], folder: Path) -> tuple[list[Units], list[Units]]:
    """The units in what the program extracts, and in the Markdown that it makes of that."""
    warc, output, as_markdown = folder / "pages.warc", folder / "documents", folder / "markdown"
    write_pages(pages, warc)
    options: list[str | Path] = ["--text", "shown", "--language", "all", "--overwrite", "--quiet"]
    subprocess.run([program, "extract", warc, "--output", output, *options], check=True)
    shown = texts_in(sorted(output.glob("language=*/*.parquet")), len(pages))
    chain = folder / "chain.conf"
    chain.write_text('filters: [{"class": "Markdown"}]\n')
    options = ["--config", chain, "--overwrite", "--quiet"]
    subprocess.run([program, "filter", output, "--output", as_markdown, *options], check=True)
    written = texts_in(sorted(as_markdown.rglob("*.parquet")), len(pages))
    return [units_of_shown(text) for text in shown], [units_of_markdown(text) for text in written]


def trafilatura_units(html: str) -> Units:
    """The units in Trafilatura's Markdown."""
    import trafilatura

    text = trafilatura.extract(
        html, output_format="markdown", include_tables=True, include_formatting=True, favor_recall=True
    )
    return units_of_markdown(text or "")


def rs_trafilatura_units(html: str) -> Units:
    """The units in rs-trafilatura's Markdown."""
    import rs_trafilatura

    result = rs_trafilatura.extract(html, output_markdown=True, favor_recall=True)
    return units_of_markdown(result.content_markdown or "")


def resiliparse_units(html: str) -> Units:
    """The units in Resiliparse's simple HTML."""
    from resiliparse.extract.html2text import extract_plain_text

    return units_of_html(extract_plain_text(html, preserve_formatting="minimal_html", main_content=False))


PEERS: dict[str, Callable[[str], Units]] = {
    "Trafilatura": trafilatura_units,
    "rs-trafilatura": rs_trafilatura_units,
    "Resiliparse": resiliparse_units,
}


class Score:
    """Units in both, in what was extracted, in the truth; and those that differ."""

    def __init__(self) -> None:
        self.same = self.extracted = self.wanted = 0
        self.missed: list[tuple[str, Unit]] = []
        self.added: list[tuple[str, Unit]] = []

    def add(self, page: str, extracted: Counter[Unit], wanted: Counter[Unit]) -> None:
        """Counts a page."""
        self.same += (extracted & wanted).total()
        self.extracted += extracted.total()
        self.wanted += wanted.total()
        self.missed += [(page, unit) for unit in (wanted - extracted).elements()]
        self.added += [(page, unit) for unit in (extracted - wanted).elements()]

    @property
    def precision(self) -> float:
        """The share of what was extracted that is right."""
        return self.same / self.extracted if self.extracted else 0.0

    @property
    def recall(self) -> float:
        """The share of what should be there that is."""
        return self.same / self.wanted if self.wanted else 0.0

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        both = self.extracted + self.wanted
        return 2 * self.same / both if both else 1.0


Scores = dict[str, Score]


def compare(pages: list[Page], extracted: list[Units]) -> Scores:
    """The scores by kind."""
    scores: Scores = defaultdict(Score)
    for page, units in zip(pages, extracted, strict=True):
        for kind in KINDS:
            scores[kind].add(page.name, units.of[kind], page.truth.of[kind])
    return scores


def mean_f1(of_generators: list[Scores], kind: str) -> float:
    """The mean over generators that have such units."""
    values = [scores[kind].f1 for scores in of_generators if scores[kind].wanted]
    return sum(values) / len(values) if values else 0.0


def show(scores: Scores, worst: int) -> None:
    """Prints the scores of a generator, and some of the units that differ."""
    for kind, score in scores.items():
        if not score.wanted:
            continue
        print(
            f"  {kind:12} {score.wanted:6} units: precision {score.precision:.4f},"
            f" recall {score.recall:.4f}, F1 {score.f1:.4f}{'' if score.f1 >= TARGET else '  <'}",
            flush=True,
        )
        for what, units in (("missed", score.missed), ("added", score.added)):
            for page, unit in units[:worst]:
                print(f"    {what}: {page}: {unit!r}"[:240])


def main() -> None:
    """Prints the tables and writes the figures."""
    argument_parser = argparse.ArgumentParser(description=__doc__)
    argument_parser.add_argument("--repositories", type=Path, required=True, help="a folder with a folder for each")
    argument_parser.add_argument("--generators", nargs="+", default=list(GENERATORS), help=", ".join(GENERATORS))
    argument_parser.add_argument("--files", type=int, default=60, help="the most of each repository")
    argument_parser.add_argument("--peers", nargs="*", default=list(PEERS), help=", ".join(PEERS))
    argument_parser.add_argument("--program", type=Path, default=ROOT / "build/uzushio")
    argument_parser.add_argument("--worst", type=int, default=0, help="units to show that differ, of each kind")
    argument_parser.add_argument("--keep", type=Path, help="a folder to write the pages to")
    arguments = argument_parser.parse_args()

    sources = sources_of(arguments.repositories, arguments.files)
    print(f"{len(sources)} files: {dict(Counter(source.root.name for source in sources))}")
    results: dict[str, list[Scores]] = defaultdict(list)
    figures = []
    for name in arguments.generators:
        left_out = LeftOut()
        pages = list(GENERATORS[name](sources, left_out))
        if name not in WITH_LANGUAGES:
            for page in pages:
                page.truth.of["languages"].clear()
        if arguments.keep:
            for page in pages:
                file = arguments.keep / name / f"{page.name}.html"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(page.html, "utf-8")
        with tempfile.TemporaryDirectory() as folder:
            shown, written = by_uzushio(arguments.program, pages, Path(folder))
        scores = compare(pages, shown)
        results["Uzushio"].append(scores)
        # Markdown has no definition lists: it has items.
        comparable = [number for number, page in enumerate(pages) if not page.truth.of["definitions"]]
        as_markdown = compare([pages[number] for number in comparable], [written[number] for number in comparable])
        results["Uzushio, Markdown"].append(as_markdown)
        print(
            f"\n{name}: {len(pages)} pages; left out {left_out.files} files,"
            f" {left_out.blocks} of {left_out.of_blocks} blocks, {left_out.raw} with raw HTML"
        )
        show(scores, arguments.worst)
        if any(score.wanted and score.f1 < 1 for score in as_markdown.values()):
            print("  as Markdown")
            show(as_markdown, arguments.worst)
        for kind, score in scores.items():
            figures.append(
                {
                    "metric": f"structure, {name}, {kind}, F1 of {score.wanted} units",
                    "value": score.f1,
                    "unit": "share",
                    "target": TARGET if kind in WITH_TARGET and score.wanted else None,
                    "better": "higher",
                    "holds": score.f1 >= TARGET if kind in WITH_TARGET and score.wanted else None,
                    "samples": [score.f1],
                }
            )
        for peer in arguments.peers:
            results[peer].append(compare(pages, [PEERS[peer](page.html) for page in pages]))
    print(f"\nmean F1 over {len(arguments.generators)} generators")
    print(f"  {'':20}" + "".join(f"{kind:>13}" for kind in KINDS))
    for extractor, of_generators in results.items():
        means = {kind: mean_f1(of_generators, kind) for kind in KINDS}
        print(f"  {extractor:20}" + "".join(f"{value:13.4f}" for value in means.values()))
        for kind, value in means.items():
            is_ours = extractor == "Uzushio" and kind in WITH_TARGET
            figures.append(
                {
                    "metric": f"structure, {extractor}, {kind}, mean F1 of {len(of_generators)} generators",
                    "value": value,
                    "unit": "share",
                    "target": TARGET if is_ours else None,
                    "better": "higher",
                    "holds": value >= TARGET if is_ours else None,
                    "samples": [value],
                }
            )
    file = ROOT / "build/bench/structure.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
