"""`Contamination` through the program and the module: against its oracle, columns, options, messages, explanations."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from contamination_items import QUESTION, changed, configure, make_items, row_of, words, write_documents, write_items
from contamination_oracle import Index, fold
from program import Uzushio


def measure(uzushio: Uzushio, documents: Path, **parameters: Any) -> list[float]:
    """The metric of each document."""
    config = configure(documents.parent / "chain.conf", **parameters)
    output = documents.parent / "metrics"
    uzushio("metrics", documents, "--config", config, "--output", output, "--overwrite")
    table = pq.read_table(output / "metrics.parquet")
    return [float(value) for value in table.column(1).to_pylist()]


@pytest.mark.parametrize("seed", range(3))
def test_is_its_oracle(uzushio: Uzushio, tmp_path: Path, seed: int) -> None:
    """Of documents with whole items, changed ones, several and none; for JSON and Parquet alike."""
    choose = random.Random(100 + seed)
    items = make_items(seed, 90)
    index = Index(items)
    texts = ["", words(choose, 500)]
    for _ in range(150):
        some = [changed(item, choose) for item in choose.choices(items, k=choose.choice([1, 1, 2, 5]))]
        texts.append("\n\n".join(words(choose, 200) + "\n\n" + one for one in some))
    texts.append(items[1][0] * 30)
    documents = write_documents(tmp_path / "documents.parquet", texts)
    rows = [row_of(item) for item in items]
    wanted = [index.share(text)[0] for text in texts]
    assert len(set(wanted)) > 50
    assert measure(uzushio, documents, against=write_items(tmp_path / "items.jsonl", rows)) == pytest.approx(wanted)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "items.parquet")
    assert measure(uzushio, documents, against=[str(tmp_path / "items.parquet")]) == pytest.approx(wanted)


def test_forms_of_characters_are_folded(uzushio: Uzushio, tmp_path: Path) -> None:
    """By default all; each option takes one away."""
    text = "Ｃ＋＋言語のﾌﾟﾛｸﾞﾗﾑで、かたかな と ＡＢＣ を 使う例を　１つ示せ。"
    other = "c言語のプログラムでカタカナとabcを\n使う例を1つ、示せ"
    assert fold(text) == fold(other)
    documents = write_documents(tmp_path / "documents.parquet", [other])
    items = write_items(tmp_path / "items.jsonl", [{"question": text}])
    assert measure(uzushio, documents, against=items) == [1]
    for option in ("width", "case", "kana", "spaces", "punctuation"):
        assert measure(uzushio, documents, against=items, **{option: False})[0] < 1, option


@pytest.mark.parametrize(
    ("row", "parameters"),
    [
        ({"question": QUESTION, "choices": ["五個です", "七個です"], "answer": 1}, {}),
        ({"question": QUESTION, "choices": ["五個です", "七個です"], "answer": "B"}, {}),
        ({"question": QUESTION, "choices": ["五個です", "七個です"], "answer": "七個です"}, {}),
        ({"question": QUESTION, "choices": {"text": ["五個です", "七個です"], "label": ["1", "2"]}, "answer": "2"}, {}),
        (
            {"q": QUESTION, "choice0": "五個です", "choice1": "七個です", "label": 1},
            {"question": "q", "choices": ["choice0", "choice1"], "answer": "label"},
        ),
        ({"question": QUESTION, "answer": "七個です"}, {"choices": []}),
    ],
)
def test_columns_of_benchmarks(
    uzushio: Uzushio, tmp_path: Path, row: dict[str, Any], parameters: dict[str, Any]
) -> None:
    """Question and answer are enough, whichever way the answer is given, in JSON and Parquet."""
    documents = write_documents(
        tmp_path / "documents.parquet", [QUESTION + "\n\n答えは、七個です。", QUESTION + "五個です"]
    )
    items = write_items(tmp_path / "items.jsonl", [row])
    found = measure(uzushio, documents, against=items, **parameters)
    assert found[0] == 1
    assert found[1] < 1
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "items.parquet")
    assert measure(uzushio, documents, against=str(tmp_path / "items.parquet"), **parameters) == found


def test_removes_and_explains(uzushio: Uzushio, tmp_path: Path) -> None:
    """The reason is a folder; `explain` names the item, how much of it there is, and where."""
    text = QUESTION.replace("１２", "30")
    documents = write_documents(
        tmp_path / "documents.parquet", ["関係のない文章です。", f"前の文。\n\n{text}\n\n答え：七個です。"]
    )
    items = write_items(
        tmp_path / "items.jsonl", [{"question": "まったく別の問題で長さは十分"}, {"question": QUESTION}]
    )
    config = configure(tmp_path / "chain.conf", against=items)
    options = ["--config", config, "--output", tmp_path / "out"]
    uzushio("filter", documents, *options, "--mode", "partitioned")
    assert pq.read_table(tmp_path / "out" / "filter=none")["docId"].to_pylist() == ["d0"]
    assert pq.read_table(tmp_path / "out" / "filter=Contamination.High(0.5)")["docId"].to_pylist() == ["d1"]
    said = uzushio("explain", "d1", "--in", tmp_path / "out").stdout
    index = Index([(QUESTION, None, [])])
    _, covered, pieces = index.compare(0, fold(text))
    assert covered < pieces
    assert re.search(
        rf"; {covered} of {pieces} pieces of item \S*items\.jsonl:2, \d+ characters in a row: "
        r"\S*持っています。花子さんに",
        said,
    ), said


def test_says_what_cannot_be_found(uzushio: Uzushio, tmp_path: Path) -> None:
    """Items that are too short are counted in the mark of the output; it is an error if all are."""
    documents = write_documents(tmp_path / "documents.parquet", ["文章"])
    items = write_items(
        tmp_path / "items.jsonl", [{"question": "短い"}, {"question": QUESTION}, {"question": QUESTION}]
    )
    config = configure(tmp_path / "chain.conf", against=items)
    uzushio("filter", documents, "--config", config, "--output", tmp_path / "out")
    counted = "3 items, 1 are too short, 0 are boilerplate, 1 are repeated"
    assert counted in (tmp_path / "out" / ".uzushio/manifest.json").read_text()
    write_items(tmp_path / "items.jsonl", [{"question": "短い"}])
    said = uzushio("filter", documents, "--config", config, "--output", tmp_path / "none", code=2).stderr
    assert "against: no item can be found; of 1 items, 1 are too short" in said


def test_another_benchmark_is_another_run(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same file with other items does not pass for what was made."""
    documents = write_documents(tmp_path / "documents.parquet", ["文章"])
    items = write_items(tmp_path / "items.jsonl", [{"question": QUESTION}])
    command = (
        "filter",
        documents,
        "--config",
        configure(tmp_path / "chain.conf", against=items),
        "--output",
        tmp_path / "out",
    )
    uzushio(*command)
    write_items(tmp_path / "items.jsonl", [{"question": QUESTION + "理由も述べなさい"}])
    assert "another configuration" in uzushio(*command, code=2).stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"q": "x"}\n', "items.jsonl:1: there is no column 'question'"),
        ('{"question": "x"}\n[]\n', "items.jsonl:2: is no JSON object"),
        ("", "items.jsonl: holds no items"),
        (None, "items.jsonl"),
    ],
)
def test_errors_say_where(uzushio: Uzushio, tmp_path: Path, content: str | None, message: str) -> None:
    """Of files that hold no items."""
    documents = write_documents(tmp_path / "documents.parquet", ["文章"])
    if content is not None:
        (tmp_path / "items.jsonl").write_text(content)
    config = configure(tmp_path / "chain.conf", against=str(tmp_path / "items.jsonl"))
    said = uzushio("filter", documents, "--config", config, "--output", tmp_path / "out", code=2).stderr
    assert message in said
