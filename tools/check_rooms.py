"""Holds the table of rooms in docs/architecture.md against the includes of src/; fails with what is not allowed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
OF_TESTS = "base/test_support.h"


def read_table() -> dict[str, set[str]]:
    """Which rooms each room, or a file of one, may include by the table; `all above` are those of earlier rows."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    allowed: dict[str, set[str]] = {}
    for first, last in re.findall(r"^\| (`[^|]*) \|[^|]*\| ([^|]*) \|$", text, re.MULTILINE):
        named = set(re.findall(r"`([^`]+)`", last))
        if unknown := named - set(allowed):
            sys.exit(f"docs/architecture.md: {first} may include {sorted(unknown)}, which are no rooms above it")
        if last.startswith("all above"):  # but those that are named
            named = set(allowed) - named
        allowed |= dict.fromkeys(re.findall(r"`([^`]+)`", first), named)
    return allowed


def main() -> None:
    """Goes through all sources."""
    allowed = read_table()
    wrong = []
    for path in sorted([*SOURCES.rglob("*.h"), *SOURCES.rglob("*.cc")]):
        name = path.relative_to(SOURCES)
        room = str(name.parent)
        if room not in allowed:
            wrong.append(f"src/{name}: {room} is no room of the table")
            continue
        may = allowed.get(str(name), allowed[room])
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            of = str(Path(included).parent)
            if (SOURCES / included).is_file() and of != room and of not in may:
                wrong.append(f"src/{name}: includes {included}, and {room} may not include {of}")
            if included == OF_TESTS and not name.stem.endswith("_test"):
                wrong.append(f"src/{name}: includes {included}, which is for tests")
    if not allowed or wrong:
        sys.exit("\n".join(wrong) or "docs/architecture.md: there is no table of rooms")


if __name__ == "__main__":
    main()
