"""The program of a first look, which `./dev demo` builds: a part of the whole one, from the same objects."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from pages import page
from program import PROGRAM, ROOT, read_json, run_uzushio
from warc_builder import build

FIRST = PROGRAM.with_name("uzushio_first_look")
LEFT_OUT = {"run", "index", "robots-txt", "clean", "minhash", "decontaminate", "overlap", "doctor"}
LEFT_OUT |= {"train-language", "train-classifier", "train-lm"}
CHAIN = ROOT / "tools" / "demo_chain.conf"


def first_look(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs it."""
    done = subprocess.run([FIRST, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def commands(help_text: str) -> set[str]:
    """Those that a help names."""
    lines = help_text.split("\n")
    return {line.split()[0] for line in lines if line.startswith("  ") and not line.startswith(("   ", "  -"))}


def test_has_the_other_commands() -> None:
    """What it leaves out is said, with what has it."""
    whole = commands(run_uzushio("--help").stdout)
    assert whole >= LEFT_OUT
    text = first_look("--help").stdout
    assert commands(text) == whole - LEFT_OUT
    (said,) = [line for line in text.split("\n") if line.startswith("Not in this build: ")]
    assert set(said.removeprefix("Not in this build: ").split(";")[0].split(", ")) == LEFT_OUT
    for name in LEFT_OUT:
        said = first_look(name, code=2).stderr
        assert f"'{name}' is not in the program that ./dev demo builds; ./dev build makes it whole" in said


def test_stands_for_all_of_the_rust_library() -> None:
    """What is left out of it has something in its place, in src/cli/first_look.cc or native/src/first_look.rs."""

    def functions(*names: str) -> list[str]:
        texts = [(ROOT / "native" / "src" / name).read_text(encoding="utf-8") for name in names]
        return sorted(re.findall(r'extern "C" fn (\w+)', "".join(texts)))

    assert functions("first_look.rs") == functions("sudachi.rs", "tokens.rs")


def test_makes_the_same(tmp_path: Path) -> None:
    """Byte for byte, from archives to clean text."""
    (tmp_path / "a.warc").write_bytes(build([page(number) for number in range(30)], "warc"))
    marks = []
    for name in ("whole", "first"):
        run = run_uzushio if name == "whole" else first_look
        documents, statistics, clean = (tmp_path / name / part for part in ("documents", "statistics", "clean"))
        run("extract", tmp_path / "a.warc", "--output", documents)
        run("stats", documents, "--output", statistics)
        run("filter", documents, "--config", CHAIN, "--stats", statistics, "--output", clean)
        marks.append(
            [read_json(output / ".uzushio/manifest.json")["files"] for output in (documents, statistics, clean)]
        )
    assert marks[0] == marks[1]


def test_has_no_language_models(tmp_path: Path, dictionary: Path) -> None:
    """A chain that wants one is refused."""
    (tmp_path / "a.warc").write_bytes(build([page(1)], "warc"))
    first_look("extract", tmp_path / "a.warc", "--output", tmp_path / "documents")
    (tmp_path / "model").write_bytes(b"any")
    chain = tmp_path / "chain.conf"
    for given in (
        f'"class": "KenLMDocAvgPerplexity", "sudachi": "{dictionary}", "kenlm": "{tmp_path / "model"}"',
        f'"class": "FastText", "model": "{tmp_path / "model"}", "label": "hq"',
        f'"class": "Onnx", "model": "{tmp_path / "model"}", "tokenizer": "{tmp_path / "model"}"',
    ):
        chain.write_text(f"filters: [{{{given}}}]", encoding="utf-8")
        command = ["filter", tmp_path / "documents", "--config", chain, "--output", tmp_path / "out"]
        assert "./dev build makes it whole" in first_look(*command, code=2).stderr
    assert not (tmp_path / "out").exists()
