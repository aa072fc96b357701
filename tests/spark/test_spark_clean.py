"""`clean` on Spark: the same documents as the local program's, whatever is compared."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from on_spark import SPARK_TESTS, OnSpark, assert_same
from program import Uzushio, read_json

pytestmark = [*SPARK_TESTS, pytest.mark.every_spark]

THREE: list[dict[str, Any]] = [
    {"class": "SplitIntoSentence"},
    {"class": "DeduplicateElement"},
    {"class": "ConcatShortSentence"},
    {"class": "DeduplicateElement"},
    {"class": "FilterBySentenceLength", "min": 4},
    {"class": "DeduplicateElement"},
]


def documents(count: int) -> list[str]:
    """Texts of sentences, many of which others have too."""
    chance = random.Random(17)
    return [
        "\n".join(
            f"文{chance.randrange(900)}番目の文です。{'短い。' * chance.randrange(3)}"
            for _ in range(chance.randrange(12))
        )
        for _ in range(count)
    ]


@pytest.fixture(name="texts")
def make_texts(tmp_path: Path) -> Path:
    """Four texts: one is compressed, one is empty, one has bytes that are no UTF-8."""
    folder = tmp_path / "texts"
    folder.mkdir()
    made = documents(900)
    (folder / "a.txt").write_text("\n\n".join(made[:400]), encoding="utf-8")
    (folder / "b.txt.gz").write_bytes(gzip.compress("\n\n".join(made[400:700]).encode()))
    (folder / "c.txt").write_text("\n\n")
    (folder / "d.txt").write_bytes("\n\n".join(made[700:]).encode() + b"\n\n\xff\xfe\n\n" + made[0].encode())
    return folder


def text_of(folder: Path) -> str:
    """What the files of a folder have, one after another; each is called as the local program calls it."""
    files = sorted(path.name for path in folder.glob("*.txt"))
    assert files == [f"part-{number:05}.txt" for number in range(len(files))]
    return "".join((folder / name).read_text("utf-8") for name in files)


def counts_of(folder: Path) -> Any:
    """What was counted; names of stages aside."""
    counts = read_json(folder / ".uzushio/manifest.json")["counts"]
    return {name: counts[name] for name in ("input", "passed", "empty", "removed", "quarantined")}


def config(tmp_path: Path, stages: list[dict[str, Any]], **more: Any) -> Path:
    """A configuration."""
    path = tmp_path / "clean.conf"
    path.write_text(json.dumps({"stages": stages, **more}), encoding="utf-8")
    return path


@pytest.mark.parametrize("stages", [THREE, []], ids=["compared", "nothing"])
def test_texts(stages: list[dict[str, Any]], texts: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """Documents are in the order of the input; what repeats is told by the first of all files."""
    chosen = ("--config", config(tmp_path, stages), "--output-delimiter", r"\n--\n", "--output-element-delimiter", "|")
    uzushio("clean", texts, "--output", tmp_path / "local", *chosen)
    summary = on_spark("clean", texts, "--output", tmp_path / "spark", *chosen)
    assert text_of(tmp_path / "spark") == text_of(tmp_path / "local")
    assert counts_of(tmp_path / "spark") == counts_of(tmp_path / "local")
    assert summary["quarantined"] == {"no-utf8": 1}
    assert not (tmp_path / "spark" / "_scratch").exists()
    assert on_spark("clean", texts, "--output", tmp_path / "spark", *chosen)["was_done"]


def test_partitions_of_texts(texts: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """All documents, by what removed them."""
    stages: list[dict[str, Any]] = [{"class": "SplitIntoSentence"}, {"class": "RemoveShortDocument", "min": 5}]
    chosen = ("--config", config(tmp_path, stages), "--mode", "partitioned")
    uzushio("clean", texts, "--output", tmp_path / "local", *chosen)
    on_spark("clean", texts, "--output", tmp_path / "spark", *chosen)
    folders = sorted(path.name for path in (tmp_path / "local").glob("filter=*"))
    assert len(folders) == 2
    for folder in folders:
        local, spark = (sorted(text_of(tmp_path / side / folder).split("\n\n")) for side in ("local", "spark"))
        assert spark == local


@pytest.mark.parametrize("preset", ["chitra", "rmTemplate", "sudachiDictCorpus"])
def test_presets(preset: str, uzushio: Uzushio, on_spark: OnSpark, dictionary: Path, tmp_path: Path) -> None:
    """Parquet with other columns, to lines of JSON, and to Parquet."""
    table = pa.table({"number": range(600), "body": documents(600)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    (tmp_path / "words.txt").write_text("文八\n", encoding="utf-8")
    words = ("-P", f"ng_words={tmp_path / 'words.txt'}", "-P", f"sudachi={dictionary}") if preset == "chitra" else ()
    formats = (*words, "--input-column", "body", "--output-column", "clean", "--output-format")
    for name in ("jsonl", "parquet"):
        chosen = ("clean", tmp_path / "a.parquet", "--config", preset, *formats, name, "--output")
        uzushio(*chosen, tmp_path / f"local-{name}")
        on_spark(*chosen, tmp_path / f"spark-{name}")
    assert_same(tmp_path / "spark-parquet", tmp_path / "local-parquet", "number")
    spark, local = (sorted((tmp_path / f"{side}-jsonl").glob("*.jsonl.gz")) for side in ("spark", "local"))
    unpacked = [b"".join(gzip.decompress(path.read_bytes()) for path in side) for side in (spark, local)]
    assert unpacked[0] == unpacked[1] != b""


def test_filters_that_compare(uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """They stand in chains of `filter`, too; not where documents are told their frequencies by join."""
    pq.write_table(pa.table({"docId": [str(n) for n in range(300)], "text": documents(300)}), tmp_path / "a.parquet")
    (tmp_path / "f.conf").write_text(json.dumps({"filters": THREE}), encoding="utf-8")
    chosen = ("filter", tmp_path / "a.parquet", "--config", tmp_path / "f.conf", "--output")
    uzushio(*chosen, tmp_path / "local")
    on_spark(*chosen, tmp_path / "spark")
    assert_same(tmp_path / "spark", tmp_path / "local", "docId")
    on_spark(*chosen, tmp_path / "joined", "--index", "join", code=2)
    on_spark("metrics", *chosen[1:], tmp_path / "metrics", code=2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "FilterBySentenceLength.mx=3"], "did you mean max?"),
        (["--config", "rmTemplate", "--output-format", "jsonl.zst"], "Spark does not write jsonl.zst"),
        (["--config", "rmTemplate", "--output-delimiter", ""], "output.delimiter: is empty"),
        (["--input-column", "no", "--input-format", "parquet"], "no"),
        (["--config", "chitr"], "chitra"),
    ],
)
def test_mistakes(
    options: list[str], said: str, texts: Path, on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are said as the local program says them, and nothing is written."""
    on_spark("clean", texts, "--output", tmp_path / "out", *options, code=2)
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
