"""What runs in Spark's Python workers: the kernels, fed with Arrow batches.

Each generator here is one for `mapInArrow` when all but its first argument are bound. None refers to the driver.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import struct
import tempfile
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs

from uzushio import _core
from uzushio._errors import RunError

if TYPE_CHECKING:
    from types import TracebackType

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
    """Hands counts to the driver, from the tasks of a job's last stage: what these tell counts once.

    What other tasks tell would count as often as they run: again when a block of theirs was lost, and not at all when
    one that failed had filled a cache. Their counts go on with their data, as rows.
    """

    accumulator: Accumulator[Counts]

    def __call__(self, counts: Counts) -> None:
        """Called when the task's last batch is made."""
        self.accumulator.add(counts)


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
    """Where records that can not be read are put: below `uri`, or nowhere."""

    uri: str | None

    @contextlib.contextmanager
    def folder(self) -> Iterator[str]:
        """A local folder to write to; its files go to their place when the work is done."""
        with tempfile.TemporaryDirectory(prefix="uzushio-", dir=local_folder()) as local:
            yield local
            written = Path(local) / "quarantine"
            if self.uri is None or not written.exists():
                return
            filesystem, root = open_place(self.uri)
            filesystem.create_dir(f"{root}/quarantine", recursive=True)
            for file in sorted(written.iterdir()):
                copy_to(file, filesystem, f"{root}/quarantine/{file.name}")


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
    filesystem, root = pyarrow.fs.FileSystem.from_uri(f"{'s3' if scheme == 's3a' else scheme}://{authority}/")
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
        filesystem.move(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            filesystem.delete_file(temporary)
        raise


def read_tasks(batches: Batches) -> Iterator[tuple[int, str]]:
    """What a task is to read: rows of its number and of what it reads, as JSON."""
    for batch in batches:
        yield from zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)


# --- statistics ---

COUNTS = "counts"
"""The kind of rows that say what was counted: the sums of all that tasks before have counted, as JSON."""


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


PIECES = pa.schema([("kind", pa.string()), ("partition", pa.int32()), ("place", pa.int32()), ("data", pa.binary())])


def new_task(config: Counts, budget: Budget) -> _core.StepTask:
    """A step on the partitions of one task; see src/statistics/step_task.h."""
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
    """The first step, from pieces of files."""
    task = new_task(config, budget)
    read: Counts = {}
    for number, pieces in read_tasks(batches):
        with quarantine.folder() as folder:
            counts = _core.read_texts(task, pieces, column, folder, f"task-{number:05}")
        read = add_counts(read, json.loads(counts))
    yield from results(task)
    yield from Counted(json.loads(task.counts()) | {"quarantined": {}, "cuts_in_plain_text": 0} | read).row(config)


def count_statistics(batches: Batches, config: Counts, budget: Budget) -> Batches:
    """The first step of a merge, from pieces of statistics."""
    task = new_task(config, budget)
    for _, pieces in read_tasks(batches):
        _core.read_statistics(task, pieces)
    yield from results(task)
    yield from Counted(json.loads(task.counts())).row(config)


def write_index(batches: Batches, uri: str) -> Batches:
    """Writes the frequency index of the statistics whose files the row names, in their order."""
    for _, files in read_tasks(batches):
        with tempfile.TemporaryDirectory(prefix="uzushio-", dir=local_folder()) as local:
            index = Path(local) / "index"
            _core.write_index(json.loads(files), str(index))
            size = index.stat().st_size
            copy_to(index, *open_place(uri))
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


def open_index(path: str) -> _core.FrequencyIndex:
    """An index is mapped, and its checksum looked at, once by each worker, as long as the file is the same."""
    file = Path(path).stat() if Path(path).exists() else None  # opening it says what is wrong
    return _open_index(path, (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns) if file else None)


@functools.lru_cache(maxsize=4)
def _open_index(path: str, _: object) -> _core.FrequencyIndex:
    return _core.FrequencyIndex.open(path)


@dataclass(frozen=True)
class Records:
    """How pieces of documents are read."""

    schema: bytes
    """An Arrow schema, serialised."""
    text_column: str
    language_of_path: bool
    quarantine: Quarantine
    in_order: bool = False
    """Whether batches have the column ORDER, the last: rows' places in the input, for sorts that are to be stable."""

    def read(self, piece: Counts, bad: Counts) -> Batches:
        """The batches of a piece; reasons and numbers of bad lines are added to `bad`."""
        schema = pa.ipc.read_schema(pa.py_buffer(self.schema))
        with self.quarantine.folder() as folder:
            stream = _core.RowStream(
                schema,
                self.text_column,
                self.language_of_path,
                json.dumps([piece]),
                folder,
                f"piece-{piece['index']:05}",
            )
            row = 0
            while (read := stream.next()) is not None:
                batch = pa.record_batch(read)
                yield self._with_order(batch, piece["index"], row) if self.in_order else batch
                row += batch.num_rows
        for reason, count in json.loads(stream.quarantined()).items():
            bad[reason] = bad.get(reason, 0) + count

    def _with_order(self, batch: pa.RecordBatch, piece: int, row: int) -> pa.RecordBatch:
        first = (piece << 40) + row
        places = pa.array(range(first, first + batch.num_rows), pa.int64())
        return pa.record_batch([*batch.columns, places], schema=batch.schema.append(ORDER))


ORDER = pa.field("_order of the input", pa.int64(), nullable=False)


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
        self._stack.push(lambda kind, *_: self._writer.finish() if kind is None else None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

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


def measure_pieces(
    batches: Batches, chain: Chain, records: Records, sorted_by: str | None, report: Report | None
) -> Batches:
    """Metrics of documents of pieces; or, to be sorted, the documents with one metric."""
    kernel = chain.kernel()
    bad: Counts = {}
    documents = 0
    for _, pieces in read_tasks(batches):
        for piece in json.loads(pieces):
            for batch in records.read(piece, bad):
                documents += batch.num_rows
                yield from measured(kernel, batch, sorted_by)
    if report is not None:
        report({"documents": documents, "quarantined": bad})


# --- statistics by join, where executors can not hold the index ---
#
# Documents ask for the frequencies of their paragraphs chunk by chunk, a chunk being a batch of a piece, or a document
# of a DataFrame; statistics answer. Documents and questions may be worked out at different times, each anew when
# something is lost: a chunk's name depends on nothing but what is in it. It ends with the number of its questions.


@dataclass(frozen=True)
class Places:
    """How hashes and chunks are spread."""

    bits: int
    keys: list[int]

    def of_chunk(self, chunk: str) -> int:
        """The same for all that belongs to a chunk."""
        return self.keys[zlib.crc32(chunk.encode()) % len(self.keys)]


_PLACE = struct.Struct("<i")
ASK = pa.schema([("kind", pa.string()), ("place", pa.int32()), ("chunk", pa.string()), ("data", pa.binary())])


def _messages(rows: list[tuple[str, int, str, bytes]]) -> pa.RecordBatch:
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), ASK, strict=True)], ASK
    )


def ask_pieces(batches: Batches, chain: Chain, records: Records, places: Places, puts_aside: bool) -> Batches:
    """Documents of pieces of files, chunk by chunk, and what they ask; and how many were bad.

    What is no UTF-8 may be put aside, too.
    """
    kernel = chain.kernel()
    bad: Counts = {}
    for _, pieces in read_tasks(batches):
        for piece in json.loads(pieces):
            with BadTexts(records, piece, json.loads(chain.options)["text_column"]) as bad_texts:
                for number, batch in enumerate(records.read(piece, bad)):
                    asked, rows = kernel.hashes(batch, places.bits)
                    bad_texts.add(batch, rows if puts_aside else [])
                    yield _ask(f"{piece['index']:06}-{number:06}", batch, asked, places)
            if bad_texts.count:
                bad["no-utf8"] = bad.get("no-utf8", 0) + bad_texts.count
    if bad:
        yield _messages([("0-counts", places.keys[0], "", json.dumps({"quarantined": bad}).encode())])


def ask_frame(batches: Batches, chain: Chain, places: Places) -> Batches:
    """The same for a DataFrame's documents, one by one: the order of its rows may change from time to time."""
    kernel = chain.kernel()
    options = json.loads(chain.options)
    columns = [options["text_column"], options["id_column"]]
    for batch in batches:
        for row in range(batch.num_rows):
            document = batch.slice(row, 1)
            asked, _ = kernel.hashes(document, places.bits)
            yield _ask(_content_name(document, columns), document, asked, places)


def _content_name(document: pa.RecordBatch, columns: list[str]) -> str:
    """A name for a document that others have only where they are the same in these columns."""
    content = hashlib.blake2b(digest_size=16)
    for name in columns:
        value = document.column(name)[0] if name in document.schema.names else None
        if value is None or not value.is_valid:
            content.update(b"-")
            continue
        is_text = pa.types.is_string(value.type) or pa.types.is_large_string(value.type)
        data = bytes(value.as_buffer()) if is_text else str(value.as_py()).encode()
        content.update(b"%d:" % len(data))
        content.update(data)
    return content.hexdigest()


def _ask(name: str, batch: pa.RecordBatch, asked: list[tuple[int, bytes]], places: Places) -> pa.RecordBatch:
    chunk = f"{name}/{len(asked)}"
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
    """Statistics and questions of some partitions, the former first, to answers; each begins with its place."""
    known: list[bytes] = []
    index = None
    for batch in batches:
        answers = []
        for kind, place, chunk, data in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if kind == "1-known":
                known.append(data)
                continue
            if index is None:
                index = _core.FrequencyIndex.of_entries(known)
            answers.append(("1-answer", places.of_chunk(chunk), chunk, _PLACE.pack(place) + index.entries_of(data)))
        if answers:
            yield _messages(answers)


def _answered(batches: Batches, kernel: _core.FilterKernel, counted: Counted) -> Batches:
    """Documents whose answers the kernel has; a chunk's answers come before its documents.

    Documents that are the same make one chunk, whose questions, the same too, are answered more than once.
    """
    known: dict[bytes, bytes] = {}
    of_chunk = of_kernel = None
    for batch in batches:
        for kind, _, chunk, data in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if kind == "0-counts":
                counted.add(data)
                continue
            if chunk != of_chunk:
                known, of_chunk = {}, chunk
            if kind == "1-answer":
                known[data[: _PLACE.size]] = data[_PLACE.size :]
                continue
            if chunk != of_kernel:
                _check_answers(chunk, len(known))
                kernel.set_index(_core.FrequencyIndex.of_entries(list(known.values())))
                of_kernel = chunk
            with pa.ipc.open_stream(data) as stream:
                yield from stream


def _check_answers(chunk: str, answers: int) -> None:
    questions = int(chunk.rpartition("/")[2])
    if answers != questions:
        raise RunError(
            f"{questions} questions of documents have {answers} answers: the documents were others when they were read "
            "a second time; write them to files, and give those"
        )


def filter_answered(batches: Batches, chain: Chain, partitioned: bool, as_json: bool, report: Report | None) -> Batches:
    """Documents with their answers to what is left."""
    kernel = chain.kernel()
    reasons = chain.reasons() if partitioned else None
    counted = Counted()
    for batch in _answered(batches, kernel, counted):
        folders, _ = kernel.filter(batch)
        yield from with_reasons(folders, reasons, as_json)
    if report is not None:
        report(add_counts(json.loads(kernel.totals()), counted.counts))


def measure_answered(batches: Batches, chain: Chain, sorted_by: str | None, report: Report | None) -> Batches:
    """Documents with their answers to metrics."""
    kernel = chain.kernel()
    counted = Counted()
    documents = 0
    for batch in _answered(batches, kernel, counted):
        documents += batch.num_rows
        yield from measured(kernel, batch, sorted_by)
    if report is not None:
        report(add_counts({"documents": documents}, counted.counts))


def lines_of_json(batches: Batches) -> Batches:
    """Rows as lines."""
    for batch in batches:
        yield pa.record_batch(_core.json_lines(batch))
