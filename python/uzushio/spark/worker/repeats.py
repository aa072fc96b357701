"""Which elements of a run repeat earlier ones: what the filter DeduplicateElement goes by.

Of each filter that compares documents, a pass lists the elements that come to it, equal ones come together, and those
that are not the first go back to the splits of the input that they are in: a file for each split, which says which of
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

ELEMENTS = "high bigint, low bigint, split int, element bigint"
"""Of the hash of an element, its split, and which of its elements it is; no hash: how many there are."""
REPEATS = "split int, element bigint"


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
    def of(self, split: int) -> Iterator[dict[int, pa.RecordBatch]]:
        """What kernels take, while documents of a split are read."""
        with tempfile.TemporaryDirectory(prefix="uzushio-", dir=local_folder()) as local:
            yield {step: self._elements(step, split, Path(local) / str(step)) for step in self.steps}

    def _elements(self, step: int, split: int, local: Path) -> pa.RecordBatch:
        filesystem, folder = open_place(self.folder(step))
        with (
            filesystem.open_input_stream(f"{folder}/{_name(split)}", compression=None) as stream,
            local.open("wb") as to,
        ):
            shutil.copyfileobj(stream, to, 1 << 20)
        with pa.memory_map(str(local)) as mapped:
            bytes = mapped.read_buffer()
        elements = pa.Array.from_buffers(pa.int64(), bytes.size // 8, [None, bytes])
        return pa.record_batch([elements], ["element"])


def _name(split: int) -> str:
    return f"piece-{split:06}"


def list_elements(batches: Batches, chain: Chain, records: Records, repeats: Repeats, step: int) -> Batches:
    """The elements that come to a filter, as ELEMENTS; `repeats` of those before it are known."""
    kernel = chain.kernel()
    records = replace(records, quarantine=Quarantine(None))  # the last pass does that
    for _, splits in read_tasks(batches):
        for split in json.loads(splits):
            index, count = split["index"], 0
            with repeats.of(index) as known:
                kernel.set_repeats(known)
                for batch in records.read(split, {}):
                    hashes = pa.record_batch(kernel.elements(batch, step))
                    yield from in_slices(_elements(hashes.columns, index, count))
                    count += hashes.num_rows
                records.check(kernel, split)
            yield _elements([pa.nulls(1, pa.int64())] * 2, index, count)


def _elements(hashes: list[pa.Array], split: int, first: int) -> pa.RecordBatch:
    rows = len(hashes[0])
    numbers = pa.array(range(first, first + rows), pa.int64())
    columns = [*hashes, pa.repeat(pa.scalar(split, pa.int32()), rows), numbers]
    return pa.record_batch(columns, ["high", "low", "split", "element"])


def take_repeats(batches: Batches) -> Batches:
    """Of elements in order of hashes and places, those that are not the first of their hash; and the counts."""
    before = [pa.nulls(1, pa.int64())] * 2
    for batch in batches:
        if batch.num_rows == 0:
            continue
        halves = [pa.concat_arrays([last, batch.column(i)]) for i, last in enumerate(before)]
        equal = [pc.equal(half.slice(1), half.slice(0, batch.num_rows)) for half in halves]
        is_repeat = pc.fill_null(pc.and_(*equal), False)
        yield batch.filter(pc.or_(is_repeat, pc.is_null(batch.column(0)))).select(["split", "element"])
        before = [half.slice(batch.num_rows) for half in halves]


def write_repeats(batches: Batches, folder: str) -> Batches:
    """Writes the files of splits whose rows come together, in order; gives the splits."""
    with Quarantine(folder).folder() as local:
        for batch in batches:
            for split in pc.unique(batch.column("split")):
                elements = batch.filter(pc.equal(batch.column("split"), split)).column("element")
                with (Path(local) / _name(split.as_py())).open("ab") as file:
                    file.write(elements.buffers()[1].slice(8 * elements.offset, 8 * len(elements)))
    yield from ()
