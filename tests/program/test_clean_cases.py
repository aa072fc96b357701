"""The configurations of the original on a text of ours: what comes out stands in clean_cases/NAME.txt.

The stages are written down here once more, as the original has them, for the oracle.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from clean_oracle import clean, documents_of
from program import Uzushio

CASES = Path(__file__).parent / "clean_cases"
DELIMITER = "\n====\n"  # of documents, which have empty lines
LISTS = ("ng_words.txt", "template_sentences.txt")
CHITRA: list[dict[str, Any]] = [
    {"class": "SplitIntoSentence"},
    {"class": "RemoveWikipediaCitation"},
    {"class": "NormalizeCharacter", "keepWS": False},
    {"class": "NormalizeWhitespace"},
    {"class": "ConcatShortSentence", "concatThr": 2},
    {"class": "RemoveEmail"},
    {"class": "RemoveURL"},
    {"class": "FilterBySentenceLength", "min": 10, "max": 200},
    {"class": "RemoveShortDocument", "min": 5},
    {"class": "RemoveScriptDocument"},
    {"class": "RemoveNGWordDocument", "path": str(CASES / "ng_words.txt")},
]
TEMPLATE: list[dict[str, Any]] = [
    {"class": "DeduplicateRepeatingSentence", "minRepeat": 2},
    {"class": "RemoveSubstring", "path": str(CASES / "template_sentences.txt"), "matchSentence": True},
    {"class": "RemoveShortDocument", "min": 5},
]
CONFIGURATIONS: dict[str, list[dict[str, Any]]] = {
    "chitra": CHITRA,
    "rmTemplate": [{"class": "DeduplicateElement"}, {"class": "SplitIntoSentence"}, *TEMPLATE],
    "sudachiDictCorpus": [
        {"class": "SplitIntoSentence"},
        {"class": "NormalizeCharacter", "keepWS": True},
        {"class": "NormalizeWhitespace"},
        {"class": "DeduplicateElement"},
    ],
    "warc": [
        {"class": "SplitIntoParagraph"},
        {"class": "FilterJapaneseBasedOnCharacter", "kanaRate": 0.05, "jpRate": 0.7},
        {"class": "DeduplicateElement"},
        {"class": "RemoveShortDocument", "min": 5},
        *CHITRA,
        *TEMPLATE,
    ],
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_oracle(name: str) -> None:
    """What is expected is what the contract says."""
    texts = documents_of((CASES / "input.txt").read_text(encoding="utf-8"), DELIMITER)
    end = "\n" if name == "sudachiDictCorpus" else "\n\n"
    made = "".join("\n".join(document) + end for document in clean(CONFIGURATIONS[name], texts))
    assert made == (CASES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_program(
    name: str, threads: int, uzushio: Uzushio, dictionary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
) -> None:  # fmt: skip
    """A configuration by its name, in a folder with the lists."""
    for one in LISTS:
        shutil.copy(CASES / one, tmp_path)
    monkeypatch.chdir(tmp_path)
    form = ["--input-format", "text", "--input-delimiter", DELIMITER.replace("\n", "\\n")]
    if CHITRA[-1] in CONFIGURATIONS[name]:
        form += ["--set", "RemoveNGWordDocument.path=ng_words.txt", "-P", f"sudachi={dictionary}"]
    uzushio("clean", CASES / "input.txt", "--config", name, "--output", "out", "--threads", threads, *form)
    written = "".join(path.read_bytes().decode() for path in sorted(Path("out").glob("part-*.txt")))
    expected = CASES / f"{name}.txt"
    if pytestconfig.getoption("--update"):
        expected.write_text(written, encoding="utf-8")
    assert written == expected.read_text(encoding="utf-8")
