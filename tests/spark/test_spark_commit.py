"""Outputs of Spark are there whole or not at all, whatever ends a run, and one run writes them at a time.

The steps of commits on local file systems are tested by src/storage/local_output_test.cc.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from documents import variants, write_documents
from hadoop_places import STORES, Place, Servers, write_text
from on_spark import SPARK_TESTS, OnSpark
from program import Uzushio, read_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

uzushio_module = pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = SPARK_TESTS

QUARANTINE = ".uzushio/quarantine"
RUN = {"stage": "test", "version": "1", "inputs": ["ä"], "configuration": {"numbers": (1, 2)}}
CHANGES = ("put", "delete", "move", "drop_if_empty", "drop_tree")
"""Operations of a store that change something."""
ON_STORES = pytest.mark.parametrize("place", STORES, indirect=True)


class Crash(BaseException):
    """The end of a process."""


@pytest.fixture(name="place", params=["file", *STORES])
def make_place(request: pytest.FixtureRequest, spark: SparkSession, servers: Servers, tmp_path: Path) -> Place:
    """A folder on a local file system; on others of Hadoop's."""
    if request.param == "gs" and request.function not in ON_GOOGLE and not request.config.getoption("--all"):
        pytest.skip("--all tries it on Google's store, whose connector takes its time")
    if request.param == "file":
        return Place(spark, str(tmp_path / "data"), tmp_path / "data")
    return servers.place(request.param)


def write_output(place: Place, content: str, overwrite: bool = False, **run: Any) -> bool:
    """A run that writes two files; whether it was done already."""
    from uzushio.spark._output import OutputFolder

    with OutputFolder(place.spark, f"{place.uri}/output", RUN | run, overwrite) as output:
        if not output.done:
            write_text(place.spark, f"{output.work}/part/a.txt", content)
            write_text(place.spark, f"{output.work}/.uzushio/b.parquet/c.parquet", content)
            output.commit({"rows": 1})
        assert output.success["counts"] == {"rows": 1}
        return output.done


def files_of(content: str) -> dict[str, str]:
    """What a reader sees of such an output."""
    return {"part/a.txt": content, ".uzushio/b.parquet/c.pq": content}


def crash_at(number: int, fault: type[BaseException], left: list[int], before: Any) -> dict[str, Any]:
    """The operations of a store, of which one fails; where a process ends, all behind it do."""
    from uzushio.spark._output import HadoopFiles

    left[0] = number
    one_by_one = threading.Lock()

    def limited(name: str) -> Any:
        original = getattr(HadoopFiles, name)

        def step(self: Any, *arguments: Any) -> Any:
            with one_by_one:
                before()
                left[0] -= 1
                if left[0] == -1 or (left[0] < 0 and fault is Crash):
                    raise fault
                return original(self, *arguments)

        return step

    return {name: limited(name) for name in CHANGES}


@ON_STORES
@pytest.mark.parametrize(
    ("fault", "overwrite"), [(Crash, False), (Crash, True), (OSError, True)], ids=["first", "replacing", "error"]
)
def test_a_crash_anywhere_is_mended_by_the_next_run(
    place: Place,
    overwrite: bool,
    fault: type[BaseException],
    request: pytest.FixtureRequest,
    servers: Servers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or a failure, at each of the steps that change something.

    All of them are tried by --all, and by src/storage/store_task_output_test.cc; else some, of each file system others.
    """
    from uzushio.spark._output import HadoopFiles

    kind = place.uri.partition(":")[0]
    is_all = request.config.getoption("--all")
    if not is_all and fault is OSError and kind != "viewfs":
        pytest.skip("--all tries it on each file system")
    positions = itertools.count() if is_all else itertools.count(STORES.index(kind), 4)
    for allowed in positions:
        here = servers.place(kind)
        left = [0]
        if overwrite:
            write_output(here, "old", configuration={})
        with monkeypatch.context() as patched:
            for name, step in crash_at(allowed, fault, left, lambda: None).items():
                patched.setattr(HadoopFiles, name, step)
            with contextlib.suppress(fault, uzushio_module.InputError):
                write_output(here, "new", overwrite)
        seen = here.seen()
        assert seen in ([files_of("old"), files_of("new")] if overwrite else [None, files_of("new")])
        write_output(here, "new", overwrite and seen != files_of("new"))
        assert here.seen() == files_of("new"), allowed
        assert here.is_only(), allowed
        assert write_output(here, "other")
        if left[0] >= 0:
            break
    assert allowed > 10


@ON_STORES
def test_readers_see_a_whole_output(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before each change of a run that replaces one: the old output, and from one change on the new one."""
    from uzushio.spark._output import HadoopFiles

    write_output(place, "old", configuration={})
    states = []

    def look() -> None:
        seen = place.seen()
        assert seen in (files_of("old"), files_of("new"))
        states.append(seen["part/a.txt"])

    with monkeypatch.context() as patched:
        for name, step in crash_at(1 << 30, Crash, [0], look).items():
            patched.setattr(HadoopFiles, name, step)
        write_output(place, "new", overwrite=True)
    assert states == sorted(states, reverse=True)
    assert set(states) == {"old", "new"}


def test_what_killed_tasks_leave_goes(place: Place) -> None:
    """An index and quarantined records that were being copied are no part of the output."""
    from uzushio.spark._output import OutputFolder

    with OutputFolder(place.spark, f"{place.uri}/output", RUN, False) as output:
        for name in (
            ".uzushio/.frequency.index.1f",
            f"{QUARANTINE}/.a.jsonl.gz.2e",
            f"{QUARANTINE}/a.jsonl.gz",
            "_scratch/round/a.parquet",
            "part/_temporary/0/a.parquet",
            "a.txt",
        ):
            write_text(place.spark, f"{output.work}/{name}", "text")
        output.commit({"rows": 1})
    assert place.seen() == {"a.txt": "text", f"{QUARANTINE}/a.jsonl.gz": "text"}
    assert place.is_only()


def test_spark_writes_and_reads(place: Place) -> None:
    """Rows of a committed output, by its folder, without what is hidden in it."""
    from uzushio.spark._output import OutputFolder, for_spark
    from uzushio.spark._run import write

    for rows, overwrite in ((100, False), (50, True)):
        run = RUN | {"rows": rows}
        with OutputFolder(place.spark, f"{place.uri}/output", run, overwrite) as output:
            write(place.spark.range(rows).selectExpr("id", "id % 3 AS language"), output.work, by="language")
            output.commit({"rows": rows})
        found = place.spark.read.parquet(for_spark(f"{place.uri}/output"))
        assert sorted(row["id"] for row in found.collect()) == list(range(rows))
        assert place.is_only()


def test_a_uri_names_its_file_system(spark: SparkSession, tmp_path: Path) -> None:
    """Whatever the default one is; a name without may be of any letters but bytes that are no UTF-8."""
    from uzushio.spark._output import OutputFolder

    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    default = configuration.get("fs.defaultFS")
    configuration.set("fs.defaultFS", "viewfs://nowhere")
    try:
        assert OutputFolder(spark, f"file://{tmp_path}/a%25 b", RUN, False).uri == f"{tmp_path}/a% b"
    finally:
        configuration.set("fs.defaultFS", default)
    for name in (b"out\xff", b"/out\xff", b"file:///out\xff"):
        with pytest.raises(uzushio_module.UsageError, match="UTF-8"):
            OutputFolder(spark, os.fsdecode(name), RUN, False)


def test_a_file_system_of_which_nothing_is_known(spark: SparkSession) -> None:
    """Is refused, as are one that Hadoop has nothing for, and credentials in a URI, which are not repeated."""
    from uzushio.spark._output import OutputFolder

    with pytest.raises(uzushio_module.UsageError, match="no output can be on ftp://"):
        OutputFolder(spark, "ftp://host/output", RUN, False)
    with pytest.raises(uzushio_module.UsageError, match=r"--output abfs://a@b/output: .*AzureBlobFileSystem"):
        OutputFolder(spark, "abfs://a@b/output", RUN, False)
    for scheme in ("s3", "s3a", "gs"):
        with pytest.raises(uzushio_module.UsageError, match="takes no credentials from a URI") as caught:
            OutputFolder(spark, f"{scheme}://key:secret@bucket/output", RUN, False)
        assert "secret" not in str(caught.value)


def test_s3_is_one_store_by_each_of_its_names(servers: Servers) -> None:
    """Hadoop has it as s3a only, and so do outputs."""
    place = servers.place("s3a")
    assert not write_output(place, "text")
    by_its_name = Place(place.spark, place.uri.replace("s3a:", "s3:"))
    assert write_output(by_its_name, "text")
    with pytest.raises(uzushio_module.UsageError, match=r"s3://store/.*: holds the output of a run with other inputs"):
        write_output(by_its_name, "text", stage="other")


def test_what_is_wrong_first_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that cleaning up went wrong too."""
    from uzushio.spark._output import HadoopFiles, OutputFolder

    if place.uri.startswith("/"):
        pytest.skip("what a local folder leaves goes with the next run")

    def fail(*_: object) -> None:
        raise OSError("the disk is gone")

    with pytest.raises(ValueError, match="first") as caught:  # noqa: PT012, SIM117
        with OutputFolder(place.spark, f"{place.uri}/output", RUN, False):
            monkeypatch.setattr(HadoopFiles, "drop_tree", fail)
            raise ValueError("first")
    assert "the disk is gone" in caught.value.__notes__[0]


def test_one_run_at_a_time(place: Place) -> None:
    """The second is refused, and takes nothing away; so is a different one."""
    from uzushio.spark._output import OutputFolder

    with OutputFolder(place.spark, f"{place.uri}/output", RUN, False) as output:
        write_text(place.spark, f"{output.work}/a.txt", "first")
        before = place.files()
        for overwrite in (False, True):
            for more in ({}, {"stage": "other"}):
                with pytest.raises(uzushio_module.UsageError, match="another process is writing this output"):
                    write_output(place, "second", overwrite, **more)
        assert place.files() == before
        output.commit({"rows": 1})
    assert place.is_only()
    assert write_output(place, "again")
    with pytest.raises(uzushio_module.UsageError, match="other inputs or another configuration"):
        write_output(place, "again", stage="other")


def test_a_run_that_fails_leaves_nothing(place: Place) -> None:
    """Not even a lock."""
    from uzushio.spark._output import OutputFolder, Storage

    with (  # noqa: PT012
        pytest.raises(KeyboardInterrupt),
        OutputFolder(place.spark, f"{place.uri}/output", RUN, False) as output,
    ):
        write_text(place.spark, f"{output.work}/a.txt", "half")
        raise KeyboardInterrupt
    assert place.files() == {}
    assert not Storage(place.spark).exists(f"{place.uri}/output")


def test_what_is_cut_off_is_not_put(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing a file on an object store puts what there is of it in the place of the one before."""
    from uzushio.spark._output import HadoopFiles

    stream, filesystem = Mock(), Mock()
    stream.write.side_effect = KeyboardInterrupt
    filesystem.create.return_value = stream
    files = HadoopFiles(Mock(), "s3a")
    monkeypatch.setattr(files, "_path", lambda path: (filesystem, path))
    with pytest.raises(KeyboardInterrupt):
        files.put("bucket/output/.uzushio/manifest.json", b"{}")
    stream.close.assert_not_called()


@ON_STORES
def test_another_attempt_of_the_application_goes_on(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster that starts a driver again has ended the one before."""
    monkeypatch.setattr("uzushio.spark._output.has_attempts", lambda _: True)
    holder = {"application": str(place.spark.sparkContext.applicationId), "process": "another", "host": "a"}
    place.write("output/.uzushio/lock-1.json", json.dumps(holder))
    write_output(place, "new")
    place.write("output/.uzushio/lock-1.json", json.dumps(holder | {"application": "another"}))
    with pytest.raises(uzushio_module.UsageError, match=r"another, process .* on a, .*no longer at work, delete "):
        write_output(place, "new", overwrite=True)
    assert "output/.uzushio/lock-1.json" in place.files()
    place.delete("output/.uzushio/lock-1.json")
    assert place.is_only()


@ON_STORES
def test_who_loses_the_lock_commits_nothing(place: Place) -> None:
    """Somebody has deleted it, and another run has come."""
    from uzushio.spark._output import OutputFolder

    with OutputFolder(place.spark, f"{place.uri}/output", RUN, False) as output:
        write_text(place.spark, f"{output.work}/a.txt", "text")
        for name in place.files():
            if "/lock-" in name:
                place.delete(name)
        place.write("output/.uzushio/lock-2.json", "{}")
        with pytest.raises(uzushio_module.InputError, match="the lock of this process is gone"):
            output.commit({"rows": 1})
    assert "output/.uzushio/manifest.json" not in place.files()
    place.delete("output")
    write_output(place, "text")


def test_what_is_others_is_not_touched(place: Place) -> None:
    """In the place of an output, and among its files."""
    place.write("output/notes.txt", "mine")
    place.write("output-2/part/a.txt", "mine")
    before = place.files()
    for overwrite in (False, True):
        with pytest.raises(uzushio_module.UsageError, match="choose another"):
            write_output(place, "text", overwrite)
        assert place.files() == before
    place.delete("output")
    write_output(place, "old")
    place.write("output/notes.txt", "mine")
    before = place.files()
    with pytest.raises(uzushio_module.UsageError, match=r"notes\.txt: was not written by the run"):
        write_output(place, "new", overwrite=True, stage="other")
    assert place.files() == before


def test_the_local_program_and_spark_exclude_one_another(
    spark: SparkSession, uzushio: Uzushio, on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither takes up what the other has left."""
    from uzushio.spark._output import OutputFolder

    documents = write_documents(tmp_path / "documents.parquet", variants(1, 3))
    output = tmp_path / "output"
    with OutputFolder(spark, str(output), RUN, False):
        told = uzushio("stats", documents, "--output", output, code=2).stderr
        assert "another process is writing this output now" in told or "an unfinished run" in told
    uzushio("stats", documents, "--output", output)
    mark = read_json(output / ".uzushio/manifest.json")
    shutil.rmtree(output)
    work = tmp_path / ".output.partial"
    work.mkdir()
    (work / "finished.parquet").write_text("hours of work", encoding="utf-8")
    (work / "_INCOMPLETE").write_text(json.dumps({"run": mark["run"]}), encoding="utf-8")
    on_spark("stats", documents, "--output", output, code=2)
    assert "of the local program" in capsys.readouterr().err
    assert (work / "finished.parquet").exists()
    on_spark("stats", documents, "--output", output, "--overwrite")
    mark = read_json(output / ".uzushio/manifest.json")
    shutil.rmtree(output)
    work.mkdir()
    (work / "_INCOMPLETE").write_text(json.dumps({"run": mark["run"] | {"engine": "spark"}}), encoding="utf-8")
    assert "an unfinished run" in uzushio("stats", documents, "--output", output, code=2).stderr


def test_outputs_lie_apart(on_spark: OnSpark, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or one would be moved with the other; and what is not ours is left."""
    documents = write_documents(tmp_path / "documents.parquet", variants(1, 3))
    for pairs in (tmp_path / "s" / "pairs", tmp_path / "s", tmp_path):
        on_spark("stats", documents, "--output", tmp_path / "s", "--pairs", pairs, code=2)
        assert "one output lies in the other" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["documents.parquet"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a").touch()
    for options in ([], ["--overwrite"]):
        on_spark("stats", documents, "--output", tmp_path / "mine", *options, code=2)
        assert "is no output of uzushio" in capsys.readouterr().err
    assert (tmp_path / "mine" / "a").exists()
    on_spark("stats", documents, "--output", tmp_path / "s")
    (tmp_path / "s" / "a.txt").touch()
    on_spark("stats", documents, "--output", tmp_path / "s", "--overwrite", code=2)
    assert "s/a.txt: was not written by the run" in capsys.readouterr().err
    (tmp_path / "s" / "a.txt").unlink()
    on_spark("merge", tmp_path / "s", "--output", tmp_path / "s", "--overwrite", code=2)
    assert "lies in the output" in capsys.readouterr().err
    assert (tmp_path / "s" / ".uzushio/frequency.index").exists()


def test_what_is_read_is_not_replaced(spark: SparkSession, tmp_path: Path) -> None:
    """Whatever a place is called by."""
    from uzushio import UsageError
    from uzushio.spark import _output

    storage = _output.Storage(spark)
    (tmp_path / "F" / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "F")
    folder = str(tmp_path / "F")
    for name in (f"{folder}/a", f"file://{folder}/a", f"file:{folder}/a", str(tmp_path / "link" / "a"), folder):
        with pytest.raises(UsageError, match="choose another folder"):
            _output.check_inputs(storage, folder, [name])
    with pytest.raises(UsageError, match="which is read"):
        _output.check_inputs(storage, f"{folder}/out", [folder])
    _output.check_inputs(storage, folder, [f"{folder}2/a", f"file://{tmp_path}/b"])


def test_a_run_that_is_done_lacks_nothing(place: Place) -> None:
    """What has been lost of an output since is not taken for there."""
    write_output(place, "text")
    assert write_output(place, "text")
    (part,) = (name for name in place.files() if name.startswith("output/part/a"))
    place.delete(part)
    place.write(part, "cut")
    with pytest.raises(uzushio_module.InputError, match=r"part/a\S*\.txt: has another size, and the manifest lists it"):
        write_output(place, "text")
    place.delete(part)
    with pytest.raises(uzushio_module.InputError, match=r"part/a\S*\.txt: is missing, and the manifest lists it"):
        write_output(place, "text")
    assert not write_output(place, "text", overwrite=True)
    assert place.is_only()


def test_an_input_that_changes_meanwhile_is_not_committed(spark: SparkSession, tmp_path: Path) -> None:
    """Tasks may have read some of the old one and some of the new one."""
    from uzushio.spark._run import Run

    source = tmp_path / "a.jsonl"
    source.write_text('{"text": "a"}\n', encoding="utf-8")
    inputs = [{"name": str(source), "bytes": source.stat().st_size}]

    def work(_: Any) -> dict[str, Any]:
        os.utime(source, (1, 1))
        return {}

    with pytest.raises(uzushio_module.InputError, match="was changed while it was read; nothing is committed"):
        Run(spark, str(tmp_path / "out")).into("test", inputs, {}, work)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    assert Run(spark, str(tmp_path / "out")).into("test", inputs, {}, lambda _: {})["stage"] == "test"


ON_GOOGLE = (test_spark_writes_and_reads, test_one_run_at_a_time, test_a_run_that_fails_leaves_nothing)
"""Tests that are not left to --all there."""
