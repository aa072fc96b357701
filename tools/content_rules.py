"""The content of a page as a rule by hand says it: elements to take, and elements inside to leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from resiliparse.parse.html import HTMLTree, NodeType

# What never is text that a reader sees, and readings of ruby, which the text is without.
HIDDEN = "script, style, template, noscript, svg, iframe, object, select, textarea, button, input, rt, rp, rtc"
# Elements that begin and end a line.
LINES = """
address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer
form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre section summary table tbody tfoot thead tr ul
"""
BLOCKS = frozenset(LINES.split())
CELLS = ("td", "th")


class RuleError(Exception):
    """A rule does not fit a page."""


@dataclass
class Rule:
    """Where the content of some pages of a site is."""

    url: str = ""  # regular expression that the URLs have; empty: all
    content: list[str] = field(default_factory=list)  # selectors; each has to find something
    without: list[str] = field(default_factory=list)  # selectors of what is no content inside; they may find nothing
    skip: bool = False  # pages without main content


def text_of(node: Any, parts: list[str], preformatted: bool = False) -> None:
    """Appends a node's text: a line a block, white space as a browser shows it."""
    if node.type == NodeType.TEXT:
        parts.append(node.text if preformatted else re.sub(r"[ \t\r\n\f]+", " ", node.text))
    elif node.type == NodeType.ELEMENT:
        tag = node.tag
        block = tag in BLOCKS
        if block or tag == "br":
            parts.append("\n")
        child = node.first_child  # child_nodes is quadratic
        while child is not None:
            text_of(child, parts, preformatted or tag == "pre")
            child = child.next
        if block or tag in CELLS:
            parts.append("\n" if block else " ")


def lines_of(nodes: list[Any]) -> str:
    """The text of nodes without empty lines, and without white space around lines."""
    parts: list[str] = []
    for node in nodes:
        parts.append("\n")
        text_of(node, parts)
    lines = (line.strip() for line in "".join(parts).splitlines())
    return "\n".join(line for line in lines if line)


def remove(root: Any, selectors: list[str]) -> None:
    """Takes elements out of a tree."""
    for element in list(root.query_selector_all(", ".join(selectors))):
        element.parent.remove_child(element)  # decompose would free what other elements of the list are inside


def main_content(html: str, rule: Rule, optional: Sequence[str] = ()) -> str:
    """The text that a rule keeps of a page; optional selectors may find nothing."""
    body = HTMLTree.parse(html).body
    if body is None:
        raise RuleError("the page has no body")
    remove(body, [HIDDEN, *rule.without])
    root = body.parent
    for selector in rule.content:
        if not any(element.text.strip() for element in root.query_selector_all(selector)):
            raise RuleError(f"nothing is in {selector}")
    kept: list[Any] = []
    for element in root.query_selector_all(", ".join([*rule.content, *optional])):  # in the order of the page
        if not any(other.contains(element) for other in kept):
            kept.append(element)
    return lines_of(kept)


def texts_of(html: str, selectors: Sequence[str]) -> list[str]:
    """The lines of the elements that selectors find."""
    body = HTMLTree.parse(html).body
    if body is None or not selectors:
        return []
    remove(body, [HIDDEN])
    return lines_of(list(body.parent.query_selector_all(", ".join(selectors)))).splitlines()
