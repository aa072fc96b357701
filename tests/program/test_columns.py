"""What stages take as columns of texts, ids and numbers, and what they refuse."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import SIZES, Uzushio, read_json

TEXTS = ["ひらがなの文章です。", "別の文章です。", None, "ひらがなの文章です。"]
CHAIN = 'filters: [{"class": "DocLength", "low": 0}]'

EQUAL_TYPES: dict[str, Callable[[pa.Array], pa.Array]] = {
    "large string": lambda texts: texts.cast(pa.large_string()),
    "view": lambda texts: texts.cast(pa.string_view()),
    "bytes": lambda texts: texts.cast(pa.binary()),
    "large bytes": lambda texts: texts.cast(pa.large_binary()),
    "dictionary": lambda texts: texts.dictionary_encode(),
    "large dictionary": lambda texts: texts.cast(pa.large_string()).dictionary_encode(),
}


@pytest.fixture(name="results")
def make_results(uzushio: Uzushio, tmp_path: Path) -> Callable[[str, pa.Table], list[Any]]:
    """What filter, metrics, stats and explain make of a table."""
    (tmp_path / "chain.conf").write_text(CHAIN, encoding="utf-8")

    def results(name: str, table: pa.Table) -> list[Any]:
        folder = tmp_path / name
        folder.mkdir()
        pq.write_table(table, folder / "a.parquet")
        chain = ("--config", tmp_path / "chain.conf")
        clean, measured, statistics = (tmp_path / f"{name}-{which}" for which in ("clean", "metrics", "stats"))
        uzushio("filter", folder, *chain, "--output", clean)
        uzushio("metrics", folder, *chain, "--output", measured)
        uzushio("stats", folder, "--intermediate", "--output", statistics)
        explained = uzushio("explain", "2", "--in", clean).stdout.replace(str(folder), "")
        counts = [read_json(which / ".uzushio/manifest.json")["counts"] for which in (clean, measured, statistics)]
        for count in counts:
            count.pop("seconds", None)
        return [
            pq.read_table(clean).to_pylist(),
            pq.read_table(measured / "metrics.parquet").to_pylist(),
            pq.read_table(statistics / "statistics.parquet").to_pylist(),
            explained,
            counts,
        ]

    return results


@pytest.mark.parametrize("kind", EQUAL_TYPES)
def test_types_that_say_the_same_are_taken(results: Callable[[str, pa.Table], list[Any]], kind: str) -> None:
    """Texts and ids of any type for texts give what plain strings give."""
    texts, ids = pa.array(TEXTS), pa.array(["1", "2", "3", "4"])
    cast = EQUAL_TYPES[kind]
    plain = results("plain", pa.table({"docId": ids, "text": texts}))
    assert results("other", pa.table({"docId": cast(ids), "text": cast(texts)})) == plain


def test_columns_of_nulls_are_empty_texts(uzushio: Uzushio, tmp_path: Path) -> None:
    """A program that has only nulls says the column is of type null."""
    pq.write_table(pa.table({"docId": ["1", "2"], "text": pa.nulls(2)}), tmp_path / "a.parquet")
    uzushio("metrics", tmp_path / "a.parquet", "--metric", "DocLength", "--output", tmp_path / "metrics")
    found = pq.read_table(tmp_path / "metrics" / "metrics.parquet").drop_columns(SIZES).to_pylist()
    assert found == [{"docId": "1", "DocLength": 0.0}, {"docId": "2", "DocLength": 0.0}]


def test_a_null_is_an_empty_text_for_every_stage(uzushio: Uzushio, tmp_path: Path) -> None:
    """In Parquet and in JSON Lines; a line without the key is put aside."""
    pq.write_table(pa.table({"docId": ["1", "2"], "text": ["文章", None]}), tmp_path / "a.parquet")
    lines = [{"docId": "1", "text": "文章"}, {"docId": "2", "text": None}, {"docId": "3"}]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (tmp_path / "chain.conf").write_text(CHAIN, encoding="utf-8")
    for source, aside in (("a.parquet", {}), ("b.jsonl", {"no-text": 1})):

        def counts(stage: str, *options: object, source: str = source) -> Any:
            output = tmp_path / f"{stage}-{source}"
            uzushio(stage, tmp_path / source, "--output", output, *options)
            return read_json(output / ".uzushio/manifest.json")["counts"]

        stats, filtered = counts("stats"), counts("filter", "--config", tmp_path / "chain.conf")
        assert (stats["documents"], stats["paragraphs"], stats["quarantined"]) == (2, 1, aside)
        assert (filtered["input"]["documents"], filtered["empty"]["documents"]) == (2, 1)
        assert filtered["quarantined"] == aside
        measured = counts("metrics", "--metric", "DocLength")
        assert (measured["documents"], measured["quarantined"]) == (2, aside)


def write(path: Path, columns: list[tuple[str, Any]]) -> Path:
    """A Parquet file whose columns may have one name."""
    arrays = [values if isinstance(values, pa.Array) else pa.array(values) for _, values in columns]
    pq.write_table(pa.Table.from_arrays(arrays, names=[name for name, _ in columns]), path)
    return path


def test_what_is_not_equal_is_refused_by_name(uzushio: Uzushio, tmp_path: Path) -> None:
    """Repeated, missing and other columns: the file, the column and the types are named, nothing is written."""
    text = ("text", ["文"])

    def refused(stage: str, columns: list[tuple[str, Any]], *options: object) -> str:
        path = write(tmp_path / "a.parquet", columns)
        message = uzushio(stage, path, "--output", tmp_path / "out", *options, code=2).stderr
        assert "a.parquet: " in message
        assert not (tmp_path / "out").exists()
        return message

    metric = ("--metric", "DocLength")
    for stage, options in (("filter", ()), ("metrics", metric), ("stats", ())):
        assert "2 columns 'text'" in refused(stage, [text, text], *options)
        assert "no column 'text', only body" in refused(stage, [("body", ["文"])], *options)
        assert "'text' is of type int64, and texts are wanted" in refused(stage, [("text", [1])], *options)
        assert "is of type list" in refused(stage, [("text", [["文"]])], *options)
        assert "is of type decimal" in refused(stage, [("text", pa.array([1]).cast(pa.decimal128(20)))], *options)
    for stage, options in (("filter", ()), ("metrics", metric)):
        assert "2 columns 'x'" in refused(stage, [text, ("x", [1]), ("x", [2])], *options)
        assert "2 columns 'docId'" in refused(stage, [text, ("docId", [1]), ("docId", [2])], *options)
        assert "'docId' is of type double, and ids" in refused(stage, [text, ("docId", [1.5])], *options)
    with_metric = [text, ("DocLength", [1])]
    path = write(tmp_path / "a.parquet", with_metric)
    sorting = ("--sorted-by", "DocLength", "--output", tmp_path / "out")
    assert "a column of this name" in uzushio("metrics", path, *metric, *sorting, code=2).stderr


def test_statistics_are_looked_at(uzushio: Uzushio, tmp_path: Path) -> None:
    """What `merge` takes: the original's columns, in any type for integers; no nulls, nothing else."""
    good = {"hash": [1, 2], "reprHash": [1, 1], "exactFreq": [3, 4], "nearFreq": [7, 7]}

    def merge(columns: dict[str, Any], code: int = 0) -> str:
        write(tmp_path / "a.parquet", list(columns.items()))
        return uzushio("merge", tmp_path / "a.parquet", "--output", tmp_path / "out", "--overwrite", code=code).stderr

    merge(good | {"exactFreq": pa.array([3, 4], pa.uint8())})
    merged = pq.read_table(tmp_path / "out" / "statistics.parquet").to_pydict()
    assert (merged["hash"], merged["exactFreq"], merged["nearFreq"]) == ([1, 2], [3, 4], [7, 7])
    assert "'hash' is of type string" in merge(good | {"hash": ["1", "2"]}, code=2)
    assert "'reprHash' has nulls" in merge(good | {"reprHash": [1, None]}, code=2)
    assert "no column 'nearFreq'" in merge({name: good[name] for name in list(good)[:3]}, code=2)
    write(tmp_path / "a.parquet", [*good.items(), ("hash", [1, 2])])
    repeated = uzushio("merge", tmp_path / "a.parquet", "--output", tmp_path / "new", code=2).stderr
    assert "2 columns 'hash'" in repeated
    folder = tmp_path / ".uzushio/intermediate"
    folder.mkdir(parents=True)
    texts = [("hash", [1]), ("givenReprHash", [1]), ("exactFreq", [1]), ("text", pa.array([None], pa.string()))]
    write(folder / "paragraphs.pq", texts)
    nulls = uzushio("merge", folder / "paragraphs.pq", "--output", tmp_path / "new", code=2).stderr
    assert "'text' has nulls" in nulls


def test_integer_ids_are_kept(uzushio: Uzushio, tmp_path: Path) -> None:
    """In their type where documents are written, as decimals where ids are texts; equal to ids that are these texts."""
    (tmp_path / "chain.conf").write_text(
        'filters: [{"class": "DeduplicateDocumentsPercentile", "expected": 1, "percentile": 0}]', encoding="utf-8"
    )
    texts = ["".join(chr(0x4E00 + (997 * n + 31 * i * i) % 20000) for i in range(12)) for n in range(200)]
    passed = {}
    stats = tmp_path / "stats"
    uzushio("stats", write(tmp_path / "all.parquet", [("text", texts * 3)]), "--output", stats)
    for kind, ids in (("int", list(range(-100, 100))), ("text", [str(n) for n in range(-100, 100)])):
        source = write(tmp_path / f"{kind}.parquet", [("docId", ids), ("text", texts)])
        chain = ("--config", tmp_path / "chain.conf", "--stats", stats)
        uzushio("filter", source, *chain, "--output", tmp_path / f"clean-{kind}")
        uzushio("metrics", source, *chain, "--output", tmp_path / f"metrics-{kind}")
        passed[kind] = pq.read_table(tmp_path / f"clean-{kind}")["docId"]
        measured = pq.read_table(tmp_path / f"metrics-{kind}" / "metrics.parquet")["docId"].to_pylist()
        assert measured == [str(n) for n in range(-100, 100)]
        assert "document -7\n" in uzushio("explain", "--in", tmp_path / f"clean-{kind}", "--", "-7").stdout
    assert passed["int"].type == pa.int64()
    assert 0 < len(passed["int"]) < 200
    assert [str(n) for n in passed["int"].to_pylist()] == passed["text"].to_pylist()


def test_integers_of_json_are_what_they_are(uzushio: Uzushio, tmp_path: Path) -> None:
    """Those above 2^63 - 1 are kept where the first lines have one, and negative ones are put aside there."""
    most = 2**64 - 1
    large = [{"docId": most, "text": "文"}, {"docId": 7, "text": "文"}, {"docId": -1, "text": "文"}]
    small = [{"docId": 2**63 - 1, "text": "文"}, {"docId": 2**63, "text": "文"}]
    for name, lines, bad in (("large", large, {"other-columns": 1}), ("small", small, {})):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        for format_ in ("parquet", "jsonl.gz"):
            output = tmp_path / f"{name}-{format_}"
            uzushio("filter", tmp_path / f"{name}.jsonl", "--format", format_, "--output", output)
            assert read_json(output / ".uzushio/manifest.json")["counts"]["quarantined"] == bad
    assert pq.read_table(tmp_path / "large-parquet")["docId"].to_pylist() == [most, 7]
    assert pq.read_table(tmp_path / "small-parquet")["docId"].to_pylist() == [2**63 - 1, 2**63]
    with gzip.open(tmp_path / "large-jsonl.gz" / "part-00000.jsonl.gz", "rt", encoding="utf-8") as lines_of_json:
        assert [json.loads(line)["docId"] for line in lines_of_json] == [most, 7]
    uzushio("metrics", tmp_path / "large.jsonl", "--metric", "DocLength", "--output", tmp_path / "metrics")
    ids = pq.read_table(tmp_path / "metrics" / "metrics.parquet")["docId"].to_pylist()
    assert ids == [str(most), "7"]


def test_arrays_and_objects_of_json_stay(uzushio: Uzushio, tmp_path: Path) -> None:
    """In lines of JSON as they stand, in Parquet as texts; numbers with a point need not be in the first line."""
    lines = [
        '{"text":"文","metadata":{"url":"http://a/","n":[1, 2.50]},"score":1}',
        '{"score":0.5,"text":"字","metadata":[]}',
        '{"text":"書","metadata":null}',
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    uzushio("filter", tmp_path / "in.jsonl", "--format", "jsonl.gz", "--output", tmp_path / "lines")
    with gzip.open(tmp_path / "lines" / "part-00000.jsonl.gz", "rt", encoding="utf-8") as written:
        assert written.read().splitlines() == [
            '{"text":"文","metadata":{"url":"http://a/","n":[1, 2.50]},"score":1.0}',
            '{"text":"字","metadata":[],"score":0.5}',
            '{"text":"書","metadata":null,"score":null}',
        ]
    uzushio("filter", tmp_path / "in.jsonl", "--output", tmp_path / "table")
    table = pq.read_table(tmp_path / "table")
    assert table["metadata"].to_pylist() == ['{"url":"http://a/","n":[1, 2.50]}', "[]", None]
    assert table["score"].to_pylist() == [1.0, 0.5, None]


def test_lines_of_json_are_read_as_they_were(uzushio: Uzushio, tmp_path: Path) -> None:
    """Numbers with a point stay such, lists and structs are arrays and objects; files without lines do not matter."""
    nested = pa.array([{"url": 'a"b', "n": [1, None]}, None])
    columns = {"text": ["文", "字"], "real": [1.0, 2.5], "list": [[0.5, 2.0], []], "nested": nested}
    columns["map"] = pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64()))
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    uzushio("filter", tmp_path / "a.parquet", "--format", "jsonl.gz", "--output", tmp_path / "b")
    (tmp_path / "b" / "part-00000.jsonl.gz").rename(tmp_path / "1.jsonl.gz")
    (tmp_path / "0.jsonl").write_text("", encoding="utf-8")
    both = (tmp_path / "0.jsonl", tmp_path / "1.jsonl.gz")
    uzushio("filter", *both, "--format", "jsonl.gz", "--output", tmp_path / "c")
    with gzip.open(tmp_path / "c" / "part-00000.jsonl.gz", "rt", encoding="utf-8") as written:
        assert written.read().splitlines() == [
            '{"text":"文","real":1.0,"list":[0.5,2.0],"nested":{"url":"a\\"b","n":[1,null]},"map":[{"key":"a","value":1}]}',
            '{"text":"字","real":2.5,"list":[],"nested":null,"map":null}',
        ]
    (tmp_path / "d.jsonl").write_text('{"text":["文"]}\n{"text":"字"}\n', encoding="utf-8")
    assert "arrays or objects" in uzushio("filter", tmp_path / "d.jsonl", "--output", tmp_path / "d", code=2).stderr


def test_files_of_one_dataset_may_differ_in_order_and_nulls(uzushio: Uzushio, tmp_path: Path) -> None:
    """Not in types or names; the error says which."""
    required = pa.schema([pa.field("text", pa.string(), nullable=False), pa.field("n", pa.int32(), nullable=False)])
    pq.write_table(pa.table({"text": ["一"], "n": pa.array([1], pa.int32())}, schema=required), tmp_path / "a.parquet")
    write(tmp_path / "b.parquet", [("n", pa.array([None], pa.int32())), ("text", ["二"])])
    both = (tmp_path / "a.parquet", tmp_path / "b.parquet")
    uzushio("filter", *both, "--output", tmp_path / "clean")
    expected = [{"text": "一", "n": 1}, {"text": "二", "n": None}]
    assert pq.read_table(tmp_path / "clean").to_pylist() == expected
    write(tmp_path / "c.parquet", [("n", [1]), ("text", ["三"])])
    write(tmp_path / "d.parquet", [("m", [1]), ("text", ["三"])])

    def message(other: str) -> str:
        return uzushio("filter", *both, tmp_path / other, "--output", tmp_path / "out", code=2).stderr

    assert "c.parquet: column 'n' is of type int64, and of int32 in" in message("c.parquet")
    assert "d.parquet: there is no column 'n', which" in message("d.parquet")


def test_lines_beside_parquet_fit_its_columns_or_are_put_aside(uzushio: Uzushio, tmp_path: Path) -> None:
    """A text in a column of other numbers than JSON's was written over the memory behind it."""
    required = pa.schema([pa.field("text", pa.string(), nullable=False), pa.field("n", pa.int32(), nullable=False)])
    pq.write_table(pa.table({"text": ["一"], "n": pa.array([1], pa.int32())}, schema=required), tmp_path / "a.parquet")
    lines = [{"text": "二", "n": "x" * 100_000}, {"text": "三"}]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    uzushio("filter", tmp_path / "a.parquet", tmp_path / "b.jsonl", "--output", tmp_path / "clean")
    assert pq.read_table(tmp_path / "clean").to_pylist() == [{"text": "一", "n": 1}, {"text": "三", "n": None}]
    assert read_json(tmp_path / "clean" / ".uzushio/manifest.json")["counts"]["quarantined"] == {"other-columns": 1}


def test_lines_of_json_have_no_nan(uzushio: Uzushio, tmp_path: Path) -> None:
    """JSON has no such numbers."""
    write(tmp_path / "a.parquet", [("text", ["一", "二"]), ("score", [float("nan"), float("-inf")])])
    uzushio("filter", tmp_path / "a.parquet", "--format", "jsonl", "--output", tmp_path / "clean")
    with gzip.open(tmp_path / "clean" / "part-00000.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line, parse_constant=lambda name: pytest.fail(name)) for line in lines]
    assert rows == [{"text": "一", "score": None}, {"text": "二", "score": None}]


@pytest.mark.parametrize("low", ["nan", "inf", "-inf", "1e400", "-1", "1e39", '"0x1p9999"', "true", "[1]"])
def test_numbers_of_chains_are_finite_and_in_range(uzushio: Uzushio, tmp_path: Path, low: str) -> None:
    """In a configuration and by -P: the key is named."""
    (tmp_path / "a.conf").write_text(f'filters: [{{"class": "CompressionRate", "low": {low}}}]', encoding="utf-8")
    (tmp_path / "b.conf").write_text('filters: [{"class": "CompressionRate", "low": ${low}}]', encoding="utf-8")
    write(tmp_path / "a.parquet", [("text", ["一"])])
    for options in (("--config", tmp_path / "a.conf"), ("--config", tmp_path / "b.conf", "-P", f"low={low}")):
        done = uzushio("filter", tmp_path / "a.parquet", *options, "--output", tmp_path / "out", code=2)
        assert "filters[0].low: " in done.stderr or "1e400" in done.stderr, done.stderr
        assert not (tmp_path / "out").exists()


def test_a_column_that_is_named_has_to_be_there(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of ids and URLs the usual one may lack; another name is a mistake, and the names that are there are told."""
    text = "これは、ある日の出来事について書いた文章です。"
    for name, columns in (("a", {"text": [text], "id": ["1"]}), ("b", {"text": [text], "link": ["https://a.jp"]})):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    a, b, out = tmp_path / "a.parquet", tmp_path / "b.parquet", ("--output", tmp_path / "out")
    (tmp_path / "items.jsonl").write_text(
        json.dumps({"question": "どの文書にもない、長い問題の文です", "no": "q1"}) + "\n"
    )
    items = ("--against", tmp_path / "items.jsonl")

    def refused(said: str, *command: object) -> None:
        assert said in uzushio(*command, *out, code=2).stderr
        assert not (tmp_path / "out").exists()

    lacking = "there is no column 'ids', only text, id"
    for command in (["filter"], ["metrics", "--metric", "DocLength"], ["minhash"], ["decontaminate", *items]):
        refused(lacking, command[0], a, *command[1:], "--id-column", "ids")
    refused("there is no column 'links', only text, link", "decontaminate", b, *items, "--url-column", "links")
    refused("there is no column 'links', only text, link", "overlap", b, a, "--url-column", "links")
    uzushio("overlap", b, a, "--url-column", "link", "--output", tmp_path / "overlap")
    named = "items.jsonl: there is no column 'number', only question, no; name the column of the items' ids"
    refused(named, "decontaminate", a, *items, "--item-id-column", "number")
    pq.write_table(
        pa.table({"question": ["どの文書にもない、長い問題の文です"], "no": [1]}), tmp_path / "items.parquet"
    )
    named = "items.parquet: there is no column 'number', only question, no"
    refused(named, "decontaminate", a, "--against", tmp_path / "items.parquet", "--item-id-column", "number")
    labelled = ("train-classifier", "--with-label", f"x={a}", "--with-label", f"y={a}", "--output", tmp_path / "model")
    assert lacking in uzushio(*labelled, "--id-column", "ids", code=2).stderr
    assert "no column 'links'" in uzushio(*labelled, "--id-column", "id", "--url-column", "links", code=2).stderr
    uzushio("filter", a, "--id-column", "id", *out)
    uzushio("filter", b, "--output", tmp_path / "usual")
