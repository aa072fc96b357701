"""The stages on DataFrames: what `uzushio.spark` offers."""

from __future__ import annotations

import dataclasses
import functools
import json
import uuid
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

from uzushio import _core
from uzushio._documents import MainContent
from uzushio._errors import UsageError
from uzushio._filters import FilterChain
from uzushio._values import to_json
from uzushio.spark import _documents, _extract, _groups, _join, _output, _run, _session, _statistics, _steps
from uzushio.spark.worker import documents as documents_worker
from uzushio.spark.worker import extract as extract_worker
from uzushio.spark.worker import join, tasks
from uzushio.spark.worker import statistics as statistics_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STATISTICS_COLUMNS = ("hash", "reprHash", "givenReprHash", "exactFreq", "nearFreq", "givenNearFreq", "text")


def extract(
    spark: SparkSession,
    inputs: Sequence[str],
    languages: str | Sequence[str] = ("ja",),
    quarantine: str | None = None,
    main_content: MainContent = False,
    mark_boilerplate: bool = False,
    **limits: int,
) -> DataFrame:
    """The documents of WARC files, a task for each file.

    Executors open the files by themselves: `inputs` are paths, globs or URIs that they reach. `languages` are ISO 639-1
    codes, none for all. Damaged records are passed over; give a folder for `quarantine` to keep them. `main_content`
    and `mark_boilerplate` are as those of `uzushio.read_warc`. `limits` are the caps of the command line, as
    `max_page_bytes`, in bytes.

    Gives the columns docId, url, charset, text, date, warc: string; offset, length: bigint, bytes in the file; title,
    language: string. Raises `uzushio.UsageError` when an input is not there, or a limit is none.
    """
    _session.require_classic(spark)
    codes = [languages] if isinstance(languages, str) else list(languages)
    content = {"main_content": main_content, "mark_boilerplate": mark_boilerplate}
    options = to_json({"language": codes or ["all"]} | content | limits)
    _core.check_extract_options(options)
    files = json.loads(_core.find_warcs(list(inputs)))
    function = functools.partial(
        extract_worker.extract_files,
        options=options,
        quarantine=tasks.Quarantine(quarantine),
        report=None,
    )
    return _session.returned(_run.parallel_tasks(spark, files).mapInArrow(function, _extract.DOCUMENTS), spark)


class Statistics:
    """Statistics as DataFrames, in order of hashes. Close it when they are written: they keep data in executors'
    memory and on their disks.

    `rows`: hash, reprHash: bigint; exactFreq, nearFreq: int. `texts`: what merging needs beside them: hash,
    givenReprHash: bigint; exactFreq, givenNearFreq: int; text: string. `pairs`: hash, otherHash: bigint, all
    near-duplicates.
    """

    def __init__(self, exchange: _steps.Exchange, counted: DataFrame) -> None:
        self._exchange = exchange
        try:
            stored = exchange.store(counted)
            near = exchange.near(stored)
            self.rows = exchange.list_rows(exchange.rows(stored, _groups.taken(exchange, near)))
            self.texts = exchange.list_texts(stored)
            self.pairs = exchange.list_pairs(near)
        except BaseException as error:
            _output.clean_up_after(error, self.close)
            raise

    def close(self) -> None:
        """Frees what executors keep, and removes what is in the scratch folder."""
        try:
            self._exchange.forget()
        finally:
            if self._exchange.scratch is not None:
                _output.Storage(self._exchange.spark).remove(self._exchange.scratch)

    def __enter__(self) -> Statistics:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _output.clean_up_after(error, self.close)


_OPTIONS = {field.name for field in dataclasses.fields(_statistics.StatisticsOptions)} - {
    "debug",
    "pairs",
}  # which are there


def stats(
    documents: DataFrame,
    column: str = "text",
    text_bytes: int | None = None,
    memory: int | None = None,
    scratch: str | None = None,
    **options: Any,
) -> Statistics:
    """How often each paragraph of the documents occurs, or a near-duplicate of it.

    `text_bytes` is about how much text there is, where Spark does not know; partitions are made for it. `memory`, in
    bytes, is what the kernels may use of each executor, beside its heap (1 GiB for each task). `scratch` is a folder
    that all executors reach, in which this makes one of its own; it is needed when groups are too many for one task.
    `options` are those of the command
    line: `intermediate`, `groups`, `candidates`, `rotations`, `window`, `max_document_bytes`, `max_paragraphs`.
    """
    return _of_frames([documents], text_bytes, memory, scratch, options, column)


def merge(
    statistics: Iterable[DataFrame],
    text_bytes: int | None = None,
    memory: int | None = None,
    scratch: str | None = None,
    **options: Any,
) -> Statistics:
    """Statistics of parts, `rows` or (losing nothing) `texts`, to those of the whole; as `stats`."""
    return _of_frames(list(statistics), text_bytes, memory, scratch, options, None)


def _of_frames(
    frames: list[DataFrame],
    text_bytes: int | None,
    memory: int | None,
    scratch: str | None,
    options: dict[str, Any],
    column: str | None,
) -> Statistics:
    if not frames:
        raise UsageError("there is nothing to merge")
    for frame in frames:
        _session.require_classic(frame)
        if column is None:
            _core.check_statistics(_columns(frame, *STATISTICS_COLUMNS))
        else:
            _core.check_documents(_columns(frame, column), column, "")
    caller = frames[0].sparkSession
    with _session.ours(caller) as session:
        brought = [_session.brought(frame, session) for frame in frames]
        made = _new_statistics(brought, text_bytes, memory, scratch, options, column)
        try:
            made.rows, made.texts, made.pairs = (
                _session.returned(frame, caller) for frame in (made.rows, made.texts, made.pairs)
            )
        except BaseException as error:
            _output.clean_up_after(error, made.close)
            raise
    return made


def _new_statistics(
    frames: list[DataFrame],
    text_bytes: int | None,
    memory: int | None,
    scratch: str | None,
    options: dict[str, Any],
    column: str | None,
) -> Statistics:
    if unknown := options.keys() - _OPTIONS:
        raise UsageError(f"{', '.join(sorted(unknown))}: no such option; there are {', '.join(sorted(_OPTIONS))}")
    spark = frames[0].sparkSession
    if scratch is not None:
        scratch = _output.Storage(spark).whole(scratch)
    elif _session.is_local(str(spark.sparkContext.master)):
        scratch = str(spark.sparkContext._temp_dir)
    if scratch is not None:
        scratch = f"{scratch}/uzushio-{uuid.uuid4().hex}"
    if text_bytes is None:
        text_bytes = sum(_statistics.TEXT_OF_FILE * _session.estimated_bytes(frame) for frame in frames)
    exchange = _statistics.new_exchange(spark, _statistics.StatisticsOptions(**options), text_bytes, memory, scratch)
    counted = []
    for frame in frames:
        config = exchange.config("count")
        if column is None:
            function: Any = functools.partial(statistics_worker.count_rows, config=config, budget=exchange.budget)
            counted.append(frame.mapInArrow(function, _steps.PIECES))
        else:
            function = functools.partial(
                statistics_worker.count_texts, config=config, budget=exchange.budget, column=column
            )
            quoted = "`" + column.replace("`", "``") + "`"
            counted.append(frame.select(quoted).mapInArrow(function, _steps.PIECES))
    return Statistics(exchange, functools.reduce(lambda a, b: a.unionByName(b), counted))


def _columns(frame: DataFrame, *names: str) -> Any:
    """The columns of these names, as Arrow has them."""
    return to_arrow_schema(StructType([field for field in frame.schema.fields if field.name in names]))


def filter(
    documents: DataFrame,
    chain: FilterChain,
    statistics: str | None = None,
    index: str = "file",
    partitioned: bool = False,
    keep_markup: bool = False,
    column: str = "text",
    id_column: str = "docId",
) -> DataFrame:
    """What a chain of filters leaves of documents, with all their columns.

    `chain` is a `uzushio.FilterChain`. `statistics` is a folder of statistics; with `index="file"` Spark brings its
    index to the executors, with "shared" they share its path, with "join" Spark joins the rows: documents are then
    worked out twice, so persist them if that takes long. With `partitioned`,
    what was removed is there too, and a column `filter` says by which filter, or none.
    """
    _session.require_classic(documents)
    fields = [
        StructField(field.name, StringType(), field.nullable) if field.name == column else field
        for field in documents.schema.fields
    ]
    if partitioned and "filter" in documents.columns:
        raise UsageError("the documents have a column 'filter', which partitioned=True adds")
    schema = StructType(fields + ([StructField("filter", StringType())] if partitioned else []))
    direct = functools.partial(documents_worker.filter_frame, partitioned=partitioned)
    answered = functools.partial(join.filter_answered, partitioned=partitioned, as_json=False, report=None)
    options = {"text_column": column, "id_column": id_column, "partitioned": partitioned, "keep_markup": keep_markup}
    return _map(documents, chain, _documents.Frequencies(statistics, index), options, direct, answered, schema)


def metrics(
    documents: DataFrame,
    chain: FilterChain,
    statistics: str | None = None,
    index: str = "file",
    column: str = "text",
    id_column: str = "docId",
) -> DataFrame:
    """Every metric of a chain for every document: docId and a column of doubles for each. Arguments as of `filter`."""
    fields = ", ".join(["docId string", *(f"`{name}` double" for name in chain._core.columns())])
    answered = functools.partial(join.measure_answered, sorted_by=None, report=None)
    options = {"text_column": column, "id_column": id_column}
    return _map(
        documents,
        chain,
        _documents.Frequencies(statistics, index),
        options,
        documents_worker.measure_frame,
        answered,
        fields,
    )


def _map(
    documents: DataFrame,
    chain: FilterChain,
    frequencies: _documents.Frequencies,
    options: dict[str, Any],
    direct: Any,
    answered: Any,
    schema: Any,
) -> DataFrame:
    _session.require_classic(documents)
    if frequencies.index not in _documents.INDEX_WAYS:
        raise UsageError(f"index={frequencies.index!r}: there are {', '.join(_documents.INDEX_WAYS)}")
    spark = documents.sparkSession
    column, id_column = options["text_column"], options["id_column"]
    _core.check_documents(_columns(documents, column, id_column), column, id_column)
    bound = _documents.bind(spark, chain._core, frequencies, options)
    if frequencies.statistics is None or frequencies.index != "join":
        mapped = documents.mapInArrow(functools.partial(direct, chain=bound.chain), schema)
        return _session.returned(mapped, spark)
    statistics, size = _documents.read_statistics(spark, frequencies.statistics)
    places = _join.new_places(spark, size)
    ask = functools.partial(join.ask_frame, chain=bound.chain, places=places)
    together = _join.answered(documents.mapInArrow(ask, _join.MESSAGES), statistics, places)
    return _session.returned(together.mapInArrow(functools.partial(answered, chain=bound.chain), schema), spark)
