"""`hosts`: documents to sums by host, and these, once equal hosts have come together, to the rows of the table."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from uzushio import _core
from uzushio.spark.worker.documents import Chain, no_utf8
from uzushio.spark.worker.join import answered_batches
from uzushio.spark.worker.statistics import Counted
from uzushio.spark.worker.tasks import Batches, Counts, Tell, add_counts, in_slices

SUMS = "host string, sums binary"
SUMS_MEMORY = 32 << 20
"""Bytes of sums that a task keeps before it hands them on."""


class _Sums:
    """The sums of one task, and what they are of."""

    def __init__(self, chain: Chain) -> None:
        self.kernel = chain.kernel()
        self._sums = _core.HostSums(chain.read(), SUMS_MEMORY)
        self.bad = 0

    def add(self, batch: pa.RecordBatch) -> Batches:
        """Measures documents; sums that are handed on."""
        self.bad += len(self.kernel.sum_hosts(batch, self._sums))
        yield from self._made()

    def finish(self) -> Batches:
        """What is left of them."""
        self._sums.flush()
        yield from self._made()

    def counts(self) -> Counts:
        """How many documents there were, but for those that are no UTF-8."""
        documents, without_host = self.kernel.host_counts()
        return {"documents": documents, "without_host": without_host}

    def _made(self) -> Batches:
        while (batch := self._sums.next()) is not None:
            yield from in_slices(pa.record_batch(batch))


def sum_frame(batches: Batches, chain: Chain, report: Tell | None = None) -> Batches:
    """Documents of a DataFrame to sums by host."""
    sums = _Sums(chain)
    for batch in batches:
        yield from sums.add(batch)
    yield from sums.finish()
    if report is not None:
        report(sums.counts() | {"quarantined": no_utf8(sums.bad)})


def sum_answered(batches: Batches, chain: Chain, report: Tell | None = None) -> Batches:
    """Documents with their answers to sums by host."""
    sums = _Sums(chain)
    counted = Counted()
    for batch in answered_batches(batches, sums.kernel, counted):
        yield from sums.add(batch)
    yield from sums.finish()
    if report is not None:
        report(add_counts(sums.counts(), counted.counts))


def rows_of_hosts(batches: Batches, chain: Chain) -> Batches:
    """Sums in order of hosts, all of a host in one task, to rows."""
    rows = _core.HostRows(chain.read())

    def made() -> Iterator[_core.ArrowBatch]:
        for batch in batches:
            yield rows.add(batch)
        yield rows.finish()

    for table in made():
        yield from in_slices(pa.record_batch(table))
