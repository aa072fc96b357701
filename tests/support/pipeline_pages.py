"""Archives of Japanese pages with paragraphs that recur, for pipelines."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from warc_builder import build

WORDS = ["朝", "昼", "山へ行く", "海", "電車", "本を読む", "これは", "という", "ことです", "天気", "よい"]
WORDS += ["漢字", "文章", "とても", "子ども", "話す", "新しい", "店"]
FOOTER = "著作権は株式会社うずしおに帰属し、無断転載を禁じます。"


def page(choose: random.Random, number: int) -> dict[str, Any]:
    """A page of eight paragraphs and a footer."""
    texts = ["。".join("".join(choose.choices(WORDS, k=9)) for _ in range(5)) + "。" for _ in range(8)]
    body = "".join(f"<p>{text}</p>" for text in [*texts, FOOTER])
    return {"uri": f"http://h{number % 7}.example.jp/{number}", "body": f"<h1>その{number}</h1>{body}"}


def write_archive(path: Path, pages: int, seed: int = 1) -> Path:
    """A WARC file of pages; the last is there twice."""
    choose = random.Random(seed)
    described = [page(choose, seed * 1000 + number) for number in range(pages)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(build([*described, {**described[-1], "uri": "http://again.example.jp/"}], "warc.gz"))
    return path


def write_crawl(folder: Path, archives: int) -> Path:
    """A folder with WARC files in `crawl`, and an empty `tmp`."""
    for part in range(archives):
        write_archive(folder / "crawl" / f"{part}.warc.gz", 40, part)
    (folder / "tmp").mkdir()
    return folder
