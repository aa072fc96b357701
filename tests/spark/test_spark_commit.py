"""Outputs of Spark are there whole or not at all, whatever ends a run, and one run writes them at a time."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from documents import variants, write_documents
from on_spark import SPARK_TESTS, OnSpark
from program import Uzushio, read_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

uzushio_module = pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = SPARK_TESTS

QUARANTINE = ".uzushio/quarantine"
RUN = {"stage": "test", "version": "1", "inputs": ["ä"], "configuration": {"numbers": (1, 2)}}


class Crash(BaseException):
    """The end of a process."""


@pytest.fixture(name="place", params=["file", "renaming", "object store"])
def make_place(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A folder on a local file system; on another that renames; on one that does not."""
    from uzushio.spark import _output

    if request.param == "file":
        return str(tmp_path / "data" / "output")
    if request.param == "object store":
        monkeypatch.setattr(_output, "OBJECT_STORES", {"viewfs"})
    (tmp_path / "data").mkdir()
    name = "".join(c for c in tmp_path.parent.name + tmp_path.name if c.isalnum())
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    configuration.set(f"fs.viewfs.mounttable.{name}.link./data", f"file://{tmp_path}/data")
    return f"viewfs://{name}/data/output"


def write_output(spark: SparkSession, place: str, content: str, overwrite: bool = False, **run: Any) -> bool:
    """A run that writes one file; whether it was done already."""
    from uzushio.spark._output import OutputFolder

    with OutputFolder(spark, place, RUN | run, overwrite) as output:
        if not output.done:
            output.storage.make_folder(f"{output.work}/part")
            output.storage.write(f"{output.work}/part/a.txt", content)
            output.commit({"rows": 1})
        assert output.success["counts"] == {"rows": 1}
        return output.done


def kept(folder: Path) -> dict[str, str]:
    """What is in outputs in a folder, in their place or beside it, that are whole: texts by paths."""
    texts = {}
    for path in folder.glob("*/part/a.txt"):
        marks = [path.parent.parent / name for name in (".uzushio/manifest.json", "_INCOMPLETE")]
        if any(mark.exists() and ("files" in (text := mark.read_text()) or '"success"' in text) for mark in marks):
            texts[path.parent.parent.name] = path.read_text()
    return texts


def names_in(folder: Path) -> list[str]:
    """All that is there, but the checksums of Hadoop."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".crc"))


@pytest.mark.parametrize("fault", [Crash, OSError])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_crash_anywhere_is_mended_by_the_next_run(
    spark: SparkSession,
    place: str,
    overwrite: bool,
    fault: type[BaseException],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or a failure, at each of the steps that change something; what is overwritten stays until the new is whole."""
    from uzushio.spark import _output

    folder = tmp_path / "data"
    steps = ("remove", "remove_empty", "rename", "write", "create", "make_folder")
    originals = {name: getattr(_output.Storage, name) for name in steps}
    is_in_place = place.startswith("viewfs") and "viewfs" in _output.OBJECT_STORES
    for allowed in itertools.count():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if overwrite:
            write_output(spark, place, "old", configuration={})
        left = [allowed]

        def limited(name: str, left: list[int]) -> Any:
            def step(self: Any, *arguments: Any) -> Any:
                left[0] -= 1
                if left[0] == -1 or (left[0] < 0 and fault is Crash):
                    raise fault
                return originals[name](self, *arguments)

            return step

        with monkeypatch.context() as patched:
            for name in steps:
                patched.setattr(_output.Storage, name, limited(name, left))
            with contextlib.suppress(fault):
                write_output(spark, place, "new", overwrite)
            if left[0] >= 0:
                break
        if overwrite and not is_in_place:
            assert {"old", "new"} & set(kept(folder).values()), allowed
        lock = folder / ".output.lock"
        if lock.exists() and place.startswith("viewfs"):  # a killed driver's
            output = folder / "output"
            is_whole = output.exists() and names_in(output) == [".uzushio", "part"]
            if overwrite or not is_whole:
                with pytest.raises(uzushio_module.UsageError, match="has been writing this output since"):
                    write_output(spark, place, "new", overwrite)
            lock.unlink()
        write_output(spark, place, "new", overwrite)
        assert names_in(folder) == ["output"], allowed
        assert names_in(folder / "output") == [".uzushio", "part"], allowed
        assert (folder / "output" / "part" / "a.txt").read_text() == "new"
        assert write_output(spark, place, "other")
    assert allowed > 4


def test_what_killed_tasks_leave_goes(spark: SparkSession, place: str, tmp_path: Path) -> None:
    """An index and quarantined records that were being copied are no part of the output."""
    from uzushio.spark._output import OutputFolder

    with OutputFolder(spark, place, RUN, False) as output:
        output.storage.make_folder(f"{output.work}/{QUARANTINE}")
        for name in (
            ".uzushio/.frequency.index.1f",
            f"{QUARANTINE}/.a.jsonl.gz.2e",
            f"{QUARANTINE}/a.jsonl.gz",
            "a.txt",
        ):
            output.storage.write(f"{output.work}/{name}", "text")
        output.commit({"rows": 1})
    found = {
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".crc"
    }
    assert found == {f"data/output/{name}" for name in (".uzushio/manifest.json", "a.txt", f"{QUARANTINE}/a.jsonl.gz")}


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


def test_what_is_wrong_first_is_told(spark: SparkSession, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that cleaning up went wrong too."""
    from uzushio.spark._output import OutputFolder, Storage

    def fail(*_: object) -> None:
        raise OSError("the disk is gone")

    with pytest.raises(ValueError, match="first") as caught, OutputFolder(spark, place, RUN, False):  # noqa: PT012
        monkeypatch.setattr(Storage, "remove", fail)
        raise ValueError("first")
    assert "the disk is gone" in caught.value.__notes__[0]


def test_one_run_at_a_time(spark: SparkSession, place: str, tmp_path: Path) -> None:
    """The second is refused, and takes nothing away; so is a different one."""
    from uzushio.spark._output import OutputFolder

    with OutputFolder(spark, place, RUN, False) as output:
        output.storage.write(f"{output.work}/a.txt", "first")
        for overwrite in (False, True):
            for more in ({}, {"stage": "other"}):
                with pytest.raises(uzushio_module.UsageError):
                    write_output(spark, place, "second", overwrite, **more)
        assert output.storage.read(f"{output.work}/a.txt") == "first"
        output.commit({"rows": 1})
    assert names_in(tmp_path / "data") == ["output"]
    assert write_output(spark, place, "again")
    with pytest.raises(uzushio_module.UsageError, match="other inputs or another configuration"):
        write_output(spark, place, "again", stage="other")


def test_a_run_that_fails_leaves_nothing(spark: SparkSession, place: str, tmp_path: Path) -> None:
    """Not even a lock."""
    from uzushio.spark._output import OutputFolder

    with pytest.raises(KeyboardInterrupt), OutputFolder(spark, place, RUN, False):
        raise KeyboardInterrupt
    assert names_in(tmp_path / "data") == []


def test_another_attempt_of_the_application_goes_on(spark: SparkSession, place: str, tmp_path: Path) -> None:
    """A cluster that starts a driver again has ended the one before."""
    if not place.startswith("viewfs"):
        pytest.skip("local locks go with their process")
    lock = tmp_path / "data" / ".output.lock"
    holder = {"application": str(spark.sparkContext.applicationId), "process": "another", "host": "a"}
    lock.write_text(json.dumps(holder), encoding="utf-8")
    write_output(spark, place, "new")
    lock.write_text(json.dumps(holder | {"application": "another"}), encoding="utf-8")
    with pytest.raises(uzushio_module.UsageError, match=r"application another on a .*if it was killed, remove viewfs:"):
        write_output(spark, place, "new", overwrite=True)
    assert lock.exists()


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
    assert names_in(tmp_path) == ["documents.parquet"]
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


def test_a_run_that_is_done_lacks_nothing(spark: SparkSession, place: str, tmp_path: Path) -> None:
    """What has been lost of an output since is not taken for there."""
    write_output(spark, place, "text")
    assert write_output(spark, place, "text")
    part = tmp_path / "data" / "output" / "part" / "a.txt"
    part.write_text("cut", encoding="utf-8")
    with pytest.raises(uzushio_module.RunError, match=r"part/a\.txt: has another size, and the manifest lists it"):
        write_output(spark, place, "text")
    part.unlink()
    with pytest.raises(uzushio_module.RunError, match=r"part/a\.txt: is missing, and the manifest lists it"):
        write_output(spark, place, "text")
    assert not write_output(spark, place, "text", overwrite=True)


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
