"""Frequencies of paragraphs by join, for statistics whose index executors can not hold."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from uzushio.spark import _steps
from uzushio.spark._session import parallelism
from uzushio.spark.worker import join
from uzushio.spark.worker.join import Places

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MESSAGES = "kind string, place int, chunk string, data binary"


def new_places(spark: SparkSession, statistics_bytes: int) -> Places:
    """Partitions for statistics of so many bytes, and for all cores."""
    bits = _steps.partition_bits(statistics_bytes // 8, 1 << 30, 2 * parallelism(spark))
    return Places(bits, _steps.places(spark, 1 << bits))


def answered(asked: DataFrame, statistics: DataFrame, places: Places) -> DataFrame:
    """Documents and the answers to their questions, to be read by `filter_answered`.

    `asked` is read twice: keep it where it takes long to make.
    """
    known = statistics.mapInArrow(functools.partial(join.tell_statistics, places=places), MESSAGES)
    is_question = F.col("kind") == "2-asked"
    met = known.unionByName(asked.where(is_question)).repartition(len(places.keys), "place")
    answers = met.sortWithinPartitions("kind").mapInArrow(functools.partial(join.answer, places=places), MESSAGES)
    together = asked.where(~is_question).unionByName(answers).repartition(len(places.keys), "place")
    return together.sortWithinPartitions("chunk", "kind")
