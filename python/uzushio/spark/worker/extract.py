"""WARC files to documents."""

from __future__ import annotations

import json

import pyarrow as pa

from uzushio import _core
from uzushio._errors import InputError
from uzushio.spark.worker.tasks import BATCH_BYTES, Batches, Counts, Quarantine, Tell, add_counts, read_tasks


def extract_files(
    batches: Batches,
    options: str,
    quarantine: Quarantine,
    report: Tell | None = None,
    full_data: str = "",
    allow_unreadable: bool = False,
) -> Batches:
    """Documents of the WARC files that the rows name; each file's damaged records in a file of their own.

    So are the full data of its pages, where a format is given for them. A file without one record that can be read ends
    the task, unless `allow_unreadable`. Errors: InputError.
    """
    counts: Counts = {}
    for _, work in read_tasks(batches):
        file = json.loads(work)
        name = file["name"]
        with quarantine.folder() as folder:
            documents = _core.WarcDocuments([(name, name, f"part-{file['index']:05}")], options, folder, full_data)
            while (batch := documents.next_batch(BATCH_BYTES)) is not None:
                yield pa.record_batch(batch)
        of_file = documents.counts()
        counts = add_counts(counts, json.loads(of_file))
        if not allow_unreadable and (why := _core.why_unreadable(name, of_file)):
            raise InputError(why)
    if report is not None and counts:
        report(counts)
