"""`uzushio overlap` against sets of plain Python."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Uzushio, read_json

KINDS = ("urls", "documents", "paragraphs")
Rows = list[dict[str, Any]]


def text_of(choose: random.Random, marked: bool) -> str:
    """Some of fifty paragraphs, as they are or with paths and link marks; some are empty."""
    paragraphs = []
    for _ in range(choose.randrange(5)):
        number = min(choose.randrange(50), choose.randrange(50))
        plain = f"これは {number} 番の段落です。" if number else ""
        link = plain.replace("段落", "\x02段落\x03") if choose.random() < 0.5 else plain
        paragraphs.append(f"body>p#x{choose.randrange(9)}\x1c{link}" if marked else plain)
    return "\n\n".join(paragraphs)


def random_rows(choose: random.Random, count: int, marked: bool) -> Rows:
    """Documents of few URLs and few paragraphs; some have no URL, some are said again."""
    rows: Rows = []
    for _ in range(count):
        url = choose.choice([None, "", *[f"http://a.jp/{choose.randrange(count)}" for _ in range(6)]])
        rows.append({"url": url, "text": text_of(choose, marked)})
    return rows + [choose.choice(rows) for _ in range(count // 5)]


def plain_paragraphs(text: str) -> list[str]:
    """Without paths and marks."""
    plain = [re.sub("[\x02\x03]", "", part.rpartition("\x1c")[2]) for part in text.split("\n\n")]
    return [part for part in plain if part]


def values_of(rows: Rows) -> dict[str, set[Any]]:
    """The values of each kind."""
    texts = [tuple(plain_paragraphs(row["text"] or "")) for row in rows]
    return {
        "urls": {row["url"] for row in rows if row.get("url")},
        "documents": {text for text in texts if text},
        "paragraphs": {paragraph for text in texts for paragraph in text},
    }


def overlaps(values: dict[str, dict[str, set[Any]]]) -> Rows:
    """The table, of values by dataset and kind; of datasets that have the kind."""
    table = []
    for kind in KINDS:
        for a, b in itertools.combinations([name for name in values if kind in values[name]], 2):
            left, right = values[a][kind], values[b][kind]
            both, either = len(left & right), len(left | right)
            row = {"kind": kind, "a": a, "b": b, "countA": len(left), "countB": len(right)}
            row |= {"both": both, "either": either, "shareOfA": both / len(left) if left else 0.0}
            table.append(
                row | {"shareOfB": both / len(right) if right else 0.0, "jaccard": both / either if either else 0.0}
            )
    return table


def write(folder: Path, form: str, rows: Rows) -> Path:
    """A dataset."""
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), folder.with_suffix(".parquet"), row_group_size=37)
        return folder.with_suffix(".parquet")
    folder.mkdir()
    for number in range(3):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[number::3])
        (folder / f"{number}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


def table_of(output: Path) -> Rows:
    """The rows that were written."""
    rows: Rows = pq.read_table(output / "overlap.parquet").to_pylist()
    return rows


@pytest.fixture(name="datasets")
def make_datasets(tmp_path: Path) -> dict[str, Rows]:
    """Datasets by path: of Parquet and JSON Lines, with markup and without; one is empty of texts."""
    choose = random.Random(1)
    made = {}
    for number, (form, count) in enumerate([("parquet", 400), ("jsonl", 250), ("parquet", 30), ("jsonl", 9)]):
        rows = random_rows(choose, count, marked=number % 2 == 0)
        if number == 3:
            rows = [{**row, "text": ""} for row in rows]
        made[str(write(tmp_path / f"d{number}", form, rows))] = rows
    return made


def test_as_sets_have_it(tmp_path: Path, uzushio: Uzushio, datasets: dict[str, Rows]) -> None:
    """The same bytes for any number of threads, any memory; what is said and what stands in the mark, too."""
    wanted = overlaps({name: values_of(rows) for name, rows in datasets.items()})
    written = set()
    resources = ("--threads 1", "--threads 3 --memory 320MiB", "--memory 1GiB")
    for number, options in enumerate(resources):
        output = tmp_path / f"out{number}"
        summary = tmp_path / "summary.json"
        said = uzushio("overlap", *datasets, "--output", output, *options.split(), "--summary", summary).stderr
        assert table_of(output) == wanted
        told = read_json(summary)
        assert told["overlaps"] == wanted == read_json(output / ".uzushio/manifest.json")["counts"]["overlaps"]
        assert [one["documents"] for one in told["datasets"]] == [len(rows) for rows in datasets.values()]
        assert "overlap: 4 datasets\n" in said
        assert f"{100 * wanted[0]['shareOfA']:.2f} %" in said
        written.add(((output / "overlap.parquet").read_bytes(), (output / ".uzushio/manifest.json").read_bytes()))
    assert len(written) == 1
    assert "was complete already" in uzushio("overlap", *datasets, "--output", tmp_path / "out0").stderr


def test_what_is_read_is_counted(tmp_path: Path, uzushio: Uzushio, datasets: dict[str, Rows]) -> None:
    """Documents, those without text or URL, paragraphs; bad lines are put aside."""
    name = next(name for name in datasets if name.endswith("d1"))
    with gzip.open(Path(name) / "0.jsonl.gz", "ab") as file:
        file.write(b"no JSON\n")
    uzushio("overlap", *datasets, "--output", tmp_path / "out", "--max-bad", 0, code=3)
    counts = read_json(tmp_path / "out" / ".uzushio/manifest.json")["counts"]
    assert sum(counts["quarantined"].values()) == 1
    assert (tmp_path / "out" / ".uzushio/quarantine").is_dir()
    for told, rows in zip(counts["datasets"], datasets.values(), strict=True):
        values = values_of(rows)
        assert told["distinct"] == {kind: len(values[kind]) for kind in KINDS}
        assert told["documents_without_text"] == sum(not plain_paragraphs(row["text"]) for row in rows)
        assert told["documents_without_url"] == sum(not row["url"] for row in rows)
        assert told["paragraphs"] == sum(len(plain_paragraphs(row["text"])) for row in rows)


def test_statistics_and_plain_text(tmp_path: Path, uzushio: Uzushio, datasets: dict[str, Rows]) -> None:
    """Have paragraphs; plain text documents, too. Statistics that lack some are warned of."""
    first = next(iter(datasets))
    uzushio("stats", first, "--output", tmp_path / "s", "--intermediate")
    texts = ["\n\n".join(plain_paragraphs(row["text"])) for row in datasets[first]]
    lines = tmp_path / "a.txt"
    lines.write_text("\n\n".join(text for text in texts if text), encoding="utf-8")
    names = [first, str(tmp_path / "s"), str(lines)]
    said = uzushio("overlap", *names, "--output", tmp_path / "out").stderr
    assert "warning" not in said
    values = values_of(datasets[first])
    paragraphs = values["paragraphs"]
    plain = {"documents": {(one,) for one in paragraphs}, "paragraphs": paragraphs}
    wanted = overlaps({names[0]: values, names[1]: {"paragraphs": paragraphs}, names[2]: plain})
    assert table_of(tmp_path / "out") == wanted
    uzushio("stats", first, "--output", tmp_path / "final")
    said = uzushio("overlap", first, tmp_path / "final", "--output", tmp_path / "out2").stderr
    assert f"warning: {tmp_path}/final: these statistics lack paragraphs that occur once" in said


def test_columns(tmp_path: Path, uzushio: Uzushio) -> None:
    """Of other names; a dataset without URLs is left out of these."""
    for name, url in (("a", "link"), ("b", "link"), ("c", "url")):
        rows = [{url: f"http://{number}", "body": f"text {number}"} for number in range(ord(name) - 95)]
        write(tmp_path / name, "jsonl", rows)
    datasets = [tmp_path / name for name in "abc"]
    options = ("--text-column", "body", "--url-column", "link")
    uzushio("overlap", *datasets, "--output", tmp_path / "out", *options)
    pairs = [(row["kind"], Path(row["a"]).name + Path(row["b"]).name) for row in table_of(tmp_path / "out")]
    of_all = [(kind, pair) for kind in KINDS[1:] for pair in ("ab", "ac", "bc")]
    assert pairs == [("urls", "ab"), *of_all]


def test_errors(tmp_path: Path, uzushio: Uzushio) -> None:
    """Say what to do, and nothing is written."""
    a = write(tmp_path / "a", "jsonl", [{"text": "x", "url": 5}])
    b = write(tmp_path / "b", "parquet", [{"hash": 5, "exactFreq": 1}])
    out = ["--output", tmp_path / "out"]
    for datasets, said in (
        ([a], "name two datasets or more"),
        ([a, a], f"{a}: named twice"),
        ([f"{a}/{number}" for number in range(65)], "65 datasets: at most 64"),
        ([a, tmp_path / "c"], f"{tmp_path}/c: no such file or folder"),
        ([a, b], "url"),
        ([b, a], "these are no statistics"),
    ):
        assert said in uzushio("overlap", *datasets, *out, code=2).stderr
    assert not (tmp_path / "out").exists()
