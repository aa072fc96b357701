"""HostFilter, `uzushio host-lists` and `uzushio hosts`, against plain Python."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import host_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import written
from host_oracle import Entry, Place
from program import PROGRAM, SIZES, Uzushio, read_json

CATEGORIES = ["adult", "blog", "games"]


def write_config(path: Path, *filters: dict[str, Any]) -> Path:
    """A configuration."""
    path.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    return path


def write_ut1(folder: Path, lists: dict[str, list[Entry]]) -> None:
    """Lists in the layout of the Blacklists UT1."""
    folder.mkdir()
    usage = "\n\n".join(f"NAME: {name}\nDEFAULT_TYPE: black\nSOURCE: x" for name in lists)
    (folder / "global_usage").write_text("# usage\n" + usage + "\n\nNAME: child\nDEFAULT_TYPE: white\n")
    for name, entries in lists.items():
        (folder / name).mkdir()
        for file, has_path in (("domains", False), ("urls", True)):
            chosen = [entry.text for entry in entries if bool(entry.place.path) == has_path]
            (folder / name / file).write_text("\n".join(chosen), encoding="utf-8")
    (folder / "child").mkdir()
    (folder / "child" / "domains").write_text("com\nnet\norg\njp\n")


def write_documents(path: Path, urls: list[str | None]) -> None:
    """A document for each URL; its text is long."""
    texts = [f"これは、{n} 番めの文章です。" for n in range(len(urls))]
    ids = [str(n) for n in range(len(urls))]
    pq.write_table(pa.table({"docId": ids, "url": urls, "text": texts}), path, row_group_size=97)


@pytest.mark.parametrize("form", ["text", "compiled", "compressed", "several"])
def test_each_document_goes_where_the_oracle_says(uzushio: Uzushio, tmp_path: Path, form: str) -> None:
    """Random lists and URLs in odd spellings; the reasons, the metric, and the entry that is told."""
    choose = random.Random(form)
    lists = {name: [oracle.random_entry(choose) for _ in range(12)] for name in CATEGORIES}
    lists["custom"] = [oracle.random_entry(choose) for _ in range(12)]
    own = tmp_path / "own.txt"
    spelled = [choose.choice(["{}", "http://{}", "  {} ", "{}/"]) if not e.below else "{}" for e in lists["custom"]]
    lines = [way.format(entry.text) for way, entry in zip(spelled, lists["custom"], strict=True)]
    own.write_bytes(b"\xef\xbb\xbf# ours\r\n\r\n" + "\r\n".join(lines).encode())
    write_ut1(tmp_path / "ut1", {name: lists[name] for name in CATEGORIES})
    given: list[str] = [str(tmp_path / "ut1"), str(own)]
    if form == "compressed":
        for file in (tmp_path / "ut1").rglob("domains"):
            file.with_name("domains.gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
    if form in ("compiled", "several"):
        some = given if form == "compiled" else given[:1]
        uzushio("host-lists", *some, "--output", tmp_path / "all.hosts")
        given = [str(tmp_path / "all.hosts"), *given[len(some) :]]
    places: list[Place | None] = [oracle.random_place(choose) for _ in range(1500)]
    places += [None] * len(oracle.NO_URLS)
    urls = [oracle.spelled(choose, place) for place in places if place] + oracle.NO_URLS
    write_documents(tmp_path / "a.parquet", urls)
    categories = ["games", "custom", "adult"]  # blog is not bad
    filter_ = {"class": "HostFilter", "lists": given, "categories": categories}
    config = write_config(tmp_path / "a.conf", filter_)
    common = ["--output", tmp_path / "out", "--config", config, "--mode", "partitioned", "--threads", 3]
    uzushio("filter", tmp_path / "a.parquet", *common)
    found = {doc_id: reason for reason, texts in written(tmp_path / "out").items() for doc_id in texts}
    wanted = {str(n): oracle.reason_of(place, lists, categories) or "none" for n, place in enumerate(places)}
    differing = {n: (urls[int(n)], found[n], wanted[n]) for n in wanted if found[n] != wanted[n]}
    assert not differing
    assert set(wanted.values()) == {"none", "HostFilter(suffixes)", *(f"HostFilter({name})" for name in categories)}

    uzushio("metrics", tmp_path / "a.parquet", "--output", tmp_path / "metrics", "--config", config)
    table = pq.read_table(tmp_path / "metrics" / "metrics.parquet").to_pydict()
    numbers = {"none": 0.0, "HostFilter(suffixes)": 1.0} | {
        f"HostFilter({n})": 2.0 + i for i, n in enumerate(categories)
    }
    (column,) = set(table) - {"docId", *SIZES}
    assert table[column] == [numbers[wanted[n]] for n in table["docId"]]
    uzushio(
        "filter", tmp_path / "a.parquet", *common[2:], "--output", tmp_path / "k", "--metrics", tmp_path / "metrics"
    )
    assert written(tmp_path / "k") == written(tmp_path / "out")
    for reason in sorted(set(wanted.values()) - {"none"}):
        number = next(n for n, why in wanted.items() if why == reason)
        place = places[int(number)]
        assert place
        said = uzushio("explain", number, "--in", tmp_path / "out").stdout.splitlines()[-1]
        start, _, entry = said.partition("; listed: ")
        assert start.strip() == f"removed by {reason}"
        texts = {e.text for name, of in lists.items() if reason == f"HostFilter({name})" for e in of if e.covers(place)}
        assert entry in (texts or {".5ch.net", "wikipedia.org"})


HOSTILE = [
    (b"\xef\xbb\xbfexample.com\r\nEXAMPLE.org:8080\r\n\r\n# x\r\n", ["example.com", "a.example.org"], 0),
    (b"http://example.com/\nhttps://example.org/a/b/\n//example.net\n", ["example.com", "x.example.net"], 0),
    ("日本語.jp\nＥｘａｍｐｌｅ.com.\n".encode(), ["xn--wgv71a119e.jp", "a.example.com"], 0),
    (b"10.0.0.1\n::1\n[::2]:80\n0x0a000002\n", ["10.0.0.1", "[::1]", "[::2]", "10.0.0.2"], 0),
    (b"a\0b.com\nexample.com\n\xff\xfe\n<html>\nme@example.net\n..\n", ["example.com"], 5),
    (b"x" * (1 << 20) + b".com\nexample.com\n" + b"a." * 40000 + b"com\n", ["example.com"], 2),
    (b"example.com", ["example.com"], 0),
    (b"*.example.com\n.example.org\n", ["a.example.com", "b.example.org"], 0),
    (b"", [], 0),
    (b"\n\n#\n", [], 0),
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_lists(uzushio: Uzushio, tmp_path: Path, number: int) -> None:
    """Byte order marks, line ends, bytes that are none, long lines: read, or left out and counted."""
    content, bad, lost = HOSTILE[number]
    (tmp_path / "list").write_bytes(content)
    uzushio("host-lists", tmp_path / "list", "--output", tmp_path / "l.hosts", "--summary", tmp_path / "s.json")
    summary = read_json(tmp_path / "s.json")
    assert summary["quarantined"] == ({"no-host": lost} if lost else {})
    assert summary["first_bad"].isascii() or summary["first_bad"].endswith("…")
    hosts = [*bad, "example.jp", "10.0.0.99", "notexample.com"]
    write_documents(tmp_path / "a.parquet", [f"http://{host}/" for host in hosts])
    for lists in ("list", "l.hosts"):
        config = write_config(tmp_path / "a.conf", {"class": "HostFilter", "lists": str(tmp_path / lists)})
        run = ("filter", tmp_path / "a.parquet", "--output", tmp_path / f"out-{lists}", "--config", config)
        if not bad:
            assert "no line of them is a host" in uzushio(*run, code=2).stderr
            continue
        uzushio(*run)
        kept = pq.read_table(tmp_path / f"out-{lists}" / "part-00000.parquet")["docId"].to_pylist()
        assert kept == [str(n) for n in range(len(bad), len(hosts))]


def test_what_is_wrong_is_said(uzushio: Uzushio, tmp_path: Path) -> None:
    """Before anything is written."""
    write_documents(tmp_path / "a.parquet", ["http://a.com/"])
    pq.write_table(pa.table({"docId": ["a"], "text": ["文"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"docId": ["a"], "text": ["文"], "url": [1]}), tmp_path / "c.parquet")
    (tmp_path / "empty").mkdir()
    (tmp_path / "list").write_text("a.com\n")
    (tmp_path / "damaged.hosts").write_bytes(b"ARROW1\0\0" + b"x" * 100)

    def message(name: str, command: str = "filter", /, **parameters: Any) -> str:
        config = write_config(tmp_path / "a.conf", {"class": "HostFilter", **parameters})
        return uzushio(command, tmp_path / name, "--output", tmp_path / "out", "--config", config, code=2).stderr

    for command in ("filter", "metrics"):
        said = message("b.parquet", command)
        assert "HostFilter looks at URLs, and there is no column 'url', only docId, text" in said
    assert "there is no column 'url'" in uzushio("hosts", tmp_path / "b.parquet", "--output", "out", code=2).stderr
    assert "column 'url' is of type int64, and texts are wanted" in message("c.parquet")
    assert "there is no list of hosts 'none'" in message("a.parquet", lists="none")
    assert "there are no lists in this folder" in message("a.parquet", lists=str(tmp_path / "empty"))
    assert "make it again with uzushio host-lists" in message("a.parquet", lists=str(tmp_path / "damaged.hosts"))
    assert "no list has 'adlut'" in message("a.parquet", lists=str(tmp_path / "list"), categories=["adlut"])
    assert "'a b' is no host" in message("a.parquet", suffixes="a b")
    assert "there is no hosts.parquet" in message("a.parquet", statistics=str(tmp_path))
    assert not (tmp_path / "out").exists()
    assert "exists" in uzushio("host-lists", tmp_path / "list", "--output", tmp_path / "list", code=2).stderr


def test_damaged_files_are_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """A compiled file, cut anywhere or with any byte changed, is refused, or says the same."""
    (tmp_path / "list").write_text("".join(f"host{n}.com\n" for n in range(50)))
    uzushio("host-lists", tmp_path / "list", "--output", tmp_path / "l.hosts")
    whole = (tmp_path / "l.hosts").read_bytes()
    uzushio("host-lists", tmp_path / "l.hosts", "--output", tmp_path / "again.hosts")
    assert (tmp_path / "again.hosts").read_bytes() == whole
    write_documents(tmp_path / "a.parquet", ["http://host7.com/"])
    choose = random.Random(3)
    config = write_config(tmp_path / "a.conf", {"class": "HostFilter", "lists": str(tmp_path / "bad.hosts")})
    for _ in range(40):
        at = choose.randrange(8, len(whole))
        damaged = bytearray(whole[:at] if choose.random() < 0.3 else whole)
        if len(damaged) == len(whole):
            damaged[at] ^= 1 << choose.randrange(8)
        (tmp_path / "bad.hosts").write_bytes(damaged)
        command: list[str | Path] = [
            PROGRAM,
            "filter",
            tmp_path / "a.parquet",
            "--output",
            tmp_path / "out",
            "--config",
            config,
        ]
        done = subprocess.run([*command, "--overwrite"], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, 2), done.stderr
        if done.returncode == 0:
            assert pq.read_table(tmp_path / "out")["docId"].to_pylist() == []
        else:
            assert "uzushio host-lists" in done.stderr


def random_rows(choose: random.Random, count: int, hosts: int) -> dict[str, list[Any]]:
    """Documents of hosts, many of some, with URLs that are none and texts that are empty."""
    kana, words = "あいうえお", ["だめ", "悪い"]
    rows: dict[str, list[Any]] = {"docId": [], "url": [], "text": []}
    for n in range(count):
        host = f"h{int(hosts * choose.random() ** 3)}.jp"
        url = choose.choice(
            [f"http://{host}/{n}"] * 20 + [f"https://{host.upper()}.:80/", None, "x", "http://日本語.jp"]
        )
        text = "".join(choose.choices(kana, k=choose.choice([0, 3, 20, 90])))
        rows["docId"].append(str(n))
        rows["url"].append(url)
        rows["text"].append(text + choose.choice(words) * choose.choice([0, 0, 0, 1, 5]))
    return rows


def host_of(url: str | None) -> str:
    """Of the URLs above."""
    if url is None or url == "x":
        return ""
    return "xn--wgv71a119e.jp" if "日本語" in url else url.split("/")[2].partition(":")[0].rstrip(".").lower()


CHAIN: list[dict[str, Any]] = [
    {"class": "DocLength", "low": 10},
    {"class": "NgWordRatio", "limit": 0.2},
    {"class": "DocLength", "high": 80},
]


def wanted_rows(rows: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """What the plain oracle makes of the documents."""
    found = []
    for url, text in zip(rows["url"], rows["text"], strict=True):
        ng = (2 * (text.count("だめ") + text.count("悪い")) / len(text)) if text else 0.0
        removed = {"DocLength": len(text) < 10, "NgWordRatio": ng >= 0.2, "DocLength_2": len(text) > 80}
        found.append((host_of(url), len(text), removed, {"DocLength": float(len(text)), "NgWordRatio": ng}))
    return oracle.summed(found)


def test_hosts_are_summed_as_the_oracle_does(uzushio: Uzushio, tmp_path: Path) -> None:
    """A row for each host, in order; any threads, order and split of the input give the same."""
    (tmp_path / "words").write_text("だめ\n悪い\n", encoding="utf-8")
    chain = [item | ({"list": str(tmp_path / "words")} if item["class"] == "NgWordRatio" else {}) for item in CHAIN]
    config = write_config(tmp_path / "a.conf", *chain)
    rows = random_rows(random.Random(1), 3000, 300)
    table = pa.table(rows)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=211)
    (tmp_path / "parts").mkdir()
    order = list(range(table.num_rows))
    random.Random(2).shuffle(order)
    for part in range(3):
        pq.write_table(table.take(order[part::3]), tmp_path / "parts" / f"{part}.parquet")
    outputs = []
    for number, (source, threads) in enumerate((("a.parquet", 1), ("a.parquet", 7), ("parts", 2))):
        output = tmp_path / f"out{number}"
        uzushio(
            "hosts",
            tmp_path / source,
            "--output",
            output,
            "--config",
            config,
            "--threads",
            threads,
            "--summary",
            tmp_path / "s.json",
        )
        outputs.append((output / "hosts.parquet").read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]
    wanted = wanted_rows(rows)
    found = pq.read_table(tmp_path / "out0" / "hosts.parquet").to_pylist()
    assert [row.pop("mean_NgWordRatio") for row in found] == pytest.approx(
        [row.pop("mean_NgWordRatio") for row in wanted], abs=1e-9
    )
    assert found == wanted
    summary = read_json(tmp_path / "s.json")
    assert (summary["documents"], summary["hosts"]) == (3000, len(wanted))
    assert summary["without_host"] == sum(host_of(url) == "" for url in rows["url"])
    again = uzushio("hosts", tmp_path / "a.parquet", "--output", tmp_path / "out0", "--config", config)
    assert "nothing to do" in again.stderr
    assert "3,000 documents" in again.stderr


def test_hosts_without_a_chain(uzushio: Uzushio, tmp_path: Path) -> None:
    """Documents and characters; texts that are no UTF-8 are put aside."""
    texts = pa.array([b"\xff", "文".encode(), b"", None], pa.binary())
    urls = ["http://b.jp/", "http://b.jp/", "http://a.jp/", "http://b.jp/"]
    pq.write_table(pa.table({"link": urls, "text": texts}), tmp_path / "a.parquet")
    command = ("hosts", tmp_path / "a.parquet", "--output", tmp_path / "out", "--url-column", "link")
    uzushio(*command, "--summary", tmp_path / "s.json")
    assert read_json(tmp_path / "s.json")["quarantined"] == {"no-utf8": 1}
    assert pq.read_table(tmp_path / "out" / "hosts.parquet").to_pylist() == [
        {"host": "a.jp", "documents": 1, "characters": 0, "removed": 1.0},
        {"host": "b.jp", "documents": 2, "characters": 1, "removed": 0.5},
    ]


@pytest.mark.once
def test_more_hosts_than_memory(uzushio: Uzushio, tmp_path: Path) -> None:
    """Spilled sums are the same; nothing temporary is left."""
    count = 120_000
    hosts = [f"http://host-{n * 7919 % 40_009}.of-a-rather-long-name.example.jp/" for n in range(count)]
    pq.write_table(pa.table({"url": hosts, "text": ["文章"] * count}), tmp_path / "a.parquet", row_group_size=20_000)
    config = write_config(tmp_path / "a.conf", *[{"class": "HiraganaRatio", "low": n / 99} for n in range(40)])
    (tmp_path / "tmp").mkdir()
    outputs, spilled = [], []
    for memory, threads in (("8GiB", 1), ("200MiB", 1)):
        options = ["--memory", memory, "--threads", threads, "--tmp", tmp_path / "tmp", "--config", config]
        output = tmp_path / memory
        uzushio("hosts", tmp_path / "a.parquet", "--output", output, *options, "--summary", tmp_path / "s.json")
        summary = read_json(tmp_path / "s.json")
        outputs.append((output / "hosts.parquet").read_bytes())
        spilled.append(summary["spilled_bytes"])
        if memory == "200MiB":
            assert summary["peak_memory_bytes"] < 1.1 * (200 << 20)
    assert outputs[0] == outputs[1]
    assert 0 < spilled[0] < spilled[1]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_hosts_are_bad_by_statistics(uzushio: Uzushio, tmp_path: Path) -> None:
    """The documents of hosts beyond the thresholds go; lists come first; what lacks is said."""
    (tmp_path / "words").write_text("だめ\n悪い\n", encoding="utf-8")
    chain = [item | ({"list": str(tmp_path / "words")} if item["class"] == "NgWordRatio" else {}) for item in CHAIN]
    config = write_config(tmp_path / "a.conf", *chain)
    rows = random_rows(random.Random(5), 2000, 200)
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    uzushio("hosts", tmp_path / "a.parquet", "--output", tmp_path / "hosts", "--config", config)
    (tmp_path / "own").write_text("h3.jp\n")
    given = {"statistics": str(tmp_path / "hosts"), "documents": 4, "removed": 0.8, "ng": 0.08}
    filter_ = {"class": "HostFilter", "lists": str(tmp_path / "own"), **given}
    filtering = write_config(tmp_path / "b.conf", filter_)
    uzushio(
        "filter", tmp_path / "a.parquet", "--output", tmp_path / "out", "--config", filtering, "--mode", "partitioned"
    )
    found = {doc_id: reason for reason, texts in written(tmp_path / "out").items() for doc_id in texts}
    table = {row["host"]: row for row in wanted_rows(rows)}
    wanted = {}
    for doc_id, url, text in zip(*rows.values(), strict=True):
        row = table[host_of(url)]
        reason = "none"
        if row["host"] == "h3.jp":
            reason = "HostFilter(custom)"
        elif row["host"] and row["documents"] >= 4 and row["removed"] > 0.8:
            reason = "HostFilter.Removed(0.8)"
        elif row["host"] and row["documents"] >= 4 and row["mean_NgWordRatio"] > 0.08:
            reason = "HostFilter.NgWordRatio(0.08)"
        if text:
            wanted[doc_id] = reason
    assert found == wanted
    assert len(set(wanted.values())) == 4
    number = next(n for n, reason in wanted.items() if reason == "HostFilter.Removed(0.8)")
    said = uzushio("explain", number, "--in", tmp_path / "out").stdout.splitlines()[-1]
    host = host_of(rows["url"][int(number)])
    assert said.strip() == f"removed by HostFilter.Removed(0.8); of {host}, {table[host]['removed']:.4g}"

    uzushio("hosts", tmp_path / "a.parquet", "--output", tmp_path / "plain")
    plain = write_config(tmp_path / "c.conf", {"class": "HostFilter", "statistics": str(tmp_path / "plain")})
    command = ("filter", tmp_path / "a.parquet", "--output", tmp_path / "no", "--config", plain)
    assert "there is no column 'mean_NgWordRatio'" in uzushio(*command, code=2).stderr
    loose = {"class": "HostFilter", "statistics": str(tmp_path / "plain"), "ng": 1}
    uzushio(*command[:-1], write_config(tmp_path / "d.conf", loose))


def test_a_host_is_not_taken_for_one_of_the_same_key(uzushio: Uzushio, tmp_path: Path) -> None:
    """The name of the second was made to have the XXH64 of the first, whose documents would go with its own."""
    forged = ("www.asahi.com", "4bapctt8h1pxr31.evil.jp")
    rows = [{"url": f"http://{host}/{n}", "text": "これはふつうの文章です。" * 9} for host in forged for n in range(3)]
    for row in rows[3:]:
        row["text"] = "ABCDEFG 1234567 " * 9
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first = write_config(tmp_path / "first.conf", {"class": "HiraganaRatio", "low": 0.2, "high": 1})
    uzushio("hosts", tmp_path / "a.jsonl", "--output", tmp_path / "hosts", "--config", first)
    known = {"statistics": str(tmp_path / "hosts"), "removed": 0.5, "ng": 1}
    chain = write_config(tmp_path / "c.conf", {"class": "HostFilter", "lists": [], "suffixes": [], **known})
    uzushio("filter", tmp_path / "a.jsonl", "--output", tmp_path / "out", "--config", chain)
    left = [row["url"] for path in (tmp_path / "out").glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert left == [row["url"] for row in rows[:3]]


def test_lists_that_changed_are_others(uzushio: Uzushio, tmp_path: Path) -> None:
    """A run with them is no longer complete, and metrics that were measured by them are refused."""
    write_documents(tmp_path / "in.parquet", ["http://evil.com/", "http://good.jp/", "http://x.net/"])
    lists = {"adult": ["x.net"], "games": ["y.net"], "warez": ["evil.com"]}
    for name, hosts in lists.items():
        (tmp_path / "lists" / name).mkdir(parents=True)
        (tmp_path / "lists" / name / "domains").write_text("\n".join(hosts), encoding="utf-8")
    config = write_config(tmp_path / "a.conf", {"class": "HostFilter", "lists": [str(tmp_path / "lists")]})
    run = (tmp_path / "in.parquet", "--config", config)
    uzushio("metrics", *run, "--output", tmp_path / "metrics")
    uzushio("filter", *run, "--output", tmp_path / "out")
    assert pq.read_table(tmp_path / "out")["docId"].to_pylist() == ["1"]
    (tmp_path / "lists" / "adult" / "domains").unlink()
    (tmp_path / "lists" / "adult").rmdir()
    assert "another configuration" in uzushio("filter", *run, "--output", tmp_path / "out", code=2).stderr
    measured = ("--metrics", tmp_path / "metrics", "--output", tmp_path / "again")
    assert "compute the metrics of this configuration" in uzushio("filter", *run, *measured, code=2).stderr


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"suffixes": []}, "there are no bad hosts"),
        ({"categories": ["adult"]}, "categories: they are those of `lists`"),
        ({"removed": 0.1}, "they are bounds of `statistics`"),
        ({"lists": ["junk"]}, "no line of them is a host; the first is "),
    ],
)
def test_filters_without_evidence_are_refused(
    parameters: dict[str, Any], said: str, uzushio: Uzushio, tmp_path: Path
) -> None:
    """A parameter that nothing reads is a mistake."""
    write_documents(tmp_path / "in.parquet", ["http://good.jp/"])
    (tmp_path / "junk").write_text("0.0.0.0 evil.com\nevil.com\tadult\n||evil.com^\n", encoding="utf-8")
    if "lists" in parameters:
        parameters = {"lists": [str(tmp_path / "junk")]}
    config = write_config(tmp_path / "a.conf", {"class": "HostFilter", **parameters})
    run = ("filter", tmp_path / "in.parquet", "--config", config, "--output", tmp_path / "out")
    assert said in uzushio(*run, code=2).stderr


def test_files_of_others_stay(uzushio: Uzushio, tmp_path: Path) -> None:
    """A list is not written over the lists that it is made of, nor over what is no file."""
    folder = tmp_path / "lists" / "adult"
    folder.mkdir(parents=True)
    (folder / "domains").write_text("a.jp\n", encoding="utf-8")
    run = ("host-lists", tmp_path / "lists", "--overwrite", "--output")
    assert "lies in" in uzushio(*run, folder / "domains", code=2).stderr
    assert (folder / "domains").read_text(encoding="utf-8") == "a.jp\n"
    os.mkfifo(tmp_path / "pipe")
    assert "is no file" in uzushio(*run, tmp_path / "pipe", code=2).stderr
    assert (tmp_path / "pipe").is_fifo()
