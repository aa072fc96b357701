"""Blocks for pipelines of datatrove: a reader of web archives, an extractor of pages, a filter by chains.

They stand where datatrove's own do, and take documents from these and give them to these. Their counts are in the
statistics of a pipeline. They can be pickled, so every executor takes them. Needs `pip install datatrove regex`.

>>> from datatrove.data import Document
>>> from uzushio.datatrove import UzushioExtractor, UzushioFilter
>>> pages = [Document("<h1>見出し</h1><p>これは文章です。", "a"), Document("<p>短い", "b")]
>>> filter = UzushioFilter([{"class": "DocLength", "low": 5}])
>>> [(document.id, document.text) for document in filter(UzushioExtractor()(pages))]
[('a', '見出し\\n\\nこれは文章です。')]
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, BinaryIO

import pyarrow as pa

try:
    from datatrove.data import Document
    from datatrove.io import DataFileLike, DataFolderLike
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.pipeline.filters.base_filter import BaseFilter
    from datatrove.pipeline.readers.base import BaseDiskReader
    from datatrove.pipeline.writers.disk_base import DiskWriter
    from datatrove.utils.logging import logger
    from datatrove.utils.typeshelper import StatHints
except ModuleNotFoundError as _error:  # datatrove itself, or what its filters import and its package does not ask for
    _missing = str(_error.name).partition(".")[0]
    raise ImportError(
        f"uzushio.datatrove needs {_missing}: pip install datatrove regex, or 'uzushio[datatrove]'"
    ) from _error

from uzushio import _documents
from uzushio._arguments import named
from uzushio._chains import ChainLike, chain_of
from uzushio._core import FilterChain as _CoreChain
from uzushio._errors import PageRejected, UsageError
from uzushio._filters import StatisticsLike, filters
from uzushio._statistics import Statistics

__all__ = ["UzushioExtractor", "UzushioFilter", "UzushioWarcReader"]

_NOT_UTF8 = "no-utf8"
_EMPTY = "empty"
_KNOWN = ("url", "robots", "license")  # columns that some filters look at
_FIELDS = ("text", "id", "url", "date", "charset", "language", "title", "robots", "license", "offset", "length")


class UzushioWarcReader(BaseDiskReader):
    """The documents of web archives, WARC or WET: what `WarcReader` and an extractor give, in one.

    `data_folder` and the options up to `quarantine` are those of datatrove's readers on disk: a task reads each
    `world_size`-th file from its rank on; `skip` and `limit` count documents of a task. `adapter` gets a dict of
    `text`, `id` (the docId), `url`, `date`, `charset`, `language`, `title`, `robots`, `license`, `offset` and `length`.
    `text_key` and `id_key` name those that become the document's text and id, as with datatrove's readers
    (`id_key="url"`); all others become metadata, and `file_path` with them. The other options are those of
    `uzushio.read_warc`.

    `text` is plain, or with `markup` the paragraphs with their CSS paths and link marks, which `UzushioFilter` looks at
    and takes away. `mark_boilerplate` wants `markup`, where scores are.

    Statistics, of each file: `records` = `documents` of the archive + `rejected_REASON` + `quarantined_REASON`. A task
    that a `limit` ends counts what it has read. With `quarantine`, a folder on this machine, damaged records of the
    file PATH are in its PATH/quarantine/_NAME.jsonl.gz.

    Errors: UsageError for an option that has to be mended, as soon as the block is made; InputError ends a task.

    >>> import pathlib, tempfile
    >>> from uzushio.datatrove import UzushioWarcReader
    >>> page = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<p>Plain text."
    >>> head = f"WARC/1.0\\r\\nWARC-Type: response\\r\\nWARC-Target-URI: http://a.jp/\\r\\nContent-Length: {len(page)}"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.warc").write_bytes(head.encode() + b"\\r\\n\\r\\n" + page + b"\\r\\n\\r\\n")
    ...     [document] = UzushioWarcReader(folder, glob_pattern="*.warc", languages="all")()
    >>> document.text, document.metadata["url"], document.metadata["charset"]
    ('Plain text.', 'http://a.jp/', 'UTF-8')
    """

    name = "Uzushio WARC"

    def __init__(
        self,
        data_folder: DataFolderLike,
        paths_file: DataFileLike | None = None,
        *,
        limit: int = -1,
        skip: int = 0,
        file_progress: bool = False,
        doc_progress: bool = False,
        adapter: Callable[..., dict[str, Any]] | None = None,
        text_key: str = "text",
        id_key: str = "id",
        default_metadata: dict[str, Any] | None = None,
        recursive: bool = True,
        glob_pattern: str | None = None,
        shuffle_files: bool = False,
        add_file_path: bool = True,
        quarantine: str | os.PathLike[str] | None = None,
        markup: bool = False,
        languages: _documents.Languages = ("ja",),
        main_content: _documents.MainContent = False,
        mark_boilerplate: bool = False,
        no_title: bool = False,
        **caps: int | str,
    ) -> None:
        """`caps` are `max_page_bytes` and the like."""
        super().__init__(
            data_folder,
            paths_file,
            limit=limit,
            skip=skip,
            file_progress=file_progress,
            doc_progress=doc_progress,
            adapter=adapter,
            text_key=text_key,
            id_key=id_key,
            default_metadata=default_metadata,
            recursive=recursive,
            glob_pattern=glob_pattern,
            shuffle_files=shuffle_files,
            add_file_path=add_file_path,
        )
        for argument, name in (("text_key", text_key), ("id_key", id_key)):
            if adapter is None and name not in _FIELDS:
                raise UsageError(f"{argument}: there is no {name!r}, only {', '.join(_FIELDS)}")
        self.quarantine = None if quarantine is None else os.fspath(quarantine)
        self.markup = markup
        self.options = _options(_try_archive, markup, languages, main_content, mark_boilerplate, no_title, caps)

    def read_file(self, filepath: str) -> Iterator[Document]:
        """The documents of one file of the folder."""
        path = self.data_folder.resolve_paths(filepath)
        if self.data_folder.is_local():
            yield from self._read(filepath, path, path)
            return
        with self.data_folder.open(filepath, "rb") as file:
            yield from self._read(filepath, path, file)

    def _read(self, filepath: str, path: str, source: str | BinaryIO) -> Iterator[Document]:
        quarantine = None if self.quarantine is None else PurePath(self.quarantine, filepath)
        archive = _documents.read_warc(source, name=path, quarantine=quarantine, **self.options)
        try:
            while True:
                with self.track_time():
                    page = archive._next()  # a file that is no archive is warned of, and ends no task
                    if page is None:
                        return
                    document = self.get_document_from_dict(self._fields(page), filepath, page.doc_id)
                if document is not None:
                    yield document
        finally:
            self._count(archive.counts, path)

    def _fields(self, page: _documents.Document) -> dict[str, Any]:
        text = page.markup if self.markup else page.text
        return {"text": text, "id": page.doc_id} | {name: getattr(page, name) for name in _FIELDS[2:]}

    def _count(self, counts: dict[str, Any], path: str) -> None:
        self.stat_update("records", value=counts["records"], unit="input_file")
        for what in ("rejected", "quarantined"):
            for reason, count in sorted(counts[what].items()):
                self.stat_update(f"{what}_{reason}", value=count, unit="input_file")
        if damaged := sum(counts["quarantined"].values()):
            logger.warning(f"{path}: {damaged} damaged records are left out: {counts['quarantined']}")


class UzushioExtractor(BaseExtractor):
    """Pages in HTML to their text, in place of `Trafilatura` and others: the whole page, or its main content.

    A text that is str is taken as it is: what `WarcReader` has decoded by a wrong charset stays wrong. A text that is
    bytes, which an adapter may leave in a document, is decoded by its byte order mark, its own declaration,
    `content_type` in the metadata, or a guess; `charset` in the metadata says by which.
    `UzushioWarcReader` does all of this by itself, from the archive's bytes.

    `title` and `language` in the metadata are set; `url` there helps to tell main content. A page that gives nothing is
    dropped, and counted as `dropped_REASON`; the options are those of `uzushio.extract_html`. Pages are extracted in
    this process, and nothing in it depends on a clock: caps bound the work, so there is no timeout.

    >>> from datatrove.data import Document
    >>> from uzushio.datatrove import UzushioExtractor
    >>> extractor = UzushioExtractor(main_content="justext")
    >>> html = f"<title>題</title><nav><a href='/'>トップ</a></nav><p>{'これは、ながい文章です。' * 20}</p>"
    >>> [document] = extractor([Document(html, "a"), Document("<title>nothing</title>", "b")])
    >>> document.text[:9], document.metadata["language"], extractor.stats["dropped_no-text"].total
    ('題\\n\\nこれは、なが', 'ja', 1)
    """

    name = "Uzushio"

    def __init__(
        self,
        *,
        markup: bool = False,
        languages: _documents.Languages = "all",
        main_content: _documents.MainContent = False,
        mark_boilerplate: bool = False,
        no_title: bool = False,
        **caps: int | str,
    ) -> None:
        """`caps` are `max_page_bytes` and the like."""
        super().__init__()
        self.markup = markup
        self.options = _options(_try_page, markup, languages, main_content, mark_boilerplate, no_title, caps)

    def extract(self, text: str | bytes) -> str:
        """The text of one page. Errors: PageRejected."""
        return self._text(_documents.extract_html(text, **self.options))

    def run(self, data: Iterable[Document], rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """The documents whose pages have a text."""
        for document in data:
            self.stat_update(StatHints.total)
            with self.track_time():
                reason = self._extract(document)
            if reason is not None:
                self.stat_update(StatHints.dropped, f"dropped_{reason}")
                continue
            self.stat_update(StatHints.forwarded)
            self.update_doc_stats(document)
            yield document

    def _extract(self, document: Document) -> str | None:
        """Why the page gives nothing; or its text is in the document."""
        known = {name: _header(document.metadata.get(name)) for name in ("url", "content_type")}
        given: dict[str, Any] = {name: value for name, value in known.items() if value}
        try:
            page = _documents.extract_html(document.text, **given, **self.options)
        except PageRejected as error:
            return error.reason
        facts = {"title": page.title, "language": page.language}
        if isinstance(document.text, bytes):
            facts["charset"] = page.charset
        document.text = self._text(page)
        document.metadata |= facts
        return None

    def _text(self, page: _documents.Document) -> str:
        return page.markup if self.markup else page.text


class UzushioFilter(BaseFilter):
    """A chain of filters, by `uzushio.FilterChain`: the same decisions as `uzushio filter` on the same documents.

    `chain` is a FilterChain, a configuration file with its `properties`, or filters. `statistics` is a folder of
    statistics, or its index: it is opened by each task when it begins, so an earlier pipeline may write it.

    Texts come plain or with markup. What passes is changed in place: without the paragraphs that the chain removes,
    plain unless `keep_markup`. What is dropped has its text as it came, and in the metadata, where there is an
    `exclusion_writer`, `filter_reason`: one of `FilterChain.reasons`, `empty` (no paragraph is left) or `no-utf8` (half
    a character in it). Filters that decide at random do so by the document's id, or, with `id_key`, by that in its
    metadata, such as a docId where a reader has made other ids; those of hosts by `url` there, OptOut by `robots` and
    License by `license`. With `text_key` the text in the metadata is filtered in place of the document's, which stays
    as it is. With `metrics`, the metadata has each metric of the chain by its name (`FilterChain.columns`), which takes
    the time of the chain once more.

    Statistics: `dropped_REASON` documents; `paragraphs_REASON`, which filters of paragraphs removed, in each batch.
    Errors: UsageError for a chain that has to be mended, as soon as the block is made.

    >>> from datatrove.data import Document
    >>> from uzushio.datatrove import UzushioFilter
    >>> filter = UzushioFilter([{"class": "DocLength", "low": 3}, {"class": "AdjacentDuplicateParagraphs"}])
    >>> documents = [Document("短い", "a"), Document("くり返し\\n\\nくり返し\\n\\nくり返し", "b")]
    >>> [(document.id, document.text) for document in filter(documents)]
    [('b', 'くり返し')]
    >>> filter.stats["dropped_DocLength.Low(3)"].total, filter.stats["paragraphs_AdjacentDuplicateParagraphs"].total
    (1, 2)
    """

    name = "Uzushio"

    @named()
    def __init__(
        self,
        chain: ChainLike,
        properties: Mapping[str, str | float] | None = None,
        *,
        statistics: StatisticsLike | None = None,
        keep_markup: bool = False,
        metrics: bool = False,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 256,
        text_key: str | None = None,
        id_key: str | None = None,
    ) -> None:
        """`batch_size` documents are in memory at once."""
        super().__init__(exclusion_writer, batch_size)
        self.text_key = text_key
        self.id_key = id_key
        self.chain = chain_of(chain, properties)
        self.statistics = statistics
        self.keep_markup = keep_markup
        self.metrics = metrics
        self._for_documents = _reasons_for_documents(self.chain._core)

    def run(self, data: Iterable[Document], rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """The documents that pass."""
        if isinstance(self.statistics, (str, bytes, os.PathLike)):
            self.statistics = Statistics(self.statistics)
        yield from super().run(data, rank, world_size)

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Whether one document passes, and if not, why."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        """Whether each document passes, and if not, why."""
        table = pa.table(
            {
                "docId": [self._id(document).encode("utf-8", "replace") for document in batch],
                "text": [self._text(document).encode("utf-8", "surrogatepass") for document in batch],
                **{name: pa.array([_known(document, name) for document in batch], pa.binary()) for name in _KNOWN},
                "row": range(len(batch)),
            }
        )
        result = self.chain.apply(table, self.statistics, keep_markup=self.keep_markup, removed=True)
        for reason, counts in result.counts["removed"].items():
            if counts["paragraphs"] and reason not in self._for_documents:
                self.stat_update(f"paragraphs_{reason}", value=counts["paragraphs"], unit="batch")
        if self.metrics:
            self._measure(table, batch, set(result.bad_rows))
        removed = dict(zip(result.removed["row"].to_pylist(), result.removed["filter"].to_pylist(), strict=True))
        removed |= dict.fromkeys(result.bad_rows, _NOT_UTF8)
        passed = dict(zip(result.passed["row"].to_pylist(), result.passed["text"].to_pylist(), strict=True))
        outcomes: list[bool | tuple[bool, str]] = []
        for row, document in enumerate(batch):
            if row in passed:
                if self.text_key is None:
                    document.text = passed[row]
                else:
                    document.metadata[self.text_key] = passed[row]
                outcomes.append(True)
            else:
                outcomes.append((False, self._reason(document, removed.get(row))))
        return outcomes

    def _id(self, document: Document) -> str:
        return str(document.id if self.id_key is None else self._value(document, "id_key", self.id_key))

    def _text(self, document: Document) -> str:
        text: Any = document.text
        if self.text_key is None:
            return text  # type: ignore[no-any-return]
        text = self._value(document, "text_key", self.text_key)
        if not isinstance(text, str):
            raise UsageError(f"text_key: {self.text_key!r} of document {document.id} is {type(text).__name__}, no str")
        return text

    @staticmethod
    def _value(document: Document, argument: str, key: str) -> Any:
        try:
            return document.metadata[key]
        except KeyError:
            there = ", ".join(document.metadata) or "nothing"
            raise UsageError(
                f"{argument}: document {document.id} has no {key!r} in its metadata, only {there}"
            ) from None

    def _reason(self, document: Document, last: str | None) -> str:
        """Of a document that is dropped. `last` is the chain's last reason to remove something that is in it.

        Of a document without a paragraph that is left, a later filter may have removed what is nothing.
        """
        if last is not None and (last == _NOT_UTF8 or last in self._for_documents):
            return last
        known = {name: (_known(document, name) or b"").decode("utf-8", "replace") for name in _KNOWN}
        removed = self.chain.apply_text(self._text(document), self._id(document), self.statistics, **known).removed
        return _EMPTY if removed is None else removed.reason

    def _measure(self, table: pa.Table, batch: list[Document], bad_rows: set[int]) -> None:
        metrics = self.chain.metrics(table, self.statistics).select(self.chain.columns).to_pylist()
        for row, (document, measured) in enumerate(zip(batch, metrics, strict=True)):
            if row not in bad_rows:
                document.metadata |= measured


def _options(
    take: Callable[..., object],
    markup: bool,
    languages: _documents.Languages,
    main_content: _documents.MainContent,
    mark_boilerplate: bool,
    no_title: bool,
    caps: dict[str, int | str],
) -> dict[str, Any]:
    """The options of an extraction, as `take` wants them. Errors: UsageError, here and not in a worker."""
    if mark_boilerplate and not markup:
        raise UsageError("mark_boilerplate: the scores are in the markup; say markup=True, too")
    options: dict[str, Any] = {
        "languages": languages if isinstance(languages, str) else tuple(languages),
        "main_content": main_content,
        "mark_boilerplate": mark_boilerplate,
        "no_title": no_title,
        **caps,
    }
    take(**options)
    return options


def _try_archive(**options: Any) -> None:
    _documents.read_warc(io.BytesIO(b""), **options)


def _try_page(**options: Any) -> None:
    with contextlib.suppress(PageRejected):
        _documents.extract_html("", **options)


def _known(document: Document, name: str) -> bytes | None:
    """What is under this name in the metadata, if it is a text."""
    value = document.metadata.get(name)
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else None


def _header(value: object) -> str:
    """A text of the metadata as an HTTP header has it: without control characters."""
    text = value if isinstance(value, str) else ""
    return "".join(character for character in text if character >= " ").encode("utf-8", "replace").decode()


def _reasons_for_documents(chain: _CoreChain) -> frozenset[str]:
    """The reasons of filters that remove whole documents."""
    kinds = {name: declaration.kind for name, declaration in filters().items()}
    steps = chain.steps()
    return frozenset(reason for name, reasons in steps if kinds[name] == "documents" for reason in reasons)
