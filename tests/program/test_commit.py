"""What holds for the outputs of every stage: whole or not at all, one process at a time, nothing of others is lost."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import PROGRAM, Uzushio, read_json
from warc_builder import build

KANA = "これはひらがなのぶんしょうです。" * 4


def warc(path: Path, pages: int) -> Path:
    """A file of Japanese pages, the last of which is damaged."""
    described: list[dict[str, Any]] = [
        {"uri": f"http://example.jp/{number}", "body": f"<p>{number}{KANA}</p>"} for number in range(pages)
    ]
    described[-1]["flip"] = 200
    path.write_bytes(build(described, "warc.gz"))
    return path


def documents(path: Path, count: int = 400) -> Path:
    """Documents with near-duplicates, in several row groups."""
    choose = random.Random(7)
    words = ["りんご", "みかん", "ぶどう", "かぼちゃ", "とうもろこし", "じゃがいも", "にんじん"]
    texts = [
        "\n\n".join("".join(choose.choices(words, k=12)) + str(choose.randrange(60)) for _ in range(4))
        for _ in range(count)
    ]
    table = pa.table({"docId": [str(number) for number in range(count)], "text": texts})
    pq.write_table(table, path, row_group_size=50)
    return path


def tree(folder: Path) -> dict[str, bytes | None]:
    """All below a folder, with the bytes of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def started_until_parts(command: list[str], partial: Path, parts: int) -> subprocess.Popen[bytes]:
    """A process that is stopped (SIGSTOP) as soon as it has noted so many parts."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(list((partial / "_parts").glob("*.json"))) < parts:
        os.sched_yield()
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return process


@pytest.fixture(name="halted")
def halt(uzushio: Uzushio, tmp_path: Path) -> tuple[list[str], subprocess.Popen[bytes]]:
    """A run of `extract` that has finished some of its inputs and is halted; `whole` is what it would make."""
    (tmp_path / "in").mkdir()
    inputs = [str(warc(tmp_path / "in" / f"{number}.warc.gz", 300)) for number in range(24)]
    uzushio("extract", *inputs, "--output", tmp_path / "whole", "--threads", 1)
    arguments = ["extract", *inputs, "--output", str(tmp_path / "work" / "out"), "--threads", "1"]
    partial = tmp_path / "work" / ".out.partial"
    process = started_until_parts([str(PROGRAM), *arguments], partial, 2)
    assert process.poll() is None, "the run was over before it could be halted"
    return arguments, process


def test_a_refused_process_leaves_the_work_of_the_first(
    uzushio: Uzushio, tmp_path: Path, halted: tuple[list[str], subprocess.Popen[bytes]]
) -> None:
    """Files, parts and mark of the first are as they were, and it ends as if nothing had been."""
    arguments, first = halted
    before = tree(tmp_path / "work")
    for options in ([], ["--overwrite"], ["--language", "all"], ["--language", "all", "--overwrite"]):
        assert "another process" in uzushio(*arguments, *options, code=2).stderr
    assert tree(tmp_path / "work") == before
    first.send_signal(signal.SIGCONT)
    assert first.wait() == 0
    assert tree(tmp_path / "work" / "out") == tree(tmp_path / "whole")
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["out"]


def remove(path: Path) -> None:
    """The file is gone."""
    path.unlink()


def truncate(path: Path) -> None:
    """Its end is missing."""
    os.truncate(path, path.stat().st_size // 2)


def alter(path: Path) -> None:
    """A byte is another."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [remove, truncate, alter])
@pytest.mark.parametrize("which", ["language=ja/part-00000.parquet", ".uzushio/quarantine/part-00000.jsonl.gz"])
def test_damaged_parts_are_made_again(
    uzushio: Uzushio,
    tmp_path: Path,
    halted: tuple[list[str], subprocess.Popen[bytes]],
    damage: Callable[[Path], None],
    which: str,
) -> None:
    """What a crash of the machine does to files whose records are on the disk."""
    arguments, first = halted
    first.kill()
    first.wait()
    damage(tmp_path / "work" / ".out.partial" / which)
    assert "inputs were done" in uzushio(*arguments).stderr
    assert tree(tmp_path / "work" / "out") == tree(tmp_path / "whole")


def test_outputs_in_one_another_are_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """Before anything is written, and with every way to say so."""
    source = documents(tmp_path / "a.parquet")
    (tmp_path / "docs").mkdir()
    documents(tmp_path / "docs" / "b.parquet")
    (tmp_path / "link").symlink_to(tmp_path / "docs")
    (tmp_path / "chain.conf").write_text('filters: [{"class": "DocLength"}]')
    before = tree(tmp_path)
    s = tmp_path / "s"
    for arguments in (
        ["stats", source, "--output", s, "--pairs", s / "pairs"],
        ["stats", source, "--output", s / "statistics", "--pairs", s],
        ["stats", source, "--output", s, "--pairs", s],
        ["stats", source, "--output", s, "--summary", s / "summary.json"],
        ["stats", tmp_path / "docs", "--output", tmp_path / "docs" / "s"],
        ["stats", tmp_path / "docs", "--output", tmp_path / "link" / "s"],
        ["stats", tmp_path / "docs", "--output", tmp_path / "link", "--overwrite"],
        ["stats", tmp_path / "docs" / "b.parquet", "--output", tmp_path / "docs", "--overwrite"],
        ["filter", source, "--output", s, "--config", tmp_path / "chain.conf", "--metrics", s / "metrics"],
        ["filter", source, "--output", s, "--stats", s],
        ["metrics", source, "--output", tmp_path / "docs", "--metric", "DocLength", "--tmp", tmp_path / "docs"],
        ["train-lm", source, "--output", source, "--sudachi", source, "--overwrite"],
    ):
        assert "--" in uzushio(*arguments, code=2).stderr
        assert tree(tmp_path) == before, arguments


def test_no_output_is_overwritten_with_what_others_put_into_it(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of another run, or of the user."""
    source = documents(tmp_path / "a.parquet")
    uzushio("stats", source, "--output", tmp_path / "s")
    uzushio("metrics", source, "--output", tmp_path / "metrics", "--metric", "DocLength")
    (tmp_path / "metrics").rename(tmp_path / "s" / "metrics")
    (tmp_path / "s" / "notes.txt").write_text("precious")
    before = tree(tmp_path / "s")
    again = ["stats", source, "--output", tmp_path / "s", "--intermediate", "--overwrite"]
    assert "move it away" in uzushio(*again, code=2).stderr
    (tmp_path / "s" / "notes.txt").rename(tmp_path / "notes.txt")
    assert str(tmp_path / "s" / "metrics") in uzushio(*again, code=2).stderr
    before.pop("notes.txt")
    assert tree(tmp_path / "s") == before
    (tmp_path / "s" / "metrics").rename(tmp_path / "metrics")
    uzushio(*again)
    assert (tmp_path / "s" / ".uzushio/intermediate").exists()


def test_pairs_are_where_they_are_asked_for(uzushio: Uzushio, tmp_path: Path) -> None:
    """Statistics that are done are no reason to leave them out."""
    run = ["stats", documents(tmp_path / "a.parquet"), "--output", tmp_path / "s", "--pairs"]
    uzushio(*run, tmp_path / "pairs")
    assert "nothing to do" in uzushio(*run, tmp_path / "pairs").stderr
    assert "--overwrite" in uzushio(*run, tmp_path / "elsewhere", code=2).stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "pairs", "s"]
    uzushio(*run, tmp_path / "elsewhere", "--overwrite")
    assert tree(tmp_path / "elsewhere") == tree(tmp_path / "pairs")


STAGES = {
    "extract": ["pages.warc.gz"],
    "index": ["pages.warc.gz"],
    "stats": ["a.parquet", "--debug", "--intermediate", "--pairs", "OUT-pairs"],
    "merge": ["part"],
    "filter": ["bad.jsonl", "--config", "chain.conf", "--stats", "part", "--mode", "partitioned"],
    "metrics": ["bad.jsonl", "--config", "chain.conf", "--stats", "part", "--sorted-by", "DocLength"],
    "minhash": ["bad.jsonl", "--keep", "longest", "--verify", "0.5", "--buckets", "8", "--values", "4"],
    "decontaminate": ["bad.jsonl", "--against", "items.jsonl"],
    "overlap": ["bad.jsonl", "a.parquet", "part"],
}


@pytest.fixture(name="corpus")
def write_corpus(uzushio: Uzushio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the stages read, in the working folder."""
    monkeypatch.chdir(tmp_path)
    warc(tmp_path / "pages.warc.gz", 60)
    table = pq.read_table(documents(tmp_path / "a.parquet", 3000))
    lines = [json.dumps(row, ensure_ascii=False) for row in table.to_pylist()]
    (tmp_path / "bad.jsonl").write_text("\n".join([*lines, "no JSON"]), encoding="utf-8")
    part = max(table["text"].to_pylist(), key=len).split("\x1c")[-1]
    (tmp_path / "items.jsonl").write_text(
        "".join(json.dumps({"question": text}) + "\n" for text in (part, "どの文書にもない問題の文です", "短い"))
    )
    (tmp_path / "chain.conf").write_text(
        "filters: [{class: DocLength, low: 9}, {class: DuplicateParagraphs, limit: 3}]"
    )
    uzushio("stats", "a.parquet", "--output", "part", "--intermediate")
    return tmp_path


@pytest.mark.parametrize("stage", STAGES)
def test_the_whole_output_is_the_same_for_any_threads_and_memory(uzushio: Uzushio, corpus: Path, stage: str) -> None:
    """`.uzushio/manifest.json` too: what varies is told by the summary alone."""
    found = []
    for threads, memory in ((1, "400MiB"), (3, "500MiB"), (2, "3GiB")):
        arguments = [argument.replace("OUT", f"out{threads}") for argument in STAGES[stage]]
        out = f"out{threads}"
        uzushio(stage, *arguments, "--output", out, "--threads", threads, "--memory", memory)
        found.append(tree(corpus / out))
    assert found[0] == found[1] == found[2]
    mark = json.loads(found[0][".uzushio/manifest.json"] or b"")
    assert {file["path"] for file in mark["files"]} == {
        path for path, data in found[0].items() if data is not None and path != ".uzushio/manifest.json"
    }


@pytest.mark.parametrize("stage", STAGES)
def test_damaged_counts_are_an_error(uzushio: Uzushio, corpus: Path, stage: str) -> None:
    """A mark that others have written to: the same run is known, what it says of counts is no crash."""
    run = [stage, *(argument.replace("OUT", "out") for argument in STAGES[stage]), "--output", "out"]
    uzushio(*run)
    mark = read_json(corpus / "out" / ".uzushio/manifest.json")
    wrong: list[Any] = [None, 7, [], {"documents": "x", "rows": "x", "quarantined": 5}]
    for counts in wrong:
        damaged = {key: value for key, value in mark.items() if key != "counts"}
        if counts is not None:
            damaged["counts"] = counts
        (corpus / "out" / ".uzushio/manifest.json").write_text(json.dumps(damaged))
        assert "damaged" in uzushio(*run, code=2).stderr, counts


@pytest.mark.parametrize(
    "run", ["7", "{}", '{"stage": 5}', '{"stage": "STAGE"}', '{"stage": "STAGE", "inputs": 7, "configuration": []}']
)
def test_foreign_marks_are_no_crash(uzushio: Uzushio, corpus: Path, run: str) -> None:
    """Those that other commands read."""
    (corpus / "foreign" / ".uzushio").mkdir(parents=True)
    mark = corpus / "foreign" / ".uzushio/manifest.json"
    mark.write_text('{"run": ' + run.replace("STAGE", "metrics") + "}")
    (corpus / "length.conf").write_text('filters: [{"class": "DocLength"}]')
    uzushio("filter", "a.parquet", "--config", "length.conf", "--metrics", "foreign", "--output", "out", code=2)
    mark.write_text('{"run": ' + run.replace("STAGE", "filter") + "}")
    uzushio("explain", "1", "--in", "foreign", code=2)
    documents(corpus / "foreign" / "b.parquet")
    mark.write_text('{"files": [{"path": 7}]}')
    assert "damaged" in uzushio("filter", "foreign/b.parquet", "--output", "out", code=2).stderr


def ignoring_children() -> None:
    """As some parents start their children: the system forgets how theirs end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def without_room() -> None:
    """And files end at 64 KiB."""
    ignoring_children()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))


def test_train_lm_sees_how_its_tools_end(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """Where SIGCHLD is ignored, too: a failure is none of success."""
    source = documents(tmp_path / "a.parquet", 2000)
    run = ["train-lm", str(source), "--sudachi", str(dictionary), "--memory", "512MiB", "--output"]
    uzushio(*run, tmp_path / "expected")
    command = [str(PROGRAM), *run, str(tmp_path / "model")]
    failed = subprocess.run(command, preexec_fn=without_room, capture_output=True, text=True, check=False)
    assert failed.returncode == 1, failed.stderr
    assert "failed" in failed.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "expected"]
    done = subprocess.run(command, preexec_fn=ignoring_children, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model").read_bytes() == (tmp_path / "expected").read_bytes()
    assert "exists" in uzushio(*run, tmp_path / "model", code=2).stderr
    (tmp_path / "folder").mkdir()
    assert "folder" in uzushio(*run, tmp_path / "folder", "--overwrite", code=2).stderr
