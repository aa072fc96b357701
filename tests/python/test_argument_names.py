"""One name for one thing, one value for one item: names, sizes and sequences wherever they are arguments."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as uz
from warc_builder import build

pytestmark = pytest.mark.module

CHAIN = uz.FilterChain([uz.Filter("DocLength", low=3)])
TABLE = pa.table({"text": ["短い", "長い文章"]})
LOOSE: Any = uz  # calls that type checkers refuse
LOOSE_CHAIN: Any = CHAIN
PUBLIC = {name: getattr(uz, name) for name in uz.__all__ if name != "__version__"}


def functions() -> dict[str, Callable[..., Any]]:
    """All functions and methods that users call."""
    found = {}
    for name, thing in PUBLIC.items():
        if not isinstance(thing, type):
            found[name] = thing
            continue
        for member, value in vars(thing).items():
            function = value.__func__ if isinstance(value, classmethod) else value
            if inspect.isfunction(function) and not member.startswith("_"):
                found[f"{name}.{member}"] = function
    return found


def test_names_are_the_same_everywhere() -> None:
    """What has another name elsewhere is nobody's argument here."""
    others = {"language", "column", "stats", "lang", "max_memory"}
    for name, function in functions().items():
        assert not others & set(inspect.signature(function).parameters), name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LOOSE.extract("a", "b", language="ja"), "'language'; did you mean languages"),
        (lambda: LOOSE.filter("a", "b", stats="c"), "'stats'; did you mean statistics"),
        (lambda: LOOSE.stats("a", "b", column="c"), "'column'; did you mean text_column"),
        (lambda: LOOSE.near_duplicates([], column="c"), "'column'; did you mean text_column"),
        (lambda: LOOSE.read_warc("a", language="ja"), "'language'; did you mean languages"),
        (lambda: LOOSE.extract_html("a", lang="ja"), "'lang'; did you mean languages"),
        (lambda: LOOSE_CHAIN.apply(TABLE, stats="c"), "'stats'; did you mean statistics"),
        (lambda: LOOSE_CHAIN.stream(TABLE, column="c"), "'column'; did you mean text_column"),
        (lambda: LOOSE_CHAIN.mapper(column="c"), "'column'; did you mean text_column"),
        (lambda: LOOSE_CHAIN.predicate(txt_column="c"), "'txt_column'; did you mean text_column"),
        (lambda: LOOSE_CHAIN.metrics(TABLE, colum="c"), "'colum'; did you mean"),
        (lambda: LOOSE.plot_metrics(TABLE, chian=CHAIN), "'chian'; did you mean chain"),
        (lambda: LOOSE.Statistics(folder="a"), "'folder'$"),
        (
            lambda: LOOSE.FilterChain.from_file("a", least=20),
            r"'least'; values for \$\{…\} are given as properties={'least'",
        ),
    ],
)
def test_a_wrong_name_is_told_the_right_one(call: Callable[[], object], message: str) -> None:
    """By a TypeError, as of any function of Python's, before anything else is looked at."""
    with pytest.raises(TypeError, match=message):
        call()


def archive() -> io.BytesIO:
    """One page."""
    return io.BytesIO(build([{"body": "<p>ここには、やさしい日本語の文章があります。"}], "warc"))


@pytest.mark.parametrize("size", [1 << 20, "1MiB", "1024KiB", "1048576"])
def test_sizes_are_numbers_or_texts(size: int | str, tmp_path: Path) -> None:
    """Wherever there is one."""
    assert len(list(uz.read_warc(archive(), max_page_bytes=size, max_text_bytes=size).batches(size))) == 1
    assert uz.extract_html("<p>文章", max_page_bytes=size, max_text_bytes=size).text == "文章"
    memory = size * 512 if isinstance(size, int) else {"1MiB": "512MiB", "1024KiB": "0.5GiB"}.get(size, "536870912")
    assert uz.near_duplicates(["文章"], memory=memory, threads=1).num_rows == 1
    pq.write_table(TABLE, tmp_path / "a.parquet")
    filtered = uz.filter(tmp_path / "a.parquet", tmp_path / "o", memory=memory, shard_size=size, threads=1)
    assert filtered.passed.documents == 2
    stats = uz.stats(tmp_path / "a.parquet", tmp_path / "s", memory=memory, max_document_bytes=size, threads=1)
    assert stats.documents == 2


@pytest.mark.parametrize("size", [0, -1, "", "much", "0B", True, None, 1.5, [1]])
def test_sizes_that_are_none(size: Any) -> None:
    """The argument is named."""
    with pytest.raises(uz.UsageError, match=r"max_bytes=.*: give a size above 0"):
        uz.read_warc(archive()).batches(size)


def test_one_text_is_no_sequence_of_characters(tmp_path: Path) -> None:
    """Where several are expected, it is one, or an error that says so."""
    assert uz.read_warc(archive(), languages="ja").counts["records"] == 0
    with pytest.raises(uz.UsageError, match="several texts are expected, not one"):
        uz.near_duplicates("文章")
    with pytest.raises(uz.UsageError, match="not a mapping"):
        uz.near_duplicates({"text": ["文章"]})
    with pytest.raises(uz.UsageError, match="several texts are expected, not int"):
        uz.near_duplicates(3)  # type: ignore[arg-type]
    for wrong in ("DocLength", b"DocLength", Path("chain.conf")):
        with pytest.raises(uz.UsageError, match=r"a sequence of Filters is expected.*from_file"):
            uz.FilterChain(wrong)  # type: ignore[arg-type]
    with pytest.raises(uz.UsageError, match=r"filters\[1\]: a Filter, or a mapping with 'class'.*'HiraganaRatio'"):
        uz.FilterChain([uz.Filter("DocLength"), "HiraganaRatio"])  # type: ignore[list-item]
    with pytest.raises(uz.UsageError, match="a sequence of Filters is expected, not int"):
        uz.FilterChain(3)  # type: ignore[arg-type]
    assert uz.FilterChain(uz.Filter("DocLength")) == uz.FilterChain([{"class": "DocLength"}])
    assert uz.FilterChain({"class": "DocLength"}) == uz.FilterChain([{"class": "DocLength"}])
    for columns in (["text"], ("text",), b"text"):
        with pytest.raises(uz.UsageError, match="text_column: the name of one column is expected"):
            CHAIN.apply(TABLE, text_column=columns)  # type: ignore[arg-type]
    with pytest.raises(uz.UsageError, match="properties: names and values"):
        uz.FilterChain.from_file("a.conf", properties="least=5")  # type: ignore[arg-type]
    with pytest.raises(uz.UsageError, match="properties: names and values"):
        uz.filter("a.parquet", "b", properties=["least=5"])  # type: ignore[arg-type]


def test_one_input_or_metric_is_one(tmp_path: Path) -> None:
    """Of stages, too."""
    pq.write_table(TABLE, tmp_path / "a.parquet")
    path = str(tmp_path / "a.parquet")
    for inputs in (path, [path], (Path(path),), path.encode()):
        summary = uz.metrics(inputs, tmp_path / "m", metric="DocLength", overwrite=True)
        assert list(summary.metrics) == ["DocLength"]
    with pytest.raises(uz.UsageError, match="inputs: one or several are expected, not int"):
        uz.stats(3, tmp_path / "s")  # type: ignore[arg-type]
    with pytest.raises(uz.UsageError, match="inputs: a path is expected, not int"):
        uz.stats([3], tmp_path / "s")  # type: ignore[list-item]
    with pytest.raises(uz.UsageError, match="languages: one or several are expected, not int"):
        uz.read_warc(archive(), languages=3)  # type: ignore[arg-type]
