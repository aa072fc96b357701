#!/usr/bin/env python3
"""Compare extracted documents with an independent HTML5 parse of the same pages.

For each HTML page of NAME.warc.gz the reference text is what html5lib finds under <body>, less the elements that a
browser never shows as text. It is compared with the text of the documents dataset that
`uzushio extract --language all` wrote, as multisets of characters after white space and control characters are gone:

    lost  = characters of the reference that the document lacks
    added = characters of the document that the reference lacks

NAME.manifest.tsv.gz says which records are pages and what their true charset is. A page and a document belong together
when their records begin at the same offset. Truncated pages are left out: their bodies end anywhere.

The reference texts are kept in a cache folder, since html5lib parses about 1 MB a second.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import multiprocessing
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import html5lib
import pyarrow.dataset as ds

# Raise this when the reference text of a page changes, so that cached ones are made again.
REFERENCE_VERSION = 1

# Elements whose content a browser never shows as text.
HIDDEN = frozenset(
    "script style template iframe noembed noframes datalist audio video canvas".split()
)

# A page counts as off when it lost, or was added, more than this share of the reference's characters.
OFF_SHARE = 0.02

# Pages a worker takes at a time. Results are saved each time this many pages per worker are done.
CHUNK = 16

INVISIBLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


# --- pages -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """A page of the manifest. `offset` is where its record's gzip member begins, in bytes."""

    offset: int
    url: str
    charset: str
    kind: str


def read_manifest(path: Path) -> list[dict[str, str]]:
    """The manifest's lines as dictionaries by column name."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def html_pages(rows: Iterable[dict[str, str]]) -> tuple[list[Page], int]:
    """The whole HTML pages with status 200, and how many truncated ones are left out."""
    pages: list[Page] = []
    truncated = 0
    for row in rows:
        tags = row["kind"].split("+")
        if tags[0] != "page" or row["status"] != "200":
            continue
        if "truncated" in tags:
            truncated += 1
            continue
        pages.append(Page(int(row["offset"]), row["url"], row["charset"], row["kind"]))
    return pages, truncated


# --- bodies ----------------------------------------------------------------------------------------


def split_head(block: bytes) -> tuple[bytes, bytes]:
    """Head and rest of a message, parted at the first empty line, whether lines end in CR LF or LF."""
    empty = re.search(rb"\r?\n\r?\n", block)
    if empty is None:
        raise ValueError("no empty line ends the headers")
    return block[: empty.start()], block[empty.end() :]


def header_values(head: bytes) -> dict[str, str]:
    """Header fields by lower-case name; the first line, which is no field, is skipped."""
    fields: dict[str, str] = {}
    for line in head.splitlines()[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            fields[name.strip().lower().decode("latin-1")] = value.strip().decode("latin-1")
    return fields


def unchunk(body: bytes) -> bytes:
    """The body without chunked transfer coding (RFC 9112, section 7.1). Raises ValueError where it is damaged."""
    parts: list[bytes] = []
    position = 0
    while True:
        line_end = body.index(b"\n", position)
        size = int(body[position:line_end].split(b";")[0], 16)
        if size == 0:
            return b"".join(parts)
        parts.append(body[line_end + 1 : line_end + 1 + size])
        position = body.index(b"\n", line_end + 1 + size) + 1


def response_body(record: bytes) -> bytes:
    """The decoded body of a WARC response record, whose first line is `WARC/…`."""
    warc_head, block = split_head(record)
    length = int(header_values(warc_head)["content-length"])
    http_head, body = split_head(block[:length])
    fields = header_values(http_head)
    if fields.get("transfer-encoding", "").lower() == "chunked":
        body = unchunk(body)
    if fields.get("content-encoding", "").lower() == "gzip" and body[:2] == b"\x1f\x8b":
        body = zlib.decompressobj(wbits=31).decompress(body)
    return body


def read_record(path: Path, offset: int) -> bytes:
    """The decoded gzip member at `offset` bytes into the file."""
    member = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    with path.open("rb") as file:
        file.seek(offset)
        while not member.eof:
            piece = file.read(1 << 16)
            if not piece:
                raise ValueError(f"{path}: the file ends in the member at {offset}")
            parts.append(member.decompress(piece))
    return b"".join(parts)


# --- charsets --------------------------------------------------------------------------------------

# Python's EUC-JP and ISO-2022-JP lack NEC's row 13 (①, ㈱, …) and map a few signs unlike browsers, which use one table
# for all Japanese charsets. Python's windows-31j has that table, so the JIS codes are taken through it.
PYTHON_NAMES = {
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}

EUC_RUN = re.compile(
    rb"(?P<kanji>(?:[\xa1-\xfe][\xa1-\xfe])+)|(?P<kana>(?:\x8e[\xa1-\xdf])+)|(?P<other>\x8f..|.)", re.DOTALL
)

# Escape sequences of ISO-2022-JP, and which set each selects.
ESCAPE = re.compile(rb"\x1b(\([BJI]|\$[@B])")


def shift_jis_code(first: int, second: int) -> bytes:
    """The Shift_JIS bytes of the EUC-JP bytes `first`, `second`: rows are paired, and 0x7F is left out."""
    row, cell = first - 0xA1, second - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + (0x9F if row % 2 else 0x40 + (cell >= 0x3F))
    return bytes((lead, trail))


def decode_euc_jp(text: bytes) -> str:
    """EUC-JP as the WHATWG decodes it, with U+FFFD for what cannot be mapped."""
    parts: list[str] = []
    for run in EUC_RUN.finditer(text):
        found = run.group()
        if run.lastgroup == "kanji":
            pairs = zip(found[::2], found[1::2], strict=True)
            parts.append(b"".join(shift_jis_code(*pair) for pair in pairs).decode("cp932", "replace"))
        else:
            parts.append(found.decode("euc_jp", "replace"))
    return "".join(parts)


def decode_iso_2022_jp(text: bytes) -> str:
    """ISO-2022-JP as the WHATWG decodes it, with U+FFFD for what cannot be mapped."""
    parts: list[str] = []
    selected = b"(B"
    for index, piece in enumerate(ESCAPE.split(text)):
        if index % 2:
            selected = piece
        elif selected in (b"$@", b"$B"):
            even = len(piece) // 2 * 2
            parts.append(decode_euc_jp(bytes(byte | 0x80 for byte in piece[:even])))
        elif selected == b"(I":
            parts.append(bytes(byte | 0x80 for byte in piece).decode("cp932", "replace"))
        else:
            parts.append(piece.decode("ascii", "replace"))
    return "".join(parts)


def decode(body: bytes, charset: str) -> str:
    """The body's text, with U+FFFD for what cannot be mapped and without a byte order mark."""
    if charset == "euc-jp":
        return decode_euc_jp(body)
    if charset == "iso-2022-jp":
        return decode_iso_2022_jp(body)
    name = PYTHON_NAMES.get(charset, charset if charset != "-" else "utf-8")
    return body.decode(name, "replace").removeprefix("\ufeff")


# --- reference texts -------------------------------------------------------------------------------


def shown_texts(root: ElementTree.Element) -> Iterator[str]:
    """The texts under `root` in document order, without those of hidden elements and comments."""
    stack: list[tuple[ElementTree.Element, bool]] = [(root, False)]
    while stack:
        element, is_done = stack.pop()
        if is_done:
            if element is not root and element.tail:
                yield element.tail
            continue
        stack.append((element, True))
        if not isinstance(element.tag, str) or element.tag.rpartition("}")[2] in HIDDEN:
            continue
        if element.text:
            yield element.text
        stack.extend((child, False) for child in reversed(element))


def visible(text: str) -> str:
    """The text without white space and control characters."""
    return INVISIBLE.sub("", text)


def reference_text(html: str) -> str:
    """The visible characters under the page's <body>, by html5lib with scripting off."""
    parser = html5lib.HTMLParser(
        tree=html5lib.getTreeBuilder("etree", implementation=ElementTree), namespaceHTMLElements=False
    )
    body = parser.parse(html).find("body")
    return "" if body is None else visible("".join(shown_texts(body)))


# The file that workers read; set once in each.
_worker_file = Path()


def _start_worker(path: Path) -> None:
    global _worker_file
    _worker_file = path


def reference_of(page: Page) -> tuple[int, str | None]:
    """A page's offset and reference text; None, and a line on standard error, where the page cannot be read."""
    try:
        body = response_body(read_record(_worker_file, page.offset))
        return page.offset, reference_text(decode(body, page.charset))
    except (ValueError, RecursionError, zlib.error, AssertionError, KeyError) as error:
        print(f"fidelity: {page.url} at {page.offset}: {error!r}", file=sys.stderr)
        return page.offset, None


class ReferenceCache:
    """Reference texts on disk: a gzip JSON Lines file for each WARC file, keyed by its name and size."""

    def __init__(self, folder: Path, warc: Path) -> None:
        key = hashlib.sha1(f"{REFERENCE_VERSION} {warc.name} {warc.stat().st_size}".encode()).hexdigest()[:10]
        self.path = folder / f"{warc.name}.{key}.jsonl.gz"
        self.texts: dict[int, str] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._load()

    def _load(self) -> None:
        try:
            with gzip.open(self.path, "rt", encoding="utf-8") as file:
                for line in file:
                    entry = json.loads(line)
                    self.texts[entry["offset"]] = entry["text"]
        except (EOFError, json.JSONDecodeError, zlib.error):
            # A run that was stopped while writing left a cut last member: keep what is whole.
            whole = list(self.texts.items())
            self.path.unlink()
            self.texts.clear()
            self.add(whole)

    def add(self, texts: Iterable[tuple[int, str]]) -> None:
        """Adds reference texts by offset, and appends them to the file as a gzip member."""
        new = dict(texts)
        self.texts.update(new)
        lines = (json.dumps({"offset": o, "text": t}, ensure_ascii=False) + "\n" for o, t in new.items())
        member = gzip.compress("".join(lines).encode(), mtime=0)
        with self.path.open("ab") as file:
            file.write(member)


def fill_cache(cache: ReferenceCache, warc: Path, pages: list[Page], jobs: int) -> None:
    """Computes the reference texts that the cache lacks."""
    missing = [page for page in pages if page.offset not in cache.texts]
    if not missing:
        return
    done: list[tuple[int, str]] = []
    with multiprocessing.Pool(jobs, _start_worker, (warc,)) as pool:
        for count, (offset, text) in enumerate(pool.imap(reference_of, missing, CHUNK), 1):
            if text is not None:
                done.append((offset, text))
            if count % (CHUNK * 16 * jobs) == 0 or count == len(missing):
                cache.add(done)
                done = []
                print(f"fidelity: {count} of {len(missing)} pages parsed", file=sys.stderr, flush=True)


# --- comparison ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """How a page's document differs from the reference, in characters."""

    page: Page
    characters: int
    lost: int
    added: int

    @property
    def is_off(self) -> bool:
        """Whether more than OFF_SHARE of the reference was lost or added."""
        return max(self.lost, self.added) > OFF_SHARE * self.characters


def document_text(text: str) -> str:
    """The visible characters of a document's text, without paths and link marks."""
    paragraphs = text.split("\n\n")
    return visible("".join(paragraph.rpartition("\x1c")[2] for paragraph in paragraphs))


def read_documents(folder: Path, warc: str) -> dict[int, str]:
    """Texts by record offset, of those documents that came from the file named `warc`."""
    files = sorted(str(path) for path in folder.glob("**/*.parquet"))
    if not files:
        raise SystemExit(f"fidelity: {folder} has no Parquet files; make them with `uzushio extract --language all`")
    table = ds.dataset(files, format="parquet").to_table(columns=["warc", "offset", "text"])
    columns = (table.column(name).to_pylist() for name in ("warc", "offset", "text"))
    return {offset: text for name, offset, text in zip(*columns, strict=True) if Path(name).name == warc}


def compare(page: Page, reference: str, text: str) -> Difference:
    """The difference between a page's reference and its document's text, as multisets of characters."""
    theirs, ours = Counter(reference), Counter(document_text(text))
    return Difference(page, len(reference), (theirs - ours).total(), (ours - theirs).total())


@dataclass(frozen=True)
class Comparison:
    """All pages of a file: those compared, and those without a document by why."""

    differences: list[Difference]
    missing: Counter[str]
    missing_pages: list[tuple[Page, str]]


def compare_all(pages: list[Page], references: dict[int, str], documents: dict[int, str]) -> Comparison:
    """Compares every page that has both a reference and a document."""
    result = Comparison([], Counter(), [])
    for page in pages:
        reference = references.get(page.offset)
        if reference is not None and page.offset in documents:
            result.differences.append(compare(page, reference, documents[page.offset]))
            continue
        if reference is None:
            why = "html5lib failed"
        else:
            why = "no document, though there is text" if reference else "no document, and no text in the reference"
        result.missing[why] += 1
        result.missing_pages.append((page, why))
    return result


def write_table(path: Path, result: Comparison) -> None:
    """Writes the pages that are off, the worst first, and those without a document though they have text."""
    off = sorted(
        (d for d in result.differences if d.is_off),
        key=lambda d: (-max(d.lost, d.added) / max(d.characters, 1), d.page.offset),
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(["url", "characters", "lost", "added", "charset", "kind", "offset", "note"])
        for d in off:
            page = d.page
            table.writerow([page.url, d.characters, d.lost, d.added, page.charset, page.kind, page.offset, ""])
        for page, why in result.missing_pages:
            table.writerow([page.url, "", "", "", page.charset, page.kind, page.offset, why])


def print_totals(name: str, result: Comparison, truncated: int) -> None:
    """Prints what was compared and the shares lost and added, in percent."""
    differences = result.differences
    characters = sum(d.characters for d in differences)
    lost, added = sum(d.lost for d in differences), sum(d.added for d in differences)
    off = sum(d.is_off for d in differences)
    print(f"{name}: {len(differences)} pages compared, {characters} characters")
    print(f"  truncated pages, left out: {truncated}")
    for why, count in sorted(result.missing.items()):
        print(f"  {why}: {count}")
    print(f"  lost  {lost:>9} characters, {100 * lost / max(characters, 1):.3f} %")
    print(f"  added {added:>9} characters, {100 * added / max(characters, 1):.3f} %")
    print(f"  pages off by more than {100 * OFF_SHARE:g} %: {off}, {100 * off / max(len(differences), 1):.2f} %")


# --- command line ----------------------------------------------------------------------------------


def parse_arguments() -> argparse.Namespace:
    """The command line; exits with 2 where it is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=Path, required=True, help="folder of NAME.warc.gz and NAME.manifest.tsv.gz")
    parser.add_argument("--name", required=True, help="NAME")
    parser.add_argument("--documents", type=Path, help="output of extract; without it only the cache is filled")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--cache", type=Path, default=Path("build/fidelity-cache"), help="folder of reference texts")
    parser.add_argument("--tsv", type=Path, help="where to list the pages that are off")
    return parser.parse_args()


def main() -> int:
    """Runs the comparison."""
    arguments = parse_arguments()
    warc = arguments.pages / f"{arguments.name}.warc.gz"
    manifest = arguments.pages / f"{arguments.name}.manifest.tsv.gz"
    for path in (warc, manifest):
        if not path.is_file():
            print(f"fidelity: {path}: no such file", file=sys.stderr)
            return 2
    pages, truncated = html_pages(read_manifest(manifest))
    cache = ReferenceCache(arguments.cache, warc)
    fill_cache(cache, warc, pages, arguments.jobs)
    if arguments.documents is None:
        return 0
    result = compare_all(pages, cache.texts, read_documents(arguments.documents, warc.name))
    print_totals(arguments.name, result, truncated)
    if arguments.tsv is not None:
        write_table(arguments.tsv, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
