"""Groups of near-duplicates: by one task or, where there are too many pairs for it, by rounds over them.

Each round's pairs are written to the run's scratch folder, so that a round that has to be done again begins with files,
and neither plans nor lineage grow. The driver sees counts only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from uzushio._errors import UsageError
from uzushio.spark._output import for_spark
from uzushio.spark._paths import no_glob
from uzushio.spark._steps import data, of_kind
from uzushio.spark.worker.statistics import COUNTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from uzushio.spark._steps import Exchange


def taken(exchange: Exchange, near: DataFrame) -> DataFrame:
    """Which paragraphs are in the group of which pivot."""
    components = exchange.options.get("groups") == "components"
    size = data(near).agg(F.sum(F.length("data"))).first()
    if ((size and size[0]) or 0) // 16 <= exchange.single_task_pairs:
        return exchange.map(near.repartition(1), "components" if components else "pivot")
    grouped = group(exchange, exchange.list_pairs(near), components)
    return exchange.take(grouped).unionByName(of_kind(near, COUNTS))


def group(exchange: Exchange, pairs: DataFrame, components: bool) -> DataFrame:
    """Rows `pivot`, `hash`: each paragraph that is in the group of another, and that one's hash.

    `pairs` has `hash` and `otherHash`, the lesser first.
    """
    if exchange.scratch is None:
        raise UsageError("groups are too many for one task: give a scratch folder that all executors reach")
    rounds = _Rounds(exchange)
    edges = rounds.save(pairs.select(F.col("hash").alias("a"), F.col("otherHash").alias("b")))
    exchange.near_pairs = edges.count()
    return _components(rounds, edges) if components else _pivots(rounds, edges)


class _Rounds:
    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.spark = exchange.spark
        self._saved = 0

    def save(self, rows: DataFrame) -> DataFrame:
        self._saved += 1
        path = for_spark(f"{self.exchange.scratch}/round-{self._saved}")
        rows.write.mode("overwrite").option("compression", "zstd").parquet(path)
        return self.spark.read.parquet(no_glob(path))

    def fits_one_task(self, edges: DataFrame) -> bool:
        return edges.count() <= self.exchange.single_task_pairs

    def in_one_task(self, edges: DataFrame, step: str) -> DataFrame:
        """Rows `pivot`, `hash` of what is left."""
        pieces = self.exchange.take(edges.select(F.col("a").alias("pivot"), F.col("b").alias("hash")))
        near = pieces.withColumn("kind", F.lit("near"))
        taken = data(self.exchange.map(near.repartition(1), step)).withColumn("kind", F.lit("near"))
        listed = self.exchange.list_pairs(taken)
        return listed.select(F.col("hash").alias("pivot"), F.col("otherHash").alias("hash"))


def _pivots(rounds: _Rounds, near: DataFrame) -> DataFrame:
    """Greedy by hash, in parallel (Blelloch, Fineman, Shun 2012: rounds grow with the logarithm of the paragraphs).

    A paragraph without a lesser one beside it is a pivot; what is beside a pivot is taken. Both leave, with their
    pairs. In the end every paragraph that was not taken is a pivot, and takes those beside it that no lesser one does.
    """
    edges = near
    taken: DataFrame | None = None
    while not rounds.fits_one_task(edges):
        seconds = edges.select(F.col("b").alias("a")).distinct()
        of_pivots = edges.join(seconds, "a", "left_anti")
        now = rounds.save(of_pivots.select(F.col("b").alias("hash")).distinct())
        taken = now if taken is None else taken.unionByName(now)
        left = edges.join(seconds, "a", "left_semi")  # firsts that are no pivots
        left = left.join(now, left["a"] == now["hash"], "left_anti")
        edges = rounds.save(left.join(now, left["b"] == now["hash"], "left_anti"))
    rest = rounds.in_one_task(edges, "pivot")
    if taken is None:
        return rest
    taken = rounds.save(taken.unionByName(rest.select("hash")))
    free = near.join(taken, near["a"] == taken["hash"], "left_anti")
    return free.groupBy(F.col("b").alias("hash")).agg(F.min("a").alias("pivot")).select("pivot", "hash")


def _components(rounds: _Rounds, edges: DataFrame) -> DataFrame:
    """Connected components by alternating stars (Kiveris et al. 2014, section 3): every pair ends at the least hash."""
    while not rounds.fits_one_task(edges):
        before = _fingerprint(edges)
        edges = rounds.save(_star(edges, large=True))
        edges = rounds.save(_star(edges, large=False))
        if _fingerprint(edges) == before:
            return edges.select(F.col("a").alias("pivot"), F.col("b").alias("hash"))
    return rounds.in_one_task(edges, "components")


def _star(edges: DataFrame, large: bool) -> DataFrame:
    """Joins each paragraph's greater neighbours (`large`), or itself and its lesser ones, to the least of all."""
    lesser = edges.select(F.col("b").alias("node"), F.col("a").alias("neighbour"))
    greater = edges.select(F.col("a").alias("node"), F.col("b").alias("neighbour"))
    sides = lesser.unionByName(greater) if large else lesser
    least = sides.groupBy("node").agg(F.min("neighbour").alias("least"))
    least = least.withColumn("least", F.least("node", "least"))
    joined = sides.join(least, "node")
    if large:
        joined = joined.where(F.col("neighbour") > F.col("node")).select(
            F.col("least").alias("a"), F.col("neighbour").alias("b")
        )
    else:
        own = least.select(F.col("least").alias("a"), F.col("node").alias("b"))
        others = joined.select(F.col("least").alias("a"), F.col("neighbour").alias("b"))
        joined = own.unionByName(others)
    return joined.where(F.col("a") != F.col("b")).distinct()


def _fingerprint(edges: DataFrame) -> tuple[int, int]:
    row = edges.agg(F.count("*"), F.bit_xor(F.xxhash64("a", "b"))).first()
    assert row is not None
    return row[0], row[1]
