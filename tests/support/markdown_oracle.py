"""What the filter Markdown should write: a tree is made of the paragraphs, and each node written by itself.

Texts have nothing that needs a backslash: a reader of Markdown decides of those (tests/program/test_markdown.py).
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

ALL = frozenset(["headings", "lists", "tables", "code", "quotes"])


@dataclass
class Piece:
    """Lines that are one paragraph, and the places of the paragraphs in them."""

    lines: list[str]
    members: list[int]
    ends_in_first: bool = False  # its last paragraph began an item


@dataclass
class Node:
    """A paragraph, with the place and text of one; or a quote, an item or a description around others."""

    block: str = ""
    children: list[Node] = field(default_factory=list)
    place: int = -1
    leaf: str = ""
    text: str = ""

    @property
    def kind(self) -> str:
        """`quote`, `ul`, `ol`, `dd`, or nothing."""
        return self.block.split(".", maxsplit=1)[0]

    @property
    def number(self) -> int:
        """Of an item."""
        return int(self.block.split(".")[1]) if "." in self.block else 0

    @property
    def marker(self) -> str:
        """What stands before it."""
        return f"{self.number}. " if self.kind == "ol" and 0 <= self.number <= 999_999_999 else "- "


def marked_text(text: str, parts: frozenset[str]) -> str:
    """The text with backticks, without other marks than those of links and blank lines."""
    if "code" in parts:
        while True:  # what touches is one
            joined = re.sub("\x0f([\x02\x03\x10-\x13]*)\x0e", r"\1", text)
            if joined == text:
                break
            text = joined
        text = re.sub("[\x0e\x0f]", "`", text)
    if "emphasis" in parts:
        text = re.sub("[\x10\x11]", "**", re.sub("[\x12\x13]", "*", text))
    return re.sub("[\x0e-\x16]", "", text)


def is_strong(row: list[str]) -> bool:
    """Whether two cells of a row or more have text, all of it strong."""
    inside = ["".join(re.findall("\x10([^\x11]*)", cell)) for cell in row]
    outside = [re.sub("\x10[^\x11]*\x11?", "", cell) for cell in row]
    texts = [re.sub("[\x02-\x16 ]", "", text) for text in inside]
    return sum(map(bool, texts)) > 1 and not re.sub("[\x02-\x16 ]", "", "".join(outside))


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first row says what the columns are: it has nothing but header cells, or it alone is all strong."""
    if any("\x16" in cell for cell in rows[0]):
        return all("\x16" in cell or not cell for cell in rows[0])
    strong = list(map(is_strong, rows))
    return len(rows) > 1 and strong[0] and not any(strong[1:])


def line_of(row: str) -> str:
    """What a table of one row without a header says."""
    cells = row.split("\t")
    return " ".join(cell for cell in cells if re.sub("[\x02-\x16 ]", "", cell))


def leaf_lines(node: Node, parts: frozenset[str]) -> list[str]:
    """The lines of one paragraph."""
    kind, _, language = node.leaf.partition(".")
    if kind == "code":
        longest = max(map(len, re.findall("`+", node.text)), default=0)
        fence = "`" * max(3, longest + 1)
        lines = node.text.split("\n")
        return [fence + language, *lines, fence] if "code" in parts else lines
    rows = [row.split("\t") for row in node.text.split("\n")] if kind == "table" else []
    if "tables" in parts and len(rows) == 1 and not has_header(rows):
        return [marked_text(line_of(node.text), parts)]
    if kind == "table" and "tables" in parts:
        width = max(map(len, rows))
        if not has_header(rows):
            rows.insert(0, [])
        rows = [[marked_text(cell, parts) for cell in row + [""] * (width - len(row))] for row in rows]
        rows.insert(1, ["---"] * width)
        return ["|" + "".join(f" {cell} |" for cell in row) for row in rows]
    text = marked_text(node.text, parts)
    if re.fullmatch("h[1-6]", kind) and "headings" in parts:
        return ["#" * int(kind[1]) + " " + text.replace("\n", " ")]
    return text.split("\n")


def step_to(before: Node, node: Node, step: int) -> int | None:
    """How an item goes on a list that goes up or down by `step`, if known: 1 or -1; None where it is no next item."""
    if before.kind != node.kind or before.marker[0].isdigit() != node.marker[0].isdigit():
        return None
    if node.kind == "dd":
        return 0
    if node.number > before.number and step >= 0:
        return 1
    return -1 if node.kind == "ol" and node.number == before.number - 1 and step <= 0 else None


def indent(lines: list[str], first: str, rest: str) -> list[str]:
    """Lines behind prefixes; blank ones have no white space at their ends."""
    prefixes = itertools.chain([first], itertools.repeat(rest))
    return [
        prefix + line if line != "\x1f" else prefix.rstrip() or line
        for line, prefix in zip(lines, prefixes, strict=False)
    ]


def write_container(node: Node, parts: frozenset[str]) -> list[Piece]:
    """A quote is one piece; an item has a marker before the first of its pieces."""
    if node.kind == "quote":
        inside = write_all(node.children, parts, in_item=False)
        lines: list[str] = []
        for piece in inside:
            lines += (["\x1f"] if lines else []) + piece.lines
        members = [member for piece in inside for member in piece.members]
        return [Piece(indent(lines, "> ", "> "), members, inside[-1].ends_in_first)]
    inside = write_all(node.children, parts, in_item=True)
    space = " " * len(node.marker)
    for number, piece in enumerate(inside):
        piece.lines = indent(piece.lines, space if number else node.marker, space)
    if inside[0].members == [node.children[0].place]:
        inside[0].ends_in_first = True
    return inside


def write_all(nodes: list[Node], parts: frozenset[str], *, in_item: bool) -> list[Piece]:
    """The pieces of what stands one after another."""
    pieces: list[Piece] = []
    before: Node | None = None
    step = 0
    for number, node in enumerate(nodes):
        next_step = None
        tight = False
        if before and before.block and node.block and node.kind != "quote":
            next_step = step_to(before, node, step)
            tight = next_step is not None and pieces[-1].ends_in_first
        elif before and node.block and node.kind != "quote" and "lists" in parts and before.leaf == "dt":
            tight = node.kind == "dd"
        elif before and node.block and node.kind != "quote" and in_item and number == 1:
            # A text, and a list that is not read as its next line.
            is_text = not re.match("code|pre|table|formula", before.leaf)
            tight = is_text and node.marker in ("- ", "1. ")
        step = next_step or 0
        new = write_container(node, parts) if node.block else [Piece(leaf_lines(node, parts), [node.place])]
        if tight:
            pieces[-1].lines += new[0].lines
            pieces[-1].members += new[0].members
            pieces[-1].ends_in_first = new[0].ends_in_first
            new = new[1:]
        pieces += new
        before = node
    return pieces


def tree_of(structures: list[tuple[str, str]], parts: frozenset[str]) -> list[Node]:
    """The nodes of paragraphs that are next to each other: structure and text of each."""
    root = Node()
    open_nodes: list[Node] = []
    for place, (structure, text) in enumerate(structures):
        leaf, around = "", []
        for block in filter(None, structure.split(">")):
            kind = block.split(".", maxsplit=1)[0].rstrip("+")
            if kind in ("ul", "ol", "dd", "quote"):
                if ("quotes" if kind == "quote" else "lists") in parts:
                    around.append(block)
            else:
                leaf = block
        shared = 0
        while shared < min(len(around), len(open_nodes)):
            block = around[shared]
            if block != "quote" and not block.endswith("+"):
                break
            if open_nodes[shared].block != block.rstrip("+"):
                break
            shared += 1
        del open_nodes[shared:]
        for block in around[shared:]:
            open_nodes.append(Node(block.rstrip("+")))
            (open_nodes[-2] if len(open_nodes) > 1 else root).children.append(open_nodes[-1])
        (open_nodes[-1] if open_nodes else root).children.append(Node(place=place, leaf=leaf, text=text))
    return root.children


def markdown_of(structures: list[tuple[str, str]], parts: frozenset[str] = ALL) -> list[tuple[list[int], str]]:
    """Of paragraphs that are next to each other, structure and marked text: those that are one, and what it is."""
    pieces = write_all(tree_of(structures, parts), parts, in_item=False)
    return [(piece.members, "\n".join(piece.lines)) for piece in pieces]
