"""Measures lists of hosts: 10^7 entries compiled, opened and looked up, next to the published code's way.

The published code (swallow-corpus, ngurl.py) parses the URL by urllib and looks the host up in a dict; here that is
written anew, in the same form.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

from report import ROOT, Row, row, write

RELEASE = ROOT / "build" / "release"
ENTRIES = 10**7
URLS = 10**6
ROUNDS = 5
TOPS = ["com", "net", "org", "jp", "co.jp", "ne.jp"]


def host(number: int) -> str:
    """A host for a number."""
    return f"h{number * 2654435761 % 2**32:x}.{TOPS[number % len(TOPS)]}"


def write_inputs(folder: Path) -> None:
    """Lists of two categories in the layout of UT1, and URLs: one in four on a list, the others on none."""
    choose = random.Random(1)
    for name, numbers in (("adult", range(ENTRIES // 2)), ("games", range(ENTRIES // 2, ENTRIES))):
        (folder / "ut1" / name).mkdir(parents=True)
        with (folder / "ut1" / name / "domains").open("w") as file:
            file.writelines(f"{host(number)}\n" for number in numbers)
    with (folder / "urls").open("w") as file:
        for _ in range(URLS):
            name = host(choose.randrange(4 * ENTRIES))
            file.write(f"https://{choose.choice(['www.', '', 'a.b.'])}{name}/articles/{choose.randrange(10**6)}.html\n")


def timed(*arguments: object) -> tuple[float, int]:
    """Seconds of a run, and its peak memory in bytes."""
    start = time.monotonic()
    process = subprocess.Popen([str(argument) for argument in arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{arguments[0]}: exit {status}")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def published(folder: Path) -> float:
    """Look-ups a second by a dict of sets, of 10^6 entries: ten times as many need some GB."""
    numbers = range(10**6)
    known = {host(number): {"adult"} for number in numbers}
    urls = (folder / "urls").read_text().splitlines()[:200_000]
    start = time.process_time()
    for url in urls:
        name = urllib.parse.urlparse(url).hostname or ""
        _ = name.endswith((".5ch.net", "wikipedia.org")) or known.get(name)
    return len(urls) / (time.process_time() - start)


def main() -> None:
    """All figures."""
    rows: list[Row] = []
    told = f"{ENTRIES:.0e} entries, {URLS:.0e} URLs, one in four listed"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        command = (RELEASE / "uzushio", "host-lists", folder / "ut1", "--output", folder / "lists", "--quiet")
        seconds, memory = timed(*command)
        rows.append(row("compiling the lists", [seconds], "s", input=told))
        rows.append(row("compiling the lists, peak memory", [memory / 2**20], "MiB", input=told))
        size = (folder / "lists").stat().st_size
        rows.append(row("compiled lists, bytes an entry", [size / ENTRIES], "B", input=told, better="lower"))
        runs = []
        for _ in range(ROUNDS):
            done = subprocess.run(
                [RELEASE / "bench_hosts", folder / "lists", folder / "urls"], check=True, capture_output=True, text=True
            )
            runs.append(json.loads(done.stdout))
        rows.append(row("opening compiled lists", [run["open"] for run in runs], "s", input=told, better="lower"))
        domains = [run["domains"] / run["look_up"] / 1e6 for run in runs]
        rows.append(row("look-ups of domains", domains, "M/s", target=2.0, input=told))
        rows.append(
            row("URLs looked up, parsed before", [URLS / run["look_up"] / 1e6 for run in runs], "M/s", input=told)
        )
        both = [URLS / (run["look_up"] + run["parse"]) / 1e6 for run in runs]
        rows.append(row("URLs parsed and looked up", both, "M/s", input=told))
        python = [published(folder) / 1e6 for _ in range(3)]
        rows.append(row("URLs by a dict in Python, as published", python, "M/s", input="10^6 entries"))
        rows.append(row("over the published way", [max(both) / max(python)], "ratio", input=told))
    write("hosts", rows)


if __name__ == "__main__":
    main()
