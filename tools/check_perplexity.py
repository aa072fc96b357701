"""Holds perplexities against the Python packages `kenlm` and `SudachiPy` on real paragraphs.

    check_perplexity.py UZUSHIO DICTIONARY MODEL.binary DOCUMENTS.parquet

In an environment with pyarrow, kenlm and SudachiPy. Each paragraph is a document; `uzushio metrics` measures them all.
Exits with 1 when one differs by more than 1e-4 relative.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MOST_BYTES = 49149  # of a call of Sudachi


def tokens_of(text: str, tokenizer: Any) -> list[str]:
    """Surfaces sentence by sentence, without spaces."""
    found = []
    for sentence in re.findall("[^\n。、！？!?]*[\n。、！？!?]|[^\n。、！？!?]+", text):
        if len(sentence) > 16384 or len(sentence.encode()) > MOST_BYTES:
            return []
        for morpheme in tokenizer.tokenize(sentence):
            if morpheme.normalized_form() != " " and morpheme.surface() != "\n":
                found.append(morpheme.surface())
    return found


def main() -> int:
    """Compares."""
    program, dictionary, model_path, documents = sys.argv[1:]
    model = importlib.import_module("kenlm").Model(model_path)
    sudachi = importlib.import_module("sudachipy")
    tokenizer = sudachi.Dictionary(dict=dictionary).tokenizer()
    texts: dict[str, None] = {}
    for text in pq.ParquetFile(documents).read()["text"].to_pylist():
        for paragraph in text.split("\n\n"):
            texts[re.sub("[\x02\x03]", "", paragraph.split("\x1c")[-1])] = None
    paragraphs = [text for text in texts if text][:20000]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        table = pa.table({"docId": [str(i) for i in range(len(paragraphs))], "text": paragraphs})
        pq.write_table(table, folder / "a.parquet")
        setting = {"class": "KenLMDocAvgPerplexity", "sudachi": dictionary, "kenlm": model_path}
        (folder / "chain.conf").write_text(json.dumps({"filters": [setting]}), encoding="utf-8")
        command = [
            program,
            "metrics",
            folder / "a.parquet",
            "--config",
            folder / "chain.conf",
            "--output",
            folder / "m",
        ]
        subprocess.run([*map(str, command), "--quiet"], check=True)
        values = pq.read_table(folder / "m" / "metrics.parquet").column(1).to_pylist()
    worst, compared = 0.0, 0
    for text, value in zip(paragraphs, values, strict=True):
        tokens = tokens_of(text, tokenizer)
        if not tokens or any(re.search(r"\s", token) for token in tokens):
            continue  # the package parts words at white space
        expected = model.perplexity(" ".join(tokens))
        compared += 1
        worst = max(worst, abs(value - expected) / expected)
    print(f"{compared} of {len(paragraphs)} paragraphs compared, worst relative difference {worst:.2e}")
    return 0 if worst <= 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
