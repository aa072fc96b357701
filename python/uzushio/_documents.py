"""Web archives and pages to documents."""

from __future__ import annotations

import hashlib
import json
import os
import re
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import TracebackType
from typing import Any, BinaryIO, Literal, NamedTuple
from uuid import UUID

import pyarrow as pa

from uzushio import _core, _interrupts
from uzushio._arguments import Size, language_codes, named, size_of
from uzushio._at_exit import close_at_exit, tell_holder, tell_thread
from uzushio._errors import InputError, PageRejected, UsageError, in_words_of_python
from uzushio._values import to_json

Languages = str | Iterable[str]
MainContent = bool | Literal["model", "justext"]
JapaneseTest = Literal["rapid", "precise"]
TextForm = Literal["original", "shown"]
RubyForm = Literal["base", "readings"]
CharsetRule = Literal["tolerant", "strict"]

_GLOB = frozenset("*?[")
_MARKS = re.compile("[\x02\x03\x0e-\x16\x1f]")
_SCORED = re.compile("(.*)\x1d([0-9]{2})", re.DOTALL)


class Paragraph(NamedTuple):
    """A paragraph of a page.

    `path` is its CSS path from the root, `tag.class.class#id>tag…`, empty where there is none (plain text). `text` is
    plain. `links` has the links in it as pairs of start and end, in characters of `text`. `score` is how surely it is
    main content, in hundredths from 0 to .99 where extraction has marked boilerplate, else 1. `structure` is what a
    paragraph of shown text is, such as `ul.2>code.python`: blocks from the outside in, as docs/formats.md has them.

    >>> import uzushio
    >>> page = uzushio.extract_html('<div id="main"><p>Read <a href="/">this</a>.</p></div>')
    >>> paragraph = page.paragraphs[0]
    >>> paragraph
    Paragraph(path='body>div#main>p', text='Read this.', links=((5, 9),), score=1.0, structure='')
    >>> [paragraph.text[start:end] for start, end in paragraph.links]
    ['this']
    """

    path: str
    text: str
    links: tuple[tuple[int, int], ...] = ()
    score: float = 1.0
    structure: str = ""


def parse_markup(markup: str) -> list[Paragraph]:
    r"""The paragraphs of a text in the form that datasets of documents have in their column `text`.

    Paragraphs are parted by empty lines; each is `path` U+001C `text`, in which links lie between U+0002 and U+0003. A
    structure is U+001E and its blocks behind the path, and a score U+001D and two digits behind that. Any string is
    accepted.

    >>> import uzushio
    >>> for paragraph in uzushio.parse_markup("body>p\x1d07\x1cone \x02link\x03\n\nplain"):
    ...     print(paragraph)
    Paragraph(path='body>p', text='one link', links=((4, 8),), score=0.07, structure='')
    Paragraph(path='', text='plain', links=(), score=1.0, structure='')
    """
    if not isinstance(markup, str):
        raise UsageError(f"markup: a text is expected, not {type(markup).__name__}")
    paragraphs = []
    for piece in markup.split("\n\n"):
        path, separator, text = piece.partition("\x1c")
        if not separator:
            path, text = "", piece
        scored = _SCORED.fullmatch(path)
        score = int(scored[2]) / 100 if scored else 1.0
        path, _, structure = (scored[1] if scored else path).partition("\x1e")
        if text:
            paragraphs.append(Paragraph(path, *_links(text), score, structure))
    return paragraphs


def _links(marked: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    if not _MARKS.search(marked):
        return marked, ()
    links = []
    start: int | None = None
    for number, mark in enumerate(_MARKS.finditer(marked)):
        place = mark.start() - number  # in the text without the marks before
        if mark.group() == "\x02":
            start = place if start is None else start
        elif mark.group() == "\x03" and start is not None:
            links.append((start, place))
            start = None
    return _MARKS.sub("", marked), tuple(links)


class _Computed:
    """What is computed of a document, once; it is no part of it."""

    __slots__ = ("_text",)
    _text: str


@dataclass(frozen=True, slots=True, repr=False)
class Document(_Computed):
    """A page's text with what is known of it: a row of the dataset that `extract` writes.

    `doc_id` is a UUID; `charset` the page's, by its WHATWG name; `language` an ISO 639-1 code, `und` where it is not
    known; `date` yyyy-mm-ddThh:mm:ss in UTC, or empty. `markup` is the dataset's column `text`: paragraphs with paths
    and link marks. `warc`, `offset` and `length` (bytes) say where the record lies. `title` is the page's, without the
    site's name, or empty. `robots` and `license` are what the page says to robots, and the licences that it names, a
    line each, or empty (docs/rights.md).

    >>> import uzushio
    >>> page = uzushio.extract_html("<h1>見出し</h1><p>ここには、やさしい日本語の文章があります。", url="http://example.jp/")
    >>> page.language, page.charset, page.url, page.title
    ('ja', 'UTF-8', 'http://example.jp/', '見出し')
    >>> print(page.text)
    見出し
    <BLANKLINE>
    ここには、やさしい日本語の文章があります。
    >>> [paragraph.path for paragraph in page.paragraphs]
    ['body>h1', 'body>p']
    """

    doc_id: str
    url: str
    charset: str
    language: str
    markup: str
    date: str = ""
    warc: str = ""
    offset: int = 0
    length: int = 0
    title: str = ""
    robots: str = ""
    license: str = ""

    @property
    def paragraphs(self) -> list[Paragraph]:
        """The paragraphs, in order."""
        return parse_markup(self.markup)

    @property
    def text(self) -> str:
        """The plain text: paragraphs parted by empty lines, without paths and link marks."""
        try:
            return self._text
        except AttributeError:
            text = "\n\n".join(paragraph.text for paragraph in self.paragraphs)
            object.__setattr__(self, "_text", text)
            return text

    def __repr__(self) -> str:
        """Where it is from, and how long; `print(document.text)` shows it all.

        >>> import uzushio
        >>> uzushio.extract_html("<title>題</title><p>ここには、やさしい日本語の文章があります。", url="http://example.jp/")
        <Document http://example.jp/ '題' ja, 21 characters>
        """
        title = f" {shortened(self.title)!r}" if self.title else ""
        return f"<Document {shortened(self.url) or self.doc_id}{title} {self.language}, {len(self.text):,} characters>"

    def markdown(self) -> str:
        """The text as Markdown, as the filter `Markdown` writes it by its defaults.

        Of a page that was extracted with `text="shown"`: headings, lists, tables, code with its language and quotes,
        with backslashes where a reader of Markdown would take text for markup. Of other text, headings and lists.

        >>> import uzushio
        >>> page = uzushio.extract_html("<h2>手順</h2><ol><li>開く<li>読む<pre>a = 1</pre></ol>", text="shown")
        >>> print(page.markdown())
        ## 手順
        <BLANKLINE>
        1. 開く
        2. 読む
        <BLANKLINE>
           ```
           a = 1
           ```
        """
        return _core.markdown(self.markup)


def shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


class QuarantinedRecord(NamedTuple):
    """A damaged record: the archive, its place there (`offset` and `length` in bytes), the reason, and its bytes.

    `data` has at most the first MiB.

    >>> import io, uzushio
    >>> archive = uzushio.read_warc(io.BytesIO(b"WARC/1.0\\r\\nContent-Length: none\\r\\n\\r\\n"), name="a.warc")
    >>> try:
    ...     documents = list(archive)
    ... except uzushio.InputError as error:
    ...     print(str(error)[:42])
    a.warc: no record in this file can be read
    >>> [(record.warc, record.offset) for record in archive.quarantined]
    [('a.warc', 0)]
    """

    warc: str
    offset: int
    length: int
    reason: str
    data: bytes


def _options(
    languages: Languages,
    max_page_bytes: Size,
    max_text_bytes: Size,
    max_inflation: int,
    max_depth: int,
    max_attributes: int,
    max_tree_bytes: Size,
    main_content: MainContent,
    mark_boilerplate: bool,
    no_title: bool,
    japanese_test: JapaneseTest | None,
    language_model: str | os.PathLike[str] | None,
    text: TextForm,
    ruby: RubyForm,
    charset: CharsetRule,
) -> str:
    options: dict[str, Any] = {
        "language": language_codes(languages),
        "max_page_bytes": max_page_bytes,
        "max_text_bytes": max_text_bytes,
        "max_tree_bytes": max_tree_bytes,
        "main_content": main_content,
        "mark_boilerplate": mark_boilerplate,
        "no_title": no_title,
        "japanese_test": japanese_test,
        "language_model": None if language_model is None else os.fsdecode(language_model),
        "text": text,
        "ruby": ruby,
        "charset": charset,
    }
    caps = {
        "max_inflation": max_inflation,
        "max_depth": max_depth,
        "max_attributes": max_attributes,
    }
    return to_json(options | caps)


def _document(core: _core.Document) -> Document:
    return Document(
        core.doc_id,
        core.url,
        core.charset,
        core.language,
        core.text,
        core.date,
        core.warc,
        core.offset,
        core.length,
        core.title,
        core.robots,
        core.license,
    )


_COLUMNS = (
    *("docId", "url", "charset", "text", "date", "warc", "offset", "length", "title", "robots", "license", "language"),
)
_SCHEMA = pa.schema(
    [pa.field(name, pa.int64() if name in ("offset", "length") else pa.string(), nullable=False) for name in _COLUMNS]
)


def table_of(documents: Sequence[Document]) -> pa.Table:
    """The table of documents, as `extract` writes them."""
    attributes = {"docId": "doc_id", "text": "markup"}
    columns = [[getattr(document, attributes.get(name, name)) for document in documents] for name in _COLUMNS]
    return pa.table(columns, schema=_SCHEMA)


class WarcReader(Iterator[Document]):
    """The documents of an archive, or of several, one after another. `read_warc` makes it.

    It is a table, too, of the documents that are left: chains take it, and so does any library with the Arrow C Data
    Interface. `close`, or leaving `with`, lets go of the files, and ends the threads; reading on is a UsageError, while
    `counts` and `quarantined` stay. File objects that were given stay open.

    >>> import io, uzushio
    >>> with uzushio.read_warc(io.BytesIO(b""), name="a.warc") as archive:
    ...     print(list(archive), archive)
    [] WarcReader('a.warc', records=0, documents=0)
    >>> archive
    <closed WarcReader('a.warc', records=0, documents=0)>
    """

    def __init__(self, core: _core.WarcDocuments, names: Sequence[str]) -> None:
        """Not for users."""
        self._core = core
        self._names = names
        self._is_closed = False
        self._quarantined: list[QuarantinedRecord] = []

    def close(self) -> None:
        """Lets go of the files, and completes that of quarantined records."""
        self._is_closed = True
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether it is."""
        return self._is_closed

    def __enter__(self) -> WarcReader:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def __repr__(self) -> str:
        """What it reads, and how far it is."""
        counts = self.counts
        more = f" and {len(self._names) - 1} more" if len(self._names) > 1 else ""
        text = f"WarcReader({self._names[0]!r}{more}, records={counts['records']}, documents={counts['documents']})"
        return f"<closed {text}>" if self._is_closed else text

    def __next__(self) -> Document:
        """The next document. Errors: InputError when the archive can not be read; at its end, when no record could."""
        document = self._next()
        if document is None:
            self._check_readable()
            raise StopIteration
        return document

    def _next(self) -> Document | None:
        """The next document, or the end, whether or not a record could be read."""
        document = self._core.next()
        return None if document is None else _document(document)

    @named()
    def batches(self, max_bytes: Size = 8 << 20) -> Iterator[pa.RecordBatch]:
        """The documents that are left as `pyarrow.RecordBatch`es of about `max_bytes` bytes, at least a row each.

        Columns: docId, url, charset, text (with markup), date, warc: string; offset, length: int64; title, robots,
        license, language: string.
        """
        return self._batches(size_of(max_bytes, "max_bytes"))

    def _batches(self, max_bytes: int) -> Iterator[pa.RecordBatch]:
        while (batch := self._core.next_batch(max_bytes)) is not None:
            _interrupts.check()
            yield pa.record_batch(batch)
        self._check_readable()

    def _check_readable(self) -> None:
        """Errors: InputError when no record could be read, as `extract` has it."""
        if len(self._names) > 1:  # each is looked at when it ends
            return
        if why := _core.why_unreadable(self._names[0] or "the archive", self._core.counts()):
            raise InputError(why.rpartition(" With --max-bad")[0])

    def to_reader(self) -> pa.RecordBatchReader:
        """The documents that are left, as `batches` has them, for what wants a reader of Arrow's."""
        return self._reader(forgets_errors=False)

    def _reader(self, *, forgets_errors: bool) -> pa.RecordBatchReader:
        batches = _WatchedBatches(self.batches(), forgets_errors)
        reader = pa.RecordBatchReader.from_batches(_SCHEMA, batches)
        tell_holder(batches, weakref.ref(reader))
        return reader

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The capsule of `to_reader`. Its reader gives all errors as its own; a KeyboardInterrupt comes again."""
        return self._reader(forgets_errors=True).__arrow_c_stream__(requested_schema)

    @property
    def counts(self) -> dict[str, Any]:
        """What has been read so far, complete at the end.

        `records` = `documents` + the sum of `rejected` + the sum of `quarantined`; the latter two are dicts of numbers
        by reason, `languages` one of documents by language. Besides: `paragraphs`, `text_bytes`, `characters`, and at
        the end `file_bytes` and `decoded_bytes`.
        """
        counts: dict[str, Any] = json.loads(self._core.counts())
        return counts

    @property
    def quarantined(self) -> list[QuarantinedRecord]:
        """The damaged records so far, the first 16 MiB of them; `counts` counts all."""
        self._quarantined += [QuarantinedRecord(*record) for record in self._core.take_quarantined()]
        return list(self._quarantined)


class _WatchedBatches:
    """Batches for a reader of Arrow's: interrupts are watched for until the last one, or an error.

    A generator would do that behind `try`, and would run Python where it is freed.
    """

    def __init__(self, batches: Iterator[pa.RecordBatch], forgets_errors: bool) -> None:
        self._batches = batches
        self.forgets_errors = forgets_errors
        self._watched = _interrupts.watch()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        tell_thread()
        try:
            return next(self._batches)
        except BaseException as error:
            if self.forgets_errors and isinstance(error, KeyboardInterrupt):
                _interrupts.again(error)
            self._watched = None
            raise


@named()
def read_warc(
    source: str | os.PathLike[str] | BinaryIO | Iterable[str | os.PathLike[str] | BinaryIO],
    *,
    languages: Languages = ("ja",),
    max_page_bytes: Size = 8 << 20,
    max_text_bytes: Size = 8 << 20,
    max_inflation: int = 1000,
    max_depth: int = 1024,
    max_attributes: int = 1024,
    max_tree_bytes: Size = 48 << 20,
    main_content: MainContent = False,
    mark_boilerplate: bool = False,
    no_title: bool = False,
    japanese_test: JapaneseTest | None = None,
    language_model: str | os.PathLike[str] | None = None,
    text: TextForm = "shown",
    ruby: RubyForm = "base",
    charset: CharsetRule = "tolerant",
    name: str | None = None,
    quarantine: str | os.PathLike[str] | None = None,
    threads: int | None = 1,
) -> WarcReader:
    r"""Reads the documents of web archives: WARC, WET or ARC, plain or compressed by gzip, Zstandard or LZ4.

    `source` is a path, a URI (file://, s3://, …) or a binary file object with `read`, `seek` and `tell`; or several of
    them, or a pattern as "crawl/*.warc.gz", whose files are in the order of their names. `name` is what documents of
    one archive say in `warc` (by default the path, or the object's name). `threads` extract pages ahead (None: as many
    as the machine has), those of one archive or of several; what comes out, and its order, is the same for any number.
    Each takes about as much memory as one of `uzushio extract`. `languages` are ISO 639-1 codes (`"ja,en"` or a
    sequence), or `"all"`. With `main_content`, texts are what pages are about, their titles first, told by the model,
    or by `"justext"`; with `mark_boilerplate` as well, nothing is dropped, and paragraphs have a `score`; with
    `no_title`, titles are not put, as paragraphs of path `head>h1`, before texts that do not say them. What is
    Japanese is told by kana, or, with `japanese_test`, by a `language_model` that `train_language` made. `text` is
    `"shown"`, as a browser shows it, with `ruby` as its `"base"` alone or with `"readings"` behind it, or `"original"`,
    as the original Uzushio extracts it. By the `charset` rule `"tolerant"`, pages of which few characters do not
    decode are read with U+FFFD for these; by `"strict"`, only what decodes is. The caps are those of `uzushio extract`:
    what passes one is rejected and counted. Damaged records end nothing; they are in `quarantined` of what is returned,
    and, with `quarantine`, in the file quarantine/_NAME.jsonl.gz in that folder, where NAME is the archive's, or, of
    several, part-00000 and so on.

    Errors: UsageError for what has to be mended, InputError for an archive that can not be read, or, at its end, of
    which no record could be; of several, the documents of those before it have come. Behind one without a record,
    reading on goes to the next; behind one that is missing or can not be read, it raises the same error again.
    Not for several threads at once; threads with archives of their own run in parallel.

    >>> import io, uzushio
    >>> page = "<p>ここには、やさしい日本語の文章があります。".encode()
    >>> http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    >>> head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.jp/\r\n"
    >>> record = f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n"
    >>> with uzushio.read_warc(io.BytesIO(record)) as archive:
    ...     for document in archive:
    ...         print(document.url, document.text)
    http://a.jp/ ここには、やさしい日本語の文章があります。
    >>> archive.counts["documents"], archive.counts["rejected"], archive.counts["quarantined"]
    (1, {}, {})
    """
    caps = (max_page_bytes, max_text_bytes, max_inflation, max_depth, max_attributes, max_tree_bytes)
    told = (main_content, mark_boilerplate, no_title, japanese_test, language_model)
    options = _options(languages, *caps, *told, text, ruby, charset)
    sources = _sources(source)
    if name is not None and len(sources) != 1:
        raise UsageError("name: it is what one archive is called; several have the names of their files")
    names = [_name_of(one) for one in sources] if name is None else [name]
    if isinstance(threads, bool) or (threads is not None and (not isinstance(threads, int) or threads < 1)):
        raise UsageError(f"threads={threads!r}: give a number from 1, or None for as many as the machine has")
    parts = [f"part-{number:05}" for number in range(len(sources))]
    quarantined = parts if len(parts) > 1 else [PurePath(names[0]).name.split(".")[0] or "warc"]
    folder = quarantine if quarantine is not None else ""
    with in_words_of_python():
        core = _core.WarcDocuments(
            list(zip(sources, names, quarantined, strict=True)),
            options,
            folder,
            threads=threads or 0,
            quarantine_place="quarantine/_",
        )
    _core.count_interrupts()  # by which batches end early
    reader = WarcReader(core, names)
    if threads != 1:
        close_at_exit(reader)
    return reader


def _sources(source: Any) -> list[Any]:
    """Archives: paths and file objects. Errors: UsageError where there is none."""
    is_one = (
        isinstance(source, (str, bytes, os.PathLike)) or hasattr(source, "read") or not isinstance(source, Iterable)
    )
    sources = [found for one in ([source] if is_one else source) for found in _matching(one)]
    if not sources:
        raise UsageError("source: no archive is named")
    return sources


def _matching(one: Any) -> list[Any]:
    """The files of a pattern; what is none, as it is. Errors: UsageError for what is read already."""
    if isinstance(one, (bytes, bytearray, memoryview)):
        raise UsageError(
            f"source: a path, a URI or a binary file is expected, not {type(one).__name__}; give io.BytesIO of it"
        )
    path = os.fspath(one) if isinstance(one, (str, os.PathLike)) else None
    if path is None or _GLOB.isdisjoint(path) or ("://" not in path and os.path.lexists(path)):
        return [one]
    with in_words_of_python():
        return list(_core.uris_of_warcs(path))


def _name_of(source: object) -> str:
    if isinstance(source, (str, os.PathLike)):
        return _core.name_of_path(source)
    name = getattr(source, "name", "")
    return _core.name_of_path(name) if isinstance(name, str) else ""


@named()
def extract_html(
    html: str | bytes | bytearray | memoryview,
    *,
    content_type: str | None = "text/html",
    url: str = "",
    doc_id: str | None = None,
    languages: Languages = "all",
    max_page_bytes: Size = 8 << 20,
    max_text_bytes: Size = 8 << 20,
    max_depth: int = 1024,
    max_attributes: int = 1024,
    max_tree_bytes: Size = 48 << 20,
    main_content: MainContent = False,
    mark_boilerplate: bool = False,
    no_title: bool = False,
    japanese_test: JapaneseTest | None = None,
    language_model: str | os.PathLike[str] | None = None,
    text: TextForm = "shown",
    ruby: RubyForm = "base",
    charset: CharsetRule = "tolerant",
) -> Document:
    """The document of one page, as `extract` would make it of the page's record.

    Bytes are decoded by the byte order mark, the page's own declaration, `content_type` (an HTTP header, such as
    `text/html; charset=shift_jis`, or `text/plain`) or a guess; a str is taken as it is. `doc_id` is by default a UUID
    made of `url` and the page, the same each time. `main_content`, `mark_boilerplate`, `no_title`,
    `japanese_test`, `language_model`, `text`, `ruby` and `charset` are as those of `read_warc`.

    Errors: PageRejected, with the reason, when there is no document: no text, no content, none of the `languages`, no
    known charset, or a cap is passed.

    >>> import uzushio
    >>> html = "<p>ただ今、準備中です。</p>".encode("shift_jis")
    >>> page = uzushio.extract_html(html, content_type="text/html; charset=sjis")
    >>> page.charset, page.text
    ('Shift_JIS', 'ただ今、準備中です。')
    """
    caps = (max_page_bytes, max_text_bytes, 1000, max_depth, max_attributes, max_tree_bytes)
    told = (main_content, mark_boilerplate, no_title, japanese_test, language_model)
    options = _options(languages, *caps, *told, text, ruby, charset)
    content_type = "text/html" if content_type is None else content_type
    if isinstance(html, (bytearray, memoryview)):
        html = bytes(html)
    if not isinstance(html, (str, bytes)):
        raise UsageError(f"html: a text or bytes are expected, not {type(html).__name__}; a file's are file.read()")
    for argument, value in (("content_type", content_type), ("url", url), ("doc_id", doc_id or "")):
        if not isinstance(value, str):
            raise UsageError(f"{argument}: a text is expected, not {type(value).__name__}")
        if any(character < " " for character in value):
            raise UsageError(f"{argument}: {value!r} has a control character")
    # A byte order mark goes before all that the page may say of its charset.
    content = html if isinstance(html, bytes) else ("\ufeff" + html).encode("utf-8", "replace")
    if doc_id is None:
        digest = hashlib.blake2b(url.encode("utf-8", "replace") + b"\0" + content, digest_size=16).digest()
        doc_id = str(_uuid(digest))
    with in_words_of_python():
        found = _core.extract_page(content, options, content_type, url, f"<urn:uuid:{doc_id}>")
    if isinstance(found, str):
        raise PageRejected(found)
    document = _document(found)
    return document if document.doc_id == doc_id else replace(document, doc_id=doc_id)


def _uuid(digest: bytes) -> UUID:
    """A UUID of version 8 (RFC 9562): bits of one's own making."""
    number = int.from_bytes(digest, "big")
    number = number & ~(0xF << 76) | 8 << 76
    return UUID(int=number & ~(0x3 << 62) | 0x2 << 62)
