"""`extract --main-content` and what other stages make of its documents."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import CASES, Uzushio, read_documents, read_json, run_uzushio
from warc_builder import build


@pytest.fixture(name="archive")
def build_archive(tmp_path: Path) -> Path:
    """The pages of the case `main-content-justext`."""
    records = read_json(CASES / "main-content-justext" / "case.json")["records"]
    (tmp_path / "a.warc").write_bytes(build(records, "warc"))
    return tmp_path / "a.warc"


def test_the_filter_takes_what_extraction_would_have(uzushio: Uzushio, archive: Path, tmp_path: Path) -> None:
    """Marked, and filtered by its default, texts are those of --main-content alone."""
    config = tmp_path / "chain.conf"
    config.write_text('filters: [{"class": "MainContent"}]', encoding="utf-8")
    texts = {}
    for name, options in (("content", []), ("marked", ["--mark-boilerplate"])):
        output = tmp_path / name
        uzushio("extract", archive, "--output", output, "--main-content", "justext", *options)
        uzushio("filter", output, "--output", tmp_path / f"clean-{name}", "--config", config)
        rows = pq.read_table(tmp_path / f"clean-{name}").to_pylist()
        texts[name] = {row["url"]: (row["text"], row["title"]) for row in rows}
    assert texts["marked"] == texts["content"]
    assert len(texts["content"]) == 3
    uzushio("extract", archive, "--output", tmp_path / "whole")
    assert len(read_documents(tmp_path / "whole")) == len(read_documents(tmp_path / "marked")) == 4


def test_explain_and_metrics_show_scores(uzushio: Uzushio, archive: Path, tmp_path: Path) -> None:
    """The way of a paragraph, and the share of the text that is content."""
    config = tmp_path / "chain.conf"
    chain = [{"class": "MainContentRatio", "low": 0.1}, {"class": "MainContent", "low": 0.3}]
    config.write_text(json.dumps({"filters": chain}), encoding="utf-8")
    uzushio("extract", archive, "--output", tmp_path / "d", "--main-content", "justext", "--mark-boilerplate")
    uzushio("filter", tmp_path / "d", "--output", tmp_path / "f", "--config", config)
    first = read_documents(tmp_path / "d")[0]
    told = uzushio("explain", first["docId"], "--in", tmp_path / "f").stdout
    assert "score .00; " in told
    assert "score < 0.3; " in told
    uzushio("metrics", tmp_path / "d", "--output", tmp_path / "m", "--metric", "MainContentRatio")
    column = pq.read_table(tmp_path / "m" / "metrics.parquet").column(1).to_pylist()
    assert all(0 <= share <= 1 for share in column)
    assert 1 in column  # plain text has no scores
    assert any(0 < share < 1 for share in column)


def test_scores_are_no_part_of_statistics(uzushio: Uzushio, archive: Path, tmp_path: Path) -> None:
    """Paragraphs are counted by their texts alone."""
    counts = []
    for name, options in (("whole", []), ("marked", ["--main-content", "justext", "--mark-boilerplate"])):
        uzushio("extract", archive, "--output", tmp_path / name, *options)
        uzushio("stats", tmp_path / name, "--output", tmp_path / f"stats-{name}", "--intermediate")
        table = pq.read_table(tmp_path / f"stats-{name}" / ".uzushio/intermediate" / "paragraphs.pq")
        counts.append(set(table["text"].to_pylist()))
    assert counts[1] - counts[0] == {"別の題"}  # of the page whose headings do not say it


def test_added_titles_can_be_told_and_left_out(uzushio: Uzushio, archive: Path, tmp_path: Path) -> None:
    """They have a path that no page has; --no-title is the same text without them."""
    for marked in ([], ["--mark-boilerplate"]):
        texts = {}
        for name, options in (("titled", []), ("plain", ["--no-title"])):
            output = tmp_path / name
            given = ["--main-content", "justext", "--overwrite", *marked, *options]
            uzushio("extract", archive, "--output", output, *given)
            documents = read_documents(output)
            texts[name] = {one["url"]: one["text"].split("\n\n") for one in documents}
        added = {url for url, text in texts["titled"].items() if text[0].startswith("head>h1\x1e")}
        assert 0 < len(added) < len(texts["plain"])
        for url, text in texts["titled"].items():
            assert text[url in added :] == texts["plain"][url]
            assert not any(paragraph.startswith("head>") for paragraph in text[1:])
    said = uzushio("extract", archive, "--output", tmp_path / "no", "--no-title", code=2).stderr
    assert "--no-title requires --main-content" in said


def test_documents_without_titles_are_read(uzushio: Uzushio, archive: Path, tmp_path: Path) -> None:
    """Those of earlier versions, and of the original; not beside files that have titles, which have other columns."""
    uzushio("extract", archive, "--output", tmp_path / "new")
    table = pq.ParquetFile(next((tmp_path / "new" / "language=ja").iterdir())).read()
    first_five = table.select(["docId", "url", "charset", "text", "date"])
    for name, rows in (("a-0.1", table.drop_columns("title")), ("original", first_five)):
        pq.write_table(rows, tmp_path / f"{name}.parquet")
        uzushio("filter", tmp_path / f"{name}.parquet", "--output", tmp_path / f"clean-{name}")
        assert pq.read_table(tmp_path / f"clean-{name}").column_names == rows.column_names
        uzushio("metrics", tmp_path / f"{name}.parquet", "--output", tmp_path / f"m-{name}", "--metric", "DocLength")
    old = [tmp_path / f"{name}.parquet" for name in ("a-0.1", "original")]
    uzushio("stats", tmp_path / "new", *old, "--output", tmp_path / "s")
    both = (tmp_path / "new" / "language=ja" / "part-00000.parquet", old[0])
    for inputs, words in ((both, "no column 'title', which"), (both[::-1], "a column 'title', which")):
        said = run_uzushio("filter", *inputs, "--output", tmp_path / "no", code=2).stderr
        assert words in said
        assert "a-0.1.parquet" in said
    assert not (tmp_path / "no").exists()
    assert pa.types.is_string(table.schema.field("title").type)


def test_the_value_may_lack(tmp_path: Path) -> None:
    """What follows the option and is no choice of it is an input."""
    missing = str(tmp_path / "missing.warc")
    for options in (["--main-content", missing], ["--main-content=justext", missing], [missing, "--main-content"]):
        said = run_uzushio("extract", *options, "--output", tmp_path / "out", code=2).stderr
        assert "missing.warc" in said
        assert "give one of" not in said
    said = run_uzushio("extract", missing, "--output", tmp_path / "out", "--mark-boilerplate", code=2).stderr
    assert "--mark-boilerplate: give --main-content, too" in said
    said = run_uzushio("extract", missing, "--output", tmp_path / "out", "--main-content=jusText", code=2).stderr
    assert "--main-content jusText: give one of model, justext; did you mean justext?" in said
