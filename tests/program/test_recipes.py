"""The presets of published recipes: every step takes effect with the published figures, and what is missing is said."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from program import ROOT, Uzushio, read_json
from warc_builder import build

KANA = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん"
KANJI = "日本語文章研究方法結果資料分析歴史科学自然社会地域経済文化教育理論実験観察記録問題解決"


class Writer:
    """Writes sentences that never repeat much."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)

    def sentence(self, letters: str = KANA * 3 + KANJI, size: int = 40, end: str = "。") -> str:
        """One of so many letters, its end included."""
        return "".join(self.choose.choices(letters, k=size - 1)) + end

    def text(self, count: int = 20, size: int = 40, end: str = "。", letters: str = KANA * 3 + KANJI) -> str:
        """Sentences in four lines."""
        lines = [[self.sentence(letters, size, end) for _ in range(count // 4)] for _ in range(4)]
        return "\n".join("".join(line) for line in lines)


def reasons_of(folder: Path) -> dict[str, list[str]]:
    """The documents of each folder of a partitioned output."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("filter=*/*.parquet")):
        found.setdefault(path.parent.name.removeprefix("filter="), []).extend(pq.read_table(path)["docId"].to_pylist())
    return found


def test_rules_of_swallow_v2(uzushio: Uzushio, tmp_path: Path) -> None:
    """A document for each rule, which it removes; and those that Version 1 removes and Version 2 keeps."""
    writer = Writer(7)
    line, half = writer.sentence(size=200), writer.sentence(size=300)
    removed = {
        "SwallowQuality(num_letters).Low(400.0)": writer.text(8, 40),
        "SwallowQuality(num_japanese_letters).Low(400.0)": writer.text(8, 40) + writer.sentence("abcdefg hijklm", 400),
        "SwallowQuality(hiragana_fraction).Low(0.2)": writer.text(letters=KANA + KANJI * 8),
        "SwallowQuality(ellipsis_fraction).High(0.2)": writer.text(12) + writer.text(8, end="…"),
        "SwallowQuality(duplicate_paragraph_fraction).High(0.3)": "\n".join([writer.text(16), *["あのね、"] * 4]),
        "SwallowQuality(duplicate_paragraph_fraction_in_character).High(0.2)": "\n".join([writer.text(), half, half]),
        "SwallowQuality(duplicate_sentence_fraction).High(0.3)": writer.text(8, 100) + "\n" + "そうです。" * 8,
        "SwallowQuality(duplicate_sentence_fraction_in_character).High(0.2)": writer.text(8, 70) + "\n" + line + line,
        "SwallowQuality(top_2gram_character_fraction).High(0.2)": writer.text(8, 30) + "わは" * 160,
        "SwallowQuality(top_3gram_character_fraction).High(0.18)": writer.text(8, 30) + "わはほへ" * 190,
        "SwallowQuality(top_4gram_character_fraction).High(0.16)": writer.text(8, 30) + "わはほへ" * 140,
        "NgWordRatio(ng.txt,0.05)": writer.text() + "だめ" * 30,
        "HostFilter(custom)": writer.text(),
    }
    katakana = writer.text(8) + "\n" + writer.sentence("".join(map(chr, range(0x30A2, 0x30F4))), 390)
    phrases = [writer.sentence(size=14, end="、") for _ in range(20)]
    dropped = {
        "SwallowQuality(katakana_fraction).High(0.5)": katakana,
        "SwallowQuality(japanese_fraction).Low(0.5)": writer.text() + writer.sentence("abcdefg hijklm", 900),
        "SwallowQuality(avg_sentence_length).Low(20.0)": writer.text(60, 12),
        "SwallowQuality(avg_sentence_length).High(90.0)": writer.text(8, 120),
        "SwallowQuality(max_sentence_length).High(200.0)": writer.text(20) + writer.sentence(size=210),
        "SwallowQuality(duplicate_5gram_character_fraction).High(0.15)": writer.text(8)
        + "".join(f"{phrase}{writer.sentence(size=12)}" for phrase in phrases * 2),
    }
    hosts = {name: "host" if name.startswith("HostFilter") else "other" for name in removed}
    rows = [
        {"docId": name, "text": text, "url": f"http://{hosts.get(name, 'other')}.example.jp/"}
        for name, text in {**removed, **dropped, "none": writer.text()}.items()
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (tmp_path / "in.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "ng.txt").write_text("だめ\n", encoding="utf-8")
    (tmp_path / "hosts.txt").write_text("host.example.jp\n", encoding="utf-8")
    lists = ("-P", f"ng_words={tmp_path / 'ng.txt'}", "-P", f"host_lists={tmp_path / 'hosts.txt'}")
    for version in ("swallow", "swallow-v2"):
        given = ("--config", version, *lists, "--mode", "partitioned", "--output", tmp_path / version)
        uzushio("filter", tmp_path / "in.jsonl", *given)
    kept = {"none": ["none", *dropped]}
    found = reasons_of(tmp_path / "swallow-v2")
    assert {name: sorted(ids) for name, ids in found.items()} == {
        name: sorted(ids) for name, ids in {**{name: [name] for name in removed}, **kept}.items()
    }
    before = reasons_of(tmp_path / "swallow")
    assert before["none"] == ["none"]
    assert [name for name in dropped if name not in before.get(name, [])] == []


SUBJECTS = ["安売激特価格", "日記天気朝食", "歴史地理社会", "論文実験理論"]


def graded(writer: Writer, grade: int, count: int = 20) -> str:
    """A text of an educational value from 0 to 3."""
    return writer.text(count, letters=KANA + SUBJECTS[grade] * 4)


def page(name: str, text: str, host: str = "a") -> dict[str, Any]:
    """A page of paragraphs."""
    paragraphs = "".join(f"<p>{line}</p>" for line in text.split("\n"))
    return {"uri": f"http://{host}.example.jp/{name}", "body": f"<html lang=ja><body>{paragraphs}</body></html>"}


def names_in(folder: Path) -> set[str]:
    """The pages of an output, by the last part of their addresses."""
    return {url.rpartition("/")[2] for url in pq.read_table(folder, columns=["url"])["url"].to_pylist()}


def removed_by(folder: Path) -> dict[str, int]:
    """How many documents each filter of an output removed."""
    counts = read_json(folder / ".uzushio" / "manifest.json")["counts"]["removed"]
    return {one["reason"]: one["documents"] for one in counts if one["documents"]}


def train(uzushio: Uzushio, folder: Path, name: str, labels: list[str]) -> Path:
    """A small classifier of what each label's subject is; as Swallow's, of n-grams of characters."""
    writer = Writer(3)
    grades = range(4 - len(labels), 4)
    rows = [
        {"text": graded(writer, grade, 8), "label": label, "docId": f"{label}{number}"}
        for grade, label in zip(grades, labels, strict=True)
        for number in range(30)
    ]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    form = ["--minn", 1, "--maxn", 2, "--dim", 8, "--bucket", 2000, "--epoch", 40, "--lr", 0.5, "--threads", 1]
    uzushio("train-classifier", folder / f"{name}.jsonl", "--output", folder / f"{name}.bin", *form)
    return folder / f"{name}.bin"


def test_swallow_v2(uzushio: Uzushio, tmp_path: Path) -> None:
    """From pages: near-duplicates go first, then what the rules remove, and of the rest the best tenth stays."""
    writer = Writer(5)
    best, second = graded(writer, 3), graded(writer, 2)
    pages = {
        "best": best,
        "again": best.replace("\n", "\n" + writer.sentence(size=10), 1),
        "second": second,
        **{f"plain{number}": graded(writer, number % 2) for number in range(8)},
        "short": graded(writer, 3, 4),
    }
    (tmp_path / "a.warc.gz").write_bytes(build([page(*one) for one in pages.items()], "warc.gz"))
    out = tmp_path / "out"
    run = ["run", "--preset", "swallow-v2", "--input", tmp_path / "a.warc.gz", "--output", out]
    error = uzushio(*run, code=2).stderr
    assert "${edu}" in error
    assert "(a classifier of educational value; theirs: llm_llama.bin of tokyotech-llm/edu-classifier)" in error
    assert not out.exists()
    grades = train(uzushio, tmp_path, "grades", ["0", "1", "2", "3"])
    said = uzushio(*run, "-P", f"edu={grades}").stderr
    assert names_in(out / "documents") == set(pages)
    assert names_in(out / "unique") in (set(pages) - {"again"}, set(pages) - {"best"})
    assert removed_by(out / "clean") == {"SwallowQuality(num_letters).Low(400.0)": 1}
    assert pq.read_table(out / "clean").num_rows == 10
    assert len(names_in(out / "best") & {"best", "again"}) == pq.read_table(out / "best").num_rows == 1
    assert ": NgWordRatio, which needs -P ng_words=FILE" in said
    uzushio(*run, "-P", f"edu={grades}", "-P", "keep=0.2")
    assert "second" in names_in(out / "best")
    assert pq.read_table(out / "best").num_rows == 2
    wiki = train(uzushio, tmp_path, "wiki", ["neg", "pos"])
    uzushio(*run, "-P", f"edu={wiki}", "-P", "label=pos", "-P", "expectation=false")
    assert len(names_in(out / "best") & {"best", "again"}) == pq.read_table(out / "best").num_rows == 1
    by_label = [name for name in pq.read_schema(next((out / "scored").glob("*.parquet"))).names if "FastText" in name]
    assert by_label == [f"FastText({wiki},pos,none,document,2147483647)"]


def write_toxicity(folder: Path, texts: list[str]) -> list[str]:
    """Properties of a classifier whose second output is 8 and, where a text has 毒, 9."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed; requirements/test.txt has it")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed; requirements/test.txt has it")
    import numpy as np
    from onnx_classifier import IDS, MASK, write_tokenizer

    size = write_tokenizer(folder / "tokenizer.json", texts)
    tokens = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    weights = np.full((size, 2), 8, "float32")
    weights[tokens["毒"]] = 9
    inputs = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["b", "s"]) for name in (IDS, MASK)]
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("Cast", [MASK], ["seen"], to=onnx.TensorProto.FLOAT),
            onnx.helper.make_node("Unsqueeze", ["seen", "last"], ["mask"]),
            onnx.helper.make_node("Gather", ["weights", IDS], ["each"]),
            onnx.helper.make_node("Mul", ["each", "mask"], ["masked"]),
            onnx.helper.make_node("ReduceMax", ["masked", "middle"], ["output"], keepdims=0),
        ],
        "toxicity",
        inputs,
        [onnx.helper.make_tensor_value_info("output", onnx.TensorProto.FLOAT, ["b", 2])],
        [
            onnx.numpy_helper.from_array(weights, "weights"),
            onnx.numpy_helper.from_array(np.array([2], "int64"), "last"),
            onnx.numpy_helper.from_array(np.array([1], "int64"), "middle"),
        ],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, str(folder / "toxicity.onnx"))
    return ["-P", f"toxicity={folder / 'toxicity.onnx'}", "-P", f"tokenizer={folder / 'tokenizer.json'}"]


def test_llm_jp_v4(uzushio: Uzushio, tmp_path: Path, dictionary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From pages: one for each filter without lists and language models, a toxic one, and a near-duplicate."""
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    writer = Writer(9)
    words = [writer.sentence(size=writer.choose.randint(3, 8), end="") for _ in range(60)]

    def prose(count: int = 60) -> str:
        lines = ["".join(writer.choose.choices(words, k=8)) + "。" for _ in range(count // 4)]
        return "\n".join(lines)

    good = prose()
    pages = {
        "good": good,
        "again": good + "\n" + writer.sentence(size=9),
        "short": "".join(writer.choose.choices(words[:16], k=28)) + "。",
        "kanji": "\n".join(writer.sentence(KANA + KANJI * 12) for _ in range(15)),
        "repeated": (writer.sentence(size=30) * 40)[:1100] + "はい。",
        "toxic": "毒" + prose(),
        "late": prose() + "\nこれは毒です。",
    }
    described = [page(*one) for one in pages.items()]
    links = "".join(f"<p><a href=/{number}>{writer.sentence()}</a></p>" for number in range(12))
    described.append({"uri": "http://a.example.jp/links", "body": f"<html lang=ja><body>{links}</body></html>"})
    (tmp_path / "a.warc.gz").write_bytes(build(described, "warc.gz"))
    toxicity = write_toxicity(tmp_path, list(pages.values()))
    out, summary = tmp_path / "out", tmp_path / "summary.json"
    run = ["run", "--preset", "llm-jp-v4", "--input", tmp_path / "a.warc.gz", "--output", out, "--summary", summary]
    uzushio(*run, *toxicity, "-P", f"sudachi={dictionary}")
    assert names_in(out / "documents") == {*pages, "links"}
    assert removed_by(out / "clean") == {
        "HiraganaRatio.Low(0.15)": 1,
        "LinkCharRatio.High(0.4)": 1,
        "CompressionRate.Low(0.5)": 1,
        "DocLength.Low(200)": 1,
        "Onnx(1).High(8.4)": 1,
    }
    assert names_in(out / "clean") == {"good", "again", "late"}
    assert names_in(out / "unique") in ({"good", "late"}, {"again", "late"})
    chain = json.loads((out / "_chains" / "clean.conf").read_text(encoding="utf-8"))["filters"]
    assert {"max_tokens": 256, "high": 8.4, "output": 1, "activation": "none"}.items() <= chain[-1].items()
    left_out = {one["filter"] for one in read_json(summary)["left_out"]}
    assert {"KenLMParagraphPerplexity", "KenLMDocAvgPerplexity"} <= left_out
    uzushio(*run, "-P", f"sudachi={dictionary}")
    assert {one["filter"]: one["wanted"] for one in read_json(summary)["left_out"]}[
        "Onnx"
    ] == "-P toxicity=FILE, -P tokenizer=FILE"
    assert "toxic" in names_in(out / "unique")


def test_llm_jp_v4_has_all_grades_of_uzushio() -> None:
    """Its chain is that of the Uzushio corpus, but for what only tells grades apart, and for toxicity."""
    chains = {}
    for name in ("uzushio", "llm-jp-v4"):
        lines = (ROOT / "presets" / f"{name}.conf").read_text(encoding="utf-8").splitlines()
        chains[name] = [line for line in lines if line.startswith('  {"class"')]
    dropped = [line for line in chains["uzushio"] if line not in chains["llm-jp-v4"]]
    assert [line for line in chains["uzushio"] if line not in dropped] == chains["llm-jp-v4"]
    assert [json.loads(line)["class"] for line in dropped if "${" not in line] == [
        *["HiraganaRatio", "LinkCharRatio", "CompressionRate", "CompressionRate", "WordTypes"],
        *["DeduplicateDocumentsPercentile"] * 2,
    ]
