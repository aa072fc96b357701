"""Probabilities by the `fasttext-predict` of Python, in the environment of the benchmarks.

`scores_peer.py MODEL FILE` prints the probabilities of the labels of texts that NUL ends, a line of JSON for each;
`scores_peer.py MODEL FILE ROUNDS` the processor's seconds of a loop of `predict`, and the bytes.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import fasttext  # type: ignore[import-not-found,import-untyped,unused-ignore]


def main() -> None:
    """All of it."""
    model = fasttext.load_model(sys.argv[1])
    data = Path(sys.argv[2]).read_bytes()
    texts = data.decode().split("\0")[:-1]
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 0):
        start = time.process_time()
        for text in texts:
            model.predict(text)
        print(time.process_time() - start, len(data) - len(texts), flush=True)
    if len(sys.argv) == 3:
        for text in texts:
            labels, probabilities = model.predict(text, k=-1)
            print(json.dumps(dict(zip(labels, probabilities, strict=True))))


main()
