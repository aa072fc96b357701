"""`stats` and `merge`: documents, or statistics of parts, to statistics."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from uzushio import _core
from uzushio._errors import RunError, UsageError
from uzushio._values import to_json
from uzushio.spark import _groups, _steps
from uzushio.spark._output import OutputFolder, at_end, check_apart, check_inputs
from uzushio.spark._paths import name_of
from uzushio.spark._run import Run, RunCounts, identity_of, parallel_tasks, spread, write
from uzushio.spark._session import budget, parallelism
from uzushio.spark._steps import GROUPS_FOLDER, INDEX_NAME, INTERMEDIATE, STATISTICS, Exchange
from uzushio.spark.worker import statistics as worker
from uzushio.spark.worker.tasks import Counts, Quarantine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TEXT_OF_FILE = 6
"""Bytes of text for a byte of a compressed file, about."""


@dataclass(frozen=True)
class StatisticsOptions:
    """As the command line has them."""

    candidates: str = "buckets"
    rotations: int = 5
    window: int = 64
    groups: str = "pivot"
    intermediate: bool = False
    debug: bool = False
    pairs: str | None = None
    max_document_bytes: int | None = None
    max_paragraphs: int | None = None
    single_task_pairs: int | None = None

    def of_tasks(self) -> Counts:
        """What tasks have to know."""
        names = ("candidates", "rotations", "window", "groups", "intermediate", "max_document_bytes", "max_paragraphs")
        of_tasks = {name: getattr(self, name) for name in names}
        return of_tasks | {name: of_tasks[name] or None for name in ("max_document_bytes", "max_paragraphs")}

    def identity(self) -> Counts:
        """What results depend on."""
        simhash = {"rotations": self.rotations, "window": self.window} if self.candidates == "simhash" else {}
        return {
            "candidates": self.candidates,
            "groups": self.groups,
            "intermediate": self.intermediate,
            "debug": self.debug,
            "pairs": self.pairs is not None,
        } | simhash


def new_exchange(
    spark: SparkSession,
    options: StatisticsOptions,
    text_bytes: int,
    memory: int | None,
    scratch: str | None,
) -> Exchange:
    """The steps, with partitions for so much text."""
    options = dataclasses.replace(options, **json.loads(_core.checked_statistics_options(to_json(options.of_tasks()))))
    kernel_memory = budget(spark, memory)
    bits = _steps.partition_bits(text_bytes, kernel_memory.of_task(), parallelism(spark))
    if options.candidates == "simhash":
        bits = max(bits, (options.rotations - 1).bit_length())
    # A pair takes 16 bytes, and what it takes in a hash table some 40.
    single_task_pairs = options.single_task_pairs
    if single_task_pairs is None:
        single_task_pairs = kernel_memory.of_task() // 128
    return Exchange(spark, options.of_tasks(), bits, kernel_memory, scratch, single_task_pairs)


def stats(run: Run, inputs: Sequence[str], options: StatisticsOptions, column: str, allow_incomplete: bool) -> Counts:
    """Documents to statistics."""
    found, names = _core.find_texts(list(inputs), column, allow_incomplete)
    configuration = options.identity() | {
        "text_column": column,
        "max_document_bytes": options.max_document_bytes or 0,
        "max_paragraphs": options.max_paragraphs or 0,
    }

    def count(exchange: Exchange, output: OutputFolder, tasks: DataFrame) -> DataFrame:
        function = functools.partial(
            worker.count_pieces,
            config=exchange.config("count"),
            budget=exchange.budget,
            column=column,
            quarantine=Quarantine(output.work),
        )
        return tasks.mapInArrow(function, _steps.PIECES)

    return _statistics(run, "stats", json.loads(found), json.loads(names), configuration, options, count)


def merge(run: Run, inputs: Sequence[str], options: StatisticsOptions, allow_incomplete: bool) -> Counts:
    """Statistics of parts to those of the whole."""
    found, names = _core.find_statistics(list(inputs), allow_incomplete)
    inputs_in_order = sorted(json.loads(names), key=lambda file: str(file["name"]))

    def count(exchange: Exchange, output: OutputFolder, tasks: DataFrame) -> DataFrame:
        function = functools.partial(worker.count_statistics, config=exchange.config("count"), budget=exchange.budget)
        return tasks.mapInArrow(function, _steps.PIECES)

    return _statistics(run, "merge", json.loads(found), inputs_in_order, options.identity(), options, count)


def _statistics(
    run: Run,
    stage: str,
    splits: list[Counts],
    names: list[Counts],
    configuration: Counts,
    options: StatisticsOptions,
    count: Callable[[Exchange, OutputFolder, DataFrame], DataFrame],
) -> Counts:
    spark = run.spark

    def pairs_folder() -> OutputFolder | None:
        if options.pairs is None:
            return None
        return OutputFolder(spark, options.pairs, identity_of(stage, names, configuration), run.overwrite)

    def done() -> None:
        folder = pairs_folder()
        if folder is not None and not folder.is_done():
            raise UsageError(
                f"--pairs {options.pairs}: the statistics are there already, without these pairs; "
                "choose another --output, or --overwrite"
            )

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(spark)
        found = _core.FoundInputs([file["name"] for file in names])
        text_bytes = sum(split.get("plain_bytes", TEXT_OF_FILE * split["bytes"]) for split in splits)
        exchange = new_exchange(spark, options, text_bytes, run.memory, output.scratch)
        with contextlib.ExitStack() as stack:
            stack.push(at_end(exchange.forget))
            pairs_output = pairs_folder()
            if pairs_output is not None:
                check_apart(output.uri, pairs_output.uri)
                check_inputs(pairs_output.storage, pairs_output.uri, [file["name"] for file in names])
                stack.enter_context(pairs_output)
            stored = exchange.store(count(exchange, output, spread(spark, splits)))
            near = exchange.near(stored)
            rows = exchange.rows(stored, _groups.taken(exchange, near))
            if options.debug:
                rows = exchange.keep(rows)
            write(exchange.list_rows(rows, counts), f"{output.work}/{STATISTICS}")
            if options.intermediate:
                write(exchange.list_texts(stored), f"{output.work}/{INTERMEDIATE}")
            if options.debug:
                write(
                    _lines_of_groups(exchange.list_groups(rows, stored)),
                    f"{output.work}/{GROUPS_FOLDER}",
                    as_text="gzip",
                )
            write_index(spark, output)
            if pairs_output is not None and not pairs_output.done:
                write(exchange.list_pairs(near), f"{pairs_output.work}/pairs.parquet")
                found.check_unchanged()
                pairs_output.commit({})
        total = {"near_pairs": 0} | counts.total()
        if exchange.near_pairs is not None:
            total["near_pairs"] = exchange.near_pairs
        return total

    return run.into(stage, names, configuration, work, done=done)


def _lines_of_groups(groups: DataFrame) -> DataFrame:
    in_order = groups.orderBy(F.desc("groupFreq"), "reprHash", F.desc("exactFreq"), "hash")
    lines = functools.partial(worker.lines_of_json)
    return in_order.mapInArrow(lines, "value string")


def write_index(spark: SparkSession, output: OutputFolder) -> None:
    """The frequency index, by one task: it is one file in order of hashes."""
    folder = f"{output.work}/{STATISTICS}"
    files = [name_of(f"{folder}/{path}") for path, _ in output.storage.files(folder) if path.endswith(".parquet")]
    function = functools.partial(worker.write_index, uri=f"{output.work}/{INDEX_NAME}")
    parallel_tasks(spark, [files]).mapInArrow(function, "bytes bigint").collect()
    # On a file system without renaming over, a second attempt removes the first one's.
    if not output.storage.exists(f"{output.work}/{INDEX_NAME}"):
        raise RunError(f"{output.uri}: the frequency index is gone that a task has written; run this again")
