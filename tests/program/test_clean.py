"""`uzushio clean`: what it reads and writes, duplicates over a corpus, and what it says of mistakes."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Uzushio, read_json

CONFIG = 'stages: [{"class": "SplitIntoSentence"}, {"class": "DeduplicateElement"}]'


def text_of(folder: Path) -> str:
    """What the files of an output have, one after another."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("part-*.txt")))


def deduplicated(documents: list[list[str]]) -> list[list[str]]:
    """Of equal sentences, the first of all."""
    seen: set[str] = set()
    left = []
    for document in documents:
        kept = [sentence for sentence in document if not (sentence in seen or seen.add(sentence))]  # type: ignore[func-returns-value]
        if kept:
            left.append(kept)
    return left


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path) -> list[list[str]]:
    """Documents of sentences, in `corpus/`: three texts, of which one is compressed."""
    chance = random.Random(17)
    documents = [
        [f"文{chance.randrange(4000)}番目の文です。" for _ in range(chance.randrange(1, 20))] for _ in range(1500)
    ]
    (tmp_path / "corpus").mkdir()
    for number in range(3):
        part = "\n\n".join("\n".join(document) for document in documents[number * 500 : number * 500 + 500])
        path = tmp_path / "corpus" / f"{number}.txt"
        if number == 1:
            path.with_suffix(".txt.gz").write_bytes(gzip.compress(part.encode()))
        else:
            path.write_text(part + "\n", encoding="utf-8")
    (tmp_path / "a.conf").write_text(CONFIG, encoding="utf-8")
    return documents


def test_of_equal_sentences_the_first_stays(tmp_path: Path, uzushio: Uzushio, corpus: list[list[str]]) -> None:
    """With any number of threads, any memory, any split of the input."""
    wanted = "".join("\n".join(document) + "\n\n" for document in deduplicated(corpus))
    resources = (["--threads", "1"], ["--threads", "3"], ["--memory", "320MiB", "--threads", "2"])
    for number, options in enumerate(resources):
        output = tmp_path / f"out{number}"
        uzushio("clean", tmp_path / "corpus", "--config", tmp_path / "a.conf", "--output", output, *options)
        assert text_of(output) == wanted
    whole = tmp_path / "whole.txt"
    whole.write_text("\n\n".join("\n".join(document) for document in corpus), encoding="utf-8")
    uzushio("clean", whole, "--config", tmp_path / "a.conf", "--output", tmp_path / "of-one")
    assert text_of(tmp_path / "of-one") == wanted
    assert [path.name for path in tmp_path.glob(".*")] == []  # temporary data


def test_duplicates_of_duplicates(tmp_path: Path, uzushio: Uzushio) -> None:
    """The stage may stand in a chain several times, and behind others."""
    (tmp_path / "a.conf").write_text(
        'stages: [{"class": "DeduplicateElement"}, {"class": "SplitIntoSentence"}, '
        '{"class": "FilterBySentenceLength", "min": 2, "max": 9}, {"class": "DeduplicateElement"}]',
        encoding="utf-8",
    )
    (tmp_path / "a.txt").write_text("一一\n二二\n三\n\n一一\n二二\n三\n\n三\n二二\n四四\n", encoding="utf-8")
    uzushio("clean", tmp_path / "a.txt", "--config", tmp_path / "a.conf", "--output", tmp_path / "out")
    assert text_of(tmp_path / "out") == "一一\n二二\n\n四四\n\n"
    counts = read_json(tmp_path / "out" / ".uzushio/manifest.json")["counts"]["removed"]
    # The second document is the first again; 三 is too short; 二二 was in the first.
    assert [(item["reason"], item["paragraphs"]) for item in counts if item["paragraphs"] > 0] == [
        ("DeduplicateElement", 1),
        ("FilterBySentenceLength(2,9)", 2),
        ("DeduplicateElement", 1),
    ]


def test_formats(tmp_path: Path, uzushio: Uzushio) -> None:
    """Parquet and JSON Lines keep their other columns."""
    rows = {"id": ["a", "b"], "document": ["一\n二\n一", "一\n三"]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    lines = [json.dumps({"id": name, "document": text}) for name, text in zip(*rows.values(), strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for name in ("a.parquet", "a.jsonl"):
        output = tmp_path / f"out-{name}"
        uzushio(
            *("clean", tmp_path / name, "--config", "sudachiDictCorpus", "--output", output),
            *("--output-format", "parquet", "--output-column", "clean", "--output-element-delimiter", "\\t"),
        )
        table = pq.read_table(output)
        assert table.to_pydict() == {"id": ["a", "b"], "clean": ["一\t二", "三"]}
    uzushio(
        *("clean", tmp_path / "a.parquet", "--config", "sudachiDictCorpus", "--output", tmp_path / "json"),
        *("--output-format", "jsonl"),
    )
    (path,) = (tmp_path / "json").glob("*.jsonl.gz")
    assert [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()] == [
        {"id": "a", "document": "一\n二"},
        {"id": "b", "document": "三"},
    ]


def test_delimiters(tmp_path: Path, uzushio: Uzushio) -> None:
    """Of input and output, on the command line and in the configuration."""
    (tmp_path / "a.conf").write_text(
        'stages: [{"class": "Identity"}], input: {"delimiter": "<>"}, output: {"delimiter": "\\n==\\n"}',
        encoding="utf-8",
    )
    (tmp_path / "a").write_text("一\n\n二<>三<>", encoding="utf-8")
    uzushio("clean", tmp_path / "a", "--config", tmp_path / "a.conf", "--output", tmp_path / "out")
    assert text_of(tmp_path / "out") == "一\n\n二\n==\n三\n==\n"
    uzushio(
        *("clean", tmp_path / "a", "--config", tmp_path / "a.conf", "--output", tmp_path / "lines"),
        *("--input-delimiter", "\\n", "--output-delimiter", "\\n\\n"),
    )
    assert text_of(tmp_path / "lines") == "一\n\n二<>三<>\n\n"


def test_delimiters_may_be_nothing(tmp_path: Path, uzushio: Uzushio) -> None:
    """Between elements, and behind documents."""
    (tmp_path / "a.txt").write_text("一\n二\n\n三\n", encoding="utf-8")
    uzushio(
        *("clean", tmp_path / "a.txt", "--config", "sudachiDictCorpus", "--output", tmp_path / "out"),
        *("--output-delimiter", "", "--output-element-delimiter", ""),
    )
    assert text_of(tmp_path / "out") == "一二三"


def test_the_column_is_named(tmp_path: Path, uzushio: Uzushio) -> None:
    """The option that names the column of texts is that of this command."""
    (tmp_path / "a.jsonl").write_text('{"text": "一"}\n', encoding="utf-8")
    arguments = ("clean", tmp_path / "a.jsonl", "--config", "sudachiDictCorpus", "--output", tmp_path / "out")
    assert "--input-column" in uzushio(*arguments, code=2).stderr
    uzushio(*arguments, "--input-column", "text")
    assert text_of(tmp_path / "out") == "一\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--config", "chitr"], "did you mean chitra?"),
        (["--config", "rmTemplate", "--set", "RemoveShortDocument.mn=1"], "did you mean min?"),
        (["--config", "rmTemplate", "--set", "RemoveShortDocumen.min=1"], "did you mean RemoveShortDocument?"),
        (["--config", "rmTemplate", "--set", "stages.9.min=1"], "there are 5 stages"),
        (["--config", "rmTemplate", "--set", "min=1"], "is no key"),
        (["--config", "rmTemplate", "--set", "stages.1x.min=1"], "there are 5 stages, from stages.0 on"),
        (["--config", "names.conf", "--set", "stages.0.min=1"], "needs a `class`"),
        (["--config", "names.conf", "--set", "input.format=text"], "input: has no keys"),
        (["--config", "rmTemplate", "-P", "template=none.txt"], "has no ${template}"),
        (["--config", "rmTemplate", "--set", "input.delimitr=1"], "did you mean delimiter?"),
        (["--config", "rmTemplate", "-P", "templates=none.txt"], "'none.txt'"),
        (["--config", "rmTemplate", "--input-delimiter", ""], "input.delimiter: is empty"),
        (["--config", "rmTemplate", "--set", "RemoveSubstring.delim="], "delim: is empty"),
        (["--config", "empty.conf"], "delim: is empty"),
        (["--config", "rmTemplate", "--input-format", "xml"], "none of text, parquet and jsonl"),
        (["--config", "rmTemplate", "--output-format", "xml"], "none of text, parquet, jsonl"),
        (["--config", "a.conf"], "a.conf:3: stages[1].class: there is no filter 'RemoveURLs'; did you mean RemoveURL?"),
    ],
)
def test_mistakes_are_said(tmp_path: Path, uzushio: Uzushio, arguments: list[str], said: str) -> None:
    """What is wrong, where, and what may be meant; nothing is written."""
    (tmp_path / "a.txt").write_text("一\n", encoding="utf-8")
    (tmp_path / "a.conf").write_text(
        'stages: [\n  {"class": "RemoveEmail"}\n  {"class": "RemoveURLs"}\n]\n', encoding="utf-8"
    )
    (tmp_path / "empty.conf").write_text('stages: [{"class": "SplitElement", "delim": ""}]', encoding="utf-8")
    (tmp_path / "names.conf").write_text('stages: ["Identity"], input: "text"', encoding="utf-8")
    arguments = [str(tmp_path / one) if one.endswith(".conf") else one for one in arguments]
    done = uzushio("clean", tmp_path / "a.txt", "--output", tmp_path / "out", *arguments, code=2)
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_templates_in_another_file(tmp_path: Path, uzushio: Uzushio) -> None:
    """Are other templates, whatever line ends they have, and make it another run."""
    (tmp_path / "a.txt").write_text("一\n二\n三\n四", encoding="utf-8")
    (tmp_path / "a.conf").write_text(
        'stages: [{"class": "RemoveSubstring", "path": ${templates}, "matchSentence": true}]', encoding="utf-8"
    )
    templates = tmp_path / "templates.txt"
    arguments = ("clean", tmp_path / "a.txt", "--config", tmp_path / "a.conf", "-P", f"templates={templates}")
    templates.write_bytes("\ufeff一\r\n二\r\n\r\n四\r\n".encode())
    uzushio(*arguments, "--output", tmp_path / "out")
    assert text_of(tmp_path / "out") == "三\n\n"
    templates.write_text("三", encoding="utf-8")
    uzushio(*arguments, "--output", tmp_path / "out", code=2)


def test_text_stands_beside_nothing_else(tmp_path: Path, uzushio: Uzushio) -> None:
    """Whichever comes first."""
    (tmp_path / "a.txt").write_text("一", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"document": "二"}\n', encoding="utf-8")
    for names in (("a.txt", "b.jsonl"), ("b.jsonl", "a.txt")):
        inputs = [tmp_path / name for name in names]
        done = uzushio("clean", *inputs, "--config", "sudachiDictCorpus", "--output", tmp_path / "out", code=2)
        assert "plain text" in done.stderr


def test_an_output_may_be_called_as_a_configuration(
    tmp_path: Path, uzushio: Uzushio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration is another file."""
    (tmp_path / "a.txt").write_bytes("一\r\n一\r\n".encode())
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        uzushio(
            *("clean", "a.txt", "--config", "sudachiDictCorpus", "--output", "sudachiDictCorpus", "--overwrite"),
            *("--input-delimiter", "\\r\\n"),
        )
    assert text_of(tmp_path / "sudachiDictCorpus") == "一\n"


def test_elements_are_bounded(tmp_path: Path, uzushio: Uzushio) -> None:
    """A document of more than there is room for is refused, with what would do."""
    (tmp_path / "a.txt").write_text("a\n" * 2_000_000, encoding="utf-8")
    arguments = ("clean", tmp_path / "a.txt", "--config", "sudachiDictCorpus", "--threads", 1)
    done = uzushio(*arguments, "--output", tmp_path / "out", "--memory", "192MiB", code=2)
    assert "elements" in done.stderr
    assert "--memory" in done.stderr
    assert not (tmp_path / "out").exists()
    uzushio(*arguments, "--output", tmp_path / "out", "--memory", "4GiB")


def test_who_sees_documents_once_refuses_to_compare_them(tmp_path: Path, uzushio: Uzushio) -> None:
    """`metrics`, `hosts` and `explain`."""
    (tmp_path / "a.conf").write_text('filters: [{"class": "DeduplicateElement"}]', encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"docId": "a", "text": "一", "url": "http://x/"}\n', encoding="utf-8")
    for command in ("metrics", "hosts"):
        output = tmp_path / command
        done = uzushio(command, tmp_path / "a.jsonl", "--config", tmp_path / "a.conf", "--output", output, code=2)
        assert "DeduplicateElement compares all documents of a run" in done.stderr
        assert not output.exists()
    uzushio("filter", tmp_path / "a.jsonl", "--config", tmp_path / "a.conf", "--output", tmp_path / "clean")
    done = uzushio("explain", "a", "--in", tmp_path / "clean", code=2)
    assert "explain looks at one" in done.stderr


def test_a_run_is_done_once(tmp_path: Path, uzushio: Uzushio) -> None:
    """The same run is done once; with another configuration it is refused."""
    (tmp_path / "a.txt").write_text("一\n二\n", encoding="utf-8")
    arguments = ("clean", tmp_path / "a.txt", "--config", "sudachiDictCorpus", "--output", tmp_path / "out")
    uzushio(*arguments)
    assert "was complete already" in uzushio(*arguments).stderr
    uzushio(*arguments, "--output-delimiter", "\\n\\n", code=2)
