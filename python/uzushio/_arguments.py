"""What all functions do with their arguments: names that are no arguments, one or several values, sizes."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from uzushio import _core
from uzushio._errors import UsageError
from uzushio._values import plain

Size = int | str
"""Bytes, or a text as the command line takes it: "64KiB", "1.5GiB"."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

# What something is called elsewhere, and what it is called here.
_OTHER_NAMES = {
    "language": "languages",
    "lang": "languages",
    "column": "text_column",
    "text_field": "text_column",
    "input_column": "text_column",
    "stats": "statistics",
    "max_memory": "memory",
    "num_proc": "threads",
    "max_nodes": "max_tree_bytes",
    "partitioned": "removed",
    "chain": "config",
    "config": "chain",
}


def nearest(name: str, names: Iterable[str]) -> str:
    """The end of a complaint about a name that is not among `names`.

    >>> nearest("lo", ["low", "high"]), nearest("column", ["text_column", "id_column"]), nearest("x", ["low"])
    ('; did you mean low?', '; did you mean text_column?', '')
    """
    known = list(names)
    other = _OTHER_NAMES.get(name)
    near = [other] if other in known else difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def named(
    otherwise: str = "",
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Has a function's error for an argument that it has not name the nearest one, or say `otherwise`.

    >>> @named()
    ... def count(texts, memory=None): ...
    >>> count([], memry=3)
    Traceback (most recent call last):
    TypeError: count() got an unexpected keyword argument 'memry'; did you mean memory?
    """

    def wrap(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        names = sorted(set(inspect.signature(function).parameters) - {"self", "cls"})

        @functools.wraps(function)
        def call(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            for name in kwargs:
                if name not in names:
                    said = f"{function.__qualname__.removesuffix('.__init__')}() got an unexpected keyword argument"
                    hint = nearest(name, names) or otherwise.format(name=name)
                    raise TypeError(f"{said} {name!r}{hint}")
            return function(*args, **kwargs)

        return call

    return wrap


def check_names(function: str, given: Iterable[str], names: Iterable[str]) -> None:
    """Refuses names of options that are not there. Errors: TypeError, which names the nearest one."""
    known = list(names)
    for name in given:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{nearest(name, known)}")


def several(values: Any, what: str) -> list[Any]:
    """The items of a sequence; one text or path is one item, not its characters.

    >>> several("abc", "inputs"), several(("a", "b"), "inputs")
    (['abc'], ['a', 'b'])
    """
    if isinstance(values, (str, bytes, os.PathLike)):
        return [values]
    if hasattr(values, "read"):
        raise no_path(values, what)
    try:
        return list(values)
    except TypeError:
        raise UsageError(f"{what}: one or several are expected, not {type(values).__name__}") from None


def no_path(value: object, what: str) -> UsageError:
    """The error for what is given for a path."""
    is_file = hasattr(value, "read")
    kind = "an open file; read_warc and extract_html take what is read" if is_file else type(value).__name__
    return UsageError(f"{what}: a path is expected, not {kind}")


def language_codes(languages: str | Iterable[str]) -> list[str]:
    """Codes of languages, of "ja,en" or a sequence. Errors: UsageError where none is named.

    >>> language_codes("ja,en"), language_codes(["ja"])
    (['ja', 'en'], ['ja'])
    """
    codes = languages.split(",") if isinstance(languages, str) else several(languages, "languages")
    if wrong := [code for code in codes if not isinstance(code, str)]:
        raise UsageError(f"languages: {wrong[0]!r} is no code of a language; give ISO 639-1 codes as ja,en, or all")
    if not codes:
        raise UsageError("languages: no language is named; give ISO 639-1 codes as ja,en, or all")
    return codes


def size_of(value: Any, what: str) -> int:
    """Bytes, at least 1. Errors: UsageError.

    >>> size_of("4KiB", "memory"), size_of(4096, "memory")
    (4096, 4096)
    """
    value = plain(value)
    try:
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return _core.size_in_bytes(str(value))
    except UsageError:
        pass
    raise UsageError(f"{what}={value!r}: give a size above 0: bytes, or a text as '512MiB'")
