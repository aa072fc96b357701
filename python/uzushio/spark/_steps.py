"""Statistics on Spark: the steps of src/statistics/tasks/step_task.h, with Spark's shuffle between them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel

from uzushio import _core
from uzushio.spark._run import RunCounts
from uzushio.spark.worker import statistics
from uzushio.spark.worker.tasks import Budget, Counts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

INDEX_NAME = _core.FREQUENCY_INDEX
STATISTICS, INTERMEDIATE = "statistics.parquet", _core.INTERMEDIATE_FILE
GROUPS_FOLDER = f"{_core.OWN_FOLDER}/groups"
"""What is in a folder of statistics."""

PIECES = "kind string, partition int, place int, data binary"
ROWS = "hash bigint, reprHash bigint, exactFreq int, nearFreq int"
TEXTS = "hash bigint, givenReprHash bigint, exactFreq int, givenNearFreq int, text string"
PAIRS = "hash bigint, otherHash bigint"
GROUPS = "groupFreq int, reprHash bigint, nearFreq int, exactFreq int, hash bigint, text string"
NEIGHBOURS = "neighbours"

LEAST_BITS, MOST_BITS = 1, 12


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
    """The steps of one run. DataFrames here have the columns `PIECES`, but for those that `list_…` gives.

    Pieces of the kind `counts` say what tasks have counted so far, and go from each step to the next, to `list_rows`:
    so they are worked out anew with the data, and are lost or come twice no more than these. Where pieces are used a
    second time, `data` leaves them out.
    """

    spark: SparkSession
    options: dict[str, Any]
    """As `NearDuplicateOptions` in src/statistics/search.h has them, and `intermediate`."""
    bits: int
    budget: Budget
    scratch: str | None
    """A folder that all executors reach, for rounds over pairs."""
    single_task_pairs: int
    """Pairs of near-duplicates that one task may group."""
    near_pairs: int | None = None
    """Pairs of near-duplicates, where the driver has counted them: where they are grouped by rounds."""
    _kept: list[DataFrame] = field(default_factory=list)
    _neighbours: list[DataFrame] = field(default_factory=list)
    """What paragraphs' near-duplicates add to their frequencies."""

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

    def map(self, pieces: DataFrame, step: str, **more: Any) -> DataFrame:
        """A step, by the tasks in which the pieces are."""
        function = functools.partial(statistics.run_step, config=self.config(step, **more), budget=self.budget)
        return pieces.mapInArrow(function, PIECES)

    def step(self, step: str, *pieces: DataFrame, **more: Any) -> DataFrame:
        """A step on pieces that are brought together first."""
        return self.map(self.together(*pieces), step, **more)

    def table(self, pieces: DataFrame, step: str, schema: str, counts: RunCounts | None = None) -> DataFrame:
        """A step that gives a table, by the tasks in which the pieces are."""
        report = counts.report() if counts is not None else None
        function = functools.partial(statistics.list_step, config=self.config(step), budget=self.budget, report=report)
        return pieces.mapInArrow(function, schema)

    # --- the whole ---

    def store(self, counted: DataFrame) -> DataFrame:
        """The distinct paragraphs."""
        return self.keep(self.step("store", counted))

    def pairs(self, stored: DataFrame) -> DataFrame:
        """Pairs of candidates."""
        entries = self.map(data(stored), "entries")
        if self.options.get("candidates") == "simhash":
            return self._pairs_of_ranks(self.keep(entries))
        paired = self.keep(self.step("pair", entries))
        kinds = {row["kind"] for row in paired.groupBy("kind").count().collect()}
        pairs = of_kind(paired, "pairs", statistics.COUNTS)
        if "aside" not in kinds:
            return pairs
        kept = self.keep(self.step("keep", of_kind(paired, "aside")))
        self._neighbours += [of_kind(paired, NEIGHBOURS), of_kind(kept, NEIGHBOURS)]
        return pairs.unionByName(
            self.step("pair-large", of_kind(paired, "kept"), of_kind(kept, "kept", statistics.COUNTS))
        )

    def _pairs_of_ranks(self, entries: DataFrame) -> DataFrame:
        """Pairs of neighbours in sorted ranges, some of which lie across the borders of ranges."""
        entry_bytes = 32
        sizes = data(entries).groupBy("partition").agg(F.sum(F.length("data")).alias("bytes")).collect()
        size = {row["partition"]: row["bytes"] // entry_bytes for row in sizes}
        tails = tails_needed(size, self.partitions // self.options["rotations"], self.options["window"])
        return self.step("pair-ranks", entries, self.step("tails", data(entries), tails=tails))

    def near(self, stored: DataFrame) -> DataFrame:
        """Pairs of near-duplicates. Kept."""
        attached = self.step("attach", self.pairs(stored), data(stored))
        compared = self.keep(self.step("compare", attached, data(stored)))
        self._neighbours.append(of_kind(compared, NEIGHBOURS))
        return of_kind(compared, "near", statistics.COUNTS)

    def take(self, grouped: DataFrame) -> DataFrame:
        """Pieces of rows `pivot`, `hash`."""
        function = functools.partial(statistics.take, config=self.config("take"), budget=self.budget)
        return grouped.mapInArrow(function, PIECES)

    def rows(self, stored: DataFrame, taken: DataFrame) -> DataFrame:
        """The rows of statistics."""
        return self.step("sum", self.step("share", taken, self.map(stored, "heads"), *self._neighbours))

    def list_rows(self, rows: DataFrame, counts: RunCounts | None = None) -> DataFrame:
        """Statistics, in order of hashes. `counts` will have all counts once they are written."""
        return self.table(self.together(rows), "list-rows", ROWS, counts)

    def list_texts(self, stored: DataFrame) -> DataFrame:
        """What merging needs, in order of hashes."""
        return self.table(stored, "list-texts", TEXTS)

    def list_groups(self, rows: DataFrame, stored: DataFrame) -> DataFrame:
        """The members of groups with their texts."""
        return self.table(self.together(rows, stored), "list-groups", GROUPS)

    def list_pairs(self, near: DataFrame) -> DataFrame:
        """Pairs of hashes, in order."""
        return self.table(self.together(near), "list-pairs", PAIRS)


def of_kind(pieces: DataFrame, *kinds: str) -> DataFrame:
    """The pieces of some kinds."""
    return pieces.where(F.col("kind").isin(*kinds))


def data(pieces: DataFrame) -> DataFrame:
    """The pieces without counts."""
    return pieces.where(F.col("kind") != statistics.COUNTS)


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
