"""The filter Onnx against ONNX Runtime's Python, a text at a time: logits, probabilities, batches, errors, memory."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import encode, random_documents, written
from filter_oracle import Paragraph, java
from program import Uzushio, read_json
from sanitized import first_sanitized

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed; requirements/test.txt has it")
pytest.importorskip("onnx", reason="onnx is not installed; requirements/test.txt has it")
from onnx_classifier import (  # noqa: E402
    IDS,
    MASK,
    Reference,
    Shape,
    softmax,
    write_external,
    write_model,
    write_tokenizer,
)

LIBRARY = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", Path(__file__).resolve().parents[3] / "shared" / "data"))
MOST = 96


def documents() -> dict[str, list[Paragraph]]:
    """Texts of all blocks, one that is long, one of many paragraphs, and none."""
    made = random_documents(11, 120) | {"none": [], "unknown": [Paragraph("", "\U0010fffd")]}
    made["long"] = [Paragraph("", "これはｶﾞのＡＢＣを含む長い文です。" * 200)]
    made["many"] = [Paragraph("", f"{i}番目の段落です。" + "あい" * (i * 7 % 60)) for i in range(150)]
    return made


DOCUMENTS = documents()


def text_of(document: list[Paragraph]) -> str:
    """What is scored."""
    return "\n".join(p.text for p in document)


@pytest.fixture(name="tokenizer", scope="session")
def train_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Of the texts, and how many tokens it has."""
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    return path, write_tokenizer(path, [text_of(d) for d in DOCUMENTS.values()])


@pytest.fixture(name="corpus")
def write_documents(tmp_path: Path) -> Path:
    """The documents, a file."""
    table = pa.table({"docId": list(DOCUMENTS), "text": [encode(d) for d in DOCUMENTS.values()]})
    pq.write_table(table, tmp_path / "documents.parquet", row_group_size=50)
    return tmp_path / "documents.parquet"


class Files:
    """A model and the tokenizer."""

    def __init__(self, folder: Path, tokenizer: tuple[Path, int], shape: Shape, name: str = "model.onnx") -> None:
        self.model, self.tokenizer = folder / name, tokenizer[0]
        write_model(self.model, tokenizer[1], shape)
        self.reference = Reference(self.model, self.tokenizer, MOST)

    def given(self, **more: Any) -> dict[str, Any]:
        """The filter's parameters."""
        files = {"model": str(self.model), "tokenizer": str(self.tokenizer), "library": str(LIBRARY)}
        return {"class": "Onnx", **files, "max_tokens": MOST, **more}


def write_chain(folder: Path, *filters: dict[str, Any]) -> Path:
    """The file of a chain."""
    (folder / "chain.conf").write_text(json.dumps({"filters": filters}), encoding="utf-8")
    return folder / "chain.conf"


def columns_of(uzushio: Uzushio, corpus: Path, folder: Path, *filters: dict[str, Any]) -> list[dict[str, float]]:
    """The metrics of each filter; the same bytes with any number of threads."""
    chain = write_chain(folder, *filters)
    for threads in (1, 3):
        output = folder / f"by{threads}"
        options = ["--config", chain, "--output", output, "--overwrite", "--threads", threads]
        uzushio("metrics", corpus, *options)
    assert (folder / "by1/metrics.parquet").read_bytes() == (folder / "by3/metrics.parquet").read_bytes()
    table = pq.read_table(folder / "by1" / "metrics.parquet")
    ids = table["docId"].to_pylist()
    names = [name for name in table.column_names if name.startswith("Onnx")]
    return [dict(zip(ids, table.column(name).to_pylist(), strict=True)) for name in names]


def mean(document: list[Paragraph], score: Callable[[str], float]) -> float:
    """Of paragraphs, by their lengths."""
    sizes = [len(p.text) for p in document]
    scores = [n * score(p.text) for n, p in zip(sizes, document, strict=True) if n]
    return sum(scores) / sum(sizes) if sum(sizes) else 0.0


SHAPES = {
    "of BERT": Shape(),
    "one output": Shape(1, (IDS, MASK)),
    "a number a text": Shape(1, flat=True),
    "32 bits": Shape(2, numbers="INT32"),
    "without a mask": Shape(2, (IDS,)),
    "16 bits out": Shape(4, (IDS, MASK), written="FLOAT16"),
    "64 bits out": Shape(2, written="DOUBLE"),
    "quantized": Shape(2, quantized=True),
}


@pytest.mark.parametrize("name", first_sanitized(SHAPES))
def test_scores_are_pythons(
    uzushio: Uzushio, corpus: Path, tokenizer: tuple[Path, int], tmp_path: Path, name: str
) -> None:
    """Of each output; of documents, and of paragraphs, which are scored in batches."""
    shape = SHAPES[name]
    files = Files(tmp_path, tokenizer, shape)
    filters, wanted = [], []
    known: dict[str, list[float]] = {}

    def logits(text: str) -> list[float]:
        if text not in known:
            known[text] = files.reference.logits(text)
        return known[text]

    for output in range(shape.outputs):
        for unit in ("document", "paragraph"):
            place = output if shape.outputs > 1 else -1
            filters.append(files.given(output=place, activation="none", unit=unit))
            one = lambda text, output=output: logits(text)[output]  # noqa: E731
            score = (lambda d, one=one: one(text_of(d))) if unit == "document" else lambda d, one=one: mean(d, one)
            wanted.append({key: score(d) if text_of(d) else 0 for key, d in DOCUMENTS.items()})
    close = 1e-3 if shape.written == "FLOAT16" else 1e-5
    for column, expected, given in zip(columns_of(uzushio, corpus, tmp_path, *filters), wanted, filters, strict=True):
        assert column == pytest.approx(expected, abs=close, rel=close), given
        assert len(set(column.values())) > 20  # it tells something


def test_what_is_made_of_outputs(uzushio: Uzushio, corpus: Path, tokenizer: tuple[Path, int], tmp_path: Path) -> None:
    """Probabilities, expectations; texts are prepared; documents go by bounds, with reasons."""
    files = Files(tmp_path, tokenizer, Shape())
    one = Files(tmp_path, tokenizer, Shape(1), "one.onnx")
    logits = {key: files.reference.logits(text_of(d)) for key, d in DOCUMENTS.items()}
    wanted: list[Callable[[str], float]] = [
        lambda key: softmax(logits[key])[1],
        lambda key: 1 / (1 + math.exp(-logits[key][2])),
        lambda key: sum(i * p for i, p in enumerate(softmax(logits[key]))),
        lambda key: 1 / (1 + math.exp(-one.reference.logits(text_of(DOCUMENTS[key]))[0])),
        lambda key: softmax(files.reference.logits(text_of(DOCUMENTS[key])[:9].lower()))[0],
    ]
    filters = [
        files.given(output=1),
        files.given(output=2, activation="sigmoid"),
        files.given(expectation=True),
        one.given(activation="sigmoid"),
        files.given(output=0, max_characters=9, lowercase=True),
    ]
    columns = columns_of(uzushio, corpus, tmp_path, *filters)
    for column, score, given in zip(columns, wanted, filters, strict=True):
        expected = {key: score(key) if text_of(d) else 0 for key, d in DOCUMENTS.items()}
        assert column == pytest.approx(expected, abs=1e-5), given
    low = float(np.float32(np.median(list(columns[2].values()))))
    chain = write_chain(tmp_path, files.given(expectation=True, low=low))
    uzushio("filter", corpus, "--config", chain, "--output", tmp_path / "out", "--mode", "partitioned")
    there = {key for key, document in DOCUMENTS.items() if text_of(document)}
    below = {key for key in there if np.float32(columns[2][key]) < low}
    reason = f"Onnx(expectation).Low({java(low)})"
    assert {name: set(one) for name, one in written(tmp_path / "out").items()} == {
        reason: below,
        "none": there - below,
    }
    said = uzushio("explain", min(below), "--in", tmp_path / "out").stdout
    assert reason in said
    uzushio("metrics", corpus, "--config", chain, "--output", tmp_path / "m")
    uzushio("report", tmp_path / "m", "--output", tmp_path / "page.html")
    assert "Onnx" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_real_pages(uzushio: Uzushio, tokenizer: tuple[Path, int], tmp_path: Path) -> None:
    """Japanese text as it is."""
    if not (PAGES / "small.warc.gz").exists():
        pytest.skip("no real pages; set UZUSHIO_REAL_PAGES")
    uzushio("extract", PAGES / "small.warc.gz", "--output", tmp_path / "documents")
    rows = [r for p in sorted((tmp_path / "documents").rglob("*.parquet")) for r in pq.read_table(p).to_pylist()][:60]
    table = pa.table({"docId": [r["docId"] for r in rows], "text": [r["text"] for r in rows]})
    pq.write_table(table, tmp_path / "documents.parquet")
    paragraphs: dict[str, list[Paragraph]] = {}
    for row in rows:
        plain = [one.rpartition("\x1c")[2].translate({2: None, 3: None}) for one in row["text"].split("\n\n")]
        paragraphs[row["docId"]] = [Paragraph("", one) for one in plain]
    files = Files(tmp_path, tokenizer, Shape())

    def score(text: str) -> float:
        return softmax(files.reference.logits(text))[1]

    filters = [files.given(output=1), files.given(output=1, unit="paragraph")]
    whole, parts = columns_of(uzushio, tmp_path / "documents.parquet", tmp_path, *filters)
    assert len(whole) >= 40
    assert whole == pytest.approx({key: score(text_of(one)) for key, one in paragraphs.items()}, abs=1e-5)
    assert parts == pytest.approx({key: mean(one, score) for key, one in paragraphs.items()}, abs=1e-5)


def test_known_metrics_are_of_the_files(
    uzushio: Uzushio, corpus: Path, tokenizer: tuple[Path, int], tmp_path: Path
) -> None:
    """Metrics that were computed serve as long as model and tokenizer are the same."""
    shutil.copy(tokenizer[0], tmp_path / "tokenizer.json")
    files = Files(tmp_path, (tmp_path / "tokenizer.json", tokenizer[1]), Shape())
    chain = write_chain(tmp_path, files.given(output=1, low=0.5))
    uzushio("metrics", corpus, "--config", chain, "--output", tmp_path / "metrics")
    options = ["--config", chain, "--metrics", tmp_path / "metrics", "--overwrite", "--output", tmp_path / "out"]
    uzushio("filter", corpus, *options)
    before = files.model.read_bytes()
    write_model(files.model, tokenizer[1], Shape(), seed=1)
    assert "compute the metrics of this configuration" in uzushio("filter", corpus, *options, code=2).stderr
    files.model.write_bytes(before)
    with files.tokenizer.open("a", encoding="utf-8") as file:
        file.write("\n")
    assert "compute the metrics of this configuration" in uzushio("filter", corpus, *options, code=2).stderr


def test_the_library_is_found(
    uzushio: Uzushio, corpus: Path, tokenizer: tuple[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the active virtual environment; where there is none, the error says what to install."""
    given = Files(tmp_path, tokenizer, Shape(1)).given(activation="none")
    del given["library"]
    chain = write_chain(tmp_path, given)
    packages = tmp_path / "environment" / "lib" / "python3.11" / "site-packages" / "onnxruntime" / "capi"
    command = ["metrics", corpus, "--config", chain, "--output", tmp_path / "out"]
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "environment"))
    if find_library("onnxruntime") is None:
        said = uzushio(*command, code=2).stderr
        assert "there is no ONNX Runtime in the active virtual environment: pip install onnxruntime" in said
        assert "name by `library` the file" in said
    packages.mkdir(parents=True)
    (packages / LIBRARY.name).symlink_to(LIBRARY)
    uzushio(*command)


def test_what_is_wrong_is_said(uzushio: Uzushio, corpus: Path, tokenizer: tuple[Path, int], tmp_path: Path) -> None:
    """Of files, of models, of parameters; before anything is written."""
    three = Files(tmp_path, tokenizer, Shape())
    write_model(tmp_path / "one.onnx", tokenizer[1], Shape(1))
    write_model(tmp_path / "other.onnx", tokenizer[1], Shape(1, (IDS, MASK, "position_ids")))
    write_model(tmp_path / "none.onnx", 2, Shape(1))
    write_external(three.model, tmp_path / "external.onnx")
    (tmp_path / "cut.onnx").write_bytes(three.model.read_bytes()[:-100])
    (tmp_path / "text").write_text("text", encoding="utf-8")

    def said(model: str = "one.onnx", **more: Any) -> str:
        given = three.given(activation="none") | {"model": str(tmp_path / model)}
        chain = write_chain(tmp_path, given | more)
        text = uzushio("filter", corpus, "--config", chain, "--output", tmp_path / "o", code=2).stderr
        assert not (tmp_path / "o").exists()
        return text

    assert "there is no model" in said("nowhere")
    assert "there is no tokenizer" in said(tokenizer=str(tmp_path / "nowhere"))
    assert "library: there is no file" in said(library=str(tmp_path / "nowhere"))
    assert "can not be loaded" in said(library=str(tmp_path / "text"))
    assert "can not be used as a model in ONNX" in said("cut.onnx")
    assert "can not be used as a model in ONNX" in said("text")
    assert "its weights lie in other files; write it as one file" in said("external.onnx")
    assert "it needs the input 'position_ids'" in said("other.onnx")
    assert "max_tokens: it does not take a text of 129 tokens" in said(max_tokens=129)
    assert "max_tokens: 2 tokens are put around each text" in said(max_tokens=2)
    assert "max_tokens: it does not take a text" in said("none.onnx")
    assert "has the outputs 0 to 2, not 3" in said("model.onnx", output=3)
    assert "needs either `output` or `expectation: true`" in said("model.onnx")
    assert "expectation: needs a model of several outputs" in said(expectation=True)
    assert "expectation: needs probabilities that sum to 1" in said("model.onnx", expectation=True)
    assert "has one output, whose softmax is always 1" in said(activation="softmax")


@pytest.mark.once
def test_memory_is_kept(uzushio: Uzushio, tokenizer: tuple[Path, int], tmp_path: Path) -> None:
    """The model, and what its layers need in each thread, are part of --memory."""
    shape = Shape(1, positions=512, hidden=256, layers=2, heads=8)
    write_model(tmp_path / "m.onnx", tokenizer[1], shape)
    text = "\n\n".join("body>p\x1c" + "これは段落です。" * (1 + i % 40) for i in range(40))
    pq.write_table(pa.table({"docId": [str(i) for i in range(24)], "text": [text] * 24}), tmp_path / "a.parquet")
    given = {"class": "Onnx", "model": str(tmp_path / "m.onnx"), "tokenizer": str(tokenizer[0]), "activation": "none"}
    chain = write_chain(tmp_path, given | {"library": str(LIBRARY), "unit": "paragraph", "max_tokens": 512})
    summary = tmp_path / "summary.json"
    options = ["--config", chain, "--output", tmp_path / "out", "--threads", 2, "--summary", summary]
    said = uzushio("metrics", tmp_path / "a.parquet", *options, "--memory", "64MiB", code=2).stderr
    assert "MiB" in said
    uzushio("metrics", tmp_path / "a.parquet", *options, "--memory", "640MiB")
    assert read_json(summary)["peak_memory_bytes"] <= 1.1 * 640 * 2**20
