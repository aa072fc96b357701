"""Spark's Python workers, spared what makes each of their tasks begin late.

A task of some hundred milliseconds is common in a stage of many partitions. What PySpark 3.5 adds to it is more than
half of that, and none of it is needed:

* Before a task Python forgets what it knows of the module path. For each folder of `pyspark.zip` and for
  `spark-core.jar`, that Spark puts there, it then reads the archive's list of files again: 45 ms.
* Spark writes a task's beginning in two small pieces, and TCP holds the second back until the first is acknowledged,
  which the worker's side puts off for 40 ms (RFC 1122, 4.2.3.2 and 4.2.3.4).
* After a task Python looks through all objects of all modules for garbage: 30 ms.
* The C library gives large blocks of freed memory back to the system, and has them cleared again for the next task.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import socket
import sys
import zipimport
from typing import Any

from uzushio import _core


def prepare() -> None:
    """Does so in this process, where it is a worker of PySpark."""
    daemon = sys.modules["__main__"]
    if getattr(daemon, "__spec__", None) is None or not hasattr(daemon, "worker_main"):
        return
    _core.keep_freed_memory(32 << 20, 128 << 20)
    _list_archives_once()
    _answer_at_once(daemon)


def _list_archives_once() -> None:
    for path, finder in sys.path_importer_cache.items():
        if isinstance(finder, zipimport.zipimporter) and re.search(
            r"/(pyspark|py4j[^/]*|spark-core[^/]*)\.(zip|jar)", path
        ):
            finder.invalidate_caches = lambda: None  # type: ignore[method-assign]


def _answer_at_once(daemon: Any) -> None:
    run_task = daemon.worker_main

    def worker_main(infile: Any, outfile: Any) -> None:
        gc.freeze()
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(infile.fileno())) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)  # until the next answer only
        run_task(infile, outfile)

    daemon.worker_main = worker_main
