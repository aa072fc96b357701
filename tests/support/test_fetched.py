"""Folders of what is fetched: each whole, once, whoever else fetches it or was stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fetched import bring

ROOT = Path(__file__).resolve().parents[2]

# Brings a folder to a stamp. Each fetch is noted; the file `part` is there, and told, before the rest, which comes
# when the standard input ends.
START = """
import sys
from pathlib import Path
from fetched import bring
folder, stamp = Path(sys.argv[1]), sys.argv[2]
def fetch(fresh):
    with (folder.parent / "fetches").open("a") as notes: notes.write(stamp)
    (fresh / "part").write_text(stamp)
    print("part", flush=True)
    sys.stdin.read()
    (fresh / "rest").write_text(stamp)
print("begins", flush=True)
bring(folder, [stamp], fetch)
"""


def start(folder: Path, stamp: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """A process that brings a folder."""
    command = [sys.executable, "-c", START, str(folder), stamp]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT / "tools", stdin=stdin, stdout=pipe, stderr=pipe, text=True)


def names(folder: Path) -> list[str]:
    """Those of what lies there."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("is_there", [False, True])
def test_several_starts_at_once(tmp_path: Path, is_there: bool) -> None:
    """One fetches, and the others wait for it."""
    folder = tmp_path / "packages"
    if is_there:
        start(folder, "a").communicate()
    wait, go = os.pipe()
    starts = [start(folder, "b", wait) for _ in range(5)]
    os.close(wait)
    for one in starts:
        assert one.stdout is not None
        assert one.stdout.readline() == "begins\n"
    os.close(go)
    said = [one.communicate()[1] for one in starts]
    assert [one.returncode for one in starts] == [0] * 5, said
    assert names(folder) == [".stamp", "part", "rest"]
    assert (folder / "rest").read_text() == "b"
    assert (tmp_path / "fetches").read_text() == ("ab" if is_there else "b")
    assert names(tmp_path) == ["fetches", "packages", "packages.lock"]


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGKILL])
def test_what_a_stop_leaves(tmp_path: Path, stop: signal.Signals) -> None:
    """The folder of before; the next start removes the rest, also where nothing is to be fetched."""
    folder = tmp_path / "packages"
    start(folder, "a").communicate()
    for stamp in ("a", "c"):
        stopped = start(folder, "b", subprocess.PIPE)
        assert stopped.stdout is not None
        assert stopped.stdout.readline() + stopped.stdout.readline() == "begins\npart\n"
        stopped.send_signal(stop)
        stopped.communicate()
        assert (folder / "rest").read_text() == "a"
        start(folder, stamp).communicate()
        assert (folder / "rest").read_text() == stamp
        assert names(tmp_path) == ["fetches", "packages", "packages.lock"]


def test_a_fetch_that_fails(tmp_path: Path) -> None:
    """The folder stays as it was. It may be a link to one that others use, which stays in any case."""
    shared, folder = tmp_path / "shared", tmp_path / "packages"
    bring(shared, ["a"], lambda fresh: (fresh / "rest").touch())
    folder.symlink_to(shared)

    def fail(fresh: Path) -> None:
        (fresh / "part").touch()
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        bring(folder, ["b"], fail)
    assert folder.is_symlink()
    assert names(folder) == [".stamp", "rest"]
    bring(folder, ["b"], lambda fresh: (fresh / "new").touch())
    assert names(folder) == [".stamp", "new"]
    assert not folder.is_symlink()
    assert names(shared) == [".stamp", "rest"]
    assert folder.stat().st_mode & 0o777 == shared.stat().st_mode & 0o777
