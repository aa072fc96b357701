"""Archives and statistics as resources: closed, used again, shown, pickled; their integers stay integers."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz
from warc_builder import build

pytestmark = pytest.mark.module

PAGES: list[dict[str, Any]] = [{"body": f"<p>ここには、やさしい日本語の文章が、{n} つあります。"} for n in range(5)]


def open_files(path: Path) -> int:
    """How often this process has a file open."""
    links = Path("/proc/self/fd").iterdir()
    return sum(os.path.realpath(link) == str(path) for link in links)


@pytest.fixture(name="archive")
def make_archive(tmp_path: Path) -> Path:
    """The last record is damaged."""
    path = tmp_path / "a.warc"
    damaged = {"coding": ["gzip"], "http": [["Content-Type", "text/html"], ["Content-Encoding", "br"]]}
    path.write_bytes(build([*PAGES[:2], PAGES[2] | damaged, *PAGES[3:]], "warc"))
    return path


def test_an_archive_is_closed(archive: Path, tmp_path: Path) -> None:
    """By `with`: the file is, what is quarantined is complete, and what was counted stays."""
    with uz.read_warc(archive, quarantine=tmp_path) as reader:
        assert repr(reader) == f"WarcReader('{archive}', records=0, documents=0)"
        assert open_files(archive) == 1
        assert [next(reader).text[-6:] for _ in range(3)] != []
        assert not reader.closed
    assert reader.closed
    assert open_files(archive) == 0
    assert repr(reader) == f"<closed WarcReader('{archive}', records=4, documents=3)>"
    assert reader.counts["documents"] == 3
    assert [record.reason for record in reader.quarantined] == ["content-coding"]
    with gzip.open(tmp_path / "quarantine" / "_a.jsonl.gz", "rt") as file:
        assert len(file.readlines()) == 1
    for use in (lambda: next(reader), lambda: list(reader.batches()), lambda: pa.table(reader)):
        with pytest.raises((uz.UsageError, pa.ArrowInvalid), match="the archive is closed; read_warc opens it again"):
            use()
    reader.close()


def test_an_archive_after_its_end(archive: Path, tmp_path: Path) -> None:
    """Closing is then only closing; an error in `with` comes out."""
    reader = uz.read_warc(archive, quarantine=tmp_path)
    assert len(list(reader)) == 4
    assert list(reader) == []
    reader.close()
    with pytest.raises(ZeroDivisionError), uz.read_warc(archive) as reader:
        raise ZeroDivisionError
    assert reader.closed


def test_a_file_object_stays_open(archive: Path) -> None:
    """It is the caller's."""
    with archive.open("rb") as file:
        with uz.read_warc(file) as reader:
            next(reader)
        assert not file.closed
        file.seek(0)
        assert len(list(uz.read_warc(file))) == 4


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path) -> Path:
    """Statistics of some texts."""
    (tmp_path / "a.txt").write_text("二度ある文\n\n二度ある文\n\n一度だけの文\n", encoding="utf-8")
    uz.stats(tmp_path / "a.txt", tmp_path / "s")
    return tmp_path / "s"


def test_statistics_are_closed(folder: Path) -> None:
    """By `with`; a chain that works with them goes on."""
    chain = uz.FilterChain([uz.Filter("DuplicateParagraphs", limit=2)])
    with uz.Statistics(folder) as statistics:
        assert repr(statistics) == f"Statistics('{folder}')"
        assert len(statistics) == 1
        assert statistics
        reader = chain.stream(pa.table({"text": ["二度ある文", "一度だけの文"]}), statistics)
    assert repr(statistics) == f"<closed Statistics('{folder}')>"
    assert reader.read_all()["text"].to_pylist() == ["一度だけの文"]
    assert os.fspath(statistics) == str(folder)
    uses = (
        lambda: len(statistics),
        lambda: statistics.look_up(["a"]),
        statistics.to_reader,
        lambda: chain.apply_text("a", statistics=statistics),
        lambda: pickle.dumps(statistics),
        statistics.__enter__,
    )
    for use in uses:
        with pytest.raises(uz.UsageError, match=r"statistics .* are closed"):
            use()
    assert (uz.Statistics(folder)).look_up(["二度ある文"]) == [uz.Frequency(2, 2)]


def test_statistics_are_an_argument_everywhere(folder: Path, tmp_path: Path) -> None:
    """As their folder is, or the index in it."""
    config = tmp_path / "a.conf"
    config.write_text('filters: [{"class": "DuplicateParagraphs", "limit": 2}]')
    chain = uz.FilterChain.from_file(config)
    table = pa.table({"text": ["二度ある文", "一度だけの文"]})
    pq.write_table(table, tmp_path / "a.parquet")
    places: list[Any] = [uz.Statistics(folder), folder, str(folder), folder / ".uzushio/frequency.index"]
    for number, one in enumerate(places):
        assert chain.apply(table, one).passed.num_rows == 1
        assert chain.apply_text("二度ある文", statistics=one).text is None
        assert chain.metrics(table, one)["DuplicateParagraphs(2)"].to_pylist() == [1.0, 0.0]
        if number < 3:
            kept = uz.filter(tmp_path / "a.parquet", tmp_path / f"o{number}", config=config, statistics=one)
            assert kept.passed.documents == 1
    merged = uz.merge(uz.Statistics(folder), tmp_path / "merged")
    assert merged.index_entries == 1


def test_look_up_takes_any_texts(folder: Path) -> None:
    """Sequences, arrays and Series, but not one text."""
    statistics = uz.Statistics(folder)
    texts = ["二度ある文", None, "一度だけの文"]
    expected = [uz.Frequency(2, 2), uz.Frequency(1, 1), uz.Frequency(1, 1)]
    kinds = (texts, tuple(texts), iter(texts), pa.array(texts), pd.Series(texts), pl.Series(texts))
    for some in (*kinds, pa.chunked_array([texts]), [text and text.encode() for text in texts]):
        assert statistics.look_up(some) == expected
    with pytest.raises(uz.UsageError, match="several texts are expected, not one"):
        statistics.look_up("二度ある文")
    with pytest.raises(uz.UsageError, match="no UTF-8"):
        statistics.look_up([b"\xff"])


def test_the_table_of_statistics(folder: Path, tmp_path: Path) -> None:
    """Rows of the file, lazily; only an index has none; a damaged file is named."""
    statistics = uz.Statistics(folder)
    rows = pq.read_table(folder / "statistics.parquet")
    assert statistics.to_reader().read_all().equals(rows)
    assert pa.table(statistics).equals(rows)
    assert rows.num_rows == len(statistics)
    with pytest.raises(uz.UsageError, match="no table of statistics, only the index"):
        uz.Statistics(folder / ".uzushio/frequency.index").to_reader()
    (folder / "statistics.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(uz.InputError, match=r"statistics\.parquet: "):
        statistics.to_reader().read_all()


def test_hashes_are_never_floats(folder: Path, tmp_path: Path, archive: Path) -> None:
    """In pandas and polars as in Arrow: there are no nulls that make floats of integers."""
    found = uz.near_duplicates(["同じ文", None, "同じ文", "", "別のながい文章です", b"\xff"])
    assert all(not field.nullable for field in found.schema)
    assert found["group"].to_pylist() == [0, -1, 0, -1, 1, -1]
    assert found["hash"].to_pylist()[1::2] == found["reprHash"].to_pylist()[1::2] == [0, 0, 0]
    assert found["exactFreq"].to_pylist() == found["nearFreq"].to_pylist() == [2, 0, 2, 0, 1, 0]
    uz.stats(tmp_path / "a.txt", tmp_path / "all", intermediate=True, pairs=tmp_path / "pairs")
    tables = {
        "near_duplicates": found,
        "statistics": pa.table(uz.Statistics(folder)),
        "intermediate": pq.read_table(tmp_path / "all" / ".uzushio/intermediate" / "paragraphs.pq"),
        "pairs": pq.read_table(tmp_path / "pairs" / "pairs.parquet"),
        "documents": pa.table(uz.read_warc(archive)),
    }
    for name, table in tables.items():
        integers = [field.name for field in table.schema if pa.types.is_integer(field.type)]
        assert integers, name
        frames: Any = (table.to_pandas(), pd.DataFrame.from_arrow(table), pl.from_arrow(table))
        for frame in frames:
            for column in integers:
                assert str(frame[column].dtype).lower() in ("int64", "int32"), (name, column)
                assert frame[column].to_list() == table[column].to_pylist()
    exact = 2**53 + 1
    assert any(abs(value) > exact for value in found["hash"].to_pylist())


def test_a_name_of_an_archive(archive: Path) -> None:
    """Of a file object, too."""
    assert "'mine'" in repr(uz.read_warc(io.BytesIO(archive.read_bytes()), name="mine"))
    assert repr(uz.read_warc(io.BytesIO(b""))) == "WarcReader('', records=0, documents=0)"


@pytest.mark.parametrize(
    "call",
    [
        "uz.FilterChain([uz.Filter('CompressionRate', low=0.1)]).apply(table)",
        "uz.near_duplicates(table)",
        "list(archive)",
    ],
)
def test_a_process_ends_while_a_daemon_thread_is_at_work(call: str, archive: Path) -> None:
    """The thread never returns from where it wants the interpreter's lock, which is gone; the exit code is 0."""
    program = f"""import threading, time, pyarrow as pa, uzushio as uz
table = pa.table({{"text": [f"{{n}} つめの、ながい文章です。" * 500 for n in range(4000)]}})
archive = uz.read_warc([{str(archive)!r}] * 100_000)
threading.Thread(target=lambda: {call}, daemon=True).start()
time.sleep(0.2)
"""
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", program], env=path, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
