"""WARC files to documents, whole or by an index."""

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
        part = f"part-{file['index']:05}"
        with quarantine.folder(part) as folder:
            documents = _core.WarcDocuments([(name, name, part)], options, folder, full_data)
            yield from _batches(documents)
        of_file = documents.counts()
        counts = add_counts(counts, json.loads(of_file))
        if not allow_unreadable and (why := _core.why_unreadable(name, of_file)):
            raise InputError(why)
    if report is not None and counts:
        report(counts)


def extract_by_index(
    batches: Batches,
    records: str,
    options: str,
    places: str,
    gap: int,
    quarantine: Quarantine,
    report: Tell | None = None,
    full_data: str = "",
) -> Batches:
    """Documents of the records that an index names, of the archives of each row; the rest as `extract_files` does it.

    `records`: the file with all records. `places`: what stands before names of archives. Records that are up to `gap`
    bytes apart are read in one request.
    """
    counts: Counts = {}
    for _, work in read_tasks(batches):
        task = json.loads(work)
        archives = _core.IndexedArchives(records, task["begin"], task["end"], options, places, gap)
        for archive in task["archives"]:
            with quarantine.folder(f"part-{archive['index']:05}") as folder:
                documents = archives.open(json.dumps(archive), folder, full_data)
                yield from _batches(documents)
                archives.check_unchanged()
            counts = add_counts(counts, json.loads(documents.counts()))
    if report is not None and counts:
        report(counts)


def _batches(documents: _core.WarcDocuments) -> Batches:
    while (batch := documents.next_batch(BATCH_BYTES)) is not None:
        yield pa.record_batch(batch)
