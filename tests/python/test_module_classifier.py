"""`Classifier` in Python: a filter as any other."""

from __future__ import annotations

from pathlib import Path

import pytest
import uzushio as uz
from static_classifier import score, write_classifier

TEXT = "ひらがなのぶんです。"


def test_scores_and_errors(tmp_path: Path) -> None:
    """Of texts; what a file does not have is an error of the chain."""
    files = write_classifier(tmp_path)
    chain = uz.FilterChain([uz.Filter("Classifier", **files, low=0.999)])
    removed = chain.apply_text(TEXT).removed
    assert removed is not None
    assert removed.reason == "Classifier.Low(0.999)"
    assert removed.metric == pytest.approx(score(files, TEXT), abs=1e-9)
    with pytest.raises(uz.UsageError, match="has one output, 0, not 1"):
        uz.FilterChain([uz.Filter("Classifier", **files, output=1)])
    Path(files["vectors"]).write_bytes(Path(files["vectors"]).read_bytes()[:-1])
    with pytest.raises(uz.UsageError, match="lies outside of the file"):
        uz.FilterChain([uz.Filter("Classifier", **files)])
