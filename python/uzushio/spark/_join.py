"""Frequencies of paragraphs by join, for statistics whose index executors can not hold."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel

from uzushio.spark import _exchange, _tasks
from uzushio.spark._session import parallelism
from uzushio.spark._tasks import Places

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MESSAGES = "kind string, place int, chunk string, data binary"


def new_places(spark: SparkSession, statistics_bytes: int) -> Places:
    """Partitions for statistics of so many bytes, and for all cores."""
    bits = _exchange.partition_bits(statistics_bytes // 8, 1 << 30, 2 * parallelism(spark))
    return Places(bits, _exchange.places(spark, 1 << bits))


def answered(asked: DataFrame, statistics: DataFrame, places: Places) -> tuple[DataFrame, DataFrame]:
    """Documents and the answers to their questions, to be read by `filter_answered`; and what is kept until then."""
    kept = asked.persist(StorageLevel.DISK_ONLY)
    known = statistics.mapInArrow(functools.partial(_tasks.tell_statistics, places=places), MESSAGES)
    questions = kept.where(F.col("kind") == "2-asked")
    met = known.unionByName(questions).repartition(len(places.keys), "place").sortWithinPartitions("kind")
    answers = met.mapInArrow(functools.partial(_tasks.answer, places=places), MESSAGES)
    documents = kept.where(F.col("kind") == "2-documents")
    together = documents.unionByName(answers).repartition(len(places.keys), "place")
    return together.sortWithinPartitions("chunk", "kind"), kept
