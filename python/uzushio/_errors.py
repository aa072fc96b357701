"""What uzushio raises. The texts are those of the command line."""

from __future__ import annotations

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
