"""That the pictures are of the figures in docs/benchmarks.md."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import draw_charts
import pytest


def marks(name: str, colour: int) -> list[tuple[float, float]]:
    """The marks of a line in the picture, without that of its legend: shares of the axes."""
    left, top, right, bottom = draw_charts.FREE
    width, height = draw_charts.WIDTH - left - right, draw_charts.HEIGHT - top - bottom
    root = ElementTree.parse(draw_charts.IMAGES / name).getroot()
    circles = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    found = [circle for circle in circles if circle.get("fill") == draw_charts.COLOURS[colour]]
    return [
        (
            (float(circle.get("cx", "")) - left) / width,
            (draw_charts.HEIGHT - bottom - float(circle.get("cy", ""))) / height,
        )
        for circle in found[:-1]
    ]


def test_recall_and_growth() -> None:
    """The second line's marks lie where the page's numbers belong: 10^4 to 10^10 paragraphs, 0 to 1."""
    expected = [(0.0, 0.616), (1 / 6, 0.399), (2 / 6, 0.275)]
    found = marks("recall-and-growth.svg", 1)
    assert [value for point in found for value in point] == pytest.approx(
        [value for point in expected for value in point], abs=5e-4
    )


def test_pictures_are_of_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """None is stale; each is when a number that it shows changes; a table that is gone is an error."""
    monkeypatch.setattr("sys.argv", ["draw_charts.py", "--check"])
    assert draw_charts.main() == 0
    text = draw_charts.FIGURES.read_text(encoding="utf-8")
    copy = tmp_path / "benchmarks.md"
    monkeypatch.setattr(draw_charts, "FIGURES", copy)
    for before, after in ((".616 (.580)", ".617 (.580)"), ("(10^7: .979)", "(10^7: .97)"), ("| .0092 |", "| .0093 |")):
        assert before in text
        copy.write_text(text.replace(before, after), encoding="utf-8")
        assert draw_charts.main() == 1
    copy.write_text(text.replace("| pivots |", "| others |").replace("10,680 |", "10,681 |"), encoding="utf-8")
    with pytest.raises(SystemExit, match="there is no table"):
        draw_charts.main()
