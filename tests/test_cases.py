"""The end-to-end cases: folders of input, options and what is expected.

`case.json` has the records (see warc_builder.py), the containers to try them in, and the options. Every container
must give the documents and counts of `expected.json`, with one thread and with three, byte for byte the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Uzushio, read_documents, read_json
from warc_builder import CONTAINERS, build

CASES = Path(__file__).parent / "cases"
COLUMNS = ("docId", "url", "charset", "language", "date")


def outcome(documents: Path, summary: Path) -> dict[str, Any]:
    """What a run made, in the form of expected.json."""
    counts = read_json(summary)
    rejected, quarantined = counts["rejected"], counts["quarantined"]
    total = counts["documents"] + sum(rejected.values()) + sum(quarantined.values())
    assert counts["records"] == total
    rows = []
    for row in read_documents(documents):
        paragraphs = [paragraph.split("\x1c", 1) for paragraph in row["text"].split("\n\n")]
        rows.append({**{name: row[name] for name in COLUMNS}, "text": paragraphs})
    return {"records": counts["records"], "rejected": rejected, "quarantined": quarantined, "documents": rows}


def files_of(folder: Path) -> dict[str, bytes]:
    """The data files of an output folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("part-*"))}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir()))
def test_case(name: str, container: str, uzushio: Uzushio, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """A case in one container."""
    case = read_json(CASES / name / "case.json")
    containers = case.get("containers", list(CONTAINERS))
    if container not in containers:
        pytest.skip(f"{name} is not for {container}")
    archive = tmp_path / f"input.{container}"
    archive.write_bytes(build(case["records"], container, case.get("cut", 0)))
    runs = []
    for threads in (1, 3):
        output, summary = tmp_path / f"out{threads}", tmp_path / f"summary{threads}.json"
        options = ["--output", output, "--summary", summary, "--threads", threads, "--quiet"]
        uzushio("extract", archive, *options, *case.get("options", []))
        runs.append((files_of(output), outcome(output, summary)))
    assert runs[0] == runs[1]
    expected = CASES / name / "expected.json"
    if pytestconfig.getoption("--update") and container == containers[0]:
        expected.write_text(json.dumps(runs[0][1], ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert runs[0][1] == read_json(expected)
