"""Documents for filters, with the frequencies of their paragraphs, and what a run has left of them."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from filter_oracle import Paragraph
from program import Uzushio

WORDS = ["悪い", "悪い言葉", "だめ", "ない", "いけ"]
PATHS = [
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
SYLLABLES = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん"


def random_text(choose: random.Random) -> str:
    """A paragraph, with links."""
    pieces = []
    for _ in range(choose.randrange(1, 8)):
        kind = choose.randrange(5)
        if kind == 0:
            pieces.append(choose.choice(WORDS))
        elif kind == 1:
            pieces.append("\x02" + "".join(choose.choices(SYLLABLES + "漢字カナ🌊", k=5)) + "\x03")
        elif kind == 2:
            pieces.append("漢字カナabc"[: choose.randrange(1, 8)] * choose.randrange(1, 30))
        else:
            pieces.append("".join(choose.choices(SYLLABLES, k=choose.randrange(1, 30))))
    return "".join(pieces)


def random_documents(seed: int, count: int) -> dict[str, list[Paragraph]]:
    """Documents by id. Texts recur, each with its own frequency."""
    choose = random.Random(seed)
    pool = list({random_text(choose): choose.choice([1, 1, 2, 5, 30, 100, 5000]) for _ in range(200)}.items())
    documents = {}
    for number in range(count):
        paragraphs = []
        path = choose.choice(PATHS)
        for _ in range(choose.randrange(0, 14)):
            if choose.random() < 0.5:
                path = choose.choice(PATHS)
            text, near = choose.choice(pool)
            paragraphs.append(Paragraph(path, text, near))
            if choose.random() < 0.1:
                paragraphs.append(Paragraph(path, text, near))
        documents[f"00000000-0000-4000-8000-{number:012x}-{choose.randrange(10**6)}漢🌊"] = paragraphs
    return documents


def encode(paragraphs: list[Paragraph]) -> str:
    """A document's text."""
    return "\n\n".join((p.path + "\x1c" if p.path else "") + p.marked for p in paragraphs)


def write_corpus(uzushio: Uzushio, folder: Path, documents: dict[str, list[Paragraph]]) -> None:
    """Documents and statistics with just these frequencies."""
    (folder / "documents").mkdir()
    table = pa.table(
        {"docId": list(documents), "text": [encode(d) for d in documents.values()], "n": range(len(documents))}
    )
    pq.write_table(table, folder / "documents" / "a.parquet", row_group_size=37)
    uzushio("stats", folder / "documents", "--output", folder / "counts", "--intermediate")
    near = {p.text: p.near for d in documents.values() for p in d}
    texts = pq.read_table(folder / "counts" / "_intermediate" / "paragraphs.parquet")
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
