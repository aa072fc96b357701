"""The page of `uzushio report`: its thresholds, texts, colours and words, in Chromium."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
import report_data
from program import PROGRAM, ROOT
from report_page import OpenPage, page_of

pytestmark = pytest.mark.once

AXE = ROOT / "build" / "report" / "node_modules" / "axe-core" / "axe.min.js"
MEASURES = ["documents", "characters", "bytes"]


@pytest.fixture(scope="module")
def made() -> tuple[dict[str, Any], report_data.Oracle]:
    """One report for the tests that do not change it."""
    return report_data.report()


def shares(page: Any) -> dict[str, float]:
    """What the page says that stays, unrounded."""
    return {measure: float(page.locator(f"[data-kept={measure}]").get_attribute("data-share")) for measure in MEASURES}


def expect_shares(page: Any, oracle: report_data.Oracle) -> None:
    """Holds the page's shares against the oracle's."""
    assert shares(page) == pytest.approx(oracle.shares(), abs=1e-12)


def threshold(page: Any, name: str) -> Any:
    """The handle of a threshold."""
    return page.get_by_role("slider", name=name)


def moved(oracle: report_data.Oracle, place: int, at: int, value: float) -> report_data.Oracle:
    """An oracle with one threshold elsewhere."""
    other = report_data.Oracle(oracle.sample, oracle.filters)
    other.settings.thresholds[place][at] = value
    return other


def test_first_shares(open_page: OpenPage, made: Any) -> None:
    """What stays of the sample is what the oracle says, and said to be of a sample."""
    page = open_page(made[0])
    expect_shares(page, made[1])
    assert "2,500 of 100,000 documents" in page.locator("[data-source=sample]").text_content()


def test_margins(open_page: OpenPage, made: Any) -> None:
    """How far shares may be from those of all is of each measure; where nothing stays, by the rule of three."""
    page = open_page(made[0])

    def said() -> list[float]:
        texts = [page.locator(".meter .margin").nth(at).text_content() for at in range(len(MEASURES))]
        return [float(text.removeprefix("± ").rstrip("%")) for text in texts]

    expected = made[1].margins(100_000)
    assert said() == pytest.approx([100 * expected[measure] for measure in MEASURES], abs=0.051)
    assert expected["characters"] > 1.1 * expected["documents"]
    field = page.get_by_role("textbox", name="3. HiraganaRatio low")
    field.fill("1")
    page.keyboard.press("Enter")
    assert shares(page)["documents"] == 0
    assert said() == pytest.approx([0.1] * 3, abs=0.051)  # 3 / 2,500


def test_drag(open_page: OpenPage, made: Any) -> None:
    """A threshold that is dragged moves the shares of all filters together; reset, they are as before."""
    page = open_page(made[0])
    handle = threshold(page, "3. HiraganaRatio low")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.down()
    for step in range(1, 8):
        page.mouse.move(box["x"] + box["width"] / 2 + 12 * step, box["y"] + 60)
    page.mouse.up()
    value = float(handle.get_attribute("aria-valuenow"))
    assert 0.25 < value < 0.5
    oracle = moved(made[1], 2, 0, value)
    expect_shares(page, oracle)
    assert shares(page)["documents"] < made[1].shares()["documents"] - 0.05
    page.get_by_role("button", name="Reset").click()
    expect_shares(page, made[1])


def test_touch(open_page: OpenPage, made: Any) -> None:
    """A finger drags it, too."""
    page = open_page(made[0], width=360, has_touch=True)
    handle = threshold(page, "7. CompressionRate high")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 40}
    touches = page.context.new_cdp_session(page)
    touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    for step in range(1, 6):
        points = [{**at, "x": at["x"] - 10 * step}]
        touches.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    value = float(handle.get_attribute("aria-valuenow"))
    assert value < 0.7
    expect_shares(page, moved(made[1], 6, 1, value))


@pytest.mark.parametrize("keys", [["ArrowRight"] * 5, ["PageUp", "Shift+ArrowLeft", "ArrowUp"], ["End"], ["Home"]])
def test_keys(open_page: OpenPage, made: Any, keys: list[str]) -> None:
    """Keys move a threshold of whole numbers by whole numbers."""
    page = open_page(made[0])
    handle = threshold(page, "1. DocLength low")
    handle.focus()
    for key in keys:
        page.keyboard.press(key)
    value = float(handle.get_attribute("aria-valuenow"))
    assert value.is_integer()
    assert value != 50
    expect_shares(page, moved(made[1], 0, 0, value))


def test_typed(open_page: OpenPage, made: Any) -> None:
    """Typed values count, also of filters that keep by chance."""
    page = open_page(made[0])
    page.get_by_role("textbox", name="2. DeduplicateDocumentsPercentile expected").fill("1.5")
    page.keyboard.press("Enter")
    oracle = report_data.Oracle(made[1].sample, made[1].filters)
    oracle.settings.random[1] = 1.5
    expect_shares(page, oracle)
    field = page.get_by_role("textbox", name="4. LinkCharRatio high")
    for typed in ("much", "", "-3"):  # what is no number changes nothing; no bound passes the other
        field.fill(typed)
        page.keyboard.press("Enter")
    assert field.input_value() == "0"
    oracle.settings.thresholds[3][1] = 0
    expect_shares(page, oracle)


def test_alone(open_page: OpenPage, made: Any) -> None:
    """What one threshold keeps by itself: exactly where the chain has it, nearly elsewhere."""
    page = open_page(made[0])
    field = page.get_by_role("textbox", name="3. HiraganaRatio low")
    alone = field.locator("xpath=following-sibling::span")
    values = [document.values[2] for document in made[1].sample]

    def share(limit: float) -> float:
        return sum(1 for value in values if value >= report_data.to_float32(limit)) / len(values)

    assert alone.text_content().startswith(f"By itself keeps {share(0.15):.1%} of documents")
    field.fill("0.3333")
    page.keyboard.press("Enter")
    said = alone.text_content().removeprefix("By itself keeps ≈").partition("%")[0]
    assert float(said) / 100 == pytest.approx(share(0.3333), abs=0.01)


@pytest.mark.parametrize(("number", "at_least"), [(3.0009, 3.0), (3.0011, 3.3), (2.9999, 3.0), (0, 0)])
def test_margin(open_page: OpenPage, made: Any, number: float, at_least: float) -> None:
    """What is added to a metric before it is compared counts for all filters, and for the threshold by itself."""
    page = open_page(made[0])
    field = page.get_by_role("textbox", name="WordInstances threshold")
    place = len(made[1].filters) - 1
    field.fill(str(number))
    page.keyboard.press("Enter")
    expect_shares(page, moved(made[1], place, 0, number))
    values = [document.values[6] for document in made[1].sample]
    stays = sum(value < at_least - 1e-6 for value in values) / len(values)
    said = field.locator("xpath=following-sibling::span").text_content()
    assert float(said.removeprefix("By itself keeps ").removeprefix("≈").partition("%")[0]) == pytest.approx(
        100 * stays, abs=1
    )


@pytest.mark.parametrize(("is_float", "is_single"), [(True, True), (False, True), (False, False)])
def test_bits_of_numbers(open_page: OpenPage, is_float: bool, is_single: bool) -> None:
    """A number beside a metric, nearer than 32 bits tell: what it is rounded to decides, as in the program."""
    data, oracle = report_data.report(60)
    oracle.filters[2]["thresholds"][0].update(float=is_float, single=is_single)
    page = open_page(data)
    number = sorted(document.values[2] for document in oracle.sample)[30] + 1e-10
    page.get_by_role("textbox", name="3. HiraganaRatio low").fill(repr(number))
    page.keyboard.press("Enter")
    rounded = moved(oracle, 2, 0, number - 1e-10).kept()
    expect_shares(page, moved(oracle, 2, 0, number))
    assert (moved(oracle, 2, 0, number).kept() == rounded) == (is_float or not is_single)


def test_first_removed(open_page: OpenPage, made: Any) -> None:
    """Each filter has what it removes first, also that which has no threshold."""
    page = open_page(made[0])

    def said() -> list[float]:
        return [float(text.strip("<%")) for text in page.locator(".first-removed .number").all_text_contents()]

    for low in (0.15, 0.4):
        field = page.get_by_role("textbox", name="3. HiraganaRatio low")
        field.fill(str(low))
        page.keyboard.press("Enter")
        removed = moved(made[1], 2, 0, low).removed()
        assert removed[report_data.FIXED] > 10
        assert said() == pytest.approx([100 * count / len(made[1].sample) for count in removed], abs=0.06)


def test_fixed_removed(open_page: OpenPage) -> None:
    """A document that only a filter without thresholds removes says so; of a place past the 254th, not which it was."""
    data, made = report_data.report(60, 1)
    table = data["metrics"][0]
    for one in table["chain"]:
        one.update(random=None, thresholds=one["thresholds"] if one["class"] == "HiraganaRatio" else [])
    for document in made.sample:
        document.fixed = report_data.FIXED
    oracle = report_data.Oracle(made.sample, made.filters)
    table["sample"]["fixedRemoved"] = report_data.pack("B", [report_data.FIXED] * 60)
    page = open_page(data)
    expect_shares(page, oracle)
    page.get_by_text("Around HiraganaRatio = 0.15").click()
    page.locator(".fate", has_text="removed by 8. DeduplicateDocuments").first.wait_for()
    table["sample"]["fixedRemoved"] = report_data.pack("B", [254] * 60)
    table["chain"] += [{**table["chain"][report_data.FIXED], "class": f"Later{at}"} for at in range(300)]
    page = open_page(data)
    assert shares(page)["documents"] == 0
    page.get_by_text("Around HiraganaRatio = 0.15").click()
    page.locator(".fate", has_text="removed by a filter without thresholds").first.wait_for()


@pytest.mark.parametrize(("language", "says"), [("en", "removes from here on"), ("ja", "以上の文書を除去")])
def test_removes_from(open_page: OpenPage, made: Any, language: str, says: str) -> None:
    """A threshold that removes what is equal to it says so."""
    page = open_page(made[0], f"lang={language}")
    assert says in threshold(page, "WordInstances threshold").get_attribute("aria-label")


def test_bounds_of_two_metrics(open_page: OpenPage) -> None:
    """What the program would refuse is not to be had: an average above the greatest."""
    data, _ = report_data.report(60)
    chain = data["metrics"][0]["chain"]
    low, high = chain[6]["thresholds"]
    low.update(parameter="min_avg_sentence_length", column=0, value=20, most=1e15)
    high.update(parameter="max_max_sentence_length", column=1, value=200, most=1e15)
    page = open_page(data)
    for name, typed, stands in [("min_avg", "300", "200"), ("max_max", "50", "200"), ("max_max", "250", "250")]:
        field = page.get_by_role("textbox", name=f"{name}_sentence_length")
        field.fill(typed)
        page.keyboard.press("Enter")
        assert field.input_value() == stands


def test_quick(open_page: OpenPage) -> None:
    """The largest sample is counted again within 50 ms."""
    data, _ = report_data.report(16384)
    page = open_page(data)
    took = page.evaluate(
        """() => {
             const handle = document.querySelector('[role=slider]');
             const times = [];
             for (let at = 0; at < 8; ++at) {
               const from = performance.now();
               handle.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
               times.push(performance.now() - from);
             }
             return Math.min(...times);
           }"""
    )
    assert took < 50  # milliseconds


def test_copied_chain_runs(open_page: OpenPage, made: Any, tmp_path: Path) -> None:
    """The chain that is copied is one that the program runs."""
    page = open_page(made[0], permissions=["clipboard-read", "clipboard-write"])
    threshold(page, "3. HiraganaRatio low").focus()
    page.keyboard.press("PageUp")
    page.get_by_role("button", name="Copy chain").click()
    page.get_by_text("Copied", exact=True).wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    value = threshold(page, "3. HiraganaRatio low").get_attribute("aria-valuenow")
    assert f'{{"class": "HiraganaRatio", "low": {value}}}' in text
    assert page.locator("pre mark").text_content() == value
    assert page.locator("pre").text_content() == text
    (tmp_path / "chain.conf").write_text(text, encoding="utf-8")
    (tmp_path / "words.txt").write_text("語\n", encoding="utf-8")
    document = {"docId": "a", "url": "https://example.jp/", "text": "\n\n".join(report_data.SENTENCES * 3)}
    (tmp_path / "in.jsonl").write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")
    ran = subprocess.run(
        [PROGRAM, "filter", "in.jsonl", "--config", "chain.conf", "--output", "out", "--quiet"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, (tmp_path / "out" / ".uzushio/manifest.json").is_file()) == (0, True), ran.stderr


def test_extracts(open_page: OpenPage, made: Any) -> None:
    """Documents on both sides of a threshold, with the paragraphs that go."""
    page = open_page(made[0])
    page.get_by_text("Around HiraganaRatio = 0.15").click()
    page.locator(".sides > section").last.wait_for()
    below, above = page.locator(".sides > section").all()
    for side, is_below in ((below, True), (above, False)):
        values = [float(text) for text in side.locator(".extract header strong").all_text_contents()]
        assert len(values) == 3
        assert all((value < 0.15) == is_below for value in values)
    assert all("removed by" in text for text in below.locator(".fate").all_text_contents())
    assert below.locator(".gone del").count() == 3
    assert "removed by 6. NoContentDOM" in below.locator(".gone").first.text_content()


def test_moved_thresholds_are_in_the_address(open_page: OpenPage, made: Any) -> None:
    """A link shows what its sender saw: also bounds that were moved past where the other one was, and chances."""
    page = open_page(made[0])
    for name, value in [
        ("3. HiraganaRatio low", "0.4"),
        ("7. CompressionRate high", "1"),
        ("7. CompressionRate low", "0.8"),
        ("2. DeduplicateDocumentsPercentile expected", "1.5"),
    ]:
        page.get_by_role("textbox", name=name).fill(value)
        page.keyboard.press("Enter")
    kept = shares(page)
    page.wait_for_url(re.compile("DeduplicateDocumentsPercentile.expected=1.5"))  # the last of them
    behind = page.evaluate("location.hash.slice(1)")
    other = open_page(made[0], behind)
    assert shares(other) == kept != shares(open_page(made[0]))
    assert other.get_by_role("textbox", name="7. CompressionRate low").input_value() == "0.8"
    other.get_by_role("button", name="Reset").click()
    other.wait_for_url(re.compile("#lang=en$"))
    expect_shares(other, made[1])
    other.evaluate("(behind) => { location.hash = behind; }", behind)
    other.locator("mark").first.wait_for()
    assert shares(other) == kept


@pytest.mark.parametrize(
    "behind", ["1.3.HiraganaRatio.low=much", "1.3.HiraganaRatio.low=", "1.4.HiraganaRatio.low=1", "9.9.x.y=1", "..=1"]
)
def test_what_the_address_has_of_another_chain_is_nothing(open_page: OpenPage, made: Any, behind: str) -> None:
    """A link to another page, or a mistyped one."""
    expect_shares(open_page(made[0], f"lang=en&{behind}"), made[1])


def test_documents_to_read(open_page: OpenPage, made: Any) -> None:
    """At random, of a host, by a metric; those that stay, and those that go, by the thresholds as they are now."""
    from playwright.sync_api import expect

    page = open_page(made[0])
    reader = page.locator("section.reader")
    articles = reader.locator(".extract")
    extracts = made[0]["metrics"][0]["extracts"]
    assert articles.count() == 10
    assert reader.get_by_role("status").text_content() == "documents: 200 of 200"
    assert articles.first.locator(".address").text_content() == extracts[0]["url"]
    reader.get_by_role("button", name="Show more").click()
    assert articles.count() == 20
    reader.locator(".menus select").first.select_option("HiraganaRatio, highest first")
    values = [float(text) for text in articles.locator("header strong").all_text_contents()]
    assert values == sorted(values, reverse=True)
    highest = max(made[1].sample[one["row"]].values[2] for one in extracts)
    assert values[0] == pytest.approx(highest, rel=1e-3)
    reader.locator(".menus select").first.select_option("by host")
    addresses = articles.locator(".address").all_text_contents()
    assert addresses[0].startswith(min(one["url"].partition("/articles")[0] for one in extracts))
    hosts = reader.locator(".menus select").nth(1)
    hosts.select_option(index=1)
    host = hosts.locator("option").nth(1).text_content().partition(" ")[0]
    assert all(f"//{host}/" in text for text in articles.locator(".address").all_text_contents())
    hosts.select_option(index=0)
    for which, stays in (("those that stay", True), ("those that are removed", False)):
        reader.get_by_label("Which").select_option(which)
        found = [one for one in extracts if oracle_keeps(made[1], one["row"]) == stays]
        assert reader.get_by_role("status").text_content() == f"documents: {len(found)} of 200"
        assert all((text == "stays") == stays for text in articles.locator(".fate").all_text_contents())
    reader.get_by_label("Contains").fill("郷土資料室")
    found = [one for one in found if "郷土資料室" in json.dumps(one, ensure_ascii=False)]
    expect(reader.get_by_role("status")).to_have_text(f"documents: {len(found)} of 200")
    page.get_by_role("textbox", name="3. HiraganaRatio low").fill("1")
    page.keyboard.press("Enter")
    expect(reader.get_by_role("status")).not_to_have_text(f"documents: {len(found)} of 200")


def oracle_keeps(oracle: report_data.Oracle, row: int) -> bool:
    """Whether a document of the sample stays."""
    document = oracle.sample[row]
    return oracle.remover(document) is None and document.characters > 0


def test_meanings(open_page: OpenPage, made: Any) -> None:
    """What a reason stands for is shown where its name is pointed at or focused, in the language of the page."""
    data = {**made[0], "meanings": {"HiraganaRatio": "Removes documents with little hiragana."}}
    for language, filter_says, reason_says in [
        ("en", "Removes documents with little hiragana.", "Its bytes are not Japanese"),
        ("ja", "ひらがなの少ない文書を除去する。", "構文解析の前に"),
    ]:
        page = open_page(data, f"lang={language}")
        name = page.locator(".funnel .explained", has_text="HiraganaRatio")
        assert not name.locator(".tip").is_visible()
        name.hover()
        name.locator(".tip", has_text=filter_says).wait_for()
        reason = page.locator(".funnel .explained", has_text="language-rapid")
        reason.focus()
        reason.locator(".tip", has_text=reason_says).wait_for()


def test_charts_are_saved(open_page: OpenPage, made: Any, tmp_path: Path) -> None:
    """Each chart, as a picture that needs no style sheet: with its thresholds, in the colours that it has."""
    page = open_page(made[0], "lang=en&theme=dark")
    page.locator(".metric svg").first.wait_for()
    names = ["HiraganaRatio", "From records to clean text", "Hosts with the most documents", "URLs"]
    for name in names:
        with page.expect_download() as downloading:
            page.get_by_role("button", name=f"Save {name} as SVG").first.click()
        path = tmp_path / downloading.value.suggested_filename
        downloading.value.save_as(path)
        text = path.read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(--" not in text
        assert "rgb(24, 32, 41)" in text  # the ground
    hiragana = (tmp_path / "HiraganaRatio.svg").read_text(encoding="utf-8")
    lines = ElementTree.fromstring(hiragana).findall("{http://www.w3.org/2000/svg}line")
    assert len(lines) == 1  # `high` removes nothing
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Save HiraganaRatio as PNG").click()
    picture = downloading.value.path().read_bytes()
    assert picture.startswith(b"\x89PNG")
    width = page.locator(".metric svg").first.evaluate("(svg) => Number(svg.getAttribute('width'))")
    assert int.from_bytes(picture[16:20], "big") == 2 * width


def test_every_filter_has_its_meaning_in_japanese() -> None:
    """And every metric: none is shown in English on a Japanese page."""
    told = subprocess.run([PROGRAM, "filters"], capture_output=True, text=True, check=True).stdout
    source = (ROOT / "report" / "src" / "filters_ja.ts").read_text(encoding="utf-8")
    source = re.sub(r"for \(const n of \[([\d, ]+)\]\) \{(.*?)\n\}", repeated, source, flags=re.DOTALL)
    filters = re.findall(r"^(\w+) \(\w+\)$", told, re.MULTILINE)
    metrics = re.findall(r"^    (\w+): ", told, re.MULTILINE)
    assert len(filters) > 50
    assert len(metrics) > 40
    missing = [name for name in filters + metrics if not re.search(rf"\b{name}\b`?\]?\s*[:=]", source)]
    assert missing == []


def repeated(loop: re.Match[str]) -> str:
    """The body of a loop over numbers, for each of them."""
    return "\n".join(loop[2].replace("${n}", number) for number in loop[1].split(", "))


def test_compared(open_page: OpenPage, made: Any) -> None:
    """The distributions of another table lie over those of the first."""
    page = open_page(made[0])
    lines = page.locator(".metric svg g[stroke='var(--other)']")
    assert lines.count() == 0
    page.get_by_label("Compare with").select_option("run/clean-metrics")
    lines.first.wait_for()
    assert lines.count() >= len(report_data.COLUMNS)
    assert page.locator(".legend .other").first.text_content() == "run/clean-metrics"


def test_groups(open_page: OpenPage, made: Any) -> None:
    """Without what is marked as lost a variant is itself; without what is marked as added it is the first."""
    page = open_page(made[0])
    group = page.locator("details.group").first
    group.locator("summary").click()
    group.locator("li").last.wait_for()
    variants = made[0]["groups"][0]["largest"][0]["variants"]
    for item, variant in zip(group.locator("li").all(), variants, strict=True):
        shown = item.locator("p").evaluate(
            "(p) => [...p.childNodes].filter((one) => one.nodeName !== 'DEL').map((one) => one.textContent).join('')"
        )
        lost = item.locator("p").evaluate(
            "(p) => [...p.childNodes].filter((one) => one.nodeName !== 'INS').map((one) => one.textContent).join('')"
        )
        assert (shown, lost) == (variant["text"], variants[0]["text"])


def test_overlap(open_page: OpenPage, made: Any) -> None:
    """Shares of the row, of the column, of both."""
    page = open_page(made[0])

    def cells() -> list[str]:
        return [
            text.strip()
            for text in page.locator(".heat").first.locator("tbody tr").first.locator("td").all_text_contents()
        ]

    kind = made[0]["overlap"][0]["kinds"][0]
    own, other, both = kind["counts"][0], kind["counts"][1], kind["both"][0][1]
    assert cells()[1] == f"{both / own:.1%}"
    page.get_by_role("radio", name="the column").check()
    assert cells()[1] == f"{both / other:.1%}"
    page.get_by_role("radio", name="both together").check()
    assert cells()[1] == f"{both / (own + other - both):.1%}"


def test_difference(open_page: OpenPage, made: Any) -> None:
    """How many documents differ, why some are missing, and the hosts that differ most."""
    diff = made[0]["diff"]
    section = open_page(made[0]).locator("section.difference")
    assert section.locator(".lead").first.text_content() == (
        "run/graded (9,960 documents) beside earlier/graded (9,740). Documents are matched by their ids."
    )
    counts = section.locator("table").first.locator("tbody tr")
    assert [row.split() for row in counts.locator("td:first-of-type").all_text_contents()] == [
        ["9,000", "90.0%"],
        ["700", "7.0%"],
        ["260", "2.6%"],
        ["40", "0.4%"],
    ]
    assert counts.locator("th").all_text_contents() == [
        "the same text in both",
        "other text",
        "only in run/graded",
        "only in earlier/graded",
    ]
    reasons = section.locator("table").nth(1).locator("tbody tr")
    assert [reasons.nth(0).locator("th").text_content(), reasons.nth(0).locator("td").first.text_content()] == [
        "graded: HiraganaRatio.Low(0.15)",
        "180",
    ]
    assert "in none of the outputs" in reasons.nth(1).text_content()
    lost = section.locator("table").nth(2).locator("tbody th").all_text_contents()
    assert lost[0].startswith("unique: duplicate")
    assert lost[1].startswith("graded: not said why")
    hosts = section.locator("table").nth(3).locator("tbody tr")
    assert hosts.count() == len(diff["hosts"])
    assert hosts.filter(visible=True).count() == 8
    section.get_by_role("button", name="Show all 12").click()
    assert hosts.filter(visible=True).count() == 12


def test_documents_that_differ(open_page: OpenPage, made: Any) -> None:
    """What was removed is struck through, what was added is marked; of others, why they are missing."""
    from playwright.sync_api import expect

    shown = made[0]["diff"]["shown"]
    page = open_page(made[0])
    section = page.locator("section.difference")
    articles = section.locator(".extract")
    first = articles.first
    assert first.locator("header").text_content() == "from earlier/graded to run/graded"
    lines = shown["changed"][0]["lines"]
    assert first.locator("del").all_text_contents() == [lines[2]["text"], lines[3]["text"], "山田"]
    assert first.locator("ins").all_text_contents() == ["担当", lines[8]["text"]]
    assert first.locator(".cut").first.text_content() == "… equal paragraphs: 3"
    assert first.locator(".address").all_text_contents()[1:] == ["One of 12,000 documents with this ID"]
    assert articles.nth(1).locator(".address").count() == 1
    status = section.get_by_role("status")
    assert status.text_content() == "documents: 25 of 25"
    assert articles.count() == 10
    section.get_by_role("button", name="Show more").click()
    assert articles.count() == 20
    which = section.get_by_label("Which")
    which.select_option("only in run/graded")
    assert section.get_by_label("Which").evaluate("(one) => one === document.activeElement")
    assert status.text_content() == "documents: 14 of 14"
    assert [text.split(" – ")[0] for text in articles.locator("header").all_text_contents()] == [
        "not in earlier/graded"
    ] * 10
    assert first.locator("del, ins").count() == 0
    section.get_by_label("Contains").fill("郷土資料室")
    found = [one for one in shown["onlyA"] if "郷土資料室" in json.dumps(one, ensure_ascii=False)]
    expect(status).to_have_text(f"documents: {len(found)} of 14")
    section.get_by_label("Contains").fill("")
    which.select_option("only in earlier/graded")
    expect(first).to_contain_text("Near-duplicate of id-7, similarity 0.93")
    expect(articles.nth(2)).to_contain_text("Contained in id-7, share 0.93")
    expect(articles.nth(3)).to_contain_text("Older capture of the URL of id-7, similarity 0.93")
    assert articles.filter(has_text="id-7").count() == 3
    page.get_by_role("radio", name="日本語").check()
    expect(first).to_contain_text("id-7 の類似重複（類似度 0.93）")
    expect(articles.nth(2)).to_contain_text("id-7 に含まれる（割合 0.93）")
    expect(articles.nth(3)).to_contain_text("id-7 と同じ URL の古いページ（類似度 0.93）")


def test_a_difference_of_nothing(open_page: OpenPage, made: Any) -> None:
    """Equal corpora have no reasons, hosts and documents to read."""
    diff = {**made[0]["diff"], "reasons": [], "hosts": [], "shown": {"changed": [], "onlyA": [], "onlyB": []}}
    section = open_page({**made[0], "diff": diff}).locator("section.difference")
    assert section.locator("table").count() == 1
    assert section.locator("h3").count() == 0


def test_months(open_page: OpenPage, made: Any) -> None:
    """Months without documents are there, with none."""
    page = open_page(made[0])
    label = page.get_by_role("img", name="Documents by month").get_attribute("aria-label")
    assert "2020-07: 700, 2020-08: 0, 2020-09: 0, 2020-10: 700" in label


def test_funnel(open_page: OpenPage, made: Any) -> None:
    """Every row of the funnel, in each measure."""
    page = open_page(made[0])
    rows = page.locator(".funnel").first.locator("tbody tr")
    counts = [row["documents"] if row["documents"] is not None else row["records"] for row in made[0]["funnel"]]
    assert rows.count() == len(counts)
    assert rows.last.locator("td").last.text_content() == f"{counts[-1]:,}"
    assert rows.nth(1).locator("td").first.text_content().split()[0] == f"{counts[1]:,}"
    page.get_by_role("radio", name="bytes").check()
    assert rows.last.locator("td").last.text_content().endswith("MiB")


def test_funnel_of_extract(open_page: OpenPage, made: Any) -> None:
    """Where only records were counted before documents, they are shown as such."""
    page = open_page({**empty(), "stages": made[0]["stages"], "funnel": made[0]["funnel"][:6]})
    assert page.get_by_role("radio", name="documents").is_checked()
    cells = page.locator(".funnel").first.locator("tbody tr td:last-child").all_text_contents()
    assert (cells[0], cells[1], cells[-1]) == ("190,432", "99,228", "86,336")


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe(open_page: OpenPage, made: Any, language: str, theme: str) -> None:
    """axe finds nothing."""
    page = open_page(made[0], f"lang={language}&theme={theme}")
    threshold(page, "3. HiraganaRatio low").focus()
    page.keyboard.press("PageUp")
    for opened in (".around", ".group"):
        page.locator(f"{opened} > summary").nth(1).click()
    page.locator(".metric svg").first.wait_for()
    page.evaluate("() => Promise.all(document.getAnimations().map((one) => one.finished))")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_phone(open_page: OpenPage, made: Any, language: str) -> None:
    """Nothing is wider than a phone."""
    page = open_page(made[0], f"lang={language}", width=360)
    for opened in (".around", ".group"):
        page.locator(f"{opened} > summary").nth(1).click()
    page.locator(".metric svg").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_badges_of_two_digits_on_a_phone(open_page: OpenPage, made: Any) -> None:
    """The twelfth filter's number stands on one line, also at the right end of a picture."""
    page = open_page(made[0], "lang=en", width=390)
    page.locator(".tag").first.wait_for()
    heights = "Math.max(...[...document.querySelectorAll('.tag')].map((tag) => tag.clientHeight))"
    before = page.evaluate(heights)
    page.evaluate("document.querySelectorAll('.tag').forEach((tag) => { tag.textContent = '12'; })")
    assert page.evaluate(heights) == before


def test_languages(open_page: OpenPage, made: Any) -> None:
    """The language is the browser's, can be changed, and is kept in the address with the colours."""
    page = open_page(made[0], "", locale="ja-JP")
    assert page.locator("html").get_attribute("lang") == "ja"
    japanese = page.locator("h2").all_text_contents()
    threshold(page, "3. HiraganaRatio low").focus()
    page.keyboard.press("PageUp")
    kept = shares(page)
    page.get_by_role("radio", name="English").check()
    assert page.locator("html").get_attribute("lang") == "en"
    assert not set(japanese) & set(page.locator("h2").all_text_contents())
    assert shares(page) == kept
    page.keyboard.press("Tab")  # on to the colours
    page.keyboard.press("ArrowRight")
    address = page.evaluate("location.hash")
    assert address.startswith("#lang=en&theme=light&1.3.HiraganaRatio.low=0.")
    page.reload()
    assert shares(page) == kept
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("html").get_attribute("data-theme") == "light"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_words_missing(open_page: OpenPage, made: Any, language: str) -> None:
    """No text is without its words or numbers."""
    page = open_page(made[0], f"lang={language}")
    text = page.locator("body").inner_text()
    for missing in ("undefined", "NaN", "[object", "{0}", "{1}", "Infinity"):
        assert missing not in text


HOSTILE = [
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "<style>body { display: none }</style>",
    "javascript:window.ran = 1",
    "]]><!-- \u2028 \u202e {0} \\u003c",
    "あ" * 500,
    "w" * 500,
]


def poisoned(data: Any, draw: list[int]) -> Any:
    """The data with hostile texts for all its own texts but those that the page decides by."""
    if isinstance(data, dict):
        kept = {"kind", "removes", "version", "hash", "sample", "parameter"}
        return {
            key: value if key in kept and not isinstance(value, list) else poisoned(value, draw)
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [poisoned(one, draw) for one in data]
    if isinstance(data, str):
        draw[0] += 1
        return HOSTILE[draw[0] % len(HOSTILE)] + str(draw[0])
    return data


@pytest.mark.parametrize("width", [360, 1280])
def test_hostile_texts(open_page: OpenPage, width: int) -> None:
    """Texts of pages stay texts, and push nothing out of the page."""
    data, _ = report_data.report()
    page = open_page(poisoned(data, [0]), width=width)
    for opened in (".around", ".group"):
        for summary in page.locator(f"{opened} > summary").all()[:4]:
            summary.click()
    page.get_by_role("slider").first.focus()
    page.keyboard.press("PageUp")
    assert page.evaluate("window.ran") is None
    assert page.locator("img, body style, iframe, object, a, [onerror], [style*=display]").count() == 0
    assert "<img src=x onerror='window.ran = 1'>" in page.locator("body").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("[data-kept=documents]").is_visible()


def test_what_is_injected_does_not_run(open_page: OpenPage) -> None:
    """The policy of content holds even if a text became HTML."""
    data, _ = report_data.report(50)
    page = open_page(data, silent=False)
    page.evaluate(
        """() => {
             window.refused = [];
             addEventListener('securitypolicyviolation', (event) => window.refused.push(event.effectiveDirective));
             const script = document.createElement('script');
             script.textContent = 'window.ran = 1';
             document.body.append(script);
             const frame = document.createElement('div');
             frame.innerHTML = '<b onclick="window.ran = 1">';
             document.body.append(frame);
             frame.firstChild.click();
             return fetch('https://example.invalid/').catch(() => null);
           }"""
    )
    assert page.evaluate("window.ran") is None
    assert set(page.evaluate("window.refused")) >= {"script-src-elem", "script-src-attr", "connect-src"}


def empty() -> dict[str, Any]:
    """A report with nothing in it."""
    nothing: dict[str, Any] = dict.fromkeys(["serve", "groups", "overlap"])
    lists: dict[str, Any] = {name: [] for name in ("stages", "funnel", "metrics", "corpora", "tokens")}
    return {"version": 1, "generator": "uzushio", "title": "run", **nothing, **lists}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (empty(), "anything to show"),
        ({**empty(), "version": 2}, "version 2"),
        ({**empty(), "tokens": report_data.report(50)[0]["tokens"]}, "Tokens a byte"),
    ],
)
def test_little_data(open_page: OpenPage, data: dict[str, Any], says: str) -> None:
    """Sections without data are not there; what the page can not show, it says."""
    page = open_page(data)
    assert says in page.locator("main").inner_text()
    assert page.locator("section").count() == (1 if data["tokens"] else 0)


def test_odd_values(open_page: OpenPage) -> None:
    """Metrics of one value, of none, of huge and of negative ones."""
    data, _ = report_data.report(60)
    columns = data["metrics"][0]["columns"]
    for place, edges in enumerate([[3.0], [], [0.0, 1e-300, 1e300], [-5.0, -1.0, 0.0], [1e-9, 1.0, 1e9]]):
        counts = [10] * max(len(edges) - 1, min(len(edges), 1))
        columns[place].update(edges=edges, documents=counts, characters=counts, bytes=counts, nan=0 if edges else 60)
        ends = [edges[0], edges[len(edges) // 2], edges[-1]] if edges else []
        columns[place]["quantiles"] = {"at": [0, 0.5, 1][: len(ends)], "values": ends}
    page = open_page(data)
    page.locator(".metric svg").nth(3).wait_for()
    text = page.locator("body").inner_text()
    assert "All documents have the value 3." in text
    assert "documents without a value: 60" in text
    for handle in page.get_by_role("slider").all():
        handle.focus()
        for key in ("End", "ArrowLeft", "Home", "ArrowRight"):
            page.keyboard.press(key)
        assert float(handle.get_attribute("aria-valuenow")) == float(handle.get_attribute("aria-valuenow"))
    assert "NaN" not in page.locator("body").inner_text()


def one_column(edges: list[float], counts: list[int], **bound: Any) -> dict[str, Any]:
    """A report whose first column is this one, with the first of its thresholds."""
    data, _ = report_data.report(60)
    data["metrics"] = data["metrics"][:1]
    column = data["metrics"][0]["columns"][0]
    column.update(edges=edges, documents=counts, characters=counts, bytes=counts, nan=0)
    column["quantiles"] = {"at": [0, 0.5, 1], "values": [edges[0], edges[-1], edges[-1]]}
    thresholds = data["metrics"][0]["chain"][0]["thresholds"]
    thresholds[0].update(bound)
    del thresholds[1]
    return data


@pytest.mark.parametrize(
    ("edges", "counts", "heights"),
    [
        ([0, 1, 1], [1, 99], [1, 99]),
        ([0, 2**-149, 1, 1], [99, 0, 1], [99, 1]),  # of a threshold at 0
        ([0, 1, 2, 3, 3], [10, 20, 30, 40], [10, 20, 30, 40]),
        ([-2, -1, -1], [30, 70], [30, 70]),
        ([7, 7], [5], [5]),
        ([0, 1], [100], [50, 50]),  # where the greatest is not counted alone
    ],
)
def test_whole_numbers(open_page: OpenPage, edges: list[float], counts: list[int], heights: list[int]) -> None:
    """Each has its own bar, of its height."""
    page = open_page(one_column(edges, counts, value=edges[0], least=None))
    metric = page.locator(".metric").first
    metric.locator("svg").wait_for()
    drawn = [float(one.get_attribute("height")) for one in metric.locator("svg rect").all()]
    assert [height / sum(drawn) for height in drawn] == pytest.approx([one / sum(heights) for one in heights], abs=1e-3)


def test_a_frequent_value(open_page: OpenPage) -> None:
    """One that has a bin of its own is not drawn over the bars after it."""
    page = open_page(one_column([0, 2**-149, 0.5, 1, 1], [60, 20, 20, 0], value=0, least=None))
    metric = page.locator(".metric").first
    metric.locator("svg").wait_for()
    first, *others = [float(one.get_attribute("height")) for one in metric.locator("svg rect").all()]
    share = 40 / (len(others) + 1)
    assert [height / (first + sum(others)) for height in (first, *others)] == pytest.approx(
        [(60 + share) / 100, *[share / 100] * len(others)], abs=1e-3
    )


@pytest.mark.parametrize(
    ("edges", "counts", "sign", "value", "says"),
    [
        ([0, 1, 1], [1, 99], "<", 1, "99.0%"),
        ([0, 1, 1], [1, 99], ">=", 1, "1.0%"),
        ([0, 1, 1], [1, 99], ">", 0, "≈1.0%"),  # no edge is right above 0
        ([0, 2**-149, 1, 1], [1, 0, 99], ">", 0, "1.0%"),
        ([3, 3], [100], ">=", 3, "0%"),
        ([0, 0.5, 1, 1], [10, 20, 70], "<", 1, "70.0%"),
        ([0, 0.5, 1], [10, 90], "<", 1, "≈0%"),  # where the greatest is not counted alone
    ],
)
def test_alone_at_the_greatest(
    open_page: OpenPage, edges: list[float], counts: list[int], sign: str, value: float, says: str
) -> None:
    """What lies at the greatest value is not below it."""
    page = open_page(one_column(edges, counts, removes=sign, value=value))
    alone = page.locator(".metric").first.locator(".alone").first
    assert alone.text_content().startswith(f"By itself keeps {says} of documents")


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (0, 9, "0%"),
        (9, 999_999_991, "<0.01%"),
        (999_999_991, 9, ">99.99%"),
        (1, 9999, "0.010%"),
        (9999, 1, "99.99%"),
        (99_951, 49, "99.95%"),
    ],
)
def test_shares_that_are_nearly_all(open_page: OpenPage, low: int, high: int, says: str) -> None:
    """Only what is nothing or all is said to be so."""
    page = open_page(one_column([0, 1, 1], [low, high], removes=">=", value=1))
    assert page.locator(".alone").first.text_content().startswith(f"By itself keeps {says} of documents")


def test_what_is_not_known(open_page: OpenPage) -> None:
    """Texts that were not read, hosts that are estimates, kinds that a dataset does not have."""
    data = {**empty(), "groups": report_data.groups(1), "overlap": [report_data.overlap()]}
    corpus = {"name": "documents", "documents": 7, "characters": None, "bytes": None, "distinctHosts": None}
    data["corpora"] = [{**corpus, "languages": [{"name": "ja-JP-x", "documents": 7}]}]
    data["groups"][0]["largest"][0].update(hosts=70000, hostsAreEstimates=True)
    data["groups"][0]["frequent"][0].update(hosts=80000, hostsAreEstimates=True)
    kind = data["overlap"][0]["kinds"][0]
    kind["counts"][2] = None
    kind["both"] = [
        [None if 2 in (row, column) else both for column, both in enumerate(of)] for row, of in enumerate(kind["both"])
    ]
    page = open_page(data)
    assert "hosts: ≈70,000" in page.locator("details.group").first.text_content()
    assert page.locator(".heat").first.locator("tr").last.locator("td").all_text_contents() == ["–", "–", "–"]
    text = page.locator("main").inner_text()
    assert "documents: 7\n" in text
    assert "≈80,000" in page.locator(".texts tbody tr").first.locator("td").all_text_contents()
    assert "null" not in text


def test_tokens_of_texts_that_are_not_known(open_page: OpenPage) -> None:
    """Tokens by themselves tell nothing of characters or bytes."""
    tokens = [
        {"name": "known", "documents": 5, "tokens": 200, "characters": 300, "bytes": 800},
        {"name": "unknown", "documents": 5, "tokens": 200, "characters": None, "bytes": None},
        {"name": "none", "documents": 0, "tokens": 0, "characters": 0, "bytes": 0},
    ]
    rows = open_page({**empty(), "tokens": tokens}).locator("section tbody tr").all()
    assert [row.locator("td").all_text_contents()[-3:] for row in rows] == [
        ["200", "0.25", "1.5"],
        ["200", "–", "–"],
        ["0", "–", "–"],
    ]


def test_one_of_each(open_page: OpenPage) -> None:
    """What there is one of is not said to be several."""
    data, _ = report_data.report(1, 1)
    data["groups"] = report_data.groups(1)
    data["groups"][0].update(groups=1, paragraphs=1)
    group = data["groups"][0]["largest"][0]
    group.update(occurrences=1, members=1, hosts=1, variants=group["variants"][:1])
    data["corpora"][0].update(documents=1, characters=1, bytes=1, distinctHosts=1)
    data["tokens"][0].update(documents=1)
    for stage in data["stages"]:
        stage["threads"] = 1
    text = open_page(data).locator("body").inner_text()
    assert (
        re.findall(r"\b1 (?:documents|paragraphs|groups|variants|occurrences|hosts|characters|threads)\b", text) == []
    )


def test_whole_sample_is_exact(open_page: OpenPage) -> None:
    """Where the sample is all, nothing is said to be near."""
    data, oracle = report_data.report(300, 1)
    page = open_page(data)
    assert page.locator("[data-source=all]").count() == 1
    assert page.locator("[data-kept=documents]").text_content() == f"{oracle.shares()['documents']:.1%}"


class Server(BaseHTTPRequestHandler):
    """What `uzushio report --serve` does, with an oracle."""

    page: ClassVar[str]
    oracle: ClassVar[report_data.Oracle]
    fails: ClassVar[bool]
    may_answer: ClassVar[threading.Event]
    factor: ClassVar[int] = 40

    def do_GET(self) -> None:
        """The page."""
        self.answer("text/html; charset=utf-8", self.page)

    def do_POST(self) -> None:
        """What stays."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert (self.path, asked["metrics"]) == ("/kept?token=a%26b", 0)
        self.oracle.settings = report_data.Settings(asked["thresholds"], asked["random"])
        assert self.may_answer.wait(20)
        kept = {measure: self.factor * count for measure, count in self.oracle.kept().items()}
        nothing = dict.fromkeys(MEASURES, 0)
        self.answer("application/json", json.dumps({**kept, "removed": [nothing] * len(self.oracle.filters)}))

    def answer(self, kind: str, text: str) -> None:
        """Sends a text, or an error."""
        self.send_response(500 if self.fails and kind == "application/json" else 200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.parametrize("fails", [False, True])
def test_served(chromium: Any, fails: bool) -> None:
    """The sample's numbers first, marked; then those of the server."""
    data, oracle = report_data.report(400)
    data["serve"] = {"token": "a&b"}
    page_text = page_of(data, connects="'self'")
    may_answer = threading.Event()
    may_answer.set()
    members = {"page": page_text, "oracle": oracle, "fails": fails, "may_answer": may_answer}
    handler = type("Handler", (Server,), members)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/?token=a%26b#lang=en")
        told = page.locator("[data-source=failed]" if fails else "[data-source=server]")
        told.wait_for()
        may_answer.clear()
        threshold(page, "3. HiraganaRatio low").focus()
        page.keyboard.press("PageUp")
        assert page.locator("[data-source=asking]").count() == 1
        assert page.locator("[data-kept=documents]").text_content().startswith("≈")
        may_answer.set()
        told.wait_for()
        assert page.locator("[data-kept=documents]").text_content().startswith("≈") == fails
        expected = moved(oracle, 2, 0, float(threshold(page, "3. HiraganaRatio low").get_attribute("aria-valuenow")))
        expect_shares(page, expected)
        context.close()
        server.shutdown()


def test_server_that_went(chromium: Any) -> None:
    """What was is counted as what is: of all documents while the server answers, of the sample after."""
    data, oracle = report_data.report(400)
    data["serve"] = {"token": "a&b"}
    may_answer = threading.Event()
    may_answer.set()
    page_text = page_of(data, connects="'self'")

    class Going(Server):
        """Of all documents it says other than the sample does, while it answers."""

        page = page_text
        fails = False
        factor = 30

    Going.oracle, Going.may_answer = oracle, may_answer
    with ThreadingHTTPServer(("127.0.0.1", 0), Going) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/?token=a%26b#lang=en")
        page.locator("[data-source=server]").wait_for()
        first = oracle.shares()["documents"]
        assert shares(page)["documents"] == pytest.approx(first * 30 / 40)
        field = page.get_by_role("textbox", name="3. HiraganaRatio low")
        was = page.locator(".meter .was").first
        for fails, source, before in ((False, "server", first * 30 / 40), (True, "failed", first)):
            Going.fails = fails
            field.fill("0.4" if fails else "0.3")
            page.keyboard.press("Enter")
            page.locator(f"[data-source={source}]").wait_for()
            assert was.text_content() == f"was {before:.1%}"
        page.get_by_role("button", name="Reset").click()
        assert was.text_content() == ""
        context.close()
        server.shutdown()


def test_prints(open_page: OpenPage, made: Any) -> None:
    """Printed, there are no controls."""
    page = open_page(made[0])
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_picture(open_page: OpenPage, made: Any, request: pytest.FixtureRequest) -> None:
    """README's picture, written where `--picture FILE` asks for it."""
    page = open_page(made[0], "lang=en&theme=light", width=1180, reduced_motion="reduce")
    page.locator(".metric svg").nth(len(report_data.COLUMNS) - 1).wait_for()
    threshold(page, "3. HiraganaRatio low").focus()
    page.keyboard.press("PageUp")
    page.evaluate("document.activeElement.blur()")
    page.evaluate(
        "scrollBy({top: document.querySelectorAll('h2')[1].getBoundingClientRect().top - 24, behavior: 'instant'})"
    )
    picture = page.screenshot()
    assert len(picture) < 200_000
    if path := request.config.getoption("--picture"):
        Path(path).write_bytes(picture)
