"""What a run's, or a DataFrame's, tasks have counted."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from uzushio._errors import UsageError
from uzushio.spark.worker import tasks
from uzushio.spark.worker.tasks import add_counts

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator, AccumulatorParam
    from pyspark.sql import DataFrame, SparkSession


class Counts:
    """The counts of a DataFrame of `extract`, `filter`, `hosts` or `overlap`, as the local program's summary has them.

    Give a new one as `counts=`, run an action that reads all of the DataFrame, such as a write, and look at `value`.
    Each partition counts once, however often it is worked out: for two actions, by a task that is tried again, by one
    that Spark runs twice. Partitions that an action (`limit`, `show`) does not read to their end do not count.
    """

    def __init__(self) -> None:
        self._accumulator: Accumulator[dict[int, bytes]] | None = None
        self._of: Callable[[tasks.Counts], tasks.Counts] = dict
        self._partitions: int | None = None

    @property
    def value(self) -> dict[str, Any]:
        """The sums over all partitions that have been read to their end.

        Of `extract`: records, documents, paragraphs, text_bytes, characters; rejected, quarantined, languages by name.
        Of `filter`: input, passed, empty, and removed by reason, each with documents, paragraphs, text_bytes and
        characters; quarantined by reason. Of `hosts`: documents, without_host, quarantined. Of `overlap`: datasets, of
        each its name and what was read; quarantined. Raises `uzushio.UsageError` before anything is counted, and when
        files of `extract` have not been read.
        """
        parts = self._accumulator.value if self._accumulator is not None else {}
        if not parts or len(parts) < (self._partitions or 0):
            known = f"of {self._partitions} files, {len(parts)} are" if self._partitions else "nothing is"
            raise UsageError(f"{known} counted yet: run an action that reads all of the DataFrame, such as a write")
        return self._of(functools.reduce(add_counts, map(json.loads, parts.values())))


def bind(
    counts: Counts, spark: SparkSession, of: Callable[[tasks.Counts], tasks.Counts], partitions: int | None = None
) -> tasks.PartitionReport:
    """Has tasks report to `counts`. `of` makes what is told of the sums; `partitions` says how many there must be."""
    if counts._accumulator is not None:
        raise UsageError("counts: these are the counts of another DataFrame; give each its own")
    counts._accumulator = spark.sparkContext.accumulator(
        {}, cast("AccumulatorParam[dict[int, bytes]]", tasks.PartitionsParam())
    )
    counts._of, counts._partitions = of, partitions
    return tasks.PartitionReport(counts._accumulator)


def with_partition(frame: DataFrame) -> DataFrame:
    """The rows, each with the number of its partition, whatever task reads it: the last column."""
    from pyspark.sql import functions as F

    return frame.select("*", F.spark_partition_id().alias(tasks.PARTITION))
