"""What runs in Spark's Python workers: the kernels, fed with Arrow batches.

Each generator here is one for `mapInArrow` when all but its first argument are bound. None refers to the driver.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import tempfile
import zlib
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
    filesystem, path = pyarrow.fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
    return filesystem, str(path)


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


# --- extract ---


def extract_files(batches: Batches, options: str, quarantine: Quarantine, report: Report | None) -> Batches:
    """Documents of the WARC files that the rows name; each file's damaged records in a file of their own."""
    counts: Counts = {}
    for number, work in read_tasks(batches):
        name = json.loads(work)["name"]
        with quarantine.folder() as folder:
            documents = _core.WarcDocuments(name, options, name, folder, f"part-{number:05}")
            while (batch := documents.next_batch(BATCH_BYTES)) is not None:
                yield pa.record_batch(batch)
        counts = add_counts(counts, json.loads(documents.counts()))
    if report is not None and counts:
        report(counts)


# --- filter, metrics ---


@dataclass(frozen=True)
class Chain:
    """What documents are filtered by: everything that a kernel is made of."""

    filters: str
    """The chain, as JSON."""
    options: str
    index: str | None
    """The path of a frequency index on the executor, or of one that Spark has brought there."""
    index_is_spark_file: bool = False

    def kernel(self) -> _core.FilterKernel:
        """One task's kernel."""
        path = self.index
        if path is not None and self.index_is_spark_file:
            from pyspark import SparkFiles

            path = SparkFiles.get(path)
        return _core.FilterKernel(_chain(self.filters), open_index(path) if path else None, self.options)

    def reasons(self) -> list[str]:
        """The values of the column `filter`, by folder."""
        return ["none", *_chain(self.filters).reasons()]


@functools.lru_cache(maxsize=4)
def _chain(filters: str) -> _core.FilterChain:
    """A chain is read once by each worker: its dictionaries and language models are large."""
    return _core.FilterChain.make(filters)


@functools.lru_cache(maxsize=4)
def open_index(path: str) -> _core.FrequencyIndex:
    """An index is mapped, and its checksum looked at, once by each worker."""
    return _core.FrequencyIndex.open(path)


@dataclass(frozen=True)
class Records:
    """How pieces of documents are read."""

    schema: bytes
    """An Arrow schema, serialised."""
    language_of_path: bool
    quarantine: Quarantine

    def read(self, piece: Counts, bad: Counts) -> Batches:
        """The batches of a piece; reasons and numbers of bad lines are added to `bad`."""
        schema = pa.ipc.read_schema(pa.py_buffer(self.schema))
        with self.quarantine.folder() as folder:
            stream = _core.RecordStream(
                schema, self.language_of_path, json.dumps([piece]), folder, f"piece-{piece['index']:05}"
            )
            while (batch := stream.next()) is not None:
                yield pa.record_batch(batch)
        for reason, count in json.loads(stream.quarantined()).items():
            bad[reason] = bad.get(reason, 0) + count


def with_reasons(folders: list[tuple[int, _core.ArrowBatch]], reasons: list[str] | None, as_json: bool) -> Batches:
    """What the kernel gives, with the column `filter` when reasons are given; rows as such, or as lines of JSON."""
    for folder, rows in folders:
        made = pa.record_batch(_core.json_lines(rows) if as_json else rows)
        if reasons is not None:
            made = made.append_column("filter", pa.repeat(pa.scalar(reasons[folder]), made.num_rows))
        yield from in_slices(made)


def in_slices(batch: pa.RecordBatch) -> Batches:
    """A batch in pieces of about `BATCH_BYTES`."""
    pieces = min(max(1, -(-batch.nbytes // BATCH_BYTES)), max(1, batch.num_rows))
    rows = -(-batch.num_rows // pieces)
    for begin in range(0, batch.num_rows, rows or 1):
        yield batch.slice(begin, rows)


def filter_frame(batches: Batches, chain: Chain, partitioned: bool) -> Batches:
    """Documents of a DataFrame."""
    kernel = chain.kernel()
    reasons = chain.reasons() if partitioned else None
    for batch in batches:
        folders, _ = kernel.filter(batch)
        yield from with_reasons(folders, reasons, as_json=False)


def filter_pieces(
    batches: Batches, chain: Chain, records: Records, partitioned: bool, as_json: bool, report: Report
) -> Batches:
    """Documents of pieces of files."""
    kernel = chain.kernel()
    reasons = chain.reasons() if partitioned else None
    bad: Counts = {}
    for _, pieces in read_tasks(batches):
        for piece in json.loads(pieces):
            with BadTexts(records, piece, json.loads(chain.options)["text_column"]) as bad_texts:
                for batch in records.read(piece, bad):
                    folders, rows = kernel.filter(batch)
                    bad_texts.add(batch, rows)
                    yield from with_reasons(folders, reasons, as_json)
            if bad_texts.count:
                bad["no-utf8"] = bad.get("no-utf8", 0) + bad_texts.count
    report(json.loads(kernel.totals()) | {"quarantined": bad})


class BadTexts:
    """Puts aside documents whose text is not UTF-8, as the local program does."""

    def __init__(self, records: Records, piece: Counts, column: str) -> None:
        self.piece, self.column = piece, column
        self.row = self.count = 0
        self._stack = contextlib.ExitStack()
        self._quarantine = records.quarantine

    def __enter__(self) -> BadTexts:
        folder = self._stack.enter_context(self._quarantine.folder())
        self._writer = _core.QuarantineWriter(folder, f"piece-{self.piece['index']:05}-texts")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._writer.finish()
        self._stack.close()

    def add(self, batch: pa.RecordBatch, rows: list[int]) -> None:
        """Takes note of a batch, whose `rows` are bad."""
        if rows:
            texts = batch.column(self.column).cast(pa.binary())
            for row in rows:
                text = texts[row].as_py()
                self._writer.append(self.piece["name"], self.row + row, len(text), "no-utf8", text[: 1 << 20])
        self.row += batch.num_rows
        self.count += len(rows)


def measured(kernel: _core.FilterKernel, batch: pa.RecordBatch, sorted_by: str | None) -> Batches:
    """The metrics of a batch; or, to be sorted, its documents with one metric."""
    metrics = pa.record_batch(kernel.measure(batch))
    if sorted_by is None:
        yield metrics
    else:
        yield from in_slices(batch.append_column(sorted_by, metrics.column(sorted_by)))


def measure_frame(batches: Batches, chain: Chain) -> Batches:
    """Metrics of a DataFrame's documents."""
    kernel = chain.kernel()
    for batch in batches:
        yield pa.record_batch(kernel.measure(batch))


def measure_pieces(batches: Batches, chain: Chain, records: Records, sorted_by: str | None, report: Report) -> Batches:
    """Metrics of documents of pieces; or, to be sorted, the documents with one metric."""
    kernel = chain.kernel()
    bad: Counts = {}
    documents = 0
    for _, pieces in read_tasks(batches):
        for piece in json.loads(pieces):
            for batch in records.read(piece, bad):
                documents += batch.num_rows
                yield from measured(kernel, batch, sorted_by)
    report({"documents": documents, "quarantined": bad})


# --- statistics by join, where executors can not hold the index ---
#
# Documents ask for the frequencies of their paragraphs chunk by chunk, a chunk being a batch; statistics answer.


@dataclass(frozen=True)
class Places:
    """How hashes and chunks are spread."""

    bits: int
    keys: list[int]

    def of_chunk(self, chunk: str) -> int:
        """The same for all that belongs to a chunk."""
        return self.keys[zlib.crc32(chunk.encode()) % len(self.keys)]


ASK = pa.schema([("kind", pa.string()), ("place", pa.int32()), ("chunk", pa.string()), ("data", pa.binary())])


def _messages(rows: list[tuple[str, int, str, bytes]]) -> pa.RecordBatch:
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), ASK, strict=True)], ASK
    )


def ask_pieces(batches: Batches, chain: Chain, records: Records, places: Places, report: Report) -> Batches:
    """Documents of pieces of files, chunk by chunk, and what they ask."""
    kernel = chain.kernel()
    bad: Counts = {}
    for _, pieces in read_tasks(batches):
        for piece in json.loads(pieces):
            with BadTexts(records, piece, json.loads(chain.options)["text_column"]) as bad_texts:
                for number, batch in enumerate(records.read(piece, bad)):
                    asked, rows = kernel.hashes(batch, places.bits)
                    bad_texts.add(batch, rows)
                    yield _ask(f"{piece['index']:06}-{number:06}", batch, asked, places)
            if bad_texts.count:
                bad["no-utf8"] = bad.get("no-utf8", 0) + bad_texts.count
    report({"quarantined": bad})


def ask_frame(batches: Batches, chain: Chain, places: Places) -> Batches:
    """The same for a DataFrame's documents."""
    from pyspark import TaskContext

    kernel = chain.kernel()
    context = TaskContext.get()
    part = context.partitionId() if context else 0
    for number, batch in enumerate(batches):
        asked, _ = kernel.hashes(batch, places.bits)
        yield _ask(f"{part:06}-{number:06}", batch, asked, places)


def _ask(chunk: str, batch: pa.RecordBatch, asked: list[tuple[int, bytes]], places: Places) -> pa.RecordBatch:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    rows = [("2-documents", places.of_chunk(chunk), chunk, sink.getvalue().to_pybytes())]
    rows += [("2-asked", places.keys[partition], chunk, hashes) for partition, hashes in asked]
    return _messages(rows)


def tell_statistics(batches: Batches, places: Places) -> Batches:
    """What statistics, rows of a DataFrame, know."""
    for batch in batches:
        known = _core.entries_by_partition(batch, places.bits)
        if known:
            yield _messages([("1-known", places.keys[partition], "", entries) for partition, entries in known])


def answer(batches: Batches, places: Places) -> Batches:
    """Statistics and questions of some partitions, the former first, to answers."""
    known: list[bytes] = []
    index = None
    for batch in batches:
        answers = []
        for kind, _, chunk, data in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if kind == "1-known":
                known.append(data)
                continue
            if index is None:
                index = _core.FrequencyIndex.of_entries(known)
            answers.append(("1-answer", places.of_chunk(chunk), chunk, index.entries_of(data)))
        if answers:
            yield _messages(answers)


def _answered(batches: Batches, kernel: _core.FilterKernel) -> Batches:
    """Documents whose answers the kernel has; a chunk's answers come before its documents."""
    known: list[bytes] = []
    of_chunk = None
    for batch in batches:
        for kind, _, chunk, data in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if chunk != of_chunk:
                known, of_chunk = [], chunk
            if kind == "1-answer":
                known.append(data)
                continue
            kernel.set_index(_core.FrequencyIndex.of_entries(known))
            with pa.ipc.open_stream(data) as stream:
                yield from stream


def filter_answered(batches: Batches, chain: Chain, partitioned: bool, as_json: bool, report: Report | None) -> Batches:
    """Documents with their answers to what is left."""
    kernel = chain.kernel()
    reasons = chain.reasons() if partitioned else None
    for batch in _answered(batches, kernel):
        folders, _ = kernel.filter(batch)
        yield from with_reasons(folders, reasons, as_json)
    if report is not None:
        report(json.loads(kernel.totals()))


def measure_answered(batches: Batches, chain: Chain, sorted_by: str | None, report: Report | None) -> Batches:
    """Documents with their answers to metrics."""
    kernel = chain.kernel()
    documents = 0
    for batch in _answered(batches, kernel):
        documents += batch.num_rows
        yield from measured(kernel, batch, sorted_by)
    if report is not None:
        report({"documents": documents})


def lines_of_json(batches: Batches) -> Batches:
    """Rows as lines."""
    for batch in batches:
        yield pa.record_batch(_core.json_lines(batch))
