"""Classifiers in fastText's file formats, .bin and .ftz (version 12), of weights that nobody trained."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

MAGIC, VERSION, SUPERVISED = 793712314, 12, 3
LOSSES = {"hs": 1, "ns": 2, "softmax": 3, "ova": 4}
CENTROIDS = 256


@dataclass(frozen=True)
class Shape:
    """What a model looks like."""

    loss: str = "softmax"
    words: tuple[str, ...] = ("</s>", "私", "本", "読む", "走る", "the", "a", "猫は")
    labels: dict[str, int] = field(default_factory=lambda: {"__label__hq": 70, "__label__low": 30})
    columns: int = 8
    grams: int = 1
    least: int = 0
    most: int = 0
    buckets: int = 0
    quantized: bool = False
    norms: bool = False
    output: bool = False
    pruned: tuple[int, ...] | None = None
    """Of a quantized model: the buckets of the n-grams that it still has."""
    seed: int = 1


def floats(choose: random.Random, count: int) -> bytes:
    """So many weights."""
    return struct.pack(f"<{count}f", *(choose.uniform(-2, 2) for _ in range(count)))


def quantizer(choose: random.Random, columns: int, part: int) -> tuple[bytes, int]:
    """Centroids of the parts of vectors, and the number of parts."""
    parts = -(-columns // part)
    head = struct.pack("<4i", columns, parts, part, columns - (parts - 1) * part)
    return head + floats(choose, columns * CENTROIDS), parts


def matrix(choose: random.Random, rows: int, shape: Shape, quantized: bool) -> bytes:
    """Rows of weights."""
    size = struct.pack("<qq", rows, shape.columns)
    if not quantized:
        return size + floats(choose, rows * shape.columns)
    centroids, parts = quantizer(choose, shape.columns, 3)
    codes = choose.randbytes(rows * parts)
    data = bytes([shape.norms]) + size + struct.pack("<i", len(codes)) + codes + centroids
    return data + (choose.randbytes(rows) + quantizer(choose, 1, 1)[0] if shape.norms else b"")


def model_bytes(shape: Shape) -> bytes:
    """The file."""
    choose = random.Random(shape.seed)
    settings = (shape.columns, 5, 5, 1, 5, shape.grams, LOSSES[shape.loss], SUPERVISED, shape.buckets)
    data = struct.pack("<2i", MAGIC, VERSION)
    data += struct.pack("<12id", *settings, shape.least, shape.most, 100, 1e-4)
    entries = [(word, 100 - i, 0) for i, word in enumerate(shape.words)]
    entries += [(label, count, 1) for label, count in shape.labels.items()]
    left = -1 if shape.pruned is None else len(shape.pruned)
    data += struct.pack("<3iqq", len(entries), len(shape.words), len(shape.labels), 1000, left)
    data += b"".join(word.encode() + b"\0" + struct.pack("<qb", count, kind) for word, count, kind in entries)
    data += b"".join(struct.pack("<2i", gram, row) for row, gram in enumerate(shape.pruned or ()))
    rows = len(shape.words) + (shape.buckets if shape.pruned is None else len(shape.pruned))
    data += bytes([shape.quantized]) + matrix(choose, rows, shape, shape.quantized)
    return data + bytes([shape.output]) + matrix(choose, len(shape.labels), shape, shape.output)
