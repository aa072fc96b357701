"""`uzushio.minhash`: what the command line does, with Python's values."""

from __future__ import annotations

from pathlib import Path

import minhash_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz
from minhash_oracle import Settings
from program import Uzushio

pytestmark = pytest.mark.module
TEXTS = [
    "ここには、どこにでもある文章が書かれています。" * 3,
    "まったく別の文章で、似たものはほかにありません。",
    "短い",
]


def write(path: Path, texts: list[str]) -> Path:
    """Documents, the first of which is the oldest."""
    rows = [{"docId": f"{path.stem}{n}", "text": text, "date": f"2024-01-{n + 1:02}"} for n, text in enumerate(texts)]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_as_the_command_line(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same files."""
    documents = write(tmp_path / "a.parquet", [*TEXTS, *TEXTS[:2], TEXTS[0] + "。"])
    summary = uz.minhash(documents, tmp_path / "module", buckets=7, values=2, keep="longest", verify=0.8, threads=1)
    given = ["--buckets=7", "--values=2", "--keep=longest", "--verify=0.8"]
    uzushio("minhash", documents, "--output", tmp_path / "program", *given)
    for path in (tmp_path / "program").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "module" / path.relative_to(tmp_path / "program")).read_bytes()
    wanted = oracle.part(pq.read_table(documents).to_pylist(), Settings(5, 7, 2, "longest", 0.8))
    assert summary.kept == len(wanted.kept)
    assert summary.duplicates == len(wanted.duplicates) > 2
    assert str(summary).startswith("minhash: 6 documents = ")


def test_texts_are_compared(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """By Sudachi's tokens and edits; the same files as the command line's."""
    documents = write(tmp_path / "a.parquet", [*TEXTS, *TEXTS[:2], TEXTS[0] + "。"])
    summary = uz.minhash(
        documents, tmp_path / "module", tokens="sudachi-A", sudachi=dictionary, edit_similarity=0.9, layout="dedup-dup"
    )
    given = ["--mode=A", "--sudachi", dictionary, "--editsim-thr=0.9", "--layout=dedup-dup"]
    uzushio("minhash", documents, "--output", tmp_path / "program", *given)
    for path in (tmp_path / "program").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "module" / path.relative_to(tmp_path / "program")).read_bytes()
    assert summary.duplicates == 3
    with pytest.raises(uz.UsageError, match="exclude each other"):
        uz.minhash(documents, tmp_path / "out", edit_similarity=0.9, skip_edit_similarity=True)


def test_parts(tmp_path: Path) -> None:
    """Indexes, one or several, as paths."""
    parts = [write(tmp_path / f"{name}.parquet", TEXTS) for name in "abc"]
    for part in parts:
        index = uz.minhash(part, tmp_path / part.stem, index_only=True)
        assert "kept" not in index
        assert index.documents == 3
    both: list[str | Path] = [tmp_path / "a", str(tmp_path / "b")]
    assert uz.minhash(parts[2], tmp_path / "x", against=both).duplicates_of_other_indexes == 3
    kept = sum(
        uz.minhash(part, tmp_path / f"k{part.stem}", beside=[tmp_path / n for n in "abc" if n != part.stem]).kept
        for part in parts
    )
    assert kept == 3


def test_errors(tmp_path: Path) -> None:
    """As the command line says them; nothing is written."""
    documents = write(tmp_path / "a.parquet", TEXTS)
    (tmp_path / "none").mkdir()
    with pytest.raises(uz.UsageError, match="there is no index in it"):
        uz.minhash(documents, tmp_path / "out", against=tmp_path / "none")
    with pytest.raises(uz.UsageError, match=r"verify 1\.5: give a number, above 0, at most 1"):
        uz.minhash(documents, tmp_path / "out", verify=1.5)
    with pytest.raises(TypeError, match="did you mean values"):
        uz.minhash(documents, tmp_path / "out", valuse=3)  # type: ignore[call-overload]
    assert not (tmp_path / "out").exists()
