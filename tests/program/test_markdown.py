"""The filter Markdown on shown text: against its oracle, and read again by markdown-it."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import filter_oracle as oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filter_oracle import Paragraph
from markdown_documents import shown_document
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_oracle import has_header
from pipeline_pages import write_archive
from program import Uzushio, write_parquet

MARKS = "\x02\x03\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x1f"


def markdown(
    uzushio: Uzushio, folder: Path, documents: list[list[Paragraph]], *options: str, **given: Any
) -> list[str]:
    """What the filter makes of documents."""
    folder.mkdir()
    texts = ["\n\n".join(p.markup for p in document) for document in documents]
    pq.write_table(pa.table({"docId": [str(n) for n in range(len(texts))], "text": texts}), folder / "in.parquet")
    chain = [{"class": "Markdown", **given}] * (2 if "twice" in options else 1)
    (folder / "chain.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
    kept = [option for option in options if option != "twice"]
    uzushio("filter", folder / "in.parquet", "--config", folder / "chain.conf", "--output", folder / "out", *kept)
    table = pq.read_table(folder / "out" / "part-00000.parquet")
    assert table["docId"].to_pylist() == [str(n) for n in range(len(texts))]
    return [str(text) for text in table["text"].to_pylist()]


FORMS: list[dict[str, bool]] = [
    {},
    {"emphasis": True},
    *({part: False} for part in ("headings", "lists", "tables", "code", "quotes")),
    dict.fromkeys(("headings", "lists", "tables", "code", "quotes"), False),
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_is_its_oracle(uzushio: Uzushio, tmp_path: Path, form: dict[str, bool]) -> None:
    """With markup and without; texts have nothing that is escaped."""
    choose = random.Random(1)
    documents = [shown_document(choose, plain=True) for _ in range(400)]
    if not form.get("code", True) or form.get("emphasis"):
        for document in documents:  # code and emphasis that would be escaped, or is none
            document[:] = [p for p in document if not re.match(r"(.*>)?(code|pre)", p.structure or "")] or [
                Paragraph("", "文", structure="")
            ]
    if form.get("emphasis"):
        documents = [
            [replace(p, marked=re.sub("[\x0e-\x13]", "", p.marked)) for p in document] for document in documents
        ]
    wanted = []
    for document in documents:
        copies = [replace(p) for p in document]
        change = oracle.markdown(**form).change
        assert change
        change(copies)
        wanted.append(copies)
    plain = markdown(uzushio, tmp_path / "plain", documents, **form)
    kept = markdown(uzushio, tmp_path / "kept", documents, "--keep-markup", **form)
    for number, document in enumerate(wanted):
        assert plain[number].split("\n") == "\n\n".join(p.text for p in document).split("\n"), documents[number]
        assert kept[number].split("\n\n") == [p.markup for p in document]


def words(text: str) -> str:
    """The text with single spaces."""
    return re.sub(r"\s+", " ", text).strip()


def read_inline(token: Token) -> str:
    """The text of a block: that of links and HTML, too, so that either would be seen."""
    text = ""
    for child in token.children or []:
        if child.type in ("softbreak", "hardbreak"):
            text += "\n"
        elif child.type in ("text", "code_inline"):
            text += child.content
        elif child.type not in ALLOWED:
            text += f"<{child.type}>"
    return text


ALLOWED = {"strong_open", "strong_close", "em_open", "em_close"}


def read_blocks(text: str, emphasis: bool = False) -> list[tuple[str, str]]:
    """What a reader of Markdown sees: each block's text, and what it is and is in."""
    parser = MarkdownIt("commonmark", {"maxNesting": 1000}).enable(["table", "strikethrough"])
    ALLOWED.clear()
    if emphasis:
        ALLOWED.update(["strong_open", "strong_close", "em_open", "em_close"])
    around: list[str] = []
    blocks: list[tuple[str, str]] = []
    row: list[str] = []
    for token in parser.parse(text):
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name == "list_item" and token.nesting == 1:
            around.append("item")
        elif name == "list_item" and token.nesting == -1:
            around.pop()
        elif name == "blockquote":
            around.append("quote") if token.nesting == 1 else around.pop()
        elif name == "fence":
            blocks.append((">".join([*around, "code " + token.info]), token.content.removesuffix("\n")))
        elif name == "heading" and token.nesting == 1:
            around.append(token.tag)
        elif name == "heading":
            around.pop()
        elif name == "table" and token.nesting == 1:
            around.append("table")
        elif name == "table":
            around.pop()
        elif name == "tr" and token.nesting == 1:
            row = []
        elif name == "tr":
            if any(row):
                blocks.append((">".join(around), "\t".join(row).rstrip("\t")))
        elif name == "inline" and around and around[-1] == "table":
            row.append(words(read_inline(token)))
        elif name == "inline":
            blocks.append((">".join(around), words(read_inline(token))))
        else:
            assert name in ("bullet_list", "ordered_list", "paragraph", "thead", "tbody", "th", "td"), (name, text)
    return blocks


def expected_blocks(document: list[Paragraph]) -> list[tuple[str, str]]:
    """What it should see."""
    blocks: list[tuple[str, str]] = []
    for p in document:
        around, leaf = [], ""
        for block in filter(None, (p.structure or "").split(">")):
            if re.match("ul|ol|dd", block):
                around.append("item")
            elif block == "quote":
                around.append("quote")
            else:
                leaf = block
        text = re.sub(f"[{MARKS}]", "", p.marked)
        if leaf.startswith("code"):
            blocks.append((">".join([*around, "code " + leaf[5:]]), re.sub("\x1f", "", p.marked)))
        elif leaf == "table" and "\n" not in text and not has_header([p.marked.split("\t")]):
            blocks.append((">".join(around), words(text.replace("\t", " "))))
        elif leaf == "table":
            rows = ["\t".join(map(words, row.split("\t"))).rstrip("\t") for row in text.split("\n")]
            blocks += [(">".join([*around, "table"]), row) for row in rows if row]
        else:
            level = [leaf] if re.fullmatch("h[1-6]", leaf) else []
            blocks.append((">".join([*around, *level]), words(text)))
    return blocks


@pytest.mark.parametrize("emphasis", [False, True])
def test_is_read_as_it_was(uzushio: Uzushio, tmp_path: Path, emphasis: bool) -> None:
    """Texts that look like markup, in all places: each is where it was, and is the same text."""
    choose = random.Random(2)
    documents = [shown_document(choose, plain=False) for _ in range(3000)]
    for document, text in zip(documents, markdown(uzushio, tmp_path / "x", documents, emphasis=emphasis), strict=True):
        read, expected = read_blocks(text, emphasis), expected_blocks(document)
        differing = [pair for pair in itertools.zip_longest(read, expected) if pair[0] != pair[1]]
        assert not differing, f"{differing[0]}\n{text}"


def test_twice_is_once(uzushio: Uzushio, tmp_path: Path) -> None:
    """In one chain, and of what was written with markup."""
    choose = random.Random(3)
    documents = [shown_document(choose, plain=False) for _ in range(300)]
    once = markdown(uzushio, tmp_path / "once", documents, "--keep-markup")
    assert markdown(uzushio, tmp_path / "twice", documents, "--keep-markup", "twice") == once
    uzushio(
        "filter", tmp_path / "once" / "out", "--config", tmp_path / "once" / "chain.conf", "--keep-markup",
        "--output", tmp_path / "again",
    )  # fmt: skip
    again = pq.read_table(tmp_path / "again" / "part-00000.parquet")["text"].to_pylist()
    assert again == once


def test_explain_shows_what_is_written(uzushio: Uzushio, tmp_path: Path) -> None:
    """The paragraphs as they are after the filter, those too that another one removes then."""
    (tmp_path / "chain.conf").write_text(
        json.dumps({"filters": [{"class": "Markdown"}, {"class": "NoContentDOM"}]}), encoding="utf-8"
    )
    text = "b\x1eh2\x1c題\n\nb\x1e\x1cそのまま\n\nb\x1eul.1\x1c*い*\n\nb\x1eul.2\x1cろ\n\nnav\x1eul.1\x1cは"
    pq.write_table(pa.table({"docId": ["a"], "text": [text]}), tmp_path / "in.parquet")
    uzushio("filter", tmp_path / "in.parquet", "--config", tmp_path / "chain.conf", "--output", tmp_path / "out")
    told = uzushio("explain", "a", "--in", tmp_path / "out").stdout
    assert told.endswith(
        "    1. Markdown = 4; rewrites paragraphs\n"
        "         + 1: ## 題\n"
        "         + 3: - \\*い\\* - ろ\n"
        "         + 4: - は\n"
        "    2. NoContentDOM = 0.1364; removes paragraphs\n"
        "         - 4 (the path is of navigation; nearFreq 1): - は\n"
        "  passed, with 3 paragraphs\n"
    )


def test_linear_in_hostile_input(uzushio: Uzushio, tmp_path: Path) -> None:
    """Long runs of what is looked at, and deep lists, take no longer than their length."""
    long = 1 << 20
    parts = [
        "*",
        "_a",
        "`",
        "``` ",
        "[](",
        "<a",
        "<!",
        "&a",
        "\\",
        "~~a",
        "|",
        "#",
        "\n-",
        "\x0e",
        "\x0e\x0f",
        "\x10\x12",
    ]
    parts += ["\x10a\x11", "\x14", "<\x02", "a\n", "> ", "1. ", "\t", "\x16", "\x1f\n"]
    documents = []
    for part in parts:
        for structure in ("", "h1", "table", "code", "ul.1>" * 1000 + "ul.1"):
            text = "a" + re.sub("\n\n+", "\n", part * (long // len(part))) + "a"
            documents.append([Paragraph("b", text, structure=structure)])
    documents.append([Paragraph("b", "a", structure="ul.1+>" * 10_000 + f"ol.{n}") for n in range(50)])
    start = time.monotonic()
    written = markdown(uzushio, tmp_path / "x", documents, emphasis=True)
    assert time.monotonic() - start < 60
    assert sum(map(len, written)) < 20 * long * len(documents)


def test_what_only_converts_leaves_text_alone(uzushio: Uzushio, tmp_path: Path) -> None:
    """A run without filters has nothing to clean text for."""
    text = "# 題\n\n- a\n\n  ```\n      b\n\n      c\n  ```\n\n|  |\n| --- |"
    rows = {"docId": list("12345"), "text": [text, " \n\n ", "\x02\x03", "\x1f", "a \x02b\x03"]}
    write_parquet(pa.table(rows), tmp_path / "a.parquet")
    uzushio("filter", tmp_path / "a.parquet", "--format", "jsonl", "--output", tmp_path / "o")
    with gzip.open(tmp_path / "o" / "part-00000.jsonl.gz", "rt", encoding="utf-8") as lines:
        assert [json.loads(line)["text"] for line in lines] == [text, "a b"]


@pytest.mark.parametrize("preset", ["recommended", "uzushio", "swallow"])
def test_presets_write_markdown(uzushio: Uzushio, tmp_path: Path, preset: str) -> None:
    """Unless they are told not to."""
    archive = write_archive(tmp_path / "a.warc.gz", 30)
    texts: dict[str, list[str]] = {}
    for name, options in (("on", []), ("off", ["-P", "markdown=false"])):
        uzushio("run", "--preset", preset, "--input", archive, "--output", tmp_path / name, *options)
        last = tmp_path / name / {"uzushio": "graded"}.get(preset, "clean")
        files = sorted(last.glob("**/part-*.parquet"))
        texts[name] = [str(text) for file in files for text in pq.ParquetFile(file).read()["text"].to_pylist()]
    assert any(text.startswith("# その") for text in texts["on"])
    assert not any("# " in text for text in texts["off"])
    assert texts["off"] == [text.replace("# ", "") for text in texts["on"]]
