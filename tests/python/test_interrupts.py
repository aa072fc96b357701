"""Ctrl-C: whoever reads, and in whatever thread, it is one KeyboardInterrupt, and soon."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uzushio as uz
from uzushio import _at_exit, _interrupts
from warc_builder import build

pytestmark = pytest.mark.module

# A background job of a shell ignores SIGINT, and so do its children.
BEGIN = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import pyarrow as pa, pyarrow.dataset as ds, uzushio
CHAIN = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
SCHEMA = pa.schema([("text", pa.string())])
given = 0

def endless():
    "Interrupts the process after some batches, and goes on for a minute."
    global given
    last = time.monotonic() + 60
    while time.monotonic() < last:
        yield pa.record_batch([["長い文章です"] * 100], schema=SCHEMA)
        given += 1
        if given == 5:
            os.kill(os.getpid(), signal.SIGINT)
    sys.stderr.write("not interrupted")

class Interrupting:
    "A file that does so in its middle."
    def __init__(self):
        self.file = open("pages.warc", "rb")
        self.is_read = False
    def read(self, size=-1):
        if self.file.tell() > 1 << 20 and not self.is_read:
            self.is_read = True
            os.kill(os.getpid(), signal.SIGINT)
        return self.file.read(size)
    def seek(self, *place): return self.file.seek(*place)
    def tell(self): return self.file.tell()

def batches(): return pa.RecordBatchReader.from_batches(SCHEMA, endless())
def write(reader): ds.write_dataset(reader, "out", format="parquet")
"""


def said_by(script: str, folder: Path) -> tuple[int, str, str]:
    """The exit code, and what it wrote."""
    pages = [{"body": f"<p>ここには、やさしい日本語の文章が、{n} つあります。" * 1000} for n in range(50)]
    (folder / "pages.warc").write_bytes(build(pages, "warc"))
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", BEGIN + script], cwd=folder, env=path, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "read",
    [
        "write(CHAIN.stream(batches()))",
        "write(CHAIN.stream(uzushio.read_warc(Interrupting())))",
        "write(uzushio.read_warc(Interrupting()).to_reader())",
        "ds.Scanner.from_batches(CHAIN.stream(batches())).count_rows()",
        "CHAIN.stream(batches()).read_all()",
        "CHAIN.apply(batches())",
        "CHAIN.metrics(uzushio.read_warc(Interrupting()))",
        "list(uzushio.read_warc(Interrupting()))",
        "list(uzushio.read_warc([Interrupting(), 'pages.warc'], threads=2))",
    ],
)
def test_it_comes_once(read: str, tmp_path: Path) -> None:
    """Where the main thread waits outside the interpreter, too: what handles the exception is not interrupted."""
    script = f"""
try:
    {read}
except KeyboardInterrupt:
    for number in range(1000): str(number)
    print("interrupted")
for number in range(1000): str(number)
"""
    assert said_by(script, tmp_path) == (0, "interrupted\n", "")


def test_a_process_ends_by_it(tmp_path: Path) -> None:
    """As one of Python alone does."""
    code, _, error = said_by("write(CHAIN.stream(batches()))", tmp_path)
    assert code == -2
    assert error.startswith("Traceback")
    assert error.count("KeyboardInterrupt\n") == 1
    assert "not interrupted" not in error


@pytest.mark.parametrize("reader", ["archive", "CHAIN.stream(archive)"])
def test_who_reads_by_the_c_stream_interface(reader: str, tmp_path: Path) -> None:
    """Gives an error of its own; whoever goes on behind that is interrupted all the same."""
    script = f"""
archive = uzushio.read_warc(Interrupting())
last = time.monotonic() + 60
try:
    try:
        capsule = {reader}.__arrow_c_stream__
        pa.RecordBatchReader.from_stream(type("", (), {{"__arrow_c_stream__": capsule}})).read_all()
    except pa.ArrowException:
        pass
    while time.monotonic() < last: pass
except KeyboardInterrupt:
    print("interrupted")
"""
    assert said_by(script, tmp_path) == (0, "interrupted\n", "")


@pytest.mark.parametrize("of", ["_streams._StreamOfBatches.read", "_documents._WatchedBatches.__next__"])
def test_it_comes_again_from_the_first_line_of_a_read(of: str, tmp_path: Path) -> None:
    """Where it comes when that is called, before anything of it is done."""
    script = f"""
import threading
from uzushio import _documents, _streams
archive = uzushio.read_warc("pages.warc")
capsule = ({{"_streams": CHAIN.stream, "_documents": lambda it: it}}["{of}".split(".")[0]])(archive).__arrow_c_stream__
def trace(frame, event, argument):
    if event == "call" and frame.f_code is {of}.__code__:
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGINT)
        for number in range(1000): str(number)
sys.setprofile(trace)
try:
    try:
        pa.RecordBatchReader.from_stream(type("", (), {{"__arrow_c_stream__": capsule}})).read_all()
    except (pa.ArrowException, OSError):
        print("lost")
    for one in threading.enumerate():
        if isinstance(one, threading.Timer): one.join()
    for number in range(1000): str(number)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert said_by(script, tmp_path) == (0, "lost\ninterrupted\n", "")


def test_handlers_of_a_program_are_its_own(tmp_path: Path) -> None:
    """They are called, and nothing else happens."""
    script = """
seen = []
def handler(number, frame): seen.append(number)
signal.signal(signal.SIGINT, handler)
write(CHAIN.stream(uzushio.read_warc(Interrupting())))
rows = ds.dataset("out").count_rows()
print(rows, seen == [signal.SIGINT], signal.getsignal(signal.SIGINT) is handler)
"""
    assert said_by(script, tmp_path) == (0, "50 True True\n", "")


@pytest.mark.parametrize(
    "end",
    [
        "read_warc('pages.warc').to_reader().read_all()",
        "reader = read_warc('pages.warc').to_reader(); reader.read_all()",
        "reader = read_warc('pages.warc').to_reader(); reader.read_next_batch(); del reader",
        "reader = CHAIN.stream(read_warc('pages.warc')); reader.read_all()",
        "reader = CHAIN.stream(read_warc('pages.warc')); reader.close()",
        "reader = CHAIN.stream(read_warc('pages.warc')); write(reader)",
        "readers = [CHAIN.stream(read_warc('pages.warc'))]; in_thread(readers.clear)",
        "reader = CHAIN.stream(broken()); failed(reader.read_all)",
        "reader = CHAIN.stream(batches()); failed(write, reader)",
        "reader = read_warc(Interrupting()).to_reader(); failed(write, reader)",
        "one, two = (read_warc('pages.warc').to_reader() for _ in range(2)); one.read_all(); del two",
    ],
)
def test_pythons_handler_comes_back(end: str, tmp_path: Path) -> None:
    """When no reader is left to be read: `asyncio.run` cancels its task only where it finds that."""
    script = f"""
import asyncio, threading
read_warc = uzushio.read_warc

def in_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()

def failed(call, *arguments):
    try:
        call(*arguments)
    except (KeyboardInterrupt, ZeroDivisionError):
        pass

def broken():
    def batches():
        yield pa.record_batch([["長い文章です"]], schema=SCHEMA)
        1 / 0
    return pa.RecordBatchReader.from_batches(SCHEMA, batches())

async def work():
    os.kill(os.getpid(), signal.SIGINT)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("cancelled")
        raise

{end}
try:
    asyncio.run(work())
except KeyboardInterrupt:
    print("interrupted")
"""
    assert said_by(script, tmp_path) == (0, "cancelled\ninterrupted\n", "")


def test_another_reader_is_still_watched(tmp_path: Path) -> None:
    """When the first is at its end, or the handler was put back in between."""
    script = """
for number in range(2):
    given = 0
    other = CHAIN.stream(batches())
    uzushio.read_warc("pages.warc").to_reader().read_all()
    try:
        ds.write_dataset(other, f"out{number}", format="parquet")
    except KeyboardInterrupt:
        for n in range(1000): str(n)
        print("interrupted", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    assert said_by(script, tmp_path) == (0, "interrupted True\n" * 2, "")


def test_a_handler_that_a_program_sets_later_stays(tmp_path: Path) -> None:
    """And where it puts back what it found, behind the last reader, that goes with the next."""
    script = """
def handler(number, frame): print("handled")
reader = uzushio.read_warc("pages.warc").to_reader()
before = signal.signal(signal.SIGINT, handler)
del reader
for number in range(1000): str(number)
print(signal.getsignal(signal.SIGINT) is handler)
os.kill(os.getpid(), signal.SIGINT)
for number in range(1000): str(number)
signal.signal(signal.SIGINT, before)
try:
    os.kill(os.getpid(), signal.SIGINT)
    for number in range(1000): str(number)
except KeyboardInterrupt:
    print("interrupted")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    assert said_by(script, tmp_path) == (0, "True\nhandled\ninterrupted\nTrue\n", "")


def test_another_thread_that_reads_goes_on(tmp_path: Path) -> None:
    """The interrupt is the main thread's, which something else keeps: here a lock that Python does not know of."""
    script = """
import ctypes, threading
libc = ctypes.CDLL(None)
lock = ctypes.create_string_buffer(64)
libc.pthread_mutex_lock(lock)
said = []

def some():
    for number, batch in zip(range(50), endless()):
        yield batch

def read(reader):
    try:
        write(reader)
        said.append("written")
    except KeyboardInterrupt:
        said.append("interrupted")
    finally:
        libc.pthread_mutex_unlock(lock)

thread = threading.Thread(target=read, args=[CHAIN.stream(pa.RecordBatchReader.from_batches(SCHEMA, some()))])
try:
    thread.start()
    libc.pthread_mutex_lock(lock)
    for number in range(1000): str(number)
    print("not interrupted")
except KeyboardInterrupt:
    pass
thread.join()
print(said)
"""
    assert said_by(script, tmp_path) == (0, "['written']\n", "")


@pytest.mark.parametrize("is_at_work", [True, False])
def test_who_waits_takes_no_time_of_the_processor(is_at_work: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A main thread that does takes no batches, and handles the interrupt when it is done."""
    seconds = itertools.count() if is_at_work else itertools.repeat(0)
    monkeypatch.setattr(_interrupts, "_work_of_main", lambda: next(seconds))
    monkeypatch.setattr(_interrupts, "_is_pythons", lambda: False)
    monkeypatch.setattr(_interrupts, "_core", SimpleNamespace(interrupts=lambda: _interrupts._handled + 1))
    before = signal.signal(signal.SIGINT, _interrupts._handle)
    try:
        with contextlib.nullcontext() if is_at_work else pytest.raises(KeyboardInterrupt):
            _interrupts.check()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "then",
    [
        "interrupt()",  # the next one, before that
        "lose()",  # it too
        "keep()",  # as an exception that is not lost, though a capsule was made
    ],
)
def test_what_comes_again_comes_once(then: str, tmp_path: Path) -> None:
    """However many are lost at a time, and not behind the next one."""
    script = f"""
import threading
uzushio._interrupts._SOON = 1  # of a machine that is busy
seen = 0

def read(reader):
    pa.RecordBatchReader.from_stream(type("", (), {{"__arrow_c_stream__": reader.__arrow_c_stream__}})).read_all()

def lose():
    try:
        read(uzushio.read_warc(Interrupting()))
    except pa.ArrowException:
        pass

def keep():
    reader = CHAIN.stream(uzushio.read_warc(Interrupting()))
    reader.__arrow_c_stream__()
    reader.read_all()

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    for number in range(1000): str(number)

def at_their_end():
    for one in threading.enumerate():
        if isinstance(one, threading.Timer): one.join()
    for number in range(1000): str(number)

for call in ({"" if then == "keep()" else "lose, "}lambda: {then}, at_their_end, at_their_end):
    try:
        call()
    except KeyboardInterrupt:
        seen += 1
print(seen)
"""
    assert said_by(script, tmp_path) == (0, "1\n", "")


def test_what_a_program_has_handled_is_over(tmp_path: Path) -> None:
    """Also where it puts the handler of before back."""
    script = """
read_warc = uzushio.read_warc
read_warc("pages.warc").to_reader().read_next_batch()
before = signal.signal(signal.SIGINT, lambda number, frame: print("handled"))
next(iter(read_warc("pages.warc")))
os.kill(os.getpid(), signal.SIGINT)
for number in range(1000): str(number)
signal.signal(signal.SIGINT, before)
write(read_warc("pages.warc").to_reader())
print("written")
"""
    assert said_by(script, tmp_path) == (0, "handled\nwritten\n", "")


def test_threading_may_know_another_main_thread(tmp_path: Path) -> None:
    """That which imported it first, as in programs that embed Python."""
    (tmp_path / "a.warc").write_bytes(build([{"body": "<p>text"}], "warc"))
    script = """
import _thread, sys
over = _thread.allocate_lock()
over.acquire()
def read():
    try:
        import uzushio
        print(uzushio.read_warc("a.warc", languages="all").to_reader().read_next_batch().num_rows)
    finally:
        over.release()
assert "threading" not in sys.modules
_thread.start_new_thread(read, ())
over.acquire()
"""
    environment = os.environ | {"PYTHONPATH": str(Path(uz.__file__).parent.parent)}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_the_second_comes_too(tmp_path: Path) -> None:
    """It is not taken for the first."""
    script = """
for _ in range(3):
    given = 0
    try:
        write(CHAIN.stream(batches()))
    except KeyboardInterrupt:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            for number in range(1000): str(number)
        except KeyboardInterrupt:
            print("twice")
    import shutil
    shutil.rmtree("out")
"""
    assert said_by(script, tmp_path) == (0, "twice\n" * 3, "")


def test_a_stream_says_that_it_was_interrupted(tmp_path: Path) -> None:
    """Whoever reads on gets no end that is none."""
    script = """
reader = CHAIN.stream(batches())
try:
    reader.read_all()
except KeyboardInterrupt:
    pass
try:
    reader.read_next_batch()
except uzushio.UsageError as error:
    print(error)
"""
    said = "the reader has failed (KeyboardInterrupt: ); FilterChain.stream makes a new one\n"
    assert said_by(script, tmp_path) == (0, said, "")


def test_one_in_a_file_object_is_no_missing_method() -> None:
    """That looks its attributes up itself."""

    class Wrapper:
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt if name == "tell" else AttributeError(name)

        def read(self, size: int = -1) -> bytes:
            return b""

        def seek(self, place: int, whence: int = 0) -> int:
            return place

    wrapper: Any = Wrapper()
    with pytest.raises(KeyboardInterrupt):
        uz.read_warc(wrapper, name="a.warc")


def test_what_is_held_is_let_go_though_interrupted() -> None:
    """At the end of a process: what an interrupt cuts off is done by the second time."""

    class Held:
        calls = 0

        def end(self) -> None:
            self.calls += 1
            if self.calls == 1:
                raise KeyboardInterrupt

    held, holder = Held(), object()
    _at_exit.tell_holder(held, lambda: holder)
    with pytest.raises(KeyboardInterrupt):
        _at_exit.let_go()
    _at_exit.let_go()
    _at_exit.let_go()
    assert held.calls == 2
