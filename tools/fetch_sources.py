#!/usr/bin/env python3
"""Fetches the pinned C, C++ and Rust sources of requirements/sources.txt and unpacks them into build/sources.

Each is part of a package's source distribution; pip checks its SHA-256. Nothing is fetched when the sources that are
there were made from the same list. Needs Python 3.10 with pip, nothing else; CMake runs it too.
"""

import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from fetched import ROOT, bring, download, sha256

LIST = ROOT / "requirements" / "sources.txt"
SOURCES = ROOT / "build" / "sources"

# Package: the folder of its archive that is wanted, and the folder it becomes.
WANTED = {
    "selectolax": ("lexbor", "lexbor"),
    "sudachipy": ("", "sudachi"),
    "kenlm": ("", "kenlm"),
    "liblinear_official": ("", "liblinear"),
    "ada_url": ("", "ada"),
    "fasttext": ("", "fasttext"),
}


def unpack(archive: Path, inside: str, folder: Path) -> None:
    """Moves the folder `inside` of an archive, below its one top folder, to `folder`."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        with tarfile.open(archive) as packed:
            packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            packed.extractall(scratch)
        (top,) = Path(scratch).iterdir()
        shutil.move(top / inside, folder)


def fetch(folder: Path) -> None:
    """Downloads and unpacks all sources into an empty folder."""
    print("== pinned sources", file=sys.stderr)
    with tempfile.TemporaryDirectory() as downloads:
        download(LIST, Path(downloads), "--no-binary", ",".join(WANTED).replace("_", "-"))
        for name, (inside, becomes) in WANTED.items():
            (archive,) = Path(downloads).glob(f"{name}-*.tar.gz")
            unpack(archive, inside, folder / becomes)


def main() -> None:
    """Brings build/sources up to date."""
    bring(SOURCES, [sha256(LIST) + "\n"], fetch)


if __name__ == "__main__":
    main()
