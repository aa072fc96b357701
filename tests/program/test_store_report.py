"""`uzushio report` of outputs on an object store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_store import ON_EACH_SERVER, ObjectStore, serve_store
from pipeline_pages import write_archive
from program import PROGRAM
from report_page import data_of


@pytest.fixture(name="store")
def make_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """An empty one."""
    with serve_store(getattr(request, "param", "moto")) as store:
        yield store


@ON_EACH_SERVER
def test_a_page_has_what_one_of_local_outputs_has(store: ObjectStore, tmp_path: Path) -> None:
    """Of each stage, of statistics with their documents, and of two corpora that are compared."""
    crawl = write_archive(tmp_path / "crawl" / "0.warc.gz", 40)
    chain, tmp = tmp_path / "chain.conf", tmp_path / "tmp"
    chain.write_text("filters: [{class: DocLength, low: 50}, {class: HiraganaRatio, low: 0.1}]", encoding="utf-8")
    tmp.mkdir()
    pages = []
    for at in (str(tmp_path / "here"), "s3://store/corpus"):
        commands: dict[str, list[str | Path]] = {
            "documents": ["extract", crawl],
            "statistics": ["stats", f"{at}/documents"],
            "part": ["stats", f"{at}/documents", "--intermediate"],
            "unique": ["minhash", f"{at}/documents"],
            "metrics": ["metrics", f"{at}/unique", "--config", chain],
            "clean": ["filter", f"{at}/unique", "--config", chain, "--mode", "partitioned"],
            "overlap": ["overlap", f"{at}/unique", f"{at}/documents"],
        }
        for name, command in commands.items():
            store.run(PROGRAM, *command, "--output", f"{at}/{name}")
        of_all = [f"{at}/{name}" for name in ("documents", "statistics", "unique", "metrics", "clean", "overlap")]
        compared = [f"{at}/unique", f"{at}/clean", "--against", f"{at}/documents"]
        for number, given in enumerate((of_all, [f"{at}/documents", f"{at}/part"], [f"{at}/statistics"], compared)):
            page = tmp_path / f"{number}.html"
            store.run(PROGRAM, "report", *given, "--output", page, "--overwrite", "--tmp", tmp)
            pages.append(data_of(page.read_text(encoding="utf-8")))
    assert not list(tmp.iterdir())
    here, there = pages[:4], pages[4:]
    for one, other in zip(here, there, strict=True):
        assert json.loads(json.dumps(one).replace(str(tmp_path / "here"), "s3://store/corpus")) == other
    assert there[0]["metrics"][0]["extracts"]
    assert there[1]["groups"]
    assert there[3]["diff"]["onlyB"]["documents"] > 0


def test_what_is_no_output_is_told(store: ObjectStore, tmp_path: Path) -> None:
    """By its name, without credentials, and with what is wanted."""
    store.put("others/a.parquet", b"")
    store.put("begun/_INCOMPLETE", b"{}")
    key, secret = store.environment.pop("AWS_ACCESS_KEY_ID"), store.environment.pop("AWS_SECRET_ACCESS_KEY")
    for name, why in {
        "nothing": "there is nothing; an output of uzushio is wanted",
        "others": "has no manifest; an output of uzushio is wanted",
        "others/a.parquet": "is a file; an output of uzushio is wanted",
        "begun": "is not complete: its run was stopped, or goes on; run it to its end first",
    }.items():
        report = [PROGRAM, "report", f"s3://{key}:{secret}@store/{name}", "--output", tmp_path / "page.html"]
        said = store.run(*report, code=2)
        assert f"s3://store/{name}: {why}" in said
        assert secret not in said
    page = store.run(PROGRAM, "report", "s3://store/others", "--output", "s3://store/page.html", code=2)
    assert "s3://store" in page
    assert not list(tmp_path.iterdir())
