"""The page that `uzushio report` writes: thresholds are moved, and `filter` keeps what the page said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from corpus import REMOVAL_OF_EACH_KIND, random_documents, write_corpus
from program import Uzushio, read_json, run_uzushio
from report_page import OpenPage

CHAIN: list[dict[str, Any]] = [
    *REMOVAL_OF_EACH_KIND,
    {"class": "CompressionRate", "low": 0.2, "high": 0.95},
]


@pytest.fixture(name="folder", scope="module")
def make_outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, statistics, metrics of a chain, what the chain keeps, and the page of it."""
    folder = tmp_path_factory.mktemp("outputs")
    write_corpus(run_uzushio, folder, random_documents(11, 600))
    (folder / "chain.conf").write_text(json.dumps({"filters": CHAIN}), encoding="utf-8")
    common = ["--config", folder / "chain.conf", "--stats", folder / "statistics"]
    run_uzushio("metrics", folder / "documents", "--output", folder / "metrics", *common)
    run_uzushio("filter", folder / "documents", "--output", folder / "passed", *common)
    run_uzushio("report", folder / "metrics", folder / "passed", "--output", folder / "page.html")
    return folder


def kept_by_page(page: Any, table: dict[str, Any]) -> dict[str, int]:
    """What the page says that stays, in numbers."""
    kept = {}
    for measure in ("documents", "characters", "bytes"):
        share = float(page.locator(f"[data-kept={measure}]").get_attribute("data-share"))
        kept[measure] = round(share * table["total"][measure])
        assert share == pytest.approx(kept[measure] / table["total"][measure], abs=1e-12)
    return kept


def kept_by_filter(passed: Path) -> dict[str, int]:
    """What `filter` says that it kept."""
    counts = read_json(passed / ".uzushio/manifest.json")["counts"]["passed"]
    return {"documents": counts["documents"], "characters": counts["characters"], "bytes": counts["text_bytes"]}


def test_the_copied_chain_keeps_what_the_page_said(
    uzushio: Uzushio, open_page: OpenPage, folder: Path, tmp_path: Path
) -> None:
    """Exactly, where the sample is the whole; by a chain that keeps some documents by chance."""
    text = (folder / "page.html").read_text(encoding="utf-8")
    page = open_page(text, permissions=["clipboard-read", "clipboard-write"])
    table = json.loads(text.partition('id="data">')[2].partition("</script>")[0])["metrics"][0]
    before = kept_by_page(page, table)
    assert before == kept_by_filter(folder / "passed")

    for name, places in (("1. HiraganaRatio low", 40), ("6. CompressionRate high", -30)):
        handle = page.get_by_role("slider", name=name)
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2 + places, box["y"] + 60, steps=5)
        page.mouse.up()
    page.get_by_role("textbox", name="4. DeduplicateDocumentsPercentile expected").fill("2")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Copy chain").click()
    page.get_by_text("Copied", exact=True).wait_for()
    (tmp_path / "chain.conf").write_text(page.evaluate("navigator.clipboard.readText()"), encoding="utf-8")
    common = ["--config", tmp_path / "chain.conf", "--stats", folder / "statistics"]
    uzushio("filter", folder / "documents", "--output", tmp_path / "passed", *common)
    kept = kept_by_page(page, table)
    assert kept == kept_by_filter(tmp_path / "passed")
    assert 0 < kept["documents"] < before["documents"]


def test_the_page_has_the_meanings_of_its_filters(open_page: OpenPage, folder: Path) -> None:
    """Those of the chain, and no others."""
    text = (folder / "page.html").read_text(encoding="utf-8")
    page = open_page(text)
    table = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    classes = {one["class"] for one in CHAIN}
    assert set(table["meanings"]) == classes
    name = page.locator(".first-removed .explained", has_text="HiraganaRatio")
    name.focus()
    name.locator(".tip", has_text="Removes documents with little hiragana").wait_for()
