"""tools/tidy.py, with a clang-tidy that looks for a word, in a build of a few small sources."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

CLANG_TIDY = """#!{python}
import pathlib, sys
if "--version" in sys.argv:
    sys.exit(print("a version"))
together = pathlib.Path(sys.argv[-1])
lines = together.read_text().splitlines()
with open({log!r}, "a") as log:
    log.write(" ".join(line[3:] for line in lines if line.startswith("// ")) + "\\n")
bad = [number for number, line in enumerate(lines, 1) if "FAULT" in line]
print(*[f"{{together}}:{{number}}:1: a fault" for number in bad], sep="\\n")
for line in lines:
    if line.startswith("// CHANGES "):
        changed = pathlib.Path({folder!r}) / line.split()[2]
        changed.write_text(changed.read_text() + "// again\\n")
twice = lines.count("int theirs") > 1
clash = lines.count("using Name") > 1
if clash:
    print(f"{{together}}:1:1: redefinition [clang-diagnostic-error]")
sys.exit(1 if bad or clash or twice else 0)
"""


class Build:
    """Sources a, b and c of one target, of which b and c include a header, and two tests in two modules."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.clang_tidy = folder / "clang-tidy"
        self.clang_tidy.write_text(CLANG_TIDY.format(python=sys.executable, log=str(self.log), folder=str(folder)))
        self.clang_tidy.chmod(0o755)
        self.sources = [folder / name for name in ("a.cc", "b.cc", "c.cc", "x/x_test.cc", "y/y_test.cc")]
        (folder / "h.h").write_text("int h();\n")
        for source in self.sources:
            source.parent.mkdir(exist_ok=True)
            include = '#include "h.h"\n' if source.name in {"b.cc", "c.cc"} else ""
            source.write_text(f"// {source.name}\n{include}")
        objects = [f"t.dir/{source.name}.o" for source in self.sources]
        rules = "rule cc\n  command = g++ -I. -MD -MF $out.d -o $out -c $in\n  depfile = $out.d\n  deps = gcc\n"
        edges = [f"build {target}: cc {source}\n" for target, source in zip(objects, self.sources, strict=True)]
        (folder / "build.ninja").write_text(rules + "".join(edges))
        commands = [
            {"directory": str(folder), "file": str(source), "command": f"g++ -I. -o {target} -c {source}"}
            for target, source in zip(objects, self.sources, strict=True)
        ]
        (folder / "compile_commands.json").write_text(json.dumps(commands))

    def tidy(self) -> tuple[int, str, list[str]]:
        """Its exit code, what it printed, and what was looked at together."""
        subprocess.run(["ninja", "-C", str(self.folder)], check=True, capture_output=True)
        self.log.write_text("")
        done = subprocess.run(
            [sys.executable, ROOT / "tools/tidy.py", self.clang_tidy, self.folder, *self.sources],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")},
        )
        return done.returncode, done.stdout + done.stderr, sorted(self.log.read_text().splitlines())


@pytest.fixture(name="build")
def make_build(tmp_path: Path) -> Build:
    """Built by Ninja, whose log says what was included."""
    return Build(tmp_path)


def test_each_source_is_looked_at_once_until_it_or_a_header_changes(build: Build) -> None:
    """Tests of two modules are not put together."""
    code, _, groups = build.tidy()
    assert code == 0
    assert sorted(" ".join(groups).split()) == sorted(source.name for source in build.sources)
    assert not any("x_test.cc" in group and "y_test.cc" in group for group in groups)
    assert any(" " in group for group in groups)
    assert build.tidy() == (0, "", [])
    (build.folder / "h.h").write_text("int h(int);\n")
    assert sorted(" ".join(build.tidy()[2]).split()) == ["b.cc", "c.cc"]


def test_a_fault_is_told_until_it_is_mended(build: Build) -> None:
    """What was looked at together with it is not known to be clean."""
    (build.folder / "b.cc").write_text("// b.cc\n\nint FAULT();")
    for _ in range(2):
        code, printed, groups = build.tidy()
        assert code == 1
        assert f"{build.folder}/b.cc:3:1: a fault" in printed
        assert any("b.cc" in group for group in groups)
    (build.folder / "b.cc").write_text("// b.cc\n")
    assert build.tidy()[0] == 0
    assert build.tidy() == (0, "", [])


def test_what_does_not_compile_together_is_looked_at_one_by_one(build: Build) -> None:
    """Two sources may call different types alike."""
    for name in ("b.cc", "c.cc"):
        (build.folder / name).write_text(f"// {name}\n#if 0\nusing Name\n#endif\n")
    code, printed, groups = build.tidy()
    assert (code, printed) == (0, "")
    assert {"b.cc", "c.cc"} <= set(groups)
    assert build.tidy() == (0, "", [])
    (build.folder / "c.cc").write_text("// c.cc\n#if 0\nusing Name\n#endif\nint FAULT();")
    code, printed, _ = build.tidy()
    assert code == 1
    assert f"{build.folder}/c.cc:5:1: a fault" in printed


def test_what_is_wrong_of_sources_together_alone_is_not_told(build: Build) -> None:
    """Two may declare what is another's, where one would declare it twice."""
    for name in ("b.cc", "c.cc"):
        (build.folder / name).write_text(f"// {name}\n#if 0\nint theirs\n#endif\n")
    assert build.tidy()[:2] == (0, "")
    assert build.tidy() == (0, "", [])


def test_what_changes_meanwhile_is_looked_at_again(build: Build) -> None:
    """Its old text was not what was looked at."""
    (build.folder / "b.cc").write_text("// b.cc\n// CHANGES c.cc\n")
    old = (build.folder / "c.cc").read_text()
    build.tidy()
    assert (build.folder / "c.cc").read_text() != old
    (build.folder / "c.cc").write_text(old)
    assert any("c.cc" in group for group in build.tidy()[2])


def test_what_the_build_does_not_compile_is_an_error(build: Build) -> None:
    """It would be looked at without its flags."""
    (build.folder / "new.cc").write_text("int x();\n")
    build.sources.append(build.folder / "new.cc")
    code, printed, _ = build.tidy()
    assert code == 1
    assert "does not compile it" in printed


def test_sources_that_are_compiled_as_one_are_looked_at(build: Build) -> None:
    """A change of one of them is a change of its headers for the others."""
    together = build.folder / "t.dir" / "Unity" / "unity_cxx.cxx"
    together.parent.mkdir(parents=True)
    together.write_text("".join(f'#include "{source}"\n' for source in build.sources[:3]))
    target = "t.dir/Unity/unity_cxx.cxx.o"
    rules = (build.folder / "build.ninja").read_text().partition("build ")[0]
    (build.folder / "build.ninja").write_text(f"{rules}build {target}: cc {together}\n")
    entry = {"directory": str(build.folder), "file": str(together), "command": f"g++ -I. -o {target} -c {together}"}
    (build.folder / "compile_commands.json").write_text(json.dumps([entry]))
    build.sources = build.sources[:3]
    code, _, groups = build.tidy()
    assert (code, sorted(" ".join(groups).split())) == (0, ["a.cc", "b.cc", "c.cc"])
    assert build.tidy() == (0, "", [])
    (build.folder / "b.cc").write_text("// b.cc\n\nint FAULT();")
    code, printed, _ = build.tidy()
    assert code == 1
    assert f"{build.folder}/b.cc:3:1: a fault" in printed
