"""The filters, written plainly from their descriptions: what `uzushio filter` is held against.

Numbers are 32-bit where the original's are. A document is a list of paragraphs; a removed one keeps its place. A
filter is an `Oracle`: its metric, the key that tells its metrics apart, and what it does.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import markdown_oracle
import pyarrow as pa

MASK = (1 << 64) - 1


@dataclass
class Paragraph:
    """A paragraph with its link marks, and how often it occurs nearly."""

    path: str
    marked: str
    near: int = 1
    reason: str | None = None
    step: int | None = None  # the place in the chain of what removed it
    score: int = 100  # hundredths, how surely it is main content; 100 where nothing is said of it
    structure: str | None = None  # of shown text

    @property
    def text(self) -> str:
        """Without marks."""
        return re.sub("[\x02\x03\x0e-\x16\x1f]", "", self.marked)

    @property
    def markup(self) -> str:
        """As it stands in a document's text."""
        head = self.path + ("" if self.structure is None else f"\x1e{self.structure}")
        head += f"\x1d{self.score:02}" if self.score < 100 else ""
        return (head + "\x1c" if head else "") + self.marked


Document = list[Paragraph]


def f32(value: float) -> float:
    """Rounded to 32 bits."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


def alive(document: Document) -> Document:
    """The paragraphs that are not removed."""
    return [p for p in document if p.reason is None]


def length(document: Document) -> int:
    """Characters."""
    return sum(len(p.text) for p in alive(document))


def java(value: float, bits: int = 32) -> str:
    """A number as Java shows it: the fewest digits that give it back."""
    rounded = f32(value) if bits == 32 else float(value)
    digits = next(d for d in range(17) if (f32 if bits == 32 else float)(float(f"{rounded:.{d}e}")) == rounded)
    if rounded != 0 and not 1e-3 <= abs(rounded) < 1e7:
        mantissa, exponent = f"{rounded:.{max(digits, 1)}e}".split("e")
        return f"{mantissa}E{int(exponent)}"
    return repr(float(f"{rounded:.{digits}e}"))


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


@dataclass(frozen=True)
class Oracle:
    """A filter. It decides about documents, or changes their paragraphs."""

    name: str  # of the metric
    metric: Callable[[Document], float]
    decide: Callable[[float, str], str | None] = lambda _metric, _doc_id: None
    change: Callable[[Document], None] | None = None
    key: str = ""  # of the metric: what else it depends on
    decide_document: Callable[[Document], str | None] | None = None  # of a filter of several metrics

    def __call__(self, document: Document, doc_id: str) -> str | None:
        """Does what the filter does; returns the reason for which the document is removed."""
        if self.change is None:
            return self.reason(document, self.metric(document), doc_id)
        self.change(document)
        return None

    def reason(self, document: Document, metric: float, doc_id: str) -> str | None:
        """The reason for which the document is removed."""
        return self.decide_document(document) if self.decide_document else self.decide(metric, doc_id)


def paragraphs(name: str, change: Callable[[Document], None], key: str = "") -> Oracle:
    """A filter of paragraphs: its metric is the share of the text that it removes."""

    def metric(document: Document) -> float:
        trial = [replace(p) for p in document]
        before = length(trial)
        change(trial)
        return ratio(before - length(trial), before)

    return Oracle(name, metric, change=change, key=key)


def bounded(name: str, low: float, high: float, metric: Callable[[Document], float]) -> Oracle:
    """A filter with two bounds."""

    def decide(value: float, _: str) -> str | None:
        if f32(value) < f32(low):
            return f"{name}.Low({java(low)})"
        return f"{name}.High({java(high)})" if f32(value) > f32(high) else None

    return Oracle(name, metric, decide)


def ratio(a: float, b: float) -> float:
    """Nothing of nothing is nothing."""
    return a / b if b else 0.0


def total(values: Iterable[float]) -> float:
    """The sum, one after another."""
    result = 0.0
    for value in values:
        result += value
    return result


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


def doc_length(low: int = 0, high: int = 2**31 - 1) -> Oracle:
    """DocLength."""

    def decide(value: float, _: str) -> str | None:
        if value < low:
            return f"DocLength.Low({low})"
        return f"DocLength.High({high})" if value > high else None

    return Oracle("DocLength", length, decide)


def sampled(expected: float, reason: str) -> Callable[[float, str], str | None]:
    """One of metric m stays with the probability expected / m."""

    def decide(value: float, doc_id: str) -> str | None:
        return reason if value > 0 and random_of(doc_id) > expected / value else None

    return decide


def percentile(share: float, expected: float) -> Oracle:
    """DeduplicateDocumentsPercentile."""

    def metric(document: Document) -> float:
        near = sorted(p.near for p in alive(document))
        return near[min(int(f32(len(near) * f32(share))), len(near) - 1)] if near else 0

    reason = f"DedupDocsPercentile({java(share)},{java(expected, 64)})"
    return Oracle("DeduplicateDocumentsPercentile", metric, sampled(expected, reason), key=java(share))


def deduplicate(base: int = 10) -> Oracle:
    """DeduplicateDocuments."""

    def metric(document: Document) -> float:
        weighted = total(len(p.text) * math.log(min(p.near, base)) / math.log(base) for p in alive(document))
        return ratio(weighted, length(document))

    def decide(value: float, doc_id: str) -> str | None:
        return f"DeduplicateDocuments({base})" if value > 0 and value >= 0.3 + 0.1 * gaussian_of(doc_id) else None

    return Oracle("DeduplicateDocuments", metric, decide, key=str(base))


def length_weighted(expected: float) -> Oracle:
    """DuplicateDocumentsLengthWeighted."""

    def metric(document: Document) -> float:
        return ratio(total(len(p.text) * (math.log10(p.near) + 1) for p in alive(document)), length(document))

    reason = f"DuplicateDocumentsLengthWeighted({java(expected, 64)})"
    return Oracle("DuplicateDocumentsLengthWeighted", metric, sampled(expected, reason))


@functools.cache
def words_in(words: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The longest word at each place, from the left."""
    found, at = [], 0
    while at < len(text):
        here = [word for word in words if text.startswith(word, at)]
        if here:
            found.append(max(here, key=len))
            at += len(found[-1])
        else:
            at += 1
    return tuple(found)


def word_types(words: Iterable[str], path: str, threshold: float, kind: str) -> Oracle:
    """WordTypes."""
    listed = tuple(words)

    def score(count: int) -> float:
        if kind == "sqrt":
            return math.sqrt(count)
        return 1 + math.log10(count) if kind == "log10" else 1

    def metric(document: Document) -> float:
        counts = Counter(word for p in alive(document) for word in words_in(listed, p.text))
        return total(score(counts[word]) for word in sorted(counts, key=str.encode))

    def decide(value: float, _: str) -> str | None:
        return f"WordTypes({path},{java(threshold)},{kind})" if f32(value) >= f32(threshold) else None

    return Oracle("WordTypes", metric, decide, key=f"{path},{kind}")


def word_instances(words: Iterable[str], path: str, threshold: float, full: float, partial: float = 0.1) -> Oracle:
    """WordInstances."""
    listed = tuple(words)

    def metric(document: Document) -> float:
        return f32(full) * sum(len(words_in(listed, p.text)) for p in alive(document))

    def decide(value: float, _: str) -> str | None:
        reason = f"WordInstances({path},{java(threshold)},{java(full)},{java(partial)})"
        return reason if value + 0.001 >= f32(threshold) else None

    return Oracle("WordInstances", metric, decide, key=f"{path},{java(full)}")


def mark(document: Document, chosen: list[bool], reason: str) -> None:
    """Removes the chosen of the paragraphs that are not removed."""
    for p, choose in zip(document, chosen, strict=True):
        if choose and p.reason is None:
            p.reason = reason


def duplicate_paragraphs(limit: int) -> Oracle:
    """DuplicateParagraphs."""

    def change(document: Document) -> None:
        mark(document, [p.near >= limit for p in document], f"DuplicateParagraphs({limit})")

    return paragraphs("DuplicateParagraphs", change, str(limit))


def adjacent() -> Oracle:
    """AdjacentDuplicateParagraphs."""

    def change(document: Document) -> None:
        last = None
        for p in alive(document):
            if p.text == last:
                p.reason = "AdjacentDuplicateParagraphs"
            last = p.text

    return paragraphs("AdjacentDuplicateParagraphs", change)


def large_freq(count: int, freq: int) -> Oracle:
    """LargeFreqParagraphs, as its description says it: windows of `count`, the document's ends frequent."""

    def change(document: Document) -> None:
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

    return paragraphs("LargeFreqParagraphs", change, f"{count},{freq}")


@dataclass
class Segment:
    """A step of a path."""

    tag: str = ""
    names: list[str] = field(default_factory=list)  # classes and ids


@functools.cache
def segments_of(path: str) -> tuple[Segment, ...]:
    """The steps of `tag.class#id>…`; a backslash takes the next character as it is."""
    segments = [Segment()]
    for escaped, sign, other in re.findall(r"\\(.)|([>.#])|([^\\])", path, re.DOTALL):
        here = segments[-1]
        if sign == ">":
            segments.append(Segment())
        elif sign:
            here.names.append("")
        elif here.names:
            here.names[-1] += escaped or other
        else:
            here.tag += escaped or other
    return tuple(segments)


NAV_TAGS = ["header", "footer", "aside", "nav", "noscript", "form"]
NAMED_TAGS = ["div", "p", "ul", "h1"]
NAV_PARTS = re.findall(r"\w+", "header footer side menu nav banner logo pankuzu breadcrumb widget button")
NAV_NAMES = re.findall(
    r"\S+",
    "left-box blog-title-inner blogtitle blog-name head-block1 head-blog-name head-introduction leftBox"
    " blogTitleInner blogName headBlock1 headBlogName headIntroduction",
)


def no_content() -> Oracle:
    """NoContentDOM."""

    def is_navigation(segment: Segment) -> bool:
        named = any(
            n in NAV_NAMES or any(x in re.sub("[A-Z]", lambda c: c[0].lower(), n) for x in NAV_PARTS)
            for n in segment.names
        )
        return segment.tag in NAV_TAGS or (segment.tag in NAMED_TAGS and named)

    def change(document: Document) -> None:
        mark(document, [any(map(is_navigation, segments_of(p.path))) for p in document], "Nav")

    return paragraphs("NoContentDOM", change)


def main_content(low: float = 0.5) -> Oracle:
    """MainContent."""

    def change(document: Document) -> None:
        mark(document, [p.score / 100 < low for p in document], f"MainContent({java(low, 64)})")

    return paragraphs("MainContent", change, java(low, 64))


def main_content_ratio(low: float = 0, high: float = 1, content: float = 0.5) -> Oracle:
    """MainContentRatio."""

    def metric(document: Document) -> float:
        inside = sum(len(p.text) for p in alive(document) if p.score / 100 >= content)
        return ratio(inside, length(document))

    filter_oracle = bounded(f"MainContentRatio({java(content, 64)})", low, high, metric)
    return replace(filter_oracle, name="MainContentRatio", key=java(content, 64))


def item_runs(document: Document) -> list[Document]:
    """Neighbours of one path that are items of a list, of original text, and not removed; all others alone."""
    found: list[Document] = []
    for p in document:
        is_item = any(s.tag in ("li", "option") for s in segments_of(p.path))
        before = found[-1][0] if found else None
        is_original = p.reason is None and p.structure is None
        if is_item and is_original and before and before.reason is before.structure is None and before.path == p.path:
            found[-1].append(p)
        else:
            found.append([p])
    return found


def merged(items: Document, marked: str) -> Paragraph:
    """The first, with this text, as the one that all become."""
    near, score = min(item.near for item in items), max(item.score for item in items)
    return replace(items[0], marked=marked, near=near, score=score)


def merge_lists() -> Oracle:
    """MergeListTag."""

    def metric(document: Document) -> float:
        return sum(len(items) for items in item_runs(document) if len(items) > 1)

    def change(document: Document) -> None:
        document[:] = [
            merged(items, "\n".join("- " + item.marked for item in items)) if len(items) > 1 else items[0]
            for items in item_runs(document)
        ]

    return Oracle("MergeListTag", metric, change=change)


def heading_level(p: Paragraph) -> int:
    """By the innermost heading around, of original text; 0 where there is none."""
    if p.structure is not None:
        return 0
    levels = [int(s.tag[1]) for s in segments_of(p.path) if re.fullmatch("h[1-6]", s.tag)]
    return levels[-1] if levels else 0


def headings() -> Oracle:
    """MarkdownizeHeading."""

    def change(document: Document) -> None:
        for p in alive(document):
            if heading_level(p):
                p.marked = "#" * heading_level(p) + " " + p.marked

    def metric(document: Document) -> float:
        return sum(heading_level(p) > 0 for p in alive(document))

    return Oracle("MarkdownizeHeading", metric, change=change)


def markdown(**given: bool) -> Oracle:
    """Markdown. Texts of documents with a structure have nothing in them that is escaped."""
    parts = frozenset(part for part in markdown_oracle.ALL if given.get(part, True))
    parts |= {"emphasis"} if given.get("emphasis") else set()

    def by_path(document: Document) -> list[tuple[Document, Paragraph]]:
        """What is original text."""
        written = []
        for items in item_runs(document) if "lists" in parts else [[p] for p in document]:
            text = items[0].marked if len(items) == 1 else "\n".join("- " + item.marked for item in items)
            level = heading_level(items[0]) if "headings" in parts else 0
            after = merged(items, "#" * level + " " * (level > 0) + text)
            is_written = len(items) > 1 or level > 0
            written.append((items, replace(after, structure="markdown") if is_written else items[0]))
        return written

    def shown(document: Document) -> list[tuple[Document, Paragraph]]:
        """What has a structure."""
        pieces = markdown_oracle.markdown_of([(p.structure or "", p.marked) for p in document], parts)
        written = []
        for places, text in pieces:
            members = [document[place] for place in places]
            written.append((members, replace(merged(members, text), structure="markdown")))
        return written

    def rewritten(document: Document) -> list[tuple[Document, Paragraph]]:
        """The paragraphs as they are written, each with those that it was made of."""

        def kind(p: Paragraph) -> str:
            """How it is written."""
            if p.reason is not None or p.structure == "markdown" or not parts:
                return "as it is"
            return "by path" if p.structure is None else "shown"

        found = []
        for how, group in itertools.groupby(document, kind):
            together = list(group)
            if how == "as it is":
                found += [([p], p) for p in together]
            else:
                found += by_path(together) if how == "by path" else shown(together)
        return found

    def metric(document: Document) -> float:
        pieces = rewritten(document)
        return sum(len(items) for items, after in pieces if len(items) > 1 or items[0].text != after.text)

    def change(document: Document) -> None:
        document[:] = [after for _, after in rewritten(document)]

    return Oracle("Markdown", metric, change=change)


@dataclass
class Outcome:
    """What a chain makes of a document."""

    reason: str | None
    metrics: list[float]  # of the filters that decided, to the one that removed the document
    worked: list[bool]  # by filter: whether it removed the document, or changed a paragraph


def run(chain: list[tuple[dict[str, Any], Oracle]], document: Document, doc_id: str) -> Outcome:
    """The chain, on the document itself."""
    outcome = Outcome(None, [], [False] * len(chain))
    for step, (_, oracle) in enumerate(chain):
        before = [replace(p) for p in document]
        if oracle.change is None:
            outcome.metrics.append(oracle.metric(document))
            outcome.reason = oracle.reason(document, outcome.metrics[-1], doc_id)
        else:
            oracle.change(document)
            for p in document:
                p.step = step if p.reason is not None and p.step is None else p.step
        outcome.worked[step] = outcome.reason is not None or before != document
        if outcome.reason is not None:
            break
    return outcome
