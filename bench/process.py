"""What a command costs."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# What a process has had is counted from the one on that started it: a small one.
STARTER = """
import os, resource, sys
null = os.open(os.devnull, os.O_WRONLY)
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status = os.waitpid(process, 0)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime, used.ru_stime, used.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@dataclass(order=True)
class Cost:
    """Of a command, with all processes that it starts; the memory is the largest one's, in MiB."""

    seconds: float
    user: float
    system: float
    memory: float

    @property
    def processor(self) -> float:
        """Seconds of the processor."""
        return self.user + self.system


def measured(command: Sequence[object], folder: Path | None = None, log: Path | None = None) -> Cost:
    """Runs a command in a folder; what it says as an error goes to a file, if one is given."""
    starter = [sys.executable, "-S", "-c", STARTER, *map(str, command)]
    start = time.monotonic()
    with log.open("w") if log else contextlib.nullcontext() as errors:
        done = subprocess.run(starter, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=errors, text=True)
    user, system, memory = map(float, done.stdout.split()[-3:])
    return Cost(time.monotonic() - start, user, system, memory)
