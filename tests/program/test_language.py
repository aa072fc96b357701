"""Language models: `train-language` and `extract --japanese-test` against plain Python."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from language_model import grams_of, model_file, read_model, score
from program import PROGRAM, Uzushio, read_documents, read_json
from warc_builder import build

KANA = "あいうえおかきくけこのはがをにです。、"
LATIN = "abcdefghijklmno,.'"
KANJI = "日本語文章題的我們學校"


def rows(number: int, seed: int = 1) -> list[dict[str, str]]:
    """Texts of letters that tell their language, and of some that do not."""
    choose = random.Random(seed)
    found = []
    for n in range(number):
        language = choose.choice(["ja", "en", "zh"])
        letters = {"ja": KANA + KANJI, "en": LATIN, "zh": KANJI}[language]
        text = "".join(choose.choices(letters, k=choose.randrange(5, 60)))
        found.append({"text": text, "title": text[:5], "language": language, "docId": str(n)})
    return found


def write_lines(items: list[dict[str, Any]], path: Path) -> Path:
    """JSON Lines."""
    data = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_what_is_learnt_tells_languages(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of other texts, too; the model is small and its weights are those of n-grams of the texts."""
    source = write_lines(rows(400), tmp_path / "a.jsonl")
    uzushio("train-language", source, "--output", tmp_path / "m", "--summary", tmp_path / "s.json")
    weights, summary = read_model(tmp_path / "m"), read_json(tmp_path / "s.json")
    of_texts = [set(grams_of(row["text"])) for row in rows(400)]
    assert summary["texts"] == 400
    assert summary["japanese"] == sum(row["language"] == "ja" for row in rows(400))
    assert summary["distinct_grams"] == len(set().union(*of_texts))
    assert (summary["grams"], summary["bytes"]) == (len(weights), (tmp_path / "m").stat().st_size)
    assert all(sum(gram in grams for grams in of_texts) >= 2 for gram in weights)
    others = rows(200, seed=2)
    right = sum((score(row["text"], weights) > 0) == (row["language"] == "ja") for row in others)
    assert right >= 196
    right = sum((score(row["text"], weights) > 0) == (row["language"] == "ja") for row in rows(400))
    assert abs(right - summary["right"]) <= 1


def test_weights_are_the_least_of_the_sum(uzushio: Uzushio, tmp_path: Path) -> None:
    """Those of logistic regression: its gradient is nothing there."""
    import numpy as np

    source = write_lines(rows(300), tmp_path / "a.jsonl")
    uzushio("train-language", source, "--output", tmp_path / "m", "--cost", "0.5", "--max-grams", "150")
    weights = read_model(tmp_path / "m")
    names = {gram: place for place, gram in enumerate(sorted(weights))}
    data, labels = np.zeros((300, len(names))), np.zeros(300)
    for number, row in enumerate(rows(300)):
        grams = grams_of(row["text"])
        labels[number] = 1 if row["language"] == "ja" else -1
        for gram in grams:
            if gram in names:
                data[number, names[gram]] += len(grams) ** -0.5
    found = np.array([weights[gram] for gram in sorted(weights)])

    def gradient(at: Any) -> float:
        slopes = -labels / (1 + np.exp(labels * (data @ at)))
        return float(np.linalg.norm(at + 0.5 * data.T @ slopes))

    assert gradient(found) < 0.01 * gradient(np.zeros(len(names)))


def test_the_model_is_of_the_texts_alone(uzushio: Uzushio, tmp_path: Path) -> None:
    """Not of their order, files, format, threads, memory or other columns."""
    items = rows(300)
    shuffled = random.Random(3).sample(items, len(items))
    inputs = {
        "lines": [write_lines(items, tmp_path / "a.jsonl")],
        "shuffled": [
            write_lines(shuffled[:100], tmp_path / "b.jsonl"),
            write_lines(shuffled[100:], tmp_path / "c.jsonl.gz"),
        ],
    }
    pq.write_table(pa.Table.from_pylist(items), tmp_path / "d.parquet", row_group_size=37)
    inputs["parquet"] = [tmp_path / "d.parquet"]
    for language in ("en", "ja", "zh"):
        folder = tmp_path / "folders" / f"language={language}"
        folder.mkdir(parents=True)
        part = [{"text": item["text"]} for item in items if item["language"] == language]
        pq.write_table(pa.Table.from_pylist(part), folder / "part-00000.parquet")
    inputs["folders"] = [tmp_path / "folders"]
    models = set()
    for name, files in inputs.items():
        for threads in (1, 4):
            output = tmp_path / f"{name}-{threads}"
            uzushio("train-language", *files, "--output", output, "--threads", threads, "--memory", "512MiB")
            models.add(output.read_bytes())
    assert len(models) == 1


def test_options_of_what_is_learnt(uzushio: Uzushio, tmp_path: Path) -> None:
    """Columns, labels, characters, counts, sizes."""
    items: list[dict[str, Any]] = [
        {"body": row["text"], "head": row["title"], "label": row["language"]} for row in rows(200)
    ]
    items[0]["label"] = ""
    items.append({"body": "no label", "head": "x"})
    items.append({"body": 5, "head": "", "label": "ja"})
    source = write_lines(items, tmp_path / "a.jsonl")
    columns = ["--text-column", "body,head", "--label-column", "label"]

    def train(name: str, *options: object) -> tuple[dict[str, float], dict[str, Any]]:
        output, summary = tmp_path / name, tmp_path / f"{name}.json"
        uzushio("train-language", source, "--output", output, "--summary", summary, *columns, *options)
        return read_model(output), read_json(summary)

    _, summary = train("columns")
    assert summary["texts"] == 2 * 199
    assert summary["quarantined"] == {"no-label": 2, "other-columns": 1}
    weights, _ = train("characters", "--max-characters", 2)
    assert max(map(len, weights)) == 2
    weights, _ = train("grams", "--max-grams", 7)
    assert len(weights) == 7
    assert all(len(gram) == 1 for gram in weights)
    fewer, _ = train("count", "--min-count", 30)
    more, _ = train("count1", "--min-count", 1)
    assert set(fewer) < set(more)
    weak, _ = train("cost", "--cost", "1e-3")
    assert max(map(abs, weak.values())) < max(map(abs, more.values()))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cost", "0"], "--cost 0: give a number above 0"),
        (["--cost", "1x"], "--cost 1x: give a number above 0"),
        (["--cost", "inf"], "--cost inf: give a number above 0"),
        (["--text-column", "none"], "there is no column 'none'"),
        (["--text-column", "text,none"], "--text-column none: "),
        (["--label-column", "none"], "name the languages' column by --label-column"),
        (["--label-column", "number"], "name the languages' column by --label-column"),
        (["--memory", "64MiB", "--threads", "1"], "--memory 64MiB: 1 thread needs 192MiB"),
        (["--label-column", "title"], "there have to be Japanese texts and others"),
    ],
)
def test_errors(options: list[str], said: str, uzushio: Uzushio, tmp_path: Path) -> None:
    """Each names what is wrong; nothing is written."""
    source = write_lines([{**row, "number": 5} for row in rows(20)], tmp_path / "a.jsonl")
    assert said in uzushio("train-language", source, "--output", tmp_path / "m", *options, code=2).stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl"]


@pytest.mark.once
def test_memory(tmp_path: Path) -> None:
    """What has no room is refused, with the memory that would do; what is given is kept to."""
    choose = random.Random(5)
    letters = [chr(code) for code in range(0x4E00, 0x9000)]
    items = [
        {"text": "".join(choose.choices(letters, k=1000)), "language": choose.choice(["ja", "zh"])} for _ in range(400)
    ]
    source = write_lines(items, tmp_path / "a.jsonl")
    run = [PROGRAM, "train-language", source, "--output", tmp_path / "m", "--threads", 1, "--min-count", 1]
    run += ["--max-grams", 10**7, "--summary", tmp_path / "s.json", "--quiet", "--memory"]
    memory, refused = 192, 0
    while refused < 9:
        done = subprocess.run([*map(str, run), f"{memory}MiB"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        assert f"--memory {memory}MiB: there is no room for the n-grams of all texts" in done.stderr
        needed = int(done.stderr.strip().rpartition("or give ")[2].removesuffix("MiB"))
        assert memory < needed < 1024
        memory, refused = needed, refused + 1
    assert 0 < refused < 9
    assert read_json(tmp_path / "s.json")["peak_memory_bytes"] < 1.1 * memory * 2**20


def test_what_is_there_stays(uzushio: Uzushio, tmp_path: Path) -> None:
    """A model is replaced only when it is said; a folder never."""
    source = write_lines(rows(20), tmp_path / "a.jsonl")
    (tmp_path / "m").write_text("precious")
    said = uzushio("train-language", source, "--output", tmp_path / "m", code=2).stderr
    assert "exists; choose another name, or --overwrite" in said
    uzushio("train-language", source, "--output", tmp_path, "--overwrite", code=2)
    uzushio("train-language", source, "--output", source, "--overwrite", code=2)
    assert (tmp_path / "m").read_text() == "precious"
    uzushio("train-language", source, "--output", tmp_path / "m", "--overwrite")
    assert read_model(tmp_path / "m")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "m"]


def test_pages_are_told_by_the_score(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of their text, as plain Python has it."""
    choose = random.Random(7)
    weights = {
        "".join(choose.choices(KANA + LATIN + KANJI, k=choose.choice([1, 1, 2, 2, 3]))): choose.uniform(-2, 2)
        for _ in range(300)
    }
    (tmp_path / "m").write_bytes(model_file(weights))
    weights = read_model(tmp_path / "m")
    texts = [row["text"].strip() for row in rows(300, seed=8)]
    pages = [
        {"body": f"<p>{text}</p><p>{text[:9].strip()}</p>", "uri": f"http://a.jp/{n}"} for n, text in enumerate(texts)
    ]
    (tmp_path / "a.warc").write_bytes(build(pages, "warc"))
    test = ["--japanese-test", "precise", "--language-model", tmp_path / "m"]
    uzushio("extract", tmp_path / "a.warc", "--output", tmp_path / "out", *test)
    found = {row["url"] for row in read_documents(tmp_path / "out")}
    expected = {
        page["uri"]
        for page, text in zip(pages, texts, strict=True)
        if score(f"{text}\n{text[:9].strip()}", weights) > 0
    }
    assert found == expected
    assert 50 < len(found) < 250


def test_extract_with_what_was_learnt(uzushio: Uzushio, tmp_path: Path) -> None:
    """From pages to a model, and from other pages by the model to documents."""
    pages = [
        {"body": f"<title>{row['title']}</title><p>{row['text']}</p>", "uri": f"http://a.jp/{n}"}
        for n, row in enumerate(rows(300))
    ]
    (tmp_path / "a.warc").write_bytes(build(pages[:200], "warc"))
    (tmp_path / "b.warc").write_bytes(build(pages[200:], "warc"))
    uzushio("extract", tmp_path / "a.warc", "--output", tmp_path / "all", "--language", "all")
    uzushio("train-language", tmp_path / "all", "--output", tmp_path / "m", "--text-column", "text,title")
    found = {}
    for test in ("rapid", "precise"):
        options = ["--japanese-test", test, "--language-model", tmp_path / "m", "--summary", tmp_path / "s.json"]
        uzushio("extract", tmp_path / "b.warc", "--output", tmp_path / test, *options)
        found[test] = {row["url"] for row in read_documents(tmp_path / test)}
        rejected = read_json(tmp_path / "s.json")["rejected"]
        assert set(rejected) == ({"language-rapid", "language"} if test == "rapid" else {"language"})
        assert sum(rejected.values()) + len(found[test]) == 100
    assert found["rapid"] < found["precise"]


def test_a_run_is_of_its_model(uzushio: Uzushio, tmp_path: Path) -> None:
    """Another model at the same place is another run."""
    (tmp_path / "a.warc").write_bytes(build([{"body": "<p>ああ</p>"}], "warc"))
    run = ["extract", tmp_path / "a.warc", "--output", tmp_path / "out", "--language-model", tmp_path / "m"]
    (tmp_path / "m").write_bytes(model_file({"あ": 1}))
    uzushio(*run, "--japanese-test", "precise")
    assert "was complete already" in uzushio(*run, "--japanese-test", "precise").stderr
    uzushio(*run, "--japanese-test", "rapid", code=2)
    (tmp_path / "m").write_bytes(model_file({"あ": -1}))
    uzushio(*run, "--japanese-test", "precise", code=2)


RAPID = ["--japanese-test", "rapid", "--language-model", "m"]
PRECISE = ["--japanese-test", "precise", "--language-model"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--japanese-test", "rapid"], "--japanese-test rapid: needs --language-model"),
        (["--language-model", "m"], "--language-model: needs --japanese-test"),
        (
            ["--japanese-test", "precise", "--language-model", "none"],
            "--language-model: there is no language model 'none'",
        ),
        ([*PRECISE, "a.warc"], "'a.warc' is no language model of uzushio"),
        (
            ["--japanese-test", "rapid", "--language-model", "m", "--language", "ja,en"],
            "--japanese-test rapid: rejects",
        ),
        ([*RAPID, "--language", "all"], "--japanese-test rapid: rejects"),
    ],
)
def test_errors_of_extract(
    options: list[str], said: str, uzushio: Uzushio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each says what to give."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.warc").write_bytes(build([{"body": "<p>ああ</p>"}], "warc"))
    (tmp_path / "m").write_bytes(model_file({"あ": 1}))
    assert said in uzushio("extract", "a.warc", "--output", "out", *options, code=2).stderr
    assert not (tmp_path / "out").exists()
