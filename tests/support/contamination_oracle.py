"""`Contamination`, written plainly from docs/contamination.md: every n-gram is compared with every other."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable

GRAM, WINDOW, PIECE, BLOCK, MOST_BLOCKS, BOILERPLATE = 8, 5, 5, 64, 16, 1024
RUN = GRAM + WINDOW - 1
SHORT_GRAM, LONG_PART, FEW_CODES, BETWEEN = 6, 32, 14, 16
LEAST_WEIGHT, LEAST_PIECES, LEAST_ANSWERED = 11, 7, 14
OTHER = 124  # the least code of kanji and the like
MASK = (1 << 64) - 1

Item = tuple[str, str | None, list[str]]  # question, answer, other choices


def code(character: str) -> int:
    """Of a folded character."""
    point = ord(character)
    if "ぁ" <= character <= "ゖ":
        return point - ord("ぁ") + 1
    if character == "ー":
        return 87
    if "0" <= character <= "9":
        return point - ord("0") + 88
    if "a" <= character <= "z":
        return point - ord("a") + 98
    return OTHER + ((point * 0x9E3779B1 & 0xFFFFFFFF) >> 16) % 132


def fold(text: str) -> bytes:
    """The codes of a text, with the default options."""
    folded = ""
    for character in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()):
        if character in "\u3099\u309a":
            composed = unicodedata.normalize("NFC", folded[-1:] + character)
            folded = folded[:-1] + composed if len(composed) == 1 else folded
        elif "ァ" <= character <= "ヶ":
            folded += chr(ord(character) - 0x60)
        elif unicodedata.category(character) not in {"Mn", "Me"} and unicodedata.category(character)[0] not in "PSZC":
            folded += character
    return bytes(map(code, folded))


def gram_hash(gram: bytes) -> int:
    """By which n-grams are sampled."""
    value = int.from_bytes(gram, "little") * 0x9E3779B97F4A7C15 & MASK
    value = (value ^ value >> 32) * 0xD6E8FEB86659FD93 & MASK
    return value ^ value >> 29


def sampled(codes: bytes) -> list[int]:
    """The places of the least n-grams of each window; of equal ones any."""
    hashes = [gram_hash(codes[i : i + GRAM]) for i in range(len(codes) - GRAM + 1)]
    windows = [range(i, i + WINDOW) for i in range(len(hashes) - WINDOW + 1)]
    return sorted({min(window, key=hashes.__getitem__) for window in windows})


def pieces_of(part: bytes) -> list[tuple[int, bytes]]:
    """With the place of each: runs of five, or a shorter part, of two codes at least, as it is."""
    size = min(PIECE, len(part))
    return [(i, part[i : i + size]) for i in range(len(part) - size + 1)] if len(part) > 1 else []


def pieces_in(piece: bytes) -> int:
    """How many it counts as."""
    return 1 if len(piece) == PIECE else len(piece)


def weight_of(piece: bytes) -> int:
    """What it counts for where chance is to be told from copies."""
    return pieces_in(piece) * (2 if max(piece) >= OTHER else 1)


def suffices(pieces: int, covered: int, weight: int) -> bool:
    """Whether it is more than chance."""
    return weight >= LEAST_WEIGHT or (covered == pieces and pieces >= LEAST_PIECES)


def short_grams(part: bytes) -> list[int]:
    """The places of n-grams that cover a part, evenly; of longer ones those with other characters than kana."""
    last = len(part) - SHORT_GRAM
    steps = max(1, -(-last // SHORT_GRAM))
    places = [] if last < 0 else sorted({step * last // steps for step in range(steps + 1)})
    telling = [place for place in places if max(part[place : place + SHORT_GRAM]) >= OTHER]
    return telling if telling and len(part) >= FEW_CODES else places


class Index:
    """Items that are long enough, each once."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items: list[list[bytes]] = []
        self.begins: list[int] = []
        self.rows: list[int] = []
        self.codes = b""
        self.short: dict[bytes, list[int]] = defaultdict(list)  # items, by n-gram
        seen = set()
        for row, (question, answer, choices) in enumerate(items, 1):
            parts = [fold(question), fold(answer or ""), *map(fold, choices)]
            pieces = [piece for part in parts for _, piece in pieces_of(part)]
            number = sum(map(pieces_in, pieces))
            if max(map(len, parts)) < SHORT_GRAM or not suffices(number, number, sum(map(weight_of, pieces))):
                continue
            if tuple(parts) in seen:
                continue
            seen.add(tuple(parts))
            if max(map(len, parts)) < LONG_PART:
                for part in parts:
                    for place in short_grams(part):
                        self.short[part[place : place + SHORT_GRAM]].append(len(self.items))
            self.items.append(parts)
            self.begins.append(len(self.codes))
            self.rows.append(row)
            self.codes += b"".join(part + b"\0" for part in parts)
        self.short = {gram: found for gram, found in self.short.items() if len(found) <= MOST_BLOCKS}
        blocks: dict[bytes, set[int]] = defaultdict(set)
        begin = 0
        for part in self.codes.split(b"\0"):
            for place in sampled(part):
                blocks[part[place : place + GRAM]].add((begin + place) // BLOCK)
            begin += len(part) + 1
        self.blocks = {gram: found for gram, found in blocks.items() if len(found) <= MOST_BLOCKS}
        self.common: set[int] = set()  # codes; pieces that have one do not count
        for gram, found in blocks.items():
            if len(found) <= MOST_BLOCKS or len(found) * BOILERPLATE <= len(self.codes) // BLOCK:
                continue
            for place in range(len(self.codes)):
                if place // BLOCK in found and self.codes[place : place + GRAM] == gram:
                    self.common |= set(range(place, place + GRAM))

    def shared_run(self, document: bytes, place: int, block: int) -> int | None:
        """Where a block has RUN codes of the document around the n-gram at `place`."""
        for at in range(block * BLOCK, min((block + 1) * BLOCK, len(self.codes))):
            if self.codes[at : at + GRAM] != document[place : place + GRAM]:
                continue
            before = after = 0
            while min(place, at) > before and self.codes[at - before - 1] == document[place - before - 1]:
                before += 1
            while self.codes[at + after : at + after + 1] == document[place + after : place + after + 1] != b"":
                after += 1
            if before + after >= RUN:
                return at
        return None

    def compare(self, item: int, surroundings: bytes) -> tuple[float, int, int]:
        """The share of an item, and of what."""
        begin = self.begins[item]
        counts = []
        seen = set()
        for part in self.items[item]:
            own: list[tuple[int, int, int]] = []  # pieces, those that are covered, their weight
            for place, piece in pieces_of(part):
                if piece not in seen and self.common.isdisjoint(range(begin + place, begin + place + len(piece))):
                    number = pieces_in(piece)
                    own.append((number, number, weight_of(piece)) if piece in surroundings else (number, 0, 0))
                seen.add(piece)
            counts.append([sum(column) for column in zip(*own, strict=True)] or [0, 0, 0])
            begin += len(part) + 1
        pieces, covered, weight = (sum(column) for column in zip(*counts, strict=True))
        ways = [(pieces, covered, weight)]
        if self.items[item][1]:
            pieces, covered, weight = (sum(column) for column in zip(*counts[:2], strict=True))
            if pieces >= LEAST_ANSWERED or covered == pieces:
                ways.append((pieces, covered, weight))
        shares = [
            (covered / pieces, covered, pieces) for pieces, covered, weight in ways if suffices(pieces, covered, weight)
        ]
        return max(shares, default=(0.0, 0, 0), key=lambda one: one[0])

    def share(self, text: str) -> tuple[float, int]:
        """The best share, and the row of the first item that has it; 0 where there is none."""
        document = fold(text)
        anchors: dict[int, set[int]] = defaultdict(set)
        for place in sampled(document):
            for block in self.blocks.get(document[place : place + GRAM], ()):
                at = self.shared_run(document, place, block)
                if at is not None:
                    anchors[max(i for i, begin in enumerate(self.begins) if begin <= at)].add(place)
        for place in range(len(document) - SHORT_GRAM + 1):
            for item in self.short.get(document[place : place + SHORT_GRAM], ()):
                anchors[item].add(place)
        best = (0.0, 0)
        for item, places in sorted(anchors.items()):
            size = sum(len(part) + 1 for part in self.items[item])
            reach = size + size // 2 + BETWEEN
            at = -1
            for place in sorted(places):
                if at >= 0 and place <= at + reach // 3:
                    continue
                at = place
                if sum(abs(other - at) <= reach for other in places) <= size // 512:
                    continue
                found = self.compare(item, document[max(0, at - reach) : at + GRAM + reach])[0]
                best = max(best, (found, self.rows[item]), key=lambda one: one[0])
        return best
