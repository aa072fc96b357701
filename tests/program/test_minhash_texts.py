"""`uzushio minhash` that compares texts by n-grams and edits, of characters and Sudachi's tokens, against all pairs."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import minhash_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import ROOT, Uzushio, read_json

SENTENCES = [
    "国会議事堂前駅から徒歩5分のところにあります。",
    "今日は良い天気ですね、散歩に行きましょう。",
    "株式会社うずしお　営業部",
    "選挙管理委員会は来週の日曜日に会議を開く予定です。",
    "すもももももももものうち？",
    "abc def ghi jkl, mno pqr!",
    "関西国際空港で国際線に乗り換える。",
    "電話番号は03-1234-5678です",
    "この文章には、とくに意味はありません。",
    "呼び出しを切り替える方法を思いついた。",
]
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
SURE = ["--buckets", "300", "--values", "3"]  # finds each pair that is near enough


def written_texts(seed: int, count: int) -> list[str]:
    """Texts of lines; some are those before with small changes, or with their lines in another order; some short."""
    choose = random.Random(seed)
    texts: list[str] = []
    for number in range(count):
        kind = choose.random()
        if texts and kind < 0.55:
            lines = choose.choice(texts[-12:]).split("\n")
            for _ in range(choose.choice([0, 1, 1, 2, 3])):
                at = choose.randrange(len(lines))
                lines[at] = choose.choice([lines[at][:-1], lines[at] + "。", choose.choice(SENTENCES), lines[at] * 2])
            if kind < 0.1:
                choose.shuffle(lines)
        elif kind < 0.62:
            lines = [choose.choice(["", "はい", "いいえ", "はい"])]
        else:
            few = choose.sample(SENTENCES, 5)
            lines = [f"{number}番の{choose.choice(few)}" for _ in range(choose.randrange(3, 14))]
        texts.append("\n".join(line for line in lines if line))
    return texts


def write(path: Path, texts: list[str]) -> Path:
    """As a Parquet file."""
    pq.write_table(pa.table({"docId": [f"{n:05}" for n in range(len(texts))], "text": texts}), path, row_group_size=50)
    return path


def found_in(folder: Path, duplicates: str = ".uzushio/duplicates") -> dict[int, tuple[int, float]]:
    """What a run says of duplicates."""
    rows = [row for path in sorted((folder / duplicates).iterdir()) for row in pq.ParquetFile(path).read().to_pylist()]
    return {int(row["docId"]): (int(row["duplicateOf"]), row["similarity"]) for row in rows}


def assert_same(found: dict[int, tuple[int, float]], wanted: dict[int, tuple[int, float]]) -> None:
    """The same documents, of the same, as similar."""
    assert {one: of for one, (of, _) in found.items()} == {one: of for one, (of, _) in wanted.items()}
    for one, (_, similarity) in found.items():
        assert similarity == pytest.approx(wanted[one][1], abs=1e-12)


@pytest.mark.parametrize("edits", [None, 0.8, 0.95])
@pytest.mark.parametrize("mode", ["A", "B", "C", None])
def test_all_pairs(uzushio: Uzushio, tmp_path: Path, dictionary: Path, mode: str | None, edits: float | None) -> None:
    """Each pair above both thresholds, and no other."""
    texts = written_texts(1 if edits else 2, 160)
    documents = [oracle.surfaces(text, mode) if mode else list(text) for text in texts]
    pairs = oracle.pairs_of(documents, 4, 0.75, edits)
    wanted = oracle.first_of_each(pairs)
    assert 20 < len(wanted) < len(texts)
    given: list[object] = ["--ngram=4", "--jaccard=0.75", *SURE]
    given += ["--skip-editsim"] if edits is None else [f"--editsim-thr={edits}"]
    given += [f"--mode={mode}", "--sudachi", dictionary] if mode else []
    uzushio("minhash", write(tmp_path / "a.parquet", texts), "--output", tmp_path / "out", *given)
    assert_same(found_in(tmp_path / "out"), wanted)


@pytest.mark.parametrize("mode", ["C", None])
def test_parts_are_compared_like_the_whole(
    uzushio: Uzushio, tmp_path: Path, dictionary: Path, mode: str | None
) -> None:
    """N-grams and edits, of characters and of Sudachi's tokens, across parts: the index keeps what is compared."""
    texts = written_texts(11, 150)
    documents = [oracle.surfaces(text, mode) if mode else list(text) for text in texts]
    wanted = oracle.first_of_each(oracle.pairs_of(documents, 4, 0.75, 0.8))
    assert len(wanted) > 20
    given: list[object] = ["--ngram=4", "--jaccard=0.75", "--editsim-thr=0.8", *SURE]
    given += [f"--mode={mode}", "--sudachi", dictionary] if mode else []
    found: dict[int, tuple[int, float]] = {}
    before: list[object] = []
    for n in range(3):
        table = pa.table({"docId": [f"{at:05}" for at in range(50 * n, 50 * n + 50)], "text": texts[50 * n :][:50]})
        pq.write_table(table, tmp_path / "part.parquet")
        uzushio("minhash", tmp_path / "part.parquet", "--output", tmp_path / f"out{n}", *given, *before)
        found.update(found_in(tmp_path / f"out{n}"))
        before += ["--against", tmp_path / f"out{n}"]
    assert_same(found, wanted)
    if not mode:
        return
    assert read_json(tmp_path / "out0" / ".uzushio/minhash" / "index.json")["dictionary"]
    with (tmp_path / "system.dic").open("wb") as file:
        file.write(dictionary.read_bytes() + b"x")
    other = ["--ngram=4", *SURE, "--mode=B", "--sudachi", dictionary]
    refused = ["minhash", tmp_path / "part.parquet", "--output", tmp_path / "no", "--against", tmp_path / "out0"]
    assert "give the same" in uzushio(*refused, *other, code=2).stderr
    another = ["--ngram=4", *SURE, "--mode=C", "--sudachi", tmp_path / "system.dic"]
    assert "XXH64" in uzushio(*refused, *another, code=2).stderr


def test_modes_differ(dictionary: Path) -> None:
    """What the tests above are worth."""
    assert dictionary.is_file()
    cut = [oracle.surfaces("呼び出しを切り替える", mode) for mode in "ABC"]
    assert len(cut[0]) > len(cut[2])
    assert "".join(cut[0]) == "".join(cut[2])


def test_edits_decide(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same lines in another order: the same n-grams, nearly, and many edits."""
    choose = random.Random(7)
    lines = ["".join(chr(0x4E00 + choose.randrange(2000)) for _ in range(80)) for _ in range(12)]
    texts = ["\n".join(lines), "\n".join(lines[6:] + lines[:6])]
    documents = write(tmp_path / "a.parquet", texts)
    uzushio("minhash", documents, "--output", tmp_path / "sets", "--skip-edit-similarity", *SURE)
    uzushio("minhash", documents, "--output", tmp_path / "edits", "--edit-similarity=0.8", *SURE)
    assert found_in(tmp_path / "sets").keys() == {1}
    assert not (tmp_path / "edits" / ".uzushio/duplicates").exists() or not found_in(tmp_path / "edits")


def test_defaults_are_the_older_tools(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """150 buckets of 15 values, both thresholds .8, the first stays; what is given goes before."""
    texts = [*written_texts(3, 30), "これは、二度ある文章です。", "これは、二度ある文章です。"]
    documents = write(tmp_path / "a.parquet", texts)
    sudachi = ["--tokens=sudachi-C", "--sudachi", dictionary]
    uzushio("minhash", documents, "--output", tmp_path / "out", *sudachi)
    assert read_json(tmp_path / "out" / ".uzushio/minhash" / "index.json")["buckets"] == 150
    whole = ["--ngram=5", "--buckets=150", "--values=15", "--jaccard=0.8", "--edit-similarity=0.8", "--keep=first"]
    assert "complete already" in uzushio("minhash", documents, "--output", tmp_path / "out", *sudachi, *whole).stderr
    assert found_in(tmp_path / "out")[31][0] == 30
    explained = uzushio("minhash", "--explain", "--edit-similarity=0.7").stdout
    assert f"0.80  {1 - (1 - 0.8**15) ** 150:.4f}" in explained
    assert "exact Jaccard index is 0.8 or more" in explained
    assert "edit similarity, in characters, has to be 0.7 or more" in explained
    assert "0.80  0.3711" in uzushio("minhash", "--explain", "--verify=0.8").stdout


def test_layout_of_the_older_tool(uzushio: Uzushio, tmp_path: Path) -> None:
    """`dedup/` and `dup/`: the same files as in the usual places."""
    documents = write(tmp_path / "a.parquet", written_texts(4, 60))
    arguments = ["minhash", documents, "--edit-similarity=0.8", *SURE]
    uzushio(*arguments, "--output", tmp_path / "usual")
    uzushio(*arguments, "--output", tmp_path / "older", "--layout=dedup-dup")
    kept, others = (
        tmp_path / "older" / "dedup" / "part-00000.parquet",
        tmp_path / "older" / "dup" / "part-00000.parquet",
    )
    assert kept.read_bytes() == (tmp_path / "usual" / "part-00000.parquet").read_bytes()
    assert others.read_bytes() == (tmp_path / "usual" / ".uzushio/duplicates/part-00000.pq").read_bytes()
    paths = [file["path"] for file in read_json(tmp_path / "older" / ".uzushio/manifest.json")["files"]]
    assert len(paths) == len(set(paths))
    assert {"dedup/part-00000.parquet", "dup/part-00000.parquet"} <= set(paths)
    uzushio("minhash", tmp_path / "older" / "dedup", "--output", tmp_path / "again", "--keep=first")
    counts = read_json(tmp_path / "again" / ".uzushio/manifest.json")["counts"]
    assert counts["documents"] == pq.read_metadata(kept).num_rows


def test_threads_memory_and_splits_make_no_difference(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """The same bytes."""
    texts = written_texts(5, 400)
    (tmp_path / "in").mkdir()
    for part in range(4):
        write(tmp_path / "in" / f"{part}.parquet", texts[part::4])
    said: list[dict[str, bytes]] = []
    for threads, memory in ((1, "352MiB"), (4, "2GiB")):
        out = tmp_path / f"out{threads}"
        given = ["--tokens=sudachi-B", "--sudachi", dictionary, "--threads", threads, "--memory", memory]
        uzushio("minhash", tmp_path / "in", "--output", out, *given)
        files = [path for path in sorted(out.rglob("*")) if path.is_file()]
        said.append({str(path.relative_to(out)): path.read_bytes() for path in files})
    assert said[0] == said[1]


def test_refused(uzushio: Uzushio, tmp_path: Path, dictionary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can not be meant."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    documents = write(tmp_path / "a.parquet", ["text"])
    run: list[Any] = ["minhash", documents, "--output", tmp_path / "out"]
    usual = ["--buckets=40", "--values=20"]
    uzushio("minhash", documents, "--output", tmp_path / "index", "--index-only", "--keep=first", "--skip-verify")
    for arguments, said in (
        (["--mode=C"], "there is no Sudachi dictionary in the active virtual environment"),
        (["--mode=C", "--sudachi=nowhere.dic"], "there is no Sudachi dictionary 'nowhere.dic'"),
        (["--edit-similarity=0.8", "--skip-editsim"], "exclude each other"),
        (["--edit-similarity=0.8", "--index-only", "--skip-index-texts"], "leave out --skip-index-texts"),
        (["--skip-editsim", *usual, f"--against={tmp_path / 'index'}"], "--skip-edit-similarity compares texts"),
        (["--mode=A", "--sudachi", dictionary, f"--against={tmp_path / 'index'}"], "give the same"),
        (["--jaccard=0.8", "--verify=0.9"], "give it once"),
        (["--mode=D"], "--tokens D: give "),
        (["--sudachi", dictionary], "give --tokens sudachi-C too"),
        (["--index-only", "--keep=first", "--layout=dedup-dup"], "leave out --layout"),
    ):
        assert said in uzushio(*run, *arguments, code=2).stderr
    assert not (tmp_path / "out").exists()
    assert "  0.80  0.9954" in uzushio("minhash", "--explain", "--mode=C").stdout  # without a dictionary


def test_another_dictionary_is_another_run(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """By what it holds, not by its path."""
    documents = write(tmp_path / "a.parquet", ["一つ目の文書", "二つ目の文書"])
    own = tmp_path / "system.dic"
    own.write_bytes(dictionary.read_bytes())
    arguments = ("minhash", documents, "--mode=C", "--output", tmp_path / "out", "--sudachi")
    uzushio(*arguments, own)
    assert "was complete already" in uzushio(*arguments, dictionary).stderr
    with own.open("ab") as file:
        file.write(b"x")
    uzushio(*arguments, own, code=2)


@pytest.mark.parametrize("mode", ["C", None])
def test_real_documents(uzushio: Uzushio, tmp_path: Path, dictionary: Path, mode: str | None) -> None:
    """With the defaults: no false pair, and of the true ones as many as the formula says."""
    if not (PAGES / "small.warc.gz").exists():
        pytest.skip("no real pages; set UZUSHIO_REAL_PAGES")
    pages = ("extract", PAGES / "small.warc.gz", "--language=all", "--text=original")
    uzushio(*pages, "--output", tmp_path / "pages")
    rows = [row for path in sorted((tmp_path / "pages").rglob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    texts = [oracle.plain(row["text"]) for row in rows]
    texts = [text[:1000] for text in texts][:150]
    choose = random.Random(6)
    for text in choose.sample(texts, 60):  # as mirrors have them
        at = choose.randrange(len(text) + 1)
        texts.append(text[: at // 2] + "改" + text[at // 2 : at] + text[at + choose.randrange(60) :])
    documents = [oracle.surfaces(text, mode) if mode else list(text) for text in texts]
    wanted = oracle.first_of_each(oracle.pairs_of(documents, 5, 0.8, 0.8))
    given = [f"--mode={mode}", "--sudachi", dictionary] if mode else ["--edit-similarity=0.8"]
    uzushio("minhash", write(tmp_path / "a.parquet", texts), "--output", tmp_path / "out", *given)
    found = found_in(tmp_path / "out")
    for one, (of, similarity) in found.items():
        assert oracle.jaccard_of(documents[of], documents[one], 5) >= 0.8
        assert similarity >= 0.8
        assert similarity == pytest.approx(oracle.edit_similarity(documents[of], documents[one]), abs=1e-12)
    assert found.keys() <= wanted.keys()
    assert len(found) >= 0.98 * len(wanted)
    assert len(wanted) >= 40
