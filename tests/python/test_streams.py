"""Filtering bit by bit: `FilterChain.stream`."""

from __future__ import annotations

import ctypes
import gc
import io
import operator
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import uzushio as uz
from uzushio import _at_exit, _streams
from warc_builder import build

import datasets

pytestmark = pytest.mark.module

CHAIN = uz.FilterChain([uz.Filter("DocLength", low=3)])
SCHEMA = pa.schema([("text", pa.string()), ("n", pa.int64())])


class Source:
    """Batches without end, counted."""

    def __init__(self, rows: int = 10, fail_at: int = -1) -> None:
        """Of so many rows; one of them fails."""
        self.given = 0
        self.rows = rows
        self.fail_at = fail_at
        self.closed = False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """One after another."""
        try:
            while True:
                if self.given == self.fail_at:
                    raise Torn("the tape is torn")
                texts = ["短い" if n % 2 else f"長い文章{n}" for n in range(self.rows)]
                yield pa.record_batch([texts, [self.given] * self.rows], schema=SCHEMA)
                self.given += 1
        finally:
            self.closed = True

    def reader(self) -> pa.RecordBatchReader:
        """As pyarrow has it."""
        return pa.RecordBatchReader.from_batches(SCHEMA, iter(self))


class Torn(Exception):
    """An error of a source."""


def test_a_stream_is_lazy() -> None:
    """The schema is known before anything is read; then as much is read as is asked for."""
    source = Source()
    reader = CHAIN.stream(source.reader())
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.schema == SCHEMA
    assert source.given == 0
    for n in range(1, 4):
        batch = reader.read_next_batch()
        assert batch["n"].to_pylist() == [n - 1] * 5
        assert n - 1 <= source.given <= n
    assert reader.counts["passed"]["documents"] == 15
    reader.close()


def test_memory_is_bounded() -> None:
    """A thousand batches leave no more behind than ten."""
    source = Source(rows=1000)
    least = most = 0
    with CHAIN.stream(source.reader()) as reader:
        for n, _ in enumerate(reader):
            if n == 10:
                least = pa.total_allocated_bytes()
            if n > 10:
                most = max(most, pa.total_allocated_bytes())
            if n == 1000:
                break
    assert most <= 2 * least + (1 << 20)


def test_closing() -> None:
    """Lets go of the source, by itself and at the end of `with`; reading on is an error."""
    for way in ("close", "with", "del"):
        source = Source()
        reader = CHAIN.stream(source.reader())
        gone = weakref.ref(reader)
        reader.read_next_batch()
        if way == "close":
            reader.close()
            reader.close()
        elif way == "with":
            with reader as same:
                assert same is reader
        if way != "del":
            with pytest.raises(uz.UsageError, match="the reader is closed"):
                reader.read_next_batch()
            assert reader.counts["input"]["documents"] == 10
        del reader
        if way == "with":
            del same
        gc.collect()
        assert gone() is None
        assert source.closed


def test_errors_keep_their_class(tmp_path: Path) -> None:
    """Those of the source, and ours; what was read before them came out."""
    source = Source(fail_at=2)
    reader = CHAIN.stream(source.reader())
    assert [reader.read_next_batch()["n"][0].as_py() for _ in range(2)] == [0, 1]
    with pytest.raises(Torn, match="the tape is torn"):
        reader.read_next_batch()
    (tmp_path / "a.warc").write_bytes(build([{"body": "<p>ここには、やさしい日本語の文章があります。"}], "warc"))

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ValueError("the tape is torn")

    with pytest.raises(uz.InputError, match="the tape is torn"):
        CHAIN.stream(uz.read_warc(Failing((tmp_path / "a.warc").read_bytes()))).read_all()

    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CHAIN.stream(uz.read_warc(Interrupted((tmp_path / "a.warc").read_bytes()))).read_all()
    with pytest.raises(uz.UsageError, match="no column 'text', only body; text_column names"):
        CHAIN.stream(pa.table({"body": ["a"]}))
    with pytest.raises(uz.UsageError, match="a table is expected"):
        CHAIN.stream(3)  # type: ignore[arg-type]


def documents() -> pa.Table:
    """Texts with other columns of several types, also in dictionaries."""
    texts = [None if n % 7 == 0 else "短い" if n % 3 else f"長い文章、その{n}" for n in range(20_000)]
    return pa.table(
        {
            "docId": [str(n) for n in range(20_000)],
            "text": texts,
            "label": pa.array([f"label {n % 50}" for n in range(20_000)]).dictionary_encode(),
            "view": pa.array([f"view {n}" for n in range(20_000)]).cast(pa.string_view()),
            "list": [[n] * (n % 3) for n in range(20_000)],
        }
    ).replace_schema_metadata({"made": "here"})


def test_a_stream_is_apply(tmp_path: Path) -> None:
    """Row for row, type for type, of every kind of source."""
    table = documents()
    expected = CHAIN.apply(table)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=3000)
    small = table.drop_columns(["view"])
    pq.write_table(small, tmp_path / "small.parquet", row_group_size=3000)
    sources: dict[str, Any] = {
        "table": table,
        "reader": table.to_reader(70),
        "batch": table.combine_chunks().to_batches()[0],
        "scanner": ds.dataset(table).scanner(),
        "dataset": ds.dataset(table),
    }
    for kind, source in sources.items():
        reader = CHAIN.stream(source)
        found = reader.read_all()
        assert found.equals(expected.passed, check_metadata=kind in ("table", "reader", "batch")), kind
        assert reader.counts == expected.counts
    texts = expected.passed["text"].to_pylist()
    for other in (
        pl.from_arrow(table),
        ds.dataset(tmp_path / "small.parquet"),
        datasets.load_dataset("parquet", data_files=str(tmp_path / "small.parquet"), split="train", streaming=True),
        datasets.Dataset(datasets.table.InMemoryTable(small)),
    ):
        assert CHAIN.stream(other).read_all()["text"].to_pylist() == texts


def test_an_archive_is_a_table(tmp_path: Path) -> None:
    """From a web archive to clean text in Parquet, in one line."""
    pages = [{"body": f"<p>ここには、やさしい日本語の文章が、{n} つあります。"} for n in range(20)]
    data = build(pages, "warc.gz")
    with uz.read_warc(io.BytesIO(data)) as archive, CHAIN.stream(archive) as clean:
        ds.write_dataset(clean, tmp_path / "clean", format="parquet")
    texts = [document.text for document in uz.read_warc(io.BytesIO(data))]
    assert ds.dataset(tmp_path / "clean").to_table()["text"].to_pylist() == texts
    frame = pl.DataFrame(uz.read_warc(io.BytesIO(data)))
    assert frame["text"].to_list() == [document.markup for document in uz.read_warc(io.BytesIO(data))]
    assert pa.table(uz.read_warc(io.BytesIO(data))).schema == next(uz.read_warc(io.BytesIO(data)).batches()).schema
    assert CHAIN.apply(uz.read_warc(io.BytesIO(data))).counts["input"]["documents"] == 20


def test_statistics_and_options(tmp_path: Path) -> None:
    """As `apply` takes them."""
    table = pa.table({"body": ["二度ある文\n\n一度だけの文", "二度ある文"], "docId": [1, 2]})
    (tmp_path / "a.txt").write_text("二度ある文\n\n二度ある文\n\n一度だけの文\n", encoding="utf-8")
    uz.stats(tmp_path / "a.txt", tmp_path / "s")
    chain = uz.FilterChain([uz.Filter("DuplicateParagraphs", limit=2)])
    with uz.Statistics(tmp_path / "s") as statistics:
        for one in (statistics, tmp_path / "s", str(tmp_path / "s")):
            reader = chain.stream(table, one, text_column="body", keep_markup=True)
            assert reader.read_all().to_pylist() == [{"body": "一度だけの文", "docId": 1}]


def test_bad_bytes_are_told() -> None:
    """Rows that are no UTF-8 are in no output, and counted by place."""
    rows = [b"\xff\xfe", "長い文章".encode()] * 3000
    reader = CHAIN.stream(pa.table({"text": pa.array(rows, pa.binary())}))
    assert reader.read_all().num_rows == 3000
    assert reader.bad_rows == list(range(0, 6000, 2))


def test_an_empty_table() -> None:
    """Of the same columns."""
    empty = documents().slice(0, 0)
    assert CHAIN.stream(empty).read_all().equals(CHAIN.apply(empty).passed)


def test_a_stream_that_has_failed_is_at_no_end() -> None:
    """Reading on says so again, instead of ending early."""

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"text": ["長い文章です"]})
        raise OSError("disk gone")

    source = pa.RecordBatchReader.from_batches(pa.schema([("text", pa.string())]), batches())
    reader = uz.FilterChain([]).stream(source)
    assert reader.read_next_batch().num_rows == 1
    with pytest.raises(OSError, match="disk gone"):
        reader.read_next_batch()
    with pytest.raises(uz.UsageError, match="the reader has failed"):
        reader.read_next_batch()


def test_a_stream_may_be_closed_while_a_thread_reads_ahead() -> None:
    """The scanner's threads are at a batch; what they are at ends, and the source is let go of."""

    def batches() -> Iterator[pa.RecordBatch]:
        while True:
            yield pa.record_batch({"text": ["長い文章です"]})

    source = pa.RecordBatchReader.from_batches(pa.schema([("text", pa.string())]), batches())
    with uz.FilterChain([]).stream(source) as reader:
        assert ds.Scanner.from_batches(reader).head(1).num_rows == 1
    with pytest.raises(uz.UsageError, match="closed"):
        reader.read_next_batch()


def test_datasets_that_another_thread_is_importing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is there in part has no class of datasets yet, and other tables are read all the same."""
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", ModuleType("pyarrow.dataset"))
    assert uz.near_duplicates(["かな", "かな", "漢字"])["exactFreq"].to_pylist() == [2, 2, 1]


@pytest.mark.parametrize(
    "last",
    [
        "ds.write_dataset(chain.stream(table), 'out', format='parquet')",
        "reader = chain.stream(table); ds.write_dataset(reader, 'out', format='parquet')",
        "scanner = ds.Scanner.from_batches(chain.stream(table)); scanner.head(1)",
    ],
)
def test_a_process_ends_while_arrow_has_a_reader(last: str, tmp_path: Path) -> None:
    """Who frees it: a thread of Arrow's, or the interpreter at its end. The exit code is 0, and nothing is said."""
    program = f"""import pyarrow as pa, pyarrow.dataset as ds, uzushio
chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
table = pa.table({{"text": ["長い文章です"] * 20_000}})
{last}
"""
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_process_ends_with_a_reader_of_an_archive(tmp_path: Path) -> None:
    """Which has a name until then: nothing is said of what is not freed."""
    pages = [{"body": "<p>ここには、やさしい日本語の文章があります。"}] * 3
    (tmp_path / "a.warc").write_bytes(build(pages, "warc"))
    program = "import uzushio; reader = uzushio.read_warc('a.warc').to_reader(); print(len(reader.read_next_batch()))"
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=path, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "3\n", "")


def test_batches_own_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that free them, at the end of a process too, need nothing of the interpreter."""

    class Piece(bytearray):
        """Bytes that can be watched."""

    pieces: list[weakref.ref[Piece]] = []
    read = _streams._StreamOfBatches.read

    def watched(file: Any, size: int = -1) -> Piece:
        piece = Piece(read(file, size))
        pieces.append(weakref.ref(piece))
        return piece

    monkeypatch.setattr(_streams._StreamOfBatches, "read", watched)
    batch = CHAIN.stream(documents()).read_next_batch()
    gc.collect()
    assert batch.num_rows > 0
    assert len(pieces) > 1
    assert [piece for piece in pieces if piece() is not None] == []


def test_readers_at_exit() -> None:
    """One that a thread is about to free is waited for; one that Python has is never freed, and reads no more."""
    held, freed = (CHAIN.stream(Source().reader()) for _ in range(2))
    file, stays = weakref.ref(freed._file), weakref.ref(held._source)
    arrows = [ds.Scanner.from_batches(freed)]
    del freed

    def free() -> None:
        time.sleep(0.2)
        arrows.clear()

    thread = threading.Thread(target=free)
    thread.start()
    _at_exit.let_go()
    assert file() is None
    thread.join()
    with pytest.raises(uz.UsageError, match="closed"):
        held.read_next_batch()
    del held
    gc.collect()
    assert stays() is not None


def test_an_interrupt_that_comes_when_a_reader_is_freed(tmp_path: Path) -> None:
    """Is not dropped: nothing of Python's runs there. C alone goes from one to the other here."""
    (tmp_path / "a.warc").write_bytes(build([{"body": "<p>ここには、やさしい日本語の文章があります。"}], "warc"))
    interrupt = ctypes.pythonapi.PyErr_SetInterrupt
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for make in (
            lambda: CHAIN.stream(documents()),
            lambda: uz.read_warc(tmp_path / "a.warc", threads=2),
            lambda: uz.read_warc(tmp_path / "a.warc").to_reader(),
        ):
            box: list[Any] = [make()]
            calls: list[Callable[[], object]] = [interrupt, box.clear]
            with pytest.raises(KeyboardInterrupt):
                deque(map(operator.call, calls), maxlen=0)
            assert box == []
    finally:
        signal.signal(signal.SIGINT, before)


def test_threads_that_read_are_waited_for_until_they_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is between two reads when the interpreter ends would take its lock then."""
    status = tmp_path / "4194305" / "status"  # a number that no thread has
    status.parent.mkdir()

    def thread(state: str, switches: int) -> None:
        written = tmp_path.with_suffix(".status")  # a reader sees the old one or the new one, as of a real thread's
        written.write_text(f"Name:\ta\nState:\t{state}\nvoluntary_ctxt_switches:\t{switches}\n", encoding="ascii")
        written.replace(status)

    monkeypatch.setattr(_at_exit, "_TASKS", tmp_path)
    others = _at_exit._Others()
    at_rest = []
    for state, switches in (("S (sleeping)", 1), ("S (sleeping)", 1), ("S (sleeping)", 2), ("R (running)", 2)):
        thread(state, switches)
        at_rest.append(others.are_at_rest())
    assert at_rest == [False, True, False, False]
    reader = CHAIN.stream(documents())
    reading = threading.Thread(target=reader.read_all)
    reading.start()
    reading.join()
    ends = threading.Timer(0.2, thread, ["S (sleeping)", 3])
    ends.start()
    _at_exit.let_go()
    assert "sleeping" in status.read_text(encoding="ascii")
    ends.join()


def test_errors_at_exit() -> None:
    """Those that a thread of Arrow's holds are waited for; one that was shown, Python lets go of."""
    errors: list[Exception] = []

    def read() -> None:
        try:
            CHAIN.stream(Source(fail_at=0).reader()).read_all()
        except Torn as error:
            errors.append(error)

    reading = threading.Thread(target=read)
    reading.start()
    reading.join()
    gone = weakref.ref(errors[0])
    sys.last_value = errors[0]

    def free() -> None:
        time.sleep(0.2)
        errors.clear()

    freeing = threading.Thread(target=free)
    freeing.start()
    _at_exit.let_go()
    assert gone() is None
    freeing.join()
