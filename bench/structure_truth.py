"""What structure reStructuredText has (tests/support/structure_units.py)."""

from __future__ import annotations

from docutils import nodes
from structure_units import Units

# What no two generators write alike, or is no text: it is taken out of the source.
PRUNED = (
    "footnote",
    "citation",
    "footnote_reference",
    "citation_reference",
    "math",
    "math_block",
    "raw",
    "comment",
    "system_message",
    "field_list",
    "option_list",
    "image",
    "figure",
    "sidebar",
    "line_block",
    "desc",
    "hlist",
    "toctree",
    "classifier",
    "superscript",
    "subscript",
    "index",
    "productionlist",
    "graphviz",
    "tabular_col_spec",
    "highlightlang",
    "docinfo",
    "decoration",
    "attribution",
    "rubric",
)
INNERMOST = (nodes.list_item, nodes.definition, nodes.block_quote)
BOXES = (nodes.Admonition, nodes.topic)


def prune(document: nodes.document) -> None:
    """Takes out of a document what is not compared, boxes in items of lists too: generators write titles for them."""
    for node in list(document.findall(nodes.Element)):
        boxed = isinstance(node, BOXES) and inside(node, nodes.list_item, nodes.definition, nodes.entry)
        if (type(node).__name__ in PRUNED or boxed) and node.parent is not None:
            node.parent.remove(node)


def around(node: nodes.Node) -> list[nodes.Element]:
    """The elements around a node, the innermost first."""
    found = []
    at = node.parent
    while at is not None:
        found.append(at)
        at = at.parent
    return found


def inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    """Whether one of the elements around a node is of the kinds."""
    return any(isinstance(element, kinds) for element in around(node))


def cells_of(table: nodes.table) -> list[list[str]] | None:
    """The rows of a table, or nothing where it is a layout of blocks.

    A cell over several columns or rows is where it begins; a row ends behind its last own cell.
    """
    columns = max((len(list(group.findall(nodes.colspec))) for group in table.findall(nodes.tgroup)), default=0)
    rows: list[list[str]] = []
    spanned: dict[int, int] = {}
    for row in table.findall(nodes.row):
        cells: list[str] = []

        def from_above(cells: list[str] = cells) -> None:
            while spanned.get(len(cells), 0) > 0:
                spanned[len(cells)] -= 1
                cells.append("")

        end = 0
        for entry in row.findall(nodes.entry):
            blocks = [child for child in entry if not isinstance(child, nodes.target)]
            if len(blocks) > 1 or not all(isinstance(block, nodes.paragraph) for block in blocks):
                return None
            from_above()
            end = len(cells) + 1
            for covered in range(entry.get("morecols", 0) + 1):
                spanned[len(cells)] = entry.get("morerows", 0)
                cells.append("" if covered else entry.astext())
        from_above()
        rows.append(cells[:end])
    return rows if columns > 1 else None


def units_of_doctree(document: nodes.document) -> Units:
    """The units of a document that was pruned."""
    units = Units()
    data = set()
    for table in document.findall(nodes.table):
        rows = cells_of(table)
        if rows is not None and not inside(table, nodes.table):
            data.add(table)
            for row in rows:
                units.row(row)
    for node in document.findall(nodes.Element):
        if isinstance(node, nodes.literal_block | nodes.doctest_block):
            units.code(node.astext())
        elif isinstance(node, nodes.title) and isinstance(node.parent, nodes.section):
            level = sum(isinstance(element, nodes.section) for element in around(node))
            units.heading(min(level, 6), node.astext())
        elif isinstance(node, nodes.term):
            units.definition("dt", node.astext())
        elif isinstance(node, nodes.paragraph | nodes.caption):
            outer = around(node)
            nearest = next((element for element in outer if isinstance(element, INNERMOST)), None)
            if data.intersection(outer):
                continue
            if isinstance(nearest, nodes.list_item):
                units.item(sum(isinstance(element, nodes.list_item) for element in outer), node.astext())
            elif isinstance(nearest, nodes.definition):
                units.definition("dd", node.astext())
    return units
