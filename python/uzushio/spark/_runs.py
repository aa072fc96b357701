"""Whole runs: from files to a committed output folder. What `python -m uzushio.spark` calls."""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from uzushio import _core
from uzushio._errors import RunError, UsageError
from uzushio.spark import _exchange, _join, _tasks
from uzushio.spark._exchange import Exchange, RunCounts, parallel_tasks
from uzushio.spark._output import OutputFolder
from uzushio.spark._session import budget, parallelism, settings
from uzushio.spark._tasks import Chain, Counts, Quarantine, Records, add_counts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DOCUMENTS = (
    "docId string, url string, charset string, text string, date string, warc string, offset bigint, length bigint, "
    "language string"
)
INDEX_NAME = "_frequency.index"
STATISTICS, INTERMEDIATE = "statistics.parquet", "_intermediate/paragraphs.parquet"
TASK_BYTES = 128 << 20
"""Of compressed input, for a task."""
TEXT_OF_FILE = 6
"""Bytes of text for a byte of a compressed file, about."""


@dataclass(frozen=True)
class Run:
    """A run's place and what it may use."""

    spark: SparkSession
    output: str
    memory: int | None = None
    overwrite: bool = False

    def into(self, stage: str, inputs: Any, configuration: Counts, work: Callable[[OutputFolder], Counts]) -> Counts:
        """Does the work, unless it is done; the summary."""
        identity = {
            "stage": stage,
            "version": _core.version,
            "inputs": inputs,
            "configuration": configuration,
        }
        output = OutputFolder(self.spark, self.output, identity, self.overwrite)
        if output.done:
            return {**output.success["counts"], "stage": stage, "output": self.output, "was_done": True}
        try:
            with settings(self.spark):
                counts = work(output)
                output.commit(counts)
        except BaseException:
            output.abandon()
            raise
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
    writer = frame.write.mode("append").option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if by is not None:
        writer = writer.partitionBy(by)
    if as_text is None:
        writer.option("compression", "zstd").option("parquet.compression.codec.zstd.level", "1").parquet(path)
    else:
        writer.option("compression", as_text).text(path)


# --- extract ---


def extract(run: Run, inputs: Sequence[str], options: Counts) -> Counts:
    """WARC files to documents. `options`: as `ExtractOptions` in src/stages/extract_kernel.h."""
    files = json.loads(_core.find_warcs(list(inputs)))

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        function = functools.partial(
            _tasks.extract_files,
            options=json.dumps(options),
            quarantine=Quarantine(output.work),
            report=counts.report("extract"),
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
    counts: RunCounts,
) -> Exchange:
    """The steps, with partitions for so much text."""
    kernel_memory = budget(spark, memory)
    bits = _exchange.partition_bits(text_bytes, kernel_memory.of_task(), parallelism(spark))
    if options.candidates == "simhash":
        bits = max(bits, (options.rotations - 1).bit_length())
    # A pair takes 16 bytes, and what it takes in a hash table some 40.
    single_task_pairs = options.single_task_pairs
    if single_task_pairs is None:
        single_task_pairs = kernel_memory.of_task() // 128
    return Exchange(spark, options.of_tasks(), bits, kernel_memory, scratch, single_task_pairs, counts)


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
            report=exchange.counts.report("count"),
        )
        return tasks.mapInArrow(function, _exchange.PIECES)

    return _statistics(run, "stats", json.loads(found), json.loads(names), configuration, options, count)


def merge(run: Run, inputs: Sequence[str], options: StatisticsOptions, allow_incomplete: bool) -> Counts:
    """Statistics of parts to those of the whole."""
    found, names = _core.find_statistics(list(inputs), allow_incomplete)
    inputs_in_order = sorted(json.loads(names), key=lambda file: str(file["name"]))

    def count(exchange: Exchange, output: OutputFolder, tasks: DataFrame) -> DataFrame:
        function = functools.partial(
            _tasks.count_statistics,
            config=exchange.config("count"),
            budget=exchange.budget,
            report=exchange.counts.report("count"),
        )
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

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(spark)
        text_bytes = sum(piece.get("plain_bytes", TEXT_OF_FILE * piece["bytes"]) for piece in pieces)
        exchange = new_exchange(spark, options, text_bytes, run.memory, output.scratch, counts)
        try:
            stored = exchange.store(count(exchange, output, spread(spark, pieces)))
            near = exchange.near(stored)
            rows = exchange.rows(stored, exchange.taken(near))
            if options.debug:
                rows = exchange.keep(rows)
            write(exchange.list_rows(rows), f"{output.work}/{STATISTICS}")
            if options.intermediate:
                write(exchange.list_texts(stored), f"{output.work}/{INTERMEDIATE}")
            if options.debug:
                write(_lines_of_groups(exchange.list_groups(rows, stored)), f"{output.work}/_groups", as_text="gzip")
            write_index(spark, output)
            if options.pairs is not None:
                _write_pairs(run, stage, names, configuration, options.pairs, exchange.list_pairs(near))
        finally:
            exchange.forget()
        total = counts.total()
        # Compared are all candidates; pairs are told apart once more where they are grouped, and where they are listed.
        total["near_pairs"] = max((counts.total(step).get("near_pairs", 0) for step in _exchange.GROUPING), default=0)
        return total

    return run.into(stage, names, configuration, work)


def _lines_of_groups(groups: DataFrame) -> DataFrame:
    in_order = groups.orderBy(F.desc("nearFreq"), "reprHash", F.desc("exactFreq"), "hash")
    lines = functools.partial(_tasks.lines_of_json)
    return in_order.mapInArrow(lines, "value string")


def _write_pairs(run: Run, stage: str, names: Any, configuration: Counts, place: str, pairs: DataFrame) -> None:
    output = OutputFolder(
        run.spark,
        place,
        {"stage": stage, "version": _core.version, "inputs": names, "configuration": configuration},
        run.overwrite,
    )
    if not output.done:
        write(pairs, f"{output.work}/pairs.parquet")
        output.commit({})


def write_index(spark: SparkSession, output: OutputFolder) -> None:
    """The frequency index, by one task: it is one file in order of hashes."""
    folder = f"{output.work}/{STATISTICS}"
    files = [f"{folder}/{path}" for path, _ in output.storage.files(folder) if path.endswith(".parquet")]
    function = functools.partial(_tasks.write_index, uri=f"{output.work}/{INDEX_NAME}")
    parallel_tasks(spark, [files]).mapInArrow(function, "bytes bigint").collect()


# --- filter, metrics ---


@dataclass(frozen=True)
class Documents:
    """Documents to be filtered or measured."""

    pieces: list[Counts]
    names: list[Counts]
    schema: pa.Schema
    language_of_path: bool

    @staticmethod
    def find(inputs: Sequence[str], column: str, allow_incomplete: bool) -> Documents:
        """The pieces of the inputs, and their columns."""
        pieces, schema, language_of_path, names = _core.find_records(list(inputs), column, allow_incomplete)
        return Documents(json.loads(pieces), json.loads(names), pa.schema(schema), language_of_path)

    def records(self, output: OutputFolder) -> Records:
        """How tasks read them."""
        return Records(self.schema.serialize().to_pybytes(), self.language_of_path, Quarantine(output.work))


def index_of(spark: SparkSession, statistics: str | None, shared: bool) -> tuple[str | None, bool, str | None]:
    """Where executors find the index of statistics; whether Spark brings it there; its checksum."""
    if statistics is None:
        return None, False, None
    path = statistics if statistics.endswith(".index") else f"{statistics.rstrip('/')}/{INDEX_NAME}"
    if shared:
        return path, False, f"{_tasks.open_index(path).checksum():016x}"
    checksum, name = _bring(spark, path, statistics)
    return name, True, checksum


@functools.lru_cache(maxsize=1)
def _files_of_spark(application: str) -> tempfile.TemporaryDirectory[str]:
    """Files that executors fetch from the driver, as long as it lives."""
    return tempfile.TemporaryDirectory(prefix="uzushio-")


def _bring(spark: SparkSession, path: str, statistics: str) -> tuple[str, str]:
    """Has Spark bring an index to its executors; its checksum and its name there.

    Spark knows files by their last name only, and copies each once: it is named by its content.
    """
    context = spark.sparkContext
    folder = Path(_files_of_spark(context.applicationId).name)
    local = folder / hashlib.sha256(path.encode()).hexdigest()
    filesystem, source = _tasks.open_uri(path)
    if filesystem.get_file_info(source).type != pa.fs.FileType.File:
        raise UsageError(f"--stats {statistics}: there is no {INDEX_NAME}")
    with filesystem.open_input_stream(source) as stream, local.open("wb") as target:
        shutil.copyfileobj(stream, target, 1 << 20)
    checksum = f"{_core.FrequencyIndex.open(str(local)).checksum():016x}"
    named = folder / f"frequency-{checksum}.index"
    if not named.exists():
        context.addFile(str(local.rename(named)))
    return checksum, named.name


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
    if frequencies.statistics is None or frequencies.index == "join":
        return Bound(Chain(chain.to_json(), json.dumps(options), None), frequencies, frequencies.statistics)
    path, by_spark, checksum = index_of(spark, frequencies.statistics, frequencies.index == "shared")
    return Bound(Chain(chain.to_json(), json.dumps(options), path, by_spark), frequencies, checksum)


def read_statistics(spark: SparkSession, statistics: str) -> tuple[DataFrame, int]:
    """The rows of statistics, and their bytes."""
    files = json.loads(_core.find_statistics([statistics], False)[1])
    names = [file["name"] for file in files if "/_intermediate/" not in file["name"]]
    if not names:  # a folder with both: the rows are beside what merging needs
        names = [f"{statistics.rstrip('/')}/{STATISTICS}"]
    return spark.read.parquet(*names), sum(file["bytes"] for file in files)


def _map_documents(
    spark: SparkSession,
    bound: Bound,
    documents: Documents,
    records: Records,
    counts: RunCounts,
    direct: Callable[..., Any],
    answered: Callable[..., Any],
    schema: pa.Schema,
    step: str,
) -> tuple[DataFrame, list[DataFrame]]:
    """Documents by their index, or by join; and what is to be freed then."""
    pieces = spread(spark, documents.pieces)
    report = counts.report(step)
    if bound.frequencies.statistics is None or bound.frequencies.index != "join":
        function = functools.partial(direct, chain=bound.chain, records=records, report=report)
        return pieces.mapInArrow(function, from_arrow_schema(schema)), []
    statistics, size = read_statistics(spark, bound.frequencies.statistics)
    places = _join.new_places(spark, size)
    ask = functools.partial(
        _tasks.ask_pieces, chain=bound.chain, records=records, places=places, report=counts.report(f"{step}-asked")
    )
    together, kept = _join.answered(pieces.mapInArrow(ask, _join.MESSAGES), statistics, places)
    function = functools.partial(answered, chain=bound.chain, report=report)
    return together.mapInArrow(function, from_arrow_schema(schema)), [kept]


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
    documents = Documents.find(inputs, column, allow_incomplete)
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
        rows, kept = _map_documents(
            run.spark, bound, documents, documents.records(output), counts, direct, answered, schema, "filter"
        )
        write(rows, output.work, by="filter" if partitioned else None, as_text="gzip" if as_json else None)
        for frame in kept:
            frame.unpersist()
        if as_json:
            _name_json_files(output)
        return _filter_counts(chain, counts.total())

    return run.into("filter", documents.names, configuration, work)


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
    documents = Documents.find(inputs, column, allow_incomplete)
    options = {"text_column": column, "id_column": id_column}
    bound = bind(run.spark, chain, frequencies, options)
    configuration = options | {
        "filters": json.loads(chain.to_json()),
        "statistics": bound.identity,
        "sorted_by": sorted_by or "",
    }

    def measured(output: OutputFolder, counts: RunCounts, by: str | None, schema: pa.Schema) -> DataFrame:
        direct = functools.partial(_tasks.measure_pieces, sorted_by=by)
        answered = functools.partial(_tasks.measure_answered, sorted_by=by)
        step = "sorted" if by else "metrics"
        rows, _ = _map_documents(
            run.spark, bound, documents, documents.records(output), counts, direct, answered, schema, step
        )
        return rows

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        fields = [pa.field("docId", pa.string()), *(pa.field(name, pa.float64()) for name in columns)]
        write(measured(output, counts, None, pa.schema(fields)), f"{output.work}/metrics.parquet")
        if sorted_by is not None:
            schema = documents.schema.append(pa.field(sorted_by, pa.float64()))
            by_metric = measured(output, counts, sorted_by, schema).orderBy(F.col(f"`{sorted_by}`"), id_column)
            write(by_metric, f"{output.work}/sorted")
        total = add_counts({"documents": 0, "quarantined": {}}, counts.total("metrics"))
        return add_counts(total, counts.total("metrics-asked"))

    return run.into("metrics", documents.names, configuration, work)
