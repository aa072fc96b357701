"""What uzushio raises. The texts are those of the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

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


_PROPERTY = re.compile(r"(?<![\w/-])-P(?: (\w+)(?:=(\w+))?|(?![\w/.-]))")
_SHOWN = re.compile(r"uzushio [a-z][a-z-]* (?=.*--)")
_OPTION = re.compile("(?<![^\\s(,;\"'`])--([a-z][a-z-]*)(?![./-]?\\w)(?:[ =][A-Z_|]{2,}\\b)?")  # none within a path
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

    def in_python(found: re.Match[str]) -> str:
        name, value = found.groups()
        return f"properties={{'{name}': {value}}}" if value else f"properties {name}" if name else "properties"

    return _PROPERTY.sub(in_python, said)


def kind_of(error: Error) -> type[Error]:
    """MissingFile where an error says that a file is not there, and then what to do."""
    said = str(error)
    named = _NAMED.search(said) or _NO_OUTPUT.match(said)
    is_missing = _MISSING.search(said) or (named and not os.path.lexists(named[1]))
    return MissingFile if is_missing and isinstance(error, UsageError) else type(error)


def with_names(said: str, keywords: Mapping[str, str]) -> str:
    """What the command line says, with options by their names in Python; a command that it shows stays as it is.

    >>> with_names("--no-title requires --main-content; see uzushio extract --main-content", {"no-title": "no_title"})
    'no_title requires --main-content; see uzushio extract --main-content'
    """
    end = shown.start() if (shown := _SHOWN.search(said)) else len(said)

    def in_python(found: re.Match[str]) -> str:
        several = found[1].replace("-", "_") if found[1].endswith("-") else found[0]  # "--index-…"
        return keywords.get(found[1], several)

    return with_properties(_OPTION.sub(in_python, said[:end])) + said[end:]


class _Underscores(dict[str, str]):
    """The names of options that have no others."""

    def get(self, name: str, otherwise: Any = None) -> str:
        return self[name] if name in self else name.replace("-", "_")


_NAMES = _Underscores(language="languages", stats="statistics")


@contextmanager
def told_as(words: Callable[[str], str]) -> Iterator[None]:
    """Errors of the command line are told in other words, and that of a missing file is a MissingFile."""
    try:
        yield
    except (UsageError, InputError) as error:
        raise kind_of(error)(words(str(error))) from None


def in_words_of_python(without: str = "") -> AbstractContextManager[None]:
    """Errors name arguments as Python does; where they begin with the option `without`, they do without it.

    >>> with in_words_of_python():
    ...     raise UsageError("--max-page-bytes many: give a size")
    Traceback (most recent call last):
    uzushio._errors.UsageError: max_page_bytes many: give a size
    """
    return told_as(lambda said: with_names(said.removeprefix(f"{without} ") if without else said, _NAMES))
