"""The Python module: its results are the program's, its tables any library's, its errors the command line's."""

from __future__ import annotations

import doctest
import functools
import gzip
import inspect
import io
import json
import multiprocessing
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz
from program import PROGRAM, ROOT, Uzushio, read_documents, read_json
from uzushio._commands import pythons_words
from warc_builder import build

import datasets

pytestmark = pytest.mark.module
JAPANESE = "ここには、やさしい日本語の文章があります。"
CONFIG = """
filters: [
  {"class": "DocLength", "low": ${least}},
  {"class": "LinkCharRatio", "high": 0.6},
  {"class": "DeduplicateDocumentsPercentile", "expected": 2, "percentile": 0.3},
  {"class": "LargeFreqParagraphs", "freq": 40, "count": 2},
  {"class": "DuplicateParagraphs", "limit": 10},
  {"class": "HiraganaRatio", "low": 0.3}
]
"""


@pytest.fixture(autouse=True)
def silence(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """No call of the module prints anything."""
    yield
    assert capfd.readouterr() == ("", "")


def sentence(choose: random.Random) -> str:
    """A sentence that others are near to."""
    nouns, verbs = ["海", "山", "町", "学校", "図書館", "古い橋"], ["見ました", "通りました", "思い出しました"]
    topics = [
        "昨日のことですが",
        "友達に聞いた話では",
        "だれも知らないうちに",
        "雨がやんでからすぐに",
        "祖父が若かったころ",
    ]
    first, second = choose.choice(topics), choose.choice(topics)
    place, other = choose.choice(nouns), choose.choice(nouns)
    return f"{first}{choose.choice('春夏秋冬')}の{place}を{second}{other}から{choose.choice(verbs)}。"


def texts(seed: int, count: int) -> list[str]:
    """Documents with markup; paragraphs recur."""
    choose = random.Random(seed)
    footer = "body>footer\x1c\x02お問い合わせ\x03"
    documents = []
    for _ in range(count):
        paragraphs = [f"body>p\x1c{sentence(choose)}" for _ in range(choose.randrange(0, 6))]
        documents.append("\n\n".join([*paragraphs, footer] if choose.random() < 0.6 else paragraphs))
    return documents


@pytest.fixture(name="table", scope="module")
def make_table() -> pa.Table:
    """Documents: some of them empty, one null."""
    documents: list[str | None] = [*texts(1, 300), None]
    return pa.table({"docId": [f"d{n}" for n in range(301)], "text": documents, "n": range(301)})


@pytest.fixture(name="corpus", scope="module")
def make_corpus(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents.parquet, its statistics, and a configuration."""
    folder = tmp_path_factory.mktemp("corpus")
    pq.write_table(table, folder / "documents.parquet", row_group_size=37)
    uz.stats(folder / "documents.parquet", folder / "statistics", intermediate=True)
    (folder / "chain.conf").write_text(CONFIG)
    return folder


@pytest.fixture(name="chain", scope="module")
def make_chain(corpus: Path) -> uz.FilterChain:
    """The chain of the configuration."""
    return uz.FilterChain.from_file(corpus / "chain.conf", properties={"least": 20})


@pytest.fixture(name="archive", scope="module")
def make_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WARC file of good, rejected and damaged records."""
    records: list[dict[str, Any]] = [{"body": f"<p>{JAPANESE}<p>{n} <a href='/'>次へ</a>"} for n in range(30)]
    records[5] = {"body": "<p>Nothing but English, and not much of it either."}
    records[7]["flip"] = 40
    records[20]["coding"] = ["gzip"]
    records[20]["http"] = [["Content-Type", "text/html"], ["Content-Encoding", "br"]]
    path = tmp_path_factory.mktemp("archive") / "pages.warc.gz"
    path.write_bytes(build(records, "warc.gz"))
    return path


# --- documents ---


def rows_of(documents: list[uz.Document]) -> list[tuple[object, ...]]:
    """What a dataset has of documents, in its order of columns."""
    return [
        (
            d.doc_id,
            d.url,
            d.charset,
            d.markup,
            d.date,
            d.warc,
            d.offset,
            d.length,
            d.title,
            d.robots,
            d.license,
            d.language,
        )
        for d in documents
    ]


def test_read_warc_is_extract(archive: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """The documents, counts and damaged records of the program."""
    uzushio("extract", archive, "--output", tmp_path / "out", "--summary", tmp_path / "summary.json", "--quiet")
    reader = uz.read_warc(archive, quarantine=tmp_path)
    documents = list(reader)
    expected = read_documents(tmp_path / "out")
    assert rows_of(documents) == [tuple(row.values()) for row in expected]
    summary = read_json(tmp_path / "summary.json")
    assert reader.counts == {name: summary[name] for name in reader.counts}
    assert reader.counts["rejected"] == {"language-rapid": 1}
    with gzip.open(tmp_path / "quarantine" / "_pages.jsonl.gz", "rt") as file:
        ours = file.read()
    with gzip.open(tmp_path / "out" / ".uzushio" / "quarantine" / "part-00000.jsonl.gz", "rt") as file:
        assert file.read() == ours
    damaged = [json.loads(line) for line in ours.splitlines()]
    kept = [(record.offset, record.length, record.reason) for record in reader.quarantined]
    assert kept == [(record["offset"], record["length"], record["reason"]) for record in damaged]
    assert len(kept) == sum(reader.counts["quarantined"].values()) == 2
    assert reader.quarantined[0].data


def test_batches(archive: Path) -> None:
    """Batches have the documents, and as many bytes as are asked for."""
    documents = rows_of(list(uz.read_warc(archive)))
    for max_bytes in (1, 1000, 1 << 20):
        batches = list(uz.read_warc(archive).batches(max_bytes))
        assert [tuple(row.values()) for batch in batches for row in batch.to_pylist()] == documents
    assert len(list(uz.read_warc(archive).batches(1))) == len(documents)
    with pytest.raises(uz.UsageError, match="max_bytes"):
        next(uz.read_warc(archive).batches(0))


class Slow(io.RawIOBase):
    """A file that gives less than it is asked for."""

    def __init__(self, data: bytes) -> None:
        """Of these bytes."""
        self.file = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        """At most 100 bytes."""
        return self.file.read(min(size, 100) if size >= 0 else 100)

    def seek(self, offset: int, whence: int = 0) -> int:
        """As any file."""
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        """As any file."""
        return self.file.tell()

    def seekable(self) -> bool:
        """It is."""
        return True


def test_sources(archive: Path) -> None:
    """Paths, URIs and file objects give the same."""
    data = archive.read_bytes()
    expected = [document.markup for document in uz.read_warc(str(archive))]
    with archive.open("rb") as file:
        sources: list[Any] = [archive, archive.as_uri(), file, io.BytesIO(data), Slow(data)]
        for source in sources:
            assert [document.markup for document in uz.read_warc(source)] == expected
    assert next(uz.read_warc(io.BytesIO(data), name="mine")).warc == "mine"
    with archive.open("rb") as file:
        assert next(uz.read_warc(file)).warc == str(archive)


def test_threads_share_an_archive(archive: Path) -> None:
    """They take turns; each document comes once."""
    with archive.open("rb") as file:
        reader = uz.read_warc(file)
        with ThreadPoolExecutor(4) as pool:
            parts = pool.map(lambda _: [document.doc_id for document in reader], range(4))
            found = [one for part in parts for one in part]
    assert sorted(found) == sorted(document.doc_id for document in uz.read_warc(archive))
    assert reader.counts["documents"] == len(found)


def test_sources_that_fail(archive: Path, tmp_path: Path) -> None:
    """Errors of files are errors, and say which."""

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ValueError("the tape is torn")

    with pytest.raises(uz.InputError, match=r"^reading the file object failed: ValueError: the tape is torn$"):
        list(uz.read_warc(Failing(archive.read_bytes())))

    class Generous(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(-1)

    with pytest.raises(uz.InputError, match="more than it is asked for"):
        list(uz.read_warc(Generous(archive.read_bytes())))

    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(uz.read_warc(Interrupted(archive.read_bytes())))
    with pytest.raises(uz.UsageError, match=r"none\.warc: no such file"):
        uz.read_warc(tmp_path / "none.warc")
    with pytest.raises(uz.UsageError, match="binary file"):
        uz.read_warc(3)  # type: ignore[arg-type]
    with pytest.raises(uz.InputError, match="bytes"):
        list(uz.read_warc(io.StringIO("text")))
    read_end, write_end = os.pipe()
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe, pytest.raises(uz.UsageError, match="seek"):
        uz.read_warc(pipe)


def test_languages_and_caps(archive: Path) -> None:
    """They are those of the command line."""
    assert uz.read_warc(archive, languages="all").counts["records"] == 0
    every = uz.read_warc(archive, languages="all")
    assert len(list(every)) == 28
    assert set(every.counts["languages"]) == {"ja", "en"}
    assert len(list(uz.read_warc(archive, languages="en,fr"))) == 1
    assert len(list(uz.read_warc(archive, languages=["en", "ja"]))) == 28
    small = uz.read_warc(archive, max_page_bytes="50B")
    assert list(small) == []
    assert small.counts["rejected"]["page-too-large"] > 20
    wrong: str | list[str]
    for wrong in ("", [], "all,ja", "日本語"):
        with pytest.raises(uz.UsageError, match="language"):
            uz.read_warc(archive, languages=wrong)
    with pytest.raises(uz.UsageError, match=r"^max_text_bytes much: give a size"):
        uz.read_warc(archive, max_text_bytes="much")
    with pytest.raises(uz.UsageError, match="from 1B to 1GiB"):
        uz.read_warc(archive, max_page_bytes=2 << 30)
    with pytest.raises(uz.UsageError, match=r"^max_depth 0: "):
        uz.read_warc(archive, max_depth=0)


def test_extract_html_is_extract(tmp_path: Path) -> None:
    """A page alone gives the document that it gives in an archive."""
    html = f"<html lang=ja><div class='a b' id=c><p>{JAPANESE}<a href='x'>つぎ</a>、<a>また つぎ</a></div>"
    (tmp_path / "a.warc").write_bytes(build([{"body": html, "uri": "http://a.jp/"}], "warc"))
    (stored,) = uz.read_warc(tmp_path / "a.warc")
    page = uz.extract_html(html, url="http://a.jp/", doc_id=stored.doc_id)
    fields = ("doc_id", "url", "charset", "language", "markup", "text", "paragraphs")
    assert [getattr(page, name) for name in fields] == [getattr(stored, name) for name in fields]
    (paragraph,) = page.paragraphs
    assert paragraph.path == "body>div.a.b#c>p"
    assert [paragraph.text[start:end] for start, end in paragraph.links] == ["つぎ", "また つぎ"]
    assert page.text == paragraph.text == JAPANESE + "つぎ、また つぎ"


def test_extract_html_charsets() -> None:
    """A str is what it is, whatever it says of itself; bytes are decoded."""
    html = f"<meta charset=euc-jp><p>{JAPANESE}"
    assert uz.extract_html(html).text == JAPANESE
    page = uz.extract_html(html.encode("euc-jp"))
    assert (page.charset, page.text) == ("EUC-JP", JAPANESE)
    assert uz.extract_html(f"<p>{JAPANESE}".encode("utf-16")).charset == "UTF-16LE"
    assert uz.extract_html("<p>a\ud800b").text == "a?b"
    assert uz.extract_html("a < b\n\nc", content_type="text/plain").text == "a < b\n\nc"


def test_extract_html_ids() -> None:
    """Pages have ids of their own, the same each time."""
    ids = {uz.extract_html(f"<p>{n}", url=url).doc_id for n in range(3) for url in ("", "http://a.jp/")}
    assert len(ids) == 6
    assert uz.extract_html("<p>1").doc_id in ids
    assert uz.extract_html("<p>1", doc_id="mine").doc_id == "mine"


@pytest.mark.parametrize(
    ("html", "options", "reason"),
    [
        ("", {}, "no-text"),
        ("<p> </p>", {}, "no-text"),
        ("<p>English words only, as it happens", {"languages": "ja"}, "language-rapid"),
        ("<p>English words only, as it happens", {"languages": ["fr"]}, "language"),
        ("<b>" * 100 + "x", {"max_depth": 50}, "too-deep"),
        ("<p>x" * 100, {"max_tree_bytes": "10KiB"}, "tree-too-large"),
        ("<p>x" * 100, {"max_page_bytes": 50}, "page-too-large"),
        ("<p>x" * 100, {"max_text_bytes": 50}, "text-too-large"),
        ("%PDF", {"content_type": "application/pdf"}, "media-type"),
        ("<p>short", {"main_content": "justext"}, "no-content"),
    ],
)
def test_extract_html_rejects(html: str, options: dict[str, Any], reason: str) -> None:
    """With the reason that the program counts."""
    with pytest.raises(uz.PageRejected) as error:
        uz.extract_html(html, **options)
    assert error.value.reason == reason
    assert reason in str(error.value)


def test_extract_html_arguments() -> None:
    """A header can not be forged."""
    with pytest.raises(uz.UsageError, match="content_type"):
        uz.extract_html("<p>x", content_type="text/html\r\nContent-Encoding: gzip")


def test_markup() -> None:
    """Marks that do not pair are no links; nothing is lost but them."""
    paragraphs = uz.parse_markup("p>q\x1ca\x02b\x02c\x03d\x03e\x02f\n\n\n\nx\x1c\n\n\x03plain 🌊\x02波\x03")
    assert [tuple(p) for p in paragraphs] == [
        ("p>q", "abcdef", ((1, 3),), 1.0, ""), ("", "plain 🌊波", ((7, 8),), 1.0, "")
    ]  # fmt: skip
    assert uz.parse_markup("") == []
    code = "p\x1eul.1>code.c\x1d07\x1c  a\n\x1f\n\t\x02b\x03"
    assert [tuple(p) for p in uz.parse_markup(code)] == [("p", "  a\n\n\tb", ((6, 7),), 0.07, "ul.1>code.c")]


def test_shown_text() -> None:
    """It is what a browser shows, and goes through filters as it is."""
    html = "<h1>題</h1><ul><li>項\n目</ul><pre>  if:\n\n\tx</pre><p><ruby>名前<rt>なまえ</rt></ruby></p>"
    page = uz.extract_html(html, text="shown")
    assert [(p.structure, p.text) for p in page.paragraphs] == [
        ("h1", "題"), ("ul.1", "項目"), ("code", "  if:\n\n\tx"), ("", "名前")
    ]  # fmt: skip
    found = uz.FilterChain([uz.Filter("DocLength", low=1)]).apply_text(page)
    assert found.paragraphs == page.paragraphs
    assert uz.extract_html(html, text="shown", ruby="readings").paragraphs[-1].text == "名前（なまえ）"
    with pytest.raises(uz.UsageError, match=r"^ruby readings requires text shown"):
        uz.extract_html(html, text="original", ruby="readings")


def test_markdown() -> None:
    """Of both forms of text, as the filter writes it."""
    html = "<h1>題</h1><ul><li>項*</ul><blockquote><p>引用<p>*強*調</blockquote><pre><code class='language-c'>int x;"
    html += "\n\nint y;</code></pre><p>本文です。<a href='/'>続き</a>"
    page = uz.extract_html(html, text="shown")
    markdown = "# 題\n\n- 項*\n\n> 引用\n>\n> \\*強\\*調\n\n```c\nint x;\n\nint y;\n```\n\n本文です。続き"
    assert page.markdown() == markdown
    assert uz.FilterChain([uz.Filter("Markdown")]).apply_text(page).text == markdown
    original = uz.extract_html("<h2>題</h2><ul><li><p>い<li><p>ろ</ul><p>*本文*です。", text="original")
    assert original.markdown() == "## 題\n\n- い\n- ろ\n\n*本文*です。"
    assert uz.FilterChain([uz.Filter("Markdown")]).apply_text(original).text == original.markdown()


def test_added_titles() -> None:
    """They have a path of their own, and can be left out."""
    html = f"<title>題 | 例</title><nav><a href=/>トップ</a></nav><p>{'これは、ながい文章です。' * 20}"
    page = uz.extract_html(html, main_content="justext")
    assert [(p.path, p.text[:4]) for p in page.paragraphs] == [("head>h1", "題"), ("body>p", "これは、")]
    bare = uz.extract_html(html, main_content="justext", no_title=True)
    assert bare.paragraphs == page.paragraphs[1:]
    assert bare.title == page.title == "題"
    with pytest.raises(uz.UsageError, match=r"^no_title requires main_content"):
        uz.extract_html(html, no_title=True)


def test_scores() -> None:
    """They are told of paragraphs, by whatever they went through; what is none is of the path."""
    paragraphs = uz.parse_markup("p\x1d07\x1ca\n\n\x1d99\x1cb\n\np\x1d123\x1cc\n\np\x1dx1\x1cd\n\np\x1d٠١\x1ce")
    assert [(p.path, p.score) for p in paragraphs] == [
        ("p", 0.07), ("", 0.99), ("p\x1d123", 1.0), ("p\x1dx1", 1.0), ("p\x1d٠١", 1.0)
    ]  # fmt: skip
    html = f"<nav><a href=/>トップ</a></nav><h1>題</h1><p>{'これは、ながい文章です。' * 20}"
    marked = uz.extract_html(html, main_content="justext", mark_boilerplate=True)
    assert [p.score for p in marked.paragraphs] == [0.0, 0.7, 0.99]
    found = uz.FilterChain([uz.Filter("MainContent", low=0.8)]).apply_text(marked)
    assert [p.score for p in found.paragraphs] == [0.99]
    assert [(p.score, removal.metric, removal.bound) for p, removal in found.removed_paragraphs] == [
        (0.0, 0.0, "score < 0.8"), (0.7, 0.7, "score < 0.8")
    ]  # fmt: skip
    content = uz.extract_html(html, main_content="justext")
    assert content.paragraphs == [p._replace(score=1.0) for p in marked.paragraphs[1:]]
    with pytest.raises(uz.UsageError, match=r"^mark_boilerplate: give main_content, too"):
        uz.extract_html(html, mark_boilerplate=True)
    with pytest.raises(uz.UsageError, match=r"^main_content best: give one of model, justext"):
        uz.extract_html(html, main_content="best")  # type: ignore[arg-type]
    with pytest.raises(uz.UsageError, match="no such file or folder"):
        uz.extract("missing.warc", "out", main_content=True)


# --- tables in and out ---

TABLES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "chunks": lambda table: pa.concat_tables([table.slice(n, 7) for n in range(0, table.num_rows, 7)]),
    "batch": lambda table: table.combine_chunks().to_batches()[0],
    "reader": lambda table: table.to_reader(50),
    "large strings": lambda table: table.cast(
        pa.schema([("docId", pa.large_string()), ("text", pa.large_string()), ("n", pa.int64())])
    ),
    "binary": lambda table: table.set_column(1, "text", table["text"].cast(pa.binary())),
    "views": lambda table: table.set_column(1, "text", pa.array(table["text"].to_pylist(), pa.string_view())),
    "dictionary": lambda table: table.set_column(1, "text", table["text"].dictionary_encode()),
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "datasets": lambda table: datasets.Dataset(datasets.table.InMemoryTable(table)),
    "datasets of a choice": lambda table: datasets.Dataset.from_dict(
        {name: [*column.to_pylist(), None] for name, column in zip(table.column_names, table.columns, strict=True)}
    ).select(range(table.num_rows)),
}
kinds = pytest.mark.parametrize("kind", TABLES)


@kinds
def test_tables_in(kind: str, chain: uz.FilterChain, table: pa.Table, corpus: Path) -> None:
    """Each kind gives the same."""
    expected = chain.apply(table, corpus / "statistics", removed=True)
    result = chain.apply(TABLES[kind](table), corpus / "statistics", removed=True)
    assert result.passed.to_pydict() == expected.passed.to_pydict()
    assert result.removed.to_pydict() == expected.removed.to_pydict()
    assert result.counts == expected.counts
    assert chain.metrics(TABLES[kind](table)).equals(chain.metrics(table))
    assert uz.near_duplicates(TABLES[kind](table)).equals(uz.near_duplicates(table))


def test_tables_out(chain: uz.FilterChain, table: pa.Table) -> None:
    """What comes out goes into each library."""
    passed = chain.apply(table).passed
    rows = passed.to_pylist()
    assert isinstance(passed, pa.Table)
    assert passed.to_pandas().to_dict("records") == rows
    frame = pl.from_arrow(passed)
    assert isinstance(frame, pl.DataFrame)
    assert frame.to_dicts() == rows
    assert datasets.Dataset(datasets.table.InMemoryTable(passed)).to_list() == rows


def test_sequences(table: pa.Table) -> None:
    """Texts alone, of any kind."""
    lines = table["text"].to_pylist()
    expected = uz.near_duplicates(lines)
    series: list[Any] = [pd.Series(lines), pl.Series(lines), table["text"], table["text"].combine_chunks(), iter(lines)]
    for one in [*series, [line and line.encode() for line in lines]]:
        assert uz.near_duplicates(one).equals(expected)


def test_other_columns_stay(chain: uz.FilterChain) -> None:
    """Of any type, and the table's metadata."""
    table = pa.table(
        {
            "text": [JAPANESE * 3, "短い", JAPANESE * 2],
            "list": [[1, 2], None, [3]],
            "struct": [{"a": 1}, None, {"a": None}],
            "label": pa.array(["x", "y", "x"]).dictionary_encode(),
            "time": pa.array([1, 2, 3], pa.timestamp("us", "Asia/Tokyo")),
        }
    ).replace_schema_metadata({"made": "here"})
    passed = chain.apply(table).passed
    assert passed.equals(table.take([0, 2]), check_metadata=True)


def test_empty_tables(chain: uz.FilterChain, table: pa.Table) -> None:
    """No rows in, none out, of the same columns."""
    empty = table.slice(0, 0)
    result = chain.apply(empty, removed=True)
    assert result.passed.equals(empty)
    assert result.removed.num_rows == 0
    assert result.counts["input"] == {"documents": 0, "paragraphs": 0, "text_bytes": 0, "characters": 0}
    assert chain.metrics(empty).num_rows == 0
    assert uz.near_duplicates(empty).num_rows == uz.near_duplicates([]).num_rows == 0
    assert chain.apply(pl.DataFrame({"text": []}, schema={"text": pl.String})).passed.num_rows == 0
    assert uz.near_duplicates([None, "", " \n "]).to_pydict()["group"] == [-1] * 3


def test_bad_bytes() -> None:
    """Rows that are no UTF-8 are told, and in no output."""
    good, bad = JAPANESE.encode(), b"\xff\xfe"
    table = pa.table({"text": pa.array([good, bad, None, good, bad + good], pa.binary())})
    chain = uz.FilterChain([uz.Filter("DocLength", low=1)])
    result = chain.apply(table, removed=True)
    assert result.bad_rows == [1, 4]
    assert result.passed["text"].to_pylist() == [JAPANESE, JAPANESE]
    assert result.counts["input"]["documents"] == 3
    lengths = chain.metrics(table)["DocLength"].to_pylist()
    assert [length == length for length in lengths] == [True, False, True, True, False]
    assert uz.near_duplicates(table)["exactFreq"].to_pylist() == [2, 0, 0, 2, 0]


def test_large_table(chain: uz.FilterChain, table: pa.Table) -> None:
    """A table of one large chunk goes through in pieces."""
    large = pa.concat_tables([table] * 50).combine_chunks()
    once, many = chain.apply(table), chain.apply(large)
    assert many.passed.equals(pa.concat_tables([once.passed] * 50))
    assert many.counts["passed"]["documents"] == 50 * once.counts["passed"]["documents"]
    wide = pa.table({"text": ["長い文章。" * 400_000] * 5})
    assert chain.apply(wide, keep_markup=True).counts["input"]["documents"] == 5


def test_far_offsets(tmp_path: Path) -> None:
    """Texts that begin beyond 2 GiB of a column, as slices of large ones do."""
    start = (1 << 31) + 5
    words = JAPANESE.encode()
    with (tmp_path / "sparse").open("wb") as file:
        file.seek(start)
        file.write(words * 2)
    offsets = pa.array([start, start + len(words), start + 2 * len(words)], pa.int64()).buffers()[1]
    data = pa.memory_map(str(tmp_path / "sparse")).read_buffer()
    for kind in (pa.large_string(), pa.large_binary()):
        column = pa.Array.from_buffers(kind, 2, [None, offsets, data])
        result = uz.FilterChain([]).apply(pa.table({"text": column}))
        assert result.passed["text"].to_pylist() == [JAPANESE] * 2


def test_what_is_no_table(chain: uz.FilterChain, table: pa.Table) -> None:
    """The error says what is wrong with it."""
    for wrong in (3, "text", [3], {"text": ["x"]}):
        with pytest.raises(uz.UsageError, match=f"not {type(wrong).__name__}"):
            chain.apply(wrong)  # type: ignore[arg-type]
    with pytest.raises(uz.UsageError, match="no column 'body', only docId, text, n"):
        chain.apply(table, text_column="body")
    with pytest.raises(uz.UsageError, match="column 'n' is of type int64, not of texts"):
        chain.apply(table, text_column="n")
    with pytest.raises(uz.UsageError, match="removed=True"):
        _ = chain.apply(table).removed
    with pytest.raises(uz.UsageError, match="not one"):
        uz.near_duplicates("text")
    with pytest.raises(uz.UsageError, match="texts are expected"):
        uz.near_duplicates([3])  # type: ignore[list-item]


# --- the program's results ---


@pytest.mark.parametrize("markup", [False, True])
def test_apply_is_filter(
    markup: bool, chain: uz.FilterChain, table: pa.Table, corpus: Path, uzushio: Uzushio, tmp_path: Path
) -> None:
    """What passes, what does not, and the counts."""
    flags = ["--keep-markup"] if markup else []
    common = ["--config", corpus / "chain.conf", "-P", "least=20", "--stats", corpus / "statistics", "--quiet", *flags]
    output, summary = tmp_path / "out", tmp_path / "summary.json"
    uzushio(
        "filter", corpus / "documents.parquet", "--output", output, "--mode=partitioned", "--summary", summary, *common
    )
    result = chain.apply(table, corpus / "statistics", removed=True, keep_markup=markup)
    none = pq.ParquetFile(output / "filter=none" / "part-00000.parquet").read()
    assert result.passed.to_pylist() == none.to_pylist()
    removed = [row for row in result.removed.to_pylist() if row["text"]]  # folders have no empty texts
    expected = []
    for folder in output.glob("filter=*"):
        if folder.name != "filter=none":
            for row in pq.ParquetFile(folder / "part-00000.parquet").read().to_pylist():
                expected.append({**row, "filter": folder.name.removeprefix("filter=")})

    def key(row: dict[str, Any]) -> str:
        return str((row["filter"], row["n"], row["text"]))

    assert sorted(removed, key=key) == sorted(expected, key=key)
    assert len({row["filter"] for row in removed}) >= 4
    counts = read_json(summary)
    assert {name: result.counts[name] for name in ("input", "passed", "empty")} == {
        name: counts[name] for name in ("input", "passed", "empty")
    }
    assert {reason: one["documents"] for reason, one in result.counts["removed"].items()} == {
        one["reason"]: one["documents"] for one in counts["removed"]
    }


def test_apply_text_is_filter(chain: uz.FilterChain, table: pa.Table, corpus: Path) -> None:
    """One by one as all together."""
    statistics = uz.Statistics(corpus / "statistics")
    result = chain.apply(table, statistics, removed=True)
    passed = {row["docId"]: row["text"] for row in result.passed.to_pylist()}
    removed: dict[str, set[tuple[str, str]]] = {}
    for row in result.removed.to_pylist():
        removed.setdefault(row["docId"], set()).add((row["filter"], row["text"]))
    for row in table.to_pylist():
        one = chain.apply_text(row["text"] or "", row["docId"], statistics)
        assert one.text == passed.get(row["docId"])
        texts: dict[str, list[str]] = {}
        for paragraph, why in one.removed_paragraphs:
            texts.setdefault(why.reason, []).append(paragraph.text)
        if one.removed is not None:
            texts.setdefault(one.removed.reason, []).extend(paragraph.text for paragraph in one.paragraphs)
        expected = removed.get(row["docId"], set())
        assert {(reason, "\n\n".join(paragraphs)) for reason, paragraphs in texts.items()} == expected


def test_metrics_are_metrics(chain: uz.FilterChain, table: pa.Table, corpus: Path, tmp_path: Path) -> None:
    """The table of the program, to the last bit."""
    config, statistics = corpus / "chain.conf", corpus / "statistics"
    properties = {"least": 20}
    summary = uz.metrics(
        corpus / "documents.parquet", tmp_path / "m", config=config, properties=properties, statistics=statistics
    )
    expected = pq.read_table(tmp_path / "m" / "metrics.parquet")
    assert chain.metrics(table, statistics).equals(expected)
    assert chain.columns == expected.column_names[1:-4]
    assert list(summary["metrics"]) == chain.columns


@pytest.mark.parametrize("options", [{}, {"candidates": "simhash"}, {"groups": "components"}])
def test_near_duplicates_are_stats(options: dict[str, Any], table: pa.Table, uzushio: Uzushio, tmp_path: Path) -> None:
    """The rows of statistics for each paragraph, in the order of the texts."""
    paragraphs = [p.text for text in table["text"].to_pylist() for p in uz.parse_markup(text or "")]
    (tmp_path / "texts.txt").write_text("\n\n".join(paragraphs))
    flags = [f"--{name}={value}" for name, value in options.items()]
    uzushio("stats", tmp_path / "texts.txt", "--output", tmp_path / "out", "--intermediate", "--quiet", *flags)
    found = uz.near_duplicates(paragraphs, **options)
    rows = {tuple(row.values())[:4] for row in found.to_pylist()}
    assert rows == {tuple(row.values()) for row in pq.read_table(tmp_path / "out" / "statistics.parquet").to_pylist()}
    assert len({row[1] for row in rows}) < len(rows) < len(paragraphs)
    by_group = {row["group"]: row["reprHash"] for row in found.to_pylist()}
    assert list(by_group) == list(range(len({row[1] for row in rows})))
    assert [by_group[row["group"]] for row in found.to_pylist()] == found["reprHash"].to_pylist()
    for threads, memory in ((1, None), (3, "300MiB")):
        assert uz.near_duplicates(paragraphs, threads=threads, memory=memory, tmp=tmp_path, **options).equals(found)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "texts.txt"]


def test_statistics(table: pa.Table, corpus: Path) -> None:
    """Frequencies by text, from the folder or the file."""
    rows = pq.read_table(corpus / "statistics" / "statistics.parquet").to_pylist()
    paragraphs = [p.text for text in table["text"].to_pylist() for p in uz.parse_markup(text or "")]
    found = uz.near_duplicates(paragraphs)
    expected = [uz.Frequency(row["exactFreq"], row["nearFreq"]) for row in found.to_pylist()]
    for path in (corpus / "statistics", str(corpus / "statistics" / ".uzushio/frequency.index")):
        statistics = uz.Statistics(path)
        assert statistics.look_up(paragraphs) == expected
        assert len(statistics) == sum(row["nearFreq"] > 1 for row in rows)
    assert statistics.look_up(["\x02お問い合わせ\x03", "none such"])[1] == uz.Frequency(1, 1)
    assert statistics.look_up(["\x02お問い合わせ\x03"]) == statistics.look_up(["お問い合わせ"])
    assert statistics.look_up([]) == []


def test_merge_and_train(table: pa.Table, uzushio: Uzushio, tmp_path: Path) -> None:
    """Parts merged are the whole."""
    for name, part in (("a", table.slice(0, 100)), ("b", table.slice(100))):
        pq.write_table(part, tmp_path / f"{name}.parquet")
        uz.stats([tmp_path / f"{name}.parquet"], tmp_path / name, intermediate=True)
    pq.write_table(table, tmp_path / "all.parquet")
    uz.stats(tmp_path / "all.parquet", tmp_path / "all", pairs=tmp_path / "pairs")
    summary = uz.merge([tmp_path / "a", str(tmp_path / "b")], tmp_path / "merged")
    merged = (tmp_path / "merged" / ".uzushio/frequency.index").read_bytes()
    assert merged == (tmp_path / "all" / ".uzushio/frequency.index").read_bytes()
    assert summary["stage"] == "merge"
    assert pq.read_table(tmp_path / "pairs" / "pairs.parquet").num_rows > 0


def test_train_lm(corpus: Path, dictionary: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """The model of the program, byte for byte."""
    notes = []
    summary = uz.train_lm(
        corpus / "documents.parquet",
        tmp_path / "ours.bin",
        sudachi=dictionary,
        order=2,
        prune=[0, 1],
        memory="512MiB",
        progress=lambda share, note: notes.append((share, note)),
    )
    program = ["--sudachi", dictionary, "--order", 2, "--prune", 0, "--prune", 1, "--memory=512MiB", "--quiet"]
    uzushio("train-lm", corpus / "documents.parquet", "--output", tmp_path / "theirs.bin", *program)
    assert (tmp_path / "ours.bin").read_bytes() == (tmp_path / "theirs.bin").read_bytes()
    assert summary["bytes"] == (tmp_path / "ours.bin").stat().st_size
    assert {note for _, note in notes} <= {"tokenising", "done"}


def without_measurements(summary: dict[str, Any]) -> dict[str, Any]:
    """What does not differ from run to run."""
    copy = json.loads(json.dumps(summary))
    left = {name: value for name, value in copy.items() if name not in ("seconds", "peak_memory_bytes", "output")}
    for step in left.get("steps", []):
        step.pop("seconds")
    return left


@pytest.mark.parametrize("stage", ["extract", "stats", "filter", "metrics"])
def test_summaries(stage: str, archive: Path, corpus: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """The summary is the program's, and so are the files."""
    source = archive if stage == "extract" else corpus / "documents.parquet"
    config = corpus / "chain.conf"
    options: dict[str, list[Any]] = {"filter": ["--config", config, "-P", "least=9"], "metrics": ["--metric=DocLength"]}
    summary_file, theirs = tmp_path / "summary.json", tmp_path / "theirs"
    uzushio(stage, source, "--output", theirs, "--summary", summary_file, "--quiet", *options.get(stage, []))
    ours = tmp_path / "ours"
    seen: list[tuple[float, str]] = []

    def progress(share: float, note: str) -> None:
        assert threading.current_thread() is threading.main_thread()
        seen.append((share, note))

    calls: dict[str, Callable[[], dict[str, Any]]] = {
        "extract": lambda: uz.extract([source], ours, progress=progress),
        "stats": lambda: uz.stats(source, str(ours), progress=progress),
        "filter": lambda: uz.filter(source, ours, config=config, properties={"least": 9}, progress=progress),
        "metrics": lambda: uz.metrics(source, ours, metric="DocLength", progress=progress),
    }
    summary = calls[stage]()
    assert without_measurements(summary) == without_measurements(read_json(summary_file))
    files = {
        path.relative_to(theirs): path.read_bytes()
        for path in theirs.rglob("*.*")
        if path.is_file() and path.suffix != ".json"
    }
    assert files == {
        path.relative_to(ours): path.read_bytes()
        for path in ours.rglob("*.*")
        if path.is_file() and path.suffix != ".json"
    }
    assert all(0 <= share <= 1 and note for share, note in seen)
    assert seen[-1] == (1.0, "done")
    assert calls[stage]()["stage"] == stage  # done already


def test_explain(corpus: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """The text of the program."""
    uz.filter(corpus / "documents.parquet", tmp_path / "out", config=corpus / "chain.conf", properties={"least": 20})
    text = uz.explain("d7", tmp_path / "out")
    assert text == uzushio("explain", "d7", "--in", tmp_path / "out").stdout
    with pytest.raises(uz.UsageError, match="there is no document -x"):
        uz.explain("-x", tmp_path / "out")


def test_partitioned_jsonl(corpus: Path, tmp_path: Path) -> None:
    """Options that are words and flags arrive."""
    summary = uz.filter(
        corpus / "documents.parquet",
        tmp_path / "out",
        config=corpus / "chain.conf",
        properties={"least": "20"},
        mode="partitioned",
        format="jsonl",
        keep_markup=True,
        shard_size="1MiB",
        threads=2,
        memory="512MiB",
    )
    folders = {path.name for path in (tmp_path / "out").glob("filter=*")}
    assert "filter=none" in folders
    assert summary["files"] == len(list((tmp_path / "out").rglob("part-*.jsonl.gz")))
    with gzip.open(tmp_path / "out" / "filter=none" / "part-00000.jsonl.gz", "rt") as file:
        assert "\x1c" in json.loads(file.readline())["text"]


# --- filters ---


def test_declarations() -> None:
    """Each filter is listed, as the command line lists it."""
    declared = uz.filters()
    printed = subprocess.run([PROGRAM, "filters"], capture_output=True, text=True, check=True).stdout
    assert [line.split(" ")[0] for line in printed.splitlines() if line[:1].strip()] == list(declared)
    for filter_ in declared.values():
        assert f"{filter_.name} ({filter_.kind})\n  {filter_.summary}\n" in printed
        for parameter in filter_.parameters:
            assert f"  {parameter.name}: " in printed
            assert parameter.meaning in printed
        # One reads a list that is nobody's; one compares all documents of a run.
        if filter_.name in ("RemoveNGWordDocument", "DeduplicateElement"):
            with pytest.raises(uz.Error, match=r"ng_words\.txt|all documents of a run"):
                uz.FilterChain([uz.Filter(filter_.name)])
        elif all(parameter.default is not None for parameter in filter_.parameters):
            (made,) = uz.FilterChain([uz.Filter(filter_.name)]).filters
            numbers = {p.name: p.default for p in filter_.parameters if p.type != "float"}
            assert {name: made.parameters[name] for name in numbers} == numbers


def test_chains() -> None:
    """Made in several ways, the same."""
    chain = uz.FilterChain([uz.Filter("DocLength", low=5), {"class": "HiraganaRatio", "low": "0.25"}])
    same = uz.FilterChain(chain.filters)
    assert (chain, hash(chain)) == (same, hash(same))
    assert pickle.loads(pickle.dumps(chain)) == chain
    assert repr(chain.filters[1]) == "Filter('HiraganaRatio', high=1.0, low=0.25)"
    assert uz.Filter("A", x=1) == uz.Filter("A", x=1) != uz.Filter("A", x=2)
    assert chain.reasons == ["DocLength.Low(5)", "DocLength.High(2147483647)", *chain.reasons[2:]]
    assert chain != uz.FilterChain([])
    assert uz.FilterChain([]).apply_text("a\n\nb").text == "a\n\nb"


def test_documents_through_a_chain(archive: Path) -> None:
    """From an archive to clean text."""
    chain = uz.FilterChain([uz.Filter("DocLength", low=10), uz.Filter("LinkCharRatio", high=0.5)])
    texts = [chain.apply_text(document).text for document in uz.read_warc(archive)]
    reader = pa.RecordBatchReader.from_batches((first := next(uz.read_warc(archive).batches())).schema, [first])
    assert chain.apply(reader).passed["text"].to_pylist() == texts
    assert texts[0] == f"{JAPANESE}\n\n0 次へ"


# --- errors ---


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (lambda f: uz.extract(f / "none", f / "o"), ["extract", "none", "--output=o"]),
        (lambda f: uz.extract([], f / "o"), ["extract", "--output=o"]),
        (lambda f: uz.extract(f / "a.txt", f / "o", threads=0), ["extract", "a.txt", "--output=o", "--threads=0"]),
        (
            lambda f: uz.extract(f / "a.txt", f / "o", memory="1MiB"),
            ["extract", "a.txt", "--output=o", "--memory=1MiB"],
        ),
        (lambda f: uz.stats(f / "a.txt", f / "o", window=0), ["stats", "a.txt", "--output=o", "--window=0"]),
        (lambda f: uz.stats(f / "*.none", f / "o"), ["stats", "*.none", "--output=o"]),
        (lambda f: uz.merge(f / "a.parquet", f / "o"), ["merge", "a.parquet", "--output=o"]),
        (lambda f: uz.filter(f / "a.txt", f / "o", config=f / "no"), ["filter", "a.txt", "--output=o", "--config=no"]),
        (
            lambda f: uz.filter(f / "a.txt", f / "o", config=f / "bad.conf"),
            ["filter", "a.txt", "--output=o", "--config=bad.conf"],
        ),
        (lambda f: uz.FilterChain.from_file(f / "bad.conf"), ["filter", "a.txt", "--output=o", "--config=bad.conf"]),
        (lambda f: uz.metrics(f / "a.txt", f / "o"), ["metrics", "a.txt", "--output=o"]),
        (
            lambda f: uz.metrics(f / "a.parquet", f / "o", metric="DocLength", statistics=f),
            ["metrics", "a.parquet", "--output=o", "--metric=DocLength", "--stats=."],
        ),
        (
            lambda f: uz.minhash(f / "a.parquet", f / "o", verify=2),
            ["minhash", "a.parquet", "--output=o", "--verify=2"],
        ),
        (
            lambda f: uz.minhash(f / "a.parquet", f / "o", against=f / "x"),
            ["minhash", "a.parquet", "--output=o", "--against=x"],
        ),
        (lambda f: uz.explain("x", f), ["explain", "x", "--in=."]),
        (
            lambda f: uz.train_lm(f / "a.txt", f / "o", sudachi=f / "no"),
            ["train-lm", "a.txt", "--output=o", "--sudachi=no"],
        ),
    ],
)
def test_errors(
    call: Callable[[Path], object],
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An exception says what the command line says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "bad.conf").write_text('filters: [\n {"class": "DocLength", "lo": 5}]')
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "a.parquet")
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    with pytest.raises(uz.Error) as error:
        call(Path())
    assert pythons_words(arguments[0], done.stderr) == f"uzushio: error: {error.value}\n"
    assert done.returncode == (2 if isinstance(error.value, uz.UsageError) else 1)


def test_a_chain_that_removes_everything_is_warned_of(tmp_path: Path) -> None:
    """As on the command line; the run is done all the same, and a chain that some document passes says nothing."""
    (tmp_path / "a.jsonl").write_text('{"docId": "a", "text": "みじかい"}\n', encoding="utf-8")
    (tmp_path / "a.conf").write_text('filters: [{"class": "DocLength", "low": ${low}}]', encoding="utf-8")
    run = functools.partial(uz.filter, tmp_path / "a.jsonl", config=tmp_path / "a.conf")
    with pytest.warns(RuntimeWarning, match=r"nothing passed the chain, of 1 document; DocLength.Low\(5\)"):
        assert run(tmp_path / "none", properties={"low": 5})["passed"]["documents"] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(tmp_path / "all", properties={"low": 4})["passed"]["documents"] == 1


def test_too_many_bad_records(archive: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """The run is done, and says so."""
    with pytest.raises(uz.TooManyBadRecords, match="2 records are quarantined, more than max_bad 1") as error:
        uz.extract(archive, tmp_path / "out", max_bad=1)
    assert error.value.summary["documents"] == 27
    assert (tmp_path / "out" / ".uzushio/manifest.json").exists()
    done = uzushio("extract", archive, "--output", tmp_path / "out", "--max-bad", 1, "--quiet", code=3)
    assert done.stderr.replace("--max-bad", "max_bad") == f"uzushio: error: {error.value}\n"
    copy = pickle.loads(pickle.dumps(error.value))
    assert (str(copy), copy.summary) == (str(error.value), error.value.summary)
    assert uz.extract(archive, tmp_path / "out", max_bad=2)["documents"] == 27


# --- processes, threads, interruption ---


def work(arguments: tuple[uz.FilterChain, uz.Statistics, list[str], Path]) -> tuple[int, list[str], int]:
    """What a worker of a pool does."""
    chain, statistics, lines, archive = arguments
    result = chain.apply(pa.table({"text": lines}), statistics)
    near = uz.near_duplicates(lines, threads=2)
    documents = list(uz.read_warc(archive))
    return result.passed.num_rows, [document.doc_id for document in documents], near.num_rows


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes(method: str, chain: uz.FilterChain, corpus: Path, archive: Path) -> None:
    """Chains, statistics, documents and errors cross to workers and back, after threads were at work here."""
    statistics = uz.Statistics(corpus / "statistics")
    arguments = (chain, statistics, texts(3, 50), archive)
    expected = work(arguments)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(work, [arguments] * 3) == [expected] * 3
        with pytest.raises(uz.PageRejected):
            pool.apply(uz.extract_html, ("",))


def test_threads(chain: uz.FilterChain, table: pa.Table, corpus: Path, archive: Path, tmp_path: Path) -> None:
    """Threads share a chain and statistics, and all sorts of work go on at once."""
    statistics = uz.Statistics(corpus / "statistics")
    expected = chain.apply(table, statistics).passed
    near = uz.near_duplicates(table)
    documents = rows_of(list(uz.read_warc(archive)))

    def run(number: int) -> bool:
        if number % 4 == 0:
            return bool(uz.near_duplicates(table, threads=2).equals(near))
        if number % 4 == 1:
            with archive.open("rb") as file:
                return rows_of(list(uz.read_warc(file))) == documents
        if number % 4 == 2:
            return bool(uz.extract(archive, tmp_path / str(number), progress=lambda *_: None)["documents"] == 27)
        return bool(chain.apply(table, statistics).passed.equals(expected))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(16)))


def test_the_lock_is_released(tmp_path: Path) -> None:
    """Another thread goes on while one is in the module."""
    lines = [sentence(random.Random(n)) + str(n) for n in range(3000)] * 3
    ticks = 0
    over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not over.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    (tmp_path / "a.txt").write_text("\n\n".join(lines))
    thread.start()
    before, began = ticks, time.monotonic()
    uz.stats(tmp_path / "a.txt", tmp_path / "out", threads=1)
    during, seconds = ticks - before, time.monotonic() - began
    over.set()
    thread.join()
    assert during > 3 + 5 * seconds  # of up to a thousand a second, on a machine that may be busy


class Stopped(Exception):
    """What a callback raises."""


def test_exceptions_of_callbacks_end_runs(corpus: Path, tmp_path: Path) -> None:
    """The exception comes out; what is done is done again, or gone on with, by the next run."""

    def stop(share: float, note: str) -> None:
        raise Stopped(note)

    lines = [sentence(random.Random(n)) + str(n) for n in range(8000)]
    with pytest.raises(Stopped):
        uz.near_duplicates(lines, progress=stop)
    (tmp_path / "a.txt").write_text("\n\n".join(lines))
    with pytest.raises(Stopped):
        uz.stats(tmp_path / "a.txt", tmp_path / "out", progress=stop)
    assert not (tmp_path / "out" / ".uzushio/manifest.json").exists()
    assert uz.stats(tmp_path / "a.txt", tmp_path / "out")["paragraphs"] == 8000


INTERRUPTED = """
import os, signal, sys, threading, time
import uzushio
lines = [f"{n * 7919} 番目の文章は、{n} 個の言葉から成る。" * 3 for n in range(60000)]
start = time.monotonic()
try:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    while time.monotonic() - start < 60:
        uzushio.near_duplicates(lines)
except KeyboardInterrupt:
    sys.exit(7)
sys.exit(f"not interrupted, {time.monotonic() - start} s")
"""


def test_ctrl_c() -> None:
    """Ctrl-C ends what is at work in the module."""
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_signals_have_their_turn(corpus: Path, tmp_path: Path) -> None:
    """Handlers of signals run while a stage is at work, and may raise."""

    def handler(number: int, frame: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, handler)
    try:
        (tmp_path / "a.txt").write_text("\n\n".join(sentence(random.Random(n)) + str(n) for n in range(30000)))
        with pytest.raises(Stopped):  # noqa: PT012 - it may come before the stage begins
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            uz.stats(tmp_path / "a.txt", tmp_path / "out")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- the package ---


def test_command_line() -> None:
    """`python -m uzushio` is the program."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for arguments, code in ((["--version"], 0), (["filters", "DocLenght"], 2)):
        ours = subprocess.run(
            [sys.executable, "-m", "uzushio", *arguments], capture_output=True, text=True, check=False, env=env
        )
        theirs = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
        assert (ours.returncode, ours.stdout, ours.stderr) == (code, theirs.stdout, theirs.stderr)
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout
    assert version.startswith(f"uzushio {uz.__version__}\n")


def test_every_name_is_documented() -> None:
    """With an example that runs; see the doctests."""
    for name in uz.__all__:
        if name == "__version__":
            continue
        thing = getattr(uz, name)
        assert ">>> " in thing.__doc__, name
        members = vars(thing).items() if isinstance(thing, type) else []
        for member, value in members:
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert value.__doc__, f"{name}.{member}"


def test_options_are_those_of_the_command_line() -> None:
    """No option is forgotten: each is a keyword argument, but those of the terminal."""
    terminal = {"quiet", "progress", "log_format", "summary", "help", "explain", "serve", "minhash_r", "minhash_b"}
    other_names = {"minhash": {"jaccard", "jaccard_thr", "editsim_thr", "mode", "skip_editsim"}, "index": {"from"}}
    for name in (
        "extract",
        "index",
        "robots_txt",
        "clean",
        "stats",
        "merge",
        "filter",
        "metrics",
        "minhash",
        "decontaminate",
        "overlap",
        "report",
        "train_language",
        "train_classifier",
        "train_lm",
    ):
        program = [str(PROGRAM), name.replace("_", "-"), "--help-all"]
        text = subprocess.run(program, capture_output=True, text=True, check=True).stdout
        options = {name.replace("-", "_") for name in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text)}
        renamed = {"language": "languages", "stats": "statistics", "set": "settings", "input_column": "text_column"}
        ours = set(inspect.signature(getattr(uz, name)).parameters) - {"inputs", "progress", "properties"}
        options -= terminal | other_names.get(name, set())
        assert ours == {renamed.get(option, option) for option in options}, name


@pytest.mark.parametrize("page", ["docs/python.md", "docs/ja/python.md"])
def test_tutorial(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of the guide runs."""
    pytest.importorskip("matplotlib", reason="needs matplotlib")
    monkeypatch.chdir(tmp_path)
    footer = "<footer><p>お問い合わせは<a href='/'>こちら</a></footer>"
    bodies = [JAPANESE] + [f"そこには、やさしい日本語の文章があります。第{n}回をどうぞ。" for n in (1, 2, 3)]
    records: list[dict[str, Any]] = [{"body": f"<div class=main><p>{body}</div>{footer}"} for body in bodies]
    records.append({"body": "<p>Nothing but English, and not much of it either."})
    brotli = [["Content-Type", "text/html"], ["Content-Encoding", "br"]]
    records.append({"body": "<p>no brotli", "coding": ["gzip"], "http": brotli})
    (tmp_path / "pages.warc.gz").write_bytes(build(records, "warc.gz"))
    result = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert (result.failed, result.attempted > 30) == (0, True)


@pytest.mark.parametrize("value", [0, 1, "", "no", []])
def test_a_flag_is_true_or_false(value: object) -> None:
    """What Python takes for true or false is refused: a "no" would be taken for true."""
    with pytest.raises(uz.UsageError, match=r"^mark_boilerplate.*True or False"):
        uz.extract_html("<p>本文</p>", main_content=True, mark_boilerplate=value)  # type: ignore[arg-type]
