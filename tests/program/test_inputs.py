"""Which files a run reads: those of a dataset's manifest, each once, as they were when it began."""

from __future__ import annotations

import base64
import datetime
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import PROGRAM, Uzushio, read_json
from warc_builder import build

CHAIN = "filters = [{class = CompressionRate, low = 0.1, high = 2}]"
KANA = "これはひらがなのぶんしょうです。" * 4


def pages(path: Path, first: int, count: int) -> Path:
    """A file of Japanese pages, all different."""
    described: list[dict[str, Any]] = [
        {"uri": f"http://example.jp/{number}", "body": f"<p>{number}{KANA}</p>"}
        for number in range(first, first + count)
    ]
    path.write_bytes(build(described, "warc.gz"))
    return path


@pytest.fixture(name="docs")
def documents(uzushio: Uzushio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset of two parts, in the folder that the program then works in."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    archives = [pages(tmp_path / f"{number}.warc.gz", 10 * number, 5 + number) for number in range(2)]
    uzushio("extract", *archives, "--output", "docs")
    return tmp_path / "work" / "docs"


def texts_of(uzushio: Uzushio, *inputs: object, code: int = 0) -> Any:
    """How many documents `stats` counts, or what it says when it fails."""
    shutil.rmtree("../counted", ignore_errors=True)
    done = uzushio("stats", *inputs, "--output", "../counted", "--quiet", code=code)
    return read_json(Path("../counted/.uzushio/manifest.json"))["counts"]["documents"] if code == 0 else done.stderr


def test_a_folder_is_counted_once_by_all_its_names(uzushio: Uzushio, docs: Path) -> None:
    """Paths of three forms, a URI, a link to the folder and a file of it."""
    part = docs / "language=ja" / "part-00000.parquet"
    Path("same").symlink_to("docs")
    names = ["docs", "./docs", docs, f"file://{docs}", "same", "docs/language=ja", part, "docs/**/*.parquet"]
    assert texts_of(uzushio, *names) == 11


def test_links_beside_their_targets_count_once(uzushio: Uzushio, tmp_path: Path, docs: Path) -> None:
    """In a folder of others' files; of a link to the folder itself nothing is read."""
    Path("files").mkdir()
    shutil.copy(docs / "language=ja" / "part-00000.parquet", "files/a.parquet")
    Path("files/b.parquet").symlink_to("a.parquet")
    Path("files/c").symlink_to(".")
    Path("files/d").symlink_to(docs)
    assert texts_of(uzushio, "files") == 5
    assert texts_of(uzushio, "files/**/*.parquet") == 5
    Path("links").mkdir()
    Path("links/d").symlink_to(docs)
    said = texts_of(uzushio, "links", code=2)
    assert (
        "links: no input files in this folder; links to folders are not followed: name what is meant, as links/d"
        in said
    )
    assert texts_of(uzushio, "links/d") == 11
    assert texts_of(uzushio, "links/*/*/*.parquet") == 11


def test_double_stars_leave_hidden_folders_out(uzushio: Uzushio, docs: Path) -> None:
    """What lies aside while an output is replaced is not read beside it."""
    shutil.copytree(docs, ".docs.replaced")
    shutil.copytree(docs, "_docs")
    assert texts_of(uzushio, "**/*.parquet") == 11


@pytest.mark.parametrize("named", ["docs", "docs/language=ja", "docs/**/*.parquet", "docs/*/*.parquet", "."])
def test_a_part_that_is_missing_is_an_error(uzushio: Uzushio, docs: Path, named: str) -> None:
    """By whatever name the dataset is read. One of another size is, too."""
    part = docs / "language=ja" / "part-00001.parquet"
    whole = part.read_bytes()
    part.unlink()
    said = texts_of(uzushio, named, code=1)
    assert "docs/language=ja/part-00001.parquet: is missing, and " in said
    assert ".uzushio/manifest.json lists it" in said
    part.write_bytes(whole[:-1])
    assert "part-00001.parquet: its size is not what was written" in texts_of(uzushio, named, code=1)
    part.write_bytes(whole)
    assert texts_of(uzushio, named) == 11
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


def test_what_a_manifest_does_not_list_is_not_of_the_dataset(uzushio: Uzushio, docs: Path) -> None:
    """Others' files in it are read where they are named only; a dataset in it neither."""
    shutil.copy(docs / "language=ja" / "part-00000.parquet", docs / "language=ja" / "mine.parquet")
    shutil.copytree(docs, "../copy")
    shutil.move("../copy", docs / "language=ja" / "more")
    assert texts_of(uzushio, "docs") == 11
    assert texts_of(uzushio, ".") == 11
    assert texts_of(uzushio, "docs/language=ja/mine.parquet", "docs") == 16
    assert texts_of(uzushio, "docs/language=ja/more") == 11


def test_outputs_of_earlier_versions_are_read(uzushio: Uzushio, docs: Path) -> None:
    """Those whose marks list no files are what lies in them, also when that is nothing."""
    mark = read_json(docs / ".uzushio/manifest.json")
    del mark["files"]
    (docs / ".uzushio/manifest.json").write_text(json.dumps(mark), encoding="utf-8")
    (docs / "language=ja" / "part-00001.parquet").unlink()
    assert texts_of(uzushio, "docs") == 5
    (docs / "language=ja" / "part-00000.parquet").unlink()
    assert texts_of(uzushio, "docs") == 0


def halted_while_reading(arguments: list[str], file: Path) -> subprocess.Popen[bytes]:
    """A run that has opened the named pipe's folder of work and waits there."""
    process = subprocess.Popen([str(PROGRAM), *arguments], stderr=subprocess.PIPE)
    while process.poll() is None and not file.exists():
        time.sleep(0.001)
    process.send_signal(signal.SIGSTOP)
    return process


@pytest.mark.parametrize("stage", ["stats", "filter", "minhash"])
@pytest.mark.parametrize("change", ["dataset", "file"])
def test_an_input_that_changes_meanwhile_is_not_committed(
    uzushio: Uzushio, tmp_path: Path, docs: Path, stage: str, change: str
) -> None:
    """A dataset is another by its manifest; a file without one by its size and time. Nothing is left."""
    source = Path("docs")
    if change == "file":
        source = Path("large.parquet")
        rows = pq.read_table(docs / "language=ja" / "part-00000.parquet")
        copies = 1000 if stage == "minhash" else 4000  # all of which are near-duplicates of each other
        pq.write_table(pa.concat_tables([rows] * copies), source)
    Path("out").mkdir()
    process = halted_while_reading(
        [stage, str(source), "--output", "out/made", "--quiet", "--threads", "1"], Path("out/.made.partial/_INCOMPLETE")
    )
    assert process.poll() is None, "the run was over before it could be halted"
    if change == "dataset":
        uzushio("extract", pages(tmp_path / "2.warc.gz", 50, 3), "--output", "docs", "--overwrite")
    else:
        os.utime(source, (1, 1))
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate()
    assert process.returncode == 1, said.decode()
    assert list(Path("out").iterdir()) == []
    if change == "file":
        assert b"large.parquet: was changed while it was read; nothing is committed" in said


@pytest.mark.parametrize("stage", ["stats", "filter", "metrics", "minhash", "hosts", "decontaminate", "overlap"])
def test_an_empty_dataset_is_an_input(uzushio: Uzushio, tmp_path: Path, docs: Path, stage: str) -> None:
    """Of a part of a corpus without Japanese pages nothing comes out, and the next stage says so in its counts."""
    latin = build([{"uri": "http://example.com/", "body": "<p>Nothing here.</p>"}], "warc.gz")
    (tmp_path / "latin.warc.gz").write_bytes(latin)
    uzushio("extract", tmp_path / "latin.warc.gz", "--output", "empty")
    Path("chain.conf").write_text(CHAIN, encoding="utf-8")
    chain = ["--config", "chain.conf"]
    Path("items.jsonl").write_text(json.dumps({"question": "これは十二字よりも長い問題の文です"}), encoding="utf-8")
    options = {"metrics": chain, "hosts": chain, "decontaminate": ["--against", "items.jsonl"]}
    inputs = ["empty", "docs"] if stage == "overlap" else ["empty"]
    uzushio(stage, *inputs, "--output", "out", *options.get(stage, []))
    assert read_json(Path("out/.uzushio/manifest.json"))["counts"]
    if stage in {"filter", "minhash", "decontaminate"}:
        uzushio("filter", "out", "--output", "again")


def flipped(data: bytes, bit: int) -> bytes:
    """The same with one bit the other."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_a_flipped_bit_in_a_part_is_an_error(uzushio: Uzushio, docs: Path) -> None:
    """In pages and in the footer; between them, where nothing is read from, what is read is what was written."""
    part = docs / "language=ja" / "part-00000.parquet"
    data = part.read_bytes()
    uzushio("filter", "docs", "--output", "good")
    good = Path("good/part-00000.parquet").read_bytes()
    choose = random.Random(3)
    wrong = 0
    for bit in choose.sample(range(8 * len(data)), 60):
        part.write_bytes(flipped(data, bit))
        shutil.rmtree("out", ignore_errors=True)
        done = subprocess.run([PROGRAM, "filter", "docs", "--output", "out"], capture_output=True, check=False)
        wrong += done.returncode != 0
        assert done.returncode in (1, 2) or Path("out/part-00000.parquet").read_bytes() == good, bit
    assert wrong > 40


def test_a_flipped_bit_in_known_metrics_is_an_error(uzushio: Uzushio, tmp_path: Path, docs: Path) -> None:
    """Which decide what `filter --metrics` removes."""
    Path("chain.conf").write_text(CHAIN, encoding="utf-8")
    uzushio("metrics", docs, "--config", "chain.conf", "--output", "metrics")
    table = Path("metrics/metrics.parquet")
    data = table.read_bytes()
    choose = random.Random(3)
    wrong = 0
    for bit in choose.sample(range(8 * len(data)), 30):
        table.write_bytes(flipped(data, bit))
        shutil.rmtree("out", ignore_errors=True)
        options = ["--config", "chain.conf", "--metrics", "metrics", "--output", "out"]
        command = [str(PROGRAM), "filter", str(docs), *options]
        code = subprocess.run(command, capture_output=True, check=False).returncode
        assert code in {0, 1}
        wrong += code
    assert wrong > 10  # columns that the chain does not need are not read


def test_merge_takes_the_texts_by_whatever_name(uzushio: Uzushio, tmp_path: Path, docs: Path) -> None:
    """Folders, the folder above them, patterns and URIs give one and the same."""
    parts = sorted((docs / "language=ja").glob("*.parquet"))
    for number, part in enumerate(parts):
        uzushio("stats", part, "--intermediate", "--output", Path("counts") / str(number))
    uzushio("merge", "counts/0", "counts/1", "--output", "merged")
    wanted = Path("merged/statistics.parquet").read_bytes()
    uri = f"file://{tmp_path}/work/counts"
    for named in (["counts"], ["counts/*/*.parquet"], [f"{uri}/0", f"{uri}/*/*.parquet"]):
        shutil.rmtree("again", ignore_errors=True)
        uzushio("merge", *named, "--output", "again")
        assert Path("again/statistics.parquet").read_bytes() == wanted, named


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_columns_of_others_go_through_as_they_are(uzushio: Uzushio, tmp_path: Path, form: str) -> None:
    """Bytes that are no text, durations, times of a zone."""
    when = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.UTC)
    table = pa.table(
        {
            "docId": ["a", "b"],
            "text": [KANA, KANA + "二"],
            "bytes": pa.array([b"\xff\x00\xfe", None], pa.binary()),
            "large": pa.array([b"\x80", b""], pa.large_binary()),
            "lasted": pa.array([datetime.timedelta(seconds=3), None], pa.duration("us")),
            "when": pa.array([when, None], pa.timestamp("us", "Asia/Tokyo")),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    uzushio("filter", tmp_path / "in.parquet", "--format", form, "--output", tmp_path / "out")
    if form == "parquet":
        read = pq.ParquetFile(tmp_path / "out" / "part-00000.parquet").read()
        assert read.schema.field("lasted").type == pa.duration("us")
        assert read.schema.field("when").type == pa.timestamp("us", "Asia/Tokyo")
        assert read.to_pylist() == table.to_pylist()
        return
    lines = gzip.decompress((tmp_path / "out" / "part-00000.jsonl.gz").read_bytes()).splitlines()
    first = json.loads(lines[0])
    assert base64.b64decode(first["bytes"]) == b"\xff\x00\xfe"
    assert base64.b64decode(first["large"]) == b"\x80"
    assert "2024-05-06" in first["when"]
    assert first["lasted"] is not None


def test_a_run_that_is_done_lacks_nothing(uzushio: Uzushio, docs: Path) -> None:
    """The same command again does not say that all is there where a part is not; with --overwrite, it is made again."""
    command = ["filter", "docs", "--output", "out", "--shard-size", "1"]
    uzushio(*command)
    part = Path("out/part-00000.parquet")
    whole = part.read_bytes()
    assert "was complete already" in uzushio(*command).stderr
    part.unlink()
    said = uzushio(*command, code=1).stderr
    assert "out/part-00000.parquet: is missing, and the manifest lists it" in said
    part.write_bytes(whole[1:])
    assert "out/part-00000.parquet: has another size" in uzushio(*command, code=1).stderr
    uzushio(*command, "--overwrite")
    assert part.read_bytes() == whole
    assert docs.exists()


def test_a_part_that_is_written_anew_meanwhile_is_a_change(uzushio: Uzushio, docs: Path) -> None:
    """Under a manifest that stays as it was: what was read of a part may be of the old one and of the new one."""
    rows = pq.read_table(docs / "language=ja" / "part-00000.parquet")
    pq.write_table(pa.concat_tables([rows] * 4000), "large.parquet")
    uzushio("filter", "large.parquet", "--output", "large", "--format", "jsonl")
    Path("out").mkdir()
    process = halted_while_reading(
        ["filter", "large", "--output", "out/made", "--quiet", "--threads", "1"], Path("out/.made.partial/_INCOMPLETE")
    )
    assert process.poll() is None, "the run was over before it could be halted"
    os.utime("large/part-00000.jsonl.gz", (1, 1))
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate()
    assert process.returncode == 1, said.decode()
    assert b"large/part-00000.jsonl.gz: was changed while it was read" in said


def test_metrics_that_change_meanwhile_decide_nothing(uzushio: Uzushio, docs: Path) -> None:
    """Their row groups are read one after another."""
    rows = pq.read_table(docs / "language=ja" / "part-00000.parquet")
    pq.write_table(pa.concat_tables([rows] * 4000), "large.parquet")
    Path("chain.conf").write_text(CHAIN, encoding="utf-8")
    uzushio("metrics", "large.parquet", "--config", "chain.conf", "--output", "metrics")
    Path("out").mkdir()
    options = ["--config", "chain.conf", "--metrics", "metrics", "--output", "out/made", "--quiet", "--threads", "1"]
    process = halted_while_reading(["filter", "large.parquet", *options], Path("out/.made.partial/_INCOMPLETE"))
    assert process.poll() is None, "the run was over before it could be halted"
    os.utime("metrics/metrics.parquet", (1, 1))
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate()
    assert process.returncode == 1, said.decode()
    assert b"metrics/metrics.parquet: was changed while it was read" in said


@pytest.mark.parametrize("named", [["docs", "none"], ["none", "docs"], ["none"]])
@pytest.mark.parametrize("stage", ["filter", "minhash", "metrics", "stats"])
def test_a_part_of_which_nothing_passed_goes_with_others(
    uzushio: Uzushio, tmp_path: Path, docs: Path, stage: str, named: list[str]
) -> None:
    """Its files have no rows, and not the columns of the others."""
    latin = build([{"uri": "http://example.com/", "body": "<p>Nothing here.</p>"}], "warc.gz")
    (tmp_path / "latin.warc.gz").write_bytes(latin)
    uzushio("extract", tmp_path / "latin.warc.gz", "--output", "empty")
    uzushio("filter", "empty", "--output", "none")
    assert pq.read_metadata("none/part-00000.parquet").num_rows == 0
    Path("chain.conf").write_text(CHAIN, encoding="utf-8")
    options = ["--config", "chain.conf"] if stage == "metrics" else []
    uzushio(stage, *named, "--output", "out", *options)
    counts = read_json(Path("out/.uzushio/manifest.json"))["counts"]
    assert counts.get("input", counts)["documents"] == (11 if "docs" in named else 0)
    assert docs.exists()


def test_archives_without_a_record_are_told(uzushio: Uzushio, tmp_path: Path) -> None:
    """As of a download that broke off at once; the run goes on."""
    (tmp_path / "a.warc.gz").write_bytes(b"")
    (tmp_path / "b.warc").write_bytes(b"")
    archive = pages(tmp_path / "c.warc.gz", 0, 2)
    done = uzushio("extract", tmp_path / "a.warc.gz", archive, "--output", tmp_path / "one")
    assert "a.warc.gz: there is no record in this file; was it downloaded whole?" in done.stderr
    done = uzushio("extract", tmp_path, "--output", tmp_path.parent / f"{tmp_path.name}-out")
    assert "a.warc.gz and 1 others: there is no record in these files" in done.stderr
    done = uzushio("extract", archive, "--output", tmp_path / "two")
    assert "no record" not in done.stderr
