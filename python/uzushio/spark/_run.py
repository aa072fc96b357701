"""A run from files to a committed output folder, whatever its stage is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from uzushio import _core
from uzushio.spark._output import OutputFolder, check_inputs, for_spark
from uzushio.spark._session import parallelism, settings
from uzushio.spark.worker.tasks import Counts, CountsParam, Report

if TYPE_CHECKING:
    from pyspark.accumulators import AccumulatorParam
    from pyspark.sql import DataFrame, SparkSession

NOT_OF_DATA = {"index", "spilled_bytes"}
"""Counts that are told, but not committed: of the rows of an index, and of what depends on memory."""
TASK_BYTES = 128 << 20
"""Of compressed input, for a task."""


def identity_of(stage: str, inputs: Any, configuration: Counts) -> Counts:
    """What tells a run from others."""
    return {"stage": stage, "version": _core.version, "inputs": inputs, "configuration": configuration}


class RunCounts:
    """What a job's last stage has counted, or was told by those before it."""

    def __init__(self, spark: SparkSession) -> None:
        self._accumulator = spark.sparkContext.accumulator({}, cast("AccumulatorParam[Counts]", CountsParam()))

    def report(self) -> Report:
        """For the tasks of that stage."""
        return Report(self._accumulator)

    def total(self) -> Counts:
        """The sums over all tasks, when the job has ended."""
        return dict(self._accumulator.value)


@dataclass(frozen=True)
class Run:
    """A run's place and what it may use."""

    spark: SparkSession
    output: str
    memory: int | None = None
    overwrite: bool = False

    def into(
        self,
        stage: str,
        inputs: Any,
        configuration: Counts,
        work: Callable[[OutputFolder], Counts],
        reads: Sequence[str | None] = (),
        done: Callable[[], None] = lambda: None,
        text_form: str = "",
    ) -> Counts:
        """Does the work, unless it is done, and calls `done` then; the summary.

        `reads`: places beside the inputs. `text_form`: of texts that are not read, but made.
        """
        identity = identity_of(stage, inputs, configuration)
        folder = OutputFolder(self.spark, self.output, identity, self.overwrite)
        read = [file["name"] for file in inputs] + [place for place in reads if place is not None]
        check_inputs(folder.storage, folder.uri, read)
        with folder as output:
            if output.done:
                done()
                return {**output.success["counts"], "stage": stage, "output": self.output, "was_done": True}
            form = text_form or _core.text_form_of(read)
            found = _core.FoundInputs([file["name"] for file in inputs])
            with settings(self.spark):
                counts = work(output)
                found.check_unchanged()
                output.commit({name: count for name, count in counts.items() if name not in NOT_OF_DATA}, form)
        return counts | {"stage": stage, "output": self.output}


def tasks_of(splits: list[Counts], tasks: int) -> list[list[Counts]]:
    """Pieces in runs of about equal bytes, in order, so that those of one file are together.

    >>> tasks_of([{"bytes": 3}, {"bytes": 1}, {"bytes": 4}], 2)
    [[{'bytes': 3}, {'bytes': 1}], [{'bytes': 4}]]
    """
    total = sum(split["bytes"] + 1 for split in splits)
    runs: list[list[Counts]] = [[] for _ in range(max(1, tasks))]
    before = 0
    for split in splits:
        runs[min(len(runs) - 1, before * len(runs) // total)].append(split)
        before += split["bytes"] + 1
    return [run for run in runs if run]


def tasks_for(spark: SparkSession, splits: list[Counts]) -> list[list[Counts]]:
    """The splits, numbered, by the tasks that read them: a few for each core, and more for much input."""
    for index, split in enumerate(splits):
        split["index"] = index
    total = sum(split["bytes"] for split in splits)
    return tasks_of(splits, max(3 * parallelism(spark), -(-total // TASK_BYTES)))


def spread(spark: SparkSession, splits: list[Counts]) -> DataFrame:
    """Tasks that read the splits."""
    return parallel_tasks(spark, tasks_for(spark, splits))


def write(frame: DataFrame, path: str, by: str | None = None, as_text: str | None = None, line_end: str = "\n") -> None:
    """Has Spark write a dataset: Parquet, or lines of text compressed so, with this behind each."""
    path = for_spark(path)
    writer = frame.write.mode("append").option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if by is not None:
        writer = writer.partitionBy(by)
    if as_text is None:
        writer.option("compression", "zstd").option("parquet.compression.codec.zstd.level", "1").parquet(path)
    else:
        writer.option("compression", as_text).option("lineSep", line_end).text(path)


def parallel_tasks(spark: SparkSession, work: list[Any]) -> DataFrame:
    """A task for each item of work, whose rows are the item's number and its JSON."""
    rows = [(number, json.dumps(item)) for number, item in enumerate(work)]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, max(1, len(rows))), "task int, work string")
