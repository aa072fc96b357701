"""Transformers by ONNX Runtime's Python, in the environment of bench/classifier_peer.py.

`onnx_peer.py make TEXTS FOLDER`: TEXTS has a document a line, in JSON. Writes models of random weights, of the size of
small ones, and a tokenizer trained on the texts; prints the library of ONNX Runtime, and folders and names of models.
`onnx_peer.py score FOLDER TEXTS`: the first output for each text, as JSON.
`onnx_peer.py time FOLDER FILE UNIT ROUNDS`: scores texts that NUL ends, or their lines, in a loop, a text at a time;
the processor's seconds of each round, and the bytes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

import onnxruntime
from onnx_classifier import Reference, Shape, write_model, write_tokenizer

SIZES = {
    "6 layers of 384": Shape(2, positions=512, hidden=384, layers=6, heads=12),
    "6 layers of 384, quantized": Shape(2, positions=512, hidden=384, layers=6, heads=12, quantized=True),
}


def read(path: Path) -> list[str]:
    """Texts of JSON Lines."""
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def make(texts: list[str], folder: Path) -> None:
    """Models and their names."""
    print(next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*")))
    for number, (name, shape) in enumerate(SIZES.items()):
        path = folder / f"onnx-{number}"
        path.mkdir()
        words = write_tokenizer(path / "tokenizer.json", [text[:2000] for text in texts[::2]])
        write_model(path / "model.onnx", words, shape)
        print(f"{path.name}\t{name}", flush=True)


def main() -> None:
    """What is asked for."""
    if sys.argv[1] == "make":
        make(read(Path(sys.argv[2])), Path(sys.argv[3]))
        return
    folder = Path(sys.argv[2])
    reference = Reference(folder / "model.onnx", folder / "tokenizer.json")
    if sys.argv[1] == "score":
        print(json.dumps([reference.logits(text)[0] for text in read(Path(sys.argv[3]))]))
        return
    data = Path(sys.argv[3]).read_bytes()
    texts = data.decode().split("\0")[:-1]
    parts = texts if sys.argv[4] == "document" else [line for text in texts for line in text.split("\n") if line]
    for _ in range(int(sys.argv[5])):
        start = time.process_time()
        for part in parts:
            reference.logits(part)
        print(time.process_time() - start, len(data) - len(texts), flush=True)


main()
