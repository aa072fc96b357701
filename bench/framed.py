"""Comparisons with other readers: real pages, and programs that answer what they read, each behind its length.

See bench/framed.h.
"""

from __future__ import annotations

import argparse
import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))


def comparison_arguments(about: str, pages: int) -> argparse.Namespace:
    """Which archives are compared, one at least, and how many pages of each and others made of these."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("archives", nargs="*", type=Path, help="(default: those of the real pages)")
    parser.add_argument("--pages", type=int, default=pages, help="the most of each archive")
    parser.add_argument("--mutants", type=int, default=20, help="made of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="of those that differ")
    arguments = parser.parse_args()
    arguments.archives = arguments.archives or sorted(PAGES.rglob("*.warc.gz"))
    if not arguments.archives:
        parser.error(f"{PAGES} has no archives; UZUSHIO_REAL_PAGES names another folder")
    return arguments


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
