"""What tasks of all stages share: counts, memory, folders, files, batches."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
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
Tell = Callable[[Counts], None]
"""Called with a task's counts when its last batch is made."""

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


class CountsParam:
    """Sums of counts, for Spark's accumulators: an AccumulatorParam, which workers make anew."""

    def zero(self, value: Counts) -> Counts:
        """Nothing counted."""
        return {}

    def addInPlace(self, value1: Counts, value2: Counts) -> Counts:
        """A sum."""
        return add_counts(value1, value2)


@dataclass(frozen=True)
class Report:
    """Hands counts to the driver, from the tasks of a job's last stage: what these tell counts once.

    What other tasks tell would count as often as they run: again when a block of theirs was lost, and not at all when
    one that failed had filled a cache. Their counts go on with their data, as rows.
    """

    accumulator: Accumulator[Counts]

    def __call__(self, counts: Counts) -> None:
        """Called when the task's last batch is made."""
        self.accumulator.add(counts)


PARTITION = "_partition of the DataFrame"


class PartitionsParam:
    """Counts by partition, for Spark's accumulators: those of one that was worked out again take the others' place."""

    def zero(self, value: dict[int, bytes]) -> dict[int, bytes]:
        """Nothing counted."""
        return {}

    def addInPlace(self, value1: dict[int, bytes], value2: dict[int, bytes]) -> dict[int, bytes]:
        """Both; of a partition in both, the later."""
        value1.update(value2)
        return value1


@dataclass(frozen=True)
class PartitionReport:
    """Hands counts of a DataFrame's partitions to the driver, from whatever stage, as often as they are worked out."""

    accumulator: Accumulator[dict[int, bytes]]
    frame: int = 0
    """Which DataFrame, where there are several, whose partitions have the same numbers."""

    def work(self, batches: Batches, function: Callable[..., Batches]) -> Batches:
        """What the function makes of the batches, whose last column is PARTITION; what it reports goes by that."""
        partition = -1  # of those that have no rows, and nothing to count

        def rows() -> Batches:
            nonlocal partition
            for batch in batches:
                last = batch.num_columns - 1
                partition = batch.column(last)[0].as_py() if batch.num_rows else partition
                yield batch.remove_column(last)

        def report(counts: Counts) -> None:
            self.accumulator.add({(self.frame << 32) + partition: json.dumps(counts).encode()})

        yield from function(rows(), report=report)


@dataclass(frozen=True)
class Budget:
    """Memory for the kernels of one executor, in bytes, and how many tasks share it (0: as many as it has cores)."""

    bytes: int
    slots: int

    def of_task(self) -> int:
        """One task's share."""
        return max(64 << 20, self.bytes // (self.slots or _core.machine_threads()))


@dataclass(frozen=True)
class Quarantine:
    """Where records that can not be read are put, and what else tasks write as files: below `uri`, or nowhere.

    With `place`, which stands before their names then, records are there, as in a folder that a user has named.
    """

    uri: str | None
    place: str | None = None

    @contextlib.contextmanager
    def folder(self, part: str = "") -> Iterator[str]:
        """A local folder to write to; its files go to their place when the work is done.

        `part`: how their names begin. What an attempt before left of that part, and this one has not, goes; but not
        from a folder that a user has named, in which it may be of others.
        """
        with tempfile.TemporaryDirectory(prefix="uzushio-", dir=local_folder()) as local:
            yield local
            written = sorted(path for path in Path(local).rglob("*") if path.is_file())
            is_again = part != "" and self.place is None and is_repeated()
            if self.uri is None or not (written or is_again):
                return
            filesystem, root = open_place(self.uri)
            if is_again:
                _remove_left(filesystem, root, part, {path.relative_to(local).as_posix() for path in written})
            for file in written:
                below = file.relative_to(local)
                if self.place is not None:
                    below = Path(f"{self.place}{below.relative_to(_core.QUARANTINE_FOLDER)}")
                filesystem.create_dir(f"{root}/{below.parent}", recursive=True)
                copy_to(file, filesystem, f"{root}/{below}")


def _remove_left(filesystem: pyarrow.fs.FileSystem, root: str, part: str, written: set[str]) -> None:
    """Removes a part's files below a folder of ours but those that are `written`, by their paths in it."""
    full = pyarrow.fs.FileSelector(f"{root}/{_core.FULL_DATA_FOLDER.rstrip('/')}", allow_not_found=True)
    folders = [info.path for info in filesystem.get_file_info(full) if not info.is_file]
    names = [f"{root}/{_core.QUARANTINE_FOLDER}{part}.jsonl.gz"]
    names += [f"{folder}/{part}.{ending}" for folder in folders for ending in ("pq", "jsonl.gz", "jsonl.zst")]
    for info in filesystem.get_file_info(names):
        if info.is_file and info.path[len(root) :].lstrip("/") not in written:
            filesystem.delete_file(info.path)


def is_repeated() -> bool:
    """Whether an attempt at the task failed before. Of stages that are done again, Spark does not tell Python."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context is not None and context.attemptNumber() > 0


def local_folder() -> str:
    """Where a task may put what is large: one of Spark's local folders, by turns, which go with the executor."""
    from pyspark import TaskContext

    folders = [folder for folder in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if Path(folder).is_dir()]
    context = TaskContext.get()
    if context is None or not folders:
        return tempfile.gettempdir()
    return folders[context.taskAttemptId() % len(folders)]


def open_place(place: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system of a place, and the path in it, of whatever letters: Arrow is not asked to read it."""
    scheme, separator, rest = place.partition("://")
    if not separator:
        return pyarrow.fs.LocalFileSystem(), place
    authority, _, path = rest.partition("/")
    if scheme in ("abfs", "abfss"):
        arguments, container = _core.azure_arguments(f"{scheme}://{authority}/")
        return pyarrow.fs.AzureFileSystem(**arguments), f"{container.rstrip('/')}/{path}".lstrip("/")
    options = "?retry_limit_seconds=30" if scheme in ("gs", "gcs") else ""  # as the program has it; else 15 minutes
    scheme = "s3" if scheme == "s3a" else scheme
    filesystem, root = pyarrow.fs.FileSystem.from_uri(f"{scheme}://{authority}/{options}")
    return filesystem, f"{root.rstrip('/')}/{path}"


def copy_to(file: Path, filesystem: pyarrow.fs.FileSystem, path: str) -> None:
    """Copies a local file, so that it is there whole or not at all; what another attempt has put there is replaced.

    What a killed attempt leaves has a hidden name, which the commit removes.
    """
    folder, _, name = path.rpartition("/")
    temporary = f"{folder}/.{name}.{uuid.uuid4().hex}"
    try:
        with file.open("rb") as source, filesystem.open_output_stream(temporary, compression=None) as target:
            while block := source.read(1 << 20):
                target.write(block)
        if filesystem.type_name == "hdfs" and filesystem.get_file_info(path).type != pa.fs.FileType.NotFound:
            filesystem.delete_file(path)  # which it does not rename over
        if filesystem.type_name == "abfs":  # where folders are only names, it renames nothing
            filesystem.copy_file(temporary, path)
            filesystem.delete_file(temporary)
        else:
            filesystem.move(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            filesystem.delete_file(temporary)
        raise


def read_tasks(batches: Batches) -> Iterator[tuple[int, str]]:
    """What a task is to read: rows of its number and of what it reads, as JSON."""
    for batch in batches:
        yield from zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)


def in_slices(batch: pa.RecordBatch) -> Batches:
    """A batch in pieces of about `BATCH_BYTES`."""
    pieces = min(max(1, -(-batch.nbytes // BATCH_BYTES)), max(1, batch.num_rows))
    rows = -(-batch.num_rows // pieces)
    for begin in range(0, batch.num_rows, rows or 1):
        yield batch.slice(begin, rows)
