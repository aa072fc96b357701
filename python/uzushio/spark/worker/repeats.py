"""Which elements of a run repeat earlier ones: what the filter DeduplicateElement goes by.

Of each filter that compares documents, a pass lists the elements that come to it, equal ones come together, and those
that are not the first go back to the pieces of the input that they are in: a file for each piece, which says which of
its elements repeat earlier ones, in order, and how many elements it has.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from uzushio.spark.worker.documents import Chain, Records
from uzushio.spark.worker.tasks import Batches, Quarantine, in_slices, local_folder, open_place, read_tasks

ELEMENTS = "high bigint, low bigint, piece int, element bigint"
"""Of the hash of an element, its piece, and which of its elements it is; no hash: how many there are."""
REPEATS = "piece int, element bigint"


@dataclass(frozen=True)
class Repeats:
    """What is known of some filters of a chain."""

    uri: str
    """Of the folder that their files are in."""
    steps: tuple[int, ...] = ()
    """Their places in the chain."""

    def folder(self, step: int) -> str:
        """Of one filter."""
        return f"{self.uri}/repeats-{step}"

    @contextlib.contextmanager
    def of(self, piece: int) -> Iterator[dict[int, pa.RecordBatch]]:
        """What kernels take, while documents of a piece are read."""
        with tempfile.TemporaryDirectory(prefix="uzushio-", dir=local_folder()) as local:
            yield {step: self._elements(step, piece, Path(local) / str(step)) for step in self.steps}

    def _elements(self, step: int, piece: int, local: Path) -> pa.RecordBatch:
        filesystem, folder = open_place(self.folder(step))
        with (
            filesystem.open_input_stream(f"{folder}/{_name(piece)}", compression=None) as stream,
            local.open("wb") as to,
        ):
            shutil.copyfileobj(stream, to, 1 << 20)
        with pa.memory_map(str(local)) as mapped:
            bytes = mapped.read_buffer()
        elements = pa.Array.from_buffers(pa.int64(), bytes.size // 8, [None, bytes])
        return pa.record_batch([elements], ["element"])


def _name(piece: int) -> str:
    return f"piece-{piece:06}"


def list_elements(batches: Batches, chain: Chain, records: Records, repeats: Repeats, step: int) -> Batches:
    """The elements that come to a filter, as ELEMENTS; `repeats` of those before it are known."""
    kernel = chain.kernel()
    records = replace(records, quarantine=Quarantine(None))  # the last pass does that
    for _, pieces in read_tasks(batches):
        for piece in json.loads(pieces):
            index, count = piece["index"], 0
            with repeats.of(index) as known:
                kernel.set_repeats(known)
                for batch in records.read(piece, {}):
                    hashes = pa.record_batch(kernel.elements(batch, step))
                    yield from in_slices(_elements(hashes.columns, index, count))
                    count += hashes.num_rows
                records.check(kernel, piece)
            yield _elements([pa.nulls(1, pa.int64())] * 2, index, count)


def _elements(hashes: list[pa.Array], piece: int, first: int) -> pa.RecordBatch:
    rows = len(hashes[0])
    numbers = pa.array(range(first, first + rows), pa.int64())
    columns = [*hashes, pa.repeat(pa.scalar(piece, pa.int32()), rows), numbers]
    return pa.record_batch(columns, ["high", "low", "piece", "element"])


def take_repeats(batches: Batches) -> Batches:
    """Of elements in order of hashes and places, those that are not the first of their hash; and the counts."""
    before = [pa.nulls(1, pa.int64())] * 2
    for batch in batches:
        if batch.num_rows == 0:
            continue
        halves = [pa.concat_arrays([last, batch.column(i)]) for i, last in enumerate(before)]
        equal = [pc.equal(half.slice(1), half.slice(0, batch.num_rows)) for half in halves]
        is_repeat = pc.fill_null(pc.and_(*equal), False)
        yield batch.filter(pc.or_(is_repeat, pc.is_null(batch.column(0)))).select(["piece", "element"])
        before = [half.slice(batch.num_rows) for half in halves]


def write_repeats(batches: Batches, folder: str) -> Batches:
    """Writes the files of pieces whose rows come together, in order; gives the pieces."""
    with Quarantine(folder).folder() as local:
        for batch in batches:
            for piece in pc.unique(batch.column("piece")):
                elements = batch.filter(pc.equal(batch.column("piece"), piece)).column("element")
                with (Path(local) / _name(piece.as_py())).open("ab") as file:
                    file.write(elements.buffers()[1].slice(8 * elements.offset, 8 * len(elements)))
    yield from ()
