"""What makes the program pleasant in a shell: help, examples, completion, man pages, colour, `doctor`."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pages import KANA, page
from program import PROGRAM, Uzushio, run_uzushio
from warc_builder import build

COMMANDS: list[dict[str, Any]] = json.loads(run_uzushio("options", "--form", "json").stdout)
NAMES = [command["name"] for command in COMMANDS]
LINES = 33  # of a screen
CHAIN = 'filters: [{"class": "HiraganaRatio", "low": 0.2, "high": 1.0}]\n'


def named(name: str) -> dict[str, Any]:
    """A command."""
    return COMMANDS[NAMES.index(name)]


def flags(command: dict[str, Any]) -> set[str]:
    """All names of its options on command lines."""
    options = [option for option in command["options"] if option["program"]]
    names = [name for option in options for name in (option["name"], *option["aliases"])]
    return {("-" if len(name) == 1 else "--") + name for name in names}


def tool(name: str) -> str:
    """A program that not every machine has."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def with_program(**more: str) -> dict[str, str]:
    """An environment where `uzushio` is the program, and Python's environment that of the tests."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "JAVA_HOME")}
    environment["PATH"] = f"{PROGRAM.parent}:{environment['PATH']}"
    return {**environment, "VIRTUAL_ENV": sys.prefix, **more}


# --- help ---


@pytest.mark.parametrize("name", ["", *NAMES])
def test_help_fits_a_screen(name: str) -> None:
    """Of 80 columns, but for examples, which are to be copied; what is not shown is counted."""
    text = run_uzushio(*name.split(), "--help").stdout
    lines = text.splitlines()
    assert len(lines) <= LINES
    is_example = [line.startswith("  uzushio ") for line in lines]
    assert max(len(line) for line, example in zip(lines, is_example, strict=True) if not example) <= 90
    if not name:
        assert all(f"\n  {command} " in text for command in NAMES)
        return
    command = named(name)
    assert [line.strip() for line in lines if line.strip() in command["examples"]] == command["examples"]
    assert len(command["examples"]) in (2, 3)
    options = [option for option in command["options"] if option["program"]]
    hidden = [option for option in options if not option["in_short_help"] and not option["required"]]
    more = re.search(r"^(\d+) more options: uzushio \S+ --help-all$", text, re.MULTILINE)
    assert (int(more[1]) if more else 0) == len(hidden)


def test_all_options_are_shown_on_demand() -> None:
    """With what they mean."""
    for command in COMMANDS:
        text = run_uzushio(command["name"], "--help-all").stdout
        assert flags(command) <= set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text)), command["name"]
        words = " ".join(text.split())
        for option in command["options"]:
            assert not option["program"] or option["help"] in words, option["name"]


def on_wide_terminal(columns: int, *arguments: str) -> list[str]:
    """The lines that the program writes to a terminal of so many columns."""
    control, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    done = subprocess.Popen([PROGRAM, *arguments], stdout=terminal, env={"NO_COLOR": "1"})
    os.close(terminal)
    said = b""
    try:
        while part := os.read(control, 1 << 16):
            said += part
    except OSError:  # it is closed on the other side
        pass
    os.close(control)
    assert done.wait() == 0
    return said.decode().splitlines()


@pytest.mark.parametrize("columns", [60, 80, 160])
@pytest.mark.parametrize("arguments", [["extract", "--help-all"], ["help", "extract", "--all"]])
def test_help_is_as_wide_as_the_terminal(columns: int, arguments: list[str]) -> None:
    """Lines are broken where it ends, and not before."""
    lines = [line for line in on_wide_terminal(columns, *arguments) if not line.startswith(("  uzushio ", "Usage"))]
    assert columns - 12 <= max(map(len, lines)) <= columns


def test_help_of_the_program_fits_a_narrow_terminal() -> None:
    """Summaries of commands are broken, too."""
    lines = on_wide_terminal(60, "--help")
    assert max(len(line) for line in lines if not line.startswith("  uzushio ") and " --help" not in line) <= 66


def test_help_is_a_command() -> None:
    """Of the program and of a command, as their options have it."""
    assert run_uzushio("help").stdout == run_uzushio("--help").stdout
    assert run_uzushio("help", "extract").stdout == run_uzushio("extract", "--help").stdout
    assert run_uzushio("help", "extract", "--all").stdout == run_uzushio("extract", "--help-all").stdout
    assert "'extrac' is no command; did you mean extract?" in run_uzushio("help", "extrac", code=2).stderr


def test_short_options(tmp_path: Path) -> None:
    """`-V`, and in each command that has them `-o` and `-j`."""
    assert run_uzushio("-V").stdout == run_uzushio("--version").stdout
    (tmp_path / "a.txt").write_text("一つ目の文章です。", encoding="utf-8")
    run_uzushio("stats", tmp_path / "a.txt", "-o", tmp_path / "out", "-j1", "--quiet")
    assert (tmp_path / "out" / ".uzushio/manifest.json").exists()
    for command in COMMANDS:
        options = {option["name"]: option for option in command["options"]}
        assert all("o" in options[name]["aliases"] for name in ("output",) if name in options)
        assert all("j" in options[name]["aliases"] for name in ("threads",) if name in options)


@pytest.fixture(name="inputs")
def make_inputs(tmp_path: Path) -> Path:
    """A folder with the files that examples name."""
    (tmp_path / "pages.warc.gz").write_bytes(build([page(number) for number in range(4)], "warc.gz"))
    (tmp_path / "crawl" / "robotstxt").mkdir(parents=True)
    robots = {"uri": "http://example.jp/robots.txt", "http": [["Content-Type", "text/plain"]], "body": "User-agent: *"}
    (tmp_path / "crawl" / "robotstxt" / "a.warc.gz").write_bytes(build([robots], "warc.gz"))
    capture = {"url": "http://a.jp/", "offset": "0", "length": "9", "filename": "a.warc.gz"}
    (tmp_path / "captures.cdxj").write_text(f"jp,a)/ 20230101000000 {json.dumps(capture)}\n", encoding="utf-8")
    (tmp_path / "chain.conf").write_text(CHAIN, encoding="utf-8")
    stage = {"name": "documents", "command": "extract", "input": "pages.warc.gz"}
    (tmp_path / "own.conf").write_text(json.dumps({"stages": [stage]}), encoding="utf-8")
    texts = [f"{number}番目の文章。{KANA}\n\n{'同じ段落です。' * 6}" for number in range(3)] + ["English words only."]
    articles = [
        {"docId": f"article-{number}", "text": text, "url": f"http://example.jp/{number}", "date": "2023-01-01"}
        for number, text in enumerate(texts)
    ]
    labelled = [{"text": text, "title": text[:9], "language": "ja"} for text in texts[:3]]
    labelled += [
        {"text": text, "title": "Title", "language": "en"} for text in ("English words.", "More of them, too.")
    ]
    benchmark = [{"question": "どの文書にもない、長い問題の文です。"}]
    for name, rows in (("articles", articles), ("labelled", labelled), ("benchmark", benchmark)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "wiki.txt").write_text("".join(f"{text}\n\n" for text in texts), encoding="utf-8")
    (tmp_path / "blacklists" / "adult").mkdir(parents=True)
    (tmp_path / "blacklists" / "adult" / "domains").write_text("example.com\n", encoding="utf-8")
    (tmp_path / "hosts.txt").write_text("example.net\n", encoding="utf-8")
    for dictionary in Path(sys.prefix).glob("lib/python3*/site-packages/sudachidict_*/resources/system.dic"):
        (tmp_path / "system.dic").symlink_to(dictionary)
    words = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(words), encoding="utf-8")
    return tmp_path


@pytest.mark.once  # a sanitized program does not find its libraries by their names
def test_examples_run(inputs: Path) -> None:
    """One after the other, as they stand in the help."""
    lacking = "" if (inputs / "system.dic").exists() else "--sudachi"
    for command in COMMANDS:
        for example in command["examples"]:
            if lacking and lacking in example:
                continue
            done = subprocess.run(
                ["bash", "-c", example], cwd=inputs, env=with_program(), capture_output=True, text=True, check=False
            )
            assert done.returncode in ((0, 1) if command["name"] == "doctor" else (0,)), f"{example}\n{done.stderr}"
    if lacking:
        pytest.skip("no dictionary is installed: examples of train-lm did not run")


# --- completion ---


def bash(words: Sequence[str], folder: Path) -> set[str]:
    """What bash offers for the last of the words, which are as bash parts them."""
    script = f"""source <(uzushio completion bash)
COMP_WORDS=({" ".join(map(shlex.quote, words))})
COMP_CWORD={len(words) - 1}
_uzushio
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        [tool("bash"), "-c", script], cwd=folder, env=with_program(), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


def fish(line: str, folder: Path) -> set[str]:
    """What fish offers for the end of a line."""
    script = f"uzushio completion fish | source; complete -C {shlex.quote(line)}"
    environment = with_program(HOME=str(folder), XDG_DATA_HOME=str(folder / ".data"), XDG_CONFIG_HOME=str(folder))
    done = subprocess.run(
        [tool("fish"), "-N", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return {word.partition("\t")[0].removesuffix("=") for word in done.stdout.splitlines()}


def zsh(line: str, folder: Path) -> str:
    """What is on the terminal when the tabulator is struck, and the words that the line has become, in brackets."""
    script = """autoload -Uz compinit && compinit -D -u
zstyle ':completion:*' list-prompt ''
source <(uzushio completion zsh)
zmodload zsh/complist
uzushio() { printf '[%s]' "$@"; echo en''d; }
PS1= ; echo be''gin
"""
    environment = with_program(HOME=str(folder), TERM="dumb", ZDOTDIR=str(folder))
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(tool("zsh"), ["zsh", "-f", "-i"], environment)
    try:
        os.write(terminal, script.encode())
        read_until(terminal, "begin")
        os.write(terminal, f"{line}\t\t\n".encode())
        return read_until(terminal, "end\r")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def read_until(terminal: int, mark: str) -> str:
    """What comes from a terminal, up to a mark."""
    text = ""
    while mark not in text:
        text += os.read(terminal, 4096).decode(errors="replace")
    return text


@pytest.mark.once
def test_bash_completes(tmp_path: Path) -> None:
    """Commands, options, choices and files."""
    (tmp_path / "pages of one.warc.gz").touch()
    (tmp_path / "folder").mkdir()
    files = {"pages of one.warc.gz", "folder"}
    assert bash(["uzushio", ""], tmp_path) == {*NAMES, "--help", "--version", "-V"}
    assert bash(["uzushio", "st"], tmp_path) == {"stats"}
    for command in COMMANDS:
        assert bash(["uzushio", command["name"], "-"], tmp_path) == flags(command) | {"--help", "--help-all"}
        for option in command["options"]:
            if not option["program"] or option["type"] == "flag":
                continue
            flag = ("-" if len(option["name"]) == 1 else "--") + option["name"]
            wanted = set(option["choices"]) or (files if option["type"] == "path" else set())
            if option["name"] in ("metric", "sorted-by"):  # other texts are refused later
                continue
            assert bash(["uzushio", command["name"], flag, ""], tmp_path) == wanted, flag
    assert bash(["uzushio", "extract", "pa"], tmp_path) == {"pages of one.warc.gz"}
    assert bash(["uzushio", "extract", "--quiet", ""], tmp_path) == files
    assert bash(["uzushio", "stats", "--candidates", "=", "b"], tmp_path) == {"buckets"}
    assert bash(["uzushio", "stats", "--candidates", "="], tmp_path) == {"buckets", "simhash"}
    assert bash(["uzushio", "filters", "Hira"], tmp_path) == {"HiraganaRatio"}
    assert bash(["uzushio", "metrics", "--metric", "HiraganaR"], tmp_path) == {"HiraganaRatio"}
    assert bash(["uzushio", "metrics", "--sorted-by", "DocLe"], tmp_path) == {"DocLength"}
    assert bash(["uzushio", "help", "mer"], tmp_path) == {"merge"}
    assert bash(["uzushio", "completion", ""], tmp_path) == {"bash", "zsh", "fish"}
    assert bash(["uzushio", "man", "mer"], tmp_path) == {"merge"}
    assert bash(["uzushio", "explain", ""], tmp_path) == set()


def test_bash_script_is_clean() -> None:
    """As shellcheck sees it."""
    script = run_uzushio("completion", "bash").stdout
    done = subprocess.run(
        [tool("shellcheck"), "-s", "bash", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""


@pytest.mark.once
def test_fish_completes(tmp_path: Path) -> None:
    """The same."""
    (tmp_path / "pages.warc.gz").touch()
    assert fish("uzushio ", tmp_path) >= set(NAMES)
    assert fish("uzushio st", tmp_path) == {"stats"}
    for command in COMMANDS:
        long = {flag for flag in flags(command) if flag.startswith("--")}
        assert fish(f"uzushio {command['name']} --", tmp_path) == long | {"--help", "--help-all"}
    assert fish("uzushio stats --candidates ", tmp_path) == {"buckets", "simhash"}
    assert fish("uzushio stats --candidates=b", tmp_path) == {"--candidates=buckets"}
    assert fish("uzushio extract pa", tmp_path) == {"pages.warc.gz"}
    assert "pages.warc.gz" in fish("uzushio filter --stats ", tmp_path)
    assert fish("uzushio filters Hira", tmp_path) == {"HiraganaRatio"}
    assert fish("uzushio metrics --metric HiraganaR", tmp_path) == {"HiraganaRatio"}
    assert fish("uzushio stats --threads ", tmp_path) == set()


@pytest.mark.once
def test_zsh_completes(tmp_path: Path) -> None:
    """The same."""
    (tmp_path / "pages.warc.gz").touch()
    for line, wanted in (
        ("uzushio ext", ["[extract]"]),
        ("uzushio stats --", ["--candidates", "--help-all"]),
        ("uzushio stats --candidates ", ["buckets", "simhash"]),
        ("uzushio stats --candidates=b", ["[--candidates=buckets]"]),
        ("uzushio extract pa", ["[extract][pages.warc.gz]"]),
        ("uzushio filters Hira", ["[filters][HiraganaRatio]"]),
        ("uzushio metrics --metric HiraganaR", ["[HiraganaRatio]"]),
        ("uzushio completion f", ["[completion][fish]"]),
    ):
        said = zsh(line, tmp_path)
        assert all(word in said for word in wanted), said


def test_a_shell_that_is_not_known() -> None:
    """Says which are."""
    said = run_uzushio("completion", "tcsh", code=2).stderr
    assert "'tcsh': there is no completion for this shell; give one of bash, zsh, fish" in said


# --- man pages ---


@pytest.mark.parametrize("name", ["", *NAMES])
def test_man_pages(name: str) -> None:
    """Have all options and examples, and nothing that groff warns of."""
    source = run_uzushio("man", *name.split()).stdout
    command = named(name) if name else None
    assert source.startswith(
        f".TH UZUSHIO{chr(92)}-{name.upper().replace('-', chr(92) + '-')} 1 " if name else ".TH UZUSHIO 1 "
    )
    done = subprocess.run(
        [tool("groff"), "-man", "-Tutf8", "-ww", "-P-c", "-rLL=500n"],
        input=source.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    text = re.sub(".\b", "", done.stdout.decode()).replace("\u2010\n", "")
    if command is None:
        assert all(f"uzushio-{other}(1)" in text for other in NAMES)
        return
    assert flags(command) <= set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text))
    assert all(example in text for example in command["examples"])


def test_man_page_of_no_command() -> None:
    """Says which is meant."""
    assert "'stat' is no command; did you mean stats?" in run_uzushio("man", "stat", code=2).stderr


# --- colour, version ---


def on_terminal(*arguments: str, **environment: str) -> str:
    """What the program says to a terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(PROGRAM, ["uzushio", *arguments], with_program(**environment))
    said = b""
    try:
        while more := os.read(terminal, 4096):
            said += more
    except OSError:  # what a terminal without a process says
        pass
    os.close(terminal)
    os.waitpid(process, 0)
    return said.decode()


def test_colour_on_terminals_only() -> None:
    """And not with NO_COLOR, which may be empty, or where the terminal has none."""
    wrong = ["filter", "no-such-file", "--output", "no-such-output"]
    assert "\x1b[1mOptions:\x1b[0m" in on_terminal("stats", "--help", TERM="xterm")
    assert "\x1b[1mCommands:\x1b[0m" in on_terminal("--help", TERM="xterm", NO_COLOR="")
    assert "uzushio: \x1b[1;31merror:\x1b[0m no-such-file" in on_terminal(*wrong, TERM="xterm")
    for environment in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}):
        for arguments in (["stats", "--help"], wrong):
            assert "\x1b" not in on_terminal(*arguments, **environment)
    assert "\x1b" not in run_uzushio("stats", "--help").stdout + run_uzushio(*wrong, code=2).stderr


def test_version() -> None:
    """The program's, those of libraries, and the instructions that are used."""
    first, libraries, simd = run_uzushio("--version").stdout.splitlines()
    assert re.fullmatch(r"uzushio \d+\.\d+\.\d+", first)
    found = dict(re.findall(r"(?:^libraries: |, )([\w-]+) ([\d.]+)(?=,|$)", libraries))
    assert {"Arrow", "lexbor", "libdeflate", "ISA-L", "zstd", "sudachi", "kenlm", "daachorse"} <= set(found)
    assert len(found) == libraries.count(",") + 1
    assert re.fullmatch(r"SIMD: (the baseline|AVX2|AVX-512); Arrow uses \w+", simd)


# --- doctor ---


def doctor(folder: Path, *places: object, code: int, **environment: str) -> str:
    """What it says of an installation without anything, or with what the environment names."""
    done = subprocess.run(
        [PROGRAM, "doctor", *map(str, places)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_doctor_says_what_to_do(tmp_path: Path) -> None:
    """Of what is missing, and leaves nothing behind."""
    (tmp_path / "notes.txt").write_text("no model", encoding="utf-8")
    said = doctor(tmp_path, tmp_path, "no-such-folder", "notes.txt", code=1, PATH="/no/such/folder")
    assert re.search(r"^  ok       memory: .* a run takes ", said, re.MULTILINE)
    assert re.search(rf"^  ok       {tmp_path}: writes .*/s, reads .*/s, .* free$", said, re.MULTILINE)
    for state, advice in (
        ("without", "Sudachi: there is no Sudachi dictionary .*pip install sudachidict_core"),
        ("without", "Java: no java in PATH; .*apt install openjdk-17-jre-headless"),
        ("without", r"PySpark: .*pip install 'uzushio\[spark\]'"),
        ("missing", "no-such-folder: no such file or folder; mkdir -p"),
        ("missing", "notes.txt: neither a model .* nor a dictionary"),
    ):
        assert re.search(f"^  {state}  {advice}", said, re.MULTILINE), said
    assert said.endswith("2 of 10 missing\n")
    assert "  without  Java" in doctor(tmp_path, tmp_path, code=0, PATH="/no/such/folder")
    assert "JAVA_HOME /nowhere: no bin/java" in doctor(tmp_path, code=1, JAVA_HOME="/nowhere")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_doctor_is_content(tmp_path: Path, uzushio: Uzushio, inputs: Path) -> None:
    """Where everything is there."""
    dictionary = inputs / "system.dic"
    if not dictionary.exists():
        pytest.skip("no dictionary is installed")
    packages = tmp_path / "venv" / "lib" / "python3" / "site-packages"
    (packages / "sudachidict_core" / "resources").mkdir(parents=True)
    (packages / "sudachidict_core" / "resources" / "system.dic").symlink_to(dictionary.resolve())
    (packages / "pyspark").mkdir()
    (packages / "pyspark" / "version.py").write_text('__version__: str = "3.5.9"\n', encoding="utf-8")
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="17.0.15"\n', encoding="utf-8")
    uzushio("train-language", inputs / "labelled.jsonl", "--output", tmp_path / "ja.model")
    environment = {"VIRTUAL_ENV": str(tmp_path / "venv"), "JAVA_HOME": str(tmp_path / "jdk")}
    said = doctor(tmp_path, tmp_path / "ja.model", dictionary, code=0, **environment)
    assert re.search("^  ok       Java: 17.0.15, ", said, re.MULTILINE)
    assert re.search("^  ok       PySpark: 3.5.9, ", said, re.MULTILINE)
    assert said.endswith("all that every run needs is there\n")
