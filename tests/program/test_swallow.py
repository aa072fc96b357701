"""The filters of the Swallow recipe against their plain oracles, on texts made of what they look at."""

from __future__ import annotations

import functools
import json
import math
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import swallow_oracle as swallow
from corpus import encode, written
from filter_oracle import Oracle, Paragraph, run
from program import ROOT, SIZES, Uzushio

LETTERS = "あいうえおぁゖゔ゙アイヺーヴ漢字々〇〻㐀鿿𠮷𰀀Ａｚ０９9az^ ・…　"
MARKS = "、，。．！？!?，．"
WORDS = ["だめ", "だめな", "める", "あい", "𠮷", "、い"]
FOOTERS = ["リンク", "PR", "コメント", "リンPRク", "©", "http"]

Chain = list[tuple[dict[str, Any], Oracle]]


def random_line(choose: random.Random) -> str:
    """Sentences, some of them said before, or a footer, with links."""
    sentences = []
    for _ in range(choose.choice([0, 1, 1, 2, 5])):
        length = choose.choice([1, 3, 10, 40])
        sentence = "".join(choose.choices(choose.choice([LETTERS, LETTERS[:9], MARKS]), k=length))
        sentences.append(choose.choice(["", "", *WORDS, *FOOTERS]) + sentence + choose.choice(["", *MARKS, "、、，，"]))
    if sentences and choose.random() < 0.5:
        sentences += [choose.choice(sentences)] * choose.choice([1, 1, 20])
    if choose.random() < 0.2:
        sentences += choose.choices(FOOTERS, k=choose.choice([1, 1, 3]))
    return "".join(sentences)


def random_paragraph(choose: random.Random) -> str:
    """Lines, clean; a link may go over their border."""
    lines = [line for line in (random_line(choose).strip(" 　") for _ in range(choose.choice([1, 1, 2, 5]))) if line]
    text = "\n".join([*lines, *lines[: choose.choice([0, 0, 1])]])
    text = "\n".join(" ".join(line.split()) for line in text.split("\n"))  # as a clean paragraph has it
    if text and choose.random() < 0.5:
        start = choose.randrange(len(text))
        end = choose.randrange(start + 1, len(text) + 1)
        text = f"{text[:start]}\x02{text[start:end]}\x03{text[end:]}"
    return text


@functools.cache
def documents() -> dict[str, list[Paragraph]]:
    """By id."""
    choose = random.Random(3)
    found: dict[str, list[Paragraph]] = {}
    for number in range(500):
        paragraphs = [Paragraph("body>p", random_paragraph(choose)) for _ in range(choose.choice([0, 1, 2, 4, 12]))]
        found[f"d{number}"] = [p for p in paragraphs if p.text]
    return found


def chains(folder: Path) -> dict[str, Chain]:
    """By name; the last few of lists in `folder`."""
    words, footers = str(folder / "words.txt"), str(folder / "footers.txt")
    loose: dict[str, float] = {"min_num_letters": 20, "min_num_japanese_letters": 10, "max_ellipsis_fraction": 0.05}
    loose |= {f"max_duplicate_{part}_fraction{unit}": 0.9 for part in ("paragraph", "sentence")
              for unit in ("", "_in_character")}  # fmt: skip
    loose |= {f"max_top_{n}gram_character_fraction": 0.9 for n in (2, 3, 4)}
    loose |= {f"max_duplicate_{n}gram_character_fraction": 0.5 for n in range(5, 11)}
    lists = [str(folder / "words.txt"), str(folder / "more.txt")]
    remove = ({"class": "DocLength", "low": 1}, Oracle("DocLength", lambda document: 1.0))
    punctuation = ({"class": "NormalizePunctuation"}, swallow.normalize_punctuation())
    footer = ({"class": "TrimFooter", "keywords": footers}, swallow.trim_footer(FOOTERS, "footers.txt"))
    return {
        "quality": [({"class": "SwallowQuality"}, swallow.swallow_quality())],
        "quality-loose": [({"class": "SwallowQuality", **loose}, swallow.swallow_quality(**loose))],
        "words": [({"class": "NgWordRatio", "list": words}, swallow.ng_word_ratio(WORDS[:3], "words.txt"))],
        "words-of-lists": [
            (
                {"class": "NgWordRatio", "list": lists, "limit": 0.2},
                swallow.ng_word_ratio(WORDS, "words.txt,more.txt", 0.2),
            )
        ],
        "punctuation": [punctuation],
        "footer": [footer],
        "footer-3": [
            (
                {"class": "TrimFooter", "keywords": footers, "lines": 3, "share": 0.05},
                swallow.trim_footer(FOOTERS, "footers.txt", 3, 0.05),
            )
        ],
        "recipe": [
            remove,
            punctuation,
            footer,
            ({"class": "SwallowQuality", **loose}, swallow.swallow_quality(**loose)),
        ],
    }


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path) -> Path:
    """With the documents and the lists."""
    rows = {"docId": [*documents()], "text": [encode(document) for document in documents().values()]}
    pq.write_table(pa.table(rows), tmp_path / "documents.parquet")
    for name, words in (("words", WORDS[:3]), ("more", ["\ufeff" + WORDS[2], *WORDS[3:]]), ("footers", FOOTERS)):
        (tmp_path / f"{name}.txt").write_text("\n".join(words), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", chains(Path()))
def test_filters_are_their_oracles(uzushio: Uzushio, folder: Path, name: str) -> None:
    """Each paragraph goes where the oracle says, with the same text; the filters take something."""
    chain = chains(folder)[name]
    config = folder / "chain.conf"
    config.write_text(json.dumps({"filters": [given for given, _ in chain]}), encoding="utf-8")
    wanted: dict[str, dict[str, str]] = defaultdict(dict)
    reasons = set()
    for doc_id, document in documents().items():
        copies = [replace(p) for p in document]
        outcome = run(chain, copies, doc_id)
        rows: dict[tuple[int, str], list[str]] = defaultdict(list)
        for p in copies:
            rows[len(chain) if p.step is None else p.step, p.reason or outcome.reason or "none"].append(p.markup)
        for (_, reason), texts in sorted(rows.items()):
            before = wanted[reason].get(doc_id)
            wanted[reason][doc_id] = ("" if before is None else before + "\n\n") + "\n\n".join(texts)
            reasons.add(reason)
    assert len(reasons) > (2 if name.startswith("quality") else 0)
    options = ["--config", config, "--mode", "partitioned", "--keep-markup"]
    uzushio("filter", folder / "documents.parquet", "--output", folder / "out", *options)
    found = written(folder / "out")
    for reason in {*wanted, *found}:
        assert found.get(reason, {}) == wanted.get(reason, {}), reason


@pytest.mark.parametrize("metric", ["Swallow", "SwallowQuality", "num_letters"])
def test_metrics_have_the_published_names(uzushio: Uzushio, folder: Path, metric: str) -> None:
    """All of them, by either name; counts are equal, and fractions to 1e-12."""
    uzushio("metrics", folder / "documents.parquet", "--output", folder / "metrics", "--metric", metric)
    table = pq.read_table(folder / "metrics" / "metrics.parquet").to_pylist()
    assert len(table) == len(documents())
    for row, (doc_id, document) in zip(table, documents().items(), strict=True):
        wanted = swallow.annotate(swallow.joined(document))
        assert row.pop("docId") == doc_id
        assert set(row) == {*wanted, *SIZES}
        for name, value in wanted.items():
            same = (
                row[name] == value if name.startswith(("num", "max")) else math.isclose(row[name], value, rel_tol=1e-12)
            )
            assert same, (doc_id, name, row[name], value, swallow.joined(document))


def test_explain_names_the_rule(uzushio: Uzushio, folder: Path) -> None:
    """Every metric with its bounds, and the one that removed the document."""
    (folder / "c.conf").write_text("filters: [{class: SwallowQuality}]", encoding="utf-8")
    uzushio("filter", folder / "documents.parquet", "--config", folder / "c.conf", "--output", folder / "out")
    text = uzushio("explain", "d0", "--in", folder / "out").stdout
    assert "hiragana_fraction = " in text
    assert "; removes < 0.2" in text
    assert "removed by SwallowQuality(num_letters).Low(400.0)" in text
    assert f" {len(documents()['d0'])} paragraphs" in text


def test_lists_are_told_apart(uzushio: Uzushio, tmp_path: Path) -> None:
    """One whose name is that of two is another one."""
    for name, word in (("a", "だめ"), ("b", "いけ"), ("a+b", "無い")):
        (tmp_path / name).write_text(word, encoding="utf-8")
    (tmp_path / "in.jsonl").write_text('{"docId": "1", "text": "だめな文"}', encoding="utf-8")
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    chain = [{"class": "NgWordRatio", "list": names} for names in ([f"{a}+b"], [a, b])]
    (tmp_path / "c.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
    arguments = ("--config", tmp_path / "c.conf", "--output", tmp_path / "out", "--mode", "partitioned")
    uzushio("filter", tmp_path / "in.jsonl", *arguments)
    assert [*written(tmp_path / "out")] == ["NgWordRatio(a,b,0.05)"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("class: NgWordRatio", "filters[0].list: missing"),
        ("class: NgWordRatio, list: []", "filters[0].list: the list is empty"),
        ("class: NgWordRatio, list: [1]", "filters[0].list: 1 is no text"),
        ("class: NgWordRatio, list: nowhere.txt", "there is no word list 'nowhere.txt'"),
        ("class: TrimFooter, keywords: nowhere.txt", "there is no word list 'nowhere.txt'"),
        ("class: NgWordRatio, list: /", "word list '/': is a folder"),
        ("class: SwallowQuality, min_avg_sentence_length: 95", "is above max_avg_sentence_length"),
        ("class: TrimFooter, share: 2", "filters[0].share: 2 is not between"),
        ("class: SwallowQuality, max_hiragana_fraction: 1", "did you mean min_hiragana_fraction?"),
    ],
)
def test_what_is_wrong_is_said(uzushio: Uzushio, folder: Path, given: str, message: str) -> None:
    """Before anything is read."""
    (folder / "c.conf").write_text(f"filters: [{{{given}}}]", encoding="utf-8")
    arguments = (folder / "documents.parquet", "--config", folder / "c.conf", "--output", folder / "out")
    assert message in uzushio("filter", *arguments, code=2).stderr


def test_preset(uzushio: Uzushio, tmp_path: Path) -> None:
    """The recipe: each filter of the preset does its part, and duplicates go last."""
    choose = random.Random(7)

    def sentence(end: str = "。") -> str:
        return (
            "".join(choose.choices("あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほ漢字文章", k=30)) + end
        )

    good = "".join(sentence() for _ in range(20))
    texts = {
        "good": good,
        "again": good,
        "western": "".join(sentence("．") for _ in range(20)),
        "footer": "\n".join([*(sentence() for _ in range(20)), "コピーライトリンク"]),
        "short": sentence(),
        "words": "だめ" * 30 + "。".join(sentence() for _ in range(20)),
        "host": "".join(sentence() for _ in range(20)),
    }
    rows = [
        {"docId": name, "text": text, "date": f"2024-01-0{day}", "url": f"http://{name}.example.jp/"}
        for day, (name, text) in enumerate(texts.items(), 1)
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "in.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "ng.txt").write_text("だめ\n", encoding="utf-8")
    (tmp_path / "hosts.txt").write_text("host.example.jp\n", encoding="utf-8")
    properties = ("-P", f"ng_words={tmp_path / 'ng.txt'}", "-P", f"host_lists={tmp_path / 'hosts.txt'}")
    preset = ("--config", ROOT / "presets" / "swallow.conf", *properties)
    uzushio("filter", tmp_path / "in.jsonl", *preset, "--mode", "partitioned", "--output", tmp_path / "graded")
    reasons = {
        path.parent.name: pq.read_table(path)["docId"].to_pylist() for path in (tmp_path / "graded").glob("filter=*/*")
    }
    assert reasons == {
        "filter=SwallowQuality(num_letters).Low(400.0)": ["short"],
        "filter=NgWordRatio(ng.txt,0.05)": ["words"],
        "filter=HostFilter(custom)": ["host"],
        "filter=TrimFooter(swallow,0.3)": ["footer"],
        "filter=none": ["good", "again", "western", "footer"],
    }
    by_name = ("--config", "swallow.conf", *properties)
    uzushio("filter", tmp_path / "in.jsonl", *by_name, "--output", tmp_path / "clean")
    uzushio("minhash", tmp_path / "clean", "--skip-verify", "--output", tmp_path / "unique")
    left = {row["docId"]: row["text"] for row in pq.read_table(tmp_path / "unique" / "part-00000.parquet").to_pylist()}
    assert sorted(left) == ["again", "footer", "western"]
    assert left["western"] == texts["western"].replace("．", "。")
    assert left["footer"] == texts["footer"].rpartition("\n")[0]
    error = uzushio("filter", tmp_path / "in.jsonl", *preset[:2], "--output", tmp_path / "none", code=2).stderr
    assert "ng_words" in error
    assert "-P" in error
