"""Filters by language model against SudachiPy and a plain back-off model; `uzushio train-lm`."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filter_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sudachipy  # type: ignore[import-untyped]
from corpus import encode, written
from filter_oracle import Paragraph
from program import SIZES, Uzushio, read_json

Ngrams = dict[tuple[str, ...], tuple[float, float]]
TEXTS = [
    "これは形態素解析器の試験です。東京都に住んでいます！",
    "今日は良い天気ですね、散歩に\x02行きましょう\x03。",
    "株式会社うずしお　営業部\n電話番号は03-1234-5678です",
    "abc def ghi jkl mno pqr stu",
    "すもももももももものうち？",
    "国会議事堂前駅から徒歩5分！！",
    "𠮟られて、🌊に行った。",
    "長い文" * 6000,
]


def tokens_of(text: str, tokenizer: Any) -> list[str]:
    """Surfaces of mode C, sentence by sentence; no spaces, no marks."""
    plain = re.sub("[\x02\x03]", "", text)
    found = []
    for sentence in re.findall("[^\n。、！？!?]*[\n。、！？!?]|[^\n。、！？!?]+", plain):
        most = 49149 // 3  # bytes that Sudachi takes, of these texts' characters
        for start in range(0, len(sentence), most):
            for morpheme in tokenizer.tokenize(sentence[start : start + most]):
                if morpheme.normalized_form() != " " and morpheme.surface() != "\n":
                    found.append(morpheme.surface())
    return found


@pytest.fixture(name="tokenizer", scope="session")
def make_tokenizer() -> Any:
    """Sudachi in mode C."""
    return sudachipy.Dictionary(dict="small").create(mode=sudachipy.SplitMode.C)


def random_model(sequences: list[list[str]], path: Path) -> Ngrams:
    """A 3-gram model of arbitrary numbers, in ARPA; some n-grams are left out, so that it has to back off."""
    choose = random.Random(1)
    counts: list[set[tuple[str, ...]]] = [set(), set(), set()]
    words = sorted({word for sequence in sequences for word in sequence})
    known = [word for word in words if choose.random() < 0.8 and not re.search(r"\s", word)]
    counts[0] = {(word,) for word in [*known, "<unk>", "<s>", "</s>"]}
    for sequence in sequences:
        padded = ["<s>", *sequence, "</s>"]
        for order in (2, 3):
            for i in range(len(padded) - order + 1):
                gram = tuple(padded[i : i + order])
                if all((word,) in counts[0] for word in gram) and choose.random() < 0.7:
                    counts[order - 1].add(gram)
    counts[2] = {gram for gram in counts[2] if gram[1:] in counts[1] and gram[:2] in counts[1]}
    model = {g: (-choose.random() * 5 - 0.01, -choose.random()) for order in counts for g in sorted(order)}
    model[("<s>",)] = (-99.0, -0.3)
    lines = ["\\data\\", *(f"ngram {order + 1}={len(grams)}" for order, grams in enumerate(counts)), ""]
    for order, grams in enumerate(counts):
        lines.append(f"\\{order + 1}-grams:")
        for gram in sorted(grams):
            probability, back_off = model[gram]
            lines.append(f"{probability!r}\t{' '.join(gram)}" + (f"\t{back_off!r}" if order < 2 else ""))
        lines.append("")
    path.write_text("\n".join([*lines, "\\end\\", ""]), encoding="utf-8")
    return model


def token_scores(model: Ngrams, sequence: list[str]) -> list[float]:
    """log10 of each token's probability, and of the end's."""
    scores = []
    history: tuple[str, ...] = ("<s>",)
    for word in [*sequence, "</s>"]:
        token = word if (word,) in model else "<unk>"
        back_off, context = 0.0, history
        while (*context, token) not in model:
            back_off += model[context][1] if context in model else 0.0
            context = context[1:]
        scores.append(model[(*context, token)][0] + back_off)
        history = (*history, token)[-2:]
    return scores


def perplexity(scores: list[float], outliers: float) -> float:
    """The least likely share left out."""
    kept = sorted(scores)[min(int(outliers * len(scores)), len(scores) - 1) :]
    return float(10 ** -(sum(kept) / len(kept)))


def make_documents(seed: int) -> dict[str, list[Paragraph]]:
    """Documents of the texts."""
    choose = random.Random(seed)
    return {
        f"doc-{i}": [
            Paragraph("body>p", choose.choice(TEXTS[:-1] if i else TEXTS)) for _ in range(choose.randrange(1, 9))
        ]
        for i in range(40)
    }


def write(path: Path, documents: dict[str, list[Paragraph]]) -> Path:
    """As Parquet."""
    table = pa.table({"docId": list(documents), "text": [encode(d) for d in documents.values()]})
    pq.write_table(table, path, row_group_size=7)
    return path


def test_perplexities_are_those_of_the_definition(
    uzushio: Uzushio, tmp_path: Path, dictionary: Path, tokenizer: Any
) -> None:
    """Every sentence of a paragraph counts, with and without outliers; equal to 1e-4 relative."""
    documents = {**make_documents(1), "long": [Paragraph("p", TEXTS[-1])], "empty": []}
    sequences = {text: tokens_of(text, tokenizer) for text in TEXTS}
    model = random_model([s[:200] for s in sequences.values()], tmp_path / "model.arpa")
    filters = [
        {"class": "KenLMDocAvgPerplexity", "sudachi": "${sudachi}", "kenlm": "${kenlm}", "outliers": outliers}
        for outliers in (0, 0.1, 0.5, 1)
    ]
    text = json.dumps({"filters": filters}).replace('"${', "${").replace('}"', "}")
    (tmp_path / "chain.conf").write_text(text, encoding="utf-8")
    options = ["-P", f"sudachi={dictionary}", "-P", f"kenlm={tmp_path / 'model.arpa'}", "--threads", 3]
    source = write(tmp_path / "a.parquet", documents)
    uzushio("metrics", source, "--config", tmp_path / "chain.conf", "--output", tmp_path / "out", *options)
    table = pq.read_table(tmp_path / "out" / "metrics.parquet")
    key = f"{dictionary},{tmp_path / 'model.arpa'}"
    assert table.column_names[1:-4] == [f"KenLMDocAvgPerplexity({key},{oracle.java(o)})" for o in (0, 0.1, 0.5, 1)]
    for column, outliers in enumerate((0, 0.1, 0.5, 1)):
        values = table.column(column + 1).to_pylist()
        for value, document in zip(values, documents.values(), strict=True):
            weighted = sum(
                len(p.text) * perplexity(token_scores(model, sequences[p.marked]), outliers) for p in document
            )
            assert math.isclose(value, oracle.ratio(weighted, oracle.length(document)), rel_tol=1e-4)
    low, high = (sorted(table.column(1).to_pylist())[at] * 1.001 for at in (10, 30))
    setting = {"class": "KenLMDocAvgPerplexity", "sudachi": str(dictionary), "kenlm": str(tmp_path / "model.arpa")}
    setting |= {"low": low, "high": high}
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": [setting]}), encoding="utf-8")
    uzushio(
        "filter", source, "--config", tmp_path / "chain.conf", "--output", tmp_path / "clean", "--mode", "partitioned"
    )
    reasons: dict[str, Callable[[float], bool]] = {"none": lambda x: low <= x <= high}
    reasons[f"KenLMAvgDoc(0.0).Low({oracle.java(low)})"] = lambda x: x < low
    reasons[f"KenLMAvgDoc(0.0).High({oracle.java(high)})"] = lambda x: x > high
    of = dict(zip(documents, table.column(1).to_pylist(), strict=True))
    assert {name: set(texts) for name, texts in written(tmp_path / "clean").items()} == {
        name: {doc_id for doc_id, value in of.items() if chosen(value) and documents[doc_id]}
        for name, chosen in reasons.items()
    }


def test_unlikely_paragraphs_go_in_runs(uzushio: Uzushio, tmp_path: Path, dictionary: Path, tokenizer: Any) -> None:
    """The window rule of LargeFreqParagraphs, with perplexities."""
    documents = make_documents(2)
    sequences = {text: tokens_of(text, tokenizer) for text in TEXTS}
    model = random_model([s[:200] for s in sequences.values()], tmp_path / "model.arpa")
    values = {text: perplexity(token_scores(model, s), oracle.f32(0.02)) for text, s in sequences.items()}
    threshold = sorted(values.values())[4] * 1.001
    setting: dict[str, Any] = {"class": "KenLMParagraphPerplexity", "sudachi": str(dictionary)}
    setting |= {"kenlm": str(tmp_path / "model.arpa")}
    setting |= {"count": 2, "threshold": threshold}
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": [setting]}), encoding="utf-8")
    source = write(tmp_path / "a.parquet", documents)
    uzushio(
        "filter", source, "--config", tmp_path / "chain.conf", "--output", tmp_path / "out", "--mode", "partitioned"
    )
    expected: dict[str, dict[str, str]] = {}
    for doc_id, document in documents.items():
        copies = [Paragraph(p.path, p.marked, int(values[p.marked] >= threshold)) for p in document]
        oracle.large_freq(2, 1)(copies, doc_id)
        for gone in (True, False):
            texts = [p.text for p in copies if (p.reason is not None) == gone]
            if texts:
                expected.setdefault("gone" if gone else "none", {})[doc_id] = "\n\n".join(texts)
    found = written(tmp_path / "out")
    assert {("none" if k == "none" else "gone"): v for k, v in found.items()} == expected
    assert len(expected) == 2
    (name,) = (k for k in found if k != "none")
    assert name == f"KenLMPar(0.02,2,{oracle.java(threshold)})"
    (gone_id, *_) = expected["gone"]
    said = uzushio("explain", gone_id, "--in", tmp_path / "out").stdout
    assert f"perplexity >= {oracle.java(threshold)}, 2 in a row" in said

    # Of other runs and bounds, other metrics, each of what is left by those before.
    higher = sorted(values.values())[5] * 1.001
    settings = [{**setting, "count": 3}, setting, {**setting, "threshold": higher}, {**setting, "outliers": 0.5}]
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": settings}), encoding="utf-8")
    uzushio("metrics", source, "--config", tmp_path / "chain.conf", "--output", tmp_path / "metrics")
    table = pq.read_table(tmp_path / "metrics" / "metrics.parquet").drop_columns(SIZES).to_pydict()
    model_name = f"{dictionary},{tmp_path / 'model.arpa'}"
    keys = [(0.02, 3, threshold), (0.02, 2, threshold), (0.02, 2, higher), (0.5, 2, threshold)]
    names = [f"KenLMParagraphPerplexity({model_name},{a},{b},{oracle.java(c)})" for a, b, c in keys]
    assert list(table) == ["docId", *names]
    for row, document in enumerate(documents.values()):
        copies = [
            Paragraph(p.path, p.marked, (values[p.marked] >= threshold) + (values[p.marked] >= higher))
            for p in document
        ]
        likes = (oracle.large_freq(3, 1), oracle.large_freq(2, 1), oracle.large_freq(2, 2))
        for column, like in zip(names[:3], likes, strict=True):
            assert math.isclose(table[column][row], like.metric(copies), rel_tol=1e-12)
            like(copies, "")


def test_a_trained_model_likes_its_text(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """The same bytes for any number of threads; the text it is of is likelier than another."""
    choose = random.Random(3)
    verbs = ["走る", "食べる", "読む", "書く"]
    sentences = [f"私は{choose.choice(['本', '山', '海', '川'])}を{choose.choice(verbs)}。" for _ in range(600)]
    pq.write_table(pa.table({"text": sentences}), tmp_path / "a.parquet", row_group_size=50)
    for threads in (1, 3):
        options = ["--sudachi", dictionary, "--order", 3, "--threads", threads, "--summary", tmp_path / "s.json"]
        uzushio("train-lm", tmp_path / "a.parquet", "--output", tmp_path / f"{threads}.binary", *options)
    assert (tmp_path / "1.binary").read_bytes() == (tmp_path / "3.binary").read_bytes()
    assert read_json(tmp_path / "s.json")["paragraphs"] == 600
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".binary", ".binary", ".json", ".parquet"]
    texts = ["私は本を読む。", "読む書く走る犬の電車が"]
    pq.write_table(pa.table({"docId": ["a", "b"], "text": texts}), tmp_path / "b.parquet")
    setting = {"class": "KenLMDocAvgPerplexity", "sudachi": str(dictionary), "kenlm": str(tmp_path / "1.binary")}
    (tmp_path / "chain.conf").write_text(json.dumps({"filters": [setting]}), encoding="utf-8")
    uzushio("metrics", tmp_path / "b.parquet", "--config", tmp_path / "chain.conf", "--output", tmp_path / "m")
    likely, unlikely = pq.read_table(tmp_path / "m" / "metrics.parquet").column(1).to_pylist()
    assert likely < 3
    assert unlikely > 10 * likely


def test_training_leaves_out_what_can_not_be_read(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """And counts it: texts that are no UTF-8, lines that are no JSON."""
    lines = [json.dumps({"text": f"私は本を{verb}。"}, ensure_ascii=False).encode() for verb in ("読む", "書く")]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([*lines, b'{"text": "\xe6"}', b"{", *lines]) + b"\n")
    options = ["--sudachi", dictionary, "--summary", tmp_path / "s.json", "--overwrite"]
    train = ["train-lm", tmp_path / "a.jsonl", "--output", tmp_path / "x", *options]
    uzushio(*train)
    summary = read_json(tmp_path / "s.json")
    assert summary["documents"] == 4
    assert sum(summary["quarantined"].values()) == 2
    said = uzushio(
        "train-lm", tmp_path / "a.jsonl", "--output", tmp_path / "x", *options, "--max-bad", 1, code=3
    ).stderr
    assert "2 records are quarantined" in said
    assert "quarantine;" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "s.json", "x"]


def test_what_is_missing_is_said(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """How to get a dictionary, a model, texts."""
    pq.write_table(pa.table({"docId": ["a"], "text": ["文"]}), tmp_path / "a.parquet")

    def refusal(sudachi: object, kenlm: object) -> str:
        setting = {"class": "KenLMDocAvgPerplexity", "sudachi": str(sudachi), "kenlm": str(kenlm)}
        (tmp_path / "chain.conf").write_text(json.dumps({"filters": [setting]}), encoding="utf-8")
        command = ["filter", tmp_path / "a.parquet", "--config", tmp_path / "chain.conf", "--output", tmp_path / "out"]
        return uzushio(*command, code=2).stderr

    assert "pip install sudachidict_core" in refusal("nowhere.dic", "model")
    assert "can not be used as a Sudachi dictionary" in refusal(tmp_path / "a.parquet", "model")
    assert "uzushio train-lm" in refusal(dictionary, "nowhere.binary")
    assert "is no language model" in refusal(dictionary, tmp_path / "a.parquet")
    train = ["train-lm", tmp_path / "a.parquet", "--output", tmp_path / "x.binary", "--sudachi"]
    assert "pip install sudachidict_core" in uzushio(*train, "nowhere.dic", code=2).stderr
    (tmp_path / "x.binary").write_text("mine")
    assert "--overwrite" in uzushio(*train, dictionary, code=2).stderr
    assert (tmp_path / "x.binary").read_text() == "mine"
