#!/usr/bin/env python3
"""Fetches what Hadoop needs for stores and for HDFS in tests of Spark, into build/hadoop, by Maven.

requirements/hadoop.txt lists the artifacts of Maven Central with their SHA-256; they are of the Hadoop that PySpark 3.5
is built with. Nothing is fetched that is there. Without Maven, nothing is, and the tests that need it are skipped.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from fetched import ROOT, bring, is_current, sha256

LIST = ROOT / "requirements" / "hadoop.txt"
JARS = ROOT / "build" / "hadoop"


def fetch(folder: Path) -> None:
    """Downloads all into an empty folder. Errors: one of them is another."""
    for line in LIST.read_text().splitlines():
        artifact, checksum = line.split()
        before = set(folder.iterdir())
        copy = ["dependency:copy", f"-DoutputDirectory={folder}", f"-Dartifact={artifact}"]
        subprocess.run(["mvn", "-q", "-B", *copy], check=True, cwd=folder, stdout=sys.stderr)
        (jar,) = set(folder.iterdir()) - before
        if (found := sha256(jar)) != checksum:
            sys.exit(f"{artifact}: has the SHA-256 {found}, not {checksum}")


def main() -> None:
    """Brings build/hadoop up to date."""
    stamps = [sha256(LIST) + "\n"]
    if is_current(JARS, stamps):
        bring(JARS, stamps, fetch)  # removes what a stop has left
        return
    if shutil.which("mvn") is None:
        print("== Hadoop's parts for stores are not fetched, and their tests are skipped: no Maven", file=sys.stderr)
        return
    print("== Hadoop's parts for stores (350 MB)", file=sys.stderr)
    try:
        bring(JARS, stamps, fetch)
    except subprocess.CalledProcessError as error:
        print(f"== they can not be fetched, and their tests are skipped: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
