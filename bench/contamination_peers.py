"""Contaminated documents as datatrove's n-gram filter finds them: contamination_peers.py ITEMS FOLDER < documents.

ITEMS is a file of lines of JSON with question and answer; documents are a JSON list of texts. Prints a JSON object: for
each configuration, the places of documents that it removes, and the processor's seconds. Configurations are datatrove's
own (12 words; of the answer, and of question and answer where they meet) and one with those of questions, too.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def main() -> None:
    """All of it."""
    decontamination: Any = importlib.import_module("datatrove.pipeline.decont.n_grams")
    numpy: Any = importlib.import_module("numpy")
    document: Any = importlib.import_module("datatrove.data").Document
    # Hashes are made of items that are given: LightEval, which fetches tasks of its own, is not needed.
    decontamination.NGramsDecontIndexer._requires_dependencies = []
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    texts = json.load(sys.stdin)
    found = {}
    standard = decontamination.NGramsDecontConfig()
    for name, config in (
        ("datatrove", standard),
        ("datatrove, questions too", dataclasses.replace(standard, find_query_ngrams=True)),
    ):
        with tempfile.TemporaryDirectory() as folder:
            indexer = decontamination.NGramsDecontIndexer(folder, config=config, language="jpn")
            hashes = {code for item in items for code in indexer.compute_hashes(item["answer"], item["question"])}
            array = numpy.array(sorted(hashes), dtype=config.hash_config.np_descr)
            array.tofile(f"{folder}/items.index.hashes")
            search = decontamination.NGramsDecontFilter(folder, config=config, language="jpn")
            search.filter(document(text="日本語", id="0"))  # loads what is loaded once
            start = time.process_time()
            removed = [
                place
                for place, text in enumerate(texts)
                if search.filter(document(text=text, id=str(place))) is not True
            ]
            found[name] = {"removed": removed, "seconds": time.process_time() - start}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
