"""Lists of hosts, written plainly: what HostFilter and `uzushio hosts` are held against."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

SUFFIXES = [".5ch.net", "wikipedia.org"]
LABELS = ["a", "b", "xn--wgv71a119e", "5ch", "wikipedia", "x-1", "_a"]
TOPS = ["net", "org", "jp", "com"]
PARTS = ["x", "y", "~user", "z.html", "%E9%81%93"]


@dataclass(frozen=True)
class Place:
    """A host, and a path of parts, of which the last may be a query."""

    host: str
    path: tuple[str, ...] = ()
    is_address: bool = False


@dataclass(frozen=True)
class Entry:
    """An entry of a list; `below`: not the host itself."""

    place: Place
    below: bool = False

    def covers(self, place: Place) -> bool:
        """Whether a place is it, or lies in it."""
        mine, other = self.place.host, place.host
        is_below = not place.is_address and other.endswith("." + mine)
        if not (is_below or (other == mine and not self.below)):
            return False
        return place.path[: len(self.place.path)] == self.place.path

    @property
    def text(self) -> str:
        """As a list may have it."""
        path = "".join(self.place.path)
        return ("." if self.below else "") + self.place.host + path


def random_place(choose: random.Random) -> Place:
    """A host of a few labels, or an address."""
    if choose.random() < 0.1:
        return Place(choose.choice(["10.0.0.1", "10.0.0.10", "[::1]"]), random_path(choose), True)
    labels = choose.choices(LABELS, k=choose.choice([1, 1, 2, 3]))
    return Place(".".join([*labels, choose.choice(TOPS)]), random_path(choose))


def random_path(choose: random.Random) -> tuple[str, ...]:
    """Parts, each with what it begins with."""
    path = ["/" + choose.choice(PARTS) for _ in range(choose.choice([0, 0, 1, 2, 3]))]
    if path and choose.random() < 0.3:
        path.append(choose.choice(["?q=1", "?q=2"]))
        path += ["&r=1"] * choose.choice([0, 1])
    return tuple(path)


def random_entry(choose: random.Random) -> Entry:
    """Below only, sometimes; a path, sometimes."""
    place = random_place(choose)
    if choose.random() < 0.7:
        place = Place(place.host, (), place.is_address)
    return Entry(place, not place.is_address and choose.random() < 0.2)


def spelled(choose: random.Random, place: Place) -> str:
    """A URL of a place, in one of many ways to write it."""
    host = place.host
    if not place.is_address:
        ways: list[Callable[[str], str]] = [
            str.upper,
            str.title,
            lambda h: h.replace("xn--wgv71a119e", "日本語"),
            lambda h: h + ".",
        ]
        ways += [lambda h: h.replace("a", "%61"), lambda h: h.replace(".", "。"), lambda h: h.replace("b", "ｂ"), str]
        host = choose.choice(ways)(host)
    elif host == "10.0.0.1":
        host = choose.choice([host, "0xa.0.0.1", "167772161", "10.1"])
    scheme = choose.choice(["http://", "https://", "HTTP://", " http://", "http:\\\\", "https://user:pass@"])
    port = choose.choice(["", "", ":80", ":8080"])
    path = "".join(place.path) or choose.choice(["", "/"])
    dots = choose.choice(["", "", "/./", "/q/../"])
    path = dots[:-1] + path if dots and path.startswith("/") else path
    return scheme + host + port + path + choose.choice(["", "", "#f", "#/x"])


NO_URLS = [
    None,
    "",
    "a.net",
    "/x",
    "mailto:a@a.net",
    "http://",
    "http://a b.net/",
    "http://a..net/",
    "file:///a.net",
    "x",
]


def reason_of(place: Place | None, lists: dict[str, list[Entry]], categories: Iterable[str]) -> str | None:
    """Why a document is removed."""
    if place is None:
        return None
    fixed = [Entry(Place("5ch.net"), True), Entry(Place("wikipedia.org"))]
    if any(entry.covers(place) for entry in fixed):
        return "HostFilter(suffixes)"
    for category in categories:
        if any(entry.covers(place) for entry in lists.get(category, [])):
            return f"HostFilter({category})"
    return None


def summed(rows: Iterable[tuple[str, int, dict[str, bool], dict[str, float]]]) -> list[dict[str, Any]]:
    """A row for each host: of documents' hosts, lengths, what removes them, and metrics. Sums are exact."""
    by_host: dict[str, list[tuple[int, dict[str, bool], dict[str, float]]]] = {}
    for host, length, removed, metrics in rows:
        by_host.setdefault(host, []).append((length, removed, metrics))
    table = []
    for host, documents in sorted(by_host.items(), key=lambda item: item[0].encode()):
        count = len(documents)
        row: dict[str, Any] = {"host": host, "documents": count, "characters": sum(d[0] for d in documents)}
        row["removed"] = sum(any(d[1].values()) or d[0] == 0 for d in documents) / count
        for name in documents[0][1]:
            row[f"removed_{name}"] = sum(d[1][name] for d in documents) / count
        for name in documents[0][2]:
            row[f"mean_{name}"] = float(sum(Fraction(d[2][name]) for d in documents) / count)
        table.append(row)
    return table
