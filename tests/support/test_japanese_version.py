"""Pages as they would be in Japanese: what of a page stays, and what its texts become."""

from __future__ import annotations

import re

import pytest
from japanese_version import HIRAGANA, KANJI, KATAKANA, TRANSLATIONS, japanese_page, japanese_text, signs

SENTENCE = "It was a very important day, said the government of Japan."


def test_words() -> None:
    """The same signs for the same word, some half as many as letters; short ones are particles."""
    assert japanese_text("Government") == japanese_text("government") == signs("government")
    assert len(signs("government")) in (5, 6)
    assert re.fullmatch("[ぁ-ゖ]", signs("the"))
    assert re.fullmatch("[ぁ-ヿ㐀-䶿]+", signs("day-to-day"))


def test_signs_are_no_words() -> None:
    """No translation has one of them."""
    assert not set("".join(TRANSLATIONS.values())) & set(HIRAGANA + KATAKANA + KANJI)


def test_texts() -> None:
    """No spaces between words, signs that end a sentence, numbers as they are."""
    text = japanese_text(SENTENCE)
    assert re.fullmatch("[ぁ-ヿ㐀-䶿]+、[ぁ-ヿ㐀-䶿]+。", text)
    assert len(text) == pytest.approx(len(SENTENCE) / 2, rel=0.25)
    assert japanese_text("3.5 %") == "3.5 %"
    assert "3.5" in japanese_text("a price of 3.5 million")


@pytest.mark.parametrize("text", ["May 3, 2024", "3 May 2024", "may 3rd, 2024", "3rd May, 2024"])
def test_dates(text: str) -> None:
    """As newspapers write them."""
    assert japanese_text(text) == "2024年5月3日"


def test_pages() -> None:
    """Markup, code and scripts stay; titles, descriptions and linked data say what the texts do."""
    head = f'<title>{SENTENCE}</title><meta name="description" content="{SENTENCE}"><meta name=viewport content="w h">'
    data = f'<script type="application/ld+json">{{"@type": "Article", "headline": "{SENTENCE}"}}</script>'
    kept = [
        "<!-- a comment -->",
        "<script>let word = 1 < 2</script>",
        "<pre>int main()</pre>",
        '<a class="more" href="/a?b&c">',
        '<meta name=viewport content="w h">',
        '"@type": "Article"',
    ]
    body = f"{kept[0]}{kept[1]}{kept[2]}<p>{SENTENCE}</p> <p>A &lt;b&gt; &amp; &nbsp;c</p>{kept[3]}x</a>"
    page = japanese_page(head + data + body)
    assert [part for part in kept if part not in page] == []
    assert page.count(japanese_text(SENTENCE)) == 4
    assert not re.search("important|nbsp", page)
    assert len(re.findall("<", page)) == len(re.findall("<", head + data + body))
    assert japanese_page("<script type='application/ld+json'>{broken</script>").endswith("{broken</script>")


def test_attributes_stay() -> None:
    """Signs that end no tag; quotation marks where no value begins."""
    for tag in ('<a onclick="if (a > b) go()" class="more">', "<a title= '>' class=x>", "<p title=it's>", '<p a"b>'):
        assert japanese_page(f"{tag}word</p>") == f"{tag}{signs('word')}</p>"
    assert japanese_page("<code-block>word</code-block>") == f"<code-block>{signs('word')}</code-block>"


def test_linked_data_that_is_no_text() -> None:
    """Half of a character, the end of a script, and more levels than are read."""
    start, end = '<script type="application/ld+json">', "</script>"
    page = japanese_page(start + '{"name": "\\ud83d <\\/script>"}' + end)
    assert page.startswith(start + '{"name": "? <\\/')
    assert page.endswith('>"}' + end)
    for data in ("[" * 100_000, "[" * 100_000 + "]" * 100_000):
        assert japanese_page(start + data + end) == start + data + end
