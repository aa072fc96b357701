"""What runs in Spark's Python workers: the kernels, fed with Arrow batches.

Each generator here is one for `mapInArrow` when all but its first argument are bound. None refers to the driver.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs

from uzushio import _core

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator

Batches = Iterator[pa.RecordBatch]
Counts = dict[str, Any]

BATCH_BYTES = 4 << 20
"""Batches that go to Spark have about this size, in bytes; larger when one row is larger."""


def add_counts(left: Counts, right: Counts) -> Counts:
    """Sums by name, at any depth; of what is called `largest…`, the largest."""
    total = dict(left)
    for name, value in right.items():
        if name not in total:
            total[name] = value
        elif isinstance(value, dict):
            total[name] = add_counts(total[name], value)
        elif isinstance(value, list):
            total[name] = [add_counts(a, b) for a, b in zip(total[name], value, strict=True)]
        elif name.startswith("largest"):
            total[name] = max(total[name], value)
        else:
            total[name] += value
    return total


@dataclass(frozen=True)
class Report:
    """Hands a task's counts to the driver: those of each task once, however often it ran."""

    step: str
    accumulator: Accumulator[dict[str, Counts]]

    def __call__(self, counts: Counts) -> None:
        """Called when the task's last batch is made."""
        from pyspark import TaskContext

        context = TaskContext.get()
        self.accumulator.add({f"{self.step}/{context.partitionId() if context else 0}": counts})


@dataclass(frozen=True)
class Budget:
    """Memory for the kernels of one executor, in bytes, and how many tasks share it (0: as many as it has cores)."""

    bytes: int
    slots: int

    def of_task(self) -> int:
        """One task's share."""
        return max(64 << 20, self.bytes // (self.slots or os.cpu_count() or 1))


@dataclass(frozen=True)
class Quarantine:
    """Where records that can not be read are put: below `uri`, or nowhere."""

    uri: str | None

    @contextlib.contextmanager
    def folder(self) -> Iterator[str]:
        """A local folder to write to; its files go to their place when the work is done."""
        with tempfile.TemporaryDirectory(prefix="uzushio-") as local:
            yield local
            written = Path(local) / "quarantine"
            if self.uri is None or not written.exists():
                return
            filesystem, root = open_uri(self.uri)
            filesystem.create_dir(f"{root}/quarantine", recursive=True)
            for file in sorted(written.iterdir()):
                copy_to(file, filesystem, f"{root}/quarantine/{file.name}")


def open_uri(uri: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system of a path or URI, and the path in it."""
    if "://" not in uri:
        return pyarrow.fs.LocalFileSystem(), uri
    return pyarrow.fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))


def copy_to(file: Path, filesystem: pyarrow.fs.FileSystem, path: str) -> None:
    """Copies a local file, so that it is there whole or not at all."""
    folder, _, name = path.rpartition("/")
    temporary = f"{folder}/.{name}.{os.getpid()}"
    with file.open("rb") as source, filesystem.open_output_stream(temporary, compression=None) as target:
        while block := source.read(1 << 20):
            target.write(block)
    filesystem.move(temporary, path)


def read_tasks(batches: Batches) -> Iterator[tuple[int, str]]:
    """What a task is to read: rows of its number and of what it reads, as JSON."""
    for batch in batches:
        yield from zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)


# --- statistics ---


def new_task(config: Counts, budget: Budget) -> _core.ExchangeTask:
    """A step on the partitions of one task; see src/stages/exchange.h."""
    return _core.ExchangeTask(json.dumps(config | {"memory": budget.of_task(), "tmp": tempfile.gettempdir()}))


def results(task: _core.ExchangeTask) -> Batches:
    """What a step gives."""
    while (batch := task.next()) is not None:
        yield pa.record_batch(batch)


def run_step(batches: Batches, config: Counts, budget: Budget, report: Report) -> Batches:
    """Any step that takes pieces of partitions."""
    task = new_task(config, budget)
    for batch in batches:
        task.add(batch)
    yield from results(task)
    report(json.loads(task.counts()))


def take(batches: Batches, config: Counts, budget: Budget) -> Batches:
    """The step `take`."""
    task = new_task(config, budget)
    for batch in batches:
        task.add_taken(batch)
    yield from results(task)


def count_texts(batches: Batches, config: Counts, budget: Budget, column: str, report: Report) -> Batches:
    """The first step, from a DataFrame's texts."""
    task = new_task(config, budget)
    for batch in batches:
        task.add_texts(batch, column)
    yield from results(task)
    report(json.loads(task.counts()))


def count_pieces(
    batches: Batches, config: Counts, budget: Budget, column: str, quarantine: Quarantine, report: Report
) -> Batches:
    """The first step, from pieces of files."""
    task = new_task(config, budget)
    quarantined: Counts = {}
    for number, pieces in read_tasks(batches):
        with quarantine.folder() as folder:
            bad = _core.read_texts(task, pieces, column, folder, f"task-{number:05}")
        quarantined = add_counts(quarantined, json.loads(bad))
    yield from results(task)
    report(json.loads(task.counts()) | {"quarantined": quarantined})


def count_statistics(batches: Batches, config: Counts, budget: Budget, report: Report) -> Batches:
    """The first step of a merge, from pieces of statistics."""
    task = new_task(config, budget)
    for _, pieces in read_tasks(batches):
        _core.read_statistics(task, pieces)
    yield from results(task)
    report(json.loads(task.counts()))


def write_index(batches: Batches, uri: str) -> Batches:
    """Writes the frequency index of the statistics whose files the row names, in their order."""
    for _, files in read_tasks(batches):
        with tempfile.TemporaryDirectory(prefix="uzushio-") as local:
            index = Path(local) / "index"
            _core.write_index(json.loads(files), str(index))
            size = index.stat().st_size
            copy_to(index, *open_uri(uri))
        yield pa.record_batch({"bytes": pa.array([size], pa.int64())})
