"""What the guide writes for other libraries, as it stands there."""

from __future__ import annotations

import importlib
import types
from typing import Any

import pytest
import uzushio as uz
from program import ROOT

pytestmark = pytest.mark.module


def hojichar() -> Any:
    """HojiChar where it is installed; else what the example needs of it."""
    try:
        return importlib.import_module("hojichar")
    except ModuleNotFoundError:
        return types.SimpleNamespace(Filter=object)


def test_a_filter_of_hojichar() -> None:
    """Documents that a chain removes are rejected, others have the text that is left."""
    _, _, rest = (ROOT / "docs" / "python.md").read_text(encoding="utf-8").partition("```python\nclass Uzushio(")
    code, end, _ = rest.partition("```")
    assert end
    chain = uz.FilterChain([uz.Filter.DocLength(low=5), uz.Filter.AdjacentDuplicateParagraphs()])
    names: dict[str, Any] = {"hojichar": hojichar(), "chain": chain}
    exec(f"class Uzushio({code}", names)
    for text, left in (("短い", ""), ("長い文章です\n\n長い文章です", "長い文章です")):
        document = names["Uzushio"]().apply(types.SimpleNamespace(text=text, is_rejected=False))
        assert (document.text, document.is_rejected) == (left, not left)
