"""Changes the sources in small ways, one at a time, and counts the changes that the tests see.

    mutate.py [--most N] [--seed N] [--only TEXT] [--jobs N] [--list]

    --most N      that many mutants, chosen by --seed (default: all)
    --only TEXT   of files whose name has TEXT
    --jobs N      so many at once (1)
    --list        shows the mutants and runs none

The user's tree is never altered: a mutant is a copy of one file in build/mutants, compiled without optimization, and
linked before what build/release has of the rest. The unit tests of its module run first, then the end-to-end tests that
go through the file; a mutant that hangs is killed by its time limit, one that does not compile does not count.
Survivors that are no fault of the tests stand in tests/mutants.toml with the reason, known by file, line and change.
Writes build/bench/mutants.json. Exits with 1 where fewer than TARGET of a module die, or a survivor is not listed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from report import ROOT, Row, row, write

RELEASE = ROOT / "build" / "release"
WORK = ROOT / "build" / "mutants"
LISTED = ROOT / "tests" / "mutants.toml"
TARGET = 0.95
SECONDS = {"compile": 300, "unit": 60, "call": 30, "program": 600}
# What is mutated, by name of the figure: patterns of files.
MODULES = {
    "filters": ["src/filters/*.cc", "src/filters/*.h"],
    "dedup/relation": ["src/dedup/relation.*"],
    "document": ["src/document/*.cc", "src/document/*.h"],
    "html/paragraphs": ["src/html/paragraphs.*"],
}
# Unit tests of a module beside its own.
MORE_UNITS = {"document": ["ExtractParagraphs", "ExtractPlainParagraphs", "Paragraphs"]}
# Of tests/program/test_filter.py, what takes long and looks at files, not at filters.
LONG = "not sorting_out_of_core and not are_cut and not are_uniform"

# A change: what to look for in code (comments and texts left out), and what to put there.
CHANGES: list[tuple[str, str]] = [
    (r"(?<= )<(?= )", "<="),
    (r"(?<= )<=(?= )", "<"),
    (r"(?<= )>(?= )", ">="),
    (r"(?<= )>=(?= )", ">"),
    (r"(?<= )==(?= )", "!="),
    (r"(?<= )!=(?= )", "=="),
    (r"(?<= )\+(?= )", "-"),
    (r"(?<= )-(?= )", "+"),
    (r"(?<= )\*(?= )", "/"),
    (r"(?<= )/(?= )", "*"),
    (r"(?<= )\+=(?= )", "-="),
    (r"(?<= )-=(?= )", "+="),
    (r"\+\+(?=\w)", "--"),
    (r"--(?=\w)", "++"),
    (r"(?<= )&&(?= )", "||"),
    (r"(?<= )\|\|(?= )", "&&"),
    (r"(?<= )&(?= )", "|"),
    (r"(?<= )\|(?= )", "&"),
    (r"(?<= )<<(?= )", ">>"),
    (r"(?<= )>>(?= )", "<<"),
    (r"(?<=[(\s])!(?=[\w(])", ""),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bstd::min\b", "std::max"),
    (r"\bstd::max\b", "std::min"),
    (r"\bany_of\b", "all_of"),
    (r"\bfind_first_not_of\b", "find_first_of"),
    (r"\bcontinue;", "break;"),
    (r"\bbreak;", ""),
    (r"(?<![\w.'])(?:0x[0-9A-Fa-f]+|\d+)(?![\w.'])", "{+1}"),
    (r"(?<![\w.'])[1-9]\d*(?![\w.'])", "{-1}"),
    (r"(?<![\w.'])\d+\.\d+(?=F?\b)", "{+1}"),
]
# Of whole lines.
RETURN = re.compile(r"\breturn (?!std::nullopt;|\{\};|nullptr;|false;|0;)[^;]+;")
STATEMENT = re.compile(
    r"^(\s*)(?!return|using|const|auto|static|constexpr|break|continue|case|default)[\w(*+-][^;{}]*;\s*$"
)
DECLARED = re.compile(r"^\s*[\w:<>,*& ]+[\w>*&] [\w\[\]]+( = .*)?;\s*$")
CONDITION = re.compile(r"^(\s*(?:\} else )?if \()(.*)(\)(?: [^()]*;| \{)\s*)$")


Key = tuple[str, str, int, str]


@dataclass(frozen=True)
class Mutant:
    """A change of one line."""

    file: str
    number: int  # of the line, from 1
    before: str
    after: str
    change: str
    nth: int = 1  # of the file's lines of this text

    @property
    def key(self) -> Key:
        """What it is known by where lines move."""
        return self.file, self.before.strip(), self.nth, self.change


@dataclass
class Result:
    """What became of a mutant."""

    mutant: Mutant
    outcome: str  # killed, survived, listed, invalid
    by: str = ""


@dataclass
class Tree:
    """The release build, and the tests that go through a file."""

    commands: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    includers: dict[str, list[str]] = field(default_factory=dict)

    def read(self) -> None:
        """Compile commands, link commands, and which sources a header is compiled into."""
        for entry in json.loads((RELEASE / "compile_commands.json").read_text(encoding="utf-8")):
            name = os.path.relpath(entry["file"], ROOT)
            if "uzushio_first_look.dir" not in entry["command"]:
                self.commands[name] = entry["command"]
        if "src/filters/filter.cc" not in self.commands:
            raise SystemExit(f"{RELEASE} compiles many sources as one (UZUSHIO_UNITY): remove it, and build it without")
        for target in ("uzushio", "uzushio_tests"):
            listed = subprocess.run(["ninja", "-t", "commands", target], cwd=RELEASE, capture_output=True, text=True)
            line = listed.stdout.strip().splitlines()[-1]
            self.links[target] = line.removeprefix(": && ").split(" && ")[0]
        found: dict[str, list[str]] = defaultdict(list)
        listed = subprocess.run(["ninja", "-t", "deps"], cwd=RELEASE, capture_output=True, text=True, check=True)
        source = ""
        for line in listed.stdout.splitlines():
            if line.endswith("(VALID)"):
                source = ""
            elif line.startswith("    "):
                path = os.path.relpath(RELEASE / line.strip(), ROOT)
                source = source or path
                if path.startswith("src/") and path != source and "/bindings/" not in source:
                    found[path].append(source)
        self.includers = {path: sorted({s for s in sources if s in self.commands}) for path, sources in found.items()}


def code_of(text: str) -> list[str]:
    """The lines with comments and texts blanked out, each as long as before."""
    pattern = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
    return pattern.sub(lambda match: "~" * len(match[0]), text).split("\n")


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All changes of a file, in order of lines."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    lines = text.split("\n")
    seen: Counter[str] = Counter()
    for number, (line, code) in enumerate(zip(lines, code_of(text), strict=True), start=1):
        if (
            not code.strip("~ ")
            or code.startswith(("#", "namespace", "using", "template", "}"))
            or "static_assert" in code
        ):
            continue

        seen[line.strip()] += 1
        nth = seen[line.strip()]

        def made(after: str, change: str, line: str = line, number: int = number, nth: int = nth) -> Mutant:
            return Mutant(name, number, line, after, change, nth)

        for pattern, replacement in CHANGES:
            for match in re.finditer(pattern, code):
                if match[0] in ("+", "-") and "~" in code:
                    continue  # of texts
                old, new = match[0], replacement
                if new in ("{+1}", "{-1}"):
                    step = int(new[1:3])
                    new = f"{float(old) + step}" if "." in old else f"{int(old, 0) + step}"
                place = f"at {match.start() - len(line) + len(line.lstrip()) + 1}"
                yield made(line[: match.start()] + new + line[match.end() :], f"{old} -> {new or 'nothing'} {place}")
        if (returned := RETURN.search(code)) and code.count("return ") == 1:
            yield made(line[: returned.start()] + "return {};" + line[returned.end() :], "returns {}")
        if STATEMENT.match(code) and not DECLARED.match(code) and code.count("(") == code.count(")"):
            before = lines[number - 2].rstrip() if number > 1 else ";"
            if before.endswith((";", "{", "}", ":")) or "//" in before:
                yield made(re.sub(r"\S.*", ";", line), "removed")
        if (asked := CONDITION.match(code)) and asked[2].count("(") == asked[2].count(")") and ";" not in asked[2]:
            start, end = asked.span(2)
            yield made(line[:start] + "!(" + line[start:end] + ")" + line[end:], "condition negated")


def module_of(file: str) -> str:
    """The figure that a file counts in."""
    return next(module for module in MODULES if file.startswith(f"src/{module}"))


def unit_filter(file: str) -> str:
    """The unit tests of the file's folder."""
    folder = (ROOT / file).parent
    names = {
        name
        for path in folder.glob("*_test.cc")
        for name in re.findall(r"^TEST(?:_F|_P)?\((\w+),", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    names |= set(MORE_UNITS.get(folder.name, []))
    return ":".join(f"{name}.*:*/{name}.*" for name in sorted(names))


def program_tests(file: str) -> list[list[str]]:
    """Arguments of pytest, what is likely to see a change of the file first."""
    tests, name = "tests/program/", Path(file).stem
    module = module_of(file)
    if module == "filters":
        if "kenlm" in name or "perplexity" in name:
            return [[tests + "test_lm.py"], [tests + "test_filter.py", "-k", "lists_what"]]
        declared = re.search(r"FilterDeclaration Declare(\w+)\(", (ROOT / file).read_text(encoding="utf-8"))
        first = [tests + "test_filter.py", "-k", "has_an_oracle or lists_what or metrics_are_the_oracles"]
        if declared:
            return [first, [tests + "test_filter.py", "-k", f"{declared[1]} or chain or graded or explain"]]
        lm = [tests + "test_lm.py"] if name in ("filter", "filter_document", "chain", "frequent_runs") else []
        columns = [tests + "test_columns.py"] if name == "chain" else []
        return [first, [tests + "test_filter.py", *lm, *columns, "-k", LONG]]
    if module == "dedup/relation":
        return [[tests + "test_stats.py"]]
    return [
        [tests + "test_cases.py", "-k", "test_program and -warc]"],
        [tests + "test_cases.py", tests + "test_extract.py", "-k", "not test_python"],
    ]


def run(command: list[str], seconds: float, environment: dict[str, str], cwd: Path = ROOT) -> tuple[str, str]:
    """`passed`, `failed` or `timeout`, and what was said."""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return "timeout", process.communicate()[0]
        return ("failed" if process.returncode else "passed"), said


class Runner:
    """Builds and tests mutants."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.listed = read_listed()
        self.sound: dict[str, bool] = {}  # whether tests pass without a change
        self.lock = Lock()

    def build(self, mutant: Mutant | None, folder: Path) -> str:
        """Nothing, or what the compiler says."""
        objects: dict[str, list[str]] = {"uzushio": [], "uzushio_tests": []}
        replaced: dict[str, str] = {}
        if mutant is not None:
            copy = folder / mutant.file
            copy.parent.mkdir(parents=True)
            lines = (ROOT / mutant.file).read_text(encoding="utf-8").split("\n")
            lines[mutant.number - 1] = mutant.after
            copy.write_text("\n".join(lines), encoding="utf-8")
            sources = [mutant.file] if mutant.file.endswith(".cc") else self.tree.includers.get(mutant.file, [])
            for source in sources:
                words = shlex.split(self.tree.commands[source])
                words = [word for word in words if word != "ccache" and not word.endswith("/ccache")]
                target = str(folder / (source.replace("/", "_") + ".o"))
                at = words.index("-o")
                release_object, words[at + 1] = words[at + 1], target
                words[words.index("-c") + 1] = str(copy if source == mutant.file else ROOT / source)
                words = ["-O0" if word == "-O2" else "-g0" if word == "-g1" else word for word in words]
                words[1:1] = ["-w", f"-I{folder}/src", f"-I{(ROOT / source).parent}"]
                outcome, said = run(words, SECONDS["compile"], {}, cwd=RELEASE)
                if outcome != "passed":
                    return said or outcome
                if any(library in release_object for library in ("uzushio_first.dir", "uzushio_core.dir")):
                    for names in objects.values():
                        names.append(target)
                else:
                    replaced[release_object] = target
        used: set[str] = set()
        for target, names in objects.items():
            words = shlex.split(self.tree.links[target])
            used |= replaced.keys() & set(words)
            words = [replaced.get(word, word) for word in words]
            words[words.index("-o") + 1] = str(folder / target)
            words[words.index("-o") : words.index("-o")] = names
            outcome, said = run(words, SECONDS["compile"], {}, cwd=RELEASE)
            if outcome != "passed":
                raise SystemExit(f"linking {target}: {said}")
        if used != replaced.keys():
            raise SystemExit(f"in no program: {sorted(replaced.keys() - used)}")
        for name in ("lmplz", "build_binary"):
            (folder / name).symlink_to((RELEASE / name).resolve())
        return ""

    def tests(self, file: str, folder: Path) -> Iterator[tuple[str, list[str], float]]:
        """Commands, the fastest first."""
        yield "unit tests", [str(folder / "uzushio_tests"), f"--gtest_filter={unit_filter(file)}"], SECONDS["unit"]
        pytest = [str(ROOT / "build/venv/bin/pytest"), "-q", "-x", "-p", "no:cacheprovider", "--tb=line"]
        for arguments in program_tests(file):
            yield " ".join(arguments), [*pytest, *arguments], SECONDS["program"]

    def passes_unchanged(self, file: str, name: str) -> bool:
        """Whether the tests that kill a mutant pass without it."""
        with self.lock:
            key = f"{unit_filter(file)} {name}"
            if key not in self.sound:
                commands = {n: (command, seconds) for n, command, seconds in self.tests(file, RELEASE)}
                command, seconds = commands[name]
                self.sound[key] = run(command, seconds, {"UZUSHIO_BIN": str(RELEASE / "uzushio")})[0] == "passed"
            return self.sound[key]

    def __call__(self, numbered: tuple[int, Mutant]) -> Result:
        """Builds, tests, and tells."""
        number, mutant = numbered
        folder = WORK / str(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            result = self.outcome(mutant, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        said = f"{number:4} {result.outcome:8} {mutant.file}:{mutant.number} [{mutant.change}] {mutant.before.strip()}"
        print(said + (f"   {result.by}" if result.by else ""), flush=True)
        return result

    def outcome(self, mutant: Mutant, folder: Path) -> Result:
        """Of one mutant."""
        if mutant.key in self.listed:
            return Result(mutant, "listed", self.listed[mutant.key])
        if self.build(mutant, folder):
            return Result(mutant, "invalid")
        for name, command, seconds in self.tests(mutant.file, folder):
            given = {"UZUSHIO_BIN": str(folder / "uzushio"), "UZUSHIO_SECONDS": str(SECONDS["call"])}
            outcome, _ = run(command, seconds, {**given, "TMPDIR": str(folder)})
            if outcome == "passed":
                continue
            if not self.passes_unchanged(mutant.file, name):
                raise SystemExit(f"{name}: fails without a change, too")
            return Result(mutant, "killed", f"{name}, {outcome}")
        return Result(mutant, "survived")


def read_listed() -> dict[Key, str]:
    """Survivors that are no fault of the tests, with the reason."""
    if not LISTED.exists():
        return {}
    entries = tomllib.loads(LISTED.read_text(encoding="utf-8")).get("mutant", [])
    return {(e["file"], e["line"], e.get("nth", 1), change): e["reason"] for e in entries for change in e["changes"]}


def main() -> int:
    """Runs the mutants and writes the figures."""
    parser = argparse.ArgumentParser(description="Counts the changes of the sources that the tests see.")
    parser.add_argument("--most", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    files = sorted({path for patterns in MODULES.values() for pattern in patterns for path in ROOT.glob(pattern)})
    mutants = [
        mutant
        for path in files
        if not path.name.endswith("_test.cc") and arguments.only in path.relative_to(ROOT).as_posix()
        for mutant in mutants_of(path)
    ]
    listed = read_listed()
    stale = set(listed) - {mutant.key for mutant in mutants}
    if stale and not arguments.only:
        raise SystemExit(f"tests/mutants.toml lists what is no longer there: {sorted(stale)}")
    all_of = len(mutants)
    if arguments.most and arguments.most < len(mutants):
        mutants = random.Random(arguments.seed).sample(mutants, arguments.most)
    print(f"{len(mutants)} of {all_of} mutants")
    if arguments.list:
        for mutant in mutants:
            print(
                f"{mutant.file}:{mutant.number} [{mutant.change}] {mutant.before.strip()}  =>  {mutant.after.strip()}"
            )
        return 0
    tree = Tree()
    tree.read()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(Runner(tree), enumerate(mutants)))
    rows: list[Row] = []
    for module in [*MODULES, "all"]:
        of = [r for r in results if module in ("all", module_of(r.mutant.file)) and r.outcome in ("killed", "survived")]
        same = sum(r.outcome == "listed" for r in results if module in ("all", module_of(r.mutant.file)))
        if of:
            share = sum(r.outcome == "killed" for r in of) / len(of)
            what = f"{len(of)} mutants, {same} listed besides, seed {arguments.seed}"
            rows.append(row(f"mutants killed, {module}", [share], "", target=TARGET, input=what))
    if rows:
        write("mutants", rows)
    survivors = [r.mutant for r in results if r.outcome == "survived"]
    for mutant in survivors:
        print(f"survived: {mutant.file}:{mutant.number} [{mutant.change}] {mutant.before.strip()}")
    return 1 if survivors or any(not item.holds for item in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
