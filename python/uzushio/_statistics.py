"""How often paragraphs occur in a corpus."""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from uzushio import _core
from uzushio._arguments import named
from uzushio._at_exit import tell_holder, tell_thread
from uzushio._errors import InputError, MissingFile, UsageError, in_words_of_python
from uzushio._tables import BATCH_ROWS, Table, parquet_files, texts_of

if TYPE_CHECKING:
    from uzushio._documents import Document

_SCHEMA = pa.schema(
    [
        pa.field("hash", pa.int64(), nullable=False),
        pa.field("reprHash", pa.int64(), nullable=False),
        pa.field("exactFreq", pa.int32(), nullable=False),
        pa.field("nearFreq", pa.int32(), nullable=False),
    ]
)


class Frequency(NamedTuple):
    """How often a paragraph occurs in a corpus: itself (`exact`), and it and its near-duplicates together (`near`).

    >>> import uzushio
    >>> uzushio.Frequency(exact=2, near=5).near
    5
    """

    exact: int
    near: int


class Statistics(os.PathLike[str]):
    """Statistics of a corpus, as `stats` and `merge` write them.

    `path` is their folder, or the file of the frequency index in it, which is mapped into memory; or the folder's URI
    (s3://…): then a copy of the index is mapped, and the table cannot be read. Wherever statistics are an argument,
    one of these or its folder is taken. The table goes into any library with the Arrow C Data Interface
    (`pyarrow.table(statistics)`, `polars.DataFrame(…)`, …), and `to_reader` reads it bit by bit.

    Threads may share one; other processes, forked or spawned, map the same file, if it has not changed meanwhile. It is
    closed by `close` or `with`. Errors: UsageError where there is no index, or when it is closed; InputError for one
    that is damaged.

    >>> import pyarrow, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(f"{folder}/texts.txt", "w").write("twice\\n\\ntwice\\n\\nonce\\n")
    ...     summary = uzushio.stats(f"{folder}/texts.txt", f"{folder}/statistics")
    ...     with uzushio.Statistics(f"{folder}/statistics") as statistics:
    ...         print(len(statistics), statistics.look_up(["twice", "once", "never"]))
    ...         print(pyarrow.table(statistics)["exactFreq"].to_pylist())
    1 [Frequency(exact=2, near=2), Frequency(exact=1, near=1), Frequency(exact=1, near=1)]
    [2]
    """

    @named()
    def __init__(self, path: str | bytes | os.PathLike[str]) -> None:
        """Opens the index; the whole file is read once for its checksum."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise UsageError(
                f"path: a folder of statistics is expected, not {type(path).__name__}; "
                "Statistics.of counts tables in memory"
            )
        self.path = os.fsdecode(path)
        if self.path and "://" not in self.path and not Path(self.path).exists():
            raise MissingFile(f"statistics {self.path}: no such file or folder")
        is_file = Path(self.path).is_file()
        with in_words_of_python():
            index = _core.FrequencyIndex.open(self.path) if is_file else _core.FrequencyIndex.open_statistics(self.path)
        if index is None:
            raise UsageError("statistics: no folder is named")
        self._index: _core.FrequencyIndex | None = index
        self._remove: Callable[[], object] | None = None  # the folder, where it is temporary

    @classmethod
    def of(cls, documents: Table | Iterable[Table] | Sequence[Document], **options: Any) -> Statistics:
        """The statistics of documents in memory: a table (pyarrow, pandas, polars, …), several, or `Document`s.

        `options` are those of `stats`, such as `text_column`, `memory` or `progress`. Equal to the statistics of a
        Parquet file of these rows. They are in a temporary folder (in `tmp`), which goes when they are closed, or gone;
        to keep them, run `stats`.

        >>> import pyarrow, uzushio
        >>> with uzushio.Statistics.of(pyarrow.table({"text": ["twice\\n\\nonce", "twice"]})) as statistics:
        ...     statistics.look_up(["twice", "once"])
        [Frequency(exact=2, near=2), Frequency(exact=1, near=1)]
        """
        from uzushio._stages import stats  # which imports this
        from uzushio._table_inputs import listed, tables_in_files

        documents = listed(documents)
        with tables_in_files("stats", documents, options) as inputs:
            if inputs is documents:
                raise UsageError(
                    f"documents: a table or a list of Documents is expected, not {type(documents).__name__}; "
                    "uzushio.stats takes files, and pyarrow.table({'text': texts}) makes a table of texts"
                )
            tmp = options.get("tmp")
            folder = tempfile.mkdtemp(prefix="uzushio-", dir=None if tmp is None else os.fsdecode(tmp))
            remove = functools.partial(_remove, folder, os.getpid())
            try:
                stats(inputs, f"{folder}/statistics", **options)
                statistics = cls(f"{folder}/statistics")
            except BaseException:
                remove()
                raise
        statistics._remove = weakref.finalize(statistics, remove)
        return statistics

    @property
    def _name(self) -> str:
        return _core.name_of_path(self.path)

    @property
    def _mapped(self) -> _core.FrequencyIndex:
        if self._index is None:
            raise UsageError(f"the statistics {self._name} are closed; Statistics(path) opens them again")
        return self._index

    @named()
    def look_up(self, paragraphs: Table | Iterable[str | bytes | None]) -> list[Frequency]:
        """The frequencies of paragraphs, plain or with link marks; 1 and 1 for those that occur once or never.

        They are a sequence of texts, an Arrow array, a Series, or a table with the column `text`; a null is a paragraph
        that never occurs.
        """
        texts: list[str] = []
        for batch in texts_of(paragraphs, "text"):
            try:
                texts += [text or "" for text in batch.column(0).to_pylist()]
            except UnicodeDecodeError as error:
                raise UsageError(f"paragraphs: one is no UTF-8: {error}") from error
        return [Frequency(*found) for found in self._mapped.look_up(texts)]

    def to_reader(self) -> pa.RecordBatchReader:
        """The table: hash, reprHash: int64; exactFreq, nearFreq: int32; no nulls; in order of hashes.

        It has a row for each paragraph that occurs more than once, near-duplicates counted; for each at all where
        `stats` ran with `intermediate`. Rows are read when they are asked for. Errors: UsageError when only the index
        is there; InputError.
        """
        _ = self._mapped
        if "://" in self.path and not self.path.startswith("file://"):
            raise UsageError("statistics on a store can be looked up only; pyarrow.dataset reads their table")
        folder = Path(self.path if "://" not in self.path else unquote(self.path.removeprefix("file://")))
        files = parquet_files(folder, "statistics.parquet")
        if not files:
            raise UsageError(f"{self.path}: there is no table of statistics, only the index")
        rows = _rows(files, self)
        reader = pa.RecordBatchReader.from_batches(_SCHEMA, rows)
        tell_holder(rows, weakref.ref(reader))
        return reader

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table's capsule."""
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Lets go of the index. Chains that are at work with it keep what they need."""
        self._index = None
        if self._remove is not None:
            self._remove()

    def __enter__(self) -> Statistics:
        """Itself."""
        _ = self._mapped
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def __len__(self) -> int:
        """The number of paragraphs that occur more than once, near-duplicates counted: those that `look_up` knows."""
        return len(self._mapped)

    def __bool__(self) -> bool:
        """True, even if no paragraph occurs twice."""
        return True

    def __fspath__(self) -> str:
        """The path: stages and Spark take statistics as they take their folder."""
        return self.path

    def __repr__(self) -> str:
        """As it was made, but for credentials in a URI."""
        return f"Statistics({self._name!r})" if self._index is not None else f"<closed Statistics({self._name!r})>"

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        """By its path and checksum: pools of processes take it."""
        return _open_again, (self.path, self._mapped.checksum())


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # of one that was forked, it is not
        shutil.rmtree(folder, ignore_errors=True)


def _open_again(path: str, checksum: int) -> Statistics:
    statistics = Statistics(path)
    if statistics._mapped.checksum() != checksum:
        raise UsageError(f"the statistics {statistics._name} were written anew since they were opened")
    return statistics


def _rows(files: list[Path], statistics: Statistics) -> Iterator[pa.RecordBatch]:
    """Rows of the files of the statistics, whose folder, if it is temporary, stays while this does."""
    for path in files:
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH_ROWS, columns=_SCHEMA.names):
                    tell_thread()
                    yield batch.cast(_SCHEMA)
        except (pa.ArrowException, OSError) as error:
            if not path.exists():
                _ = statistics._mapped  # else they are closed, and their folder is gone
            raise InputError(f"{path}: {error}") from error


def opened(statistics: Statistics | str | bytes | os.PathLike[str] | None) -> Statistics | None:
    """What an argument names."""
    return statistics if statistics is None or isinstance(statistics, Statistics) else Statistics(statistics)
