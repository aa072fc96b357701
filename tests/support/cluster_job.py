"""All stages on a small cluster of its own, for test_cluster.py: two executors, one of which is killed in each stage.

Arguments: the folder of the package for the driver, an archive of a Python environment for the executors, a folder with
`pages` (WARC files) and `chain.conf`. Prints a line of JSON: for each stage, and for DataFrames, how many executors
were killed; where the executors had the package from; and the counts of the DataFrames.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from executors import executors
from on_spark import BRIEF

package, archive, folder = sys.argv[1:4]
sys.path.insert(0, package)

import pyspark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from uzushio import FilterChain  # noqa: E402


def busy(spark: SparkSession) -> bool:
    """Whether tasks are running."""
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(stage is not None and stage.numActiveTasks > 0 for stage in stages)


class Killer:
    """Kills one executor as soon as tasks run."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.killed = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(0.02):
            if busy(self.spark) and (running := executors(self.spark)):
                os.kill(running[0], signal.SIGKILL)
                self.killed += 1
                return


def where(batches: Iterable[Any]) -> Iterator[Any]:
    """Which package the executors have."""
    import pyarrow as pa
    import uzushio

    for _ in batches:
        yield pa.record_batch({"path": [str(uzushio.__file__)]})


def frames(spark: SparkSession) -> list[Any]:
    """The counts of pages that are read, filtered and shuffled."""
    import uzushio.spark as on_frames

    read, filtered = on_frames.Counts(), on_frames.Counts()
    documents = on_frames.extract(spark, [f"{folder}/pages"], counts=read)
    chain = FilterChain.from_file(f"{folder}/chain.conf")
    clean = on_frames.filter(documents, chain, f"{folder}/statistics", counts=filtered)
    clean.groupBy("charset").count().collect()
    return [read.value, filtered.value]


def main() -> None:
    """Runs the stages one after another."""
    from uzushio.spark.__main__ import main as run

    os.environ |= {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": f"{folder}/workers",
        "PYSPARK_PYTHON": "./environment/bin/python",
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    builder = SparkSession.builder.master("local-cluster[2,1,2048]")
    for name, value in {
        **BRIEF,
        "spark.archives": f"{archive}#environment",
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.extraJavaOptions": BRIEF["spark.driver.extraJavaOptions"],
        "spark.executor.memory": "1g",
        "spark.local.dir": f"{folder}/local",
        "spark.task.maxFailures": "8",
        "spark.deploy.maxExecutorRetries": "-1",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    documents, counted, config = f"{folder}/documents", f"{folder}/counted", ["--config", f"{folder}/chain.conf"]
    stages = {
        "extract": [f"{folder}/pages", "--output", documents],
        "stats": [documents, "--output", counted, "--intermediate", "--single-task-pairs", "1000"],
        "merge": [counted, "--output", f"{folder}/statistics"],
        "filter": [documents, *config, "--stats", f"{folder}/statistics", "--output", f"{folder}/clean"],
        "metrics": [documents, *config, "--stats", f"{folder}/statistics", "--output", f"{folder}/measured"],
    }
    told: dict[str, Any] = {}
    for stage, arguments in stages.items():
        begin = time.monotonic()
        with Killer(spark) as killer:
            if run([stage, *arguments, "--quiet"]) != 0:
                sys.exit(f"{stage} failed")
        told[stage] = killer.killed
        print(f"{stage}: {time.monotonic() - begin:.1f} s", file=sys.stderr)
    with Killer(spark) as killer:
        told["counts"] = frames(spark)
    told["frames"] = killer.killed
    told["package"] = spark.range(1).mapInArrow(where, "path string").collect()[0][0]
    spark.stop()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
