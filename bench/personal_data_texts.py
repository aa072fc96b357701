"""The lines that bench/personal_data_gold.jsonl is of: of files in checkouts, and of real pages.

Nothing of their text is in the gold: a line is named by its page and a digest, a piece of it by its place.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from git_snapshots import Snapshot, SnapshotError  # noqa: E402

MARKS = dict.fromkeys((2, 3, *range(14, 23), 31))
BLOCKS = r"br|/?p|/?div|/?li|/?tr|/?dd|/?dt|/?h\d|/?ul|/?table|/?section|/?article"


def digest(line: str) -> str:
    """What a line is known by."""
    return hashlib.sha256(line.encode("utf-8", "replace")).hexdigest()[:16]


def plain(source: str) -> str:
    """The text of HTML, Markdown or PHP, roughly: a line for each block."""
    text = re.sub(r"(?is)<(script|style|svg|head)\b.*?</\1>|<!--.*?-->|<\?php.*?\?>", "", source)
    text = re.sub(rf"(?i)<({BLOCKS})\b[^>]*>", "\n", text)
    text = re.sub(r"(?i)</t[dh]>", "\t", text)
    return html.unescape(re.sub(r"<[a-zA-Z/!][^>]*>", "", text))


def decoded(data: bytes) -> str:
    """In the first charset that it is valid in."""
    for charset in ("utf-8", "cp932", "euc_jp"):
        try:
            return data.decode(charset)
        except UnicodeDecodeError:
            continue
    return ""


def lines_of_checkouts(uris: list[str], checkouts: Path) -> Iterator[tuple[str, str]]:
    """Of `github:OWNER/NAME@COMMIT:PATH`, where there is a checkout."""
    for uri in uris:
        repository, _, rest = uri.removeprefix("github:").partition("@")
        commit, _, path = rest.partition(":")
        try:
            git = Snapshot(checkouts, repository, commit).git
        except SnapshotError as error:
            print(error, file=sys.stderr)
            continue
        command = ["git", f"--git-dir={git}", "cat-file", "blob", f"{commit}:{path}"]
        data = subprocess.run(command, capture_output=True, check=True).stdout
        for line in plain(decoded(data)).split("\n"):
            yield uri, line.strip()


def lines_of_pages(pages: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Of the Japanese pages of archives, as `extract` shows them."""
    archives = [pages / f"{name}.warc.gz" for name in ("docs", "web", "legacy")]
    command: list[str | Path] = [
        ROOT / "build/uzushio",
        "extract",
        *archives,
        "--output",
        folder / "documents",
        "--quiet",
    ]
    subprocess.run(command, check=True)
    for file in sorted((folder / "documents").rglob("*.parquet")):
        for row in pq.read_table(file, columns=["url", "text"]).to_pylist():
            for paragraph in row["text"].split("\n\n"):
                for line in paragraph.rpartition("\x1c")[2].translate(MARKS).split("\n"):
                    yield row["url"], line.strip()


def read_gold(path: Path) -> dict[str, dict[str, Any]]:
    """By digest: the page's `uri`, `pieces` (place, length, kind), and those `ignored`, neither right nor wrong."""
    gold = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        page = json.loads(line)
        for key, (pieces, ignored) in page["lines"].items():
            gold[key] = {"uri": page["uri"], "pieces": pieces, "ignored": ignored}
    return gold
