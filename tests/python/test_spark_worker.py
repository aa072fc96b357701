"""What Spark's Python workers import is theirs alone: none of what the driver is made of."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import uzushio
from uzushio.spark.worker.extract import extract_files
from uzushio.spark.worker.tasks import Quarantine

pytestmark = pytest.mark.module

IMPORTS = """
import importlib, json, pkgutil, sys
import uzushio.spark.worker as worker

for module in pkgutil.iter_modules(worker.__path__, worker.__name__ + "."):
    importlib.import_module(module.name)
print(json.dumps([name for name in sys.modules if name.partition(".")[0] in ("pyspark", "uzushio")]))
"""


def test_workers_import_nothing_of_the_driver() -> None:
    """Neither its modules nor PySpark, which the process that calls them has anyway."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(uzushio.__file__).parent.parent)},
    )
    loaded = set(json.loads(done.stdout))
    assert {
        f"uzushio.spark.worker.{name}" for name in ("documents", "extract", "join", "statistics", "tasks")
    } <= loaded
    assert [name for name in loaded if name.startswith("pyspark")] == []
    assert [name for name in loaded if name.startswith("uzushio.spark.") and ".worker" not in name] == []


def test_the_package_offers_its_functions() -> None:
    """Which are loaded when they are asked for."""
    from uzushio import spark

    for name in spark.__all__:
        assert name in dir(spark)
        assert getattr(spark, name).__name__ == name
    missing = "nonsense"
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        getattr(spark, missing)


def test_a_file_that_is_no_archive_ends_its_task(tmp_path: Path) -> None:
    """At once, before the next file is opened; where such files are allowed, it is counted, and nothing else told."""
    archive = tmp_path / "a.warc"
    archive.write_bytes(b"no archive" * 99)
    files = [{"name": str(archive), "index": 0}, {"name": str(tmp_path / "none.warc"), "index": 1}]
    options = json.dumps({"language": ["all"]})
    told: list[dict[str, Any]] = []

    def extract(given: list[dict[str, Any]], allow_unreadable: bool) -> None:
        rows = pa.record_batch({"number": list(range(len(given))), "work": [json.dumps(file) for file in given]})
        found = extract_files(iter([rows]), options, Quarantine(None), told.append, allow_unreadable=allow_unreadable)
        assert list(found) == []

    with pytest.raises(uzushio.InputError, match=r"a.warc: no record in this file can be read"):
        extract(files, False)
    assert told == []
    extract(files[:1], True)
    assert told[0]["quarantined"]
    assert "unreadable" not in told[0]
