"""What other programs read in an output's folder: its rows and nothing else. docs/formats.md has the table."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from datatrove.pipeline.readers import ParquetReader
from documents import variants, write_documents
from program import ROOT, read_json, run_uzushio
from warc_builder import build

import datasets

datasets.disable_progress_bars()

Reader = Callable[[str, Path], int]


def by_duckdb(pattern: str) -> int:
    """The rows of a pattern."""
    row = duckdb.connect().execute("SELECT count(*) FROM read_parquet(?)", [pattern]).fetchone()
    assert row is not None
    return int(row[0])


def by_datatrove(folder: str, _: Path) -> int:
    """The rows, of a pattern: without one, it takes all files for Parquet."""
    reader = ParquetReader(folder, glob_pattern="**/*.parquet", text_key=text_of(folder), id_key=text_of(folder))
    return sum(1 for _ in reader.run())


def text_of(folder: str) -> str:
    """A column that each row has."""
    names: list[str] = ds.dataset(folder, format="parquet").schema.names
    return next(name for name in names if name in {"text", "docId"})


READERS: dict[str, Reader] = {
    "pyarrow": lambda folder, _: int(ds.dataset(folder, format="parquet", partitioning="hive").count_rows()),
    "pyarrow.parquet": lambda folder, _: int(pq.read_table(folder).num_rows),
    "pandas": lambda folder, _: len(pd.read_parquet(folder)),
    "DuckDB": lambda folder, _: by_duckdb(f"{folder}/**/*.parquet"),
    "datasets": lambda folder, cache: len(datasets.load_dataset(folder, split="train", cache_dir=str(cache))),
    "datasets, by format": lambda folder, cache: len(
        datasets.load_dataset("parquet", data_dir=folder, split="train", cache_dir=str(cache))
    ),
    "datatrove": by_datatrove,
    "polars": lambda folder, _: pl.read_parquet(f"{folder}/**/*.parquet", hive_partitioning=True).height,
}


@pytest.fixture(name="outputs", scope="module")
def make_outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Those of stages that write more than rows."""
    root = tmp_path_factory.mktemp("outputs")
    pages = [{"uri": f"http://a.jp/{n}", "body": f"<p>{text}"} for n, text in enumerate(variants(3, 12, 4))]
    (root / "a.warc.gz").write_bytes(build([*pages, {**pages[0], "flip": 120}], "warc.gz"))
    texts = variants(1, 40)
    documents = write_documents(root / "documents.parquet", [*texts, *texts[:9]])
    run_uzushio("extract", root / "a.warc.gz", "--output", root / "extract", "--full-data", "--language", "all")
    run_uzushio("stats", documents, "--output", root / "stats", "--intermediate", "--debug")
    run_uzushio("minhash", documents, "--output", root / "minhash", "--verify", "0.9", "--keep", "first")
    (root / "chain.conf").write_text("filters: [{class: DocLength, low: 10}]", encoding="utf-8")
    chain = ("--config", root / "chain.conf")
    run_uzushio("metrics", documents, "--output", root / "metrics", *chain, "--sorted-by", "DocLength")
    run_uzushio("filter", documents, "--output", root / "filter", *chain)
    return {name: root / name for name in ("extract", "stats", "minhash", "metrics", "filter")}


def rows_of(folder: Path) -> int:
    """The rows that the manifest lists outside the hidden folder."""
    files = read_json(folder / ".uzushio/manifest.json")["files"]
    return sum(int(file["rows"]) for file in files if not file["path"].startswith("."))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("stage", ["extract", "stats", "minhash", "metrics", "filter"])
def test_a_reader_finds_the_rows_and_nothing_else(
    outputs: dict[str, Path], stage: str, name: str, tmp_path: Path
) -> None:
    """Duplicates, quarantine, samples, indexes and the manifest are in the folder, and hidden."""
    if (stage, name) == ("stats", "datatrove"):
        pytest.skip("statistics have no texts")
    wanted = rows_of(outputs[stage])
    assert wanted > 0
    assert READERS[name](str(outputs[stage]), tmp_path) == wanted


def test_what_is_hidden_is_there(outputs: dict[str, Path]) -> None:
    """Or the test above shows nothing; each is read where it is named."""
    extract, minhash = outputs["extract"] / ".uzushio", outputs["minhash"] / ".uzushio"
    assert list((extract / "quarantine").glob("*.jsonl.gz"))
    assert pq.read_table(extract / "full-data").num_rows == rows_of(outputs["extract"])
    assert pq.read_table(minhash / "duplicates").num_rows == 9
    assert (outputs["metrics"] / ".uzushio" / "sample.pq").exists()
    assert pq.read_table(outputs["metrics"] / ".uzushio" / "sorted").num_rows == rows_of(outputs["metrics"])
    for folder in outputs.values():
        names = {path.name.partition("=")[0].partition("-")[0] for path in folder.iterdir()}
        assert names <= {".uzushio", "part", "language", "metrics.parquet", "statistics.parquet"}


def test_polars_needs_a_pattern(outputs: dict[str, Path]) -> None:
    """As the documentation says: of a folder, it takes all files, hidden ones too."""
    with pytest.raises(pl.exceptions.PolarsError):
        pl.read_parquet(outputs["minhash"])


OLD = ROOT / "tests" / "program" / "earlier_outputs"


@pytest.fixture(name="old")
def copy_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Outputs of an earlier version, made of `pages.warc.gz` by names without a folder."""
    shutil.copytree(OLD, tmp_path / "old")
    monkeypatch.chdir(tmp_path / "old")
    return tmp_path / "old"


def test_old_outputs_are_read(old: Path) -> None:
    """Documents, statistics with all texts, indexes of documents, metrics, and what is hidden in them."""
    run_uzushio("stats", "documents", "--output", "counted", "--intermediate")
    run_uzushio("merge", "statistics", "counted", "--output", "merged", "--intermediate")
    texts = pq.read_table("merged/.uzushio/intermediate/paragraphs.pq")
    assert set(texts["exactFreq"].to_pylist()) == {
        2 * count for count in pq.read_table("statistics/_intermediate/paragraphs.parquet")["exactFreq"].to_pylist()
    }
    Path("chain.conf").write_text("filters: [{class: DocLength, low: 10}]", encoding="utf-8")
    run_uzushio("filter", "documents", "--stats", "statistics", "--config", "chain.conf", "--output", "passed")
    run_uzushio("filter", "documents", "--metrics", "measured", "--config", "chain.conf", "--output", "again")
    assert pq.read_table("passed").equals(pq.read_table("again"))
    run_uzushio("minhash", "documents", "--against", "distinct", "--verify", "0.7", "--output", "against")
    assert pq.read_table("against").num_rows == 0
    run_uzushio("report", "documents", "statistics", "distinct", "measured", "--output", "report.html")
    assert "この町の図書館には" in Path("report.html").read_text(encoding="utf-8")
    run_uzushio("stats", "documents/_full-data", "--output", "full", code=2)  # which has no texts, but is found
    assert len(pq.read_table("distinct/duplicates/_part-00000.parquet")) == 1


def test_old_outputs_are_checked_and_replaced(old: Path) -> None:
    """A part that lacks is missed; nothing of the old layout is left beside the new."""
    run_uzushio("minhash", "documents", "--verify", "0.7", "--output", "distinct", "--keep", "first", code=2)
    run_uzushio("minhash", "documents", "--verify", "0.7", "--output", "distinct", "--keep", "first", "--overwrite")
    assert sorted(path.name for path in Path("distinct").iterdir()) == [".uzushio", "part-00000.parquet"]
    part = Path("documents/language=ja/part-00000.parquet")
    part.rename("part.parquet")
    assert "_SUCCESS.json lists it" in run_uzushio("stats", "documents", "--output", "counted", code=1).stderr
