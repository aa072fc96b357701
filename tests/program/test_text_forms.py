"""Texts of the two forms, `--text original` and `--text shown`, are not read beside each other by any stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import Uzushio, read_json, run_uzushio
from warc_builder import build

REFUSED = "their texts can not be compared; extract both in one form"


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders `original` and `shown` with documents, and `original-stats`, `original-index` of them."""
    folder = tmp_path_factory.mktemp("forms")
    body = "<p>これはひらがなのぶんしょうです。<ul><li>ひとつ<li>ふたつ</ul>"
    (folder / "pages.warc").write_bytes(
        build([{"uri": f"http://a.jp/{n}", "body": body + str(n)} for n in (1, 2)], "warc")
    )
    for form in ("original", "shown"):
        run_uzushio("extract", folder / "pages.warc", "--text", form, "--output", folder / form, "--quiet")
    run_uzushio("stats", folder / "original", "--output", folder / "original-stats", "--quiet")
    run_uzushio(
        "metrics", folder / "original", "--metric", "DocLength", "--output", folder / "original-metrics", "--quiet"
    )
    run_uzushio("minhash", folder / "original", "--output", folder / "original-minhash", "--quiet")
    return folder


def test_marks_say_the_form(forms: Path, uzushio: Uzushio) -> None:
    """Of documents, and of what is made of them."""
    assert read_json(forms / "shown/.uzushio/manifest.json")["text"] == "shown"
    for name in ("original", "original-stats", "original-metrics", "original-minhash"):
        assert read_json(forms / name / ".uzushio/manifest.json")["text"] == "original"
    uzushio("filter", forms / "shown", "--output", forms / "filtered", "--quiet")
    assert read_json(forms / "filtered/.uzushio/manifest.json")["text"] == "shown"


BOTH = [
    ["stats", "{}/original", "{}/shown"],
    ["minhash", "{}/original", "{}/shown"],
    ["minhash", "{}/shown", "--against", "{}/original-minhash"],
    ["minhash", "{}/shown", "--beside", "{}/original-minhash"],
    ["filter", "{}/original", "{}/shown"],
    ["filter", "{}/shown", "--stats", "{}/original-stats"],
    ["metrics", "{}/original", "{}/shown", "--metric", "DocLength"],
    ["metrics", "{}/shown", "--metric", "DocLength", "--stats", "{}/original-stats"],
    ["overlap", "{}/original", "{}/shown"],
]


@pytest.mark.parametrize("arguments", BOTH, ids=lambda arguments: " ".join(arguments).replace("{}/", ""))
def test_two_forms_are_refused(arguments: list[str], forms: Path, tmp_path: Path, uzushio: Uzushio) -> None:
    """The message names both, and nothing is left."""
    given = [argument.format(forms) for argument in arguments]
    said = uzushio(*given, "--output", tmp_path / "out", "--quiet", code=2).stderr
    assert f"{forms}/original" in said
    assert f"{forms}/shown" in said
    assert REFUSED in said
    assert not (tmp_path / "out").exists()


def test_merge_refuses_two_forms(forms: Path, tmp_path: Path, uzushio: Uzushio) -> None:
    """Statistics have the form of what they were counted in."""
    for form in ("original", "shown"):
        uzushio("stats", forms / form, "--output", tmp_path / form, "--intermediate", "--quiet")
    said = uzushio("merge", tmp_path / "original", tmp_path / "shown", "--output", tmp_path / "out", code=2).stderr
    assert REFUSED in said


def test_what_says_nothing_is_read(forms: Path, tmp_path: Path, uzushio: Uzushio) -> None:
    """Files of others go with either form."""
    (tmp_path / "texts.jsonl").write_text('{"text": "ほかのぶんしょう"}\n', encoding="utf-8")
    for form in ("original", "shown"):
        uzushio("stats", tmp_path / "texts.jsonl", forms / form, "--output", tmp_path / form, "--quiet")
        assert read_json(tmp_path / form / ".uzushio/manifest.json")["text"] == form
