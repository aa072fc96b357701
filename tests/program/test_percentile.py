"""`Percentile` and `Ensemble`: shares of documents by their metrics, through the program."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import random_documents, write_corpus
from program import Uzushio, read_json

DOCUMENTS = 300
HIRAGANA = {"class": "HiraganaRatio"}


@pytest.fixture(name="documents")
def make_documents(uzushio: Uzushio, tmp_path: Path) -> Path:
    """Random documents."""
    write_corpus(uzushio, tmp_path, random_documents(11, DOCUMENTS))
    return tmp_path / "documents"


def configure(path: Path, *filters: dict[str, Any]) -> Path:
    """A chain of filters."""
    path.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    return path


def check_is_refused(
    uzushio: Uzushio, folder: Path, documents: Path, filters: list[dict[str, Any]], words: list[str]
) -> None:
    """A chain, by one line that has these words."""
    config = configure(folder / "chain.conf", *filters)
    said = uzushio("filter", documents, "--config", config, "--output", folder / "out", code=2).stderr
    assert all(word in said for word in words), said
    assert said.count("\n") == 1


def percentile(**parameters: Any) -> dict[str, Any]:
    """The filter, by default of the share of hiragana."""
    return {"class": "Percentile", "metric": "HiraganaRatio", **parameters}


def wanted(folder: Path, begin: str, end: str, column: str = "HiraganaRatio", by: str | None = None) -> list[str]:
    """Ids of the documents in a share, in order: those of which documents of their value or less weigh so much.

    But for those of which nothing is left, which are not written.
    """
    table = pq.read_table(folder / "metrics.parquet").to_pydict()
    values = table[column]
    weights = [1] * len(values) if by is None else table[by]
    at_most = {value: sum(w for v, w in zip(values, weights, strict=True) if v <= value) for value in set(values)}
    low, high = Fraction(begin) * sum(weights), Fraction(end) * sum(weights)
    rows = zip(table["docId"], values, table["keptCharacters"], strict=True)
    return [name for name, value, kept in rows if kept and low < at_most[value] <= high]


def passed(folder: Path) -> list[str]:
    """Ids of what passed."""
    return [str(name) for name in pq.read_table(folder)["docId"].to_pylist()]


@pytest.mark.parametrize(
    ("parameters", "ends", "by"),
    [
        ({"keep": 0.3}, (".7", "1"), None),
        ({"keep": 0.1}, (".9", "1"), None),
        ({"keep": 0.5, "by": "characters"}, (".5", "1"), "characters"),
        ({"begin": 0.2, "end": 0.25}, (".2", ".25"), None),
        ({"end": 0.4}, ("0", ".4"), None),
        ({"begin": 0.35, "end": 0.9, "by": "characters"}, (".35", ".9"), "characters"),
    ],
)
def test_keeps_a_share(
    uzushio: Uzushio, tmp_path: Path, documents: Path, parameters: dict[str, Any], ends: tuple[str, str], by: str | None
) -> None:
    """By documents and characters, to a document, and alike for all numbers of threads."""
    config = configure(tmp_path / "chain.conf", HIRAGANA, percentile(**parameters))
    uzushio("metrics", documents, "--config", config, "--output", tmp_path / "metrics")
    for threads in (1, 2, 7):
        output = tmp_path / f"out{threads}"
        options = ["--config", config, "--metrics", tmp_path / "metrics", "--threads", threads]
        uzushio("filter", documents, *options, "--output", output)
        assert passed(output) == wanted(tmp_path / "metrics", *ends, by=by)
        assert 0 < len(passed(output)) < DOCUMENTS


def test_equal_values_stay_together(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """Twenty parts by a metric of few values are a partition, by documents."""
    length = {"class": "DocLength"}
    config = configure(tmp_path / "chain.conf", length)
    uzushio("metrics", documents, "--config", config, "--output", tmp_path / "metrics")
    every: list[str] = []
    for bucket in range(20):
        ends = {"begin": bucket / 20, "end": (bucket + 1) / 20}
        config = configure(tmp_path / "chain.conf", length, percentile(**ends, metric="DocLength"))
        output = tmp_path / f"bucket-{bucket}"
        uzushio("filter", documents, "--config", config, "--metrics", tmp_path / "metrics", "--output", output)
        every += passed(output) if any(output.glob("*.parquet")) else []
    everything = [str(name) for name in pq.read_table(documents)["docId"].to_pylist()]
    empty = [name for name in everything if name not in set(every)]
    texts = pq.read_table(documents).to_pydict()
    assert all(not text for name, text in zip(texts["docId"], texts["text"], strict=True) if name in set(empty))
    assert len(every) == len(set(every))


def test_the_value_is_told(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """By the manifest, the reason, the summary and `explain`; the chain of the manifest needs no table."""
    config = configure(tmp_path / "chain.conf", HIRAGANA, percentile(keep=0.3))
    uzushio("metrics", documents, "--config", config, "--output", tmp_path / "metrics")
    values = sorted(pq.read_table(tmp_path / "metrics" / "metrics.parquet")["HiraganaRatio"].to_pylist())
    low = values[DOCUMENTS * 7 // 10]
    options = ["--config", config, "--metrics", tmp_path / "metrics", "--mode", "partitioned"]
    said = uzushio("filter", documents, *options, "--output", tmp_path / "out", "--summary", tmp_path / "s.json")
    reason = f"Percentile(HiraganaRatio,0.7).Low({low})"
    assert reason in said.stderr
    assert reason in [one["reason"] for one in read_json(tmp_path / "s.json")["removed"]]
    filters = read_json(tmp_path / "out" / ".uzushio" / "manifest.json")["run"]["configuration"]["filters"]
    assert filters[1]["low"] == low
    removed = pq.read_table(tmp_path / "out" / f"filter={reason}")["docId"].to_pylist()
    text = uzushio("explain", removed[0], "--in", tmp_path / "out").stdout
    assert f"removes < {low}\n" in text
    assert f"removed by {reason}; at most 0.7 of all documents are below\n" in text
    again = configure(tmp_path / "again.conf", *filters)
    uzushio("filter", documents, "--config", again, "--output", tmp_path / "again")
    assert passed(tmp_path / "again") == passed(tmp_path / "out" / "filter=none")
    # Metrics and the report page of a chain whose share is known show its threshold.
    uzushio("metrics", documents, "--config", again, "--output", tmp_path / "known")
    rules = read_json(tmp_path / "known" / ".uzushio" / "manifest.json")["run"]["configuration"]["rules"]
    assert [(one["parameter"], one["removes"], one["value"]) for one in rules[1]["thresholds"]] == [("low", "<", low)]
    uzushio("report", tmp_path / "known", tmp_path / "out", "--output", tmp_path / "page.html")
    uzushio("report", tmp_path / "metrics", "--output", tmp_path / "open.html")


def test_lines_take_the_share_of_their_table(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """Of documents in JSON Lines, metrics are computed again, and the share is the table's."""
    uzushio("filter", documents, "--format", "jsonl", "--output", tmp_path / "lines")
    config = configure(tmp_path / "chain.conf", HIRAGANA, percentile(keep=0.3))
    uzushio("metrics", tmp_path / "lines", "--config", config, "--output", tmp_path / "metrics")
    options = ["--config", config, "--metrics", tmp_path / "metrics"]
    uzushio("filter", tmp_path / "lines", *options, "--output", tmp_path / "out")
    assert passed(tmp_path / "out") == wanted(tmp_path / "metrics", ".7", "1")


def test_metrics_after_changes_of_paragraphs(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """Of two metrics of one name, each is found by its own; filters between do not change what was measured."""
    markdown = {"class": "DuplicateParagraphs", "limit": 2}
    after = percentile(metric="DocLength#2", keep=0.4)
    chain: list[dict[str, Any]] = [
        {"class": "DocLength"},
        markdown,
        {"class": "DocLength"},
        {"class": "MergeListTag"},
        after,
    ]
    config = configure(tmp_path / "chain.conf", *chain)
    options = ["--config", config, "--stats", tmp_path / "statistics"]
    uzushio("metrics", documents, *options, "--output", tmp_path / "metrics")
    uzushio("filter", documents, *options, "--metrics", tmp_path / "metrics", "--output", tmp_path / "out")
    first, second = (wanted(tmp_path / "metrics", ".6", "1", name) for name in ("DocLength", "DocLength#2"))
    assert passed(tmp_path / "out") == second
    assert first != second


def test_a_run_makes_the_table_before(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """As a stage; the second run finds nothing to do."""
    chain = [HIRAGANA, percentile(keep=0.3)]
    stages = [
        {"name": "measured", "command": "metrics", "input": str(documents), "config": str(tmp_path / "chain.conf")},
        {"name": "best", "command": "filter", "input": str(documents), "metrics": "@measured", "filters": chain},
    ]
    configure(tmp_path / "chain.conf", *chain)
    (tmp_path / "p.conf").write_text(json.dumps({"stages": stages}), encoding="utf-8")
    uzushio("run", tmp_path / "p.conf", "--output", tmp_path / "corpus", "--plan")
    uzushio("run", tmp_path / "p.conf", "--output", tmp_path / "corpus")
    assert passed(tmp_path / "corpus" / "best") == wanted(tmp_path / "corpus" / "measured", ".7", "1")
    assert "2 done before" in uzushio("run", tmp_path / "p.conf", "--output", tmp_path / "corpus").stderr


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (
            [HIRAGANA, percentile(keep=0.3)],
            ["filters[1]: Percentile", "uzushio metrics DOCUMENTS", "--metrics METRICS"],
        ),
        ([percentile(keep=0.3)], ["'HiraganaRatio' has to be a metric", "no filter before it has a metric"]),
        ([HIRAGANA, percentile(metric="HiraganaRate", keep=0.3)], ["did you mean HiraganaRatio?"]),
        ([{"class": "Markdown"}, percentile(metric="Markdown", keep=0.3)], ["changes paragraphs"]),
        ([HIRAGANA, percentile()], ["give either `keep`, or `begin` and `end`"]),
        ([HIRAGANA, percentile(keep=0.2, end=0.5)], ["give either `keep`, or `begin` and `end`"]),
        ([HIRAGANA, percentile(begin=0.5, end=0.5)], ["begin: is not below `end`"]),
        ([HIRAGANA, percentile(keep=1e-12)], ["keep: is below"]),
        ([HIRAGANA, percentile(keep=0.3, high=0.5)], ["high: is where the share ends"]),
        ([HIRAGANA, percentile(begin=0.3, low=0.1, high=0.5)], ["high: is where the share ends"]),
        ([HIRAGANA, percentile(end=0.7, low=0.1)], ["low: is where the share begins"]),
        ([HIRAGANA, percentile(keep=30)], ["30 % are 0.3"]),
        ([HIRAGANA, percentile(keep=0.3, by="words")], ["is none of documents, characters, tokens"]),
    ],
)
def test_wrong_chains_are_one_clear_line(
    uzushio: Uzushio, tmp_path: Path, documents: Path, filters: list[dict[str, Any]], words: list[str]
) -> None:
    """Errors name the filter and what to do."""
    check_is_refused(uzushio, tmp_path, documents, filters, words)


def test_tables_of_others_are_refused(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """Of other documents, and of other metrics; by tokens, without tokens."""
    config = configure(tmp_path / "chain.conf", HIRAGANA, percentile(keep=0.3))
    other = configure(tmp_path / "other.conf", {"class": "DocLength"})
    uzushio("metrics", documents, "--config", other, "--output", tmp_path / "metrics")
    options = ["--metrics", tmp_path / "metrics", "--output", tmp_path / "out"]
    said = uzushio("filter", documents, "--config", config, *options, code=2).stderr
    assert "there is no HiraganaRatio after the same filters of paragraphs, which Percentile needs" in said
    (tmp_path / "b.parquet").symlink_to(next(documents.glob("*.parquet")))
    said = uzushio("filter", tmp_path / "b.parquet", "--config", config, *options, code=2).stderr
    assert "these are metrics of other inputs" in said
    tokens = configure(
        tmp_path / "tokens.conf", {"class": "DocLength"}, percentile(metric="DocLength", keep=0.3, by="tokens")
    )
    assert "there is no column Tokens" in uzushio("filter", documents, "--config", tokens, *options, code=2).stderr


def test_a_table_is_of_the_same_texts(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of the column that is filtered, and of ids in the same."""
    names = {"docId": ["a", "b", "c"], "other": ["x", "y", "z"]}
    columns = names | {"text": ["あ", "ああ", "あああ"], "title": ["い"] * 3}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    config = configure(tmp_path / "chain.conf", LENGTH, percentile(metric="DocLength", keep=0.3))
    given = [tmp_path / "a.parquet", "--config", config]
    uzushio("metrics", *given, "--output", tmp_path / "metrics")
    given += ["--output", tmp_path / "out", "--metrics", tmp_path / "metrics"]
    said = uzushio("filter", *given, "--text-column", "title", code=2).stderr
    assert "these are metrics of the texts in column 'text', and those of 'title' are wanted" in said
    length = configure(tmp_path / "length.conf", {**LENGTH, "low": 2})
    given[2] = length
    said = uzushio("filter", *given, "--id-column", "other", code=2).stderr
    assert "the ids of its documents are those in column 'docId', and those of 'other' are wanted" in said
    uzushio("filter", *given)
    assert passed(tmp_path / "out") == ["b", "c"]


@pytest.mark.parametrize("change", ["order", "number"])
def test_a_table_is_of_the_same_documents(uzushio: Uzushio, tmp_path: Path, change: str) -> None:
    """Not of those that the file had before it was written again."""

    def write(ids: list[int]) -> None:
        table = pa.table({"docId": [f"{i:04}" for i in ids], "text": ["あ" * (i + 1) for i in ids]})
        pq.write_table(table, tmp_path / "a.parquet", compression="none", use_dictionary=False, write_statistics=False)

    write(list(range(100)))
    config = configure(tmp_path / "chain.conf", {**LENGTH, "low": 50})
    uzushio("metrics", tmp_path / "a.parquet", "--config", config, "--output", tmp_path / "metrics")
    write(list(reversed(range(100))) if change == "order" else list(range(99)))
    mark = tmp_path / "metrics" / ".uzushio" / "manifest.json"
    manifest = read_json(mark)
    manifest["run"]["inputs"] = made_inputs(uzushio, tmp_path)
    mark.write_text(json.dumps(manifest), encoding="utf-8")
    options = ["--config", config, "--metrics", tmp_path / "metrics", "--output", tmp_path / "out"]
    said = uzushio("filter", tmp_path / "a.parquet", *options, code=2).stderr
    words = {"order": "not of the same documents", "number": "metrics of 100 documents, and the input has 99"}
    assert words[change] in said


def made_inputs(uzushio: Uzushio, folder: Path) -> Any:
    """How a run names its inputs as they are now."""
    uzushio("filter", folder / "a.parquet", "--output", folder / "named")
    return read_json(folder / "named" / ".uzushio" / "manifest.json")["run"]["inputs"]


LENGTH = {"class": "DocLength"}


@pytest.mark.parametrize(("buckets", "wanted_buckets"), [(3, [0, 0, 1, 1, 2, 2]), (6, [0, 1, 2, 3, 4, 5])])
def test_buckets_are_equal(uzushio: Uzushio, tmp_path: Path, buckets: int, wanted_buckets: list[int]) -> None:
    """Where their number does not divide a billion, too."""
    texts = ["あ" * (i + 1) for i in range(6)]
    pq.write_table(pa.table({"docId": [str(i) for i in range(6)], "text": texts}), tmp_path / "a.parquet")
    config = configure(tmp_path / "c.conf", LENGTH, {"class": "Ensemble", "metrics": ["DocLength"], "buckets": buckets})
    uzushio("metrics", tmp_path / "a.parquet", "--config", config, "--output", tmp_path / "metrics")
    options = ["--config", config, "--metrics", tmp_path / "metrics"]
    uzushio("filter", tmp_path / "a.parquet", *options, "--output", tmp_path / "out")
    filters = read_json(tmp_path / "out" / ".uzushio" / "manifest.json")["run"]["configuration"]["filters"]
    again = configure(tmp_path / "again.conf", *filters)
    uzushio("metrics", tmp_path / "a.parquet", "--config", again, "--output", tmp_path / "again")
    table = pq.read_table(tmp_path / "again" / "metrics.parquet").to_pydict()
    assert table[next(name for name in table if name.startswith("Ensemble"))] == wanted_buckets


def test_tokens_are_those_of_the_chain(uzushio: Uzushio, tmp_path: Path) -> None:
    """Not those of another tokenizer, which the table has."""
    pq.write_table(pa.table({"docId": ["a", "b"], "text": ["あ", "い"]}), tmp_path / "a.parquet")
    chain = []
    for name in ("one", "two"):
        vocabulary = {"a": 0} if name == "one" else {"a": 0, "b": 1}
        model = {"model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "a"}}
        (tmp_path / name).write_text(json.dumps(model), encoding="utf-8")
        chain.append({"class": "Tokens", "tokenizer": str(tmp_path / name)})
    wants = percentile(metric="DocLength", keep=0.5, by="tokens")
    measured = configure(tmp_path / "one.conf", LENGTH, chain[0])
    uzushio("metrics", tmp_path / "a.parquet", "--config", measured, "--output", tmp_path / "metrics")
    options = ["--metrics", tmp_path / "metrics", "--output", tmp_path / "out"]
    config = configure(tmp_path / "two.conf", LENGTH, chain[1], wants)
    said = uzushio("filter", tmp_path / "a.parquet", "--config", config, *options, code=2).stderr
    assert "shares by tokens: there is no Tokens(" in said
    config = configure(tmp_path / "same.conf", LENGTH, wants)
    uzushio("filter", tmp_path / "a.parquet", "--config", config, *options)


def ensemble(**parameters: Any) -> dict[str, Any]:
    """The filter, of two metrics."""
    return {"class": "Ensemble", "metrics": ["HiraganaRatio", "DocLength"], **parameters}


@pytest.mark.parametrize("method", ["mean", "maximum"])
def test_an_ensemble_is_one_metric(uzushio: Uzushio, tmp_path: Path, documents: Path, method: str) -> None:
    """Measured, decided by, and taken a share of; another chain takes its sources from the same table."""
    config = configure(tmp_path / "chain.conf", HIRAGANA, LENGTH, ensemble(method=method))
    uzushio("metrics", documents, "--config", config, "--output", tmp_path / "metrics")
    name = f"Ensemble({method},HiraganaRatio+DocLength)"
    table = pq.read_table(tmp_path / "metrics" / "metrics.parquet").to_pydict()
    pairs = list(zip(table["HiraganaRatio"], table["DocLength"], strict=True))
    assert table[name] == [sum(pair) / 2 if method == "mean" else max(pair) for pair in pairs]
    low = float(sorted(table[name])[DOCUMENTS // 2]) + 0.25
    other = configure(tmp_path / "other.conf", HIRAGANA, LENGTH, ensemble(method=method, low=low))
    uzushio("filter", documents, "--config", other, "--output", tmp_path / "out")
    kept = [at for at, value in zip(table["docId"], table[name], strict=True) if value >= low]
    assert passed(tmp_path / "out") == kept
    share = configure(
        tmp_path / "share.conf", HIRAGANA, LENGTH, ensemble(method=method), percentile(metric="Ensemble", keep=0.25)
    )
    options = ["--config", share, "--metrics", tmp_path / "metrics"]
    uzushio("filter", documents, *options, "--output", tmp_path / "share")
    assert passed(tmp_path / "share") == wanted(tmp_path / "metrics", ".75", "1", name)


def bucket_of(values: list[float], buckets: int) -> list[int]:
    """The number of each value's part: that of the part in which it ends."""
    at_most = {value: sum(v <= value for v in values) for value in set(values)}
    return [-(-at_most[value] * buckets // len(values)) - 1 for value in values]


def test_buckets_of_an_ensemble(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """Each metric is replaced by its part's number; a chain without a table measures all but the ensemble."""
    chain = [HIRAGANA, LENGTH, ensemble(method="maximum", buckets=20, low=18)]
    config = configure(tmp_path / "chain.conf", *chain)
    uzushio("metrics", documents, "--config", config, "--output", tmp_path / "metrics")
    table = pq.read_table(tmp_path / "metrics" / "metrics.parquet").to_pydict()
    assert not any(name.startswith("Ensemble") for name in table)
    both = zip(bucket_of(table["HiraganaRatio"], 20), bucket_of(table["DocLength"], 20), strict=True)
    best = [max(pair) for pair in both]
    for threads in (1, 5):
        options = ["--config", config, "--metrics", tmp_path / "metrics", "--threads", threads]
        uzushio("filter", documents, *options, "--output", tmp_path / f"out{threads}")
        assert passed(tmp_path / f"out{threads}") == [at for at, n in zip(table["docId"], best, strict=True) if n >= 18]
    filters = read_json(tmp_path / "out1" / ".uzushio" / "manifest.json")["run"]["configuration"]["filters"]
    assert [text.count(",") for text in filters[2]["edges"]] == [18, 18]
    again = configure(tmp_path / "again.conf", *filters)
    uzushio("metrics", documents, "--config", again, "--output", tmp_path / "again")
    known = pq.read_table(tmp_path / "again" / "metrics.parquet").to_pydict()
    assert known[next(name for name in known if name.startswith("Ensemble"))] == best
    uzushio("report", tmp_path / "again", "--output", tmp_path / "page.html")


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ([HIRAGANA, LENGTH, ensemble(buckets=20)], ["filters[2]: Ensemble", "--metrics METRICS"]),
        ([HIRAGANA, ensemble()], ["'DocLength' has to be a metric", "only HiraganaRatio"]),
        ([HIRAGANA, LENGTH, ensemble(buckets=1)], ["buckets: one bucket has all documents"]),
        ([HIRAGANA, LENGTH, ensemble(edges=["1", "2"])], ["edges: are of `buckets`"]),
        ([HIRAGANA, LENGTH, ensemble(by="characters")], ["by: is of `buckets`, which is 0"]),
        ([HIRAGANA, LENGTH, ensemble(buckets=2, edges=["1"])], ["one list for each metric"]),
        ([HIRAGANA, LENGTH, ensemble(buckets=2, edges=["1", "2,3"])], ["edges: '2,3' is not 1 numbers"]),
        ([HIRAGANA, LENGTH, ensemble(buckets=3, edges=["1,2", "3,2"])], ["in ascending order"]),
        (
            [HIRAGANA, LENGTH, ensemble(buckets=2, edges=["1", "x"])],
            ["filters[2] (Ensemble): edges: 'x' is no list of numbers"],
        ),
        ([HIRAGANA, {**ensemble(), "metrics": ["HiraganaRatio", "HiraganaRatio"]}], ["is there twice"]),
        ([HIRAGANA, LENGTH, ensemble(method="median")], ["is none of mean, maximum"]),
    ],
)
def test_wrong_ensembles_are_one_clear_line(
    uzushio: Uzushio, tmp_path: Path, documents: Path, filters: list[dict[str, Any]], words: list[str]
) -> None:
    """Errors name the filter and what to do."""
    check_is_refused(uzushio, tmp_path, documents, filters, words)
