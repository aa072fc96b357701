"""Items of published benchmarks, and Japanese texts in which to look for them, of checkouts of other projects.

Nothing of them is kept here: the tables name repositories and commits.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from git_snapshots import Snapshot

Row = dict[str, Any]
JGLUE = ("yahoojapan/JGLUE", "6f071c09316baae89c3d083a90985b4b1cb9968c")
JMMLU = ("nlp-waseda/JMMLU", "762cbf192c9e4588b574d718f95afd64c96fcbf4")
MGSM = ("google-research/url-nlp", "452a21ad3dae5668c06ceeac21ff073e1e40f9be")
TEXTS = [
    ("aozorahack/aozorabunko_text", "0984f7dc18a2270bdfd2ff99bf14fd1b3ebb4f65"),
    ("hyoshioka0128/windows-driver-docs.ja-jp", "fd419578f87886e9b4f81574569fe9ad3ba5897c"),
    ("isabella232/office-developer-client-docs.ja-JP", "e4d5e62a7aa6ce9327d7973e7e6d87639ff03c25"),
    ("jinroq/microsoft-graph-docs.ja-JP", "300732184934b4e787acd842217e28bb80f1c63d"),
    ("MicrosoftDocs/Dynamics-365-Operations.ja-jp", "b5feebe5d4fdc10775af6910322b69f2c084dfa7"),
    ("yukarinoki/cpp-docs.ja-jp", "c2741a70fbd6319bfb5c72b34ec6b9c2e7250adc"),
    ("zelanko/sql-docs.ja-jp", "34052d3cc5908024d089406dcc93b475cd05388a"),
    ("zfhrp6/docs.ja-jp", "9df3c798cc619b26284dece06a5cc56f330cf4c4"),
]
PART = 4_000  # characters of a book that count as a page
PARTS = 12  # of a book
LEAST_KANA = 50  # of a Japanese page


def items_of_benchmarks(checkouts: Path) -> Iterator[Row]:
    """Of JGLUE, JMMLU and MGSM, what models are judged by, with ids that begin with the benchmark's name."""
    jglue = Snapshot(checkouts, *JGLUE)
    for part in ("valid", "test"):
        for line in jglue.read(f"datasets/jcommonsenseqa-v1.3/{part}-v1.3.json").decode().splitlines():
            item = json.loads(line)
            choices = [item[f"choice{number}"] for number in range(5)]
            answer = item.get("label", "")
            yield row_of("JCommonsenseQA", item["q_id"], item["question"], choices, answer)
    for line in jglue.read("datasets/jnli-v1.3/valid-v1.3.json").decode().splitlines():
        item = json.loads(line)
        yield row_of("JNLI", item["sentence_pair_id"], item["sentence1"], [item["sentence2"]], "")
    for article in json.loads(jglue.read("datasets/jsquad-v1.3/valid-v1.3.json"))["data"]:
        for item in (item for paragraph in article["paragraphs"] for item in paragraph["qas"]):
            yield row_of("JSQuAD", item["id"], item["question"], [], item["answers"][0]["text"])
    jmmlu = Snapshot(checkouts, *JMMLU)
    for path in (path for path in jmmlu.paths() if path.startswith("JMMLU/") and path.endswith(".csv")):
        file = io.StringIO(jmmlu.read(path).decode("utf-8-sig"), newline="")
        for number, (question, *choices, answer) in enumerate(csv.reader(file)):
            yield row_of("JMMLU", f"{Path(path).stem}-{number}", question, choices, answer.strip())
    for number, line in enumerate(Snapshot(checkouts, *MGSM).read("mgsm/mgsm_ja.tsv").decode().splitlines()):
        question, _, answer = line.partition("\t")
        yield row_of("MGSM", number, question, [], answer)


def row_of(form: str, identity: object, question: str, choices: list[str], answer: object) -> Row:
    """As `decontaminate` reads it."""
    return {"id": f"{form}-{identity}", "question": question, "choices": choices, "answer": answer}


def japanese_texts(checkouts: Path) -> Iterator[str]:
    """Pages of documentation, and parts of books, each once."""
    seen = set()
    for repository, commit in TEXTS:
        snapshot = Snapshot(checkouts, repository, commit)
        paths = [path for path in snapshot.paths() if path.endswith((".md", ".txt"))]
        for path, data in snapshot.read_all(paths):
            text = re.sub(r"\A---\n.*?\n---\n", "", text_of(data), flags=re.DOTALL)
            ends = range(0, PART * PARTS, PART) if path.endswith(".txt") else [0]
            for part in (text[begin : begin + PART] if len(ends) > 1 else text for begin in ends):
                if len(re.findall("[ぁ-ヶ]", part)) >= LEAST_KANA and part not in seen:
                    seen.add(part)
                    yield part


def text_of(data: bytes) -> str:
    """Books are in Shift_JIS."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp932", "replace")
    return text.replace("\r\n", "\n")
