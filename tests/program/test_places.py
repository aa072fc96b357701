"""Where outputs may be written, and what a commit never touches."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from program import PROGRAM, Uzushio, read_json

TEXT = "これはひらがなのぶんしょうです。"


@pytest.fixture(name="lines", autouse=True)
def write_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Documents, in the folder that the program then works in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"docId": "1", "text": "{TEXT}"}}\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("option", ["--output", "--summary"])
def test_no_folder_is_made_of_a_uri(uzushio: Uzushio, option: str) -> None:
    """Where nothing can be written, what is supported is said, and nothing is made."""
    more = [] if option == "--output" else ["--output", "out"]
    if option == "--summary":
        said = uzushio("filter", "a.jsonl", *more, option, "s3://bucket/out", code=2).stderr
        assert f"{option} s3://bucket/out: is written to local or mounted folders only" in said
    said = uzushio("filter", "a.jsonl", *more, option, "file:///out", code=2).stderr
    assert f"{option} file:///out: give it as a path, /out" in said
    uzushio("run", "--preset", "recommended", "--input", "a.jsonl", "--output", "hdfs://host/out", code=2)
    assert [path.name for path in Path().iterdir()] == ["a.jsonl"]


def test_folders_of_others_stay(uzushio: Uzushio) -> None:
    """Those that are called as what a run makes beside its output."""
    for options in ([], ["--overwrite"]):
        shutil.rmtree("out", ignore_errors=True)
        Path(".out.partial").mkdir(exist_ok=True)
        Path(".out.partial/mine").write_text("precious", encoding="utf-8")
        said = uzushio("filter", "a.jsonl", "--output", "out", *options, code=2).stderr
        assert ".out.partial: is in the way, and no unfinished run of uzushio" in said
        assert Path(".out.partial/mine").read_text(encoding="utf-8") == "precious"
    Path(".out.partial/mine").unlink()
    uzushio("filter", "a.jsonl", "--output", "out")
    assert not Path(".out.partial").exists()


def test_a_torn_output_is_not_taken_for_one(uzushio: Uzushio) -> None:
    """One that was being removed when the process ended, and whose successor has gone since."""
    uzushio("filter", "a.jsonl", "--output", "out")
    Path("out").rename(".out.replaced")
    Path(".out.replaced/part-00000.parquet").unlink()
    said = uzushio("filter", "a.jsonl", "--output", "out", code=2).stderr
    assert ".out.replaced: is what is left of an output that was replaced, and not whole" in said
    assert not Path("out").exists()


def test_no_output_in_a_finished_one(uzushio: Uzushio) -> None:
    """Readers of the outer one would count it."""
    uzushio("filter", "a.jsonl", "--output", "out")
    said = uzushio("filter", "a.jsonl", "--output", "out/more/again", code=2).stderr
    assert "--output out/more/again: lies in " in said
    assert "which is a finished output; choose a folder beside it" in said
    assert sorted(path.name for path in Path("out").iterdir()) == [".uzushio", "part-00000.parquet"]


def test_a_summary_touches_nothing_else(uzushio: Uzushio, tmp_path: Path) -> None:
    """Links lead on, pipes and devices are written to, files of like names stay."""
    Path("kept.json").write_text("old", encoding="utf-8")
    Path("link.json").symlink_to("kept.json")
    Path("link.json.tmp").write_text("mine", encoding="utf-8")
    Path("kept.json.tmp").write_text("mine", encoding="utf-8")
    uzushio("filter", "a.jsonl", "--output", "out", "--summary", "link.json")
    assert Path("link.json").is_symlink()
    assert read_json(tmp_path / "kept.json")["stage"] == "filter"
    assert {Path(name).read_text(encoding="utf-8") for name in ("link.json.tmp", "kept.json.tmp")} == {"mine"}
    os.mkfifo("pipe")
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(Path("pipe").read_text(encoding="utf-8")))
    reader.start()
    uzushio("filter", "a.jsonl", "--output", "out", "--summary", "pipe")
    reader.join()
    assert '"stage": "filter"' in heard[0]
    assert Path("pipe").is_fifo()
    uzushio("filter", "a.jsonl", "--output", "out", "--summary", "/dev/null")
    done = uzushio("filter", "a.jsonl", "--output", "out", "--summary", "/dev/stdout", "--quiet")
    assert '"stage": "filter"' in done.stdout
    assert "is a folder" in uzushio("filter", "a.jsonl", "--output", "new", "--summary", "out", code=2).stderr
    said = uzushio("filter", "a.jsonl", "--output", "new", "--summary", "none/a.json", code=2).stderr
    assert "--summary none/a.json: there is no folder " in said
    Path("broken.json").symlink_to("none/a.json")
    said = uzushio("filter", "a.jsonl", "--output", "new", "--summary", "broken.json", code=2).stderr
    assert "--summary broken.json: is a link that leads nowhere" in said
    Path("broken.json").unlink()
    names = ["a.jsonl", "kept.json", "kept.json.tmp", "link.json", "link.json.tmp", "out", "pipe"]
    assert sorted(path.name for path in Path().iterdir()) == names


def in_a_mount(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script where a file system of its own lies at a folder."""
    whole = f'set -e; mount -t tmpfs none "{folder}"; {script}'
    return subprocess.run(["unshare", "-rm", "sh", "-c", whole], capture_output=True, text=True, check=False)


def test_an_output_that_is_a_mount_point(tmp_path: Path) -> None:
    """As a volume of a container is: it is written, done, replaced, and refused to others."""
    (tmp_path / "out").mkdir()
    if in_a_mount("true", tmp_path / "out").returncode != 0:
        pytest.skip("no file system may be mounted here")
    make = f'"{PROGRAM}" filter a.jsonl --output out --quiet'
    done = in_a_mount(
        f"""
        {make}; ls -A out; echo -; {make}; {make} --overwrite --format jsonl; ls -A out; echo -
        touch out/mine; if {make} --overwrite; then exit 9; fi; ls -A out; echo -; cat out/.uzushio/manifest.json
        """,
        tmp_path / "out",
    )
    assert done.returncode == 0, done.stderr
    first, second, third, mark = done.stdout.split("-\n")
    assert first.split() == [".uzushio", "part-00000.parquet"]
    assert second.split() == [".uzushio", "part-00000.jsonl.gz"]
    assert third.split() == [".uzushio", "mine", "part-00000.jsonl.gz"]
    assert '"files"' in mark
    assert "mine: was not written by the run" in done.stderr
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.jsonl", "out"]


@pytest.mark.once
def test_what_is_put_into_a_mount_point_while_its_commit_is_stopped_stays(tmp_path: Path) -> None:
    """Wherever a run that replaces an output was killed: a file of others is named, and the rest is not lost either."""
    (tmp_path / "out").mkdir()
    stop_at = PROGRAM.parent / "stop_at.so"
    assert stop_at.exists()
    if in_a_mount("true", tmp_path / "out").returncode != 0:
        pytest.skip("no file system may be mounted here")
    make = f'"{PROGRAM}" filter a.jsonl --output out --quiet'
    again = f"{make} --overwrite --format jsonl"
    stopped = 0
    for calls in range(24, 42, 2):
        done = in_a_mount(
            f"""
            {make}; STOP_AT={calls} LD_PRELOAD="{stop_at}" {again} || true
            if [ -e out/_INCOMPLETE ]; then echo stopped; fi
            echo mine > out/mine; {again} || true; cat out/mine; rm out/mine; {again}; ls -A out
            """,
            tmp_path / "out",
        )
        assert done.returncode == 0, (calls, done.stderr)
        assert done.stdout.removeprefix("stopped\n").split() == ["mine", ".uzushio", "part-00000.jsonl.gz"], calls
        stopped += done.stdout.startswith("stopped")
    assert stopped > 2


def test_run_keeps_the_outputs_of_other_inputs(uzushio: Uzushio, tmp_path: Path) -> None:
    """A pipeline started for another corpus by mistake; more inputs are no other ones."""
    pipeline = "stages: [{name: clean, command: filter, input: ${input}, format: jsonl}]"
    (tmp_path / "p.conf").write_text(pipeline, encoding="utf-8")
    for name in ("b.jsonl", "c.jsonl"):
        (tmp_path / name).write_text(f'{{"docId": "{name}", "text": "{TEXT}{name}"}}\n', encoding="utf-8")

    def run(*inputs: str, code: int = 0, more: tuple[str, ...] = ()) -> str:
        return uzushio("run", "p.conf", "--input", *inputs, "--output", "out", *more, code=code).stderr

    said = run("a.jsonl")
    assert 'train on out/clean; in Python: datasets.load_dataset("json", data_files="out/clean/**/*.jsonl.*")' in said
    before = (tmp_path / "out" / "clean" / "part-00000.jsonl.gz").read_bytes()
    said = run("b.jsonl", code=2)
    assert "out/clean: was made of other inputs, as a.jsonl, which is not among these" in said
    assert (tmp_path / "out" / "clean" / "part-00000.jsonl.gz").read_bytes() == before
    run("a.jsonl", "b.jsonl")
    run("c.jsonl", more=("--overwrite",))
    assert read_json(tmp_path / "out" / "clean" / ".uzushio/manifest.json")["run"]["inputs"][0]["name"] == "c.jsonl"
