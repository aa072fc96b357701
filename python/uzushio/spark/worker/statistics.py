"""The steps of `stats` and `merge`; see src/statistics/tasks/step_task.h."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from uzushio import _core
from uzushio.spark.worker.tasks import (
    Batches,
    Budget,
    Counts,
    Quarantine,
    Report,
    add_counts,
    copy_to,
    local_folder,
    open_place,
    read_tasks,
)

COUNTS = "counts"
"""The kind of rows that say what was counted: the sums of all that tasks before have counted, as JSON."""

PIECES = pa.schema([("kind", pa.string()), ("partition", pa.int32()), ("place", pa.int32()), ("data", pa.binary())])


@dataclass
class Counted:
    """The counts that come with a task's pieces, and go on with what it makes of them."""

    counts: Counts = field(default_factory=dict)

    def without(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The pieces; their counts are taken note of."""
        kinds = batch.column(0)
        are_counts = pc.equal(kinds, pa.scalar(COUNTS, kinds.type))
        if not pc.any(are_counts).as_py():
            return batch
        for data in batch.filter(are_counts).column(3).to_pylist():
            self.add(data)
        return batch.filter(pc.invert(are_counts))

    def add(self, counts: str | bytes) -> None:
        """Adds counts, as JSON."""
        self.counts = add_counts(self.counts, json.loads(counts))

    def row(self, config: Counts) -> Batches:
        """A row that goes to the task of the first partition."""
        if self.counts:
            data = json.dumps(self.counts).encode()
            columns = [[COUNTS], [0], [config["places"][0]], [data]]
            yield pa.record_batch(
                [pa.array(column, field.type) for column, field in zip(columns, PIECES, strict=True)], PIECES
            )


def new_task(config: Counts, budget: Budget) -> _core.StepTask:
    """A step on the partitions of one task; see src/statistics/tasks/step_task.h."""
    return _core.StepTask(json.dumps(config | {"memory": budget.of_task(), "tmp": local_folder()}))


def results(task: _core.StepTask) -> Batches:
    """What a step gives."""
    while (batch := task.next()) is not None:
        yield pa.record_batch(batch)


def run_step(batches: Batches, config: Counts, budget: Budget) -> Batches:
    """Any step from chunks of partitions to such."""
    task = new_task(config, budget)
    counted = Counted()
    for batch in batches:
        task.add(counted.without(batch))
    yield from results(task)
    counted.add(task.counts())
    yield from counted.row(config)


def list_step(batches: Batches, config: Counts, budget: Budget, report: Report | None) -> Batches:
    """Any step from chunks of partitions to a table."""
    task = new_task(config, budget)
    counted = Counted()
    for batch in batches:
        task.add(counted.without(batch))
    yield from results(task)
    if report is not None:
        counted.add(task.counts())
        report(counted.counts)


def take(batches: Batches, config: Counts, budget: Budget) -> Batches:
    """The step `take`."""
    task = new_task(config, budget)
    for batch in batches:
        task.add_taken(batch)
    yield from results(task)


def count_texts(batches: Batches, config: Counts, budget: Budget, column: str) -> Batches:
    """The first step, from a DataFrame's texts."""
    task = new_task(config, budget)
    for batch in batches:
        task.add_texts(batch, column)
    yield from results(task)


def count_rows(batches: Batches, config: Counts, budget: Budget) -> Batches:
    """The first step of a merge, from a DataFrame's rows."""
    task = new_task(config, budget)
    for batch in batches:
        task.add_statistics(batch)
    yield from results(task)


def count_pieces(batches: Batches, config: Counts, budget: Budget, column: str, quarantine: Quarantine) -> Batches:
    """The first step, from splits of files."""
    task = new_task(config, budget)
    read: Counts = {}
    for number, splits in read_tasks(batches):
        part = f"task-{number:05}"
        with quarantine.folder(part) as folder:
            counts = _core.read_texts(task, splits, column, folder, part)
        read = add_counts(read, json.loads(counts))
    yield from results(task)
    yield from Counted(json.loads(task.counts()) | {"quarantined": {}, "cuts_in_plain_text": 0} | read).row(config)


def count_statistics(batches: Batches, config: Counts, budget: Budget) -> Batches:
    """The first step of a merge, from splits of statistics."""
    task = new_task(config, budget)
    for _, splits in read_tasks(batches):
        _core.read_statistics(task, splits)
    yield from results(task)
    yield from Counted(json.loads(task.counts())).row(config)


def write_index(batches: Batches, uri: str) -> Batches:
    """Writes the frequency index of the statistics whose files the row names, in their order."""
    for _, files in read_tasks(batches):
        with tempfile.TemporaryDirectory(prefix="uzushio-", dir=local_folder()) as local:
            index = Path(local) / "index"
            _core.write_index(json.loads(files), str(index))
            size = index.stat().st_size
            filesystem, path = open_place(uri)
            filesystem.create_dir(path.rpartition("/")[0], recursive=True)
            copy_to(index, filesystem, path)
        yield pa.record_batch({"bytes": pa.array([size], pa.int64())})


def lines_of_json(batches: Batches) -> Batches:
    """Rows as lines."""
    for batch in batches:
        yield pa.record_batch(_core.json_lines(batch))
