"""Whole runs: from files to a committed output folder. What `python -m uzushio.spark` calls."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.storagelevel import StorageLevel

from uzushio import _core
from uzushio._errors import RunError, UsageError
from uzushio._values import to_json
from uzushio.spark import _exchange, _join, _tasks
from uzushio.spark._exchange import Exchange, RunCounts, parallel_tasks
from uzushio.spark._output import OutputFolder, at_end, check_apart, check_inputs, for_spark
from uzushio.spark._paths import name_of, no_glob, place_of
from uzushio.spark._session import budget, parallelism, settings
from uzushio.spark._tasks import Chain, Counts, Quarantine, Records, Report, add_counts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DOCUMENTS = (
    "docId string, url string, charset string, text string, date string, warc string, offset bigint, length bigint, "
    "language string"
)
INDEX_NAME = "_frequency.index"
STATISTICS, INTERMEDIATE = "statistics.parquet", "_intermediate/paragraphs.parquet"
NOT_OF_DATA = {"spilled_bytes"}
"""Counts that depend on memory and are told, but not committed."""
TASK_BYTES = 128 << 20
"""Of compressed input, for a task."""
TEXT_OF_FILE = 6
"""Bytes of text for a byte of a compressed file, about."""


def _identity(stage: str, inputs: Any, configuration: Counts) -> Counts:
    return {"stage": stage, "version": _core.version, "inputs": inputs, "configuration": configuration}


@dataclass(frozen=True)
class Run:
    """A run's place and what it may use."""

    spark: SparkSession
    output: str
    memory: int | None = None
    overwrite: bool = False

    def into(
        self,
        stage: str,
        inputs: Any,
        configuration: Counts,
        work: Callable[[OutputFolder], Counts],
        reads: Sequence[str | None] = (),
        done: Callable[[], None] = lambda: None,
    ) -> Counts:
        """Does the work, unless it is done, and calls `done` then; the summary. `reads`: places beside the inputs."""
        identity = _identity(stage, inputs, configuration)
        folder = OutputFolder(self.spark, self.output, identity, self.overwrite)
        read = [file["name"] for file in inputs] + [place for place in reads if place is not None]
        check_inputs(folder.storage, folder.uri, read)
        with folder as output:
            if output.done:
                done()
                return {**output.success["counts"], "stage": stage, "output": self.output, "was_done": True}
            with settings(self.spark):
                counts = work(output)
                output.commit({name: count for name, count in counts.items() if name not in NOT_OF_DATA})
        return counts | {"stage": stage, "output": self.output}


def tasks_of(pieces: list[Counts], tasks: int) -> list[list[Counts]]:
    """Pieces in runs of about equal bytes, in order, so that those of one file are together.

    >>> tasks_of([{"bytes": 3}, {"bytes": 1}, {"bytes": 4}], 2)
    [[{'bytes': 3}, {'bytes': 1}], [{'bytes': 4}]]
    """
    total = sum(piece["bytes"] + 1 for piece in pieces)
    runs: list[list[Counts]] = [[] for _ in range(max(1, tasks))]
    before = 0
    for piece in pieces:
        runs[min(len(runs) - 1, before * len(runs) // total)].append(piece)
        before += piece["bytes"] + 1
    return [run for run in runs if run]


def spread(spark: SparkSession, pieces: list[Counts]) -> DataFrame:
    """Tasks that read the pieces: a few for each core, and more for much input."""
    for index, piece in enumerate(pieces):
        piece["index"] = index
    total = sum(piece["bytes"] for piece in pieces)
    return parallel_tasks(spark, tasks_of(pieces, max(3 * parallelism(spark), -(-total // TASK_BYTES))))


def write(frame: DataFrame, path: str, by: str | None = None, as_text: str | None = None) -> None:
    """Has Spark write a dataset: Parquet, or lines of text compressed so."""
    path = for_spark(path)
    writer = frame.write.mode("append").option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if by is not None:
        writer = writer.partitionBy(by)
    if as_text is None:
        writer.option("compression", "zstd").option("parquet.compression.codec.zstd.level", "1").parquet(path)
    else:
        writer.option("compression", as_text).text(path)


# --- extract ---


def extract(run: Run, inputs: Sequence[str], options: Counts) -> Counts:
    """WARC files to documents. `options`: as `ExtractOptions` in src/stages/extract/page_extractor.h."""
    _core.check_extract_options(to_json(options))
    files = json.loads(_core.find_warcs(list(inputs)))

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        function = functools.partial(
            _tasks.extract_files,
            options=json.dumps(options),
            quarantine=Quarantine(output.work),
            report=counts.report(),
        )
        largest_first = sorted(files, key=lambda file: -int(file["bytes"]))  # so that no task is left alone at the end
        documents = parallel_tasks(run.spark, largest_first).mapInArrow(function, DOCUMENTS)
        write(documents, output.work, by="language")
        total = counts.total()
        whole = total["documents"] + sum(total["rejected"].values()) + sum(total["quarantined"].values())
        if total["records"] != whole:
            raise RunError("the counts do not add up; this is a fault of the program")
        return total

    return run.into("extract", files, options, work)


# --- stats, merge ---


@dataclass(frozen=True)
class StatisticsOptions:
    """As the command line has them."""

    candidates: str = "buckets"
    rotations: int = 5
    window: int = 64
    groups: str = "pivot"
    intermediate: bool = False
    debug: bool = False
    pairs: str | None = None
    max_document_bytes: int = 0
    max_paragraphs: int = 0
    single_task_pairs: int | None = None

    def of_tasks(self) -> Counts:
        """What tasks have to know."""
        names = ("candidates", "rotations", "window", "groups", "intermediate", "max_document_bytes", "max_paragraphs")
        return {name: getattr(self, name) for name in names}

    def identity(self) -> Counts:
        """What results depend on."""
        simhash = {"rotations": self.rotations, "window": self.window} if self.candidates == "simhash" else {}
        return {
            "candidates": self.candidates,
            "groups": self.groups,
            "intermediate": self.intermediate,
            "debug": self.debug,
            "pairs": self.pairs is not None,
        } | simhash


def new_exchange(
    spark: SparkSession,
    options: StatisticsOptions,
    text_bytes: int,
    memory: int | None,
    scratch: str | None,
) -> Exchange:
    """The steps, with partitions for so much text."""
    _core.check_statistics_options(to_json(options.of_tasks()))
    kernel_memory = budget(spark, memory)
    bits = _exchange.partition_bits(text_bytes, kernel_memory.of_task(), parallelism(spark))
    if options.candidates == "simhash":
        bits = max(bits, (options.rotations - 1).bit_length())
    # A pair takes 16 bytes, and what it takes in a hash table some 40.
    single_task_pairs = options.single_task_pairs
    if single_task_pairs is None:
        single_task_pairs = kernel_memory.of_task() // 128
    return Exchange(spark, options.of_tasks(), bits, kernel_memory, scratch, single_task_pairs)


def stats(run: Run, inputs: Sequence[str], options: StatisticsOptions, column: str, allow_incomplete: bool) -> Counts:
    """Documents to statistics."""
    found, names = _core.find_texts(list(inputs), column, allow_incomplete)
    configuration = options.identity() | {
        "text_column": column,
        "max_document_bytes": options.max_document_bytes,
        "max_paragraphs": options.max_paragraphs,
    }

    def count(exchange: Exchange, output: OutputFolder, tasks: DataFrame) -> DataFrame:
        function = functools.partial(
            _tasks.count_pieces,
            config=exchange.config("count"),
            budget=exchange.budget,
            column=column,
            quarantine=Quarantine(output.work),
        )
        return tasks.mapInArrow(function, _exchange.PIECES)

    return _statistics(run, "stats", json.loads(found), json.loads(names), configuration, options, count)


def merge(run: Run, inputs: Sequence[str], options: StatisticsOptions, allow_incomplete: bool) -> Counts:
    """Statistics of parts to those of the whole."""
    found, names = _core.find_statistics(list(inputs), allow_incomplete)
    inputs_in_order = sorted(json.loads(names), key=lambda file: str(file["name"]))

    def count(exchange: Exchange, output: OutputFolder, tasks: DataFrame) -> DataFrame:
        function = functools.partial(_tasks.count_statistics, config=exchange.config("count"), budget=exchange.budget)
        return tasks.mapInArrow(function, _exchange.PIECES)

    return _statistics(run, "merge", json.loads(found), inputs_in_order, options.identity(), options, count)


def _statistics(
    run: Run,
    stage: str,
    pieces: list[Counts],
    names: list[Counts],
    configuration: Counts,
    options: StatisticsOptions,
    count: Callable[[Exchange, OutputFolder, DataFrame], DataFrame],
) -> Counts:
    spark = run.spark

    def pairs_folder() -> OutputFolder | None:
        if options.pairs is None:
            return None
        return OutputFolder(spark, options.pairs, _identity(stage, names, configuration), run.overwrite)

    def done() -> None:
        folder = pairs_folder()
        if folder is not None and not folder.is_done_at_rest():
            raise UsageError(
                f"--pairs {options.pairs}: the statistics are there already, without these pairs; "
                "choose another --output, or --overwrite"
            )

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(spark)
        text_bytes = sum(piece.get("plain_bytes", TEXT_OF_FILE * piece["bytes"]) for piece in pieces)
        exchange = new_exchange(spark, options, text_bytes, run.memory, output.scratch)
        with contextlib.ExitStack() as stack:
            stack.push(at_end(exchange.forget))
            pairs_output = pairs_folder()
            if pairs_output is not None:
                check_apart(output.uri, pairs_output.uri)
                check_inputs(pairs_output.storage, pairs_output.uri, [file["name"] for file in names])
                stack.enter_context(pairs_output)
            stored = exchange.store(count(exchange, output, spread(spark, pieces)))
            near = exchange.near(stored)
            rows = exchange.rows(stored, exchange.taken(near))
            if options.debug:
                rows = exchange.keep(rows)
            write(exchange.list_rows(rows, counts), f"{output.work}/{STATISTICS}")
            if options.intermediate:
                write(exchange.list_texts(stored), f"{output.work}/{INTERMEDIATE}")
            if options.debug:
                write(_lines_of_groups(exchange.list_groups(rows, stored)), f"{output.work}/_groups", as_text="gzip")
            write_index(spark, output)
            if pairs_output is not None and not pairs_output.done:
                write(exchange.list_pairs(near), f"{pairs_output.work}/pairs.parquet")
                pairs_output.commit({})
        total = {"near_pairs": 0} | counts.total()
        if exchange.near_pairs is not None:
            total["near_pairs"] = exchange.near_pairs
        return total

    return run.into(stage, names, configuration, work, done=done)


def _lines_of_groups(groups: DataFrame) -> DataFrame:
    in_order = groups.orderBy(F.desc("groupFreq"), "reprHash", F.desc("exactFreq"), "hash")
    lines = functools.partial(_tasks.lines_of_json)
    return in_order.mapInArrow(lines, "value string")


def write_index(spark: SparkSession, output: OutputFolder) -> None:
    """The frequency index, by one task: it is one file in order of hashes."""
    folder = f"{output.work}/{STATISTICS}"
    files = [name_of(f"{folder}/{path}") for path, _ in output.storage.files(folder) if path.endswith(".parquet")]
    function = functools.partial(_tasks.write_index, uri=f"{output.work}/{INDEX_NAME}")
    parallel_tasks(spark, [files]).mapInArrow(function, "bytes bigint").collect()
    # On a file system without renaming over, a second attempt removes the first one's.
    if not output.storage.exists(f"{output.work}/{INDEX_NAME}"):
        raise RunError(f"{output.uri}: the frequency index is gone that a task has written; run this again")


# --- filter, metrics ---


@dataclass(frozen=True)
class Documents:
    """Documents to be filtered or measured."""

    pieces: list[Counts]
    names: list[Counts]
    schema: pa.Schema
    text_column: str
    language_of_path: bool

    @staticmethod
    def find(inputs: Sequence[str], column: str, id_column: str, allow_incomplete: bool) -> Documents:
        """The pieces of the inputs, and their columns."""
        pieces, found, language_of_path, names = _core.find_rows(list(inputs), column, id_column, allow_incomplete)
        schema = pa.schema(found)
        for field in schema:
            try:
                from_arrow_schema(pa.schema([field]))
            except PySparkException as error:
                raise UsageError(f"column '{field.name}' is of type {field.type}, which Spark has not") from error
        return Documents(json.loads(pieces), json.loads(names), schema, column, language_of_path)

    def records(self, output: OutputFolder, in_order: bool = False) -> Records:
        """How tasks read them; `in_order`: with the column ORDER."""
        schema = self.schema.serialize().to_pybytes()
        return Records(schema, self.text_column, self.language_of_path, Quarantine(output.work), in_order)


def index_path(statistics: str) -> str:
    """The frequency index of statistics, or itself."""
    return statistics if statistics.endswith(".index") else f"{statistics.rstrip('/')}/{INDEX_NAME}"


def checksum_of(path: str) -> str | None:
    """What an index says of its content, or none when it is not there. Only its end is read."""
    filesystem, place = _tasks.open_place(place_of(path))
    if filesystem.get_file_info(place).type != pa.fs.FileType.File:
        return None
    with filesystem.open_input_file(place) as file:
        size = min(_core.INDEX_FOOTER_BYTES, file.size())
        return f"{_core.index_checksum(file.read_at(size, file.size() - size), path):016x}"


def _bring(spark: SparkSession, path: str, checksum: str) -> str:
    """Has Spark bring an index to its executors; its name there.

    Spark knows files by their last name only, and copies each once: it is named by its content. Executors that come
    later fetch it from the driver too, so it stays in the driver's folder, which goes with the driver.
    """
    context = spark.sparkContext
    named = Path(context._temp_dir) / f"frequency-{checksum}.index"
    if named.exists():
        return named.name
    filesystem, source = _tasks.open_place(place_of(path))
    descriptor, name = tempfile.mkstemp(prefix="frequency-", dir=named.parent)
    try:
        with os.fdopen(descriptor, "wb") as target, filesystem.open_input_stream(source, compression=None) as stream:
            shutil.copyfileobj(stream, target, 1 << 20)
        if f"{_core.FrequencyIndex.open(name).checksum():016x}" != checksum:
            raise RunError(f"{path}: was written anew while it was read")
        Path(name).rename(named)
        try:
            context.addFile(str(named))
        except BaseException:
            named.unlink()
            raise
    finally:
        Path(name).unlink(missing_ok=True)
    return named.name


INDEX_WAYS = ("file", "shared", "join")


@dataclass(frozen=True)
class Frequencies:
    """Where a run's frequencies of paragraphs come from."""

    statistics: str | None = None
    index: str = "file"
    """`file`: Spark brings the index to executors; `shared`: they share its path; `join`: no index is needed."""


@dataclass(frozen=True)
class Bound:
    """A chain with its frequencies, for the tasks of a run."""

    chain: Chain
    frequencies: Frequencies
    identity: str | None
    """Of the statistics."""


def bind(spark: SparkSession, chain: _core.FilterChain, frequencies: Frequencies, options: Counts) -> Bound:
    """Opens or brings what tasks need."""
    filters, as_json = chain.to_json(), json.dumps(options)
    statistics = frequencies.statistics
    if statistics is None:
        return Bound(Chain(filters, as_json, None), frequencies, None)
    path = index_path(statistics)
    checksum = checksum_of(path)
    if frequencies.index == "join":
        return Bound(Chain(filters, as_json, None), frequencies, checksum or _identity_of_rows(spark, statistics))
    if checksum is None:
        raise UsageError(f"--stats {statistics}: there is no {INDEX_NAME}")
    if frequencies.index == "shared":
        return Bound(Chain(filters, as_json, path), frequencies, checksum)
    return Bound(Chain(filters, as_json, _bring(spark, path, checksum), True), frequencies, checksum)


def _identity_of_rows(spark: SparkSession, statistics: str) -> str:
    """What tells statistics without an index apart: a sum of their rows, in whatever order."""
    rows, _ = read_statistics(spark, statistics)
    row_hash = F.xxhash64(*sorted(rows.columns))
    found = rows.agg(F.count("*"), F.bit_xor(row_hash), F.sum(row_hash.bitwiseAND(0xFFFFFFFF))).first()
    return "rows-" + "-".join(f"{(number or 0) & (1 << 64) - 1:x}" for number in found or ())


def read_statistics(spark: SparkSession, statistics: str) -> tuple[DataFrame, int]:
    """The rows of statistics, and their bytes."""
    files = json.loads(_core.find_statistics([statistics], False)[1])
    names = [file["name"] for file in files if "/_intermediate/" not in file["name"]]
    if not names:  # a folder with both: the rows are beside what merging needs
        names = [f"{statistics.rstrip('/')}/{STATISTICS}"]
    places = [place_of(name) if "://" in name else str(Path(name).absolute()) for name in names]
    return spark.read.parquet(*(no_glob(for_spark(place)) for place in places)), sum(file["bytes"] for file in files)


def _map_documents(
    spark: SparkSession,
    bound: Bound,
    documents: Documents,
    records: Records,
    report: Report | None,
    direct: Callable[..., Any],
    answered: Callable[..., Any],
    schema: pa.Schema,
    puts_aside: bool,
    stack: contextlib.ExitStack,
) -> DataFrame:
    """Documents by their index, or by join; what is kept until then is freed with the stack.

    `puts_aside`: documents that are no UTF-8 are quarantined.
    """
    pieces = spread(spark, documents.pieces)
    if bound.frequencies.statistics is None or bound.frequencies.index != "join":
        function = functools.partial(direct, chain=bound.chain, records=records, report=report)
        return pieces.mapInArrow(function, from_arrow_schema(schema))
    statistics, size = read_statistics(spark, bound.frequencies.statistics)
    places = _join.new_places(spark, size)
    ask = functools.partial(_tasks.ask_pieces, chain=bound.chain, records=records, places=places, puts_aside=puts_aside)
    asked = pieces.mapInArrow(ask, _join.MESSAGES).persist(StorageLevel.DISK_ONLY)
    stack.push(at_end(asked.unpersist))
    function = functools.partial(answered, chain=bound.chain, report=report)
    return _join.answered(asked, statistics, places).mapInArrow(function, from_arrow_schema(schema))


def filter(
    run: Run,
    inputs: Sequence[str],
    chain: _core.FilterChain,
    frequencies: Frequencies,
    partitioned: bool = False,
    keep_markup: bool = False,
    format: str = "parquet",
    column: str = "text",
    id_column: str = "docId",
    allow_incomplete: bool = False,
) -> Counts:
    """Documents to clean text."""
    documents = Documents.find(inputs, column, id_column, allow_incomplete)
    if partitioned and "filter" in documents.schema.names:
        raise UsageError("the documents have a column 'filter', which --mode partitioned adds")
    options = {
        "text_column": column,
        "id_column": id_column,
        "partitioned": partitioned,
        "keep_markup": keep_markup,
    }
    bound = bind(run.spark, chain, frequencies, options)
    configuration = options | {"filters": json.loads(chain.to_json()), "format": format}
    if frequencies.statistics is not None:
        configuration |= {"statistics": frequencies.statistics, "statistics_checksum": bound.identity}
    as_json = format != "parquet"

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        schema = pa.schema([pa.field("value", pa.string())]) if as_json else documents.schema
        if partitioned:
            schema = schema.append(pa.field("filter", pa.string()))
        direct = functools.partial(_tasks.filter_pieces, partitioned=partitioned, as_json=as_json)
        answered = functools.partial(_tasks.filter_answered, partitioned=partitioned, as_json=as_json)
        records = documents.records(output)
        with contextlib.ExitStack() as stack:
            rows = _map_documents(
                run.spark, bound, documents, records, counts.report(), direct, answered, schema, True, stack
            )
            write(rows, output.work, by="filter" if partitioned else None, as_text="gzip" if as_json else None)
        if as_json:
            _name_json_files(output)
        return _filter_counts(chain, counts.total())

    return run.into("filter", documents.names, configuration, work, [frequencies.statistics])


def _filter_counts(chain: _core.FilterChain, total: Counts) -> Counts:
    none = {"documents": 0, "paragraphs": 0, "text_bytes": 0}
    named = [(step, reason) for step, (_, reasons) in enumerate(chain.steps()) for reason in reasons]
    removed = total.get("removed") or [none] * len(named)
    return {
        "input": total.get("input", none),
        "passed": total.get("passed", none),
        "empty": total.get("empty", none),
        "removed": [
            counts | {"reason": reason, "step": step} for counts, (step, reason) in zip(removed, named, strict=True)
        ],
        "steps": [{"filter": name} for name, _ in chain.steps()],
        "quarantined": total.get("quarantined", {}),
    }


def _name_json_files(output: OutputFolder) -> None:
    """Spark calls files of lines `.txt…`."""
    for path, _ in output.storage.files(output.work):
        if ".txt." in path:
            output.storage.rename(f"{output.work}/{path}", f"{output.work}/{path.replace('.txt.', '.jsonl.')}")


def metrics(
    run: Run,
    inputs: Sequence[str],
    chain: _core.FilterChain,
    frequencies: Frequencies,
    sorted_by: str | None = None,
    column: str = "text",
    id_column: str = "docId",
    allow_incomplete: bool = False,
) -> Counts:
    """Every metric of a chain for every document."""
    columns = chain.columns()
    if not columns:
        raise UsageError("no metric is named; give --config or --metric")
    if sorted_by is not None and sorted_by not in columns:
        raise UsageError(f"--sorted-by {sorted_by}: there is no such metric, only {', '.join(columns)}")
    documents = Documents.find(inputs, column, id_column, allow_incomplete)
    if sorted_by in documents.schema.names:
        raise UsageError(f"--sorted-by {sorted_by}: the documents have a column of this name")
    options = {"text_column": column, "id_column": id_column}
    bound = bind(run.spark, chain, frequencies, options)
    configuration = options | {
        "filters": json.loads(chain.to_json()),
        "columns": json.loads(_core.metrics_columns(chain)),
        "statistics": bound.identity,
        "sorted_by": sorted_by or "",
    }

    def measured(output: OutputFolder, path: str, schema: pa.Schema, by: str | None, report: Report | None) -> None:
        direct = functools.partial(_tasks.measure_pieces, sorted_by=by)
        answered = functools.partial(_tasks.measure_answered, sorted_by=by)
        records = documents.records(output, in_order=by is not None)
        with contextlib.ExitStack() as stack:
            rows = _map_documents(run.spark, bound, documents, records, report, direct, answered, schema, False, stack)
            if by is not None:
                rows = rows.orderBy(F.col(f"`{by}`"), _tasks.ORDER.name).drop(_tasks.ORDER.name)
            write(rows, f"{output.work}/{path}")

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        fields = [pa.field("docId", pa.string()), *(pa.field(name, pa.float64()) for name in columns)]
        measured(output, "metrics.parquet", pa.schema(fields), None, counts.report())
        if sorted_by is not None:
            schema = documents.schema.append(_tasks.ORDER).append(pa.field(sorted_by, pa.float64()))
            measured(output, "sorted", schema, sorted_by, None)
        return add_counts({"documents": 0, "quarantined": {}}, counts.total())

    return run.into("metrics", documents.names, configuration, work, [frequencies.statistics])
