"""Items of benchmarks, documents that contain them, and chains that look for them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from contamination_oracle import Item

LETTERS = (
    "あいうえおかがきくけこさしすせそただちつてとなにのはひをんアイウエカキクケタテト東京都学校問題正解日本語文章計算"
)
QUESTION = "太郎君はリンゴを１２個持っています。花子さんに５個あげると、残りは何個ですか。"


def words(choose: random.Random, most: int) -> str:
    """A text at random."""
    return "".join(choose.choices(LETTERS, k=choose.randrange(most)))


def make_items(seed: int, size: int) -> list[Item]:
    """Items with and without answers and choices; some share a beginning, some are there twice."""
    choose = random.Random(seed)
    common = "次のうち、最も適切なものを一つ選びなさい。"
    items: list[Item] = []
    for number in range(size):
        question = (common if number % 3 == 0 else "") + words(choose, 90)
        answer = words(choose, 30) if number % 4 else None
        items.append((question, answer, [words(choose, 20) for _ in range(choose.randrange(5))]))
    return [*items, *items[:5], ("短い", "答", [])]


def row_of(item: Item) -> dict[str, Any]:
    """As files have it: the answer is a choice where there are some."""
    question, answer, choices = item
    if answer is None or not choices:
        return {"question": question, "answer": answer, "choices": choices}
    return {"question": question, "answer": answer, "choices": [*choices, answer]}


def changed(item: Item, choose: random.Random) -> str:
    """Its parts in any order, some left out, with other letters here and there."""
    question, answer, choices = item
    parts = [answer or "", *choices]
    choose.shuffle(parts)
    text = "。\n".join([question, *parts[: choose.randrange(len(parts) + 1)]])
    for _ in range(choose.choice([0, 0, 1, 3, 9])):
        at = choose.randrange(len(text) + 1)
        text = text[:at] + words(choose, 4) + text[at + choose.randrange(4) :]
    return text


def write_documents(path: Path, texts: list[str]) -> Path:
    """Documents of paragraphs that empty lines part."""
    rows = {
        "docId": [f"d{i}" for i in range(len(texts))],
        "text": ["p\x1c" + "\n\np\x1c".join(t.split("\n\n")) for t in texts],
    }
    pq.write_table(pa.table(rows), path)
    return path


def configure(path: Path, **parameters: Any) -> Path:
    """A chain of this filter alone."""
    path.write_text(json.dumps({"filters": [{"class": "Contamination", **parameters}]}), encoding="utf-8")
    return path


def write_items(path: Path, rows: list[dict[str, Any]]) -> str:
    """Lines of JSON."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)
