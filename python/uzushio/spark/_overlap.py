"""`overlap` on DataFrames: how many URLs, documents and paragraphs they share."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from uzushio import _core
from uzushio._arguments import named
from uzushio._errors import UsageError
from uzushio._values import to_json
from uzushio.spark import _counts, _frames, _session
from uzushio.spark._counts import Counts
from uzushio.spark._hosts import OF_FILES
from uzushio.spark.worker import overlap as worker
from uzushio.spark.worker.overlap import Dataset
from uzushio.spark.worker.tasks import PartitionReport

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WHOLE = "givenReprHash"
"""A column of statistics that have all paragraphs."""
READ = ("documents", "documents_without_text", "documents_without_url", "paragraphs")
NOTHING = ("0 AS kind", "0 AS a", "0 AS b", "0L AS both")
"""A row of counts: without any, there may be no task."""


@named(OF_FILES.format(stage="overlap"))
def overlap(
    datasets: Mapping[str, DataFrame],
    text_column: str = "text",
    url_column: str = "url",
    counts: Counts | None = None,
) -> DataFrame:
    """What DataFrames share, as `uzushio.overlap` counts it: a row for each kind and pair, in their order.

    `datasets` are 2 to 64 DataFrames by name: documents, or statistics, whose paragraphs are compared; the `texts` of
    `stats` have all of them. Those without the column `url_column` are not compared by URLs. The columns are those of
    overlap.parquet: `kind`, `a`, `b`, `countA`, `countB`, `both`, `either`, `shareOfA`, `shareOfB`, `jaccard`. `counts`
    will say what was read of each.

    Two versions of a corpus, by their paragraphs:

        table = uzushio.spark.overlap({"2022": older, "2023": newer})
        table.where("kind = 'paragraphs'").select("both", "jaccard").show()
    """
    compared = _compared(datasets, text_column, url_column)
    frames = list(datasets.values())
    caller = frames[0].sparkSession
    report = None
    if counts is not None:
        report = _counts.bind(counts, caller, functools.partial(_told, compared))
    with _session.ours(caller) as session:
        values = [
            _values(_session.brought(frame, session), dataset, report)
            for frame, dataset in zip(frames, compared, strict=True)
        ]
        union = functools.reduce(lambda a, b: a.union(b), values)
        # By `high` alone, which is a hash: a value's rows meet in one task, and Spark need not move them again.
        together = union.repartition(_session.shuffle_partitions(*frames), "high").groupBy("high", "rest")
        distinct = together.agg(F.bit_or("datasets").alias("datasets")).select("rest", "datasets")
        shared = distinct.mapInArrow(functools.partial(worker.count_values, datasets=len(compared)), worker.SHARED)
        listed = functools.partial(worker.list_overlaps, datasets=_as_json(compared))
        schema = from_arrow_schema(pa.schema(_core.overlap_schema()))
        table = shared.union(session.range(1).selectExpr(*NOTHING)).repartition(1).mapInArrow(listed, schema)
        return _session.returned(table, caller)


def _compared(datasets: Mapping[str, DataFrame], text_column: str, url_column: str) -> list[Dataset]:
    """What is compared. Errors: UsageError, of names and columns."""
    if not isinstance(datasets, Mapping):
        raise UsageError(
            f"datasets: DataFrames by name are expected, as {{'2022': a, '2023': b}}, not {type(datasets).__name__}"
        )
    if not 2 <= len(datasets) <= _core.MOST_DATASETS:
        raise UsageError(f"datasets: 2 to {_core.MOST_DATASETS} DataFrames are compared, not {len(datasets)}")
    compared = []
    for number, (name, frame) in enumerate(datasets.items()):
        if not isinstance(name, str) or not name:
            raise UsageError(f"datasets: {name!r} is no name; give a text that is not empty")
        if not hasattr(frame, "sparkSession"):
            raise UsageError(f"datasets[{name!r}]: a DataFrame of Spark is expected, not {type(frame).__name__}")
        _session.require_classic(frame)
        try:
            compared.append(_dataset(name, number, frame, text_column, url_column))
        except UsageError as error:
            raise UsageError(f"datasets[{name!r}]: {error}") from None
        if compared[-1].is_statistics and WHOLE not in frame.columns:
            warnings.warn(
                f"datasets[{name!r}]: these statistics lack paragraphs that occur once, which are not compared; give "
                "the texts of uzushio.spark.stats",
                RuntimeWarning,
                stacklevel=4,
            )
    return compared


def _dataset(name: str, number: int, frame: DataFrame, text_column: str, url_column: str) -> Dataset:
    columns = set(frame.columns)
    if {"hash", "exactFreq"} <= columns and (text_column not in columns or WHOLE in columns):
        _core.check_statistics(_frames.columns_of(frame, *_frames.STATISTICS_COLUMNS))
        return Dataset(name, number, True, "", "")
    _frames.check_documents(frame, text_column, "")
    if url_column not in columns:
        return Dataset(name, number, False, text_column, "")
    _frames.check_urls(frame, url_column)
    return Dataset(name, number, False, text_column, url_column)


def _values(frame: DataFrame, dataset: Dataset, report: PartitionReport | None) -> DataFrame:
    """The values of a DataFrame, from the columns that have them."""
    names = ["hash"] if dataset.is_statistics else [dataset.text_column, dataset.url_column]
    chosen = ["`" + name.replace("`", "``") + "`" for name in dict.fromkeys(names) if name]
    own = None if report is None else dataclasses.replace(report, frame=dataset.number)
    return _frames.mapped(
        frame.select(*chosen), functools.partial(worker.list_values, dataset=dataset), worker.VALUES, own
    )


def _told(compared: list[Dataset], total: dict[str, Any]) -> dict[str, Any]:
    """The counts of a run, as the local program's summary has them, but for numbers of distinct values."""
    read = []
    for dataset in compared:
        counts = dict.fromkeys(READ, 0) | total["read"].get(str(dataset.number), {})
        names = [] if dataset.is_statistics else [name for name in READ if dataset.url_column or "url" not in name]
        read.append({"name": dataset.name} | {name: counts[name] for name in names})
    return {"datasets": read, "quarantined": total["quarantined"]}


def _as_json(compared: list[Dataset]) -> str:
    """For `_core.SharedCounts.rows`."""
    return to_json(
        [
            {"name": dataset.name, "is_statistics": dataset.is_statistics, "has_urls": bool(dataset.url_column)}
            for dataset in compared
        ]
    )
