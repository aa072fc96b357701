"""`extract`: WARC files to documents, whole or by an index that names records of them."""

from __future__ import annotations

import functools
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from uzushio import _core
from uzushio._errors import RunError
from uzushio._values import to_json
from uzushio.spark._output import OutputFolder
from uzushio.spark._paths import name_of
from uzushio.spark._run import Run, RunCounts, parallel_tasks, tasks_for, write
from uzushio.spark._session import DEFAULT_TASK_MEMORY
from uzushio.spark.worker.extract import extract_by_index, extract_files
from uzushio.spark.worker.tasks import Counts, Quarantine, add_counts, open_place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DOCUMENTS = (
    "docId string, url string, charset string, text string, date string, warc string, offset bigint, length bigint, "
    "title string, robots string, license string, language string"
)

RECORD_BLOCK = 1 << 16
"""Records of an index that the driver copies at once, of 40 bytes each."""


@dataclass(frozen=True)
class Index:
    """Tables of an index, the options of `extract` that select rows of them, and where the archives are.

    `places`: what stands before their names, as src/stages/extract/index_plan.h has it.
    """

    tables: tuple[str, ...]
    selection: Counts
    places: Counts


def tasks_of(files: Sequence[Counts]) -> list[Counts]:
    """The files with their numbers, which name what is written beside the documents as the local program does."""
    return [file | {"index": index} for index, file in enumerate(files)]


def extract(
    run: Run,
    inputs: Sequence[str],
    options: Counts,
    full_data: str | None = None,
    allow_unreadable: bool = False,
    index: Index | None = None,
) -> Counts:
    """WARC files to documents, and to full data of a format. `options`: as in src/stages/extract/options.h.

    A file without one record that can be read is an error, unless `allow_unreadable`. With an index, which says what is
    read, there are no inputs, and it is an error if the files that it names are all elsewhere.
    """
    model = _core.check_extract_options(to_json(options))
    identity = {name: value for name, value in options.items() if name != "language"}
    identity["language_model"] = model
    identity["languages"] = [] if options["language"] == ["all"] else options["language"]
    if full_data is not None:
        identity["full_data"] = "jsonl.gz" if full_data == "jsonl" else full_data
    text_form = options.get("text") or "shown"
    if index is not None:
        tables = _core.IndexTables(index.tables, to_json(index.selection))

        def work_by_index(output: OutputFolder) -> Counts:
            return _by_index(run, output, tables, index, options, full_data, allow_unreadable)

        identity |= json.loads(tables.identity())
        return run.into(
            "extract",
            [],
            identity,
            work_by_index,
            reads=[*map(_core.name_of_path, index.tables), *tables.names()],
            text_form=text_form,
        )

    files = json.loads(_core.find_warcs(list(inputs)))

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        function = functools.partial(
            extract_files,
            options=json.dumps(options),
            quarantine=Quarantine(output.work),
            report=counts.report(),
            full_data=full_data or "",
            allow_unreadable=allow_unreadable,
        )
        largest_first = sorted(
            tasks_of(files), key=lambda file: -int(file["bytes"])
        )  # so that no task is left alone at the end
        documents = parallel_tasks(run.spark, largest_first).mapInArrow(function, DOCUMENTS)
        return _write(output, documents, counts)

    return run.into("extract", files, identity, work, text_form=text_form)


def _write(output: OutputFolder, documents: DataFrame, counts: RunCounts) -> Counts:
    """Has tasks write their documents; what they counted."""
    write(documents, output.work, by="language")
    total = add_counts(json.loads(_core.no_extract_counts()), counts.total())
    whole = total["documents"] + sum(total["rejected"].values()) + sum(total["quarantined"].values())
    if total["records"] != whole:
        raise RunError("the counts do not add up; this is a fault of the program")
    return total


def _by_index(
    run: Run,
    output: OutputFolder,
    tables: _core.IndexTables,
    index: Index,
    options: Counts,
    full_data: str | None,
    allow_unreadable: bool,
) -> Counts:
    """The driver reads the index once, and writes the places of the wanted records for all tasks to one file.

    A task has neighbouring archives with about as many bytes of records as others'. Their records are neighbours in the
    file, too, so that it reads a range of that, and knows nothing of the tables.
    """
    memory = run.memory or DEFAULT_TASK_MEMORY
    tables.read(_driver_folder(run), memory, json.dumps(index.places))
    if not allow_unreadable:
        tables.check_found()
    archives = json.loads(tables.archives())
    records = (
        f"{output.scratch}/index-records-{uuid.uuid4().hex}"  # a task of a run that was lost may still read its own
    )
    if archives:
        _write_records(tables, archives, records)
    tasks = [
        {"begin": task[0]["first"], "end": task[-1]["first"] + task[-1]["count"], "archives": task}
        for task in tasks_for(run.spark, archives)
    ]
    counts = RunCounts(run.spark)
    function = functools.partial(
        extract_by_index,
        records=name_of(records),
        options=json.dumps(options),
        places=json.dumps(index.places),
        gap=index.selection["index_gap"],
        quarantine=Quarantine(output.work),
        report=counts.report(),
        full_data=full_data or "",
    )
    total = _write(output, parallel_tasks(run.spark, tasks).mapInArrow(function, DOCUMENTS), counts)
    tables.check_unchanged()
    return total | {"index": json.loads(tables.counts())}


def _driver_folder(run: Run) -> str:
    """A folder of Spark's for temporary data of the driver."""
    return str(run.spark.sparkContext._temp_dir)


def _write_records(tables: _core.IndexTables, archives: list[Counts], place: str) -> None:
    """Copies the records of the archives in their order; `first` of an archive is then the number in the file."""
    filesystem, path = open_place(place)
    filesystem.create_dir(path.rpartition("/")[0], recursive=True)
    written = 0
    with filesystem.open_output_stream(path, compression=None) as stream:
        for archive in archives:
            first, count = archive["first"], archive["count"]
            for begin in range(first, first + count, RECORD_BLOCK):
                stream.write(tables.records(begin, min(RECORD_BLOCK, first + count - begin)))
            archive["first"] = written
            written += count
