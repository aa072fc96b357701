"""Trains classifiers of each kind by fastText, in an environment of its own: `scores_train.py LABELLED FOLDER`.

LABELLED has a text a line, behind its label. A second environment is needed, as what predicts has the same name.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import fasttext  # type: ignore[import-not-found,import-untyped,unused-ignore]

# The settings of `train_supervised`, and those of `quantize`.
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "softmax, words, 2-grams of words": ({"wordNgrams": 2, "dim": 100, "bucket": 500_000}, None),
    "softmax, characters 1 to 4": ({"minn": 1, "maxn": 4, "dim": 100, "bucket": 500_000}, None),
    "hierarchical softmax, characters 2 and 3": (
        {"loss": "hs", "minn": 2, "maxn": 3, "dim": 50, "bucket": 500_000},
        None,
    ),
    "one-vs-all, both": (
        {"loss": "ova", "wordNgrams": 2, "minn": 2, "maxn": 4, "dim": 16, "bucket": 500_000},
        None,
    ),
    "quantized": ({"minn": 2, "maxn": 3, "dim": 16, "bucket": 200_000}, {"dsub": 2}),
    "quantized, norms and labels, pruned": (
        {"minn": 2, "maxn": 4, "wordNgrams": 2, "dim": 16, "bucket": 200_000},
        {"qnorm": True, "qout": False, "cutoff": 50_000, "dsub": 2},
    ),
}


def main() -> None:
    """Writes FOLDER/NUMBER.bin or .ftz, and prints the kinds."""
    labelled, folder = sys.argv[1], Path(sys.argv[2])
    for number, (name, (training, quantizing)) in enumerate(KINDS.items()):
        model = fasttext.train_supervised(labelled, epoch=1, lr=0.3, thread=1, minCount=2, verbose=0, **training)
        path = folder / f"{number}.bin"
        if quantizing is not None:
            model.quantize(**quantizing)
            path = path.with_suffix(".ftz")
        model.save_model(str(path))
        print(f"{path.name}\t{name}", flush=True)


main()
