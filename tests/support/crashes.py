"""Runs that are killed at a change of the file system, changes that fail, and a loss of power.

What a loss of power leaves is the worst that POSIX allows: of a file, what it had when it was last synced, and of a
folder, the entries that it had then. What was written, made, renamed or removed since is as if it had not been.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from program import PROGRAM

LONGEST = 600
"""Seconds that a run may take, so that one that waits for ever is a failure."""
PRELOADED = PROGRAM.parent / "stop_at.so"
Tree = dict[str, bytes | None]
TAKES_SPACE = {"open", "fopen", "mkdir", "mkdtemp", "mkostemp", "fsync", "write", "writev", "pwrite", "pwritev"}
REMOVES = {"remove", "unlink", "unlinkat", "rmdir"}


def tree(folder: Path, told: tuple[str, ...] = ()) -> Tree:
    """All below a folder, with the bytes of files, but of those that tell of a run."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = path.read_bytes() if path.is_file() and name not in told else None
    return found


def digest(folder: Path) -> str:
    """Of all below it."""
    return hashlib.sha256(pickle.dumps(tree(folder))).hexdigest()


def run(folder: Path, command: list[str], **faults: object) -> subprocess.CompletedProcess[str]:
    """The program in a folder, with faults (stop_at.cc); it and those that it started have ended."""
    environment = os.environ | {"LD_PRELOAD": str(PRELOADED), "CHANGES": "/dev/null"}
    environment |= {name: str(value) for name, value in faults.items()}
    alive, held = os.pipe()  # has an end when all have
    try:
        process = subprocess.Popen(
            [PROGRAM, *command],
            cwd=folder,
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[held],
            start_new_session=True,
        )
    finally:
        os.close(held)
    try:
        said = process.communicate(timeout=LONGEST)[1]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    os.read(alive, 1)
    os.close(alive)
    return subprocess.CompletedProcess(command, process.returncode, "", said)


class Disk:
    """What is on the disk below a folder, by the numbers of inodes."""

    def __init__(self, root: Path, kept: Path) -> None:
        """As all is synced; `kept` is an empty folder of the same file system."""
        self._root, self._kept = root.stat().st_ino, kept
        self._sizes: dict[str, int] = {}
        self._folders: dict[str, list[tuple[str, str, str]]] = {}
        self._opened: list[int] = []  # so that their numbers stay theirs
        for folder, _, _ in os.walk(root):
            self._opened.append(os.open(folder, os.O_PATH))
            entries = self._folders.setdefault(str(Path(folder).stat().st_ino), [])
            for entry in os.scandir(folder):
                inode, kind = str(entry.inode()), "folder" if entry.is_dir() else "file"
                entries.append((inode, kind, entry.name))
                if kind == "file":
                    self._sizes[inode] = entry.stat().st_size
                    os.link(entry.path, kept / inode)

    def close(self) -> None:
        """Needs no folder any more."""
        for descriptor in self._opened:
            os.close(descriptor)

    def lose_power(self, to: Path) -> None:
        """Makes what is left, as a new folder."""
        log = self._kept / "log"
        entries: list[tuple[str, str, str]] = []
        for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
            what, inode, *more = line.split(" ", 3)
            if what == "file":
                self._sizes[inode] = int(more[0])
            elif what == "folder":
                entries = self._folders[inode] = []
            else:
                entries.append((inode, more[0], more[1]))
        self._make(str(self._root), to)

    def _make(self, inode: str, folder: Path) -> None:
        folder.mkdir()
        for inode_of, kind, name in self._folders.get(inode, []):
            if kind == "folder":
                self._make(inode_of, folder / name)
            else:
                (folder / name).write_bytes((self._kept / inode_of).read_bytes()[: self._sizes.get(inode_of, 0)])


@dataclass
class Case:
    """A command, the folder that it begins in, what is there when it has ended, and what readers may see."""

    command: list[str]
    begin: Path
    end: Tree
    changes: list[str]
    outputs: dict[str, list[object]]  # what an output may be, besides not there or not whole
    told: tuple[str, ...] = ()
    is_file: bool = False
    readable: str = ""  # the output that `uzushio report` reads
    failures: list[str] = field(default_factory=list)
    count: int = 0
    tried: set[str] = field(default_factory=set)  # what was left when a run was started again
    seen: set[str] = field(default_factory=set)  # outputs that a reader was started on

    def __post_init__(self) -> None:
        """What is there at the beginning was tried already."""
        self.tried.add(digest(self.begin))

    def check(self, name: str, is_right: bool, said: object = "") -> None:
        """Notes a failure."""
        if not is_right:
            self.failures.append(f"{name}: {said}")

    def check_readers(self, name: str, folder: Path) -> None:
        """A reader finds an output of before, the new one, or none that is whole."""
        for output, wanted in self.outputs.items():
            found = read(folder / output)
            self.check(name, found is None or found in wanted, f"{output} is neither the old one nor the new one")
            if output == self.readable and digest(folder / output) not in self.seen:
                self.seen.add(digest(folder / output))
                done = run(folder, ["report", output, "--output", "../page.html", "--overwrite"])
                wanted_code = 0 if found is not None else 2
                self.check(name, done.returncode == wanted_code, f"exit {done.returncode} of a reader: {done.stderr}")

    def restart(self, name: str, folder: Path) -> None:
        """The same command makes what it makes where nothing has happened, and leaves nothing else.

        Where a case has left the same as one before, it would do the same again.
        """
        self.count += 1
        left = digest(folder)
        if left in self.tried:
            return
        self.tried.add(left)
        self.check_readers(name, folder)
        done = run(folder, self.command)
        # A file in the place is not replaced, also when it is what the run made.
        is_refused = self.is_file and done.returncode == 2 and ": exists; " in done.stderr
        is_right = done.returncode == 0 or is_refused
        self.check(name, is_right, f"exit {done.returncode} of the restart: {done.stderr}")
        found = tree(folder, self.told)
        differ = sorted(path for path in found.keys() | self.end.keys() if found.get(path, 0) != self.end.get(path, 0))
        self.check(name, not differ, f"differ after the restart: {differ}")

    @contextmanager
    def begun(self, work: Path) -> Iterator[Path]:
        """A copy of the folder, for a time."""
        folder = work / "run"
        shutil.copytree(self.begin, folder, symlinks=True)
        yield folder
        shutil.rmtree(folder)

    def stop(self, at: int, work: Path) -> None:
        """Killed before a change, and the same with what was not synced lost."""
        name = f"{at} {self.changes[at]}"
        kept, lost = work / "kept", work / "lost"
        kept.mkdir()
        with self.begun(work) as folder:
            disk = Disk(folder, kept)
            stopped = run(folder, self.command, STOP_AT=at, SYNCED=kept)
            self.check(f"{name}, killed", stopped.returncode == -signal.SIGKILL, f"exit {stopped.returncode}")
            disk.lose_power(lost)
            disk.close()
            self.restart(f"{name}, killed", folder)
        self.restart(f"{name}, power lost", lost)
        shutil.rmtree(kept)
        shutil.rmtree(lost)

    def fail(self, at: int, error: int, work: Path) -> None:
        """The change fails once. A run may end well only if what it could not do was to remove something."""
        change = self.changes[at]
        name = f"{at} {change}, {errno.errorcode[error]}"
        with self.begun(work) as folder:
            done = run(folder, self.command, FAIL_AT=at, FAIL_ERROR=error)
            if done.returncode == 0:
                whole = {path: data for path, data in tree(folder, self.told).items() if self.end.get(path, 0) == data}
                self.check(name, change in REMOVES, "is not told of")
                self.check(name, whole.keys() == self.end.keys(), "the output is not whole")
            else:
                self.check(
                    name, done.returncode in (1, 2) and "error: " in done.stderr, f"{done.returncode} {done.stderr}"
                )
            self.restart(name, folder)


def read(output: Path) -> object | None:
    """What a reader finds: a file, or what a folder has; None where it finds none that is whole."""
    if output.is_file():
        return output.read_bytes()
    if not (output / ".uzushio" / "manifest.json").exists() or (output / "_INCOMPLETE").exists():
        return None
    return tree(output)
