"""versitygw, a server of S3 over a folder, which `./dev setup` builds from its Go module."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

BINARY = Path(__file__).resolve().parent.parent.parent / "build" / "versitygw" / "versitygw"
MISSING = f"versitygw is not built: there is no {BINARY}; ./dev setup builds it where Go 1.25 or newer is"
KEY, SECRET = "x", "secret-of-tests"
LONGEST_START = 90.0  # seconds, on a machine that does much else


def listening_port(process: int) -> int | None:
    """The port of this machine's IPv4 that a process listens on."""
    try:
        files = list(Path(f"/proc/{process}/fd").iterdir())
        connections = Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]
    except OSError:  # it has ended
        return None
    inodes = set()
    for file in files:
        try:
            inodes.add(file.readlink().name.removeprefix("socket:[").removesuffix("]"))
        except OSError:  # closed meanwhile
            continue
    for line in connections:
        _, local, _, state, *_, inode = line.split()[:10]
        if state == "0A" and inode in inodes:
            return int(local.rpartition(":")[2], 16)
    return None


def answers(url: str) -> bool:
    """Whether a server answers, with whatever."""
    try:
        with urlopen(url, timeout=5):
            return True
    except HTTPError:
        return True
    except (URLError, OSError):
        return False


@contextmanager
def serve(command: list[str], log: Path, environment: dict[str, str] | None = None) -> Iterator[str]:
    """A server that chooses a port of this machine itself, as long as this lasts; its URL."""
    # Where there is setpriv, the server ends even when this process is killed.
    bound = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*bound, *command], env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        url, end = "", time.monotonic() + LONGEST_START
        while not url or not answers(url):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{Path(command[0]).name} did not start: {log.read_text(errors='replace')}")
            time.sleep(0.05)
            port = listening_port(process.pid)
            url = f"http://127.0.0.1:{port}" if port else ""
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def serve_versitygw(folder: Path, log: Path) -> Iterator[str]:
    """A server as long as this lasts, whose buckets are folders of `folder`; its URL."""
    private = {name: value for name, value in os.environ.items() if not name.startswith(("VGW_", "ROOT_", "LOGFILE"))}
    command = [str(BINARY), "--port", "127.0.0.1:0", "--access", KEY, "--secret", SECRET, "--quiet"]
    with serve([*command, "posix", str(folder)], log, private) as url:
        yield url
