"""Near-duplicates among texts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import Any, Literal

import pyarrow as pa

from uzushio import _core
from uzushio._arguments import named
from uzushio._errors import UsageError, in_words_of_python
from uzushio._progress import Progress, watching
from uzushio._tables import Table, texts_of
from uzushio._values import plain, to_json


@named()
def near_duplicates(
    texts: Table | Iterable[str | bytes | None],
    *,
    text_column: str = "text",
    candidates: Literal["buckets", "simhash"] = "buckets",
    groups: Literal["pivot", "components"] = "pivot",
    rotations: int = 5,
    window: int = 64,
    threads: int | None = None,
    memory: int | str | None = None,
    tmp: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> pa.Table:
    """The groups of near-duplicates among texts, as `uzushio stats` finds them among paragraphs.

    `texts` is a table (anything with `__arrow_c_stream__` or `__arrow_c_array__`, or a dataset of Hugging Face) with
    texts in `text_column`, an Arrow array, or any sequence of str. Each row is one text, compared without link marks
    and superfluous white space; to compare paragraphs of documents, give one a row. Two texts are near-duplicates when
    their lengths are alike and so are their characters' 3- and 4-grams (Jaccard ≥ 0.7) or, of short ones, their
    Levenshtein distance is below 0.3 of the length; a group is a text and the near-duplicates that no group before
    took. `candidates`, `groups`, `rotations` and `window` are those of `uzushio stats`.

    Returns a `pyarrow.Table` with a row for each row of the input, in order: `hash` int64 (XXH64 of the text),
    `reprHash` int64 (the hash of the text that the group is around), `exactFreq` int32 (rows of this very text),
    `nearFreq` int32 (rows of it and its near-duplicates), `group` int64 (0 for the first group that occurs, and so
    on). Rows that are null, empty or no UTF-8 belong to no group: they have -1 in `group`, and 0 in all else. There are
    no nulls, so that other libraries keep the integers.

    `threads` are by default as many as the machine has; `memory` is in bytes or a text as "4GiB", by default half of
    the machine's; what does not fit goes to `tmp`. `progress` is called with the share that is done and the step's
    name, in the calling thread; True shows a bar (tqdm). An exception of it, and Ctrl-C, end the search. Errors:
    UsageError.

    >>> import uzushio
    >>> lines = ["今日は良い天気ですね", "今日は良い天気ですよ", "全く別の文章です", "今日は良い天気ですね", None]
    >>> found = uzushio.near_duplicates(lines)
    >>> found.column_names
    ['hash', 'reprHash', 'exactFreq', 'nearFreq', 'group']
    >>> found["exactFreq"].to_pylist(), found["nearFreq"].to_pylist(), found["group"].to_pylist()
    ([2, 1, 1, 2, 0], [3, 3, 1, 3, 0], [0, 0, 1, 0, -1])
    """
    options: dict[str, Any] = {
        "candidates": candidates,
        "groups": groups,
        "rotations": rotations,
        "window": window,
        "tmp": _core.name_of_path(tempfile.gettempdir() if tmp is None else tmp),
    }
    if threads is not None:
        options["threads"] = threads
    if memory is not None:
        options["memory"] = str(plain(memory))
    with in_words_of_python():
        search = _core.NearDuplicateSearch(to_json(options))
    if not isinstance(text_column, str):
        raise UsageError(f"text_column: the name of one column is expected, not {text_column!r}")
    with watching(progress, "near_duplicates") as show:
        for batch in texts_of(texts, text_column):
            search.add(batch)
        found = pa.Table.from_batches([pa.record_batch(search.find(show))])
        if show is not None:
            show(1.0, "done")
    return found
