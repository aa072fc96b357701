"""The end-to-end cases: folders of input, options and what is expected.

`case.json` has the records (see warc_builder.py), the containers to try them in, and the options. Every container
must give the documents and counts of `expected.json`, through each door: the program with one thread and with three,
byte for byte the same, and the Python module.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import uzushio as module
from program import CASES, Uzushio, read_documents, read_json
from warc_builder import CONTAINERS, build

COLUMNS = ("docId", "url", "charset", "language", "date")


def outcome(counts: dict[str, Any], documents: list[dict[str, Any]]) -> dict[str, Any]:
    """What a run made, in the form of expected.json."""
    rejected, quarantined = counts["rejected"], counts["quarantined"]
    total = counts["documents"] + sum(rejected.values()) + sum(quarantined.values())
    assert counts["records"] == total
    rows = []
    for row in documents:
        paragraphs = [paragraph.split("\x1c", 1) for paragraph in row["text"].split("\n\n")]
        rows.append({**{name: row[name] for name in COLUMNS}, "text": paragraphs})
    return {"records": counts["records"], "rejected": rejected, "quarantined": quarantined, "documents": rows}


def files_of(folder: Path) -> dict[str, bytes]:
    """The data files of an output folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("part-*"))}


def keywords(options: list[str]) -> dict[str, Any]:
    """The options of a command line as `read_warc` takes them."""
    names = [name.removeprefix("--").replace("-", "_").replace("language", "languages") for name in options[::2]]
    return {name: int(value) if value.isdigit() else value for name, value in zip(names, options[1::2], strict=True)}


@pytest.fixture(name="case")
def read_case(name: str, container: str, tmp_path: Path) -> dict[str, Any]:
    """A case, its archive, in the container, as `archive`, and the first of its containers as `first`."""
    case: dict[str, Any] = read_json(CASES / name / "case.json")
    containers = case.get("containers", list(CONTAINERS))
    if container not in containers:
        pytest.skip(f"{name} is not for {container}")
    archive = tmp_path / f"input.{container}"
    archive.write_bytes(build(case["records"], container, case.get("cut", 0)))
    return {**case, "archive": archive, "first": containers[0]}


cases = pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir()))
containers = pytest.mark.parametrize("container", CONTAINERS)


@containers
@cases
def test_program(
    name: str, container: str, case: dict[str, Any], uzushio: Uzushio, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """A case in one container, by the program."""
    runs = []
    for threads in (1, 3):
        output, summary = tmp_path / f"out{threads}", tmp_path / f"summary{threads}.json"
        options = ["--output", output, "--summary", summary, "--threads", threads, "--quiet"]
        uzushio("extract", case["archive"], *options, *case.get("options", []))
        runs.append((files_of(output), outcome(read_json(summary), read_documents(output))))
    assert runs[0] == runs[1]
    expected = CASES / name / "expected.json"
    if pytestconfig.getoption("--update") and container == case["first"]:
        expected.write_text(json.dumps(runs[0][1], ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert runs[0][1] == read_json(expected)


@pytest.mark.module
@containers
@cases
def test_python(name: str, container: str, case: dict[str, Any]) -> None:
    """A case in one container, by the Python module."""
    archive = module.read_warc(case["archive"], **keywords(case.get("options", [])))
    documents = [
        {
            "docId": document.doc_id,
            "url": document.url,
            "charset": document.charset,
            "language": document.language,
            "date": document.date,
            "text": document.markup,
        }
        for document in archive
    ]
    documents.sort(key=lambda document: document["language"])  # which are folders of the program's output
    assert outcome(archive.counts, documents) == read_json(CASES / name / "expected.json")
    assert len(archive.quarantined) == sum(archive.counts["quarantined"].values())
