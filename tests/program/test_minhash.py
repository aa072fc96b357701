"""`uzushio minhash`: which documents stay, against a plain oracle; indexes, splits, memory, and what is refused."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from pathlib import Path
from typing import Any

import minhash_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from minhash_oracle import Parted, Settings
from program import Uzushio, read_json

Rows = list[dict[str, Any]]
FEW = Settings(buckets=6, values=3)  # finds pairs of all similarities now and then
DUPLICATES = ".uzushio/duplicates/part-00000.pq"


def random_rows(seed: int, count: int) -> Rows:
    """Documents that are copies of others, nearly copies, less so, or alone; short ones, and ones without a text."""
    choose = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        kind = choose.random()
        if texts and kind < 0.6:
            letters = list(choose.choice(texts))
            for _ in range(choose.choice([0, 0, 1, 2, 5, 20]) if letters else 0):
                letters[choose.randrange(len(letters))] = chr(0x4E00 + choose.randrange(900))
        elif kind < 0.7:
            letters = list("あいう")[: choose.randrange(4)]
        else:
            letters = [chr(0x3042 + choose.randrange(80)) for _ in range(choose.randrange(4, 150))]
        texts.append("".join(letters))
    rows = []
    for text in texts:
        if len(text) > 20 and choose.random() < 0.5:  # the same with markup
            half = len(text) // 2
            text = f"body>p\x1c{text[:half]}\n\nbody>div.a\x1d07\x1c\x02{text[half:]}\x03"
        day = choose.randrange(1, 9)
        date = choose.choice([f"2023-04-0{day}T12:00:00", f"2023-04-0{day}T12:00:0{day}", "2023-04-01", "", None])
        number = f"{choose.randrange(1 << 60):x}"
        rows.append(
            {"docId": choose.choice(["", "document "]) + number, "text": text, "date": date, "url": "http://a.jp/"}
        )
    rows[count // 2]["text"] = None
    return rows


def write(path: Path, rows: Rows, group: int = 16) -> Path:
    """A Parquet file of some row groups."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def options(settings: Settings) -> list[str]:
    """As arguments."""
    given = [f"--ngram={settings.ngram}", f"--buckets={settings.buckets}", f"--values={settings.values}"]
    verify = f"--verify={settings.verify}" if settings.verify else "--skip-verify"
    return [*given, f"--keep={settings.keep}", verify]


def read(folder: Path) -> Parted:
    """What a run has written."""
    kept = [row for path in sorted(folder.glob("*.parquet")) for row in pq.ParquetFile(path).read().to_pylist()]
    gone = pq.ParquetFile(folder / DUPLICATES).read().to_pylist()
    return Parted([row["docId"] for row in kept], {row["docId"]: row["duplicateOf"] for row in gone})


def tree(folder: Path) -> dict[str, bytes]:
    """All files."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("keep", ["newest", "first", "longest"])
@pytest.mark.parametrize("verify", [None, 0.5])
@pytest.mark.parametrize("seed", [1, 2])
def test_rule(uzushio: Uzushio, tmp_path: Path, keep: str, verify: float | None, seed: int) -> None:
    """Who stays, and whose duplicates the others are, is what the oracle says."""
    rows = random_rows(seed, 150)
    settings = Settings(buckets=FEW.buckets, values=FEW.values, keep=keep, verify=verify)
    wanted = oracle.part(rows, settings)
    assert len(wanted.duplicates) > 20
    documents = write(tmp_path / "a.parquet", rows)
    uzushio("minhash", documents, "--output", tmp_path / "out", *options(settings))
    assert read(tmp_path / "out") == wanted
    texts = {row["docId"]: oracle.plain(row["text"]) for row in rows}
    for row in pq.ParquetFile(tmp_path / "out" / DUPLICATES).read().to_pylist():
        exact = oracle.jaccard(texts[row["docId"]], texts[row["duplicateOf"]])
        assert 0 <= row["similarity"] <= 1
        assert not verify or (row["similarity"] == pytest.approx(exact, abs=1e-12) and exact >= verify)


def test_defaults(uzushio: Uzushio, tmp_path: Path) -> None:
    """40 buckets of 20 values, and texts compared; rows keep all of their columns; the summary adds up."""
    rows = random_rows(3, 80)
    wanted = oracle.part(rows, Settings(verify=0.9))
    assert len(wanted.duplicates) < len(oracle.part(rows, Settings()).duplicates)
    documents = write(tmp_path / "a.parquet", rows)
    uzushio("minhash", documents, "--output", tmp_path / "out", "--summary", tmp_path / "summary.json")
    assert read(tmp_path / "out") == wanted
    kept = pq.ParquetFile(tmp_path / "out" / "part-00000.parquet").read()
    assert kept.to_pylist() == [row for row in rows if row["docId"] in wanted.kept]
    gone = pq.ParquetFile(tmp_path / "out" / DUPLICATES).read()
    assert gone.drop_columns(["duplicateOf", "similarity"]).to_pylist() == [
        row for row in rows if row["docId"] in wanted.duplicates
    ]
    texts = {row["docId"]: oracle.plain(row["text"]) for row in rows}
    for row in gone.to_pylist():
        exact = oracle.jaccard(texts[row["docId"]], texts[row["duplicateOf"]])
        assert row["similarity"] == pytest.approx(exact, abs=1e-12)
    uzushio("minhash", documents, "--output", tmp_path / "shared", "--skip-verify")
    for row in pq.ParquetFile(tmp_path / "shared" / DUPLICATES).read().to_pylist():
        exact = oracle.jaccard(texts[row["docId"]], texts[row["duplicateOf"]])
        assert row["similarity"] == pytest.approx(exact, abs=0.2)  # of 800 bits: five standard deviations
    summary = read_json(tmp_path / "summary.json")
    assert summary["documents"] == summary["kept"] + summary["duplicates"] == len(rows)
    assert summary["kept"] == len(wanted.kept)
    assert summary["documents_without_date"] == sum(not row["date"] for row in rows)


def test_what_is_written_is_documents_again(uzushio: Uzushio, tmp_path: Path) -> None:
    """Other stages take the output, and see the kept documents only."""
    rows = random_rows(4, 60)
    documents = write(tmp_path / "a.parquet", rows)
    uzushio("minhash", documents, "--output", tmp_path / "out", *options(FEW))
    kept = len(read(tmp_path / "out").kept)
    uzushio("minhash", tmp_path / "out", "--output", tmp_path / "again", "--index-only")
    assert read_json(tmp_path / "again" / ".uzushio/manifest.json")["counts"]["documents"] == kept
    uzushio("filter", tmp_path / "out", "--output", tmp_path / "clean", "--summary", tmp_path / "summary.json")
    assert read_json(tmp_path / "summary.json")["input"]["documents"] == kept


def test_order_makes_no_difference(uzushio: Uzushio, tmp_path: Path) -> None:
    """Ties go by ids, not by places."""
    rows = random_rows(5, 120)
    shuffled = rows[:]
    random.Random(1).shuffle(shuffled)
    found = []
    for name, some in (("a", rows), ("b", shuffled)):
        write(tmp_path / f"{name}.parquet", some)
        uzushio("minhash", tmp_path / f"{name}.parquet", "--output", tmp_path / name, *options(FEW))
        found.append(read(tmp_path / name))
    assert sorted(found[0].kept) == sorted(found[1].kept)
    assert found[0].duplicates == found[1].duplicates


@pytest.mark.parametrize("verify", [None, 0.7])
def test_threads_and_memory_make_no_difference(uzushio: Uzushio, tmp_path: Path, verify: float | None) -> None:
    """The same bytes, whatever is spilled; and nothing is left beside the output."""
    settings = Settings(buckets=FEW.buckets, values=FEW.values, verify=verify)
    rows = random_rows(6, 2000)
    for n in range(3):
        write(tmp_path / "in" / f"{n}.parquet", rows[n::3], 50)
    trees = []
    for threads, memory in ((1, "192MiB"), (2, "256MiB"), (7, "2GiB")):
        out = tmp_path / f"out{threads}"
        resources = ["--threads", str(threads), "--memory", memory if threads < 7 else "600MiB"]
        uzushio("minhash", tmp_path / "in", "--output", out, *options(settings), *resources)
        trees.append(tree(out))
    assert trees[0] == trees[1] == trees[2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out1", "out2", "out7"]


@pytest.mark.parametrize("keep", ["newest", "longest"])
@pytest.mark.parametrize("verify", [None, 0.5, 0.8])
def test_any_split_is_the_whole(uzushio: Uzushio, tmp_path: Path, keep: str, verify: float | None) -> None:
    """Each part beside the indexes of the others: all together, the same documents stay."""
    rows = random_rows(7, 150)
    settings = Settings(buckets=FEW.buckets, values=FEW.values, keep=keep, verify=verify)
    whole = oracle.part(rows, settings)
    assert len(whole.duplicates) > 20
    parts = {"a": rows[:20], "b": rows[20:90], "c": rows[90:]}
    for name, some in parts.items():
        write(tmp_path / f"{name}.parquet", some)
        uzushio(
            "minhash",
            tmp_path / f"{name}.parquet",
            "--output",
            tmp_path / f"i{name}",
            "--index-only",
            *options(settings),
        )
    found = Parted()
    for name in parts:
        beside = [f"--beside={tmp_path / f'i{other}'}" for other in parts if other != name]
        out = tmp_path / f"out{name}"
        uzushio("minhash", tmp_path / f"{name}.parquet", "--output", out, *options(settings), *beside)
        one = read(out)
        found.kept += one.kept
        found.duplicates.update(one.duplicates)
        # A run's own index is the one of --index-only.
        assert tree(out / ".uzushio/minhash") == tree(tmp_path / f"i{name}" / ".uzushio/minhash")
    assert found == whole


def test_many_of_a_bucket_in_parts(uzushio: Uzushio, tmp_path: Path) -> None:
    """Buckets of more documents than are compared, in every part: those of the whole are looked at."""
    choose = random.Random(21)
    rows = []
    for n in range(90):  # one bucket, of three kinds that are no duplicates of each other
        tail = [chr(0x5000 + 200 * (n % 3) + choose.randrange(190)) for _ in range(12)]
        date = f"2023-04-{choose.randrange(1, 29):02}"
        text = "同じ始まり" * 4 + "甲乙丙"[n % 3] * 9 + "".join(tail[: choose.randrange(3)])
        rows.append({"docId": f"{choose.randrange(1 << 40):x}", "text": text, "date": date})
    settings = Settings(buckets=2, values=1, verify=0.9)
    whole = oracle.part(rows, settings)
    assert 0 < len(whole.duplicates) < 87  # a few are missed: they come after eight others
    for n in range(3):
        write(tmp_path / f"{n}.parquet", rows[n::3])
        index = ("--index-only", "--output", tmp_path / f"index{n}")
        uzushio("minhash", tmp_path / f"{n}.parquet", *index, *options(settings))
    found = Parted()
    for n in range(3):
        beside = [f"--beside={tmp_path / f'index{other}'}" for other in range(3) if other != n]
        uzushio("minhash", tmp_path / f"{n}.parquet", "--output", tmp_path / f"out{n}", *options(settings), *beside)
        one = read(tmp_path / f"out{n}")
        found.kept += one.kept
        found.duplicates.update(one.duplicates)
    assert sorted(found.kept) == sorted(whole.kept)
    assert found.duplicates == whole.duplicates


@pytest.mark.parametrize("keep", ["newest", "longest"])
def test_verified_part_after_part(uzushio: Uzushio, tmp_path: Path, keep: str) -> None:
    """Documents of earlier parts stand above all of a later one, and are compared like those of one part."""
    rows = random_rows(22, 150)
    settings = Settings(buckets=FEW.buckets, values=FEW.values, keep=keep, verify=0.6)
    before: list[str] = []
    for n in range(3):
        part, out = rows[50 * n : 50 * n + 50], tmp_path / f"out{n}"
        write(tmp_path / f"{n}.parquet", part)
        uzushio("minhash", tmp_path / f"{n}.parquet", "--output", out, *options(settings), *before)
        assert read(out) == oracle.part(part, settings, decided=rows[: 50 * n])
        before.append(f"--against={out}")


def test_indexes_keep_texts(uzushio: Uzushio, tmp_path: Path) -> None:
    """Where they are asked for, and where they are compared, unless that is not wanted."""
    documents = write(tmp_path / "a.parquet", random_rows(23, 60))
    others = write(tmp_path / "b.parquet", random_rows(24, 60))
    verified = options(Settings(buckets=FEW.buckets, values=FEW.values, verify=0.6))
    cases = {
        "plain": options(FEW),
        "asked": [*options(FEW), "--index-texts"],
        "verified": verified,
        "skipped": [*verified, "--skip-index-texts"],
    }
    for name, given in cases.items():
        uzushio("minhash", documents, "--output", tmp_path / name, *given)
        has_texts = (tmp_path / name / ".uzushio/minhash" / "texts").exists()
        assert has_texts == (name in ("asked", "verified"))
        counts = read_json(tmp_path / name / ".uzushio/manifest.json")["counts"]
        assert ("index_text_bytes" in counts) == has_texts
        against = [others, "--output", tmp_path / f"against-{name}", f"--against={tmp_path / name}"]
        uzushio("minhash", *against, *options(FEW))  # who does not compare texts needs none
        if has_texts:
            uzushio("minhash", *against, *verified, "--overwrite")
        else:
            said = uzushio("minhash", *against, *verified, "--overwrite", code=2).stderr
            assert "make it with --index-texts" in said
            assert str(tmp_path / name) in said
    # The same documents go, whether their texts are read again or were kept.
    for name in (".uzushio/duplicates/part-00000.pq", "part-00000.parquet"):
        assert (tmp_path / "skipped" / name).read_bytes() == (tmp_path / "verified" / name).read_bytes()
        assert (tmp_path / "against-asked" / name).read_bytes() == (tmp_path / "against-verified" / name).read_bytes()
    assert tree(tmp_path / "asked" / ".uzushio/minhash") == tree(tmp_path / "verified" / ".uzushio/minhash")
    both = ["--verify", "0.8", "--index-texts", "--skip-index-texts"]
    assert "exclude each other" in uzushio("minhash", documents, "--output", tmp_path / "no", *both, code=2).stderr


@pytest.mark.parametrize("verify", [None, 0.7])
def test_against(uzushio: Uzushio, tmp_path: Path, verify: float | None) -> None:
    """Documents of an index stay, however old; part after part, `first` is the run on the whole."""
    rows = random_rows(8, 150)
    settings = Settings(buckets=FEW.buckets, values=FEW.values, keep="first", verify=verify)
    whole = oracle.part(rows, settings)
    found = Parted()
    before: list[str] = []
    for n in range(3):
        out = tmp_path / f"out{n}"
        write(tmp_path / f"{n}.parquet", rows[50 * n : 50 * n + 50])
        uzushio("minhash", tmp_path / f"{n}.parquet", "--output", out, *options(settings), *before)
        (tmp_path / f"{n}.parquet").unlink()  # texts are not read again
        one = read(out)
        found.kept += one.kept
        found.duplicates.update(one.duplicates)
        before.append(f"--against={out}")
    assert found.kept == whole.kept
    assert found.duplicates == whole.duplicates


def test_old_documents_stay(uzushio: Uzushio, tmp_path: Path) -> None:
    """Against an index, the newest is a duplicate of the oldest, and says of which."""
    text = "あいうえおかきくけこさしすせそ"
    write(tmp_path / "old.parquet", [{"docId": "old", "text": text, "date": "2001-01-01"}])
    write(tmp_path / "new.parquet", [{"docId": n, "text": text, "date": f"202{n}-01-01"} for n in "12"])
    uzushio("minhash", tmp_path / "old.parquet", "--output", tmp_path / "index", "--index-only")
    assert not list((tmp_path / "index").rglob("*.parquet"))
    summary = tmp_path / "summary.json"
    against = f"--against={tmp_path / 'index'}"
    uzushio("minhash", tmp_path / "new.parquet", "--output", tmp_path / "out", against, "--summary", summary)
    assert read(tmp_path / "out") == Parted([], {"1": "old", "2": "old"})
    assert read_json(summary)["duplicates_of_other_indexes"] == 2
    uzushio("minhash", tmp_path / "new.parquet", "--output", tmp_path / "both", f"--beside={tmp_path / 'index'}")
    assert read(tmp_path / "both") == Parted(["2"], {"1": "2"})


def test_short_and_empty_texts(uzushio: Uzushio, tmp_path: Path) -> None:
    """A text of fewer than 5 characters is its own gram: only its equals are its duplicates."""
    texts = ["", None, "\x02\x03", "あ", "あい", "あ", "あいうえ", "あいうえお", "あいうえ", "あいうえおあいうえお"]
    rows = [{"docId": str(n), "text": text} for n, text in enumerate(texts)]
    uzushio("minhash", write(tmp_path / "a.parquet", rows), "--output", tmp_path / "out", "--keep=first")
    assert read(tmp_path / "out").duplicates == {"1": "0", "2": "0", "5": "3", "8": "6"}


@pytest.mark.once
@pytest.mark.parametrize("verify", ["--skip-verify", "--verify=0.9"])
def test_many_copies(uzushio: Uzushio, tmp_path: Path, verify: str) -> None:
    """One page a hundred thousand times, in the least memory: one stays, and it takes no time."""
    text = "利用規約に同意していただく必要があります。" * 3
    table = pa.table({"docId": [str(n) for n in range(100_000)], "text": [text] * 100_000})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=10_000)
    least = ["--threads=1", "--memory=192MiB"]
    uzushio("minhash", tmp_path / "a.parquet", "--output", tmp_path / "out", "--keep=first", verify, *least)
    found = read(tmp_path / "out")
    assert found.kept == ["0"]
    assert set(found.duplicates.values()) == {"0"}
    assert len(found.duplicates) == 99_999


@pytest.mark.once
def test_long_texts_in_little_memory(uzushio: Uzushio, tmp_path: Path) -> None:
    """Two texts of a million and a half characters are compared by hashes on disk; a third that begins so stays."""
    choose = random.Random(13)
    text = "".join(map(chr, (0x4E00 + n % 3000 for n in memoryview(choose.randbytes(3_000_000)).cast("H"))))
    like = text[:700_000] + "別" * 9 + text[700_000 + 60_000 :]
    other = text[:1_400_000] + like[::-1][:200_000]
    rows = [{"docId": name, "text": of} for name, of in (("text", text), ("like", like), ("other", other))]
    documents = write(tmp_path / "a.parquet", rows, 1)
    given = ["--keep=first", "--buckets=100", "--values=4", "--verify=.9", "--threads=1", "--memory=192MiB"]
    uzushio("minhash", documents, "--output", tmp_path / "out", *given, "--summary", tmp_path / "summary.json")
    gone = pq.ParquetFile(tmp_path / "out" / DUPLICATES).read().to_pylist()
    assert {row["docId"]: row["duplicateOf"] for row in gone} == {"like": "text"}
    assert gone[0]["similarity"] == pytest.approx(oracle.jaccard(text, like), abs=1e-12)
    summary = read_json(tmp_path / "summary.json")
    assert summary["spilled_bytes"] > 24 * len(text)
    assert summary["peak_memory_bytes"] < 192 << 20


def test_lines(uzushio: Uzushio, tmp_path: Path) -> None:
    """JSON Lines; bad lines are put aside once, and count."""
    rows = random_rows(9, 60)
    wanted = oracle.part(rows, FEW)
    lines = [json.dumps(row) for row in rows]
    lines[5:5] = ["no json", json.dumps({"docId": "x"})]
    with gzip.open(tmp_path / "a.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    arguments = ["minhash", tmp_path / "a.jsonl.gz", "--output", tmp_path / "out", *options(FEW)]
    uzushio(*arguments, "--max-bad=0", code=3)
    assert read(tmp_path / "out") == wanted
    counts = read_json(tmp_path / "out" / ".uzushio/manifest.json")["counts"]
    assert counts["quarantined"] == {"no-json": 1, "no-text": 1}
    assert counts["documents"] == len(rows)


def test_texts_that_are_no_utf8(uzushio: Uzushio, tmp_path: Path) -> None:
    """They are put aside; numbers of the others stay theirs."""
    texts = [b"\xff", b"twice, really", b"\xe3\x81", b"once, I think", b"twice, really"]
    table = pa.table({"docId": list("abcde"), "text": pa.array(texts, pa.binary())})
    pq.write_table(table, tmp_path / "a.parquet")
    uzushio("minhash", tmp_path / "a.parquet", "--output", tmp_path / "out", "--keep=first")
    assert read(tmp_path / "out") == Parted(["b", "d"], {"e": "b"})
    assert read_json(tmp_path / "out" / ".uzushio/manifest.json")["counts"]["quarantined"] == {"no-utf8": 2}


@pytest.mark.parametrize("kind", [pa.string(), pa.timestamp("us"), pa.timestamp("s", "UTC"), pa.date32(), pa.date64()])
def test_dates_of_any_type(uzushio: Uzushio, tmp_path: Path, kind: pa.DataType) -> None:
    """Texts, timestamps, dates."""
    dates = pa.array(["2020-01-03", "2020-01-05", None, "1960-01-01"])
    column = dates if kind == pa.string() else dates.cast(pa.timestamp("s")).cast(kind)
    table = pa.table({"docId": list("abcd"), "text": ["the same text"] * 4, "when": column})
    pq.write_table(table, tmp_path / "a.parquet")
    uzushio("minhash", tmp_path / "a.parquet", "--output", tmp_path / "out", "--date-column=when")
    assert read(tmp_path / "out").kept == ["b"]


def test_names_of_others(uzushio: Uzushio, tmp_path: Path) -> None:
    """The paper's, doubri's and the older tool's options are the same; --explain tells the curve."""
    said = {
        uzushio("minhash", "--explain", *names).stdout
        for names in (
            ["--buckets=30", "--values", "7"],
            ["-r", "30", "-b", "7"],
            ["--minhash-r=30", "--minhash-b", "7"],
        )
    }
    assert len(said) == 1
    assert f"0.80  {1 - (1 - 0.8**7) ** 30:.4f}" in said.pop()
    plain = uzushio("minhash", "--explain").stdout
    assert "0.90  0.9944" in plain
    assert "0.80  0.3711" in plain
    assert "20 buckets give (0.9252)" in plain
    assert "give it once" in uzushio("minhash", "--explain", "-b", "7", "--values=8", code=2).stderr


def test_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """What can not be meant is said, and nothing is written."""
    rows = random_rows(10, 10)
    documents = write(tmp_path / "a.parquet", rows)
    uzushio("minhash", documents, "--output", tmp_path / "index", "--index-only", *options(FEW))
    index, out = tmp_path / "index", f"--output={tmp_path / 'out'}"
    verified = Settings(buckets=FEW.buckets, values=FEW.values, verify=0.9)
    undated = write(tmp_path / "b.parquet", [{"docId": "a", "text": "b"}])
    taken = write(tmp_path / "c.parquet", [{"docId": "a", "text": "b", "similarity": 1.0}])
    numbered = write(tmp_path / "d.parquet", [{"docId": "a", "text": "b", "date": 5}])
    cases: list[tuple[list[Any], str]] = [
        ([documents, out, f"--against={index}"], "give the same"),
        (
            [documents, out, f"--beside={index}", *options(Settings(buckets=6, values=3, keep="longest"))],
            "give the same",
        ),
        ([documents, out, f"--beside={index}", *options(FEW)], "documents of this run"),
        ([documents, out, f"--against={tmp_path / 'a.parquet'}"], "there is no index in it"),
        ([documents, out, f"--against={index}", *options(verified)], "--index-texts, or give --skip-verify here, too"),
        ([documents, out, f"--beside={index}", "--keep=first"], "parts have no order"),
        ([documents, out, f"--against={index}", "--index-only"], "leave out --against"),
        ([documents, out, "--index-only", "--skip-index-texts"], "leave out --skip-index-texts, or give --skip-verify"),
        ([documents, out, "--verify=0.9", "--skip-verify"], "leave it out, or --verify"),
        ([documents, out, "--edit-similarity=0.9", "--skip-verify"], "leave it out, or --edit-similarity"),
        ([documents, out, "--buckets=4000"], "give 16384 at most"),
        ([undated, out], "--date-column"),
        ([taken, out, "--keep=first"], "a column 'similarity' already"),
        ([numbered, out], "dates are wanted"),
        ([documents], "--output is required"),
        ([out], "name documents"),
    ]
    for arguments, said in cases:
        assert said in uzushio("minhash", *arguments, code=2).stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["index.json", "documents", "ids", "buckets", "text_places", "texts"])
def test_damaged_indexes_are_errors(uzushio: Uzushio, tmp_path: Path, name: str) -> None:
    """Cut off, changed, or missing."""
    documents = write(tmp_path / "a.parquet", random_rows(11, 30))
    verify = 0.5 if name.startswith("text") else None  # who needs them, reads them
    given = options(Settings(buckets=FEW.buckets, values=FEW.values, verify=verify))
    uzushio("minhash", documents, "--output", tmp_path / "index", "--index-only", *given)
    whole = (tmp_path / "index" / ".uzushio/minhash" / name).read_bytes()
    changed = bytes([whole[0] ^ 1, *whole[1:]])
    for damage in (whole[: len(whole) // 2], whole[:-1], b"", changed, None):
        shutil.copytree(tmp_path / "index", tmp_path / "copy")
        place = tmp_path / "copy" / ".uzushio/minhash" / name
        if damage is None:
            place.unlink()
        else:
            place.write_bytes(damage)
        arguments = [
            "minhash",
            documents,
            "--output",
            tmp_path / "out",
            *given,
            f"--against={tmp_path / 'copy'}",
        ]
        if name == "index.json" and damage == whole[:-1]:  # a line end
            uzushio(*arguments)
            shutil.rmtree(tmp_path / "out")
        else:
            said = uzushio(*arguments, code=2 if name == "index.json" else 1).stderr
            assert str(tmp_path / "copy") in said
            assert not (tmp_path / "out").exists()
        shutil.rmtree(tmp_path / "copy")


def test_again_and_another(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same run is not done again; another is refused."""
    documents = write(tmp_path / "a.parquet", random_rows(12, 30))
    run = ["minhash", documents, "--output", tmp_path / "out", "--buckets=6", "--values=3"]
    arguments = [*run, "--skip-verify"]
    uzushio(*arguments)
    before = tree(tmp_path / "out")
    again = uzushio(*arguments)
    assert "complete already" in again.stderr
    assert "30 documents" in again.stderr
    assert "another" in uzushio(*run, "--verify=0.5", code=2).stderr
    assert tree(tmp_path / "out") == before
    uzushio(*run, "--verify=0.5", "--overwrite")
    assert tree(tmp_path / "out") != before


def test_parts_are_chosen_by_the_same_columns(uzushio: Uzushio, tmp_path: Path) -> None:
    """Otherwise each of two copies could go for the other; an index made anew is another."""
    for name, date in (("a", "2024"), ("b", "2023")):
        row = {"docId": name, "text": "これは同じ文章です。" * 9, "date": f"{date}-01-01", "crawled": f"{date}-01-01"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
        uzushio("minhash", tmp_path / f"{name}.jsonl", "--index-only", "--output", tmp_path / f"index-{name}")
    run = ("minhash", tmp_path / "a.jsonl", "--beside", tmp_path / "index-b", "--output", tmp_path / "out")
    assert "--date-column" in uzushio(*run, "--date-column", "crawled", code=2).stderr
    uzushio(*run)
    later = (tmp_path / "b.jsonl").read_text(encoding="utf-8").replace("2023", "2025")
    (tmp_path / "b.jsonl").write_text(later, encoding="utf-8")
    uzushio("minhash", tmp_path / "b.jsonl", "--index-only", "--overwrite", "--output", tmp_path / "index-b")
    assert "another configuration" in uzushio(*run, code=2).stderr
    inside = tmp_path / "index-b" / "inside"
    assert "lies in" in uzushio(*run[:-1], inside, code=2).stderr


# --- what may go ---


def rows_of_hosts(lost: int, kept: int) -> Rows:
    """Documents of a host that are one, and others of another host."""
    same = [
        {"docId": f"a{n:04}", "text": "これはどこにでもある文章です。" * 3, "url": "http://A.jp/x"} for n in range(lost)
    ]
    choose = random.Random(31)
    letters = [[chr(0x4E00 + choose.randrange(9000)) for _ in range(60)] for _ in range(kept)]
    others = [{"docId": f"b{n:04}", "text": "".join(one), "url": f"http://b.jp/{n}"} for n, one in enumerate(letters)]
    return same + others


@pytest.mark.parametrize(
    ("lost", "kept", "limit", "said"),
    [
        (60, 140, "0.25", "59 of 200 documents are duplicates of the document 'a0000' (29.5 %)"),
        (60, 140, "0.3", "59 of 60 documents of the host 'a.jp' are duplicates (98.3 %)"),
        (49, 151, "0.25", None),  # a host of too few
    ],
)
def test_max_loss(uzushio: Uzushio, tmp_path: Path, lost: int, kept: int, limit: str, said: str | None) -> None:
    """One document, or one host, to which too many go: nothing is written."""
    documents = write(tmp_path / "a.parquet", rows_of_hosts(lost, kept))
    arguments = ["minhash", documents, "--output", tmp_path / "out", "--keep=first"]
    checked = [*arguments, "--max-loss", limit, "--max-loss-least=50"]
    if said is None:
        uzushio(*checked)
        groups = read_json(tmp_path / "out" / ".uzushio/manifest.json")["counts"]["largest_groups"]
        assert groups == [{"duplicate_of": "a0000", "duplicates": lost - 1}]
        return
    assert said in uzushio(*checked, code=1).stderr
    assert not (tmp_path / "out").exists()
    uzushio(*arguments, "--max-loss", limit)  # of a thousand documents or more
    assert "complete already" in uzushio(*arguments, "--max-loss", limit).stderr
    assert "another" in uzushio(*arguments, code=2).stderr


def test_max_loss_of_files(uzushio: Uzushio, tmp_path: Path) -> None:
    """A file that is nearly all of another; without URLs, hosts are not looked at."""
    rows = [{"docId": row["docId"], "text": row["text"]} for row in rows_of_hosts(0, 300)]
    write(tmp_path / "in" / "a.parquet", rows)
    write(tmp_path / "in" / "b.parquet", [{"docId": "c" + row["docId"], "text": row["text"]} for row in rows[:60]])
    arguments = ["minhash", tmp_path / "in", "--output", tmp_path / "out", "--keep=first"]
    said = uzushio(*arguments, "--max-loss=0.5", "--max-loss-least=60", code=1).stderr
    assert "60 of 60 documents of the file" in said
    assert "b.parquet' are duplicates (100.0 %)" in said
    uzushio(*arguments, "--max-loss=0.5", "--max-loss-least=61")


def test_largest_groups(uzushio: Uzushio, tmp_path: Path) -> None:
    """The documents that most others are duplicates of, however they are counted."""
    choose = random.Random(32)
    rows = []
    for group in range(400):
        text = "".join(chr(0x4E00 + choose.randrange(9000)) for _ in range(50))
        rows += [{"docId": f"{group:04}-{n}", "text": text} for n in range(1 + (group * 7) % 11)]
    choose.shuffle(rows)
    for n in range(4):
        write(tmp_path / "in" / f"{n}.parquet", rows[n::4], 40)
    places = {row["docId"]: row["text"] for row in rows}
    told = []
    for threads in (1, 3):
        out = tmp_path / f"out{threads}"
        uzushio("minhash", tmp_path / "in", "--output", out, "--keep=longest", f"--threads={threads}")
        told.append(read_json(out / ".uzushio/manifest.json")["counts"]["largest_groups"])
    assert told[0] == told[1]
    assert [one["duplicates"] for one in told[0]] == [10] * 5
    names = [one["duplicate_of"] for one in told[0]]
    assert names == sorted(names)
    assert len({places[name] for name in names}) == 5


# --- captures of a URL ---


def capture(name: str, url: str | None, day: int, text: str) -> dict[str, Any]:
    """A document of a day."""
    return {"docId": name, "url": url, "date": f"2024-01-{day:02}" if day else None, "text": text}


def test_newest_capture_of_a_url(uzushio: Uzushio, tmp_path: Path) -> None:
    """Whatever its text is; those that are gone are in no bucket."""
    old, new = "これは昔の文章で、もう誰も読まない。" * 3, "新しい文章は、まったく違うことを言っている。" * 3
    rows = [
        capture("a1", "http://a.jp/x?utm_source=b#c", 1, old),
        capture("a3", "https://A.jp:443/x", 3, new),
        capture("a2", "http://a.jp/./x", 2, old),
        capture("b1", "http://a.jp/x/", 1, old),  # another page, like a capture that is gone
        capture("c1", "http://c.jp/", 9, new),  # newer than the capture that stays, and like it
        capture("d1", None, 1, "URLのない文書はそのまま残る。"),
        capture("d2", "no URL", 2, "URLでない文書もそのまま残る。"),
        capture("e0", "http://e.jp/", 0, "日付のない文書。" * 4),
        capture("e1", "http://e.jp/", 1, "日付のある文書。" * 4),
    ]
    documents = write(tmp_path / "a.parquet", rows)
    for keep in ("newest", "longest"):
        out = tmp_path / keep
        uzushio("minhash", documents, "--output", out, "--url", f"--keep={keep}", "--verify=0.9")
        gone = {row["docId"]: row for row in pq.ParquetFile(out / DUPLICATES).read().to_pylist()}
        of_urls = {name: row["duplicateOf"] for name, row in gone.items() if row["reason"] == "url"}
        assert of_urls == {"a1": "a3", "a2": "a3", "e0": "e1"}
        of_texts = {name: row["duplicateOf"] for name, row in gone.items() if row["reason"] == "text"}
        assert of_texts == ({"a3": "c1"} if keep == "newest" else {"c1": "a3"})
        counts = read_json(out / ".uzushio/manifest.json")["counts"]
        assert counts["older_captures"] == 3
        assert counts["documents_without_url"] == 2
        assert counts["documents"] == counts["kept"] + counts["duplicates"] == 9


def test_captures_against_an_oracle(uzushio: Uzushio, tmp_path: Path) -> None:
    """Many captures, in any order, of any threads and memory: the newest of each URL, then the rule of texts."""
    choose = random.Random(33)
    rows = random_rows(34, 600)
    for row in rows:
        page = choose.choice([0, 0, choose.randrange(200), choose.randrange(1000)])
        row["url"] = choose.choice(["http://a.jp/{}", "https://A.JP:443/{}#x", "http://a.jp/{}?gclid=1"]).format(page)
    newest: dict[str, dict[str, Any]] = {}
    order = {row["docId"]: oracle.priority(row, place, "newest") for place, row in enumerate(rows)}
    for row in rows:
        page = row["url"].split("/")[-1].split("#")[0].split("?")[0]
        row["page"] = page
        if page not in newest or order[row["docId"]] < order[newest[page]["docId"]]:
            newest[page] = row
    superseded = {row["docId"]: newest[row["page"]]["docId"] for row in rows if newest[row["page"]] is not row}
    assert 100 < len(superseded) < 500
    rest = oracle.part([row for row in rows if row["docId"] not in superseded], FEW)
    for n in range(3):
        write(tmp_path / "in" / f"{n}.parquet", rows[200 * n : 200 * n + 200])
    trees = []
    for threads, memory in ((1, "192MiB"), (4, "1GiB")):
        out = tmp_path / f"out{threads}"
        given = [*options(FEW), "--url", f"--threads={threads}", f"--memory={memory}"]
        uzushio("minhash", tmp_path / "in", "--output", out, *given)
        found = read(out)
        assert found.duplicates == superseded | rest.duplicates
        assert found.kept == rest.kept
        trees.append(tree(out))
    assert trees[0] == trees[1]


def test_captures_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """Where there are no URLs or dates, or parts do not see each other's."""
    documents = write(tmp_path / "a.parquet", [capture("a", "http://a.jp/", 1, "文")])
    bare = write(tmp_path / "b.parquet", [{"docId": "a", "text": "b", "date": "2024-01-01"}])
    undated = write(tmp_path / "c.parquet", [{"docId": "a", "text": "b", "url": "http://a.jp/"}])
    uzushio("minhash", documents, "--output", tmp_path / "index", "--index-only")
    out = ("--output", tmp_path / "out", "--url")
    assert "--url-column" in uzushio("minhash", bare, *out, code=2).stderr
    assert "leave out --url" in uzushio("minhash", undated, *out, "--keep=first", code=2).stderr
    assert "has no URLs" in uzushio("minhash", documents, *out, f"--beside={tmp_path / 'index'}", code=2).stderr
    uzushio("minhash", documents, "--output", tmp_path / "urls", "--index-only", "--url")
    said = uzushio("minhash", bare, "--output", tmp_path / "out", f"--beside={tmp_path / 'urls'}", code=2).stderr
    assert "give the same" in said
    assert not (tmp_path / "out").exists()


# --- books that share a text ---


def test_books_that_share_a_licence_stay(uzushio: Uzushio, tmp_path: Path) -> None:
    """A licence that is longer than the book, translations, editions: only the same text again is a duplicate."""
    choose = random.Random(41)

    def prose(first: int, length: int) -> str:
        return "".join(chr(first + choose.randrange(1500)) for _ in range(length))

    licence = prose(0x4E00, 3000)
    books = [prose(0x5800, 2600) for _ in range(12)]
    texts = [book + "\n" + licence for book in books]  # .36 of each other
    texts += [licence + "\n" + book for book in books[:3]]  # in another order: the same n-grams, nearly
    texts += [prose(0xAC00, 2600) + "\n" + licence]  # a translation
    edition = list(books[0])
    for at in range(0, len(edition), 20):  # an edition that differs in every twentieth character: .6
        edition[at] = "改"
    texts += ["".join(edition) + "\n" + prose(0x7000, 2000)]
    rows = [{"docId": f"{n:02}", "text": text} for n, text in enumerate(texts)]
    documents = write(tmp_path / "a.parquet", rows)
    uzushio("minhash", documents, "--output", tmp_path / "verified", "--keep=first", "--verify=0.9")
    assert read(tmp_path / "verified").duplicates == {"12": "00", "13": "01", "14": "02"}
    edits = ["--edit-similarity=0.9", "--verify=0.9"]
    uzushio("minhash", documents, "--output", tmp_path / "edits", "--keep=first", *edits)
    assert not (tmp_path / "edits" / ".uzushio/duplicates").exists() or not read(tmp_path / "edits").duplicates
