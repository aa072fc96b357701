"""How stages on Spark start, fail and speak, and what they leave of the caller's session; on each supported PySpark.

Most need a process with a Spark of its own, as a user's has; each such costs seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from on_spark import BRIEF, SPARK_TESTS, as_options
from pages import page
from program import ROOT, Uzushio, read_json
from warc_builder import build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pyspark = pytest.importorskip("pyspark")
pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = SPARK_TESTS

PACKAGE = ROOT / "build" / "release" / "python"
QUIET = as_options(BRIEF)


@pytest.fixture(name="environment")
def make_environment(tmp_path: Path) -> dict[str, str]:
    """That of a user who has activated nothing, and whose `python3` has no uzushio."""
    folder = tmp_path / "bin"
    folder.mkdir()
    python = folder / "python3"
    python.write_text("#!/bin/sh\necho the wrong Python >&2\nexit 9\n")
    python.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK", "SPARK"))}
    rest = [part for part in os.environ["PATH"].split(os.pathsep) if not Path(part).is_relative_to(sys.prefix)]
    return kept | {
        "PATH": os.pathsep.join([str(folder), *rest]),
        "PYTHONPATH": str(PACKAGE),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def run_module(environment: dict[str, str], *arguments: object, code: int = 0) -> str:
    """What `python -m uzushio.spark` says on standard error; on standard output it says nothing."""
    command = [sys.executable, "-m", "uzushio.spark", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    return done.stderr


def without_figures(said: str) -> list[str]:
    """The lines of a summary but for the last, which has time, memory and output."""
    return said.rstrip("\n").split("\n")[:-1]


def write_archive(path: Path, damage: bytes = b"") -> Path:
    """Pages."""
    path.write_bytes(build([page(number) for number in range(20)], "warc.gz", 0) + damage)
    return path


@pytest.mark.every_spark
def test_nothing_is_activated(environment: dict[str, str], uzushio: Uzushio, tmp_path: Path) -> None:
    """Workers are the Python that runs us, Spark is silent, and the summary is the program's."""
    archive = write_archive(tmp_path / "pages.warc.gz", b"nonsense")
    summary = ["--summary", tmp_path / "summary.json"]
    said = run_module(
        environment, "extract", archive, "--output", tmp_path / "spark", "--master", "local[2]", *QUIET, *summary
    )
    local = uzushio("extract", archive, "--output", tmp_path / "local", "--progress", "none").stderr
    assert without_figures(said) == without_figures(local)
    assert said.endswith(f" s, output {tmp_path / 'spark'}\n")
    assert read_json(tmp_path / "summary.json")["documents"] == 20


def test_errors_are_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    """One of tasks, whose Python does not start, and one of Spark's own."""
    archive = write_archive(tmp_path / "pages.warc.gz")
    common = ["extract", archive, "--output", tmp_path / "output", "--master", "local[1]", *QUIET]
    said = run_module(environment | {"PYSPARK_PYTHON": "python3"}, *common, code=1)
    assert said == "uzushio: error: Python in Spark did not start: the wrong Python; PYSPARK_PYTHON names it\n"

    said = run_module(environment, *common, "--conf", "spark.driver.memory=1m", code=1)
    assert said.startswith("uzushio: error: Spark")
    assert said.count("\n") == 1
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (["--master", "sc://localhost"], {}),
        (["--conf", "spark.remote=local"], {}),
        ([], {"SPARK_REMOTE": "sc://localhost"}),
    ],
)
def test_spark_connect_is_refused(
    options: list[str], variables: dict[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    """Before it is connected to."""
    said = run_module(environment | variables, "extract", tmp_path, "--output", tmp_path / "output", *options, code=2)
    assert "can not use Spark Connect" in said
    assert said.count("\n") == 1


def run_python(environment: dict[str, str], code: str, *arguments: object) -> tuple[Any, str]:
    """The JSON that a program of the user's prints, and what is said on standard error."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout), done.stderr


CALLERS_SESSION = """
import json, sys
import pyarrow as pa
from pyspark.sql import SparkSession
from uzushio import FilterChain, spark as uzushio
from uzushio.spark.worker import documents as worker

builder = SparkSession.builder.master("local[2]")
for name, value in (json.loads(sys.argv[1]) | {"spark.pyspark.python": sys.executable}).items():
    builder = builder.config(name, value)
spark = builder.config("spark.sql.shuffle.partitions", "3").getOrCreate()
spark.sparkContext.pythonExec = sys.executable

def rows_of_batches(batches, chain, partitioned):
    for batch in batches:
        yield pa.record_batch({"docId": [str(batch.num_rows)], "text": [str(batch.nbytes)]})

worker.filter_frame = rows_of_batches
def settings_of(session):
    return sorted(map(tuple, session.sql("SET").collect())), sorted(session.sparkContext.getConf().getAll())

spark.range(1).collect()  # Spark itself sets some at first
before = settings_of(spark)
documents = spark.createDataFrame([(str(i), "あ" * int(sys.argv[2])) for i in range(150)], "docId string, text string")
documents = documents.coalesce(1)
filtered = uzushio.filter(documents, FilterChain([]))
with uzushio.stats(documents, text_bytes=1 << 20) as statistics:
    rows = statistics.rows.count()
plain = documents.mapInArrow(lambda batches: rows_of_batches(batches, None, False), "docId string, text string")
filtered.createOrReplaceTempView("filtered")
told = {
    "version": spark.version,
    "rows": rows,
    "alone": [int(row[0]) for row in filtered.collect()],
    "bytes": max(int(row[1]) for row in filtered.collect()),
    "with": sorted(int(row[0]) for row in filtered.union(plain).collect())[-1],
    "view": spark.sql("select max(cast(docId as int)) from filtered").collect()[0][0],
    "session": filtered.sparkSession is spark and SparkSession.getActiveSession() is spark,
    "same": before == settings_of(spark),
    "worker": spark.sparkContext.parallelize([0], 1).map(
        lambda _: sys.modules["__main__"].__spec__.name).collect()[0],
}
print(json.dumps(told))
"""


@pytest.mark.every_spark
def test_the_callers_session_stays_as_it_is(environment: dict[str, str]) -> None:
    """Its settings, its workers, its views; and yet few rows go to Python at once, whatever is done with the result."""
    letters = 100_000 if pyspark.__version__.startswith("3.5.") else 300_000  # for Spark 4's own bound, 64 MiB
    told, _ = run_python(environment, CALLERS_SESSION, json.dumps(BRIEF), letters)
    assert told["same"], told
    assert told["session"], told
    assert told["rows"] == 1  # the one text of all
    assert told["worker"] == "pyspark.daemon"
    assert told["bytes"] < 0.6 * 150 * 3 * letters
    if told["version"].startswith("3.5."):
        assert max(told["alone"]) == told["view"] == 16
        assert told["with"] == 150  # the caller's own


def test_workers_of_our_own_sessions(spark: SparkSession) -> None:
    """They come from our daemon, which spares them what it can."""

    def of_worker(_: int) -> tuple[str, str, bool]:
        spared = [f for f in sys.path_importer_cache.values() if "invalidate_caches" in getattr(f, "__dict__", {})]
        return sys.modules["__main__"].__spec__.name, sys.executable, bool(spared)  # type: ignore[union-attr]

    found = {*spark.sparkContext.parallelize(range(8), 8).map(of_worker).collect()}
    assert found == {("uzushio_spark_daemon", sys.executable, True)}


def test_other_versions_keep_their_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours are for those that are tested."""
    from uzushio.spark import _launch

    assert "spark.python.daemon.module" in _launch.settings("yarn")
    monkeypatch.setattr(pyspark, "__version__", "4.9.0")
    assert _launch.settings("yarn") == {}
    assert _launch.settings("local[2]") == _launch.LOCAL_SETTINGS


WORKERS = """
import json, sys
from uzushio.spark import _launch

def of_worker(_):
    import sys
    spared = [f for f in sys.path_importer_cache.values() if "invalidate_caches" in getattr(f, "__dict__", {})]
    return sys.modules["__main__"].__spec__.name, sys.executable, bool(spared)

spark = _launch.session("test", "local[2]", json.loads(sys.argv[1]), progress=False)
print(json.dumps(spark.sparkContext.parallelize(range(8), 8).map(of_worker).collect()))
"""


def test_sessions_as_the_user_wants_them(environment: dict[str, str], tmp_path: Path) -> None:
    """With a log, and another daemon; where it can not prepare a worker, that is the stock one, and nothing fails."""
    (tmp_path / "failing_daemon.py").write_text(
        "import uzushio_spark_daemon\n"
        "def prepare(connection):\n    raise OSError('not here')\n"
        "uzushio_spark_daemon.prepare = prepare\n"
        "if __name__ == '__main__':\n    uzushio_spark_daemon.main()\n"
    )
    path = os.pathsep.join([environment["PYTHONPATH"], str(tmp_path)])
    settings = json.dumps(BRIEF | {"spark.python.daemon.module": "failing_daemon", "spark.log.level": "INFO"})
    found, said = run_python(environment | {"PYTHONPATH": path}, WORKERS, settings)
    assert "TaskSchedulerImpl" in said
    assert {tuple(worker) for worker in found} == {("failing_daemon", sys.executable, False)}


def test_names_without_scheme_are_of_one_file_system(spark: SparkSession) -> None:
    """Inputs are looked for where outputs are written: in what `fs.defaultFS` names."""
    from uzushio.spark.__main__ import executors_paths

    names = ["pages/*.gz", "/data/あ b", "s3://bucket/x", "file:///here"]
    assert executors_paths(spark, names) == names
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    default = configuration.get("fs.defaultFS")
    configuration.set("fs.defaultFS", "hdfs://127.0.0.1:1")
    try:
        found = executors_paths(spark, names)
    finally:
        configuration.set("fs.defaultFS", default)
    assert found[0].startswith("hdfs://127.0.0.1:1/user/")
    assert found[0].endswith("/pages/*.gz")
    assert found[1:] == ["hdfs://127.0.0.1:1/data/あ b", "s3://bucket/x", "file:///here"]


CONNECT = """
import json, os
from pyspark.sql.connect.session import SparkSession
from uzushio import FilterChain, UsageError, spark as uzushio

session = SparkSession("sc://127.0.0.1:1")  # which nobody answers; nothing is asked
frame = session.range(1)
told = []
for function in (
    lambda: uzushio.extract(session, ["x.warc.gz"]),
    lambda: uzushio.filter(frame, FilterChain([])),
    lambda: uzushio.metrics(frame, FilterChain([])),
    lambda: uzushio.stats(frame),
    lambda: uzushio.merge([frame]),
    lambda: uzushio.hosts(frame),
    lambda: uzushio.overlap({"a": frame, "b": frame}),
):
    try:
        function()
    except UsageError as error:
        told.append(str(error))
print(json.dumps(told), flush=True)
os._exit(0)  # without a farewell to the server
"""


@pytest.mark.every_spark
def test_frames_of_spark_connect_are_refused(environment: dict[str, str]) -> None:
    """By every function."""
    pytest.importorskip("grpc", reason="Spark Connect needs it")
    told, _ = run_python(environment, CONNECT)
    assert told == ["this session is one of Spark Connect, which uzushio can not use; give a classic one"] * 7
