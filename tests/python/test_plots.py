"""`plot_metrics`: what is drawn, of what."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz

pytestmark = pytest.mark.module

CHAIN = uz.FilterChain(
    [
        uz.Filter("DocLength", low=30),
        uz.Filter("HiraganaRatio", low=0.2, high=0.9),
        uz.Filter("DeduplicateDocuments"),
        uz.Filter("DuplicateParagraphs", limit=4),
    ]
)
TABLE = pa.table({"docId": [str(n) for n in range(100)], "text": ["かな漢字" * (n + 1) for n in range(100)]})


@pytest.fixture(name="figure_of")
def need_matplotlib() -> Any:
    """The function, where matplotlib is."""
    pytest.importorskip("matplotlib", reason="needs matplotlib")
    return uz.plot_metrics


def labels(axes: Any) -> list[str]:
    """Of the thresholds."""
    legend = axes.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def test_distributions_and_thresholds(figure_of: Any) -> None:
    """A histogram a metric, of all documents; a line where the chain decides, with what is beyond."""
    metrics = CHAIN.metrics(TABLE)
    figure = figure_of(metrics, CHAIN, bins=10)
    by_name = {axes.get_title(): axes for axes in figure.axes}
    assert list(by_name) == CHAIN.columns
    length = by_name["DocLength"]
    assert sum(patch.get_height() for patch in length.patches) == 100
    assert len(length.patches) == 10
    assert labels(length) == ["< 30: 7 %"]
    assert length.lines[0].get_xdata()[0] == 30
    assert labels(by_name["HiraganaRatio"]) == ["< 0.2: 0 %", "> 0.9: 0 %"]
    assert [axes.lines[:] for name, axes in by_name.items() if name.startswith("D")][1:] == [[], []]
    assert [labels(axes) for axes in figure_of(metrics).axes] == [[]] * 4
    assert all(axes.get_legend() is None for axes in figure_of(metrics).axes)


def test_files(figure_of: Any, tmp_path: Path) -> None:
    """A figure is written as any."""
    figure_of(CHAIN.metrics(TABLE), CHAIN).savefig(tmp_path / "metrics.png")
    assert (tmp_path / "metrics.png").read_bytes().startswith(b"\x89PNG")


def test_all_kinds_of_metrics(figure_of: Any, tmp_path: Path) -> None:
    """Tables of any library, the stage's folder and its file, Spark's folder of files."""
    metrics = CHAIN.metrics(TABLE)
    pq.write_table(TABLE, tmp_path / "a.parquet")
    uz.metrics(tmp_path / "a.parquet", tmp_path / "m", metric=["DocLength"], sorted_by="DocLength")
    (tmp_path / "spark" / "metrics.parquet").mkdir(parents=True)
    for number in range(2):
        part = tmp_path / "spark" / "metrics.parquet" / f"part-0000{number}.parquet"
        pq.write_table(metrics.slice(50 * number, 50), part)
    (tmp_path / "spark" / "metrics.parquet" / "_SUCCESS").touch()
    sources: list[Any] = [metrics, metrics.to_pandas(), pl.from_arrow(metrics), metrics.to_reader(7)]
    files: list[Any] = [tmp_path / "m", str(tmp_path / "m"), tmp_path / "m" / "metrics.parquet", tmp_path / "spark"]
    for source in [*sources, *files]:
        axes = figure_of(source, CHAIN, columns="DocLength").axes
        assert [one.get_title() for one in axes] == ["DocLength"]
        assert sum(patch.get_height() for patch in axes[0].patches) == 100
        assert labels(axes[0]) == ["< 30: 7 %"]


def test_wide_ranges(figure_of: Any) -> None:
    """Are drawn on a logarithmic axis; a single value, zeros and nothing at all are drawn, too."""
    metrics = pa.table(
        {"DocLength": [1.0, 10.0, 5000.0], "one": [3.0] * 3, "zero": [0.0, 0.0, 9e9], "gone": [float("nan")] * 3}
    )
    wide, one, zero, gone = figure_of(metrics, CHAIN).axes
    assert (wide.get_xscale(), one.get_xscale(), zero.get_xscale()) == ("log", "linear", "linear")
    assert [sum(patch.get_height() for patch in axes.patches) for axes in (wide, one, zero)] == [3, 3, 3]
    assert (list(gone.patches), gone.get_xlabel()) == ([], "without 3 that are no finite number")
    assert labels(wide) == ["< 30: 66.7 %"]


def test_pyplot_knows_nothing_of_it(figure_of: Any) -> None:
    """Many figures are no leak."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure_of(CHAIN.metrics(TABLE))
    assert pyplot.get_fignums() == []


def test_errors(figure_of: Any, tmp_path: Path) -> None:
    """Say what is there."""
    metrics = CHAIN.metrics(TABLE)
    with pytest.raises(uz.UsageError, match="no metric 'DocLenght'; did you mean DocLength"):
        figure_of(metrics, columns=["DocLenght"])
    with pytest.raises(uz.UsageError, match="none of the chain's metrics"):
        figure_of(metrics, uz.FilterChain([uz.Filter("CompressionRate")]))
    with pytest.raises(uz.UsageError, match="no column of floats"):
        figure_of(TABLE)
    with pytest.raises(uz.UsageError, match="bins=0"):
        figure_of(metrics, bins=0)
    with pytest.raises(uz.UsageError, match="there are no metrics"):
        figure_of(tmp_path)
    (tmp_path / "metrics.parquet").write_bytes(b"nothing")
    with pytest.raises(uz.InputError, match="metrics"):
        figure_of(tmp_path)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(uz.UsageError, match="pip install matplotlib"):
        uz.plot_metrics(pd.DataFrame({"x": [1.0]}))


def test_bounds_are_drawn_where_they_belong(figure_of: Any) -> None:
    """Those of a filter of several metrics, each at its own."""
    chain = uz.FilterChain([uz.Filter("SwallowQuality")])
    figure = figure_of(chain.metrics(TABLE), chain, columns=["num_letters", "hiragana_fraction"])
    assert [len(labels(axes)) for axes in figure.axes] == [1, 1]
    assert labels(figure.axes[1])[0].startswith("< 0.2")


@pytest.mark.parametrize("values", [[1 / 3, 0.33333333333333337], [1e300, 1.0000000000000002e300]])
def test_values_that_are_nearly_one(figure_of: Any, values: list[float]) -> None:
    """There are too few numbers between them for bins."""
    (axes,) = figure_of(pa.table({"m": values})).axes
    assert sum(patch.get_height() for patch in axes.patches) == 2


def test_a_chain_is_a_chain(figure_of: Any) -> None:
    """Not the name of one."""
    with pytest.raises(uz.UsageError, match="from_file makes one"):
        figure_of(CHAIN.metrics(TABLE), "chain.conf")
