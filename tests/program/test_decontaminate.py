"""`uzushio decontaminate`: the documents of the filter `Contamination`, and a report of the items that others have."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from contamination_items import QUESTION, changed, configure, make_items, row_of, words, write_documents, write_items
from contamination_oracle import Index, fold
from program import Uzushio, read_json

REPORT = ".uzushio/contamination.pq"


def report_of(output: Path) -> list[dict[str, Any]]:
    """Its rows."""
    return [dict(row) for row in pq.read_table(output / REPORT).to_pylist()]


@pytest.mark.parametrize("seed", range(2))
def test_keeps_what_the_filter_keeps(uzushio: Uzushio, tmp_path: Path, seed: int) -> None:
    """Rows as they are; of each other document, the items that the oracle finds, and where."""
    choose = random.Random(200 + seed)
    items = make_items(seed, 60)
    index = Index(items)
    texts = ["", words(choose, 500)]
    for _ in range(100):
        some = [changed(item, choose) for item in choose.choices(items, k=choose.choice([1, 1, 2, 5]))]
        texts.append("\n\n".join(words(choose, 200) + "\n\n" + one for one in some))
    documents = write_documents(tmp_path / "documents.parquet", texts)
    against = write_items(tmp_path / "some.jsonl", [{"id": f"i{n}", **row_of(item)} for n, item in enumerate(items, 1)])
    output = tmp_path / "out"
    summary = tmp_path / "summary.json"
    uzushio("decontaminate", documents, "--against", against, "--output", output, "--summary", summary)
    config = configure(tmp_path / "chain.conf", against=against)
    uzushio("filter", documents, "--config", config, "--output", tmp_path / "filtered")
    kept = pq.read_table(output, partitioning=None)
    filtered = pq.read_table(tmp_path / "filtered")["docId"].to_pylist()
    assert kept["docId"].to_pylist() == ["d0", *filtered]  # the filter leaves documents without text out
    rows = {row["docId"]: row for row in pq.read_table(documents).to_pylist()}
    assert kept.to_pylist() == [rows[name] for name in kept["docId"].to_pylist()]

    uzushio("filter", documents, "--output", tmp_path / "plain")
    plain = {row["docId"]: row["text"] for row in pq.read_table(tmp_path / "plain").to_pylist()}
    found = report_of(output)
    by_document = {name: index.share(plain.get(name, "")) for name in rows}
    best = {name: max((r["share"] for r in found if r["docId"] == name), default=0.0) for name in rows}
    assert best == pytest.approx({name: share if share > 0.5 else 0.0 for name, (share, _) in by_document.items()})
    assert len(found) > 50
    for row in found:
        text = plain[row["docId"]]
        question, answer, choices = items[row["row"] - 1]
        parts = {"question": [question], "answer": [answer or ""], "choice": choices}[row["part"]]
        assert row["itemId"] == f"i{row['row']}"
        assert (row["benchmark"], row["file"]) == ("some", against)
        assert text[row["start"] : row["start"] + row["length"]] == row["text"]
        assert len(fold(row["text"])) == row["longest"] >= 5
        assert any(fold(row["text"]) in fold(part) for part in parts)
        assert row["covered"] / row["counted"] == row["share"] > 0.5
    counts = read_json(summary)
    assert counts["documents"] == len(texts) == counts["kept"] + counts["contaminated"]
    assert counts["kept"] == kept.num_rows
    assert counts["rows"] == len(found)
    assert [one["found"] for one in counts["benchmarks"]] == [len({row["row"] for row in found})]


def test_says_what_was_found(uzushio: Uzushio, tmp_path: Path) -> None:
    """The terminal has a line for each benchmark, and `explain` says why a document was removed."""
    documents = tmp_path / "documents.jsonl"
    texts = ["関係のない文章です。", f"前の文。\n\n「{QUESTION}」\n\n答え：七個です。"]
    lines = [{"docId": f"d{n}", "url": f"http://a.jp/{n}", "text": text} for n, text in enumerate(texts)]
    documents.write_text("".join(json.dumps(line) + "\n" for line in lines))
    items = write_items(tmp_path / "math.jsonl", [{"question": "短い"}, {"question": QUESTION}])
    other = write_items(tmp_path / "other.jsonl", [{"question": "どの文書にもない、長い問題の文です"}])
    run = ("decontaminate", documents, "--against", items, other, "--output", tmp_path / "out")
    said = uzushio(*run).stderr
    assert "decontaminate: 2 documents = 1 kept + 1 contaminated" in said
    assert re.search(r"\n  math +2 +1 +1\n  other +1 +0 +0\n", said), said
    assert "math.jsonl: 1 of 2 items cannot be found: 1 too short, 0 boilerplate; rows 1" in said
    (row,) = report_of(tmp_path / "out")
    assert row == {
        "benchmark": "math",
        "file": items,
        "row": 2,
        "itemId": "",
        "docId": "d1",
        "url": "http://a.jp/1",
        "part": "question",
        "start": texts[1].index(QUESTION),
        "length": len(QUESTION) - 1,
        "text": QUESTION[:-1],
        "longest": len(fold(QUESTION)),
        "covered": len(fold(QUESTION)) - 4,
        "counted": len(fold(QUESTION)) - 4,
        "share": 1.0,
    }
    assert "was complete already" in uzushio(*run).stderr
    said = uzushio("explain", "d1", "--in", tmp_path / "out").stdout
    assert f"{len(fold(QUESTION)) - 4} of {len(fold(QUESTION)) - 4} pieces of item {items}:2" in said
    uzushio("filter", tmp_path / "out", "--output", tmp_path / "again")
    assert pq.read_table(tmp_path / "again")["docId"].to_pylist() == ["d0"]


def test_names_answers_that_are_no_choices(uzushio: Uzushio, tmp_path: Path) -> None:
    """A place from 1 as a text; what is a choice by text, letter or place needs no warning."""
    documents = tmp_path / "documents.jsonl"
    documents.write_text(json.dumps({"text": "関係のない文章です。"}) + "\n")
    choices = ["一番目の長い選択肢", "二番目の長い選択肢"]
    answers = ["2", choices[0], "B", 1, "３番"]
    items = write_items(tmp_path / "items.jsonl", [{"question": QUESTION, "choices": choices, "answer": answers[0]}])
    run = ("decontaminate", documents, "--against")
    said = uzushio(*run, items, "--output", tmp_path / "one").stderr
    assert "items.jsonl: 1 of 1 answers are none of the choices, by text, label, letter or place from 0" in said
    lines = [{"question": f"{QUESTION}{n}", "choices": choices, "answer": answer} for n, answer in enumerate(answers)]
    items = write_items(tmp_path / "all.jsonl", [*lines, {"question": QUESTION, "answer": "自由な答え"}])
    said = uzushio(*run, items, "--output", tmp_path / "all").stderr
    assert "all.jsonl: 2 of 6 answers are none of the choices" in said
    assert "looked for as texts of their own; rows 1, 5" in said


def test_options_are_those_of_the_filter(uzushio: Uzushio, tmp_path: Path) -> None:
    """Columns, the threshold, and what is distinguished."""
    text = "Ｃ＋＋言語のﾌﾟﾛｸﾞﾗﾑで、かたかな と ＡＢＣ を 使う例を　１つ示せ。"
    documents = write_documents(
        tmp_path / "documents.parquet", ["c言語のプログラムでカタカナとabcを使う例を1つ、示せ", text, text[:20]]
    )
    items = write_items(tmp_path / "items.jsonl", [{"q": text, "a": "B", "one": "選択肢", "two": "別の選択肢"}])
    columns = ["--question", "q", "--answer", "a", "--choices", "one", "--choices", "two", "--overwrite"]

    def kept(*options: object) -> list[str]:
        output = tmp_path / "out"
        uzushio("decontaminate", documents, "--against", items, *columns, "--output", output, *options)
        return [str(name) for name in pq.read_table(output, partitioning=None)["docId"].to_pylist()]

    assert kept() == ["d2"]
    assert kept("--high", "1") == ["d0", "d1", "d2"]
    assert kept("--high", "0.3") == []
    assert kept("--distinguish", "width,kana", "--high", "0.5") == ["d0", "d2"]
    wrong = ("decontaminate", documents, "--against", items, "--output", tmp_path / "x", "--distinguish", "size")
    said = uzushio(*wrong, code=2).stderr
    assert "--distinguish: 'size' is none of width, case, kana, spaces and punctuation" in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("question,answer\n", "items.jsonl:1: is no JSON object .no-json.; benchmarks are Parquet, or lines"),
        ('{"q": "x"}\n', "--against .*items.jsonl:1: there is no column 'question'"),
        ('{"question": "短い"}\n', "--against: no item can be found"),
        (None, "items.jsonl"),
    ],
)
def test_errors_say_where(uzushio: Uzushio, tmp_path: Path, content: str | None, message: str) -> None:
    """Nothing is written."""
    documents = write_documents(tmp_path / "documents.parquet", ["文章"])
    if content is not None:
        (tmp_path / "items.jsonl").write_text(content)
    run = ("decontaminate", documents, "--against", tmp_path / "items.jsonl", "--output", tmp_path / "out")
    assert re.search(message, uzushio(*run, code=2).stderr)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("option", "name"), [("choices", "choise"), ("answer", "labl"), ("item-id-column", "nope")])
def test_columns_that_no_file_has(uzushio: Uzushio, tmp_path: Path, option: str, name: str) -> None:
    """One that was named is refused, in lines of JSON and Parquet; one that a file of several has is not."""
    documents = write_documents(tmp_path / "documents.parquet", ["文章"])
    rows = [{"question": QUESTION, "choices": ["五個です", "七個です"]}]
    items: list[object] = [write_items(tmp_path / "items.jsonl", rows), tmp_path / "items.parquet"]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "items.parquet")
    run = ["decontaminate", documents, f"--{option}", name, "--output", tmp_path / "out", "--against"]
    for item in items:
        said = uzushio(*run, item, code=2).stderr
        assert f"there is no column '{name}', only question, choices" in said
        assert f"by --{option}" in said
    write_items(tmp_path / "more.jsonl", [{"question": QUESTION, name: "一個"}])
    uzushio(*run, *items, tmp_path / "more.jsonl")
