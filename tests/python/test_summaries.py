"""What stages return and show while they run."""

from __future__ import annotations

import copy
import html
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz
from program import Uzushio, read_json
from warc_builder import build

pytestmark = pytest.mark.module


@pytest.fixture(name="summaries", scope="module")
def make_summaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Of each stage that needs no dictionary."""
    folder = tmp_path_factory.mktemp("summaries")
    pages = [{"body": f"<p>ここには、やさしい日本語の文章が、{n} つあります。"} for n in range(5)]
    (folder / "a.warc").write_bytes(build([*pages, {"body": "<p>Only English, as it happens, in this one."}], "warc"))
    (folder / "list").write_text("a.com\n")
    (folder / "items.jsonl").write_text(json.dumps({"question": "これは十二字よりも長い問題の文です"}))
    (folder / "a.conf").write_text('filters: [{"class": "DocLength", "low": 5}]')
    return {
        "extract": uz.extract(folder / "a.warc", folder / "d", languages="ja"),
        "index": uz.index(folder / "a.warc", folder / "i"),
        "robots-txt": uz.robots_txt(folder / "a.warc", folder / "r"),
        "stats": uz.stats(folder / "d", folder / "s", intermediate=True),
        "merge": uz.merge(folder / "s", folder / "m"),
        "filter": uz.filter(folder / "d", folder / "f", config=folder / "a.conf", statistics=folder / "s"),
        "metrics": uz.metrics(folder / "d", folder / "x", config=folder / "a.conf"),
        "minhash": uz.minhash(folder / "d", folder / "u"),
        "hosts": uz.hosts(folder / "d", folder / "h", config=folder / "a.conf"),
        "decontaminate": uz.decontaminate(folder / "d", folder / "c", against=folder / "items.jsonl"),
        "overlap": uz.overlap([folder / "d", folder / "f"], folder / "o"),
        "host-lists": uz.host_lists(folder / "list", folder / "l"),
    }


@pytest.mark.parametrize(
    "stage",
    [
        "extract",
        "index",
        "robots-txt",
        "stats",
        "merge",
        "filter",
        "metrics",
        "minhash",
        "hosts",
        "decontaminate",
        "overlap",
        "host-lists",
    ],
)
def test_values_have_names(stage: str, summaries: dict[str, Any]) -> None:
    """As attributes and as items; none that the types do not declare, none missing.

    `stats` and `merge` share a type, in which some are of one of them only; some are of full data only.
    """
    summary = summaries[stage]
    declared = {name for kind in type(summary).__mro__ for name in vars(kind).get("__annotations__", {})}
    declared -= {"_first"}
    assert set(summary) <= declared
    missing = declared - set(summary)
    of_documents = {"documents", "documents_left_out", "paragraphs", "text_bytes", "cuts_in_plain_text", "quarantined"}
    of_some = {
        "stats": {"inputs"},
        "merge": of_documents,
        "extract": {"body_bytes", "index", "requests", "plan"},
        "minhash": {"documents_without_url", "older_captures", "contained", "frequent_passages"},
    }
    assert missing == of_some.get(stage, set())
    for name, value in summary.items():
        assert getattr(summary, name) == value
        assert name in dir(summary)
    assert isinstance(summary, dict)
    assert json.loads(json.dumps(summary)) == summary
    for other in (pickle.loads(pickle.dumps(summary)), copy.copy(summary), copy.deepcopy(summary)):
        assert (type(other), other) == (type(summary), summary)


def test_parts_have_names(summaries: dict[str, Any]) -> None:
    """Of `filter`."""
    summary: uz.FilterSummary = summaries["filter"]
    assert summary.passed.documents == summary["passed"]["documents"] == 5
    assert next((one.filter, one.reason, one.documents) for one in summary.removed) == (
        "DocLength",
        "DocLength.Low(5)",
        0,
    )
    assert summary.steps[0].seconds >= 0
    again = pickle.loads(pickle.dumps(summary))
    assert isinstance(again.removed[0], uz.Removed)


def test_they_do_not_change(summaries: dict[str, Any]) -> None:
    """A wrong name is told the right one."""
    summary = summaries["extract"]
    with pytest.raises(AttributeError, match="ExtractSummary has no attribute 'document'; did you mean documents"):
        _ = summary.document
    with pytest.raises(TypeError, match="does not change"):
        summary["documents"] = 3
    with pytest.raises(TypeError, match="does not change"):
        summary.documents = 3
    for name in ("clear", "popitem", "update", "setdefault"):
        with pytest.raises(TypeError, match="does not change"):
            getattr(summary, name)()
    assert dict(summary) | {"documents": 3} != summary


def test_they_print_well(summaries: dict[str, Any], uzushio: Uzushio, tmp_path: Path) -> None:
    """`repr` is short, `print` says what the command line says."""
    extract = summaries["extract"]
    assert repr(extract).startswith(
        "ExtractSummary(records=6, documents=5, rejected={'language-rapid': 1}, quarantined={}, seconds="
    )
    assert repr(extract).endswith(", …)")
    for summary in summaries.values():
        assert len(repr(summary)) < 400
        assert str(summary).startswith(summary.stage + ":")
    archive = Path(extract.output).with_name("a.warc")
    said = uzushio("extract", archive, "--output", tmp_path / "o", "--summary", tmp_path / "s.json").stderr
    assert str(uz.ExtractSummary(read_json(tmp_path / "s.json"))) in said
    many = uz.ExtractSummary(records=9, rejected={f"reason {n}": n for n in range(100)}, quarantined={})
    assert len(repr(many)) < 200
    assert "…" in repr(many)


def test_tables_in_notebooks(summaries: dict[str, Any]) -> None:
    """Every value is there, and none is markup."""
    for summary in summaries.values():
        page = summary._repr_html_()
        assert page.count("<table>") == page.count("</table>") >= 1
        for name in summary:
            assert f"<th>{name}</th>" in page
    evil = "<script>alert('&')</script>"
    page = uz.FilterSummary(
        output=evil, quarantined={evil: 1}, removed=[{"reason": evil, evil: evil, "documents": 1}], files=[evil]
    )._repr_html_()
    assert "<script" not in page
    assert page.count(html.escape(evil)) >= 5
    assert "1,234,567" in uz.Counts(documents=1234567)._repr_html_()


def test_too_many_bad_records_have_a_summary(tmp_path: Path) -> None:
    """Of the same type, also from another process."""
    pq.write_table(pa.table({"text": pa.array([b"\xff", "文章".encode()], pa.binary())}), tmp_path / "a.parquet")
    with pytest.raises(uz.TooManyBadRecords) as error:
        uz.filter(tmp_path / "a.parquet", tmp_path / "o", max_bad=0)
    assert isinstance(error.value.summary, uz.FilterSummary)
    again = pickle.loads(pickle.dumps(error.value))
    assert again.summary.passed.documents == 1


# --- progress ---


def test_a_bar(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`progress=True` shows one, on standard error, and it gets to its end."""
    pytest.importorskip("tqdm", reason="needs tqdm")
    pq.write_table(pa.table({"text": ["文章"] * 10}), tmp_path / "a.parquet")
    calls: dict[str, Callable[[], object]] = {
        "stats": lambda: uz.stats(tmp_path / "a.parquet", tmp_path / "s", progress=True),
        "filter": lambda: uz.filter(tmp_path / "a.parquet", tmp_path / "f", progress=True),
        "near_duplicates": lambda: uz.near_duplicates(["文章", "文章"], progress=True),
    }
    for name, call in calls.items():
        call()
        out, err = capfd.readouterr()
        assert out == ""
        assert err.split("\r")[-1].startswith(f"{name}: 100%|")
        assert "done" in err
    uz.near_duplicates(["文章"], progress=False)
    uz.near_duplicates(["文章"], progress=None)
    assert capfd.readouterr() == ("", "")


def test_a_bar_is_closed_after_an_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its line ends."""
    pytest.importorskip("tqdm", reason="needs tqdm")
    with pytest.raises(uz.UsageError, match="no such file"):
        uz.stats(tmp_path / "none", tmp_path / "s", progress=True)
    assert capfd.readouterr().err.endswith("\n")


def test_no_bar_without_tqdm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install, before anything is done."""
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (
        lambda: uz.stats(tmp_path, tmp_path / "s", progress=True),
        lambda: uz.near_duplicates(["文章"], progress=True),
    ):
        with pytest.raises(uz.UsageError, match="pip install tqdm"):
            call()
    with pytest.raises(uz.UsageError, match=r"progress: True, or a function .* not str"):
        uz.near_duplicates(["文章"], progress="yes")  # type: ignore[arg-type]
    assert not (tmp_path / "s").exists()
