"""Every option in every frontend: command line, Python's functions, Spark's command line.

All take the same texts, and refuse the same ones in the same words."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uzushio as uz
from program import run_uzushio
from uzushio._commands import pythons_words

pytestmark = pytest.mark.module

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "run": uz.run,
    "extract": uz.extract,
    "index": uz.index,
    "robots-txt": uz.robots_txt,
    "stats": uz.stats,
    "merge": uz.merge,
    "filter": uz.filter,
    "metrics": uz.metrics,
    "train-language": uz.train_language,
    "train-classifier": uz.train_classifier,
    "minhash": uz.minhash,
    "decontaminate": uz.decontaminate,
    "overlap": uz.overlap,
    "report": uz.report,
    "hosts": uz.hosts,
    "host-lists": uz.host_lists,
    "train-lm": uz.train_lm,
}
MISSING = "missing-input"
ZSTD = "--format jsonl.zst: Spark does not write it; give jsonl.gz"


def declared() -> list[dict[str, Any]]:
    """All commands with their options."""
    commands: list[dict[str, Any]] = json.loads(run_uzushio("options", "--form", "json").stdout)
    return commands


def right(option: dict[str, Any]) -> list[str]:
    """Texts that an option takes."""
    if option["type"] in ("integer", "size"):
        return [str(option["least"]), str(min(option["most"], 2**40 - 1))]
    if option["type"] == "share":
        return ["0.5", "1", "1e-3"]
    if option["name"] == "P":
        return ["name=value"]
    texts = {"language": "ja", "cost": "0.5", "lr": "0.5", "held-out": "0.5", "with-label": f"high={MISSING}"}
    return option["choices"] or [texts.get(option["name"], "value")]


def wrong(option: dict[str, Any]) -> list[str]:
    """Texts that it refuses, if there are any."""
    if option["type"] in ("integer", "size"):
        beyond = [str(option["most"] + 1)] if option["most"] < 2**62 else [str(2**65)]
        return [*beyond, str(option["least"] - 1), "-5", "x", "", "1.5x"] + (
            ["1e3", "0x10", " 1"] if option["type"] == "integer" else []
        )
    if option["name"] in ("cost", "lr"):
        return ["0", "-1", "x", "1x", "nan", "inf", ""]
    if option["name"] == "held-out":
        return ["0.95", "-0.1", "x", "0.1x", "nan", "inf", ""]
    if option["name"] == "with-label":
        return ["high", "=a.jsonl", "high="]
    if option["type"] == "share":
        return ["0", "1.01", "-0.5", "x", "", "0.9x", "nan", "inf"]
    return ["no-such-choice", "", option["choices"][0].upper()] if option["choices"] else []


def on_its_own(command: dict[str, Any], option: dict[str, Any], text: str) -> str:
    """What Spark's command line has against a text that its option takes."""
    if command["name"] == "extract" and option["name"].startswith(("index", "part")):
        return on_command_line(command, option, text)  # the index is missing, or stands beside an input
    wanted = "needs --language-model, a file that uzushio train-language makes"
    lacking = {
        "--format jsonl.zst": ZSTD,
        "--japanese-test rapid": f"--japanese-test rapid: {wanted}",
        "--japanese-test precise": f"--japanese-test precise: {wanted}",
        "--language-model value": "--language-model: needs --japanese-test, which says how it is used",
    }
    return lacking.get(f"{flag(option)} {text}", "")


def flag(option: dict[str, Any]) -> str:
    """As it is written on a command line."""
    return ("-" if len(option["name"]) == 1 else "--") + str(option["name"])


def each(frontend: str) -> list[Any]:
    """Command and option, of those that a frontend has."""
    found = []
    for command in declared():
        if command["name"] not in FUNCTIONS:
            continue
        for option in command["options"]:
            if option[frontend] and option["type"] != "flag" and option["name"] != "output":
                found.append(pytest.param(command, option, id=f"{command['name']} {flag(option)}"))
    return found


def required(command: dict[str, Any], but: dict[str, Any]) -> dict[str, str]:
    """The options that a command can not be without."""
    return {one["name"]: "out" for one in command["options"] if one["required"] and one["name"] != but["name"]}


def on_command_line(command: dict[str, Any], option: dict[str, Any], *texts: str) -> str:
    """What the program says."""
    others = [f"--{name}={text}" for name, text in required(command, option).items()]
    given = [f"{flag(option)}={text}" if len(option["name"]) > 1 else f"{flag(option)}{text}" for text in texts]
    return said_by_program(command["name"], *others, *given, "--", MISSING)


@functools.cache
def said_by_program(*arguments: str) -> str:
    """The error of a run."""
    done = run_uzushio(*arguments, code=2)
    return done.stderr.rstrip("\n").rpartition("uzushio: error: ")[2]


def in_python(command: dict[str, Any], option: dict[str, Any], *texts: str) -> str:
    """What the function raises."""
    keywords: dict[str, Any] = {name.replace("-", "_"): text for name, text in required(command, option).items()}
    value: Any = list(texts) if len(texts) > 1 else texts[0]
    keywords[option["keyword"]] = dict([texts[0].split("=")]) if option["name"] == "P" else value
    output = keywords.pop("output", "out")
    with pytest.raises((uz.UsageError, uz.InputError)) as error:
        FUNCTIONS[command["name"]](MISSING, output, **keywords)
    return str(error.value)


def on_spark(command: dict[str, Any], option: dict[str, Any], *texts: str) -> str:
    """What Spark's command line raises, or nothing."""
    from uzushio.spark import __main__ as command_line

    others = [f"--{name}={text}" for name, text in required(command, option).items()]
    given = [f"{flag(option)}={text}" if len(option["name"]) > 1 else f"{flag(option)}{text}" for text in texts]
    try:
        command_line.read_options([command["name"], *others, *given, "--", MISSING])
    except uz.UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("command", "option"), each("program"))
def test_command_line(command: dict[str, Any], option: dict[str, Any], tmp_path: Path, monkeypatch: Any) -> None:
    """Names the option and the text that it does not take; of what it takes, nothing."""
    monkeypatch.chdir(tmp_path)
    for text in wrong(option):
        assert on_command_line(command, option, text).startswith(f"{flag(option)} {text}: give ")
    for text in right(option):
        said = on_command_line(command, option, text)
        assert not said.startswith(f"{flag(option)} {text}: give "), said
    if not option["list"]:
        text = right(option)[0]
        assert on_command_line(command, option, text, text).endswith(f"given before as {text}; give it once")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("command", "option"), each("python"))
def test_functions(command: dict[str, Any], option: dict[str, Any], tmp_path: Path, monkeypatch: Any) -> None:
    """Python's functions say what the command line says, with Python's names of arguments."""
    monkeypatch.chdir(tmp_path)
    for text in [*wrong(option), *right(option)]:
        assert in_python(command, option, text) == pythons_words(
            command["name"], on_command_line(command, option, text)
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("command", "option"), each("spark"))
def test_spark(command: dict[str, Any], option: dict[str, Any], tmp_path: Path, monkeypatch: Any) -> None:
    """So does Spark's command line."""
    monkeypatch.chdir(tmp_path)
    for text in wrong(option):
        said = on_spark(command, option, text)
        assert said.startswith(f"{flag(option)} {text}: give ")
        assert not option["program"] or said == on_command_line(command, option, text)
    for text in right(option):
        assert on_spark(command, option, text) == on_its_own(command, option, text)
    if not option["list"]:
        text = right(option)[0]
        assert on_spark(command, option, text, text).endswith(f"given before as {text}; give it once")


class Watched:
    """Values of options, and which of them were asked for."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__["__values"], self.__dict__["__read"] = values, set()

    def __getattr__(self, name: str) -> Any:
        self.__dict__["__read"].add(name)
        if name not in self.__dict__["__values"]:
            raise AttributeError(name)
        return self.__dict__["__values"][name]

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["__values"][name] = value


def read_of(watched: Watched) -> set[str]:
    """The names of the options that were asked for."""
    read: set[str] = watched.__dict__["__read"]
    return read


@pytest.mark.parametrize("stage", ["extract", "filter", "merge", "metrics", "minhash", "stats"])
def test_spark_ignores_no_option(stage: str, tmp_path: Path, monkeypatch: Any) -> None:
    """What Spark's command line takes, the stage asks for. (`clean` hands over what is given as it is.)"""
    from uzushio.spark import __main__ as command_line
    from uzushio.spark import _documents, _extract, _minhash, _run, _statistics

    (command,) = (one for one in declared() if one["name"] == stage)
    metric = ["--metric=DocLength"] if stage == "metrics" else []
    given = command_line.read_options([stage, *metric, "--output", str(tmp_path / "out"), "--", MISSING])
    options = Watched(vars(given))
    for module, functions in (
        (_documents, ("filter", "metrics")),
        (_extract, ("extract",)),
        (_minhash, ("minhash",)),
        (_statistics, ("stats", "merge")),
        (_run, ("Run",)),
    ):
        for function in functions:
            monkeypatch.setattr(module, function, lambda *_, **__: {})
    monkeypatch.setattr(command_line, "read_options", lambda _: options)
    monkeypatch.setattr(command_line, "new_session", lambda _: None)
    monkeypatch.setattr(command_line, "executors_paths", lambda _, names: names)
    assert command_line.main([]) == 0
    named = {"P": "properties"}
    declared_for_spark = {
        named.get(one["name"], one["name"]).replace("-", "_") for one in command["options"] if one["spark"]
    }
    assert declared_for_spark <= read_of(options), "options that are taken and ignored"


def test_what_is_mistyped_has_a_near_name() -> None:
    """Commands, options, keywords, choices."""
    assert "'extrct' is no command; did you mean extract?" in run_uzushio("extrct", "a", code=2).stderr
    said = run_uzushio("stats", "a", "--output", "b", "--rotatons=3", code=2).stderr
    assert "--rotatons: no such option; did you mean --rotations?" in said
    said = run_uzushio("stats", "a", "--output", "b", "--candidates=bucket", code=2).stderr
    assert "--candidates bucket: give one of buckets, simhash; did you mean buckets?" in said
    with pytest.raises(TypeError, match="did you mean rotations"):
        uz.stats("a", "b", rotatons=3)  # type: ignore[call-arg]


def test_values_of_odd_forms(tmp_path: Path, monkeypatch: Any) -> None:
    """An equals sign at the end, brackets, nothing at all."""
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"docId": name, "text=": f"{name}の文章"}) for name in ("x", "[x]", "[x,y]", "[]")]
    Path("a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    run_uzushio("filter", "a.jsonl", "--output=o=", "--text-column=text=")
    assert uz.filter("a.jsonl", "p=", text_column="text=")["passed"]["documents"] == 4
    for name in ("x", "[x]", "[x,y]", "[]"):
        assert f"document {name}\n" in run_uzushio("explain", "--in", "o=", "--", name).stdout
        assert f"document {name}\n" in uz.explain(name, "o=")
    with pytest.raises(uz.UsageError, match="languages: nothing is named"):
        uz.extract("a.warc", "q", languages=[])
    with pytest.raises(uz.UsageError, match="overwrite: True or False"):
        uz.filter("a.jsonl", "q", overwrite="yes")  # type: ignore[arg-type]
    wrong_kinds: list[dict[str, Any]] = [
        {"window": False},
        {"window": []},
        {"candidates": ["simhash"]},
        {"threads": False},
    ]
    for options in wrong_kinds:
        with pytest.raises(uz.UsageError, match=f"^{next(iter(options))} "):
            uz.near_duplicates(["a"], **options)
    said = run_uzushio("filter", "a.jsonl", "--output", "q", "--memory", "5X", "--log-format", "json", code=2).stderr
    assert json.loads(said)["level"] == "error"
    assert "no such option; did you mean --output?" in run_uzushio("filter", "a.jsonl", "--outptu=q", code=2).stderr
    run_uzushio("filter", "a.jsonl", "--output=", code=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "o=", "p="]


def test_every_option_is_in_the_reference() -> None:
    """The pages that are printed from the declarations."""
    table = run_uzushio("options", "--form", "markdown").stdout
    for command in declared():
        help_text = run_uzushio(command["name"], "--help-all").stdout
        manual = run_uzushio("man", command["name"]).stdout
        for option in command["options"]:
            assert f"`{flag(option)}" in table
            if option["program"]:
                assert flag(option) in help_text
                assert ".B " + flag(option).replace("-", "\\-") in manual
