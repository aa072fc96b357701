"""The stages on Spark give what the local program gives, row for row."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from documents import variants, write_documents
from language_model import model_file
from on_spark import CHAIN, SPARK_TESTS, OnSpark, assert_same, table_of
from program import CASES, Uzushio, read_json
from warc_builder import CONTAINERS, build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

uzushio_module = pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = SPARK_TESTS


def quarantined(folder: Path) -> list[dict[str, Any]]:
    """What was put aside, in order of place."""
    lines = []
    for path in sorted(folder.rglob("quarantine/*.jsonl.gz")):
        lines += [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    return sorted(lines, key=lambda line: (line["warc"], line["offset"]))


# --- extract ---


def cases_by_options() -> dict[str, list[str]]:
    """The names of the cases of extraction, by their options."""
    found: dict[str, list[str]] = {}
    for path in sorted(CASES.iterdir()):
        case = read_json(path / "case.json")
        options = [*case.get("options", []), *(["--language-model", "MODEL"] if "model" in case else [])]
        found.setdefault(" ".join(options), []).append(path.name)
    return found


@pytest.mark.parametrize(("options", "names"), cases_by_options().items(), ids=lambda value: str(value)[:40])
def test_cases(options: str, names: list[str], uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """The cases of extraction, each in one container, by one run for those of the same options."""
    (tmp_path / "pages").mkdir()
    for name in names:
        case = read_json(CASES / name / "case.json")
        container = case.get("containers", list(CONTAINERS))[0]
        archive = tmp_path / "pages" / f"{name}.{container}"
        archive.write_bytes(build(case["records"], container, case.get("cut", 0)))
        (tmp_path / "model").write_bytes(model_file(case.get("model", {})))
    words = [str(tmp_path / "model") if word == "MODEL" else word for word in options.split()]
    command = ["extract", tmp_path / "pages", *words, "--output"]
    uzushio(*command, tmp_path / "local", "--summary", tmp_path / "local.json")
    summary = on_spark(*command, tmp_path / "spark")
    sums = ("records", "documents", "paragraphs", "text_bytes", "characters")
    for count in (*sums, "rejected", "quarantined", "languages"):
        assert summary[count] == read_json(tmp_path / "local.json")[count]
    assert quarantined(tmp_path / "spark") == quarantined(tmp_path / "local")
    assert_same(tmp_path / "spark", tmp_path / "local", "warc", "offset")


@pytest.mark.every_spark
@pytest.mark.parametrize("form", ["parquet", "jsonl.zst"])
def test_full_data(form: str, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """The same files of the same bytes, and in the mark; a DataFrame's call says where they are to be had."""
    (tmp_path / "pages").mkdir()
    for name in ("charsets", "http", "wet", "media-types"):
        archive = tmp_path / "pages" / f"{name}.warc.gz"
        archive.write_bytes(build(read_json(CASES / name / "case.json")["records"], "warc.gz"))
    command = ["extract", tmp_path / "pages", "--language", "all", f"--full-data={form}", "--output"]
    uzushio(*command, tmp_path / "local", "--summary", tmp_path / "local.json")
    summary = on_spark(*command, tmp_path / "spark")
    assert summary["body_bytes"] == read_json(tmp_path / "local.json")["body_bytes"]
    full = [
        {str(path.relative_to(folder)): path.read_bytes() for path in (folder / ".uzushio/full-data").rglob("part-*")}
        for folder in (tmp_path / "local", tmp_path / "spark")
    ]
    assert full[0] == full[1]
    assert len(full[0]) > 4
    listed = {file["path"]: file["bytes"] for file in read_json(tmp_path / "spark" / ".uzushio/manifest.json")["files"]}
    assert {path: listed[path] for path in full[1]} == {path: len(data) for path, data in full[1].items()}
    assert_same(tmp_path / "spark", tmp_path / "local", "warc", "offset")
    on_spark(*command, tmp_path / "spark")  # is done


def test_full_data_of_a_data_frame(spark: SparkSession) -> None:
    """There is none; the error says what to run instead."""
    from uzushio import spark as on_frames

    with pytest.raises(uzushio_module.UsageError, match="--full-data writes both"):
        on_frames.extract(spark, ["a.warc.gz"], full_data=True)


# --- stats and merge ---


@pytest.mark.every_spark
def test_statistics_are_the_local_programs(
    uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, index, texts, pairs and groups; with few partitions and with many; of parts, merged."""
    from uzushio.spark import _steps

    for part in range(3):
        write_documents(tmp_path / "documents" / f"{part}.parquet", variants(part, 40), row_group_size=20)
    local, options = tmp_path / "local", ["--intermediate", "--debug"]
    uzushio("stats", tmp_path / "documents", "--output", local, *options, "--pairs", tmp_path / "pairs")
    for bits in (1, 4):
        spark, pairs = tmp_path / f"spark-{bits}", tmp_path / f"pairs-{bits}"
        with monkeypatch.context() as patched:
            patched.setattr(_steps, "LEAST_BITS", bits)
            patched.setattr(_steps, "MOST_BITS", bits)
            counts = on_spark("stats", tmp_path / "documents", "--output", spark, *options, "--pairs", pairs)
        assert_same(spark / "statistics.parquet", local / "statistics.parquet", "hash")
        assert_same(
            spark / ".uzushio/intermediate/paragraphs.pq", local / ".uzushio/intermediate/paragraphs.pq", "hash"
        )
        assert_same(pairs / "pairs.parquet", tmp_path / "pairs" / "pairs.parquet", "hash", "otherHash")
        assert (spark / ".uzushio/frequency.index").read_bytes() == (local / ".uzushio/frequency.index").read_bytes()
        groups = sorted((spark / ".uzushio/groups").glob("*.gz"))
        lines = b"".join(gzip.decompress(path.read_bytes()) for path in groups)
        assert lines == gzip.decompress((local / ".uzushio/groups.jsonl.gz").read_bytes())
        known = read_json(local / ".uzushio/manifest.json")["counts"]
        for name in ("documents", "paragraphs", "distinct_paragraphs", "groups", "largest_group", "rows", "text_bytes"):
            assert counts[name] == known[name]
    parts = []
    for part in range(3):
        parts.append(tmp_path / f"part-{part}")
        stage = on_spark if part == 1 else uzushio
        stage("stats", tmp_path / "documents" / f"{part}.parquet", "--output", parts[-1], "--intermediate")
    on_spark("merge", *parts, "--output", tmp_path / "merged", "--intermediate")
    uzushio("merge", *parts, "--output", tmp_path / "merged-locally", "--intermediate")
    for merged in ("merged", "merged-locally"):
        assert_same(tmp_path / merged / "statistics.parquet", local / "statistics.parquet", "hash")


@pytest.mark.parametrize(
    "options",
    [
        ["--groups", "components", "--max-paragraphs", "11"],
        ["--candidates", "simhash", "--rotations", "5", "--window", "2"],
    ],
    ids=" ".join,
)
def test_other_ways_to_the_same_groups(uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, options: list[str]) -> None:
    """Components, and signatures in order, beside what `test_counts_are_those_of_the_data` has."""
    choices = variants(5, 60) + variants(6, 20, 11)
    documents = write_documents(tmp_path / "documents.parquet", choices, row_group_size=30)
    on_spark("stats", documents, "--output", tmp_path / "spark", *options)
    uzushio("stats", documents, "--output", tmp_path / "local", *options)
    assert_same(tmp_path / "spark" / "statistics.parquet", tmp_path / "local" / "statistics.parquet", "hash")


def test_texts_of_all_kinds_are_counted(uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """JSON Lines with bad lines, plain text, texts that are null; and nothing at all."""
    inputs = tmp_path / "inputs"
    write_documents(inputs / "a.parquet", [*variants(1, 5), None])  # type: ignore[list-item]
    (inputs / "b.jsonl").write_text('{"text": "おはようございます"}\nnonsense\n{"other": 1}\n', encoding="utf-8")
    (inputs / "c.txt").write_text("こんにちは\n\nこんにちは\nみなさん\n", encoding="utf-8")
    counts = on_spark("stats", inputs, "--output", tmp_path / "spark", "--intermediate", "--max-bad", "1", code=3)
    uzushio("stats", inputs, "--output", tmp_path / "local", "--intermediate")
    assert_same(tmp_path / "spark" / "statistics.parquet", tmp_path / "local" / "statistics.parquet", "hash")
    assert counts["quarantined"] == read_json(tmp_path / "local" / ".uzushio/manifest.json")["counts"]["quarantined"]
    assert quarantined(tmp_path / "spark") == quarantined(tmp_path / "local")

    nothing = write_documents(tmp_path / "nothing.parquet", [""])
    on_spark("stats", nothing, "--output", tmp_path / "none")
    assert uzushio_module._core.FrequencyIndex.open(str(tmp_path / "none" / ".uzushio/frequency.index")).checksum() != 0


# --- filter and metrics ---


def options_of(corpus: Path) -> list[Any]:
    """What filter and metrics are called with."""
    return [corpus / "documents", "--config", corpus / "chain.conf", "--stats", corpus / "statistics"]


@pytest.mark.every_spark
@pytest.mark.parametrize(
    ("mode", "index"), [("passed", "shared"), ("passed", "join"), ("partitioned", "file"), ("partitioned", "join")]
)
def test_filtering_is_the_local_programs(
    mode: str, index: str, corpus: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path
) -> None:
    """By the index or by join."""
    options = [*options_of(corpus), "--mode", mode]
    uzushio("filter", *options, "--output", tmp_path / "local")
    counts = on_spark("filter", *options, "--output", tmp_path / "spark", "--index", index)
    keys = ["docId", "filter"] if mode == "partitioned" else ["docId"]
    assert_same(tmp_path / "spark", tmp_path / "local", *keys)
    known = read_json(tmp_path / "local" / ".uzushio/manifest.json")["counts"]
    assert {name: counts[name] for name in known} == known


@pytest.mark.parametrize("index", ["file", "join"])
def test_metrics_are_the_local_programs(
    index: str, corpus: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path
) -> None:
    """And documents sorted by one."""
    options = [*options_of(corpus), "--sorted-by", "DocLength"]
    uzushio("metrics", *options, "--output", tmp_path / "local")
    on_spark("metrics", *options, "--output", tmp_path / "spark", "--index", index)
    assert_same(tmp_path / "spark" / "metrics.parquet", tmp_path / "local" / "metrics.parquet", "docId")
    assert_same(tmp_path / "spark" / ".uzushio/sorted", tmp_path / "local" / ".uzushio/sorted", "docId")
    files = sorted((tmp_path / "spark" / ".uzushio/sorted").glob("*.pq"))
    lengths = [value for path in files for value in pq.read_table(path)["DocLength"].to_pylist()]
    tables = []
    for name in ("local", "spark"):
        uzushio("report", tmp_path / name, "--output", tmp_path / f"{name}.html")
        text = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        tables += json.loads(re.findall(r'id="data">(.*?)</script>', text, re.DOTALL)[-1])["metrics"]
    local, spark = tables
    assert (local["sample"], local["chain"], local["total"]) == (spark["sample"], spark["chain"], spark["total"])
    assert (len(local["extracts"]), spark["extracts"]) == (min(400, local["documents"]), [])
    assert lengths == sorted(lengths)
    runs = [read_json(tmp_path / name / ".uzushio/manifest.json")["run"] for name in ("spark", "local")]
    assert runs[0] == runs[1]
    known = ["--metrics", tmp_path / "spark", "--output", tmp_path / "known"]
    assert "computed on Spark" in uzushio("filter", *options_of(corpus), *known, code=2).stderr


def test_shares_are_the_local_programs(
    corpus: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a table of either; without one, an error before anything is read."""
    chain = [
        {"class": "HiraganaRatio"},
        {"class": "DocLength"},
        {"class": "Percentile", "metric": "DocLength", "keep": 0.4},
        {"class": "Ensemble", "metrics": ["HiraganaRatio", "DocLength"], "buckets": 4, "low": 1},
    ]
    config = tmp_path / "shares.conf"
    config.write_text(json.dumps({"filters": chain}), encoding="utf-8")
    options = [corpus / "documents", "--config", config]
    on_spark("filter", *options, "--output", tmp_path / "none", code=2)
    assert "--metrics METRICS" in capsys.readouterr().err
    uzushio("metrics", *options, "--output", tmp_path / "local")
    on_spark("metrics", *options, "--output", tmp_path / "spark")
    uzushio("filter", *options, "--metrics", tmp_path / "local", "--output", tmp_path / "wanted")
    uzushio("filter", *options, "--metrics", tmp_path / "spark", "--output", tmp_path / "mixed")
    assert_same(tmp_path / "mixed", tmp_path / "wanted", "docId")
    filters = manifest_filters(tmp_path / "wanted")
    for table in ("local", "spark"):
        on_spark("filter", *options, "--metrics", tmp_path / table, "--output", tmp_path / f"by-{table}")
        assert_same(tmp_path / f"by-{table}", tmp_path / "wanted", "docId")
        assert manifest_filters(tmp_path / f"by-{table}") == filters
        other = [*options, "--id-column", "text", "--metrics", tmp_path / table, "--output", tmp_path / "other"]
        on_spark("filter", *other, code=2)
        for said in (capsys.readouterr().err, uzushio("filter", *other, code=2).stderr):
            assert "the ids of its documents are those in column 'docId', and those of 'text' are wanted" in said


def manifest_filters(folder: Path) -> Any:
    """The chain of a run, with all that was found for it."""
    return read_json(folder / ".uzushio/manifest.json")["run"]["configuration"]["filters"]


def test_lines_of_json_are_the_local_programs(
    corpus: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path
) -> None:
    """To the byte."""
    for stage, name, more in (
        (uzushio, "local", []),
        (on_spark, "spark", []),
        (on_spark, "joined", ["--index", "join"]),
    ):
        stage("filter", *options_of(corpus), "--format", "jsonl", "--output", tmp_path / name, *more)

    def lines(name: str) -> list[bytes]:
        found = []
        for path in (tmp_path / name).glob("part-*.jsonl.gz"):
            found += pa.input_stream(str(path)).read().splitlines()
        return sorted(found)

    assert lines("joined") == lines("spark") == lines("local") != []


def test_bad_rows_are_put_aside(uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """Texts that are not UTF-8, and lines that are no JSON; the rest goes on, however frequencies are found."""
    texts = pa.array([b"\xe3\x81\x82" * 30, b"\xff\xfe", b"\xe3\x81\x84" * 30])
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    pq.write_table(pa.table({"docId": ["a", "b", "c"], "text": texts}), inputs / "a.parquet")
    (inputs / "b.jsonl").write_text('{"docId": "d", "text": "ううう"}\n{"docId"\n', encoding="utf-8")
    write_documents(tmp_path / "d.parquet", ["あ" * 30])
    uzushio("stats", tmp_path / "d.parquet", "--output", tmp_path / "statistics")
    for index in ("file", "join"):
        output = tmp_path / index
        counts = on_spark(
            "filter", inputs, "--output", output, "--stats", tmp_path / "statistics", "--index", index, "--overwrite"
        )
        uzushio("filter", inputs, "--output", tmp_path / "local", "--overwrite")
        known = read_json(tmp_path / "local" / ".uzushio/manifest.json")["counts"]["quarantined"]
        assert counts["quarantined"] == known
        assert_same(output, tmp_path / "local", "docId")
        assert quarantined(output) == quarantined(tmp_path / "local")


# --- runs ---


@pytest.mark.every_spark
def test_runs_are_committed_whole(on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same run is not done twice, another is refused, one that fails leaves nothing."""
    documents = write_documents(tmp_path / "documents.parquet", variants(1, 5))
    output = tmp_path / "output"
    assert "was_done" not in on_spark("stats", documents, "--output", output)
    assert on_spark("stats", documents, "--output", output)["was_done"]
    on_spark("stats", documents, "--output", output, "--intermediate", code=2)
    assert "holds the output of a run with other inputs" in capsys.readouterr().err
    on_spark("stats", documents, "--output", output, "--intermediate", "--overwrite")
    assert (output / ".uzushio/intermediate").exists()
    assert [path.name for path in tmp_path.glob(".*")] == []

    (output / "_INCOMPLETE").write_text("{}")
    on_spark("merge", output, "--output", tmp_path / "merged", code=2)
    assert "not complete" in capsys.readouterr().err

    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(documents.read_bytes()[:-200] + b"\0" * 192 + b"PAR1....")
    on_spark("stats", damaged, "--output", tmp_path / "never", code=1)
    assert "no readable Parquet file" in capsys.readouterr().err
    content = bytearray(documents.read_bytes())
    content[40:400] = bytes(360)
    damaged.write_bytes(content)
    on_spark("stats", damaged, "--output", tmp_path / "never", code=1)
    told = capsys.readouterr().err.strip()
    assert told.startswith("uzushio: error: ")
    assert "\n" not in told
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["extract", "nowhere.warc.gz"], "nowhere.warc.gz: no such file or folder"),
        (["filter", "nowhere", "--config", "nowhere.conf"], "--config nowhere.conf: no such file"),
        (["filter", "nowhere", "-P", "x"], "-P x: give it as name=value"),
        (["metrics", "nowhere"], "give one of --config FILE and --metric NAME"),
        (["metrics", "nowhere", "--metric", "DocLenght"], "did you mean DocLength?"),
        (["minhash", "nowhere", "--contained", "0.9"], "--contained: Spark does not do this; use uzushio minhash"),
        (["minhash", "nowhere", "--url"], "--url: Spark does not do this; use uzushio minhash"),
    ],
)
def test_wrong_usage_is_one_clear_line(
    arguments: list[str], words: str, on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on the command line."""
    on_spark(*arguments, "--output", tmp_path / "output", code=2)
    assert words in capsys.readouterr().err
    assert not (tmp_path / "output").exists()


def test_options_are_the_command_lines(uzushio: Uzushio) -> None:
    """But for those that Spark answers for."""
    from uzushio.spark.__main__ import new_parser

    local_only = {"--threads", "--progress", "--log-format", "--tmp", "--shard-size", "--explain", "--revisits"}
    local_only |= {"--index", "--plan"}  # the first of extract, and of other stages on Spark something else
    local_only |= {"--contained", "--url", "--url-column", "--max-loss", "--max-loss-least"}
    spark_only = {"--help", "--master", "--conf", "--index", "--single-task-pairs"}
    stages: Any = next(action for action in new_parser()._actions if action.dest == "stage")
    for name, parser in stages.choices.items():
        told = uzushio(name, "--help-all").stdout.split()
        words = [
            part.rstrip(",;.:)").split("=")[0] for word in told if word.startswith("-") for part in word.split(",")
        ]
        local = {word for word in words if word.startswith("--")}
        here = {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
        assert local - local_only == here - spark_only, name


# --- what is lost is made again ---


@pytest.fixture(name="nothing_is_kept")
def make_nothing_kept(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches that have lost everything: what is used twice is made twice, by tasks of other numbers."""
    monkeypatch.setattr(type(spark.range(1)), "persist", lambda frame, *_: frame)


def summary_of(on_spark: OnSpark, *arguments: object) -> dict[str, Any]:
    """A run's whole summary, but for where and how long."""
    return {name: value for name, value in on_spark(*arguments).items() if name not in ("output", "seconds")}


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--single-task-pairs", "20"],
        ["--groups", "components", "--single-task-pairs", "20"],
        ["--candidates", "simhash", "--rotations", "3", "--window", "300"],
    ],
    ids=" ".join,
)
def test_counts_are_those_of_the_data(
    options: list[str], uzushio: Uzushio, on_spark: OnSpark, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """However often something was made; by rounds over the pairs, and by windows that are wider than a range, too."""
    documents = write_documents(tmp_path / "a.parquet", variants(5, 60) + variants(6, 20, 11), row_group_size=30)
    options = ["--intermediate", "--debug", *options]
    kept = summary_of(on_spark, "stats", documents, "--output", tmp_path / "kept", *options)
    request.getfixturevalue("nothing_is_kept")
    more = ["--pairs", tmp_path / "pairs"]
    lost = summary_of(on_spark, "stats", documents, "--output", tmp_path / "lost", *options, *more)
    assert lost == kept
    for path in ("statistics.parquet", ".uzushio/intermediate/paragraphs.pq"):
        assert_same(tmp_path / "kept" / path, tmp_path / "lost" / path, "hash")
    assert lost["near_pairs"] == table_of(tmp_path / "pairs", "hash").num_rows > 0
    known = options[: options.index("--single-task-pairs")] if "--single-task-pairs" in options else options
    uzushio("stats", documents, "--output", tmp_path / "local", *known)
    assert_same(tmp_path / "lost" / "statistics.parquet", tmp_path / "local" / "statistics.parquet", "hash")
    counts = read_json(tmp_path / "local" / ".uzushio/manifest.json")["counts"]
    for name in ("documents", "paragraphs", "distinct_paragraphs", "groups", "largest_group", "rows", "text_bytes"):
        assert lost[name] == counts[name]
    if "--groups" not in options:
        return  # merging has no such options: once is enough
    merged = summary_of(on_spark, "merge", tmp_path / "lost", "--output", tmp_path / "merged")
    assert merged["distinct_paragraphs"] == lost["distinct_paragraphs"]


@pytest.mark.parametrize("stage", ["filter", "metrics"])
def test_answers_find_documents_that_are_read_again(
    stage: str, corpus: Path, uzushio: Uzushio, on_spark: OnSpark, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """By join; none is missed."""
    (tmp_path / "inputs").mkdir()
    shutil.copy(next((corpus / "documents").glob("*.parquet")), tmp_path / "inputs" / "a.parquet")
    (tmp_path / "inputs" / "b.jsonl").write_text('{"docId": "z", "text": "ううう"}\n{"docId"\n', encoding="utf-8")
    options = [tmp_path / "inputs", *options_of(corpus)[1:], "--index", "join"]
    kept = summary_of(on_spark, stage, *options, "--output", tmp_path / "kept")
    request.getfixturevalue("nothing_is_kept")
    lost = summary_of(on_spark, stage, *options, "--output", tmp_path / "lost")
    assert lost == kept
    assert lost["quarantined"] == {"no-json": 1}
    uzushio(stage, *options[:-2], "--output", tmp_path / "local")
    path = "metrics.parquet" if stage == "metrics" else ""
    assert_same(tmp_path / "lost" / path, tmp_path / "local" / path, "docId")


def test_rows_may_come_in_another_order(spark: SparkSession, corpus: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """A DataFrame's documents and their questions are told by what they are, not by where; the same ones twice too."""
    from uzushio import Filter, FilterChain
    from uzushio import spark as on_frames

    rows = spark.read.parquet(str(corpus / "documents")).collect()
    schema = spark.read.parquet(str(corpus / "documents")).schema

    def shuffled(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import random

        for batch in batches:
            order = list(range(batch.num_rows))
            random.Random(os.urandom(8)).shuffle(order)
            yield batch.take(pa.array(order))

    documents = spark.createDataFrame(rows + rows[:7], schema).repartition(3).mapInArrow(shuffled, schema)
    chain = FilterChain(
        [Filter("LargeFreqParagraphs", count=2, freq=100), Filter("DeduplicateDocumentsPercentile", expected=5)]
    )
    found = on_frames.filter(documents, chain, str(corpus / "statistics"), "join", partitioned=True).collect()
    known = on_frames.filter(documents, chain, str(corpus / "statistics"), "file", partitioned=True).collect()
    assert sorted(map(str, found)) == sorted(map(str, known))
    assert len({row["filter"] for row in found}) > 1


def test_options_that_frames_have_not(spark: SparkSession, corpus: Path) -> None:
    """Pairs are a frame of the result; what is no option is told, not passed over."""
    import uzushio.spark as on_frames

    with pytest.raises(TypeError, match="unexpected keyword argument 'pairs'"):
        on_frames.stats(spark.read.parquet(str(corpus / "documents")), pairs="/pairs")


def test_documents_that_change_are_an_error(spark: SparkSession, corpus: Path) -> None:
    """Not documents whose paragraphs have no frequency."""
    from uzushio import Filter, FilterChain
    from uzushio import spark as on_frames

    def changed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import uuid

        for batch in batches:
            yield pa.record_batch(
                {"docId": [uuid.uuid4().hex for _ in range(len(batch))], "text": ["あい\n\nうえ"] * len(batch)}
            )

    documents = spark.range(8).mapInArrow(changed, "docId string, text string")
    chain = FilterChain([Filter("LargeFreqParagraphs", count=2, freq=100)])
    with pytest.raises(Exception, match="the documents were others when they were read a second time"):
        on_frames.filter(documents, chain, str(corpus / "statistics"), "join").collect()


def test_nothing_is_left_behind(spark: SparkSession, on_spark: OnSpark, corpus: Path, tmp_path: Path) -> None:
    """Neither cached data nor files, whether a function returns or raises; runs with one scratch folder do not mix."""
    from uzushio import FilterChain
    from uzushio import spark as on_frames

    def left() -> list[str]:
        assert spark._jsc.getPersistentRDDs().isEmpty()
        return sorted(path.name for path in Path(spark.sparkContext._temp_dir).glob("uzushio-*"))

    documents = spark.read.parquet(str(write_documents(tmp_path / "a.parquet", variants(5, 40))))
    scratch = tmp_path / "scratch"
    in_rounds: dict[str, Any] = {"scratch": str(scratch), "single_task_pairs": 5}
    with (
        on_frames.stats(documents, **in_rounds) as one,
        on_frames.stats(documents.limit(20), **in_rounds) as other,
        on_frames.stats(documents, single_task_pairs=5) as third,
    ):
        assert len(list(scratch.iterdir())) == 2
        assert other.rows.count() < one.rows.count()
        assert sorted(map(tuple, one.rows.collect())) == sorted(map(tuple, third.rows.collect()))
    assert list(scratch.iterdir()) == []
    assert left() == []
    broken = documents.selectExpr("length(text) AS text")
    for some in (in_rounds, {}):
        with pytest.raises(Exception, match="texts are wanted"):
            on_frames.stats(broken, **some)
        assert list(scratch.iterdir()) == []
        assert left() == []
    for stage in ("filter", "metrics"):
        on_spark(stage, *options_of(corpus), "--index", "join", "--output", tmp_path / stage)
    pages = spark.read.parquet(str(corpus / "documents"))
    on_frames.filter(pages, FilterChain([]), str(corpus / "statistics"), "join").count()
    assert left() == []


def test_tasks_write_to_sparks_folders(spark: SparkSession) -> None:
    """Which are on the disks that were meant for it, and go with the executor."""

    def where(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from uzushio.spark.worker import tasks

        for _ in batches:
            yield pa.record_batch({"folder": [tasks.local_folder()]})

    found = spark.range(2, numPartitions=2).mapInArrow(where, "folder string").collect()
    local = str(spark.sparkContext.getConf().get("spark.local.dir"))
    assert len(found) == 2
    assert all(row["folder"].startswith(local) for row in found)


def test_statistics_are_told_by_what_is_in_them(
    uzushio: Uzushio, on_spark: OnSpark, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However they are brought; with an index or without one."""
    statistics = tmp_path / "statistics"
    shutil.copytree(corpus / "statistics", statistics)
    command = ["filter", *options_of(corpus)[:3], "--stats", statistics, "--output", tmp_path / "clean"]
    on_spark(*command, "--index", "join")
    for index in ("join", "file", "shared"):
        assert on_spark(*command, "--index", index)["was_done"]
    shutil.rmtree(statistics)
    uzushio("stats", write_documents(tmp_path / "a.parquet", variants(8, 3)), "--output", statistics)
    for index in ("join", "file", "shared"):
        on_spark(*command, "--index", index, code=2)
        assert "holds the output of a run with other inputs" in capsys.readouterr().err
    (statistics / ".uzushio/frequency.index").unlink()
    command[-1] = tmp_path / "by-rows"
    on_spark(*command, "--index", "join")
    assert on_spark(*command, "--index", "join")["was_done"]
    shutil.rmtree(statistics)
    uzushio("stats", write_documents(tmp_path / "b.parquet", variants(9, 3)), "--output", statistics)
    (statistics / ".uzushio/frequency.index").unlink()
    on_spark(*command, "--index", "join", code=2)
    assert "holds the output of a run with other inputs" in capsys.readouterr().err
    on_spark(*command, "--index", "file", code=2)
    assert "there is no .uzushio/frequency.index" in capsys.readouterr().err


# --- DataFrames ---


@pytest.mark.every_spark
def test_frames(spark: SparkSession, corpus: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """The same from DataFrame to DataFrame."""
    from uzushio import Filter, FilterChain
    from uzushio import spark as on_frames

    documents = spark.read.parquet(str(corpus / "documents")).repartition(5)
    settings = [{name: value for name, value in item.items() if name != "class"} for item in CHAIN]
    chain = FilterChain([Filter(str(item["class"]), **some) for item, some in zip(CHAIN, settings, strict=True)])
    uzushio("filter", *options_of(corpus), "--mode", "partitioned", "--output", tmp_path / "local")
    for index in ("file", "join"):
        kept = on_frames.filter(documents, chain, str(corpus / "statistics"), index, partitioned=True)
        kept.write.partitionBy("filter").parquet(str(tmp_path / f"filtered-{index}"))
        assert_same(tmp_path / f"filtered-{index}", tmp_path / "local", "docId", "filter")
    uzushio("metrics", *options_of(corpus), "--output", tmp_path / "metrics")
    on_frames.metrics(documents, chain, str(corpus / "statistics")).write.parquet(str(tmp_path / "measured"))
    assert_same(tmp_path / "measured", tmp_path / "metrics" / "metrics.parquet", "docId")

    uzushio("stats", corpus / "documents", "--output", tmp_path / "statistics", "--intermediate")
    with on_frames.stats(documents, intermediate=True, text_bytes=1 << 20) as statistics:
        statistics.rows.write.parquet(str(tmp_path / "rows"))
        with on_frames.merge([statistics.texts], intermediate=True) as merged:
            merged.rows.write.parquet(str(tmp_path / "merged"))
    for rows in ("rows", "merged"):
        assert_same(tmp_path / rows, tmp_path / "statistics" / "statistics.parquet", "hash")


@pytest.mark.every_spark
def test_archives_to_frames(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """Documents of WARC files as a DataFrame, and what could not be read."""
    from uzushio import spark as on_frames

    case = read_json(CASES / "damage-junk" / "case.json")
    archive = tmp_path / "input.warc.gz"
    archive.write_bytes(build(case["records"], "warc.gz", 0))
    uzushio("extract", archive, "--output", tmp_path / "local", "--language", "all")
    frame = on_frames.extract(spark, [str(archive)], languages="all", quarantine=str(tmp_path / "spark"))
    frame.write.mode("append").partitionBy("language").parquet(str(tmp_path / "spark"))
    assert_same(tmp_path / "spark", tmp_path / "local", "docId")
    assert quarantined(tmp_path / "spark") == quarantined(tmp_path / "local") != []


@pytest.mark.every_spark
def test_main_content_to_frames(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """Scores and titles, by keyword; the option without its value, on the command line of Spark."""
    from uzushio import UsageError
    from uzushio import spark as on_frames
    from uzushio.spark import __main__ as command_line

    archive = tmp_path / "a.warc"
    archive.write_bytes(build(read_json(CASES / "main-content-marked" / "case.json")["records"], "warc", 0))
    uzushio("extract", archive, "--output", tmp_path / "local", "--main-content", "justext", "--mark-boilerplate")
    frame = on_frames.extract(spark, [str(archive)], main_content="justext", mark_boilerplate=True)
    assert frame.columns[-5:] == ["length", "title", "robots", "license", "language"]
    frame.write.partitionBy("language").parquet(str(tmp_path / "spark"))
    assert_same(tmp_path / "spark", tmp_path / "local", "docId")
    bare = on_frames.extract(spark, [str(archive)], main_content="justext", no_title=True)
    assert not bare.filter(bare.text.startswith("head>h1")).count()
    assert frame.filter(frame.text.startswith("head>h1")).count()
    with pytest.raises(UsageError, match=r"^mark_boilerplate: give main_content, too"):
        on_frames.extract(spark, [str(archive)], mark_boilerplate=True)
    given = ["--output", "o", "--mark-boilerplate"]
    for options, method in ((["--main-content"], "model"), (["--main-content", "justext"], "justext")):
        read = command_line.read_options(["extract", *options, "a.warc", *given])
        assert (read.main_content, read.mark_boilerplate, read.inputs) == (method, True, ["a.warc"])
        assert not read.no_title
        assert command_line.read_options(["extract", *options, "a.warc", *given, "--no-title"]).no_title
    with pytest.raises(UsageError, match="--mark-boilerplate: give --main-content, too"):
        command_line.read_options(["extract", "a.warc", *given])


@pytest.mark.every_spark
def test_japanese_test_to_frames(spark: SparkSession, uzushio: Uzushio, tmp_path: Path) -> None:
    """By keyword; what is wrong is said before a task begins."""
    from uzushio import UsageError
    from uzushio import spark as on_frames

    case = read_json(CASES / "japanese-test-precise" / "case.json")
    archive, model = tmp_path / "a.warc", tmp_path / "model"
    archive.write_bytes(build(case["records"], "warc", 0))
    model.write_bytes(model_file(case["model"]))
    uzushio("extract", archive, "--output", tmp_path / "local", *case["options"], "--language-model", model)
    frame = on_frames.extract(spark, [str(archive)], japanese_test="precise", language_model=model)
    frame.write.partitionBy("language").parquet(str(tmp_path / "spark"))
    assert_same(tmp_path / "spark", tmp_path / "local", "docId")
    with pytest.raises(UsageError, match=r"^japanese_test rapid: needs language_model"):
        on_frames.extract(spark, [str(archive)], japanese_test="rapid")


@pytest.mark.every_spark
def test_batches_are_bounded_by_bytes(spark: SparkSession, on_spark: OnSpark, tmp_path: Path) -> None:
    """Documents of a MiB go through Python a few at a time."""
    from uzushio import FilterChain
    from uzushio import spark as on_frames

    texts = [f"{number:08}" + "あいう" * 116_000 for number in range(150)]
    with pq.ParquetWriter(tmp_path / "d.parquet", pa.schema([("docId", pa.string()), ("text", pa.string())])) as writer:
        for begin in range(0, 150, 10):
            some = texts[begin : begin + 10]
            writer.write_table(pa.table({"docId": [text[:8] for text in some], "text": some}))
    summary = on_spark("filter", tmp_path / "d.parquet", "--output", tmp_path / "kept")
    assert summary["passed"]["documents"] == 150
    documents = spark.read.parquet(str(tmp_path / "d.parquet"))
    assert on_frames.filter(documents, FilterChain([])).count() == 150
