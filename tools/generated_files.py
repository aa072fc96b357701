"""Files of the documentation that are made of something else: written, or only compared."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write_or_check(files: Iterable[tuple[Path, str]], fault: str) -> int:
    """Writes those that are not as wanted; with --check on the command line only names them, with `fault`.

    Returns the code to exit with: 1 when a check found one.
    """
    check = sys.argv[1:] == ["--check"]
    stale = 0
    for path, wanted in files:
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        stale += 1
        if not check:
            path.write_text(wanted, encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {fault if check else 'written'}", file=sys.stderr)
    return 1 if check and stale else 0
