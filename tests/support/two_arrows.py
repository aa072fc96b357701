"""A process with two Arrows, that of the module and that of pyarrow, both at work: `two_arrows.py ORDER [global]`.

ORDER is `uzushio` or `pyarrow`, what is loaded first; with `global`, what both load is for all of the process to use.
Prints pyarrow's version.
"""

from __future__ import annotations

import importlib
import io
import multiprocessing
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

CONFIG = 'filters: [{"class": "HiraganaRatio", "low": 0.3}]'
ROUNDS = 20


def load(first: str, for_all: bool) -> None:
    """Both, in this order."""
    if for_all:
        sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
    rest = ["pyarrow.parquet", "pyarrow.compute", "pyarrow.dataset", "pyarrow.fs"]
    for name in ["uzushio", *rest] if first == "uzushio" else [*rest, "uzushio"]:
        importlib.import_module(name)
    sys.setdlopenflags(os.RTLD_NOW)


def in_module(chain: Any) -> int:
    """The module's Arrow: tables in and out, Parquet read and written, a search with compute."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    import uzushio

    texts = ["ひらがなのある文", "漢字漢字", None] * 50
    for _ in range(ROUNDS):
        filtered = chain.apply(pa.table({"text": texts, "n": range(150)}), removed=True)
        assert filtered.passed["n"].to_pylist() == list(range(0, 150, 3))
        assert filtered.removed.num_rows == 100  # those without text, too
        assert set(uzushio.near_duplicates(texts)["exactFreq"].to_pylist()) == {50, 0}
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(pa.table({"docId": ["a", "b"], "text": texts[:2]}), f"{folder}/in.parquet")
        Path(folder, "chain.conf").write_text(CONFIG, encoding="utf-8")
        summary = uzushio.filter(f"{folder}/in.parquet", f"{folder}/out", config=f"{folder}/chain.conf")
        assert summary["passed"]["documents"] == 1, summary
        assert pq.read_table(f"{folder}/out")["docId"].to_pylist() == ["a"]
    return 50


def in_pyarrow(_: Any) -> int:
    """pyarrow's own."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pa.table({"n": range(1000), "text": [f"文{n}" for n in range(1000)]})
    for _ in range(ROUNDS):
        file = io.BytesIO()
        pq.write_table(table, file, compression="zstd")
        assert pq.read_table(io.BytesIO(file.getvalue())).equals(table)
        assert pc.sum(table["n"]).as_py() == 499500
        assert len(table.group_by("text").aggregate([("n", "max")])) == 1000
    return 50


def both(chain: Any) -> int:
    """In threads of one process."""
    work: list[Callable[[Any], int]] = [in_module, in_pyarrow, in_module, in_pyarrow]
    with ThreadPoolExecutor(len(work)) as pool:
        return sum(future.result() for future in [pool.submit(one, chain) for one in work])


def has_error(kind: type[Exception], work: Callable[[], object]) -> bool:
    """Whether it ends with such an error."""
    try:
        work()
    except kind:
        return True
    return False


def errors() -> None:
    """An error of either Arrow is one of Python."""
    import pyarrow as pa
    import uzushio

    assert has_error(uzushio.Error, lambda: uzushio.filter("no such folder", "out", config="no such file"))
    assert has_error(pa.ArrowInvalid, lambda: pa.array(["x"]).cast(pa.int64()))


def main() -> None:
    """All of it, then in processes forked and spawned, which get the chain pickled."""
    load(sys.argv[1], sys.argv[2:] == ["global"])
    import pyarrow as pa
    import uzushio

    chain = uzushio.FilterChain([uzushio.Filter("HiraganaRatio", low=0.3)])
    assert both(chain) == 200
    errors()
    for way in ("fork", "spawn"):
        with ProcessPoolExecutor(2, multiprocessing.get_context(way)) as pool:
            assert list(pool.map(both, [pickle.loads(pickle.dumps(chain))] * 2)) == [200, 200], way
    loaded = {Path(line.split()[-1]).name for line in Path("/proc/self/maps").read_text().splitlines() if "/" in line}
    assert {name for name in loaded if name.startswith("libuzushio_arrow.so.")}, loaded
    assert {name for name in loaded if name.startswith("libarrow.so.")}, loaded
    print(pa.__version__)


if __name__ == "__main__":
    main()
