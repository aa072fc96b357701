"""The structure of pages: this project's own pages, written as generators of sites write them, and extracted again.

A sample of `./dev bench structure`, which has more generators and real projects.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import uzushio as uz
from markdown_it.token import Token
from structure_units import KINDS, Unit, Units, is_simple_html, parser, units_of_shown, units_of_tokens

pytestmark = pytest.mark.module

ROOT = Path(__file__).resolve().parent.parent.parent
LEAST = {"code": 1.0, "rows": 0.999, "headings": 1.0, "items": 0.999, "depths": 0.999, "languages": 1.0}

Rule = Callable[[Token], str]


def escaped(text: str) -> str:
    """As HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def lines_of(token: Token) -> list[str]:
    """Of a block of code."""
    return escaped(token.content).removesuffix("\n").split("\n")


def sphinx_code(token: Token) -> str:
    """Pygments in Sphinx, numbers in the lines."""
    numbered = (f'<span class="linenos">{n:3}</span>{line}' for n, line in enumerate(lines_of(token), 1))
    pre = "<pre><span></span>" + "\n".join(numbered) + "\n</pre>"
    return f'<div class="highlight-{token.info} notranslate"><div class="highlight">{pre}</div></div>'


def hexo_code(token: Token) -> str:
    """A table with the numbers in a cell of their own."""
    lines = lines_of(token)
    numbers = "<br>".join(f'<span class="line">{n}</span>' for n in range(1, len(lines) + 1))
    code = "<br>".join(f'<span class="line">{line}</span>' for line in lines)
    return (
        f'<figure class="highlight {token.info}"><table><tr><td class="gutter"><pre>{numbers}</pre></td>'
        f'<td class="code"><pre>{code}</pre></td></tr></table></figure>'
    )


def hugo_code(token: Token) -> str:
    """Chroma, with numbers that cannot be marked."""
    code = "".join(
        f'<span class="line"><span class="ln">{n}</span><span class="cl">{line}\n</span></span>'
        for n, line in enumerate(lines_of(token), 1)
    )
    return (
        f'<div class="highlight"><pre tabindex="0" class="chroma"><code class="language-{token.info}"'
        f' data-lang="{token.info}">{code}</code></pre></div>'
    )


def docusaurus_code(token: Token) -> str:
    """Prism: an element for each line, each with its line break."""
    code = "".join(
        f'<span class="token-line"><span class="token plain">{line}</span><br></span>' for line in lines_of(token)
    )
    return (
        f'<div class="language-{token.info} codeBlockContainer"><div class="codeBlockContent"><pre tabindex="0"'
        f' class="prism-code language-{token.info}"><code class="codeBlockLines">{code}</code></pre>'
        '<div class="buttonGroup"><button type="button" title="Copy"><span>Copy</span></button></div></div></div>'
    )


def github_code(token: Token) -> str:
    """As GitHub renders a README."""
    if not token.info:
        return f'<div class="snippet-clipboard-content"><pre><code>{escaped(token.content)}</code></pre></div>'
    return (
        f'<div class="highlight highlight-source-{token.info}"><pre>{escaped(token.content)}</pre>'
        '<div class="zeroclipboard-container"><clipboard-copy></clipboard-copy></div></div>'
    )


def plain_code(token: Token) -> str:
    """markdown-it's own."""
    return f'<pre><code class="language-{token.info}">{escaped(token.content)}</code></pre>'


GENERATORS: dict[str, tuple[Rule, str, str]] = {  # code, what is before and behind a heading's text
    "markdown-it": (plain_code, "", ""),
    "Sphinx": (sphinx_code, "", '<a class="headerlink" href="#a" title="Link to this heading">¶</a>'),
    "Hexo": (hexo_code, '<a href="#a" class="headerlink" title="a"></a>', ""),
    "Hugo": (hugo_code, "", ' <a class="anchor" href="#a" aria-hidden="true">#</a>'),
    "Docusaurus": (docusaurus_code, "", '<a href="#a" class="hash-link" aria-label="Direct link">\u200b</a>'),
    "GitHub": (github_code, "", '<a id="user-content-a" class="anchor" href="#a"><svg><path></path></svg></a>'),
}


def rendered(tokens: list[Token], code: Rule, before: str, behind: str) -> str:
    """The page, as the generator writes it."""
    rules: dict[str, Callable[..., str]] = {
        "fence": lambda all_tokens, at, *_: code(all_tokens[at]),
        "code_block": lambda all_tokens, at, *_: code(all_tokens[at]),
        "heading_open": lambda all_tokens, at, *_: f"<{all_tokens[at].tag}>{before}",
        "heading_close": lambda all_tokens, at, *_: f"{behind}</{all_tokens[at].tag}>",
    }
    markdown = parser()
    renderer: Any = markdown.renderer
    renderer.rules.update(rules)
    body = renderer.render(tokens, markdown.options, {})
    return f"<!DOCTYPE html><html><head><title>page</title></head><body><main>{body}</main></body></html>"


@cache
def pages() -> list[list[Token]]:
    """The project's pages, read, without raw HTML that has structure of its own."""
    found = []
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]):
        text = re.sub(r"<!--.*?-->", "", path.read_text("utf-8"), flags=re.S)
        tokens = parser().parse(text)
        if all(is_simple_html(token) for token in tokens if token.type == "html_block"):
            found.append(tokens)
    return found


@pytest.mark.parametrize("name", GENERATORS)
def test_the_structure_of_pages(name: str) -> None:
    """F1 of units, over all pages."""
    assert len(pages()) >= 20
    same, written, wanted = Counter[str](), Counter[str](), Counter[str]()
    wrong: list[tuple[str, Unit]] = []
    for tokens in pages():
        truth: Units = units_of_tokens(tokens)
        found = units_of_shown(uz.extract_html(rendered(tokens, *GENERATORS[name])).markup)
        for kind in KINDS:
            same[kind] += (found.of[kind] & truth.of[kind]).total()
            written[kind] += found.of[kind].total()
            wanted[kind] += truth.of[kind].total()
            wrong += [(kind, unit) for unit in (truth.of[kind] - found.of[kind])][:5]
    scores = {kind: 2 * same[kind] / (written[kind] + wanted[kind]) for kind in LEAST}
    print(name, len(pages()), "pages;", ", ".join(f"{kind} {wanted[kind]}: F1 {scores[kind]:.4f}" for kind in LEAST))
    assert all(wanted[kind] > 40 for kind in LEAST), wanted
    assert all(scores[kind] >= least for kind, least in LEAST.items()), (scores, wrong[:20])
