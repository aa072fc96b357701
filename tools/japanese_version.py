"""Pages of other languages as they would be in Japanese: the same markup, and signs of Japanese for each word.

Of newspapers, portals and shops there are few Japanese pages to learn from, so that their markup would count as that of
foreign pages. What a model measures of a text is as it is in Japanese: how wide it is, that there are no spaces, which
signs end a sentence, how a date looks. Words that sites write around their texts are translated as
japanese_version.toml has them, and dates and times, where they are in English. All others say nothing: the same word
is always the same signs, so that a headline still is the page's title, and a description still the beginning of a text.
"""

from __future__ import annotations

import functools
import html
import json
import random
import re
import tomllib
from pathlib import Path
from typing import Any

TRANSLATIONS: dict[str, str] = {
    before: after
    for section in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).values()
    for before, after in section.items()
}
CHARACTERS_PER_LETTER = 0.55
"""As translations have them: 1,000 characters of English, of which 820 are letters, are some 450 of Japanese."""
LONGEST_PARTICLE = 3
"""Letters of a word that becomes one sign of hiragana."""
HIRAGANA = "ゐゑゎゔゕゖ"
KATAKANA = "ヰヱヮヵヶヷヸヹヺ"
KATAKANA_SHARE = 0.2
"""Of words, names among them."""
KANJI = "".join(map(chr, range(0x3400, 0x4DB0, 61)))
"""Signs are characters that next to no page has, so that they say nothing: の, 分 and 前 would be words."""

MONTHS = ["jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?", "aug(?:ust)?"]
MONTHS += ["sep(?:t(?:ember)?)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?"]
MONTH = rf"(?P<{{}}>{'|'.join(MONTHS)})[.。]?"
DATE = (
    rf"\b(?:{MONTH.format('month_first')}\s+(?P<day_second>\d{{1,2}})(?:st|nd|rd|th)?[,、]?"
    rf"|(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?\s+{MONTH.format('month_second')}[,、]?)\s+(?P<year>\d{{4}})\b"
)
UNITS = {"mi": "分", "ho": "時間", "da": "日", "we": "週間", "mo": "か月", "ye": "年"}
AGO = r"\b(?P<number>\d+)\s?(?P<unit>min(?:ute)?s?|hours?|days?|weeks?|months?|years?) ago\b"
TIME = r"\b(?P<hour>\d{1,2}):(?P<minute>\d\d)(?: ?(?P<half>[ap])\.?m\b\.?)?"
WHEN = re.compile(f"{DATE}|{AGO}|{TIME}", re.IGNORECASE)

WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
PHRASE = re.compile(rf"{WORD}(?:\s+{WORD})*")
STOPS = {".": "。", ",": "、", "!": "！", "?": "？", ";": "。", ":": "："}
STOP = re.compile(r"(?<=[^\W_]{2})[.,!?;:](?=[\s\"'”’)\]]|$)")
SPACE = re.compile(r"(?<=[ぁ-ヿ一-鿿。、！？：])\s+(?=[ぁ-ヿ一-鿿])")

PIECE = re.compile(
    r"<!--.*?-->|<(script|style|pre|code|textarea|svg|template)(?![\w-]).*?</\1\s*>"
    r"""|<(?:[^>"'=]|=(?!\s*["'])|=\s*(?:"[^"]*"|'[^']*')|["'])*>""",
    re.DOTALL | re.IGNORECASE,
)
"""What is no text, or stays as it is in Japanese pages."""
LINKED_DATA = re.compile(r"(<script\b[^>]*ld\+json[^>]*>)(.*)(</script\s*>)", re.DOTALL | re.IGNORECASE)
LINKED_TEXTS = frozenset(["articleBody", "description", "headline", "name", "reviewBody", "text"])
DESCRIPTION = re.compile(r"<meta\b[^>]*(?:name|property)\s*=\s*[\"']?(?:og:)?(?:description|title)\b", re.IGNORECASE)
CONTENT = re.compile(r"(content\s*=\s*)(\"[^\"]*\"|'[^']*')", re.IGNORECASE)


@functools.cache
def signs(word: str) -> str:
    """What stands for a word in small letters."""
    draw = random.Random(word)
    if len(word) <= LONGEST_PARTICLE:
        return draw.choice(HIRAGANA)
    count = max(round(CHARACTERS_PER_LETTER * len(word)), 1)
    if draw.random() < KATAKANA_SHARE:
        return "".join(draw.choices(KATAKANA, k=count))
    chinese = min(count, draw.choice([1, 2, 2, 3, 4]))
    return "".join(draw.choices(KANJI, k=chinese) + draw.choices(HIRAGANA, k=count - chinese))


def when(found: re.Match[str]) -> str:
    """A date, an age or a time of the day, as newspapers write it."""
    if found["year"]:
        name = (found["month_first"] or found["month_second"])[:3].lower()
        month = 1 + [pattern[:3] for pattern in MONTHS].index(name)
        return f"{found['year']}年{month}月{int(found['day_first'] or found['day_second'])}日"
    if found["unit"]:
        return f"{found['number']}{UNITS[found['unit'][:2].lower()]}前"
    is_later = (found["half"] or "").lower() == "p" and int(found["hour"]) < 12
    return f"{int(found['hour']) + 12 * is_later}時{found['minute']}分"


def phrase(found: re.Match[str]) -> str:
    """Words in a row: their translation, where they have one together, or signs for each."""
    words = found[0].split()
    return TRANSLATIONS.get(" ".join(words).lower()) or "".join(signs(word.lower()) for word in words)


def japanese_text(text: str) -> str:
    """A text with signs for its words."""
    stopped = STOP.sub(lambda found: STOPS[found[0]], text)
    parts = []
    at = 0
    for found in WHEN.finditer(stopped):
        parts += [PHRASE.sub(phrase, stopped[at : found.start()]), when(found)]
        at = found.end()
    return SPACE.sub("", "".join([*parts, PHRASE.sub(phrase, stopped[at:])]))


def japanese_values(value: Any) -> Any:
    """Linked data with signs for its texts."""
    if isinstance(value, list):
        return [japanese_values(each) for each in value]
    if isinstance(value, dict):
        return {
            key: japanese_text(each) if key in LINKED_TEXTS and isinstance(each, str) else japanese_values(each)
            for key, each in value.items()
        }
    return value


def japanese_piece(piece: str) -> str:
    """What is no text: linked data and descriptions are, inside."""
    if data := LINKED_DATA.fullmatch(piece):
        try:
            texts = json.dumps(japanese_values(json.loads(data[2])), ensure_ascii=False)
        except (ValueError, RecursionError):
            return piece
        whole = texts.encode(errors="replace").decode()  # half of a pair of surrogates is no character
        return data[1] + whole.replace("</", "<\\/") + data[3]
    if DESCRIPTION.match(piece):
        return CONTENT.sub(
            lambda found: f'{found[1]}"{html.escape(japanese_text(html.unescape(found[2][1:-1])))}"', piece
        )
    return piece


def japanese_page(page: str) -> str:
    """A page in HTML with signs for its words. Where a text is, there is one after it."""

    def between(begin: int, end: int) -> str:
        text = page[begin:end]
        return html.escape(japanese_text(html.unescape(text).strip()), quote=False) if text.strip() else text

    parts = []
    at = 0
    for found in PIECE.finditer(page):
        parts += [between(at, found.start()), japanese_piece(found[0])]
        at = found.end()
    return "".join([*parts, between(at, len(page))])
