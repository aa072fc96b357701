"""`uzushio run` into a corpus on an object store."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from object_store import ON_EACH_SERVER, ObjectStore, serve_faulty, serve_store
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


@pytest.fixture(name="store")
def make_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """An empty one."""
    with serve_store(getattr(request, "param", "moto")) as store:
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


@ON_EACH_SERVER
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
    assert "s3://store/corpus/clean/0: is not the output that this pipeline has made; move it away" in said
    assert said.endswith(store.run(*changed, "--plan", code=2))
    assert {name: time for name, time in times_of(store).items() if "/_" not in name} == before


SMALL = """
stages: [
  {name: documents, command: extract, input: "${crawl}/0.warc.gz"}
  {name: clean, command: filter, input: "@documents", filters: [{class: DocLength, low: 5, low: ${?least}}]}
]
"""


def test_nothing_of_others_is_replaced(store: ObjectStore, folder: Path) -> None:
    """On a store as here: what others have made in a step's place is refused as often as it is tried, and by a plan."""
    (folder / "p.conf").write_text(SMALL, encoding="utf-8")
    for place in (CORPUS, folder / "here"):
        store.run(PROGRAM, "extract", "s3://store/crawl/1.warc.gz", "--output", f"{place}/documents")
        before = times_of(store)
        for more in (["--plan"], [], [], ["--plan"], [], ["-P", "least=200"], ["--overwrite"]):
            said = store.run(*run_of(folder, place, "s3://store/crawl", *more), code=2)
            wanted = f"{place}/documents: is not the output that this pipeline has made; move it away"
            assert wanted in said, more
            assert "--overwrite" not in said
        assert times_of(store) == before


def test_what_comes_after_a_kill_is_not_replaced(
    store: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has removed what the run left, and made the output by hand: that of other options is theirs."""
    (folder / "p.conf").write_text(SMALL, encoding="utf-8")
    (folder / "own.conf").write_text("filters: [{class: DocLength, low: 1}]", encoding="utf-8")
    tmp = str(folder / "tmp")
    gate = Gate("PUT", "/clean/part-", refuses=True)  # it would come at any time after the kill
    with serve_faulty(store, "", "") as (proxy, to_proxy):
        monkeypatch.setattr(proxy, "fails", gate)
        killed = start(store, run_of(folder), TMPDIR=tmp, **to_proxy)
        assert gate.reached.wait(120)
        killed.kill()
        killed.wait()
        monkeypatch.setattr(proxy, "fails", lambda method, path: True)
        gate.opened.set()
        killed.communicate()
    for name in store.names("corpus/clean"):
        store.delete(f"corpus/clean/{name}")
    for name in store.names("corpus"):
        if name.startswith(".uzushio/lock-"):
            store.delete(f"corpus/{name}")
    made = [PROGRAM, "filter", f"{CORPUS}/documents", "--config", folder / "own.conf", "--output", f"{CORPUS}/clean"]
    store.run(*made)
    before = {name: time for name, time in times_of(store).items() if "/clean/" in name}
    for more in (["-P", "least=6"], ["-P", "least=6"], ["--plan"], [], ["-P", "least=7", "--plan"], ["-P", "least=7"]):
        said = store.run(*run_of(folder, CORPUS, "s3://store/crawl", *more), code=2, TMPDIR=tmp)
        assert f"{CORPUS}/clean: is not the output that this pipeline has made; move it away" in said, more
    assert {name: time for name, time in times_of(store).items() if "/clean/" in name} == before


def test_what_can_not_be_there(store: ObjectStore, folder: Path) -> None:
    """Other stores, credentials for Spark, a damaged record, and other inputs are refused, with what to do."""
    said = store.run(*run_of(folder, "hdfs://host/corpus"), code=2)
    assert "--output hdfs://host/corpus: of stores, only s3://, gs:// and abfs:// are written to" in said
    assert "give the name of a folder in a bucket" in store.run(*run_of(folder, "s3://store"), code=2)
    store.put("corpus/_pipeline.json", b"{")
    assert f"{CORPUS}/_pipeline.json: damaged; remove this file" in store.run(*run_of(folder), code=2)
    store.delete("corpus/_pipeline.json")
    key, secret = store.environment.pop("AWS_ACCESS_KEY_ID"), store.environment.pop("AWS_SECRET_ACCESS_KEY")
    given = f"s3://{key}:{secret}@store"
    said = store.run(*run_of(folder, f"{given}/corpus", f"{given}/crawl", "--on", "spark"), code=2)
    assert f"--output {CORPUS}: with --on spark, leave the credentials out of the URI" in said
    assert secret not in said
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
        store.run(PROGRAM, "report", place, "--output", page, "--tmp", folder / "tmp", TMPDIR=str(folder / "none"))
        pages.append(data_of(page.read_text(encoding="utf-8")))
        measured = [[stage.pop("seconds"), stage.pop("peakMemory")] for stage in pages[-1]["stages"]]
        assert len([one for one in measured if None not in one]) == len(STEPS)
    there, here = pages
    assert json.loads(json.dumps(here).replace(str(folder / "here"), CORPUS)) == there
    report = [PROGRAM, "report", CORPUS, "--output", folder / "none.html"]
    assert f"--tmp {folder}/none: no such folder" in store.run(*report, "--tmp", folder / "none", code=2)
    said = store.run(*run_of(folder), code=2, TMPDIR=str(folder / "none"))
    assert "there is no folder for temporary data: " in said
    assert said.endswith("; set TMPDIR\n")
    store.delete("corpus/_summary.json")
    store.put("corpus/_pipeline.json", b"[]")
    said = store.run(PROGRAM, "report", CORPUS, "--output", folder / "none.html", code=2)
    assert f"{CORPUS}/_pipeline.json: damaged" in said


def start(store: ObjectStore, command: list[str], **environment: str) -> subprocess.Popen[str]:
    """A command that goes on while others do."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=store.environment | environment)


class Gate:
    """Holds requests of a method whose paths have a text, until it is opened; then they are handed on, or refused."""

    def __init__(self, method: str, text: str, *, refuses: bool = False) -> None:
        self.method, self.text, self.refuses = method, text, refuses
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, method: str, path: str) -> bool:
        """Takes the place of FaultyProxy.fails."""
        if method == self.method and self.text in path:
            self.reached.set()
            self.opened.wait(120)
            return self.refuses
        return False


@ON_EACH_SERVER
def test_two_runs_refuse_each_other(store: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second says who holds the corpus and what to do, here and on another machine; the lock goes with the run."""
    for name in ("first", "second"):
        (folder / name).mkdir()
    gate = Gate("PUT", "/clean/1/part-")
    with serve_faulty(store, "", "") as (proxy, to_proxy):
        monkeypatch.setattr(proxy, "fails", gate)
        first = start(store, run_of(folder), TMPDIR=str(folder / "first"), **to_proxy)
        assert gate.reached.wait(120)
        held = [name for name in store.names("corpus") if name.startswith(".uzushio/lock-")]
        before = times_of(store)
        changed = run_of(folder, CORPUS, "s3://store/crawl", "-P", "least=200")
        there = store.run(*changed, code=2, TMPDIR=str(folder / "second"))
        here = store.run(*changed, code=2, TMPDIR=str(folder / "first"), **to_proxy)
        assert times_of(store) == before
        gate.opened.set()
        said = first.communicate()[1]
    assert first.returncode == 0, said
    assert len(held) == 1
    assert f"{CORPUS}: another process runs a pipeline here: process {first.pid} on " in there
    assert f"; if it is no longer at work, delete {CORPUS}/{held[0]}" in there
    assert f"{CORPUS}: another process runs a pipeline here now: process {first.pid} on " in here
    for step in STEPS:
        store.check(f"corpus/{step}")
    assert not [name for name in store.names("corpus") if name.startswith(".uzushio/")]
    assert not [path for name in ("first", "second") for path in (folder / name).iterdir()]


@ON_EACH_SERVER
@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGKILL])
def test_the_lock_of_a_stopped_run(
    store: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch, ends: signal.Signals
) -> None:
    """It stops other machines and not this one, as that of a single output; one that failed leaves none."""
    tmp = str(folder / "tmp")
    gate = Gate("PUT", "/clean/1/part-")
    with serve_faulty(store, "", "") as (proxy, to_proxy):
        monkeypatch.setattr(proxy, "fails", gate)
        stopped = start(store, run_of(folder), TMPDIR=tmp, **to_proxy)
        assert gate.reached.wait(120)
        stopped.send_signal(ends)
        stopped.wait()
        gate.opened.set()
        stopped.communicate()
        assert stopped.returncode == -ends
        locks = [name for name in store.names("corpus") if name.startswith(".uzushio/lock-")]
        assert len(locks) == 1
        (folder / "other").mkdir()
        said = store.run(*run_of(folder), code=2, TMPDIR=str(folder / "other"))
        assert f"; if it is no longer at work, delete {CORPUS}/{locks[0]}" in said
        store.run(*run_of(folder), code=0, TMPDIR=tmp, **to_proxy)
    for step in STEPS:
        store.check(f"corpus/{step}")
    assert not [name for name in store.names("corpus") if name.startswith(".uzushio/")]


def test_a_lock_that_is_lost(store: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose lock somebody has removed notes nothing more."""
    gate = Gate("PUT", "/clean/1/part-")
    with serve_faulty(store, "", "") as (proxy, to_proxy):
        monkeypatch.setattr(proxy, "fails", gate)
        run = start(store, run_of(folder), **to_proxy)
        assert gate.reached.wait(120)
        for name in store.names("corpus"):
            if name.startswith(".uzushio/lock-"):
                store.delete(f"corpus/{name}")
        before = store.get("corpus/_pipeline.json")
        gate.opened.set()
        said = run.communicate()[1]
    assert run.returncode == 1
    assert f"{CORPUS}: the lock of this process is gone; another may have begun to run a pipeline here" in said
    assert store.get("corpus/_pipeline.json") == before


@pytest.mark.parametrize("pattern", [r"_pipeline\.json", r"_summary\.json"])
def test_a_record_that_was_not_put(store: ObjectStore, folder: Path, pattern: str) -> None:
    """The same command goes on."""
    with serve_faulty(store, "PUT", pattern) as (proxy, to_proxy):
        store.run(*run_of(folder), code=1, **to_proxy)
    assert proxy.refused
    assert "_summary.json" not in store.names("corpus")
    assert not [name for name in store.names("corpus") if name.startswith(".uzushio/lock-")]
    store.run(*run_of(folder))
    for step in STEPS:
        store.check(f"corpus/{step}")


LOOPS = """
stages: [
  {name: documents, command: extract, for: {part: [PARTS]}, input: "${crawl}/${part}.warc.gz"}
  {name: statistics, command: stats, input: "@documents"}
  {
    name: clean, command: filter, for: {part: [PARTS]}, input: "@documents", stats: "@statistics"
    filters: [{class: DocLength, low: 5}]
  }
]
"""


def test_listings_of_loops(store: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all is done, requests grow with the steps and not with their square; each output is listed once."""
    requests: list[tuple[str, str]] = []

    def note(method: str, path: str) -> bool:
        requests.append((method, path))
        return False

    counts = []
    for parts in (3, 6):
        for part in range(parts):
            if not (folder / "crawl" / f"{part}.warc.gz").exists():
                shutil.copy(folder / "crawl" / "0.warc.gz", folder / "crawl" / f"{part}.warc.gz")
        text = LOOPS.replace("PARTS", ",".join(map(str, range(parts))))
        (folder / "p.conf").write_text(text, encoding="utf-8")
        run = run_of(folder, f"s3://store/loops{parts}", folder / "crawl")
        store.run(*run)
        requests.clear()
        with serve_faulty(store, "", "") as (proxy, to_proxy):
            monkeypatch.setattr(proxy, "fails", note)
            store.run(*run, AWS_ENDPOINT_URL=to_proxy["AWS_ENDPOINT_URL"])
        counts.append(len(requests))
        whole = [path for _, path in requests if "list-type" in path and "max-keys=1&" not in path + "&"]
        for stage in ("documents", "clean"):
            assert not [path for path in whole if f"prefix=loops{parts}%2F{stage}%2F&" in path + "&"]
            listed = [path for path in whole if f"prefix=loops{parts}%2F{stage}%2F0%2F&" in path + "&"]
            assert len(listed) == 1, listed
        assert len([path for path in whole if f"prefix=loops{parts}%2Fstatistics%2F&" in path + "&"]) == 1
    assert counts[1] < 2.2 * counts[0]


def test_keys_that_were_changed(store: ObjectStore, folder: Path) -> None:
    """Credentials in URIs of options and chains are no part of what a step depends on."""
    key, secret = store.environment["AWS_ACCESS_KEY_ID"], store.environment["AWS_SECRET_ACCESS_KEY"]
    store.run(PROGRAM, "extract", "s3://store/crawl", "--output", "s3://store/before")
    store.run(PROGRAM, "hosts", "s3://store/before", "--output", "s3://store/hosts")
    store.run(PROGRAM, "stats", "s3://store/before", "--output", "s3://store/statistics")
    done = []
    for keys in ("", f"{key}:{secret}@"):
        (folder / "p.conf").write_text(
            f"""
            stages: [
              {{name: documents, command: extract, input: "${{crawl}}/*.warc.gz"}}
              {{name: clean, command: filter, input: "@documents", stats: "s3://{keys}store/statistics"
                filters: [{{class: HostFilter, statistics: "s3://{keys}store/hosts", ng: 1}}]}}
            ]
            """,
            encoding="utf-8",
        )
        summary = folder / "summary.json"
        store.run(*run_of(folder, CORPUS, f"s3://{keys}store/crawl", "--summary", summary))
        done.append([step["was_done"] for step in read_json(summary)["steps"]])
    assert done == [[False, False], [True, True]]


def test_a_chain_reads_no_stage(store: ObjectStore, folder: Path) -> None:
    """Chains are read before any stage is run: on a store as here, one that names a stage's output is refused."""
    (folder / "p.conf").write_text(
        """
        stages: [
          {name: documents, command: extract, input: "${crawl}/0.warc.gz"}
          {name: hosts, command: hosts, input: "@documents"}
          {name: clean, command: filter, input: "@documents"
            filters: [{class: HostFilter, statistics: ${table}, ng: 1}]}
        ]
        """,
        encoding="utf-8",
    )
    for place in (CORPUS, folder / "here"):
        store.run(PROGRAM, "extract", folder / "crawl" / "1.warc.gz", "--output", folder / "documents", "--overwrite")
        store.run(PROGRAM, "hosts", folder / "documents", "--output", f"{place}/hosts")
        for more in (["--plan"], []):
            run = run_of(folder, place, folder / "crawl", "-P", f"table={place}/hosts", *more)
            wanted = f"'{place}/hosts' is in the output of the stage 'hosts', and chains are read before any"
            assert wanted in store.run(*run, code=2)


def test_a_finished_output_gets_no_corpus(store: ObjectStore, folder: Path) -> None:
    """On a store and here, a pipeline is refused in one before a file is written."""
    store.run(*run_of(folder))
    store.run(*run_of(folder, folder / "here"))
    before = times_of(store)
    for more in ([], ["--plan"]):
        for below in ("", "/inside"):
            is_one = ": is" if not below else ": lies in {}, which is"
            said = store.run(*run_of(folder, f"{CORPUS}/unique{below}", folder / "crawl", *more), code=2)
            wanted = f"--output {CORPUS}/unique{below}{is_one} a finished output; choose a folder beside it"
            assert wanted.format(f"{CORPUS}/unique") in said
            said = store.run(*run_of(folder, f"{folder}/here/unique{below}", folder / "crawl", *more), code=2)
            wanted = f"--output {folder}/here/unique{below}{is_one} a finished output; choose a folder beside it"
            assert wanted.format(f"{folder}/here/unique") in said
    assert times_of(store) == before
    names = {path.name for path in (folder / "here" / "unique").rglob("*")}
    assert not names & {"_pipeline.json", "_summary.json", "inside"}


def test_credentials_of_chains_are_in_no_file(
    store: ObjectStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the corpus nor among temporary files, also when a run is stopped; a kept chain lacks them."""
    key, secret = store.environment.pop("AWS_ACCESS_KEY_ID"), store.environment.pop("AWS_SECRET_ACCESS_KEY")
    tmp = folder / "tmp"

    def has_secret(where: Path) -> list[Path]:
        return [path for path in where.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]

    given = f"s3://{key}:{secret}@store"
    said = store.run(*run_of(folder, f"{given}/corpus", f"{given}/crawl", "--on", "spark"), code=2)
    assert f"--output {CORPUS}: with --on spark, leave the credentials out of the URI" in said
    assert secret not in said
    store.run(PROGRAM, "extract", f"{given}/crawl/0.warc.gz", "--output", f"{given}/before")
    store.run(PROGRAM, "hosts", f"{given}/before", "--output", f"{given}/hosts")
    (folder / "p.conf").write_text(
        f"""
        stages: [
          {{name: documents, command: extract, input: "${{crawl}}/0.warc.gz"}}
          {{name: clean, command: filter, input: "@documents"
            filters: [{{class: HostFilter, statistics: "{given}/hosts", ng: 1}}]}}
        ]
        """,
        encoding="utf-8",
    )
    store.run(*run_of(folder, folder / "here", folder / "crawl"), TMPDIR=str(tmp))
    chain = folder / "here" / "_chains" / "clean.conf"
    assert json.loads(chain.read_text(encoding="utf-8"))["filters"][0]["statistics"] == "s3://store/hosts"
    assert not has_secret(folder / "here")
    keys = {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret}
    by_hand = folder / "by-hand"
    made = (PROGRAM, "filter", folder / "here/documents", "--config", chain, "--output", by_hand)
    store.run(*made, code=0, **keys)
    assert rows_of(by_hand) == rows_of(folder / "here" / "clean")

    gate = Gate("PUT", "/clean/part-")
    with serve_faulty(store, "", "") as (proxy, to_proxy):
        monkeypatch.setattr(proxy, "fails", gate)
        run = start(store, run_of(folder, f"{given}/corpus", f"{given}/crawl"), TMPDIR=str(tmp), **to_proxy)
        assert gate.reached.wait(120)
        assert list(tmp.rglob("_chains/**/*.conf"))
        assert not has_secret(tmp)
        run.send_signal(signal.SIGINT)
        run.wait()
        gate.opened.set()
        run.communicate()
        store.run(*run_of(folder, f"{given}/corpus", f"{given}/crawl"), code=0, TMPDIR=str(tmp), **to_proxy)
    assert not has_secret(tmp)
