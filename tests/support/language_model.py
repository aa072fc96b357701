"""Language models as plain Python has them: their files (src/lang/classifier.h), and the scores of texts."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import xxhash

MAGIC = b"UZULANG\0"
BITS = 21


def number_of(gram: str) -> int:
    """The number of an n-gram in files."""
    number = 0
    for character in gram:
        number = number << BITS | (ord(character) + 1)
    return number


def gram_of(number: int) -> str:
    """The n-gram of a number."""
    gram = ""
    while number:
        gram = chr((number & ((1 << BITS) - 1)) - 1) + gram
        number >>= BITS
    return gram


def model_file(weights: dict[str, float]) -> bytes:
    """The bytes of a model's file."""
    scale = max(map(abs, weights.values()), default=1.0) / 32767
    rounded = sorted((number_of(gram), round(weight / scale)) for gram, weight in weights.items())
    rounded = [(number, weight) for number, weight in rounded if weight]
    behind = b"".join(struct.pack("<Q", number) for number, _ in rounded)
    behind += b"".join(struct.pack("<h", weight) for _, weight in rounded)
    header = MAGIC + struct.pack("<IIQdQ", 1, 0, len(rounded), scale, xxhash.xxh3_64_intdigest(behind))
    return header + struct.pack("<Q", xxhash.xxh3_64_intdigest(header)) + bytes(16) + behind


def read_model(path: Path) -> dict[str, float]:
    """The weights in a file by n-gram."""
    data = path.read_bytes()
    version, _, count, scale, checksum = struct.unpack_from("<IIQdQ", data, 8)
    assert (data[:8], version, len(data)) == (MAGIC, 1, 64 + 10 * count)
    assert checksum == xxhash.xxh3_64_intdigest(data[64:])
    numbers = struct.unpack_from(f"<{count}Q", data, 64)
    weights = struct.unpack_from(f"<{count}h", data, 64 + 8 * count)
    assert list(numbers) == sorted(set(numbers))
    return {gram_of(number): weight * scale for number, weight in zip(numbers, weights, strict=True)}


def grams_of(text: str) -> list[str]:
    """All n-grams of a text, with repeats."""
    return [text[i : i + n] for n in (1, 2, 3) for i in range(len(text) - n + 1)]


def score(text: str, weights: dict[str, float]) -> float:
    """The score of a text without markup: above 0, it is Japanese."""
    grams = grams_of(text)
    return math.fsum(weights.get(gram, 0.0) for gram in grams) / math.sqrt(len(grams)) if grams else 0.0
