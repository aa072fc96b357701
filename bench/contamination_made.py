"""Items in the form of Japanese benchmarks, made of sentences of pages, and what pages make of them.

Forms: JCommonsenseQA (a short question, five words, a number), JNLI (two sentences), both of JGLUE; JMMLU (a longer
question, four phrases, a letter); MGSM (a story with names and numbers, a number). No text of a benchmark is in here.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

Row = dict[str, Any]
FORMS = ("JCommonsenseQA", "JNLI", "JMMLU", "MGSM")
KINDS = (
    "verbatim",
    "width",
    "kana",
    "line breaks",
    "option order",
    "names",
    "numbers",
    "all changes",
    "question and answer",
    "question alone",
)
NAMES = [
    "太郎",
    "花子",
    "健太",
    "美咲",
    "ジェームズ",
    "ローラ",
    "トム",
    "由美子",
    "山田さん",
    "鈴木君",
    "カルロス",
    "エリザ",
]
THINGS = [
    "りんご",
    "鉛筆",
    "ビー玉",
    "クッキー",
    "切手",
    "おにぎり",
    "風船",
    "ノート",
    "バラの花",
    "カード",
    "卵",
    "消しゴム",
]
WORD = re.compile("[一-龠]{2,4}|[ァ-ヶー]{3,8}")
ENDS = ("のは何？", "のはどこ？", "のはどれか。")
ORDERS = ("正しいものはどれか。", "次のうち適切なものを選べ。", "")
HALF_WIDTH = {unicodedata.normalize("NFKC", chr(c)): chr(c) for c in range(0xFF66, 0xFF9E)}


def sentences_of(texts: Iterable[str]) -> list[str]:
    """Japanese sentences of 15 to 120 characters, each once."""
    found: dict[str, None] = {}
    for text in texts:
        for sentence in re.findall(r"[^。\n]{15,120}。", text):
            if len(re.findall("[ぁ-ヶ]", sentence)) * 3 > len(sentence):
                found[sentence.strip()] = None
    return list(found)


class Maker:
    """Makes items of sentences, each of which is used once where there are enough."""

    def __init__(self, sentences: list[str], seed: int) -> None:
        self.choose = random.Random(seed)
        self.sentences = sentences[:]
        self.choose.shuffle(self.sentences)
        self.words = sorted({word for sentence in sentences for word in WORD.findall(sentence)})
        parts = (part for sentence in sentences for part in re.split("[、。]", sentence))
        self.phrases = [part for part in parts if 6 <= len(part) <= 40]
        self.next = 0

    def sentence(self, least: int, most: int) -> str:
        """The next of such a length."""
        for _ in range(len(self.sentences)):
            self.next = (self.next + 1) % len(self.sentences)
            if least <= len(self.sentences[self.next]) <= most:
                return self.sentences[self.next]
        raise ValueError("there are too few sentences")

    def item(self, form: str) -> Row:
        """A row as a file has it."""
        choose = self.choose
        if form == "JCommonsenseQA":
            question = self.sentence(18, 45).rstrip("。") + choose.choice(ENDS)
            return {"question": question, "choices": choose.sample(self.words, 5), "answer": choose.randrange(5)}
        if form == "JMMLU":
            question = self.sentence(30, 120) + choose.choice(ORDERS)
            return {"question": question, "choices": choose.sample(self.phrases, 4), "answer": choose.choice("ABCD")}
        if form == "JNLI":
            return {"question": self.sentence(18, 60), "choices": [self.sentence(18, 60)], "answer": ""}
        one, other = choose.sample(NAMES, 2)
        thing = choose.choice(THINGS)
        first, second, third = (choose.randrange(2, 90) for _ in range(3))
        middle = choose.choice(self.phrases)
        story = choose.choice(
            [
                f"{one}は{thing}を{first}個持っています。{middle}ので、{other}から{second}個もらいました。"
                f"1個{third}円で全部売ると、{one}はいくら受け取りますか。",
                f"{one}の店では、毎日{first}個の{thing}が売れます。{middle}ため、{other}の店ではその{second}倍が売れます。"
                f"{third}日間で二つの店は合わせて何個売りますか。",
                f"{middle}。{one}と{other}は{first}箱の{thing}を運びます。1箱には{second}個入っていて、"
                f"途中で{third}個落としました。残った{thing}はいくつですか。",
            ]
        )
        return {"question": story, "choices": [], "answer": first * second + third}

    def items(self, count: int) -> Iterator[Row]:
        """In turn of each form."""
        for number in range(count):
            yield {"id": f"{FORMS[number % 4]}-{number}", **self.item(FORMS[number % 4])}

    def many(self, count: int) -> Iterator[Row]:
        """Half of their words replaced, so that they are not of the same few texts."""
        choose = random.Random(count)

        def replaced(match: re.Match[str]) -> str:
            return self.words[int(choose.random() * len(self.words))] if choose.random() < 0.5 else match[0]

        for row in self.items(count):
            choices = [WORD.sub(replaced, choice) for choice in row["choices"]]
            yield {**row, "question": WORD.sub(replaced, row["question"]), "choices": choices}


def answer_of(row: Row) -> str:
    """As a text."""
    answer, choices = row["answer"], row["choices"]
    if not choices or answer == "":
        return str(answer)
    return str(choices[answer if isinstance(answer, int) else "ABCD".index(answer)])


def widened(text: str) -> str:
    """ASCII as full-width characters, full-width katakana as half-width ones."""
    text = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    return "".join(HALF_WIDTH.get(c, c) for c in text)


def swapped_kana(text: str) -> str:
    """Hiragana as katakana, and katakana as hiragana."""
    return "".join(
        chr(ord(c) + 0x60) if "ぁ" <= c <= "ゖ" else chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in text
    )


def planted(row: Row, kind: str, words: list[str], choose: random.Random) -> str:
    """The item as a page may have it."""
    question, choices, answer = row["question"], list(row["choices"]), answer_of(row)
    every = kind == "all changes"
    if kind == "names" or every:
        people = [word for word in NAMES if word in question]
        found = people or WORD.findall(question)
        for word in choose.sample(found, min(len(found), 2 if people else 1)):
            question = question.replace(word, choose.choice(NAMES if people else words))
    if kind == "numbers" or every:
        question = re.sub("[0-9]+", lambda _: str(choose.randrange(2, 990)), question)
    if kind == "option order" or every:
        choose.shuffle(choices)
    marks = choose.choice(["ABCDEFG", "1234567", "アイウエオカキ", "①②③④⑤⑥⑦"])
    dot = choose.choice([". ", "：", "）", "　"])
    lines = [question, *(f"{mark}{dot}{choice}" for mark, choice in zip(marks, choices, strict=False))]
    if kind.startswith("question"):
        lines = [question]
    if answer != "" and kind != "question alone":
        lines.append(f"答え：{answer}")
    text = "\n".join(lines)
    if kind == "width" or every:
        text = widened(text)
    if kind == "kana":  # whole texts are not written in the other kana: one word in three
        parts = re.split("([ぁ-ゖ]+|[ァ-ヶー]+)", text)
        text = "".join(swapped_kana(part) if choose.random() < 0.33 else part for part in parts)
    if kind == "line breaks" or every:
        text = "".join(c + choose.choice(["\n", "\n\n", "　", " "]) if choose.random() < 0.08 else c for c in text)
    return text


def plant(text: str, page: str, choose: random.Random) -> str:
    """The page with the text between two of its paragraphs."""
    parts = page.split("\n\n")
    at = choose.randrange(len(parts) + 1)
    return "\n\n".join([*parts[:at], text, *parts[at:]])
