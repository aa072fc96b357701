"""`uzushio train-classifier`: what fastText gets, what it makes of it, and the report, against plain Python."""

from __future__ import annotations

import json
import random
import resource
import signal
import struct
import subprocess
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import fasttext  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xxhash
from corpus import written
from program import PROGRAM, Uzushio, read_json

Row = dict[str, Any]
GOOD = ["研究", "結果", "方法", "論文", "実験", "Data", "ｶﾞ", "㍿"]
BAD = ["激安", "送料無料", "今すぐ", "限定", "ＳＡＬＥ", "会員", "__label__good", "Point"]
COMMON = ["私", "本", "する", "こと", "もの", "です", "ら\u3000り", "る れ", "と\nの", "\u0301"]
SPACES = " \n\u3000"
FORM = ["--tokens", "characters", "--normalize", "nfkc", "--lowercase", "--max-characters", 70]
SMALL = ["--dim", 8, "--bucket", 500]


def make_rows(count: int = 600, mistaken: float = 0.35) -> list[Row]:
    """Documents of two kinds, of some hosts; the words of either are now and then in the other."""
    choose = random.Random(1)
    rows = []
    for number in range(count):
        good = choose.random() < 0.4
        own = [GOOD if good != (choose.random() < mistaken) else BAD for _ in range(20)]
        words = [choose.choice(choose.choice([kind, COMMON])) for kind in own]
        text = "は".join(["文", "".join(words[:12]), "文"]) + "\n\n" + f"第{number}回{''.join(words[12:])}。"
        host = f"{'www.' * (number % 2)}h{number % 83 // 2}.example.jp"
        rows.append(
            {"docId": f"d{number}", "text": text, "label": "good" if good else "bad", "url": f"http://{host}/{number}"}
        )
    return rows


ROWS = make_rows()


def write_lines(rows: list[Row], path: Path) -> Path:
    """JSON Lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def words_of(text: str, tokens: str = "characters", most: int = 70) -> list[str]:
    """As FORM has them, by Python's own means; without form where words are what spaces separate."""
    line = "\n".join(text.split("\n\n"))
    if tokens == "characters":
        return [c for c in unicodedata.normalize("NFKC", line[:most]).lower() if c not in SPACES]
    return [word for word in line.replace("\n", " ").split(" ") if word]


def dictionary_of(path: Path) -> tuple[dict[str, int], dict[str, int]]:
    """The words and the labels of a model, with their counts."""
    data = path.read_bytes()
    at = 8 + 12 * 4 + 8
    size, words, _ = struct.unpack_from("<3i", data, at)
    at += 3 * 4 + 2 * 8
    found: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for i in range(size):
        end = data.index(0, at)
        (count,) = struct.unpack_from("<q", data, end + 1)
        found[i >= words][data[at:end].decode()] = count
        at = end + 10
    return found


def is_held_out(row: Row, by_host: bool = True) -> bool:
    """By the hash of its host, or of its id."""
    key = row["url"].split("/")[2].removeprefix("www.") if by_host else row["docId"]
    return (xxhash.xxh3_64_intdigest(key.encode()) >> 11) / 2**53 < 0.1


@pytest.mark.parametrize("tokens", ["characters", "spaces"])
def test_fasttext_gets_the_words_of_prediction(uzushio: Uzushio, tmp_path: Path, tokens: str) -> None:
    """Those that Python makes of the texts, each as often; and the filter looks at these."""
    source = write_lines(ROWS, tmp_path / "a.jsonl")
    form = FORM if tokens == "characters" else []
    uzushio("train-classifier", source, "--output", tmp_path / "m.bin", "--held-out", 0, *SMALL, *form)
    lines = [words_of(row["text"], tokens) for row in ROWS]
    # What looks like a label is no word.
    wanted = Counter(word for line in lines for word in line if not word.startswith("__label__"))
    words, labels = dictionary_of(tmp_path / "m.bin")
    assert words == {**wanted, "</s>": len(ROWS)}
    assert labels == Counter("__label__" + row["label"] for row in ROWS)
    given: Row = {"class": "FastText", "model": str(tmp_path / "m.bin"), "label": "good"}
    if tokens == "characters":
        given |= {"tokens": "characters", "normalize": "nfkc", "lowercase": True, "max_characters": 70}
    (tmp_path / "c.conf").write_text(json.dumps({"filters": [given]}), encoding="utf-8")
    uzushio("metrics", source, "--config", tmp_path / "c.conf", "--output", tmp_path / "metrics")
    table = pq.read_table(tmp_path / "metrics" / "metrics.parquet")
    (name,) = (name for name in table.column_names if name.startswith("FastText"))
    model = fasttext.load_model(str(tmp_path / "m.bin"))
    predicted = [dict(zip(*model.predict(" ".join(line), k=-1), strict=True)) for line in lines]
    assert table[name].to_pylist() == pytest.approx([one["__label__good"] for one in predicted], abs=2e-6)


def test_paragraphs_end_at_the_mark(uzushio: Uzushio, tmp_path: Path) -> None:
    """With each paragraph an example; a line ends at </s>, as it does in prediction."""
    rows = [
        {"docId": f"{number}", "text": f"ねこ </s> いぬ\n\nとり x{number}", "label": number % 2} for number in range(40)
    ]
    source = write_lines(rows, tmp_path / "a.jsonl")
    summary = tmp_path / "s.json"
    options = ["--unit", "paragraph", "--held-out", 0, "--summary", summary, *SMALL]
    uzushio("train-classifier", source, "--output", tmp_path / "m.bin", *options)
    words, labels = dictionary_of(tmp_path / "m.bin")
    assert words == {"</s>": 80, "ねこ": 40, "とり": 40} | {f"x{number}": 1 for number in range(40)}
    assert labels == {"__label__0": 40, "__label__1": 40}
    told = read_json(summary)
    assert (told["documents"], told["training"], told["words"]) == (40, 80, 42)
    assert told["labels"] == [{"label": label, "training": 40, "held_out": 0} for label in "01"]


def test_the_model_is_of_the_texts_alone(uzushio: Uzushio, tmp_path: Path) -> None:
    """In whatever order, files and formats, and with any number of threads; --with-label says the same."""
    sources: dict[str, list[object]] = {"lines": [write_lines(ROWS, tmp_path / "a.jsonl")]}
    pq.write_table(pa.Table.from_pylist(ROWS[::-1]), tmp_path / "b.parquet", row_group_size=70)
    sources["parquet"] = [tmp_path / "b.parquet"]
    sources["parts"] = [write_lines(ROWS[i::3], tmp_path / f"{i}.jsonl") for i in range(3)]
    for label in ("bad", "good"):
        rows = [{**row, "label": None} for row in ROWS if row["label"] == label]
        path = write_lines(rows, tmp_path / f"{label}.jsonl")
        sources.setdefault("labels", []).extend(["--with-label", f"{label}={path}"])
        sources.setdefault("prefixed labels", []).extend(["--with-label", f"__label__{label}={path}"])
    names = write_lines([{**row, "label": "__label__" + row["label"]} for row in ROWS], tmp_path / "prefix.jsonl")
    sources["prefix"] = [names]
    for threads, (name, inputs) in enumerate(sources.items(), 1):
        options = ["--output", tmp_path / name, "--threads", threads, "--word-ngrams", 2, "--summary", tmp_path / "s"]
        uzushio("train-classifier", *inputs, *options, *FORM, *SMALL)
        assert (tmp_path / name).read_bytes() == (tmp_path / "lines").read_bytes(), name
        told = {key: value for key, value in read_json(tmp_path / "s").items() if key in ("labels", "held_out")}
        sources[name] = [told]
    assert all(told == sources["lines"] for told in sources.values())


def scores_of(uzushio: Uzushio, source: Path, model: Path, folder: Path) -> dict[str, dict[str, float]]:
    """By label, of each document, as the filter has them."""
    given = {"tokens": "characters", "normalize": "nfkc", "lowercase": True, "max_characters": 70}
    chain = [{"class": "FastText", "model": str(model), "label": label, **given} for label in ("bad", "good")]
    (folder / "scores.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
    uzushio("metrics", source, "--config", folder / "scores.conf", "--output", folder / "scores")
    table = pq.read_table(folder / "scores" / "metrics.parquet")
    names = [name for name in table.column_names if name.startswith("FastText")]
    return {
        label: dict(zip(table["docId"].to_pylist(), table[name].to_pylist(), strict=True))
        for label, name in zip(("bad", "good"), names, strict=True)
    }


def bins_of(probabilities: list[float], right: list[bool]) -> tuple[list[Row], float]:
    """Ten bins, and the expected calibration error."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for probability, one in zip(probabilities, right, strict=True):
        bins[min(9, int(probability * 10))].append((probability, one))
    rows: list[Row] = [
        {
            "texts": len(one),
            "probability": sum(p for p, _ in one) / len(one) if one else None,
            "share": sum(hit for _, hit in one) / len(one) if one else None,
        }
        for one in bins
    ]
    error = sum(abs(row["share"] - row["probability"]) * row["texts"] for row in rows if row["texts"])
    return rows, error / len(probabilities)


def label_report(label: str, own: list[bool], predicted: list[bool], scores: list[float]) -> Row:
    """Of one label."""
    right = sum(a and b for a, b in zip(own, predicted, strict=True))
    pairs = [(a > b) + (a == b) / 2 for a, o in zip(scores, own, strict=True) if o
             for b, p in zip(scores, own, strict=True) if not p]  # fmt: skip

    def f1(threshold: float) -> float:
        taken = [score >= threshold for score in scores]
        return 2 * sum(a and b for a, b in zip(own, taken, strict=True)) / (sum(own) + sum(taken))

    best = max(set(scores), key=lambda score: (f1(score), score))
    rows, error = bins_of(scores, own)
    return {
        "label": label,
        "texts": sum(own),
        "predicted": sum(predicted),
        "right": right,
        "precision": right / sum(predicted),
        "recall": right / sum(own),
        "f1": 2 * right / (sum(own) + sum(predicted)),
        "auc": sum(pairs) / len(pairs),
        "threshold": best,
        "threshold_f1": f1(best),
        "calibration_error": error,
        "calibration": rows,
    }


def approximately(value: Any) -> Any:
    """The same in all parts, numbers but for rounding."""
    if isinstance(value, dict):
        return {key: approximately(one) for key, one in value.items()}
    if isinstance(value, list):
        return [approximately(one) for one in value]
    return pytest.approx(value, abs=1e-9) if isinstance(value, float) else value


@pytest.mark.parametrize("by", ["host", "document"])
def test_report_and_filter(uzushio: Uzushio, tmp_path: Path, by: str) -> None:
    """Every number of the report is what Python computes of the filter's scores of what is held out: whole hosts, or
    documents. The filter with the best threshold keeps what the report says."""
    source = write_lines(ROWS, tmp_path / "a.jsonl")
    options = ["--held-out-by", by, "--epoch", 8, "--lr", "0.3", "--summary", tmp_path / "s.json"]
    said = uzushio("train-classifier", source, "--output", tmp_path / "m.bin", *options, *FORM, *SMALL).stderr
    scores = scores_of(uzushio, source, tmp_path / "m.bin", tmp_path)
    held_out = [row for row in ROWS if is_held_out(row, by == "host")]
    assert 20 < len(held_out) < 150
    own = [row["label"] for row in held_out]
    probability = {label: [one[row["docId"]] for row in held_out] for label, one in scores.items()}
    predicted = ["bad" if a >= b else "good" for a, b in zip(probability["bad"], probability["good"], strict=True)]
    right = [a == b for a, b in zip(own, predicted, strict=True)]
    assert 0.7 < sum(right) / len(right) < 1  # neither learnt by heart nor guessed
    rows, error = bins_of([max(pair) for pair in zip(*probability.values(), strict=True)], right)
    wanted = {
        "texts": len(held_out),
        "right": sum(right),
        "accuracy": sum(right) / len(right),
        "calibration_error": error,
        "calibration": rows,
        "labels": [
            label_report(label, [one == label for one in own], [one == label for one in predicted], probability[label])
            for label in ("bad", "good")
        ],
    }
    told = read_json(tmp_path / "s.json")
    assert told["held_out"] == approximately(wanted)
    kept = Counter(row["label"] for row in ROWS if row not in held_out)
    assert told["labels"] == [
        {"label": label, "training": kept[label], "held_out": own.count(label)} for label in ("bad", "good")
    ]
    assert told["training"] == sum(kept.values())
    report = told["held_out"]["labels"][1]
    assert f"{report['precision']:.3f}" in said
    assert f"{report['threshold_f1']:.3f} at {report['threshold']:.4f}" in said

    given = {"tokens": "characters", "normalize": "nfkc", "lowercase": True, "max_characters": 70}
    low = report["threshold"]
    chain = {"filters": [{"class": "FastText", "model": str(tmp_path / "m.bin"), "label": "good", "low": low, **given}]}
    (tmp_path / "c.conf").write_text(json.dumps(chain), encoding="utf-8")
    uzushio("filter", source, "--config", tmp_path / "c.conf", "--output", tmp_path / "out", "--mode", "partitioned")
    passed = set(written(tmp_path / "out")["none"])
    assert passed == {name for name, score in scores["good"].items() if score >= low}
    taken = {row["docId"] for row in held_out} & passed
    hits = len(taken & {row["docId"] for row in held_out if row["label"] == "good"})
    assert report["threshold_f1"] == pytest.approx(2 * hits / (len(taken) + report["texts"]))


@pytest.mark.parametrize("loss", ["softmax", "hs", "ova"])
def test_many_labels_that_are_numbers(uzushio: Uzushio, tmp_path: Path, loss: str) -> None:
    """Each loss; labels in the order of their numbers, and with their expectation, which the filter takes."""
    choose = random.Random(2)
    rows = []
    for number in range(800):
        grade = choose.randrange(11)
        text = "".join(choose.choices("あいうえおかきくけこさ"[max(0, grade - 1) : grade + 1], k=20)) + "です"
        rows.append({"docId": number, "text": text, "grade": float(grade)})
    source = write_lines(rows, tmp_path / "a.jsonl")
    options = ["--label-column", "grade", "--tokens", "characters", "--loss", loss, "--summary", tmp_path / "s"]
    options += ["--word-ngrams", 2, "--minn", 1, "--maxn", 2, "--epoch", 20, "--lr", "0.5", *SMALL]
    uzushio("train-classifier", source, "--output", tmp_path / "m.bin", *options)
    told = read_json(tmp_path / "s")
    assert [one["label"] for one in told["labels"]] == [str(n) for n in range(11)]
    assert told["held_out"]["accuracy"] > 0.6
    assert all(0.8 < one["auc"] <= 1 for one in told["held_out"]["labels"])
    chain = [{"class": "FastText", "model": str(tmp_path / "m.bin"), "expectation": True, "tokens": "characters"}]
    (tmp_path / "c.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
    uzushio("metrics", source, "--config", tmp_path / "c.conf", "--output", tmp_path / "o")
    table = pq.read_table(tmp_path / "o" / "metrics.parquet")
    if loss != "ova":  # whose probabilities do not sum to one
        (name,) = (name for name in table.column_names if name.startswith("FastText"))
        errors = [abs(a - row["grade"]) for a, row in zip(table[name].to_pylist(), rows, strict=True)]
        assert sum(errors) / len(errors) < 1


def test_sudachis_tokens(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """Words are those of Sudachi in a mode, in training and in the filter."""
    sudachi = pytest.importorskip("sudachipy")
    tokenizer = sudachi.Dictionary(dict=str(dictionary)).tokenizer()
    texts = {"a": "国家公務員は東京都に行く。", "b": "外国人参政権を議論した。"}
    rows = [{"docId": f"{i}{label}", "text": text, "label": label} for i in range(60) for label, text in texts.items()]
    source = write_lines(rows, tmp_path / "a.jsonl")
    for mode in "AC":
        options = ["--tokens", f"sudachi-{mode}", "--sudachi", dictionary, "--held-out", 0, *SMALL]
        uzushio("train-classifier", source, "--output", tmp_path / mode, *options)
        words, _ = dictionary_of(tmp_path / mode)
        kind = getattr(sudachi.Tokenizer.SplitMode, mode)
        wanted = {token.surface() for text in texts.values() for token in tokenizer.tokenize(text, kind)}
        assert set(words) == wanted | {"</s>"}
    chain = [{"class": "FastText", "model": str(tmp_path / "A"), "label": "a", "tokens": "sudachi-A", "low": 0.5}]
    chain[0]["sudachi"] = str(dictionary)
    (tmp_path / "c.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
    uzushio("filter", source, "--config", tmp_path / "c.conf", "--output", tmp_path / "out", "--mode", "partitioned")
    assert set(written(tmp_path / "out")["none"]) == {row["docId"] for row in rows if row["label"] == "a"}


def test_what_is_left_out_and_what_is_repeated(uzushio: Uzushio, tmp_path: Path) -> None:
    """Rows without a label, or without words; texts on both sides of the border are told."""
    rows: list[Row] = [
        {"docId": f"{n}", "text": f"{'ねこ' if n % 2 else 'いぬ'} {n % 10}", "label": n % 2 == 0} for n in range(300)
    ]
    rows += [{"docId": "x", "text": "とり", "label": None}, {"docId": "y", "text": "\u3000 ", "label": True}]
    source = write_lines(rows, tmp_path / "a.jsonl")
    said = uzushio("train-classifier", source, "--output", tmp_path / "m", "--summary", tmp_path / "s", *SMALL).stderr
    told = read_json(tmp_path / "s")
    assert told["quarantined"] == {"no-label": 1, "no-words": 1}
    assert [one["label"] for one in told["labels"]] == ["false", "true"]
    assert told["repeated"] == told["held_out"]["texts"] > 10
    assert f"held out, but in the training, too: {told['repeated']}; remove duplicates before" in said
    assert "1 left out: no-label" in said
    quarantined = ["--max-bad", 1, "--overwrite"]
    uzushio("train-classifier", source, "--output", tmp_path / "m", *quarantined, *SMALL, code=3)


LABELLED = [{"docId": f"{n}", "text": f"文 {n}", "label": "ab"[n % 2], "url": f"http://{n % 2}.jp/"} for n in range(50)]


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ([], [], "holds no JSON object"),
        ([{"text": "文", "label": None}], [], "no text with a label"),
        ([{"text": "文", "label": "a"}], [], "all texts have the label 'a'"),
        ([{"text": "文"}], [], "there is no column 'label', only text; name the labels' column by --label-column"),
        ([{"text": "文", "label": ["a"]}], [], "labels, which are texts or numbers, are wanted"),
        ([{"text": "文", "label": 1.5}], [], "labels are classes; round them"),
        ([{"text": "文", "label": "a b"}], [], "the label 'a b' has white space"),
        ([{"text": "文", "label": "x" * 300}], [], "has more than 200 bytes; is it the column of labels?"),
        (LABELLED, ["--label-column", "text"], "the label '文 0' has white space"),
        (LABELLED, ["--text-column", "body"], "no column 'body'"),
        (LABELLED, ["--lr", "99", "--epoch", "300"], "lower --lr, to half of it first"),
        (LABELLED, ["--min-count", "2", "--held-out", "0.9"], "label '"),
        (LABELLED, ["--min-count", "99"], "--min-count 99: no word occurs so often; lower it"),
        (LABELLED, ["--minn", "3"], "needs --maxn"),
        (LABELLED, ["--minn", "3", "--maxn", "2"], "more than --maxn 2"),
        (LABELLED, ["--sudachi", "x"], "--sudachi: needs --tokens sudachi-A"),
        (LABELLED, ["--with-label", "c=EMPTY"], "--with-label c: there is no text in its inputs"),
        (LABELLED, ["--with-label", "c"], "give LABEL=INPUT"),
        (LABELLED, ["--word-ngrams", "2", "--dim", "10000"], "lower --bucket or --dim"),
        ([{"docId": str(n), "text": "文", "label": n} for n in range(1100)], [], "more than 1000 different values"),
    ],
)
def test_errors(uzushio: Uzushio, tmp_path: Path, rows: list[Row], options: list[str], said: str) -> None:
    """Each says what is wrong, and leaves nothing behind."""
    source = write_lines(rows, tmp_path / "a.jsonl")
    empty = write_lines([{"text": " "}], tmp_path / "empty.jsonl")
    given = [option.replace("EMPTY", str(empty)) for option in options]
    command = ["train-classifier", source, "--output", tmp_path / "m", "--memory", "1GiB", "--threads", 2]
    assert said in uzushio(*command, *given, code=2).stderr
    assert {path.name for path in tmp_path.iterdir()} == {"a.jsonl", "empty.jsonl"}


def test_what_is_there_stays(uzushio: Uzushio, tmp_path: Path) -> None:
    """A model is replaced when it is asked for, and by a whole one alone."""
    source = write_lines(LABELLED, tmp_path / "a.jsonl")
    options = ["--held-out-by", "document", *SMALL]
    said = uzushio("train-classifier", "--output", tmp_path / "m", code=2).stderr
    assert "name labelled texts: uzushio train-classifier INPUT, or --with-label LABEL=INPUT" in said
    uzushio("train-classifier", source, "--output", tmp_path / "m", *options)
    before = (tmp_path / "m").read_bytes()
    uzushio("train-classifier", source, "--output", tmp_path / "m", *options, code=2)
    uzushio("train-classifier", source, "--output", tmp_path / "m", "--overwrite", "--lr", "99", *options, code=2)
    uzushio("train-classifier", source, "--output", source, "--overwrite", *options, code=2)
    named = f"a={source}"
    uzushio("train-classifier", "--with-label", named, "--output", source, "--overwrite", *options, code=2)
    assert (tmp_path / "m").read_bytes() == before
    uzushio("train-classifier", source, "--output", tmp_path / "m", "--overwrite", "--dim", 3)
    assert (tmp_path / "m").read_bytes() != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "m"]


@pytest.mark.once  # the memory of a sanitized program is another
def test_memory_is_bound(uzushio: Uzushio, tmp_path: Path) -> None:
    """What it says that it needs is enough, and what it takes is no more."""
    choose = random.Random(3)
    rows = [
        {"docId": str(n), "text": " ".join(f"w{choose.randrange(400_000)}" for _ in range(200)), "label": n % 2}
        for n in range(3000)
    ]
    source = write_lines(rows, tmp_path / "a.jsonl")
    command = ["train-classifier", source, "--output", tmp_path / "m", "--threads", 2, "--epoch", 1]
    said = uzushio(*command, "--memory", "300MiB", code=2).stderr
    assert "--memory 300MiB: fastText needs " in said
    needed = int(said.partition("fastText needs ")[2].partition("MiB")[0])
    uzushio(*command, "--memory", f"{needed}MiB", "--summary", tmp_path / "s")
    assert read_json(tmp_path / "s")["peak_memory_bytes"] < 1.1 * needed * 2**20


def without_room() -> None:
    """Files end at 4 KiB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, 1 << 12))


def test_a_full_disk_is_named(uzushio: Uzushio, tmp_path: Path) -> None:
    """With what to do; nothing is left."""
    source = write_lines(ROWS, tmp_path / "a.jsonl")
    command = [PROGRAM, "train-classifier", source, "--output", tmp_path / "model", *SMALL, "--tmp", tmp_path]
    done = subprocess.run(list(map(str, command)), preexec_fn=without_room, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{tmp_path}: no space left for temporary data; name a folder with more by --tmp" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_bad_records_lie_nowhere(uzushio: Uzushio, tmp_path: Path) -> None:
    """Those that are left out are counted, and no folder is named that is not there."""
    source = write_lines([*ROWS, {"docId": "x", "text": "ラベルなし", "url": "http://a.jp"}], tmp_path / "a.jsonl")
    said = uzushio("train-classifier", source, "--output", tmp_path / "model", *SMALL, "--max-bad", 0, code=3).stderr
    assert "1 records are quarantined, more than --max-bad 0" in said
    assert "quarantine/" not in said


def test_labels_of_several_types(uzushio: Uzushio, tmp_path: Path) -> None:
    """What is left out for its type is said to be, and what to do."""
    mixed: list[Row]
    mixed = [{**row, "label": number % 2 if number < 25 else row["label"]} for number, row in enumerate(LABELLED)]
    source = write_lines(mixed, tmp_path / "a.jsonl")
    said = uzushio("train-classifier", source, "--output", tmp_path / "m", "--held-out-by", "document", *SMALL).stderr
    assert "25 left out: other-columns, with other columns than the first line, or values of other types" in said
    mixed = [{**row, "label": "a" if number < 25 else number % 2} for number, row in enumerate(LABELLED)]
    source = write_lines(mixed, tmp_path / "b.jsonl")
    said = uzushio("train-classifier", source, "--output", tmp_path / "n", *SMALL, code=2).stderr
    assert "all texts have the label 'a'" in said
    assert "25 records were left out, as they have other columns than the first, or a value of another" in said
