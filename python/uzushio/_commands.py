"""Commands as functions: the command line in this process, with the options that each command declares."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from uzushio import _core
from uzushio._arguments import nearest, no_path, several
from uzushio._chains import chains_in_files
from uzushio._errors import TooManyBadRecords, UsageError, told_as, with_names
from uzushio._progress import Progress, watching
from uzushio._summaries import KINDS, Summary
from uzushio._values import plain, text_of

Path = str | bytes | os.PathLike[str]
Inputs = Path | Iterable[Path]


COMMANDS: dict[str, dict[str, Any]] = {command["name"]: command for command in json.loads(_core.commands())}


def arguments_of(command: str, positional: Inputs | None, options: Mapping[str, Any]) -> list[str]:
    """The command line. Options that are None or False are left out; lists give an option several times."""
    arguments = [command]
    for option in _options(command):
        value = plain(options.get(option["keyword"]))
        if option["name"] == "P" and value is not None:
            value = [f"{name}={text_of(one)}" for name, one in _properties(value).items()]
        if value is None or value is False:
            continue
        flag = ("-" if len(option["name"]) == 1 else "--") + option["name"]
        if value is True and option["implicit_value"] is not None:
            value = option["implicit_value"]
        if option["type"] == "flag":
            if value is not True:
                raise UsageError(f"{option['keyword']}: True or False is wanted, not {value!r}")
            arguments.append(flag)
            continue
        many = option["list"] and isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike))
        texts = list(value) if many else [value]
        if not texts and option["default"] is not None:
            raise UsageError(f"{option['keyword']}: nothing is named; leave it out for {option['default']}")
        for one in texts:
            arguments += [flag, _text(one)] if len(option["name"]) == 1 else [f"{flag}={_text(one)}"]
    return [*arguments, "--", *map(_name, several(() if positional is None else positional, "inputs"))]


def first_of(command: str) -> str:
    """What a function calls what its command names without an option."""
    positional = COMMANDS[command]["positional"]
    return "inputs" if positional["list"] else str(positional["name"]).lower()


def _options(command: str) -> list[dict[str, Any]]:
    return [option for option in COMMANDS[command]["options"] if option["python"]]


def _properties(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise UsageError(f"properties: names and values are expected, as {{'least': 5}}, not {type(value).__name__}")


def _name(value: Any) -> str:
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    raise no_path(value, "inputs")


def _text(value: Any) -> str:
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(plain(value))


def run(arguments: list[str], progress: Progress | bool | None) -> Summary:
    with watching(progress, arguments[0]) as show:
        with in_pythons_words(arguments[0]):
            text, _, told, complaint = _core.run(arguments, show)
        summary = KINDS[arguments[0]](json.loads(text))
        if complaint:
            raise TooManyBadRecords(pythons_words(arguments[0], complaint), summary)
        if show is not None:
            show(1.0, "done")
    for warning in told:
        warnings.warn(pythons_words(arguments[0], warning), RuntimeWarning, stacklevel=3)
    return summary


def pythons_words(command: str, said: str) -> str:
    """What the command line says, with arguments named as Python does; commands that it shows stay as they are.

    >>> pythons_words("extract", "--language x: see uzushio extract --language")
    'languages x: see uzushio extract --language'
    >>> pythons_words("run", "give one of PIPELINE and --preset NAME")
    'give one of pipeline and preset'
    """
    keywords = {option["name"]: option["keyword"] for option in _options(command)} | {"in": "folder"}
    positional = rf"(?<![\w./'-]){COMMANDS[command]['positional']['name']}(?![\w./:'-])"  # none in a path
    return with_names(re.sub(positional, first_of(command), said), keywords)


def in_pythons_words(command: str) -> AbstractContextManager[None]:
    """Errors name arguments as Python does: `languages`, not `--language`."""
    return told_as(functools.partial(pythons_words, command))


def stage(command: str, text: str) -> Callable[..., Summary]:
    """The function of a command. Its keywords are the options that the command declares; `text` is its docstring."""
    python_name, first = command.replace("-", "_"), first_of(command)
    options = [option for option in _options(command) if option["name"] != "output"]
    is_optional = not COMMANDS[command]["positional"]["required"]
    default = {"default": None} if is_optional else {}
    parameters = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, **default) for name in (first, "output")
    ]
    for option in options:
        required = {} if option["required"] else {"default": False if option["type"] == "flag" else None}
        parameters.append(inspect.Parameter(option["keyword"], inspect.Parameter.KEYWORD_ONLY, **required))
    parameters.append(inspect.Parameter("progress", inspect.Parameter.KEYWORD_ONLY, default=None))
    signature = inspect.Signature(parameters)

    def call(*positionals: Any, **keywords: Any) -> Summary:
        try:
            bound = signature.bind(*positionals, **keywords).arguments
        except TypeError as error:
            for name in keywords:
                if name not in signature.parameters:
                    hint = nearest(name, signature.parameters)
                    raise TypeError(f"{python_name}() got an unexpected keyword argument {name!r}{hint}") from None
            raise TypeError(f"{python_name}(): {error}") from None
        if bound.get("output") is None:
            raise TypeError(f"{python_name}(): missing a required argument: 'output'")
        progress, inputs = bound.pop("progress", None), bound.pop(first, None)
        from uzushio._table_inputs import tables_in_files  # which imports this

        with chains_in_files(bound) as named, tables_in_files(command, inputs, named) as files:
            return run(arguments_of(command, files, named), progress)

    meanings = "\n".join(f"    {option['keyword']}: {_meaning(option)}" for option in options)
    before, mark, after = text.partition("    >>> ")
    call.__doc__ = f"{before}    Options:\n\n{meanings}\n\n{mark}{after}"
    call.__name__ = call.__qualname__ = python_name
    call.__module__ = "uzushio._stages"
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _meaning(option: Mapping[str, Any]) -> str:
    """What an option means, what it may be, and its default."""
    notes = [" | ".join(option["choices"])] if option["choices"] else []
    if option["implicit_value"] is not None:
        notes.append(f"True for {option['implicit_value']}")
    if option["type"] in ("integer", "size", "share"):
        notes.append(option["range"])
    if option["default"] is not None:
        notes.append(f"default {option['default']}")
    return str(option["help"]) + (f" ({'; '.join(notes)})" if notes else "")
