"""How far work is, told to a function or shown as a bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from uzushio._errors import UsageError

Progress = Callable[[float, str], object]
"""Is called with the share that is done, from 0 to 1, and a note."""


@contextmanager
def watching(progress: Progress | bool | None, what: str) -> Iterator[Progress | None]:
    """What a run calls: the function itself; for True, a bar of tqdm named `what`, which is closed at the end."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with _bar(what) as bar:

            def show(share: float, note: str) -> None:
                bar.set_postfix_str(note, refresh=False)
                bar.update(max(0.0, share - bar.n))

            yield show
    elif callable(progress):
        yield progress
    else:
        raise UsageError(f"progress: True, or a function of share and note is expected, not {type(progress).__name__}")


def _bar(what: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise UsageError(
            "progress=True shows a bar of tqdm, which is not installed: pip install tqdm; or give a function of share "
            "and note"
        ) from None
    return tqdm(total=1.0, desc=what, bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")
