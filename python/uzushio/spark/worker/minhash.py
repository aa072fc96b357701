"""The steps of `minhash`; see src/stages/minhash/bucket_task.h."""

from __future__ import annotations

import bisect
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from uzushio import _core
from uzushio._errors import RunError
from uzushio.spark.worker.documents import BadTexts, Records
from uzushio.spark.worker.tasks import (
    BATCH_BYTES,
    Batches,
    Budget,
    Counts,
    Report,
    add_counts,
    copy_to,
    in_slices,
    local_folder,
    open_place,
    read_tasks,
)

LAST = 1 << 62
"""The number of the row that says what a task is to read, after all documents."""

END = 2
"""The kind of the row that ends an index."""

SIGNED = pa.schema(
    [
        ("split", pa.int32()),
        ("place", pa.int64()),
        ("counts", pa.string()),
        ("id", pa.binary()),
        ("high", pa.int64()),
        ("low", pa.int64()),
        ("dated", pa.bool_()),
        ("text_bytes", pa.int64()),
        ("buckets", pa.binary()),
        ("sketch", pa.binary()),
        ("text", pa.binary()),
    ]
)
"""Signatures of documents, by split and place in it; and of each split a row with how many it has, and its counts."""
SPREAD = pa.schema([("place", pa.int32()), ("number", pa.int64()), ("rows", pa.binary())])
ASKED = pa.schema(
    [
        ("place", pa.int32()),
        ("number", pa.int64()),
        ("id", pa.binary()),
        ("similarity", pa.float64()),
        ("work", pa.string()),
    ]
)
"""What is asked of the splits' documents, and, after it, the splits that a task is to read."""
TEXTS = pa.schema([("number", pa.int64()), ("text", pa.binary())])


@dataclass(frozen=True)
class Comparison:
    """What documents are compared by."""

    options: str
    """As `MinhashOptions` in src/stages/minhash/options.h has them, as JSON."""
    column: str
    index_only: bool
    sets: tuple[tuple[str, str] | None, ...] = (None,)
    """Folders of other indexes, on the executors, and their checksums, in order; None: this run's documents."""
    decided: int = 0
    """The first of them, whose documents stay."""

    def documents(self) -> _core.MinhashKernel:
        """One task's."""
        return _core.MinhashKernel(self.options, local_folder())

    def indexes(self) -> list[_core.DocumentIndex | None]:
        """Those of the sets."""
        return [None if one is None else open_index(*one) for one in self.sets]


_indexes: dict[str, _core.DocumentIndex] = {}
"""Those that this worker has opened, by their folders."""


def open_index(folder: str, checksum: str) -> _core.DocumentIndex:
    """The index that the driver has seen there: each worker reads it once, to check it. Errors: it is another now."""
    index = _indexes.get(folder)
    if index is None or index.checksum() != checksum:
        index = _indexes[folder] = _core.DocumentIndex.open(folder)
    if index.checksum() != checksum:
        raise RunError(f"{folder}: was written anew while it was read")
    return index


def sign_pieces(batches: Batches, comparison: Comparison, records: Records) -> Batches:
    """Signatures of the documents of splits."""
    documents = comparison.documents()
    for _, splits in read_tasks(batches):
        for split in json.loads(splits):
            counts: Counts = {"text_bytes": 0, "documents_without_date": 0}
            bad: Counts = {}
            place = 0
            with BadTexts(records, split, comparison.column) as bad_texts:
                for batch in records.read(split, bad):
                    signed, rows = documents.sign(batch)
                    bad_texts.add(batch, rows)
                    made = _signed(split["index"], place, pa.record_batch(signed))
                    place += made.num_rows
                    counts["text_bytes"] += sum(made.column("text_bytes").to_pylist())
                    counts["documents_without_date"] += made.column("dated").to_pylist().count(False)
                    yield from in_slices(made)
            if bad_texts.count:
                bad["no-utf8"] = bad.get("no-utf8", 0) + bad_texts.count
            told = {"split": split["index"], "place": place, "counts": json.dumps(counts | {"quarantined": bad})}
            yield pa.RecordBatch.from_pylist([told], SIGNED)


def _signed(split: int, first: int, made: pa.RecordBatch) -> pa.RecordBatch:
    rows = made.num_rows
    places = pa.array(range(first, first + rows), pa.int64())
    columns = [pa.repeat(pa.scalar(split, pa.int32()), rows), places, pa.nulls(rows, pa.string()), *made.columns]
    return pa.record_batch(columns, schema=SIGNED)


def spread(batches: Batches, bits: int, places: list[int]) -> Batches:
    """Signed documents to rows of partitions, many at a time."""
    for gathered in _gathered(batches):
        rows = []
        for partition, found in _core.spread_buckets(gathered, bits):
            of_partition = pa.record_batch(found)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, of_partition.schema) as stream:
                stream.write_batch(of_partition)
            first = of_partition.column("number")[0].as_py()
            rows.append({"place": places[partition], "number": first, "rows": sink.getvalue().to_pybytes()})
        yield from in_slices(pa.RecordBatch.from_pylist(rows, SPREAD))


def _gathered(batches: Batches) -> Batches:
    """The same rows in larger batches."""
    kept: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        kept.append(batch)
        size += batch.nbytes
        if size >= BATCH_BYTES:
            yield _together(kept)
            kept, size = [], 0
    if kept:
        yield _together(kept)


def _together(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches)
    return pa.record_batch([column.combine_chunks() for column in table.columns], schema=table.schema)


def find_followers(batches: Batches, comparison: Comparison, budget: Budget) -> Batches:
    """Rows of a partition, in order, to followers and buckets."""
    config = json.loads(comparison.options) | {
        "decided": comparison.decided,
        "index_only": comparison.index_only,
        "memory": budget.of_task(),
        "tmp": local_folder(),
    }
    task = _core.BucketTask(json.dumps(config), comparison.indexes())
    for batch in batches:
        for rows in batch.column("rows"):
            with pa.ipc.open_stream(rows.as_buffer()) as stream:
                for of_partition in stream:
                    task.add(of_partition)
    while (found := task.next()) is not None:
        yield from in_slices(pa.record_batch(found))


def estimate(batches: Batches, comparison: Comparison) -> Batches:
    """Followers with their own sketches and their leaders', where these are of this run, to duplicates."""
    documents = comparison.documents()
    indexes = comparison.indexes()
    own = comparison.sets.index(None)
    for batch in batches:
        similarity = pa.record_batch(documents.estimate(batch, indexes)).column(0)
        others = pa.array([source != own for source in batch.column("source").to_pylist()], pa.bool_())
        columns = [batch.column("number"), batch.column("id"), similarity, others]
        yield pa.record_batch(columns, names=["number", "id", "similarity", "of_others"])


def compare(batches: Batches, comparison: Comparison) -> Batches:
    """Followers with their own text and a leader's, null for one of another index, to rows with their similarity.

    It is null where they are no duplicates.
    """
    documents = comparison.documents()
    indexes = comparison.indexes()
    for batch in batches:
        similarity = pa.record_batch(documents.compare(batch, indexes)).column(0)
        yield batch.drop_columns(["text", "other"]).append_column("similarity", similarity)


def ask(batches: Batches, bounds: list[int], places: list[int]) -> Batches:
    """Rows of numbers, and of ids and similarities, to the tasks that read these documents."""
    for batch in batches:
        numbers = batch.column("number").to_pylist()
        to = [places[bisect.bisect_right(bounds, number) - 1] for number in numbers]
        rest = [
            batch.column(field.name) if field.name in batch.schema.names else pa.nulls(len(to), field.type)
            for field in list(ASKED)[1:]
        ]
        yield pa.record_batch([pa.array(to, pa.int32()), *rest], schema=ASKED)


def _with_work(batches: Batches) -> Iterator[tuple[pa.RecordBatch, list[Counts]]]:
    """What is asked, in order of numbers, and the splits to be read then."""
    kept: list[pa.RecordBatch] = []
    for batch in batches:
        numbers = batch.column("number").to_pylist()
        begin = 0
        for place, number in enumerate(numbers):
            if number == LAST:
                kept.append(batch.slice(begin, place - begin))
                yield _together(kept), json.loads(batch.column("work")[place].as_py())
                kept, begin = [], place + 1
        kept.append(batch.slice(begin))


def _changed(split: Counts) -> RunError:
    return RunError(f"{split['name']}: was changed while it was read")


def texts_of(batches: Batches, comparison: Comparison, records: Records, firsts: list[int]) -> Batches:
    """The texts of the documents that are asked for."""
    documents = comparison.documents()
    for asked, splits in _with_work(batches):
        numbers = asked.column("number").to_pylist()
        for split in splits:
            number = firsts[split["index"]]
            for batch in records.read(split, {}):
                begin, end = (bisect.bisect_left(numbers, at) for at in (number, number + batch.num_rows))
                texts, count = documents.texts(batch, number, numbers[begin:end])
                number += count
                yield from in_slices(pa.record_batch(texts))
            if number != firsts[split["index"] + 1]:
                raise _changed(split)


def part_pieces(
    batches: Batches, comparison: Comparison, records: Records, firsts: list[int], kept: bool, report: Report
) -> Batches:
    """The documents that are kept, or the duplicates."""
    documents = comparison.documents()
    rows = 0
    for asked, splits in _with_work(batches):
        numbers = asked.column("number").to_pylist()
        for split in splits:
            number = firsts[split["index"]]
            for batch in records.read(split, {}):
                begin, end = (bisect.bisect_left(numbers, at) for at in (number, number + batch.num_rows))
                *parts, count = documents.part(batch, number, asked.slice(begin, end - begin))
                number += count
                part = parts[0 if kept else 1]
                if part is not None:
                    made = pa.record_batch(part)
                    rows += made.num_rows
                    yield from in_slices(made)
            if number != firsts[split["index"] + 1]:
                raise _changed(split)
    report({"kept" if kept else "duplicates": rows})


def write_index(batches: Batches, comparison: Comparison, uri: str | None) -> Batches:
    """Writes the index of documents (`kind` 0: number, id, data: the sketch, text) and buckets (1: …, data), in order.

    The kind END ends it. Without a place it is for what tells the documents from others only.
    """
    with tempfile.TemporaryDirectory(prefix="uzushio-", dir=local_folder()) as local:
        folder = Path(local) / _core.DOCUMENT_INDEX_FOLDER
        writer = _core.DocumentIndexWriter(folder, comparison.options, uri is not None)
        identity = None
        for batch in batches:
            kinds = batch.column("kind").to_pylist()
            buckets, end = bisect.bisect_left(kinds, 1), bisect.bisect_left(kinds, END)
            writer.add_documents(batch.slice(0, buckets))
            if buckets < len(kinds):
                identity = identity or writer.finish_documents()
            for data in batch.column("data")[buckets:end].to_pylist():
                writer.add_buckets(data)
        if uri is not None:
            writer.finish()
            filesystem, root = open_place(uri)
            filesystem.create_dir(root, recursive=True)
            for file in sorted(folder.iterdir()):
                copy_to(file, filesystem, f"{root}/{file.name}")
        told = {"identity": identity, "buckets": writer.buckets(), "text_bytes": writer.text_bytes()}
        yield pa.RecordBatch.from_pylist([told])


def sum_counts(told: list[str]) -> Counts:
    """The counts of splits, together."""
    total: Counts = {"text_bytes": 0, "documents_without_date": 0, "quarantined": {}}
    for counts in told:
        total = add_counts(total, json.loads(counts))
    return total
