"""`uzushio filter` and `uzushio filters`: each filter against its plain oracle, and what the stage promises."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import os
import random
import re
import subprocess
import uuid
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import filter_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import WORDS, encode, random_documents, write_corpus, written
from filter_oracle import Check, Paragraph
from program import PROGRAM, ROOT, Uzushio, read_json

Chain = list[tuple[dict[str, Any], Check]]


@pytest.fixture(name="corpus")
def make_corpus(uzushio: Uzushio, tmp_path: Path) -> dict[str, list[Paragraph]]:
    """Random documents in `documents/a.parquet`, their frequencies in `statistics`."""
    documents = random_documents(1, 400)
    write_corpus(uzushio, tmp_path, documents)
    return documents


def chains(words: Path) -> dict[str, Chain]:
    """Each filter, in several settings, and chains of many."""
    path = str(words)
    inf = {"class": "com.worksap.nlp.uzushio.lib.filters.LinkCharRatio", "high": 0.2}
    single: Chain = [
        ({"class": "DocLength", "low": 50}, oracle.doc_length(low=50)),
        ({"class": "DocLength", "high": 300}, oracle.doc_length(high=300)),
        (
            {"class": "CompressionRate", "low": 0.4, "high": 0.75},
            oracle.bounded("CompressionRate", 0.4, 0.75, oracle.compression),
        ),
        (
            {"class": "HiraganaRatio", "low": 0.5, "high": 0.8},
            oracle.bounded("HiraganaRatio", 0.5, 0.8, oracle.hiragana),
        ),
        (inf, oracle.bounded("LinkCharRatio", 0, 0.2, oracle.links)),
        ({"class": "DeduplicateDocumentsPercentile"}, oracle.percentile(0.05, 1)),
        ({"class": "DeduplicateDocumentsPercentile", "percentile": 0.5, "expected": 2.5}, oracle.percentile(0.5, 2.5)),
        ({"class": "DeduplicateDocumentsPercentile", "percentile": 1, "expected": 5}, oracle.percentile(1.0, 5.0)),
        ({"class": "DeduplicateDocuments"}, oracle.deduplicate()),
        ({"class": "DeduplicateDocuments", "baseNumFreq": 100}, oracle.deduplicate(100)),
        ({"class": "DuplicateDocumentsLengthWeighted", "expected": 1.2}, oracle.length_weighted(1.2)),
        ({"class": "WordTypes", "list": path, "threshold": 4}, oracle.word_types(WORDS, path, 4.0, "uniq")),
        ({"class": "WordTypes", "list": path, "kind": "sqrt"}, oracle.word_types(WORDS, path, 3.0, "sqrt")),
        ({"class": "WordTypes", "list": path, "kind": "log10"}, oracle.word_types(WORDS, path, 3.0, "log10")),
        ({"class": "WordInstances", "list": path, "threshold": 8}, oracle.word_instances(WORDS, path, 8.0, 1.0)),
        ({"class": "WordInstances", "list": path, "full": 0.5}, oracle.word_instances(WORDS, path, 3.0, 0.5)),
        ({"class": "DuplicateParagraphs", "limit": 30}, oracle.duplicate_paragraphs(30)),
        ({"class": "AdjacentDuplicateParagraphs"}, oracle.adjacent),
        ({"class": "LargeFreqParagraphs"}, oracle.large_freq(3, 100)),
        ({"class": "LargeFreqParagraphs", "count": 2, "freq": 5}, oracle.large_freq(2, 5)),
        ({"class": "NoContentDOM"}, oracle.no_content),
        ({"class": "MergeListTag"}, oracle.merge_lists),
        ({"class": "MarkdownizeHeading"}, oracle.headings),
    ]
    by_name = {f"{number:02}-{item[0]['class'].split('.')[-1]}": [item] for number, item in enumerate(single)}
    choose = random.Random(7)
    for number in range(4):
        by_name[f"chain-{number}"] = choose.sample(single, len(single) // 2)
    graded = [
        ({"class": "HiraganaRatio", "low": low}, oracle.bounded("HiraganaRatio", low, 1, oracle.hiragana))
        for low in (0.2, 0.4, 0.6)
    ]
    return {**by_name, "graded": [*graded[:2], single[20], *graded[2:]]}


CHAINS = list(chains(Path("words.txt")))


def expected(documents: dict[str, list[Paragraph]], chain: Chain, markup: bool) -> dict[str, dict[str, str]]:
    """By reason and document: the text."""
    result: dict[str, dict[str, str]] = defaultdict(dict)
    for doc_id, paragraphs in documents.items():
        copies = [Paragraph(p.path, p.marked, p.near) for p in paragraphs]
        reason = oracle.run(chain, copies, doc_id)
        texts: dict[str, list[str]] = defaultdict(list)
        for p in copies:
            text = (p.path + "\x1c" if p.path else "") + p.marked if markup else p.text
            texts[p.reason or reason or "none"].append(text)
        for name, parts in texts.items():
            result[name][doc_id] = "\n\n".join(parts)
    return dict(result)


def configure(path: Path, chain: Chain) -> Path:
    """The configuration of a chain."""
    path.write_text(json.dumps({"filters": [settings for settings, _ in chain]}), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", CHAINS)
def test_each_filter_is_its_oracle(
    uzushio: Uzushio, tmp_path: Path, corpus: dict[str, list[Paragraph]], name: str
) -> None:
    """Every document and paragraph goes where the oracle says, with the same text; 1, 2 and 7 threads agree."""
    words = tmp_path / "words.txt"
    words.write_text("# a comment\n" + "\r\n".join(WORDS) + "\n\n", encoding="utf-8")
    chain = chains(words)[name]
    config = configure(tmp_path / "chain.conf", chain)
    for markup in (False, True):
        outputs = []
        for threads in (1, 2, 7):
            output = tmp_path / f"out-{markup}-{threads}"
            options = ["--mode", "partitioned", "--threads", threads, *(["--keep-markup"] if markup else [])]
            common = ["--config", config, "--stats", tmp_path / "statistics"]
            uzushio("filter", tmp_path / "documents", "--output", output, *common, *options)
            outputs.append({p.relative_to(output): p.read_bytes() for p in sorted(output.rglob("*.parquet"))})
        assert outputs[0] == outputs[1] == outputs[2]
        wanted = expected(corpus, chain, markup)
        assert sum(map(len, wanted.values())) >= 350
        found = written(tmp_path / f"out-{markup}-1")
        assert {k: {i: sorted(t.split("\n\n")) for i, t in v.items()} for k, v in found.items()} == {
            k: {i: sorted(t.split("\n\n")) for i, t in v.items()} for k, v in wanted.items()
        }


def test_passed_mode_writes_what_passed(uzushio: Uzushio, tmp_path: Path, corpus: dict[str, list[Paragraph]]) -> None:
    """In input order, with the other columns, and the summary's table adds up."""
    chain = chains(tmp_path / "words.txt")["graded"]
    config = configure(tmp_path / "chain.conf", chain)
    summary = tmp_path / "summary.json"
    common = ["--config", config, "--stats", tmp_path / "statistics", "--summary", summary]
    done = uzushio("filter", tmp_path / "documents", "--output", tmp_path / "out", *common)
    table = pq.read_table(tmp_path / "out" / "part-00000.parquet")
    wanted = expected(corpus, chain, False)["none"]
    assert dict(zip(table["docId"].to_pylist(), table["text"].to_pylist(), strict=True)) == wanted
    assert table["n"].to_pylist() == sorted(table["n"].to_pylist())
    counts = read_json(summary)
    for unit in ("documents", "paragraphs", "text_bytes"):
        parts = [counts["passed"], counts["empty"], *counts["removed"]]
        assert sum(part[unit] for part in parts) == counts["input"][unit]
    assert "HiraganaRatio.Low(0.4)" in done.stderr
    assert "passed" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", "jsonl.zst", "parquet"])
def test_converts_between_formats(
    uzushio: Uzushio, tmp_path: Path, corpus: dict[str, list[Paragraph]], form: str
) -> None:
    """Without a chain, documents go from format to format and back."""
    source = tmp_path / "documents"
    uzushio("filter", source, "--output", tmp_path / "there", "--format", form, "--keep-markup")
    uzushio("filter", tmp_path / "there", "--output", tmp_path / "back", "--keep-markup")
    rows = pq.read_table(tmp_path / "back" / "part-00000.parquet").to_pylist()
    kept = {doc_id: encode(d) for doc_id, d in corpus.items() if d}
    assert {row["docId"]: row["text"] for row in rows} == kept
    assert [row["n"] for row in rows] == [n for n, d in enumerate(corpus.values()) if d]


@pytest.mark.parametrize("form", ["jsonl.gz", "jsonl.zst", "parquet"])
def test_files_are_cut_in_input_order(uzushio: Uzushio, tmp_path: Path, form: str) -> None:
    """Each file but the last has the size given, or a row group more; rows go on where they stopped."""
    choose = random.Random(3)
    count = 20000 if form == "parquet" else 3000
    texts = ["".join(chr(choose.randrange(0x4E00, 0x9F00)) for _ in range(500)) for _ in range(count)]
    pq.write_table(pa.table({"docId": [f"{i:05}" for i in range(count)], "text": texts}), tmp_path / "a.parquet")
    uzushio("filter", tmp_path / "a.parquet", "--output", tmp_path / "out", "--format", form, "--shard-size", "1MiB")
    files = sorted((tmp_path / "out").glob("part-*"))
    assert len(files) >= 2
    assert all(path.stat().st_size >= 1 << 20 for path in files[:-1])
    ids: list[str] = []
    for path in files:
        if form == "parquet":
            ids += pq.ParquetFile(path).read()["docId"].to_pylist()
        else:
            with pa.input_stream(str(path), compression="gzip" if form.endswith("gz") else "zstd") as stream:
                ids += [json.loads(line)["docId"] for line in stream.read().splitlines()]
    assert ids == [f"{i:05}" for i in range(count)]


def test_language_of_the_folder_becomes_a_column(uzushio: Uzushio, tmp_path: Path) -> None:
    """A Hive partition's value is not lost."""
    for language in ("ja", "en"):
        folder = tmp_path / "in" / f"language={language}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"docId": [language], "text": ["文"]}), folder / "a.parquet")
    uzushio("filter", tmp_path / "in", "--output", tmp_path / "out", "--format", "jsonl")
    lines = gzip.decompress((tmp_path / "out" / "part-00000.jsonl.gz").read_bytes()).decode().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"docId": language, "text": "文", "language": language} for language in ("en", "ja")
    ]


def test_substitutions_includes_and_environment(uzushio: Uzushio, tmp_path: Path) -> None:
    """`-P` before the environment; includes beside the file; comments, Japanese and package names."""
    pq.write_table(
        pa.table({"docId": ["a", "b"], "text": ["みじかい", "これは二十文字よりながいぶんしょうですよ、ほんとうに"]}),
        tmp_path / "a.parquet",
    )
    (tmp_path / "more.conf").write_text("least = 1\nwords = 日本語\n", encoding="utf-8")
    (tmp_path / "chain.conf").write_text(
        'include "more.conf"  # 日本語の注釈\nfilters: [\n'
        "  {class = com.worksap.nlp.uzushio.lib.filters.DocLength, low = ${low}}, // class: no\n"
        '  {"class": "DocLength", "high": ${HIGH}}\n]\n',
        encoding="utf-8",
    )
    command = [str(PROGRAM), "filter", str(tmp_path / "a.parquet"), "--config", str(tmp_path / "chain.conf")]
    environment = {**os.environ, "HIGH": "1000", "low": "1000"}
    command += ["--output", str(tmp_path / "out"), "-P", "low=20"]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    assert pq.read_table(tmp_path / "out")["docId"].to_pylist() == ["b"]
    done = uzushio(
        "filter", tmp_path / "a.parquet", "--config", tmp_path / "chain.conf", "--output", tmp_path / "no", code=2
    )
    assert "chain.conf:3: ${low}" in done.stderr
    assert "-P" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("filters: [\n {class: DocLength},\n {class: HiraganaRate}]", [":3:", "filters[1].class", "HiraganaRatio"]),
        (
            'filters: [\n# class: x\n{"class": "DeduplicateDocumentsPercentile", percentil: 0.1}]',
            [":3:", "filters[0].percentil", "did you mean percentile?"],
        ),
        ("filters: [{class: DocLength, low: many}]", ["filters[0].low", '"many"', "no number"]),
        ("filters: [{class: DocLength, low: 1.5}]", ["filters[0].low", "1.5", "whole"]),
        ("filters: [{class: DocLength, low: -1}]", ["filters[0].low", "-1"]),
        ("filters: [{class: WordTypes}]", ["filters[0].list", "missing"]),
        ("filters: [{class: WordTypes, list: nowhere.txt}]", ["nowhere.txt", "no word list"]),
        ("filters: [{class: WordTypes, list: hojichar/adult_keywords_ja.txt}]", ["hojichar", "pip install"]),
        (
            "filters: [{class: WordTypes, list: words.txt, kind: unique}]",
            ["kind", "uniq, sqrt, log10", "did you mean uniq"],
        ),
        ("filters: [{low: 5}]", ["filters[0]", "class"]),
        ("filters: {class: DocLength}", ["filters"]),
        ("filters: [\n\n{class: DocLength", ["chain.conf:"]),
        ("", ["filters"]),
    ],
)
def test_wrong_configurations_are_one_clear_line(text: str, words: list[str], tmp_path: Path) -> None:
    """Exit 2 before anything is read, with file, line, key, and the nearest right name."""
    (tmp_path / "chain.conf").write_text(text, encoding="utf-8")
    (tmp_path / "words.txt").write_text("だめ\n", encoding="utf-8")
    command = [str(PROGRAM), "filter", "missing.parquet", "--output", "out", "--config", "chain.conf"]
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "UZUSHIO_HOJICHAR")}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    for word in ["chain.conf", *words]:
        assert word in done.stderr
    assert not (tmp_path / "out").exists()


def test_wrong_inputs_are_named(uzushio: Uzushio, tmp_path: Path) -> None:
    """Files without texts, of other columns, statistics without an index."""
    pq.write_table(pa.table({"body": ["文"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"text": ["文"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"text": ["文"], "n": [1]}), tmp_path / "c.parquet")

    def message(*arguments: object, code: int = 2) -> str:
        return uzushio("filter", *arguments, "--output", tmp_path / "out", code=code).stderr

    assert "a.parquet: there is no column 'text'" in message(tmp_path / "a.parquet")
    assert "c.parquet: there is a column 'n'" in message(tmp_path / "b.parquet", tmp_path / "c.parquet")
    assert "uzushio merge" in message(tmp_path / "b.parquet", "--stats", tmp_path)
    assert "--config" in message(tmp_path / "b.parquet", "--config", tmp_path / "none.conf")
    assert "-P" in message(tmp_path / "b.parquet", "-P", "novalue")
    (tmp_path / "_frequency.index").write_bytes(b"x" * 200)
    assert "no frequency index" in message(tmp_path / "b.parquet", "--stats", tmp_path, code=1)
    assert not (tmp_path / "out").exists()


def test_bad_rows_are_quarantined(uzushio: Uzushio, tmp_path: Path) -> None:
    """Texts that are no UTF-8, lines that are no JSON or of other columns."""
    texts = pa.array([b"\xff\xfe", "よい文".encode(), None], pa.binary())
    pq.write_table(pa.table({"docId": ["a", "b", "c"], "text": texts}), tmp_path / "a.parquet")
    summary = tmp_path / "summary.json"
    uzushio("filter", tmp_path / "a.parquet", "--output", tmp_path / "out", "--summary", summary)
    assert read_json(summary)["quarantined"] == {"no-utf8": 1}
    assert pq.read_table(tmp_path / "out" / "part-00000.parquet")["docId"].to_pylist() == ["b"]
    (tmp_path / "b.jsonl").write_text(
        '{"docId":"x","text":"文"}\n{oops\n{"docId":1,"text":"文"}\n{"text":"文","z":1}\n'
    )
    uzushio("filter", tmp_path / "b.jsonl", "--output", tmp_path / "out2", "--summary", summary)
    assert read_json(summary)["quarantined"] == {"no-json": 1, "other-columns": 2}
    uzushio("filter", tmp_path / "b.jsonl", "--output", tmp_path / "out3", "--max-bad", 2, code=3)
    metrics = ("metrics", tmp_path / "b.jsonl", "--metric", "DocLength", "--output", tmp_path / "out4")
    assert "out4/quarantine" in uzushio(*metrics, "--max-bad", 2, code=3).stderr


@pytest.mark.parametrize("copies", [2, 10, 100])
def test_sampling_keeps_what_is_expected(uzushio: Uzushio, tmp_path: Path, copies: int) -> None:
    """Of documents with n copies each, `expected` copies stay: within four deviations of the binomial."""
    documents = 20000
    choose = random.Random(copies)
    ids = [f"{choose.getrandbits(128):032x}" for _ in range(documents)]
    near = {f"00000000-{i}": [Paragraph("p", "くりかえされるぶんしょう", copies)] for i in range(2)}
    write_corpus(uzushio, tmp_path, near)
    pq.write_table(
        pa.table({"docId": ids, "text": ["p\x1cくりかえされるぶんしょう"] * documents}), tmp_path / "in.parquet"
    )
    for expected_copies in (1.0, 1.5):
        setting = {"class": "DeduplicateDocumentsPercentile", "expected": expected_copies, "percentile": 0.1}
        config = configure(tmp_path / "chain.conf", [(setting, oracle.adjacent)])
        summary = tmp_path / "summary.json"
        common = ["--config", config, "--stats", tmp_path / "statistics", "--summary", summary, "--overwrite"]
        uzushio("filter", tmp_path / "in.parquet", "--output", tmp_path / "out", *common)
        kept = read_json(summary)["passed"]["documents"]
        p = expected_copies / copies
        assert abs(kept - documents * p) <= 4 * math.sqrt(documents * p * (1 - p))


def test_random_numbers_are_uniform() -> None:
    """Chi-squared over 64 classes, for ids of three kinds; those of random ids are not correlated."""
    choose = random.Random(5)
    uuids = [str(uuid.UUID(int=choose.getrandbits(128))) for _ in range(20000)]
    for ids in (uuids, [str(i) for i in range(20000)], [f"https://例.jp/{i}" for i in range(20000)]):
        numbers = [oracle.random_of(doc_id) for doc_id in ids]
        counts = Counter(int(number * 64) for number in numbers)
        mean = len(numbers) / 64
        assert sum((counts[i] - mean) ** 2 / mean for i in range(64)) < 63 + 4 * math.sqrt(2 * 63)
    numbers = [oracle.random_of(doc_id) for doc_id in uuids]
    products = [(a - 0.5) * (b - 0.5) for a, b in itertools.pairwise(numbers)]
    assert abs(sum(products)) / len(products) < 4 / 12 / math.sqrt(len(products))


def test_filters_lists_what_there_is(uzushio: Uzushio) -> None:
    """All of them, one of them, and the nearest name of none; docs/filters.md has the same."""
    whole = uzushio("filters").stdout
    names = re.findall(r"^(\w+) \(", whole, re.MULTILINE)
    assert names == sorted(names)
    assert len(names) >= 15
    one = uzushio("filters", "LargeFreqParagraphs").stdout
    assert "freq: int, default 100" in one
    assert "did you mean DocLength?" in uzushio("filters", "DocLenght", code=2).stderr
    page = (ROOT / "docs" / "filters.md").read_text(encoding="utf-8")
    assert uzushio("filters", "--markdown").stdout.strip() in page


def test_resumed_or_refused(uzushio: Uzushio, tmp_path: Path, corpus: dict[str, list[Paragraph]]) -> None:
    """The same run is not made twice; another chain is refused."""
    assert corpus
    common = ["filter", tmp_path / "documents", "--output", tmp_path / "out"]
    config = configure(tmp_path / "chain.conf", chains(tmp_path / "w")["00-DocLength"])
    uzushio(*common, "--config", config)
    again = uzushio(*common, "--config", config)
    assert "nothing to do" in again.stderr
    assert "DocLength.Low(50)" in again.stderr
    assert "another configuration" in uzushio(*common, code=2).stderr


def test_a_document_is_sampled_alike_in_every_chain(uzushio: Uzushio, tmp_path: Path) -> None:
    """Its random number does not depend on what else the chain does, or on where in it the filter is."""
    documents = random_documents(12, 300)
    write_corpus(uzushio, tmp_path, documents)
    sampler = {"class": "DeduplicateDocumentsPercentile", "expected": 2, "percentile": 0.5}
    others = [
        {"class": "HiraganaRatio", "low": 0.3},
        {"class": "MarkdownizeHeading"},
        {"class": "DocLength", "low": 30},
    ]
    kept: list[dict[str, set[str]]] = []
    for filters in ([sampler], [*others, sampler], [sampler, *others], [sampler, sampler]):
        config = tmp_path / "chain.conf"
        config.write_text(json.dumps({"filters": filters}), encoding="utf-8")
        output = tmp_path / f"out{len(kept)}"
        common = ["--config", config, "--stats", tmp_path / "statistics", "--mode", "partitioned"]
        uzushio("filter", tmp_path / "documents", "--output", output, *common)
        kept.append({k: set(v) for k, v in written(output).items()})
    sampled = "DedupDocsPercentile(0.5,2.0)"
    assert kept[0] == kept[3]
    for other in kept[1:3]:
        assert other[sampled] <= kept[0][sampled]
        assert other["none"] <= kept[0]["none"]
        assert len(other["none"]) < len(kept[0]["none"])


def metric_table(folder: Path) -> dict[str, list[Any]]:
    """The columns of a metrics dataset."""
    return dict(pq.read_table(folder / "metrics.parquet").to_pydict())


def test_metrics_are_those_of_the_filters(uzushio: Uzushio, tmp_path: Path, corpus: dict[str, list[Paragraph]]) -> None:
    """A column for each metric, in input order; documents sorted by one; thresholds can be tried on the table."""
    paragraphs = {"class": "LargeFreqParagraphs", "count": 2, "freq": 30}
    loose: list[dict[str, Any]] = [
        {"class": "HiraganaRatio"},
        paragraphs,
        {"class": "DocLength"},
        {"class": "HiraganaRatio"},
    ]
    strict = [{**loose[0], "low": 0.5}, paragraphs, {**loose[2], "low": 40}, {**loose[3], "low": 0.6}]
    config = tmp_path / "chain.conf"
    config.write_text(json.dumps({"filters": loose}), encoding="utf-8")
    common = ["--stats", tmp_path / "statistics"]
    sort = ["--sorted-by", "HiraganaRatio", "--threads", 3]
    uzushio("metrics", tmp_path / "documents", "--output", tmp_path / "metrics", "--config", config, *common, *sort)
    table = metric_table(tmp_path / "metrics")
    names = ["docId", "HiraganaRatio", "LargeFreqParagraphs(2,30)", "DocLength", "HiraganaRatio#2"]
    assert list(table) == names
    assert table["docId"] == list(corpus)
    assert table["HiraganaRatio"] == [oracle.hiragana(d) for d in corpus.values()]
    lengths = []
    for document in corpus.values():
        copies = [Paragraph(p.path, p.marked, p.near) for p in document]
        oracle.large_freq(2, 30)(copies, "")
        lengths.append(oracle.length(copies))
    assert table["DocLength"] == lengths
    rows = pq.read_table(tmp_path / "metrics" / "sorted").to_pylist()
    order = sorted(range(len(corpus)), key=lambda i: table["HiraganaRatio"][i])
    assert [row["docId"] for row in rows] == [table["docId"][i] for i in order]
    assert [row["HiraganaRatio"] for row in rows] == [table["HiraganaRatio"][i] for i in order]
    assert {row["docId"]: row["text"] for row in rows} == {doc_id: encode(d) for doc_id, d in corpus.items()}

    config.write_text(json.dumps({"filters": strict}), encoding="utf-8")
    options = ["--config", config, *common, "--mode", "partitioned"]
    uzushio("filter", tmp_path / "documents", "--output", tmp_path / "plain", *options)
    uzushio(
        "filter", tmp_path / "documents", "--output", tmp_path / "known", *options, "--metrics", tmp_path / "metrics"
    )
    assert written(tmp_path / "known") == written(tmp_path / "plain")

    def refusal(*arguments: object) -> str:
        command = ["filter", *arguments, "--output", tmp_path / "no", "--metrics", tmp_path / "metrics"]
        return uzushio(*command, code=2).stderr

    assert "other --stats" in refusal(tmp_path / "documents", "--config", config)
    (tmp_path / "b.parquet").write_bytes((tmp_path / "documents" / "a.parquet").read_bytes())
    assert "other inputs" in refusal(tmp_path / "b.parquet", "--config", config, *common)
    config.write_text(json.dumps({"filters": [{"class": "LinkCharRatio"}]}), encoding="utf-8")
    assert "there is no LinkCharRatio" in refusal(tmp_path / "documents", "--config", config, *common)
    mark = tmp_path / "metrics" / "_SUCCESS.json"
    said = json.loads(mark.read_text(encoding="utf-8"))
    del said["run"]["configuration"]["columns"]
    mark.write_text(json.dumps(said), encoding="utf-8")
    assert "does not say what the columns are" in refusal(tmp_path / "documents", "--config", config, *common)
    for foreign in ('{"run": []}', '{"run": {"stage": "metrics"}}', "[]", "nothing"):
        mark.write_text(foreign, encoding="utf-8")
        assert "uzushio: error: --metrics" in refusal(tmp_path / "documents", "--config", config, *common)


def test_sorting_out_of_core_changes_nothing(uzushio: Uzushio, tmp_path: Path) -> None:
    """More documents than the memory holds: the same rows in the same order, no temporary data left."""
    choose = random.Random(6)
    texts = ["あ" * choose.randrange(1, 500) + chr(choose.randrange(0x4E00, 0x9F00)) * 3000 for _ in range(20000)]
    pq.write_table(pa.table({"docId": [str(i) for i in range(len(texts))], "text": texts}), tmp_path / "a.parquet")
    (tmp_path / "tmp").mkdir()
    outputs = []
    for memory, threads in (("8GiB", 2), ("256MiB", 1)):
        output = tmp_path / memory
        options = ["--metric", "HiraganaRatio", "--sorted-by", "HiraganaRatio", "--tmp", tmp_path / "tmp"]
        summary = tmp_path / "summary.json"
        uzushio(
            "metrics",
            tmp_path / "a.parquet",
            "--output",
            output,
            *options,
            "--memory",
            memory,
            "--threads",
            threads,
            "--summary",
            summary,
        )
        outputs.append({p.name: p.read_bytes() for p in sorted(output.rglob("*.parquet"))})
        if memory == "256MiB" and "sanitize" not in str(PROGRAM):
            assert read_json(summary)["peak_memory_bytes"] < 1.1 * (256 << 20)
    assert outputs[0] == outputs[1]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_metrics_by_name(uzushio: Uzushio, tmp_path: Path, corpus: dict[str, list[Paragraph]]) -> None:
    """Named metrics need no configuration; what is wrong is said."""
    options = ["--metric", "LinkCharRatio", "--metric", "CompressionRate"]
    done = uzushio("metrics", tmp_path / "documents", "--output", tmp_path / "out", *options)
    table = metric_table(tmp_path / "out")
    assert table["LinkCharRatio"] == [oracle.links(d) for d in corpus.values()]
    assert table["CompressionRate"] == [oracle.compression(d) for d in corpus.values()]
    assert "LinkCharRatio" in done.stderr

    def refusal(*arguments: object) -> str:
        return uzushio("metrics", tmp_path / "documents", "--output", tmp_path / "no", *arguments, code=2).stderr

    assert "did you mean LinkCharRatio?" in refusal("--metric", "LinkCharRate")
    assert "--config" in refusal()
    assert "only LinkCharRatio" in refusal("--metric", "LinkCharRatio", "--sorted-by", "DocLength")


def test_explain_tells_a_documents_way(uzushio: Uzushio, tmp_path: Path, corpus: dict[str, list[Paragraph]]) -> None:
    """The reason that the output gives is the one that is explained, with its metric and paragraphs."""
    chain: Chain = [
        ({"class": "LargeFreqParagraphs", "count": 2, "freq": 30}, oracle.large_freq(2, 30)),
        ({"class": "HiraganaRatio", "low": 0.6}, oracle.bounded("HiraganaRatio", 0.6, 1, oracle.hiragana)),
    ]
    config = configure(tmp_path / "chain.conf", chain)
    common = ["--config", config, "--stats", tmp_path / "statistics"]
    uzushio("filter", tmp_path / "documents", "--output", tmp_path / "out", *common)
    seen = set()
    for doc_id, document in list(corpus.items())[:40]:
        copies = [Paragraph(p.path, p.marked, p.near) for p in document]
        reason = oracle.run(chain, copies, doc_id)
        text = uzushio("explain", doc_id, "--in", tmp_path / "out").stdout
        assert f"document {doc_id}" in text
        assert f"{len(document)} paragraphs" in text
        assert text.count("nearFreq >= 30, 2 in a row") == sum(p.reason is not None for p in copies)
        assert ("removed by HiraganaRatio.Low(0.6)" in text) == (reason is not None)
        assert ("passed, with" in text) == (reason is None and bool(oracle.alive(copies)))
        seen.add(reason)
    assert len(seen) == 2
    assert "no document" in uzushio("explain", "nobody", "--in", tmp_path / "out", code=2).stderr
    assert "no output of uzushio filter" in uzushio("explain", "x", "--in", tmp_path, code=2).stderr
