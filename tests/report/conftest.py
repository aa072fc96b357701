"""The page of `uzushio report` in Chromium, with data that is made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_page import OpenPage, page_of


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[OpenPage]:
    """Opens a page of this data. At the end nothing may have been asked for; nor, if silent, said or refused."""
    contexts: list[Any] = []
    asked: list[str] = []
    said: list[str] = []

    def opened(
        data: dict[str, Any] | str, behind: str = "lang=en", width: int = 1280, silent: bool = True, **options: Any
    ) -> Any:
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(data if isinstance(data, str) else page_of(data), encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 900}, offline=True, **options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        if silent:
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(f"{path.as_uri()}#{behind}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith(("data:,", tmp_path.as_uri()))] == []
    assert said == []
