"""`uzushio report`: the data of its page, by which thresholds are moved without the documents."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import REMOVAL_OF_EACH_KIND, random_documents, write_corpus
from pipeline_pages import write_archive
from program import Uzushio, read_json, run_uzushio

SHARES = [
    "paragraph_fraction",
    "sentence_fraction",
    "paragraph_fraction_in_character",
    "sentence_fraction_in_character",
]
SHARES += [f"{n}gram_character_fraction" for n in range(5, 11)]
# Rules that remove nothing; some documents go by those that CHAIN has besides.
NO_RULES = {f"max_duplicate_{name}": 1 for name in SHARES} | {
    f"max_top_{n}gram_character_fraction": 1 for n in (2, 3, 4)
}
NO_RULES |= {"min_hiragana_fraction": 0, "max_katakana_fraction": 1, "min_japanese_fraction": 0}
NO_RULES |= {"min_num_japanese_letters": 0, "min_avg_sentence_length": 0}
NO_RULES |= {"max_avg_sentence_length": 10**6, "max_max_sentence_length": 10**6}
CHAIN: list[dict[str, Any]] = [
    *REMOVAL_OF_EACH_KIND,
    {"class": "NgWordRatio", "limit": 0.4},
    {"class": "WordInstances", "threshold": 9},
    {"class": "SwallowQuality", **NO_RULES, "min_num_letters": 60, "max_ellipsis_fraction": 0.4},
]
Page = dict[str, Any]


def page_data(page: Path) -> Page:
    """The data in a page."""
    text = page.read_text(encoding="utf-8")
    begin = text.index('id="data">') + len('id="data">')
    data: Page = json.loads(text[begin : text.index("</script>", begin)])
    return data


def array(encoded: str | None, kind: str, count: int) -> Any:
    """An array of a sample; zeros where there is none."""
    return np.zeros(count, kind) if encoded is None else np.frombuffer(base64.b64decode(encoded), kind)


def is_kept(table: Page) -> Any:
    """Which documents of the sample stay, by the rules that the page has of the chain."""
    sample = table["sample"]
    count = sample["documents"]
    values = [array(column, "<f4", count) for column in sample["values"]]
    kept = array(sample["characters"], "<u4", count) > 0
    if sample["fixedRemoved"] is not None:
        kept &= array(sample["fixedRemoved"], "u1", count) == 255
    for step in table["chain"]:
        for threshold in step["thresholds"]:
            metric, bound = values[threshold["column"]], np.float32(threshold["value"])
            kept &= ~{"<": metric < bound, ">": metric > bound, ">=": metric >= bound}[threshold["removes"]]
        if step["random"]:
            metric = values[step["random"]["column"]].astype(np.float64)
            with np.errstate(divide="ignore", invalid="ignore"):
                share = step["random"]["value"] / metric
            kept &= (metric <= 0) | (array(sample["random"], "<f8", count) <= share)
    return kept


def kept_numbers(table: Page) -> dict[str, int]:
    """Documents, characters and bytes of them."""
    kept, count = is_kept(table), table["sample"]["documents"]
    sizes = {name: array(table["sample"][name], "<u4", count) for name in ("characters", "bytes")}
    return {"documents": int(kept.sum())} | {name: int(size[kept].sum()) for name, size in sizes.items()}


def sums_of(counts: dict[str, int]) -> dict[str, int]:
    """The same of counts in a mark."""
    return {"documents": counts["documents"], "characters": counts["characters"], "bytes": counts["text_bytes"]}


@pytest.fixture(name="outputs", scope="module")
def make_outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents through a chain, and its metrics; the words of two filters are in `words.txt`."""
    folder = tmp_path_factory.mktemp("outputs")
    write_corpus(run_uzushio, folder, random_documents(11, 600))
    (folder / "words.txt").write_text("悪い\nだめ\n", encoding="utf-8")
    write_chain(folder / "chain.conf", folder, CHAIN)
    common = ["--config", folder / "chain.conf", "--stats", folder / "statistics"]
    run_uzushio("metrics", folder / "documents", "--output", folder / "metrics", *common)
    run_uzushio("filter", folder / "documents", "--output", folder / "passed", *common)
    return folder


def write_chain(path: Path, folder: Path, chain: list[dict[str, Any]]) -> None:
    """A configuration, with the word list where one is needed."""
    words = str(folder / "words.txt")
    lists: dict[str, dict[str, Any]] = {"NgWordRatio": {"list": [words]}, "WordInstances": {"list": words}}
    filters = [{**one, **lists.get(one["class"], {})} for one in chain]
    path.write_text(json.dumps({"filters": filters}), encoding="utf-8")


def test_the_sample_keeps_what_filter_keeps(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Of a sample that is the whole: each document, and the sums; by a chain with random and fixed filters."""
    uzushio("report", outputs / "metrics", outputs / "passed", "--output", tmp_path / "page.html")
    table = page_data(tmp_path / "page.html")["metrics"][0]
    assert table["sample"]["documents"] == table["sample"]["of"] == table["documents"] == 600
    passed = read_json(outputs / "passed" / ".uzushio/manifest.json")["counts"]["passed"]
    wanted = sums_of(passed)
    assert kept_numbers(table) == wanted
    assert 0 < wanted["documents"] < 600
    sample = table["sample"]
    of_all = {name: int(array(sample[f"all{name.title()}"], "<u4", 600).sum()) for name in ("characters", "bytes")}
    assert table["total"] == {"documents": 600} | of_all
    everything = read_json(outputs / "passed" / ".uzushio/manifest.json")["counts"]["input"]
    assert of_all == {"characters": everything["characters"], "bytes": everything["text_bytes"]}
    kinds = [(len(step["thresholds"]), step["random"] is not None, step["fixed"]) for step in table["chain"]]
    assert kinds[1:5] == [(0, False, False), (2, False, False), (0, True, False), (0, False, True)]


@pytest.mark.parametrize(
    ("changed", "at", "value"),
    [("HiraganaRatio", "low", 0.45), ("DocLength", "low", 90), ("SwallowQuality", "min_num_letters", 0)],
)
def test_moved_thresholds_are_those_of_filter(
    uzushio: Uzushio, outputs: Path, tmp_path: Path, changed: str, at: str, value: float
) -> None:
    """What the page finds out about another threshold, `filter` does with the changed chain."""
    uzushio("report", outputs / "metrics", "--output", tmp_path / "page.html")
    table = page_data(tmp_path / "page.html")["metrics"][0]
    before = kept_numbers(table)
    step = next(step for step in table["chain"] if step["class"] == changed)
    next(threshold for threshold in step["thresholds"] if threshold["parameter"] == at)["value"] = value
    chain = [{**one, at: value} if one["class"] == changed else one for one in CHAIN]
    write_chain(tmp_path / "chain.conf", outputs, chain)
    common = ["--config", tmp_path / "chain.conf", "--stats", outputs / "statistics"]
    uzushio("filter", outputs / "documents", "--output", tmp_path / "passed", *common)
    passed = read_json(tmp_path / "passed" / ".uzushio/manifest.json")["counts"]["passed"]
    found = kept_numbers(table)
    assert found == sums_of(passed)
    assert found != before


def test_columns_are_counted_exactly(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Bins and quantiles against numpy; what a threshold removes are whole bins."""
    uzushio("report", outputs / "metrics", "--output", tmp_path / "page.html")
    table = page_data(tmp_path / "page.html")["metrics"][0]
    rows = pq.read_table(outputs / "metrics" / "metrics.parquet")
    assert rows.column_names[-4:] == ["characters", "bytes", "keptCharacters", "keptBytes"]
    kept_bytes = rows["keptBytes"].to_numpy()
    for number, column in enumerate(table["columns"]):
        values = rows[column["name"]].to_numpy()
        edges = column["edges"]
        singles = values.astype(np.float32)
        assert len(edges) - 1 == len(column["documents"]) <= 256
        inner = np.searchsorted(np.array(edges[1:-1], np.float32), singles, side="right")
        assert column["documents"] == np.bincount(inner, minlength=len(edges) - 1).tolist()
        assert column["bytes"] == [int(kept_bytes[inner == bin].sum()) for bin in range(len(edges) - 1)]
        assert column["sum"] == pytest.approx(values.sum())
        assert (column["quantiles"]["values"][0], column["quantiles"]["values"][-1]) == (values.min(), values.max())
        for at, value in zip(column["quantiles"]["at"], column["quantiles"]["values"], strict=True):
            assert (values < value).mean() - 0.01 <= at <= (values <= value).mean() + 0.01
        assert column["meaning"]
        for step in table["chain"]:
            for threshold in step["thresholds"]:
                bound = np.float32(threshold["value"])
                if threshold["column"] == number and singles.min() < bound < singles.max():
                    assert float(bound) in edges


def test_the_page_is_the_same_again(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Whatever the threads and the memory; a page is replaced only when it is told so."""
    pages = []
    for number, options in enumerate((["--threads", 1], ["--threads", 4], ["--memory", "768MiB", "--threads", 2])):
        page = tmp_path / f"{number}.html"
        uzushio("report", outputs / "metrics", outputs / "passed", "--output", page, *options)
        pages.append(page.read_bytes())
    assert pages[0] == pages[1] == pages[2]
    again = ["report", outputs / "passed", "--output", tmp_path / "0.html"]
    assert "exists" in uzushio(*again, code=2).stderr
    assert (tmp_path / "0.html").read_bytes() == pages[0]
    uzushio(*again, "--overwrite")
    assert page_data(tmp_path / "0.html")["metrics"] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.html", "1.html", "2.html"]


@pytest.mark.parametrize("content", [b"", b"<!doctype html>\n<title>A thesis</title>\n", b"\xff" * 5000])
def test_replaces_pages_alone(uzushio: Uzushio, outputs: Path, tmp_path: Path, content: bytes) -> None:
    """Not what somebody else has written, whatever its name."""
    page = tmp_path / "page.html"
    page.write_bytes(content)
    for options in ([], ["--overwrite"]):
        failed = uzushio("report", outputs / "passed", "--output", page, *options, code=2)
        assert ("is no page of uzushio report" if options else "exists") in failed.stderr
    assert page.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_the_funnel_adds_up(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """What came in went out, or was removed for a reason; marks without characters, of earlier versions, are read."""
    shutil.copytree(outputs / "passed", tmp_path / "old")
    mark = read_json(tmp_path / "old" / ".uzushio/manifest.json")
    counts = mark["counts"]
    for one in (counts["input"], counts["passed"], counts["empty"], *counts["removed"]):
        del one["characters"]
    (tmp_path / "old" / ".uzushio/manifest.json").write_text(json.dumps(mark), encoding="utf-8")
    uzushio("report", outputs / "passed", tmp_path / "old", "--output", tmp_path / "page.html")
    data = page_data(tmp_path / "page.html")
    assert [stage["stage"] for stage in data["stages"]] == ["filter", "filter"]
    units = ["documents", "paragraphs", "bytes", "characters"]
    for stage, known in ((0, units), (1, units[:3])):
        rows = [row for row in data["funnel"] if row["stage"] == stage]
        assert [rows[0]["kind"], rows[-1]["kind"]] == ["input", "output"]
        for unit in known:
            assert rows[0][unit] == sum(row[unit] for row in rows[1:]) > 0
    assert {row["characters"] for row in data["funnel"] if row["stage"] == 1} == {None}
    removed = next(row for row in data["funnel"] if row["kind"] == "removed")
    assert (removed["label"], removed["class"], removed["step"]) == ("HiraganaRatio.Low(0.1)", "HiraganaRatio", 0)


HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- & -->",
    "a\u2028b\u2029c",
    "nul\x00in",
    '"\\\r\t',
    "\U0001f600<b>",
]


def test_hostile_texts_stay_texts(uzushio: Uzushio, tmp_path: Path) -> None:
    """In extracts, with their paragraphs, what removed them, and no more than some of a long one."""
    rows: list[dict[str, Any]] = [
        {"docId": f"{number} {text}", "url": text, "title": text, "text": f"body>p\x1c{text}\n\nbody>div\x1c{text}"}
        for number, text in enumerate(HOSTILE)
    ]
    rows.append({"docId": "long", "url": None, "title": None, "text": "\n\n".join(["長" * 300] * 40)})
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    chain = [{"class": "AdjacentDuplicateParagraphs"}, {"class": "DocLength"}]
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
    uzushio("metrics", tmp_path / "a.parquet", "--output", tmp_path / "metrics", "--config", tmp_path / "chain.conf")
    uzushio("report", tmp_path / "metrics", "--output", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script>") == 1 + text.count("<script>")
    assert "alert(1)<" not in text
    assert "\u2028" not in text
    (table,) = page_data(tmp_path / "page.html")["metrics"]
    extracts = {extract["docId"]: extract for extract in table["extracts"]}
    assert len(extracts) == len(rows)
    for row in rows[:-1]:
        extract = extracts[row["docId"]]
        plain = (row["text"] or "").split("\n\n")[0].split("\x1c")[1]
        assert (extract["url"], extract["title"], extract["cut"]) == (row["url"], row["title"], False)
        assert [paragraph["path"] for paragraph in extract["paragraphs"]] == ["body>p", "body>div"]
        assert [paragraph["removedBy"] for paragraph in extract["paragraphs"]] == [None, 0]
        assert extract["paragraphs"][0]["text"].split() == plain.replace("\0", " ").split()
    long = extracts["long"]
    assert long["cut"]
    assert (long["url"], long["title"]) == ("", None)
    assert 2000 < len("".join(paragraph["text"] for paragraph in long["paragraphs"]).encode()) <= 2048
    hashes = array(table["sample"]["values"][1], "<f4", len(rows))
    for extract in table["extracts"]:
        at = next(number for number, row in enumerate(rows) if row["docId"] == extract["docId"])
        lengths = pq.read_table(tmp_path / "metrics" / "metrics.parquet")["DocLength"].to_pylist()
        assert hashes[extract["row"]] == lengths[at]


def test_samples_are_the_least_hashes(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of more documents than a sample has, in several files and in one; extracts are of the first of them."""
    count = 20_000
    rows = [{"docId": f"d{number % 19_990}", "text": "あ" * (number % 97 + 1)} for number in range(count)]
    (tmp_path / "parts").mkdir()
    for part in range(3):
        table = pa.Table.from_pylist(rows[part * 7000 : (part + 1) * 7000])
        pq.write_table(table, tmp_path / "parts" / f"{part}.parquet", row_group_size=900)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "whole.parquet")
    found = []
    for name, threads in (("parts", 3), ("whole.parquet", 1)):
        output = tmp_path / f"{name}-metrics"
        given = ["--metric", "DocLength", "--threads", threads]
        uzushio("metrics", tmp_path / name, "--output", output, *given)
        uzushio("report", output, "--output", tmp_path / f"{name}.html", "--threads", threads)
        (table,) = page_data(tmp_path / f"{name}.html")["metrics"]
        found.append((table["sample"], table["columns"], table["extracts"]))
    assert found[0] == found[1]
    sample, _, extracts = found[0]
    assert (sample["documents"], sample["of"], len(extracts)) == (16384, count, 400)
    assert [extract["row"] for extract in extracts] == list(range(400))
    lengths = array(sample["values"][0], "<f4", 16384)
    assert lengths.mean() == pytest.approx(49, abs=1)
    assert all(len(extract["paragraphs"][0]["text"]) == lengths[extract["row"]] for extract in extracts)
    assert (tmp_path / "whole.parquet.html").stat().st_size < 10_000_000


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing", "there is nothing"),
        ("a.txt", "is a file"),
        ("empty", "has no manifest"),
        (".", "in it are"),
        ("stopped", "is not complete"),
        ("odd", "names no stage"),
        ("early", "run uzushio metrics again"),
        ("short", "rows, and its mark says"),
    ],
)
def test_says_what_is_no_output(uzushio: Uzushio, outputs: Path, tmp_path: Path, path: str, said: str) -> None:
    """With what is wanted; nothing is written."""
    (tmp_path / "a.txt").touch()
    for name in ("empty", "stopped", "odd"):
        (tmp_path / name).mkdir()
    (tmp_path / "stopped" / "_INCOMPLETE").touch()
    (tmp_path / "odd" / ".uzushio").mkdir()
    (tmp_path / "odd" / ".uzushio/manifest.json").write_text("{}")
    for name in ("early", "short"):
        shutil.copytree(outputs / "metrics", tmp_path / name)
    mark = read_json(tmp_path / "early" / ".uzushio/manifest.json")
    del mark["run"]["configuration"]["rules"]
    (tmp_path / "early" / ".uzushio/manifest.json").write_text(json.dumps(mark))
    rows = pq.read_table(tmp_path / "short" / "metrics.parquet")
    pq.write_table(rows.slice(1), tmp_path / "short" / "metrics.parquet")
    done = uzushio("report", tmp_path / path, "--output", tmp_path / "page.html", code=2)
    assert said in done.stderr
    assert str(tmp_path / path) in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_never_takes_the_place_of_an_input(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Even where it may replace files; nor is an output named twice."""
    shutil.copytree(outputs / "metrics", tmp_path / "metrics")
    for name in (".uzushio/manifest.json", "metrics.parquet", ".uzushio/sample.pq"):
        before = (tmp_path / "metrics" / name).read_bytes()
        uzushio("report", tmp_path / "metrics", "--output", tmp_path / "metrics" / name, "--overwrite", code=2)
        assert (tmp_path / "metrics" / name).read_bytes() == before
    twice = [tmp_path / "metrics", f"{tmp_path / 'metrics'}/"]
    assert "named twice" in uzushio("report", *twice, "--output", tmp_path / "page.html", code=2).stderr
    assert "is a folder" in uzushio("report", twice[0], "--output", tmp_path, code=2).stderr


PIPELINE = """
stages: [
  {name: zeroth, command: extract, input: ${input}}
  {name: statistics, command: stats, input: "@zeroth"}
  {name: measured, command: metrics, input: "@zeroth", stats: "@statistics", filters: ${filters}}
  {name: a-filter, command: filter, input: "@zeroth", stats: "@statistics", filters: ${filters}}
  {name: "10", command: minhash, input: "@a-filter", buckets: 10}
]
filters: [{class: DocLength, low: 50}, {class: LargeFreqParagraphs, count: 1, freq: 100}]
"""


def test_a_pipeline_is_its_stages(uzushio: Uzushio, tmp_path: Path) -> None:
    """In their order, with what their runs took; stages that are not done are left out, and said."""
    write_archive(tmp_path / "a.warc.gz", 60, 5)
    (tmp_path / "p.conf").write_text(PIPELINE, encoding="utf-8")
    run = ["run", tmp_path / "p.conf", "--input", tmp_path / "a.warc.gz", "--output", tmp_path / "out"]
    uzushio(*run)
    done = uzushio("report", tmp_path / "out", "--output", tmp_path / "page.html")
    assert "report: 5 outputs, 1 tables" in done.stderr
    data = page_data(tmp_path / "page.html")
    folder = str(tmp_path / "out")
    assert [(stage["name"], stage["stage"]) for stage in data["stages"]] == [
        (f"{folder}/zeroth", "extract"),
        (f"{folder}/statistics", "stats"),
        (f"{folder}/measured", "metrics"),
        (f"{folder}/a-filter", "filter"),
        (f"{folder}/10", "minhash"),
    ]
    assert all(stage["seconds"] > 0 and stage["peakMemory"] > 0 for stage in data["stages"])
    rows = data["funnel"]
    assert [row["stage"] for row in rows] == sorted(row["stage"] for row in rows)
    records = [row for row in rows if row["records"] is not None]
    documents = next(row for row in rows if row["kind"] == "output")
    assert records[0]["records"] == documents["documents"] + sum(row["records"] for row in records[1:])
    assert documents["characters"] > 0
    assert documents["bytes"] is None
    of_minhash = [row for row in rows if row["stage"] == 4]
    assert [row["label"] for row in of_minhash] == ["documents", "duplicates", "kept"]
    assert of_minhash[0]["documents"] == of_minhash[1]["documents"] + of_minhash[2]["documents"]
    (table,) = data["metrics"]
    assert kept_numbers(table)["documents"] == next(row for row in rows if row["label"] == "passed")["documents"]
    record = read_json(tmp_path / "out" / "_pipeline.json")
    record["steps"]["10"]["done"] = False
    (tmp_path / "out" / "_pipeline.json").write_text(json.dumps(record))
    done = uzushio("report", tmp_path / "out", "--output", tmp_path / "page.html", "--overwrite")
    assert "10: is not done yet, and left out" in done.stderr
    del record["order"]
    (tmp_path / "out" / "_pipeline.json").write_text(json.dumps(record))
    failed = uzushio("report", tmp_path / "out", "--output", tmp_path / "page.html", "--overwrite", code=2)
    assert "does not tell the order of the steps" in failed.stderr
    uzushio(*run)
    uzushio("report", tmp_path / "out", "--output", tmp_path / "page.html", "--overwrite")


def test_a_page_has_its_bound(uzushio: Uzushio, tmp_path: Path) -> None:
    """Where much is to be shown, of six tables and texts that grow when they are escaped: less of each is."""
    text = "\n\n".join(["&<>" * 12] * 64)
    lines = [json.dumps({"docId": f"d{n}", "url": "http://a.jp/" + "<" * 900, "text": text}) for n in range(2000)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    outputs = [tmp_path / f"metrics-{number}" for number in range(6)]
    uzushio("metrics", tmp_path / "a.jsonl", "--output", outputs[0], "--metric", "DocLength")
    for output in outputs[1:]:
        shutil.copytree(outputs[0], output)
    uzushio("report", *outputs, "--output", tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size <= 10_000_000
    tables = page_data(tmp_path / "page.html")["metrics"]
    assert {(table["sample"]["documents"], table["sample"]["of"]) for table in tables} == {(512, 2000)}
    assert 0 < len(tables[0]["extracts"]) < 400
