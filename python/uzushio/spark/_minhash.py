"""`minhash`: documents to those that are no near-duplicates of others."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.storagelevel import StorageLevel

from uzushio import _core
from uzushio._errors import RunError, UsageError
from uzushio._values import to_json
from uzushio.spark import _steps
from uzushio.spark._documents import Documents
from uzushio.spark._output import OutputFolder, at_end
from uzushio.spark._run import Run, RunCounts, spread, tasks_for, write
from uzushio.spark._session import budget, parallelism
from uzushio.spark.worker import minhash as worker
from uzushio.spark.worker.documents import Records
from uzushio.spark.worker.minhash import LAST, Comparison
from uzushio.spark.worker.tasks import Budget, Counts, Quarantine

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

BUCKET_ROW_BYTES = 64
"""What a document takes in a partition besides its buckets, about, in bytes: its priority, its id."""

GROUPS_TOLD = 5

FOUND = "kind string, number bigint, source int, leader bigint, first bigint, `order` binary, id binary, data binary"
DUPLICATES = "number bigint, id binary, similarity double, of_others boolean"
PAIRS = "number bigint, source int, leader bigint, first bigint, `order` binary, id binary"


@dataclass(frozen=True)
class Indexes:
    """Indexes of other runs, on paths that executors reach: name, identity of the documents, checksum."""

    against: list[tuple[str, str, str]]
    beside: list[tuple[str, str, str]]

    @staticmethod
    def find(options: str, against: Sequence[str], beside: Sequence[str]) -> Indexes:
        """Opens them once, on the driver."""
        return Indexes(
            _core.find_document_indexes(options, "--against", list(against)),
            _core.find_document_indexes(options, "--beside", list(beside)),
        )

    def identity(self) -> Counts:
        """For what makes runs the same."""
        told = {"against": self.against, "beside": self.beside}
        return {
            option: [{"name": name, "checksum": checksum} for name, _, checksum in found]
            for option, found in told.items()
        }

    def order(self, own: str) -> tuple[tuple[str, str] | None, ...]:
        """Folders and checksums, and None for this run, in the order of DocumentSets (src/stages/minhash)."""
        others = [(identity, (name, checksum)) for name, identity, checksum in self.beside]
        equals = sorted([(own, None), *others], key=lambda one: one[0])
        for (identity, one), (other, same) in itertools.pairwise(equals):
            if identity == other:
                name, _ = one or same or ("", "")
                raise UsageError(
                    f"--beside {name}: these are the documents of this run, or of another --beside; name each other "
                    "part of the corpus once"
                )
        return (*((name, checksum) for name, _, checksum in self.against), *(one for _, one in equals))


def index_paths(option: str, names: Sequence[str]) -> list[str]:
    """The folders of indexes, which tasks open as files."""
    paths = []
    for name in names:
        scheme, separator, rest = name.partition("://")
        if separator and scheme != "file":
            raise UsageError(
                f"{option} {name}: an index has to lie on a path that all executors reach, as that of a shared file "
                "system; copy it there, and give the path"
            )
        paths.append(str(Path(unquote(rest) if separator else name).absolute()))
    return paths


@dataclass
class Signed:
    """The signatures of all documents."""

    rows: DataFrame
    """As `worker.SIGNED`, with the column `number`."""
    firsts: list[int]
    """The number of each split's first document, and how many there are."""
    counts: Counts
    partition_bits: int

    @property
    def partitions(self) -> int:
        """How many parts the data is brought to between steps."""
        return 1 << self.partition_bits

    @property
    def documents(self) -> int:
        """How many there are."""
        return self.firsts[-1]


@dataclass(frozen=True)
class Steps:
    """The steps of one run. What is used more than once is kept until the stack is left."""

    spark: SparkSession
    documents: Documents
    output: OutputFolder
    comparison: Comparison
    settled: Counts
    """The options of the comparison, with those that were not given."""
    budget: Budget
    stack: contextlib.ExitStack

    def keep(self, frame: DataFrame) -> DataFrame:
        """Keeps rows; lost ones are made again."""
        kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self.stack.push(at_end(kept.unpersist))
        return kept

    def sign(self) -> Signed:
        """The first step."""
        function = functools.partial(
            worker.sign_pieces, comparison=self.comparison, records=self.documents.records(self.output)
        )
        splits = spread(self.spark, self.documents.splits)
        signed = self.keep(splits.mapInArrow(function, from_arrow_schema(worker.SIGNED)))
        told = signed.where("counts is not null").select("split", "place", "counts").collect()
        sizes = [0] * len(self.documents.splits)
        for row in told:
            sizes[row["split"]] = row["place"]
        firsts = [0, *itertools.accumulate(sizes)]
        known = self.spark.createDataFrame(list(enumerate(firsts[:-1])) or [(0, 0)], "split int, first bigint")
        rows = signed.where("counts is null").join(F.broadcast(known), "split")
        rows = rows.withColumn("number", F.col("first") + F.col("place")).drop("first", "place")
        size = firsts[-1] * self.settled["buckets"] * (8 + BUCKET_ROW_BYTES)
        bits = _steps.partition_bits(size // 8, self.budget.of_task(), parallelism(self.spark))
        return Signed(rows, firsts, worker.sum_counts([row["counts"] for row in told]), bits)

    def identity(self, signed: Signed) -> str:
        """What tells these documents from others'."""
        return str(self._index(signed, None, None)["identity"])

    def find(self, signed: Signed) -> DataFrame:
        """Followers and buckets, with the columns FOUND."""
        bits = signed.partition_bits
        places = _steps.places(self.spark, 1 << bits)
        function = functools.partial(worker.spread, bits=bits, places=places)
        rows = signed.rows.select("number", "high", "low", "id", "buckets")
        met = rows.mapInArrow(function, from_arrow_schema(worker.SPREAD)).repartition(1 << bits, "place")
        find = functools.partial(worker.find_followers, comparison=self.comparison, budget=self.budget)
        return self.keep(met.sortWithinPartitions("number").mapInArrow(find, FOUND))

    def duplicates(self, signed: Signed, found: DataFrame) -> DataFrame:
        """Which documents go, with the columns DUPLICATES."""
        followers = found.where("kind = 'follower'").drop("kind", "data")
        if "verify" in self.settled:
            return self.keep(self._compared(signed, followers))
        best = self._highest(followers, signed.partitions)
        sketches = signed.rows.select("number", "sketch").repartition(signed.partitions, "number")
        others = sketches.select(F.col("number").alias("own"), F.col("sketch").alias("other"))
        # Nulls, and leaders of other indexes, would all meet in one task.
        of_own = F.when(F.col("source") == self._own, F.col("leader")).otherwise(-1 - F.col("number"))
        with_own = best.join(sketches, "number").withColumn("own", of_own).repartition(signed.partitions, "own")
        met = with_own.join(others, "own", "left")
        function = functools.partial(worker.estimate, comparison=self.comparison)
        columns = ["number", "id", "source", "leader", "sketch", "other"]
        return self.keep(met.select(*columns).mapInArrow(function, DUPLICATES))

    @property
    def _own(self) -> int:
        return self.comparison.sets.index(None)

    def _highest(self, followers: DataFrame, partitions: int, *more: str) -> DataFrame:
        """Of each document, the leader that stands highest."""
        is_decided: Column = F.when(F.col("source") < self.comparison.decided, 0).otherwise(1)
        priority = F.struct(is_decided.alias("decided"), "first", "order", "source", "leader", "id", *more)
        together = followers.repartition(partitions, "number").groupBy("number")
        return together.agg(F.min(priority).alias("best")).select("number", "best.*")

    def _compared(self, signed: Signed, followers: DataFrame) -> DataFrame:
        """Those whose texts are near enough."""
        parts = signed.partitions
        pairs = self.keep(followers.repartition(parts, "number").dropDuplicates(["number", "source", "leader"]))
        of_own = pairs.where(F.col("source") == self._own).select("leader")
        involved = pairs.select("number").union(of_own).repartition(parts, "number").distinct()
        read = functools.partial(
            worker.texts_of, comparison=self.comparison, records=self._records, firsts=signed.firsts
        )
        made = self._asked(signed, involved).mapInArrow(read, from_arrow_schema(worker.TEXTS))
        texts = self.keep(made.repartition(parts, "number"))
        # Most follow the highest, as all copies of a page do: the others are for those that do not.
        of_highest = self.keep(self._near(self._highest(pairs, parts), texts, parts))
        rest = pairs.join(of_highest.select("number"), "number", "left_anti")
        of_rest = self._highest(self._near(rest, texts, parts), parts, "similarity").drop("decided")
        near = of_highest.unionByName(of_rest)
        return near.select("number", "id", "similarity", (F.col("source") != self._own).alias("of_others"))

    def _near(self, pairs: DataFrame, texts: DataFrame, parts: int) -> DataFrame:
        """Those pairs whose texts are near enough, with their similarity."""
        # A leader's text goes to several tasks: a million documents may follow it. Tasks read those of other indexes
        # there; these pairs meet nobody.
        is_own = F.col("source") == self._own
        own = F.when(is_own, F.col("leader")).otherwise(-1 - F.col("number")).alias("own")
        part = F.pmod("number", F.lit(parts)).alias("part")
        with_texts = pairs.join(texts, "number").select("*", own, part)
        leaders = pairs.where(is_own).select(F.col("leader").alias("own"), part).distinct()
        others = leaders.join(texts.select(F.col("number").alias("own"), F.col("text").alias("other")), "own")
        met = with_texts.repartition(parts, "own", "part").join(
            others.repartition(parts, "own", "part"), ["own", "part"], "left"
        )
        columns = ["number", "source", "leader", "first", "order", "id", "text", "other"]
        compare = functools.partial(worker.compare, comparison=self.comparison)
        compared = met.select(*columns).mapInArrow(compare, f"{PAIRS}, similarity double")
        return compared.where("similarity is not null")

    @property
    def _records(self) -> Records:
        """How documents are read again: what is bad has been put aside."""
        return dataclasses.replace(self.documents.records(self.output), quarantine=Quarantine(None))

    def _asked(self, signed: Signed, asked: DataFrame) -> DataFrame:
        """Brings what is asked of documents, by number, to the tasks that read these."""
        tasks = tasks_for(self.spark, self.documents.splits)
        places = _steps.places(self.spark, max(1, len(tasks)))
        bounds = [signed.firsts[task[0]["index"]] for task in tasks]
        schema = from_arrow_schema(worker.ASKED)
        rows = asked.mapInArrow(functools.partial(worker.ask, bounds=bounds, places=places), schema)
        work = [(places[number], LAST, None, None, json.dumps(task)) for number, task in enumerate(tasks)]
        met = rows.unionByName(self.spark.createDataFrame(work, schema))
        return met.repartition(max(1, len(tasks)), "place").sortWithinPartitions("number")

    def part(self, signed: Signed, duplicates: DataFrame, counts: RunCounts) -> None:
        """Writes the documents in two parts."""
        # Kept: both parts are made of it.
        asked = self.keep(self._asked(signed, duplicates.select("number", "id", "similarity")))
        schema = self.documents.schema
        of_duplicates = pa.schema(_core.duplicates_schema(schema))
        of_older_tool = self.settled.get("layout") == "dedup-dup"
        places = ("/dedup", "/dup") if of_older_tool else ("", f"/{_core.DUPLICATES_FOLDER}")
        for kept, columns, folder in ((True, schema, places[0]), (False, of_duplicates, places[1])):
            function = functools.partial(
                worker.part_pieces,
                comparison=self.comparison,
                records=self._records,
                firsts=signed.firsts,
                kept=kept,
                report=counts.report(),
            )
            write(asked.mapInArrow(function, from_arrow_schema(columns)), f"{self.output.work}{folder}")

    def write_index(self, signed: Signed, found: DataFrame) -> Counts:
        """The index; how many buckets it has, and bytes of texts, if it keeps them."""
        uri = f"{self.output.work}/{_core.DOCUMENT_INDEX_FOLDER}"
        told = self._index(signed, found.where("kind = 'bucket'"), uri)
        if not self.output.storage.exists(f"{uri}/index.json"):
            raise RunError(f"{self.output.uri}: the index is gone that a task has written; run this again")
        with_texts = {"index_text_bytes": told["text_bytes"]} if "index_texts" in self.settled else {}
        return {"buckets": told["buckets"]} | with_texts

    def _index(self, signed: Signed, buckets: DataFrame | None, uri: str | None) -> Counts:
        """By one task: it is in order of numbers, and then of buckets."""
        nothing = F.lit("").cast("binary").alias("text")
        text = nothing if uri is None else F.col("text")  # which are no part of the identity
        rows = signed.rows.select(F.lit(0).alias("kind"), "number", "id", F.col("sketch").alias("data"), text)
        if buckets is not None:
            rows = rows.unionByName(buckets.select(F.lit(1).alias("kind"), "number", "id", "data", nothing))
        end = self.spark.createDataFrame([(worker.END, 0, b"", b"", b"")], rows.schema)  # or there may be no task
        rows = rows.unionByName(end)
        function = functools.partial(worker.write_index, comparison=self.comparison, uri=uri)
        ordered = rows.repartition(1).sortWithinPartitions("kind", "number")
        (told,) = ordered.mapInArrow(function, "identity string, buckets bigint, text_bytes bigint").collect()
        return dict(told.asDict())


def minhash(
    run: Run,
    inputs: Sequence[str],
    options: Counts,
    against: Sequence[str] = (),
    beside: Sequence[str] = (),
    index_only: bool = False,
    allow_incomplete: bool = False,
) -> Counts:
    """Removes near-duplicate documents. `options`: as MinhashOptions declares them."""
    options = {name: value for name, value in options.items() if value is not None}
    against, beside = index_paths("--against", against), index_paths("--beside", beside)
    as_json = to_json(options)
    _core.check_near_documents_options(
        to_json(options | {"against": list(against), "beside": list(beside), "index_only": index_only})
    )
    settled = json.loads(_core.settled_near_documents_options(as_json))
    if (dictionary := settled.pop("sudachi_file", None)) is not None:  # that of the driver, wherever tasks run
        options["sudachi"] = str(Path(dictionary).absolute())
        as_json = to_json(options)
    indexes = Indexes.find(as_json, against, beside)
    documents = Documents.find(inputs, options["text_column"], options["id_column"], allow_incomplete)
    _core.check_near_documents_columns(documents.schema, as_json)
    configuration = settled | {"index_only": index_only} | indexes.identity()

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        with contextlib.ExitStack() as stack:
            comparison = Comparison(as_json, documents.text_column, index_only)
            kernel_memory = budget(run.spark, run.memory)
            steps = Steps(run.spark, documents, output, comparison, settled, kernel_memory, stack)
            signed = steps.sign()
            if against or beside:
                identity = steps.identity(signed) if beside else ""
                comparison = dataclasses.replace(comparison, sets=indexes.order(identity), decided=len(against))
                steps = dataclasses.replace(steps, comparison=comparison)
            found = steps.find(signed)
            total = signed.counts | {"documents": signed.documents} | steps.write_index(signed, found)
            if index_only:
                return total
            duplicates = steps.duplicates(signed, found)
            steps.part(signed, duplicates, counts)
            found_count, of_others = duplicates.agg(F.count("*"), F.count_if("of_others")).collect()[0]
            of_each = duplicates.groupBy("id").agg(F.count("*").alias("many"))
            largest = of_each.orderBy(F.desc("many"), "id").limit(GROUPS_TOLD).collect()
        total |= {"kept": 0, "duplicates": 0, "duplicates_of_other_indexes": of_others} | counts.total()
        groups = [(bytes(row["id"]).decode(errors="replace"), row["many"]) for row in largest]
        total["largest_groups"] = [{"duplicate_of": name, "duplicates": many} for name, many in groups]
        if total["kept"] + total["duplicates"] != total["documents"] or total["duplicates"] != found_count:
            raise RunError("the counts do not add up; this is a fault of the program")
        return total

    return run.into("minhash", documents.names, configuration, work, [*against, *beside])
