"""What people meet who use the program for the first time."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from program import PROGRAM, Uzushio, read_json
from warc_builder import build


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Two documents as JSON Lines."""
    path = tmp_path / "documents.jsonl"
    texts = ["日本語の文章が、ここにあります。", "もう一つの文章も、ここにあります。"]
    rows = [json.dumps({"docId": str(number), "text": text}) for number, text in enumerate(texts)]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def without_packages() -> dict[str, str]:
    """An environment in which no Python packages, and so no word lists and dictionaries, are found."""
    return {"PATH": "/nowhere", "UZUSHIO_HOJICHAR": "/nowhere"}


@pytest.mark.parametrize("chain", ["uzushio", "swallow", "recommended"])
def test_metrics_of_a_preset_without_its_models(tmp_path: Path, documents: Path, chain: str) -> None:
    """Filters whose model or list is not given are left out and reported, as `run` does."""
    summary = tmp_path / "summary.json"
    command = [str(PROGRAM), "metrics", str(documents), "--config", chain, "--output", str(tmp_path / "out")]
    command += ["--summary", str(summary)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=without_packages())
    assert done.returncode == 0, done.stderr
    left_out = {one["filter"]: one["wanted"] for one in read_json(summary)["left_out"]}
    if chain == "swallow":
        assert left_out == {"NgWordRatio": "-P ng_words=VALUE", "HostFilter": "-P host_lists=VALUE"}
    else:
        assert left_out["KenLMDocAvgPerplexity"] == "-P kenlm=VALUE, -P sudachi=VALUE"
        assert left_out["WordTypes"].startswith("hojichar/")
    for name, wanted in left_out.items():
        assert f"left out of metrics: {name}, which needs {wanted}" in done.stderr
    names = set(read_json(summary)["metrics"])
    assert names
    assert not any(name.startswith(tuple(left_out)) for name in names)


def test_metrics_of_a_chain_of_which_nothing_is_left(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """An error that says what is needed."""
    config = tmp_path / "chain.conf"
    config.write_text('filters: [{class: NgWordRatio, list: [${words}"/a.txt"]}]', encoding="utf-8")
    said = uzushio("metrics", documents, "--config", config, "--output", tmp_path / "out", code=2).stderr
    assert "NgWordRatio needs -P words=VALUE" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["filter", "metrics"])
def test_a_mistyped_property_is_the_error(uzushio: Uzushio, tmp_path: Path, documents: Path, command: str) -> None:
    """Not the one that has no value because of it."""
    given = [command, documents, "--config", "uzushio", "--output", tmp_path / "out"]
    said = uzushio(*given, "-P", "kenln=model", code=2).stderr
    assert "-P kenln: " in said
    assert "has no ${kenln}; did you mean kenlm?" in said
    config = tmp_path / "chain.conf"
    config.write_text("filters: [{class: DocLength, low: 1}]", encoding="utf-8")
    given[3] = config
    assert "has no ${low}" in uzushio(*given, "-P", "low=1", code=2).stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "content",
    [b"hello\n", b"PK\x03\x04" + bytes(500), gzip.compress(b"<p>a page</p>", mtime=0)],
    ids=["text", "zip", "gzip"],
)
def test_a_file_that_is_no_archive(uzushio: Uzushio, tmp_path: Path, content: bytes) -> None:
    """An error that names the file, and no output; with --max-bad it is quarantined, as damaged records are."""
    (tmp_path / "pages.warc").write_bytes(
        build([{"uri": "http://a.jp/", "body": "<p>ここには、やさしい日本語の文章があります。</p>" * 3}], "warc")
    )
    other = tmp_path / "other.bin"
    other.write_bytes(content)
    given = ["extract", tmp_path / "pages.warc", other, "--output", tmp_path / "out"]
    said = uzushio(*given, code=1).stderr
    assert f"{other}: no record in this file can be read" in said
    assert not (tmp_path / "out" / ".uzushio/manifest.json").exists()
    summary = tmp_path / "summary.json"
    uzushio(*given, "--max-bad", 9, "--summary", summary)
    assert (read_json(summary)["documents"], sum(read_json(summary)["quarantined"].values())) == (1, 1)
    uzushio(*given, "--max-bad", 0, "--overwrite", code=3)


def test_run_names_the_file_that_is_no_archive(uzushio: Uzushio, tmp_path: Path) -> None:
    """Not the stage behind, which has nothing to read."""
    other = tmp_path / "other.txt"
    other.write_text("hello\n", encoding="utf-8")
    given = ["run", "--preset", "uzushio", "--input", other, "--output", tmp_path / "out"]
    said = uzushio(*given, code=1).stderr
    assert f"(documents): {other}: no record in this file can be read" in said
    assert "(statistics)" not in said


def test_a_page_that_can_not_be_decoded_is_no_error(uzushio: Uzushio, tmp_path: Path) -> None:
    """Though it is the only record: the file is a web archive."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    block = head + b"\x1f\x8b\x08" + bytes(7) + bytes([255] * 20)
    record = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
    record += b"WARC-Target-URI: http://a.jp/\r\nContent-Type: application/http; msgtype=response\r\n"
    record += b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (len(block), block)
    (tmp_path / "one.warc.gz").write_bytes(gzip.compress(record))
    summary = tmp_path / "summary.json"
    uzushio("extract", tmp_path / "one.warc.gz", "--output", tmp_path / "out", "--summary", summary)
    assert read_json(summary)["quarantined"] == {"content-coding": 1}


def test_an_empty_file_is_no_error(uzushio: Uzushio, tmp_path: Path) -> None:
    """Crawlers leave some."""
    (tmp_path / "empty.warc.gz").write_bytes(b"")
    uzushio("extract", tmp_path / "empty.warc.gz", "--output", tmp_path / "out")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_acknowledged(how: signal.Signals) -> None:
    """The program says that it was interrupted, and ends by the signal, as shells expect."""
    end, begin = os.pipe()
    fcntl.fcntl(begin, fcntl.F_SETPIPE_SZ, 4096)  # less than is printed, so that the program waits
    with subprocess.Popen([PROGRAM, "filters"], stdout=begin, stderr=subprocess.PIPE, text=True) as process:
        os.close(begin)
        assert os.read(end, 1)
        process.send_signal(how)
        said = process.communicate()[1]
    os.close(end)
    assert process.returncode == -how
    assert said.count("uzushio: interrupted; no unfinished output was committed.") == 1


def test_inputs_of_a_preset_that_are_not_there(uzushio: Uzushio, tmp_path: Path) -> None:
    """The error is that of --input, not of the preset's file, and no folder is made."""
    given = ["run", "--preset", "uzushio", "--input", tmp_path / "none.warc.gz", "--output", tmp_path / "out"]
    said = uzushio(*given, code=2).stderr
    assert f"error: --input {tmp_path / 'none.warc.gz'}: no such file or folder" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["filter", "metrics", "run"])
def test_a_wrong_value_of_a_property(uzushio: Uzushio, tmp_path: Path, documents: Path, command: str) -> None:
    """The error begins with what was given."""
    given = [command, documents, "--config", "uzushio", "--output", tmp_path / "out"]
    if command == "run":
        given[1:4] = ["--preset", "uzushio", "--input", documents]
    if command == "filter":
        given += ["-P", "sudachi=none", "-P", "kenlm=none"]
    said = uzushio(*given, "-P", "markdown=off", code=2).stderr
    assert "error: -P markdown=off: " in said
    assert '"off" is none of false, true' in said


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["stats", "--rotations", "8"], "--rotations: has no effect without --candidates simhash"),
        (["stats", "--window", "8"], "--window: has no effect without --candidates simhash"),
        (["minhash", "--url-column", "link"], "--url-column: has no effect without --url or --max-loss"),
        (["minhash", "--max-loss-least", "7"], "--max-loss-least: has no effect without --max-loss"),
        (["metrics", "--metric", "DocLength", "--shard-size", "1MiB"], "--shard-size: has no effect without --sorted"),
        (["metrics", "--metric", "DocLength", "-P", "low=1"], "-P: has no effect without --config"),
        (["filter", "-P", "low=1"], "-P: has no effect without --config"),
        (["filter", "--metrics", "metrics"], "--metrics: has no effect without --config"),
        (["hosts", "-P", "low=1"], "-P: has no effect without --config"),
    ],
)
def test_options_that_would_be_ignored(
    uzushio: Uzushio, tmp_path: Path, documents: Path, given: list[str], says: str
) -> None:
    """They are refused, and say what they depend on."""
    said = uzushio(given[0], documents, *given[1:], "--output", tmp_path / "out", code=2).stderr
    assert says in said
    assert not (tmp_path / "out").exists()


def test_defaults_that_are_given_are_nothing(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """However they are written."""
    given = ["--candidates", "buckets", "--rotations", "5", "--window", "64"]
    uzushio("stats", documents, *given, "--output", tmp_path / "out")
    uzushio("metrics", documents, "--metric", "DocLength", "--shard-size", "1024MiB", "--output", tmp_path / "m")


@pytest.mark.parametrize("command", ["filter", "metrics"])
def test_filters_of_duplicates_without_statistics(
    uzushio: Uzushio, tmp_path: Path, documents: Path, command: str
) -> None:
    """A warning that names them: they would pass everything."""
    names = ["DeduplicateDocuments", "DeduplicateDocumentsPercentile", "DuplicateDocumentsLengthWeighted"]
    names += ["DuplicateParagraphs", "LargeFreqParagraphs"]
    config = tmp_path / "chain.conf"
    filters = [{"class": name} for name in (*names, names[0], "DocLength", "AdjacentDuplicateParagraphs")]
    config.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    given = [command, documents, "--config", config, "--output", tmp_path / "out"]
    said = uzushio(*given).stderr
    assert f"without --stats, every paragraph counts as occurring once: {', '.join(names)} find no duplicates" in said
    uzushio("stats", documents, "--output", tmp_path / "statistics")
    assert "without --stats" not in uzushio(*given, "--stats", tmp_path / "statistics", "--overwrite").stderr
