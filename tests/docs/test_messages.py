"""That the messages which docs/troubleshooting.md explains are those of the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from program import ROOT, Uzushio

PAGE = ROOT / "docs" / "troubleshooting.md"
MESSAGES = [line[5:-1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("### `")]
# What joins two parts of one text in the sources.
JOINT = re.compile(r'"\s*,?\s*f?"')


def texts_of_sources() -> list[str]:
    """The sources without tests, the parts of their texts joined."""
    files = [*(ROOT / "src").rglob("*.cc"), *(ROOT / "src").rglob("*.h"), *(ROOT / "python").rglob("*.py")]
    read = [path.read_text(encoding="utf-8") for path in files if not path.name.endswith("_test.cc")]
    return [JOINT.sub("", text).replace("\\n", "") for text in read]


@pytest.fixture(name="sources", scope="module")
def read_sources() -> list[str]:
    """The same, read once."""
    return texts_of_sources()


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_in_the_sources(message: str, sources: list[str]) -> None:
    """All of its parts between names and numbers stand in one file, but for those that are of punctuation only."""
    parts = [part.strip() for part in message.split("…") if len(re.findall(r"[a-z]", part)) > 2]
    assert parts
    assert any(all(part in text for part in parts) for text in sources), parts


def test_there_are_many() -> None:
    """The page has not lost its form."""
    assert len(MESSAGES) > 30


def test_messages_are_printed(uzushio: Uzushio, tmp_path: Path) -> None:
    """Some of them, as the program says them."""
    page = PAGE.read_text(encoding="utf-8")

    def explained(part: str, *arguments: object) -> None:
        assert part in page
        assert part in uzushio(*arguments, code=2).stderr

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.txt").write_text("いろは", encoding="utf-8")
    out = tmp_path / "out"
    explained(": no such file or folder", "stats", tmp_path / "none", "--output", out)
    explained(": no file matches this pattern", "stats", tmp_path / "*.parquet", "--output", out)
    explained(": no input files in this folder", "filter", tmp_path / "mine", "--output", out)
    explained(": no such option", "stats", tmp_path, "--outputs", out)
    text = tmp_path / "b.txt"
    text.write_text("いろは", encoding="utf-8")
    explained(
        ": exists and is no output of uzushio; choose another folder", "stats", text, "--output", tmp_path / "mine"
    )
    chain = tmp_path / "chain.conf"
    for filters, part in (
        ('{"class": "DocLenght"}', ".class: there is no filter '"),
        ('{"class": "DocLength", "lo": 5}', ": no such parameter of "),
        ('{"class": "HiraganaRatio", "low": 30}', "; it is a share: 30 % are 0.3"),
        ('{"class": "DocLength", "low": 9, "high": 5}', " is above `high`, "),
        ('{"class": "DocLength", "low": ${least}}', "; give it by -P name=value or in the environment"),
        ('{"class": "WordTypes", "list": "none.txt"}', "there is no word list '"),
    ):
        chain.write_text(f"filters: [{filters}]", encoding="utf-8")
        explained(part, "filter", tmp_path, "--config", chain, "--output", out)
