"""What tests of Spark share."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

SPARK_TESTS = [
    pytest.mark.module,
    pytest.mark.xdist_group("spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java"),
]
BRIEF = {
    "spark.ui.enabled": "false",
    # A shuffle of few rows in 200 parts, Spark's default, takes longer than all else: half of all time in tests.
    "spark.sql.shuffle.partitions": "3",
    "spark.driver.bindAddress": "127.0.0.1",
    # What a virtual machine of a minute compiles thoroughly does not pay: two fifths of all time in tests.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""Settings of sessions that do not live long."""


def as_options(settings: dict[str, str]) -> list[str]:
    """Settings of a session, as a command takes them."""
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


OnSpark = Callable[..., dict[str, Any]]
CHAIN: list[dict[str, Any]] = [
    {"class": "DocLength", "low": 20},
    {"class": "LargeFreqParagraphs", "count": 2, "freq": 100},
    {"class": "DeduplicateDocumentsPercentile", "expected": 5, "percentile": 0.3},
    {"class": "MarkdownizeHeading"},
]


def table_of(folder: Path, *keys: str) -> pa.Table:
    """A dataset's rows in order of the keys, columns by name, no matter which columns may be null."""
    dataset = ds.dataset(folder, format="parquet", partitioning="hive")
    table = dataset.to_table().sort_by([(key, "ascending") for key in keys]).combine_chunks()
    fields = [pa.field(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in table.schema]
    return table.cast(pa.schema(fields)).select(sorted(table.column_names))


def assert_same(folder: Path, other: Path, *keys: str) -> None:
    """That two datasets have the same rows."""
    left, right = table_of(folder, *keys), table_of(other, *keys)
    assert left.num_rows == right.num_rows
    assert left.equals(right)
