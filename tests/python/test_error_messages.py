"""What Python's functions say of mistakes, and as what they raise it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import uzushio as uz
from uzushio import _commands
from uzushio._values import text_of
from warc_builder import build

pytestmark = pytest.mark.module

LOOSE: Any = uz
CHAIN = uz.FilterChain([uz.Filter("DocLength", low=3)])


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Two documents, of which the chain takes one."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"docId": "1", "text": "a"}\n{"docId": "2", "text": "abcd"}\n', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("said", "in_python"),
    [
        ("nowhere--output.gz: no such file", "nowhere--output.gz: no such file"),
        ("--output.gz: no such file", "--output.gz: no such file"),
        ("a/--output/b: no such file", "a/--output/b: no such file"),
        ("--output: give a folder", "output: give a folder"),
        ("give --output DIR, '--threads' or (--language).", "give output, 'threads' or (languages)."),
        ("--index-…, --part and --plan need --index", "index_…, part and plan need index"),
        ("-P: has no effect without --output", "properties: has no effect without output"),
        ("a-P: no such file", "a-P: no such file"),
        ("-P-1: no such file", "-P-1: no such file"),
    ],
)
def test_paths_keep_what_looks_like_options(said: str, in_python: str) -> None:
    """Only options are named as Python does."""
    assert _commands.pythons_words("extract", said) == in_python


def test_stages_without_chains_make_no_temporary_folder(documents: Path) -> None:
    """They run where none can be made; a chain for a stage says what it wants one for."""
    script = (
        "import tempfile, uzushio\n"
        "tempfile.tempdir = 'nowhere/at/all'\n"
        "uzushio.metrics('a.jsonl', 'm', metric='DocLength', tmp='.')\n"
        "try: uzushio.filter('a.jsonl', 'f', config=uzushio.FilterChain([]))\n"
        "except uzushio.InputError as error: print(error)\n"
    )
    root = str(Path(uz.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=documents.parent,
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "temporary file, and none can be made" in done.stdout


def test_bools_are_properties() -> None:
    """As true and false of configurations, of which a number is none."""
    given = {"properties": {"markdown": False, "n": 1}, "config": "a", "output": "o"}
    arguments = _commands.arguments_of("filter", "a", given)
    assert {"markdown=false", "n=1"} <= set(arguments)
    assert text_of(True) == "true"


def test_dicts_of_filters_are_not_taken(documents: Path, tmp_path: Path) -> None:
    """What is, is said; so is the argument's name."""
    with pytest.raises(uz.UsageError, match=r"config: a dict with the list `filters` is not taken; give the list"):
        LOOSE.filter(documents, tmp_path / "out", config={"filters": [{"class": "DocLength"}]})
    with pytest.raises(TypeError, match=r"'chain'; did you mean config\?"):
        LOOSE.filter(documents, tmp_path / "out", chain=CHAIN)


@pytest.mark.parametrize(
    "call",
    [
        lambda: list(uz.read_warc("none.warc.gz")),
        lambda: uz.Statistics("none"),
        lambda: CHAIN.apply(["a"], "none"),
        lambda: uz.FilterChain.from_file("none.conf"),
        lambda: uz.read_warc("none/*.warc.gz"),
        lambda: uz.read_warc(io.BytesIO(), japanese_test="precise", language_model="none.bin"),
        lambda: uz.extract_html("<p>a", languages="ja", japanese_test="precise", language_model="none.bin"),
        lambda: uz.FilterChain([uz.Filter.FastText(model="none.bin", label="a")]),
        lambda: uz.FilterChain([uz.Filter.HostFilter(lists="none.hosts")]),
        lambda: uz.explain("a", "none"),
        lambda: uz.report("none", "page.html"),
        lambda: uz.plot_metrics("none"),
    ],
)
def test_what_is_missing_is_a_file_not_found(
    call: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of functions that are no stages, too."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(uz.MissingFile, match="none") as raised:
        call()
    assert "--" not in str(raised.value)


def test_what_is_no_archive_is_an_error() -> None:
    """At its end, as `extract` has it; its records are there to look at."""
    archive = uz.read_warc(io.BytesIO(b"no archive" * 99), name="a.warc")
    with pytest.raises(uz.InputError, match=r"^a.warc: no record in this file can be read \(.*\?$"):
        list(archive)
    assert archive.quarantined
    with pytest.raises(uz.InputError, match="no record"):
        list(uz.read_warc(io.BytesIO(b"no archive" * 99)).batches())


def test_plans_are_printed_as_plans(documents: Path, tmp_path: Path) -> None:
    """As the command line prints them."""
    plan = uz.run(preset="clean", output=tmp_path / "out", inputs=documents, plan=True)
    lines = str(plan).splitlines()
    assert lines[0] == f"plan for {tmp_path / 'out'}"
    assert lines[1].split()[:4] == ["stage", "command", "done", "to"]
    assert [line.split()[0] for line in lines[2:]][: len(plan.plan)] == [stage["name"] for stage in plan.plan]


def test_plans_name_what_is_wanted_as_python_gives_it(tmp_path: Path) -> None:
    """Not by the command line's -P."""
    archive = tmp_path / "a.warc"
    archive.write_bytes(build([{"body": "<p>text"}], "warc"))
    text = str(uz.run(preset="uzushio", output=tmp_path / "out", inputs=archive, plan=True))
    assert ", which needs properties={'kenlm': FILE}, properties={'sudachi': FILE}" in text
    assert " -P " not in text


def test_statistics_of_what_is_no_path() -> None:
    """Name what counts tables."""
    table: Any = pa.table({"text": ["a"]})
    with pytest.raises(uz.UsageError, match="a folder of statistics is expected, not Table; Statistics"):
        uz.Statistics(table)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("長い文章です", "; apply_text takes one text or Document, a list has several"),
        (uz.extract_html("<p>長い文章です"), "; apply_text takes one text or Document, a list has several"),
        ({"text": ["a"]}, "; pyarrow.table makes one of a dict of columns"),
        ([{"text": "a"}], "; pyarrow.Table.from_pylist makes one of dicts"),
        ((text for text in ("a", "b")), "; list makes a list of texts or documents of it"),
    ],
)
def test_what_is_nearly_a_table(given: Any, said: str) -> None:
    """Is refused with what makes one of it."""
    with pytest.raises(uz.UsageError) as raised:
        CHAIN.apply(given)
    assert str(raised.value).endswith(said)


def test_splits_of_a_dataset_are_named() -> None:
    """Of which one is a table."""
    datasets = pytest.importorskip("datasets")
    splits = datasets.DatasetDict({"train": datasets.Dataset.from_dict({"text": ["abcd"]})})
    with pytest.raises(uz.UsageError, match="give one of its splits: 'train'"):
        CHAIN.apply(splits)
    assert CHAIN.apply(splits["train"]).passed.num_rows == 1


@pytest.mark.parametrize("given", [None, b"abcd", ["abcd"]])
def test_one_text_is_expected(given: Any) -> None:
    """By what takes one."""
    with pytest.raises(uz.UsageError, match="text: one text or Document is expected, not"):
        CHAIN(given)


def test_lazy_frames_of_texts_name_map_batches() -> None:
    """Where columns are taken, too."""
    polars = pytest.importorskip("polars")
    for call in (CHAIN.apply, CHAIN.stream, CHAIN.metrics, uz.near_duplicates):
        with pytest.raises(uz.UsageError, match="map_batches"):
            call(polars.LazyFrame({"text": ["a"]}))


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({}, "give it by properties={'name': value} or in the environment"),
        ({"leest": 1}, "properties leest: .* has no .*; did you mean least"),
    ],
)
def test_values_of_configurations_are_properties(properties: dict[str, int], said: str, tmp_path: Path) -> None:
    """Not options of the command line: of chains, and of stages."""
    config = tmp_path / "a.conf"
    config.write_text('filters: [{"class": "DocLength", "low": ${least}}]', encoding="utf-8")
    with pytest.raises(uz.UsageError, match=said):
        uz.FilterChain.from_file(config, properties=properties)
    (tmp_path / "a.jsonl").write_text('{"docId": "1", "text": "a"}\n', encoding="utf-8")
    with pytest.raises(uz.UsageError, match=said):
        uz.filter(tmp_path / "a.jsonl", tmp_path / "o", config=config, properties=properties)
