"""Folders of what is fetched from package registries, each made anew when the list of what belongs there changes."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def is_current(folder: Path, stamps: list[str]) -> bool:
    """Whether a folder has one of the stamps."""
    stamp = folder / ".stamp"
    return stamp.is_file() and stamp.read_text() in stamps


def bring(folder: Path, stamps: list[str], fetch: Callable[[Path], None]) -> None:
    """Makes a folder of what `fetch` lays into an empty one, unless it has one of the stamps. It gets the first.

    When `fetch` fails, the folder stays as it was.
    """
    if is_current(folder, stamps):
        return
    folder.parent.mkdir(exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}-"))
    try:
        fetch(fresh)
        (fresh / ".stamp").write_text(stamps[0])
        fresh.chmod(0o755)
        if folder.is_symlink():
            folder.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def download(requirements: Path, folder: Path, *more: str) -> None:
    """Python packages without their dependencies. pip checks the hashes that the requirements must have."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, *more, "--require-hashes", "-r", str(requirements), "-d", str(folder)], check=True)
