"""Documents with paragraphs that recur."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SENTENCES = [
    "著作権は株式会社うずしおに帰属し、無断転載を禁じます。ご利用の前に必ず規約をお読みください。",
    "このページの先頭へ戻る",
    "お問い合わせ",
    "2023年4月1日(土)の記事一覧",
    "きょうは朝からよく晴れて、海へ行くにはちょうどよい一日でした。弁当を持って、電車に乗って出かけます。",
]


def variants(seed: int, documents: int, paragraphs: int = 12) -> list[str]:
    """Documents of paragraphs that are copies, near-duplicates or alone."""
    choose = random.Random(seed)
    texts = []
    for _ in range(documents):
        pieces = []
        for _ in range(paragraphs):
            text = list(choose.choice(SENTENCES))
            kind = choose.random()
            if kind < 0.3:
                text = [chr(0x3042 + choose.randrange(80)) for _ in range(choose.randrange(5, 60))]
            elif kind < 0.7:
                for _ in range(choose.randrange(1, 4)):
                    text[choose.randrange(len(text))] = chr(0x4E00 + choose.randrange(500))
            pieces.append("body>p\x1c" + "".join(text))
        texts.append("\n\n".join(pieces))
    return texts


def write_documents(path: Path, texts: list[str], **options: Any) -> Path:
    """A Parquet file of documents."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"text": texts}), path, **options)
    return path
