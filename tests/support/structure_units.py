"""What structure a text has: by its source, Markdown, and by what was extracted of its page.

A unit is what is compared: a line of code with its indentation, a block of code with its language, a table's row, a
heading with its level, a paragraph of a list's item with and without its depth, a term or a paragraph of its
description.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

KINDS = ("code", "languages", "rows", "headings", "items", "depths", "definitions")
Unit = tuple[str | int, ...]

MARKS = dict.fromkeys((2, 3, *range(14, 23), 31))
WIDE = "[\u2014-\u2026\u3000-\u30ff\u3400-\u9fff\uff01-\uff9f]"
BETWEEN_WIDE = re.compile(f"(?<={WIDE}) (?={WIDE})")
LISTS = ("ul", "ol")


def normalized(text: str) -> str:
    """The text without what white space may be: one space, or none between wide characters."""
    return BETWEEN_WIDE.sub("", " ".join(text.replace("\u200b", "").split()))


class Units:
    """The units of a page, by kind."""

    def __init__(self) -> None:
        self.of: dict[str, Counter[Unit]] = {kind: Counter() for kind in KINDS}

    def code(self, text: str, language: str = "") -> None:
        """A block of code, without blank lines at its ends; its language, with what is in it."""
        lines = [line.rstrip() for line in text.replace("\r", "").split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        self.of["code"].update((line,) for line in lines)
        if name := re.split(r"[\s{,:]", language.strip())[0]:
            self.of["languages"][name.lower(), "\n".join(lines)] += 1

    def row(self, cells: Sequence[str]) -> None:
        """A row, without empty cells at its end, which Markdown cannot tell."""
        row = [normalized(cell) for cell in cells]
        while row and not row[-1]:
            row.pop()
        if row:
            self.of["rows"][tuple(row)] += 1

    def heading(self, level: int, text: str) -> None:
        """A heading, unless it has no text."""
        if text := normalized(text):
            self.of["headings"][level, text] += 1

    def item(self, depth: int, text: str) -> None:
        """A paragraph of an item."""
        if text := normalized(text):
            self.of["items"][(text,)] += 1
            self.of["depths"][depth, text] += 1

    def definition(self, kind: str, text: str) -> None:
        """A term (dt) or a paragraph of a description (dd)."""
        if text := normalized(text):
            self.of["definitions"][kind, text] += 1


# Markdown.


def parser() -> MarkdownIt:
    """What Markdown is here: CommonMark with GitHub's tables and strikethrough."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def inline_text(token: Token) -> str:
    """The text of a paragraph as it is read: line breaks as such, no alternative texts of images."""
    text = ""
    for child in token.children or ():
        if child.type in ("text", "code_inline"):
            text += child.content
        elif child.type in ("softbreak", "hardbreak") or child.content.startswith("<br"):
            text += "\n"
    return text


TAG = re.compile(r"<!--.*?-->|</?([A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?>", re.S)
SIMPLE_INLINE = (
    "a",
    "abbr",
    "b",
    "br",
    "del",
    "em",
    "i",
    "ins",
    "kbd",
    "mark",
    "small",
    "span",
    "strong",
    "u",
    "wbr",
)
SIMPLE_BLOCKS = (
    "center",
    "details",
    "div",
    "hr",
    "p",
    "section",
    "summary",
)


def is_simple_html(token: Token) -> bool:
    """Whether raw HTML changes no unit: comments, marks in the text, boxes around blocks."""
    if token.type == "html_inline":
        match = TAG.fullmatch(token.content)
        return match is not None and (match[1] is None or match[1].lower() in SIMPLE_INLINE)
    tags = {name.lower() for name in TAG.findall(token.content) if name}
    if not tags:
        return not TAG.sub("", token.content).strip()
    return token.level == 0 and tags <= {*SIMPLE_INLINE, *SIMPLE_BLOCKS, "img"}


def units_of_tokens(tokens: Iterable[Token]) -> Units:
    """The units of a Markdown text."""
    units = Units()
    around: list[str] = []
    row: list[str] = []
    for token in tokens:
        if token.type in ("fence", "code_block"):
            units.code(token.content, token.info)
        elif token.type == "inline":
            text, parent = inline_text(token), around[-1] if around else ""
            outer = around[-2] if len(around) > 1 else ""
            if parent in ("th", "td"):
                row.append(text)
            elif parent[:1] == "h" and parent[1:].isdigit():
                units.heading(int(parent[1:]), text)
            elif parent == "p" and outer == "li":
                units.item(around.count("li"), text)
        elif token.nesting > 0:
            around.append(token.tag)
            if token.tag == "tr":
                row = []
        elif token.nesting < 0:
            around.pop()
            if token.tag == "tr":
                units.row(row)
    return units


def units_of_markdown(text: str) -> Units:
    """The units of a Markdown text."""
    return units_of_tokens(parser().parse(text))


# What was extracted.


def units_of_shown(text: str) -> Units:
    """The units of shown text (docs/formats.md)."""
    units = Units()
    for paragraph in text.split("\n\n"):
        head, _, content = paragraph.rpartition("\x1c")
        blocks = head.partition("\x1e")[2].partition("\x1d")[0].split(">")
        kind = blocks[-1].rstrip("+").split(".")[0]
        content = content.translate(MARKS)
        if kind in ("code", "pre"):
            units.code(content, blocks[-1].partition(".")[2])
        elif kind == "table":
            for line in content.split("\n"):
                units.row(line.split("\t"))
        elif kind[:1] == "h" and kind[1:].isdigit():
            units.heading(int(kind[1:]), content)
        elif kind in LISTS:
            units.item(sum(block.startswith(LISTS) for block in blocks), content)
        elif kind in ("dt", "dd"):
            units.definition(kind, content)
    return units


BLOCKS = ("p", "div", "ul", "ol", "dl", "pre", "table", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")


class SimpleHtml(HTMLParser):
    """The units of HTML that has no other markup than that of its structure."""

    def __init__(self) -> None:
        super().__init__()
        self.units = Units()
        self.around: list[str] = []
        self.text = ""
        self.row: list[str] = []

    def flush(self) -> None:
        """Ends a paragraph."""
        kind = next((tag for tag in reversed(self.around) if tag not in ("p", "div", "code", "ul", "ol")), "")
        if kind == "li":
            self.units.item(self.around.count("li"), self.text)
        elif kind in ("dt", "dd"):
            self.units.definition(kind, self.text)
        elif kind == "pre":
            self.units.code(self.text)
        elif kind[:1] == "h" and kind[1:].isdigit():
            self.units.heading(int(kind[1:]), self.text)
        elif kind in ("td", "th"):
            self.row.append(self.text)
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        if tag == "br":
            self.text += "\n"
        elif tag in BLOCKS or tag in ("li", "dt", "dd", "tr", "td", "th"):
            self.flush()
            self.around.append(tag)
            if tag == "tr":
                self.row = []

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        if tag not in self.around:
            return
        self.flush()
        while self.around.pop() != tag:
            pass
        if tag == "tr":
            self.units.row(self.row)

    def handle_data(self, data: str) -> None:
        """Text."""
        self.text += data


def units_of_html(html: str) -> Units:
    """The units of simple HTML."""
    reader = SimpleHtml()
    reader.feed(html)
    reader.close()
    return reader.units


# What generators make of Markdown.

SKELETON = (*LISTS, "li", "pre", "table", "tr", "th", "td", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")


class Skeleton(HTMLParser):
    """The elements of structure and the text in HTML, without white space but in code."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.code: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        if tag in SKELETON:
            self.parts.append(f"<{tag}>")
        if tag == "pre":
            self.code = []

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        if tag == "pre" and self.code is not None:
            self.parts.append("".join(self.code).strip("\n"))
            self.code = None
        if tag in SKELETON:
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Text."""
        if self.code is None:
            self.parts.append("".join(data.split()))
        else:
            self.code.append(data)


def skeleton_of_html(html: str) -> str:
    """What a generator read in a Markdown text, by the HTML it makes with nothing added."""
    reader = Skeleton()
    reader.feed(html)
    reader.close()
    return "".join(reader.parts)


def skeleton_of_tokens(tokens: Iterable[Token]) -> str:
    """The same by the tokens."""
    parts = []
    for token in tokens:
        if token.type in ("fence", "code_block"):
            content = token.content.strip("\n")
            parts.append(f"<pre>{content}</pre>")
        elif token.type == "inline":
            parts.append("".join(inline_text(token).split()))
        elif token.type == "html_block":
            parts.append(skeleton_of_html(token.content))
        elif token.tag in SKELETON:
            parts.append(f"<{'/' if token.nesting < 0 else ''}{token.tag}>")
    return "".join(parts)
