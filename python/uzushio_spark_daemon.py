"""Spark's Python workers, spared what makes each of their tasks begin late: a module for `spark.python.daemon.module`.

A task of some hundred milliseconds is common in a stage of many partitions. What PySpark adds to it is more than half
of that, and none of it is needed:

* Before a task Python forgets what it knows of the module path. For each folder of `pyspark.zip` and for
  `spark-core.jar`, that Spark puts there, it then reads the archive's list of files again: 45 ms.
* Spark writes a task's beginning in two small pieces, and TCP holds the second back until the first is acknowledged,
  which the worker's side puts off for 40 ms (RFC 1122, 4.2.3.2 and 4.2.3.4).
* After a task Python looks through all objects of all modules for garbage: 30 ms.
* The C library gives large blocks of freed memory back to the system, and has them cleared again for the next task.

The daemon is PySpark's own; what is added runs in the workers that it forks, before each task. Where that fails, the
worker is PySpark's. This module stands beside the package, not in it: the daemon must not import pyarrow, whose threads
a fork would lose.
"""

from __future__ import annotations

import functools
import gc
import re
import socket
import sys
import zipimport
from typing import Any


def prepare(connection: socket.socket) -> None:
    """What is done before each task, in the worker's process."""
    _keep_freed_memory()
    gc.freeze()
    for path, finder in sys.path_importer_cache.items():
        if isinstance(finder, zipimport.zipimporter) and re.search(
            r"/(pyspark|py4j[^/]*|spark-core[^/]*)\.(zip|jar)", path
        ):
            finder.invalidate_caches = lambda: None  # type: ignore[method-assign]
    if connection.family != socket.AF_UNIX:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)  # until the next answer only


@functools.cache
def _keep_freed_memory() -> None:
    from uzushio import _core

    _core.keep_freed_memory(32 << 20, 128 << 20)


def main() -> None:
    """The daemon."""
    from pyspark import daemon

    stock: Any = daemon.worker

    def worker(connection: socket.socket, authenticated: bool) -> Any:
        try:
            prepare(connection)
        except Exception as error:
            print(f"uzushio: this worker is PySpark's own: {error}", file=sys.stderr)
        return stock(connection, authenticated)

    daemon.worker = worker  # type: ignore[assignment]
    daemon.manager()


if __name__ == "__main__":
    main()
