"""A filtered table that is read bit by bit."""

from __future__ import annotations

import io
import threading
import weakref
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any

import pyarrow as pa

from uzushio import _interrupts
from uzushio._at_exit import tell_error, tell_holder, tell_thread
from uzushio._errors import UsageError


class FilteredReader(pa.RecordBatchStreamReader):  # type: ignore[misc]
    """A `pyarrow.RecordBatchReader` of what passes a chain; `FilterChain.stream` makes it.

    Batches are filtered when they are asked for. `counts` and `bad_rows` are those of `Filtered`, so far; complete at
    the end. `close`, or leaving `with`, lets go of the source, which then is read no further; reading on is a
    UsageError. Errors of the source come out as they are. For one thread at a time.

    >>> import pyarrow, uzushio
    >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
    >>> with chain.stream(pyarrow.table({"text": ["短い", "長い文章"]})) as reader:
    ...     print(reader.schema.names, [batch.to_pylist() for batch in reader])
    ['text'] [[{'text': '長い文章'}]]
    >>> reader.counts["input"]["documents"], reader.bad_rows
    (2, [])
    """

    def __init__(
        self,
        schema: pa.Schema,
        batches: Generator[pa.RecordBatch, None, None],
        counts: Callable[[], dict[str, Any]],
        bad_rows: list[int],
    ) -> None:
        """Not for users."""
        self.bad_rows = bad_rows
        self._counts = counts
        self._file = _StreamOfBatches(schema, batches)
        # What `read` returns is copied at once, by a buffer that is smaller than any read. Otherwise batches would hold
        # it, and threads of Arrow's that have one a moment longer would want the interpreter's lock to free it.
        self._source = pa.BufferedInputStream(pa.PythonFile(self._file, "r"), 1)
        tell_holder(self._file, weakref.ref(self._source))
        super().__init__(self._source)

    @property
    def counts(self) -> dict[str, Any]:
        """Numbers of documents, paragraphs and bytes of text that have been read so far."""
        return self._counts()

    def close(self) -> None:
        """Lets go of the source."""
        self._file.end()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The capsule of the stream. Its reader gives all errors as its own; a KeyboardInterrupt comes again."""
        self._file.forgets_errors = True
        return super().__arrow_c_stream__(requested_schema)

    def __enter__(self) -> FilteredReader:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()


class _StreamOfBatches(io.RawIOBase):
    """Arrow's IPC stream of batches, made as it is read.

    A reader of Arrow's that Python makes of batches does nothing when it is closed, and one of the C stream interface
    forgets what kind of error there was. One that reads a file of Python's has neither fault; it costs a copy.
    """

    def __init__(self, schema: pa.Schema, batches: Generator[pa.RecordBatch, None, None]) -> None:
        self._batches = batches
        self._made = bytearray()
        self._ended = False
        self._over = False
        self._failure = ""  # a text: the error itself would hold on to all that it went through
        self.forgets_errors = False  # who reads it, of what kind they are
        self._lock = threading.RLock()  # Arrow reads ahead in threads of its own
        self._watched = _interrupts.watch()
        self._writer = pa.ipc.new_stream(pa.PythonFile(_Sink(self._made), "w"), schema)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        tell_thread()
        try:
            with self._lock:
                while not self._over and len(self._made) < size:
                    self._check()
                    _interrupts.check()
                    self._make()
                self._check()
                data = bytes(memoryview(self._made)[:size])
                del self._made[:size]
                return data
        except BaseException as error:  # an interrupt of the last line, too: its bytes are lost
            self._failure = self._failure or f"{type(error).__name__}: {error}"
            tell_error(error)
            if self.forgets_errors and isinstance(error, KeyboardInterrupt):
                _interrupts.again(error)
            self._watched = None
            raise

    def _make(self) -> None:
        batch = next(self._batches, None)
        if batch is None:
            self._writer.close()
            self._over = True
            self._watched = None
        else:
            self._writer.write_batch(batch)

    def _check(self) -> None:
        if self._ended:
            raise UsageError("the reader is closed; FilterChain.stream makes a new one")
        if self._failure:
            raise UsageError(f"the reader has failed ({self._failure}); FilterChain.stream makes a new one")

    def end(self) -> None:
        """No more is read; what another thread is at, ends with its batch."""
        self._ended = True
        self._watched = None
        with self._lock:
            self._batches.close()
            self._made.clear()


class _Sink(io.RawIOBase):
    def __init__(self, made: bytearray) -> None:
        self._made = made

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._made += data
        return len(data)
