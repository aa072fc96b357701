"""Tables in memory as inputs of stages: while one runs, they are files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from uzushio import _core
from uzushio._commands import Path as Name
from uzushio._documents import Document, table_of
from uzushio._errors import InputError, UsageError
from uzushio._tables import (
    BATCH_BYTES,
    BATCH_ROWS,
    ArrowArray,
    ArrowStream,
    Dataset,
    Readable,
    Table,
    reader_of,
)

TableInputs = Name | Table | Iterable[Name | Table | Document]
"""Names of files and folders; or tables in memory, or documents."""

COMMANDS = frozenset({"stats", "merge", "minhash"})
"""Those that take tables: what they write says nothing of their inputs' names."""


@contextmanager
def tables_in_files(command: str, inputs: Any, options: Mapping[str, Any]) -> Iterator[Any]:
    """The inputs of a command, in which tables are Parquet files while it runs, in its folder for what is temporary.

    Errors: UsageError for tables where the command takes none, and for what no Parquet holds.
    """
    inputs = listed(inputs)
    tables = _tables_among(inputs)
    if tables is None:
        yield inputs
        return
    if command not in COMMANDS:
        kind = type(inputs).__name__ if _is_table(inputs) else f"a list of {type(inputs[0]).__name__}"
        raise UsageError(f"inputs: paths are expected, not {kind}{_FOR_TABLES.get(command, '')}")
    columns = [options.get("text_column") or "text"] if command == "stats" else None
    tmp = options.get("tmp")
    try:
        folder = tempfile.TemporaryDirectory(prefix="uzushio-", dir=None if tmp is None else os.fsdecode(tmp))
    except OSError as error:
        raise InputError(f"a table is given to a stage as a temporary file, and none can be made: {error}") from error
    with folder as path:
        files = [Path(path, f"{number:05}.parquet") for number in range(len(tables))]
        for table, file in zip(tables, files, strict=True):
            _write(table, file, columns)
        try:
            yield files
        except (UsageError, InputError) as error:
            said = _without_files(str(error), files)
            if said == str(error):
                raise
            raise type(error)(said) from None


_IN_MEMORY = "; FilterChain.{} takes tables in memory"
_FOR_TABLES = {"filter": _IN_MEMORY.format("apply"), "metrics": _IN_MEMORY.format("metrics")}


def listed(inputs: Any) -> Any:
    """Inputs of a generator, or of what else can be iterated, as a list; others as they are."""
    is_one = isinstance(inputs, (str, bytes, os.PathLike, list, tuple, Mapping)) or hasattr(inputs, "read")
    return inputs if is_one or _is_table(inputs) or not isinstance(inputs, Iterable) else list(inputs)


def _without_files(said: str, files: list[Path]) -> str:
    """What is said of the files, which the caller knows as tables."""
    for number, file in enumerate(files):
        said = said.replace(str(file), "the table" if len(files) == 1 else f"table {number}")
    return said


def _tables_among(inputs: Any) -> list[Any] | None:
    """The tables; None where inputs are names. Documents are one table."""
    if _is_table(inputs):
        return [inputs]
    if not isinstance(inputs, (list, tuple)) or not inputs:
        return None
    if all(isinstance(one, Document) for one in inputs):
        return [table_of(inputs)]
    found = [_is_table(one) for one in inputs]
    if any(found) and not all(found):
        raise UsageError("inputs: some are tables and some are not; give one kind in a call")
    return list(inputs) if all(found) else None


def _is_table(one: Any) -> bool:
    """Statistics are a table and a name: as inputs they are the latter."""
    if isinstance(one, (str, bytes, os.PathLike)):
        return False
    return isinstance(one, (ArrowStream, ArrowArray, Readable, Dataset)) or type(one).__name__ == "LazyFrame"


def _write(table: Any, path: Path, columns: list[str] | None) -> None:
    reader = reader_of(table)
    schema = pa.schema(_core.without_views(reader.schema))
    chosen = schema.names if columns is None else columns
    for name in chosen:
        if len(places := schema.get_all_field_indices(name)) != 1:
            what = f"has {len(places)} columns" if places else "has no column"
            raise UsageError(f"the table {what} '{name}', only {', '.join(schema.names)}; text_column names the texts")
    written = pa.schema([schema.field(name) for name in chosen], reader.schema.metadata)
    try:
        with pq.ParquetWriter(path, written, compression="zstd", compression_level=1) as writer:
            for batch in reader:
                for piece in pa.RecordBatchReader.from_stream(_core.plain_slices(batch, BATCH_ROWS, BATCH_BYTES)):
                    writer.write_batch(pa.record_batch([piece.column(name) for name in chosen], schema=written))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise UsageError(f"the table can not be written as Parquet, which the stage reads: {error}") from error
