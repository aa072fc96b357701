"""`uzushio run`: what it runs, what it does again, what it says, and that a stop anywhere changes nothing."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pages import page
from pipeline_pages import WORDS, write_archive
from program import PROGRAM, ROOT, Uzushio, read_json, run_uzushio
from warc_builder import build

PIPELINE = """
# A comment with command: extract
stages: [
  {name: documents, command: extract, for: {year: [2013, 2014]}, input: "${crawl}/${year}/*.warc.gz"}
  {name: counts, command: stats, for: {year: [2013, 2014]}, input: "@documents", intermediate: true}
  {name: statistics, command: merge, input: "@counts"}
  {
    name: clean, command: filter, for: {year: [2013, 2014]}, input: "@documents", stats: "@statistics"
    filters: [
      {class: DocLength, low: 50, low: ${?least}}
      {class: LargeFreqParagraphs, count: 1, freq: 100}
    ]
  }
  {name: unique, command: minhash, input: "@clean", buckets: 10}
]
"""
STEPS = ["documents/2013", "documents/2014", "counts/2013", "counts/2014", "statistics", "clean/2013", "clean/2014"]
STEPS += ["unique"]


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path) -> Path:
    """Archives of two years, and a pipeline."""
    for year in (2013, 2014):
        for part in "ab":
            write_archive(tmp_path / "crawl" / str(year) / f"{part}.warc.gz", 40, year * 10 + ord(part))
    (tmp_path / "p.conf").write_text(PIPELINE, encoding="utf-8")
    return tmp_path


def arguments(corpus: Path, output: str = "out") -> list[str]:
    """Of a run of the pipeline."""
    given = ["-P", f"crawl={corpus / 'crawl'}", "--threads", "2"]
    return ["run", str(corpus / "p.conf"), "--output", str(corpus / output), *given]


def run(uzushio: Uzushio, corpus: Path, *more: str) -> dict[str, bool]:
    """Runs it; whether each step was done before."""
    return run_of(uzushio, corpus, *arguments(corpus), *more)


def run_of(uzushio: Uzushio, corpus: Path, *given: Any) -> dict[str, bool]:
    """The same of other arguments."""
    uzushio(*given, "--summary", corpus / "summary.json")
    return {step["name"]: step["was_done"] for step in read_json(corpus / "summary.json")["steps"]}


def tree(folder: Path) -> dict[str, bytes]:
    """All files but the one with times, which names and identities do not depend on."""
    return {
        str(path.relative_to(folder)): path.read_bytes().replace(str(folder).encode(), b"DIR")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "_summary.json"
    }


def data(folder: Path) -> dict[str, bytes]:
    """The files without marks."""
    return {name: content for name, content in tree(folder).items() if not name.endswith(".json")}


def test_all_stages(uzushio: Uzushio, corpus: Path) -> None:
    """Every step runs once, in order; the same again does nothing; a summary has them all."""
    assert run(uzushio, corpus) == dict.fromkeys(STEPS, False)
    out = corpus / "out"
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    assert run(uzushio, corpus) == dict.fromkeys(STEPS, True)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    out.rename(corpus / "moved")
    assert "8 stages, 8 done before" in uzushio(*arguments(corpus, "moved")).stderr
    (corpus / "moved").rename(out)
    summary = read_json(corpus / "summary.json")
    assert summary["stage"] == "run"
    assert [step["summary"]["stage"] for step in summary["steps"]][:2] == ["extract", "extract"]
    said = uzushio(*arguments(corpus)).stderr
    assert "run: 8 stages, 8 done before\n" in said
    assert "160 of 164 documents kept" in said
    text = "".join(row["text"] for row in pq.read_table(out / "clean" / "2013" / "part-00000.parquet").to_pylist())
    assert "著作権" not in text  # frequent in both years together only
    by_hand = [
        "filter",
        out / "documents" / "2013",
        "--stats",
        out / "statistics",
        "--config",
        out / "_chains/clean/2013.conf",
    ]
    uzushio(*by_hand, "--output", corpus / "hand")
    name = "part-00000.parquet"
    assert (corpus / "hand" / name).read_bytes() == (out / "clean" / "2013" / name).read_bytes()


def test_only_what_a_change_touches_runs_again(uzushio: Uzushio, corpus: Path) -> None:
    """An option, an input, a lost file, a chain; what comes out the same ends it."""
    run(uzushio, corpus)

    def again(*more: str) -> list[str]:
        return [name for name, was_done in run(uzushio, corpus, *more).items() if not was_done]

    assert again("-P", "least=2000") == ["clean/2013", "clean/2014", "unique"]
    assert again() == ["clean/2013", "clean/2014", "unique"]
    text = PIPELINE.replace("buckets: 10", "buckets: 12")
    (corpus / "p.conf").write_text(text, encoding="utf-8")
    assert again() == ["unique"]
    (corpus / "p.conf").write_text(text.replace('2014"', '2014", text-column: text'), encoding="utf-8")
    write_archive(corpus / "crawl" / "2014" / "c.warc.gz", 10, 77)
    assert again() == ["documents/2014", "counts/2014", "statistics", "clean/2013", "clean/2014", "unique"]
    next((corpus / "out" / "counts" / "2013").glob("*.parquet")).unlink()
    assert again() == ["counts/2013"]
    assert again() == []


def test_what_others_have_put_there_stays(uzushio: Uzushio, corpus: Path) -> None:
    """A folder that is no output; an output that is another's; a file in an output."""
    out = corpus / "out"
    (out / "documents" / "2014").mkdir(parents=True)
    (out / "documents" / "2014" / "mine.txt").write_text("mine", encoding="utf-8")
    assert "documents/2014: exists and is no output of uzushio" in uzushio(*arguments(corpus), code=2).stderr
    assert (out / "documents" / "2014" / "mine.txt").read_text(encoding="utf-8") == "mine"
    (out / "documents" / "2014" / "mine.txt").unlink()
    run(uzushio, corpus)
    archive = corpus / "crawl" / "2013" / "a.warc.gz"
    uzushio("extract", archive, "--output", out / "documents" / "2013", "--overwrite", "--language", "all")
    before = data(out)
    assert "is not the output that this pipeline has made" in uzushio(*arguments(corpus), code=2).stderr
    assert data(out) == before
    uzushio("extract", corpus / "crawl" / "2013" / "*.warc.gz", "--output", out / "documents" / "2013", "--overwrite")
    (out / "unique" / "mine.txt").write_text("mine", encoding="utf-8")
    assert "mine.txt: was not written by the run" in uzushio(*arguments(corpus), "-P", "least=2000", code=2).stderr
    assert (out / "unique" / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_loops_and_outputs_of_one_name(uzushio: Uzushio, corpus: Path) -> None:
    """A stage that gets a loop does not write into its output."""
    loop = "for: {year: [2013]}, "
    text = f'stages: [{{name: a, command: extract, {loop}input: "${{crawl}}/2013/*.gz"}}]'
    (corpus / "p.conf").write_text(text.replace(loop, ""), encoding="utf-8")
    run(uzushio, corpus)
    before = tree(corpus / "out")
    (corpus / "p.conf").write_text(text, encoding="utf-8")
    said = uzushio(*arguments(corpus), code=2).stderr
    assert "out/a: is an output" in said
    assert "move it away" in said
    assert tree(corpus / "out") == before


def killed(command: list[str], seconds: float) -> bool:
    """Whether a run that is ended after so many seconds was still at work; it ends by nothing else."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    said = process.communicate()[1]
    assert process.returncode in {0, -signal.SIGKILL}, said
    return process.returncode != 0


def test_stops_at_random_places_change_nothing(uzushio: Uzushio, corpus: Path) -> None:
    """Killed many times, from nothing or from the outputs of other options, then run: the same files."""
    choose = random.Random(18)
    start = time.monotonic()
    uzushio(*arguments(corpus))
    whole = time.monotonic() - start
    wanted = tree(corpus / "out")
    out = corpus / "out"
    ends = number = 0
    while number < 20 or (ends < 6 and number < 100):
        if number % 4 == 0:
            shutil.rmtree(out, ignore_errors=True)
        other = ["-P", f"least={number}"] if number % 2 else []
        start = time.monotonic()
        was_at_work = killed([str(PROGRAM), *arguments(corpus), *other], choose.random() * whole)
        # On a machine that was busy, the first takes longer than all others. What goes on with work is shorter.
        if not was_at_work and number % 4 == 0:
            whole = min(whole, time.monotonic() - start)
        ends += was_at_work
        number += 1
    assert ends > 5
    uzushio(*arguments(corpus))
    assert tree(out) == wanted
    assert {path.name for path in out.rglob(".*")} == {".uzushio"}
    shutil.rmtree(out)
    uzushio(*arguments(corpus)[:-1], "1", "--memory", "600MiB")
    assert tree(out) == wanted


SHORT_PIPELINE = """
stages: [
  {name: documents, command: extract, input: "${crawl}/2013/a.warc.gz"}
  {name: clean, command: filter, input: "@documents", filters: [{class: DocLength, low: ${least}}]}
  {name: unique, command: minhash, input: "@clean", buckets: 10}
]
"""


@pytest.mark.once
@pytest.mark.first
def test_stops_at_changes_of_the_file_system(corpus: Path) -> None:
    """Stopped at one of them, a run of other options at any, and perhaps a third, what ends it is as from nothing.

    Every third change is tried, and with UZUSHIO_EVERY_STOP=1 each.
    """
    step = 1 if os.environ.get("UZUSHIO_EVERY_STOP") else 3
    (corpus / "p.conf").write_text(SHORT_PIPELINE, encoding="utf-8")
    out, count = corpus / "out", corpus / "count"

    def run_until(least: int, stop: int | None) -> bool:
        """Whether it came to its end."""
        given = [*arguments(corpus)[:-1], "1", "-P", f"least={least}"]
        preloaded = {"LD_PRELOAD": str(PROGRAM.with_name("stop_at.so")), "STOP_COUNT": str(count)}
        stopped = {} if stop is None else {"STOP_AT": str(stop)}
        done = subprocess.run([PROGRAM, *given], env=os.environ | preloaded | stopped, capture_output=True, text=True)
        wanted = {0, -signal.SIGKILL} if stop is not None else {0}
        assert done.returncode in wanted, f"{least}, {stop}: {done.stderr}"
        return done.returncode == 0

    wanted = {}
    for least in (50, 60):
        shutil.rmtree(out, ignore_errors=True)
        run_until(least, None)
        wanted[least] = tree(out)
    choose = random.Random(18)

    def is_stopped(first: int, from_nothing: bool) -> bool:
        """Whether there is such a change. What ends the stopped run is held against what was wanted."""
        if from_nothing:
            shutil.rmtree(out)
        else:
            run_until(60, None)
        if run_until(50, first):
            return False
        for least in choose.choice([[60], [60, 50]]):
            run_until(least, choose.randrange(60))  # soon, while it deals with what was stopped
        run_until(50, None)
        assert tree(out) == wanted[50], f"{first}, {from_nothing}"
        return True

    for from_nothing in (True, False):
        changes = int(count.read_text(encoding="utf-8")) if from_nothing else 50
        every = itertools.count(int(from_nothing), step)
        stops = next(first for first in every if not is_stopped(first, from_nothing))
        assert stops >= changes


def test_a_stop_while_an_output_is_replaced(uzushio: Uzushio, corpus: Path) -> None:
    """The old one is aside and the new one is not there yet: it is put back, and replaced."""
    out = corpus / "out"
    run(uzushio, corpus)
    old = read_json(out / "_pipeline.json")["steps"]["unique"]
    shutil.copytree(out / "unique", corpus / "old")
    run(uzushio, corpus, "-P", "least=2000")
    wanted = tree(out)
    record = read_json(out / "_pipeline.json")
    record["steps"]["unique"] |= {"done": False, "mark": old["mark"]}
    (out / "_pipeline.json").write_text(json.dumps(record), encoding="utf-8")
    shutil.rmtree(out / "unique")
    (corpus / "old").rename(out / ".unique.replaced")
    assert [name for name, was_done in run(uzushio, corpus, "-P", "least=2000").items() if not was_done] == ["unique"]
    assert tree(out) == wanted


def test_steps_side_by_side(uzushio: Uzushio, corpus: Path) -> None:
    """Give the bytes of one at a time; those that do not stand on one another are at work at once."""
    for command in (["--at-once", "1"], ["--threads", "8"], ["--threads", "8", "--memory", "700MiB"]):
        shutil.rmtree(corpus / "out", ignore_errors=True)
        said = uzushio(*arguments(corpus)[:-2], *command).stderr
        files = tree(corpus / "out")
        assert files == tree(corpus / "out")
        if "--at-once" in command:
            wanted = files
        assert files == wanted
        assert re.search(r"documents: 2 of 2 steps, [\d.]+ kB of input in [\d.]+ s, [\d.]+ .?B/s\n", said)


def screen(said: str) -> list[str]:
    """What a terminal shows of lines that go back, up, and are erased."""
    lines, row = [""], 0
    for part in re.findall(r"\r|\n|\x1b\[K|\x1b\[A|[^\r\n\x1b]+", said):
        if part == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif part == "\x1b[A":
            row -= 1
        elif part == "\x1b[K":
            lines[row] = ""
        elif part != "\r":
            lines[row] += part
    return lines


def test_on_a_terminal(corpus: Path) -> None:
    """Bars of stages that are at work come and go; what is left is a line for each stage, and the summary."""
    terminal, program = os.openpty()
    process = subprocess.Popen([str(PROGRAM), *arguments(corpus)], stderr=program, env=os.environ | {"NO_COLOR": "1"})
    os.close(program)
    said = b""
    with contextlib.suppress(OSError):  # the terminal is gone when the program has ended
        while block := os.read(terminal, 1 << 16):
            said += block
    os.close(terminal)
    assert process.wait() == 0
    assert "] " in said.decode()
    lines = screen(said.decode())
    assert [line.split(":")[1].strip() for line in lines[:5]] == [
        "documents",
        "counts",
        "statistics",
        "clean",
        "unique",
    ]
    assert lines[5] == "run: 8 stages, 0 done before"


def test_an_error_beside_others(uzushio: Uzushio, corpus: Path) -> None:
    """It is told with its stage, begins nothing more, and takes nothing from what is done."""
    broken = corpus / "crawl" / "broken.parquet"
    broken.write_bytes(b"PAR1 no Parquet")
    text = PIPELINE.removesuffix("]\n") + f'  {{name: broken, command: stats, input: "{broken}"}}\n]\n'
    (corpus / "p.conf").write_text(text, encoding="utf-8")
    said = uzushio(*arguments(corpus)[:-1], "3", code=1).stderr
    assert re.search(r"error: .*:15: stages\[5\] \(broken\): .*broken.parquet: no readable Parquet file", said)
    record = read_json(corpus / "out" / "_pipeline.json")["steps"]
    assert [name for name, step in record.items() if step["failed"]] == ["broken"]
    done = [name for name, step in record.items() if step["done"]]
    assert "unique" not in done
    (corpus / "p.conf").write_text(PIPELINE, encoding="utf-8")
    assert [name for name, was_done in run(uzushio, corpus).items() if was_done] == done


def test_a_share_that_is_too_small(uzushio: Uzushio, tmp_path: Path) -> None:
    """A step that has no room beside another has all of it, when that has ended."""
    long, short = tmp_path / "long.jsonl", tmp_path / "short.jsonl"
    long.write_text(json.dumps({"text": "あ" * (24 << 18)}, ensure_ascii=True) + "\n", encoding="utf-8")
    short.write_text('{"text": "い"}\n', encoding="utf-8")
    loop = f'for: {{part: [long, short]}}, input: "{tmp_path}/${{part}}.jsonl"'
    (tmp_path / "p.conf").write_text(f"stages: [{{name: counts, command: stats, {loop}}}]", encoding="utf-8")
    given = ["run", tmp_path / "p.conf", "--output", tmp_path / "out", "--threads", 2, "--memory"]
    assert "MiB" in uzushio(*given, "520MiB", code=2).stderr
    uzushio(*given, "900MiB")


def test_threads_that_the_memory_is_too_little_for(uzushio: Uzushio, corpus: Path) -> None:
    """A step that is alone works on fewer of them, and says so."""
    documents = {"name": "documents", "command": "extract", "input": str(corpus / "crawl" / "2013")}
    metrics = [{"name": name, "command": "metrics", "input": "@documents", "metric": "DocLength"} for name in "tu"]
    (corpus / "p.conf").write_text(json.dumps({"stages": [documents, *metrics]}), encoding="utf-8")
    given: list[Any] = ["run", corpus / "p.conf", "--output", corpus / "out", "--threads", 4, "--memory", "440MiB"]
    assert re.search(r"u: --memory allows [123] of 4 threads", uzushio(*given).stderr)
    assert "100MiB: 1 thread needs " in uzushio(*metrics_alone(corpus), "--memory", "100MiB", code=2).stderr


def metrics_alone(corpus: Path) -> list[Any]:
    """A run of one step on a text."""
    (corpus / "a.jsonl").write_text('{"text": "い"}\n', encoding="utf-8")
    stage = {"name": "t", "command": "metrics", "input": str(corpus / "a.jsonl"), "metric": "DocLength"}
    (corpus / "alone.conf").write_text(json.dumps({"stages": [stage]}), encoding="utf-8")
    return ["run", corpus / "alone.conf", "--output", corpus / "alone", "--threads", 4]


def test_an_error_that_the_record_can_not_take(corpus: Path) -> None:
    """What failed is said, not that it could not be noted."""
    broken = corpus / "broken.parquet"
    texts = pa.table({"text": [f"その{number}" * 9 for number in range(400_000)]})
    pq.write_table(texts, broken, row_group_size=20_000, compression="none", use_dictionary=False)
    last = pq.ParquetFile(broken).metadata.row_group(19).column(0).data_page_offset
    with broken.open("r+b") as file:
        file.seek(last)
        file.write(b"\xff" * 64)
    stage = {"name": "counts", "command": "stats", "input": str(broken)}
    (corpus / "p.conf").write_text(json.dumps({"stages": [stage]}), encoding="utf-8")
    given = [str(PROGRAM), "run", str(corpus / "p.conf"), "--output", str(corpus / "out"), "--threads", "1"]
    process = subprocess.Popen(given, stderr=subprocess.PIPE, text=True)
    log = corpus / "out" / "_pipeline.json.log"
    while process.poll() is None and not log.exists():  # all that is noted before a stage writes
        os.sched_yield()
    log.unlink(missing_ok=True)
    for name in (log.name, "_pipeline.json.tmp"):  # in the way, unless it has failed already
        with contextlib.suppress(FileExistsError):
            (corpus / "out" / name).mkdir()
    said = process.communicate()[1]
    assert process.returncode == 1
    assert re.search(r"error: .*stages\[0\] \(counts\): .*broken.parquet", said)


def test_a_default_that_was_another_is_told(uzushio: Uzushio, corpus: Path) -> None:
    """What an earlier version has made, when minhash compared no texts by default, is made again."""
    uzushio(*arguments(corpus))
    pipeline = corpus / "p.conf"
    pipeline.write_text(PIPELINE.replace("buckets: 10", "buckets: 10, verify: 0.9"), encoding="utf-8")
    assert "all of it is done" in uzushio(*arguments(corpus), "--plan").stdout
    pipeline.write_text(PIPELINE.replace("buckets: 10", "buckets: 10, skip-verify: true"), encoding="utf-8")
    assert "changed: options" in uzushio(*arguments(corpus), "--plan").stdout


def test_one_process_at_a_time(uzushio: Uzushio, corpus: Path) -> None:
    """A second one is refused while the first is halted."""
    first = subprocess.Popen([str(PROGRAM), *arguments(corpus)], stderr=subprocess.DEVNULL)
    while first.poll() is None and not (corpus / "out" / "_pipeline.json").exists():
        os.sched_yield()
    first.send_signal(signal.SIGSTOP)
    assert "another process runs a pipeline here now" in uzushio(*arguments(corpus), code=2).stderr
    first.send_signal(signal.SIGCONT)
    assert first.wait() == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("buckets: 10", "bucket: 10", ":14: stages[4].bucket: no such option of minhash; did you mean buckets?"),
        ("buckets: 10", "buckets: ten", ":14: stages[4]: --buckets ten: give a whole number"),
        ("buckets: 10", "buckets: 9999", ":14: stages[4]: --buckets 9999 --values 20: "),
        ("buckets: 10", "tokens: sudachi-A, sudachi: no.dic", "stages[4]: there is no Sudachi dictionary 'no.dic'"),
        ("input: \"${", "no-title: true, input: \"${", ":4: stages[0]: --no-title requires --main-content"),
        ("buckets: 10", "threads: 1", "stages[4].threads: is set for the whole run"),
        ("buckets: 10", 'verify: "@clean"', "stages[4].verify: one value is wanted"),
        ("command: minhash", "command: minhsh", "stages[4].command: 'minhsh' is no command that writes a folder; did"),
        ("command: minhash", "command: options", "'options' is no command that writes a folder"),
        ('"@clean"', '"@cleam"', "stages[4].input: no stage before it is called 'cleam'; did you mean clean?"),
        ('"@clean"', '"@unique"', "stages[4].input: no stage before it is called 'unique'"),
        ('"@counts"', '"@counts", for: {year: [1999]}', "'counts' has none of the values of `for`"),
        ("name: unique", "name: clean", "there is a stage 'clean' before it"),
        ("name: unique", "name: a/b", "'a/b' can not be the name of a folder"),
        ("freq: 100", "freqs: 100", ":11: filters[1].freqs: no such parameter of LargeFreqParagraphs"),
        ("/${year}/", "/${yaer}/", ":4: stages[0].input: ${yaer} is neither a name of `for` nor given by -P; did you"),
        ("[2013, 2014]}, input: \"${", "[]}, input: \"${", "stages[0].for.year: a list of values is wanted"),
        ('"${crawl}/${year}/*.warc.gz"', "crawl/${year}/x", "; a name of `for` stands in a quoted text"),
        ("stages: [", "stage: [", "has no list `stages`"),
        ("stages: [", "stages: [[", "p.conf:"),
        ("*.warc.gz", "*.warc.xz", "stages[0].input: "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(uzushio: Uzushio, corpus: Path, old: str, new: str, message: str) -> None:
    """With file, line and key, before anything is written."""
    assert old in PIPELINE
    (corpus / "p.conf").write_text(PIPELINE.replace(old, new, 1), encoding="utf-8")
    assert message in uzushio(*arguments(corpus), code=2).stderr
    assert not (corpus / "out").exists() or not list((corpus / "out").rglob("*.parquet"))


def test_arguments_that_fit_nothing(uzushio: Uzushio, corpus: Path) -> None:
    """No pipeline, two of them, an input or a property that nothing takes."""
    given = arguments(corpus)
    assert "give one of PIPELINE and --preset" in uzushio("run", "--output", "o", code=2).stderr
    assert "give one of PIPELINE and --preset" in uzushio(*given, "--preset", "clean", code=2).stderr
    assert "has no ${input}" in uzushio(*given, "--input", "a", code=2).stderr
    assert "-P leest: nothing in the pipeline takes it" in uzushio(*given, "-P", "leest=3", code=2).stderr
    assert "give it by --input" in uzushio("run", "--preset", "uzushio", "--output", corpus / "o", code=2).stderr
    assert not (corpus / "o").exists()


@pytest.mark.parametrize("preset", ["recommended", "uzushio", "swallow", "clean"])
def test_presets_need_nothing_but_archives(uzushio: Uzushio, tmp_path: Path, preset: str) -> None:
    """What they do without is said; what is given is used."""
    archive = write_archive(tmp_path / "a.warc.gz", 30)
    words = tmp_path / "words.txt"
    words.write_text("だめ\n", encoding="utf-8")
    summary = tmp_path / "summary.json"
    given = ["run", "--preset", preset, "--input", archive, "--output", tmp_path / "out", "--summary", summary]
    said = uzushio(*given).stderr
    left_out = {one["filter"]: one["wanted"] for one in read_json(summary)["left_out"]}
    for name in left_out:
        assert f": {name}, which needs " in said
    folders = {"recommended": "clean", "uzushio": "graded", "swallow": "unique", "clean": "clean"}
    assert (tmp_path / "out" / folders[preset] / ".uzushio/manifest.json").exists()
    if preset == "swallow":
        assert left_out == {"NgWordRatio": "-P ng_words=FILE", "HostFilter": "-P host_lists=FILE"}
        uzushio(*given, "-P", f"ng_words={words}")
        assert [one["filter"] for one in read_json(summary)["left_out"]] == ["HostFilter"]
        assert [step["was_done"] for step in read_json(summary)["steps"]][:2] == [True, False]
        chain = (tmp_path / "out" / "_chains" / "clean.conf").read_text(encoding="utf-8")
        assert json.loads(chain)["filters"][2] == {"class": "NgWordRatio", "list": [str(words)]}
        words.write_text("いけない\n", encoding="utf-8")
        uzushio(*given, "-P", f"ng_words={words}")
        assert [step["was_done"] for step in read_json(summary)["steps"]][:2] == [True, False]


def test_the_recommended_preset(uzushio: Uzushio, tmp_path: Path) -> None:
    """Main content, each document once, in Markdown; its chain as it was run, and by name."""
    archive = write_archive(tmp_path / "a.warc.gz", 30)
    words = tmp_path / "words.txt"
    words.write_text("だめ\n", encoding="utf-8")
    summary = tmp_path / "summary.json"
    given = ["run", "--preset", "recommended", "--input", archive, "--output", tmp_path / "out", "--summary", summary]
    uzushio(*given, "-P", f"ng_words={words}", "-P", f"host_lists={words}")
    left_out = {one["filter"] for one in read_json(summary)["left_out"]}
    assert {"KenLMParagraphPerplexity", "KenLMDocAvgPerplexity"} <= left_out
    assert not {"NgWordRatio", "HostFilter"} & left_out
    commands = [step["command"] for step in read_json(summary)["steps"]]
    assert commands == ["extract", "minhash", "stats", "filter"]
    table = pq.read_table(tmp_path / "out" / "clean")
    assert len(table) == 30  # one is there twice
    assert all(text.startswith("# その") for text in table["text"].to_pylist())
    out = tmp_path / "out"
    chain = out / "_chains" / "clean.conf"
    uzushio("filter", out / "unique", "--stats", out / "statistics", "--config", chain, "--output", tmp_path / "again")
    assert pq.read_table(tmp_path / "again")["text"] == table["text"]
    wanting = uzushio("filter", out / "unique", "--config", "recommended", "--output", tmp_path / "no", code=2).stderr
    assert "; give it by -P name=value or in the environment" in wanting


def test_what_is_given_later_is_added(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """A language model for the preset of the Uzushio corpus: only the chain runs again."""
    archive = write_archive(tmp_path / "a.warc.gz", 30)
    text = "\n\n".join(WORDS[number % len(WORDS)] + "という文章です。" for number in range(400))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    model = tmp_path / "model.binary"
    uzushio("train-lm", tmp_path / "a.txt", "--output", model, "--sudachi", dictionary, "--order", 2)
    summary = tmp_path / "summary.json"
    given = ["run", "--preset", "uzushio", "--input", archive, "--output", tmp_path / "out", "--summary", summary]
    uzushio(*given, "-P", f"sudachi={dictionary}")
    without = {one["filter"]: one["wanted"] for one in read_json(summary)["left_out"]}
    assert without["KenLMDocAvgPerplexity"] == without["KenLMParagraphPerplexity"] == "-P kenlm=FILE"
    uzushio(*given, "-P", f"sudachi={dictionary}", "-P", f"kenlm={model}")
    done = read_json(summary)
    assert "KenLMDocAvgPerplexity" not in {one["filter"] for one in done["left_out"]}
    assert [step["was_done"] for step in done["steps"]] == [True, True, False]
    assert "KenLMDocAvgPerplexity" in {one["filter"] for one in done["steps"][2]["summary"]["steps"]}


def test_plan_writes_nothing(uzushio: Uzushio, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is done, what would run and why, and how much that is."""
    (corpus / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(corpus / "tmp"))
    out = corpus / "out"

    def plan(*more: str) -> dict[str, dict[str, Any]]:
        before = tree(out)
        uzushio(*arguments(corpus), "--plan", "--sample", "8KiB", "--summary", corpus / "plan.json", *more)
        assert tree(out) == before
        assert not list((corpus / "tmp").iterdir())
        return {stage["name"]: stage for stage in read_json(corpus / "plan.json")["plan"]}

    new = plan()
    assert not out.exists()
    assert {name: (stage["steps"], stage["done"], stage["reasons"]) for name, stage in new.items()} == {
        "documents": (2, 0, ["new"]),
        "counts": (2, 0, ["new"]),
        "statistics": (1, 0, ["new"]),
        "clean": (2, 0, ["new"]),
        "unique": (1, 0, ["new"]),
    }
    run(uzushio, corpus)
    sizes = {name: stage["output_bytes"] for name, stage in plan().items()}
    assert 0.5 < new["documents"]["output_bytes"] / sizes["documents"] < 2
    assert "all of it is done" in uzushio(*arguments(corpus), "--plan").stdout
    write_archive(corpus / "crawl" / "2014" / "c.warc.gz", 10, 77)
    changed = plan("-P", "least=2000")
    assert [stage["done"] for stage in changed.values()] == [1, 1, 0, 0, 0]
    assert changed["documents"]["reasons"] == ["changed: inputs"]
    assert changed["statistics"]["reasons"] == ["after an earlier stage"]
    assert changed["clean"]["reasons"] == ["changed: chain"]
    (corpus / "crawl" / "2013" / "a.warc.gz").write_bytes(b"no archive")
    (corpus / "crawl" / "2013" / "b.warc.gz").unlink()
    said = uzushio(*arguments(corpus), "--plan").stdout
    assert "no estimate: " in said


def test_a_stopped_plan_leaves_nothing(corpus: Path) -> None:
    """Its temporary folder goes; the program ends by the signal, as others do."""
    tmp = corpus / "tmp"
    tmp.mkdir()
    command = [str(PROGRAM), *arguments(corpus), "--plan"]
    plan = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ | {"TMPDIR": str(tmp)})
    while plan.poll() is None and not list(tmp.iterdir()):
        os.sched_yield()
    plan.send_signal(signal.SIGTERM)
    assert plan.wait() == -signal.SIGTERM
    assert not list(tmp.iterdir())


def test_standard_output_that_takes_nothing() -> None:
    """Is an error: closed, or on a full disk."""
    for place in ("&-", "/dev/full"):
        for command in ("filters", "--version"):  # longer than a buffer, and shorter
            line = f"{PROGRAM} {command} >{place}"
            done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
            assert done.returncode == 1, line
            assert "error: cannot write to " in done.stderr


def refused(uzushio: Uzushio, corpus: Path, *stages: dict[str, Any]) -> str:
    """What a run of these stages says, which ends before anything is run."""
    before = tree(corpus / "out")
    (corpus / "by-path.conf").write_text(json.dumps({"stages": stages}), encoding="utf-8")
    done = uzushio("run", corpus / "by-path.conf", "--output", corpus / "out", "--threads", 2, code=2)
    assert tree(corpus / "out") == before
    return done.stderr


def test_a_path_into_an_earlier_output(uzushio: Uzushio, corpus: Path) -> None:
    """Is an error, which names the stage: by its path, the step would run beside it, on what was there before."""
    documents = {"name": "documents", "command": "extract", "input": str(corpus / "crawl" / "2013")}
    (corpus / "out").mkdir()
    (corpus / "link").symlink_to(corpus / "out")
    below = "out/documents/language=ja/*.parquet"
    for path in ("out/documents", below, "link/documents", "out/x/../documents/", f"file://{corpus}/{below}"):
        place = path if "://" in path else str(corpus / path)
        said = refused(uzushio, corpus, documents, {"name": "counts", "command": "stats", "input": place})
        assert "stages[1].input: " in said
        assert 'of a stage before it; write "@documents' + ("/language=ja/*.parquet" if "*" in path else "") in said
    options = {"command": "extract", "input": str(corpus / "crawl" / "2014")}
    for name in ("language_model", "language-model"):
        said = refused(
            uzushio, corpus, documents, {"name": "b", name: str(corpus / "out" / "documents" / "m")} | options
        )
        assert f"stages[1].{name}: " in said
        assert 'write "@documents/m"' in said


def test_a_path_into_a_later_output(uzushio: Uzushio, corpus: Path) -> None:
    """Or into that of the same stage: what to do is said."""
    documents = {"name": "documents", "command": "extract", "input": str(corpus / "crawl" / "2013")}
    counts = {"name": "counts", "command": "stats", "input": str(corpus / "out" / "documents")}
    said = refused(uzushio, corpus, counts, documents)
    assert "stages[0].input: " in said
    assert "of the stage 'documents' behind it; put this stage behind that one, and write \"@documents\"" in said
    looped = counts | {"for": {"year": [1, 2]}, "input": str(corpus / "out" / "counts" / "2")}
    assert "in the output of counts/2, which is of the same stage" in refused(uzushio, corpus, looped)


def test_a_pattern_that_matches_an_earlier_output(uzushio: Uzushio, corpus: Path) -> None:
    """As soon as there is one; before, it matches nothing. What is beside outputs may be read."""
    documents = {"name": "documents", "command": "extract", "input": str(corpus / "crawl" / "2013" / "*.gz")}
    counts = {"name": "counts", "command": "stats", "input": str(corpus / "out" / "docu*/language=ja/*.parquet")}
    assert "no file matches this pattern" in refused(uzushio, corpus, documents, counts)
    beside = corpus / "out" / "mine"
    beside.mkdir(parents=True)
    (beside / "a.jsonl").write_text('{"text": "い"}\n', encoding="utf-8")
    patterns = {"name": "own", "command": "stats", "input": [str(corpus / "out" / "*" / "*.jsonl"), "@documents"]}
    (corpus / "p.conf").write_text(json.dumps({"stages": [documents, patterns]}), encoding="utf-8")
    given = ["run", corpus / "p.conf", "--output", corpus / "out", "--threads", 2]
    assert run_of(uzushio, corpus, *given) == {"documents": False, "own": False}
    assert run_of(uzushio, corpus, *given) == {"documents": True, "own": True}
    for stages in (
        [documents, counts],
        [documents, counts | {"input": ["@documents", f"{corpus}/out/own*/*.parquet"]}],
    ):
        said = refused(uzushio, corpus, *stages, patterns | {"input": "@documents"})
        assert "stages[1].input: " in said
        assert 'write "@documents/language=ja/part-' in said or "'own' behind it" in said


def test_a_path_in_a_chain(uzushio: Uzushio, corpus: Path) -> None:
    """Into what a stage writes: chains are read before any is run."""
    documents = {"name": "documents", "command": "extract", "input": str(corpus / "crawl" / "2013" / "*.gz")}
    filters = [{"class": "HiraganaRatio", "low": 0.1}]
    hosts = {"name": "hosts", "command": "hosts", "input": "@documents", "filters": filters}
    (corpus / "p.conf").write_text(json.dumps({"stages": [documents, hosts]}), encoding="utf-8")
    uzushio("run", corpus / "p.conf", "--output", corpus / "out")
    table = str(corpus / "out" / "hosts")
    own = {"class": "HostFilter", "statistics": table, "removed": 0.5, "ng": 1}
    chain = corpus / "chain.conf"
    graded = {"name": "graded", "command": "filter", "input": "@documents"}
    said = refused(uzushio, corpus, documents, hosts, graded | {"filters": [own]})
    assert f"stages[2].filters: '{table}' is in the output of the stage 'hosts', and chains are read before" in said
    chain.write_text(json.dumps({"filters": [own]}), encoding="utf-8")
    by_file = graded | {"config": str(chain)}
    assert f"stages[2].config: '{table}' is in the output" in refused(uzushio, corpus, documents, hosts, by_file)
    chain.write_text("filters: [{class: HostFilter, statistics: ${table}, removed: 0.5, ng: 1}]", encoding="utf-8")
    said = refused(uzushio, corpus, documents, hosts, by_file | {"P": {"table": table}})
    assert f"stages[2].P.table: '{table}' is in the output" in said
    folder = by_file | {"name": "hosts", "P": {"table": table}}  # its own, which it replaces
    assert "is in the output of the stage 'hosts'" in refused(uzushio, corpus, documents, folder)
    (corpus / "by-path.conf").write_text(json.dumps({"stages": [documents, hosts, by_file]}), encoding="utf-8")
    given = ["run", corpus / "by-path.conf", "--output", corpus / "out", "-P", f"table={table}"]
    assert f"stages[2].config: '{table}' is in the output" in uzushio(*given, code=2).stderr
    given[3] = corpus / "other"
    uzushio(*given)


def test_the_pages_walk_through(uzushio: Uzushio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of docs/pipeline.md but those on Spark and on a store, on the pipeline that stands there."""
    monkeypatch.chdir(tmp_path)
    for year in (2013, 2014):
        write_archive(tmp_path / "crawl" / str(year) / "a.warc.gz", 40, year)
        write_archive(tmp_path / "crawl" / f"{year}.warc.gz", 10, year)
    page = (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
    text = page.partition("<!-- walk-through -->\n")[2].partition("\n\n")[0]
    config = "\n".join(line[4:] for line in text.splitlines()) + "\n"
    Path("corpus.conf").write_text(config, encoding="utf-8")
    said = []
    for line in page.splitlines():
        if not line.startswith("    uzushio ") or "--on spark" in line or "s3://" in line:
            continue
        words = [part for word in line.split()[1:] for part in (sorted(map(str, Path().glob(word))) or [word])]
        done = uzushio(*[word.replace("corpus", "first") if "--preset" in words else word for word in words])
        said.append(done.stdout + done.stderr)
    assert len(said) == 4
    assert Path("first/clean/.uzushio/manifest.json").exists()
    assert "plan for corpus\n" in said[1]
    assert "8 stages, 0 done before" in said[2]
    assert "8 stages, 8 done before" in said[3]
    assert pq.read_table("corpus/unique/part-00000.parquet").num_rows == 80
    wrong = config.replace("command: minhash", "command: minhash, bucket: 10")
    Path("corpus.conf").write_text(wrong, encoding="utf-8")
    error = next(line.strip() for line in page.splitlines() if "did you mean buckets?" in line)
    assert error in uzushio("run", "corpus.conf", "--output", "corpus", code=2).stderr


def test_names_that_are_no_utf8(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of inputs and outputs."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xe3\x81")
    archive = write_archive(Path(folder, "a.warc.gz"), 5)
    given = ["run", "--preset", "swallow", "--input", archive, "--output", Path(folder, "out")]
    uzushio(*given, "--plan")
    assert "3 stages, 0 done before" in uzushio(*given).stderr
    assert "3 stages, 3 done before" in uzushio(*given).stderr


def test_too_many_bad_records(uzushio: Uzushio, tmp_path: Path) -> None:
    """Are counted over all stages; the run is done."""
    archive = write_archive(tmp_path / "a.warc.gz", 3)
    archive.write_bytes(archive.read_bytes()[:-20])
    given: list[Any] = ["run", "--preset", "clean", "--input", archive, "--output", tmp_path / "out", "--max-bad", 0]
    assert (
        "records are quarantined, more than --max-bad 0; see .uzushio/quarantine/ in" in uzushio(*given, code=3).stderr
    )
    assert uzushio(*given[:-2]).stderr.count("done before") == 1


def test_nothing_of_others_is_replaced(tmp_path: Path) -> None:
    """Not when it is said twice; nor is anything written inside of another output."""
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "1.warc").write_bytes(build([page(number) for number in range(3)], "warc"))
    stage = {"name": "documents", "command": "extract", "input": str(tmp_path / "crawl" / "*.warc")}
    pipeline = tmp_path / "p.conf"
    pipeline.write_text(json.dumps({"stages": [stage]}), encoding="utf-8")
    ours = tmp_path / "corpus"
    run_uzushio("extract", tmp_path / "crawl", "--language", "all", "--output", ours / "documents")
    before = (ours / "documents" / ".uzushio/manifest.json").read_bytes()
    for _ in range(2):
        said = run_uzushio("run", pipeline, "--output", ours, code=2).stderr
        assert "documents: is not the output that this pipeline has made; move it away" in said
        assert (ours / "documents" / ".uzushio/manifest.json").read_bytes() == before
    looped = {"stages": [stage | {"for": {"year": [2013]}}]}
    pipeline.write_text(json.dumps(looped), encoding="utf-8")
    said = run_uzushio("run", pipeline, "--output", ours, code=2).stderr
    assert f"{ours / 'documents'}: is an output, in which documents/2013 would lie" in said
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "_summary.json").write_text("mine", encoding="utf-8")
    said = run_uzushio("run", pipeline, "--output", tmp_path / "notes", code=2).stderr
    assert "_summary.json: is there, and no pipeline has made it" in said
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["_summary.json"]


GROWS = "a0: x\n" + "".join(f"a{i}: ${{a{i - 1}}}${{a{i - 1}}}\n" for i in range(1, 40)) + "stages: []"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" + ".a" * 2000 + " = 1\nstages: []", "or has too many levels"),
        pytest.param(
            GROWS,
            "takes more than 256MiB when its substitutions are filled in",
            marks=pytest.mark.once,  # a sanitized program has no bound of addresses
        ),
        ("stages: [{name: d, command: extract, input: []}]", "stages[0].input: names nothing"),
        ("stages: [{name: d, command: filter, input: x, filters: [], P: {a: {b: 1}}}]", "stages[0].P.a: one value"),
        (
            f"stages: [{{name: d, command: extract, input: x, for: {{a: {list(range(400))}, b: {list(range(400))}}}}}]",
            "stages[0].for: these are more than 100,000 steps",
        ),
    ],
)
def test_odd_pipelines(text: str, said: str, tmp_path: Path) -> None:
    """They are errors, and take no time and no memory."""
    (tmp_path / "p.conf").write_text(text, encoding="utf-8")
    assert said in run_uzushio("run", tmp_path / "p.conf", "--output", tmp_path / "out", "--plan", code=2).stderr


def test_a_summary_has_a_place_before_anything_runs(uzushio: Uzushio, corpus: Path) -> None:
    """In a folder that is there, not in the output, and no file that is read."""
    for summary, said in (
        (corpus / "none" / "s.json", "there is no folder"),
        (corpus / "crawl", "is a folder; give the name of a file"),
        (corpus / "out" / "s.json", "lies in --output"),
        (corpus / "p.conf", "is the same place as the pipeline"),
        ("s3://store/s.json", "is written to local or mounted folders only"),
    ):
        assert f"--summary {summary}: {said}" in uzushio(*arguments(corpus), "--summary", summary, code=2).stderr
        assert not (corpus / "out").exists()
    assert "stages" in (corpus / "p.conf").read_text(encoding="utf-8")
    named = {"name": "documents", "command": "extract", "input": str(corpus / "crawl/2013/a.warc.gz")}
    (corpus / "one.conf").write_text(json.dumps({"stages": [named]}), encoding="utf-8")
    given = ["run", corpus / "one.conf", "--output", corpus / "out", "--summary", named["input"]]
    assert re.search(r": is the same place as .*\.input ", uzushio(*given, code=2).stderr)
    assert not (corpus / "out").exists()
