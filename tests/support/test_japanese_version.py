"""Pages as they would be in Japanese: what of a page stays, and what its texts become."""

from __future__ import annotations

import re

import pytest
from japanese_version import japanese_page, japanese_text, signs

SENTENCE = "It was a very important day, said the government of Japan."


def test_words() -> None:
    """The same signs for the same word, some half as many as letters; short ones are particles."""
    assert signs("Government") == signs("Government")
    assert len(signs("government")) in (5, 6)
    assert re.fullmatch("[ぁ-ん]", signs("the"))
    assert re.fullmatch("[ぁ-ヿ一-鿿]+", signs("day-to-day"))


def test_texts() -> None:
    """No spaces between words, signs that end a sentence, numbers as they are."""
    text = japanese_text(SENTENCE)
    assert re.fullmatch("[ぁ-ヿ一-鿿]+、[ぁ-ヿ一-鿿]+。", text)
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
