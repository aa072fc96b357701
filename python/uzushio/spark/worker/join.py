"""Frequencies by join, where executors can not hold the index.

Documents ask for the frequencies of their paragraphs chunk by chunk, a chunk being a batch of a split, or a document of
a DataFrame; statistics answer. Documents and questions may be worked out at different times, each anew when something
is lost: a chunk's name depends on nothing but what is in it. It ends with the number of its questions.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass

import pyarrow as pa

from uzushio import _core
from uzushio._errors import RunError
from uzushio.spark.worker.documents import BadTexts, Chain, Form, Records, measured, no_utf8, with_reasons
from uzushio.spark.worker.statistics import Counted
from uzushio.spark.worker.tasks import Batches, Counts, Tell, add_counts, read_tasks

_PLACE = struct.Struct("<i")
ASK = pa.schema([("kind", pa.string()), ("place", pa.int32()), ("chunk", pa.string()), ("data", pa.binary())])


@dataclass(frozen=True)
class Places:
    """How hashes and chunks are spread."""

    bits: int
    keys: list[int]

    def of_chunk(self, chunk: str) -> int:
        """The same for all that belongs to a chunk."""
        return self.keys[zlib.crc32(chunk.encode()) % len(self.keys)]


def _messages(rows: list[tuple[str, int, str, bytes]]) -> pa.RecordBatch:
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), ASK, strict=True)], ASK
    )


def ask_pieces(batches: Batches, chain: Chain, records: Records, places: Places, puts_aside: bool) -> Batches:
    """Documents of splits of files, chunk by chunk, and what they ask; and how many were bad.

    What is no UTF-8 may be put aside, too.
    """
    kernel = chain.kernel()
    bad: Counts = {}
    for _, splits in read_tasks(batches):
        for split in json.loads(splits):
            with BadTexts(records, split, json.loads(chain.options)["text_column"]) as bad_texts:
                for number, batch in enumerate(records.read(split, bad)):
                    asked, rows = kernel.hashes(batch, places.bits)
                    bad_texts.add(batch, rows if puts_aside else [])
                    yield _ask(f"{split['index']:06}-{number:06}", batch, asked, places)
            if bad_texts.count:
                bad["no-utf8"] = bad.get("no-utf8", 0) + bad_texts.count
    if bad:
        yield _bad_ones(bad, places)


def _bad_ones(bad: Counts, places: Places) -> pa.RecordBatch:
    return _messages([("0-counts", places.keys[0], "", json.dumps({"quarantined": bad}).encode())])


def ask_frame(batches: Batches, chain: Chain, places: Places) -> Batches:
    """The same for a DataFrame's documents, one by one: the order of its rows may change from time to time."""
    kernel = chain.kernel()
    bad = 0
    options = json.loads(chain.options)
    columns = [options["text_column"], options["id_column"]]
    for batch in batches:
        for row in range(batch.num_rows):
            document = batch.slice(row, 1)
            asked, rows = kernel.hashes(document, places.bits)
            bad += len(rows)
            yield _ask(_content_name(document, columns), document, asked, places)
    if bad:
        yield _bad_ones(no_utf8(bad), places)


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


def answered_batches(batches: Batches, kernel: _core.FilterKernel, counted: Counted) -> Batches:
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


def filter_answered(
    batches: Batches, chain: Chain, partitioned: bool, form: Form, report: Tell | None = None
) -> Batches:
    """Documents with their answers to what is left."""
    kernel = chain.kernel()
    reasons = chain.reasons() if partitioned else None
    counted = Counted()
    for batch in answered_batches(batches, kernel, counted):
        folders, _ = kernel.filter(batch)
        yield from with_reasons(folders, reasons, form)
    if report is not None:
        report(add_counts(json.loads(kernel.totals()), counted.counts))


def measure_answered(batches: Batches, chain: Chain, sorted_by: str | None, report: Tell | None = None) -> Batches:
    """Documents with their answers to metrics."""
    kernel = chain.kernel()
    counted = Counted()
    documents = 0
    for batch in answered_batches(batches, kernel, counted):
        documents += batch.num_rows
        yield from measured(kernel, batch, sorted_by)
    if report is not None:
        report(add_counts({"documents": documents}, counted.counts))
