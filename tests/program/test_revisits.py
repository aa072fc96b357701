"""`uzushio extract --revisits resolved`: revisits become documents with the text of the page that they repeat."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from pages import KANA, page
from program import PROGRAM, Uzushio, read_documents, read_json
from warc_builder import build

Record = dict[str, Any]
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
SAME = {"WARC-Profile": PROFILE + "identical-payload-digest"}


def original(number: int, **warc: str) -> Record:
    """A page with an id that says its number."""
    return {**page(number), "id": f"urn:uuid:00000000-0000-4000-8000-{number:012}", "warc": warc}


def revisit(
    number: int, *, status: str | None = "HTTP/1.1 200 OK", date: str = "2024-05-06T07:08:09Z", **warc: str
) -> Record:
    """A revisit with a URL of its own."""
    fields = {name.replace("_", "-"): value for name, value in warc.items()}
    return {
        "type": "revisit",
        "uri": f"http://again.example.jp/{number}",
        "date": date,
        "status": status,
        "body": "",
        "warc": {**SAME, **fields},
    }


def refers_to(number: int) -> dict[str, str]:
    """The record id of a page."""
    return {"WARC_Refers_To": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>"}


def extracted(uzushio: Uzushio, folder: Path, out: Path, *options: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The documents and the summary."""
    summary = folder / "summary.json"
    uzushio("extract", folder / "in", "--output", out, "--summary", summary, *options)
    counts = read_json(summary)
    assert counts["records"] == counts["documents"] + sum(counts["rejected"].values()) + sum(
        counts["quarantined"].values()
    )
    return read_documents(out), counts


def write(folder: Path, **files: list[Record]) -> None:
    """Archives of these names."""
    (folder / "in").mkdir()
    for name, records in files.items():
        (folder / "in" / f"{name}.warc.gz").write_bytes(build(records, "warc.gz"))


def data_files(folder: Path) -> dict[str, bytes]:
    """All files of an output but the manifest, which names the place."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_rights_of_a_page_hold_for_its_revisits(uzushio: Uzushio, tmp_path: Path) -> None:
    """And those of another page do not."""
    licence = "https://creativecommons.org/licenses/by/4.0/"
    said = original(1)
    said["body"] = f"<meta name=robots content=noai><link rel=license href={licence}>" + said["body"]
    write(tmp_path, a=[said, original(2), revisit(3, **refers_to(1)), revisit(4, **refers_to(2))])
    documents, _ = extracted(uzushio, tmp_path, tmp_path / "out", "--revisits", "resolved")
    rights = {document["url"]: (document["robots"], document["license"]) for document in documents}
    assert rights["http://again.example.jp/3"] == ("noai", f"rel {licence}")
    assert rights["http://again.example.jp/4"] == ("", "")


def test_each_way_to_name_a_page(uzushio: Uzushio, tmp_path: Path) -> None:
    """By id, by URL and date, by digest; before the page and behind it, in its file and in another."""
    by_capture = {"WARC_Refers_To_Target_URI": "http://example.jp/2", "WARC_Refers_To_Date": "2023-04-01T00:00:00.000Z"}
    write(
        tmp_path,
        a=[revisit(1, **refers_to(1)), original(1), revisit(4, WARC_Payload_Digest="sha1:AAAA")],
        b=[original(2), original(3, **{"WARC-Payload-Digest": "sha1:AAAA"}), revisit(2, **by_capture),
           revisit(3, WARC_Payload_Digest="sha1:AAAA", date="2022-01-01T00:00:00Z", status=None)],
    )  # fmt: skip
    documents, counts = extracted(uzushio, tmp_path, tmp_path / "out", "--revisits", "resolved")
    texts = {row["url"]: row["text"] for row in documents}
    dates = {row["url"]: row["date"] for row in documents}
    assert len(documents) == 7
    for number, of in ((1, 1), (2, 2), (3, 3), (4, 3)):
        assert texts[f"http://again.example.jp/{number}"] == texts[f"http://example.jp/{of}"]
    assert dates["http://again.example.jp/1"] == "2024-05-06T07:08:09"
    assert dates["http://again.example.jp/3"] == "2022-01-01T00:00:00"
    assert counts["rejected"] == {}
    assert len({row["docId"] for row in documents}) == 7
    by_url = {row["url"]: row for row in documents}
    assert by_url["http://again.example.jp/4"]["warc"].endswith("a.warc.gz")
    assert by_url["http://again.example.jp/2"]["warc"].endswith("b.warc.gz")
    assert by_url["http://again.example.jp/1"]["offset"] == 0
    assert counts["paragraphs"] == 7
    assert counts["languages"] == {"ja": 7}


def test_without_the_option_they_are_rejected(uzushio: Uzushio, tmp_path: Path) -> None:
    """As before, and counted; the output is that of runs before there was the option."""
    write(tmp_path, a=[original(1), revisit(1, **refers_to(1))])
    documents, counts = extracted(uzushio, tmp_path, tmp_path / "out")
    assert len(documents) == 1
    assert counts["rejected"] == {"warc-type/revisit": 1}
    assert "revisits" not in read_json(tmp_path / "out" / ".uzushio" / "manifest.json")["run"]["configuration"]
    extracted(uzushio, tmp_path, tmp_path / "explicit", "--revisits", "rejected")
    assert data_files(tmp_path / "explicit") == data_files(tmp_path / "out")


def test_what_can_not_be_resolved_is_counted(uzushio: Uzushio, tmp_path: Path) -> None:
    """Pages that are elsewhere, or no documents; revisits of errors, of other profiles, without a URL."""
    foreign = {
        "uri": "http://example.com/",
        "id": "urn:uuid:00000000-0000-4000-8000-000000000009",
        "body": "<p>English",
    }
    write(
        tmp_path,
        a=[original(1), foreign, revisit(1, **refers_to(7)), revisit(2), revisit(3, **refers_to(9)),
           revisit(4, **refers_to(1), status="HTTP/1.1 404 Not Found"),
           revisit(5, **refers_to(1), WARC_Profile=PROFILE + "other"),
           revisit(6, **refers_to(1), status="HTTP/1.1 304 Not Modified", WARC_Profile=PROFILE + "server-not-modified"),
           {**revisit(7, **refers_to(1)), "uri": ""}],
    )  # fmt: skip
    documents, counts = extracted(uzushio, tmp_path, tmp_path / "out", "--revisits", "resolved")
    assert [row["url"] for row in documents] == ["http://example.jp/1", "http://again.example.jp/6"]
    assert counts["rejected"].pop("language-rapid") == 1
    assert counts["rejected"] == {"revisit-unresolved": 3, "warc-type/revisit": 3}


def test_the_best_name_counts_and_the_first_of_equals(uzushio: Uzushio, tmp_path: Path) -> None:
    """An id before a digest; of pages with one digest, the first in the order of the input."""
    digest = {"WARC-Payload-Digest": "sha1:AAAA"}
    write(
        tmp_path,
        a=[revisit(number, **refers_to(page), WARC_Payload_Digest="sha1:AAAA") for number, page in ((1, 3), (2, 8))],
        b=[original(1, **digest), original(2, **digest), original(3)],
        c=[original(0, **digest)],
    )  # fmt: skip
    documents, _ = extracted(uzushio, tmp_path, tmp_path / "out", "--revisits", "resolved")
    texts = {row["url"]: row["text"] for row in documents}
    assert texts["http://again.example.jp/1"] == texts["http://example.jp/3"]
    assert texts["http://again.example.jp/2"] == texts["http://example.jp/1"]


def oracle(files: dict[str, list[Record]]) -> dict[str, str]:
    """The URL of the page of each revisit that has one."""
    pages: list[tuple[str, str, str | None, str]] = []
    for records in files.values():
        for record in records:
            if record.get("type") != "revisit" and KANA in record["body"]:
                pages.append((record["id"], record["uri"], record["warc"].get("WARC-Payload-Digest"), record["uri"]))
    found = {}
    for records in files.values():
        for record in records:
            if record.get("type") != "revisit":
                continue
            warc = record["warc"]
            named = (
                [url for name, _, _, url in pages if f"<{name}>" == warc.get("WARC-Refers-To")]
                + [url for _, uri, _, url in pages if uri == warc.get("WARC-Refers-To-Target-URI")]
                + [url for _, _, digest, url in pages if digest and digest == warc.get("WARC-Payload-Digest")]
            )
            if named:
                found[record["uri"]] = named[0]
    return found


def some_record(choose: random.Random, number: int) -> Record:
    """A page in Japanese or English, or a revisit of any page by any names."""
    digest = f"sha1:{choose.randrange(40)}"
    if choose.random() < 0.4:
        record = original(number, **({"WARC-Payload-Digest": digest} if choose.random() < 0.7 else {}))
        if choose.random() < 0.2:
            record["body"] = "<p>English"
        return record
    names: dict[str, str] = {}
    if choose.random() < 0.4:
        names |= refers_to(choose.randrange(400))
    if choose.random() < 0.4:
        names["WARC_Refers_To_Target_URI"] = f"http://example.jp/{choose.randrange(400)}"
        names["WARC_Refers_To_Date"] = "2023-04-01T00:00:00Z"
    if choose.random() < 0.4:
        names["WARC_Payload_Digest"] = digest
    return revisit(number, **names)


def test_many_are_those_of_the_oracle_for_any_threads(uzushio: Uzushio, tmp_path: Path) -> None:
    """Several files, several orders; equal bytes for each number of threads."""
    choose = random.Random(5)
    files = {f"f{i}": [some_record(choose, 60 * i + j) for j in range(60)] for i in range(6)}
    write(tmp_path, **files)
    documents, counts = extracted(uzushio, tmp_path, tmp_path / "out1", "--revisits", "resolved", "--threads", "1")
    texts = {row["url"]: row["text"] for row in documents}
    expected = oracle(files)
    assert len(expected) > 50
    assert {url for url in texts if "again" in url} == set(expected)
    assert all(texts[url] == texts[of] for url, of in expected.items())
    revisits = sum(record.get("type") == "revisit" for records in files.values() for record in records)
    assert counts["rejected"]["revisit-unresolved"] == revisits - len(expected)
    extracted(uzushio, tmp_path, tmp_path / "out3", "--revisits", "resolved", "--threads", "3")
    assert data_files(tmp_path / "out3") == data_files(tmp_path / "out1")
    # The same run is known again, and nothing temporary is left.
    assert not [path for path in (tmp_path / "out1").rglob("*") if "revisits" in path.name and path.is_dir()]
    again, _ = extracted(uzushio, tmp_path, tmp_path / "out1", "--revisits", "resolved")
    assert again == documents


@pytest.mark.parametrize("delay", [0.05, 0.15, 0.3, 0.6])
def test_killed_and_started_again_gives_the_same_bytes(uzushio: Uzushio, tmp_path: Path, delay: float) -> None:
    """While pages are read, and while revisits are resolved."""
    files = {f"f{i}": [original(200 * i + j) for j in range(200)] for i in range(4)}
    files["f4"] = [revisit(number, **refers_to(number % 800)) for number in range(20_000)]
    write(tmp_path, **files)
    extracted(uzushio, tmp_path, tmp_path / "whole", "--revisits", "resolved", "--threads", "2")
    out = tmp_path / "out"
    command = [str(PROGRAM), "extract", str(tmp_path / "in"), "--output", str(out), "--revisits", "resolved", "-j", "2"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        time.sleep(delay)  # only chooses the moment: any is right
        process.send_signal(signal.SIGKILL)
    _, counts = extracted(uzushio, tmp_path, out, "--revisits", "resolved", "--threads", "2")
    assert counts["documents"] == 20_800
    assert data_files(out) == data_files(tmp_path / "whole")


def test_what_revisits_expand_to_is_bounded(uzushio: Uzushio, tmp_path: Path) -> None:
    """A large page that is repeated by small records: the limit is that of compressed files."""
    large = {**original(1), "body": f"<p>{KANA * 30_000}"}
    write(tmp_path, a=[large, *(revisit(number, **refers_to(1)) for number in range(40))])
    _, counts = extracted(uzushio, tmp_path, tmp_path / "out", "--revisits", "resolved", "--max-inflation", "1000")
    text = counts["text_bytes"] // counts["documents"]
    assert counts["documents"] + counts["rejected"]["inflation"] == 41
    assert 64 << 20 <= counts["text_bytes"] <= (64 << 20) + 1000 * 41 * 400 + text


def test_not_with_full_data(uzushio: Uzushio, tmp_path: Path) -> None:
    """Which a revisit has none of."""
    write(tmp_path, a=[original(1)])
    options = ["--output", tmp_path / "out", "--revisits", "resolved", "--full-data"]
    done = uzushio("extract", tmp_path / "in", *options, code=2)
    assert "--full-data" in done.stderr
    assert not (tmp_path / "out").exists()


def test_not_with_an_index(uzushio: Uzushio, tmp_path: Path) -> None:
    """Whose tables have no rows of revisits."""
    options = ["--index", tmp_path / "index", "--output", tmp_path / "out", "--revisits", "resolved"]
    assert "--revisits resolved: not with --index" in uzushio("extract", *options, code=2).stderr


def test_revisits_with_enormous_fields(uzushio: Uzushio, tmp_path: Path) -> None:
    """A date is short, and an id that fills its record names nothing: neither ends the run."""
    long_date = revisit(10, date="9" * 30_000, **refers_to(1))
    long_id = {**revisit(11, **refers_to(1)), "id": "urn:" + "x" * 70_000}
    write(tmp_path, a=[original(1), long_date, long_id, revisit(12, **refers_to(1))])
    documents, counts = extracted(uzushio, tmp_path, tmp_path / "out", "--revisits", "resolved")
    assert sorted(one["url"] for one in documents if "again" in one["url"]) == [
        "http://again.example.jp/10",
        "http://again.example.jp/12",
    ]
    assert counts["records"] == 4


@pytest.mark.parametrize("container", ["warc", "single.warc.gz", "arc.gz"])
def test_files_without_revisits(uzushio: Uzushio, tmp_path: Path, container: str) -> None:
    """The option changes nothing there."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"a.{container}").write_bytes(build([page(number) for number in range(3)], container))
    extracted(uzushio, tmp_path, tmp_path / "plain")
    extracted(uzushio, tmp_path, tmp_path / "out", "--revisits", "resolved")
    assert data_files(tmp_path / "out") == data_files(tmp_path / "plain")
