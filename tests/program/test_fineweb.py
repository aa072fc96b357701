"""The filter FineWebQuality against datatrove's filters with FineWeb-2's settings for Japanese, on Sudachi's words."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import datatrove.pipeline.filters.fineweb_quality_filter as fineweb  # type: ignore[import-untyped,unused-ignore]
import datatrove.pipeline.filters.gopher_quality_filter as quality  # type: ignore[import-untyped,unused-ignore]
import datatrove.pipeline.filters.gopher_repetition_filter as repetition  # type: ignore[import-untyped,unused-ignore]
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sudachipy  # type: ignore[import-untyped]
from corpus import random_documents, written
from datatrove.data import Document  # type: ignore[import-untyped,unused-ignore]
from program import Uzushio

STOP_WORDS = list("のにをはたてがとで年し・月れさ")
SENTENCES = [
    "今日は良い天気なので、朝から川に沿って散歩をした。",
    "株式会社うずしおの営業部は、3月に東京へ移転しました！",
    "これは#試験です…",
    "- 一覧の項目",
    "• 次の項目...",
    "abc def 123 ---",
    "すもももももももものうち",
    "「はい」と言った。",
    "＊＊＊",
    "国会議事堂前駅から徒歩5分？",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
]
# Reasons of datatrove, and the metric of ours.
REASONS = {
    "dup_line_frac": "duplicate_line_fraction",
    **{f"top_{n}_gram": f"top_{n}gram_word_fraction" for n in (2, 3, 4)},
    **{f"duplicated_{n}_n_grams": f"duplicate_{n}gram_word_fraction" for n in range(5, 11)},
    "line_punct_ratio": "terminated_line_fraction",
    "char_dup_ratio": "duplicate_line_letter_fraction",
    "list_ratio": "line_breaks_per_word",
    "gopher_short_doc": "num_words",
    "gopher_long_doc": "num_words",
    "gopher_below_avg_threshold": "mean_word_length",
    "gopher_above_avg_threshold": "mean_word_length",
    "gopher_too_many_hashes": "hashes_per_word",
    "gopher_too_many_ellipsis": "ellipses_per_word",
    "gopher_too_many_bullets": "bullet_line_fraction",
    "gopher_too_many_end_ellipsis": "ellipsis_line_fraction",
    "gopher_below_alpha_threshold": "alphabetic_word_fraction",
    "gopher_enough_stop_words": "num_stop_words",
}


def texts() -> dict[str, str]:
    """Texts without empty lines, of few sentences or of many, some of them said often; and hostile ones."""
    choose = random.Random(7)
    found = {}
    for i in range(600):
        pool = choose.sample(SENTENCES, k=choose.choice([1, 2, 3, 6, 11]))
        lines = []
        for _ in range(choose.choice([1, 2, 5, 15, 60])):
            line = "".join(choose.choices(pool, k=choose.choice([1, 1, 2, 5, 12])))
            lines.append(line + "".join(choose.choices("あかさたなはまやらわabc、", k=choose.choice([0, 0, 5, 30]))))
        found[f"t{i}"] = "\n".join(lines)
    for name, paragraphs in random_documents(3, 60).items():
        # Datatrove's lines end at other separators, too.
        lines = [
            re.sub("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", " ", line) for p in paragraphs for line in p.text.split("\n")
        ]
        found[f"hostile-{name}"] = "\n".join(line for line in lines if line.strip())
    return {name: text for name, text in found.items() if text}


def words_of(text: str, tokenizer: Any) -> list[str]:
    """Surfaces of mode A, sentence by sentence, without white space and empty ones (… is cut in three)."""
    found = []
    for sentence in re.findall("[^\n。、！？!?]*[\n。、！？!?]|[^\n。、！？!?]+", text):
        found += [one.surface() for one in tokenizer.tokenize(sentence) if one.normalized_form() != " "]
    return [word for word in found if word.strip()]


def wanted(text: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> str | None:
    """Why FineWeb-2 removes a text."""
    for module in (fineweb, quality, repetition):
        monkeypatch.setattr(module, "split_into_words", lambda *_: words)
    filters = [
        repetition.GopherRepetitionFilter(
            dup_para_frac=0,
            dup_line_char_frac=0,
            dup_para_char_frac=0,
            dup_line_frac=0.328,
            top_n_grams=((2, 0.239), (3, 0.196), (4, 0.172)),
            dup_n_grams=((5, 0.243), (6, 0.225), (7, 0.207), (8, 0.19), (9, 0.175), (10, 0.159)),
        ),
        fineweb.FineWebQualityFilter(
            short_line_thr=999, char_duplicates_ratio=0.1, line_punct_thr=0.096, new_line_ratio=0.13
        ),
        quality.GopherQualityFilter(
            min_avg_word_length=1,
            max_avg_word_length=6,
            max_non_alpha_words_ratio=0.759,
            stop_words=STOP_WORDS,
            min_stop_words=2,
        ),
    ]
    for one in filters:
        passed = one.filter(Document(text=text, id="d"))
        if passed is not True:
            return REASONS[passed[1]]
    return None


@pytest.fixture(name="documents")
def write_documents(tmp_path: Path) -> Path:
    """The texts, each a paragraph of several lines."""
    table = pa.table({"docId": list(texts()), "text": list(texts().values())})
    pq.write_table(table, tmp_path / "documents.parquet", row_group_size=97)
    return tmp_path / "documents.parquet"


def chain(folder: Path, dictionary: Path, **parameters: float) -> Path:
    """A configuration."""
    path = folder / "chain.conf"
    one = {"class": "FineWebQuality", "sudachi": str(dictionary), **parameters}
    path.write_text(json.dumps({"filters": [one]}), encoding="utf-8")
    return path


def test_decisions_are_datatroves(
    uzushio: Uzushio, tmp_path: Path, documents: Path, dictionary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first rule that removes a text, for each text; each rule that texts can break removes some."""
    options = ["--config", chain(tmp_path, dictionary), "--mode", "partitioned", "--threads", 2]
    uzushio("filter", documents, "--output", tmp_path / "out", *options)
    found: dict[str, str | None] = {}
    for reason, removed in written(tmp_path / "out").items():
        metric = re.fullmatch(r"FineWebQuality\((\w+)\)\.(?:Low|High)\(.*\)", reason)
        found |= dict.fromkeys(removed, metric[1] if metric else None)
    tokenizer = sudachipy.Dictionary(dict="small").create(mode=sudachipy.SplitMode.A)
    for name, text in texts().items():
        reason_wanted = wanted(text, words_of(text, tokenizer), monkeypatch)
        assert found[name] == reason_wanted, text
    assert len(set(found.values())) >= 10


def test_metrics_are_what_datatrove_computes(
    uzushio: Uzushio, tmp_path: Path, documents: Path, dictionary: Path
) -> None:
    """Of words and n-grams, which are not seen by decisions alone."""
    uzushio("metrics", documents, "--config", chain(tmp_path, dictionary), "--output", tmp_path / "metrics")
    table = pq.read_table(tmp_path / "metrics" / "metrics.parquet")
    assert table["docId"].to_pylist() == list(texts())
    tokenizer = sudachipy.Dictionary(dict="small").create(mode=sudachipy.SplitMode.A)
    rows = [{name.partition("(")[0]: value for name, value in row.items()} for row in table.to_pylist()]
    for row, text in zip(rows, texts().values(), strict=True):
        words = words_of(text, tokenizer)
        lines = text.split("\n")
        expected: dict[str, float] = {}
        for n in (2, 3, 4):
            grams = repetition.get_n_grams(words, n)
            expected[f"top_{n}gram_word_fraction"] = repetition.find_top_duplicate(grams) / len(text) if grams else 0
        for n in range(5, 11):
            expected[f"duplicate_{n}gram_word_fraction"] = repetition.find_all_duplicate(words, n) / len(text)
        counted = [word for word in words if any(c not in quality.PUNCTUATION_SET for c in word)]
        expected |= {
            "num_words": len(counted),
            "mean_word_length": sum(map(len, counted)) / len(counted) if counted else 0,
            "line_breaks_per_word": text.count("\n") / len(words) if words else 0,
            "alphabetic_word_fraction": sum(any(c.isalpha() for c in w) for w in words) / len(words) if words else 0,
            "num_stop_words": len(set(words) & set(STOP_WORDS)),
            "terminated_line_fraction": sum(line[-1] in fineweb.TERMINAL_PUNCTUATION for line in lines) / len(lines),
        }
        for metric, value in expected.items():
            assert row[metric] == pytest.approx(value, rel=1e-12), (metric, text)


def test_errors(uzushio: Uzushio, tmp_path: Path, documents: Path, dictionary: Path) -> None:
    """Bounds that remove everything, and no dictionary."""
    config = chain(tmp_path, dictionary, min_num_words=10, max_num_words=9)
    said = uzushio("filter", documents, "--output", tmp_path / "out", "--config", config, code=2).stderr
    assert "min_num_words is above its max_" in said
    config = chain(tmp_path, tmp_path / "nowhere.dic")
    said = uzushio("filter", documents, "--output", tmp_path / "out", "--config", config, code=2).stderr
    assert "pip install sudachidict_core" in said
