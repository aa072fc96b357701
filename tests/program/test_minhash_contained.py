"""`uzushio minhash --contained`: documents that are contained in longer ones, against sets in Python."""

from __future__ import annotations

import contextlib
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import minhash_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import PROGRAM, Uzushio, read_json

Rows = list[dict[str, Any]]
Found = dict[str, tuple[str, str]]
LETTERS = [chr(0x4E00 + n) for n in range(3000)]
DUPLICATES = ".uzushio/duplicates/part-00000.pq"


def prose(choose: random.Random, length: int) -> str:
    """A text that is in no other."""
    return "".join(choose.choices(LETTERS, k=length))


def rows_of(seed: int) -> Rows:
    """Texts, parts of them with another head and tail, whole ones with much around them, and near copies."""
    choose = random.Random(seed)
    boilerplate = [prose(choose, 150) for _ in range(3)]
    texts = [prose(choose, choose.randrange(400, 3000)) for _ in range(40)]
    for _ in range(160):
        base = choose.choice(texts)
        kind = choose.random()
        if kind < 0.4:
            length = choose.randrange(min(250, len(base)), len(base) + 1)
            at = choose.randrange(len(base) - length + 1)
            cut = choose.randrange(length // 8)
            texts.append(prose(choose, cut) + base[at + cut : at + length])
        elif kind < 0.6:
            texts.append(prose(choose, choose.randrange(300)) + base + prose(choose, choose.randrange(20, 300)))
        elif kind < 0.75:
            letters = list(base)
            for _ in range(choose.randrange(len(base) // 40)):
                letters[choose.randrange(len(base))] = "改"
            texts.append("".join(letters))
        elif kind < 0.85:
            half = len(base) // 2
            texts.append(base[half:] + base[:half])
        else:
            texts.append(choose.choice(boilerplate) + prose(choose, choose.randrange(100)) + choose.choice(boilerplate))
    texts += [*boilerplate, "", "あ", "ああああああ" * 100, "あ" * 2000, "あ" * 2001]
    choose.shuffle(texts)
    return [
        {"docId": f"{choose.randrange(1 << 60):x}", "text": text, "date": f"2023-04-{choose.randrange(1, 29):02}"}
        for text in texts
    ]


def write(path: Path, rows: Rows, group: int = 16) -> Path:
    """A Parquet file of some row groups."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def removed(folder: Path) -> list[dict[str, Any]]:
    """The duplicates of a run."""
    rows: list[dict[str, Any]] = pq.ParquetFile(folder / DUPLICATES).read().to_pylist()
    return rows


def found_in(folder: Path) -> Found:
    """Why documents went: what they are duplicates of, and the reason."""
    return {row["docId"]: (row["duplicateOf"], row["reason"]) for row in removed(folder)}


def tree(folder: Path) -> dict[str, bytes]:
    """All files."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def run(uzushio: Uzushio, folder: Path, rows: Rows, *more: Any) -> Found:
    """The duplicates among some documents, where the first stays."""
    documents = write(folder / "a.parquet", rows)
    uzushio("minhash", documents, "--output", folder / "out", "--keep=first", "--contained=.9", *more)
    return found_in(folder / "out")


@pytest.mark.parametrize("keep", ["newest", "first", "longest"])
@pytest.mark.parametrize("more", [["--skip-verify"], ["--verify=0.9"], ["--verify=0.9", "--skip-index-texts"]])
@pytest.mark.parametrize("least", [0.9, 0.7])
def test_against_an_oracle(uzushio: Uzushio, tmp_path: Path, keep: str, more: list[str], least: float) -> None:
    """First near-duplicates go, by the usual rule, then what is contained in longer ones of the others."""
    rows = rows_of(1)
    documents, out = write(tmp_path / "a.parquet", rows), tmp_path / "out"
    uzushio("minhash", documents, "--output", tmp_path / "near", f"--keep={keep}", *more)
    near = {row["docId"]: row["duplicateOf"] for row in removed(tmp_path / "near")}
    contained = oracle.contained(rows, [row["docId"] for row in rows if row["docId"] not in near], keep, least)
    assert min(len(near), len(contained)) > 15
    summary = tmp_path / "summary.json"
    uzushio("minhash", documents, "-o", out, f"--keep={keep}", f"--contained={least}", *more, "--summary", summary)
    wanted = {name: (of, "text") for name, of in near.items()}
    wanted |= {name: (of, "contained") for name, (of, _) in contained.items()}
    assert found_in(out) == wanted
    for row in removed(out):
        if row["reason"] == "contained":
            assert row["similarity"] == pytest.approx(contained[row["docId"]][1], abs=1e-12)
    assert [row["docId"] for row in removed(out)] == [row["docId"] for row in rows if row["docId"] in wanted]
    counts = read_json(summary)
    assert counts["contained"] == len(contained)
    assert counts["duplicates"] == len(wanted)
    assert counts["kept"] == len(rows) - len(wanted)
    for name in wanted:  # each chain ends in a document that stays
        end, steps = name, 0
        while end in wanted:
            end, steps = wanted[end][0], steps + 1
        assert steps < 20


def test_threads_memory_and_order_make_no_difference(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same bytes, whatever is spilled; the same documents, however they come."""
    rows = rows_of(2) + rows_of(3)
    for n in range(3):
        write(tmp_path / "in" / f"{n}.parquet", rows[n::3], 20)
    trees = []
    for threads, memory in ((1, "192MiB"), (2, "256MiB"), (7, "600MiB")):
        out = tmp_path / f"out{threads}"
        resources = ["--threads", str(threads), "--memory", memory]
        uzushio("minhash", tmp_path / "in", "--output", out, "--contained=0.9", *resources)
        trees.append(tree(out))
    assert trees[0] == trees[1] == trees[2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out1", "out2", "out7"]
    random.Random(1).shuffle(rows)
    uzushio("minhash", write(tmp_path / "b.parquet", rows), "--output", tmp_path / "out", "--contained=0.9")
    assert found_in(tmp_path / "out") == found_in(tmp_path / "out1")


def test_chains_and_near_duplicates(uzushio: Uzushio, tmp_path: Path) -> None:
    """What is contained in a near-duplicate is compared with the document that stays of it."""
    choose = random.Random(4)
    a, b, c, other = (prose(choose, 600) for _ in range(4))
    texts = {
        "a": a,  # in ab, which is in abc
        "ab": a + b,
        "abc": a + b + c,
        "abc again": a + b + c,
        "other": other,
        "other, and more": other + prose(choose, 12),  # goes, and what is in it is compared with the one before
        "part": other[:400],
        "end": other[200:],
    }
    texts["other, with its end"] = other + prose(choose, 15)
    texts["that end"] = texts["other, with its end"][-60:]  # in a near-duplicate only: it stays
    rows = [{"docId": name, "text": text} for name, text in texts.items()]
    assert run(uzushio, tmp_path, rows) == {
        "a": ("abc", "contained"),
        "ab": ("abc", "contained"),
        "abc again": ("abc", "text"),
        "other, and more": ("other", "text"),
        "other, with its end": ("other", "text"),
        "part": ("other", "contained"),
        "end": ("other", "contained"),
    }


def test_neither_of_two_is_lost(uzushio: Uzushio, tmp_path: Path) -> None:
    """A newer document stays of two near-duplicates, though it is contained in the older, longer one."""
    choose = random.Random(5)
    text = prose(choose, 2000)
    rows = [{"docId": "new", "text": text}, {"docId": "old", "text": text + prose(choose, 20)}]
    assert run(uzushio, tmp_path, rows) == {"old": ("new", "text")}


def test_short_empty_and_repeated_texts(uzushio: Uzushio, tmp_path: Path) -> None:
    """Texts without passages are compared with none; one n-gram is a share of 1 or of 0."""
    repeated = {"once": "あ" * 100, "longer": "あ" * 5000, "with others": "い" * 3000 + "あ" * 3000}
    texts = {"empty": "", "short": "です", "fifteen": "十五文字のとても短い文章なのです", **repeated}
    rows = [{"docId": name, "text": text} for name, text in texts.items()]
    found = run(uzushio, tmp_path, rows)
    assert {"empty", "short", "fifteen"}.isdisjoint(found)
    assert found.get("longer", ("once", "text")) == ("once", "text")  # the same set
    assert found.get("once", ("with others", "contained")) == ("with others", "contained")


def test_captures_of_a_url_contain_nothing(uzushio: Uzushio, tmp_path: Path) -> None:
    """They go first, with their own reason."""
    choose = random.Random(6)
    text = prose(choose, 800)
    rows = [
        {"docId": "old", "url": "http://a.jp/", "date": "2023-01-01", "text": text + prose(choose, 800)},
        {"docId": "new", "url": "http://a.jp/", "date": "2023-01-02", "text": prose(choose, 800)},
        {"docId": "part", "url": "http://b.jp/", "date": "2023-01-01", "text": text},
    ]
    assert run(uzushio, tmp_path, rows, "--url") == {"old": ("new", "url")}


def test_sudachi(uzushio: Uzushio, tmp_path: Path, dictionary: Path) -> None:
    """N-grams and lengths are of tokens."""
    sentences = [f"第{n}回の会議では、予算と計画について話し合い、{n * 7}人が参加しました。" for n in range(60)]
    rows = [{"docId": "all", "text": "\n".join(sentences)}, {"docId": "some", "text": "\n".join(sentences[20:40])}]
    found = run(uzushio, tmp_path, rows, "--tokens=sudachi-C", f"--sudachi={dictionary}")
    assert found == {"some": ("all", "contained")}


@pytest.mark.once
def test_a_text_in_very_many_documents(uzushio: Uzushio, tmp_path: Path) -> None:
    """In the least memory: each of 15,000 pages has a notice, which is a page, too; a book has 3,000 others."""
    choose = random.Random(7)
    notice = prose(choose, 300)
    rows = [{"docId": f"page {n}", "text": notice + prose(choose, 700)} for n in range(15_000)]
    chapters = [prose(choose, 300) for _ in range(3000)]
    rows += [{"docId": f"chapter {n}", "text": text} for n, text in enumerate(chapters)]
    rows += [{"docId": "notice", "text": notice}, {"docId": "book", "text": "".join(chapters)}]
    documents, out = write(tmp_path / "a.parquet", rows, 5000), tmp_path / "out"
    limits = ["--threads=1", "--memory=192MiB", "--summary", tmp_path / "summary.json"]
    uzushio("minhash", documents, "--output", out, "--keep=first", "--contained=.9", *limits)
    found = found_in(out)
    assert found.pop("notice")[0].startswith("page ")
    assert found == {f"chapter {n}": ("book", "contained") for n in range(3000)}
    assert read_json(tmp_path / "summary.json")["peak_memory_bytes"] < 192 << 20


def test_with_edit_similarity(uzushio: Uzushio, tmp_path: Path) -> None:
    """A text in another order is no near-duplicate then, but its n-grams are in the other one."""
    choose = random.Random(8)
    base, other = prose(choose, 1200), prose(choose, 1200)
    changed = other[:600] + prose(choose, 100) + other[700:]
    texts = {"base": base, "swapped": base[600:] + base[:600], "part": base[300:800], "other": other, "near": changed}
    rows = [{"docId": name, "text": text} for name, text in texts.items()]
    contained = {"swapped": ("base", "contained"), "part": ("base", "contained")}
    found = run(uzushio, tmp_path, rows, "--edit-similarity=.9")
    assert found == {**contained, "near": ("other", "text")}
    by_id = {row["docId"]: row["similarity"] for row in removed(tmp_path / "out")}
    assert by_id["near"] == pytest.approx(1100 / 1200, abs=1e-3)  # of edits
    assert by_id["swapped"] == pytest.approx(1192 / 1196)  # of n-grams
    contained["near"] = ("other", "contained")
    assert run(uzushio, tmp_path / "strict", rows, "--edit-similarity=.95") == contained


@pytest.mark.parametrize("more", [["--verify=.9"], ["--edit-similarity=.8", "--skip-index-texts"]])
def test_captures_of_a_url_with_verification(uzushio: Uzushio, tmp_path: Path, more: list[str]) -> None:
    """The oldest capture goes as such; the newest one is looked for in others."""
    choose = random.Random(9)
    text, page = prose(choose, 600), prose(choose, 600)
    rows = [
        {"docId": "old", "url": "http://a.jp/", "date": "2023-01-01", "text": page + prose(choose, 2000)},
        {"docId": "new", "url": "http://a.jp/", "date": "2023-01-03", "text": text},
        {"docId": "with", "url": "http://b.jp/", "date": "2023-01-02", "text": text + prose(choose, 900)},
        {"docId": "page", "url": "http://c.jp/", "date": "2023-01-02", "text": page},  # in the old capture only
    ]
    found = run(uzushio, tmp_path, rows, "--url", *more)
    assert found == {"old": ("new", "url"), "new": ("with", "contained")}


def test_losses_count_what_is_contained(uzushio: Uzushio, tmp_path: Path) -> None:
    """A book that takes the chapters of a host is a group as any other."""
    choose = random.Random(10)
    chapters = [prose(choose, 400) for _ in range(19)]
    rows = [{"docId": f"chapter {n}", "url": f"http://a.jp/{n}", "text": text} for n, text in enumerate(chapters)]
    rows.append({"docId": "book", "url": "http://b.jp/", "text": "".join(chapters)})
    documents, out = write(tmp_path / "a.parquet", rows), tmp_path / "out"
    given: list[Any] = [documents, "--output", out, "--keep=first", "--contained=.9", "--max-loss-least=10"]
    error = uzushio("minhash", *given, "--max-loss=.9", code=1).stderr
    assert "19 of 20 documents are duplicates of the document 'book' (95.0 %). Nothing was written" in error
    error = uzushio("minhash", *given, "--max-loss=.96", code=1).stderr
    assert "19 of 19 documents of the host 'a.jp' are duplicates" in error
    assert not (out / "_SUCCESS.json").exists()
    uzushio("minhash", *given, "--max-loss=1", "--summary", tmp_path / "summary.json")
    assert read_json(tmp_path / "summary.json")["largest_groups"] == [{"duplicate_of": "book", "duplicates": 19}]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_killed_and_started_again(uzushio: Uzushio, tmp_path: Path, share: float) -> None:
    """SIGKILL at several moments; the result is that of an undisturbed run, and nothing else is left."""
    documents, spill = write(tmp_path / "a.parquet", rows_of(11) * 5), tmp_path / "spill"
    spill.mkdir()
    given: list[Any] = ["minhash", documents, "--contained=.9", "--verify=.9", "--threads=1", "--tmp", spill]
    begin = time.monotonic()
    uzushio(*given, "--output", tmp_path / "undisturbed")
    seconds = time.monotonic() - begin
    with subprocess.Popen([str(PROGRAM), *map(str, given), "--output", str(tmp_path / "out"), "--quiet"]) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(share * seconds)
        process.kill()
    uzushio(*given, "--output", tmp_path / "out")
    assert tree(tmp_path / "out") == tree(tmp_path / "undisturbed")
    assert list(spill.iterdir()) == []


@pytest.mark.once
def test_a_long_container_in_little_memory(uzushio: Uzushio, tmp_path: Path) -> None:
    """A book of several partitions, its chapters, and texts that share some; and texts of one character."""
    choose = random.Random(12)
    book = prose(choose, 1_500_000)
    texts = {"book": book, "half": book[:900_000], "almost": book[:600_000] + prose(choose, 70_000)}
    texts |= {f"chapter {n}": book[n * 25_000 : n * 25_000 + 20_000] for n in range(60)}
    texts |= {f"quote {n}": book[n * 25_000 : n * 25_000 + 300] + prose(choose, 60) for n in range(60)}
    texts |= {"all one": "あ" * 1_000_000, "with": prose(choose, 3000) + "あ" * 900_000}
    rows = [{"docId": name, "text": text} for name, text in texts.items()]
    summary = tmp_path / "summary.json"
    found = run(uzushio, tmp_path, rows, "--threads=1", "--memory=192MiB", "--summary", summary)
    assert found.pop("half") == ("book", "contained")
    assert found == {f"chapter {n}": ("book", "contained") for n in range(60)}
    assert read_json(summary)["peak_memory_bytes"] < 192 << 20


def test_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """What can not be meant is said, and nothing is written."""
    documents = write(tmp_path / "a.parquet", [{"docId": "a", "text": "b"}])
    taken = write(tmp_path / "b.parquet", [{"docId": "a", "text": "b", "reason": "c"}])
    index, out = tmp_path / "index", f"--output={tmp_path / 'out'}"
    uzushio("minhash", documents, "--output", index, "--index-only", "--keep=longest")
    cases: list[tuple[list[Any], str]] = [
        ([documents, "--index-only"], "leave out --contained"),
        ([documents, f"--against={index}"], "--contained with --against: an index has no passages"),
        ([documents, f"--beside={index}"], "--contained with --beside: an index has no passages"),
        ([taken], "a column 'reason' already"),
    ]
    for arguments, said in cases:
        given = [*arguments, out, "--keep=longest", "--contained=.9"]
        assert said in uzushio("minhash", *given, code=2).stderr
    assert "--contained" in uzushio("minhash", documents, out, "--contained=1.5", code=2).stderr
    assert not (tmp_path / "out").exists()
