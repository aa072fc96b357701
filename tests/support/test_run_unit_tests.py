"""The runner of unit tests, on programs that say what GoogleTest says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """#!/usr/bin/env python3
import json, os, signal, sys
if os.environ["GTEST_TOTAL_SHARDS"] != "16": sys.exit("shards")
is_third = os.environ["GTEST_SHARD_INDEX"] == "2"
print("[ RUN      ] A.Passes\\nchatter\\n[       OK ] A.Passes (0 ms)")
print("[ RUN      ] A.Fails" if is_third else "", flush=True)
{third}
with open(sys.argv[1].removeprefix("--gtest_output=json:"), "w") as file:
    json.dump({{"tests": 2, "failures": int(is_third)}}, file)
sys.exit(is_third)
"""


@pytest.mark.parametrize(
    ("third", "last", "code"),
    [
        ("is_third = False", "32 passed, 0 failed", 0),
        ("", "31 passed, 1 failed", 1),
        ("if is_third: os.kill(os.getpid(), signal.SIGKILL)", "30 passed, 1 failed", 1),
        ("if is_third: sys.exit(0)", "30 passed, 1 failed", 1),
    ],
)
def test_what_fails_is_said(tmp_path: Path, third: str, last: str, code: int) -> None:
    """Also where a part crashes, or has run nothing."""
    program = tmp_path / "tests"
    program.write_text(PROGRAM.format(third=third))
    program.chmod(0o755)
    command = [sys.executable, str(ROOT / "tools" / "run_unit_tests.py"), str(program), "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines()[-1], done.returncode) == (last, code)
    assert ("A.Fails" in done.stdout, "chatter" in done.stdout) == (code == 1, False)
