"""DataFrames by the guide."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from on_spark import SPARK_TESTS
from program import ROOT
from warc_builder import build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("uzushio", reason="needs the Python module")

pytestmark = [*SPARK_TESTS, pytest.mark.every_spark]


def test_guide(spark: SparkSession, tmp_path: Path) -> None:
    """Every example of docs/spark.md runs."""
    (tmp_path / "pages").mkdir()
    footer = "<footer><p>お問い合わせは<a href='/'>こちら</a></footer>"
    sentences = ["ここには、やさしい日本語の文章があります。"]
    sentences += [f"そこには、やさしい日本語の文章があります。第{n}回をどうぞ。" for n in (1, 2, 3)]
    sentences += ["きょうは朝からよく晴れて、海へ行くにはちょうどよい一日でした。"]
    records: list[dict[str, Any]] = [{"body": f"<div class=main><p>{text}</div>{footer}"} for text in sentences]
    brotli = [["Content-Type", "text/html"], ["Content-Encoding", "br"]]
    damaged = {"body": "<p>no brotli", "coding": ["gzip"], "http": brotli}
    english = {"body": "<p>Nothing but English, and not much of it either."}
    for name, some in (("a", [*records[:3], english]), ("b", [*records[3:], damaged])):
        (tmp_path / "pages" / f"{name}.warc.gz").write_bytes(build(some, "warc.gz"))
    names = {"spark": spark, "folder": str(tmp_path)}
    result = doctest.testfile(str(ROOT / "docs" / "spark.md"), module_relative=False, globs=names)
    assert (result.failed, result.attempted > 25) == (0, True)
