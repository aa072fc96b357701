"""Outputs on object stores, by the names that their files would have locally."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from program import read_json


def _local_name(name: str, manifest: dict[str, Any]) -> str:
    name_hash = manifest.get("name_hash", "-")
    return name.replace(f".uzushio/{name_hash}/", ".uzushio/").replace(f"-{name_hash}", "")


def files_of(folder: Path) -> dict[str, bytes]:
    """All that the manifest of an output lists."""
    manifest = read_json(folder / ".uzushio" / "manifest.json")
    paths = [file["path"] for file in manifest["files"]]
    return {_local_name(path, manifest): (folder / path).read_bytes() for path in paths}


def rows_of(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of an output's Parquet files."""
    manifest = read_json(folder / ".uzushio" / "manifest.json")
    files = [path for path in folder.rglob("*") if path.suffix in (".parquet", ".pq")]
    return {
        _local_name(str(path.relative_to(folder)), manifest): pq.ParquetFile(path).read().to_pylist() for path in files
    }
