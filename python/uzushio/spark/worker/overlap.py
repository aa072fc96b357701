"""`overlap`: datasets to hashes of their values, distinct ones to counts, and these to the rows of the table."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pyarrow as pa

from uzushio import _core
from uzushio.spark.worker.documents import no_utf8
from uzushio.spark.worker.tasks import Batches, Tell, in_slices

VALUES = "high bigint, rest bigint, datasets bigint"
"""Of a value: what equal ones have in common, and a bit for each dataset that has it."""
SHARED = "kind int, a int, b int, both bigint"
"""How many distinct values both of two datasets have."""


@dataclass(frozen=True)
class Dataset:
    """A DataFrame that is compared."""

    name: str
    number: int
    is_statistics: bool
    text_column: str
    url_column: str
    """Empty: it has none."""


def list_values(batches: Batches, dataset: Dataset, report: Tell | None = None) -> Batches:
    """The values of documents, or of statistics."""
    reader = _core.ValueBatches(dataset.number, dataset.text_column, dataset.url_column, dataset.is_statistics)
    bad = 0
    for batch in batches:
        values, rows = reader.take(batch)
        bad += len(rows)
        yield from in_slices(pa.record_batch(values))
    if report is not None:
        report({"read": {str(dataset.number): json.loads(reader.read())}, "quarantined": no_utf8(bad)})


def count_values(batches: Batches, datasets: int) -> Batches:
    """Distinct values to how many any two datasets share."""
    counts = _core.SharedCounts(datasets)
    for batch in batches:
        counts.count_values(batch)
    yield pa.record_batch(counts.batch())


def list_overlaps(batches: Batches, datasets: str) -> Batches:
    """The counts of all tasks to the table; `datasets` is JSON, as `_core.SharedCounts.rows` takes it."""
    counts = _core.SharedCounts(len(json.loads(datasets)))
    for batch in batches:
        counts.add(batch)
    yield pa.RecordBatch.from_pylist(json.loads(counts.rows(datasets)), schema=pa.schema(_core.overlap_schema()))
