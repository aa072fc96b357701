"""Stages that read their documents more than once, on DataFrames: what goes between is in files of a scratch folder."""

from __future__ import annotations

import contextlib
import inspect
import uuid
from types import TracebackType
from typing import TYPE_CHECKING, Any

from uzushio import _core
from uzushio._arguments import Size, check_names, size_of
from uzushio._chains import chains_in_files
from uzushio._commands import COMMANDS, arguments_of, in_pythons_words
from uzushio._errors import UsageError
from uzushio.spark import __main__ as stages
from uzushio.spark import _frames, _output, _run, _session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NOT_HERE = {
    *("output", "overwrite", "summary", "quiet", "memory", "allow_incomplete", "max_bad"),
    *("layout", "index_only", "mode", "input_format", "input_delimiter"),
    *("output_format", "output_delimiter", "output_column"),
}
"""Options of files and folders, or that are arguments of their own."""


class StageFrames:
    """What `minhash` and `clean` give. Close it when its rows are written: they are files of a scratch folder.

    `rows` are the documents that are left, `counts` the numbers of the local program's summary. `duplicates`, of
    `minhash`, are those that are gone, with the columns duplicateOf: string and similarity: double.
    """

    def __init__(self, rows: DataFrame, duplicates: DataFrame | None, counts: dict[str, Any], folder: str) -> None:
        """Not for users."""
        self.rows = rows
        self.counts = counts
        self._duplicates = duplicates
        self._folder: str | None = folder

    @property
    def duplicates(self) -> DataFrame:
        """The documents that are gone. Errors: UsageError of what is no `minhash`."""
        if self._duplicates is None:
            raise UsageError("there are no duplicates, but of minhash")
        return self._duplicates

    def close(self) -> None:
        """Removes the files."""
        if self._folder is not None:
            _output.Storage(self.rows.sparkSession).remove(self._folder)
            self._folder = None

    def __enter__(self) -> StageFrames:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _output.clean_up_after(error, self.close)


def minhash(
    documents: DataFrame,
    text_column: str = "text",
    memory: Size | None = None,
    scratch: str | None = None,
    **options: Any,
) -> StageFrames:
    """Documents that are no near-duplicates of others: `rows`; and the others, `duplicates`.

    `options` are those of `uzushio.minhash`, such as `buckets`, `keep`, `verify`, `id_column` and `against`, indexes
    on paths that executors reach. `memory` is what the kernels may use of each executor. `scratch` is a folder that all
    executors reach, in which this makes one of its own: documents are written there, since they are read again, and so
    is what comes of them. Runs when it is called.
    """
    return _through("minhash", minhash, documents, memory, scratch, options | {"text_column": text_column})


def clean(
    documents: DataFrame,
    config: Any,
    text_column: str = "text",
    memory: Size | None = None,
    scratch: str | None = None,
    **options: Any,
) -> StageFrames:
    """Documents through the stages of the older cleaning jobs, as `uzushio.clean` does it: `rows`, with all columns.

    `config` is a file with the list `stages`, filters, or the name of one that is installed; `options` are `properties`
    and `settings`. `memory` and `scratch` are those of `minhash`. Runs when it is called.
    """
    given = {"config": config, "text_column": text_column, "output_format": "parquet", "output_column": text_column}
    return _through("clean", clean, documents, memory, scratch, options | given)


def _through(
    stage: str, function: Any, frame: DataFrame, memory: Size | None, scratch: str | None, options: dict[str, Any]
) -> StageFrames:
    _session.require_classic(frame)
    known = {option["keyword"] for option in COMMANDS[stage]["options"] if option["python"] and option["spark"]}
    own = {"config", "text_column", "output_format", "output_column"} if stage == "clean" else {"text_column"}
    parameters = [*list(inspect.signature(function).parameters)[:-1], *sorted(known - _NOT_HERE)]
    check_names(stage, options.keys() - own, parameters)
    named = {name: options.get(name) for name in ("text_column", "id_column", "url_column", "date_column")}
    _frames.check_columns(frame, {name: value for name, value in named.items() if isinstance(value, str)})
    spark = frame.sparkSession
    storage = _output.Storage(spark)
    if scratch is not None:
        scratch = storage.whole(scratch)
    elif _session.is_local(str(spark.sparkContext.master)):
        scratch = str(spark.sparkContext._temp_dir)
    else:
        raise UsageError(f"scratch: {stage} reads documents again; name a folder that all executors reach")
    folder = f"{scratch}/uzushio-{uuid.uuid4().hex}"
    with contextlib.ExitStack() as stack:
        stack.push(lambda _, error, __: error is not None and _clean_up(storage, folder, error))
        more = {"output": f"{folder}/out", "memory": None if memory is None else size_of(memory, "memory")}
        with chains_in_files(options | more) as named, in_pythons_words(stage):
            # Before anything runs: what is wrong with the options is told.
            arguments = stages.read_options(arguments_of(stage, f"{folder}/documents", named))
            with _session.settings(spark):
                _run.write(frame, f"{folder}/documents")
            counts = stages.run(spark, arguments)
        duplicates = None
        if stage == "minhash":
            duplicates = spark.read.parquet(f"{folder}/out/{storage.name_in(f'{folder}/out', _core.DUPLICATES_FOLDER)}")
        for name in ("stage", "output", "was_done"):
            counts.pop(name, None)
        return StageFrames(spark.read.parquet(f"{folder}/out"), duplicates, counts, folder)


def _clean_up(storage: _output.Storage, folder: str, error: BaseException) -> bool:
    _output.clean_up_after(error, lambda: storage.remove(folder))
    return False
