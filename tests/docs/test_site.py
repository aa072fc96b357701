"""The links of the site, what is a fault of it, and its languages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from make_site import (
    BadLinkError,
    faults,
    in_japanese,
    name_no_empty_cells,
    pages_without_place,
    tell_languages,
    with_links_of_site,
)


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("README.md", "[a](docs/formats.md#commit)", "[a](formats.md#commit)"),
        ("README.md", "[a](LICENSE) [b](CONTRIBUTING.md)", "[a](license.txt) [b](contributing.md)"),
        ("docs/formats.md", "[a](../CONTRIBUTING.md), ![b](minhash.md)", "[a](contributing.md), ![b](minhash.md)"),
        ("README.ja.md", "[a](docs/formats.md)", "[a](../formats.md)"),
        ("docs/ja/tutorial.md", "[a](../formats.md) [b](../../README.md)", "[a](../formats.md) [b](../index.md)"),
        ("docs/formats.md", "[a](https://example.com/x.md) [b](#commit)", "[a](https://example.com/x.md) [b](#commit)"),
        (
            "docs/formats.md",
            "`[a](b)`\n\n    [a](b)\n\n```\n[a](b)\n```\n",
            "`[a](b)`\n\n    [a](b)\n\n```\n[a](b)\n```\n",
        ),
    ],
)
def test_links_are_those_of_the_site(name: str, text: str, changed: str) -> None:
    """From where a page lies there to where what it names lies; code is none."""
    assert with_links_of_site(name, text) == changed


@pytest.mark.parametrize("link", ["formats.md", "docs/none.md", "src/cli/main.cc", "../README.md"])
def test_links_to_what_the_site_lacks(link: str) -> None:
    """Are errors, with page and line."""
    with pytest.raises(BadLinkError, match=r"^README.md:3: "):
        with_links_of_site("README.md", f"# Title\n\n[a]({link})")


def test_faults_of_pages(tmp_path: Path) -> None:
    """Links to no file or anchor, and what is loaded from elsewhere; links to elsewhere are none."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.html").write_text(
        '<h1 id="近似">1</h1><a href="https://example.com/">2</a>', encoding="utf-8"
    )
    good = '<h1 id="top">1</h1><a href="a/one.html#%E8%BF%91%E4%BC%BC">2</a><a href="#top">3</a><a href="a/..">4</a>'
    (tmp_path / "index.html").write_text(good, encoding="utf-8")
    assert faults(tmp_path) == []
    bad = '<a href="two.html">1</a><a href="a/one.html#none">2</a><a href="#none">3</a>'
    bad += '<script src="https://example.com/s.js"></script><link rel="stylesheet" href="//example.com/s.css">'
    bad += '<img src="no.svg">'
    (tmp_path / "index.html").write_text(good + bad, encoding="utf-8")
    assert [fault.removeprefix("index.html: ") for fault in faults(tmp_path)] == [
        "loads https://example.com/s.js",
        "loads //example.com/s.css",
        "two.html leads nowhere",
        "a/one.html#none leads nowhere",
        "#none leads nowhere",
        "no.svg leads nowhere",
    ]


def test_corners_of_tables_are_no_headers(tmp_path: Path) -> None:
    """Those that name a column are."""
    row = '<tr><th></th><th style="text-align: right;"></th><th>Name</th></tr>'
    (tmp_path / "index.html").write_text(row, encoding="utf-8")
    name_no_empty_cells(tmp_path)
    changed = '<tr><td></td><td style="text-align: right;"></td><th>Name</th></tr>'
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == changed


def test_menus_are_japanese_in_japanese() -> None:
    """What is not of the language stays."""
    text = 'site_dir = "site"\nnav = [\n  { "Home" = "index.md" },\n  { "Part" = [\n    "a.md",\n  ] },\n]\n\n'
    text += "[project.theme]\nfont = false\n"
    rest = 'toggle.name = "Dark"\ntoggle.name = "Light"\npermalink = true\n'
    navigation = 'nav = [\n  { "最初" = "ja/index.md" },\n]\n'
    changed = f'site_dir = "other"\n{navigation}\n[project.theme]\nlanguage = "ja"\nfont = false\n'
    changed += 'toggle.name = "暗い配色にする"\ntoggle.name = "明るい配色にする"\npermalink = true\n'
    changed += 'permalink_title = "この見出しへのリンク"\n'
    assert in_japanese(text + rest, navigation, "other") == changed
    with pytest.raises(ValueError, match="has not one nav"):
        in_japanese(text.replace("nav = ", "menu = ") + rest, navigation, "other")


def test_languages(tmp_path: Path) -> None:
    """Their menu leads to the same page where there is one; Japanese pages say so; the search knows both."""
    (tmp_path / "ja").mkdir()
    for name, language in (("index.html", "en"), ("one.html", "en"), ("ja/index.html", "ja"), ("ja/one.html", "ja")):
        (tmp_path / name).write_text(f'<!doctype html>\n<html lang="{language}" class="no-js">', encoding="utf-8")
    menu = '<a href="./index.html" hreflang="en">1</a><a href="./ja/index.html" hreflang="ja">2</a>'
    for name in ("one.html", "two.html"):
        (tmp_path / name).write_text(f'<html lang="en">{menu}', encoding="utf-8")
    (tmp_path / "search.json").write_text('{"config": {"lang": ["en"]}, "items": ["段落"]}', encoding="utf-8")
    tell_languages(tmp_path)
    assert '<html lang="ja" ' in (tmp_path / "ja" / "index.html").read_text(encoding="utf-8")
    assert '<html lang="en" ' in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (
        'href="one.html" hreflang="en">1</a><a href="ja/one.html" hreflang="ja"' in (tmp_path / "one.html").read_text()
    )
    assert (
        'href="two.html" hreflang="en">1</a><a href="./ja/index.html" hreflang' in (tmp_path / "two.html").read_text()
    )
    words = json.loads((tmp_path / "search.json").read_text(encoding="utf-8"))
    assert faults(tmp_path) == []
    shutil.copyfile(tmp_path / "index.html", tmp_path / "ja" / "other.html")
    assert faults(tmp_path) == ["ja/other.html: is Japanese, and says en"]
    assert words == {"config": {"lang": ["en", "ja"]}, "items": ["段落"]}


def test_pages_have_a_place(tmp_path: Path) -> None:
    """In the navigation, however deep."""
    (tmp_path / "a").mkdir()
    for name in ("index.md", "one.md", "a/two.md", "a/three.md"):
        (tmp_path / name).write_text("# Page", encoding="utf-8")
    text = '[project]\nnav = [{ "Home" = "index.md" }, { "Part" = [{ "One" = "one.md" }, { "Two" = "a/two.md" }] }]\n'
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    assert pages_without_place(tmp_path, tmp_path / "site.toml") == ["a/three.md"]
