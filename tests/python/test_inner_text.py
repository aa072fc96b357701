"""Shown text next to what Chromium shows, by `innerText`, of the same page without scripts and style sheets.

What differs by intent is not here: line breaks between wide characters, of which Chromium makes a space, `noscript`,
ruby, formulas, line breaks in cells.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import uzushio as uz

pytestmark = pytest.mark.module

PAGES = {
    "white space": "<p>  one \t two\n\nthree<b> four </b> five</p>text <i> in </i> line",
    "line breaks": "<p>one<br>two <br> three<br><br>four<wbr>five&#10;six",
    "wide characters": "<p>日本語の文章です。<span>つづき</span>です。</p><p>全角　空白と&nbsp;空白",
    "blocks": "before<div>one<div>two</div>three</div><section><h2>head</h2>text</section>after<hr>end",
    "inline": "<p>a<em>b</em><strong>c</strong><code>d</code><a href=/>e</a><span> f </span><q>g</q><u>h</u>",
    "preformatted": "<pre>\n  one\n\n\ttwo\n    three  </pre><p>after",
    "styled white space": "<p style='white-space: pre'>a  b\n  c</p><div style='white-space:pre-wrap'>a  b\n c</div>",
    "lists": "<ul><li>one<li>two<ul><li>inner</ul><li>three</ul><ol><li>first<li>second</ol>",
    "definitions": "<dl><dt>term<dd>meaning<dt>other<dd>one<dd>two</dl>",
    "table": "<table><tr><th>a<th>b<tr><td>one<td>two<tr><td>three<td>four</table>",
    "table in words": "<p>before<table><caption>name</caption><tr><td>one<td>two</table>after",
    "hidden": "<p>seen<p hidden>a<p style='display:none'>b<p style='visibility:hidden'>c<dialog>d</dialog><p>end",
    "details": "<details open><summary>sum</summary>inside</details>",
    "images": "<p>one<img src=x alt='a picture'>two",
    "sections": "<article><header>head</header><p>text</article><aside>beside</aside><footer>foot</footer>",
    "figures": "<figure><img src=x alt=''><figcaption>caption</figcaption></figure><blockquote><p>quoted</blockquote>",
    "odd markup": "<p>one<p>two</div><b><p>three</b>four<table>foster<tr><td>cell</table>",
    "links over blocks": "<a href=/>one<div>two</div>three</a>",
    "entities": "<p>&lt;b&gt; &amp; &yen; &#x3042; &hellip;",
    "fieldset": "<form><fieldset><legend>name</legend><label>one</label> <label>two</label></fieldset></form>",
}


def lines_of(text: str) -> list[str]:
    """Lines with something on them; at their ends, white space says nothing."""
    return [line.strip(" \n\r\xa0") for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("name", PAGES)
def test_the_same_lines(name: str, chromium: Any) -> None:
    """In the same order."""
    html = f"<!DOCTYPE html><body>{PAGES[name]}"
    context = chromium.new_context(offline=True, java_script_enabled=False)
    try:
        page = context.new_page()
        page.set_content(html)
        shown = page.locator("body").inner_text()
    finally:
        context.close()
    found = "\n".join(re.sub(r"[\x00-\x08\x0e-\x1f]", "", part.text) for part in uz.extract_html(html).paragraphs)
    assert lines_of(found) == lines_of(shown)
