"""`Contamination`, written plainly from docs/contamination.md: every n-gram is compared with every other."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable

GRAM, WINDOW, PIECE, BLOCK, MOST_BLOCKS, BOILERPLATE = 8, 5, 5, 64, 16, 1024
RUN = GRAM + WINDOW - 1
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
    return 124 + ((point * 0x9E3779B1 & 0xFFFFFFFF) >> 16) % 132


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


class Index:
    """Items that are long enough, each once."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items: list[list[bytes]] = []
        self.begins: list[int] = []
        self.rows: list[int] = []
        self.codes = b""
        seen = set()
        for row, (question, answer, choices) in enumerate(items, 1):
            parts = [fold(question), fold(answer or ""), *map(fold, choices)]
            if max(map(len, parts)) < RUN or tuple(parts) in seen:
                continue
            seen.add(tuple(parts))
            self.items.append(parts)
            self.begins.append(len(self.codes))
            self.rows.append(row)
            self.codes += b"".join(part + b"\0" for part in parts)
        blocks: dict[bytes, set[int]] = defaultdict(set)
        begin = 0
        for part in self.codes.split(b"\0"):
            for place in sampled(part):
                blocks[part[place : place + GRAM]].add((begin + place) // BLOCK)
            begin += len(part) + 1
        self.blocks = {gram: found for gram, found in blocks.items() if len(found) <= MOST_BLOCKS}
        self.common: set[int] = set()
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

    def compare(self, item: int, surroundings: bytes) -> float:
        """The share of an item."""
        pieces = {surroundings[i : i + PIECE] for i in range(len(surroundings) - PIECE + 1)}
        begin = self.begins[item]
        counts = []
        for part in self.items[item]:
            covered = {
                i + j for i in range(len(part) - PIECE + 1) if part[i : i + PIECE] in pieces for j in range(PIECE)
            }
            if 0 < len(part) < PIECE and part in surroundings:
                covered = set(range(len(part)))
            own = set(range(len(part))) - {place - begin for place in self.common}
            counts.append((len(own & covered), len(own)))
            begin += len(part) + 1
        ways = [counts, counts[:2] if self.items[item][1] else []]
        sums = [(sum(c for c, _ in way), sum(n for _, n in way)) for way in ways]
        return max((covered / codes for covered, codes in sums if codes >= RUN), default=0.0)

    def share(self, text: str) -> tuple[float, int]:
        """The best share, and the row of the first item that has it; 0 where there is none."""
        document = fold(text)
        anchors: dict[int, set[int]] = defaultdict(set)
        for place in sampled(document):
            for block in self.blocks.get(document[place : place + GRAM], ()):
                at = self.shared_run(document, place, block)
                if at is not None:
                    anchors[max(i for i, begin in enumerate(self.begins) if begin <= at)].add(place)
        best = (0.0, 0)
        for item, places in sorted(anchors.items()):
            size = sum(len(part) + 1 for part in self.items[item])
            reach = size + size // 2 + BLOCK
            at = -1
            for place in sorted(places):
                if at >= 0 and place <= at + reach // 3:
                    continue
                at = place
                if sum(abs(other - at) <= reach for other in places) <= size // 512:
                    continue
                found = self.compare(item, document[max(0, at - reach) : at + GRAM + reach])
                best = max(best, (found, self.rows[item]), key=lambda one: one[0])
        return best
