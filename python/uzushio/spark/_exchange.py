"""Statistics on Spark: the steps of src/stages/exchange.h, with Spark's shuffle between them."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.accumulators import AccumulatorParam
from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel

from uzushio.spark import _tasks
from uzushio.spark._tasks import Budget, Counts, Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PIECES = "kind string, partition int, place int, data binary"
ROWS = "hash bigint, reprHash bigint, exactFreq int, nearFreq int"
TEXTS = "hash bigint, givenReprHash bigint, exactFreq int, text string"
PAIRS = "hash bigint, otherHash bigint"

GROUPS = "nearFreq int, reprHash bigint, exactFreq int, hash bigint, text string"
GROUPING = ("pivot", "components", "list-pairs")
"""The steps that see every pair of near-duplicates once."""

LEAST_BITS, MOST_BITS = 1, 12


class _CountsParam(AccumulatorParam[dict[str, Counts]]):
    """Counts by step and task; a task that ran again says the same again."""

    def zero(self, value: dict[str, Counts]) -> dict[str, Counts]:
        return {}

    def addInPlace(self, value1: dict[str, Counts], value2: dict[str, Counts]) -> dict[str, Counts]:
        value1.update(value2)
        return value1


class RunCounts:
    """What the tasks of a run have counted."""

    def __init__(self, spark: SparkSession) -> None:
        self._accumulator = spark.sparkContext.accumulator({}, _CountsParam())

    def report(self, step: str) -> Report:
        """For the tasks of a step."""
        return Report(step, self._accumulator)

    def total(self, step: str | None = None) -> Counts:
        """The sums over all tasks, of one step or of all."""
        total: Counts = {}
        for key, counts in self._accumulator.value.items():
            if step is None or key.startswith(step + "/"):
                total = _tasks.add_counts(total, counts)
        return total


def places(spark: SparkSession, partitions: int) -> list[int]:
    """Numbers that `repartition(partitions, column)` spreads one to a partition, in order.

    Spark puts a row by the hash of its key; plain numbers would meet in some partitions and leave others empty.
    """
    keys = spark.range(64 * partitions).select(F.col("id").cast("int").alias("key"))
    place = F.pmod(F.hash("key"), F.lit(partitions)).alias("place")
    found = keys.groupBy(place).agg(F.min("key")).collect()
    by_place = {row[0]: row[1] for row in found}
    return [by_place.get(place, place) for place in range(partitions)]


def partition_bits(text_bytes: int, task_memory: int, parallelism: int) -> int:
    """The number of partitions, as bits: none larger than a task's memory takes, and enough for all cores."""
    wanted = max(32 * text_bytes // task_memory, 2 * parallelism, 1)
    return min(max((wanted - 1).bit_length(), LEAST_BITS), MOST_BITS)


@dataclass
class Exchange:
    """The steps of one run. DataFrames here have the columns `PIECES`, but for those that `list_…` gives."""

    spark: SparkSession
    options: dict[str, Any]
    """As `NearDuplicateOptions` in src/stages/near_duplicates.h has them, and `intermediate`."""
    bits: int
    budget: Budget
    scratch: str | None
    """A folder that all executors reach, for rounds over pairs."""
    single_task_pairs: int
    """Pairs of near-duplicates that one task may group."""
    counts: RunCounts
    _kept: list[DataFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.partitions = 1 << self.bits
        self.places = places(self.spark, self.partitions)

    def config(self, step: str, **more: Any) -> Counts:
        """What a task has to know."""
        return self.options | {"step": step, "partition_bits": self.bits, "places": self.places} | more

    def keep(self, pieces: DataFrame) -> DataFrame:
        """Keeps what is used more than once; lost blocks are made again."""
        self._kept.append(pieces.persist(StorageLevel.MEMORY_AND_DISK))
        return self._kept[-1]

    def forget(self) -> None:
        """Frees what was kept."""
        for pieces in self._kept:
            pieces.unpersist()
        self._kept.clear()

    def together(self, *pieces: DataFrame) -> DataFrame:
        """Brings the pieces of each partition to one task."""
        union = functools.reduce(lambda a, b: a.unionByName(b), pieces)
        return union.repartition(self.partitions, "place")

    def map(self, pieces: DataFrame, step: str, schema: str = PIECES, **more: Any) -> DataFrame:
        """A step, by the tasks in which the pieces are."""
        function = functools.partial(
            _tasks.run_step, config=self.config(step, **more), budget=self.budget, report=self.counts.report(step)
        )
        return pieces.mapInArrow(function, schema)

    def step(self, step: str, *pieces: DataFrame, schema: str = PIECES, **more: Any) -> DataFrame:
        """A step on pieces that are brought together first."""
        return self.map(self.together(*pieces), step, schema, **more)

    # --- the whole ---

    def store(self, counted: DataFrame) -> DataFrame:
        """The distinct paragraphs."""
        return self.keep(self.step("store", counted))

    def pairs(self, stored: DataFrame) -> DataFrame:
        """Pairs of candidates."""
        entries = self.map(stored, "entries")
        if self.options.get("candidates") == "simhash":
            return self._pairs_of_ranks(self.keep(entries))
        paired = self.keep(self.step("pair", entries))
        kinds = {row["kind"] for row in paired.groupBy("kind").count().collect()}
        pairs = of_kind(paired, "pairs")
        if "aside" not in kinds:
            return pairs
        kept = self.step("keep", of_kind(paired, "aside"))
        return pairs.unionByName(self.step("pair-large", of_kind(paired, "kept"), kept))

    def _pairs_of_ranks(self, entries: DataFrame) -> DataFrame:
        """Pairs of neighbours in sorted ranges, some of which lie across the borders of ranges."""
        entry_bytes = 32
        sizes = entries.groupBy("partition").agg(F.sum(F.length("data")).alias("bytes")).collect()
        size = {row["partition"]: row["bytes"] // entry_bytes for row in sizes}
        tails = tails_needed(size, self.partitions // self.options["rotations"], self.options["window"])
        return self.step("pair-ranks", entries, self.step("tails", entries, tails=tails))

    def near(self, stored: DataFrame) -> DataFrame:
        """Pairs of near-duplicates. Kept."""
        attached = self.step("attach", self.pairs(stored), stored)
        return self.keep(self.step("compare", attached, stored))

    def taken(self, near: DataFrame) -> DataFrame:
        """Which paragraphs are in the group of which pivot."""
        from uzushio.spark import _groups

        size = near.agg(F.sum(F.length("data"))).first()
        if ((size and size[0]) or 0) // 16 <= self.single_task_pairs:
            step = "components" if self.options.get("groups") == "components" else "pivot"
            return self.map(near.repartition(1), step)
        pairs = self.list_pairs(near)
        grouped = _groups.group(self, pairs, components=self.options.get("groups") == "components")
        return self.take(grouped)

    def take(self, grouped: DataFrame) -> DataFrame:
        """Pieces of rows `pivot`, `hash`."""
        function = functools.partial(_tasks.take, config=self.config("take"), budget=self.budget)
        return grouped.mapInArrow(function, PIECES)

    def rows(self, stored: DataFrame, taken: DataFrame) -> DataFrame:
        """The rows of statistics."""
        return self.step("sum", self.step("share", taken, self.map(stored, "heads")))

    def list_rows(self, rows: DataFrame) -> DataFrame:
        """Statistics, in order of hashes."""
        return self.step("list-rows", rows, schema=ROWS)

    def list_texts(self, stored: DataFrame) -> DataFrame:
        """What merging needs, in order of hashes."""
        return self.map(stored, "list-texts", schema=TEXTS)

    def list_groups(self, rows: DataFrame, stored: DataFrame) -> DataFrame:
        """The members of groups with their texts."""
        return self.step("list-groups", rows, stored, schema=GROUPS)

    def list_pairs(self, near: DataFrame) -> DataFrame:
        """Pairs of hashes, in order."""
        return self.step("list-pairs", near, schema=PAIRS)


def of_kind(pieces: DataFrame, kind: str) -> DataFrame:
    """The pieces of a kind."""
    return pieces.where(F.col("kind") == kind)


def tails_needed(sizes: dict[int, int], ranges: int, window: int) -> dict[str, list[int]]:
    """For each range of a rotation, the later ranges that need its last ranks.

    >>> tails_needed({0: 9, 1: 2, 2: 9, 3: 9}, ranges=4, window=3)
    {'0': [1, 2], '1': [2], '2': [3]}
    """
    tails: dict[str, list[int]] = {}
    for place in sorted(sizes):
        between = 0
        for later in range(place + 1, (place // ranges + 1) * ranges):
            if between >= window:
                break
            if sizes.get(later):
                tails.setdefault(str(place), []).append(later)
                between += sizes[later]
    return tails


def parallel_tasks(spark: SparkSession, work: list[Any]) -> DataFrame:
    """A task for each item of work, whose rows are the item's number and its JSON."""
    rows = [(number, json.dumps(item)) for number, item in enumerate(work)]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, max(1, len(rows))), "task int, work string")
