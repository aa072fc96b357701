"""The blocks for datatrove, in real pipelines of the real package: their results are the program's."""

from __future__ import annotations

import copy
import doctest
import gzip
import json
import os
import pickle
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import uzushio as uz
from program import ROOT, Uzushio, read_documents, read_json
from warc_builder import build

pytest.importorskip("datatrove", reason="datatrove is not installed; requirements/test.txt has it")

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import JsonlWriter
from uzushio.datatrove import UzushioExtractor, UzushioFilter, UzushioWarcReader

pytestmark = [pytest.mark.module, pytest.mark.xdist_group("datatrove")]

JAPANESE = "ここには、やさしい日本語の文章があります。"
OFTEN = "何度もある、長い長い、たいへん長い、どこまで行っても終わりの来ない、長い段落です。"
CHAIN = """
filters: [
  {"class": "LinkCharRatio", "high": 0.5},
  {"class": "DocLength", "low": ${least}},
  {"class": "DeduplicateDocumentsPercentile", "expected": 2, "percentile": 0.9},
  {"class": "DuplicateParagraphs", "limit": 3},
  {"class": "AdjacentDuplicateParagraphs"}
]
"""
ENGLISH = {"body": "<p>Nothing but English, and not much of it either."}


def records_of(seed: int) -> list[dict[str, Any]]:
    """Pages that filters of the chain keep, change and drop; some are rejected or damaged."""
    choose = random.Random(seed)

    def sentence() -> str:
        return "".join(choose.choices("あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほ", k=40)) + "。"

    pages = [f"<p>{sentence()}<p>{OFTEN}" for _ in range(8)]
    pages += [f"<p>{OFTEN}", f"<p><a href='/'>{sentence()}</a>", f"<p>{sentence()[:25]}"]
    again = sentence()
    pages.append(f"<p>{sentence()}<p>{again}<p>{again}")
    records: list[dict[str, Any]] = [{"body": page, "uri": f"http://{seed}.jp/{n}"} for n, page in enumerate(pages)]
    brotli = [["Content-Type", "text/html"], ["Content-Encoding", "br"]]
    return [*records[:5], ENGLISH, {"body": "<p>no brotli", "coding": ["gzip"], "http": brotli}, *records[5:]]


@pytest.fixture(name="corpus", scope="module")
def make_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives in a folder with a folder, what the program makes of them, and a chain."""
    folder = tmp_path_factory.mktemp("corpus")
    for seed, name in enumerate(["a.1.warc.gz", "a.2.warc.gz", "more/a.1.warc.gz"]):
        path = folder / "crawl" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(build(records_of(seed), "warc.gz"))
    (folder / "crawl" / "notes.txt").write_text("no archive")
    (folder / "chain.conf").write_text(CHAIN)
    uz.extract([str(path) for path in archives(folder)], folder / "documents")
    uz.stats(folder / "documents", folder / "statistics")
    return folder


def archives(corpus: Path) -> list[Path]:
    """In order of their names."""
    return sorted((corpus / "crawl").rglob("*.warc.gz"))


def reader_of(corpus: Path, **options: Any) -> UzushioWarcReader:
    """Of the corpus' archives."""
    return UzushioWarcReader(str(corpus / "crawl"), glob_pattern="**/*.warc.gz", **options)


def run(folder: Path, *blocks: object, tasks: int = 2, workers: int = 1, **options: Any) -> list[dict[str, Any]]:
    """Runs a pipeline, and returns the statistics of its blocks."""
    executor = LocalPipelineExecutor(list(blocks), tasks=tasks, workers=workers, logging_dir=str(folder), **options)
    executor.run()
    statistics: list[dict[str, Any]] = read_json(folder / "stats.json")
    return [block["stats"] for block in statistics]


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """What JsonlWriter has written, by id."""
    lines: list[dict[str, Any]] = []
    for path in folder.glob("*.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines += map(json.loads, file)
    return sorted(lines, key=lambda line: str(line.get("id")))


def total(stat: Any) -> int:
    """The sum that a statistic is of."""
    return int(stat["total"] if isinstance(stat, dict) else stat)


def counted(stats: dict[str, Any], prefix: str) -> dict[str, int]:
    """Statistics by what follows a prefix."""
    return {name.removeprefix(prefix): total(stat) for name, stat in stats.items() if name.startswith(prefix)}


# --- whole pipelines ---


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_a_pipeline_is_extract_and_filter(method: str, corpus: Path, uzushio: Uzushio, tmp_path: Path) -> None:
    """The same documents with the same texts, the same reasons, the same counts."""
    summary = tmp_path / "extract.json"
    uzushio("extract", *archives(corpus), "--output", tmp_path / "documents", "--quiet", "--summary", summary)
    config: list[object] = ["--config", corpus / "chain.conf", "-P", "least=30", "--stats", corpus / "statistics"]
    clean = ["--output", tmp_path / "clean", "--format", "jsonl.gz", "--summary", tmp_path / "filter.json", "--quiet"]
    uzushio("filter", tmp_path / "documents", *config, *clean)

    excluded = JsonlWriter(str(tmp_path / "excluded"))
    block = UzushioFilter(
        corpus / "chain.conf", {"least": 30}, statistics=corpus / "statistics", exclusion_writer=excluded, batch_size=4
    )
    writer = JsonlWriter(str(tmp_path / "ours"))
    reader = reader_of(corpus, markup=True)
    read, filtered, _ = run(tmp_path / "logs", reader, block, writer, workers=2, start_method=method)

    expected = {row["docId"]: row for row in lines_of(tmp_path / "clean")}
    ours = lines_of(tmp_path / "ours")
    assert {line["id"]: line["text"] for line in ours} == {name: row["text"] for name, row in expected.items()}
    for line in ours:
        row = expected[line["id"]]
        metadata = {
            name: row[name] for name in ("url", "charset", "date", "title", "robots", "license", "offset", "length")
        }
        assert line["metadata"] == metadata | {"language": "ja", "file_path": row["warc"]}

    counts = read_json(summary)
    assert counts["quarantined"]
    assert total(read["records"]) == counts["records"]
    assert counted(read, "rejected_") == counts["rejected"]
    assert counted(read, "quarantined_") == counts["quarantined"]

    totals = read_json(tmp_path / "filter.json")
    reasons = Counter({"empty": totals["empty"]["documents"]})
    paragraphs: Counter[str] = Counter()
    for item in totals["removed"]:
        reasons[item["reason"]] += item["documents"]
        if not item["documents"]:
            paragraphs[item["reason"]] += item["paragraphs"]
    dropped = {reason: count for reason, count in reasons.items() if count}
    assert len(dropped) > 2
    assert counted(filtered, "dropped_") == dropped
    assert counted(filtered, "paragraphs_") == {reason: count for reason, count in paragraphs.items() if count}
    gone = lines_of(tmp_path / "excluded")
    assert Counter(line["metadata"]["filter_reason"] for line in gone) == dropped
    markup = {row["docId"]: row["text"] for row in read_documents(tmp_path / "documents")}
    assert all(line["text"] == markup[line["id"]] for line in gone)
    assert total(filtered["total"]) == counts["documents"] == len(ours) + len(gone)
    assert total(filtered["forwarded"]) == len(ours)


def test_their_reader_reads_our_documents(corpus: Path, tmp_path: Path) -> None:
    """`ParquetReader` of a folder of documents gives what our reader gives."""
    language = {"language": "ja"}
    theirs = ParquetReader(str(corpus / "documents" / "language=ja"), id_key="docId", default_metadata=language)
    chain = [uz.Filter("DocLength", low=30)]
    run(tmp_path / "logs1", theirs, UzushioFilter(chain), JsonlWriter(str(tmp_path / "theirs")))
    run(tmp_path / "logs2", reader_of(corpus, markup=True), UzushioFilter(chain), JsonlWriter(str(tmp_path / "ours")))
    found = [[(line["id"], line["text"]) for line in lines_of(tmp_path / name)] for name in ("theirs", "ours")]
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_tasks_without_a_file(corpus: Path, tmp_path: Path) -> None:
    """Nothing comes of them, and nothing is wrong with that; the documents are those of one task."""
    blocks = (UzushioFilter([uz.Filter("DocLength", low=30)]), JsonlWriter(str(tmp_path / "out")))
    read, filtered, _ = run(tmp_path / "logs", reader_of(corpus), *blocks, tasks=4)
    expected = [document.id for document in reader_of(corpus)()]
    assert total(filtered["total"]) == len(expected) == len(set(expected)) > 0
    assert total(read["input_files"]) == 3


# --- the reader ---


def test_reader_is_read_warc(corpus: Path) -> None:
    """Plain texts and markup, metadata, options of extraction."""
    path = archives(corpus)[0]
    for options in ({}, {"languages": "all"}, {"main_content": "justext"}, {"max_page_bytes": 150}):
        expected = list(uz.read_warc(path, **options))
        for markup in (False, True):
            found = list(UzushioWarcReader(str(path.parent), glob_pattern=path.name, markup=markup, **options)())
            assert [document.id for document in found] == [document.doc_id for document in expected]
            texts = [document.markup if markup else document.text for document in expected]
            assert [document.text for document in found] == texts


def test_files_of_fsspec(corpus: Path) -> None:
    """An archive that is no local file is read through its file system."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    try:
        memory.pipe({f"/uzushio-test/{path.name}": path.read_bytes() for path in archives(corpus)[:2]})
        found = list(UzushioWarcReader("memory://uzushio-test")())
        assert found[0].metadata["file_path"] == "memory:///uzushio-test/a.1.warc.gz"
    finally:
        memory.rm("/uzushio-test", recursive=True)
    expected = [document for path in archives(corpus)[:2] for document in uz.read_warc(path)]
    assert [(one.id, one.text) for one in found] == [(one.doc_id, one.text) for one in expected]


def test_keys_of_text_and_id(corpus: Path) -> None:
    """As for datatrove's readers: what is not named stays in the metadata."""
    plain = list(reader_of(corpus)())
    found = list(reader_of(corpus, id_key="url", text_key="title", markup=True)())
    assert found == []  # no page has a title, and documents without a text are left out
    found = list(reader_of(corpus, id_key="url")())
    assert [document.id for document in found] == [document.metadata["url"] for document in plain]
    assert [document.metadata["id"] for document in found] == [document.id for document in plain]
    assert "url" not in found[0].metadata
    for keys in ({"id_key": "docId"}, {"text_key": "body"}):
        with pytest.raises(uz.UsageError, match=r"_key: there is no '\w+', only text, id, url, date"):
            reader_of(corpus, **keys)


def test_filter_by_keys() -> None:
    """The text of another key is changed there; chance decides by the id of another."""
    chain = uz.FilterChain([uz.Filter("DocLength", low=3), uz.Filter("AdjacentDuplicateParagraphs")])
    documents = [Document("短", "1", metadata={"body": "同じ段落\n\n同じ段落", "docId": "a"})]
    documents.append(Document("長い文章", "2", metadata={"body": "短い", "docId": "b"}))
    (found,) = UzushioFilter(chain, text_key="body", id_key="docId")(documents)
    assert (found.text, found.id, found.metadata["body"]) == ("短", "1", "同じ段落")
    by_chance = uz.FilterChain([uz.Filter("DeduplicateDocuments", baseNumFreq=2)])
    with uz.Statistics.of([uz.extract_html("<p>何度もある文章。<p>何度もある文章。")]) as statistics:
        ids = [f"id{n}" for n in range(40)]
        named = [Document("何度もある文章。", "same", metadata={"docId": one}) for one in ids]
        expected = [one for one in ids if by_chance.apply_text("何度もある文章。", one, statistics).text]
        kept = UzushioFilter(by_chance, statistics=statistics, id_key="docId")(named)
        assert [document.metadata["docId"] for document in kept] == expected
        assert 0 <= len(expected) < 40
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"text_key": "html"}, "text_key: document 2 has no 'html' in its metadata, only body, docId"),
        ({"id_key": "html"}, "id_key: document 2 has no 'html'"),
    ]
    for keys, said in wrong:
        with pytest.raises(uz.UsageError, match=said):
            list(UzushioFilter(chain, **keys)([documents[1]]))
    with pytest.raises(uz.UsageError, match="text_key: 'n' of document 3 is int, no str"):
        list(UzushioFilter(chain, text_key="n")([Document("a", "3", metadata={"n": 1})]))


def test_skip_limit_adapter_and_defaults(corpus: Path) -> None:
    """As for any reader of datatrove."""
    every = [document.id for document in reader_of(corpus)()]
    assert [document.id for document in reader_of(corpus, skip=3, limit=20)()] == every[3:23]

    def adapter(self: UzushioWarcReader, data: dict[str, Any], path: str, id_in_file: str) -> dict[str, Any]:
        if data["url"].endswith("/1"):
            return {"text": "", "id": id_in_file}
        return {"text": data["text"], "id": f"{path}:{data['offset']}", "metadata": {"url": data["url"]}}

    adapted = list(reader_of(corpus, adapter=adapter, default_metadata={"n": 1}, add_file_path=False)())
    assert adapted[0].id == "a.1.warc.gz:0"
    assert adapted[0].metadata == {"url": "http://0.jp/0", "n": 1}
    assert len(adapted) == len(every) - 3


def test_damaged_records_are_kept(corpus: Path, tmp_path: Path) -> None:
    """Each archive's in a place of its own, with their bytes."""
    list(reader_of(corpus, quarantine=tmp_path)())
    found = {str(path.relative_to(tmp_path)): path for path in tmp_path.rglob("*.jsonl.gz")}
    assert sorted(found) == [
        *(f"{name}/quarantine/_a.jsonl.gz" for name in ("a.1.warc.gz", "a.2.warc.gz", "more/a.1.warc.gz"))
    ]
    for path in found.values():
        with gzip.open(path, "rt") as file:
            assert [json.loads(line)["reason"] for line in file] == ["content-coding"]


def test_archives_without_documents(tmp_path: Path) -> None:
    """An empty file, one that is no archive, one of rejected records only."""
    (tmp_path / "empty.warc").write_bytes(b"")
    (tmp_path / "english.warc").write_bytes(build([ENGLISH], "warc"))
    (tmp_path / "damaged.warc").write_bytes(b"WARC/1.0\r\nContent-Length: none\r\n\r\n")
    reader = UzushioWarcReader(str(tmp_path))
    assert list(reader()) == []
    stats = reader.stats.to_dict()["stats"]
    assert total(stats["records"]) == 2
    assert counted(stats, "rejected_") == {"language-rapid": 1}
    assert sum(counted(stats, "quarantined_").values()) == 1


def test_no_archives(tmp_path: Path) -> None:
    """A folder without files is datatrove's error."""
    with pytest.raises(RuntimeError, match="No files found"):
        list(UzushioWarcReader(str(tmp_path))())


# --- the extractor ---


def test_extractor_is_extract_html() -> None:
    """The same text, title and language; a page that gives nothing is dropped and counted."""
    html = f"<title>題</title><nav><a href='/'>上へ</a></nav><p>{JAPANESE * 10}</p>"
    for options in ({}, {"main_content": "justext"}, {"main_content": True}):
        extractor = UzushioExtractor(**options)
        pages = [Document(html, "a", metadata={"url": "http://a.jp/"}), Document("<title>none", "b")]
        [found] = extractor(pages)
        page = uz.extract_html(html, url="http://a.jp/", **options)
        assert found.text == page.text == extractor.extract(html)
        assert found.metadata == {"url": "http://a.jp/", "title": page.title, "language": "ja"}
        stats = extractor.stats.to_dict()["stats"]
        assert [total(stats[name]) for name in ("total", "forwarded", "dropped")] == [2, 1, 1]
        assert counted(stats, "dropped_") == {"no-text": 1}
    [marked] = UzushioExtractor(markup=True)([Document(html, "a")])
    assert marked.text == uz.extract_html(html).markup


def test_charsets() -> None:
    """Of bytes the charset is found; a str is taken as it is."""
    page = f"<meta charset=utf-8><p>{JAPANESE}".encode("shift_jis")
    metadata = {"content_type": "text/html; charset=shift_jis"}
    [found] = UzushioExtractor()([Document(page, "a", metadata=dict(metadata))])
    declared = uz.extract_html(page, content_type=metadata["content_type"])
    assert (found.text, found.metadata["charset"]) == (declared.text, declared.charset)
    [guessed] = UzushioExtractor()([Document(JAPANESE.encode("euc-jp"), "a")])
    assert (guessed.text, guessed.metadata["charset"]) == (JAPANESE, "EUC-JP")
    wrong = page.decode("latin-1")
    [kept] = UzushioExtractor()([Document(wrong, "a")])
    assert kept.text == uz.extract_html(wrong).text != JAPANESE
    assert "charset" not in kept.metadata


@pytest.mark.parametrize("url", [None, 3, "http://a.jp/\n\x00", "http://a.jp/\ud800"])
def test_strange_urls_end_nothing(url: object) -> None:
    """They are only a hint."""
    [found] = UzushioExtractor()([Document(f"<p>{JAPANESE}", "a", metadata={"url": url})])
    assert found.text == JAPANESE
    assert found.metadata["url"] == url


# --- the filter ---


def test_documents_of_nothing() -> None:
    """They have a reason, too: of the filter that would have removed them, or that nothing is left."""
    once = "くり返し"
    for filters, text, reason in (
        ([uz.Filter("DocLength", low=1)], "", "DocLength.Low(1)"),
        ([], "", "empty"),
        ([uz.Filter("HiraganaRatio", low=0.0)], "\n\n", "empty"),
        ([uz.Filter("DocLength", low=9)], once, "DocLength.Low(9)"),
        ([uz.Filter("DocLength", low=1)], f"{once}\ud800", "no-utf8"),
    ):
        block = UzushioFilter(filters)
        assert block.filter(Document(text, "a")) == (False, reason)
        assert list(block([Document(text, "a")])) == []
        assert total(block.stats.to_dict()["stats"][f"dropped_{reason}"]) == 1
    assert list(UzushioFilter([])([])) == []


def test_a_document_that_loses_all_its_paragraphs(corpus: Path) -> None:
    """What removes the last of them is not what removes the document."""
    duplicates = uz.Filter("DuplicateParagraphs", limit=3)
    for filters, reason in (([], "empty"), ([uz.Filter("DocLength", low=5)], "DocLength.Low(5)")):
        block = UzushioFilter([duplicates, *filters], statistics=uz.Statistics(corpus / "statistics"))
        assert block.filter(Document(OFTEN, "a")) == (False, reason)
        chain = uz.FilterChain([duplicates, *filters])
        removed = chain.apply_text(OFTEN, "a", corpus / "statistics").removed
        assert (removed.reason if removed else "empty") == reason


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_batches_change_nothing(batch_size: int, corpus: Path) -> None:
    """Documents keep their order, and what they have beside their text."""
    chain = uz.FilterChain([uz.Filter("DocLength", low=30), uz.Filter("AdjacentDuplicateParagraphs")])
    documents = list(reader_of(corpus, markup=True)())
    expected = [(one.id, chain.apply_text(one.text, one.id).text) for one in documents]
    found = list(UzushioFilter(chain, batch_size=batch_size)(copy.deepcopy(documents)))
    assert [(one.id, one.text) for one in found] == [item for item in expected if item[1] is not None]
    metadata = {one.id: one.metadata for one in documents}
    assert all(one.metadata == metadata[one.id] for one in found)


def test_hosts(tmp_path: Path) -> None:
    """By the URL in the metadata; a document without one is kept."""
    (tmp_path / "own").write_text("example.com\n")
    block = UzushioFilter([uz.Filter("HostFilter", lists=str(tmp_path / "own"))])
    urls = ["http://a.example.com/", "http://example.jp/", None]
    documents = [Document("文", str(n), metadata={"url": url} if url else {}) for n, url in enumerate(urls)]
    assert [one.id for one in block(copy.deepcopy(documents))] == ["1", "2"]
    assert block.filter(copy.deepcopy(documents[0])) == (False, "HostFilter(custom)")
    assert total(block.stats.to_dict()["stats"]["dropped_HostFilter(custom)"]) == 1


def test_markup_is_kept_where_it_is_wanted() -> None:
    """Paths and links."""
    page = uz.extract_html(f"<p>{JAPANESE}<a href='/'>次</a>").markup
    [kept] = UzushioFilter([uz.Filter("DocLength")], keep_markup=True)([Document(page, "a")])
    [plain] = UzushioFilter([uz.Filter("DocLength")])([Document(page, "a")])
    assert (kept.text, plain.text) == (page, f"{JAPANESE}次")


def test_metrics() -> None:
    """In the metadata, of what passes and of what does not; a text that is no UTF-8 has none."""
    block = UzushioFilter([uz.Filter("DocLength", low=5), uz.Filter("HiraganaRatio")], metrics=True)
    documents = [Document("短い", "a"), Document("ながい文章", "b"), Document("\ud800", "c")]
    assert [document.id for document in block(documents)] == ["b"]
    assert [document.metadata for document in documents] == [
        {"DocLength": 2.0, "HiraganaRatio": 0.5},
        {"DocLength": 5.0, "HiraganaRatio": pytest.approx(0.6)},
        {},
    ]


def test_statistics_may_be_made_later(corpus: Path, tmp_path: Path) -> None:
    """They are opened when a task begins; a folder without them is an error then."""
    block = UzushioFilter([uz.Filter("DuplicateParagraphs", limit=3)], statistics=tmp_path / "later")
    with pytest.raises(uz.UsageError, match="later"):
        list(block([Document(OFTEN, "a")]))
    (tmp_path / "later").symlink_to(corpus / "statistics")
    assert list(block([Document(OFTEN, "a")])) == []


# --- all blocks ---


def test_pickles(corpus: Path) -> None:
    """A block that has worked, too."""
    block = UzushioFilter([uz.Filter("DuplicateParagraphs", limit=3)], statistics=corpus / "statistics")
    blocks: list[Any] = [reader_of(corpus, markup=True), UzushioExtractor(markup=True), block]
    documents: Any = None
    for one in blocks:
        documents = list(one(documents))
    again: Any = None
    for one in pickle.loads(pickle.dumps(blocks)):
        again = list(one(again))
    assert documents
    assert again == documents


def test_mistakes_are_told_before_a_run(tmp_path: Path) -> None:
    """By the block that is made."""
    with pytest.raises(uz.UsageError, match="did you mean low"):
        UzushioFilter([uz.Filter("DocLength", lo=5)])
    with pytest.raises(uz.UsageError, match="properties"):
        UzushioFilter([uz.Filter("DocLength")], {"least": 5})
    with pytest.raises(uz.UsageError, match=r"none\.conf"):
        UzushioFilter(tmp_path / "none.conf")
    for block in (UzushioExtractor, lambda **options: UzushioWarcReader(str(tmp_path), **options)):
        with pytest.raises(uz.UsageError, match="日本語"):
            block(languages="日本語")
        with pytest.raises(uz.UsageError, match="markup=True"):
            block(main_content=True, mark_boilerplate=True)
        with pytest.raises(uz.UsageError, match="max_page_bytes"):
            block(max_page_bytes="many")
        with pytest.raises(TypeError, match="max_bytes"):
            block(max_bytes=3)
    with pytest.raises(TypeError, match=r"^UzushioFilter\(\) got .* 'config'; did you mean chain\?"):
        cast(Any, UzushioFilter)(config=[])


@pytest.mark.parametrize("name", ["datatrove", "regex"])
def test_without_datatrove(name: str) -> None:
    """The error says what to install; the rest of the module does not need it."""
    script = f"import sys; sys.modules['{name}'] = None; import uzushio; import uzushio.datatrove"
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    said = f"ImportError: uzushio.datatrove needs {name}: pip install datatrove regex, or 'uzushio[datatrove]'"
    assert done.stderr.splitlines()[-1] == said


def test_tutorial(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of docs/datatrove.md runs."""
    monkeypatch.chdir(tmp_path)
    for name in ("crawl", "documents", "statistics"):
        (tmp_path / name).symlink_to(corpus / name)
    result = doctest.testfile(str(ROOT / "docs" / "datatrove.md"), module_relative=False)
    assert (result.failed, result.attempted > 10) == (0, True)
