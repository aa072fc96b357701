"""Files of the filter `Classifier`: arrays in the format safetensors, and a small classifier of all three files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm_model import random_forest
from tokenizers import Tokenizer, models

Array = np.ndarray[Any, Any]
NAMES = {"float32": "F32", "float64": "F64", "float16": "F16", "int8": "I8", "int64": "I64", "int32": "I32"}
COLUMNS, SEED = 6, 1
TREES = random_forest("binary sigmoid:1", COLUMNS, seed=SEED)
LETTERS = [chr(point) for point in range(0x3041, 0x3097)]


def safetensors(arrays: dict[str, Array]) -> bytes:
    """The file."""
    header, data = {}, b""
    for name, array in arrays.items():
        places = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": NAMES[str(array.dtype)], "shape": list(array.shape), "data_offsets": places}
        data += array.tobytes()
    text = json.dumps(header | {"__metadata__": {"format": "np"}}).encode()
    return len(text).to_bytes(8, "little") + text + data


def write_classifier(folder: Path) -> dict[str, str]:
    """Vectors of hiragana, trees for a probability; the parameters of the filter."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {letter: number for number, letter in enumerate(["?", *LETTERS])}
    Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="?")).save(str(folder / "tokenizer.json"))
    matrix = np.random.default_rng(SEED).normal(size=(len(vocabulary), COLUMNS)).astype(np.float32)
    (folder / "model.safetensors").write_bytes(safetensors({"embeddings": matrix}))
    (folder / "lightgbm_model.txt").write_text(TREES.text(), encoding="utf-8")
    return {
        "vectors": str(folder / "model.safetensors"),
        "tokenizer": str(folder / "tokenizer.json"),
        "head": str(folder / "lightgbm_model.txt"),
    }


def score(files: dict[str, str], text: str) -> float:
    """What the classifier gives, by plain Python."""
    data = Path(files["vectors"]).read_bytes()
    matrix = np.frombuffer(data, np.float32, offset=8 + int.from_bytes(data[:8], "little")).reshape(-1, COLUMNS)
    rows = [LETTERS.index(letter) + 1 for letter in text if letter in LETTERS]
    mean = matrix[rows].mean(axis=0) if rows else np.zeros(COLUMNS)
    return TREES.predict([float(one) for one in mean])[0]
