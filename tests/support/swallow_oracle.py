"""The filters of the Swallow recipe, written plainly from their descriptions (Okazaki et al. 2024, section 3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from filter_oracle import Document, Oracle, Paragraph, alive, java, length, ratio, words_in

HIRAGANA = "ぁ-ゖ"
KATAKANA = "ァ-ヺ"
KANJI = "々〇〻\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
JAPANESE = f"[{HIRAGANA}{KATAKANA}{KANJI}、，。．！？]"
ENDS = "。．！？!?"
FILTERS = ["NgWordRatio", "NormalizePunctuation", "SwallowQuality", "TrimFooter"]

# In the order in which they are tried: which side of the metric, the metric, the bound.
RULES = [
    ("min", "num_letters", 400.0),
    ("max", "duplicate_paragraph_fraction", 0.3),
    ("max", "duplicate_sentence_fraction", 0.3),
    ("max", "duplicate_paragraph_fraction_in_character", 0.2),
    ("max", "duplicate_sentence_fraction_in_character", 0.2),
    *(("max", f"top_{n}gram_character_fraction", bound) for n, bound in [(2, 0.2), (3, 0.18), (4, 0.16)]),
    *(("max", f"duplicate_{n}gram_character_fraction", (20 - n) / 100) for n in range(5, 11)),
    ("min", "hiragana_fraction", 0.2),
    ("max", "katakana_fraction", 0.5),
    ("min", "japanese_fraction", 0.5),
    ("min", "num_japanese_letters", 400.0),
    ("min", "avg_sentence_length", 20.0),
    ("max", "avg_sentence_length", 90.0),
    ("max", "max_sentence_length", 200.0),
    ("max", "ellipsis_fraction", 0.2),
]


def joined(document: Document) -> str:
    """The text that is annotated."""
    return "\n".join(p.text for p in alive(document))


def ngrams(text: str, n: int) -> Counter[str]:
    """Of characters."""
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def said_before(parts: Iterable[str]) -> list[str]:
    """The parts that another one before is equal to."""
    seen: set[str] = set()
    return [part for part in parts if part in seen or seen.add(part)]  # type: ignore[func-returns-value]


def letters(parts: Iterable[str]) -> int:
    """Of all of them."""
    return sum(map(len, parts))


def annotate(text: str) -> dict[str, float]:
    """Every metric of a text."""
    lines = [re.findall(f"[^{ENDS}]+[{ENDS}]?", line) for line in text.split("\n")]
    sentences = [sentence for line in lines for sentence in line]
    paragraphs = ["".join(line) for line in lines]
    classes = {"hiragana_letters": HIRAGANA, "katakana_letters": KATAKANA, "kanji_letters": KANJI}
    classes |= {"kuten": "。．！？", "toten": "、，"}
    found: dict[str, float] = {"num_letters": len(text)}
    found |= {f"num_{name}": len(re.findall(f"[{signs}]", text)) for name, signs in classes.items()}
    found["num_japanese_letters"] = japanese = len(re.findall(JAPANESE, text))
    for name in classes:
        found[name.removesuffix("_letters") + "_fraction"] = ratio(found[f"num_{name}"], japanese)
    found["japanese_fraction"] = ratio(japanese, len(text))
    found["avg_sentence_length"] = ratio(letters(sentences), len(sentences))
    found["max_sentence_length"] = max(map(len, sentences), default=0)
    ellipses = [sentence for sentence in sentences if sentence.strip()[-1:] in ("・", "…")]
    found["num_sentences_ending_with_ellipsis"] = len([sentence for sentence in ellipses if sentence.strip()])
    found["ellipsis_fraction"] = ratio(found["num_sentences_ending_with_ellipsis"], len(sentences))
    for name, parts in (("paragraph", paragraphs), ("sentence", sentences)):
        again = said_before(parts)
        found[f"duplicate_{name}_fraction"] = ratio(len(again), len(parts))
        found[f"duplicate_{name}_fraction_in_character"] = ratio(letters(again), letters(parts))
    for n in range(2, 5):
        counts = ngrams(text, n)
        found[f"top_{n}gram_character_fraction"] = ratio(max(counts.values(), default=0), counts.total())
    for n in range(5, 11):
        counts = ngrams(text, n)
        found[f"duplicate_{n}gram_character_fraction"] = ratio(sum(c > 1 for c in counts.values()), len(counts))
    return found


def swallow_quality(**bounds: float) -> Oracle:
    """SwallowQuality; of its metrics, the first is looked at here."""
    rules = [(side, name, bounds.get(f"{side}_{name}", bound)) for side, name, bound in RULES]

    def reason(document: Document) -> str | None:
        found = annotate(joined(document))
        for side, name, bound in rules:
            if found[name] < bound if side == "min" else found[name] > bound:
                return f"SwallowQuality({name}).{'Low' if side == 'min' else 'High'}({java(bound, 64)})"
        return None

    return Oracle("num_letters", lambda document: len(joined(document)), decide_document=reason)


def ng_word_ratio(words: Iterable[str], path: str, limit: float = 0.05) -> Oracle:
    """NgWordRatio."""
    listed = tuple(words)

    def metric(document: Document) -> float:
        text = joined(document)
        return ratio(letters(words_in(listed, text)), len(re.findall(JAPANESE, text)))

    def decide(value: float, _: str) -> str | None:
        return f"NgWordRatio({path},{java(limit, 64)})" if value >= limit else None

    return Oracle("NgWordRatio", metric, decide, key=path)


def normalize_punctuation() -> Oracle:
    """NormalizePunctuation."""
    before = f"[）」』］〕】〉》{HIRAGANA}{KATAKANA}{KANJI}]"

    def normalized(document: Document) -> list[str]:
        """The texts of the paragraphs that are left, with their link marks."""
        text = joined(document)
        marked = "\n".join(p.marked for p in alive(document))
        pairs = [("、", "，"), ("。", "．")]
        uses = {mark: len(re.findall(before + mark, text)) for pair in pairs for mark in pair}
        for japanese, western in pairs:
            if uses[japanese] >= uses[western]:
                continue
            # The link marks between two letters are passed over.
            signs = re.sub(f"(?<![０-９Ａ-Ｚａ-ｚ]){western}", japanese, text)
            if text[:1] == western:
                signs = western + signs[1:]
            text, left = signs, iter(signs)
            marked = "".join(sign if sign in "\x02\x03" else next(left) for sign in marked)
        return marked.split("\n")

    def lines(document: Document) -> Iterable[tuple[Paragraph, str]]:
        """Each paragraph and what becomes of it."""
        left = iter(normalized(document))
        for p in alive(document):
            yield p, "\n".join(next(left) for _ in p.marked.split("\n"))

    def change(document: Document) -> None:
        for p, text in list(lines(document)):
            p.marked = text

    def metric(document: Document) -> float:
        return sum(p.marked != text for p, text in lines(document))

    return Oracle("NormalizePunctuation", metric, change=change)


def trim_footer(words: Iterable[str], path: str, lines: int = 10, share: float = 0.3) -> Oracle:
    """TrimFooter."""
    by_length = sorted(sorted(words, key=str.encode), key=len, reverse=True)

    def is_footer(line: str) -> bool:
        rest = line
        for word in by_length:
            rest = rest.replace(word, "")
        return ratio(len(line) - len(rest), len(line)) > share

    def change(document: Document) -> None:
        places = [(p, number) for p in alive(document) for number in range(p.text.count("\n") + 1)]
        footers = [(p, number) for p, number in places[-lines:] if is_footer(p.text.split("\n")[number])]
        if not footers:
            return
        first, number = footers[0]
        at = next(i for i, p in enumerate(document) if p is first)
        if number:
            kept, gone = split(first.marked, number)
            document.insert(at + 1, replace(first, marked=gone))
            first.marked = kept
            at += 1
        for p in document[at:]:
            p.reason = p.reason or f"TrimFooter({path},{java(share, 64)})"

    def metric(document: Document) -> float:
        trial = [replace(p) for p in document]
        change(trial)
        left, before = length(trial), length(document)
        return ratio(before - left - (len(trial) - len(document)), before)

    return Oracle("TrimFooter", metric, change=change)


def split(marked: str, number: int) -> tuple[str, str]:
    """The first lines of a paragraph and the others; a link over the border is in both."""
    lines = marked.split("\n")
    first, rest = "\n".join(lines[:number]), "\n".join(lines[number:])
    if first.count("\x02") > first.count("\x03"):
        return first + "\x03", "\x02" + rest
    return first, rest
