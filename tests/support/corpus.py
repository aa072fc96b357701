"""Documents for filters, with the frequencies of their paragraphs, and what a run has left of them."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from filter_oracle import NAMED_TAGS, NAV_NAMES, NAV_PARTS, NAV_TAGS, Paragraph
from program import Uzushio

WORDS = ["悪い", "悪い言葉", "だめ", "ない", "いけ", "ダメ", "a", "aa", "𠮟る"]
# The first and last code points of blocks that filters may count. Those beside them are in the corpus as well, and some
# that are no characters: U+3040 and U+3097 are in the block of hiragana.
BLOCKS = {
    "digits": (0x30, 0x39),
    "capitals": (0x41, 0x5A),
    "letters": (0x61, 0x7A),
    "two bytes": (0xA1, 0x7FF),
    "symbols": (0x3001, 0x303F),
    "hiragana": (0x3040, 0x309F),
    "katakana": (0x30A0, 0x30FF),
    "katakana, more": (0x31F0, 0x31FF),
    "kanji A": (0x3400, 0x4DBF),
    "kanji": (0x4E00, 0x9FFF),
    "hangul": (0xAC00, 0xD7A3),
    "kanji for compatibility": (0xF900, 0xFAFF),
    "full width": (0xFF01, 0xFF5E),
    "half width": (0xFF61, 0xFF9F),
    "three bytes": (0x800, 0xFFFD),
    "kana of four bytes": (0x1B000, 0x1B16F),
    "emoji": (0x1F300, 0x1F64F),
    "kanji B": (0x20000, 0x2A6DF),
    "kanji G": (0x30000, 0x3134A),
    "four bytes": (0x10000, 0x10FFFF),
}


def no_space(point: int) -> bool:
    """Whether a code point can stand anywhere in a clean line."""
    return point not in range(0x21) and point not in range(0x7F, 0xA1) and point != 0x3000 and point <= 0x10FFFF


BORDERS = [
    chr(point)
    for first, last in BLOCKS.values()
    for point in (first - 1, first, first + 1, last - 1, last, last + 1)
    if no_space(point) and not 0xD800 <= point < 0xE000
]
ORDINARY_PATHS = [
    "body>div>p",
    "body>div.main>ul>li",
    "body>ul.Navigation>li",
    "body>header>p",
    "body>div#left-box>p",
    "body>h2.title",
    "body>h1#site-logo>h3",
    "body>div.leftBox.x>option",
    "body>span.menu>p",
    "",
]
# Every tag and name that a filter asks for, as tag, id, first and second class; and what is nearly one.
RARE_PATHS = [
    *(f"body>{tag}>b" for tag in [*NAV_TAGS, *(f"h{level}" for level in range(8)), "li", "option", "hr", "H1", "h12"]),
    *(f"body>x{tag}" for tag in [*NAV_TAGS, "li", "h1"]),
    *(f"body>{tag}.a.{name}>b" for tag in NAMED_TAGS for name in ["MENU", *NAV_NAMES[:1]]),
    *(f"body>{sign}x" for name in NAV_PARTS for sign in (f"div.a{name}b>", f"p#{name.upper()}>", f"section.{name}>")),
    *(f"body>ul.{name}>b" for name in NAV_NAMES),
    *(f"body>div#{name.upper()}>b" for name in NAV_NAMES),
    *(f"body>div.{name[:-1]}" for name in [*NAV_NAMES, *NAV_PARTS]),
    *(f"body>p.h1.li.{tag}" for tag in ["header", "noscript"]),
    r"body>div.a\.header>b",
    r"body>div\>header>b",
    r"body>x\#menu\>li>h2\.a",
    r"body>h1>li\>x>h4>a",
    "body>h3>div>h2>span>a",
    "h5",
    "li",
    "nav",
    "body>div#menu.x",
]
PATHS = [*ORDINARY_PATHS, *RARE_PATHS]
FREQUENCIES = [1, 1, 1, 1, 2, 2, 3, 4, 5, 9, 10, 11, 29, 30, 31, 99, 100, 101, 999, 1000, 5000, 2**31 - 1]
SCORES = [100, 100, 100, 0, 1, 9, 29, 49, 50, 51, 99]
SYLLABLES = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん"


def random_line(choose: random.Random) -> str:
    """A line, with links."""
    pieces = []
    for _ in range(choose.choice([1, 1, 2, 3, 5, 7])):
        kind = choose.randrange(8)
        if kind == 0:
            pieces.append(choose.choice(WORDS) * choose.choice([1, 1, 2, 5]))
        elif kind == 1:
            pieces.append(
                "\x02" + "".join(choose.choices(SYLLABLES + "漢字カナ🌊", k=choose.randrange(1, 40))) + "\x03"
            )
        elif kind == 2:
            pieces.append("漢字カナabc"[: choose.randrange(1, 8)] * choose.randrange(1, 30))
        elif kind == 3:
            pieces.append("".join(choose.choices(BORDERS, k=choose.randrange(1, 9))))
        elif kind == 4:
            pieces.append(choose.choice(BORDERS) * choose.randrange(1, 40))
        elif kind == 5:
            word = choose.choice(WORDS)  # that a link begins in, and a space of full width before it
            pieces.append(f"文　{word[:1]}\x02{word[1:]}。\x03")
        else:
            pieces.append("".join(choose.choices(SYLLABLES, k=choose.randrange(1, 30))))
    return "".join(pieces)


def random_text(choose: random.Random) -> str:
    """A paragraph, often of several lines, some of them the same."""
    lines = [random_line(choose) for _ in range(choose.choice([1, 1, 1, 2, 3, 9]))]
    if choose.random() < 0.2:
        lines += choose.choices(lines, k=choose.randrange(1, 4))
    if choose.random() < 0.1:
        lines = [choose.choice([*BORDERS, *WORDS])]
    return "\n".join(lines)


# Filters of a chain for them that remove documents by each kind of rule: below, from, between, at random, normally.
REMOVAL_OF_EACH_KIND: list[dict[str, Any]] = [
    {"class": "HiraganaRatio", "low": 0.1},
    {"class": "LargeFreqParagraphs", "count": 2, "freq": 30},
    {"class": "DocLength", "low": 20, "high": 2000},
    {"class": "DeduplicateDocumentsPercentile", "percentile": 0.3, "expected": 3.0},
    {"class": "DeduplicateDocuments"},
]


def random_documents(seed: int, count: int) -> dict[str, list[Paragraph]]:
    """Documents by id: hostile ones, of the borders of all that filters look at. Texts recur, each with its frequency.

    Some documents have no paragraphs, one character, or paragraphs of one frequency, path or text only.
    """
    choose, score_of = random.Random(seed), random.Random(seed + 1)
    pool: dict[str, Paragraph] = {}
    while len(pool) < 300:
        text = random_text(choose)
        paragraph = Paragraph("", text, choose.choice(FREQUENCIES))
        pool.setdefault(paragraph.text, paragraph)
    by_near = {near: [p for p in pool.values() if p.near == near] for near in FREQUENCIES}
    documents = {}
    for number in range(count):
        paragraphs: list[Paragraph] = []
        path = choose.choice(PATHS)
        kind = choose.randrange(10)
        pieces = by_near[choose.choice(FREQUENCIES)] if kind < 3 else list(pool.values())
        for _ in range(choose.choice([0, 1, 1, 2, 3, 4, 6, 9, 14])):
            if choose.random() < 0.5 and kind != 3:
                path = choose.choice(choose.choice([ORDINARY_PATHS, PATHS]))
            piece = choose.choice(pieces)
            paragraphs.append(replace(piece, path=path))
            while choose.random() < 0.15:
                paragraphs.append(replace(piece, path=choose.choice([path, "body>b"])))
        paragraphs = [replace(p, score=score_of.choice(SCORES)) for p in paragraphs]
        documents[f"00000000-0000-4000-8000-{number:012x}-{choose.randrange(10**6)}漢🌊"] = paragraphs
    return documents


# Signs that are a part of words of kana and kanji, or not, by what a filter means: long vowels, repetition, points.
MARKS = "ー゛゜ゝゞヽヾ・｡･ｰﾞﾟ々〆〇"
# How long runs of one kind are: beyond what filters have for defaults, and around round numbers.
RUNS = [1, 2, 3, 5, *(size + by for size in (10, 20, 30, 50, 60, 100, 200, 300) for by in (-1, 0, 1))]


def run_of(choose: random.Random, first: int, last: int, size: int) -> str:
    """Characters of one block: its first and last ones, others, and marks between them."""
    inside = [chr(point) for point in (first, first + 1, last - 1, last) if no_space(point)]
    while len(inside) < 9:
        point = choose.randint(first, last)
        if no_space(point) and not 0xD800 <= point < 0xE000:
            inside.append(chr(point))
    marks = [mark for mark in MARKS if first <= ord(mark) <= last] or inside
    return "".join(choose.choice(marks if choose.random() < 0.2 else inside) for _ in range(size))


def documents_of_runs(seed: int, count: int) -> dict[str, list[Paragraph]]:
    """Documents by id whose lines hold runs of characters of one block, of each of RUNS' lengths.

    Runs end and begin at borders of lines and paragraphs, and beside characters next to the block; links begin within
    them. Half of the documents' first paragraphs are so frequent that filters of duplicates take them.
    """
    choose = random.Random(seed)
    often = [BLOCKS[name] for name in ("katakana", "hiragana", "kanji", "half width")]
    blocks = [*BLOCKS.values(), *often * 5]
    documents = {}
    for number in range(count):
        first, last = blocks[number % len(blocks)]
        beside = [chr(point) for point in (first - 1, last + 1) if no_space(point) and not 0xD800 <= point < 0xE000]
        paragraphs = []
        for place in range(choose.choice([1, 2, 3])):
            lines = []
            for _ in range(choose.choice([1, 2, 3, 4])):
                run = run_of(choose, first, last, choose.choice(RUNS))
                if choose.random() < 0.3:
                    at = choose.randrange(len(run))
                    run = f"{run[:at]}\x02{run[at:]}\x03"
                before, after = (choose.choice(["", "", "文", "a", choose.choice([*beside, "。"])]) for _ in range(2))
                lines.append(before + run + after)
            near = 5000 if place == 0 and number % 2 == 0 else 1
            paragraphs.append(Paragraph("body>div>p", "\n".join(lines), near))
        documents[f"00000000-0000-4000-9000-{number:012x}"] = paragraphs
    return documents


def encode(paragraphs: list[Paragraph]) -> str:
    """A document's text."""
    return "\n\n".join(p.markup for p in paragraphs)


def write_corpus(uzushio: Uzushio, folder: Path, documents: dict[str, list[Paragraph]]) -> None:
    """Documents and statistics with just these frequencies."""
    (folder / "documents").mkdir()
    table = pa.table(
        {"docId": list(documents), "text": [encode(d) for d in documents.values()], "n": range(len(documents))}
    )
    pq.write_table(table, folder / "documents" / "a.parquet", row_group_size=37)
    uzushio("stats", folder / "documents", "--output", folder / "counts", "--intermediate")
    near = {p.text: p.near for d in documents.values() for p in d}
    texts = pq.read_table(folder / "counts" / ".uzushio/intermediate" / "paragraphs.pq")
    hashes, freqs = texts["hash"].to_pylist(), [near[text] for text in texts["text"].to_pylist()]
    numbers = pa.array(freqs, pa.int32())
    rows = pa.table({"hash": hashes, "reprHash": hashes, "exactFreq": numbers, "nearFreq": numbers})
    pq.write_table(rows, folder / "wanted.parquet")
    uzushio("merge", folder / "wanted.parquet", "--output", folder / "statistics")


def written(folder: Path) -> dict[str, dict[str, str]]:
    """The same, from the files of a partitioned run."""
    result: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(folder.glob("filter=*/*.parquet")):
        table = pq.ParquetFile(path).read()
        name = unquote(path.parent.name.removeprefix("filter="))
        for doc_id, text in zip(table["docId"].to_pylist(), table["text"].to_pylist(), strict=True):
            # A document that one reason takes whole and in paragraphs has two rows.
            before = result[name].get(doc_id)
            result[name][doc_id] = text if before is None else before + "\n\n" + text
    return dict(result)
