"""`hosts` on DataFrames: documents to a table of their hosts."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema

from uzushio import _core
from uzushio._arguments import named
from uzushio._chains import ChainLike, chain_of
from uzushio._commands import Path
from uzushio.spark import _frames, _session
from uzushio.spark._counts import Counts
from uzushio.spark.worker import hosts as worker
from uzushio.spark.worker.tasks import add_counts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OF_FILES = "; options of files and folders belong to uzushio.{stage}"
NOTHING = {"documents": 0, "without_host": 0, "quarantined": {}}


@named(OF_FILES.format(stage="hosts"))
def hosts(
    documents: DataFrame,
    chain: ChainLike | None = None,
    statistics: Path | None = None,
    index: str = "file",
    text_column: str = "text",
    id_column: str = "docId",
    url_column: str = "url",
    counts: Counts | None = None,
) -> DataFrame:
    """What a chain of filters does to the documents of each host, as `uzushio.hosts` measures it: a row for each.

    The columns are those of hosts.parquet: `host`, empty for documents without one, `documents`, `characters`,
    `removed`, and `removed_NAME` and `mean_METRIC` of the chain's filters. Without a chain, documents and characters
    are counted. `url_column` has the URLs; other arguments are those of `filter`. Rows are in order of hosts within a
    partition. `counts` will say how many documents there were.

    The shares of all documents, of which `hosts` is the table:

        table = uzushio.spark.hosts(documents, chain, f"{folder}/statistics")
        table.where("documents >= 100").orderBy("removed", ascending=False).show()
    """
    _session.require_classic(documents)
    chain = chain_of([] if chain is None else chain)
    chain._core.check_wants_nothing()
    _frames.check_urls(documents, url_column)
    options: dict[str, Any] = {"text_column": text_column, "id_column": id_column, "url_column": url_column}
    sums, of_tasks = _frames.map_documents(
        "hosts",
        documents,
        chain,
        _frames.frequencies_of(statistics, index),
        options,
        worker.sum_frame,
        worker.sum_answered,
        worker.SUMS,
        counts,
        functools.partial(add_counts, NOTHING),
    )
    together = sums.repartition(_session.shuffle_partitions(documents), "host").sortWithinPartitions("host")
    rows = functools.partial(worker.rows_of_hosts, chain=of_tasks)
    table = together.mapInArrow(rows, from_arrow_schema(pa.schema(_core.hosts_schema(chain._core))))
    return _session.returned(table, documents.sparkSession)
