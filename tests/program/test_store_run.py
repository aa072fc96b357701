"""`uzushio run` into a corpus on an object store."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from object_store import SERVERS, ObjectStore, serve_faulty, serve_store
from pipeline_pages import write_archive
from program import PROGRAM, read_json
from report_page import data_of

PIPELINE = """
stages: [
  {name: documents, command: extract, for: {part: [0, 1]}, input: "${crawl}/${part}.warc.gz"}
  {name: statistics, command: stats, input: "@documents"}
  {
    name: measured, command: metrics, input: "@documents", stats: "@statistics"
    filters: [{class: DocLength, low: 50}, {class: HiraganaRatio, low: 0.1}]
  }
  {
    name: clean, command: filter, for: {part: [0, 1]}, input: "@documents", stats: "@statistics"
    filters: [
      {class: LargeFreqParagraphs, count: 1, freq: 60}
      {class: DocLength, low: 50, low: ${?least}}
    ]
  }
  {name: unique, command: minhash, input: "@clean", buckets: 10}
]
"""
STEPS = ["documents/0", "documents/1", "statistics", "measured", "clean/0", "clean/1", "unique"]
CORPUS = "s3://store/corpus"


@pytest.fixture(name="store", params=SERVERS)
def make_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """An empty one."""
    with serve_store(request.param) as store:
        yield store


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path, store: ObjectStore) -> Path:
    """A pipeline; archives are here and on the store."""
    for part in (0, 1):
        archive = write_archive(tmp_path / "crawl" / f"{part}.warc.gz", 30, part)
        store.put(f"crawl/{part}.warc.gz", archive.read_bytes())
    (tmp_path / "p.conf").write_text(PIPELINE, encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def run_of(folder: Path, output: object = CORPUS, crawl: object = "s3://store/crawl", *more: object) -> list[str]:
    """A run of the pipeline."""
    given = [PROGRAM, "run", folder / "p.conf", "--output", output, "-P", f"crawl={crawl}", "--threads", 2, *more]
    return list(map(str, given))


def rows_of(folder: Path) -> list[Any]:
    """Those of an output's visible Parquet files; documents without the names of their archives."""
    paths = [path for path in sorted(folder.rglob("*.parquet")) if ".uzushio" not in path.parts]
    rows = [row for path in paths for row in pq.ParquetFile(path).read().to_pylist()]
    return [{key: value for key, value in row.items() if key != "warc"} for row in rows]


def times_of(store: ObjectStore) -> dict[str, Any]:
    """When each object below the corpus was put, but for those by which Arrow marks folders."""
    pages = store.client.get_paginator("list_objects_v2").paginate(Bucket="store", Prefix="corpus/")
    items = [item for page in pages for item in page.get("Contents", []) if not item["Key"].endswith("/")]
    return {item["Key"]: (item["LastModified"], item["ETag"]) for item in items}


def test_a_corpus_on_a_store_is_what_it_would_be_here(store: ObjectStore, folder: Path) -> None:
    """Inputs and outputs are on the store; a second run does nothing, and a plan says so; a changed one what is new."""
    tmp = str(folder / "tmp")
    plan = store.run(*run_of(folder, CORPUS, "s3://store/crawl", "--plan"), TMPDIR=tmp)
    assert f"plan for {CORPUS}" in plan
    assert "are on disk until they are put" in plan
    assert not store.names("corpus")
    said = store.run(*run_of(folder), TMPDIR=tmp)
    assert f"train on {CORPUS}/unique; in Python: pyarrow.dataset.dataset(" in said
    store.run(*run_of(folder, folder / "here", folder / "crawl"))
    for step in STEPS:
        store.check(f"corpus/{step}")
        copy = store.copy(f"corpus/{step}", folder / "copy" / step)
        assert rows_of(copy) == rows_of(folder / "here" / step), step
        assert rows_of(copy), step
    names = [name for name in store.names("corpus") if not name.startswith(tuple(f"{step}/" for step in STEPS))]
    assert names == ["_pipeline.json", "_summary.json"]
    assert not list((folder / "tmp").iterdir())

    before = times_of(store)
    summary = folder / "summary.json"
    store.run(*run_of(folder, CORPUS, "s3://store/crawl", "--summary", summary), TMPDIR=tmp)
    assert all(step["was_done"] for step in read_json(summary)["steps"])
    assert times_of(store) == before
    assert "all of it is done" in store.run(*run_of(folder, CORPUS, "s3://store/crawl", "--plan"), TMPDIR=tmp)
    more = ["-P", "least=200"]
    plan = store.run(*run_of(folder, CORPUS, "s3://store/crawl", "--plan", *more), TMPDIR=tmp)
    assert "changed: chain" in plan
    store.run(*run_of(folder, CORPUS, "s3://store/crawl", "--summary", summary, *more), TMPDIR=tmp)
    done = {step["name"]: step["was_done"] for step in read_json(summary)["steps"]}
    assert [name for name in STEPS if not done[name]] == ["clean/0", "clean/1", "unique"]
    for step in STEPS:
        store.check(f"corpus/{step}")
    assert not list((folder / "tmp").iterdir())


@pytest.mark.parametrize("pattern", [r"clean/1/part-", r"clean/1/\.uzushio/manifest", r"statistics/\.uzushio/.*index"])
def test_a_run_that_failed_goes_on(store: ObjectStore, folder: Path, pattern: str) -> None:
    """What was done is not done again, also with another folder for temporary data; others' objects stay."""
    tmp = str(folder / "tmp")
    with serve_faulty(store, "PUT", pattern) as (proxy, to_proxy):
        failed = subprocess.run(run_of(folder), capture_output=True, text=True, check=False,
                                env=store.environment | {"TMPDIR": tmp} | to_proxy)  # fmt: skip
    assert proxy.refused
    assert failed.returncode == 1, failed.stderr
    done = [name for name, step in json.loads(store.get("corpus/_pipeline.json"))["steps"].items() if step["done"]]
    assert "documents/0" in done
    summary = folder / "summary.json"
    (folder / "other").mkdir()
    store.run(*run_of(folder, CORPUS, "s3://store/crawl", "--summary", summary), TMPDIR=str(folder / "other"))
    was_done = {step["name"]: step["was_done"] for step in read_json(summary)["steps"]}
    assert [name for name in STEPS if was_done[name]] == [name for name in STEPS if name in done]
    for step in STEPS:
        store.check(f"corpus/{step}")


def test_a_lost_record_loses_no_output(store: ObjectStore, folder: Path) -> None:
    """Outputs that the record does not know are taken where they are of the same run, and refused else."""
    store.run(*run_of(folder))
    for name in ("_pipeline.json", "_summary.json"):
        store.delete(f"corpus/{name}")
    before = {name: time for name, time in times_of(store).items() if "/_" not in name}
    store.run(*run_of(folder))
    assert {name: time for name, time in times_of(store).items() if "/_" not in name} == before
    store.delete("corpus/_pipeline.json")
    changed = run_of(folder, CORPUS, "s3://store/crawl", "-P", "least=200")
    assert f"{CORPUS}/_summary.json: is there, and no pipeline has made it" in store.run(*changed, code=2)
    store.delete("corpus/_summary.json")
    said = store.run(*changed, code=2)
    assert "s3://store/corpus/clean/0: holds the output of a run with other inputs or another configuration" in said
    assert {name: time for name, time in times_of(store).items() if "/_" not in name} == before


def test_what_can_not_be_there(store: ObjectStore, folder: Path) -> None:
    """Other stores, Spark, a damaged record, and other inputs are refused, with what to do."""
    said = store.run(*run_of(folder, "gs://store/corpus"), code=2)
    assert "--output gs://store/corpus: of stores, only s3:// is written to" in said
    assert "give the name of a folder in a bucket" in store.run(*run_of(folder, "s3://store"), code=2)
    said = store.run(*run_of(folder, CORPUS, "s3://store/crawl", "--on", "spark"), code=2)
    assert f"--output {CORPUS}: with --on spark, a local folder is wanted" in said
    store.put("corpus/_pipeline.json", b"{")
    assert f"{CORPUS}/_pipeline.json: damaged; remove this file" in store.run(*run_of(folder), code=2)
    store.delete("corpus/_pipeline.json")
    key, secret = store.environment.pop("AWS_ACCESS_KEY_ID"), store.environment.pop("AWS_SECRET_ACCESS_KEY")
    given = f"s3://{key}:{secret}@store"
    summary = folder / "summary.json"
    said = store.run(*run_of(folder, f"{given}/corpus", f"{given}/crawl", "--summary", summary))
    said += summary.read_text(encoding="utf-8")
    said += "".join(store.get(f"corpus/{name}").decode() for name in store.names("corpus") if name.endswith(".json"))
    assert secret not in said
    (folder / "crawl" / "2.warc.gz").write_bytes(b"")
    said = store.run(*run_of(folder, f"{given}/corpus", folder / "crawl"), code=2)
    assert f"{CORPUS}/documents/0: was made of other inputs, as s3://store/crawl/0.warc.gz" in said


def test_a_report_of_a_corpus(store: ObjectStore, folder: Path) -> None:
    """The page has what one of a local corpus has, but for the time that steps took."""
    store.run(*run_of(folder))
    store.run(*run_of(folder, folder / "here"))
    pages: list[Any] = []
    for place in (CORPUS, folder / "here"):
        page = folder / f"{len(pages)}.html"
        store.run(PROGRAM, "report", place, "--output", page, "--tmp", folder / "tmp")
        pages.append(data_of(page.read_text(encoding="utf-8")))
        measured = [[stage.pop("seconds"), stage.pop("peakMemory")] for stage in pages[-1]["stages"]]
        assert len([one for one in measured if None not in one]) == len(STEPS)
    there, here = pages
    assert json.loads(json.dumps(here).replace(str(folder / "here"), CORPUS)) == there
    store.delete("corpus/_summary.json")
    store.put("corpus/_pipeline.json", b"[]")
    said = store.run(PROGRAM, "report", CORPUS, "--output", folder / "none.html", code=2)
    assert f"{CORPUS}/_pipeline.json: damaged" in said
