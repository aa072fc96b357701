"""Runs clang-tidy on sources that it has not found clean before: `tidy.py CLANG_TIDY BUILD [--checks=…] SOURCE…`.

What clang-tidy says of a source depends on the source, the headers that its compilation read, its command, and the
checks. A source is known to be clean by a hash of all these, in a folder of the user's cache; so what did not change
costs nothing, in another checkout, too. BUILD is Ninja's, whose log says which headers those are, and up to date. Where
it compiles many sources as one (cmake/Unity.cmake), each has the command and the headers of these.

Sources of a module are looked at one behind the other in one text: reading headers is half of the work. (Of a file that
is included, much is not looked at.) What they call by the same name is kept apart (tools/check_modules.py); where
something is wrong of them together, they are looked at one by one.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uzushio-tidy"
KEPT_SECONDS = 60 * 24 * 3600
"""After the last use."""
MOST_TOGETHER = 8
"""Sources: more would save little, and take more memory."""
OUTPUT = re.compile(r" -o (\S+) ")
INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@functools.cache
def content_at(path: Path, _changed: int, _size: int) -> bytes:
    """A hash of a file as it was then."""
    return hashlib.blake2b(path.read_bytes(), digest_size=16).digest()


def content_of(path: Path) -> bytes:
    """A hash of a file as it is; each is read once, unless it changes."""
    now = path.stat()
    return content_at(path, now.st_mtime_ns, now.st_size)


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


def commands_of(build: Path) -> dict[str, str]:
    """How each source is compiled, also one that is compiled as a part of another."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file, command = entry["file"], entry["command"]
        commands[file] = command
        if Path(file).parent.name == "Unity":
            for source in INCLUDED.findall(Path(file).read_text()):
                commands[source] = command.replace(file, source)
    return commands


class Tidy:
    """What it is run with."""

    def __init__(self, program: str, build: Path, options: list[str]) -> None:
        self.command = [program, "--quiet", *options]
        self._build = build
        self._read = headers(build)
        self._commands = commands_of(build)
        version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
        self._common = version + (ROOT / ".clang-tidy").read_bytes() + "\0".join(options).encode()

    def mark(self, source: Path) -> Path | None:
        """The file that says that it is clean; none where the build has not compiled it."""
        command = self._commands.get(str(source), "")
        output = OUTPUT.search(command)
        read = self._read.get(output[1]) if output else None
        if not read:
            return None
        key = hashlib.blake2b(self._common, digest_size=16)
        key.update(command.replace(str(ROOT), "").encode())
        key.update(content_of(source) + b"".join(sorted(map(content_of, set(read)))))
        return CACHE / key.hexdigest()

    def known(self, source: Path) -> bool:
        """Whether it was found clean before."""
        mark = self.mark(source)
        if mark is None or not mark.exists():
            return False
        mark.touch()
        return True

    def _family(self, source: Path) -> tuple[str, ...]:
        """Sources of one may be looked at together."""
        command = self._commands.get(str(source), str(source))
        output = OUTPUT.search(command)
        target = output[1].partition(".dir/")[0] if output else ""
        return target, str(source.parent), OUTPUT.sub(" ", command).replace(str(source), "")

    def groups(self, sources: list[Path]) -> list[list[Path]]:
        """What is looked at together, and enough of these for all processors."""
        families: dict[tuple[str, ...], list[Path]] = defaultdict(list)
        for source in sources:
            families[self._family(source)].append(source)
        most = min(MOST_TOGETHER, -(-len(sources) // (os.cpu_count() or 1)))
        return [family[at : at + most] for family in families.values() for at in range(0, len(family), most)]

    def check(self, group: list[Path]) -> bool:
        """Whether its sources are clean; says what is wrong. What changes meanwhile is not known to be clean."""
        marks = [self.mark(source) for source in group]
        command = self._commands.get(str(group[0]))
        if command is None:
            print(f"{group[0]}: {self._build} does not compile it", flush=True)
            return False
        with tempfile.TemporaryDirectory(prefix="uzushio-tidy-") as folder:
            together = Path(folder) / "together.cc"
            texts = [source.read_text() for source in group]
            together.write_text("\n".join(texts))
            entry = {
                "directory": str(self._build),
                "file": str(together),
                "command": command.replace(str(group[0]), str(together)),
            }
            (Path(folder) / "compile_commands.json").write_text(json.dumps([entry]))
            done = subprocess.run(
                [*self.command, "-p", folder, f"--config-file={ROOT / '.clang-tidy'}", str(together)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
        if len(group) > 1 and done.returncode != 0:
            return sum(self.check([source]) for source in group) == len(group)  # all are looked at
        if done.returncode != 0:
            said = (done.stdout + done.stderr).replace(str(together), str(group[0]))
            print(said, flush=True)
            return False
        for source, mark in zip(group, marks, strict=True):
            if mark is not None and mark == self.mark(source):
                mark.touch()
        return True


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
        clean = list(threads.map(tidy.check, tidy.groups([source for source in sources if not tidy.known(source)])))
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
