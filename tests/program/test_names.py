"""Files and folders of any name."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import PROGRAM, Uzushio, count_rows, read_json, write_parquet
from warc_builder import build

PAGE = "<p>ここには、やさしい日本語の文章があります。</p><p>もう一つの文章も、ここにあります。</p>"
NAMES = [
    "a b",
    "100%",
    "%41",
    "[1]",
    "{x,y}",
    "a*b",
    "who?",
    "a\nb",
    "日本 語",
    "page:1",
    "a#b&c",
    '"quoted"',
    "back\\slash",
    os.fsdecode(b"latin-\xe9"),
]


def run(folder: Path, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs the program in a folder."""
    done = subprocess.run(
        [PROGRAM, *map(os.fspath, map(str, arguments))],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_every_stage_takes_every_name(tmp_path: Path, name: str) -> None:
    """Relative names of files and folders, as inputs and as outputs: what they are called makes no difference."""
    archive = tmp_path / name / f"{name}.txt"
    archive.parent.mkdir()
    archive.write_text("一つ目の文章です。\n\n一つ目の文章です。\n\n二つ目の文章です。\n", encoding="utf-8")
    (tmp_path / f"{name}.conf").write_text('filters: [{"class": "DocLength", "low": 1}]', encoding="utf-8")
    table = pa.table({"docId": ["x", "y"], "text": ["一つ目の文章です。", "二つ目の文章です。"]})
    write_parquet(table, archive.with_suffix(".parquet"))
    stats = f"{name}.stats"
    run(tmp_path, "stats", f"{name}/{name}.txt", "--intermediate", "--output", stats)
    run(tmp_path, "merge", stats, "--output", f"{name}.merged")
    (tmp_path / f"{name}.warc.gz").write_bytes(build([{"body": PAGE}, {"body": PAGE}], "warc.gz"))
    run(tmp_path, "extract", f"{name}.warc.gz", "--output", f"{name}.documents")
    assert count_rows(tmp_path / f"{name}.documents") == 2
    documents = f"{name}/{name}.parquet"
    chain = ("--config", f"{name}.conf", "--stats", f"{name}.merged")
    for _ in range(2):  # the second time all is done: the marks name the same run
        run(tmp_path, "metrics", documents, *chain, "--sorted-by", "DocLength", "--output", f"{name}.metrics")
        done = run(
            tmp_path,
            *("filter", documents, *chain, "--metrics", f"{name}.metrics", "--output", f"{name}.clean"),
            *("--summary", f"{name}.json"),
        )
    assert "was complete already" in done.stderr
    assert count_rows(tmp_path / f"{name}.clean") == 2
    run(tmp_path, "overlap", documents, stats, f"{name}.documents", "--output", f"{name}.overlap")
    for output in (f"{name}.overlap", f"{name}.documents", stats, f"{name}.merged", f"{name}.metrics", f"{name}.clean"):
        json.loads((tmp_path / output / ".uzushio/manifest.json").read_bytes())
    json.loads((tmp_path / f"{name}.json").read_bytes())
    assert "document y\n" in run(tmp_path, "explain", "y", "--in", f"{name}.clean").stdout
    by_folder = run(tmp_path, "filter", name, "--output", f"{name}.all")
    assert count_rows(tmp_path / f"{name}.all") == 2, by_folder.stderr
    pattern = run(tmp_path, "filter", f"{name}/*.parquet", "--output", f"{name}.glob")
    assert count_rows(tmp_path / f"{name}.glob") == 2, pattern.stderr


def test_names_that_are_no_text_differ_in_marks(tmp_path: Path) -> None:
    """Marks are JSON; two names are not one there, and name the files to whoever reads them."""
    table = pa.table({"text": ["文"]})
    names = [os.fsdecode(b"\xe9.parquet"), os.fsdecode(b"\xe8.parquet"), "%E9.parquet"]
    for name in names:
        write_parquet(table, tmp_path / name)
    known = set()
    for number, name in enumerate(names):
        run(tmp_path, "filter", name, "--output", f"clean{number}")
        mark = read_json(tmp_path / f"clean{number}" / ".uzushio/manifest.json")
        known.add(mark["run"]["inputs"][0]["name"])
        again = mark["run"]["inputs"][0]["name"]
        run(tmp_path, "filter", again, "--output", f"again{number}")
        assert (tmp_path / f"again{number}" / "part-00000.parquet").exists()
    assert len(known) == len(names)
    assert known >= {f"file://{tmp_path}/%E9.parquet", "%E9.parquet"}


def test_uris_say_bytes_by_escapes(uzushio: Uzushio, tmp_path: Path) -> None:
    """file:// URIs, as they should be written and as they are."""
    folder = tmp_path / "a b%"
    folder.mkdir()
    for name in ("x 1.parquet", "x[2].parquet", "日本.parquet"):
        pq.write_table(pa.table({"text": [name]}), folder / name)

    def texts(*inputs: str) -> list[Any]:
        uzushio("filter", *inputs, "--output", tmp_path / "out", "--overwrite")
        return sorted(row["text"] for row in pq.read_table(tmp_path / "out").to_pylist())

    root = f"file://{tmp_path}/a%20b%25"
    assert texts(f"{root}/x%201.parquet") == ["x 1.parquet"]
    assert texts(f"{root}/x 1.parquet") == ["x 1.parquet"]
    assert texts(f"{root}/x%5B2%5D.parquet", f"{root}/x[2].parquet") == ["x[2].parquet"]
    assert texts(f"{root}/%E6%97%A5本.parquet") == ["日本.parquet"]
    assert texts(f"{root}/x*.parquet") == ["x 1.parquet", "x[2].parquet"]
    assert len(texts(root)) == len(texts(f"{root}/")) == 3
    names = [item["name"] for item in read_json(tmp_path / "out" / ".uzushio/manifest.json")["run"]["inputs"]]
    assert texts(*names) == sorted(["x 1.parquet", "x[2].parquet", "日本.parquet"])


def test_what_is_there_is_no_pattern(uzushio: Uzushio, tmp_path: Path) -> None:
    """A file, or the folders before a pattern, that are called as a pattern could be."""
    for folder in ("run[1]", "run1"):
        (tmp_path / folder).mkdir()
        pq.write_table(pa.table({"text": [folder]}), tmp_path / folder / "a.parquet")

    def texts(name: str) -> list[Any]:
        uzushio("filter", tmp_path / name, "--output", tmp_path / "out", "--overwrite")
        return sorted(row["text"] for row in pq.read_table(tmp_path / "out").to_pylist())

    assert texts("run[1]") == texts("run[1]/*.parquet") == texts("run[1]/a.parquet") == ["run[1]"]
    assert texts("run[12]/*.parquet") == ["run1"]
    assert texts("run*/a.parquet") == ["run1", "run[1]"]


def test_names_of_columns_are_texts(uzushio: Uzushio, tmp_path: Path) -> None:
    """They stand in marks."""
    pq.write_table(pa.table({"text": ["文"]}), tmp_path / "a.parquet")
    bad = os.fsdecode(b"\xe9")
    for option in (("--text-column", bad), ("--id-column", bad), ("-P", f"x={bad}")):
        done = run(tmp_path, "filter", "a.parquet", "--output", "out", *option, code=2)
        assert option[0] in done.stderr
        assert "UTF-8" in done.stderr
