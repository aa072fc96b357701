"""The program, how it is called, and what it has written."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests" / "program" / "cases"
PROGRAM = Path(os.environ.get("UZUSHIO_BIN", ROOT / "build" / "uzushio")).resolve()
# Seconds after which a call fails; none by default. A changed program may never end (bench/mutate.py).
SECONDS = float(os.environ["UZUSHIO_SECONDS"]) if "UZUSHIO_SECONDS" in os.environ else None
# The columns of metrics.parquet that are no metrics, besides docId.
SIZES = ["characters", "bytes", "keptCharacters", "keptBytes"]
Uzushio = Callable[..., "subprocess.CompletedProcess[str]"]


def run_uzushio(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs the program with the arguments given and returns what it said; it must exit with `code`."""
    command = [str(PROGRAM), *(str(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == code, f"exit {done.returncode}\n{done.stderr}"
    return done


def read_documents(folder: Path) -> list[dict[str, Any]]:
    """The rows of a documents dataset in order of file and row, with their language."""
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("language=*/*.parquet")):
        language = path.parent.name.removeprefix("language=")
        rows += [{**row, "language": language} for row in pq.ParquetFile(path).read().to_pylist()]
    return rows


def write_parquet(table: pa.Table, path: Path) -> None:
    """A Parquet file of any name: pyarrow itself takes none that is no UTF-8."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    path.write_bytes(buffer.getvalue())


def count_rows(folder: Path) -> int:
    """The rows of a folder's Parquet files, of any name."""
    return sum(pq.read_metadata(io.BytesIO(path.read_bytes())).num_rows for path in folder.rglob("part-*.parquet"))


def read_json(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))
