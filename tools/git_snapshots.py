"""Files of other projects' repositories, at the commit that a table names, from checkouts or from bare mirrors.

A checkout of `OWNER/NAME` is looked for in a folder as `OWNER/NAME`, `OWNER+NAME` and `NAME`; there, or in `repo`
below, is a work tree or a repository without one. Files are read by git, so that neither the work tree nor what is
checked out matters.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path


class SnapshotError(Exception):
    """A repository, a commit or a file is not there; the message says how to get it."""


def find_git_directory(folder: Path, repository: str) -> Path:
    """Where the repository `OWNER/NAME` keeps its objects."""
    owner, _, name = repository.partition("/")
    for place in (folder / owner / name, folder / f"{owner}+{name}", folder / name):
        for git in (place / ".git", place, place / "repo" / ".git", place / "repo"):
            if (git / "HEAD").is_file() and (git / "objects").is_dir():
                return git
    raise SnapshotError(
        f"{folder}: no checkout of {repository}: git clone https://github.com/{repository} {folder / owner / name}"
    )


class Snapshot:
    """A repository at a commit."""

    def __init__(self, folder: Path, repository: str, commit: str):
        self.repository = repository
        self.commit = commit
        self.git = find_git_directory(folder, repository)
        found = subprocess.run([*self._git, "cat-file", "-e", f"{commit}^{{commit}}"], capture_output=True)
        if found.returncode:
            raise SnapshotError(
                f"{self.git}: no commit {commit} of {repository}: git --git-dir={self.git} fetch origin {commit}"
            )

    @property
    def _git(self) -> list[str]:
        return ["git", f"--git-dir={self.git}"]

    def paths(self) -> list[str]:
        """All files, sorted; names as UTF-8."""
        command = [*self._git, "ls-tree", "-r", "-z", "--name-only", self.commit]
        listed = subprocess.run(command, capture_output=True, check=True).stdout
        return sorted(path.decode("utf-8", "surrogateescape") for path in listed.split(b"\0") if path)

    def read(self, path: str) -> bytes:
        """A file's bytes."""
        return next(self.read_all([path]))[1]

    def read_all(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Files' bytes, in the order of their paths, by one process."""
        command = [*self._git, "cat-file", "--batch"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for path in paths:
                if "\n" in path:
                    raise SnapshotError(f"{self.repository}: a file's name has a line break: {path!r}")
                process.stdin.write(f"{self.commit}:{path}\n".encode("utf-8", "surrogateescape"))
                process.stdin.flush()
                header = process.stdout.readline().split()
                if len(header) < 3 or header[1] != b"blob":
                    process.stdin.close()
                    raise SnapshotError(f"{self.repository} at {self.commit} has no file {path} here")
                data = process.stdout.read(int(header[2]))
                process.stdout.read(1)
                yield path, data
