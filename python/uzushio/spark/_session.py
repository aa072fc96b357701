"""What a run needs to know of the Spark session, and the settings that it works with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from uzushio._errors import UsageError
from uzushio.spark.worker.tasks import Budget

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULT_TASK_MEMORY = 1 << 30

SETTINGS = {
    # Pieces of partitions are up to 512 KiB, documents up to 8 MiB and more: batches have few rows, so that they have
    # few bytes. (Spark 4.1 and later bound bytes too.)
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 << 20),
    "spark.sql.inMemoryColumnarStorage.batchSize": "16",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # Columns are those of the input, whose names may differ in their letters' case only.
    "spark.sql.caseSensitive": "true",
    # Files are in the order of hashes, and a null language is no folder of that name.
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # not INT96, as no one else writes
}


def is_local(master: str) -> bool:
    """Whether tasks run in the driver's process.

    >>> is_local("local[2]"), is_local("local-cluster[2,1,2048]")
    (True, False)
    """
    return re.match(r"local(\[|$)", master) is not None


def require_classic(session_or_frame: Any) -> None:
    """Refuses what belongs to Spark Connect, which has neither accumulators nor files to bring to executors."""
    if type(session_or_frame).__module__.startswith("pyspark.sql.connect"):
        raise UsageError("this session is one of Spark Connect, which uzushio can not use; give a classic one")
    if not any(hasattr(session_or_frame, name) for name in ("sparkSession", "sparkContext")):
        what = type(session_or_frame)
        hint = "; spark.createDataFrame makes one of it" if what.__name__ == "DataFrame" else ""
        raise UsageError(f"a DataFrame or session of Spark is expected, not {what.__module__}.{what.__name__}{hint}")


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


@contextmanager
def ours(spark: SparkSession, **more: str) -> Iterator[SparkSession]:
    """A session with our settings beside the caller's, which stays as it is. They share data, files and executors."""
    from pyspark import RDD
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    to_frame = getattr(RDD, "toDF", None)
    beside = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
    if to_frame is not None:  # a new session takes over what RDDs become
        kind: Any = RDD
        kind.toDF = to_frame
    for name, value in (SETTINGS | more).items():
        beside.conf.set(name, value)
    try:
        yield beside
    finally:
        _set_active(spark, active)


def _set_active(spark: SparkSession, active: SparkSession | None) -> None:
    """PySpark takes the session that made the last DataFrame for the active one."""
    kind: Any = type(spark)
    kind._activeSession = active
    sessions: Any = spark._jvm.SparkSession  # type: ignore[union-attr]
    if active is None:
        sessions.clearActiveSession()
    else:
        sessions.setActiveSession(active._jsparkSession)


def brought(frame: DataFrame, session: SparkSession) -> DataFrame:
    """The same DataFrame, worked out with the settings of another session of the same application."""
    from pyspark.sql import DataFrame

    jvm: Any = session._jvm
    return DataFrame(jvm.Dataset.ofRows(session._jsparkSession, frame._jdf.logicalPlan()), session)


def returned(frame: DataFrame, spark: SparkSession) -> DataFrame:
    """A DataFrame of the caller's session, which is worked out later but planned now, with our settings.

    Spark plans with the settings of the session that an action is called in: how many rows go to Python at once would
    be the caller's. So what the caller gets is the planned rows. Adaptive execution is left out, which would begin to
    work when it plans. (Spark 4 asks for the number of rows anew when tasks run, and bounds their bytes by itself.)
    """
    from pyspark.sql import DataFrame

    with ours(spark, **{"spark.sql.adaptive.enabled": "false"}) as session:
        planned: Any = brought(frame, session)._jdf
        rows = planned.queryExecution().toRdd()
    caller: Any = spark._jsparkSession
    return DataFrame(caller.internalCreateDataFrame(rows, planned.schema(), False), spark)


def estimated_bytes(frame: DataFrame) -> int:
    """What Spark takes a DataFrame's size for; of files, theirs. A table that it knows nothing of: 1 GiB."""
    size = int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
    return size if size < 1 << 60 else 1 << 30


PARTITION_BYTES = 64 << 20
"""Of documents, for a task that takes what is brought together of them by hashes."""


def shuffle_partitions(*frames: DataFrame) -> int:
    """The parts in which what comes of DataFrames is brought together."""
    size = sum(estimated_bytes(frame) for frame in frames)
    return max(2 * parallelism(frames[0].sparkSession), -(-size // PARTITION_BYTES))


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
