"""`extract`: WARC files to documents."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence

from uzushio import _core
from uzushio._errors import RunError
from uzushio._values import to_json
from uzushio.spark._output import OutputFolder
from uzushio.spark._run import Run, RunCounts, parallel_tasks, write
from uzushio.spark.worker.extract import extract_files
from uzushio.spark.worker.tasks import Counts, Quarantine

DOCUMENTS = (
    "docId string, url string, charset string, text string, date string, warc string, offset bigint, length bigint, "
    "title string, robots string, license string, language string"
)


def tasks_of(files: Sequence[Counts]) -> list[Counts]:
    """The files with their numbers, which name what is written beside the documents as the local program does."""
    return [file | {"index": index} for index, file in enumerate(files)]


def extract(
    run: Run, inputs: Sequence[str], options: Counts, full_data: str | None = None, allow_unreadable: bool = False
) -> Counts:
    """WARC files to documents, and to full data of a format. `options`: as in src/stages/extract/options.h.

    A file without one record that can be read is an error, unless `allow_unreadable`.
    """
    model = _core.check_extract_options(to_json(options))
    files = json.loads(_core.find_warcs(list(inputs)))
    identity = {name: value for name, value in options.items() if name != "language"}
    identity["language_model"] = model
    identity["languages"] = [] if options["language"] == ["all"] else options["language"]
    if full_data is not None:
        identity["full_data"] = "jsonl.gz" if full_data == "jsonl" else full_data

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
        write(documents, output.work, by="language")
        total = counts.total()
        whole = total["documents"] + sum(total["rejected"].values()) + sum(total["quarantined"].values())
        if total["records"] != whole:
            raise RunError("the counts do not add up; this is a fault of the program")
        return total

    return run.into("extract", files, identity, work, text_form=options.get("text") or "shown")
