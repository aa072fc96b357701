"""Ctrl-C: whoever reads, and in whatever thread, it is one KeyboardInterrupt, and soon."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import uzushio as uz
from uzushio import _at_exit
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
