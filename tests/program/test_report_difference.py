"""`uzushio report --against`: which documents of two corpora differ, and why."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pipeline_pages import write_archive
from program import Uzushio, run_uzushio, write_parquet
from report_page import data_of

KINDS = ("equal", "changed", "onlyA", "onlyB")


def diff_of(uzushio: Uzushio, page: Path, *arguments: object) -> Any:
    """The comparison in a page that is made of these."""
    uzushio("report", *arguments, "--output", page)
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])["diff"]


def write_lines(path: Path, documents: list[dict[str, str]]) -> Path:
    """Documents as JSON Lines."""
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in documents), encoding="utf-8")
    return path


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Documents of Parquet files by their ids."""
    table = ds.dataset(sorted(str(path) for path in folder.rglob("part-*.p*q*"))).to_table()
    return {row["docId"]: row for row in table.to_pylist()}


def counted(diff: Any) -> dict[str, int]:
    """Documents by how they differ."""
    return {kind: diff[kind]["documents"] for kind in KINDS}


def shown(lines: list[dict[str, Any]]) -> list[str]:
    """Lines as `=text`, `+text`, `-text` and `(n)`."""
    signs = {"both": "=", "a": "+", "b": "-"}
    return [f"({line['skipped']})" if "skipped" in line else signs[line["kind"]] + line["text"] for line in lines]


@pytest.fixture(name="outputs", scope="module")
def make_outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, what chains with other thresholds make of them, and their near-duplicates."""
    folder = tmp_path_factory.mktemp("difference")
    archive = write_archive(folder / "a.warc.gz", 60, seed=5)
    run_uzushio("extract", archive, "--output", folder / "documents")
    for name, low in (("loose", 0.5), ("strict", 0.53)):
        chain = {"filters": [{"class": "HiraganaRatio", "low": low}, {"class": "LinkCharRatio", "high": 0.9}]}
        (folder / f"{name}.conf").write_text(json.dumps(chain), encoding="utf-8")
        config = ["--config", folder / f"{name}.conf"]
        run_uzushio("filter", folder / "documents", "--output", folder / name, *config)
        run_uzushio(
            "filter", folder / "documents", "--output", folder / f"{name}-parted", *config, "--mode", "partitioned"
        )
    run_uzushio("minhash", folder / "documents", "--output", folder / "unique")
    return folder


def test_other_thresholds(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """What the stricter chain removes is in the other corpus only, with the reason that the outputs tell."""
    diff = diff_of(
        uzushio,
        tmp_path / "page.html",
        outputs / "loose",
        "--against",
        outputs / "documents",
        "--against",
        outputs / "strict",
    )
    loose, strict = rows_of(outputs / "loose"), rows_of(outputs / "strict")
    lost = [loose[name] for name in loose.keys() - strict.keys()]
    assert lost
    assert (diff["a"], diff["b"], diff["matchedBy"]) == (str(outputs / "loose"), str(outputs / "strict"), "docId")
    assert counted(diff) == {"equal": len(strict), "changed": 0, "onlyA": len(lost), "onlyB": 0}
    plain = [re.sub("[\x02\x03]", "", row["text"]).replace("\n\n", "") for row in lost]
    assert diff["onlyA"]["charactersA"] == sum(map(len, plain))
    why = {"output": str(outputs / "strict"), "stage": "filter", "reason": None, "filter": None}
    sizes = {"documents": len(lost), "characters": sum(map(len, plain))}
    assert diff["reasons"] == [{**why, "missingIn": "b", **sizes}]
    hosts = Counter(str(urlsplit(row["url"]).hostname) for row in lost)
    assert {host["name"]: host["onlyA"] for host in diff["hosts"]} == hosts
    assert sum(host["equal"] for host in diff["hosts"]) <= len(strict)
    assert {one["id"] for one in diff["shown"]["onlyA"]} == {row["docId"] for row in lost}
    first = diff["shown"]["onlyA"][0]
    paragraphs = loose[first["id"]]["text"].split("\n\n")
    assert shown(first["lines"])[:2] == ["+" + re.sub("[\x02\x03]", "", text) for text in paragraphs[:2]]


def test_reasons_of_partitioned_outputs(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """The filter and its threshold, whichever side lacks the documents; the texts of all three are compared."""
    page = tmp_path / "page.html"
    diff = diff_of(uzushio, page, outputs / "strict-parted", "--against", outputs / "loose")
    removed = pq.read_table(outputs / "strict-parted" / "filter=HiraganaRatio.Low(0.53)").num_rows
    passed = rows_of(outputs / "loose")
    reason = {"output": str(outputs / "strict-parted"), "stage": "filter", "filter": "HiraganaRatio"}
    assert counted(diff)["onlyB"] == len(passed) - counted(diff)["equal"] <= removed
    assert [{key: one[key] for key in (*reason, "reason", "missingIn")} for one in diff["reasons"]] == [
        {**reason, "reason": "HiraganaRatio.Low(0.53)", "missingIn": "a"}
    ]
    why = diff["shown"]["onlyB"][0]["why"]
    assert (why["reason"], why["filter"]) == ("HiraganaRatio.Low(0.53)", "HiraganaRatio")
    assert '"HiraganaRatio":"Removes documents' in page.read_text(encoding="utf-8")


def test_duplicates_tell_whose_they_are(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """What `minhash` removed has the document that it is a duplicate of."""
    diff = diff_of(uzushio, tmp_path / "page.html", outputs / "documents", "--against", outputs / "unique")
    duplicates = {
        row["docId"]: row
        for path in (outputs / "unique/.uzushio/duplicates").glob("*.pq")
        for row in pq.ParquetFile(path).read().to_pylist()
    }
    assert duplicates
    assert counted(diff)["onlyA"] == len(duplicates)
    assert [(one["stage"], one["reason"], one["documents"]) for one in diff["reasons"]] == [
        ("minhash", "duplicate", len(duplicates))
    ]
    for one in diff["shown"]["onlyA"]:
        row = duplicates[one["id"]]
        assert (one["why"]["duplicateOf"], one["why"]["similarity"]) == (row["duplicateOf"], row["similarity"])


def test_duplicates_tell_why(uzushio: Uzushio, tmp_path: Path) -> None:
    """Near-duplicates, older captures and contained documents, each as such; so does the funnel."""
    article, other = ("".join(chr(0x4E00 + number) for number in range(at, at + 600)) for at in (0, 3000))
    texts = {"article": article, "part": article[:300], "again": article, "old": other[:200], "new": other}
    rows = [
        {"docId": name, "url": f"http://a.jp/{name.replace('old', 'new')}", "date": f"2023-01-0{at + 1}", "text": text}
        for at, (name, text) in enumerate(texts.items())
    ]
    lines = write_lines(tmp_path / "a.jsonl", rows)
    uzushio("filter", lines, "--output", tmp_path / "all")
    uzushio("minhash", lines, "--output", tmp_path / "unique", "--url", "--contained=0.9", "--keep=first")
    page = tmp_path / "page.html"
    diff = diff_of(uzushio, page, tmp_path / "unique", "--against", tmp_path / "all")
    whys = {one["id"]: one["why"] for one in diff["shown"]["onlyB"]}
    assert {name: (why["duplicateOf"], why["duplicateReason"]) for name, why in whys.items()} == {
        "part": ("article", "contained"),
        "again": ("article", "text"),
        "old": ("new", "url"),
    }
    removed = [row for row in data_of(page.read_text(encoding="utf-8"))["funnel"] if row["kind"] == "removed"]
    assert {row["label"]: row["documents"] for row in removed} == {
        "older_captures": 1,
        "duplicates": 1,
        "contained": 1,
    }


@pytest.fixture(name="snapshots", scope="module")
def make_snapshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two captures of a site, under other ids."""
    folder = tmp_path_factory.mktemp("snapshots")
    texts = {f"https://www.example.jp/{name}": f"一{name}\n\n二\n\n三" for name in "abcd"}
    new = {**texts, "https://www.example.jp/a": "一a\n\n弐\n\n三\n\n四", "https://news.example.jp/e": "新"}
    del new["https://www.example.jp/d"]
    for name, pages in (("old", texts), ("new", new)):
        lines = [{"docId": f"{name}-{at}", "url": url, "text": text} for at, (url, text) in enumerate(pages.items())]
        run_uzushio("filter", write_lines(folder / f"{name}.jsonl", lines), "--output", folder / name)
    return folder


@pytest.mark.parametrize("options", [[], ["--match", "url"]])
def test_snapshots_are_matched_by_urls(uzushio: Uzushio, snapshots: Path, tmp_path: Path, options: list[str]) -> None:
    """Where no id is in both."""
    diff = diff_of(uzushio, tmp_path / "page.html", snapshots / "new", "--against", snapshots / "old", *options)
    assert diff["matchedBy"] == "url"
    assert counted(diff) == {"equal": 2, "changed": 1, "onlyA": 1, "onlyB": 1}
    assert diff["changed"] == {"documents": 1, "charactersA": 5, "charactersB": 4}
    changed = diff["shown"]["changed"][0]
    assert shown(changed["lines"]) == ["=一a", "-二", "+弐", "=三", "+四"]
    assert diff["hosts"] == [
        {"name": "www.example.jp", "equal": 2, "changed": 1, "onlyA": 0, "onlyB": 1},
        {"name": "news.example.jp", "equal": 0, "changed": 0, "onlyA": 1, "onlyB": 0},
    ]
    nowhere = {"output": None, "stage": None, "reason": None, "filter": None}
    assert [one["why"] for one in diff["shown"]["onlyA"] + diff["shown"]["onlyB"]] == [nowhere, nowhere]


def test_ids_that_are_asked_for(uzushio: Uzushio, snapshots: Path, tmp_path: Path) -> None:
    """Nothing is in both."""
    page = tmp_path / "page.html"
    diff = diff_of(uzushio, page, snapshots / "new", "--against", snapshots / "old", "--match", "id")
    assert (diff["matchedBy"], counted(diff)["onlyA"], counted(diff)["onlyB"]) == ("docId", 4, 4)


def corpora(folder: Path, **rows: dict[str, Any]) -> list[Path]:
    """Outputs of `filter` with these columns, by their names."""
    for name, columns in rows.items():
        write_parquet(pa.table(columns), folder / f"{name}.parquet")
        run_uzushio("filter", folder / f"{name}.parquet", "--output", folder / name)
    return [folder / name for name in rows]


def test_any_number_of_documents_share_a_text(uzushio: Uzushio, tmp_path: Path) -> None:
    """Those without ids are paired by their number."""
    nothing = pa.nulls(70_000, pa.string())
    first, second = corpora(
        tmp_path,
        new={"docId": nothing, "url": nothing, "text": ["定型文"] * 70_000},
        old={"docId": nothing[:66_000], "url": nothing[:66_000], "text": ["定型文"] * 66_000},
    )
    diff = diff_of(uzushio, tmp_path / "page.html", first, "--against", second)
    assert counted(diff) == {"equal": 66_000, "changed": 0, "onlyA": 4_000, "onlyB": 0}
    assert [one["documents"] for one in diff["shown"]["onlyA"]] == [4_000]


def test_captures_of_one_url_are_paired(uzushio: Uzushio, tmp_path: Path) -> None:
    """Equal texts first, then the others as far as they go; the counts sum up to the documents of each corpus."""
    url = "https://www.example.jp/"
    first, second = corpora(
        tmp_path,
        new={"docId": list("abcd"), "url": [url] * 4, "text": ["一", "一", "二", "三"]},
        old={"docId": list("wxyz"), "url": [url] * 3 + [url + "z"], "text": ["一", "四", "五", "六"]},
    )
    diff = diff_of(uzushio, tmp_path / "page.html", first, "--against", second)
    assert diff["matchedBy"] == "url"
    assert counted(diff) == {"equal": 1, "changed": 2, "onlyA": 1, "onlyB": 1}
    shown_of = {kind: [one["documents"] for one in documents] for kind, documents in diff["shown"].items()}
    assert shown_of == {"changed": [2], "onlyA": [1], "onlyB": [1]}


def few_ids(count: int) -> list[str | None]:
    """Ids of ten documents, of which so many have one."""
    return [f"id-{at}" if at < count else None for at in range(10)]


@pytest.mark.parametrize(("ids", "matched_by"), [(1, "url"), (4, "url"), (5, "docId"), (10, "docId")])
def test_few_documents_have_ids(uzushio: Uzushio, tmp_path: Path, ids: int, matched_by: str) -> None:
    """They are matched by their URLs if that matches more, and ids less than half."""
    urls = [f"https://www.example.jp/{at}" for at in range(10)]
    first, second = corpora(
        tmp_path,
        new={"docId": few_ids(ids), "url": urls, "text": [f"新{at}" for at in range(10)]},
        old={"docId": few_ids(ids), "url": urls, "text": [f"旧{at}" for at in range(10)]},
    )
    diff = diff_of(uzushio, tmp_path / "page.html", first, "--against", second)
    assert diff["matchedBy"] == matched_by
    assert counted(diff)["changed"] == (10 if matched_by == "url" else ids)


def test_urls_that_match_fewer_than_ids(uzushio: Uzushio, tmp_path: Path) -> None:
    """Documents are matched by their ids, however few match."""
    urls = [f"https://www.example.jp/{at}" for at in range(20)]
    texts = [f"本文{at}" for at in range(10)]
    first, second = corpora(
        tmp_path,
        new={"docId": few_ids(1), "url": urls[:10], "text": texts},
        old={"docId": few_ids(1), "url": urls[10:], "text": texts},
    )
    diff = diff_of(uzushio, tmp_path / "page.html", first, "--against", second)
    assert diff["matchedBy"] == "docId"
    assert counted(diff)["equal"] == 10  # without ids, by their texts


def test_names_of_other_types(uzushio: Uzushio, tmp_path: Path) -> None:
    """Integers are taken as their decimals; for what can be no name, the error names the file, column and type."""
    first, second, third = corpora(
        tmp_path,
        numbers={"docId": [1, 2], "url": [10, 20], "title": [1.5, 2.5], "text": ["一", "二"]},
        texts={"docId": ["2", "3"], "url": ["20", "30"], "text": ["弐", "三"]},
        lists={"docId": ["2", "3"], "url": [["20"], ["30"]], "text": ["弐", "三"]},
    )
    page = tmp_path / "page.html"
    for match in ("id", "url"):
        diff = diff_of(uzushio, page, first, "--against", second, "--match", match, "--overwrite")
        assert counted(diff) == {"equal": 0, "changed": 1, "onlyA": 1, "onlyB": 1}
        assert (diff["shown"]["changed"][0]["id"], diff["shown"]["changed"][0]["url"]) == ("2", "20")
    said = uzushio("report", first, "--against", third, "--output", page, "--overwrite", code=2).stderr
    assert f"{third}/" in said
    assert "column 'url' is of type list" in said
    assert "convert it to texts" in said


def test_a_difference_far_from_the_beginning(uzushio: Uzushio, tmp_path: Path) -> None:
    """Of long documents, what is equal before it is left out, in paragraphs and inside of one."""
    lines = "\n\n".join(f"{at}行目の文です。" for at in range(20_000))
    line = "改行のない長い文。" * 40_000
    first, second = corpora(
        tmp_path,
        new={"docId": ["a", "b"], "text": [lines.replace("19000行目", "新しい行"), line + "新" + line]},
        old={"docId": ["a", "b"], "text": [lines, line + "旧" + line]},
    )
    diff = diff_of(uzushio, tmp_path / "page.html", first, "--against", second)
    by_id = {one["id"]: one for one in diff["shown"]["changed"]}
    assert shown(by_id["a"]["lines"])[:4] == [
        "(18999)",
        "=18999行目の文です。",
        "-19000行目の文です。",
        "+新しい行の文です。",
    ]
    old, new = by_id["b"]["lines"]
    assert (old["kind"], new["kind"]) == ("b", "a")
    assert old["text"].startswith("…")
    assert old["text"].endswith("…")
    assert "旧" in old["text"][:200]
    assert "新" in new["text"][:200]


def test_any_threads_memory_and_order_of_files(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """The same bytes."""
    pages = []
    for number, options in enumerate((["--threads", 1], ["--threads", 3, "--memory", "448MiB"])):
        page = tmp_path / f"{number}.html"
        names = [outputs / "loose-parted", "--against", outputs / "documents", "--against", outputs / "strict-parted"]
        uzushio("report", *names, "--output", page, *options)
        pages.append(page.read_bytes())
    assert pages[0] == pages[1]


def test_what_a_summary_says(uzushio: Uzushio, snapshots: Path, tmp_path: Path) -> None:
    """A line, and the numbers as JSON."""
    names = [snapshots / "new", "--against", snapshots / "old"]
    done = uzushio("report", *names, "--output", tmp_path / "page.html", "--summary", tmp_path / "summary.json")
    assert "2 documents equal, 1 changed, 1 only in the first, 1 only in the second" in done.stderr
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["diff"]
    assert summary == {
        "a": str(snapshots / "new"),
        "b": str(snapshots / "old"),
        "matched_by": "url",
        "equal": 2,
        "changed": 1,
        "only_a": 1,
        "only_b": 1,
    }


def test_what_can_not_be_compared(uzushio: Uzushio, snapshots: Path, outputs: Path, tmp_path: Path) -> None:
    """The error says what is missing."""
    page = tmp_path / "page.html"

    def said(*arguments: object) -> str:
        return uzushio("report", *arguments, "--output", page, code=2).stderr

    assert "is compared with itself" in said(snapshots / "new", "--against", snapshots / "new")
    assert "is compared with itself" in said(snapshots / "new", "--against", snapshots / "old" / ".." / "new")
    (tmp_path / "none.conf").write_text('{"filters": [{"class": "DocLength", "low": 100000000}]}', encoding="utf-8")
    chain = ["--config", tmp_path / "none.conf", "--mode", "partitioned"]
    uzushio("filter", outputs / "documents", "--output", tmp_path / "nothing", *chain)
    assert "nothing has no documents to compare: none passed" in said(
        outputs / "documents", "--against", outputs / "strict", "--against", tmp_path / "nothing"
    )
    uzushio("stats", outputs / "documents", "--output", tmp_path / "statistics")
    assert "--against: has no documents to compare" in said(snapshots / "new", "--against", tmp_path / "statistics")
    uzushio("filter", write_lines(tmp_path / "plain.jsonl", [{"text": "あ"}]), "--output", tmp_path / "plain")
    assert "not both have ids" in said(snapshots / "new", "--against", tmp_path / "plain")
    assert "--against" in said(snapshots / "new", "--match", "url")
    missing = uzushio("report", snapshots / "new", "--against", tmp_path / "none", "--output", page, code=2)
    assert "--against" in missing.stderr
    assert "there is nothing" in missing.stderr
