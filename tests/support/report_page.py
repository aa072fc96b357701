"""The page of `uzushio report` with data that a test gives it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from program import ROOT

TEMPLATE = ROOT / "build" / "release" / "report" / "page.html"
# open_page(data, behind the #, width)
OpenPage = Callable[..., Any]


def page_of(data: dict[str, Any], connects: str = "'none'") -> str:
    """The page as the program makes it of its data."""
    text = json.dumps(data, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    template = TEMPLATE.read_text(encoding="utf-8")
    return template.replace("connect-src 'none'", f"connect-src {connects}").replace("@REPORT_DATA@", text)


def data_of(page: str) -> Any:
    """What a page of the program shows."""
    begin = page.index('id="data"')
    data, _ = json.JSONDecoder().raw_decode(page, page.index("{", begin))
    return data
