"""How often paragraphs occur in a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from uzushio import _core
from uzushio._errors import UsageError


class Frequency(NamedTuple):
    """How often a paragraph occurs in a corpus: itself (`exact`), and it and its near-duplicates together (`near`).

    >>> import uzushio
    >>> uzushio.Frequency(exact=2, near=5).near
    5
    """

    exact: int
    near: int


class Statistics:
    """Statistics of a corpus, as `stats` and `merge` write them; their frequency index is mapped into memory.

    `path` is their folder, or the file of the index. Threads may share one; other processes, forked or spawned, map
    the same file. Errors: UsageError where there is no index, InputError for one that is damaged.

    >>> import tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(f"{folder}/texts.txt", "w").write("twice\\n\\ntwice\\n\\nonce\\n")
    ...     summary = uzushio.stats(f"{folder}/texts.txt", f"{folder}/statistics")
    ...     statistics = uzushio.Statistics(f"{folder}/statistics")
    >>> len(statistics)
    1
    >>> statistics.look_up(["twice", "once", "never"])
    [Frequency(exact=2, near=2), Frequency(exact=1, near=1), Frequency(exact=1, near=1)]
    """

    def __init__(self, path: str | bytes | os.PathLike[str]) -> None:
        """Opens the index; the whole file is read once for its checksum."""
        self.path = os.fsdecode(path)
        is_file = Path(self.path).is_file()
        index = _core.FrequencyIndex.open(self.path) if is_file else _core.FrequencyIndex.open_statistics(self.path)
        if index is None:
            raise UsageError("--stats: no folder is named")
        self._core = index

    def look_up(self, paragraphs: Iterable[str]) -> list[Frequency]:
        """The frequencies of paragraphs, plain or with link marks; 1 and 1 for those that occur once or never."""
        return [Frequency(*found) for found in self._core.look_up(list(paragraphs))]

    def __len__(self) -> int:
        """The number of paragraphs that occur more than once."""
        return len(self._core)

    def __repr__(self) -> str:
        """As it was made."""
        return f"Statistics({self.path!r})"

    def __reduce__(self) -> tuple[type[Statistics], tuple[str]]:
        """By its path: pools of processes take it."""
        return Statistics, (self.path,)
