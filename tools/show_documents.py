"""Prints what a documents dataset holds: counts, and a few paragraphs of a few documents."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

PARAGRAPH_SEPARATOR = "\n\n"
PATH_SEPARATOR = "\x1c"


def shown(text: str, width: int) -> str:
    """A paragraph on one line, links in brackets, cut to `width` characters."""
    line = text.replace("\n", " / ").replace("\x02", "[").replace("\x03", "]")
    return line if len(line) <= width else line[: width - 1] + "…"


def main() -> int:
    """Prints the dataset named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=Path, help="a folder that `uzushio extract` wrote")
    parser.add_argument("--examples", type=int, default=3, help="documents to show")
    arguments = parser.parse_args()
    files = sorted(arguments.documents.glob("language=*/*.parquet"))
    rows = [
        {**row, "language": file.parent.name.removeprefix("language=")}
        for file in files
        for row in pq.ParquetFile(file).read(columns=["url", "charset", "text", "date"]).to_pylist()
    ]
    if not rows:
        print(f"{arguments.documents}: no documents", file=sys.stderr)
        return 1
    paragraphs = sum(row["text"].count(PARAGRAPH_SEPARATOR) + 1 for row in rows)
    print(f"{len(rows)} documents, {paragraphs} paragraphs")
    for column in ("language", "charset"):
        counts = Counter(row[column] for row in rows)
        print(f"  by {column}: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    # The first longer page of each charset.
    by_charset = {row["charset"]: row for row in reversed(rows) if len(row["text"]) > 1000}
    for row in list(by_charset.values())[: arguments.examples]:
        print(f"\n{row['url']}  ({row['charset']}, {row['date']})")
        for paragraph in row["text"].split(PARAGRAPH_SEPARATOR)[2:6]:
            path, _, text = paragraph.partition(PATH_SEPARATOR)
            print(f"  {shown(path, 60)}\n      {shown(text, 100)}")
    print(f"\nThe output lies in {arguments.documents}: Parquet, one folder a language.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
