"""Draws the pictures of docs/near-duplicates.md from the tables of docs/benchmarks.md.

Usage: draw_charts.py [--check]. With --check, exits with 1 when a picture is not of the numbers that stand there.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from generated_files import write_or_check

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "benchmarks.md"
IMAGES = ROOT / "docs" / "images"
# Width and height of a picture, and what is left free around its axes: left, top, right, bottom.
WIDTH, HEIGHT = 760, 400
FREE = (70, 46, 220, 56)
# Colours that those who see no red or no green tell apart (Okabe and Ito 2008).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
Point = tuple[float, float]


@dataclass
class Line:
    """A row of points with a name; `dashed` lines are calculated, not measured."""

    name: str
    points: list[Point]
    dashed: bool = False
    marks: bool = True
    joined: bool = True


@dataclass
class Chart:
    """What a picture shows. `ticks` are places on an axis, with what is written there."""

    title: str
    horizontal: str
    vertical: str
    lines: list[Line]
    ticks_x: list[tuple[float, str]]
    ticks_y: list[tuple[float, str]]
    logarithmic: bool = False


def table(text: str, header: str) -> dict[str, list[str]]:
    """The rows of the table with this first line: the first cell, and the others."""
    _, found, rest = text.partition(f"\n{header}\n")
    if not found:
        raise SystemExit(f"{FIGURES.name}: there is no table {header!r}")
    rows = {}
    for line in rest.splitlines()[1:]:
        if not line.startswith("|"):
            break
        first, *others = [cell.strip() for cell in line.strip("| \n").split("|")]
        rows[first] = others
    return rows


def number(cell: str) -> float:
    """The first number of a cell."""
    match = re.search(r"[-−+]?\d*\.?\d+", cell.replace(",", ""))
    if match is None:
        raise SystemExit(f"{FIGURES.name}: no number in {cell!r}")
    return float(match.group().replace("−", "-"))


def recall_and_growth(text: str) -> Chart:
    """Windows over sorted signatures lose what buckets keep."""
    sizes = [1e4, 1e5, 1e6, 1e10]
    rows = table(text, "| | 10^4 | 10^5 | 10^6 | 10^10 |")
    lines = []
    for key, name in (("5 rotations x 64", "SimHash, 5 windows of 64"), ("5 x 1,024", "SimHash, 5 windows of 1,024")):
        cells = rows[key]
        measured = [(size, number(cell)) for size, cell in zip(sizes, cells, strict=True) if not cell.startswith("(")]
        modelled = [(size, number(cell.partition("(")[2])) for size, cell in zip(sizes, cells, strict=True)]
        lines += [
            Line(name, measured),
            Line(f"… calculated, 5 of {key.split()[-1]}", modelled, dashed=True, marks=False),
        ]
    ours = rows["the default"]
    points = [(size, number(cell)) for size, cell in zip(sizes[:3], ours, strict=False)]
    points.append((1e7, number(ours[2].partition("10^7:")[2])))
    return Chart(
        "Pairs found as a corpus grows",
        "paragraphs",
        "share of the near-duplicate pairs that is found",
        [Line("Uzushio, buckets of MinHash", points), *lines],
        [(10.0**power, f"10^{power}") for power in range(4, 11)],
        [(tenth / 5, f"{tenth / 5:.1f}") for tenth in range(6)],
        logarithmic=True,
    )


def largest_group(text: str) -> Chart:
    """Chains of near-duplicates run away, pivots do not."""
    header = "| | 10,680 | 42,719 | 170,873 |"
    rows = table(text, header)
    sizes = [number(cell) for cell in header.strip("| ").split("|")]
    lines = [
        Line(name, [(size, 100 * number(cell)) for size, cell in zip(sizes, rows[key], strict=True)])
        for key, name in (("pivots", "Uzushio, by pivots"), ("components", "connected components"))
    ]
    return Chart(
        "The largest group of near-duplicates",
        "distinct paragraphs",
        "% of the distinct paragraphs that are in it",
        lines,
        [(size, f"{size:,.0f}") for size in sizes],
        [(value / 5, f"{value / 5:.1f}") for value in range(6)],
        logarithmic=True,
    )


def chance(buckets: int, values: int) -> Callable[[float], float]:
    """How likely two sets share a bucket, by their Jaccard index."""
    return lambda similarity: 1 - (1 - similarity**values) ** buckets


def documents_found(text: str) -> Chart:
    """What buckets find, by how alike two documents are."""
    header = next(line for line in text.splitlines() if line.startswith("| s | .500 |"))
    rows = table(text, header)
    places = [number(cell) for cell in header.strip("| ").split("|")[1:]]
    found = [number(cell) for cell in rows["found, less that"]]
    expected = [number(cell) for cell in rows["formula"]]
    measured = [(place, x + y) for place, x, y in zip(places, expected, found, strict=True)]
    steps = [0.5 + step / 200 for step in range(101)]
    lines = [Line("40 x 20, measured", measured, joined=False)]
    for buckets, values in ((40, 20), (20, 20), (150, 15)):
        share = chance(buckets, values)
        name = f"{buckets} x {values}, by the formula"
        lines.append(Line(name, [(step, share(step)) for step in steps], dashed=True, marks=False))
    return Chart(
        "Pairs of documents found, by buckets x values",
        "Jaccard index of two documents",
        "share of the pairs that is found",
        lines,
        [(step / 10, f".{step}" if step < 10 else "1") for step in range(5, 11)],
        [(tenth / 5, f"{tenth / 5:.1f}") for tenth in range(6)],
    )


CHARTS = {
    "recall-and-growth.svg": recall_and_growth,
    "largest-group.svg": largest_group,
    "documents-found.svg": documents_found,
}


def drawn(chart: Chart) -> str:
    """The picture."""
    left, top, right, bottom = FREE
    scale = math.log10 if chart.logarithmic else float
    begin, end = scale(chart.ticks_x[0][0]), scale(chart.ticks_x[-1][0])

    def at(point: Point) -> tuple[str, str]:
        x = left + (scale(point[0]) - begin) / (end - begin) * (WIDTH - left - right)
        y = HEIGHT - bottom - point[1] / chart.ticks_y[-1][0] * (HEIGHT - top - bottom)
        return f"{x:.1f}", f"{y:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"',
        ' font-family="sans-serif" font-size="12">',
        f"<title>{chart.title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{left}" y="24" font-size="16">{chart.title}</text>',
        f'<text x="{(left + WIDTH - right) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{chart.horizontal}</text>',
        f'<text transform="translate(18 {(HEIGHT - bottom + top) / 2}) rotate(-90)" text-anchor="middle">',
        f"{chart.vertical}</text>",
    ]
    for place, label in chart.ticks_x:
        x, y = at((place, 0))
        power = re.fullmatch(r"10\^(\d+)", label)
        label = f'10<tspan dy="-5" font-size="9">{power.group(1)}</tspan>' if power else label
        parts.append(f'<text x="{x}" y="{float(y) + 18:.1f}" text-anchor="middle">{label}</text>')
    for value, label in chart.ticks_y:
        x, y = at((chart.ticks_x[0][0], value))
        parts.append(f'<path d="M{x} {y}H{WIDTH - right}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{label}</text>')
    colour = -1
    for place, line in enumerate(chart.lines):
        colour += 0 if line.name.startswith("…") else 1
        parts += drawn_line(line, COLOURS[colour], [at(point) for point in line.points], top + 16 + 22 * place)
    return "\n".join([*parts, "</svg>", ""])


def drawn_line(line: Line, colour: str, points: list[tuple[str, str]], y: int) -> list[str]:
    """A line, its marks, and its place in the legend."""
    dashes = ' stroke-dasharray="5 4"' if line.dashed else ""
    style = f'fill="none" stroke="{colour}" stroke-width="2"{dashes}'
    x = WIDTH - FREE[2] + 12
    parts = [f'<path d="M{" L".join(" ".join(point) for point in points)}" {style}/>'] if line.joined else []
    parts += [f'<path d="M{x} {y - 4}h22" {style}/>'] if line.joined else []
    marks = [*points, (f"{x + 11}", f"{y - 4}")] if line.marks else []
    parts += [f'<circle cx="{mark[0]}" cy="{mark[1]}" r="3.5" fill="{colour}"/>' for mark in marks]
    return [*parts, f'<text x="{x + 28}" y="{y}" font-size="11">{line.name}</text>']


def main() -> int:
    """Writes or checks every picture."""
    text = FIGURES.read_text(encoding="utf-8")
    pictures = ((IMAGES / name, drawn(chart(text))) for name, chart in CHARTS.items())
    return write_or_check(pictures, "is not of the figures; tools/draw_charts.py")


if __name__ == "__main__":
    sys.exit(main())
