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
from uzushio._values import to_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from uzushio.spark._extract import Index

FAILED, USAGE = 1, 2

# What means something else here than to the program.
MEANINGS = {"memory": "memory of the kernels in each executor, beside its heap (default: 1GiB for each task)"}

OF_FRAMES = ("hosts", "overlap")
"""Commands that have functions in `uzushio.spark`, and are no stages here."""


class _Given(argparse.Action):
    """Adds the option's name and text to the list `given`: what they mean is for the declaration to say."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        texts = values if self.nargs == "+" else [values or ""]
        namespace.given = [*namespace.given, *((self.dest, text) for text in texts)]


def new_parser() -> argparse.ArgumentParser:
    """The stages and the options that the program declares for them."""
    parser = argparse.ArgumentParser(prog="python -m uzushio.spark", description=__doc__, allow_abbrev=False)
    stages = parser.add_subparsers(dest="stage", required=True, metavar="STAGE")
    for command in json.loads(_core.commands()):
        if any(option["spark"] for option in command["options"]):
            stage = stages.add_parser(command["name"], help=command["summary"], allow_abbrev=False)
            stage.set_defaults(given=[])
            positional = command["positional"]
            meaning = f"{positional['help']}; executors reach them, too"
            some = "+" if positional["required"] else "*"
            stage.add_argument("inputs", nargs=some, metavar=positional["name"], help=meaning)
            for option in command["options"]:
                if option["spark"]:
                    _add_option(stage, option, may_be_several=not positional["required"])
            stage.add_argument("--master", metavar="URL", help="Spark's master (default: what spark-submit says)")
            stage.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    return parser


def _add_option(stage: argparse.ArgumentParser, option: dict[str, Any], may_be_several: bool) -> None:
    """`may_be_several`: what follows a value may be another, and is no input."""
    notes = [" | ".join(option["choices"])] if option["choices"] else []
    notes += [option["range"]] if "range" in option else []
    notes += [f"default {option['default']}"] if option["default"] is not None else []
    meaning = MEANINGS.get(option["name"], option["help"]) + (f" ({'; '.join(notes)})" if notes else "")
    values: dict[str, Any] = {"nargs": 0}
    if option["type"] != "flag":
        values = {"metavar": option["placeholder"] or "NAME"}
        values |= {"nargs": "+"} if may_be_several and option["several"] else {}
    stage.add_argument(
        *(("-" if len(name) == 1 else "--") + name for name in (option["name"], *option["aliases"])),
        action=_Given,
        dest=option["name"],
        default=argparse.SUPPRESS,
        required=option["required"],
        help=meaning.replace("%", "%%"),
        **values,
    )


def _with_values(arguments: Sequence[str]) -> list[str]:
    """The command line with values for options that may be without one: that is where no choice of theirs follows."""
    options = {f"--{one['name']}": one for command in json.loads(_core.commands()) for one in command["options"]}
    given, end = list(arguments), list(arguments).index("--") if "--" in arguments else len(arguments)
    for place, argument in enumerate(given[:end]):
        option = options.get(argument, {"implicit_value": None})
        if option["implicit_value"] is not None and not (place + 1 < end and given[place + 1] in option["choices"]):
            given[place] = f"{argument}={option['implicit_value']}"
    return given


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The values of all options. Errors: UsageError, as the program has it."""
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] in OF_FRAMES:
        raise UsageError(
            f"{given[0]}: on Spark, it is a function of DataFrames only, uzushio.spark.{given[0]}; for files, use "
            f"uzushio {given[0]}"
        )
    parser = new_parser()
    options, unknown = parser.parse_known_args(_with_values(given))
    if unknown:
        command = next(one for one in json.loads(_core.commands()) if one["name"] == options.stage)
        name = unknown[0].partition("=")[0]
        if name in {f"--{option['name']}" for option in command["options"]}:
            raise UsageError(f"{name}: Spark does not do this; use uzushio {options.stage}")
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    values = _core.spark_options(options.stage, options.given)
    values["properties"] = values.pop("P", [])
    if options.stage == "extract":
        _core.check_extract_options(json.dumps({name: values[name] for name in _core.kernel_options("extract")}))
        selection = _selection({name: values[name] for name in _core.kernel_options("extract --index")})
        _core.check_extract_ways(options.inputs, values["index"], to_json(selection))
    if values.get("format") == "jsonl.zst":
        raise UsageError("--format jsonl.zst: Spark does not write it; give jsonl.gz")
    return argparse.Namespace(
        **values,
        stage=options.stage,
        inputs=options.inputs,
        given=options.given,
        master=options.master,
        conf=options.conf,
    )


def _selection(values: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that select rows of an index which say something; the tables are named apart."""
    return {name: value for name, value in values.items() if name != "index" and value not in (None, [])}


def read_chain(options: argparse.Namespace) -> tuple[_core.FilterChain, list[dict[str, str]]]:
    """The chain that the options name, and the filters that `metrics` leaves out of it."""
    properties = {}
    for argument in options.properties:
        name, equals, value = argument.partition("=")
        if not equals or not re.fullmatch(r"[\w.-]+", name, re.ASCII):
            raise UsageError(f"-P {argument}: give it as name=value")
        properties[name] = value
    if options.stage == "metrics":
        chain, left_out = _core.metrics_chain(options.config or "", properties, options.metric, options.tokenizer or "")
        return chain, json.loads(left_out)
    if options.config is None:
        return _core.FilterChain.make("[]"), []
    return _core.FilterChain.read(options.config, properties, may_compare=True), []


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


def default_scheme(spark: SparkSession) -> str:
    """The file system of names without a scheme: `file`, `hdfs`, …"""
    jvm: Any = spark._jvm
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    return str(jvm.org.apache.hadoop.fs.FileSystem.getDefaultUri(configuration).getScheme())


def executors_paths(spark: SparkSession, names: Sequence[str]) -> list[str]:
    """Names as executors find them. Without a scheme, they are of the file system that Spark writes to."""
    from uzushio.spark import _session

    jvm: Any = spark._jvm
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    is_local = _session.is_local(str(spark.sparkContext.master))
    default = default_scheme(spark)
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


def index_of(spark: SparkSession, options: argparse.Namespace) -> Index | None:
    """The index that says which records are read, if one does."""
    from uzushio.spark import _extract

    if options.index_base and "://" not in options.index_base:
        options.index_base = _before(spark, options.index_base)
    values = {name: getattr(options, name) for name in _core.kernel_options("extract --index")}
    if not values["index"]:
        return None
    places = {"base": options.index_base or "", "folder": _before(spark, ""), "root": _before(spark, "/", "/")}
    return _extract.Index(tuple(executors_paths(spark, values["index"])), _selection(values), places)


def _before(spark: SparkSession, names: str, kept: str = "") -> str:
    """What stands for executors before names that begin so, which need not end a folder; `kept` is still theirs."""
    (path,) = executors_paths(spark, [f"{names}x"])
    return path.removesuffix(f"{kept}x")


def run(spark: SparkSession, options: argparse.Namespace) -> dict[str, Any]:
    """Runs the stage; its summary."""
    from uzushio.spark import _documents, _extract, _minhash, _run, _statistics

    options.inputs = executors_paths(spark, options.inputs)
    if getattr(options, "stats", None) is not None:
        (options.stats,) = executors_paths(spark, [options.stats])
    this = _run.Run(spark, options.output, options.memory, options.overwrite)
    if options.stage == "minhash":
        return _minhash.minhash(
            this,
            options.inputs,
            {name: getattr(options, name) for name in _core.kernel_options("minhash")},
            options.against,
            options.beside,
            options.index_only,
            options.allow_incomplete,
        )
    if options.stage == "extract":
        return _extract.extract(
            this,
            options.inputs,
            {name: getattr(options, name) for name in _core.kernel_options("extract")},
            options.full_data,
            allow_unreadable=options.max_bad is not None,
            index=index_of(spark, options),
        )
    if options.stage in ("stats", "merge"):
        names = _statistics.StatisticsOptions.__dataclass_fields__
        statistics = _statistics.StatisticsOptions(
            **{name: getattr(options, name) for name in names if hasattr(options, name)}
        )
        if options.stage == "merge":
            return _statistics.merge(this, options.inputs, statistics, options.allow_incomplete)
        return _statistics.stats(this, options.inputs, statistics, options.text_column, options.allow_incomplete)
    if options.stage == "clean":
        return _documents.clean(this, options.inputs, options.given, options.allow_incomplete)
    documents = {
        "frequencies": _documents.Frequencies(options.stats, options.index),
        "column": options.text_column,
        "id_column": options.id_column,
        "allow_incomplete": options.allow_incomplete,
    }
    chain, left_out = read_chain(options)
    if options.stage == "metrics":
        counts = _documents.metrics(this, options.inputs, chain, sorted_by=options.sorted_by, **documents)
        return {**counts, "left_out": left_out}
    return _documents.filter(
        this,
        options.inputs,
        chain,
        partitioned=options.mode == "partitioned",
        keep_markup=options.keep_markup,
        format=options.format,
        measured=options.metrics,
        **documents,
    )


def with_notes(error: BaseException, text: str) -> str:
    """The error, and what went wrong in cleaning up after it."""
    return "; ".join([text, *getattr(error, "__notes__", [])])


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 failed, 2 wrong usage, 3 more bad records than --max-bad."""
    begin = time.monotonic()
    try:
        options = read_options(arguments)
        if options.stage in ("filter", "metrics"):
            chain, _ = read_chain(options)  # before a cluster is asked for
            if options.stage == "filter" and options.metrics is None:
                chain.check_wants_nothing()
        if options.stage == "clean":
            _core.plan_clean(options.given)
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
