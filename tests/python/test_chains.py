"""Chains wherever one is an argument, and what chains themselves can do."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import uzushio as uz
from uzushio import _core

pytestmark = pytest.mark.module

CHAIN = uz.FilterChain([uz.Filter("DocLength", low=3), uz.Filter("HiraganaRatio", low=0.1)])
FILTERS = [uz.Filter("DocLength", low=3), {"class": "HiraganaRatio", "low": 0.1}]


@pytest.fixture(name="documents")
def write_documents(tmp_path: Path) -> Path:
    """Three, of which one passes."""
    rows = [("a", "短い"), ("b", "漢字漢字漢字"), ("c", "ひらがなの文章です。")]
    lines = [json.dumps({"docId": name, "url": f"http://{name}.jp/", "text": text}) for name, text in rows]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "a.jsonl"


@pytest.mark.parametrize("config", [CHAIN, FILTERS, tuple(FILTERS), "path"])
def test_stages_take_chains(config: Any, documents: Path, tmp_path: Path) -> None:
    """As they take a configuration, whose result is the same."""
    if config == "path":
        config = tmp_path / "chain.conf"
        CHAIN.to_file(config)
    summary = uz.filter(documents, tmp_path / "clean", config=config)
    assert (summary.passed.documents, [one.reason for one in summary.removed if one.documents]) == (
        1,
        ["DocLength.Low(3)", "HiraganaRatio.Low(0.1)"],
    )
    assert list(uz.metrics(documents, tmp_path / "metrics", config=config).metrics)[:2] == CHAIN.columns
    assert uz.hosts(documents, tmp_path / "hosts", config=config).hosts == 3
    cleaned = uz.clean(documents, tmp_path / "cleaned", config=config, text_column="text")
    assert cleaned.passed.documents == 1


def test_a_run_of_a_chain_is_known_again(documents: Path, tmp_path: Path) -> None:
    """By what is in it; of another chain, it is not."""
    uz.filter(documents, tmp_path / "clean", config=CHAIN)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "clean").rglob("*") if path.is_file()}
    uz.filter(documents, tmp_path / "clean", config=CHAIN)
    assert files == {path: path.stat().st_mtime_ns for path in (tmp_path / "clean").rglob("*") if path.is_file()}
    with pytest.raises(uz.UsageError):
        uz.filter(documents, tmp_path / "clean", config=CHAIN + uz.Filter("DocLength", low=9))
    assert "HiraganaRatio.Low(0.1)" in uz.explain("b", tmp_path / "clean")


def test_pipelines_take_chains(documents: Path, tmp_path: Path) -> None:
    """As values of properties; what is done is known again."""
    (tmp_path / "p.conf").write_text(
        "stages: [{name: clean, command: filter, input: ${input}, config: ${chain}}]", encoding="utf-8"
    )
    for was_done in (False, True):
        summary = uz.run(tmp_path / "p.conf", tmp_path / "out", inputs=documents, properties={"chain": CHAIN})
        assert [step.was_done for step in summary.steps] == [was_done]


def test_stages_refuse_what_is_no_chain(documents: Path, tmp_path: Path) -> None:
    """With the words of `FilterChain`; nothing is written."""
    for config, message in (
        ([uz.Filter("DocLenght")], r"filters\[0\].class: there is no filter 'DocLenght'; did you mean DocLength"),
        (3, "config: a sequence of Filters is expected, not int"),
        (["DocLength"], r"config\[0\]: a Filter, or a mapping with 'class', is expected"),
    ):
        with pytest.raises(uz.UsageError, match=message):
            uz.filter(documents, tmp_path / "o", config=config)  # type: ignore[arg-type]
    with pytest.raises(uz.UsageError, match="properties: they are for a configuration file"):
        uz.filter(documents, tmp_path / "o", config=CHAIN, properties={"least": 5})
    assert not (tmp_path / "o").exists()


def test_chains_that_compare_documents_go_to_stages(documents: Path, tmp_path: Path) -> None:
    """As a list of filters, whose documents come all together."""
    comparing = [name for name, one in uz.filters().items() if "Percentile" in name]
    with pytest.warns(RuntimeWarning, match="^without statistics, every paragraph counts as occurring once"):
        assert uz.filter(documents, tmp_path / "o", config=[{"class": comparing[0]}]).input.documents == 3


def test_chains_are_files(tmp_path: Path) -> None:
    """With all that is in them, whole or as they were, and readable by who may."""
    path = tmp_path / "chain.conf"
    for chain in (CHAIN, uz.FilterChain([]), uz.FilterChain(uz.Filter("Markdown"))):
        chain.to_file(path)
        assert uz.FilterChain.from_file(path) == chain
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    assert [entry.name for entry in tmp_path.iterdir()] == ["chain.conf"]
    with pytest.raises(uz.MissingFile, match="No such file"):
        CHAIN.to_file(tmp_path / "none" / "chain.conf")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_chains_are_sequences() -> None:
    """Of filters: they have a length, are gone through, put together, and called."""
    assert len(CHAIN) == 2
    assert [one.name for one in CHAIN] == ["DocLength", "HiraganaRatio"]
    assert uz.FilterChain(CHAIN) == CHAIN
    assert bool(uz.FilterChain([]))
    for more in (CHAIN, CHAIN.filters, uz.Filter("DocLength")):
        assert [one.name for one in CHAIN + more][:3] == ["DocLength", "HiraganaRatio", "DocLength"]
    with pytest.raises(TypeError):
        CHAIN + "DocLength"  # type: ignore[operator]
    assert CHAIN("ひらがなの文章です。") == CHAIN.apply_text("ひらがなの文章です。")
    assert CHAIN[1].name == "HiraganaRatio"
    assert CHAIN[:1] == uz.FilterChain([uz.Filter("DocLength", low=3)])
    with pytest.raises(IndexError):
        CHAIN[2]
    table = CHAIN._repr_html_()
    assert table.count("<tr>") == 3
    assert "low=0.1" in table


def test_documents_print_in_short() -> None:
    """However long they are; the text is made once."""
    page = uz.extract_html("<title>長い題</title>" + "<p>長い文章です。" * 10_000, url="http://example.jp/" + "a" * 500)
    assert len(repr(page)) < 200
    assert page.text is page.text
    assert page == uz.extract_html(
        "<title>長い題</title>" + "<p>長い文章です。" * 10_000, url="http://example.jp/" + "a" * 500
    )


def test_results_print_in_short() -> None:
    """However much there is; notebooks show what is removed struck through."""
    chain = uz.FilterChain([uz.Filter("AdjacentDuplicateParagraphs"), uz.Filter("DocLength", low=3)])
    long = "\n\n".join(["<長い文章です。>" * 99, "<長い文章です。>" * 99, "後"])
    result = chain.apply([long] * 9, removed=True)
    assert repr(result) == "<Filtered 9 of 9 documents passed>"
    one = chain(long)
    assert repr(one).endswith("…', 2 paragraphs, 1 removed>")
    assert len(repr(one)) < 100
    assert one._repr_html_().count("<del>&lt;長い文章です。&gt;") == 1
    assert "DocLength.Low(3)</b> 2.0 &lt; 3" in chain("短い")._repr_html_()


def test_arrays_of_numpy_are_texts() -> None:
    """As lists and Series are."""
    numpy = pytest.importorskip("numpy")
    assert CHAIN.apply(numpy.array(["ひらがなの文章です。", "短い"])).passed.num_rows == 1


ARPA = (
    "\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1.0\t<unk>\n-1.0\t<s>\t-0.5\n-1.0\t</s>\n\n"
    "\\2-grams:\n-{}\t<s> </s>\n\n\\end\\\n"
)
"""A language model of no words."""


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("KenLMDocAvgPerplexity", ["sudachi", "kenlm"]),
        ("KenLMParagraphPerplexity", ["sudachi", "kenlm"]),
        ("FineWebQuality", ["sudachi"]),
        ("RemoveNGWordDocument", ["sudachi", "path"]),
    ],
)
def test_runs_are_told_apart_by_files(name: str, parameters: list[str], dictionary: Path, tmp_path: Path) -> None:
    """By what they hold: of those that need a dictionary; the others are in src/filters/contents_test.cc."""
    files = {parameter: tmp_path / parameter for parameter in parameters}
    shutil.copyfile(dictionary, files["sudachi"])
    for parameter, text in (("kenlm", ARPA.format("1.0")), ("path", "悪い\n")):
        if parameter in files:
            files[parameter].write_text(text, encoding="utf-8")

    def contents() -> str:
        filters = [{"class": name} | {parameter: str(file) for parameter, file in files.items()}]
        return _core.FilterChain.make(json.dumps(filters)).contents()

    seen = {contents()}
    assert seen == {contents()}
    for parameter, file in files.items():
        if parameter == "sudachi":
            with file.open("ab") as out:
                out.write(b"\0")
        else:
            file.write_text(ARPA.format("1.5") if parameter == "kenlm" else "悪い\n酷い\n", encoding="utf-8")
        assert contents() not in seen, parameter
        seen.add(contents())
