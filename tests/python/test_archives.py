"""Several archives as one, and threads that read ahead: what comes out is the same."""

from __future__ import annotations

import gc
import gzip
import io
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import uzushio as uz
from warc_builder import build

pytestmark = pytest.mark.module
LOOSE: Any = uz


def pages(name: str, count: int) -> list[dict[str, Any]]:
    """Some of them rejected, some damaged before and some after they are read."""
    records: list[dict[str, Any]] = [
        {"body": f"<p>ここには、{name}のやさしい日本語の文章が、{n} つあります。" + "<p>つづき。" * (n % 50)}
        for n in range(count)
    ]
    for n in range(3, count, 7):
        records[n] = {"body": "<p>Nothing but English, and not much of it either."}
    for n in range(4, count, 11):
        records[n]["coding"] = ["gzip"]
        records[n]["http"] = [["Content-Type", "text/html"], ["Content-Encoding", "br"]]
    return records


@pytest.fixture(name="folder", scope="module")
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives of many batches and of one, and one without a page."""
    folder = tmp_path_factory.mktemp("archives")
    for name, count in (("a", 900), ("b", 3), ("c", 0), ("d", 400)):
        (folder / f"{name}.warc.gz").write_bytes(build(pages(name, count), "warc.gz"))
    damaged = pages("e", 50)
    damaged[20]["flip"] = 40
    damaged[40]["flip"] = 40
    (folder / "e.warc.gz").write_bytes(build(damaged, "warc.gz"))
    return folder


def outcome(reader: uz.WarcReader, quarantine: Path) -> tuple[Any, ...]:
    """All that a reader gives."""
    with reader:
        documents = list(reader)
        files = {path.name: gzip.decompress(path.read_bytes()) for path in sorted(quarantine.rglob("*.gz"))}
        return documents, reader.counts, reader.quarantined, files


@pytest.mark.parametrize("threads", [2, 3, 8, None])
def test_threads_change_nothing(folder: Path, tmp_path: Path, threads: int | None) -> None:
    """Neither documents nor their order, counts or damaged records."""
    archives = [folder / f"{name}.warc.gz" for name in "adecb"]
    for source in (archives, archives[:1], str(archives[2]), f"{folder}/*.warc.gz"):
        alone = outcome(uz.read_warc(source, quarantine=tmp_path / "alone"), tmp_path / "alone")
        threaded = outcome(uz.read_warc(source, quarantine=tmp_path / "more", threads=threads), tmp_path / "more")
        assert alone == threaded
        assert alone[0]
        assert alone[3]


def test_several_are_each_after_another(folder: Path) -> None:
    """Paths, patterns and file objects, in their order; counts are sums."""
    data = (folder / "b.warc.gz").read_bytes()
    given: list[Any] = [folder / "d.warc.gz", f"{folder}/[ab].warc.gz", io.BytesIO(data)]
    for threads in (1, 3):
        given[-1] = io.BytesIO(data)
        reader = uz.read_warc(iter(given), threads=threads)
        alone = [uz.read_warc(folder / f"{name}.warc.gz") for name in "dab"] + [uz.read_warc(io.BytesIO(data))]
        assert list(reader) == [document for one in alone for document in one]
        assert reader.counts["records"] == sum(one.counts["records"] for one in alone)
        assert repr(reader).startswith(f"WarcReader('{folder}/d.warc.gz' and 3 more, records=")


def test_several_are_a_table(folder: Path) -> None:
    """As one archive is."""
    expected = pa.concat_tables([pa.table(uz.read_warc(folder / f"{name}.warc.gz")) for name in "abcde"])
    assert pa.table(uz.read_warc(f"{folder}/*.warc.gz", threads=3)).combine_chunks() == expected.combine_chunks()
    reader = uz.read_warc(f"{folder}/*.warc.gz", threads=2)
    assert len(next(reader.batches("100KiB"))) < expected.num_rows  # and the rest is not wanted


def test_a_literal_name_is_no_pattern(folder: Path, tmp_path: Path) -> None:
    """A file of that name goes first."""
    path = tmp_path / "b[1].warc.gz"
    path.write_bytes((folder / "b.warc.gz").read_bytes())
    assert len(list(uz.read_warc(path))) == 3


def test_one_that_is_no_archive(folder: Path, tmp_path: Path) -> None:
    """Is an error in its turn; those behind it can be read on."""
    (tmp_path / "notes.txt").write_text("no archive, but notes\n" * 99)
    archives = [folder / "b.warc.gz", tmp_path / "notes.txt", folder / "e.warc.gz"]
    for threads in (1, 2):
        reader = uz.read_warc(archives, threads=threads)
        assert len([next(reader) for _ in range(3)]) == 3
        with pytest.raises(uz.InputError, match=r"notes\.txt: no record in this file can be read .* a WARC file\?$"):
            next(reader)
        assert list(reader) == list(uz.read_warc(folder / "e.warc.gz"))
        batches = uz.read_warc(archives, threads=threads).batches()
        assert next(batches).num_rows == 3
        with pytest.raises(uz.InputError, match="no record"):
            next(batches)


def test_one_that_can_not_be_read(folder: Path) -> None:
    """What is before it comes out."""

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise ZeroDivisionError("the disk")

    for threads in (1, 4):
        reader = uz.read_warc([folder / "b.warc.gz", Failing(b"WARC")], threads=threads)
        assert len([next(reader) for _ in range(3)]) == 3
        for _ in range(2):
            with pytest.raises(uz.InputError, match="reading the file object failed: ZeroDivisionError: the disk"):
                next(reader)


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ("{}", {}, r"archives\d*: is a folder, and a file is expected; the pattern .*/\* names its files"),
        ("{}/nowhere.warc", {}, r"nowhere\.warc: no such file"),
        (["{}/nowhere.warc"], {"threads": 2}, r"nowhere\.warc: no such file"),
        ("{}/*.warc", {}, "no file matches this pattern"),
        ([], {}, "source: no archive is named"),
        (["{}/a.warc.gz", "{}/b.warc.gz"], {"name": "x"}, "name: it is what one archive is called"),
        ("{}/a.warc.gz", {"threads": 0}, "threads=0: give a number from 1, or None"),
        ("{}/a.warc.gz", {"threads": True}, "threads=True: give a number"),
        (3, {}, "a path, a URI or a binary file with read, seek and tell is expected"),
        ([3], {}, "a path, a URI or a binary file with read, seek and tell is expected"),
    ],
)
def test_what_is_no_source(folder: Path, source: Any, options: dict[str, Any], said: str) -> None:
    """Is an error that says what is wrong."""
    if isinstance(source, str):
        source = source.format(folder)
    elif isinstance(source, list):
        source = [one.format(folder) if isinstance(one, str) else one for one in source]
    with pytest.raises(uz.UsageError, match=said):
        next(LOOSE.read_warc(source, **options))


def threads_now() -> set[str]:
    """Of this process, by their numbers."""
    return {path.name for path in Path("/proc/self/task").iterdir()}


def test_threads_end(folder: Path) -> None:
    """When the reader is closed, or gone, wherever it is."""
    before = threads_now()
    for use in (lambda reader: reader.close(), lambda _: None):
        reader: Any = uz.read_warc([folder / "a.warc.gz"] * 20, threads=4)
        next(reader)
        assert threads_now() - before
        use(reader)
        del reader
        gc.collect()
        last = time.monotonic() + 10  # a thread that was joined may be listed for a moment
        while threads_now() - before and time.monotonic() < last:
            time.sleep(0.001)
        assert not threads_now() - before


def test_a_process_ends_with_readers_open(folder: Path) -> None:
    """Though threads are at a file object of Python's."""
    script = (
        "import io, os, sys, uzushio\n"
        "data = open(sys.argv[1], 'rb').read()\n"
        "readers = [uzushio.read_warc([io.BytesIO(data) for _ in range(9)], threads=3) for _ in range(4)]\n"
        "for reader in readers: next(reader)\n"
        "print('read')\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(uz.__file__).parent.parent)}
    command = [sys.executable, "-c", script, str(folder / "a.warc.gz")]
    for _ in range(5):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "read\n", "")


def test_a_forked_process_is_told(folder: Path) -> None:
    """Threads are those of the process that began to read."""
    reader = uz.read_warc(folder / "a.warc.gz", threads=2)
    next(reader)
    child = os.fork()
    if child == 0:
        try:
            next(reader)
        except uz.UsageError as error:
            del reader
            gc.collect()
            os._exit(7 if "threads of another process" in str(error) else 8)
        finally:
            os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert next(reader).text
