"""Stages on a small cluster of its own that loses an executor, for test_cluster.py.

Arguments: the folder of the package, and a folder with `documents` and `chain.conf`. Runs `stats` (by rounds), `filter`
and `metrics` (by join) once undisturbed; then each again and again, an executor being killed after the first of its
stages has finished, after the second, and so on (further apart when there are many), until a run ends before it is its
turn. Prints a line of JSON: for each stage the folders and summaries of its runs, the undisturbed first.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from executors import executors
from on_spark import BRIEF

package, folder = sys.argv[1:]
sys.path.insert(0, package)

import pyspark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402


class Killer:
    """Kills an executor once so many stages have finished. `killed` says whether it came to that."""

    def __init__(self, spark: SparkSession, finished: int) -> None:
        self.spark = spark
        self.finished = finished
        self.killed = False
        self._before = set(spark.sparkContext.statusTracker().getJobIdsForGroup())
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _has_finished(self) -> int:
        tracker = self.spark.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in set(tracker.getJobIdsForGroup()) - self._before]
        stages = {stage for job in jobs if job is not None for stage in job.stageIds}
        infos = [tracker.getStageInfo(stage) for stage in stages]
        return sum(info is not None and 0 < info.numTasks <= info.numCompletedTasks for info in infos)

    def __enter__(self) -> Killer:
        if self.finished > 0:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self.finished > 0:
            self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(0.005):
            if self._has_finished() >= self.finished and (running := executors(self.spark)):
                os.kill(running[0], signal.SIGKILL)
                self.killed = True
                return


def main() -> None:
    """Runs the stages."""
    from uzushio.spark.__main__ import main as run

    os.environ |= {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": f"{folder}/workers",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": package,
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {
        **BRIEF,
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.extraJavaOptions": BRIEF["spark.driver.extraJavaOptions"],
        "spark.executor.memory": "512m",
        "spark.executorEnv.PYTHONPATH": package,
        "spark.local.dir": f"{folder}/local",
        "spark.task.maxFailures": "8",
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.default.parallelism": "2",
        "spark.sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    documents, statistics = f"{folder}/documents", f"{folder}/stats-0"
    by_join = [documents, "--config", f"{folder}/chain.conf", "--stats", statistics, "--index", "join"]
    stages = {
        "stats": [documents, "--intermediate", "--single-task-pairs", "20", "--pairs"],
        "filter": by_join,
        "metrics": by_join,
    }
    told: dict[str, Any] = {}
    for stage, arguments in stages.items():
        told[stage] = []
        finished = 0
        while True:
            output = f"{folder}/{stage}-{finished}"
            more = [f"{output}-pairs"] if arguments[-1] == "--pairs" else []
            summary = f"{output}.json"
            with Killer(spark, finished) as killer:
                command = [stage, *arguments, *more, "--output", output, "--quiet", "--summary", summary]
                if run(command) != 0:
                    sys.exit(f"{stage} failed, an executor being killed after {finished} stages")
            if finished > 0 and not killer.killed:
                break
            told[stage].append({"output": output, "summary": json.loads(Path(summary).read_text(encoding="utf-8"))})
            finished += 1 + finished // 3
    spark.stop()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
