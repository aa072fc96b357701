"""Pictures of metrics, to choose thresholds by."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from uzushio._arguments import named, nearest, several
from uzushio._errors import InputError, MissingFile, UsageError
from uzushio._filters import FilterChain
from uzushio._tables import Table, parquet_files, reader_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BOUND = re.compile(r"(<|>|<=|>=) (-?[0-9.]+(?:E-?[0-9]+)?)")
_ACROSS = 3
_WIDE = 1000.0
"""From which ratio of the largest to the least on, an axis is logarithmic."""


@named()
def plot_metrics(
    table: Table | str | bytes | os.PathLike[str],
    chain: FilterChain | None = None,
    *,
    columns: str | Iterable[str] | None = None,
    bins: int = 50,
) -> Figure:
    """The distributions of metrics, with the thresholds of a chain drawn in.

    `table` is what `FilterChain.metrics` returns, in any library, or the folder (or a Parquet file) that the stage
    `metrics` has written. There is a histogram for each of `columns`, by default all columns of floats. Of a `chain`,
    each bound of a metric is a dashed line, with the share of documents beyond it; bounds far from all documents are
    left out, and so are those that are not of the metric alone. NaN and infinite values are left out, and counted.

    Returns a `matplotlib.figure.Figure` (`figure.savefig("metrics.png")`), which pyplot does not know. Errors:
    UsageError where matplotlib is not installed, or a column is not there.

    >>> import matplotlib, pyarrow, uzushio
    >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
    >>> metrics = chain.metrics(pyarrow.table({"text": ["短い", "長い文章", "もっと長い文章"]}))
    >>> figure = uzushio.plot_metrics(metrics, chain)
    >>> [axes.get_title() for axes in figure.axes], figure.axes[0].get_legend().get_texts()[0].get_text()
    (['DocLength'], '< 3: 33.3 %')
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("plot_metrics draws by matplotlib, which is not installed: pip install matplotlib") from None
    if not isinstance(bins, int) or bins < 1:
        raise UsageError(f"bins={bins!r}: give a whole number above 0")
    found = _read(table)
    if chain is not None and not isinstance(chain, FilterChain):
        raise UsageError(f"chain: a FilterChain is expected, not {type(chain).__name__}; from_file makes one of a file")
    names = _chosen(found.schema, columns)
    bounds = _bounds(chain, names)
    rows = math.ceil(len(names) / _ACROSS)
    across = min(_ACROSS, len(names))
    figure = Figure(figsize=(4.5 * across, 3.2 * rows), layout="constrained")
    for place, name in enumerate(names, 1):
        _draw(figure.add_subplot(rows, across, place), name, found[name], bounds.get(name, []), bins)
    return figure


def _read(table: Any) -> pa.Table:
    """The columns of floats."""
    if not isinstance(table, (str, bytes, os.PathLike)):
        return reader_of(table).read_all()
    path = Path(os.fsdecode(table))
    files = [path] if path.is_file() else parquet_files(path, "metrics.parquet")
    if not files:
        kind = UsageError if path.exists() else MissingFile
        raise kind(f"{path}: there are no metrics; the stage `metrics` writes a folder of them")
    return pa.concat_tables([_floats(file) for file in files])


def _floats(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            names = [field.name for field in file.schema_arrow if pa.types.is_floating(field.type)]
            return file.read(columns=names)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: {error}") from error


def _chosen(schema: pa.Schema, columns: str | Iterable[str] | None) -> list[str]:
    there = [field.name for field in schema if pa.types.is_floating(field.type)]
    names = there if columns is None else several(columns, "columns")
    for name in names:
        if name not in there:
            hint = nearest(str(name), there) or f", only {', '.join(there)}"
            raise UsageError(f"columns: there is no metric {name!r}{hint}")
    if not names:
        raise UsageError("there are no metrics: the table has no column of floats")
    return names


def _bounds(chain: FilterChain | None, names: list[str]) -> dict[str, list[tuple[str, float]]]:
    """Comparison and number of each bound, by metric."""
    bounds: dict[str, list[tuple[str, float]]] = {}
    if chain is None:
        return bounds
    if not set(chain.columns) & set(names):
        raise UsageError(f"none of the chain's metrics ({', '.join(chain.columns)}) is drawn, only {', '.join(names)}")
    for column, _, text in chain._core.bounds():
        if match := _BOUND.fullmatch(text):
            bounds.setdefault(column, []).append((match[1], float(match[2])))
    return bounds


def _draw(axes: Axes, name: str, column: pa.ChunkedArray, bounds: list[tuple[str, float]], bins: int) -> None:
    import numpy as np

    every = np.asarray(column.drop_null().to_numpy(), dtype=np.float64)
    values = every[np.isfinite(every)]
    axes.set_title(name)
    axes.set_ylabel("documents")
    if left_out := len(column) - len(values):
        axes.set_xlabel(f"without {left_out:,} that are no finite number")
    if len(values) == 0:
        return
    least, most = float(values.min()), float(values.max())
    is_wide = least > 0 and most / least >= _WIDE
    if is_wide:
        axes.set_xscale("log")
    edges: int | list[float] = np.geomspace(least, most, bins + 1).tolist() if is_wide else bins
    step = 4 * bins * max(math.ulp(least), math.ulp(most))
    if most - least < step:  # there are too few numbers between them for so many bins
        edges = [least - max(0.5, step), most + max(0.5, step)]
    axes.hist(values, bins=edges, color="tab:blue", alpha=0.7)
    beyond = {"<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal}
    reach = (most - least) or abs(most) or 1.0
    for color, (sign, bound) in zip(_colors(len(bounds)), bounds, strict=True):
        share = float(np.mean(beyond[sign](values, bound)))
        if share > 0 or least - reach <= bound <= most + reach:
            axes.axvline(bound, color=color, linestyle="--", label=f"{sign} {bound:g}: {100 * share:.3g} %")
    if axes.lines:
        axes.legend(fontsize="small")


def _colors(count: int) -> list[str]:
    return [f"C{1 + place % 9}" for place in range(count)]
