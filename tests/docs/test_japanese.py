"""Pages in Japanese show the commands, files and outputs of the English ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from program import ROOT
from translated import Translations, translated

PAGES = sorted((ROOT / "docs" / "ja").glob("*.md"))
BLOCK = re.compile(r"^```[^\n]*\n.*?^```$|(?:^ {4}[^\n]*\n\n*)+", re.MULTILINE | re.DOTALL)


def blocks_of(page: Path) -> list[str]:
    """Fences, and what is indented, without comments, which are of the page's language."""
    found = BLOCK.findall(page.read_text(encoding="utf-8") + "\n")
    return [re.sub(r" +# .*", "", block).rstrip() for block in found]


def test_each_english_page_has_a_japanese_one() -> None:
    """And no page is only in Japanese."""
    assert {page.name for page in PAGES} == {page.name for page in (ROOT / "docs").glob("*.md")}


def headings_of(page: Path) -> list[str]:
    """The marks of the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^(#+) ", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_headings_are_those_of_the_english_page(page: Path) -> None:
    """As many of each level, in the same order."""
    assert headings_of(page) == headings_of(ROOT / "docs" / page.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_japanese_pages(page: Path) -> None:
    """What is in both languages is not linked in English, nor said to be English."""
    text = page.read_text(encoding="utf-8")
    assert not [link for link in re.findall(r"\]\(\.\./([\w-]+\.md)", text) if (ROOT / "docs" / "ja" / link).exists()]
    assert not re.findall(r"\]\([\w-]+\.md[^)]*\)(?:（英語）|、英語)", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_are_those_of_the_english_page(page: Path) -> None:
    """In their order; a block that one of them lacks is named."""
    assert blocks_of(page) == blocks_of(ROOT / "docs" / page.name)


# In tables; a place that a link leads to is the page's.
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)*|(?<!\d)\.\d+")
WORDS = {"ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "hundred": "100", "thousand": "1,000"}
WORDS |= {"october": "10", "november": "11", "december": "12"}


def rows_of(page: Path) -> list[str]:
    """The rows of the tables of a page, without what its links lead to."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [re.sub(r"\]\([^)]*\)", "]", line) for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_have_the_numbers_of_the_english_page(page: Path) -> None:
    """Row by row, each as often; beyond them only those that English has as words, as in 1 台 for "one machine"."""
    english, japanese = rows_of(ROOT / "docs" / page.name), rows_of(page)
    assert len(japanese) == len(english)
    for ours, theirs in zip(japanese, english, strict=True):
        there, here = Counter(NUMBER.findall(theirs)), Counter(NUMBER.findall(ours))
        words = {number for word, number in WORDS.items() if word in theirs.lower()}
        more = {number for number in here if len(number) > 1} - there.keys() - words
        assert not there - here, f"{theirs}\n{ours}"
        assert not more, f"{theirs}\n{ours}"


ENGLISH = """## stats

Count paragraphs.

`INPUT`: Files or `globs`.

| option | values | default | meaning | only in |
| --- | --- | --- | --- | --- |
| `--output` |  | required | Folder to create |  |
| `--form` | text, json; without a value: json | text | Folder to create | Python, Spark |
| `--share` | from -1 to 2.5 |  | One \\| two | command line |

### Identity

Does nothing. Works on documents.

Metric `Identity`: Always 0.
"""
TABLE = {
    "Count paragraphs.": "段落を数える。",
    "Files or `globs`": "ファイルまたは `グロブ`",
    "option": "オプション",
    "values": "値",
    "default": "既定値",
    "meaning": "意味",
    "only in": "使える場所",
    "required": "必須",
    "Folder to create": "作成するフォルダー",
    "without a value: json": "値を省くと json",
    "from {} to {}": "{} 以上 {} 以下",
    "One \\| two": "1 つ \\| 2 つ",
    "command line": "コマンドライン",
    "Does nothing.": "何もしない。",
    "Works on documents.": "文書を処理する。",
    "Metric": "指標",
    "Always 0": "つねに 0",
}


def test_texts_that_are_printed_are_translated_and_names_and_values_are_kept() -> None:
    """Those of commands, of their options and of filters; equal texts once."""
    translations = Translations(TABLE)
    assert (
        translated(ENGLISH, translations)
        == """## stats

段落を数える。

`INPUT`：ファイルまたは `グロブ`。

| オプション | 値 | 既定値 | 意味 | 使える場所 |
| --- | --- | --- | --- | --- |
| `--output` |  | 必須 | 作成するフォルダー |  |
| `--form` | text, json; 値を省くと json | text | 作成するフォルダー | Python, Spark |
| `--share` | -1 以上 2.5 以下 |  | 1 つ \\| 2 つ | コマンドライン |

### Identity

何もしない。文書を処理する。

指標 `Identity`：つねに 0。
"""
    )
    assert not list(translations.faults())


def test_a_text_without_translation_and_a_translation_without_text_are_named() -> None:
    """As are numbers of a range that would be lost, and an empty translation."""
    changed = {**TABLE, "from {} to {}": "{} 以上", "Folder": "フォルダー", "Always 0": ""}
    del changed["Does nothing."]
    translations = Translations(changed)
    translated(ENGLISH, translations)
    assert list(translations.faults()) == [
        'add the translation of "Does nothing."',
        'add the translation of "Always 0"',
        'the translation of "from {} to {}" has other places for numbers',
        'remove "Folder", which is no longer printed',
    ]
