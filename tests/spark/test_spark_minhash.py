"""`minhash` on Spark: what the local program keeps, and its index, byte for byte."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from on_spark import SPARK_TESTS, OnSpark, assert_same
from program import Uzushio, read_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_TESTS


def near_texts(seed: int, count: int) -> list[str]:
    """Texts of which many are like one before; some are the same, some empty."""
    source = random.Random(seed)
    letters = "あいうえおかきくけこ漢字仮名交じり文章。"
    texts: list[str] = []
    for _ in range(count):
        kind = source.random()
        if texts and kind < 0.5:
            text = list(source.choice(texts))
            for _ in range(source.choice([0, 1, 1, 2, 20])):
                text.insert(source.randrange(len(text) + 1), source.choice(letters))
            texts.append("".join(text))
        elif kind < 0.55:
            texts.append("")
        else:
            texts.append("".join(source.choices(letters, k=source.randrange(1, 400))))
    return texts


def write_documents(folder: Path, seed: int, count: int = 400, first: int = 0, milliseconds: bool = False) -> Path:
    """Parquet files, with bad texts and dates that are the same, or missing."""
    source = random.Random(seed)
    folder.mkdir()
    texts = near_texts(seed, count)
    ids = [f"{source.randrange(3):06d}-{first + n:04d}" for n in range(count)]
    dates = [source.choice([None, "2023-01-01T00:00:00", "2024-05-01T01:02:03"]) for _ in range(count)]
    third = count // 3
    for part in range(2):
        rows = slice(part * third, (part + 1) * third)
        data = [text.encode() for text in texts[rows]]
        data[5] = b"\xff\xfe no text"
        columns = {"docId": ids[rows], "date": pa.array(dates[rows], pa.string()), "text": pa.array(data, pa.binary())}
        table = pa.table(columns)
        text = pa.Array.from_buffers(pa.string(), third, table["text"].chunk(0).buffers())
        table = table.set_column(2, "text", text)
        table = table.append_column("docid", pa.array(range(third), pa.int64()))  # not docId
        if milliseconds:
            times = pa.array([None, *range(1, third)], pa.timestamp("ms", "Asia/Tokyo"))
            table = table.append_column("at", times)
        pq.write_table(table, folder / f"{part}.parquet", row_group_size=50)
    return folder


def write_lines(folder: Path, seed: int, count: int = 150, first: int = 0) -> Path:
    """The same as lines, one of which is none."""
    source = random.Random(seed)
    folder.mkdir()
    rows: list[dict[str, Any]] = [
        {"docId": f"{first + n:04d}", "date": source.choice(["2023-01-01", "2022-01-01"]), "text": text}
        for n, text in enumerate(near_texts(seed, count))
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    lines[7] = "{no json"
    (folder / "a.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def assert_alike(spark: Path, local: Path) -> None:
    """The same documents, duplicates, index and counts."""
    counts, expected = (read_json(folder / ".uzushio/manifest.json")["counts"] for folder in (spark, local))
    assert counts == expected
    for name in ("documents", "ids", "buckets", "index.json"):
        assert (spark / ".uzushio/minhash" / name).read_bytes() == (local / ".uzushio/minhash" / name).read_bytes()
    for name in ("texts", "text_places"):
        assert (spark / ".uzushio/minhash" / name).exists() == (local / ".uzushio/minhash" / name).exists()
        if (local / ".uzushio/minhash" / name).exists():
            assert (spark / ".uzushio/minhash" / name).read_bytes() == (local / ".uzushio/minhash" / name).read_bytes()
    if "kept" in counts:
        assert_same(spark, local, "docId")  # those that are kept: readers pass over the others
        assert rows_of(spark / ".uzushio/duplicates") == rows_of(local / ".uzushio/duplicates")


def rows_of(duplicates: Path) -> list[dict[str, Any]]:
    """In order of ids."""
    rows: list[dict[str, Any]] = []
    for file in duplicates.glob("*.pq"):
        rows += pq.read_table(file).to_pylist()
    return sorted(rows, key=lambda row: str(row["docId"]))


@pytest.mark.parametrize(
    "options",
    [
        ("--keep", "longest", "-r", 3, "--minhash-b", 4, "--ngram", 3, "--skip-verify"),
        ("--keep", "first", "--verify", 0.7),
    ],
    ids=["longest", "verified"],
)
def test_minhash_is_the_programs(
    on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path, options: tuple[object, ...]
) -> None:
    """Documents of several files and groups of rows, with bad texts."""
    inputs = (write_documents(tmp_path / "documents", 1), write_lines(tmp_path / "lines", 2, first=1000))
    common = ("minhash", *inputs, *options, "--output")
    uzushio(*common, tmp_path / "local")
    on_spark(*common, tmp_path / "spark")
    assert_alike(tmp_path / "spark", tmp_path / "local")
    assert len(rows_of(tmp_path / "spark" / ".uzushio/duplicates")) > 50
    assert read_json(tmp_path / "spark" / ".uzushio/manifest.json")["counts"]["quarantined"] == {
        "no-json": 1,
        "no-utf8": 2,
    }
    assert on_spark(*common, tmp_path / "spark")["was_done"]


def test_plain_text(on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path) -> None:
    """Documents parted by empty lines, in a part of a file each."""
    text = "\n\n".join(f"{'同じ文書です。' * 9}\n{'別の文。' * (n % 7)}" for n in range(40))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    common = ("minhash", tmp_path / "a.txt", "--keep", "first", "--output")
    uzushio(*common, tmp_path / "local")
    on_spark(*common, tmp_path / "spark")
    texts = [pq.read_table(tmp_path / run)["text"].to_pylist() for run in ("local", "spark")]
    assert texts[0] == texts[1]
    assert 0 < len(texts[0]) < 40


@pytest.mark.parametrize("layout", ["duplicates", "dedup-dup"])
def test_texts_are_compared(on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path, dictionary: Path, layout: str) -> None:
    """By edits of Sudachi's tokens and, in the older tool's places, of characters."""
    inputs = (write_documents(tmp_path / "documents", 5), write_lines(tmp_path / "lines", 6, first=1000))
    sudachi = ("--mode", "B", "--sudachi", dictionary, "--buckets", 30, "--values", 3)
    options = sudachi if layout == "duplicates" else ("--edit-similarity", 0.85, "--layout", layout)
    common = ("minhash", *inputs, *options, "--output")
    uzushio(*common, tmp_path / "local")
    on_spark(*common, tmp_path / "spark")
    if layout == "duplicates":
        assert_alike(tmp_path / "spark", tmp_path / "local")
        assert len(rows_of(tmp_path / "spark" / ".uzushio/duplicates")) > 20
        return
    for folder in ("dedup", "dup"):
        rows: list[list[str]] = []
        for run in ("spark", "local"):
            files = (tmp_path / run / folder).glob("*.parquet")
            rows.append(sorted(str(row) for file in files for row in pq.read_table(file).to_pylist()))
        assert rows[0] == rows[1]
        assert len(rows[0]) > 20


def test_spark_reads_the_rows_and_nothing_else(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """As other programs do (tests/python/test_other_readers.py)."""
    texts = near_texts(5, 60)
    documents = pa.table({"docId": [str(number) for number in range(len(texts))], "text": texts})
    pq.write_table(documents, tmp_path / "documents.parquet")
    uzushio("minhash", tmp_path / "documents.parquet", "--output", tmp_path / "out", "--keep", "first")
    counts = read_json(tmp_path / "out" / ".uzushio/manifest.json")["counts"]
    assert 0 < counts["kept"] < counts["documents"]
    for options in ({}, {"recursiveFileLookup": "true"}):
        assert spark.read.options(**options).parquet(str(tmp_path / "out")).count() == counts["kept"]


def test_other_indexes(on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path) -> None:
    """Documents of other runs lead; those of an index that Spark has written, too."""
    parts = [write_documents(tmp_path / f"documents{seed}", seed % 2, first=1000 * seed) for seed in range(4)]
    on_spark("minhash", parts[0], "--skip-verify", "--output", tmp_path / "old", "--index-only")
    uzushio("minhash", parts[1], "--output", tmp_path / "older")
    uzushio("minhash", parts[2], "--skip-verify", "--output", tmp_path / "part", "--index-only")
    indexes = ("--against", tmp_path / "old", "--against", tmp_path / "older", "--beside", tmp_path / "part")
    common = ("minhash", parts[3], "--skip-verify", *indexes, "--output")
    uzushio(*common, tmp_path / "local")
    on_spark(*common, tmp_path / "spark")
    assert_alike(tmp_path / "spark", tmp_path / "local")
    assert read_json(tmp_path / "spark" / ".uzushio/manifest.json")["counts"]["duplicates_of_other_indexes"] > 0
    beside = ("minhash", parts[2], "--skip-verify", "--beside", tmp_path / "part", "--output")
    on_spark(*beside, tmp_path / "no", code=2)
    on_spark("minhash", parts[3], "--against", tmp_path / "none", "--output", tmp_path / "no", code=2)
    on_spark("minhash", parts[3], "--verify", 0.9, "--against", tmp_path / "old", "--output", tmp_path / "no", code=2)
    on_spark("minhash", parts[3], "--skip-verify", "--against", "hdfs://n/old", "--output", tmp_path / "no", code=2)
    assert not (tmp_path / "no").exists()
    other_rule = ("minhash", parts[3], "--skip-verify", "--keep", "first", *indexes[:4], "--output")
    uzushio(*other_rule, tmp_path / "local-first")
    on_spark(*other_rule, tmp_path / "spark-first")
    assert_alike(tmp_path / "spark-first", tmp_path / "local-first")


def test_texts_of_other_indexes(on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path) -> None:
    """Compared like those of the run itself; what Spark writes of them, the program reads."""
    parts = [write_documents(tmp_path / f"documents{seed}", seed % 2, first=1000 * seed) for seed in range(3)]
    verify = ("--verify", 0.7)
    on_spark("minhash", parts[0], *verify, "--output", tmp_path / "old", "--index-only")
    uzushio("minhash", parts[1], *verify, "--output", tmp_path / "part", "--index-only")
    common = ("minhash", parts[2], *verify, "--against", tmp_path / "old", "--beside", tmp_path / "part", "--output")
    uzushio(*common, tmp_path / "local")
    on_spark(*common, tmp_path / "spark")
    assert_alike(tmp_path / "spark", tmp_path / "local")
    assert read_json(tmp_path / "spark" / ".uzushio/manifest.json")["counts"]["duplicates_of_other_indexes"] > 0


def test_nothing_to_compare(on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path) -> None:
    """No documents at all."""
    schema = pa.schema([("docId", pa.string()), ("date", pa.string()), ("text", pa.string())])
    pq.write_table(schema.empty_table(), tmp_path / "none.parquet")
    uzushio("minhash", tmp_path / "none.parquet", "--output", tmp_path / "local")
    on_spark("minhash", tmp_path / "none.parquet", "--output", tmp_path / "spark")
    assert_alike(tmp_path / "spark", tmp_path / "local")


def test_times(on_spark: OnSpark, uzushio: Uzushio, tmp_path: Path) -> None:
    """Spark has microseconds only: what is kept are these, of the same times."""
    documents = write_documents(tmp_path / "documents", 3, 90, milliseconds=True)
    common = ("minhash", documents, "--date-column", "at", "--output")
    uzushio(*common, tmp_path / "local")
    on_spark(*common, tmp_path / "spark")
    local = pq.read_table(tmp_path / "local" / "part-00000.parquet")
    spark = pa.concat_tables(pq.read_table(file) for file in sorted((tmp_path / "spark").glob("part*.parquet")))
    places = local.schema.get_field_index("at")
    assert local.schema.field("at").type.unit == "ms"
    found = {row["docId"]: row["at"] for row in spark.to_pylist()}
    times = local.set_column(places, "at", local["at"].cast(pa.timestamp("us", "UTC")))
    assert found == {row["docId"]: row["at"] for row in times.to_pylist()}
    pq.write_table(pa.table({"text": ["x"], "at": pa.array([1], pa.timestamp("ns"))}), tmp_path / "ns.parquet")
    on_spark("minhash", tmp_path / "ns.parquet", "--date-column", "at", "--output", tmp_path / "no", code=2)
