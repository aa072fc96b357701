"""`uzushio run --on spark`: the rows of a local run, the same record, errors with their stage.

Each run on Spark starts a process with a session of its own, which costs seconds.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from on_spark import BRIEF, SPARK_TESTS, as_options, assert_same
from program import PROGRAM, ROOT, Uzushio, read_json
from spark_pipeline import KEYS, arguments, done_before, write_pipeline

pytest.importorskip("pyspark")
pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = SPARK_TESTS


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Archives of two years, a pipeline, and one of its first stage alone."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "build" / "release" / "python"))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    write_pipeline(tmp_path, intermediate=False)
    return tmp_path


def on_spark(*more: object) -> list[Any]:
    """Options for a run on Spark."""
    return ["--on", "spark", "--python", sys.executable, "--master", "local[2]", *as_options(BRIEF), *more]


@pytest.mark.every_spark
def test_a_run_goes_on_elsewhere(uzushio: Uzushio, corpus: Path) -> None:
    """Begun here, ended on Spark: the rows of one that stays here. Nothing is then left to do here."""
    uzushio(*arguments(corpus, "whole", "here"))
    uzushio(*arguments(corpus, "first", "both"))
    said = uzushio(*arguments(corpus, "whole", "both"), *on_spark()).stderr
    assert "hosts: runs here, as hosts is not on Spark" in said
    assert done_before(corpus) == ["documents/2013", "documents/2014"]
    for step, keys in KEYS.items():
        assert_same(corpus / "here" / step, corpus / "both" / step, *keys)
    uzushio(*arguments(corpus, "whole", "both"))
    assert done_before(corpus) == list(KEYS)


def test_by_an_index(uzushio: Uzushio, corpus: Path) -> None:
    """The stage that reads by one runs on Spark; its rows are those of a run here."""
    uzushio("index", corpus / "crawl", "--output", corpus / "index")
    stages = """
      {name: documents, command: extract, input: ${input}}
      {name: statistics, command: stats, input: "@documents"}
    """
    (corpus / "index.conf").write_text(f"stages: [{stages}]", encoding="utf-8")

    def run(output: str, *more: object) -> str:
        by_index = ["--index", corpus / "index", "--index-language", "jpn", "--summary", corpus / "summary.json"]
        return uzushio("run", corpus / "index.conf", "--output", corpus / output, *by_index, *more).stderr

    run("here")
    said = run("there", *on_spark())
    assert "runs here" not in said
    manifest = read_json(corpus / "there" / "documents" / ".uzushio/manifest.json")
    assert manifest["engine"] == "spark"
    assert manifest["counts"]["requests"] > 0
    for step, key in (("documents", "docId"), ("statistics", "hash")):
        assert_same(corpus / "here" / step, corpus / "there" / step, key)
    run("there", *on_spark())
    assert done_before(corpus) == ["documents", "statistics"]


@pytest.mark.parametrize("made", ["", "_INCOMPLETE"], ids=["folder", "mark"])
def test_a_stop_on_spark(uzushio: Uzushio, corpus: Path, made: str) -> None:
    """Is made good here, whether or not what is left there says whose it is."""
    uzushio(*arguments(corpus, "first", "here"))
    command = [PROGRAM, *arguments(corpus, "first", "there"), *on_spark()]
    run = subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL, start_new_session=True)
    while not (corpus / "there" / "documents" / ".2013.partial" / made).exists():
        assert run.poll() is None
        os.sched_yield()
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    with (corpus / "there" / "documents" / ".2013.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # Spark's processes, which are killed too, may still be there
    uzushio(*arguments(corpus, "first", "there"))
    for year in ("2013", "2014"):
        assert_same(corpus / "here" / "documents" / year, corpus / "there" / "documents" / year, "docId")


def test_errors_have_their_stage(uzushio: Uzushio, corpus: Path) -> None:
    """Those of options before a session is made, those of data from its tasks."""
    text = (corpus / "whole.conf").read_text(encoding="utf-8")
    (corpus / "wrong.conf").write_text(text.replace("name: clean,", "name: clean, format: jsonl.zst,"), "utf-8")
    said = uzushio(*arguments(corpus, "wrong", "out"), *on_spark(), code=2).stderr
    assert "stages[2] (clean/2013): --format jsonl.zst: Spark does not write it" in said
    (corpus / "broken.parquet").write_bytes(b"PAR1 no Parquet")
    stage = f'{{name: counts, command: stats, input: "{corpus}/broken.parquet"}}'
    (corpus / "broken.conf").write_text(f"stages: [{stage}]", encoding="utf-8")
    given = ["run", corpus / "broken.conf", "--output", corpus / "out"]
    said = uzushio(*given, *on_spark(), code=1).stderr
    assert "stages[0] (counts): " in said
    assert "broken.parquet" in said
    assert read_json(corpus / "out" / "_pipeline.json")["steps"]["counts"]["failed"]
    elsewhere = ["--conf", "spark.hadoop.fs.defaultFS=hdfs://nowhere:1"]
    said = uzushio(*arguments(corpus, "first", "out2"), *on_spark(*elsewhere), code=2).stderr
    assert "paths are of hdfs:// here, and a run's paths are of a local or mounted file system" in said


def test_a_python_that_will_not_do(uzushio: Uzushio, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not there, or has no PySpark, or no uzushio."""
    given = [*arguments(corpus, "first", "out"), "--on", "spark"]
    said = uzushio(*given, "--python", corpus / "none", code=2).stderr
    assert "none: No such file or directory; --python names the interpreter" in said
    (corpus / "sitecustomize.py").write_text("import sys; sys.modules['pyspark'] = None", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(corpus), os.environ["PYTHONPATH"]]))
    said = uzushio(*given, "--python", sys.executable, code=2).stderr
    assert "has no PySpark; pip install pyspark" in said
    by_module = [sys.executable, "-m", "uzushio", *map(str, given)]  # as an installation's script does
    done = subprocess.run(by_module, capture_output=True, text=True, check=False)
    assert f"error: {sys.executable} has no PySpark" in done.stderr
    monkeypatch.delenv("PYTHONPATH")
    said = uzushio(*given, "--python", "/bin/false", code=1).stderr
    assert "--on spark: /bin/false has ended; --python names the interpreter" in said
    assert "--master, --conf and --python are for --on spark" in uzushio(*given[:-2], "--master", "x", code=2).stderr


def test_a_plan_says_what_runs_where(uzushio: Uzushio, corpus: Path) -> None:
    """Without a session."""
    said = uzushio(*arguments(corpus, "whole", "out"), *on_spark("--plan")).stdout
    assert "on Spark: documents statistics clean unique\n" in said
    assert "  hosts runs here, as hosts is not on Spark\n" in said
