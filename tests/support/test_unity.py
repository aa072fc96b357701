"""CMakePresets.json, configured as ./dev does it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.once


@pytest.mark.parametrize(("given", "many"), [(None, False), ("OFF", False), ("ON", True)])
def test_sources_are_compiled_as_one_where_that_is_asked_for(tmp_path: Path, given: str | None, many: bool) -> None:
    """Without the variable, each is compiled alone."""
    environment = {**os.environ, "PATH": f"{ROOT / 'build/venv/bin'}:{os.environ['PATH']}"}
    environment.pop("UZUSHIO_UNITY", None)
    if given is not None:
        environment["UZUSHIO_UNITY"] = given
    command = ["cmake", "--preset", "release", "-B", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    commands = (tmp_path / "compile_commands.json").read_text(encoding="utf-8")
    assert ("src/filters/chain.cc" in commands) is not many
