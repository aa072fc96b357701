"""Presets are listed, and are what they are said to be."""

from __future__ import annotations

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
        "chain": ["fineweb2-ja", "recommended", "swallow", "uzushio"],
        "pipeline": ["clean", "fineweb2-ja", "recommended", "swallow", "uzushio"],
    }
    for name in names["chain"]:
        with pytest.raises(uz.UsageError, match=r"no_such_property|kenlm|ng_words|glotlid"):
            uz.FilterChain.from_file(name, properties={"no_such_property": 1})
