"""What people meet who use the program for the first time."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from program import PROGRAM, Uzushio, read_json


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Two documents as JSON Lines."""
    path = tmp_path / "documents.jsonl"
    texts = ["日本語の文章が、ここにあります。", "もう一つの文章も、ここにあります。"]
    rows = [json.dumps({"docId": str(number), "text": text}) for number, text in enumerate(texts)]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def without_packages() -> dict[str, str]:
    """An environment in which no Python packages, and so no word lists and dictionaries, are found."""
    return {"PATH": "/nowhere", "UZUSHIO_HOJICHAR": "/nowhere"}


@pytest.mark.parametrize("chain", ["uzushio", "swallow", "recommended"])
def test_metrics_of_a_preset_without_its_models(tmp_path: Path, documents: Path, chain: str) -> None:
    """Filters whose model or list is not given are left out and reported, as `run` does."""
    summary = tmp_path / "summary.json"
    command = [str(PROGRAM), "metrics", str(documents), "--config", chain, "--output", str(tmp_path / "out")]
    command += ["--summary", str(summary)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=without_packages())
    assert done.returncode == 0, done.stderr
    left_out = {one["filter"]: one["wanted"] for one in read_json(summary)["left_out"]}
    if chain == "swallow":
        assert left_out == {"NgWordRatio": "-P ng_words=VALUE", "HostFilter": "-P host_lists=VALUE"}
    else:
        assert left_out["KenLMDocAvgPerplexity"] == "-P kenlm=VALUE, -P sudachi=VALUE"
        assert left_out["WordTypes"].startswith("hojichar/")
    for name, wanted in left_out.items():
        assert f"left out of metrics: {name}, which needs {wanted}" in done.stderr
    names = set(read_json(summary)["metrics"])
    assert names
    assert not any(name.startswith(tuple(left_out)) for name in names)


def test_metrics_of_a_chain_of_which_nothing_is_left(uzushio: Uzushio, tmp_path: Path, documents: Path) -> None:
    """An error that says what is needed."""
    config = tmp_path / "chain.conf"
    config.write_text('filters: [{class: NgWordRatio, list: [${words}"/a.txt"]}]', encoding="utf-8")
    said = uzushio("metrics", documents, "--config", config, "--output", tmp_path / "out", code=2).stderr
    assert "NgWordRatio needs -P words=VALUE" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["filter", "metrics"])
def test_a_mistyped_property_is_the_error(uzushio: Uzushio, tmp_path: Path, documents: Path, command: str) -> None:
    """Not the one that has no value because of it."""
    given = [command, documents, "--config", "uzushio", "--output", tmp_path / "out"]
    said = uzushio(*given, "-P", "kenln=model", code=2).stderr
    assert "-P kenln: " in said
    assert "has no ${kenln}; did you mean kenlm?" in said
    config = tmp_path / "chain.conf"
    config.write_text("filters: [{class: DocLength, low: 1}]", encoding="utf-8")
    given[3] = config
    assert "has no ${low}" in uzushio(*given, "-P", "low=1", code=2).stderr
    assert not (tmp_path / "out").exists()
