"""The stages on Apache Spark, 3.5 and 4: Spark moves, sorts, writes, tries again; the kernels are the program's.

Functions here take and give DataFrames; `python -m uzushio.spark` runs whole stages from files to folders. Results are
those of the local program, row for row, for any number of partitions and executors.

The caller's session keeps its settings. How few rows go to Python at once, which bounds memory, is fixed when a
function plans its DataFrame: this is not planned again later, neither by what the caller adds to it nor by adaptive
execution. Sessions of Spark Connect are refused.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uzushio.spark._counts import Counts
    from uzushio.spark._frames import StatisticsFrames, extract, filter, merge, metrics, stats
    from uzushio.spark._hosts import hosts
    from uzushio.spark._overlap import overlap
    from uzushio.spark._whole import StageFrames, clean, minhash

__all__ = [
    "Counts",
    "StageFrames",
    "StatisticsFrames",
    "clean",
    "extract",
    "filter",
    "hosts",
    "merge",
    "metrics",
    "minhash",
    "overlap",
    "stats",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Loads what is asked for. Spark's workers import `uzushio.spark.worker`, and need nothing of the driver's."""
        if name not in __all__:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        modules = {"StageFrames": "_whole", "clean": "_whole", "minhash": "_whole"}
        modules |= {"hosts": "_hosts", "overlap": "_overlap"}
        return getattr(importlib.import_module(f"uzushio.spark.{modules.get(name, '_frames')}"), name)

    def __dir__() -> list[str]:
        """What there is."""
        return sorted({*globals(), *__all__})
