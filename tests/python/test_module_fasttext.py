"""`FastText` in Python: a filter as any other."""

from __future__ import annotations

from pathlib import Path

import fasttext  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pytest
import uzushio as uz
from fasttext_model import Shape, model_bytes

TEXT = "私 本 読む the"


def test_scores_and_errors(tmp_path: Path) -> None:
    """Of texts; what a model does not have is an error of the chain."""
    path = str(tmp_path / "model.bin")
    Path(path).write_bytes(model_bytes(Shape()))
    labels, probabilities = fasttext.load_model(path).predict(TEXT, k=-1)
    wanted = dict(zip(labels, probabilities, strict=True))["__label__low"]
    chain = uz.FilterChain([uz.Filter("FastText", model=path, label="low", low=0.999, max_characters=100)])
    removed = chain.apply_text(TEXT).removed
    assert removed is not None
    assert removed.reason == "FastText(low).Low(0.999)"
    assert removed.metric == pytest.approx(wanted, abs=2e-6)
    with pytest.raises(uz.UsageError, match="has no label 'lo', but the labels __label__hq, __label__low"):
        uz.FilterChain([uz.Filter("FastText", model=path, label="lo")])
    Path(path).write_bytes(model_bytes(Shape())[:-1])
    with pytest.raises(uz.UsageError, match="the end is missing"):
        uz.FilterChain([uz.Filter("FastText", model=path, label="low")])
