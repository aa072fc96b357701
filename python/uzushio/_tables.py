"""Tables of any library as Arrow batches that the kernels take. The one place that knows libraries' ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from uzushio._errors import UsageError

BATCH_ROWS = 4096
BATCH_BYTES = 8 << 20
"""Kernels get batches of at most so many rows and about so many bytes: what is at work at once stays small."""


@runtime_checkable
class ArrowStream(Protocol):
    """A table or a reader: pyarrow, pandas, polars, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream's capsule."""


@runtime_checkable
class ArrowArray(Protocol):
    """A record batch."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        """The capsules of schema and array."""


@runtime_checkable
class Dataset(Protocol):
    """A `datasets.Dataset` of Hugging Face, which has no Arrow protocol of its own."""

    def with_format(self, type: str) -> Any:
        """A view of it that gives `pyarrow.Table`."""


Table = ArrowStream | ArrowArray | Dataset
"""What counts as a table: anything with `__arrow_c_stream__` or `__arrow_c_array__` (tables, batches and readers of
pyarrow, DataFrames of pandas and polars, …), and datasets of Hugging Face."""


def reader_of(table: Table) -> pa.RecordBatchReader:
    """A reader of the table's batches. Nothing is copied where the table is Arrow already."""
    try:
        if isinstance(table, ArrowStream):
            return pa.RecordBatchReader.from_stream(table)
        if isinstance(table, ArrowArray):
            batch = pa.record_batch(table)
            return pa.RecordBatchReader.from_batches(batch.schema, [batch])
    except (pa.ArrowException, ValueError, TypeError) as error:  # of the library whose table it is
        raise UsageError(f"the {type(table).__name__} can not be had as Arrow data: {error}") from error
    if isinstance(table, Dataset) and hasattr(table, "features"):
        return _reader_of_dataset(table)
    raise UsageError(
        f"a table is expected (pyarrow, pandas, polars, datasets, or another with __arrow_c_stream__), "
        f"not {type(table).__name__}"
    )


def _reader_of_dataset(dataset: Any) -> pa.RecordBatchReader:
    """Hugging Face's: its rows may be a choice of those that its table has, so it is asked for them."""
    schema = dataset.features.arrow_schema.remove_metadata()

    def batches() -> Iterator[pa.RecordBatch]:
        for table in dataset.with_format("arrow").iter(batch_size=BATCH_ROWS):
            yield from table.cast(schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches())


def batches_with_texts(
    table: Table, text_column: str, id_column: str | None = None
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Batches of at most BATCH_ROWS rows whose texts (and ids) are of type string, and their schema.

    A column of texts may be of any string or binary type; bytes are not checked, the kernels do that. Columns of views
    become plain strings, since kernels have to choose rows of them.
    """
    reader = reader_of(table)
    places = reader.schema.get_all_field_indices(text_column)
    if len(places) > 1:
        raise UsageError(f"the table has {len(places)} columns '{text_column}'")
    if not places:
        raise UsageError(f"the table has no column '{text_column}', only {', '.join(reader.schema.names)}")
    fields = [_field(field, field.name == text_column, field.name == id_column) for field in reader.schema]
    schema = pa.schema(fields, reader.schema.metadata)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            for piece in _pieces(batch):
                columns = [as_type(column, field.type) for column, field in zip(piece.columns, fields, strict=True)]
                yield pa.record_batch(columns, schema=schema)

    return schema, batches()


def _field(field: pa.Field, is_text: bool, is_id: bool) -> pa.Field:
    if is_text:
        if not is_textual(field.type) and not pa.types.is_null(field.type):
            raise UsageError(f"column '{field.name}' is of type {field.type}, not of texts")
        return field.with_type(pa.string())
    if (is_id and is_textual(field.type)) or pa.types.is_string_view(field.type):
        return field.with_type(pa.string())
    if pa.types.is_binary_view(field.type):
        return field.with_type(pa.binary())
    return field


def is_textual(type_: pa.DataType) -> bool:
    """Whether values are texts, or bytes that may be."""
    if pa.types.is_dictionary(type_):
        return is_textual(type_.value_type)
    checks = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
    )
    return any(check(type_) for check in checks)


def as_type(column: pa.Array, type_: pa.DataType) -> pa.Array:
    """The column in another type; bytes as strings without a look at them."""
    if column.type == type_:
        return column
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(type_) and not (pa.types.is_string(column.type) or pa.types.is_null(column.type)):
        return _with_narrow_offsets(column, pa.binary()).view(pa.string())
    return _with_narrow_offsets(column, type_)


def _with_narrow_offsets(column: pa.Array, type_: pa.DataType) -> pa.Array:
    """The column cast. A slice of one with 64-bit offsets is copied first where these begin beyond 32 bits."""
    try:
        return column.cast(type_)
    except pa.ArrowInvalid:
        return column.take(pa.array(range(len(column)), pa.int64())).cast(type_)


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in slices."""
    rows = batch.num_rows
    step = max(1, min(BATCH_ROWS, BATCH_BYTES * rows // max(1, batch.nbytes)))
    for start in range(0, rows, step):
        piece = batch.slice(start, step)
        yield piece


def texts_of(texts: Table | Iterable[str | bytes | None], column: str) -> Iterator[pa.RecordBatch]:
    """Batches of one column of texts: of a table's column, of an Arrow array or Series, or of Python's texts."""
    if isinstance(texts, (str, bytes)):
        raise UsageError("several texts are expected, not one")
    if isinstance(texts, (pa.Array, pa.ChunkedArray)):
        table: Any = pa.table({column: texts})
    elif isinstance(texts, (ArrowStream, ArrowArray, Dataset)) and not _is_series(texts):
        table = texts
    else:
        table = pa.table({column: _array_of(texts)})  # type: ignore[arg-type]
    schema, batches = batches_with_texts(table, column)
    place = schema.get_field_index(column)
    return (pa.record_batch([batch.column(place)], schema=pa.schema([schema.field(place)])) for batch in batches)


def _is_series(texts: object) -> bool:
    """A Series of pandas or polars: a stream of a column, not of a table."""
    return type(texts).__name__ == "Series" and hasattr(texts, "dtype")


def _array_of(texts: Iterable[str | bytes | None]) -> pa.Array:
    values = [text.encode("utf-8", "surrogatepass") if isinstance(text, str) else _no_nan(text) for text in texts]
    try:
        return pa.array(values, pa.large_binary())
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UsageError(f"texts are expected: {error}") from error


def _no_nan(value: Any) -> Any:
    """None for the float that pandas has where a text is missing."""
    return None if isinstance(value, float) else value
