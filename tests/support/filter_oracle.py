"""The filters, written plainly from their descriptions: what `uzushio filter` is held against.

Numbers are 32-bit where the original's are. A document is a list of paragraphs; a removed one keeps its place.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

MASK = (1 << 64) - 1


@dataclass
class Paragraph:
    """A paragraph with its link marks, and how often it occurs nearly."""

    path: str
    marked: str
    near: int = 1
    reason: str | None = None

    @property
    def text(self) -> str:
        """Without link marks."""
        return re.sub("[\x02\x03]", "", self.marked)


Document = list[Paragraph]
Check = Callable[[Document, str], "str | None"]


def f32(value: float) -> float:
    """Rounded to 32 bits."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def alive(document: Document) -> Document:
    """The paragraphs that are not removed."""
    return [p for p in document if p.reason is None]


def length(document: Document) -> int:
    """Characters."""
    return sum(len(p.text) for p in alive(document))


def java(value: float) -> str:
    """A 32-bit number as Java shows it, for the numbers of these tests."""
    if value != 0 and abs(value) >= 1e7:
        mantissa, exponent = f"{value:e}".split("e")
        mantissa = mantissa.rstrip("0")
        return f"{mantissa + '0' if mantissa.endswith('.') else mantissa}E{int(exponent)}"
    return repr(float(value))


def seed(doc_id: str) -> int:
    """The 64 bits that a document's random number is made of."""
    state = 0xDEADBEEFFEED133
    units = list(struct.unpack(f"<{len(doc_id.encode('utf-16-le')) // 2}H", doc_id.encode("utf-16-le")))
    for value in [*units, len(units)]:
        state = ((((value + 1442695040888963407) & MASK) ^ state) * 6364136223846793005) & MASK
        state = (state >> 23) | (state << 41) & MASK
    return state


def random_of(doc_id: str) -> float:
    """In [0, 1)."""
    return float((seed(doc_id) & ((1 << 54) - 1)) / (1 << 54))


def gaussian_of(doc_id: str) -> float:
    """java.util.Random(seed).nextGaussian()."""
    state = (seed(doc_id) ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def bits(count: int) -> int:
        nonlocal state
        state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return state >> (48 - count)

    while True:
        x, y = (2 * (((bits(26) << 27) + bits(27)) / (1 << 53)) - 1 for _ in range(2))
        square = x * x + y * y
        if 0 < square < 1:
            return x * math.sqrt(-2 * math.log(square) / square)


def bounded(name: str, low: float, high: float, metric: Callable[[Document], float]) -> Check:
    """A filter with two bounds."""

    def check(document: Document, _: str) -> str | None:
        value = f32(metric(document))
        if value < f32(low):
            return f"{name}.Low({java(low)})"
        return f"{name}.High({java(high)})" if value > f32(high) else None

    return check


def ratio(a: float, b: float) -> float:
    """Nothing of nothing is nothing."""
    return a / b if b else 0.0


def compression(document: Document) -> float:
    """By LZ4's block format, at most a MiB."""
    text = "".join(p.text for p in alive(document)).encode()[: 1 << 20].decode("utf-8", "ignore").encode()
    return ratio(len(pa.compress(text, codec="lz4_raw", asbytes=True)), len(text)) if text else 0.0


def hiragana(document: Document) -> float:
    """U+3040 to U+309F."""
    return ratio(sum("\u3040" <= c <= "\u309f" for p in alive(document) for c in p.text), length(document))


def links(document: Document) -> float:
    """Characters between the marks."""
    inside = sum(len(x) for p in alive(document) for x in re.findall("\x02(.*?)\x03", p.marked, re.DOTALL))
    return ratio(inside, length(document))


def doc_length(low: int = 0, high: int = 2**31 - 1) -> Check:
    """DocLength."""

    def check(document: Document, _: str) -> str | None:
        if length(document) < low:
            return f"DocLength.Low({low})"
        return f"DocLength.High({high})" if length(document) > high else None

    return check


def percentile(share: float, expected: float) -> Check:
    """DeduplicateDocumentsPercentile."""

    def check(document: Document, doc_id: str) -> str | None:
        near = sorted(p.near for p in alive(document))
        if not near:
            return None
        at = min(int(f32(len(near) * f32(share))), len(near) - 1)
        return (
            f"DedupDocsPercentile({java(share)},{java(expected)})" if random_of(doc_id) > expected / near[at] else None
        )

    return check


def deduplicate(base: int = 10) -> Check:
    """DeduplicateDocuments."""

    def check(document: Document, doc_id: str) -> str | None:
        weighted = sum(len(p.text) * math.log(min(p.near, base)) / math.log(base) for p in alive(document))
        value = ratio(weighted, length(document))
        bound = 0.3 + 0.1 * gaussian_of(doc_id)
        return f"DeduplicateDocuments({base})" if value > 0 and value >= bound else None

    return check


def length_weighted(expected: float) -> Check:
    """DuplicateDocumentsLengthWeighted."""

    def check(document: Document, doc_id: str) -> str | None:
        value = ratio(sum(len(p.text) * (math.log10(p.near) + 1) for p in alive(document)), length(document))
        gone = value > 0 and random_of(doc_id) > expected / value
        return f"DuplicateDocumentsLengthWeighted({java(expected)})" if gone else None

    return check


def words_in(words: list[str], text: str) -> list[str]:
    """The longest word at each place, from the left."""
    found, at = [], 0
    while at < len(text):
        here = [word for word in words if text.startswith(word, at)]
        if here:
            found.append(max(here, key=len))
            at += len(found[-1])
        else:
            at += 1
    return found


def word_types(words: list[str], path: str, threshold: float, kind: str) -> Check:
    """WordTypes."""

    def score(count: int) -> float:
        if kind == "sqrt":
            return math.sqrt(count)
        return 1 + math.log10(count) if kind == "log10" else 1

    def check(document: Document, _: str) -> str | None:
        counts = Counter(word for p in alive(document) for word in words_in(words, p.text))
        value = f32(sum(score(n) for n in counts.values()))
        return f"WordTypes({path},{java(threshold)},{kind})" if value >= threshold else None

    return check


def word_instances(words: list[str], path: str, threshold: float, full: float) -> Check:
    """WordInstances."""

    def check(document: Document, _: str) -> str | None:
        value = full * sum(len(words_in(words, p.text)) for p in alive(document)) + 0.001
        return f"WordInstances({path},{java(threshold)},{java(full)},0.1)" if value >= threshold else None

    return check


def mark(document: Document, chosen: list[bool], reason: str) -> None:
    """Removes the chosen of the paragraphs that are not removed."""
    for p, choose in zip(document, chosen, strict=True):
        if choose and p.reason is None:
            p.reason = reason


def duplicate_paragraphs(limit: int) -> Check:
    """DuplicateParagraphs."""

    def check(document: Document, _: str) -> None:
        mark(document, [p.near >= limit for p in document], f"DuplicateParagraphs({limit})")

    return check


def adjacent(document: Document, _: str) -> None:
    """AdjacentDuplicateParagraphs."""
    last = None
    for p in document:
        if p.reason is None and p.text == last:
            p.reason = "AdjacentDuplicateParagraphs"
        elif p.reason is None:
            last = p.text


def large_freq(count: int, freq: int) -> Check:
    """LargeFreqParagraphs, as its description says it: windows of `count`, the document's ends frequent."""

    def check(document: Document, _: str) -> None:
        bad = [p.near >= freq for p in document]
        for i, p in enumerate(document):
            if p.reason is not None or not bad[i]:
                continue
            before = all(bad[max(0, i - count + 1) : i + 1])
            after = all(bad[i : i + count])
            if before or after:
                for at in range(max(0, i - count), i + 1):
                    if bad[at] and document[at].reason is None:
                        document[at].reason = f"LargeFreqParagraphs({count},{freq})"

    return check


NAV_TAGS = {"header", "footer", "aside", "nav", "noscript", "form"}
NAV_PARTS = re.findall(r"\w+", "header footer side menu nav banner logo pankuzu breadcrumb widget button")
NAV_NAMES = set(
    re.findall(
        r"\S+",
        "left-box blog-title-inner blogtitle blog-name head-block1 head-blog-name head-introduction leftBox"
        " blogTitleInner blogName headBlock1 headBlogName headIntroduction",
    )
)


def no_content(document: Document, _: str) -> None:
    """NoContentDOM."""
    for p in document:
        for segment in p.path.split(">"):
            tag, *names = re.split("[.#]", segment)
            named = any(n in NAV_NAMES or any(x in n.lower() for x in NAV_PARTS) for n in names)
            if p.reason is None and (tag in NAV_TAGS or (tag in {"div", "p", "ul", "h1"} and named)):
                p.reason = "Nav"


def merge_lists(document: Document, _: str) -> None:
    """MergeListTag."""
    merged: Document = []
    items: Document = []
    for p in [*document, Paragraph("", "", reason="end")]:
        if items and p.reason is None and p.path == items[0].path:
            items.append(p)
            continue
        is_list = items and re.search("(^|>)(li|option)([.#>]|$)", items[0].path)
        if len(items) > 1 and is_list:
            text = "\n".join("- " + item.marked for item in items)
            merged.append(replace(items[0], marked=text, near=min(item.near for item in items)))
        else:
            merged += items
        items = [p] if p.reason is None else []
        if p.reason is not None:
            merged.append(p)
    document[:] = merged[:-1]


def headings(document: Document, _: str) -> None:
    """MarkdownizeHeading."""
    for p in alive(document):
        levels = re.findall("(?:^|>)h([1-6])(?=[.#>]|$)", p.path)
        if levels:
            p.marked = "#" * int(levels[-1]) + " " + p.marked


def run(chain: list[tuple[dict[str, Any], Check]], document: Document, doc_id: str) -> str | None:
    """The chain; returns the reason for which the document is removed."""
    for _, check in chain:
        reason = check(document, doc_id)
        if reason is not None:
            return reason
    return None
