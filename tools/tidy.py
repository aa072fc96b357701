"""Runs clang-tidy on sources that it has not found clean before: `tidy.py CLANG_TIDY BUILD [--checks=…] SOURCE…`.

What clang-tidy says of a source depends on the source, the headers that its compilation read, its command, and the
checks. A source is known to be clean by a hash of all these, in a folder of the user's cache; so what did not change
costs nothing, in another checkout, too. BUILD is Ninja's, whose log says which headers those are, and up to date.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uzushio-tidy"
KEPT_SECONDS = 60 * 24 * 3600
"""After the last use."""


@functools.cache
def content_of(path: Path) -> bytes:
    """A hash of a file; each is read once."""
    return hashlib.blake2b(path.read_bytes(), digest_size=16).digest()


def headers(build: Path) -> dict[str, list[Path]]:
    """What was read for each output of the build; what a precompiled header was made from, in its place."""
    log = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    read: dict[str, list[str]] = {}
    for block in log.split("\n\n"):
        output, *lines = block.strip().split("\n")
        read[output.split(":")[0]] = [line.strip() for line in lines]
    found = {}
    for output, paths in read.items():
        every = [path for path in paths if not path.endswith(".gch")]
        for path in paths:
            every += read.get(os.path.relpath(build / path, build), []) if path.endswith(".gch") else []
        found[output] = [build / path for path in every]
    return found


class Tidy:
    """What it is run with."""

    def __init__(self, program: str, build: Path, options: list[str]) -> None:
        self.command = [program, "-p", str(build), "--quiet", *options]
        self._read = headers(build)
        commands = json.loads((build / "compile_commands.json").read_text())
        self._commands = {command["file"]: command for command in commands}
        version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
        self._common = version + (ROOT / ".clang-tidy").read_bytes() + "\0".join(options).encode()

    def mark(self, source: Path) -> Path | None:
        """The file that says that it is clean; none where the build has not compiled it."""
        command = self._commands.get(str(source))
        output = re.search(r" -o (\S+) ", command["command"]) if command else None
        read = self._read.get(output[1]) if output else None
        if not command or not read:
            return None
        key = hashlib.blake2b(self._common, digest_size=16)
        key.update(command["command"].replace(str(ROOT), "").encode())
        key.update(content_of(source) + b"".join(sorted(map(content_of, set(read)))))
        return CACHE / key.hexdigest()

    def check(self, source: Path) -> bool:
        """Whether a source is clean; says what is wrong."""
        mark = self.mark(source)
        if mark is not None and mark.exists():
            mark.touch()
            return True
        done = subprocess.run([*self.command, str(source)], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 0 and mark is not None:
            mark.touch()
        elif done.returncode != 0:
            print(done.stdout + done.stderr, flush=True)
        return done.returncode == 0


def main() -> int:
    """0 where all are clean."""
    program, build, *rest = sys.argv[1:]
    options = [argument for argument in rest if argument.startswith("-")]
    sources = [(ROOT / argument).resolve() for argument in rest if not argument.startswith("-")]
    CACHE.mkdir(parents=True, exist_ok=True)
    for mark in CACHE.iterdir():
        if time.time() - mark.stat().st_mtime > KEPT_SECONDS:
            mark.unlink(missing_ok=True)
    tidy = Tidy(program, Path(build).resolve(), options)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        clean = list(threads.map(tidy.check, sources))
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
