"""Static embeddings by model2vec, trees by LightGBM, in an environment of its own.

`classifier_peer.py compare TEXTS FOLDER`: TEXTS has a document a line, in JSON. Writes random models of several kinds
to FOLDER, and prints for each what the filter is to be given and what the packages predict.
`classifier_peer.py make TEXTS FOLDER`: writes models of the size of published ones, whose speed is measured.
`classifier_peer.py time FOLDER FILE ROUNDS`: scores texts that NUL ends by one of these; the processor's seconds of
each round, and the bytes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import lightgbm  # type: ignore[import-not-found,import-untyped,unused-ignore]
import numpy as np
from model2vec import StaticModel  # type: ignore[import-not-found,import-untyped,unused-ignore]
from safetensors.numpy import save_file  # type: ignore[import-not-found,import-untyped,unused-ignore]
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

WORDS = 8000
COLUMNS = 64
# Name: tokenizer, what the matrix is made of, its columns, trees of 128 leaves.
SIZES = {
    "unigrams, 1024 × 32 bits, 400 trees": ("unigrams", "float32", 1024, 400),
    "word pieces, 256 × 16 bits, 100 trees": ("pieces", "float16", 256, 100),
}
# Name, what the matrix is made of, and the settings of StaticModel.
VECTORS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "word pieces, 32 bits": ("pieces", "float32", {"max_length": None}),
    "unigrams, 32 bits, length 1, 100 tokens": ("unigrams", "float32", {"normalize": True, "max_length": 100}),
    "bytes, 16 bits": ("bytes", "float16", {"max_length": None}),
    "word pieces, 8 bits": ("pieces", "int8", {"max_length": 512}),
    "word pieces, weights and mapping": ("pieces", "shared", {"max_length": None}),
}
HEADS: dict[str, dict[str, Any]] = {
    "binary": {"objective": "binary", "sigmoid": 0.7},
    "regression": {"objective": "regression", "num_leaves": 63},
    "multiclass": {"objective": "multiclass", "num_class": 3},
    "one-vs-all": {"objective": "multiclassova", "num_class": 3},
    "poisson": {"objective": "poisson"},
    "random forest": {"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
    "zero is missing": {"objective": "cross_entropy", "zero_as_missing": True},
    "linear, one": {},
    "linear, three": {"num_class": 3},
}


def tokenizer_of(kind: str, texts: list[str]) -> Any:
    """Trained on the texts."""
    if kind == "pieces":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=WORDS, special_tokens=["[UNK]"], show_progress=False)
    elif kind == "unigrams":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=WORDS, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
        )
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=WORDS, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text[:2000] for text in texts[::2]], trainer)
    return tokenizer


def model_of(kind: str, numbers: str, settings: dict[str, Any], texts: list[str], columns: int = COLUMNS) -> Any:
    """Random vectors of the tokens."""
    random = np.random.default_rng(1)
    tokenizer = tokenizer_of(kind, texts)
    size = tokenizer.get_vocab_size()
    if numbers == "int8":
        matrix = random.integers(-100, 100, (size, columns)).astype(np.int8)
    else:
        matrix = random.normal(size=(size, columns)).astype("float16" if numbers == "float16" else "float32")
    extra = {}
    if numbers == "shared":
        extra = {
            "token_mapping": random.integers(0, 500, size),
            "weights": random.uniform(0, 2, size).astype(np.float32),
        }
        matrix = matrix[:500]
    return StaticModel(matrix, tokenizer, **extra, **settings)


def head_of(settings: dict[str, Any], vectors: Any, path: Path) -> Any:
    """Trained on vectors; the function that predicts."""
    random = np.random.default_rng(2)
    classes = settings.get("num_class", 2)
    if "objective" not in settings:
        weight = random.normal(size=(classes if classes > 2 else 1, vectors.shape[1])).astype(np.float32)
        bias = random.normal(size=len(weight)).astype(np.float32)
        save_file({"weight": weight, "bias": bias}, str(path))

        def predict(some: Any) -> Any:
            logits = some.astype(np.float64) @ weight.T.astype(np.float64) + bias
            if len(weight) == 1:
                return 1 / (1 + np.exp(-logits))
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)

        return predict
    means = vectors.astype(np.float32)
    labels = np.digitize(means[:, 0], np.quantile(means[:, 0], [0.3, 0.6][: classes - 1]))
    flipped = random.random(len(labels)) < 0.2
    labels[flipped] = random.integers(0, classes, flipped.sum())
    given = {"verbosity": -1, "num_threads": 1, "min_data_in_leaf": 3, "deterministic": True, **settings}
    booster = lightgbm.train(given, lightgbm.Dataset(means, labels), num_boost_round=60)
    booster.save_model(str(path))
    return lightgbm.Booster(model_file=str(path)).predict


def make(texts: list[str], folder: Path) -> None:
    """Models whose speed is measured; prints their folders and names."""
    for number, (name, (kind, numbers, columns, trees)) in enumerate(SIZES.items()):
        path = folder / f"size-{number}"
        model_of(kind, numbers, {"max_length": None}, texts, columns).save_pretrained(path)
        vectors = StaticModel.from_pretrained(path).encode(texts, use_multiprocessing=False).astype(np.float32)
        labels = vectors[:, 0] + np.random.default_rng(3).normal(size=len(texts)) * vectors[:, 0].std() > 0
        given = {"objective": "binary", "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 3, "num_leaves": 128}
        booster = lightgbm.train(given, lightgbm.Dataset(vectors, labels), num_boost_round=trees)
        booster.save_model(str(path / "trees.txt"))
        print(f"{path.name}\t{name}", flush=True)


def measure(folder: Path, file: Path, rounds: int) -> None:
    """All texts at once, as the packages have it."""
    model = StaticModel.from_pretrained(folder)
    booster = lightgbm.Booster(model_file=str(folder / "trees.txt"), params={"num_threads": 1})
    data = file.read_bytes()
    texts = data.decode().split("\0")[:-1]
    for _ in range(rounds):
        start = time.process_time()
        booster.predict(model.encode(texts, use_multiprocessing=False), num_threads=1)
        print(time.process_time() - start, len(data) - len(texts), flush=True)


def compare(texts: list[str], folder: Path) -> None:
    """A line of JSON for each pair."""
    for place, (name, (kind, numbers, settings)) in enumerate(VECTORS.items()):
        path = folder / str(place)
        model_of(kind, numbers, settings, texts).save_pretrained(path)
        model = StaticModel.from_pretrained(path)
        vectors = model.encode(texts, use_multiprocessing=False)
        for number, (head, how) in enumerate(HEADS.items()):
            file = path / (f"{number}.txt" if "objective" in how else f"{number}.safetensors")
            predict = head_of(how, vectors, file)
            predicted = np.asarray(predict(vectors), dtype=np.float64).reshape(len(texts), -1)
            filter_settings = {
                "vectors": str(path / "model.safetensors"),
                "tokenizer": str(path / "tokenizer.json"),
                "head": str(file),
                "max_tokens": settings["max_length"] or 0,
                "unit_length": settings.get("normalize", False),
            }
            told = {
                "vectors": name,
                "head": head,
                "filter": filter_settings,
                "predicted": predicted.tolist(),
            }
            print(json.dumps(told), flush=True)


def main() -> None:
    """What is asked for."""
    if sys.argv[1] == "time":
        measure(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
        return
    texts = [json.loads(line)["text"] for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()]
    {"compare": compare, "make": make}[sys.argv[1]](texts, Path(sys.argv[3]))


main()
