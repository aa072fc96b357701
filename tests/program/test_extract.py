"""What `uzushio extract` promises beside its documents: places, marks, resuming, errors."""

from __future__ import annotations

import base64
import gzip
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from pages import page
from program import PROGRAM, ROOT, Uzushio, read_documents, read_json
from warc_builder import build

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))


def warc(path: Path, pages: int, container: str = "warc.gz") -> Path:
    """A file of Japanese pages."""
    path.write_bytes(build([page(number) for number in range(pages)], container))
    return path


@pytest.mark.parametrize("container", ["warc", "warc.gz", "warc.zst", "warc.lz4"])
def test_every_page_can_be_fetched_again(uzushio: Uzushio, tmp_path: Path, container: str) -> None:
    """The bytes at offset and length are the record alone."""
    path = warc(tmp_path / f"a.{container}", 5, container)
    uzushio("extract", path, "--output", tmp_path / "out")
    rows = read_documents(tmp_path / "out")
    assert len(rows) == 5
    for number, row in enumerate(rows):
        assert row["warc"] == str(path)
        piece = tmp_path / f"piece{number}.{container}"
        piece.write_bytes(path.read_bytes()[row["offset"] : row["offset"] + row["length"]])
        uzushio("extract", piece, "--output", tmp_path / f"again{number}")
        (again,) = read_documents(tmp_path / f"again{number}")
        assert (again["docId"], again["text"], again["offset"]) == (row["docId"], row["text"], 0)


def test_inputs_may_be_folders_and_globs(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same files, named in three ways."""
    folder = tmp_path / "in" / "deep"
    folder.mkdir(parents=True)
    warc(tmp_path / "in" / "a.warc.gz", 1)
    warc(folder / "b.warc", 2, "warc")
    (folder / "notes.txt").write_text("no archive")
    for index, names in enumerate((["in"], ["in/**/*.warc*"], ["in/a.warc.gz", "in/deep/*.warc"])):
        uzushio("extract", *(tmp_path / name for name in names), "--output", tmp_path / f"out{index}")
        assert len(read_documents(tmp_path / f"out{index}")) == 3


def test_quarantine_keeps_the_bytes(uzushio: Uzushio, tmp_path: Path) -> None:
    """A damaged member lies there whole, with its place."""
    data = build([page(0), {**page(1), "flip": 200}, page(2)], "warc.gz")
    (tmp_path / "a.warc.gz").write_bytes(data)
    uzushio("extract", tmp_path / "a.warc.gz", "--output", tmp_path / "out")
    with gzip.open(tmp_path / "out" / ".uzushio/quarantine/part-00000.jsonl.gz", "rt") as file:
        (line,) = [json.loads(text) for text in file]
    assert line["reason"] == "damaged-member"
    assert base64.b64decode(line["bytes"]) == data[line["offset"] : line["offset"] + line["length"]]
    assert len(read_documents(tmp_path / "out")) == 2


def test_max_bad_decides_the_exit_code(uzushio: Uzushio, tmp_path: Path) -> None:
    """Exit 3 past the budget, with the output there."""
    (tmp_path / "a.warc.gz").write_bytes(build([page(0), {**page(1), "flip": 200}], "warc.gz"))
    uzushio("extract", tmp_path / "a.warc.gz", "--output", tmp_path / "out", "--max-bad", 1)
    done = uzushio("extract", tmp_path / "a.warc.gz", "--output", tmp_path / "out2", "--max-bad", 0, code=3)
    assert "--max-bad" in done.stderr
    assert len(read_documents(tmp_path / "out2")) == 1


def test_success_mark_has_counts_and_checksums(uzushio: Uzushio, tmp_path: Path) -> None:
    """`.uzushio/manifest.json` names every file; `_INCOMPLETE` is gone."""
    uzushio("extract", warc(tmp_path / "a.warc.gz", 3), "--output", tmp_path / "out")
    mark = read_json(tmp_path / "out" / ".uzushio/manifest.json")
    assert mark["counts"]["documents"] == 3
    (file,) = mark["files"]
    assert file["rows"] == 3
    assert (tmp_path / "out" / file["path"]).stat().st_size == file["bytes"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".uzushio", "language=ja"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_same_run_is_not_repeated_and_another_is_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """The folder knows what run it is of."""
    path = warc(tmp_path / "a.warc.gz", 2)
    uzushio("extract", path, "--output", tmp_path / "out")
    before = (tmp_path / "out" / ".uzushio/manifest.json").stat().st_mtime_ns
    assert "nothing to do" in uzushio("extract", path, "--output", tmp_path / "out").stderr
    assert (tmp_path / "out" / ".uzushio/manifest.json").stat().st_mtime_ns == before
    done = uzushio("extract", path, "--output", tmp_path / "out", "--language", "all", code=2)
    assert "another configuration" in done.stderr
    uzushio("extract", path, "--output", tmp_path / "out", "--language", "all", "--overwrite")


def test_overwrite_spares_what_is_not_ours(uzushio: Uzushio, tmp_path: Path) -> None:
    """A folder without our marks is never replaced."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("precious")
    path = warc(tmp_path / "a.warc.gz", 1)
    uzushio("extract", path, "--output", tmp_path / "home", "--overwrite", code=2)
    assert (tmp_path / "home" / "thesis.txt").read_text() == "precious"


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_killed_and_started_again_gives_the_same_bytes(uzushio: Uzushio, tmp_path: Path, delay: float) -> None:
    """SIGKILL at several moments; what is done is not done again, the result is that of an undisturbed run."""
    inputs = [warc(tmp_path / f"{number}.warc.gz", 400) for number in range(6)]
    uzushio("extract", *inputs, "--output", tmp_path / "whole", "--threads", 2)
    command = [
        str(PROGRAM),
        "extract",
        *map(str, inputs),
        "--output",
        str(tmp_path / "out"),
        "--threads",
        "2",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        time.sleep(delay)  # only chooses the moment: any is right
        process.send_signal(signal.SIGKILL)
    uzushio("extract", *inputs, "--output", tmp_path / "out", "--threads", 1)
    for path in sorted((tmp_path / "whole").rglob("*.parquet")):
        other = tmp_path / "out" / path.relative_to(tmp_path / "whole")
        assert other.read_bytes() == path.read_bytes()
    assert not (tmp_path / ".out.partial").exists()


def test_an_unreadable_output_place_is_an_error(uzushio: Uzushio, tmp_path: Path) -> None:
    """The error says where."""
    (tmp_path / "file").write_text("")
    done = uzushio("extract", warc(tmp_path / "a.warc.gz", 1), "--output", tmp_path / "file" / "out", code=2)
    assert str(tmp_path / "file" / "out") in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["subcommand"]),
        (["extrakt"], ["extrakt"]),
        (["extract"], ["--output"]),
        (["extract", "--output", "out"], ["INPUT", "--index"]),
        (["extract", "missing.warc.gz", "--output", "out"], ["missing.warc.gz", "no such file"]),
        (["extract", "*.nothing", "--output", "out"], ["*.nothing", "no file matches"]),
        (["extract", "a.warc.gz"], ["--output"]),
        (["extract", "a.warc.gz", "--output", "out", "--language", "日本"], ["日本", "language code"]),
        (["extract", "a.warc.gz", "--output", "out", "--language", "Japanese"], ["'Japanese'", "language code"]),
        (["extract", "a.warc.gz", "--output", "out", "--language", "ja,jp"], ["'jp'", "language code"]),
        (["extract", "a.warc.gz", "--output", "out", "--threads", "0"], ["--threads"]),
        (["extract", "a.warc.gz", "--output", "out", "--memory", "10MiB"], ["--memory", "232MiB"]),
        (["extract", "a.warc.gz", "--output", "out", "--memory", "much"], ["much", "512MiB"]),
        (["extract", "a.warc.gz", "--output", "out", "--max-tree-bytes", "-1"], ["--max-tree-bytes"]),
        (["filter", "a.warc.gz", "--output", "out", "--config", "."], ["--config .", "is a folder"]),
        (["run", ".", "--input", "a.warc.gz", "--output", "out"], [".: is a folder"]),
    ],
)
def test_wrong_usage_is_one_clear_line(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    """Exit 2, one line that names what is wrong, and nothing written."""
    warc(tmp_path / "a.warc.gz", 1)
    command = [str(PROGRAM), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.warc.gz"]


@pytest.mark.parametrize("container", ["warc.gz", "warc.zst"])
def test_threads_that_share_a_file_give_the_bytes_of_one(uzushio: Uzushio, tmp_path: Path, container: str) -> None:
    """Also where members are damaged, or end elsewhere than they seem to."""
    choose = random.Random(1)
    pages: list[dict[str, Any]] = []
    for number in range(600):
        letters = [*range(0x3041, 0x3094), *choose.sample(range(0x4E00, 0x9000), 1000)]
        text = "".join(map(chr, choose.choices(letters, k=choose.randrange(100, 4000))))
        pages.append({"uri": f"http://a.jp/{number}", "body": f"<p>これは日本語の文章です。{text}"})
    pages[150]["flip"] = 500
    pages[151]["body"] = ""
    pages[300]["junk"] = "between members"
    pages[450]["length"] = "+5000"
    pages[500] |= {"coding": ["gzip"], "http": [["Content-Encoding", "br"]]}
    path = tmp_path / f"a.{container}"
    path.write_bytes(build(pages, container))
    outputs = []
    for threads in (1, 2, 7):
        output = tmp_path / str(threads)
        uzushio("extract", path, "--output", output, "--threads", threads, "--full-data")
        outputs.append({item.relative_to(output): item.read_bytes() for item in output.rglob("*") if item.is_file()})
    assert outputs[0] == outputs[1] == outputs[2]
    assert len(read_documents(tmp_path / "1")) > 500


def test_real_pages_are_found(uzushio: Uzushio, tmp_path: Path) -> None:
    """On real pages: the share of Japanese ones found, and the same bytes for 1, 2 and 7 threads."""
    if not (PAGES / "small.warc.gz").exists():
        pytest.skip("no real pages; set UZUSHIO_REAL_PAGES")
    outputs = []
    for threads in (1, 2, 7):
        output = tmp_path / str(threads)
        uzushio("extract", PAGES / "small.warc.gz", "--output", output, "--threads", threads)
        outputs.append({path.name: path.read_bytes() for path in output.rglob("*.parquet")})
    assert outputs[0] == outputs[1] == outputs[2]
    lines = gzip.decompress((PAGES / "small.manifest.tsv.gz").read_bytes()).decode().splitlines()
    names = lines[0].split("\t")
    pages = [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]
    wanted = {
        int(line["offset"])
        for line in pages
        if line["lang"] == "ja"
        and int(line["kana"]) >= 200
        and line["status"] == "200"
        and "truncated" not in line["kind"]
    }
    found = {row["offset"] for row in read_documents(tmp_path / "1")}
    assert len(wanted & found) >= 0.985 * len(wanted)
