"""The parts of a report that are not about metrics: corpora, groups of near-duplicates, overlaps."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest
from pipeline_pages import FOOTER, write_archive
from program import Uzushio, read_documents, read_json, run_uzushio


def data_of(uzushio: Uzushio, page: Path, *arguments: object) -> Any:
    """The data of a page that is made of these."""
    uzushio("report", *arguments, "--output", page)
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.fixture(name="outputs", scope="module")
def make_outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of two archives, statistics of both and merged, what a filter leaves, and overlaps."""
    folder = tmp_path_factory.mktemp("sections")
    for number, name in enumerate("ab"):
        archive = write_archive(folder / f"{name}.warc.gz", 40 + number, seed=1 + number)
        run_uzushio("extract", archive, "--output", folder / name)
        run_uzushio("stats", folder / name, "--output", folder / f"statistics-{name}", "--intermediate")
    both = [folder / "statistics-a", folder / "statistics-b"]
    run_uzushio("merge", *both, "--output", folder / "statistics")
    (folder / "chain.conf").write_text('{"filters": [{"class": "HiraganaRatio", "low": 0.52}]}', encoding="utf-8")
    partitioned = ["--config", folder / "chain.conf", "--mode", "partitioned"]
    run_uzushio("filter", folder / "a", "--output", folder / "parted", *partitioned)
    run_uzushio("overlap", folder / "a", folder / "b", "--output", folder / "overlap")
    return folder


def named(counts: Counter[str]) -> list[dict[str, Any]]:
    """As the page has them: the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"name": name, "documents": count} for name, count in ordered]


def test_corpora_are_what_documents_are(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Each output of documents, as they are named; sizes are those of the marks, but for bytes with markup."""
    data = data_of(uzushio, tmp_path / "page.html", outputs / "a", outputs / "parted", outputs / "statistics-a")
    assert [corpus["name"] for corpus in data["corpora"]] == [str(outputs / "a"), str(outputs / "parted")]
    rows = read_documents(outputs / "a")
    counts = read_json(outputs / "a" / ".uzushio/manifest.json")["counts"]
    assert data["corpora"][0] == {
        "name": str(outputs / "a"),
        "documents": len(rows),
        "characters": counts["characters"],
        "bytes": None,
        "languages": named(Counter(row["language"] for row in rows)),
        "charsets": named(Counter(row["charset"] for row in rows)),
        "hosts": named(Counter(str(urlsplit(row["url"]).hostname) for row in rows)),
        "distinctHosts": 8,
        "dates": sorted(named(Counter(row["date"][:7] for row in rows)), key=lambda month: month["name"]),
    }
    passed = read_json(outputs / "parted" / ".uzushio/manifest.json")["counts"]["passed"]
    assert 0 < passed["documents"] < len(rows)
    parted = data["corpora"][1]
    assert (parted["documents"], parted["bytes"]) == (passed["documents"], passed["text_bytes"])


def test_groups_with_their_texts_and_hosts(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """The most frequent paragraphs of merged statistics, whose documents are all among the outputs."""
    names = [outputs / name for name in ("a", "b", "statistics-a", "statistics-b", "statistics")]
    groups = data_of(uzushio, tmp_path / "page.html", *names)["groups"]
    assert [of["name"] for of in groups] == [str(name) for name in names[2:]]
    merged = groups[2]
    table = pq.read_table(outputs / "statistics" / "statistics.parquet").to_pylist()
    counts = read_json(outputs / "statistics" / ".uzushio/manifest.json")["counts"]
    assert merged["paragraphs"] == counts["distinct_paragraphs"] > len(table)
    assert merged["groups"] == counts["groups"] > 0
    assert sum(size["groups"] for size in merged["sizes"] if size["least"] > 1) == merged["groups"]
    assert sum(size["groups"] for size in merged["sizes"]) == len({row["reprHash"] for row in table})
    assert sum(size["occurrences"] for size in merged["sizes"]) == sum(row["exactFreq"] for row in table)
    rows = read_documents(outputs / "a") + read_documents(outputs / "b")
    assert merged["frequent"][0] == {
        "text": FOOTER,
        "exactFreq": len(rows),
        "nearFreq": len(rows),
        "documents": len(rows),
        "hosts": len({urlsplit(row["url"]).hostname for row in rows}),
    }
    texts = Counter(part.rpartition("\x1c")[2] for row in rows for part in row["text"].split("\n\n"))
    for paragraph in merged["frequent"]:
        assert texts[paragraph["text"]] == paragraph["exactFreq"]
    for group in merged["largest"]:
        assert [texts[variant["text"]] for variant in group["variants"]] == [
            variant["exactFreq"] for variant in group["variants"]
        ]
        assert len(group["variants"]) == min(group["members"], 12)
        assert (group["hosts"] is None) == (group["members"] > 12)
    assert {group["hosts"] is None for group in merged["largest"]} == {False, True}


def test_documents_of_others_tell_nothing(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Hosts are of those documents alone that the statistics were made of; texts may be in the statistics."""
    groups = data_of(uzushio, tmp_path / "page.html", outputs / "b", outputs / "statistics-a", outputs / "statistics")
    for frequent in (of["frequent"][0] for of in groups["groups"]):
        assert (frequent["documents"], frequent["hosts"]) == (None, None)
    assert [of["frequent"][0]["text"] for of in groups["groups"]] == [FOOTER, None]


def test_documents_of_a_part_tell_nothing(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Of statistics that have more than what passed, or the same documents twice."""
    uzushio("stats", outputs / "parted", "--output", tmp_path / "of-all")
    uzushio("stats", outputs / "a", "--output", tmp_path / "again", "--intermediate")
    uzushio("merge", outputs / "statistics-a", tmp_path / "again", "--output", tmp_path / "twice")
    for names in (
        [outputs / "parted", tmp_path / "of-all"],
        [outputs / "a", outputs / "statistics-a", tmp_path / "again", tmp_path / "twice"],
    ):
        page = tmp_path / f"{len(names)}.html"
        frequent = data_of(uzushio, page, *names)["groups"][-1]["frequent"]
        assert {(one["documents"], one["hosts"]) for one in frequent} == {(None, None)}


def test_overlaps_are_matrices(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """As the table has them; a page without any has none."""
    data = data_of(uzushio, tmp_path / "page.html", outputs / "overlap")
    (overlap,) = data["overlap"]
    assert overlap["datasets"] == [str(outputs / "a"), str(outputs / "b")]
    rows = {row["kind"]: row for row in pq.read_table(outputs / "overlap" / "overlap.parquet").to_pylist()}
    assert [kind["kind"] for kind in overlap["kinds"]] == ["urls", "documents", "paragraphs"]
    for kind in overlap["kinds"]:
        row = rows[kind["kind"]]
        assert kind["counts"] == [row["countA"], row["countB"]]
        assert kind["both"] == [[row["countA"], row["both"]], [row["both"], row["countB"]]]
    assert data["groups"] is None
    assert data["corpora"] == []


def test_overlaps_of_a_copy_from_a_store(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Whose files have names of their own."""
    copy = tmp_path / "copy"
    shutil.copytree(outputs / "overlap", copy)
    mark = copy / ".uzushio/manifest.json"
    manifest = read_json(mark)
    manifest["name_hash"] = "12345678"
    for file in manifest["files"]:
        assert file["path"] == "overlap.parquet"
        file["path"] = "overlap-12345678.parquet"
    (copy / "overlap.parquet").rename(copy / "overlap-12345678.parquet")
    mark.write_text(json.dumps(manifest), encoding="utf-8")
    (overlap,) = data_of(uzushio, tmp_path / "page.html", copy)["overlap"]
    assert [kind["kind"] for kind in overlap["kinds"]] == ["urls", "documents", "paragraphs"]


def test_the_same_whatever_threads_and_memory(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """All of it, byte for byte; nothing is left beside the page."""
    names = [outputs / name for name in ("a", "b", "statistics-a", "statistics-b", "statistics", "overlap")]
    pages = []
    for number, options in enumerate((["--threads", 1], ["--threads", 3], ["--threads", 2, "--memory", "384MiB"])):
        page = tmp_path / f"{number}.html"
        uzushio("report", *names, "--output", page, *options)
        pages.append(page.read_bytes())
    assert pages[0] == pages[1] == pages[2]
    assert len(list(tmp_path.iterdir())) == 3


def test_marks_may_stand_alone(uzushio: Uzushio, outputs: Path, tmp_path: Path) -> None:
    """Outputs whose files are elsewhere have their counts; where some are missing, that is an error."""
    (tmp_path / "a" / ".uzushio").mkdir(parents=True)
    mark = (outputs / "a" / ".uzushio/manifest.json").read_bytes()
    (tmp_path / "a" / ".uzushio/manifest.json").write_bytes(mark)
    data = data_of(uzushio, tmp_path / "page.html", tmp_path / "a")
    assert data["corpora"] == []
    assert data["funnel"]
