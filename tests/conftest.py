"""What all tests are given: the program, a dictionary, a browser."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import Uzushio, run_uzushio


def pytest_addoption(parser: pytest.Parser) -> None:
    """More cases; and what is written for who looks at it: the results that cases expect, the picture in README."""
    parser.addoption("--update", action="store_true", help="write the cases' expected.json anew")
    parser.addoption("--all", action="store_true", help="try every crash, not a sample of them (docs/reliability.md)")
    parser.addoption("--picture", metavar="FILE", help="write a picture of the page of reports")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that take minutes begin before all others, so that no worker is alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


@pytest.fixture
def uzushio() -> Uzushio:
    """Runs the program."""
    return run_uzushio


@pytest.fixture(name="dictionary", scope="session")
def find_dictionary() -> Path:
    """The system dictionary of the Python package."""
    spec = importlib.util.find_spec("sudachidict_small")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "resources" / "system.dic"


@pytest.fixture(name="chromium", scope="session")
def start_chromium() -> Iterator[Any]:
    """A browser for all tests."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("needs Debian's package chromium")
    from playwright.sync_api import sync_playwright  # the environment of the oldest pyarrow does without it

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found)
        yield browser
        browser.close()
