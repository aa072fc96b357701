"""The stages on DataFrames: what `uzushio.spark` offers."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import os
import uuid
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

from uzushio import _core
from uzushio._arguments import Size, check_names, language_codes, named, several, size_of
from uzushio._chains import ChainLike, chain_of
from uzushio._commands import COMMANDS, Inputs, Path, in_pythons_words
from uzushio._documents import CharsetRule, JapaneseTest, Languages, MainContent, RubyForm, TextForm
from uzushio._errors import UsageError, in_words_of_python
from uzushio._filters import FilterChain
from uzushio._values import to_json
from uzushio.spark import _counts, _documents, _extract, _groups, _join, _output, _run, _session, _statistics, _steps
from uzushio.spark._counts import Counts
from uzushio.spark.worker import documents as documents_worker
from uzushio.spark.worker import extract as extract_worker
from uzushio.spark.worker import join, tasks
from uzushio.spark.worker import statistics as statistics_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STATISTICS_COLUMNS = ("hash", "reprHash", "givenReprHash", "exactFreq", "nearFreq", "givenNearFreq", "text")


def extract(
    spark: SparkSession,
    inputs: Inputs,
    languages: Languages = ("ja",),
    quarantine: Path | None = None,
    main_content: MainContent = False,
    mark_boilerplate: bool = False,
    counts: Counts | None = None,
    japanese_test: JapaneseTest | None = None,
    language_model: Path | None = None,
    text: TextForm = "shown",
    ruby: RubyForm = "base",
    charset: CharsetRule = "tolerant",
    no_title: bool = False,
    **limits: Size,
) -> DataFrame:
    """The documents of WARC files, a task for each file.

    Executors open the files by themselves: `inputs` are paths, globs or URIs that they reach, one or several.
    `languages` are ISO 639-1 codes (`"ja,en"` or a sequence), or "all". Damaged records are passed over; give a folder
    for `quarantine` to keep them. `main_content`, `mark_boilerplate`, `no_title`, `japanese_test`, `language_model`,
    `text`, `ruby` and `charset` are as those of `uzushio.read_warc`; executors reach the model by its path. `counts`
    will say what became of the records, once all files are read. `limits` are the caps of the command line, as
    `max_page_bytes`; sizes are bytes, or texts as "8MiB".

    Gives the columns docId, url, charset, text, date, warc: string; offset, length: bigint, bytes in the file; title,
    robots, license, language: string. Raises `uzushio.UsageError` when an input is not there, or a limit is none.
    """
    _session.require_classic(spark)
    if "full_data" in limits:
        raise UsageError(
            "full_data: a DataFrame has the documents alone; python -m uzushio.spark extract --full-data writes both, "
            "as files of one output"
        )
    names = list(inspect.signature(extract).parameters)[:-1]
    caps = [option["keyword"] for option in COMMANDS["extract"]["options"] if option["keyword"].startswith("max_")]
    check_names("extract", limits, [*names, *(set(caps) - {"max_bad"})])
    chosen = {
        "main_content": main_content,
        "mark_boilerplate": mark_boilerplate,
        "no_title": no_title,
        "japanese_test": japanese_test,
        "language_model": None if language_model is None else os.fsdecode(language_model),
        "text": text,
        "ruby": ruby,
        "charset": charset,
    }
    options = to_json({"language": language_codes(languages)} | chosen | limits)
    with in_words_of_python():
        _core.check_extract_options(options)
    files = json.loads(_core.find_warcs(several(inputs, "inputs")))
    function = functools.partial(
        extract_worker.extract_files,
        options=options,
        quarantine=tasks.Quarantine(None if quarantine is None else os.fsdecode(quarantine), "quarantine/_"),
        allow_unreadable=True,
    )
    report = _counts.bind(counts, spark, dict, partitions=len(files)) if counts is not None else None
    return _session.returned(
        mapped(_run.parallel_tasks(spark, _extract.tasks_of(files)), function, _extract.DOCUMENTS, report), spark
    )


def mapped(frame: DataFrame, function: Any, schema: Any, report: tasks.PartitionReport | None) -> DataFrame:
    """What the function makes of the rows; it reports by partition, if at all."""
    if report is None:
        return frame.mapInArrow(function, schema)
    return _counts.with_partition(frame).mapInArrow(functools.partial(report.work, function=function), schema)


class StatisticsFrames:
    """Statistics as DataFrames, in order of hashes: what `stats` and `merge` give.

    Close it when they are written: they keep data in executors' memory and on their disks.

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

    def __enter__(self) -> StatisticsFrames:
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
    text_column: str = "text",
    text_bytes: Size | None = None,
    memory: Size | None = None,
    scratch: str | None = None,
    **options: Any,
) -> StatisticsFrames:
    """How often each paragraph of the documents occurs, or a near-duplicate of it.

    `text_bytes` is about how much text there is, where Spark does not know; partitions are made for it. `memory` is
    what the kernels may use of each executor, beside its heap (1 GiB for each task); sizes are bytes, or texts as
    "4GiB". `scratch` is a folder
    that all executors reach, in which this makes one of its own; it is needed when groups are too many for one task.
    `options` are those of the command
    line: `intermediate`, `groups`, `candidates`, `rotations`, `window`, `max_document_bytes`, `max_paragraphs`.
    """
    check_names("stats", options, [*inspect.signature(stats).parameters, *_OPTIONS])
    with in_pythons_words("stats"):
        return _of_frames([documents], text_bytes, memory, scratch, options, text_column)


def merge(
    statistics: DataFrame | Iterable[DataFrame],
    text_bytes: Size | None = None,
    memory: Size | None = None,
    scratch: str | None = None,
    **options: Any,
) -> StatisticsFrames:
    """Statistics of parts, `rows` or (losing nothing) `texts`, to those of the whole; as `stats`."""
    check_names("merge", options, [*inspect.signature(merge).parameters, *_OPTIONS])
    frames: Any = [statistics] if hasattr(statistics, "sparkSession") else statistics
    with in_pythons_words("merge"):
        return _of_frames(list(frames), text_bytes, memory, scratch, options, None)


def _of_frames(
    frames: list[DataFrame],
    text_size: Size | None,
    memory_size: Size | None,
    scratch: str | None,
    options: dict[str, Any],
    column: str | None,
) -> StatisticsFrames:
    if not frames:
        raise UsageError("there is nothing to merge")
    text_bytes = None if text_size is None else size_of(text_size, "text_bytes")
    memory = None if memory_size is None else size_of(memory_size, "memory")
    for frame in frames:
        _session.require_classic(frame)
        if column is None:
            _core.check_statistics(columns_of(frame, *STATISTICS_COLUMNS))
        else:
            check_documents(frame, column, "")
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
) -> StatisticsFrames:
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
    return StatisticsFrames(exchange, functools.reduce(lambda a, b: a.unionByName(b), counted))


def check_documents(frame: DataFrame, column: str, id_column: str) -> None:
    """Errors: UsageError, which names all columns where one is not there, whatever their types are."""
    check_columns(frame, {"text_column": column} | ({"id_column": id_column} if id_column not in ("", "docId") else {}))
    _core.check_documents(columns_of(frame, column, id_column), column, id_column)


_NAMES = {"text_column": "the texts", "id_column": "the ids", "url_column": "the URLs", "date_column": "the dates"}


def check_columns(frame: DataFrame, names: dict[str, str]) -> None:
    """Errors: UsageError, which names all columns where one of `names`, by its argument, is not there."""
    for argument, column in names.items():
        if column not in frame.columns:
            there = ", ".join(frame.columns)
            raise UsageError(f"there is no column '{column}', only {there}; {argument} names {_NAMES[argument]}")


def check_urls(frame: DataFrame, column: str) -> None:
    """Errors: UsageError, as of texts."""
    check_columns(frame, {"url_column": column})
    _core.check_documents(columns_of(frame, column), column, "")


def columns_of(frame: DataFrame, *names: str) -> Any:
    """The columns of these names, as Arrow has them."""
    return to_arrow_schema(StructType([field for field in frame.schema.fields if field.name in names]))


@named()
def filter(
    documents: DataFrame,
    chain: ChainLike,
    statistics: Path | None = None,
    index: str = "file",
    partitioned: bool = False,
    keep_markup: bool = False,
    text_column: str = "text",
    id_column: str = "docId",
    counts: Counts | None = None,
) -> DataFrame:
    """What a chain of filters leaves of documents, with all their columns.

    `chain` is a `uzushio.FilterChain`, filters, or a configuration. `statistics` is a folder of statistics, or
    `uzushio.Statistics` of one; with `index="file"` Spark brings its index to the executors, with "shared" they share
    its path, with "join" Spark joins the rows: documents are then worked out twice, so persist them if that takes long.
    With `partitioned`, what was removed is there too, and a column `filter` says by which filter, or none. `counts`
    will say how much passed, and how much was removed by what, once all is filtered.
    """
    _session.require_classic(documents)
    chain = chain_of(chain)
    chain._core.check_wants_nothing()
    fields = [
        StructField(field.name, StringType(), field.nullable) if field.name == text_column else field
        for field in documents.schema.fields
    ]
    if partitioned and "filter" in documents.columns:
        raise UsageError("the documents have a column 'filter', which partitioned=True adds")
    schema = StructType(fields + ([StructField("filter", StringType())] if partitioned else []))
    direct = functools.partial(documents_worker.filter_frame, partitioned=partitioned)
    answered = functools.partial(join.filter_answered, partitioned=partitioned, form=documents_worker.ROWS)
    options = {
        "text_column": text_column,
        "id_column": id_column,
        "partitioned": partitioned,
        "keep_markup": keep_markup,
    }
    return _map(documents, chain, frequencies_of(statistics, index), options, direct, answered, schema, counts)


def frequencies_of(statistics: Path | None, index: str) -> _documents.Frequencies:
    return _documents.Frequencies(None if statistics is None else os.fsdecode(statistics), index)


@named()
def metrics(
    documents: DataFrame,
    chain: ChainLike,
    statistics: Path | None = None,
    index: str = "file",
    text_column: str = "text",
    id_column: str = "docId",
) -> DataFrame:
    """Every metric of a chain for every document: docId, a column of doubles for each, and sizes of the text, longs.

    Arguments as of `filter`.
    """
    chain = chain_of(chain)
    doubles = [f"`{name}` double" for name in chain._core.columns()]
    fields = ", ".join(["docId string", *doubles, *(f"{name} long" for name in _core.SIZE_COLUMNS)])
    answered = functools.partial(join.measure_answered, sorted_by=None)
    options = {"text_column": text_column, "id_column": id_column}
    frequencies = frequencies_of(statistics, index)
    return _map(documents, chain, frequencies, options, documents_worker.measure_frame, answered, fields, None)


def _map(
    documents: DataFrame,
    chain: FilterChain,
    frequencies: _documents.Frequencies,
    options: dict[str, Any],
    direct: Any,
    answered: Any,
    schema: Any,
    counts: Counts | None,
) -> DataFrame:
    summed = functools.partial(_documents.filter_counts, chain._core)
    rows, _ = map_documents("filter", documents, chain, frequencies, options, direct, answered, schema, counts, summed)
    return _session.returned(rows, documents.sparkSession)


def map_documents(
    command: str,
    documents: DataFrame,
    chain: FilterChain,
    frequencies: _documents.Frequencies,
    options: dict[str, Any],
    direct: Any,
    answered: Any,
    schema: Any,
    counts: Counts | None,
    summed: Callable[[dict[str, Any]], dict[str, Any]],
) -> tuple[DataFrame, documents_worker.Chain]:
    """What the functions make of documents by the index, or by join, before it is planned; and the tasks' chain.

    `summed` makes of sums what `counts` tell.
    """
    _session.require_classic(documents)
    if frequencies.index not in _documents.INDEX_WAYS:
        raise UsageError(f"index={frequencies.index!r}: there are {', '.join(_documents.INDEX_WAYS)}")
    spark = documents.sparkSession
    column, id_column = options["text_column"], options["id_column"]
    check_documents(documents, column, id_column)
    if chain._core.known_columns():
        there = columns_of(documents, *documents.columns)
        _core.check_known_columns(chain._core, there, options.get("url_column", "url"))
    with in_pythons_words(command):
        bound = _documents.bind(spark, chain._core, frequencies, options)
    report = _counts.bind(counts, spark, summed) if counts is not None else None
    if frequencies.statistics is None or frequencies.index != "join":
        return mapped(documents, functools.partial(direct, chain=bound.chain), schema, report), bound.chain
    statistics, size = _documents.read_statistics(spark, frequencies.statistics)
    places = _join.new_places(spark, size)
    ask = functools.partial(join.ask_frame, chain=bound.chain, places=places)
    together = _join.answered(documents.mapInArrow(ask, _join.MESSAGES), statistics, places)
    return mapped(together, functools.partial(answered, chain=bound.chain), schema, report), bound.chain
