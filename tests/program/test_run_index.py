"""`uzushio run` from a crawl's index: the tables say which records its stage `extract` reads."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pages import page
from program import Uzushio, read_documents, read_json
from warc_builder import build

ENGLISH = "This is a page about the weather of the coming week, in plain English words. " * 8
PIPELINE = """
stages: [
  {name: documents, command: extract, input: ${input}}
  {name: statistics, command: stats, input: "@documents"}
]
"""
OWN_INDEX = """
stages: [
  {name: index, command: index, input: ${input}}
  {name: documents, command: extract, index: "@index", index-language: jpn}
]
"""
STEPS = ["documents", "statistics"]


@pytest.fixture(name="crawl")
def make_crawl(uzushio: Uzushio, tmp_path: Path) -> Path:
    """Two archives, their index, and a pipeline."""
    (tmp_path / "crawl").mkdir()
    for part in range(2):
        records = [
            page(number) if number % 4 == 0 else {"uri": f"http://example.com/{number}", "body": f"<p>{ENGLISH}</p>"}
            for number in range(100 * part, 100 * part + 40)
        ]
        (tmp_path / "crawl" / f"{part}.warc.gz").write_bytes(build(records, "warc.gz"))
    uzushio("index", tmp_path / "crawl", "--output", tmp_path / "index")
    (tmp_path / "p.conf").write_text(PIPELINE, encoding="utf-8")
    return tmp_path


def done(
    uzushio: Uzushio, crawl: Path, *given: object, pipeline: str = "p.conf", output: str = "out"
) -> dict[str, bool]:
    """Of a run of the pipeline, whether each step was done before."""
    summary = crawl / "summary.json"
    uzushio("run", crawl / pipeline, "--output", crawl / output, "--summary", summary, *given)
    return {step["name"]: step["was_done"] for step in read_json(summary)["steps"]}


def test_documents_are_those_of_extract_by_the_index(uzushio: Uzushio, crawl: Path) -> None:
    """The files are equal, the same run again does nothing, and another selection is another run."""
    by_index = ["--index", crawl / "index", "--index-language", "jpn", "--index-status", "200"]
    assert done(uzushio, crawl, *by_index) == dict.fromkeys(STEPS, False)
    uzushio("extract", *by_index, "--output", crawl / "alone")
    files = sorted(path.relative_to(crawl / "alone") for path in (crawl / "alone").rglob("*.parquet"))
    assert len(files) == 2
    for file in files:
        assert (crawl / "out" / "documents" / file).read_bytes() == (crawl / "alone" / file).read_bytes()
    assert done(uzushio, crawl, *by_index) == dict.fromkeys(STEPS, True)
    assert done(uzushio, crawl, *by_index, "--index-gap", "1MiB") == dict.fromkeys(STEPS, True)
    for same in (f"{crawl}/index/", f"{crawl}/index/*.parquet"):
        assert done(uzushio, crawl, "--index", same, *by_index[2:]) == dict.fromkeys(STEPS, True)
    plan = uzushio("run", crawl / "p.conf", "--output", crawl / "out", "--plan", *by_index, "--part", "1/2").stdout
    assert "changed: records of the index" in plan
    assert "no estimate: documents reads by an index" in plan
    assert "uzushio extract --index … --plan" in plan


def test_parts_have_the_documents_of_the_whole(uzushio: Uzushio, crawl: Path) -> None:
    """Each part has a run of its own, as jobs of a batch have."""
    done(uzushio, crawl, "--index", crawl / "index", output="whole")
    parts = []
    for part in ("1/2", "2/2"):
        done(uzushio, crawl, "--index", crawl / "index", "--part", part, output=f"part{part[0]}")
        parts += read_documents(crawl / f"part{part[0]}" / "documents")
    assert len(parts) == 20
    assert parts == read_documents(crawl / "whole" / "documents")


@pytest.mark.parametrize("other", [["--part", "2/2"], ["--index-language", "eng"], ["--index-tld", "com"], []])
def test_other_records_replace_none(uzushio: Uzushio, crawl: Path, other: list[str]) -> None:
    """A loop over parts that forgets to name an output for each is an error, and no document is lost."""
    done(uzushio, crawl, "--index", crawl / "index", "--part", "1/2")
    before = read_documents(crawl / "out" / "documents")
    given = ["run", crawl / "p.conf", "--output", crawl / "out", "--index", crawl / "index", *other]
    said = uzushio(*given, code=2).stderr
    assert "documents: was made of other records of the index, by other values of --index-… or --part" in said
    assert read_documents(crawl / "out" / "documents") == before
    uzushio(*given, "--overwrite")
    assert read_documents(crawl / "out" / "documents") != before


def test_archives_that_were_missing_are_read_when_told(uzushio: Uzushio, crawl: Path) -> None:
    """Until then, each run says that they were missing."""
    (crawl / "crawl" / "1.warc.gz").rename(crawl / "away")
    given = ["run", crawl / "p.conf", "--output", crawl / "out", "--index", crawl / "index"]
    uzushio(*given)
    (crawl / "away").rename(crawl / "crawl" / "1.warc.gz")
    said = uzushio(*given).stderr
    assert "documents: files that the index names were not there" in said
    assert len(read_documents(crawl / "out" / "documents")) == 10
    uzushio(*given, "--overwrite")
    assert len(read_documents(crawl / "out" / "documents")) == 20
    assert "were not there" not in uzushio(*given, "--overwrite").stderr


def test_an_index_that_the_pipeline_makes(uzushio: Uzushio, crawl: Path) -> None:
    """A change of the archives makes both again, and the option means the records that are read."""
    (crawl / "own.conf").write_text(OWN_INDEX, encoding="utf-8")
    files = crawl / "crawl" / "*.warc.gz"
    assert done(uzushio, crawl, "--input", files, pipeline="own.conf") == {"index": False, "documents": False}
    assert len(read_documents(crawl / "out" / "documents")) == 20
    assert done(uzushio, crawl, "--input", files, pipeline="own.conf") == {"index": True, "documents": True}
    (crawl / "crawl" / "2.warc.gz").write_bytes(build([page(number) for number in range(200, 205)], "warc.gz"))
    assert done(uzushio, crawl, "--input", files, pipeline="own.conf") == {"index": False, "documents": False}
    assert len(read_documents(crawl / "out" / "documents")) == 25


def test_options_of_the_index_in_the_file(uzushio: Uzushio, crawl: Path) -> None:
    """`input` may be an object of them; names of `for` are filled in."""
    text = """
    stages: [{
      name: documents, command: extract, for: {part: [1, 2]}
      input: {index: "INDEX", index_language: [jpn], part: "${part}/2"}
    }]
    """
    (crawl / "own.conf").write_text(text.replace("INDEX", str(crawl / "index")), encoding="utf-8")
    assert list(done(uzushio, crawl, pipeline="own.conf")) == ["documents/1", "documents/2"]
    assert sum(len(read_documents(crawl / "out" / "documents" / part)) for part in "12") == 20


def test_outputs_of_other_tables_are_not_replaced(uzushio: Uzushio, crawl: Path) -> None:
    """Nor are those of whole files by an index."""
    done(uzushio, crawl, "--index", crawl / "index")
    table = crawl / "japanese.parquet"
    rows = pq.read_table(crawl / "index" / "part-00000.parquet")
    pq.write_table(rows.slice(0, 12), table)
    other = ["run", crawl / "p.conf", "--output", crawl / "out"]
    said = uzushio(*other, "--index", table, code=2).stderr
    assert "documents: was made of other inputs, as " in said
    assert "part-00000.parquet" in said
    said = uzushio(*other, "--input", crawl / "crawl", code=2).stderr
    assert "was made of other inputs" in said
    uzushio(*other, "--index", table, "--overwrite")
    assert len(read_documents(crawl / "out" / "documents")) == 3
    done(uzushio, crawl, "--input", crawl / "crawl", output="files")
    said = uzushio("run", crawl / "p.conf", "--output", crawl / "files", "--index", table, code=2).stderr
    assert "was made of other inputs, as " in said
    assert ".warc.gz" in said


def test_tables_that_are_written_anew(uzushio: Uzushio, crawl: Path) -> None:
    """Are other tables, though names and sizes are those of before: a stage by itself refuses them, too."""
    by_index = ["--index", crawl / "index"]
    done(uzushio, crawl, *by_index)
    table = crawl / "index" / "part-00000.parquet"
    before = table.read_bytes()
    archive = crawl / "crawl" / "0.warc.gz"
    members = [b"\x1f\x8b\x08" + member for member in archive.read_bytes().split(b"\x1f\x8b\x08")[1:]]
    archive.write_bytes(b"".join(reversed(members)))
    uzushio("index", crawl / "crawl", "--output", crawl / "index", "--overwrite")
    assert table.read_bytes() != before
    assert table.stat().st_size == len(before)
    assert done(uzushio, crawl, *by_index)["documents"] is False


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--index", "INDEX", "--input", "CRAWL"], "--index says which files are read; leave out --input "),
        (["--index", "INDEX", "--input", "s3://key:secret@store/crawl"], "leave out --input s3://store/crawl"),
        (["--index", "INDEX/none.parquet"], "--index "),
        (["--input", "CRAWL", "--index-language", "jpn"], "--index-language: has no effect without --index"),
        (["--index", "INDEX", "--index-status", "many"], "--index-status"),
        (["--index", "INDEX", "--part", "3/2"], "--part: '3/2' is no part"),
        (["--index", "INDEX", "--part", ""], "--part: '' is no part"),
        (["--index", "INDEX", "--index-language", ""], "--index-language: an empty name"),
        (["--index", "INDEX", "--index-host", "."], "--index-host: an empty name"),
        (["--index", "INDEX", "--index-from", "yesterday"], "--index-from: 'yesterday' is no time"),
    ],
)
def test_wrong_options(uzushio: Uzushio, crawl: Path, given: list[str], said: str) -> None:
    """They are refused, and nothing is written."""
    named = [one.replace("INDEX", str(crawl / "index")).replace("CRAWL", str(crawl / "crawl")) for one in given]
    result = uzushio("run", crawl / "p.conf", "--output", crawl / "out", *named, code=2)
    assert said in result.stderr
    assert not (crawl / "out").exists()
    assert said in uzushio("run", crawl / "p.conf", "--output", crawl / "out", *named, "--plan", code=2).stderr


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("{name: a, command: stats, input: ${input}}", "stages[0].input: stats does not read by an index; give files"),
        ('{name: a, command: extract, input: [${input}, "x.warc.gz"]}', "stages[0].input: options stand alone"),
        ("{name: a, command: extract, input: ${input}, index: other}", "stages[0].index: is given twice"),
        ("{name: a, command: extract, input: ${input}, index_status: 9}", "stages[0].index-status: is given twice"),
        ("{name: a, command: extract, input: {language: ja}}", "stages[0].input: missing, or `index`"),
        ("{name: a, command: extract, index: []}", "stages[0].index: names nothing"),
        ("{name: a, command: extract, index: x, input: y}", "stages[0].input: `index` says which files are read"),
        ("{name: a, command: extract, index: x, plan: true}", "stages[0].plan: is set for the whole run"),
    ],
)
def test_wrong_stages(uzushio: Uzushio, crawl: Path, stage: str, said: str) -> None:
    """They are told with file, stage and key."""
    (crawl / "wrong.conf").write_text(f"stages: [{stage}]", encoding="utf-8")
    given = ["--index", crawl / "index", "--index-status", "200"] if "${input}" in stage else []
    result = uzushio("run", crawl / "wrong.conf", "--output", crawl / "out", *given, code=2)
    assert said in result.stderr
