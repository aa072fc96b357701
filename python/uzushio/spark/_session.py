"""What a run needs to know of the Spark session, and the settings that it works with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from uzushio.spark._tasks import Budget

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_TASK_MEMORY = 1 << 30

SETTINGS = {
    # Pieces of partitions are up to 512 KiB, documents up to 8 MiB and more: batches have few rows, so that they have
    # few bytes. (Spark 4.1 and later bound bytes too.)
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 << 20),
    "spark.sql.inMemoryColumnarStorage.batchSize": "16",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # Files are in the order of hashes, and a null language is no folder of that name.
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.parquet.compression.codec": "zstd",
}

LOCAL_SETTINGS = {
    # What is shuffled is read where it was written, and most of it is hashes, which LZ4 takes its time for in vain.
    "spark.shuffle.compress": "false",
}
"""Of a new session on one machine."""


def is_local(master: str) -> bool:
    """Whether tasks run in the driver's process.

    >>> is_local("local[2]"), is_local("local-cluster[2,1,2048]")
    (True, False)
    """
    return re.match(r"local(\[|$)", master) is not None


@contextmanager
def settings(spark: SparkSession) -> Iterator[None]:
    """Has the session work with our settings, and then with its own again."""
    before = {name: spark.conf.get(name, None) for name in SETTINGS}
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def apply(spark: SparkSession) -> None:
    """The same for good: for DataFrames that are worked out later."""
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)


def estimated_bytes(frame: DataFrame) -> int:
    """What Spark takes a DataFrame's size for; of files, theirs. A table that it knows nothing of: 1 GiB."""
    size = int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
    return size if size < 1 << 60 else 1 << 30


def tasks_of_executor(spark: SparkSession) -> int:
    """How many tasks an executor runs at once; 0 when that depends on the machine."""
    conf = spark.sparkContext.getConf()
    per_task = int(conf.get("spark.task.cpus", "1") or 1)
    cores = conf.get("spark.executor.cores")
    master = str(spark.sparkContext.master)
    if match := re.fullmatch(r"local\[(\d+)(?:,\d+)?\]", master):
        cores = match[1]
    elif match := re.fullmatch(r"local-cluster\[\d+,(\d+),\d+\]", master):
        cores = cores or match[1]
    elif master == "local":
        cores = "1"
    elif not cores and master.startswith("yarn"):
        cores = "1"  # YARN's default
    return max(1, int(cores) // per_task) if cores else 0


def budget(spark: SparkSession, memory: int | None) -> Budget:
    """The kernels' memory: `memory` bytes of each executor, or 1 GiB for each task."""
    slots = tasks_of_executor(spark)
    return Budget(memory if memory is not None else DEFAULT_TASK_MEMORY * (slots or 1), slots if memory else slots or 1)


def parallelism(spark: SparkSession) -> int:
    """The tasks that run at once in all, as far as is known now."""
    return max(1, spark.sparkContext.defaultParallelism)
