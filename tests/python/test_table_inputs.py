"""Tables in memory as inputs of stages: what comes out is what comes of their Parquet files."""

from __future__ import annotations

import gc
import json
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz

import datasets

pytestmark = pytest.mark.module
LOOSE: Any = uz


@pytest.fixture(name="table")
def make_table() -> pa.Table:
    """Documents of which some are duplicates; a column that minhash keeps, and a text that is none."""
    numbers = list(range(60))
    texts = [f"これは、{n % 20} 番めの、やさしい文章です。ここに、つづきがあります。\n\n同じ文章" for n in numbers]
    columns = {"docId": [f"d{n:02}" for n in numbers], "text": [*texts[:-1], None], "n": numbers}
    return pa.table(columns | {"date": [f"2024-01-{n % 28 + 1:02}" for n in numbers]})


def kinds_of(table: pa.Table) -> dict[str, Any]:
    """The same rows, as libraries have them."""
    return {
        "table": table,
        "reader": table.to_reader(max_chunksize=7),
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "datasets": datasets.Dataset(table),
        "stream": type("Stream", (), {"__arrow_c_stream__": lambda _, schema=None: table.__arrow_c_stream__(schema)})(),
    }


def rows_of(folder: Path, pattern: str = "part-*.parquet") -> list[dict[str, Any]]:
    """Of all files."""
    return [row for path in sorted(folder.glob(pattern)) for row in pq.read_table(path).to_pylist()]


def test_statistics_of_tables(table: pa.Table, tmp_path: Path) -> None:
    """Byte for byte: the table, and the index."""
    pq.write_table(table, tmp_path / "a.parquet")
    expected = uz.stats(tmp_path / "a.parquet", tmp_path / "file", intermediate=True)
    names = ("statistics.parquet", ".uzushio/frequency.index")
    for name, given in kinds_of(table).items():
        summary = uz.stats(given, tmp_path / name, intermediate=True)
        assert summary.paragraphs == expected.paragraphs
        for file in names:
            assert (tmp_path / name / file).read_bytes() == (tmp_path / "file" / file).read_bytes()
    named = pl.DataFrame({"body": table["text"].to_pylist(), "text": [1] * 60})
    uz.stats([named, named[:0]], tmp_path / "named", text_column="body")
    assert (tmp_path / "named" / names[0]).read_bytes() == (tmp_path / "file" / names[0]).read_bytes()
    parts = [uz.stats(table[:30], tmp_path / "1", intermediate=True), uz.stats(table[30:], tmp_path / "2")]
    assert sum(part.paragraphs for part in parts) == expected.paragraphs


def test_minhash_of_tables(table: pa.Table, tmp_path: Path) -> None:
    """All columns, what goes and why."""
    pq.write_table(table, tmp_path / "a.parquet")
    expected = uz.minhash(tmp_path / "a.parquet", tmp_path / "file")
    assert 0 < expected.duplicates < 60
    for name, given in kinds_of(table).items():
        summary = uz.minhash(given, tmp_path / name)
        assert (summary.kept, summary.duplicates) == (expected.kept, expected.duplicates)
        for pattern in ("*.parquet", ".uzushio/duplicates/*.pq"):
            assert rows_of(tmp_path / name, pattern) == rows_of(tmp_path / "file", pattern)


def test_documents_as_inputs(tmp_path: Path) -> None:
    """As `extract` writes them."""
    pages = [uz.extract_html(f"<p>これは、{n} 番めの文章です。", url=f"http://a.jp/{n}") for n in (1, 2, 1)]
    summary = uz.minhash(pages, tmp_path / "unique")
    assert summary.documents == 3
    assert rows_of(tmp_path / "unique", "*.parquet")[0]["url"] == "http://a.jp/1"
    assert uz.Statistics.of(pages).look_up(["これは、1 番めの文章です。"])[0].exact == 2


def test_statistics_without_a_folder(table: pa.Table, tmp_path: Path) -> None:
    """They look up as those of a folder do; the folder goes with them."""
    uz.stats(table, tmp_path / "file")
    (tmp_path / "tmp").mkdir()
    statistics = uz.Statistics.of(table, tmp=tmp_path / "tmp", threads=1)
    with uz.Statistics(tmp_path / "file") as expected:
        assert pa.table(statistics) == pa.table(expected)
        texts = ["同じ文章", "一度も無い文"]
        assert statistics.look_up(texts) == expected.look_up(texts)
        assert pickle.loads(pickle.dumps(statistics)).look_up(texts) == expected.look_up(texts)
    chain = uz.FilterChain([uz.Filter("DuplicateParagraphs", limit=3)])
    assert chain.apply_text("同じ文章", statistics=statistics).text is None
    process = multiprocessing.get_context("fork").Process(target=gc.collect)
    process.start()
    process.join()
    assert len(list((tmp_path / "tmp").iterdir())) == 1
    statistics.close()
    assert list((tmp_path / "tmp").iterdir()) == []
    other = uz.Statistics.of(table, tmp=tmp_path / "tmp")
    assert len(other) > 0
    del other
    gc.collect()
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda table, out: LOOSE.stats(table, out, text_column="body"), "has no column 'body', only docId, text"),
        (lambda table, out: LOOSE.stats([table, "a.parquet"], out), "inputs: some are tables and some are not"),
        (lambda table, out: LOOSE.stats(pl.DataFrame(table).lazy(), out), "a LazyFrame has no rows yet"),
        (
            lambda table, out: LOOSE.filter(table, out, config=[{"class": "DocLength"}]),
            "inputs: paths are expected, not Table; FilterChain.apply takes tables in memory",
        ),
        (lambda table, out: LOOSE.extract(table, out), "inputs: paths are expected, not Table$"),
        (
            lambda table, out: LOOSE.stats(table.append_column("text", table["text"]), out),
            "the table has 2 columns 'text'",
        ),
        (lambda table, out: LOOSE.Statistics.of("a.parquet"), "a table or a list of Documents is expected, not str"),
        (lambda table, out: LOOSE.stats(table, out, text_column="n"), "^the table: column 'n' is of type int64"),
        (
            lambda table, out: LOOSE.minhash([table, table.drop_columns(["n"])], out),
            "^table 1: there is no column 'n', which table 0 has$",
        ),
        (lambda table, out: LOOSE.stats(table["text"], out), "a table is expected, not one column"),
        (lambda table, out: LOOSE.stats(pl.Series(["a"]), out), "a table is expected, not one column"),
        (
            lambda table, out: LOOSE.minhash(
                table.append_column("d", pa.array([None] * 60, pa.month_day_nano_interval())), out
            ),
            "can not be written as Parquet",
        ),
    ],
)
def test_what_no_stage_takes(table: pa.Table, tmp_path: Path, call: Any, said: str) -> None:
    """Is an error that says what to do, and nothing stays."""
    with pytest.raises(uz.UsageError, match=said):
        call(table, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_tables_of_a_generator(table: pa.Table, tmp_path: Path) -> None:
    """As a list of them; names of files, too."""
    expected = uz.stats([table, table], tmp_path / "list")
    assert uz.stats((one for one in (table, table)), tmp_path / "tables").paragraphs == expected.paragraphs
    with uz.Statistics.of(table for _ in range(2)) as statistics:
        assert len(statistics) == expected.index_entries
    pq.write_table(table, tmp_path / "a.parquet")
    assert uz.stats((path for path in [tmp_path / "a.parquet"] * 1), tmp_path / "names").paragraphs > 0


def test_a_reader_of_statistics_keeps_their_folder(table: pa.Table) -> None:
    """As long as it is read, unless they are closed."""
    reader = uz.Statistics.of(table).to_reader()
    gc.collect()
    assert reader.read_all().num_rows > 0
    statistics = uz.Statistics.of(table)
    reader = statistics.to_reader()
    statistics.close()
    with pytest.raises(uz.UsageError, match=r"the statistics .* are closed"):
        reader.read_all()


def test_errors_of_the_tables_own(tmp_path: Path) -> None:
    """Come out as they are."""

    def batches() -> Any:
        yield pa.record_batch({"text": ["a"]})
        raise ZeroDivisionError("the source")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("text", pa.string())]), batches())
    with pytest.raises(ZeroDivisionError, match="the source"):
        uz.stats(reader, tmp_path / "out")


def test_texts_that_are_bytes(tmp_path: Path) -> None:
    """What is no UTF-8 is quarantined, as of a file."""
    table = pa.table({"docId": ["a", "b"], "text": pa.array([b"\xff", "文".encode()], pa.binary())})
    pq.write_table(table, tmp_path / "a.parquet")
    expected = uz.stats(tmp_path / "a.parquet", tmp_path / "file")
    found = uz.stats(table, tmp_path / "memory")
    assert json.dumps(found["quarantined"]) == json.dumps(expected["quarantined"])
    assert found.paragraphs == expected.paragraphs


def test_frames_of_pandas_with_missing_texts(tmp_path: Path) -> None:
    """Are those of the file that pandas writes."""
    frame = pd.DataFrame({"text": ["一つ", None, "一つ"]})
    frame.to_parquet(tmp_path / "a.parquet")
    assert (
        uz.stats(frame, tmp_path / "1").paragraphs == uz.stats(tmp_path / "a.parquet", tmp_path / "2").paragraphs == 2
    )
