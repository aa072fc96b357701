"""The filter Classifier against plain numpy and Python: means of vectors, trees, linear layers."""

from __future__ import annotations

import json
import math
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import encode, random_documents, written
from filter_oracle import Paragraph, java
from lightgbm_model import Forest, random_forest
from program import Uzushio
from sanitized import first_sanitized
from static_classifier import safetensors, score, write_classifier
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

Array = np.ndarray[Any, Any]
COLUMNS = 12


def documents() -> dict[str, list[Paragraph]]:
    """Texts of all blocks, one that is long, and none."""
    made = random_documents(11, 320) | {"none": [], "unknown": [Paragraph("", "\U0010fffd")]}
    return made | {"long": [Paragraph("", "これはｶﾞのＡＢＣを含む長い文です。" * 200)]}


DOCUMENTS = documents()


def text_of(document: list[Paragraph]) -> str:
    """What is scored."""
    return "\n".join(p.text for p in document)


def pieces() -> tuple[Any, Any]:
    """Word pieces, with a token for what is unknown."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer, trainers.WordPieceTrainer(vocab_size=900, special_tokens=["[UNK]"], show_progress=False)


def unigrams() -> tuple[Any, Any]:
    """Unigrams, whose unknown token is a number."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special: list[Any] = ["<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=700, show_progress=False, special_tokens=special, unk_token="<unk>")
    return tokenizer, trainer


@pytest.fixture(name="tokenizers", scope="session")
def train_tokenizers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of both."""
    folder = tmp_path_factory.mktemp("tokenizers")
    for make in (pieces, unigrams):
        tokenizer, trainer = make()
        tokenizer.train_from_iterator([text_of(d) for d in random_documents(6, 60).values()], trainer)
        tokenizer.save(str(folder / f"{make.__name__}.json"))
    return folder


@pytest.fixture(name="corpus")
def write_documents(tmp_path: Path) -> Path:
    """The documents, a file."""
    table = pa.table({"docId": list(DOCUMENTS), "text": [encode(d) for d in DOCUMENTS.values()]})
    pq.write_table(table, tmp_path / "documents.parquet", row_group_size=50)
    return tmp_path / "documents.parquet"


@dataclass
class Shape:
    """Vectors, and how they are used."""

    tokenizer: str = "pieces"
    numbers: str = "float32"
    name: str = "embeddings"
    shared: bool = False
    """With rows and weights of tokens."""
    settings: dict[str, Any] = field(default_factory=dict)


SHAPES = {
    "32 bits": Shape(),
    "64 bits": Shape(numbers="float64", name="embedding.weight", settings={"unknown": "keep"}),
    "16 bits": Shape("unigrams", "float16", settings={"max_tokens": 30}),
    "16 bits, unit": Shape(numbers="float16", settings={"unit_length": True}),
    "8 bits": Shape("unigrams", "int8", settings={"max_tokens": 9, "unknown": "keep"}),
    "shared": Shape("unigrams", shared=True, settings={"unit_length": True}),
    "8 bits, shared": Shape(numbers="int8", shared=True),
    "beginnings": Shape(settings={"dimensions": 5, "max_tokens": 3}),
    "prepared": Shape("unigrams", settings={"normalize": "nfkc", "lowercase": True, "max_characters": 40}),
}


class Vectors:
    """As model2vec's StaticModel has them, step by step."""

    def __init__(self, shape: Shape, folder: Path) -> None:
        random = np.random.default_rng(5)
        self.shape = shape
        self.tokenizer = Tokenizer.from_file(str(folder / f"{shape.tokenizer}.json"))
        vocabulary = self.tokenizer.get_vocab()
        size = len(vocabulary)
        scale = 90 if shape.numbers == "int8" else 1
        matrix: Array = (random.uniform(-scale, scale, (size, COLUMNS))).astype(shape.numbers)
        self.arrays = {shape.name: matrix}
        if shape.shared:
            self.arrays["mapping"] = random.integers(0, 40, size)
            self.arrays["weights"] = random.uniform(0, 2, size).astype(np.float32)
        self.unknown = vocabulary["[UNK]" if shape.tokenizer == "pieces" else "<unk>"]
        self.length = int(np.median([len(token) for token in vocabulary]))

    def prepared(self, text: str) -> str:
        """The text that is cut into tokens."""
        text = text[: self.shape.settings.get("max_characters")]
        if self.shape.settings.get("normalize"):
            text = unicodedata.normalize("NFKC", text)
        return text.lower() if self.shape.settings.get("lowercase") else text

    def mean(self, text: str) -> Array:
        """In 64 bits, of what numpy gives: it would compare numbers of 16 bits with bounds in 16 bits."""
        return self.stored(text).astype(np.float64)

    def stored(self, text: str) -> Array:
        """In the type that numpy has for it."""
        most = self.shape.settings.get("max_tokens") or None
        text = self.prepared(text)
        ids = self.tokenizer.encode(text[: most and most * self.length], add_special_tokens=False).ids[:most]
        if self.shape.settings.get("unknown", "drop") == "drop":
            ids = [one for one in ids if one != self.unknown]
        matrix = self.arrays[self.shape.name][:, : self.shape.settings.get("dimensions") or COLUMNS]
        kind = np.dtype(np.float32) if matrix.dtype == np.int8 else matrix.dtype
        if not ids:
            return np.zeros(matrix.shape[1], kind)
        rows = matrix[self.arrays["mapping"][ids] if self.shape.shared else ids]
        if self.shape.shared:
            rows = rows * self.arrays["weights"][ids][:, None]
        mean: Array = rows.mean(axis=0).astype(kind)
        if self.shape.settings.get("unit_length"):
            single = mean.astype(np.float32)
            mean = (single / (np.linalg.norm(single) + 1e-32)).astype(kind)
        return mean


def linear(outputs: int, columns: int) -> tuple[bytes, Any]:
    """A linear layer, and its probabilities."""
    random = np.random.default_rng(7)
    weight = random.normal(size=(outputs, columns)).astype(np.float32)
    bias = random.normal(size=outputs)

    def predict(vector: Array) -> list[float]:
        logits = [float(one) for one in weight.astype(float) @ vector + bias]
        if outputs == 1:
            return [1 / (1 + math.exp(-logits[0]))]
        powers = [math.exp(one) for one in logits]
        return [power / sum(powers) for power in powers]

    return safetensors({"0.weight": weight, "0.bias": bias}), predict


def heads(columns: int, scale: float) -> dict[str, tuple[bytes, Any]]:
    """Files, and what they predict; thresholds are of the vectors' size."""
    forests = {
        "binary": random_forest("binary sigmoid:0.7", columns),
        "classes": random_forest("multiclass num_class:3", columns, 3, seed=2),
        "each": random_forest("multiclassova num_class:2 sigmoid:1", columns, 2, seed=3),
        "mean": random_forest("binary sigmoid:1", columns, average=True, seed=4),
        "numbers": random_forest("regression", columns, seed=5),
        "counts": random_forest("poisson", columns, seed=6),
    }
    for forest in forests.values():
        for tree in forest.trees:
            tree.thresholds = [one * scale for one in tree.thresholds]
    found: dict[str, tuple[bytes, Any]] = {
        name: (forest.text().encode(), forest.predict) for name, forest in forests.items()
    }
    return found | {"linear": linear(1, columns), "linear classes": linear(4, columns)}


def columns_of(uzushio: Uzushio, corpus: Path, folder: Path, filters: list[dict[str, Any]]) -> list[list[float]]:
    """The metrics of each filter, of the documents in their order; with any number of threads."""
    chain = {"filters": [{"class": "Classifier", **one} for one in filters]}
    (folder / "chain.conf").write_text(json.dumps(chain), encoding="utf-8")
    for threads in (1, 3):
        output = folder / f"by{threads}"
        command = ["metrics", corpus, "--config", folder / "chain.conf", "--output", output, "--overwrite"]
        uzushio(*command, "--threads", threads)
    assert (folder / "by1/metrics.parquet").read_bytes() == (folder / "by3/metrics.parquet").read_bytes()
    table = pq.read_table(folder / "by1" / "metrics.parquet")
    assert table["docId"].to_pylist() == list(DOCUMENTS)
    return [table.column(name).to_pylist() for name in table.column_names if name.startswith("Classifier")]


@pytest.mark.parametrize("name", first_sanitized(SHAPES))
def test_scores_are_numpys(uzushio: Uzushio, corpus: Path, tokenizers: Path, tmp_path: Path, name: str) -> None:
    """Of every output of every head."""
    shape = SHAPES[name]
    vectors = Vectors(shape, tokenizers)
    (tmp_path / "v.safetensors").write_bytes(safetensors(vectors.arrays))
    means = {key: vectors.mean(text_of(document)) for key, document in DOCUMENTS.items()}
    scale = float(np.std(list(means.values())))
    filters, wanted = [], []
    for head, (data, predict) in heads(len(means["none"]), scale).items():
        (tmp_path / head).write_bytes(data)
        predicted = {key: predict(mean) for key, mean in means.items()}
        outputs = len(predicted["none"])
        for output in range(outputs):
            given = {
                "vectors": str(tmp_path / "v.safetensors"),
                "tokenizer": str(tokenizers / f"{shape.tokenizer}.json"),
            }
            place = output if outputs > 1 else -1
            filters.append({**given, "head": str(tmp_path / head), "output": place, **shape.settings})
            wanted.append({key: one[output] if DOCUMENTS[key] else 0 for key, one in predicted.items()})
    # A length of 16 bits is rounded from a sum whose order numpy chooses by the processor: one text may be a step off.
    may_round = shape.numbers == "float16" and "unit_length" in shape.settings
    for column, one, given in zip(columns_of(uzushio, corpus, tmp_path, filters), wanted, filters, strict=True):
        got = dict(zip(DOCUMENTS, column, strict=True))
        off = [key for key in got if got[key] != pytest.approx(one[key], abs=1e-5, rel=1e-5)]
        assert len(off) <= may_round, (given, off)
        assert got == pytest.approx(one, abs=5e-4 if may_round else 1e-5, rel=1e-5), given
        assert len(set(column)) > 20  # it tells something


def test_paragraphs_expectation_and_bounds(uzushio: Uzushio, corpus: Path, tokenizers: Path, tmp_path: Path) -> None:
    """Means of paragraphs by length; means of grades by probability; documents go by bounds, with reasons."""
    vectors = Vectors(Shape(), tokenizers)
    data, predict = linear(3, COLUMNS)
    (tmp_path / "v.safetensors").write_bytes(safetensors(vectors.arrays))
    (tmp_path / "head").write_bytes(data)
    given: dict[str, Any] = {"vectors": str(tmp_path / "v.safetensors"), "tokenizer": str(tokenizers / "pieces.json")}
    given |= {"head": str(tmp_path / "head")}

    def grade(text: str) -> float:
        grades: list[float] = predict(vectors.mean(text))
        return sum(number * one for number, one in enumerate(grades))

    def mean(document: list[Paragraph]) -> float:
        sizes = [len(p.text) for p in document]
        return sum(n * grade(p.text) for n, p in zip(sizes, document, strict=True)) / sum(sizes)

    settings: list[dict[str, Any]] = [{"expectation": True}, {"expectation": True, "unit": "paragraph"}]
    found = columns_of(uzushio, corpus, tmp_path, [{**given, **one} for one in settings])
    for column, one in zip(found, settings, strict=True):
        whole = "unit" not in one
        wanted = {key: (grade(text_of(d)) if whole else mean(d)) if d else 0 for key, d in DOCUMENTS.items()}
        assert dict(zip(DOCUMENTS, column, strict=True)) == pytest.approx(wanted, abs=1e-5)
    low = float(np.float32(np.median(found[0])))
    chain = {"filters": [{"class": "Classifier", **given, "expectation": True, "low": low}]}
    (tmp_path / "c.conf").write_text(json.dumps(chain), encoding="utf-8")
    uzushio("filter", corpus, "--config", tmp_path / "c.conf", "--output", tmp_path / "out", "--mode", "partitioned")
    texts = {reason: set(documents) for reason, documents in written(tmp_path / "out").items()}
    scores = dict(zip(DOCUMENTS, found[0], strict=True))
    there = {key for key, document in DOCUMENTS.items() if any(p.text for p in document)}
    assert texts == {
        f"Classifier(expectation).Low({java(low)})": {key for key in there if np.float32(scores[key]) < low},
        "none": {key for key in there if np.float32(scores[key]) >= low},
    }


@pytest.mark.parametrize("size", [1e9, -1e9, 1e200, -1e200])
def test_documents_stay_without_bounds(
    uzushio: Uzushio, corpus: Path, tokenizers: Path, tmp_path: Path, size: float
) -> None:
    """However large the outputs are; those beyond 1e30 are that."""
    vectors = Vectors(Shape(), tokenizers)
    forest = random_forest("regression", COLUMNS)
    for tree in forest.trees:
        tree.leaves = [size] * len(tree.leaves)
    (tmp_path / "v").write_bytes(safetensors(vectors.arrays))
    (tmp_path / "head").write_text(forest.text(), encoding="utf-8")
    given = {"vectors": str(tmp_path / "v"), "tokenizer": str(tokenizers / "pieces.json")}
    given["head"] = str(tmp_path / "head")
    (column,) = columns_of(uzushio, corpus, tmp_path, [given])
    most = max(-1e30, min(1e30, size * len(forest.trees)))
    assert column == pytest.approx([most if DOCUMENTS[key] else 0 for key in DOCUMENTS])
    (tmp_path / "c.conf").write_text(json.dumps({"filters": [{"class": "Classifier", **given}]}), encoding="utf-8")
    uzushio("filter", corpus, "--config", tmp_path / "c.conf", "--output", tmp_path / "out", "--mode", "partitioned")
    assert set(written(tmp_path / "out")) == {"none"}


def test_known_metrics_are_of_the_files(uzushio: Uzushio, corpus: Path, tokenizers: Path, tmp_path: Path) -> None:
    """Metrics that were computed serve as long as vectors, tokenizer and head are the same."""
    vectors = Vectors(Shape(), tokenizers)
    paths = {name: tmp_path / name for name in ("vectors", "tokenizer", "head")}
    paths["vectors"].write_bytes(safetensors(vectors.arrays))
    paths["tokenizer"].write_bytes((tokenizers / "pieces.json").read_bytes())
    paths["head"].write_text(random_forest("binary sigmoid:1", COLUMNS).text(), encoding="utf-8")
    given = {"class": "Classifier", "low": 0.5, **{name: str(path) for name, path in paths.items()}}
    (tmp_path / "c.conf").write_text(json.dumps({"filters": [given]}), encoding="utf-8")
    chain = ["--config", tmp_path / "c.conf"]
    uzushio("metrics", corpus, *chain, "--output", tmp_path / "metrics")
    command = ["filter", corpus, *chain, "--metrics", tmp_path / "metrics", "--overwrite", "--output", tmp_path / "out"]
    uzushio(*command)
    for path in paths.values():
        before = path.read_bytes()
        path.write_bytes(before + b" \n")
        if path.name == "vectors":
            path.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
        assert "compute the metrics of this configuration" in uzushio(*command, code=2).stderr
        path.write_bytes(before)
    uzushio(*command)


def test_what_is_wrong_is_said(uzushio: Uzushio, corpus: Path, tokenizers: Path, tmp_path: Path) -> None:
    """Of files and of parameters."""
    vectors = Vectors(Shape(), tokenizers)
    (tmp_path / "v").write_bytes(safetensors(vectors.arrays))
    (tmp_path / "one").write_text(random_forest("binary sigmoid:1", COLUMNS).text(), encoding="utf-8")
    (tmp_path / "three").write_bytes(linear(3, COLUMNS)[0])
    (tmp_path / "narrow").write_text(Forest(3, random_forest("", 3).trees, "regression").text(), encoding="utf-8")
    (tmp_path / "cut").write_bytes((tmp_path / "v").read_bytes()[:-1])

    def said(**given: Any) -> str:
        files = {"vectors": "v", "tokenizer": "pieces.json", "head": "one", **given}
        for name in ("vectors", "head"):
            files[name] = str(tmp_path / files[name])
        files["tokenizer"] = str(tokenizers / files["tokenizer"])
        (tmp_path / "c.conf").write_text(json.dumps({"filters": [{"class": "Classifier", **files}]}), encoding="utf-8")
        return uzushio("filter", corpus, "--config", tmp_path / "c.conf", "--output", tmp_path / "o", code=2).stderr

    assert "there are no vectors" in said(vectors="nowhere")
    assert "lies outside of the file" in said(vectors="cut")
    assert "it is no safetensors file" in said(vectors="one")
    assert "there is no tokenizer" in said(tokenizer="nowhere")
    assert "they are of different models" in said(vectors="three") or "it has no array" in said(vectors="three")
    assert "there is no head" in said(head="nowhere")
    assert "takes vectors of 3 numbers, and those of" in said(head="narrow")
    assert "`dimensions: 99`" in said(dimensions=99)
    assert "needs either `output` or `expectation: true`" in said(head="three")
    assert "has the outputs 0 to 2, not 3" in said(head="three", output=3)
    assert "has one output, 0, not 1" in said(output=1)
    assert "expectation: needs a head of several outputs" in said(expectation=True)
    assert "expectation: needs a head of several outputs, and no `output`" in said(
        head="three", expectation=True, output=1
    )


def test_vectors_that_are_no_numbers_are_of_documents(
    uzushio: Uzushio, corpus: Path, tokenizers: Path, tmp_path: Path
) -> None:
    """A matrix of gigabytes is not read before it is used: the error names the document, also of trees."""
    vectors = Vectors(Shape(), tokenizers)
    vectors.arrays["embeddings"][:, 3] = np.nan
    (tmp_path / "v").write_bytes(safetensors(vectors.arrays))
    (tmp_path / "linear").write_bytes(linear(1, COLUMNS)[0])
    (tmp_path / "trees").write_text(random_forest("binary sigmoid:1", COLUMNS).text(), encoding="utf-8")
    files = {"vectors": str(tmp_path / "v"), "tokenizer": str(tokenizers / "pieces.json")}
    for head in ("linear", "trees"):
        given = {"class": "Classifier", **files, "head": str(tmp_path / head)}
        (tmp_path / "c.conf").write_text(json.dumps({"filters": [given]}), encoding="utf-8")
        said = uzushio("metrics", corpus, "--config", tmp_path / "c.conf", "--output", tmp_path / "o", code=2).stderr
        assert "make no mean" in said


def test_shares_ensembles_and_pages(uzushio: Uzushio, corpus: Path, tmp_path: Path) -> None:
    """What goes by the metrics of earlier filters goes by this one's, `explain` names it, and the page has it."""
    files = write_classifier(tmp_path / "model")
    filters: list[dict[str, Any]] = [
        {"class": "Classifier", **files},
        {"class": "HiraganaRatio", "low": 0},
        {"class": "Ensemble", "metrics": ["Classifier", "HiraganaRatio"], "method": "mean"},
        {"class": "Percentile", "metric": "Classifier", "keep": 0.3},
    ]
    chain = tmp_path / "c.conf"
    chain.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    uzushio("metrics", corpus, "--config", chain, "--output", tmp_path / "metrics")
    table = pq.read_table(tmp_path / "metrics" / "metrics.parquet").to_pydict()
    column = next(name for name in table if name.startswith("Classifier("))
    scores = dict(zip(table["docId"], table[column], strict=True))
    wanted = {key: score(files, text_of(document)) if document else 0 for key, document in DOCUMENTS.items()}
    assert scores == pytest.approx(wanted, abs=1e-9)
    means = [(a + b) / 2 for a, b in zip(table[column], table["HiraganaRatio"], strict=True)]
    ensemble = next(name for name in table if name.startswith("Ensemble("))
    assert table[ensemble] == pytest.approx(means, abs=1e-6)
    options = ["--config", chain, "--metrics", tmp_path / "metrics", "--mode", "partitioned"]
    uzushio("filter", corpus, *options, "--output", tmp_path / "out")
    ordered = sorted(scores.values())
    low = ordered[len(ordered) * 7 // 10]
    kept = set(written(tmp_path / "out")["none"])
    assert kept == {key for key, one in scores.items() if one >= low and any(p.text for p in DOCUMENTS[key])}
    removed = next(key for key, one in scores.items() if one < low and any(p.text for p in DOCUMENTS[key]))
    said = uzushio("explain", removed, "--in", tmp_path / "out").stdout
    assert "Percentile(Classifier,0.7)" in said
    uzushio("report", tmp_path / "metrics", "--output", tmp_path / "page.html")
    assert "Classifier" in (tmp_path / "page.html").read_text(encoding="utf-8")
