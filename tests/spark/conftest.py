"""A session, and stages run in it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpus import random_documents, write_corpus
from hadoop_places import Servers, find_jars, serve_hadoop
from on_spark import BRIEF, CHAIN, OnSpark
from program import read_json, run_uzushio

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(name="spark", scope="session")
def make_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on this machine, for all tests, as `python -m uzushio.spark` makes it."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from uzushio.spark import _launch

    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
    }
    if jars := find_jars():
        settings["spark.driver.extraClassPath"] = os.pathsep.join(map(str, jars))
    session = _launch.session("tests", "local[2]", BRIEF | settings, progress=False)
    yield session
    session.stop()


@pytest.fixture(name="servers", scope="session")
def make_servers(spark: SparkSession) -> Iterator[Servers]:
    """Those of stores that the session's Hadoop reaches."""
    with serve_hadoop(spark) as servers:
        yield servers


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


@pytest.fixture(name="corpus", scope="session")
def make_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, statistics, and a chain of filters."""
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(run_uzushio, folder, random_documents(7, 300))
    (folder / "chain.conf").write_text(json.dumps({"filters": CHAIN}), encoding="utf-8")
    return folder
