"""Documents through a chain of filters, or to its metrics, with an index of frequencies or none."""

from __future__ import annotations

import contextlib
import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from uzushio import _core
from uzushio._errors import Error, RunError
from uzushio.spark.worker.tasks import Batches, Counts, Quarantine, Tell, in_slices, read_tasks

if TYPE_CHECKING:
    from types import TracebackType

    from uzushio.spark.worker.repeats import Repeats

ORDER = pa.field("_order of the input", pa.int64(), nullable=False)


@dataclass(frozen=True)
class Chain:
    """What documents are filtered by: everything that a kernel is made of."""

    filters: str
    """The chain, as JSON."""
    options: str
    index: str | None
    """The path of a frequency index on the executor, or of one that Spark has brought there."""
    index_is_spark_file: bool = False

    def read(self) -> _core.FilterChain:
        """The chain itself."""
        return _chain(self.filters)

    def kernel(self) -> _core.FilterKernel:
        """One task's kernel."""
        path = self.index
        if path is not None and self.index_is_spark_file:
            from pyspark import SparkFiles

            path = SparkFiles.get(path)
        return _core.FilterKernel(self.read(), open_index(path) if path else None, self.options)

    def reasons(self) -> list[str]:
        """The values of the column `filter`, by folder."""
        return ["none", *self.read().reasons()]


@functools.lru_cache(maxsize=4)
def _chain(filters: str) -> _core.FilterChain:
    """A chain is read once by each worker: its dictionaries and language models are large."""
    return _core.FilterChain.make(filters, may_compare=True)


def open_index(path: str) -> _core.FrequencyIndex:
    """An index is mapped, and its checksum looked at, once by each worker, as long as the file is the same."""
    file = Path(path).stat() if Path(path).exists() else None  # opening it says what is wrong
    return _open_index(path, (file.st_dev, file.st_ino, file.st_size, file.st_ctime_ns) if file else None)


@functools.lru_cache(maxsize=4)
def _open_index(path: str, _: object) -> _core.FrequencyIndex:
    return _core.FrequencyIndex.open(path)


@dataclass(frozen=True)
class Records:
    """How splits of documents are read."""

    read_schema: bytes
    """The Arrow schema of what is read, serialised."""
    schema: bytes
    """And of batches: the same but for units of time."""
    text_column: str
    language_of_path: bool
    quarantine: Quarantine
    in_order: bool = False
    """Whether batches have the column ORDER, the last: rows' places in the input, for sorts that are to be stable."""
    formats: str = ""
    """What files are, as `_core.find_rows` takes it."""

    def read(self, split: Counts, bad: Counts) -> Batches:
        """The batches of a split; reasons and numbers of bad lines are added to `bad`."""
        read_schema, schema = (pa.ipc.read_schema(pa.py_buffer(one)) for one in (self.read_schema, self.schema))
        is_cast = read_schema != schema
        part = f"piece-{split['index']:05}"
        with self.quarantine.folder(part) as folder:
            stream = _core.RowStream(
                read_schema,
                self.text_column,
                self.language_of_path,
                json.dumps([split]),
                folder,
                part,
                self.formats,
            )
            row = 0
            while (read := stream.next()) is not None:
                batch = pa.record_batch(read).cast(schema) if is_cast else pa.record_batch(read)
                yield self._with_order(batch, split["index"], row) if self.in_order else batch
                row += batch.num_rows
        for reason, count in json.loads(stream.quarantined()).items():
            bad[reason] = bad.get(reason, 0) + count

    def check(self, kernel: _core.FilterKernel, split: Counts) -> None:
        """Raises when a split had other elements, as its kernel has seen them, than when they were compared."""
        try:
            kernel.check_repeats()
        except Error as error:
            raise RunError(f"{split['name']}: {error}") from error

    def _with_order(self, batch: pa.RecordBatch, split: int, row: int) -> pa.RecordBatch:
        first = (split << 40) + row
        places = pa.array(range(first, first + batch.num_rows), pa.int64())
        return pa.record_batch([*batch.columns, places], schema=batch.schema.append(ORDER))


@dataclass(frozen=True)
class Form:
    """How rows that are left are handed on."""

    kind: str = "rows"
    """`rows`; `lines`, of JSON; `texts`: the column of texts alone. The last two have one column, `value`."""
    column: str = ""
    """Of texts, and what it is called in the output."""
    name: str = ""

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Of rows that were of this one."""
        return self._named(schema) if self.kind == "rows" else pa.schema([pa.field("value", pa.string())])

    def of(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Rows that a kernel gave."""
        if self.kind == "texts":
            return pa.record_batch([rows.column(self.column)], ["value"])
        named = pa.record_batch(rows.columns, schema=self._named(rows.schema))
        return pa.record_batch(_core.json_lines(named)) if self.kind == "lines" else named

    def _named(self, schema: pa.Schema) -> pa.Schema:
        if self.name == self.column:
            return schema
        place = schema.get_field_index(self.column)
        return schema.set(place, schema.field(place).with_name(self.name))


ROWS = Form()


def with_reasons(folders: list[tuple[int, _core.ArrowBatch]], reasons: list[str] | None, form: Form) -> Batches:
    """What the kernel gives, in this form, with the column `filter` when reasons are given."""
    for folder, rows in folders:
        made = form.of(pa.record_batch(rows))
        if reasons is not None:
            made = made.append_column("filter", pa.repeat(pa.scalar(reasons[folder]), made.num_rows))
        yield from in_slices(made)


class BadTexts:
    """Puts aside documents whose text is not UTF-8, as the local program does."""

    def __init__(self, records: Records, split: Counts, column: str) -> None:
        self.split, self.column = split, column
        self.row = self.count = 0
        self._stack = contextlib.ExitStack()
        self._quarantine = records.quarantine

    def __enter__(self) -> BadTexts:
        part = f"piece-{self.split['index']:05}-texts"
        self._writer = _core.QuarantineWriter(self._stack.enter_context(self._quarantine.folder(part)), part)
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
                self._writer.append(self.split["name"], self.row + row, len(text), "no-utf8", text[: 1 << 20])
        self.row += batch.num_rows
        self.count += len(rows)


def filter_frame(batches: Batches, chain: Chain, partitioned: bool, report: Tell | None = None) -> Batches:
    """Documents of a DataFrame."""
    kernel = chain.kernel()
    reasons = chain.reasons() if partitioned else None
    bad = 0
    for batch in batches:
        folders, rows = kernel.filter(batch)
        bad += len(rows)
        yield from with_reasons(folders, reasons, ROWS)
    if report is not None:
        report(json.loads(kernel.totals()) | {"quarantined": no_utf8(bad)})


def no_utf8(count: int) -> Counts:
    """The counts of so many bad texts."""
    return {"no-utf8": count} if count else {}


def filter_pieces(
    batches: Batches,
    chain: Chain,
    records: Records,
    partitioned: bool,
    form: Form,
    report: Tell,
    repeats: Repeats | None = None,
) -> Batches:
    """Documents of splits of files."""
    kernel = chain.kernel()
    reasons = chain.reasons() if partitioned else None
    bad: Counts = {}
    for _, splits in read_tasks(batches):
        for split in json.loads(splits):
            with contextlib.ExitStack() as stack:
                bad_texts = stack.enter_context(BadTexts(records, split, json.loads(chain.options)["text_column"]))
                if repeats is not None:
                    kernel.set_repeats(stack.enter_context(repeats.of(split["index"])))
                for batch in records.read(split, bad):
                    folders, rows = kernel.filter(batch)
                    bad_texts.add(batch, rows)
                    yield from with_reasons(folders, reasons, form)
                records.check(kernel, split)
            if bad_texts.count:
                bad["no-utf8"] = bad.get("no-utf8", 0) + bad_texts.count
    report(json.loads(kernel.totals()) | {"quarantined": bad})


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
    batches: Batches, chain: Chain, records: Records, sorted_by: str | None, report: Tell | None
) -> Batches:
    """Metrics of documents of splits; or, to be sorted, the documents with one metric."""
    kernel = chain.kernel()
    bad: Counts = {}
    documents = 0
    for _, splits in read_tasks(batches):
        for split in json.loads(splits):
            for batch in records.read(split, bad):
                documents += batch.num_rows
                yield from measured(kernel, batch, sorted_by)
    if report is not None:
        report({"documents": documents, "quarantined": bad})
