"""Presets are listed, and are what they are said to be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import uzushio as uz
from program import ROOT

pytestmark = pytest.mark.module


def test_all_are_there() -> None:
    """Each file, once, with what it says of itself."""
    presets = uz.presets()
    files = [*(ROOT / "presets").glob("*.conf"), *(ROOT / "presets/pipelines").glob("*.conf")]
    assert sorted(preset.path.read_text() for preset in presets) == sorted(path.read_text() for path in files)
    assert len({(preset.kind, preset.name) for preset in presets}) == len(files)
    for preset in presets:
        assert preset.summary.endswith((".", ":"))
        text = preset.path.read_text()
        assert list(preset.properties) == [
            line.split()[2].split("=")[0] for line in text.splitlines() if " -P " in line
        ]
        assert all(preset.properties.values())
        first = "filters: [" if preset.kind == "chain" else "stages: ["
        assert first in text


def test_they_are_taken_where_their_kind_says() -> None:
    """By their name."""
    names = {kind: [preset.name for preset in uz.presets() if preset.kind == kind] for kind in ("chain", "pipeline")}
    assert names == {
        "chain": ["fineweb2-ja", "llm-jp-v4", "recommended", "swallow", "swallow-v2", "uzushio"],
        "pipeline": ["clean", "fineweb2-ja", "llm-jp-v4", "recommended", "swallow", "swallow-v2", "uzushio"],
    }
    for name in names["chain"]:
        with pytest.raises(uz.UsageError, match="no_such_property"):
            uz.FilterChain.from_file(name, properties={"no_such_property": 1})


@pytest.mark.parametrize("name", [preset.name for preset in uz.presets() if preset.kind == "chain"])
def test_filters_without_their_files_are_left_out(name: str) -> None:
    """And named: by a warning, and by the chain, which is otherwise that of the file."""
    with pytest.warns(RuntimeWarning, match=f"^{name}: filters are left out: .* wants properties={{") as told:
        chain = uz.FilterChain.from_file(name)
    assert told[0].filename == __file__
    assert "-P " not in str(told[0].message)
    gone = {one.filter for one in chain.left_out}
    assert not any("-P" in one.wanted for one in chain.left_out)
    assert gone
    [preset] = [one for one in uz.presets() if (one.kind, one.name) == ("chain", name)]
    classes = re.findall(r'"class": "(\w+)"', preset.path.read_text())
    assert [one.name for one in chain] == [one for one in classes if one not in gone]


def test_files_of_ones_own_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left out of them, even of one that is called as a preset is."""
    (tmp_path / "swallow").write_text('filters: [{"class": "NgWordRatio", "path": ${ng_words}}]', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(uz.UsageError, match="ng_words"):
        uz.FilterChain.from_file("swallow")
    assert uz.FilterChain([]).left_out == []


def test_presets_print_in_short() -> None:
    """One a line in a list."""
    assert all(len(repr(preset)) < 110 for preset in uz.presets())
