"""`Onnx` in Python: a filter as any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import uzushio as uz

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed; requirements/test.txt has it")
pytest.importorskip("onnx", reason="onnx is not installed; requirements/test.txt has it")
from onnx_classifier import Reference, Shape, softmax, write_model, write_tokenizer  # noqa: E402

TEXT = "吾輩は猫である。名前はまだ無い。"
LIBRARY = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))


def test_scores_and_errors(tmp_path: Path) -> None:
    """Of texts, beside the package's own library in one process; what a file does not have is an error of the chain."""
    model, tokenizer = tmp_path / "model.onnx", tmp_path / "tokenizer.json"
    write_model(model, write_tokenizer(tokenizer, [TEXT, "今日は晴れです。"] * 3), Shape(2))
    files: dict[str, Any] = {
        "model": str(model),
        "tokenizer": str(tokenizer),
        "library": str(LIBRARY),
        "max_tokens": 128,
    }
    chain = uz.FilterChain([uz.Filter("Onnx", **files, output=1, low=1)])
    removed = chain.apply_text(TEXT).removed
    assert removed is not None
    assert removed.reason == "Onnx(1).Low(1.0)"
    assert removed.metric == pytest.approx(softmax(Reference(model, tokenizer).logits(TEXT))[1], abs=1e-5)
    with pytest.raises(uz.UsageError, match="has the outputs 0 to 1, not 2"):
        uz.FilterChain([uz.Filter("Onnx", **files, output=2)])
    with pytest.raises(uz.UsageError, match="does not take a text of 129 tokens"):
        uz.FilterChain([uz.Filter("Onnx", **(files | {"max_tokens": 129}), output=0)])
