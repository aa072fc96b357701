"""Each command that writes an output, stopped at its changes of the file system: what is left, and what is made of it.

`--all` tries every case, and without it a sample is tried (docs/reliability.md).
"""

from __future__ import annotations

import errno
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from crash_stages import STAGES, Stage, write_inputs
from crashes import PRELOADED, TAKES_SPACE, Case, read, run, tree
from program import run_uzushio

pytestmark = pytest.mark.once


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each command is once in a sample."""
    if "replaces" in metafunc.fixturenames:
        every = [(command, replaces) for command in STAGES for replaces in (False, True)]
        some = every if metafunc.config.getoption("--all") else every[::4] + every[3::4]
        names = [f"{command}-{'replaced' if replaces else 'new'}" for command, replaces in some]
        metafunc.parametrize(("command", "replaces"), some, ids=names)


def test_each_command_with_an_output_is_here() -> None:
    """A new one needs a line in the table."""
    commands = json.loads(run_uzushio("options", "--form", "json").stdout)
    assert set(STAGES) == {
        command["name"] for command in commands if "output" in {option["name"] for option in command["options"]}
    }


@pytest.fixture(name="inputs", scope="session")
def make_inputs(tmp_path_factory: pytest.TempPathFactory, dictionary: Path) -> Path:
    """What the commands read."""
    return write_inputs(tmp_path_factory.mktemp("crashes"), dictionary)


def make_case(command: str, stage: Stage, replaces: bool, folder: Path) -> Case:
    """A folder with files of others, and perhaps an output to replace; the run is made once, without faults."""
    begin, whole = folder / "begin", folder / "whole"
    (begin / "tmp").mkdir(parents=True)
    (begin / "out.txt").write_text("mine", encoding="utf-8")
    (begin / ".out.json").write_text("mine", encoding="utf-8")
    run_uzushio("index", folder / "in" / "a.warc.gz", "--output", begin / "other")
    given = stage.arguments(command, old=False)
    outputs = [f"{stage.output}/{step}" for step in stage.steps] or [stage.output, *stage.more]
    seen: dict[str, list[object]] = {output: [] for output in outputs}
    if replaces:
        done = run(begin, stage.arguments(command, old=True))
        assert done.returncode == 0, done.stderr
        given += ["--overwrite"] if command != "run" else []
        for output, found in seen.items():
            found.append(read(begin / output))
    shutil.copytree(begin, whole)
    done = run(whole, given, CHANGES=folder / "changes")
    assert done.returncode == 0, done.stderr
    for output, found in seen.items():
        found.append(read(whole / output))
        assert None not in found
    changes = (folder / "changes").read_text(encoding="utf-8").split()
    readable = "" if stage.is_file else outputs[0]
    return Case(given, begin, tree(whole, stage.told), changes, seen, stage.told, stage.is_file, readable)


def test_crashes(
    command: str,
    replaces: bool,
    inputs: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    """Killed, failing, or without power: the same command makes the same output, and nothing else is touched."""
    assert PRELOADED.exists()
    stage = STAGES[command]
    (tmp_path / "in").symlink_to(inputs)
    case = make_case(command, stage, replaces, tmp_path)
    errors = [
        (at, errno.ENOSPC if at % 2 and change in TAKES_SPACE else errno.EIO) for at, change in enumerate(case.changes)
    ]
    stops = list(range(len(case.changes)))
    if not request.config.getoption("--all"):
        choose = random.Random(f"{command} {replaces}")
        stops, errors = choose.sample(stops, 1), choose.sample(errors, 2)
    for at in stops:
        case.stop(at, tmp_path)
    for at, error in errors:
        case.fail(at, error, tmp_path)
    record_property("cases", case.count)
    if case.failures:
        pytest.fail("\n".join([f"{len(case.failures)} of {case.count} cases:", *case.failures]))
