"""`uzushio filter` and `uzushio filters`: each filter against its plain oracle, and what the stage promises."""

from __future__ import annotations

import functools
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
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import clean_oracle
import filter_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import swallow_oracle
from corpus import WORDS, documents_of_runs, encode, random_documents, write_corpus, written
from filter_oracle import Oracle, Paragraph
from program import PROGRAM, ROOT, SIZES, Uzushio, read_json, run_uzushio

Chain = list[tuple[dict[str, Any], Oracle]]
Documents = dict[str, list[Paragraph]]
Texts = dict[str, dict[str, str]]
DOCUMENTS = random_documents(1, 400) | documents_of_runs(2, 160)
SAMPLED_CHAINS = 4


@pytest.fixture(name="prepared", scope="session")
def prepare_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with random documents in `documents/a.parquet`, their frequencies in `statistics`, and `words.txt`."""
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(run_uzushio, folder, DOCUMENTS)
    text = "# a comment\n" + "\r\n".join(WORDS) + "\n\n"
    (folder / "words.txt").write_text(text, encoding="utf-8", newline="")
    return folder


@pytest.fixture(name="corpus")
def make_corpus(prepared: Path, tmp_path: Path) -> Documents:
    """The same in a test's own folder."""
    for name in ("documents", "statistics"):
        (tmp_path / name).symlink_to(prepared / name)
    return DOCUMENTS


@functools.cache
def at_rank(metric: Callable[[list[Paragraph]], float], share: float) -> float:
    """The metric of one of the documents, so that a bound is met exactly."""
    values = sorted({metric(document) for document in DOCUMENTS.values()})
    return values[int(share * len(values))]


def bounds(name: str, metric: Callable[[list[Paragraph]], float], **given: float) -> tuple[dict[str, Any], Oracle]:
    """A filter with two bounds."""
    settings = {"class": name, **given}
    return settings, oracle.bounded(name, given.get("low", 0), given.get("high", 1), metric)


@functools.cache
def settings(words: Path) -> dict[str, Chain]:
    """Each filter, by class, in settings that take something from the corpus, some of them at the very bound."""
    path = str(words)
    sampled, types, instances = "DeduplicateDocumentsPercentile", "WordTypes", "WordInstances"
    weighted = "DuplicateDocumentsLengthWeighted"
    once, number = next((at, oracle.random_of(at)) for at, d in DOCUMENTS.items() if d and all(p.near == 1 for p in d))
    assert once
    ratios = {
        "CompressionRate": oracle.compression,
        "HiraganaRatio": oracle.hiragana,
        "LinkCharRatio": oracle.links,
    }
    return {
        "DocLength": [
            ({"class": "DocLength", "low": 50}, oracle.doc_length(low=50)),
            ({"class": "DocLength", "high": 300}, oracle.doc_length(high=300)),
            *(
                ({"class": "DocLength", "low": low, "high": high}, oracle.doc_length(low, high))
                for low, high in [(int(at_rank(oracle.length, 0.2)), int(at_rank(oracle.length, 0.7)))]
            ),
        ],
        **{
            name: [
                bounds(name, metric, low=low, high=high),
                bounds(name, metric, low=at_rank(metric, 0.1), high=at_rank(metric, 0.8)),
                bounds(name, metric, high=at_rank(metric, 0.6)),
                bounds(name, metric, low=at_rank(metric, 0.5), high=2.0),
            ]
            for (name, metric), (low, high) in zip(ratios.items(), [(0.4, 0.75), (0.2, 0.6), (0.1, 0.5)], strict=True)
        },
        sampled: [
            ({"class": sampled}, oracle.percentile(0.05, 1)),
            ({"class": sampled, "percentile": 0.5, "expected": 2.5}, oracle.percentile(0.5, 2.5)),
            ({"class": sampled, "percentile": 1, "expected": 5}, oracle.percentile(1.0, 5.0)),
            ({"class": sampled, "expected": number}, oracle.percentile(0.05, number)),
        ],
        "DeduplicateDocuments": [
            ({"class": "DeduplicateDocuments"}, oracle.deduplicate()),
            ({"class": "DeduplicateDocuments", "baseNumFreq": 100}, oracle.deduplicate(100)),
        ],
        weighted: [
            ({"class": weighted, "expected": 1.2}, oracle.length_weighted(1.2)),
            ({"class": weighted, "expected": number}, oracle.length_weighted(number)),
        ],
        types: [
            ({"class": types, "list": path, "threshold": 4}, oracle.word_types(WORDS, path, 4.0, "uniq")),
            ({"class": types, "list": path, "kind": "sqrt"}, oracle.word_types(WORDS, path, 3.0, "sqrt")),
            ({"class": types, "list": path, "kind": "log10"}, oracle.word_types(WORDS, path, 3.0, "log10")),
        ],
        instances: [
            ({"class": instances, "list": path, "threshold": 8}, oracle.word_instances(WORDS, path, 8.0, 1.0)),
            ({"class": instances, "list": path, "full": 0.5}, oracle.word_instances(WORDS, path, 3.0, 0.5)),
            (
                {"class": instances, "list": path, "threshold": 1, "full": 0.1, "partial": 5},
                oracle.word_instances(WORDS, path, 1.0, 0.1, 5.0),
            ),
        ],
        "DuplicateParagraphs": [
            ({"class": "DuplicateParagraphs"}, oracle.duplicate_paragraphs(2)),
            ({"class": "DuplicateParagraphs", "limit": 30}, oracle.duplicate_paragraphs(30)),
        ],
        "AdjacentDuplicateParagraphs": [({"class": "AdjacentDuplicateParagraphs"}, oracle.adjacent())],
        "LargeFreqParagraphs": [
            ({"class": "LargeFreqParagraphs"}, oracle.large_freq(3, 100)),
            ({"class": "LargeFreqParagraphs", "count": 2, "freq": 5}, oracle.large_freq(2, 5)),
            ({"class": "LargeFreqParagraphs", "count": 2}, oracle.large_freq(2, 100)),
        ],
        "NoContentDOM": [({"class": "NoContentDOM"}, oracle.no_content())],
        "MainContent": [
            ({"class": "MainContent"}, oracle.main_content()),
            ({"class": "MainContent", "low": 0.29}, oracle.main_content(0.29)),
        ],
        "MainContentRatio": [
            ({"class": "MainContentRatio", "low": 0.5, "high": 0.9}, oracle.main_content_ratio(0.5, 0.9)),
            (
                {"class": "MainContentRatio", "low": 0.3, "content": 0.99},
                oracle.main_content_ratio(0.3, content=0.99),
            ),
        ],
        "MergeListTag": [({"class": "MergeListTag"}, oracle.merge_lists())],
        "MarkdownizeHeading": [({"class": "MarkdownizeHeading"}, oracle.headings())],
        "Markdown": [
            ({"class": "Markdown"}, oracle.markdown()),
            ({"class": "Markdown", "lists": "false"}, oracle.markdown(lists=False)),
            ({"class": "Markdown", "headings": False}, oracle.markdown(headings=False)),
        ],
    }


def ends(words: Path) -> Chain:
    """Every parameter at the least and the most that it may be; such a filter may take all or nothing."""
    path = str(words)
    most_int, huge = 2**31 - 1, 1e12
    of: dict[str, Callable[..., Oracle]] = {
        "DocLength": oracle.doc_length,
        "DeduplicateDocuments": lambda baseNumFreq: oracle.deduplicate(baseNumFreq),
        "DuplicateDocumentsLengthWeighted": lambda expected: oracle.length_weighted(expected),
        "DeduplicateDocumentsPercentile": lambda percentile=0.05, expected=1.0: oracle.percentile(percentile, expected),
        "WordTypes": lambda threshold: oracle.word_types(WORDS, path, threshold, "uniq"),
        "WordInstances": lambda threshold=3.0, full=1.0, partial=0.1: oracle.word_instances(
            WORDS, path, threshold, full, partial
        ),
        "DuplicateParagraphs": lambda limit: oracle.duplicate_paragraphs(limit),
        "LargeFreqParagraphs": lambda count=3, freq=100: oracle.large_freq(count, freq),
        "MainContent": oracle.main_content,
        "MainContentRatio": oracle.main_content_ratio,
    }
    given: list[tuple[str, dict[str, Any]]] = [
        ("DocLength", {"low": 0, "high": 0}),
        ("DocLength", {"low": 2**63 - 1, "high": 2**63 - 1}),
        ("DeduplicateDocuments", {"baseNumFreq": 2}),
        ("DeduplicateDocuments", {"baseNumFreq": most_int}),
        ("DuplicateDocumentsLengthWeighted", {"expected": 0.0}),
        ("DuplicateDocumentsLengthWeighted", {"expected": huge}),
        ("DeduplicateDocumentsPercentile", {"percentile": 0.0, "expected": 0.0}),
        ("DeduplicateDocumentsPercentile", {"percentile": 1.0, "expected": huge}),
        ("WordTypes", {"threshold": 0.0}),
        ("WordTypes", {"threshold": huge}),
        ("WordInstances", {"threshold": 0.0, "full": 0.0, "partial": 0.0}),
        ("WordInstances", {"threshold": huge, "full": 1e6, "partial": 1e6}),
        ("DuplicateParagraphs", {"limit": 1}),
        ("DuplicateParagraphs", {"limit": most_int}),
        ("LargeFreqParagraphs", {"count": 1, "freq": 1}),
        ("LargeFreqParagraphs", {"count": most_int, "freq": 100}),
        ("LargeFreqParagraphs", {"count": 1, "freq": most_int}),
        ("MainContent", {"low": 0.0}),
        ("MainContent", {"low": 1.0}),
        ("MainContentRatio", {"low": 1.0, "high": 1.0, "content": 1.0}),
        ("MainContentRatio", {"low": 0.0, "high": 0.0, "content": 0.0}),
    ]
    listed = {"WordTypes", "WordInstances"}
    chain: Chain = [
        ({"class": name, **({"list": path} if name in listed else {}), **values}, of[name](**values))
        for name, values in given
    ]
    for name, metric in (("CompressionRate", oracle.compression), ("HiraganaRatio", oracle.hiragana)):
        chain += [bounds(name, metric, low=0.0, high=0.0), bounds(name, metric, low=1.0, high=1.0)]
    return chain


def short(settings_of_filter: dict[str, Any]) -> str:
    """The name of a class without its package."""
    return str(settings_of_filter["class"]).rsplit(".", maxsplit=1)[-1]


@functools.cache
def chains(words: Path) -> dict[str, Chain]:
    """Each filter in several settings, alone, and after paragraphs are removed; chains of many."""
    classes = settings(words)
    by_name: dict[str, Chain] = {}
    remove = ({"class": "DuplicateParagraphs", "limit": 101}, oracle.duplicate_paragraphs(101))
    for name, items in classes.items():
        for number, item in enumerate(items):
            by_name[f"{name}-{number}"] = [item]
        # The first paragraphs of a document, and some in between, are removed before.
        by_name[f"{name}-after"] = [remove, items[0]]
    for number, item in enumerate(ends(words)):
        by_name[f"end-{number:02}-{short(item[0])}"] = [item]
    graded = [bounds("HiraganaRatio", oracle.hiragana, low=low) for low in (0.05, 0.15, 0.4)]
    package = {"class": "com.worksap.nlp.uzushio.lib.filters.LinkCharRatio", "high": 0.2}
    by_name["original"] = [(package, oracle.bounded("LinkCharRatio", 0, 0.2, oracle.links))]
    return {**by_name, "graded": [*graded[:2], *classes["NoContentDOM"], *graded[2:]]}


@functools.cache
def sampled_chain(words: Path, number: int) -> Chain:
    """A chain of filters at random that all take something, whatever filters there are.

    Each is drawn until one takes or changes something of what those before it leave.
    """
    flat = [item for items in settings(words).values() for item in items]
    chain: Chain = []
    for item in random.Random(number).sample(flat, len(flat)):
        if worked([*chain, item], DOCUMENTS)[-1]:
            chain.append(item)
        if len(chain) == 7:
            break
    return chain


def chain_of(words: Path, name: str) -> Chain:
    """The chain of a name."""
    return sampled_chain(words, int(name[6:])) if name.startswith("chain-") else chains(words)[name]


def copied(document: list[Paragraph]) -> list[Paragraph]:
    """The document, to be changed."""
    return [replace(p) for p in document]


def worked(chain: Chain, documents: Documents) -> list[bool]:
    """By filter: whether it takes or changes something."""
    outcomes = [oracle.run(chain, copied(document), doc_id) for doc_id, document in documents.items()]
    return [any(outcome.worked[step] for outcome in outcomes) for step in range(len(chain))]


CHAINS = [*chains(Path("words.txt")), *(f"chain-{number}" for number in range(SAMPLED_CHAINS))]


@dataclass
class Wanted:
    """What a run should make: texts by reason and document; documents and paragraphs by reason."""

    texts: Texts
    documents: Counter[str]
    paragraphs: Counter[str]


def expected(documents: Documents, chain: Chain, markup: bool) -> Wanted:
    """What the oracles make of the documents."""
    wanted = Wanted(defaultdict(dict), Counter(), Counter())
    for doc_id, paragraphs in documents.items():
        copies = copied(paragraphs)
        reason = oracle.run(chain, copies, doc_id).reason
        # Paragraphs that filters took come first, in the chain's order; then the others.
        rows: dict[tuple[int, str], list[str]] = defaultdict(list)
        for p in copies:
            text = p.markup if markup else p.text
            step = len(chain) if p.step is None else p.step
            rows[step, p.reason or reason or "none"].append(text)
        for (_, name), parts in sorted(rows.items()):
            before = wanted.texts[name].get(doc_id)
            wanted.texts[name][doc_id] = ("" if before is None else before + "\n\n") + "\n\n".join(parts)
            wanted.paragraphs[name] += len(parts)
        left = any(p.reason is None for p in copies)
        wanted.documents[reason or ("none" if left else "empty")] += 1
    return wanted


def configure(path: Path, chain: Chain) -> Path:
    """The configuration of a chain."""
    path.write_text(json.dumps({"filters": [settings for settings, _ in chain]}), encoding="utf-8")
    return path


def difference(found: Texts, wanted: Texts, chain: Chain, output: Path) -> str:
    """Nothing, or the first document that went elsewhere: with metrics and reasons of both."""
    for doc_id, document in DOCUMENTS.items():
        here, there = ({k: v[doc_id] for k, v in texts.items() if doc_id in v} for texts in (found, wanted))
        if here == there:
            continue
        copies = copied(document)
        outcome = oracle.run(chain, copies, doc_id)
        lines = [f"document {doc_id} of {len(document)} paragraphs"]
        lines += [f"  {number}: near {p.near}, {p.path!r}: {p.marked!r}" for number, p in enumerate(document)]
        metrics = iter(outcome.metrics)
        for step, (given, filter_oracle) in enumerate(chain):
            value = None if filter_oracle.change else next(metrics, None)
            gone = [number for number, p in enumerate(copies) if p.step == step]
            lines.append(f"  oracle, {given}: metric {value}, removes paragraphs {gone}")
        lines += [f"  oracle: {outcome.reason}, program: {[*here]}", f"  oracle: {there}", f"  program: {here}"]
        return "\n".join([*lines, run_uzushio("explain", doc_id, "--in", output).stdout])
    return ""


@pytest.mark.parametrize("name", CHAINS)
def test_each_filter_is_its_oracle(
    uzushio: Uzushio, tmp_path: Path, prepared: Path, corpus: Documents, name: str
) -> None:
    """Every document and paragraph goes where the oracle says, with the same text; 1 and 7 threads agree."""
    chain = chain_of(prepared / "words.txt", name)
    config = configure(tmp_path / "chain.conf", chain)
    if not name.startswith("end-"):
        assert all(worked(chain, corpus)), "a filter of this chain takes nothing: the corpus is too easy for it"
    for markup in (False, True):
        outputs = []
        summary = tmp_path / "summary.json"
        for threads in (1, 7):
            output = tmp_path / f"out-{markup}-{threads}"
            options = ["--mode", "partitioned", "--threads", threads, *(["--keep-markup"] if markup else [])]
            common = ["--config", config, "--stats", tmp_path / "statistics", "--summary", summary]
            uzushio("filter", tmp_path / "documents", "--output", output, *common, *options)
            outputs.append({p.relative_to(output): p.read_bytes() for p in sorted(output.rglob("*.parquet"))})
        assert outputs[0] == outputs[1]
        wanted = expected(corpus, chain, markup)
        message = difference(written(tmp_path / f"out-{markup}-1"), wanted.texts, chain, tmp_path / f"out-{markup}-1")
        assert not message, message
        counts = read_json(summary)
        parts = [("none", counts["passed"]), ("empty", counts["empty"])]
        parts += [(item["reason"], item) for item in counts["removed"]]
        for unit, numbers in (("documents", wanted.documents), ("paragraphs", wanted.paragraphs)):
            said: Counter[str] = Counter()
            for reason, part in parts:
                said[reason] += part[unit]
            assert +said == +numbers, unit


def test_each_filter_has_an_oracle(uzushio: Uzushio) -> None:
    """A filter that is added is held against one here, or in test_hosts.py, test_lm.py, test_fasttext.py,
    test_classifier.py, test_onnx.py, test_fineweb.py, test_swallow.py, test_tokens.py, test_contamination.py,
    test_rights.py, test_clean_oracle.py or, as what it finds is beyond a few lines of Python, test_personal_data.py."""
    names = re.findall(r"^(\w+) \(", uzushio("filters").stdout, re.MULTILINE)
    elsewhere = [
        "Classifier",
        "Contamination",
        "Ensemble",
        "FastText",
        "FineWebQuality",
        "HostFilter",
        "License",
        "MaskPersonalData",
        "Onnx",
        "OptOut",
        "Percentile",
        "Tokens",
        *(name for name in names if name.startswith("KenLM")),
        *swallow_oracle.FILTERS,
        *clean_oracle.STAGES,
    ]
    assert sorted(names) == sorted([*settings(Path("words.txt")), *elsewhere])


def test_metrics_are_the_oracles(uzushio: Uzushio, tmp_path: Path, prepared: Path, corpus: Documents) -> None:
    """Of each filter in all settings, on whole documents, and again where paragraphs are removed or merged."""
    words = prepared / "words.txt"
    all_settings = [item for items in settings(words).values() for item in items] + ends(words)
    deciding = [item for item in all_settings if item[1].change is None]
    chain = [*deciding, *(item for item in all_settings if item[1].change), *deciding]
    names: list[str] = []
    oracles: list[tuple[int, Oracle]] = []  # of the columns, with the place in the chain where they are computed
    epoch, known, uses = 0, set(), Counter[str]()
    for step, (_, item) in enumerate(chain):
        name = item.name + (f"({item.key})" if item.key else "")
        if (name, epoch) not in known:
            known.add((name, epoch))
            uses[name] += 1
            names.append(name if uses[name] == 1 else f"{name}#{uses[name]}")
            oracles.append((step, item))
        epoch += item.change is not None
    options = ["--config", configure(tmp_path / "chain.conf", chain), "--stats", tmp_path / "statistics"]
    uzushio("metrics", tmp_path / "documents", "--output", tmp_path / "metrics", *options)
    table = metric_table(tmp_path / "metrics")
    assert list(table) == ["docId", *names]
    for row, (doc_id, document) in enumerate(corpus.items()):
        copies = copied(document)
        columns = iter(zip(names, oracles, strict=True))
        name, (at, item) = next(columns)
        for step, (given, change) in enumerate(chain):
            if step == at:
                value, found = item.metric(copies), table[name][row]
                assert math.isclose(value, found, rel_tol=1e-12), (
                    f"document {doc_id}, {name}, in {given}: oracle {value}, program {found}\n"
                    + "\n".join(f"{p.near} {p.reason} {p.path!r}: {p.marked!r}" for p in copies)
                )
                name, (at, item) = next(columns, ("", (-1, item)))
            if change.change:
                change.change(copies)


def test_passed_mode_writes_what_passed(uzushio: Uzushio, tmp_path: Path, corpus: Documents) -> None:
    """In input order, with the other columns, and the summary's table adds up."""
    chain = chains(Path("words.txt"))["graded"]
    config = configure(tmp_path / "chain.conf", chain)
    summary = tmp_path / "summary.json"
    common = ["--config", config, "--stats", tmp_path / "statistics", "--summary", summary]
    done = uzushio("filter", tmp_path / "documents", "--output", tmp_path / "out", *common)
    table = pq.read_table(tmp_path / "out" / "part-00000.parquet")
    wanted = expected(corpus, chain, False).texts["none"]
    assert dict(zip(table["docId"].to_pylist(), table["text"].to_pylist(), strict=True)) == wanted
    assert table["n"].to_pylist() == sorted(table["n"].to_pylist())
    counts = read_json(summary)
    for unit in ("documents", "paragraphs", "text_bytes", "characters"):
        parts = [counts["passed"], counts["empty"], *counts["removed"]]
        assert sum(part[unit] for part in parts) == counts["input"][unit]
    assert "HiraganaRatio.Low(0.4)" in done.stderr
    assert "passed" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", "jsonl.zst", "parquet"])
def test_converts_between_formats(uzushio: Uzushio, tmp_path: Path, corpus: Documents, form: str) -> None:
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
        (
            "filters: [\n{class: HiraganaRatio, low: 0.5, high: 0.2}]",
            [":2:", "filters[0].low", "0.5", "above `high`, 0.2", "HiraganaRatio", "lower `low` or a higher `high`"],
        ),
        ("filters: [{class: CompressionRate, low: 1.5}]", ["filters[0].low", "1.5", "1.0 (the default)"]),
        ("filters: [{class: DocLength, low: 9, high: 8}]", ["filters[0].low", "9 is above `high`, 8: DocLength"]),
        ("filters: [{class: HiraganaRatio, low: 30}]", ["filters[0].low", "30 is not between 0.0 and 1.0", "30 %"]),
        ("filters: [{class: LinkCharRatio, high: 101}]", ["filters[0].high", "101 is not between 0.0 and 100.0"]),
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


def test_a_chain_that_removes_everything_is_warned_of(uzushio: Uzushio, tmp_path: Path) -> None:
    """On standard error, also where the summary is not wanted; not of a chain that some document passes."""
    write = {"docId": ["a", "b"], "text": ["p\x1cみじかい", "p\x1cこれはながいぶんしょう"]}
    pq.write_table(pa.table(write), tmp_path / "a.parquet")
    warnings = []
    for low, quiet in ((5, False), (50, False), (50, True)):
        config = configure(tmp_path / "chain.conf", [({"class": "DocLength", "low": low}, oracle.doc_length(low))])
        options = ["--config", config, "--overwrite", *(["--quiet"] if quiet else [])]
        done = uzushio("filter", tmp_path / "a.parquet", "--output", tmp_path / "out", *options)
        warnings.append("warning: nothing passed the chain, of 2 documents; DocLength.Low(50)" in done.stderr)
    assert warnings == [False, True, True]
    config.write_text("filters: []", encoding="utf-8")
    pq.write_table(pa.table({"docId": ["a"], "text": [""]}), tmp_path / "a.parquet")
    assert "warning" not in uzushio("filter", tmp_path / "a.parquet", "--output", tmp_path / "no").stderr


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
    (tmp_path / ".uzushio").mkdir()
    (tmp_path / ".uzushio/frequency.index").write_bytes(b"x" * 200)
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
        '{"docId":"x","text":"文"}\n{oops\n{"docId":1,"text":"文"}\n{"text":"文","z":1}\n{"docId":"y","z":2}\n[]\n'
    )
    uzushio("filter", tmp_path / "b.jsonl", "--output", tmp_path / "out2", "--summary", summary)
    assert read_json(summary)["quarantined"] == {"no-json": 1, "no-text": 1, "other-columns": 2}
    uzushio("filter", tmp_path / "b.jsonl", "--output", tmp_path / "out3", "--max-bad", 2, code=3)
    metrics = ("metrics", tmp_path / "b.jsonl", "--metric", "DocLength", "--output", tmp_path / "out4")
    assert "out4/.uzushio/quarantine" in uzushio(*metrics, "--max-bad", 2, code=3).stderr


@pytest.mark.parametrize("command", ["filter", "metrics", "hosts"])
def test_a_run_that_is_complete_has_the_same_bad_records(uzushio: Uzushio, tmp_path: Path, command: str) -> None:
    """And fails again, where it did."""
    rows = ['{"docId":"x","url":"http://a.jp/","text":"文"}', "{oops", '{"docId":"y","url":"http://a.jp/"}']
    (tmp_path / "a.jsonl").write_text("\n".join(rows), encoding="utf-8")
    options = ["--output", tmp_path / "out", "--max-bad", 0, "--summary", tmp_path / "summary.json"]
    if command == "metrics":
        options += ["--metric", "DocLength"]
    quarantined = []
    for _ in range(2):
        uzushio(command, tmp_path / "a.jsonl", *options, code=3)
        quarantined.append(read_json(tmp_path / "summary.json")["quarantined"])
    assert quarantined[0] == quarantined[1]
    assert quarantined[0]


def test_sorted_documents_have_the_size_that_is_asked_for(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of their files; another is another run."""
    (tmp_path / "a.jsonl").write_text('{"docId":"x","text":"文"}', encoding="utf-8")
    options = ["--metric", "DocLength", "--output", tmp_path / "out", "--sorted-by", "DocLength"]
    uzushio("metrics", tmp_path / "a.jsonl", *options)
    said = uzushio("metrics", tmp_path / "a.jsonl", *options, "--shard-size", "1MiB", code=2).stderr
    assert "another configuration" in said


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
        config = configure(tmp_path / "chain.conf", [(setting, oracle.adjacent())])
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


def test_resumed_or_refused(uzushio: Uzushio, tmp_path: Path, corpus: Documents) -> None:
    """The same run is not made twice; another chain is refused."""
    assert corpus
    common = ["filter", tmp_path / "documents", "--output", tmp_path / "out"]
    config = configure(tmp_path / "chain.conf", chains(Path("words.txt"))["DocLength-0"])
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
    """The columns of a metrics dataset, but for the sizes."""
    return dict(pq.read_table(folder / "metrics.parquet").drop_columns(SIZES).to_pydict())


def test_metrics_are_those_of_the_filters(uzushio: Uzushio, tmp_path: Path, corpus: Documents) -> None:
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
    rows = pq.read_table(tmp_path / "metrics" / ".uzushio/sorted").to_pylist()
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
    mark = tmp_path / "metrics" / ".uzushio/manifest.json"
    said = json.loads(mark.read_text(encoding="utf-8"))
    del said["run"]["configuration"]["columns"]
    mark.write_text(json.dumps(said), encoding="utf-8")
    assert "does not say what the columns are" in refusal(tmp_path / "documents", "--config", config, *common)
    for foreign in ('{"run": []}', '{"run": {"stage": "metrics"}}', "[]", "nothing"):
        mark.write_text(foreign, encoding="utf-8")
        assert "uzushio: error: --metrics" in refusal(tmp_path / "documents", "--config", config, *common)


@pytest.mark.once
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
        if memory == "256MiB":
            assert read_json(summary)["peak_memory_bytes"] < 1.1 * (256 << 20)
    assert outputs[0] == outputs[1]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_metrics_by_name(uzushio: Uzushio, tmp_path: Path, corpus: Documents) -> None:
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
    said = refusal("--metric", "LinkCharRatio", "--sorted-by", "LinkCharRate")
    assert "only LinkCharRatio; did you mean LinkCharRatio?" in said


def test_explain_tells_a_documents_way(uzushio: Uzushio, tmp_path: Path, corpus: Documents) -> None:
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
        reason = oracle.run(chain, copies, doc_id).reason
        text = uzushio("explain", doc_id, "--in", tmp_path / "out").stdout
        assert f"document {doc_id}" in text
        assert f"{len(document)} paragraphs" in text
        assert "random" not in text
        assert text.count("nearFreq >= 30, 2 in a row") == sum(p.reason is not None for p in copies)
        assert ("removed by HiraganaRatio.Low(0.6)" in text) == (reason is not None)
        assert ("passed, with" in text) == (reason is None and bool(oracle.alive(copies)))
        seen.add(reason)
    assert len(seen) == 2
    sampled: Chain = [({"class": "DuplicateDocumentsLengthWeighted", "expected": 1.2}, oracle.length_weighted(1.2))]
    config = configure(tmp_path / "sampled.conf", sampled)
    arguments = ["--config", config, "--stats", tmp_path / "statistics", "--output", tmp_path / "sampled"]
    uzushio("filter", tmp_path / "documents", *arguments)
    assert "; random is 0." in uzushio("explain", next(iter(corpus)), "--in", tmp_path / "sampled").stdout
    assert "no document" in uzushio("explain", "nobody", "--in", tmp_path / "out", code=2).stderr
    assert "no output of uzushio filter or decontaminate" in uzushio("explain", "x", "--in", tmp_path, code=2).stderr
