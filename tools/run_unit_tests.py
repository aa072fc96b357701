"""Runs the unit tests, several at a time: `run_unit_tests.py PROGRAM [JOBS]`.

A process a test would spend most of the time on starting, under sanitizers above all. So each process runs one of
`SHARDS` parts, of which a crash loses the rest of one. Says what a part that fails has printed, and counts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SHARDS = 16
PASSED = re.compile(r"^\[ RUN      \] (\S+)\n(?:(?!\[ RUN).*\n)*?\[       OK \] \1 .*\n", re.MULTILINE)
"""What GoogleTest prints of one test."""


def run_shard(program: str, shard: int) -> tuple[int, int]:
    """The numbers of tests that pass and fail; a crash is one of these."""
    with tempfile.TemporaryDirectory(prefix="uzushio-unit-tests-") as folder:
        results = Path(folder) / "results.json"
        done = subprocess.run(
            [program, f"--gtest_output=json:{results}"],
            env=os.environ | {"GTEST_TOTAL_SHARDS": str(SHARDS), "GTEST_SHARD_INDEX": str(shard)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        is_whole = done.returncode == 0 and results.exists()
        counts = json.loads(results.read_text()) if results.exists() else {"tests": 0, "failures": 0}
    failed = counts["failures"]
    passed = counts["tests"] - failed
    if is_whole:
        print(f"part {shard + 1} of {SHARDS}: {passed} passed", flush=True)
        return passed, 0
    output = PASSED.sub("", done.stdout)
    print(f"part {shard + 1} of {SHARDS} ended with exit code {done.returncode}:\n{output}", flush=True)
    return passed, max(failed, 1)


def main() -> int:
    """0 where all pass."""
    program = sys.argv[1]
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    with ThreadPoolExecutor(jobs) as threads:
        counts = list(threads.map(lambda shard: run_shard(program, shard), range(SHARDS)))
    passed, failed = (sum(numbers) for numbers in zip(*counts, strict=True))
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0 or passed == 0)


if __name__ == "__main__":
    sys.exit(main())
