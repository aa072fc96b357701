"""Small pages in Japanese."""

from __future__ import annotations

from typing import Any

KANA = "これはひらがなのぶんしょうです。" * 4


def page(number: int) -> dict[str, Any]:
    """A Japanese page."""
    return {"uri": f"http://example.jp/{number}", "body": f"<p>{number}{KANA}</p>"}
