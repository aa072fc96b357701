"""Filters by a model's file on Spark: every node has it, at the path that the chain names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from corpus import random_documents, write_corpus
from fasttext_model import Shape, model_bytes
from on_spark import SPARK_TESTS, assert_same
from program import Uzushio
from static_classifier import write_classifier

pytestmark = SPARK_TESTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_classifiers_of_fasttext(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """The same documents pass."""
    import uzushio as uz
    from uzushio import spark as on_frames

    write_corpus(uzushio, tmp_path, random_documents(4, 60))
    path = tmp_path / "model.bin"
    path.write_bytes(
        model_bytes(Shape(least=1, most=2, buckets=100, labels={f"__label__{i}": 9 - i for i in range(3)}))
    )
    documents = spark.read.parquet(str(tmp_path / "documents"))
    chain = uz.FilterChain([uz.Filter("FastText", model=str(path), expectation=True, low=1)])
    (tmp_path / "a.conf").write_text(
        f'filters: [{{"class": "FastText", "model": "{path}", "expectation": true, "low": 1}}]', encoding="utf-8"
    )
    uzushio("filter", tmp_path / "documents", "--config", tmp_path / "a.conf", "--output", tmp_path / "clean")
    on_frames.filter(documents, chain).write.parquet(str(tmp_path / "frames"))
    assert_same(tmp_path / "frames", tmp_path / "clean", "docId")
    assert 0 < pq.read_table(tmp_path / "clean").num_rows < 60


def test_classifiers_of_static_embeddings(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """The same documents pass."""
    import uzushio as uz
    from uzushio import spark as on_frames

    write_corpus(uzushio, tmp_path, random_documents(4, 60))
    files = write_classifier(tmp_path / "model")
    documents = spark.read.parquet(str(tmp_path / "documents"))
    given = {"class": "Classifier", **files, "low": 0.5}
    (tmp_path / "a.conf").write_text(json.dumps({"filters": [given]}), encoding="utf-8")
    uzushio("filter", tmp_path / "documents", "--config", tmp_path / "a.conf", "--output", tmp_path / "clean")
    chain = uz.FilterChain([uz.Filter("Classifier", **files, low=0.5)])
    on_frames.filter(documents, chain).write.parquet(str(tmp_path / "frames"))
    assert_same(tmp_path / "frames", tmp_path / "clean", "docId")
    assert 0 < pq.read_table(tmp_path / "clean").num_rows < 60


def test_transformers_in_onnx(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """The same documents pass."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime; requirements/test.txt has it")
    pytest.importorskip("onnx", reason="needs onnx; requirements/test.txt has it")
    import uzushio as uz
    from onnx_classifier import Shape, write_model, write_tokenizer
    from uzushio import spark as on_frames

    made = random_documents(4, 60)
    write_corpus(uzushio, tmp_path, made)
    texts = ["\n".join(paragraph.text for paragraph in document) for document in made.values()]
    write_model(tmp_path / "model.onnx", write_tokenizer(tmp_path / "tokenizer.json", texts), Shape(2))
    library = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
    files = {"model": str(tmp_path / "model.onnx"), "tokenizer": str(tmp_path / "tokenizer.json")}
    files["library"] = str(library)
    given = {"class": "Onnx", **files, "max_tokens": 128, "output": 1, "low": 0.5}
    (tmp_path / "a.conf").write_text(json.dumps({"filters": [given]}), encoding="utf-8")
    uzushio("filter", tmp_path / "documents", "--config", tmp_path / "a.conf", "--output", tmp_path / "clean")
    chain = uz.FilterChain([uz.Filter("Onnx", **files, max_tokens=128, output=1, low=0.5)])
    documents = spark.read.parquet(str(tmp_path / "documents"))
    on_frames.filter(documents, chain).write.parquet(str(tmp_path / "frames"))
    assert_same(tmp_path / "frames", tmp_path / "clean", "docId")
    assert 0 < pq.read_table(tmp_path / "clean").num_rows < 60
