"""`MaskPersonalData` in Python: a filter as any other."""

from __future__ import annotations

import uzushio as uz


def test_texts() -> None:
    """Of a text, the text that is left."""
    chain = uz.FilterChain([uz.Filter("MaskPersonalData", card=False)])
    result = chain.apply_text("電話は03-1234-5678、4111111111111111。")
    assert result.removed is None
    assert result.text == "電話は<PHONE>、4111111111111111。"
