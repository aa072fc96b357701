"""The filter FastText against the `fasttext-predict` of Python."""

from __future__ import annotations

import json
import random
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import fasttext  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import encode, random_documents, written
from fasttext_model import Shape, model_bytes
from filter_oracle import Paragraph, java
from program import Uzushio

Documents = dict[str, list[Paragraph]]
WORDS = ["私", "本", "読む", "走る", "the", "a", "猫は", "犬が", "ＡＢＣ", "ｶﾞｷﾞ", "The", "と言った。", "x" * 40]
NUMBERS = {f"__label__{number}": 50 - number for number in range(5)}
SHAPES = {
    "softmax": Shape(),
    "tree": Shape(loss="hs", labels={f"__label__{i}": 3 * (20 - i) // 2 for i in range(19)}, seed=2),
    "each": Shape(loss="ova", seed=3),
    "sampled": Shape(loss="ns", seed=4),
    "words": Shape(grams=3, buckets=500, seed=5),
    "characters": Shape(least=2, most=4, buckets=700, columns=33, seed=6),
    "one": Shape(least=1, most=1, buckets=50, seed=7),
    "both": Shape(grams=2, least=1, most=6, buckets=300, columns=100, labels=NUMBERS, seed=8),
    "quantized": Shape(quantized=True, least=2, most=3, buckets=200, columns=10, seed=9),
    "norms": Shape(quantized=True, norms=True, output=True, grams=2, buckets=100, labels=NUMBERS, seed=10),
    "pruned": Shape(quantized=True, norms=True, least=1, most=3, buckets=90, pruned=tuple(range(0, 90, 3)), seed=11),
    "bare": Shape(quantized=True, grams=2, least=2, most=4, buckets=90, pruned=(), seed=12),
    "no end": Shape(words=("私", "本"), seed=13),
}


def documents() -> Documents:
    """Words that models have and do not have, and texts of all blocks."""
    choose = random.Random(1)
    made = {
        f"doc-{i}": [
            Paragraph("", " ".join(choose.choices(WORDS, k=choose.randrange(1, 12))))
            for _ in range(choose.randrange(5))
        ]
        for i in range(150)
    }
    special = ["a </s> the", "__label__hq 私", "__label__other 私 __label__", "本\u3000の", "一\n二 本\n\n三"]
    made |= {f"special-{i}": [Paragraph("", line) for line in text.split("\n\n")] for i, text in enumerate(special)}
    return made | random_documents(5, 60) | {"long": [Paragraph("", "私は本を読む" * 9000)], "none": []}


DOCUMENTS = documents()


def text_of(document: list[Paragraph]) -> str:
    """The line that is scored."""
    return "\n".join(p.text for p in document).replace("\n", " ")


def predicted(model: Any, line: str) -> dict[str, float]:
    """Of all labels."""
    labels, probabilities = model.predict(line, k=-1)
    return dict(zip(labels, probabilities, strict=True))


@pytest.fixture(name="corpus")
def write_documents(tmp_path: Path) -> Path:
    """The documents, a file."""
    table = pa.table({"docId": list(DOCUMENTS), "text": [encode(d) for d in DOCUMENTS.values()]})
    pq.write_table(table, tmp_path / "documents.parquet", row_group_size=50)
    return tmp_path / "documents.parquet"


def write_chain(folder: Path, filters: list[dict[str, Any]]) -> Path:
    """A configuration."""
    path = folder / "chain.conf"
    path.write_text(json.dumps({"filters": [{"class": "FastText", **one} for one in filters]}), encoding="utf-8")
    return path


def columns_of(uzushio: Uzushio, corpus: Path, folder: Path, filters: list[dict[str, Any]]) -> list[list[float]]:
    """The metrics of each filter, of the documents in their order."""
    chain = write_chain(folder, filters)
    for threads in (1, 3):
        output = folder / f"by{threads}"
        uzushio("metrics", corpus, "--config", chain, "--output", output, "--threads", threads, "--overwrite")
    found = (folder / "by1" / "metrics.parquet").read_bytes()
    assert found == (folder / "by3" / "metrics.parquet").read_bytes()
    table = pq.read_table(folder / "by1" / "metrics.parquet")
    assert table["docId"].to_pylist() == list(DOCUMENTS)
    return [table.column(name).to_pylist() for name in table.column_names if name.startswith("FastText")]


@pytest.mark.parametrize("name", SHAPES)
def test_probabilities_are_the_packages(uzushio: Uzushio, corpus: Path, tmp_path: Path, name: str) -> None:
    """Of every label, for each kind of model; with any number of threads."""
    shape = SHAPES[name]
    path = tmp_path / ("model.ftz" if shape.quantized else "model.bin")
    path.write_bytes(model_bytes(shape))
    model = fasttext.load_model(str(path))
    filters = [{"model": str(path), "label": label} for label in shape.labels]
    columns = columns_of(uzushio, corpus, tmp_path, filters)
    wanted = [predicted(model, text_of(d)) if d else {} for d in DOCUMENTS.values()]
    for label, column in zip(shape.labels, columns, strict=True):
        assert column == pytest.approx([one.get(label, 0) for one in wanted], abs=2e-6)
    if name != "no end":
        assert max(max(column) - min(column) for column in columns) > 0.1  # the corpus tells something


def test_settings(uzushio: Uzushio, corpus: Path, tmp_path: Path) -> None:
    """Expectation, normal form, case, first characters, means of paragraphs."""
    path = tmp_path / "model.bin"
    path.write_bytes(model_bytes(SHAPES["both"]))
    model = fasttext.load_model(str(path))

    def score(text: str) -> float:
        return sum(int(label.removeprefix("__label__")) * p for label, p in predicted(model, text).items())

    def normal(text: str) -> str:
        return unicodedata.normalize("NFKC", text)

    def mean(document: list[Paragraph]) -> float:
        sizes = [len(p.text) for p in document]
        parts = [score(p.text[:9].replace("\n", " ")) for p in document]
        return sum(n * part for n, part in zip(sizes, parts, strict=True)) / sum(sizes)

    given: dict[str, Any] = {"model": str(path), "expectation": True}
    filters = [
        given,
        {**given, "normalize": "nfkc"},
        {**given, "normalize": "nfkc", "lowercase": True},
        {**given, "max_characters": 7},
        {**given, "unit": "paragraph", "max_characters": 9},
    ]
    columns = columns_of(uzushio, corpus, tmp_path, filters)
    plain = {name: document for name, document in DOCUMENTS.items() if name.startswith(("doc", "special", "long"))}
    scored = [
        lambda d: score(text_of(d)),
        lambda d: score(normal(text_of(d))),
        lambda d: score(normal(text_of(d)).lower()),
        lambda d: score(text_of(d)[:7]),
        mean,
    ]
    for column, of in zip(columns, scored, strict=True):
        found = dict(zip(DOCUMENTS, column, strict=True))
        assert found["none"] == 0
        wanted = {name: of(document) if document else 0 for name, document in plain.items()}
        assert {name: found[name] for name in plain} == pytest.approx(wanted, abs=1e-5)
    assert len({round(sum(column), 3) for column in columns}) == len(columns)  # each setting matters


def test_documents_are_removed_by_bounds(uzushio: Uzushio, corpus: Path, tmp_path: Path) -> None:
    """With reasons that name the label as it was given."""
    path = tmp_path / "model.ftz"
    path.write_bytes(model_bytes(SHAPES["quantized"]))
    model = fasttext.load_model(str(path))
    scores = {name: predicted(model, text_of(d))["__label__hq"] if d else 0.0 for name, d in DOCUMENTS.items()}
    low, high = 0.3, 0.7
    chain = write_chain(tmp_path, [{"model": str(path), "label": "hq", "low": low, "high": high}])
    uzushio("filter", corpus, "--config", chain, "--output", tmp_path / "out", "--mode", "partitioned")
    found = {reason: set(texts) for reason, texts in written(tmp_path / "out").items()}
    there = {name for name, document in DOCUMENTS.items() if any(p.text for p in document)}
    assert found == {
        f"FastText(hq).Low({java(low)})": {name for name in there if scores[name] < low},
        f"FastText(hq).High({java(high)})": {name for name in there if scores[name] > high},
        "none": {name for name in there if low <= scores[name] <= high},
    }


def test_known_metrics_are_of_one_file(uzushio: Uzushio, corpus: Path, tmp_path: Path) -> None:
    """Metrics that were computed serve as long as the model's file is the same."""
    path = tmp_path / "model.bin"
    path.write_bytes(model_bytes(SHAPES["softmax"]))
    chain = write_chain(tmp_path, [{"model": str(path), "label": "hq", "low": 0.5}])
    uzushio("metrics", corpus, "--config", chain, "--output", tmp_path / "metrics")
    command = ["filter", corpus, "--config", chain, "--metrics", tmp_path / "metrics"]
    uzushio(*command, "--output", tmp_path / "same")
    path.write_bytes(model_bytes(replace(SHAPES["softmax"], seed=99)))
    said = uzushio(*command, "--output", tmp_path / "stale", code=2).stderr
    assert "compute the metrics of this configuration" in said


def refusal(uzushio: Uzushio, corpus: Path, folder: Path, **given: Any) -> str:
    """What is said of a filter that can not be had."""
    chain = write_chain(folder, [given])
    return uzushio("filter", corpus, "--config", chain, "--output", folder / "out", code=2).stderr


def test_what_is_wrong_is_said(uzushio: Uzushio, corpus: Path, tmp_path: Path) -> None:
    """Of files and of labels: what, where, and what there is instead."""
    path = tmp_path / "model.bin"
    path.write_bytes(model_bytes(SHAPES["softmax"]))
    (tmp_path / "vectors.bin").write_bytes(path.read_bytes()[:36] + b"\x02\0\0\0" + path.read_bytes()[40:])
    (tmp_path / "cut.bin").write_bytes(path.read_bytes()[:-1])

    def said(**given: Any) -> str:
        return refusal(uzushio, corpus, tmp_path, **given)

    assert "there is no model of fastText 'nowhere.bin'" in said(model="nowhere.bin", label="hq")
    assert "it is none of fastText's" in said(model=str(corpus), label="hq")
    assert "it has vectors of words, and no labels" in said(model=str(tmp_path / "vectors.bin"), label="hq")
    assert "the end is missing); train one" in said(model=str(tmp_path / "cut.bin"), label="hq")
    assert "has no label 'hp', but the labels __label__hq, __label__low" in said(model=str(path), label="hp")
    assert "needs either `label` or `expectation: true`" in said(model=str(path))
    assert "needs either `label` or `expectation: true`" in said(model=str(path), label="hq", expectation=True)
    assert "the label '__label__hq' of" in said(model=str(path), expectation=True)
    assert "lowercase" in said(model=str(path), label="hq", lowercase="perhaps")
    assert "sudachi: needs tokens: sudachi-A" in said(model=str(path), label="hq", sudachi="system.dic")
    assert "tokens" in said(model=str(path), label="hq", tokens="words")


def test_weights_that_are_no_numbers_are_of_documents(uzushio: Uzushio, corpus: Path, tmp_path: Path) -> None:
    """A matrix of gigabytes is not read before it is used: the documents that meet them are quarantined."""
    data = bytearray(model_bytes(SHAPES["softmax"]))
    head = data.index(b"__label__low\0") + len(b"__label__low\0") + 9 + 1 + 16
    row = list(Shape().words).index("the") * 4 * Shape().columns
    data[head + row : head + row + 4] = b"\0\0\xc0\x7f"
    (tmp_path / "model.bin").write_bytes(data)
    chain = write_chain(tmp_path, [{"model": str(tmp_path / "model.bin"), "label": "hq"}])
    command = ["metrics", corpus, "--config", chain, "--output", tmp_path / "metrics"]
    done = uzushio(*command, code=2)
    assert "make no probability" in done.stderr
