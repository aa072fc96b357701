"""Documents of shown text, made up: lists, quotes, tables and code, and texts that look like Markdown."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from filter_oracle import Paragraph

WORDS = ["日本語", "文", "です。", "「引用」", "カナ", "word", "two words", "漢字（かな）", "、", "3.5", "a", "🌊"]
# What CommonMark or GFM may read as markup, in the middle of a line and at its beginning.
SIGNS: list[str] = [
    *re.findall(
        r"\S+",
        r"* ** *** _ __ ` `` ``` ~ ~~ ~~~ [ ] [x] [x](y) ![x](y) [x]: ](u) < <b> </b> <!-- --> <a@b.cc> <http://a.b>"
        r" <A社> <a:b> <hr/> <sys/types.h> <img <c:if </x?> </a>"
        r" & &amp; &#35; &nbsp; \ \\ \* | || # ## ####### > >> - -- --- === == + 1. 1) 12. 1234567890. :-- |-|-"
        r" --|-- : snake_case_name 2*3*4 **強調**です _強調_です 注*1 ※ 10~20 ~~x~~ C:\dir a<b>c $x$ `code` ☆*。",
    ),
    *re.findall(
        r"[^;]+",
        r"* * *;- - -;- x;* x;+ x;1. x;2) x;# x;#;> x;| a | b |;| --- | --- |;<div>;<script>;</p>;[ ] x;[x] x;x\;"
        r"(*^_^*)",
    ),
]
MARKS = [("\x02", "\x03"), ("\x0e", "\x0f"), ("\x10", "\x11"), ("\x12", "\x13")]
CODE_LINES = [
    "x = 1",
    "    y = [",
    "\tz]",
    "```",
    "````",
    "~~~",
    "# comment",
    "- a",
    "<b>",
    "a  b",
    "&amp;",
    "\\",
    "漢字",
]


@dataclass
class Node:
    """A container: a quote, an item, a description; or a leaf."""

    block: str
    children: list[Node] = field(default_factory=list)
    text: str = ""


class Maker:
    """Makes nodes at random. Plain texts have nothing in them that is escaped."""

    def __init__(self, choose: random.Random, plain: bool) -> None:
        self.choose = choose
        self.plain = plain

    def piece(self) -> str:
        """A word, a sign, or some marked text."""
        choose = self.choose
        words = WORDS if self.plain or choose.random() < 0.4 else SIGNS
        word = choose.choice(words)
        if not self.plain and choose.random() < 0.2:
            word += choose.choice(words)
        if choose.random() < 0.15:
            for start, end in choose.sample(MARKS, choose.choice([1, 1, 1, 2])):
                word = start + (word.strip() or "a") + end
        return word

    def line(self) -> str:
        """Words, with or without spaces between."""
        between = self.choose.choice(["", " ", " "])
        line = between.join(self.piece() for _ in range(self.choose.choice([1, 1, 2, 3, 6])))
        return line.strip() or "文"

    def lines(self) -> str:
        """A paragraph."""
        return "\n".join(self.line() for _ in range(self.choose.choice([1, 1, 1, 2, 3])))

    def code(self) -> str:
        """Lines with blank ones among them, but not at their ends."""
        lines = self.choose.choices([*CODE_LINES, "\x1f"], k=self.choose.randrange(1, 6))
        return "\n".join([self.choose.choice(CODE_LINES), *lines, self.choose.choice(CODE_LINES)])

    def table(self) -> str:
        """Rows of up to four cells, header cells in the first row or column, or none."""
        choose = self.choose
        columns, header = choose.randrange(1, 5), choose.randrange(3)
        rows = []
        for row in range(choose.randrange(1, 4)):
            cells = []
            for column in range(choose.choice([columns, columns, choose.randrange(1, columns + 1)])):
                is_header = (header == 1 and row == 0) or (header == 2 and column == 0)
                is_there = column == 0 or choose.random() < 0.8
                cells.append(("\x16" if is_header else "") + (self.line() if is_there else ""))
            rows.append("\t".join(cells))
        return "\n".join(rows)

    def leaf(self) -> Node:
        """What has text."""
        kind = self.choose.choice(["", "", "", "", "", "h", "code", "code.c++", "pre", "table", "dt"])
        if kind.startswith("code"):
            return Node(kind, text=self.code())
        if kind == "table":
            return Node(kind, text=self.table())
        return Node(f"h{self.choose.randrange(1, 7)}" if kind == "h" else kind, text=self.lines())

    def nodes(self, depth: int) -> Iterator[Node]:
        """What stands one after another."""
        for _ in range(self.choose.randrange(1, 4)):
            kind = self.choose.choice(["", "", "ul", "ol", "quote", "dl"]) if depth > 0 else ""
            if kind == "quote":
                yield Node(kind, list(self.nodes(depth - 1)))
            elif kind == "dl":
                yield Node("dt", text=self.lines())
                for _ in range(self.choose.randrange(1, 3)):
                    yield Node("dd", list(self.nodes(depth - 1)))
            elif kind:
                first = self.choose.choice([1, 1, 3, 10, 0, -1, 999_999_999]) if kind == "ol" else 1
                numerals = self.choose.choice(["", "", ".a", ".I"]) if kind == "ol" else ""
                for number in range(first, first + self.choose.randrange(1, 4)):
                    yield Node(f"{kind}.{number}{numerals}", self.item(depth - 1))
            else:
                yield self.leaf()

    def item(self, depth: int) -> list[Node]:
        """What is in an item: most often a text, and a list."""
        if self.choose.random() < 0.7:
            return [Node("", text=self.lines()), *(self.nodes(depth) if self.choose.random() < 0.3 else [])]
        return list(self.nodes(depth))


def flatten(nodes: list[Node], around: list[list[str]], paragraphs: list[Paragraph]) -> None:
    """Appends the paragraphs below; `around` are open blocks, each with `+` once it has one."""
    for node in nodes:
        here = [*around, [node.block, ""]] if node.block else around
        if node.children:
            flatten(node.children, here, paragraphs)
            continue
        structure = ">".join(block + later for block, later in here)
        paragraphs.append(Paragraph("body>p", node.text, structure=structure))
        for block in here:
            block[1] = "+" if block[0].startswith(("ul", "ol", "dd")) else ""


def shown_document(choose: random.Random, plain: bool) -> list[Paragraph]:
    """A document, with scores."""
    paragraphs: list[Paragraph] = []
    flatten(list(Maker(choose, plain).nodes(3)), [], paragraphs)
    return [replace(p, score=choose.choice([100, 100, 7, 99])) for p in paragraphs]
