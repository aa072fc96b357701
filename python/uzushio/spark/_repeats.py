"""Filters that compare all documents of a run: a pass for each before the one that filters."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from uzushio.spark._run import spread
from uzushio.spark._session import PARTITION_BYTES, parallelism
from uzushio.spark.worker import repeats as worker
from uzushio.spark.worker.repeats import Repeats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from uzushio.spark.worker.documents import Chain, Records
    from uzushio.spark.worker.tasks import Counts


def find(
    spark: SparkSession, splits: list[Counts], steps: Sequence[int], chain: Chain, records: Records, scratch: str
) -> Repeats:
    """What the filters at these places of the chain find."""
    repeats = Repeats(scratch)
    partitions = max(2 * parallelism(spark), -(-sum(split["bytes"] for split in splits) // PARTITION_BYTES))
    for step in steps:
        elements = spread(spark, splits).mapInArrow(
            functools.partial(worker.list_elements, chain=chain, records=records, repeats=repeats, step=step),
            worker.ELEMENTS,
        )
        ordered = elements.repartition(partitions, "high", "low").sortWithinPartitions(
            "high", "low", "split", "element"
        )
        found = ordered.mapInArrow(functools.partial(worker.take_repeats), worker.REPEATS)
        of_splits = found.repartition(min(partitions, len(splits)), "split").sortWithinPartitions("split", "element")
        write = functools.partial(worker.write_repeats, folder=repeats.folder(step))
        of_splits.mapInArrow(write, worker.REPEATS).count()
        repeats = replace(repeats, steps=(*repeats.steps, step))
    return repeats
