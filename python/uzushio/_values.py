"""Arguments of any library as values that the program reads."""

from __future__ import annotations

import json
import math
import os
from typing import Any

from uzushio._errors import UsageError

_BITS = 64


def plain(value: Any) -> Any:
    """Python's own number, bool or list for one of NumPy; anything else as it is.

    >>> import numpy
    >>> plain(numpy.int64(3)), plain(numpy.array([1, 2])), plain("3")
    (3, [1, 2], '3')
    """
    return value.tolist() if hasattr(value, "tolist") and hasattr(value, "dtype") else value


def text_of(value: Any) -> str:
    """A value of a property, as configurations have it.

    >>> text_of(False), text_of(0.5), text_of("ja")
    ('false', '0.5', 'ja')
    """
    value = plain(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def to_json(value: Any) -> str:
    """JSON of dicts, lists, numbers and texts. Numbers that JSON has not are written as texts, which no option takes.

    >>> to_json({"low": float("nan"), "path": None})
    '{"low": "nan", "path": null}'
    """
    return json.dumps(_readable(value))


def _readable(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, dict):
        return {str(name): _readable(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_readable(item) for item in value]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1}"
    if isinstance(value, str) and not value.isascii():
        utf8(value, "a text among the arguments")
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise UsageError(f"{value!r} is of type {type(value).__name__}, and a number or a text is wanted")


def utf8(text: str, what: str) -> str:
    """The text. Errors: UsageError where it has half a character, as names of files that are no UTF-8 have."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what}: {text!r} is no UTF-8") from error
    return text
