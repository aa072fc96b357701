"""The executors of a program on Spark that has a cluster of its own on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def executors(spark: SparkSession) -> list[int]:
    """The processes of this program's executors: children of its virtual machine."""
    jvm: Any = spark._jvm
    machine = int(jvm.java.lang.ProcessHandle.current().pid())
    found = []
    for process in Path("/proc").iterdir():
        try:
            command = (process / "cmdline").read_bytes()
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if b"CoarseGrainedExecutorBackend" in command and parent == machine:
            found.append(int(process.name))
    return sorted(found)
