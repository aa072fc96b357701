"""The end-to-end cases: folders of input, options and what is expected.

`case.json` has the records (see warc_builder.py), the containers to try them in, and the options. Every container
must give the documents, counts and quarantined records of `expected.json`, through each frontend: the program with one
thread and with three, byte for byte the same, and the Python module. A case with
a `model`, weights by n-gram, has a file of it as --language-model.
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import uzushio as module
from language_model import model_file
from program import CASES, Uzushio, read_documents, read_json
from warc_builder import CONTAINERS, build, place_of

COLUMNS = ("docId", "url", "charset", "language", "date", "title")
OF_SOME = ("robots", "license")  # columns that are empty for most pages, and left out there
OF_BLOCKS = ("http-malformed", "content-coding")  # reasons for which the block is kept, not the record


def bytes_of(case: dict[str, Any]) -> bytes:
    """The archive's bytes that places count in: those of its one member, where it has one."""
    data: bytes = case["archive"].read_bytes()
    shared = case["container"] == "single.warc.gz" and len(case["records"]) > 1
    return zlib.decompressobj(wbits=31).decompress(data) if shared else data


def outcome(
    case: dict[str, Any],
    counts: dict[str, Any],
    documents: list[dict[str, Any]],
    quarantine: list[tuple[str, int, int, str, bytes]],
) -> dict[str, Any]:
    """What a run made, in the form of expected.json."""
    rejected, quarantined = counts["rejected"], counts["quarantined"]
    total = counts["documents"] + sum(rejected.values()) + sum(quarantined.values())
    assert counts["records"] == total
    assert Counter(reason for _, _, _, reason, _ in quarantine) == quarantined
    archive, container = str(case["archive"]), case["container"]
    rows = []
    for row in documents:
        assert row["warc"] == archive
        paragraphs = [paragraph.split("\x1c", 1) for paragraph in row["text"].split("\n\n")]
        place = place_of(case["records"], container, row["offset"], row["length"])
        said = {name: row[name] for name in OF_SOME if row[name]}
        rows.append({**{name: row[name] for name in COLUMNS}, **said, "record": place, "text": paragraphs})
    bad = []
    for warc, offset, length, reason, data in quarantine:
        assert warc == archive
        assert reason in OF_BLOCKS or data == bytes_of(case)[offset : offset + length][: 1 << 20]
        bad.append({"reason": reason, "record": place_of(case["records"], container, offset, length)})
    made = {"records": counts["records"], "rejected": rejected, "quarantine": bad, "documents": rows}
    return made | ({"damaged": counts["damaged"]} if counts["damaged"] else {})


def quarantine_of(folder: Path) -> list[tuple[str, int, int, str, bytes]]:
    """The records that were put aside."""
    lines = [
        json.loads(line)
        for path in sorted(folder.glob(".uzushio/quarantine/*.jsonl.gz"))
        for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()
    ]
    return [(x["warc"], x["offset"], x["length"], x["reason"], base64.b64decode(x["bytes"])) for x in lines]


def compare(case: dict[str, Any], found: dict[str, Any]) -> None:
    """What a run made is what is expected, or else the message tells what the case is for, and what differs first."""
    expected = read_json(CASES / case["name"] / "expected.json")
    if found == expected:
        return
    lines = [f"case {case['name']}, {case['container']}: {case['description']}"]
    for key, wanted in expected.items():
        if key != "documents" and found.get(key) != wanted:
            lines.append(f"{key}: expected {wanted}, found {found.get(key)}")
    pairs = itertools.zip_longest(expected["documents"], found["documents"])
    for number, (wanted, row) in enumerate(pairs):
        if wanted == row:
            continue
        lines.append(f"document {number} of {len(expected['documents'])} expected and {len(found['documents'])} found:")
        for name in [*(wanted or row)]:
            a, b = (wanted or {}).get(name), (row or {}).get(name)
            if a != b:
                lines.append(f"  {name}: expected {a!r}, found {b!r}")
        break
    pytest.fail("\n".join(lines), pytrace=False)


def files_of(folder: Path) -> dict[str, bytes]:
    """The data files of an output folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("part-*"))}


def keywords(options: list[str]) -> dict[str, Any]:
    """The options of a command line as `read_warc` takes them."""
    found: dict[str, Any] = {}
    for option, value in itertools.zip_longest(options, options[1:], fillvalue="--"):
        name = option.removeprefix("--").replace("-", "_")
        name = {"language": "languages"}.get(name, name)
        if option.startswith("--"):
            found[name] = True if value.startswith("--") else int(value) if value.isdigit() else value
    return found


@pytest.fixture(name="case")
def read_case(name: str, container: str, tmp_path: Path) -> dict[str, Any]:
    """A case, its archive, in the container, as `archive`, and the first of its containers as `first`."""
    case: dict[str, Any] = read_json(CASES / name / "case.json")
    containers = case.get("containers", list(CONTAINERS))
    if container not in containers:
        pytest.skip(f"{name} is not for {container}")
    archive = tmp_path / f"input.{container}"
    archive.write_bytes(build(case["records"], container, case.get("cut", 0)))
    if "model" in case:
        model = tmp_path / "language.model"
        model.write_bytes(model_file(case["model"]))
        case["options"] = [*case["options"], "--language-model", str(model)]
    return {**case, "name": name, "container": container, "archive": archive, "first": containers[0]}


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
        made = outcome(case, read_json(summary), read_documents(output), quarantine_of(output))
        runs.append((files_of(output), made))
    assert runs[0] == runs[1]
    expected = CASES / name / "expected.json"
    if pytestconfig.getoption("--update") and container == case["first"]:
        expected.write_text(json.dumps(runs[0][1], ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    compare(case, runs[0][1])


@pytest.mark.module
@containers
@cases
def test_python(case: dict[str, Any]) -> None:
    """A case in one container, by the Python module."""
    archive = module.read_warc(case["archive"], **keywords(case.get("options", [])))
    documents: list[dict[str, Any]] = [
        {
            "docId": document.doc_id,
            "url": document.url,
            "charset": document.charset,
            "language": document.language,
            "date": document.date,
            "text": document.markup,
            "warc": document.warc,
            "offset": document.offset,
            "length": document.length,
            "title": document.title,
            "robots": document.robots,
            "license": document.license,
        }
        for document in archive
    ]
    documents.sort(key=lambda document: document["language"])  # which are folders of the program's output
    compare(case, outcome(case, archive.counts, documents, [*archive.quarantined]))
