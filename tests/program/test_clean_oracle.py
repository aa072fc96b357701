"""`uzushio clean` against its plain oracle, on texts made of what its stages look at: each alone, and random chains."""

from __future__ import annotations

import functools
import json
import random
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from clean_oracle import CLOSERS, ENDS, OPENERS, clean, documents_of
from program import Uzushio

BORDER = "␞"  # between elements of the output
TEMPLATES = ["無断転載を禁じます。", "前へ\n次へ", "前へ", "次へ\n\x20先頭へ", "a.c", "(*[", "禁じ", "𠮷野"]
WORDS = ["くそ", "犬", "アホ", "だめな", "a", "ーヴ", "東京", "京都"]
PIECES = {
    "plain": [*"あい漢字ー・ｱaZ9_- 、々ヺ𠮷é㐀鿿"],
    "white": [" ", "\t", "\u3000", "\u00a0", "\x0b", "\x0c", "\r", "\u0085", "\u2028", "\u2003", "  ", "\u3000\u3000"],
    "invisible": ["\x00", "\x07", "\u00ad", "\u200b", "\u200d", "\ufeff", "\u202e", "\ue000", "\uffff", "\U000e0041",
                  "\U000f0000", "\U0010ffff", "\u0378", "\u2029", "\x7f", "\u0300", "\u180e"],
    "citation": ["[", "]", "1", "٣", "[12]", "[要出典]", "[要", "[リンク切れ]", "?]", "[誰?]", *"{}", "{{", "}}",
                 "{{{a}}", "[[1]]", "要", "?", "\r"],
    "address": ["@", ".", "a@b.c", "x_y-z@q-r.co.jp", "http", "https", "sftp", "sft", "://", "http://a", "ftp://b", "/",
                "%", "ａ", "Ⅷ"],
    "sentence": [*ENDS, *OPENERS, *CLOSERS, "。」", "「あ。い」", "（う！）", "…", "！？", ".", "\n"],
    "script": ["{", "|", "}", "｛", "｜", "function(){", "a|b"],
    "words": [*WORDS, "東京都", "京都府", "くそった", "あほくさい", "犬小屋", "子犬", "は", "に", "行く", "だめ"],
    "templates": [*TEMPLATES, "\n", "\n", "前", "へ", "abc", "(", "禁"],
    "lines": ["\n", "\n\n", "\n\n\n", "あ", "い", "う", "同じ", "同じ\n同じ"],
}  # fmt: skip
# Each stage in ways that matter; {words}, {templates} are files.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "SplitElement": [{}, {"delim": "。"}, {"delim": "い\n"}, {"delim": ".*"}, {"delim": "\n\n"}],
    "SplitIntoParagraph": [{}],
    "SplitIntoSentence": [{}, {"by": "lines"}, {"by": "punctuation"}],
    "RemoveWikipediaCitation": [{}],
    "NormalizeCharacter": [{}, {"keepWS": True}, {"keepWS": False}],
    "NormalizeWhitespace": [{}],
    "ConcatShortSentence": [{}, {"concatThr": 1}, {"concatThr": 6}],
    "RemoveEmail": [{}],
    "RemoveURL": [{}],
    "FilterBySentenceLength": [{}, {"min": 2, "max": 9}, {"min": 1, "max": 1}],
    "RemoveShortDocument": [{}, {"min": 1}, {"min": 3}],
    "RemoveScriptDocument": [{}],
    "RemoveNGWordDocument": [{"path": "{words}", "sudachi": "{dictionary}"}],
    "RemoveSubstring": [
        {"path": "{templates}", "delim": "\n==\n"},
        {"path": "{templates}", "delim": "\n==\n", "matchSentence": True},
    ],
    "DeduplicateElement": [{}],
    "DeduplicateRepeatingSentence": [{}, {"minRepeat": 3}],
    "FilterJapaneseBasedOnCharacter": [{}, {"kanaRate": 0.5, "jpRate": 0.5}, {"kanaRate": 0.0, "jpRate": 0.25}],
    "Identity": [{}],
}
ALONE = [(name, number) for name, ways in SETTINGS.items() for number in range(len(ways))]
CHAINS = 24
PART = 32 << 20  # bytes of plain text that a thread reads at once
Texts = tuple[str, ...]


def random_text(choose: random.Random) -> str:
    """Pieces of some kinds, now and then said again."""
    kinds = choose.sample([*PIECES], k=choose.choice([1, 2, 3, len(PIECES)]))
    lines: list[str] = []
    for _ in range(choose.choice([1, 1, 2, 5, 12])):
        if lines and choose.random() < 0.3:
            lines += [choose.choice(lines)] * choose.choice([1, 1, 2, 3])
        pieces = [choice for kind in kinds for choice in PIECES[kind]]
        lines.append("".join(choose.choices(pieces, k=choose.choice([0, 1, 2, 3, 5, 10, 15, 60]))))
    return choose.choice(["\n", "\n", "\n\n"]).join(lines)


@functools.cache
def texts(seed: int = 1, count: int = 1500) -> Texts:
    """Documents, some of them empty, some nothing but line breaks."""
    choose = random.Random(seed)
    return ("", "\n", "\n\n", "あ", *(random_text(choose) for _ in range(count)))


def stage(name: str, given: dict[str, Any], folder: Path, dictionary: Path) -> dict[str, Any]:
    """A stage of a configuration, its files named."""
    files = {"{words}": folder / "words.txt", "{templates}": folder / "templates.txt", "{dictionary}": dictionary}
    named = {key: str(files[value]) if value in files else value for key, value in given.items()}
    return {"class": name, **named}


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path) -> Path:
    """With the lists."""
    (tmp_path / "words.txt").write_text("".join(f" {word}\t\n" for word in ["", *WORDS]), encoding="utf-8")
    (tmp_path / "templates.txt").write_text("\n==\n".join(TEMPLATES), encoding="utf-8")
    return tmp_path


def cleaned(uzushio: Uzushio, folder: Path, stages: list[dict[str, Any]], given: Texts, *more: object) -> list[str]:
    """What the program makes of documents: each with its elements joined by BORDER."""
    lines = "".join(json.dumps({"document": text}) + "\n" for text in given)
    (folder / "in.jsonl").write_text(lines, encoding="utf-8")
    (folder / "c.conf").write_text(json.dumps({"stages": stages}), encoding="utf-8")
    options = ["--config", folder / "c.conf", "--output", folder / "out", "--overwrite", *more]
    form = ["--output-format", "parquet", "--output-element-delimiter", BORDER]
    uzushio("clean", folder / "in.jsonl", *options, *form)
    files = sorted((folder / "out").glob("part-*.parquet"))
    return [text for path in files for text in pq.read_table(path)["document"].to_pylist()]


def compare(found: list[str], wanted: list[str], what: object) -> None:
    """They are the same, or else the document that differs first is shown."""
    for number, (one, other) in enumerate(zip(wanted, found, strict=False)):
        assert one == other, f"document {number} of what is left by {what}"
    assert len(wanted) == len(found), what


def expected(stages: list[dict[str, Any]], given: Texts) -> list[str]:
    """What the oracle makes of documents."""
    return [BORDER.join(document) for document in clean(stages, given)]


@pytest.mark.parametrize(("name", "number"), ALONE)
def test_each_stage_is_its_oracle(uzushio: Uzushio, folder: Path, dictionary: Path, name: str, number: int) -> None:
    """Alone, and behind what cuts lines; it changes something."""
    one = stage(name, SETTINGS[name][number], folder, dictionary)
    changed = name == "Identity" or one.get("delim") == ".*"  # which is no regular expression
    for stages in ([one], [{"class": "SplitIntoSentence"}, one]):
        compare(cleaned(uzushio, folder, stages, texts()), expected(stages, texts()), stages)
        changed |= clean(stages, texts()) != clean(stages[:-1], texts())
    assert changed


@pytest.mark.parametrize("seed", range(CHAINS))
def test_chains_are_their_oracles(uzushio: Uzushio, folder: Path, dictionary: Path, seed: int) -> None:
    """Stages in any order, any number of times, with one thread and with three."""
    choose = random.Random(seed)
    stages = []
    for _ in range(choose.choice([2, 4, 8])):
        name, number = choose.choice(ALONE)
        stages.append(stage(name, SETTINGS[name][number], folder, dictionary))
    given = texts(seed + 2, 800)
    found = cleaned(uzushio, folder, stages, given, "--threads", 1)
    compare(found, expected(stages, given), stages)
    compare(cleaned(uzushio, folder, stages, given, "--threads", 3), found, stages)


def test_every_character_is_looked_at(uzushio: Uzushio, folder: Path) -> None:
    """Each that this Python's Unicode knows; what it does not know may be known to the program."""
    known = [
        c
        for c in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(c) not in ("Cs", "Cn") or ord(c) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(c) <= 0xFDEF
    ]
    given = tuple("\n".join(f"あ{c}い" for c in known[at : at + 4096]) for at in range(0, len(known), 4096))
    looking: list[dict[str, Any]] = [
        {"class": "NormalizeCharacter"},
        {"class": "NormalizeCharacter", "keepWS": True},
        {"class": "NormalizeWhitespace"},
        {"class": "FilterJapaneseBasedOnCharacter", "kanaRate": 0.7, "jpRate": 0.0},
        {"class": "FilterJapaneseBasedOnCharacter", "kanaRate": 0.0, "jpRate": 0.7},
    ]
    for one in looking:
        stages = [{"class": "SplitIntoSentence"}, one]
        compare(cleaned(uzushio, folder, stages, given), expected(stages, given), stages)


@pytest.mark.parametrize("delimiter", ["\n\n", "\n", "\n\n\n", "--\n", "。", "い\n"])
@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
def test_text_in_text_out(uzushio: Uzushio, folder: Path, delimiter: str, breaks: str) -> None:
    """Documents lie between delimiters, and the same delimiter stands behind each that is written."""
    choose = random.Random(5)
    pieces = ["\n", "\n", "\n\n", "--\n", "あ", "い", "。", "\r", "\\n", "𠮷", "--"]
    whole = "".join([*choose.choices(pieces, k=5000), "終"]).replace("\r\n", "\n").replace("\n", breaks)
    (folder / "in.txt").write_bytes(whole.encode())
    escaped = delimiter.replace("\n", "\\n")
    stages: list[dict[str, Any]] = [{"class": "SplitIntoSentence"}, {"class": "FilterBySentenceLength", "min": 2}]
    (folder / "c.conf").write_text(json.dumps({"stages": stages}), encoding="utf-8")
    options = ["--input-delimiter", escaped, "--output-delimiter", r"\t==\\\n", "--output-element-delimiter", BORDER]
    uzushio("clean", folder / "in.txt", "--config", folder / "c.conf", "--output", folder / "out", *options)
    written = b"".join(path.read_bytes() for path in sorted((folder / "out").glob("part-*.txt"))).decode()
    wanted = clean(stages, documents_of(whole, delimiter))
    assert written == "".join(BORDER.join(document) + "\t==\\\n" for document in wanted)


@pytest.mark.parametrize("delimiter", ["\n\n", "\n"])
@pytest.mark.parametrize("seed", range(4))
def test_parts_of_a_file(uzushio: Uzushio, folder: Path, delimiter: str, seed: int) -> None:
    """A large file is read in parts, which begin anywhere: each document is in one of them, once."""
    choose = random.Random(seed)
    border = "".join(choose.choices(["\n", "\n", "\n\n", "\r\n", "\r\n\r\n", "あ", "a", "\r"], k=60))
    middle = len(border.encode()) // 2
    whole = b""
    for part in (1, 2):
        line = b"%d" % part * 9998 + b"\n\n"
        fill = PART * part - middle - len(whole)
        whole += line * (fill // len(line)) + b"x" * (fill % len(line)) + border.encode()
    (folder / "in.txt").write_bytes(whole + "終わり".encode())
    (folder / "c.conf").write_text('stages: [{class: "Identity"}]', encoding="utf-8")
    options = ["--input-delimiter", delimiter.replace("\n", "\\n"), "--output-delimiter", BORDER, "--threads", 3]
    uzushio("clean", folder / "in.txt", "--config", folder / "c.conf", "--output", folder / "out", *options)
    written = b"".join(path.read_bytes() for path in sorted((folder / "out").glob("part-*.txt"))).decode()
    wanted = documents_of((whole + "終わり".encode()).decode(), delimiter)
    compare(written.split(BORDER)[:-1], wanted, "parts")
