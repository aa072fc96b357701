"""The wheel that `./dev wheel` has built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from program import PROGRAM, ROOT

WHEELS = ROOT / "build" / "wheels"
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"


def wheel_of_tests() -> Path:
    """It, where it is of this Python and not older than the program; the test is skipped otherwise."""
    wheels = list(WHEELS.glob(f"uzushio-*-{TAG}-*.whl"))
    if not wheels:
        pytest.skip(f"no wheel of {TAG} in build/wheels; ./dev wheel builds one")
    if wheels[0].stat().st_mtime < PROGRAM.stat().st_mtime:
        pytest.skip(f"{wheels[0].name} is older than the program; ./dev wheel builds a new one")
    return wheels[0]
