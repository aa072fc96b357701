"""Folders of what is fetched from package registries, each made anew when the list of what belongs there changes."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def is_current(folder: Path, stamps: list[str]) -> bool:
    """Whether a folder has one of the stamps."""
    stamp = folder / ".stamp"
    return stamp.is_file() and stamp.read_text() in stamps


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Waits until no other process brings the folder, and keeps others from it."""
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # ends with the process, too
        yield


def _put_in_place(fresh: Path, folder: Path, replaced: Path) -> None:
    is_there = os.path.lexists(folder)
    if is_there:
        folder.rename(replaced)
    try:
        fresh.rename(folder)
    except BaseException:
        if is_there:
            replaced.rename(folder)
        raise


def bring(folder: Path, stamps: list[str], fetch: Callable[[Path], None]) -> None:
    """Makes a folder of what `fetch` lays into an empty one, unless it has one of the stamps. It gets the first.

    When `fetch` fails, the folder stays as it was. Of several processes one fetches, and the others wait. What a stop
    leaves is removed by the next start.
    """
    scratch = f"{folder.name}.new-"
    if is_current(folder, stamps) and not list(folder.parent.glob(f"{scratch}*")):
        return
    folder.parent.mkdir(exist_ok=True)
    with _locked(folder):
        for left in folder.parent.glob(f"{scratch}*"):
            shutil.rmtree(left, ignore_errors=True)
        if is_current(folder, stamps):
            return
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=scratch) as work:
            fresh = Path(work) / "fresh"
            fresh.mkdir()
            fetch(fresh)
            (fresh / ".stamp").write_text(stamps[0])
            _put_in_place(fresh, folder, Path(work) / "replaced")


def download(requirements: Path, folder: Path, *more: str) -> None:
    """Python packages without their dependencies. pip checks the hashes that the requirements must have."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, *more, "--require-hashes", "-r", str(requirements), "-d", str(folder)], check=True)
