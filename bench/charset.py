"""How often pages are read in the charset that they are in: intact, damaged, and under wrong declarations.

The truth is the manifest's of the pages. Japanese, Chinese, Korean and German pages are also written anew in the
charsets that such pages are in. A page is damaged in the first 16 KiB from its first character beyond ASCII on: one
byte of such a character is lost, is another, or is a quotation mark. Mojibake are documents that were read in another
charset than theirs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq
from warcio.archiveiterator import ArchiveIterator

ROOT = Path(__file__).resolve().parent.parent
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))

# Kinds of pages with the charsets that they are written in anew, as Python calls them, and as what they are then read.
REWRITTEN = {
    "ja": {
        "cp932": "Shift_JIS",
        "euc_jp": "EUC-JP",
        "iso2022_jp": "ISO-2022-JP",
        "shift_jis_2004": "Shift_JIS",
        "euc_jis_2004": "EUC-JP",
        "utf_16_le": "UTF-16LE",
        "utf_16_be": "UTF-16BE",
        "utf_8": "UTF-8",
    },
    "zh": {"gb18030": "gb18030", "big5": "Big5", "utf_8": "UTF-8"},
    "ko": {"cp949": "EUC-KR", "utf_8": "UTF-8"},
    "de": {"cp1252": "windows-1252", "utf_8": "UTF-8"},
}
LABELS = {
    "shift_jis": "Shift_JIS",
    "euc-jp": "EUC-JP",
    "iso-2022-jp": "ISO-2022-JP",
    "utf-8": "UTF-8",
    "euc-kr": "EUC-KR",
}
SAME = {"gb18030": "GBK"}
DECLARATION = re.compile(rb"""(charset\s*=\s*["']?|encoding\s*=\s*["'])[\w-]+""", re.I)
WRONG = ("utf-8", "shift_jis", "euc-jp", "iso-8859-1")


@dataclass(frozen=True)
class Case:
    """A page that is to be read: its bytes, the Content-Type that it comes with, and what it is in."""

    group: str
    body: bytes
    content_type: str
    charset: str


def declared(body: bytes, label: str) -> bytes:
    """The page with its declarations naming another charset, or, where that is empty, none."""
    return DECLARATION.sub(lambda match: match[1] + label.encode() if label else b"x=", body)


def pages() -> Iterator[tuple[str, str, bytes]]:
    """The charset by the manifest, the language and the body of pages that are not ASCII alone, each once."""
    seen = set()
    for name in ("small", "docs", "web", "legacy"):
        with gzip.open(PAGES / f"{name}.manifest.tsv.gz", "rt") as text:
            rows = {row["record_id"]: row for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)}
        with (PAGES / f"{name}.warc.gz").open("rb") as file:
            for record in ArchiveIterator(file):
                row = rows[record.rec_headers.get_header("WARC-Record-ID")[10:-1]]
                if row["status"] != "200" or row["charset"] not in LABELS or "truncated" in row["kind"]:
                    continue
                body = record.content_stream().read()
                text_is_ascii = body.isascii() and row["charset"] != "iso-2022-jp"
                if text_is_ascii or hash(body[:4000]) in seen:
                    continue
                seen.add(hash(body[:4000]))
                language = "ja" if int(row["kana"]) >= 200 else row["lang"].removeprefix("mixed-")[:2]
                yield row["charset"], language, body


def cases(most: int, rng: random.Random) -> Iterator[Case]:
    """All cases, at most so many pages of each kind."""
    counts: Counter[str] = Counter()
    found = list(pages())
    rng.shuffle(found)
    for label, language, body in found:
        try:
            text = body.decode("cp932" if label == "shift_jis" else label)
        except UnicodeDecodeError:
            continue
        if "????" in text:  # what was lost before is in no charset
            continue
        as_is = Case(f"{label} as it is", body, "text/html", LABELS[label])
        if len(re.findall(r"[^\x00-\x7f]", text)) < 20:
            continue
        for encoding, name in ({"": ""} | REWRITTEN.get(language, {})).items():
            group = f"{language} {encoding}" if encoding else as_is.group
            if counts[group] >= most:
                continue
            counts[group] += 1
            case = as_is
            if encoding:
                written = text.encode(encoding, "xmlcharrefreplace")
                case = Case(group, written, "text/html", name)
                if written.isascii() and encoding != "iso2022_jp":
                    continue
            yield from variants(case, rng)


def damaged(body: bytes, how: str, rng: random.Random) -> bytes | None:
    """The page with one byte beyond ASCII damaged, or nothing where it has none."""
    start = next((i for i, byte in enumerate(body) if byte >= 0x80), len(body))
    places = [i for i in range(start, min(len(body), start + (16 << 10))) if body[i] >= 0x80]
    if not places:
        return None
    at = rng.choice(places)
    instead = {"lost": b"", "changed": bytes([rng.randrange(256)]), "cut": b'"'}[how]
    return body[:at] + instead + body[at + 1 :]


def variants(case: Case, rng: random.Random) -> Iterator[Case]:
    """The page under each declaration, intact and damaged."""
    wide_units = "utf_16" in case.group
    true = {"windows-1252": "iso-8859-1"}.get(case.charset, case.charset)
    declarations = [("declared", true)] if not wide_units else []
    declarations += [
        ("undeclared", ""),
        ("wrong", rng.choice([label for label in WRONG if label.lower() != true.lower()])),
    ]
    for kind, label in declarations:
        body = case.body if wide_units else declared(case.body, label)
        content_type = f"text/html; charset={label}" if label else "text/html"
        whole = replace(case, body=body, content_type=content_type)
        yield replace(whole, group=f"{case.group}|{kind}|intact")
        for how in ("lost", "changed", "cut"):
            broken = damaged(body, how, rng)
            if broken is not None and not wide_units:
                yield replace(whole, body=broken, group=f"{case.group}|{kind}|{how}")


def record(number: int, case: Case) -> bytes:
    """The page as a record of a web archive."""
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {case.content_type}\r\n\r\n".encode() + case.body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.jp/{number}\r\n"
    return f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n"


def read(program: Path, options: list[str], warc: Path, output: Path) -> dict[int, str]:
    """The charset of each page that became a document."""
    command: list[str | Path] = [program, "extract", warc, "--output", output, "--language", "all", "--quiet", *options]
    subprocess.run(command, check=True)
    found = {}
    for file in output.glob("language=*/*.parquet"):
        table = pq.read_table(file, columns=["url", "charset"], partitioning=None)
        for row in table.to_pylist():
            found[int(row["url"].rsplit("/", 1)[1])] = row["charset"]
    return found


def main() -> None:
    """Measures, prints a line for each group of pages, and writes build/bench/charset.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=200, help="pages of a kind")
    parser.add_argument("--program", type=Path, default=ROOT / "build/uzushio", help="another one to compare with")
    parser.add_argument("--strict", action="store_true", help="by the strict rule")
    arguments = parser.parse_args()
    rng = random.Random(1)
    results: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        warc = Path(folder, "pages.warc")
        told = []
        with warc.open("wb") as file:
            for number, case in enumerate(cases(arguments.most, rng)):
                file.write(record(number, case))
                told.append(replace(case, body=b""))
        options = ["--charset", "strict"] if arguments.strict else []
        found = read(arguments.program, options, warc, Path(folder, "out"))
    for number, case in enumerate(told):
        charset = found.get(number, "")
        right = charset in (case.charset, SAME.get(case.charset))
        kind, declaration, how = case.group.split("|")
        for group in (f"{kind} {declaration}", f"all {declaration}", "all"):
            counts = results.setdefault(f"{group} {'intact' if how == 'intact' else 'damaged'}", Counter())
            counts["pages"] += 1
            counts["right"] += right
            counts["missing"] += charset == ""
            counts["mojibake"] += charset != "" and not right
    for group, counts in sorted(results.items()):
        pages_of_group = counts["pages"]
        print(
            f"{group:40} {pages_of_group:6} pages, right {counts['right'] / pages_of_group:.4f},"
            f" missing {counts['missing']}, mojibake {counts['mojibake']}"
        )
    report = ROOT / "build/bench/charset.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
