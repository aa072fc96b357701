"""A session, and stages run in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from on_spark import OnSpark
from program import read_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(name="spark", scope="session")
def make_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on this machine, for all tests."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from uzushio.spark import _launch

    folder = tmp_path_factory.mktemp("spark")
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in {
        **_launch.settings("local[2]"),
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.showConsoleProgress": "false",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(name="on_spark")
def make_on_spark(spark: SparkSession, tmp_path: Path) -> OnSpark:
    """Runs a stage; its summary. It must exit with `code`."""
    from uzushio.spark.__main__ import main

    def run(*arguments: object, code: int = 0) -> dict[str, Any]:
        summary = tmp_path / "summary.json"
        summary.unlink(missing_ok=True)
        assert main([*map(str, arguments), "--quiet", "--summary", str(summary)]) == code
        found: dict[str, Any] = read_json(summary) if summary.exists() else {}
        return found

    return run
