"""Chains in `map` and `filter` of Hugging Face's datasets: in memory, streaming, in processes, from caches."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
import uzushio as uz

datasets = pytest.importorskip("datasets", reason="needs the package datasets")

pytestmark = pytest.mark.module

CHAIN = uz.FilterChain([uz.Filter("AdjacentDuplicateParagraphs"), uz.Filter("DocLength", low=5)])
ROWS: list[dict[str, Any]] = [
    {
        "docId": str(n),
        "text": None if n == 3 else "短い" if n % 3 == 0 else f"長い文章{n}\n\n長い文章{n}",
        "n": n,
        "tags": ["a"] * n,
    }
    for n in range(30)
]


def rows() -> Iterator[dict[str, Any]]:
    """What a generator gives."""
    yield from ROWS


def expected() -> list[dict[str, Any]]:
    """What `apply` leaves."""
    rows: list[dict[str, Any]] = CHAIN.apply(pa.Table.from_pylist(ROWS)).passed.to_pylist()
    assert 0 < len(rows) < len(ROWS)
    return rows


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of the test's own, without bars."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()


@pytest.mark.parametrize("kind", [None, "numpy", "arrow", "pandas", "polars"])
def test_a_dataset(kind: str | None) -> None:
    """Of every format; batches of any size."""
    dataset = datasets.Dataset.from_list(ROWS).with_format(kind)
    if kind == "pandas":  # which does not know what lists are made of where there are none
        dataset = dataset.remove_columns("tags")
    for size in (1, 7, 1000):
        mapped = dataset.map(CHAIN.mapper(), batched=True, batch_size=size)
        names = dataset.column_names
        assert mapped.with_format(None).to_list() == [{name: row[name] for name in names} for row in expected()]
        kept = dataset.filter(CHAIN.predicate(), batched=True, batch_size=size)
        assert [row["n"] for row in kept.with_format(None).to_list()] == [row["n"] for row in expected()]
        assert kept.with_format(None)[0]["text"] == ROWS[1]["text"]


@pytest.mark.parametrize("features", [True, False])
def test_a_streaming_dataset(features: bool) -> None:
    """Whose features may be unknown."""
    known = datasets.Dataset.from_list(ROWS).features if features else None
    dataset = datasets.IterableDataset.from_generator(rows, features=known)
    assert (dataset.features is None) is not features
    assert list(dataset.map(CHAIN.mapper(), batched=True, batch_size=7)) == expected()
    kept = list(dataset.filter(CHAIN.predicate(), batched=True, batch_size=7))
    assert kept == [ROWS[row["n"]] for row in expected()]
    assert CHAIN.stream(dataset).read_all().to_pylist() == expected()
    assert CHAIN.apply(dataset).passed.to_pylist() == expected()
    assert CHAIN.metrics(dataset).equals(CHAIN.metrics(pa.Table.from_pylist(ROWS)))
    assert uz.near_duplicates(dataset).equals(uz.near_duplicates(pa.Table.from_pylist(ROWS)))


def test_a_streaming_dataset_that_nobody_knows() -> None:
    """No rows, or rows of other types than the first: errors that say so."""
    empty = datasets.IterableDataset.from_generator(lambda: iter(()))
    with pytest.raises(uz.UsageError, match="no rows, and does not know its features"):
        CHAIN.apply(empty)

    def changing() -> Iterator[dict[str, Any]]:
        yield from ({"text": "文章", "x": None} for _ in range(5000))
        yield {"text": "文章", "x": "text"}

    with pytest.raises(uz.UsageError, match=r"of other types than its features.*dataset\.cast"):
        CHAIN.apply(datasets.IterableDataset.from_generator(changing))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes(tmp_path: Path) -> None:
    """`num_proc`, with statistics."""
    (tmp_path / "a.txt").write_text("\n\n".join(row["text"] or "" for row in ROWS), encoding="utf-8")
    uz.stats(tmp_path / "a.txt", tmp_path / "s")
    chain = uz.FilterChain([uz.Filter("DuplicateParagraphs", limit=5)])
    statistics = uz.Statistics(tmp_path / "s")
    dataset = datasets.Dataset.from_list(ROWS)
    mapped = dataset.map(chain.mapper(statistics), batched=True, num_proc=2)
    assert mapped.to_list() == chain.apply(pa.Table.from_pylist(ROWS), statistics).passed.to_pylist()
    kept = dataset.filter(chain.predicate(tmp_path / "s"), batched=True, num_proc=2)
    assert kept["n"][:] == mapped["n"][:]


FINGERPRINT = """
import sys
import uzushio as uz
from datasets.fingerprint import Hasher
chain = uz.FilterChain([uz.Filter("DocLength", low=5, high=90), uz.Filter("HiraganaRatio")])
print(Hasher.hash(chain.mapper(sys.argv[1])), Hasher.hash(chain.predicate()))
"""


def test_fingerprints(tmp_path: Path) -> None:
    """The same in each process, others for other chains and for statistics that have changed."""
    hash_of = datasets.fingerprint.Hasher.hash
    (tmp_path / "a.txt").write_text("二度ある\n\n二度ある\n", encoding="utf-8")
    uz.stats(tmp_path / "a.txt", tmp_path / "s")
    said = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", FINGERPRINT, str(tmp_path / "s")]
        said.add(subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout)
    assert len(said) == 1
    other = uz.FilterChain([uz.Filter("DocLength", low=6)])
    mapper = CHAIN.mapper(tmp_path / "s")
    hashes = {
        hash_of(one)
        for one in (mapper, CHAIN.mapper(), other.mapper(), CHAIN.predicate(), CHAIN.mapper(keep_markup=True))
    }
    assert len(hashes) == 5
    pickled = pickle.dumps(mapper)
    assert pickle.loads(pickled)({"text": ["長い文章です"]}) == {"text": ["長い文章です"]}
    (tmp_path / "a.txt").write_text("二度ある\n\n二度ある\n\n三\n\n三\n", encoding="utf-8")
    uz.stats(tmp_path / "a.txt", tmp_path / "s", overwrite=True)
    assert hash_of(CHAIN.mapper(tmp_path / "s")) not in hashes
    with pytest.raises(uz.UsageError, match="written anew since they were opened"):
        pickle.loads(pickled)


def test_what_is_no_batch() -> None:
    """The error says what to do."""
    dataset = datasets.Dataset.from_list(ROWS)
    with pytest.raises(uz.UsageError, match="batched=True"):
        dataset.map(CHAIN.mapper())
    with pytest.raises(uz.UsageError, match="no column 'body', only docId, text, n, tags; text_column names"):
        dataset.map(CHAIN.mapper(text_column="body"), batched=True)
    with pytest.raises(uz.UsageError, match="a batch is expected, not int"):
        CHAIN.predicate()(3)
    assert CHAIN.mapper()({"text": [], "n": []}) == {"text": [], "n": []}
    with pytest.warns(RuntimeWarning, match=r"1 texts of a batch are no UTF-8 .* its row 1"):
        assert CHAIN.predicate()({"text": ["長い文章です", "\ud800長い文章です"]}) == [True, False]


def test_texts_of_categories_are_rewritten() -> None:
    """New texts are in no category."""
    frame = pd.DataFrame({"text": pd.Categorical(["くり返し\n\nくり返し", "長い"])})
    chosen = uz.FilterChain([uz.Filter("AdjacentDuplicateParagraphs")]).mapper()(frame)
    assert chosen["text"].tolist() == ["くり返し", "長い"]
