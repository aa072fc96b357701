"""What `uzushio stats` and `uzushio merge` promise."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from documents import variants, write_documents
from program import PROGRAM, Uzushio, read_json

Row = tuple[int, int, int, int]
COLUMNS = ("hash", "reprHash", "exactFreq", "nearFreq")


def rows_of(folder: Path) -> list[Row]:
    """The rows of statistics."""
    table = pq.read_table(folder / "statistics.parquet")
    return list(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))


def data_of(folder: Path) -> dict[str, bytes]:
    """All files of an output but the manifest, which names the inputs."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "manifest.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_counts_are_exact(uzushio: Uzushio, tmp_path: Path) -> None:
    """Exact counts against a plain count; groups are consistent; rows are sorted and not alone."""
    texts = variants(1, 60)
    uzushio("stats", write_documents(tmp_path / "a.parquet", texts), "--output", tmp_path / "out", "--debug")
    rows = rows_of(tmp_path / "out")
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})
    sums: Counter[int] = Counter()
    for _, repr_hash, exact, _ in rows:
        sums[repr_hash] += exact
    assert all(near >= 2 for *_, near in rows)
    assert all(repr_hash <= hash_ for hash_, repr_hash, _, _ in rows)
    with gzip.open(tmp_path / "out" / ".uzushio/groups.jsonl.gz", "rt") as file:
        groups = [json.loads(line) for line in file]
    assert sorted((g["hash"], g["reprHash"], g["exactFreq"], g["nearFreq"]) for g in groups) == rows
    assert all(g["groupFreq"] == sums[g["reprHash"]] for g in groups)
    assert [g["groupFreq"] for g in groups] == sorted((g["groupFreq"] for g in groups), reverse=True)
    plain = Counter(p.split("\x1c")[1] for text in texts for p in text.split("\n\n"))
    assert all(plain[group["text"]] == group["exactFreq"] for group in groups)
    assert {text for text, count in plain.items() if count > 1} <= {group["text"] for group in groups}


def test_intermediate_keeps_all(uzushio: Uzushio, tmp_path: Path) -> None:
    """`--intermediate` keeps paragraphs that occur once, and their texts."""
    texts = variants(2, 20)
    source = write_documents(tmp_path / "a.parquet", texts)
    uzushio("stats", source, "--output", tmp_path / "out", "--intermediate")
    uzushio("stats", source, "--output", tmp_path / "final")
    plain = Counter(p.split("\x1c")[1] for text in texts for p in text.split("\n\n"))
    table = pq.read_table(tmp_path / "out" / ".uzushio/intermediate" / "paragraphs.pq")
    kept = zip(table["text"].to_pylist(), table["exactFreq"].to_pylist(), strict=True)
    assert dict(kept) == dict(plain)
    assert [row for row in rows_of(tmp_path / "out") if row[3] > 1] == rows_of(tmp_path / "final")
    index = ".uzushio/frequency.index"
    assert (tmp_path / "out" / index).read_bytes() == (tmp_path / "final" / index).read_bytes()


def test_neither_threads_nor_memory_nor_order_matter(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same bytes always: files in any order, row groups of any size."""
    texts = variants(3, 300)
    halves = [texts[:100], texts[100:]]
    for number, half in enumerate(halves):
        write_documents(tmp_path / "in" / f"{number}.parquet", half, row_group_size=7)
    shuffled = random.Random(1).sample(texts, len(texts))
    write_documents(tmp_path / "other" / "a.parquet", shuffled)
    outputs = []
    settings = [("in", 1, "256MiB"), ("in", 2, "1GiB"), ("in", 7, "4GiB"), ("other", 3, "16GiB")]
    for number, (source, threads, memory) in enumerate(settings):
        output, pairs = tmp_path / f"out{number}", tmp_path / f"pairs{number}"
        options = ["--threads", threads, "--memory", memory, "--pairs", pairs, "--intermediate", "--debug"]
        uzushio("stats", tmp_path / source, "--output", output, *options)
        outputs.append({**data_of(output), **data_of(pairs)})
    assert all(output == outputs[0] for output in outputs)
    assert "pairs.parquet" in outputs[0]


@pytest.mark.parametrize("method", ["buckets", "simhash"])
def test_pairs_are_near_duplicates(uzushio: Uzushio, tmp_path: Path, method: str) -> None:
    """`--pairs` lists near-duplicates, each once; grouping does not change by it."""
    source = write_documents(tmp_path / "a.parquet", variants(4, 40))
    common = ["stats", source, "--candidates", method]
    uzushio(*common, "--output", tmp_path / "out", "--pairs", tmp_path / "pairs", "--intermediate")
    uzushio(*common, "--output", tmp_path / "plain", "--intermediate")
    assert data_of(tmp_path / "out") == data_of(tmp_path / "plain")
    pairs = pq.read_table(tmp_path / "pairs" / "pairs.parquet")
    found = list(zip(pairs["hash"].to_pylist(), pairs["otherHash"].to_pylist(), strict=True))
    assert found == sorted(set(found))
    assert all(a < b for a, b in found)
    grouped = {(repr_hash, hash_) for hash_, repr_hash, _, _ in rows_of(tmp_path / "out") if hash_ != repr_hash}
    assert grouped
    assert grouped <= set(found)


def split_statistics(uzushio: Uzushio, folder: Path, texts: list[str], parts: int, *options: str) -> list[Path]:
    """Statistics of parts of the documents."""
    outputs = []
    for part in range(parts):
        source = write_documents(folder / f"part{part}.parquet", texts[part::parts])
        outputs.append(folder / f"stats{part}")
        uzushio("stats", source, "--output", outputs[-1], *options)
    return outputs


@pytest.mark.parametrize("parts", [2, 16])
def test_merged_parts_are_the_whole(uzushio: Uzushio, tmp_path: Path, parts: int) -> None:
    """With intermediate statistics, the merged ones are those of one run, byte for byte."""
    texts = variants(5, 160)
    uzushio("stats", write_documents(tmp_path / "a.parquet", texts), "--output", tmp_path / "whole", "--intermediate")
    outputs = split_statistics(uzushio, tmp_path, texts, parts, "--intermediate")
    uzushio("merge", *outputs, "--output", tmp_path / "merged", "--intermediate")
    assert data_of(tmp_path / "merged") == data_of(tmp_path / "whole")


@pytest.mark.parametrize("options", [[], ["--intermediate"]])
def test_merging_is_associative_and_commutative(uzushio: Uzushio, tmp_path: Path, options: list[str]) -> None:
    """Whatever is merged first, and in whatever order; of one dataset alone nothing changes."""
    a, b, c = split_statistics(uzushio, tmp_path, variants(6, 90), 3, *options)

    def merge(name: str, *inputs: Path) -> Path:
        uzushio("merge", *inputs, "--output", tmp_path / name, *options)
        return tmp_path / name

    results = [merge("".join(map(str, order)), *order_paths) for order, order_paths in orders([a, b, c])]
    results += [
        merge("left", merge("ab", a, b), c),
        merge("right", a, merge("bc", b, c)),
    ]
    assert all(data_of(result) == data_of(results[0]) for result in results)
    assert data_of(merge("again", results[0])) == data_of(results[0])
    assert data_of(merge("alone", a)) == data_of(a)


def orders(paths: list[Path]) -> list[tuple[tuple[int, ...], list[Path]]]:
    """All orders of the paths."""
    return [(order, [paths[i] for i in order]) for order in itertools.permutations(range(len(paths)))]


def test_final_statistics_of_others_are_merged(uzushio: Uzushio, tmp_path: Path) -> None:
    """Rows of any program that writes these columns: counts add up, those of neighbours too, pivots are the least."""

    def write(name: str, rows: list[Row]) -> Path:
        columns = zip(*rows, strict=True)
        arrays = [pa.array(c, pa.int64() if i < 2 else pa.int32()) for i, c in enumerate(columns)]
        pq.write_table(pa.table(dict(zip(COLUMNS, arrays, strict=True))), tmp_path / name)
        return tmp_path / name

    first = write("a.parquet", [(10, 10, 2, 5), (20, 10, 3, 5), (30, 30, 4, 4)])
    second = write("b.parquet", [(20, 5, 1, 2), (5, 5, 1, 2), (30, 20, 1, 9)])
    uzushio("merge", first, second, "--output", tmp_path / "out")
    # 10 and 20 were one group, 5 and 20 another: 20 goes to the lesser pivot.
    assert rows_of(tmp_path / "out") == [(5, 5, 1, 2), (10, 10, 2, 5), (20, 5, 4, 7), (30, 20, 5, 13)]


def test_other_inputs_count_the_same(uzushio: Uzushio, tmp_path: Path) -> None:
    """JSON Lines, gzip and zstd of them, and plain text give what Parquet gives."""
    texts = [text.replace("body>p\x1c", "") for text in variants(7, 30)]
    write_documents(tmp_path / "a.parquet", texts)
    lines = "".join(json.dumps({"content": text}, ensure_ascii=False) + "\n" for text in texts)
    (tmp_path / "b.jsonl").write_text(lines, encoding="utf-8")
    with gzip.open(tmp_path / "c.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(lines)
    (tmp_path / "d.jsonl.zst").write_bytes(pa.compress(lines.encode(), codec="zstd", asbytes=True))
    (tmp_path / "e.txt").write_text("\n\n".join(texts), encoding="utf-8")
    pq.write_table(pa.table({"content": pa.array(texts, pa.large_string())}), tmp_path / "f.parquet")
    uzushio("stats", tmp_path / "a.parquet", "--output", tmp_path / "a")
    for name in ("b.jsonl", "c.jsonl.gz", "d.jsonl.zst", "e.txt", "f.parquet"):
        output = tmp_path / name[0]
        uzushio("stats", tmp_path / name, "--output", output, "--text-column", "content")
        assert data_of(output) == data_of(tmp_path / "a"), name


def test_bad_lines_are_quarantined(uzushio: Uzushio, tmp_path: Path) -> None:
    """Lines that are no JSON, or without the text, are kept and counted; the rest counts."""
    lines = ['{"text": "おなじ文"}', "{broken", '{"other": 1}', '{"text": 5}', "", '{"text": "おなじ文"}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    summary = tmp_path / "summary.json"
    uzushio("stats", tmp_path / "a.jsonl", "--output", tmp_path / "out", "--summary", summary)
    assert sum(read_json(summary)["quarantined"].values()) == 3
    assert [row[2:] for row in rows_of(tmp_path / "out")] == [(2, 2)]
    kept = list((tmp_path / "out" / ".uzushio/quarantine").glob("*.jsonl.gz"))
    assert sum(len(gzip.decompress(path.read_bytes()).splitlines()) for path in kept) == 3
    uzushio("stats", tmp_path / "a.jsonl", "--output", tmp_path / "strict", "--max-bad", 2, code=3)


def test_long_documents_count_unless_told(uzushio: Uzushio, tmp_path: Path) -> None:
    """A book of thousands of paragraphs is like any other text; the limits leave it out and say so."""
    book = "\n\n".join(f"第{i // 2}章の本文はここにあります。" for i in range(4000)) + "\n\n" + "長" * 3_000_000
    source = write_documents(tmp_path / "a.parquet", [book, "短い文書です。", "短い文書です。"])
    uzushio("stats", source, "--output", tmp_path / "all", "--intermediate")
    assert len(rows_of(tmp_path / "all")) == 2002
    for option, value in (("--max-document-bytes", "2MiB"), ("--max-paragraphs", "999")):
        summary = tmp_path / f"{option}.json"
        uzushio("stats", source, "--output", tmp_path / option[6:], option, value, "--summary", summary)
        assert read_json(summary)["documents_left_out"] == 1
        assert [row[2:] for row in rows_of(tmp_path / option[6:])] == [(2, 2)]


def test_link_marks_do_not_count(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same words, in a link and not, are the same paragraph; empty paragraphs are none."""
    texts = ["p\x1c\x02お知らせ\x03はこちら", "div>p\x1cお知らせはこちら", "p\x1c\x02\x03", "p\x1c　 "]
    uzushio("stats", write_documents(tmp_path / "a.parquet", texts), "--output", tmp_path / "out", "--intermediate")
    assert [row[2:] for row in rows_of(tmp_path / "out")] == [(2, 2)]


def test_unfinished_and_damaged_inputs_are_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """A folder under work, and files that are not what their dataset says."""
    (part,) = split_statistics(uzushio, tmp_path, variants(8, 10), 1)
    (part / "_INCOMPLETE").write_text("")
    done = uzushio("merge", part, "--output", tmp_path / "out", code=2)
    assert "_INCOMPLETE" in done.stderr or "unfinished" in done.stderr
    uzushio("merge", part, "--output", tmp_path / "allowed", "--allow-incomplete")
    (part / "_INCOMPLETE").unlink()
    data = bytearray((part / "statistics.parquet").read_bytes())
    data[len(data) // 2] ^= 1
    (part / "statistics.parquet").write_bytes(data)
    done = uzushio("merge", part, "--output", tmp_path / "out", code=1)
    assert str(part / "statistics.parquet") in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["stats", "a.parquet", "--output", "out", "--text-column", "body"], ["a.parquet", "body", "text"]),
        (["stats", "a.parquet", "--output", "out", "--memory", "1MiB"], ["--memory", "MiB"]),
        (["stats", "a.parquet", "--output", "out", "--candidates", "luck"], ["--candidates", "luck"]),
        (["stats", "a.parquet", "--output", "out", "--tmp", "nowhere"], ["--tmp", "nowhere"]),
        (["stats", "nothing", "--output", "out"], ["nothing", "no such file"]),
        (["stats", "a.parquet"], ["--output"]),
        (["merge", "a.parquet", "--output", "out"], ["a.parquet", "no statistics", "hash"]),
        (["merge", "--output", "out"], ["INPUT"]),
    ],
)
def test_wrong_usage_is_one_clear_line(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    """Exit 2, one line that names what is wrong, and nothing written."""
    write_documents(tmp_path / "a.parquet", ["文"])
    done = subprocess.run([str(PROGRAM), *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize("command", ["stats", "merge"])
def test_what_is_no_parquet_is_named(uzushio: Uzushio, tmp_path: Path, command: str) -> None:
    """The run fails, names the file, and leaves nothing."""
    (tmp_path / "a.parquet").write_text("no Parquet")
    done = uzushio(command, tmp_path / "a.parquet", "--output", tmp_path / "out", code=1)
    assert "a.parquet: no readable Parquet file" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


DELAYS = [0.05, 0.2, 0.6, 0.9, 1.3]


@pytest.mark.parametrize("command", ["stats", "merge"])
@pytest.mark.parametrize("delay", [0.4, *(pytest.param(delay, marks=pytest.mark.once) for delay in DELAYS)])
def test_killed_and_started_again_gives_the_same_bytes(
    uzushio: Uzushio, tmp_path: Path, command: str, delay: float
) -> None:
    """SIGKILL at several moments; the result is that of an undisturbed run, and no temporary data stays."""
    texts = variants(9, 2500)
    source = write_documents(tmp_path / "a.parquet", texts)
    if command == "merge":
        uzushio("stats", source, "--output", tmp_path / "part", "--intermediate")
        source = tmp_path / "part"
    (tmp_path / "tmp").mkdir()
    options = [command, str(source), "--memory", "256MiB", "--tmp", str(tmp_path / "tmp"), "--debug", "--intermediate"]
    uzushio(*options, "--output", tmp_path / "whole", "--pairs", tmp_path / "whole-pairs")
    again = [*options, "--output", str(tmp_path / "out"), "--pairs", str(tmp_path / "pairs")]
    with subprocess.Popen([str(PROGRAM), *again], stderr=subprocess.DEVNULL) as process:
        time.sleep(delay)  # only chooses the moment: any is right
        process.send_signal(signal.SIGKILL)
    assert list((tmp_path / "tmp").iterdir()) == []
    uzushio(*again)
    assert data_of(tmp_path / "out") == data_of(tmp_path / "whole")
    assert data_of(tmp_path / "pairs") == data_of(tmp_path / "whole-pairs")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_full_disk_is_a_clear_error(tmp_path: Path) -> None:
    """Temporary data that does not fit: the error says where, and nothing is half-written."""
    source = write_documents(tmp_path / "a.parquet", variants(10, 3000, 40))
    (tmp_path / "tmp").mkdir()
    command = [str(PROGRAM), "stats", str(source), "--memory", "160MiB", "--tmp", str(tmp_path / "tmp")]
    limited = ["bash", "-c", 'ulimit -f 300; trap "" XFSZ; exec "$@"', "limited", *command]
    done = subprocess.run(
        [*limited, "--threads", "1", "--output", str(tmp_path / "out")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert str(tmp_path) in done.stderr
    assert not (tmp_path / "out").exists()
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_same_run_is_not_repeated(uzushio: Uzushio, tmp_path: Path) -> None:
    """The folder knows what run it is of."""
    source = write_documents(tmp_path / "a.parquet", variants(11, 5))
    uzushio("stats", source, "--output", tmp_path / "out")
    assert "nothing to do" in uzushio("stats", source, "--output", tmp_path / "out").stderr
    done = uzushio("stats", source, "--output", tmp_path / "out", "--candidates", "simhash", code=2)
    assert "another configuration" in done.stderr
    uzushio("stats", source, "--output", tmp_path / "out", "--candidates", "simhash", "--overwrite")


def test_nothing_gives_empty_statistics(uzushio: Uzushio, tmp_path: Path) -> None:
    """No documents, no rows; merging them is possible."""
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    uzushio("stats", tmp_path / "a.parquet", "--output", tmp_path / "out")
    assert rows_of(tmp_path / "out") == []
    uzushio("merge", tmp_path / "out", "--output", tmp_path / "merged")
    assert (tmp_path / "merged" / ".uzushio/frequency.index").exists()
