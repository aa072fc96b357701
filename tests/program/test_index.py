"""`uzushio index`, and `uzushio extract --index`: the records that an index names, beside reading whole files."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pages import page
from program import Uzushio, read_documents, read_json
from warc_builder import build

ENGLISH = "This is a page about the weather of the coming week, in plain English words. " * 8
Rows = list[dict[str, Any]]


def foreign(number: int) -> dict[str, Any]:
    """A page in English."""
    return {"uri": f"http://example.com/{number}", "body": f"<p>{number} {ENGLISH}</p>"}


def mixed(begin: int, count: int) -> list[dict[str, Any]]:
    """Every fifth page in Japanese; requests, errors and other types between."""
    records: list[dict[str, Any]] = []
    for number in range(begin, begin + count):
        records.append(page(number) if number % 5 == 0 else foreign(number))
        if number % 7 == 0:
            records.append({"type": "request", "uri": f"http://example.jp/{number}", "body": "GET /"})
        if number % 11 == 0:
            gone = {"status": "HTTP/1.1 404 Not Found", "body": "<p>gone</p>"}
            records.append({"uri": f"http://example.jp/gone/{number}", **gone})
        if number % 13 == 0:
            image = {"http": [["Content-Type", "image/png"]], "base64": "iVBORw0KGgo="}
            records.append({"uri": f"http://example.jp/{number}.png", **image})
    return records


@pytest.fixture(name="crawl", params=["warc.gz", "warc", "warc.zst", "warc.lz4"])
def make_crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of archives."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    for part in range(3):
        (folder / f"{part}.{request.param}").write_bytes(build(mixed(100 * part, 60), request.param))
    return folder


def index_rows(folder: Path) -> Rows:
    """The rows of an index."""
    return [row for path in sorted(folder.glob("*.parquet")) for row in pq.ParquetFile(path).read().to_pylist()]


def write_index(rows: Rows, path: Path, **options: Any) -> None:
    """Such rows as a table, with Common Crawl's types."""
    pq.write_table(pa.Table.from_pylist(rows), path, **options)


def places(rows: Rows) -> list[tuple[str, int]]:
    """Where records lie."""
    return [(row["warc"], row["offset"]) for row in rows]


def data_files(folder: Path) -> dict[str, bytes]:
    """The Parquet files of a dataset."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_all_pages_by_the_index_are_those_of_whole_files(uzushio: Uzushio, crawl: Path, tmp_path: Path) -> None:
    """Byte for byte, in all languages, for any number of threads and gap; and the columns of the index."""
    uzushio("index", crawl, "--output", tmp_path / "index")
    uzushio("extract", crawl, "--language", "all", "--output", tmp_path / "whole")
    summary = tmp_path / "summary.json"
    for threads, gap in ((1, "1B"), (3, "64KiB"), (2, "1GiB")):
        out = tmp_path / f"out{threads}"
        uzushio("extract", "--index", tmp_path / "index", "--language", "all", "--output", out, "--threads", threads,
                "--index-gap", gap, "--summary", summary)  # fmt: skip
        assert data_files(out) == data_files(tmp_path / "whole")
        counts = read_json(summary)
        assert counts["records"] == counts["documents"] + sum(counts["rejected"].values())
        assert counts["quarantined"] == {}
        assert counts["index"] == {
            "table_rows": counts["records"], "skipped_rows": 0, "rows": counts["records"], "duplicates": 0
        }  # fmt: skip
    row = index_rows(tmp_path / "index")[0]
    assert row["url"] == "http://example.jp/0"
    assert (row["url_host_name"], row["url_host_tld"]) == ("example.jp", "jp")
    assert (row["fetch_status"], row["content_languages"], row["content_charset"]) == (200, "jpn", "UTF-8")
    assert (row["content_mime_type"], row["content_mime_detected"]) == ("text/html", "text/html")
    assert row["fetch_time"].isoformat() == "2023-04-01T00:00:00+00:00"
    uzushio("index", crawl, "--output", tmp_path / "again", "--threads", 3)
    assert data_files(tmp_path / "again") == data_files(tmp_path / "index")


def test_kept_rows_are_the_pages_of_whole_files_at_these_places(uzushio: Uzushio, crawl: Path, tmp_path: Path) -> None:
    """Any choice of rows, in any order, some twice: the same documents in the same order; and parts of it."""
    uzushio("index", crawl, "--output", tmp_path / "index")
    uzushio("extract", crawl, "--output", tmp_path / "whole")
    whole = read_documents(tmp_path / "whole")
    choose = random.Random(1)
    rows = choose.sample(all_rows := index_rows(tmp_path / "index"), len(all_rows) // 2)
    named = {(row["warc_filename"], row["warc_record_offset"]) for row in rows}
    write_index(rows + rows[:20], tmp_path / "some.parquet")
    uzushio("extract", "--index", tmp_path / "some.parquet", "--output", tmp_path / "some")
    wanted = [row for row in whole if (row["warc"], row["offset"]) in named]
    assert read_documents(tmp_path / "some") == wanted
    together: Rows = []
    for part in range(1, 5):
        out = tmp_path / f"part{part}"
        uzushio("extract", "--index", tmp_path / "some.parquet", "--output", out, "--part", f"{part}/4")
        together += read_documents(out)
    assert together == wanted


def test_little_memory_gives_the_same(uzushio: Uzushio, tmp_path: Path) -> None:
    """A million rows that name one record, and those of a file, sorted in runs."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build(mixed(0, 60), "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    rows = pq.read_table(tmp_path / "index" / "part-00000.parquet")
    first = rows.slice(0, 1)
    pq.write_table(pa.concat_tables([first] * 1_000_000 + [rows]).combine_chunks(), tmp_path / "many.parquet")
    summary = tmp_path / "summary.json"
    for memory in ("310MiB", "2GiB"):
        uzushio("extract", "--index", tmp_path / "many.parquet", "--output", tmp_path / memory, "--memory", memory,
                "--threads", 1, "--summary", summary)  # fmt: skip
        assert read_json(summary)["index"]["duplicates"] == 1_000_000
    assert data_files(tmp_path / "310MiB") == data_files(tmp_path / "2GiB")


def predicates(row: dict[str, Any]) -> dict[str, bool]:
    """What options keep the row."""
    languages = (row["content_languages"] or "").split(",")
    return {
        "--index-language=jpn": languages[0] == "jpn",
        "--index-any-language=eng": "eng" in languages,
        "--index-status=404": row["fetch_status"] == 404,
        "--index-mime=image/png": row["content_mime_detected"] == "image/png",
        "--index-host=example.jp": row["url_host_name"] == "example.jp",
        "--index-host=.JP": row["url_host_tld"] == "jp",
        "--index-tld=com,org": row["url_host_tld"] == "com",
        "--index-from=2023-04-02": row["fetch_time"].day >= 2,
        "--index-to=2023-04-01T12:00:00Z": row["fetch_time"].day == 1 and row["fetch_time"].hour < 12,
    }


@pytest.mark.parametrize("group", [5, 1000])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_rows_are_those_that_match(uzushio: Uzushio, tmp_path: Path, group: int, unit: str) -> None:
    """Against plain Python, whatever row groups are skipped."""
    archive = tmp_path / "a.warc.gz"
    records = mixed(0, 60)
    for number, record in enumerate(records):
        record["date"] = f"2023-04-0{1 + number // 60}T{number % 24:02}:00:00Z"
    archive.write_bytes(build(records, "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    rows = index_rows(tmp_path / "index")
    rows[0]["content_languages"] = "jpn,eng"
    rows.sort(key=lambda row: (row["url_host_tld"], row["fetch_status"], row["content_languages"] or ""))
    table = pa.Table.from_pylist(rows)
    place = table.column_names.index("fetch_time")
    table = table.set_column(place, "fetch_time", table["fetch_time"].cast(pa.timestamp(unit)))
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=group)
    summary = tmp_path / "summary.json"
    for option in predicates(rows[0]):
        uzushio("extract", "--index", tmp_path / "t.parquet", option, "--output", tmp_path / "out", "--overwrite",
                "--summary", summary)  # fmt: skip
        index = read_json(summary)["index"]
        assert index["rows"] == sum(predicates(row)[option] for row in rows), option
        if group == 5 and option in ("--index-tld=com,org", "--index-status=404", "--index-host=example.jp"):
            assert index["skipped_rows"] > 0, option


def test_rows_that_are_wrong_are_counted(uzushio: Uzushio, tmp_path: Path) -> None:
    """By reason, and quarantined with their place; the others come out."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build([page(number) for number in range(12)], "warc.gz"))
    size = archive.stat().st_size
    uzushio("index", archive, "--output", tmp_path / "index")
    rows = index_rows(tmp_path / "index")
    rows[1]["warc_record_offset"] = size
    rows[2]["warc_record_offset"] += 7
    rows[3]["warc_record_offset"] = -1
    rows[4]["warc_filename"] = str(tmp_path / "b.warc.gz")
    rows[5]["warc_record_length"] -= 1
    rows[6]["warc_record_length"] += 1
    rows[7]["url"] = "http://example.jp/other"
    rows[8]["fetch_status"] = 404
    rows[9]["warc_record_length"] = 2**62
    rows[10]["warc_filename"] = None
    rows[11]["warc_record_length"] = 0
    write_index(rows, tmp_path / "t.parquet")
    summary = tmp_path / "summary.json"
    uzushio("extract", "--index", tmp_path / "t.parquet", "--output", tmp_path / "out", "--summary", summary)
    counts = read_json(summary)
    assert counts["documents"] == 1
    assert counts["quarantined"] == {
        "cut-off": 1, "damaged-member": 1, "index-file": 1, "index-length": 3, "index-offset": 3, "index-status": 1,
        "index-url": 1,
    }  # fmt: skip
    assert counts["records"] == 12
    lines = [
        json.loads(line)
        for path in (tmp_path / "out" / ".uzushio/quarantine").glob("*.jsonl.gz")
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    assert len(lines) == 11
    assert {line["offset"] for line in lines if line["reason"] == "index-url"} == {rows[7]["warc_record_offset"]}


def test_rows_that_name_no_place(uzushio: Uzushio, tmp_path: Path) -> None:
    """Are put aside like those of files that are not there; the others are read."""
    (tmp_path / "a.warc.gz").write_bytes(build([page(number) for number in range(6)], "warc.gz"))
    uzushio("index", tmp_path / "a.warc.gz", "--output", tmp_path / "index")
    rows = index_rows(tmp_path / "index")
    for row, name in zip(rows, ("a\0b.warc.gz", "foo://x/a.warc.gz", f"{tmp_path}/none", "s3://"), strict=False):
        row["warc_filename"] = name
    write_index(rows, tmp_path / "t.parquet")
    summary = tmp_path / "summary.json"
    uzushio("extract", "--index", tmp_path / "t.parquet", "--output", tmp_path / "out", "--summary", summary)
    assert read_json(summary)["quarantined"] == {"index-file": 4}
    assert read_json(summary)["documents"] == 2


def test_a_place_that_can_not_be_reached_ends_the_run(uzushio: Uzushio, tmp_path: Path) -> None:
    """It may be there the next time: its documents are not lost to a run that says that it is done."""
    (tmp_path / "a.warc.gz").write_bytes(build([page(number) for number in range(2)], "warc.gz"))
    uzushio("index", tmp_path / "a.warc.gz", "--output", tmp_path / "index")
    rows = index_rows(tmp_path / "index")
    rows[1]["warc_filename"] = "hdfs://nowhere.invalid:9000/a.warc.gz"
    write_index(rows, tmp_path / "t.parquet")
    said = uzushio("extract", "--index", tmp_path / "t.parquet", "--output", tmp_path / "out", code=1).stderr
    assert "hdfs://nowhere.invalid:9000" in said
    assert not (tmp_path / "out" / ".uzushio" / "manifest.json").exists()


def test_no_row_names_a_place(uzushio: Uzushio, tmp_path: Path) -> None:
    """What stands before the names is asked for."""
    (tmp_path / "a.warc.gz").write_bytes(build([page(number) for number in range(2)], "warc.gz"))
    uzushio("index", tmp_path / "a.warc.gz", "--output", tmp_path / "index")
    write_index(
        [row | {"warc_filename": "foo://x/a"} for row in index_rows(tmp_path / "index")], tmp_path / "t.parquet"
    )
    extract = ("extract", "--index", tmp_path / "t.parquet", "--output", tmp_path / "out")
    assert "there is no file foo://x/a, and none of the others" in uzushio(*extract, code=2).stderr


def test_many_records_of_an_archive_that_is_not_compressed(uzushio: Uzushio, tmp_path: Path) -> None:
    """What was read of them is less than the file, wherever they lie."""
    records = [
        {"uri": f"http://example.jp/{number}", "body": f"<p>{number}番目の文書です。" * 40} for number in range(4000)
    ]
    (tmp_path / "a.warc").write_bytes(build(records, "warc"))
    uzushio("index", tmp_path / "a.warc", "--output", tmp_path / "index")
    summary = tmp_path / "summary.json"
    uzushio("extract", "--index", tmp_path / "index", "--output", tmp_path / "out", "--summary", summary)
    assert read_json(summary)["documents"] == len(records)


def test_a_record_that_is_named_again_and_again(uzushio: Uzushio, tmp_path: Path) -> None:
    """All rows of a file together inflate as much as the file may: what is beyond is put aside."""
    body = "<p>" + "x" * 7_000_000
    (tmp_path / "a.warc.gz").write_bytes(build([{"uri": "http://example.jp/", "body": body}], "warc.gz"))
    uzushio("index", tmp_path / "a.warc.gz", "--output", tmp_path / "index")
    row = index_rows(tmp_path / "index")[0]
    write_index([row | {"url": f"http://example.jp/{number}"} for number in range(60)], tmp_path / "t.parquet")
    summary = tmp_path / "summary.json"
    uzushio("extract", "--index", tmp_path / "t.parquet", "--output", tmp_path / "out", "--summary", summary)
    quarantined = read_json(summary)["quarantined"]
    assert sum(quarantined.values()) == 60
    assert 5 < quarantined["index-url"] < 20
    assert quarantined["inflation"] == 60 - quarantined["index-url"]


def test_digests_are_compared(uzushio: Uzushio, tmp_path: Path) -> None:
    """With those that records say."""
    archive = tmp_path / "a.warc.gz"
    records = [{**page(number), "warc": {"WARC-Payload-Digest": f"sha1:ABC{number}"}} for number in range(3)]
    archive.write_bytes(build(records, "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    rows = index_rows(tmp_path / "index")
    assert [row["content_digest"] for row in rows] == ["ABC0", "ABC1", "ABC2"]
    rows[1]["content_digest"] = "XYZ"
    rows[2]["content_digest"] = None
    write_index(rows, tmp_path / "t.parquet")
    said = uzushio("extract", "--index", tmp_path / "t.parquet", "--output", tmp_path / "out").stderr
    assert "1  index-digest" in said
    assert [row["url"][-1] for row in read_documents(tmp_path / "out")] == ["0", "2"]


def test_tables_that_are_none(uzushio: Uzushio, tmp_path: Path) -> None:
    """Errors name the column; what is optional may be missing, and columns of nulls are taken."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build([page(number) for number in range(3)], "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    rows = index_rows(tmp_path / "index")
    place = ("warc_filename", "warc_record_offset", "warc_record_length")
    table = tmp_path / "t.parquet"

    def extract(*options: object, code: int = 0) -> str:
        command = ("extract", "--index", table, "--output", tmp_path / "out", "--overwrite", *options)
        return uzushio(*command, code=code).stderr

    write_index([{name: row[name] for name in place} for row in rows], table)
    assert "3 documents" in extract()
    for option, column in {
        "--index-language=jpn": "content_languages",
        "--index-any-language=jpn": "content_languages",
        "--index-status=200": "fetch_status",
        "--index-mime=text/html": "content_mime_type",
        "--index-host=a.jp": "url_host_name",
        "--index-tld=jp": "url_host_tld",
        "--index-from=2023-01-01": "fetch_time",
    }.items():
        assert f"t.parquet: there is no column '{column}'" in extract(option, code=2)
    write_index([{**row, "warc_record_offset": "12"} for row in rows], table)
    assert "column 'warc_record_offset' is of type" in extract(code=2)
    write_index([{name: row[name] for name in place[:2]} for row in rows], table)
    assert "there is no column 'warc_record_length'" in extract(code=2)
    write_index([{**row, "url": None, "content_languages": None, "fetch_status": None} for row in rows], table)
    assert "3 documents" in extract()
    assert "0 records" in extract("--index-language=jpn")
    write_index([{**row, "fetch_time": None} for row in rows], table)
    assert "0 records" in extract("--index-from=2023-01-01")
    table.write_bytes(b"no table")
    assert "no readable Parquet file" in extract(code=1)


def test_the_base_stands_before_names(uzushio: Uzushio, tmp_path: Path) -> None:
    """A folder; without it the error says what is missing, and nothing leads out of it."""
    crawl = tmp_path / "store" / "crawl"
    crawl.mkdir(parents=True)
    (crawl / "a.warc.gz").write_bytes(build([page(number) for number in range(3)], "warc.gz"))
    shutil.copy(crawl / "a.warc.gz", tmp_path / "secret.warc.gz")
    uzushio("index", crawl, "--output", tmp_path / "index")
    rows = [{**row, "warc_filename": "crawl/a.warc.gz"} for row in index_rows(tmp_path / "index")]
    table, out = tmp_path / "t.parquet", tmp_path / "out"
    write_index([*rows, {**rows[0], "warc_filename": "../secret.warc.gz"}], table)
    said = uzushio("extract", "--index", table, "--output", out, code=2).stderr
    assert "--index-base is what stands before their names" in said
    base = f"{tmp_path}/store/"
    said = uzushio("extract", "--index", table, "--index-base", base, "--output", out).stderr
    assert "3 documents" in said
    assert "1  index-file" in said
    assert {row["warc"] for row in read_documents(out)} == {f"{crawl}/a.warc.gz"}


def test_the_plan_says_what_reading_takes(uzushio: Uzushio, tmp_path: Path) -> None:
    """The bytes and requests that the run then has; nothing is written."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build(mixed(0, 200), "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    command = ("extract", "--index", tmp_path / "index", "--index-language", "jpn", "--index-gap", "1B")
    plan, done, out = tmp_path / "plan.json", tmp_path / "done.json", tmp_path / "out"
    said = uzushio(*command, "--output", out, "--plan", "--summary", plan).stderr
    assert "40 pages in 1 file," in said
    assert "minutes and $" in said
    assert not out.exists()
    uzushio(*command, "--output", out, "--summary", done)
    planned, read = read_json(plan)["plan"], read_json(done)
    assert planned["read_bytes"] == read["file_bytes"] < archive.stat().st_size / 3
    assert planned["pages"] == read["records"] == read["documents"] == 40
    assert planned["requests"] == read["requests"] + 1  # for the size
    assert planned["file_bytes"] == archive.stat().st_size


def test_runs_by_other_rows_are_other_runs(uzushio: Uzushio, tmp_path: Path) -> None:
    """A finished output is kept for the same options alone."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build(mixed(0, 20), "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    command = ("extract", "--index", tmp_path / "index", "--output", tmp_path / "out")
    uzushio(*command, "--index-language", "jpn")
    assert "was complete already" in uzushio(*command, "--index-language", "jpn").stderr
    assert "holds the output of a run" in uzushio(*command, "--index-tld", "jp", code=2).stderr


def test_wrong_arguments(uzushio: Uzushio, tmp_path: Path) -> None:
    """Are errors that say what to write."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build([page(0)], "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    out, index = ("--output", tmp_path / "out"), ("--index", tmp_path / "index")
    assert "missing INPUT" in uzushio("extract", *out, code=2).stderr
    assert "need --index" in uzushio("extract", archive, *out, "--index-language", "jpn", code=2).stderr
    assert "need --index" in uzushio("extract", archive, *out, "--plan", code=2).stderr
    for part in ("0/4", "5/4", "1", "x/2", "1/0"):
        assert "is no part" in uzushio("extract", *index, *out, "--part", part, code=2).stderr
    assert "is no time" in uzushio("extract", *index, *out, "--index-from", "today", code=2).stderr


@pytest.mark.parametrize("ending", ["warc.gz", "cdxj"])
def test_as_a_stage_of_a_pipeline(uzushio: Uzushio, tmp_path: Path, ending: str) -> None:
    """Its inputs are archives or lines of CDXJ: another one makes the index anew, and documents beside do not."""
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    (crawl / "documents.parquet").write_bytes(b"not looked at")
    stage = {"name": "index", "command": "index", "input": str(crawl)} | (
        {"from_cdxj": True} if ending == "cdxj" else {}
    )
    (tmp_path / "run.conf").write_text(json.dumps({"stages": [stage]}), encoding="utf-8")
    about = {"url": "https://example.jp/", "filename": "a.warc.gz", "offset": "0", "length": "9", "status": "200"}
    for number in range(2):
        line = f"jp,example)/ 2023040100000{number} {json.dumps(about)}\n".encode()
        (crawl / f"{number}.{ending}").write_bytes(line if ending == "cdxj" else build([page(number)], ending))
        uzushio("run", tmp_path / "run.conf", "--output", tmp_path / "corpus")
        assert len(index_rows(tmp_path / "corpus" / "index")) == number + 1
        (crawl / f"more{number}.parquet").write_bytes(b"not looked at either")
        said = uzushio("run", tmp_path / "run.conf", "--output", tmp_path / "corpus").stderr
        assert "1 done before" in said


def test_cdxj_is_converted(uzushio: Uzushio, tmp_path: Path) -> None:
    """Plain, gzip and gzip of several members; bad lines are counted; extract reads the rows."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build([page(number) for number in range(6)], "warc.gz"))
    uzushio("index", archive, "--output", tmp_path / "index")
    lines = []
    for row in index_rows(tmp_path / "index"):
        about = {
            "url": row["url"], "mime": "text/html", "mime-detected": "text/html", "status": "200",
            "digest": "-", "length": str(row["warc_record_length"]), "offset": str(row["warc_record_offset"]),
            "filename": row["warc_filename"], "languages": "jpn", "charset": "UTF-8",
        }  # fmt: skip
        lines.append(f"jp,example)/{row['url'][-1]} 20230401000000 {json.dumps(about)}\n".encode())
    lines[3:3] = [b"no json\n", b"jp,a)/ 20230401000000 {}\n", b"\xff {}\n"]
    plain = b"!meta 0 {}\n" + b"".join(lines)
    cluster = b"".join(gzip.compress(b"".join(lines[at : at + 3])) for at in range(0, len(lines), 3))
    for name, data in {"a.cdxj": plain, "b.cdxj.gz": gzip.compress(plain), "cdx-00000.gz": cluster}.items():
        (tmp_path / name).write_bytes(data)
        said = uzushio("index", "--from-cdxj", tmp_path / name, "--output", tmp_path / f"of-{name}").stderr
        assert "index: 9 records = 6 rows + 0 left out + 3 quarantined" in said
        out = tmp_path / f"documents-{name}"
        uzushio("extract", "--index", tmp_path / f"of-{name}", "--index-language", "jpn", "--output", out)
        assert len(read_documents(out)) == 6
    (tmp_path / "c.cdxj").write_bytes(b"nothing\n")
    said = uzushio("index", "--from-cdxj", tmp_path / "c.cdxj", "--output", tmp_path / "c", code=1).stderr
    assert "nothing in this file can be read; is it CDXJ?" in said


def test_records_that_share_a_member_have_no_rows(uzushio: Uzushio, tmp_path: Path) -> None:
    """They can't be read alone."""
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(build([page(0), page(1)], "single.warc.gz"))
    said = uzushio("index", archive, "--output", tmp_path / "index").stderr
    assert "index: 2 records = 0 rows + 2 left out + 0 quarantined" in said
    assert "2  shared-member" in said
    assert index_rows(tmp_path / "index") == []
