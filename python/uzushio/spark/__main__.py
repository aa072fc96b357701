"""`python -m uzushio.spark STAGE …`: the stages on Apache Spark, with the options of the command line `uzushio`."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uzushio import _core
from uzushio._errors import Error, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILED, USAGE = 1, 2

UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
UNITS |= {f"{unit}iB": size for unit, size in UNITS.items() if unit not in ("", "B")}
UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def size(text: str) -> int:
    """Bytes from `512MiB`.

    >>> size("1.5KiB")
    1536
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([A-Za-z]*)", text)
    if match is None or match[2] not in UNITS or float(match[1]) <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no size; give a number and a unit, as 512MiB")
    return int(float(match[1]) * UNITS[match[2]])


def languages(text: str) -> list[str]:
    """Language codes; none for `all`."""
    codes = text.split(",")
    if codes == ["all"]:
        return []
    if "all" in codes:
        raise argparse.ArgumentTypeError("'all' stands alone")
    for code in codes:
        if not re.fullmatch(r"[A-Za-z-]+", code):
            raise argparse.ArgumentTypeError(f"'{code}' is no language code; give ISO 639-1 codes as ja,en, or all")
    return codes


def positive(text: str) -> int:
    """A whole number above zero."""
    number = int(text)
    if number <= 0:
        raise ValueError
    return number


def new_parser() -> argparse.ArgumentParser:
    """The stages and their options."""
    parser = argparse.ArgumentParser(prog="python -m uzushio.spark", description=__doc__)
    stages = parser.add_subparsers(dest="stage", required=True, metavar="STAGE")
    _add_extract(stages.add_parser("extract", help="web archives to documents with paragraphs"))
    _add_statistics(stages.add_parser("stats", help="documents to statistics of their paragraphs"), merge=False)
    _add_statistics(stages.add_parser("merge", help="statistics of parts to those of the whole"), merge=True)
    _add_filter(stages.add_parser("filter", help="documents to clean text, by a chain of filters"))
    _add_metrics(stages.add_parser("metrics", help="every metric of a chain for every document"))
    for stage in stages.choices.values():
        _add_common(stage)
    return parser


def _add_common(stage: argparse.ArgumentParser) -> None:
    stage.add_argument("inputs", nargs="+", metavar="INPUT", help="files, folders or globs, which executors reach too")
    stage.add_argument("--output", required=True, metavar="DIR", help="folder to create, which executors reach too")
    stage.add_argument(
        "--memory",
        type=size,
        metavar="SIZE",
        help="memory of the kernels in each executor, beside its heap (default: 1GiB for each task)",
    )
    stage.add_argument("--max-bad", type=int, default=-1, metavar="N", help="exit with 3 when more are quarantined")
    stage.add_argument("--overwrite", action="store_true", help="replace an output that is there")
    stage.add_argument("--quiet", action="store_true", help="say nothing but errors")
    stage.add_argument("--summary", metavar="FILE", help="write the summary to a file, as JSON")
    stage.add_argument("--master", metavar="URL", help="Spark's master (default: what spark-submit says)")
    stage.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")


def _add_extract(stage: argparse.ArgumentParser) -> None:
    stage.add_argument("--language", type=languages, default=["ja"], metavar="CODE,…")
    for name, default in (("page-bytes", "8MiB"), ("text-bytes", "8MiB")):
        stage.add_argument(f"--max-{name}", type=size, default=size(default), metavar="SIZE")
    for name, number in (("inflation", 1000), ("depth", 1024), ("attributes", 1024), ("nodes", 200_000)):
        stage.add_argument(f"--max-{name}", type=positive, default=number, metavar="N")


def _add_statistics(stage: argparse.ArgumentParser, merge: bool) -> None:
    if not merge:
        stage.add_argument("--text-column", default="text", metavar="NAME")
        stage.add_argument("--max-document-bytes", type=size, default=0, metavar="SIZE")
        stage.add_argument("--max-paragraphs", type=positive, default=0, metavar="N")
    stage.add_argument("--intermediate", action="store_true")
    stage.add_argument("--debug", action="store_true")
    stage.add_argument("--pairs", metavar="DIR")
    stage.add_argument("--candidates", choices=("buckets", "simhash"), default="buckets")
    stage.add_argument("--rotations", type=positive, default=5, metavar="N")
    stage.add_argument("--window", type=positive, default=64, metavar="N")
    stage.add_argument("--groups", choices=("pivot", "components"), default="pivot")
    stage.add_argument(
        "--single-task-pairs",
        type=positive,
        metavar="N",
        help="pairs of near-duplicates that one task may group (default: by its memory)",
    )
    stage.add_argument("--allow-incomplete", action="store_true")


def _add_documents(stage: argparse.ArgumentParser) -> None:
    stage.add_argument("--config", metavar="FILE")
    stage.add_argument("-P", dest="properties", action="append", default=[], metavar="NAME=VALUE")
    stage.add_argument("--stats", metavar="DIR")
    stage.add_argument(
        "--index",
        choices=("file", "shared", "join"),
        default="file",
        help="how executors get the index of --stats: Spark brings the file; they share its path; or none, "
        "but a join, where they can not hold it",
    )
    stage.add_argument("--text-column", default="text", metavar="NAME")
    stage.add_argument("--id-column", default="docId", metavar="NAME")
    stage.add_argument("--allow-incomplete", action="store_true")


def _add_filter(stage: argparse.ArgumentParser) -> None:
    _add_documents(stage)
    stage.add_argument("--mode", choices=("passed", "partitioned"), default="passed")
    stage.add_argument("--format", choices=("parquet", "jsonl", "jsonl.gz"), default="parquet")
    stage.add_argument("--keep-markup", action="store_true")


def _add_metrics(stage: argparse.ArgumentParser) -> None:
    _add_documents(stage)
    stage.add_argument("--metric", action="append", default=[], metavar="NAME")
    stage.add_argument("--sorted-by", metavar="NAME")


def read_chain(options: argparse.Namespace) -> _core.FilterChain:
    """The chain that the options name."""
    properties = {}
    for argument in options.properties:
        name, equals, value = argument.partition("=")
        if not equals or not re.fullmatch(r"[\w.-]+", name, re.ASCII):
            raise UsageError(f"-P {argument}: give it as name=value")
        properties[name] = value
    names = getattr(options, "metric", [])
    if options.config is None:
        return _core.FilterChain.make(json.dumps([{"class": name} for name in names]))
    if names:
        raise UsageError("give either --config or --metric")
    return _core.FilterChain.read(options.config, properties)


def new_session(options: argparse.Namespace) -> SparkSession:
    """The session that is there, or a new one."""
    from uzushio.spark import _launch

    settings = {}
    for setting in options.conf:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--conf {setting}: give it as name=value")
        settings[name] = value
    return _launch.session(f"uzushio {options.stage}", options.master, settings, progress=not options.quiet)


def executors_paths(spark: SparkSession, names: Sequence[str]) -> list[str]:
    """Names as executors find them. Without a scheme, they are of the file system that Spark writes to."""
    from uzushio.spark import _session

    jvm: Any = spark._jvm
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    is_local = _session.is_local(str(spark.sparkContext.master))
    default = str(jvm.org.apache.hadoop.fs.FileSystem.getDefaultUri(configuration).getScheme())
    paths = []
    for name in names:
        if "://" in name:
            paths.append(name)
        elif default == "file":  # executors work in folders of their own
            paths.append(name if is_local else str(Path(name).absolute()))
        else:
            path = jvm.org.apache.hadoop.fs.Path(name)
            whole = str(path.getFileSystem(configuration).makeQualified(path).toString())
            paths.append(whole.replace("%", "%25"))  # of a URI, in which the program takes %XX for a byte
    return paths


def run(spark: SparkSession, options: argparse.Namespace) -> dict[str, Any]:
    """Runs the stage; its summary."""
    from uzushio.spark import _documents, _extract, _run, _statistics

    options.inputs = executors_paths(spark, options.inputs)
    if getattr(options, "stats", None) is not None:
        (options.stats,) = executors_paths(spark, [options.stats])
    this = _run.Run(spark, options.output, options.memory, options.overwrite)
    if options.stage == "extract":
        limits = ("page_bytes", "text_bytes", "inflation", "depth", "attributes", "nodes")
        named = {f"max_{name}": getattr(options, f"max_{name}") for name in limits}
        return _extract.extract(this, options.inputs, {"languages": options.language} | named)
    if options.stage in ("stats", "merge"):
        names = _statistics.StatisticsOptions.__dataclass_fields__
        statistics = _statistics.StatisticsOptions(
            **{name: getattr(options, name) for name in names if hasattr(options, name)}
        )
        if options.stage == "merge":
            return _statistics.merge(this, options.inputs, statistics, options.allow_incomplete)
        return _statistics.stats(this, options.inputs, statistics, options.text_column, options.allow_incomplete)
    documents = {
        "frequencies": _documents.Frequencies(options.stats, options.index),
        "column": options.text_column,
        "id_column": options.id_column,
        "allow_incomplete": options.allow_incomplete,
    }
    chain = read_chain(options)
    if options.stage == "metrics":
        return _documents.metrics(this, options.inputs, chain, sorted_by=options.sorted_by, **documents)
    return _documents.filter(
        this,
        options.inputs,
        chain,
        partitioned=options.mode == "partitioned",
        keep_markup=options.keep_markup,
        format=options.format,
        **documents,
    )


def with_notes(error: BaseException, text: str) -> str:
    """The error, and what went wrong in cleaning up after it."""
    return "; ".join([text, *getattr(error, "__notes__", [])])


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 failed, 2 wrong usage, 3 more bad records than --max-bad."""
    options = new_parser().parse_args(arguments)
    begin = time.monotonic()
    try:
        if options.stage in ("filter", "metrics"):
            read_chain(options)  # before a cluster is asked for
        summary = run(new_session(options), options)
    except Error as error:
        print(f"uzushio: error: {with_notes(error, str(error))}", file=sys.stderr)
        return USAGE if isinstance(error, UsageError) else FAILED
    except Exception as error:
        from uzushio.spark import _failures

        cause = _failures.cause_of(error)
        if cause is None:
            raise
        print(f"uzushio: error: {with_notes(error, cause)}", file=sys.stderr)
        return FAILED
    if summary.get("was_done", False) and not options.quiet:
        print(f"uzushio: {options.output}: was complete already; nothing to do", file=sys.stderr)
    summary["seconds"] = time.monotonic() - begin
    return _core.finish_run(json.dumps(summary), options.summary or "", options.max_bad, options.quiet)


if __name__ == "__main__":
    sys.exit(main())
