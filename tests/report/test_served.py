"""The page of `uzushio report --serve` in Chromium: what it asks its server for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from report_server import Server, write_measured


@pytest.fixture(name="server", scope="module")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One over metrics of 500 documents."""
    folder = tmp_path_factory.mktemp("served")
    write_measured(folder)
    server = Server(folder / "metrics")
    yield server
    server.end()


def test_exact_numbers_for_moved_thresholds(chromium: Any, server: Server) -> None:
    """They come from the server, and are those that it gives to others; nothing else is asked for, nothing refused."""
    context = chromium.new_context()
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{server.url}#lang=en")
    page.locator("[data-source=server]").wait_for()
    field = page.get_by_role("textbox", name="3. DocLength low")
    field.fill("90")
    with page.expect_response("**/kept?token=*") as answer:
        page.keyboard.press("Enter")
    page.locator("[data-source=server]").wait_for()
    question = answer.value.request.post_data_json
    assert question["thresholds"][2][0] == 90
    status, kept = server.kept(question)
    assert status == 200
    share = page.locator("[data-kept=documents]").get_attribute("data-share")
    assert float(share) == pytest.approx(kept["documents"] / 500)
    assert 0 < kept["documents"] < 500
    context.close()
    assert said == []
    assert {urlsplit(url).netloc for url in asked if not url.startswith("data:")} == {f"127.0.0.1:{server.port}"}
