"""What uzushio raises. The texts are those of the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uzushio._summaries import Summary


class Error(Exception):
    """What uzushio raises; its subclasses say why.

    >>> import uzushio
    >>> try:
    ...     uzushio.FilterChain([uzushio.Filter("DocLenght")])
    ... except uzushio.Error as error:
    ...     print(error)
    filters[0].class: there is no filter 'DocLenght'; did you mean DocLength?
    """


class UsageError(Error, ValueError):
    """An argument or a configuration that has to be mended; nothing was written. Exit code 2 of the command line.

    >>> import uzushio
    >>> try:
    ...     uzushio.extract("pages.warc.gz", "documents", languages="日本語")
    ... except ValueError as error:
    ...     print(error)
    languages: '日本語' is no language code; give ISO 639-1 codes as ja,en, or all
    """


class MissingFile(UsageError, FileNotFoundError):
    """An argument that names a file or folder that is not there: a UsageError, and a FileNotFoundError too.

    >>> import uzushio
    >>> try:
    ...     uzushio.stats("nowhere.parquet", "statistics")
    ... except FileNotFoundError as error:
    ...     print(error)
    nowhere.parquet: no such file or folder
    """


class InputError(Error, OSError):
    """A file that could not be read or written.

    >>> import io, uzushio
    >>> issubclass(uzushio.InputError, OSError)
    True
    """


class RunError(Error, RuntimeError):
    """A run that failed for another reason.

    >>> import uzushio
    >>> issubclass(uzushio.RunError, RuntimeError)
    True
    """


class TooManyBadRecords(RunError):
    """A run that is done, but had more bad records than `max_bad`. Exit code 3 of the command line.

    The output is there; `summary` is what the run would have returned.

    >>> import uzushio
    >>> uzushio.TooManyBadRecords("2 records are quarantined, …", uzushio.ExtractSummary(records=3)).summary.records
    3
    """

    summary: Summary

    def __init__(self, message: str, summary: Summary) -> None:
        """`message` is what the command line says."""
        super().__init__(message, summary)
        self.summary = summary

    def __str__(self) -> str:
        """The message alone."""
        return str(self.args[0])


class PageRejected(Error, ValueError):
    """A page that gives no document. `reason` is one of those that `extract` counts, such as `no-text` or `language`.

    >>> import uzushio
    >>> try:
    ...     uzushio.extract_html("<title>nothing else</title>")
    ... except uzushio.PageRejected as error:
    ...     print(error.reason)
    no-text
    """

    reason: str

    def __init__(self, reason: str) -> None:
        """`reason` is a short name."""
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        """A sentence."""
        return f"the page gives no document: {self.reason}"


_PROPERTY = re.compile(r"(?<![\w/-])-P (\w+)(?:=(\w+))?")
_MISSING = re.compile(r"no such file( or folder)?($|;)|: there is nothing;|: no file matches this pattern$")
_NAMED = re.compile(
    r"there is no (?:file|word list|model(?: of fastText)?|language model|list of hosts|Sudachi dictionary|tokenizer) "
    "'(.+?)'"
)
_NO_OUTPUT = re.compile(r"(?:\w+ )?(.+): no output of ")


def with_properties(said: str) -> str:
    """What the command line says of values for a configuration, as Python gives them.

    >>> with_properties("give it by -P name=value"), with_properties("-P least: no number")
    ("give it by properties={'name': value}", 'properties least: no number')
    """
    return _PROPERTY.sub(
        lambda found: f"properties={{'{found[1]}': {found[2]}}}" if found[2] else f"properties {found[1]}", said
    )


def kind_of(error: Error) -> type[Error]:
    """MissingFile where an error says that a file is not there, and then what to do."""
    said = str(error)
    named = _NAMED.search(said) or _NO_OUTPUT.match(said)
    is_missing = _MISSING.search(said) or (named and not os.path.lexists(named[1]))
    return MissingFile if is_missing and isinstance(error, UsageError) else type(error)


@contextmanager
def in_words_of(options: dict[str, str]) -> Iterator[None]:
    """Errors name arguments as Python does; `options` are names of the command line, by which they begin.

    >>> with in_words_of({"--language-model": "language_model"}):
    ...     raise UsageError("--language-model: there is none")
    Traceback (most recent call last):
    uzushio._errors.UsageError: language_model: there is none
    """
    try:
        yield
    except (UsageError, InputError) as error:
        said = with_properties(str(error))
        for option, name in options.items():
            if said.startswith((f"{option}:", f"{option} ")):
                said = f"{name}{said.removeprefix(option)}".lstrip()
        raise kind_of(error)(said) from None
