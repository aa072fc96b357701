"""Compares extracted text with an independent HTML5 parse of the same pages.

The reference is html5lib's tree of each HTML page (status 200, whole): the text below `body`, without the elements
whose text a browser never shows. Both sides are compared as multisets of characters, white space and control
characters left out: *lost* are characters of the reference that the document lacks, *added* the other way round.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import multiprocessing
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import html5lib
import pyarrow.parquet as pq

HIDDEN = {
    "script",
    "style",
    "template",
    "iframe",
    "noembed",
    "noframes",
    "datalist",
    "audio",
    "video",
    "canvas",
}
CODECS = {"shift_jis": "cp932", "x-sjis": "cp932", "iso-8859-1": "cp1252", "euc-kr": "cp949", "gb2312": "gbk"}
OFF_BY = 0.02


@dataclass
class Comparison:
    """The characters of a page: of the reference, lost and added."""

    line: dict[str, str]
    characters: int
    lost: int
    added: int

    @property
    def off(self) -> float:
        """The characters lost and added, as a share of the reference."""
        return (self.lost + self.added) / max(self.characters, 1)


def visible_text(element: ElementTree.Element) -> str:
    """The text below an element, hidden elements left out."""
    parts: list[str] = []
    stack: list[ElementTree.Element | str] = [element]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        if item is not element and item.tail:
            stack.append(item.tail)
        # Comments have a function as their tag.
        if not isinstance(item.tag, str) or item.tag.rpartition("}")[2] in HIDDEN:
            continue
        stack.extend(reversed(item))
        if item.text:
            parts.append(item.text)
    return "".join(parts)


def characters(text: str) -> Counter[str]:
    """The characters of a text without white space and controls."""
    return Counter(c for c in text if not c.isspace() and c >= " " and c != "\x7f")


def reference_text(task: tuple[str, bytes, str]) -> tuple[str, str]:
    """The page's key and the reference's text."""
    key, body, charset = task
    text = body.decode(CODECS.get(charset, charset), "replace").removeprefix("\ufeff")
    tree = html5lib.parse(text, treebuilder="etree", namespaceHTMLElements=False)
    body_element = tree.find("body")
    return key, "" if body_element is None else visible_text(body_element)


def manifest(pages: Path, name: str) -> dict[int, dict[str, str]]:
    """The lines of whole HTML pages with status 200, by offset."""
    with gzip.open(pages / f"{name}.manifest.tsv.gz", "rt", encoding="utf-8") as file:
        return {
            int(line["offset"]): line
            for line in csv.DictReader(file, delimiter="\t")
            if line["type"] == "response"
            and line["status"] == "200"
            and line["kind"].startswith("page")
            and "truncated" not in line["kind"]
        }


def body_of(content: bytes, headers: list[tuple[str, str]]) -> bytes:
    """The body with its codings undone, where the headers are true."""
    fields = {name.lower(): value.lower() for name, value in headers}
    if "chunked" in fields.get("transfer-encoding", ""):
        content = unchunked(content)
    if content.startswith(b"\x1f\x8b"):
        content = zlib.decompressobj(31).decompress(content)
    return content


def unchunked(content: bytes) -> bytes:
    """The content of chunks, or the bytes themselves when they are no chunks."""
    out = bytearray()
    rest = content
    while True:
        line, separator, rest = rest.partition(b"\r\n")
        try:
            size = int(line.split(b";")[0], 16)
        except ValueError:
            return content if not out else bytes(out)
        if not separator or size == 0:
            return bytes(out)
        out += rest[:size]
        rest = rest[size + 2 :]


def bodies(warc: Path, lines: dict[int, dict[str, str]]) -> Iterator[tuple[str, bytes, str]]:
    """Key, body and true charset of each page. The file has a gzip member a record."""
    data = memoryview(warc.read_bytes())
    offsets = sorted(lines)
    for offset, end in zip(offsets, [*offsets[1:], len(data)], strict=True):
        record = zlib.decompressobj(31).decompress(data[offset:end])
        stored = record.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n\r\n")
        ends = [end for end in (stored.find(b"\r\n\r\n"), stored.find(b"\n\n")) if end >= 0]
        head = stored[: min(ends)]
        content = stored[min(ends) :]
        content = content[4 if content.startswith(b"\r") else 2 :]
        pairs = [field.partition(":") for field in head.decode("latin-1").splitlines()[1:]]
        headers = [(name.strip(), value.strip()) for name, _, value in pairs]
        yield str(offset), body_of(content, headers), lines[offset]["charset"]


def references(pages: Path, name: str, lines: dict[int, dict[str, str]], cache: Path, jobs: int) -> dict[int, str]:
    """The reference texts by offset, kept in a file between runs."""
    stored = cache / f"{name}.jsonl.gz"
    if not stored.exists():
        cache.mkdir(parents=True, exist_ok=True)
        temporary = stored.with_suffix(".tmp")
        with (
            multiprocessing.Pool(jobs) as pool,
            gzip.open(temporary, "wt", encoding="utf-8", compresslevel=1) as file,
        ):
            for item in pool.imap_unordered(reference_text, bodies(pages / f"{name}.warc.gz", lines), chunksize=8):
                file.write(json.dumps(item) + "\n")
        temporary.rename(stored)
    with gzip.open(stored, "rt", encoding="utf-8") as file:
        return {int(key): text for key, text in map(json.loads, file)}


def extracted(documents: Path, warc_name: str) -> dict[int, str]:
    """Texts of the documents dataset by offset, without paths and marks."""
    texts: dict[int, str] = {}
    for path in sorted(documents.glob("language=*/*.parquet")):
        for row in pq.ParquetFile(path).read(columns=["warc", "offset", "text"]).to_pylist():
            if row["warc"].endswith(f"{warc_name}.warc.gz"):
                paragraphs = row["text"].split("\n\n")
                texts[row["offset"]] = "\n".join(paragraph.partition("\x1c")[2] for paragraph in paragraphs)
    return texts


def compare(line: dict[str, str], reference: str, text: str) -> Comparison:
    """The characters lost and added."""
    expected, got = characters(reference), characters(text)
    return Comparison(line, expected.total(), (expected - got).total(), (got - expected).total())


def main() -> int:
    """Compares and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=Path, required=True, help="folder of NAME.warc.gz and NAME.manifest.tsv.gz")
    parser.add_argument("--name", required=True, action="append", help="NAME; may be given again")
    parser.add_argument(
        "--documents", type=Path, required=True, help="what `extract --language all --text original` made of them"
    )
    parser.add_argument("--cache", type=Path, default=Path("build/fidelity"), help="folder for the reference texts")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--tsv", type=Path, help="file for the pages that are off")
    arguments = parser.parse_args()
    results: list[Comparison] = []
    for name in arguments.name:
        lines = manifest(arguments.pages, name)
        reference = references(arguments.pages, name, lines, arguments.cache, arguments.jobs)
        texts = extracted(arguments.documents, name)
        results += [compare(lines[offset], text, texts.get(offset, "")) for offset, text in reference.items()]
    total = sum(result.characters for result in results)
    off = sorted((r for r in results if r.off > OFF_BY), key=lambda r: -r.off)
    lost = sum(r.lost for r in results) / total
    added = sum(r.added for r in results) / total
    print(f"{len(results)} pages, {total} characters: lost {lost:.4%}, added {added:.4%}")
    print(f"{len(off)} pages ({len(off) / len(results):.2%}) are off by more than {OFF_BY:.0%}")
    if arguments.tsv:
        rows = [["url", "kind", "charset", "characters", "lost", "added"]]
        for r in off:
            counts = [str(r.characters), str(r.lost), str(r.added)]
            rows.append([r.line["url"], r.line["kind"], r.line["charset"], *counts])
        arguments.tsv.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
