"""`extract --index` on Spark gives what the local program gives, row for row, count for count."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from object_store import serve_store
from on_spark import BRIEF, SPARK_TESTS, OnSpark, as_options, assert_same, table_of
from pages import page
from program import PROGRAM, Uzushio, read_json
from warc_builder import build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

uzushio_module = pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = SPARK_TESTS

ENGLISH = "This is a page about the weather of the coming week, in plain English words. " * 8
Rows = list[dict[str, Any]]


def records(begin: int, count: int) -> list[dict[str, Any]]:
    """Every third page in Japanese; requests and errors between."""
    found: list[dict[str, Any]] = []
    for number in range(begin, begin + count):
        english = {"uri": f"http://example.com/{number}", "body": f"<p>{number} {ENGLISH}</p>"}
        found.append(page(number) if number % 3 == 0 else english)
        if number % 7 == 0:
            found.append({"type": "request", "uri": f"http://example.jp/{number}", "body": "GET /"})
        if number % 11 == 0:
            gone = {"status": "HTTP/1.1 404 Not Found", "body": "<p>gone</p>"}
            found.append({"uri": f"http://example.jp/gone/{number}", **gone})
    return found


@pytest.fixture(name="crawl")
def make_crawl(uzushio: Uzushio, tmp_path: Path) -> Path:
    """Archives of all kinds, one of which is damaged after its index was made, and the index, with its manifest."""
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    kinds = ["warc.gz", "warc", "warc.zst", "warc.lz4", "warc.gz", "warc.gz", "warc.gz", "warc"]
    for part, kind in enumerate(kinds):
        (crawl / f"{part}.{kind}").write_bytes(build(records(100 * part, 30), kind))
    uzushio("index", crawl, "--output", tmp_path / "index")
    damaged = bytearray((crawl / "4.warc.gz").read_bytes())
    for at in range(len(damaged) // 3, len(damaged) // 2):
        damaged[at] ^= 0x55
    (crawl / "4.warc.gz").write_bytes(damaged[: len(damaged) * 9 // 10])
    (crawl / "5.warc.gz").unlink()
    return crawl


def index_rows(folder: Path) -> Rows:
    """The rows of an index."""
    return [row for path in sorted(folder.glob("*.parquet")) for row in pq.ParquetFile(path).read().to_pylist()]


def untrue(rows: Rows) -> Rows:
    """The same rows with some that are wrong, in any way, in no order, and some twice."""
    choose = random.Random(3)
    changes: list[dict[str, Any]] = [
        {"url": "http://example.jp/other"},
        {"fetch_status": 404},
        {"warc_record_length": 11},
        {"warc_record_length": 2**62},
        {"warc_record_length": 0},
        {"warc_record_offset": -1},
        {"warc_record_offset": 2**40},
        {"warc_filename": None},
        {"warc_filename": "none.warc.gz"},
        {"warc_record_offset": None},
    ]
    changed = [
        row | (changes[at % len(changes)] if choose.random() < 0.3 else {}) for at, row in enumerate(rows)
    ] + choose.sample(rows, len(rows) // 10)
    choose.shuffle(changed)
    return changed


def quarantined(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The files of what was put aside, by name."""
    return {
        path.name: [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        for path in (folder / ".uzushio/quarantine").glob("*.jsonl.gz")
    }


def assert_same_runs(spark: Path, local: Path, summary: dict[str, Any], known: dict[str, Any]) -> None:
    """Rows with all their bytes, what was put aside, and every count."""
    if known["documents"] > 0:
        assert_same(spark, local, "warc", "offset")
    assert quarantined(spark) == quarantined(local)
    told = set(known) - {"seconds", "peak_memory_bytes", "threads", "output", "files", "bytes_out"}
    assert {name: summary.get(name) for name in told} == {name: known[name] for name in told}
    assert (
        summary["records"]
        == known["records"]
        == summary["documents"] + sum(sum(summary[why].values()) for why in ("rejected", "quarantined"))
    )
    committed = [read_json(folder / ".uzushio/manifest.json")["counts"] for folder in (spark, local)]
    assert committed[0] == committed[1]


@pytest.mark.every_spark
@pytest.mark.parametrize("table", ["a folder with a manifest", "a folder without one", "true and untrue rows"])
@pytest.mark.parametrize(
    "options",
    [
        ["--language", "all"],
        ["--index-language", "jpn", "--index-status", 200, "--index-gap", "1B"],
        ["--language", "all", "--index-mime", "text/html", "--index-tld", "com,jp", "--part", "2/3"],
    ],
    ids=lambda options: " ".join(map(str, options))[:30],
)
def test_it_is_the_local_programs(
    table: str,
    options: list[Any],
    crawl: Path,
    uzushio: Uzushio,
    on_spark: OnSpark,
    tmp_path: Path,
) -> None:
    """Of archives of all kinds, sound, damaged and missing, and of rows that lie."""
    index = tmp_path / "index"
    if table != "a folder with a manifest":
        index = tmp_path / "tables"
        index.mkdir()
        rows = index_rows(tmp_path / "index")
        rows = untrue(rows) if "untrue" in table else rows
        for part in range(2):
            pq.write_table(pa.Table.from_pylist(rows[part::2]), index / f"{part}.parquet", row_group_size=50)
    command = ["extract", "--index", index, *options, "--output"]
    uzushio(*command, tmp_path / "local", "--summary", tmp_path / "local.json")
    summary = on_spark(*command, tmp_path / "spark")
    known = read_json(tmp_path / "local.json")
    assert known["records"] > 10
    assert known["requests"] > 1
    assert summary["index"] == known["index"]
    assert_same_runs(tmp_path / "spark", tmp_path / "local", summary, known)
    if table == "true and untrue rows" and "--part" not in options:
        assert known["index"]["duplicates"] > 0
        for reason in ("index-url", "index-length", "index-offset", "index-file"):
            assert summary["quarantined"][reason] > 0
    assert "part" not in "".join(path.name for path in tmp_path.iterdir())


def test_parts_are_those_of_the_local_program(crawl: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """Together they have all rows; several tables behind one option, and values as they follow it."""
    tables = sorted((tmp_path / "index").glob("*.parquet"))
    every = []
    for part in (1, 2):
        command = ["extract", "--index", *tables, "--language", "all", f"--part={part}/2", "--output"]
        uzushio(*command, tmp_path / f"local-{part}")
        on_spark(*command, tmp_path / f"spark-{part}")
        assert_same(tmp_path / f"spark-{part}", tmp_path / f"local-{part}", "warc", "offset")
        every += table_of(tmp_path / f"spark-{part}", "docId")["docId"].to_pylist()
    uzushio("extract", "--index", tmp_path / "index", "--language", "all", "--output", tmp_path / "whole")
    assert sorted(every) == table_of(tmp_path / "whole", "docId")["docId"].to_pylist()
    assert not list(crawl.parent.glob(".*"))


@pytest.mark.parametrize("form", ["parquet", "jsonl.zst"])
def test_full_data(form: str, crawl: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """The same files of the same bytes."""
    command = ["extract", "--index", tmp_path / "index", "--language", "all", f"--full-data={form}", "--output"]
    uzushio(*command, tmp_path / "local", "--summary", tmp_path / "local.json")
    summary = on_spark(*command, tmp_path / "spark")
    assert_same_runs(tmp_path / "spark", tmp_path / "local", summary, read_json(tmp_path / "local.json"))
    full = [
        {str(path.relative_to(folder)): path.read_bytes() for path in (folder / ".uzushio/full-data").rglob("part-*")}
        for folder in (tmp_path / "local", tmp_path / "spark")
    ]
    assert full[0] == full[1]
    assert len(full[0]) > len(list(crawl.iterdir()))


@pytest.mark.every_spark
def test_only_the_driver_reads_the_index(
    crawl: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While tasks run the tables are elsewhere. Tasks share out the archives, and what was read is removed."""
    from uzushio.spark import _extract, _run

    index, away = tmp_path / "index", tmp_path / "away"
    tasks: list[Any] = []
    files: list[tuple[str, int]] = []
    write = _extract._write

    def without_tables(output: Any, *arguments: Any) -> Any:
        files.extend(output.storage.files(output.scratch))
        index.rename(away)
        try:
            return write(output, *arguments)
        finally:
            away.rename(index)

    def watched(spark: SparkSession, work: list[Any]) -> Any:
        tasks.extend(work)
        return _run.parallel_tasks(spark, work)

    monkeypatch.setattr(_extract, "_write", without_tables)
    monkeypatch.setattr(_extract, "parallel_tasks", watched)
    uzushio("extract", "--index", index, "--language", "all", "--output", tmp_path / "local")
    summary = on_spark("extract", "--index", index, "--language", "all", "--output", tmp_path / "spark")
    assert_same(tmp_path / "spark", tmp_path / "local", "warc", "offset")
    ((name, size),) = files
    assert name.startswith("index-records-")
    assert size == 40 * summary["records"]
    assert len(tasks) > 3
    assert [archive["index"] for task in tasks for archive in task["archives"]] == list(range(8))
    assert [task["begin"] for task in tasks[1:]] == [task["end"] for task in tasks[:-1]]
    assert tasks[-1]["end"] == summary["records"]
    names = [str(path) for path in (tmp_path / "spark").rglob("*")]
    assert not [name for name in names if "scratch" in name or "index-records" in name]
    assert len(list(crawl.iterdir())) == 7


@pytest.mark.every_spark
def test_runs_by_other_rows_are_other_runs(
    crawl: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second of the same is done; other options, and a table that was written anew, are another run."""
    from uzushio.spark.__main__ import main

    index = tmp_path / "index"
    command = ["extract", "--index", index, "--index-language", "jpn", "--output", tmp_path / "out"]
    first = on_spark(*command)
    assert first["index"]["rows"] > 0
    assert main([str(word) for word in command]) == 0
    assert "was complete already; nothing to do" in capsys.readouterr().err
    again = on_spark(*command)
    assert "index" not in again
    assert again["was_done"]
    assert {name: again[name] for name in ("records", "documents", "requests")} == {
        name: first[name] for name in ("records", "documents", "requests")
    }
    for others in (["--index-tld", "jp"], ["--index-gap", "1B", "--index-base", f"{crawl}/"], ["--part", "1/2"]):
        assert on_spark(*command, *others, code=2) == {}
        assert "holds the output of a run with other inputs or another configuration" in capsys.readouterr().err
    assert on_spark(*command, "--index-gap", "1B")["was_done"]
    uzushio(*command[:-1], tmp_path / "local")
    runs = [read_json(tmp_path / name / ".uzushio/manifest.json")["run"] for name in ("out", "local")]
    of_index = [
        {name: value for name, value in run["configuration"].items() if name.startswith(("index", "part"))}
        for run in runs
    ]
    assert of_index[0] == of_index[1]
    assert of_index[0]["index_language"] == ["jpn"]
    assert of_index[0]["index"][0]["xxh64"]
    assert runs[0]["inputs"] == runs[1]["inputs"] == []
    with (index / "part-00000.parquet").open("ab") as file:
        file.write(b"more")
    on_spark(*command, code=1)
    assert "part-00000.parquet" in capsys.readouterr().err


def test_an_output_does_not_lie_in_the_index(
    crawl: Path, on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor in its folder: another stage would read it as a part of that."""
    assert crawl.exists()
    on_spark("extract", "--index", tmp_path / "index", "--output", tmp_path / "index" / "out", code=2)
    assert f"lies in {tmp_path}/index, which is read" in capsys.readouterr().err
    assert not (tmp_path / "index" / "out").exists()


def test_what_a_failed_attempt_put_aside_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the next attempt puts it aside, too; what is of other parts stays."""
    from uzushio.spark.worker import tasks

    aside, full = ".uzushio/quarantine/{}.jsonl.gz", ".uzushio/full-data/language=ja/{}.pq"

    def put(part: str, *names: str) -> None:
        with tasks.Quarantine(str(tmp_path / "work")).folder(part) as folder:
            for name in names:
                path = Path(folder) / name.format(part)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("x")

    put("part-00000", aside, full)
    put("part-00001", aside, full)
    monkeypatch.setattr(tasks, "is_repeated", lambda: True)
    put("part-00000", full)
    put("part-00002")
    found = sorted(
        str(path.relative_to(tmp_path / "work")) for path in (tmp_path / "work").rglob("*.*") if path.is_file()
    )
    assert found == sorted([full.format("part-00000"), aside.format("part-00001"), full.format("part-00001")])


def test_a_folder_of_the_users_keeps_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever they are called: nothing that a task has not made is removed from it."""
    from uzushio.spark.worker import tasks

    mine = ["documents/language=ja/part-00000.parquet", "part-00000.warc.gz", "quarantine/_part-00000.jsonl.gz"]
    mine += [".uzushio/quarantine/part-00000.jsonl.gz", ".uzushio/full-data/language=ja/part-00000.pq"]
    for name in mine:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.setattr(tasks, "is_repeated", lambda: True)
    with tasks.Quarantine(str(tmp_path), "quarantine/_").folder("part-00000"):
        pass
    assert all((tmp_path / name).exists() for name in mine)


def test_no_rows_are_no_documents(crawl: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path) -> None:
    """All counts are 0, as locally."""
    command = ["extract", "--index", tmp_path / "index", "--index-host", "nowhere.example", "--output"]
    uzushio(*command, tmp_path / "local", "--summary", tmp_path / "local.json")
    summary = on_spark(*command, tmp_path / "spark")
    assert summary["records"] == 0
    assert summary["index"]["table_rows"] > len(list(crawl.iterdir()))
    assert_same_runs(tmp_path / "spark", tmp_path / "local", summary, read_json(tmp_path / "local.json"))


def test_the_base_stands_before_names(
    uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without it the driver says what is missing, unless bad records are allowed; nothing leads out of it."""
    crawl = tmp_path / "store" / "crawl"
    crawl.mkdir(parents=True)
    (crawl / "a 100%.warc.gz").write_bytes(build([page(number) for number in range(3)], "warc.gz"))
    shutil.copy(crawl / "a 100%.warc.gz", tmp_path / "secret.warc.gz")
    uzushio("index", crawl, "--output", tmp_path / "index")
    rows = [{**row, "warc_filename": "crawl/a 100%.warc.gz"} for row in index_rows(tmp_path / "index")]
    table = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_pylist([*rows, {**rows[0], "warc_filename": "../secret.warc.gz"}]), table)
    command = ["extract", "--index", table, "--output"]
    on_spark(*command, tmp_path / "spark", code=2)
    said = capsys.readouterr().err
    local = uzushio(*command, tmp_path / "local", code=2).stderr
    assert "--index-base is what stands before their names" in said
    assert said.strip() == local.strip()
    assert not [path for path in tmp_path.iterdir() if "spark" in path.name]
    bad = on_spark(*command, tmp_path / "bad", "--max-bad", 3, code=3)
    assert bad["quarantined"] == {"index-file": 4}
    relative = os.path.relpath(tmp_path / "store")
    for number, base in enumerate((f"{tmp_path}/store/", f"{relative}/", f"file://{tmp_path}/store/")):
        out = [tmp_path / f"{where}-{number}" for where in ("local", "spark")]
        uzushio(*command, out[0], "--index-base", base, "--summary", tmp_path / "local.json")
        summary = on_spark(*command, out[1], "--index-base", base)
        assert summary["quarantined"] == {"index-file": 1}
        assert_same_runs(out[1], out[0], summary, read_json(tmp_path / "local.json"))


def test_archives_and_tables_that_change(
    crawl: Path, on_spark: OnSpark, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """While they are read: the run fails, and nothing is committed."""
    from uzushio.spark import _extract

    write = _extract._write
    table = tmp_path / "index" / "part-00000.parquet"

    def changed(*arguments: Any) -> Any:
        counts = write(*arguments)
        times = table.stat()
        os.utime(table, ns=(times.st_atime_ns, times.st_mtime_ns + 10**9))
        return counts

    monkeypatch.setattr(_extract, "_write", changed)
    on_spark("extract", "--index", tmp_path / "index", "--output", tmp_path / "out", code=1)
    assert str(table) in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

    # An archive, as a task reads it.
    core = uzushio_module._core
    rows = [row for row in index_rows(tmp_path / "index") if row["warc_filename"].endswith("0.warc.gz")]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    tables = core.IndexTables([tmp_path / "t.parquet"], "{}")
    places = json.dumps({"base": "", "folder": "", "root": ""})
    tables.read(tmp_path, 256 << 20, places)
    (archive,) = json.loads(tables.archives())
    (tmp_path / "records").write_bytes(tables.records(archive["first"], archive["count"]))
    options = json.dumps({"language": ["all"]})
    archives = core.IndexedArchives(str(tmp_path / "records"), 0, archive["count"], options, places, 1)
    documents = archives.open(json.dumps(archive | {"index": 0, "first": 0}), tmp_path / "aside", "")
    while documents.next_batch(1) is not None:
        pass
    assert json.loads(documents.counts())["records"] == len(rows)
    archives.check_unchanged()
    os.utime(crawl / "0.warc.gz", ns=(0, 0))
    with pytest.raises(uzushio_module.Error, match=r"0\.warc\.gz"):
        archives.check_unchanged()


def test_executors_paths(
    crawl: Path, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a cluster executors work in folders of their own: archives, tables and the base get whole paths."""
    from uzushio.spark import _session

    monkeypatch.setattr(_session, "is_local", lambda _: False)
    rows = index_rows(tmp_path / "index")
    for number, before in enumerate(("", f"{os.path.relpath(tmp_path)}/crawl/")):
        folder = "" if before else f"{os.path.relpath(crawl)}/"
        named = [{**row, "warc_filename": folder + Path(row["warc_filename"]).name} for row in rows]
        table = tmp_path / f"{number}.parquet"
        pq.write_table(pa.Table.from_pylist(named), table)
        command = ["extract", "--index", os.path.relpath(table), *(["--index-base", before] if before else [])]
        uzushio(*command, "--output", tmp_path / f"local-{number}")
        summary = on_spark(*command, "--output", tmp_path / f"spark-{number}")
        local = table_of(tmp_path / f"local-{number}", "warc", "offset")
        spark = table_of(tmp_path / f"spark-{number}", "warc", "offset")
        assert summary["documents"] == local.num_rows > 0
        names = [str(Path(name).absolute()) for name in local["warc"].to_pylist()]
        assert spark["warc"].to_pylist() == names
        assert spark.drop_columns("warc").equals(local.drop_columns("warc"))


def test_on_a_store(tmp_path: Path) -> None:
    """The tables and the archives; keys that URIs have open them on executors, too, and are told nobody."""
    with serve_store() as store:
        for part in range(3):
            store.put(f"crawl/{part} +%41.warc.gz", build(records(100 * part, 20), "warc.gz"))
        store.run(PROGRAM, "index", "s3://store/crawl", "--output", "s3://store/whole")
        key, secret = (store.environment.pop(f"AWS_{name}") for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"))
        given = f"s3://{key}:{secret}@store"
        store.run(PROGRAM, "extract", f"{given}/crawl", "--language", "all", "--output", tmp_path / "whole")
        (row, *_) = rows = index_rows(store.copy("whole", tmp_path / "index"))
        assert row["warc_filename"] == "s3://store/crawl/0 +%2541.warc.gz"
        relative = [row | {"warc_filename": f"crawl/{row['warc_filename'][17]} +%41.warc.gz"} for row in rows]
        pq.write_table(pa.Table.from_pylist(relative), tmp_path / "t.parquet")
        store.put("tables/t.parquet", (tmp_path / "t.parquet").read_bytes())
        store.environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "SPARK_LOCAL_IP": "127.0.0.1"}
        command = ["extract", "--index", f"{given}/tables", "--index-base", f"{given}/", "--language", "all"]
        summary = ["--summary", tmp_path / "summary.json", "--output", tmp_path / "spark"]
        on_spark = [
            sys.executable,
            "-m",
            "uzushio.spark",
            *command,
            *summary,
            "--master",
            "local[2]",
            *as_options(BRIEF),
        ]
        said = [store.run(*on_spark), store.run(*on_spark)]
        assert "was complete already" in said[-1]
        assert_same(tmp_path / "spark", tmp_path / "whole", "warc", "offset")
        counts = read_json(tmp_path / "summary.json")
        assert counts["records"] == len(rows)
        assert counts["requests"] > 3
        said += [path.read_text(encoding="utf-8") for path in (tmp_path / "spark").rglob("*.json")]
        assert not [text for text in said if secret in text]


def test_little_memory_gives_the_same(tmp_path: Path) -> None:
    """Rows of two archives that are sorted in runs, on the driver's disk."""
    count, plans = 900_000, []
    table = pa.table(
        {
            "warc_filename": ["b.warc", "a.warc"] * (count // 2),
            "warc_record_offset": pa.array(range(count, 0, -1), pa.int64()),
            "warc_record_length": pa.array([7] * count, pa.int64()),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=100_000)
    for memory in (80 << 20, 2 << 30):
        tables = uzushio_module._core.IndexTables([tmp_path / "t.parquet"], "{}")
        tables.read(tmp_path, memory, json.dumps({"base": "", "folder": "", "root": ""}))
        archives = json.loads(tables.archives())
        records = [tables.records(one["first"], one["count"]) for one in archives]
        plans.append(
            [(one["name"], one["count"], one["bytes"], data) for one, data in zip(archives, records, strict=True)]
        )
        assert json.loads(tables.counts()) == {
            "table_rows": count, "skipped_rows": 0, "rows": count, "duplicates": 0
        }  # fmt: skip
    assert [plan[:3] for plan in plans[0]] == [(name, count // 2, 7 * count // 2) for name in ("a.warc", "b.warc")]
    without_file = [[data[at + 4 : at + 40] for at in range(0, 400_000, 40)] for *_, data in plans[0]]
    assert without_file == [[data[at + 4 : at + 40] for at in range(0, 400_000, 40)] for *_, data in plans[1]]
    assert list(tmp_path.iterdir()) == [tmp_path / "t.parquet"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--output", "o"], "extract: missing INPUT, WARC files, folders or globs; or give --index TABLE"),
        (["a.warc", "--index", "t.parquet", "--output", "o"], "--index says which files are read; 'a.warc' beside it"),
        (["a.warc", "--index-language", "jpn", "--output", "o"], "need --index, a table of the records to read"),
        (["a.warc", "--part", "1/2", "--output", "o"], "need --index, a table of the records to read"),
        (["--index", "t.parquet", "--part", "3/2", "--output", "o"], "--part: '3/2' is no part"),
        (["--index", "t.parquet", "--index-from", "today", "--output", "o"], "--index-from: 'today' is no time"),
        (["--index", "t.parquet", "--index-host", ".", "--output", "o"], "--index-host: an empty name"),
        (["--index", "t.parquet", "--plan", "--output", "o"], "--plan: Spark does not do this; use uzushio extract"),
    ],
)
def test_wrong_arguments(options: list[str], said: str) -> None:
    """Are told before Spark starts; in the words of the local program."""
    from uzushio.spark.__main__ import read_options

    with pytest.raises(uzushio_module.UsageError) as error:
        read_options(["extract", *options])
    assert said in str(error.value)


def test_options_of_an_index() -> None:
    """Several values behind one option, or the option several times."""
    from uzushio.spark.__main__ import read_options

    read = read_options(
        ["extract", "--index", "a", "b", "--index-status", "200", "404", "--index-language=jpn,eng", "--index=c",
         "--output", "o"]
    )  # fmt: skip
    assert read.index == ["a", "b", "c"]
    assert read.index_status == [200, 404]
    assert read.index_language == ["jpn", "eng"]
    assert (read.index_gap, read.part, read.index_base, read.inputs) == (64 << 10, None, None, [])
    assert read_options(["extract", "--output", "o", "a.warc", "b.warc"]).inputs == ["a.warc", "b.warc"]
    assert read_options(["extract", "a.warc", "--output", "o"]).inputs == ["a.warc"]
