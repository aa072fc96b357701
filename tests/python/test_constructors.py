"""Functions for filters, and their types."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import uzushio as uz
from program import ROOT

pytestmark = pytest.mark.module
LOOSE: Any = uz.Filter


def test_each_filter_has_one() -> None:
    """With its parameters, as they are declared, and what they mean."""
    for name, declaration in uz.filters().items():
        make = getattr(uz.Filter, name)
        keywords = inspect.signature(make).parameters
        assert list(keywords) == [parameter.name for parameter in declaration.parameters]
        assert make.__doc__.startswith(declaration.summary)
        assert name in dir(uz.Filter)
        for parameter in declaration.parameters:
            assert f"{parameter.name}: {parameter.meaning}" in make.__doc__
            default = keywords[parameter.name].default
            assert default == (inspect.Parameter.empty if parameter.default is None else parameter.default)


def test_they_make_filters() -> None:
    """Those that names make."""
    made = uz.Filter.DocLength(low=3)
    assert made == uz.Filter("DocLength", low=3)
    assert pickle.loads(pickle.dumps(made)) == made
    chain = uz.FilterChain([made, uz.Filter.HiraganaRatio(low=0.5), uz.Filter.AdjacentDuplicateParagraphs()])
    assert chain("ひらがな").text == "ひらがな"


def test_wrong_parameters_are_told_at_once() -> None:
    """With the right name; values where a chain is made."""
    with pytest.raises(TypeError, match=r"Filter\.DocLength\(\) got an unexpected keyword argument 'lo'; did you mean"):
        LOOSE.DocLength(lo=3)
    with pytest.raises(AttributeError, match="DocLenght"):
        _ = LOOSE.DocLenght
    with pytest.raises(uz.UsageError, match=r"filters\[0\]\.low"):
        uz.FilterChain([LOOSE.DocLength(low="many")])


def test_types_are_those_of_the_declarations(tmp_path: Path) -> None:
    """The file that type checkers read is up to date, and Python reads it."""
    stub = Path(uz.__file__).parent / "_constructors.pyi"
    made = tmp_path / "_constructors.pyi"
    tool = ROOT / "tools" / "filter_stubs.py"
    subprocess.run([sys.executable, tool, stub.parent, made], check=True)
    assert made.read_text() == stub.read_text()
    compile(made.read_text(), str(made), "exec")
    assert (
        "    def DocLength(\n        *,\n        low: int = 0,\n        high: int = 2147483647,\n    ) -> Filter:\n"
        in (made.read_text())
    )
