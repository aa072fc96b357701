"""`uzushio robots-txt`, and the filter OptOut with its table."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as module
from pages import KANA
from program import Uzushio, read_documents, read_json
from warc_builder import build

HTML = [["Content-Type", "text/html"]]


def robots(origin: str, body: str = "", **more: Any) -> dict[str, Any]:
    """A capture of robots.txt."""
    return {"uri": f"{origin}/robots.txt", "http": [["Content-Type", "text/plain"]], "body": body, **more}


def status(code: int, *headers: list[str]) -> dict[str, Any]:
    """A status with further headers."""
    return {"status": f"HTTP/1.1 {code} Status", "http": [["Content-Type", "text/html"], *headers]}


CAPTURES = [
    robots("https://a.jp", "User-agent: GPTBot\nDisallow: /private\nAllow: /private/but\n\nUser-agent: *\nDisallow:"),
    robots("http://b.jp:8080", "User-agent: *\r\nDisallow: /*.php$\r\n"),
    robots("https://gone.jp", "<p>no</p>", **status(404)),
    robots("https://down.jp", **status(503)),
    robots("http://moved.jp", **status(301, ["Location", "https://a.jp/robots.txt"])),
]


def table_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows by their origin."""
    rows = pq.ParquetFile(folder / "robots.parquet").read().to_pylist()
    assert len({row["origin"] for row in rows}) == len(rows)
    return {row["origin"]: row for row in rows}


def make_table(uzushio: Uzushio, folder: Path, *files: list[dict[str, Any]], name: str = "table") -> Path:
    """A table of captures, each list a file of its own."""
    (folder / name).mkdir()
    for place, records in enumerate(files):
        (folder / name / f"{place}.warc.gz").write_bytes(build(records, "warc.gz"))
    uzushio("robots-txt", folder / name, "--output", folder / f"{name}.out")
    return folder / f"{name}.out"


def urls_in(folder: Path) -> list[str]:
    """Those of the documents of a filtered dataset."""
    paths = sorted(path for path in folder.rglob("*.parquet") if ".uzushio" not in path.parts)
    return [url for path in paths for url in pq.ParquetFile(path).read()["url"].to_pylist()]


def documents_of(uzushio: Uzushio, folder: Path, urls: list[str], name: str = "documents") -> Path:
    """Documents of Japanese pages."""
    pages = [{"uri": url, "body": f"<p>{place}{KANA}</p>"} for place, url in enumerate(urls)]
    (folder / f"{name}.warc").write_bytes(build(pages, "warc"))
    uzushio("extract", folder / f"{name}.warc", "--output", folder / name)
    return folder / name


def chain(folder: Path, **parameters: Any) -> Path:
    """A chain of OptOut."""
    path = folder / "chain.conf"
    path.write_text(json.dumps({"filters": [{"class": "OptOut", **parameters}]}))
    return path


def test_a_page_that_robots_txt_disallows_is_removed(uzushio: Uzushio, tmp_path: Path) -> None:
    """From archives to the table, to the filter, its reasons, metrics and explanations."""
    table = make_table(uzushio, tmp_path, CAPTURES)
    rows = table_of(table)
    access = {"https://a.jp": "rules", "http://b.jp:8080": "rules", "https://gone.jp": "all"}
    assert {origin: row["access"] for origin, row in rows.items()} == {
        **access,
        "https://down.jp": "unknown",
        "http://moved.jp": "redirect",
    }
    assert rows["http://moved.jp"]["redirect"] == "https://a.jp"
    assert rows["https://a.jp"] | {"warc": "", "offset": 0, "length": 0} == {
        "origin": "https://a.jp",
        "host": "a.jp",
        "status": 200,
        "access": "rules",
        "date": "2023-04-01T00:00:00",
        "redirect": "",
        "agents": "*\ngptbot",
        "rules": "user-agent: gptbot\ndisallow: /private\nallow: /private/but\nuser-agent: *\ndisallow: \n",
        "bytes": 82,
        "warc": "",
        "offset": 0,
        "length": 0,
    }
    removed = {
        "https://a.jp/private/x": "GPTBot",
        "http://a.jp/private/x": "GPTBot",  # the table has https
        "http://moved.jp/private": "GPTBot",
        "http://b.jp:8080/x/index.php": "CCBot",  # by `*`
    }
    kept = ["https://a.jp/private/but/x", "https://a.jp/", "http://b.jp:8080/x/index.php?a", "http://b.jp/index.php"]
    kept += ["https://gone.jp/private", "https://down.jp/private", "https://other.jp/private"]
    documents = documents_of(uzushio, tmp_path, [*removed, *kept])
    config = chain(tmp_path, robots_txt=str(table), agents=["CCBot", "GPTBot"])
    summary = tmp_path / "summary.json"
    uzushio("filter", documents, "--config", config, "--output", tmp_path / "out", "--summary", summary)
    assert urls_in(tmp_path / "out") == kept
    counts = {one["reason"]: one["documents"] for one in read_json(summary)["removed"]}
    assert {reason: count for reason, count in counts.items() if count} == {
        "OptOut.RobotsTxt(CCBot)": 1,
        "OptOut.RobotsTxt(GPTBot)": 3,
    }
    uzushio("metrics", documents, "--config", config, "--output", tmp_path / "metrics")
    values = pq.read_table(tmp_path / "metrics" / "metrics.parquet")
    (column,) = [name for name in values.column_names if name.startswith("OptOut")]
    assert values[column].to_pylist() == [6, 6, 6, 5] + [0] * len(kept)
    doc_id = next(row["docId"] for row in read_documents(documents) if row["url"] == "http://moved.jp/private")
    said = uzushio("explain", doc_id, "--in", tmp_path / "out").stdout
    assert "OptOut.RobotsTxt(GPTBot)" in said
    assert "rule: disallow /private, in robots.txt for http://moved.jp" in said


def test_the_newest_capture_counts(uzushio: Uzushio, tmp_path: Path) -> None:
    """Whatever the order, the number of threads and the memory.

    One of a server that failed, or said that nothing is new, counts only where there is no other.
    """
    captures: list[dict[str, Any]] = []
    for number in range(300):
        origin = f"https://h{number}.jp"
        for month in range(1, number % 7 + 2):
            capture = robots(origin, f"user-agent: *\ndisallow: /{month}\n", date=f"2023-0{month}-01T00:00:00Z")
            captures.append(capture)
        if number % 3 == 0:
            failed = (500, 304, 429)[number % 9 // 3]
            captures.append(robots(origin, date="2024-01-01T00:00:00Z", **status(failed)))
    captures.append(robots("https://failed.jp", **status(500)))
    random.Random(1).shuffle(captures)
    table = make_table(uzushio, tmp_path, captures[:400], captures[400:800], captures[800:])
    rows = table_of(table)
    assert rows.pop("https://failed.jp")["access"] == "unknown"
    assert len(rows) == 300
    for origin, row in rows.items():
        newest = int(origin.removeprefix("https://h").removesuffix(".jp")) % 7 + 1
        assert row["rules"] == f"user-agent: *\ndisallow: /{newest}\n"
    for threads in (1, 3):
        again = tmp_path / f"again{threads}"
        uzushio("robots-txt", tmp_path / "table", "--output", again, "--threads", threads)
        assert (again / "robots.parquet").read_bytes() == (table / "robots.parquet").read_bytes()
    assert "was complete already" in uzushio("robots-txt", tmp_path / "table", "--output", table).stderr


def test_one_origin_of_many_files(uzushio: Uzushio, tmp_path: Path) -> None:
    """More than a thread loads at once, of one origin and of many."""
    long = "user-agent: *\n" + "".join(f"disallow: /{place:060}\n" for place in range(6000))
    one = [robots("https://a.jp", long, date=f"2023-01-01T00:{place // 60:02}:{place % 60:02}Z") for place in range(90)]
    many = [robots(f"https://h{place}.jp", long) for place in range(20)]
    table = make_table(uzushio, tmp_path, one, many)
    assert {len(row["rules"]) for row in table_of(table).values()} == {len(long)}
    small = tmp_path / "small"
    summary = tmp_path / "summary.json"
    least = ("--threads", 1, "--memory", "192MiB", "--summary", summary)
    uzushio("robots-txt", tmp_path / "table", "--output", small, *least)
    assert (small / "robots.parquet").read_bytes() == (table / "robots.parquet").read_bytes()
    counts = read_json(summary)
    assert counts["spilled_bytes"] > 0
    assert (counts["records"], counts["captures"], counts["origins"], counts["older"]) == (110, 110, 21, 89)
    said = uzushio("robots-txt", tmp_path / "table", "--output", tmp_path / "x", "--memory", "64MiB", code=2).stderr
    assert "memory" in said


def test_what_is_no_robots_txt(uzushio: Uzushio, tmp_path: Path) -> None:
    """Is left out or quarantined, by reason, and all is counted."""
    gzip = {"coding": ["gzip"], "http": [["Content-Encoding", "gzip"]]}
    records = [
        robots("https://a.jp", "user-agent: *\ndisallow: /", **gzip),
        robots("https://b.jp", "User-agent: x\ndisallow: /", http=HTML, warc={"WARC-Truncated": "length"}),
        {"uri": "https://a.jp/robots.txt?x", "body": "x"},
        {"uri": "https://a.jp/a/robots.txt", "body": "x"},
        {"type": "request", "uri": "https://a.jp/robots.txt", "body": "GET /robots.txt"},
        {"type": "conversion", "uri": "https://a.jp/robots.txt", "body": "user-agent: x"},
        {"uri": "dns:a.jp", "body": "1.2.3.4"},
        robots("https://c.jp", status=None),
        robots("https://d.jp", "user-agent: *\ndisallow: /", **status(206)),
        robots("https://e.jp", **status(302, ["Location", "/"])),
        robots("https://f.jp", **status(307, ["Location", "//www.f.jp/robots.txt"])),
        robots("https://g.jp", "user-agent: a\n" + "#" * 600_000 + "\ndisallow: /over"),
        robots("https://h.jp", base64="//4AVQBzAGUAcgA="),
        robots("https://xn--wgv71a.jp:443", "user-agent: *\ndisallow: /日本"),
    ]
    (tmp_path / "a.warc.gz").write_bytes(build(records, "warc.gz"))
    summary = tmp_path / "summary.json"
    said = uzushio("robots-txt", tmp_path / "a.warc.gz", "--output", tmp_path / "out", "--summary", summary).stderr
    counts = read_json(summary)
    assert counts["left_out"] == {"other-url": 3, "warc-type/request": 1, "warc-type/conversion": 1}
    assert counts["quarantined"] == {"http-malformed": 1}
    assert (counts["captures"], counts["origins"], counts["cut"]) == (8, 8, 1)
    assert "1 files were longer than 500 KiB" in said
    rows = table_of(tmp_path / "out")
    assert {origin: (row["access"], row["redirect"], row["rules"]) for origin, row in rows.items()} == {
        "https://a.jp": ("rules", "", "user-agent: *\ndisallow: /\n"),
        "https://b.jp": ("rules", "", "user-agent: x\ndisallow: /\n"),
        "https://d.jp": ("rules", "", "user-agent: *\ndisallow: /\n"),
        "https://e.jp": ("redirect", "", ""),
        "https://f.jp": ("redirect", "https://www.f.jp", ""),
        "https://g.jp": ("rules", "", "user-agent: a\n"),
        "https://h.jp": ("rules", "", ""),
        "https://xn--wgv71a.jp": ("rules", "", "user-agent: *\ndisallow: /%E6%97%A5%E6%9C%AC\n"),
    }
    (tmp_path / "no.warc").write_bytes(b"no archive at all\n" * 100)
    said = uzushio("robots-txt", tmp_path / "no.warc", "--output", tmp_path / "no", code=1).stderr
    assert "is it a WARC file?" in said


def test_tables_that_say_nothing(uzushio: Uzushio, tmp_path: Path) -> None:
    """Archives without any robots.txt, and a chain with their table: both say what to do."""
    documents = documents_of(uzushio, tmp_path, ["https://a.jp/x", "https://a.jp/y"])
    said = uzushio("robots-txt", tmp_path / "documents.warc", "--output", tmp_path / "none").stderr
    assert "there is no robots.txt among 2 records, and the table is empty" in said
    assert "robotstxt.paths.gz" in said
    unknown = make_table(uzushio, tmp_path, [robots("https://down.jp", **status(503))], name="unknown")
    for table in (tmp_path / "none", unknown):
        for command in ("filter", "metrics", "hosts"):
            config = chain(tmp_path, robots_txt=str(table))
            out = tmp_path / f"{table.name}-{command}"
            said = uzushio(command, documents, "--config", config, "--output", out).stderr
            assert f"OptOut: robots_txt: the table {table} says nothing of any site" in said
            assert "uzushio robots-txt" in said


def test_a_table_that_does_not_fit(uzushio: Uzushio, tmp_path: Path) -> None:
    """Is refused while it is read, with about the memory that it takes; in a pipeline, too."""
    rules = [
        "user-agent: *\n" + "".join(f"disallow: /{site}/{place:060}\n" for place in range(300)) for site in range(200)
    ]
    table = make_table(uzushio, tmp_path, [robots(f"https://h{site}.jp", one) for site, one in enumerate(rules)])
    documents = documents_of(uzushio, tmp_path, ["https://h0.jp/0/" + "0" * 60, "https://a.jp/y"])
    config = chain(tmp_path, robots_txt=str(table))
    stage = {"name": "allowed", "command": "filter", "input": str(documents), "config": str(config)}
    (tmp_path / "run.conf").write_text(json.dumps({"stages": [stage]}), encoding="utf-8")
    for arguments in (("filter", documents, "--config", config), ("metrics", documents, "--config", config),
                      ("hosts", documents, "--config", config), ("run", tmp_path / "run.conf")):  # fmt: skip
        said = uzushio(*arguments, "--output", tmp_path / "o", "--memory", "1MiB", code=2).stderr
        (needed,) = re.findall(r"--memory 1MiB: the table of robots.txt alone takes about (\d+)MiB", said)
        assert 4 <= int(needed) <= 6
        assert not (tmp_path / "o").exists()
    uzushio("filter", documents, "--config", config, "--output", tmp_path / "out", "--memory", "256MiB", "--threads", 1)
    assert urls_in(tmp_path / "out") == ["https://a.jp/y"]


def test_redirects_end(uzushio: Uzushio, tmp_path: Path) -> None:
    """After five; in a circle too. Where they lead to a site whose file is known by the other scheme, that holds."""
    chain_of = [
        robots(f"https://r{place}.jp", **status(301, ["Location", f"https://r{place + 1}.jp/robots.txt"]))
        for place in range(6)
    ]
    end = robots("https://r6.jp", "user-agent: ccbot\ndisallow: /")
    circle = robots("https://o.jp", **status(301, ["Location", "http://o.jp/robots.txt"]))
    circle2 = robots("http://o.jp", **status(301, ["Location", "https://o.jp/robots.txt"]))
    other = robots("https://m.jp", **status(301, ["Location", "https://www.m.jp/robots.txt"]))
    plain = robots("http://www.m.jp", "user-agent: ccbot\ndisallow: /")
    table = make_table(uzushio, tmp_path, [*chain_of, end, circle, circle2, other, plain])
    urls = [f"https://r{place}.jp/" for place in range(7)] + ["https://o.jp/", "https://m.jp/"]
    documents = documents_of(uzushio, tmp_path, urls)
    uzushio("filter", documents, "--config", chain(tmp_path, robots_txt=str(table)), "--output", tmp_path / "out")
    assert urls_in(tmp_path / "out") == ["https://r0.jp/", "https://o.jp/"]


def test_as_a_stage_of_a_pipeline(uzushio: Uzushio, tmp_path: Path) -> None:
    """Its inputs are archives: one more makes the table anew."""
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "documents.parquet").write_bytes(b"not looked at")
    stage = {"name": "robots", "command": "robots-txt", "input": str(tmp_path / "crawl")}
    (tmp_path / "run.conf").write_text(json.dumps({"stages": [stage]}), encoding="utf-8")
    for number in range(2):
        captures = [robots(f"https://h{number}.jp", "user-agent: *\ndisallow: /")]
        (tmp_path / "crawl" / f"{number}.warc.gz").write_bytes(build(captures, "warc.gz"))
        said = uzushio("run", tmp_path / "run.conf", "--output", tmp_path / "corpus").stderr
        assert f"{number + 1} record" in said
        assert len(table_of(tmp_path / "corpus" / "robots")) == number + 1


def test_another_table_is_another_run(uzushio: Uzushio, tmp_path: Path) -> None:
    """The identity has what the table says, not its name."""
    first = make_table(uzushio, tmp_path, [robots("https://a.jp", "user-agent: *\ndisallow: /x")], name="first")
    second = make_table(uzushio, tmp_path, [robots("https://a.jp", "user-agent: *\ndisallow: /y")], name="second")
    documents = documents_of(uzushio, tmp_path, ["https://a.jp/x", "https://a.jp/y"])
    table = tmp_path / "table"
    first.rename(table)
    config = chain(tmp_path, robots_txt=str(table))
    arguments = ("filter", documents, "--config", config, "--output", tmp_path / "out")
    uzushio(*arguments)
    assert urls_in(tmp_path / "out") == ["https://a.jp/y"]
    assert "was complete already" in uzushio(*arguments).stderr
    table.rename(tmp_path / "old")
    second.rename(table)
    uzushio(*arguments, code=2)
    uzushio(*arguments, "--overwrite")
    assert urls_in(tmp_path / "out") == ["https://a.jp/x"]


def test_errors_name_what_is_wrong(uzushio: Uzushio, tmp_path: Path) -> None:
    """No table, no column, a damaged one, no agents."""
    documents = documents_of(uzushio, tmp_path, ["https://a.jp/x"])
    table = make_table(uzushio, tmp_path, CAPTURES)
    pq.write_table(pa.table({"origin": ["https://a.jp"]}), tmp_path / "other.parquet")
    (tmp_path / "empty").mkdir()
    out = ("--output", tmp_path / "out")
    for place, message in (
        (tmp_path / "none", "none"),
        (tmp_path / "empty", "empty"),
        (tmp_path / "other.parquet", "there is no column 'access'; make it with uzushio robots-txt"),
    ):
        said = uzushio("filter", documents, "--config", chain(tmp_path, robots_txt=str(place)), *out, code=2).stderr
        assert "robots_txt: " in said
        assert message in said
    config = chain(tmp_path, robots_txt=str(table), agents=[])
    assert "give `agents`" in uzushio("filter", documents, "--config", config, *out, code=2).stderr
    data = (table / "robots.parquet").read_bytes()
    (table / "robots.parquet").write_bytes(data[:-100])
    config = chain(tmp_path, robots_txt=str(table))
    assert "robots.parquet" in uzushio("filter", documents, "--config", config, *out, code=2).stderr


def test_without_the_column_robots(uzushio: Uzushio, tmp_path: Path) -> None:
    """The table alone decides, where nothing is asked of the page."""
    table = make_table(uzushio, tmp_path, CAPTURES)
    rows = {"docId": ["1", "2"], "url": ["https://a.jp/private", None], "text": ["a", "b"]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    alone: dict[str, Any] = {"robots_txt": str(table), "directives": [], "agent_directives": []}
    config = chain(tmp_path, **alone)
    uzushio("filter", tmp_path / "a.parquet", "--config", config, "--output", tmp_path / "out")
    assert urls_in(tmp_path / "out") == [None]
    parts: list[dict[str, list[str]]] = [{}, {"directives": []}, {"agent_directives": []}]
    for more in parts:
        config = chain(tmp_path, robots_txt=str(table), **more)
        said = uzushio("filter", tmp_path / "a.parquet", "--config", config, "--output", tmp_path / "o", code=2).stderr
        assert "there is no column 'robots', only docId, url, text; extract writes it" in said
        assert "to go by robots.txt alone, give `directives: []` and `agent_directives: []`" in said


@pytest.mark.module
def test_in_python(uzushio: Uzushio, tmp_path: Path) -> None:
    """The same table, the same filter."""
    table = make_table(uzushio, tmp_path, CAPTURES)
    summary = module.robots_txt(tmp_path / "table", tmp_path / "again")
    assert (summary.origins, summary.access["rules"]) == (5, 2)
    assert (tmp_path / "again" / "robots.parquet").read_bytes() == (table / "robots.parquet").read_bytes()
    documents = documents_of(uzushio, tmp_path, ["https://a.jp/private", "https://a.jp/"])
    module.filter(documents, tmp_path / "out", config=chain(tmp_path, robots_txt=str(table)))
    assert urls_in(tmp_path / "out") == ["https://a.jp/"]
    made = module.FilterChain([module.Filter("OptOut", robots_txt=str(table), agents=["gptbot"], directives=[])])
    said = [
        made.apply_text("文章です。", url=f"https://a.jp/{path}", robots="") for path in ("private", "private/but", "")
    ]
    rule = "rule: disallow /private, in robots.txt for https://a.jp"
    removal = module.Removal("OptOut", 0, "OptOut.RobotsTxt(gptbot)", 2.0, "= 2", rule)
    assert [one.removed for one in said] == [removal, None, None]
    alone = module.Filter("OptOut", robots_txt=str(table), directives=[], agent_directives=[])
    texts = {"url": ["https://a.jp/private", "https://a.jp/"], "text": ["一", "二"]}
    assert module.FilterChain([alone]).apply(pa.table(texts)).passed.to_pydict()["text"] == ["二"]
    with pytest.raises(module.UsageError, match="OptOut does with robots_txt: give the text's as url"):
        module.FilterChain([alone]).apply_text("文章です。")
