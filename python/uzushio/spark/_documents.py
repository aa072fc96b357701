"""`filter` and `metrics`: documents to clean text, or to what is measured of them."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import re
import shutil
import tempfile
from collections import Counter
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
from uzushio.spark import _join, _repeats
from uzushio.spark._output import OutputFolder, Storage, at_end, for_spark
from uzushio.spark._paths import no_glob, place_of
from uzushio.spark._run import Run, RunCounts, spread, write
from uzushio.spark._steps import INDEX_NAME, STATISTICS
from uzushio.spark.worker import documents as worker
from uzushio.spark.worker import join
from uzushio.spark.worker.documents import Chain, Form, Records
from uzushio.spark.worker.tasks import Counts, Quarantine, Report, add_counts, open_place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Documents:
    """Documents to be filtered or measured."""

    splits: list[Counts]
    names: list[Counts]
    read_schema: pa.Schema
    """Of the files."""
    schema: pa.Schema
    """The same with types that Spark has."""
    text_column: str
    language_of_path: bool
    formats: str
    """What files are, where that was given."""

    @staticmethod
    def find(
        inputs: Sequence[str], column: str, id_column: str, allow_incomplete: bool, formats: str = ""
    ) -> Documents:
        """The splits of the inputs, and their columns."""
        splits, found, language_of_path, names = _core.find_rows(
            list(inputs), column, id_column, allow_incomplete, formats
        )
        schema = pa.schema(found)
        fields = [_of_spark(field) for field in schema]
        return Documents(
            json.loads(splits), json.loads(names), schema, pa.schema(fields), column, language_of_path, formats
        )

    def records(self, output: OutputFolder, in_order: bool = False) -> Records:
        """How tasks read them; `in_order`: with the column ORDER."""
        read, schema = (one.serialize().to_pybytes() for one in (self.read_schema, self.schema))
        return Records(
            read, schema, self.text_column, self.language_of_path, Quarantine(output.work), in_order, self.formats
        )


def _of_spark(field: pa.Field) -> pa.Field:
    """A column as Spark has it, whose times are in microseconds. Errors: it has no such type."""
    type = field.type
    if pa.types.is_timestamp(type) and type.unit in ("s", "ms"):
        type = pa.timestamp("us", type.tz)
    try:
        if re.search(r"(timestamp|time64|time32|duration)\[(s|ms|ns)\b", str(type)):
            raise ValueError("not in microseconds")
        from_arrow_schema(pa.schema([field.with_type(type)]))
    except (PySparkException, pa.ArrowException, ValueError) as error:
        raise UsageError(
            f"column '{field.name}' is of type {field.type}, which Spark has not; write it as another, or leave it out"
        ) from error
    return field.with_type(type)


def index_path(statistics: str) -> str:
    """The frequency index of statistics, or itself."""
    if statistics.endswith(".index"):
        return statistics
    folder = statistics.rstrip("/")
    names = [*stored_names(folder, INDEX_NAME), _core.OLD_FREQUENCY_INDEX]
    paths = [f"{folder}/{name}" for name in names]
    return next((path for path in paths if checksum_of(path) is not None), paths[0])


def stored_names(folder: str, name: str) -> list[str]:
    """What a file of an output may be called there: as on a local file system, and as on a store."""
    filesystem, place = open_place(place_of(f"{folder}/{_core.MANIFEST}"))
    if filesystem.get_file_info(place).type != pa.fs.FileType.File:
        return [name]
    with filesystem.open_input_file(place) as file:
        hash = json.loads(file.read()).get(_core.NAME_HASH)
    return [name] if hash is None else [name, _core.stored_name(name, hash)]


def checksum_of(path: str) -> str | None:
    """What an index says of its content, or none when it is not there. Only its end is read."""
    filesystem, place = open_place(place_of(path))
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
    filesystem, source = open_place(place_of(path))
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
    names = [file["name"] for file in files if "intermediate/paragraphs." not in file["name"]]
    if not names:  # a folder with both: the rows are beside what merging needs
        names = [_place_in(statistics.rstrip("/"), STATISTICS)]
    storage = Storage(spark)
    places = [storage.by_hadoop(place_of(name)) if "://" in name else str(Path(name).absolute()) for name in names]
    return spark.read.parquet(*(no_glob(for_spark(place)) for place in places)), sum(file["bytes"] for file in files)


def _place_in(folder: str, name: str) -> str:
    """Where a file, or a folder of files, is in an output."""
    paths = [f"{folder}/{one}" for one in stored_names(folder, name)]
    for path in paths:
        filesystem, place = open_place(place_of(path))
        if filesystem.get_file_info(place).type != pa.fs.FileType.NotFound:
            return path
    return paths[0]


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
    splits = spread(spark, documents.splits)
    if bound.frequencies.statistics is None or bound.frequencies.index != "join":
        function = functools.partial(direct, chain=bound.chain, records=records, report=report)
        return splits.mapInArrow(function, from_arrow_schema(schema))
    statistics, size = read_statistics(spark, bound.frequencies.statistics)
    places = _join.new_places(spark, size)
    ask = functools.partial(join.ask_pieces, chain=bound.chain, records=records, places=places, puts_aside=puts_aside)
    asked = splits.mapInArrow(ask, _join.MESSAGES).persist(StorageLevel.DISK_ONLY)
    stack.push(at_end(asked.unpersist))
    function = functools.partial(answered, chain=bound.chain, report=report)
    return _join.answered(asked, statistics, places).mapInArrow(function, from_arrow_schema(schema))


@dataclass(frozen=True)
class Filtering:
    """What is done to documents, and how what is left is written."""

    run: Run
    documents: Documents
    chain: _core.FilterChain
    bound: Bound
    form: Form
    partitioned: bool
    ending: str
    """Of files."""
    delimiter: str = "\n"
    """Behind each document in plain text."""

    def check(self) -> None:
        """Raises when documents or filters do not suit."""
        _core.check_known_columns(self.chain, self.documents.schema)
        names, form = self.documents.schema.names, self.form
        if self.partitioned and "filter" in self.form.schema(self.documents.schema).names:
            raise UsageError("the documents have a column 'filter', which --mode partitioned adds")
        if form.name != form.column and form.name in names:
            raise UsageError(f"--output-column {form.name}: there is such a column beside that of texts, {form.column}")
        if self.chain.comparing_steps() and self.bound.frequencies.index == "join":
            raise UsageError("a filter compares all documents: give --index file or shared with it")
        if self.ending == ".txt" and not self.delimiter:
            raise UsageError("output.delimiter: is empty, which Spark does not write; give another")

    def into(self, output: OutputFolder) -> Counts:
        """Does it; the counts."""
        spark, documents = self.run.spark, self.documents
        counts = RunCounts(spark)
        schema = self.form.schema(documents.schema)
        by = "filter" if self.partitioned else None
        if by is not None:
            schema = schema.append(pa.field(by, pa.string()))
        records = documents.records(output)
        steps = self.chain.comparing_steps()
        repeats = None
        if steps:
            repeats = _repeats.find(spark, documents.splits, steps, self.bound.chain, records, output.scratch)
        direct = functools.partial(worker.filter_pieces, partitioned=self.partitioned, form=self.form, repeats=repeats)
        answered = functools.partial(join.filter_answered, partitioned=self.partitioned, form=self.form)
        with contextlib.ExitStack() as stack:
            rows = _map_documents(
                spark, self.bound, documents, records, counts.report(), direct, answered, schema, True, stack
            )
            if self.form.kind == "rows":
                write(rows, output.work, by)
            else:
                is_text = self.form.kind == "texts"
                write(rows, output.work, by, "none" if is_text else "gzip", self.delimiter if is_text else "\n")
        _name_files(output, self.form.kind)
        return filter_counts(self.chain, counts.total())


def _contents(chain: _core.FilterChain) -> Counts:
    """What is in the files that filters read, where there are any."""
    contents = json.loads(chain.contents())
    return {} if contents is None else {"contents": contents}


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
    measured: str | None = None,
) -> Counts:
    """Documents to clean text. `measured` is a folder of metrics, which shares of all documents are taken from."""
    documents = Documents.find(inputs, column, id_column, allow_incomplete)
    options = {
        "text_column": column,
        "id_column": id_column,
        "partitioned": partitioned,
        "keep_markup": keep_markup,
    }
    bound = bind(run.spark, chain, frequencies, options)
    if measured is not None:
        chain = chain.with_shares(
            measured,
            json.dumps(documents.names),
            json.dumps(bound.identity),
            column,
            id_column,
            os.cpu_count() or 1,
        )
        bound = dataclasses.replace(bound, chain=dataclasses.replace(bound.chain, filters=chain.to_json()))
    chain.check_wants_nothing()
    configuration = options | {"filters": json.loads(chain.to_json()), "format": format} | _contents(chain)
    if frequencies.statistics is not None:
        configuration |= {"statistics": frequencies.statistics, "statistics_checksum": bound.identity}
    is_rows = format == "parquet"
    form = Form("rows" if is_rows else "lines", column, column)
    work = Filtering(run, documents, chain, bound, form, partitioned, ".parquet" if is_rows else ".jsonl.gz")
    work.check()
    return run.into("filter", documents.names, configuration, work.into, [frequencies.statistics, measured])


KINDS = {".parquet": "rows", ".jsonl.gz": "lines", ".txt": "texts"}
"""What files of these endings are made of."""


def clean(run: Run, inputs: Sequence[str], given: Sequence[tuple[str, str]], allow_incomplete: bool = False) -> Counts:
    """Text corpora through the stages of the older cleaning jobs. `given`: the options of `uzushio clean`."""
    chain, as_json = _core.plan_clean(list(given))
    plan = json.loads(as_json)
    options, ending = plan["kernel"], plan["ending"]
    if ending not in KINDS:
        raise UsageError("output.format: Spark does not write jsonl.zst; give jsonl")
    column = options["text_column"]
    documents = Documents.find(inputs, column, "docId", allow_incomplete, json.dumps(plan["input"]))
    bound = bind(run.spark, chain, Frequencies(), options)
    configuration = plan | {"filters": json.loads(chain.to_json())} | _contents(chain)
    form = Form(KINDS[ending], column, plan["column"])
    work = Filtering(run, documents, chain, bound, form, options["partitioned"], ending, plan["delimiter"])
    work.check()
    return run.into("clean", documents.names, configuration, work.into)


def filter_counts(chain: _core.FilterChain, total: Counts) -> Counts:
    """What is told of a chain's sums."""
    none = {"documents": 0, "paragraphs": 0, "text_bytes": 0, "characters": 0}
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


def _order(path: str) -> tuple[int, str]:
    """Spark's numbers of files have five digits, and then more."""
    number = re.match(r"part-(\d+)", path.rpartition("/")[2])
    return (int(number[1]) if number else 0, path)


def _name_files(output: OutputFolder, kind: str) -> None:
    """Spark calls files of lines `.txt…`, and those of plain text not as the local program does."""
    numbers: Counter[str] = Counter()
    for path in sorted((path for path, _ in output.storage.files(output.work)), key=_order):
        folder, slash, name = path.rpartition("/")
        if kind == "lines" and ".txt." in name:
            output.rename(path, path.replace(".txt.", ".jsonl."))
        elif kind == "texts" and name.startswith("part-") and name.endswith(".txt"):
            output.rename(path, f"{folder}{slash}part-{numbers[folder]:05}.txt")
            numbers[folder] += 1


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
    if sorted_by is not None:
        sorted_by = columns[chain.find_column(sorted_by)]
    documents = Documents.find(inputs, column, id_column, allow_incomplete)
    _core.check_known_columns(chain, documents.schema)
    if sorted_by in documents.schema.names:
        raise UsageError(f"--sorted-by {sorted_by}: the documents have a column of this name")
    options = {"text_column": column, "id_column": id_column}
    bound = bind(run.spark, chain, frequencies, options)
    configuration = (options | _contents(chain)) | {
        "filters": json.loads(chain.to_json()),
        "columns": json.loads(_core.metrics_columns(chain)),
        "rules": json.loads(_core.chain_rules(chain)),
        "statistics": bound.identity,
        "sorted_by": sorted_by or "",
    }

    def measured(output: OutputFolder, path: str, schema: pa.Schema, by: str | None, report: Report | None) -> None:
        direct = functools.partial(worker.measure_pieces, sorted_by=by)
        answered = functools.partial(join.measure_answered, sorted_by=by)
        records = documents.records(output, in_order=by is not None)
        with contextlib.ExitStack() as stack:
            rows = _map_documents(run.spark, bound, documents, records, report, direct, answered, schema, False, stack)
            if by is not None:
                rows = rows.orderBy(F.col(f"`{by}`"), worker.ORDER.name).drop(worker.ORDER.name)
            write(rows, f"{output.work}/{path}")

    def work(output: OutputFolder) -> Counts:
        counts = RunCounts(run.spark)
        fields = [pa.field("docId", pa.string()), *(pa.field(name, pa.float64()) for name in columns)]
        fields += [pa.field(name, pa.int64()) for name in _core.SIZE_COLUMNS]
        measured(output, "metrics.parquet", pa.schema(fields), None, counts.report())
        if sorted_by is not None:
            schema = documents.schema.append(worker.ORDER).append(pa.field(sorted_by, pa.float64()))
            measured(output, _core.SORTED_FOLDER, schema, sorted_by, None)
        return add_counts({"documents": 0, "quarantined": {}}, counts.total())

    return run.into("metrics", documents.names, configuration, work, [frequencies.statistics])
