"""Asks programs that answer what they read, each behind its length (bench/framed.h)."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path


def _answers(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


def ask(command: Sequence[str | Path], inputs: Sequence[bytes]) -> list[bytes]:
    """What a program answers."""
    with tempfile.TemporaryFile() as file:
        for one in inputs:
            file.write(struct.pack("<I", len(one)) + one)
        file.seek(0)
        return list(_answers(subprocess.run(command, stdin=file, stdout=subprocess.PIPE, check=True).stdout))
