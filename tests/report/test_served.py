"""The page of `uzushio report --serve` in Chromium: what it asks its server for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from program import run_uzushio
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


@pytest.fixture(name="compared", scope="module")
def compare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One over metrics, and documents beside what a chain keeps of them."""
    folder = tmp_path_factory.mktemp("compared")
    write_measured(folder)
    common = ["--config", folder / "chain.conf", "--stats", folder / "statistics"]
    run_uzushio("filter", folder / "documents", "--output", folder / "all")
    run_uzushio("filter", folder / "documents", "--output", folder / "kept", "--mode", "partitioned", *common)
    server = Server(folder / "all", folder / "metrics", "--against", folder / "kept")
    yield server
    server.end()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_comparison_that_is_served(chromium: Any, compared: Server, width: int) -> None:
    """The documents that differ are there beside thresholds that can be moved; nothing is wider than the screen."""
    context = chromium.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{compared.url}#lang=en")
    page.locator("[data-source=server]").wait_for()
    section = page.locator("section.difference")
    assert "all (445 documents) beside" in section.locator(".lead").first.text_content()
    reasons = section.locator("table").nth(1).locator("tbody th").all_text_contents()
    assert any("HiraganaRatio" in reason for reason in reasons)
    section.get_by_label("Which").select_option(index=0)
    assert section.locator(".extract").count() > 0
    page.get_by_role("textbox", name="3. DocLength low").fill("90")
    with page.expect_response("**/kept?token=*"):
        page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
    assert said == []
    assert {urlsplit(url).netloc for url in asked if not url.startswith("data:")} == {f"127.0.0.1:{compared.port}"}
