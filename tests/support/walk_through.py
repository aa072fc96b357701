"""Pages of the documentation, done as a reader does them: files are written, commands run, outputs compared.

In a page, a fence

    ```console            has commands, each after `$ `, and what they print; ` \\` at a line's end goes on in the next
    ```KIND title="NAME"  is a file of the reader's folder
    ```pycon              has examples of Python, which share their names

In what is printed, `…` stands for anything in a line, and alone for any lines. What goes to stderr is in it, too.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from program import PROGRAM, ROOT

FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """A fence of a page."""

    kind: str
    title: str | None
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """The fences of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        kind, title, inside = match.groups()
        found.append(Block(kind, title, inside, text.count("\n", 0, match.start()) + 2))
    return found


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a block, and what each prints."""
    text = block.text.replace(" \\\n", " ")
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert not parts[0], f"line {block.line}: output before a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def matches(printed: str, shown: str) -> bool:
    """Whether this was printed; between words, one space is as good as many: columns are as wide as their numbers."""
    printed, shown = (re.sub(r"(?<=\S) +", " ", text) for text in (printed, shown))
    pattern = "".join(
        "(?:.*\n)*" if line == "…\n" else ".*".join(map(re.escape, line.rstrip("\n").split("…"))) + " *\n"
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, printed) is not None


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in the reader's folder; what it prints, errors too, is its stdout."""
    path = [PROGRAM.parent, Path(sys.executable).parent, os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(map(str, path)), "LC_ALL": "C.UTF-8", "COLUMNS": "120"}
    environment["PYTHONPATH"] = str(ROOT / "build" / "release" / "python")
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def walk(page: Path, folder: Path) -> int:
    """Does a page in a folder; how many commands and examples there were."""
    count = 0
    names: dict[str, object] = {}
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.title is not None:
            target = folder / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.kind == "console":
            for command, shown in commands(block):
                printed = run(command, folder).stdout
                assert matches(printed, shown), f"{where}: $ {command}\nshown:\n{shown}\nprinted:\n{printed}"
                count += 1
        elif block.kind == "pycon":
            examples = doctest.DocTestParser().get_doctest(block.text, names, where, str(page), block.line)
            result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, clear_globs=False)
            names = examples.globs
            assert result.failed == 0, where
            count += result.attempted
    return count
