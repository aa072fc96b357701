"""Tables of any library as Arrow batches that the kernels take. The one place that knows libraries' ways."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from uzushio import _core
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


@runtime_checkable
class Readable(Protocol):
    """What gives a reader of pyarrow's: its tables and scanners, archives, statistics."""

    def to_reader(self) -> Any:
        """A `pyarrow.RecordBatchReader`."""


Table = ArrowStream | ArrowArray | Readable | Dataset
"""What counts as a table: anything with `__arrow_c_stream__` or `__arrow_c_array__` (tables, batches and readers of
pyarrow, DataFrames of pandas and polars, …) or `to_reader`, datasets of pyarrow and of Hugging Face."""


def reader_of(table: Table) -> pa.RecordBatchReader:
    """A reader of the table's batches. Nothing is copied where the table is Arrow already.

    Where it is pyarrow's, errors of the source keep their class; by the C stream interface they do not.
    """
    if isinstance(table, pa.RecordBatchReader):
        return table
    if _is_column(table):
        raise UsageError(
            f"a table is expected, not one column ({type(table).__name__}); pyarrow.table({{'text': column}}) makes a "
            "table of it"
        )
    # Another thread may be at importing the module: it has no datasets yet, and this is none.
    known: Any = getattr(sys.modules.get("pyarrow.dataset"), "Dataset", ())
    if isinstance(table, known):
        dataset: Any = table
        table = dataset.scanner(batch_size=BATCH_ROWS, batch_readahead=2, fragment_readahead=1)
    if isinstance(table, Readable) and isinstance(reader := table.to_reader(), pa.RecordBatchReader):
        return reader
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
    if type(table).__name__ == "LazyFrame":
        raise UsageError(
            "a LazyFrame has no rows yet: frame.map_batches takes a function of DataFrames, or call collect"
        )
    raise UsageError(
        f"a table is expected (pyarrow, pandas, polars, datasets, or another with __arrow_c_stream__), "
        f"not {type(table).__name__}{_how_to_have_a_table(table)}"
    )


def _how_to_have_a_table(given: Any) -> str:
    """What to do with what is nearly one."""
    if isinstance(given, str) or hasattr(given, "markup"):
        return "; apply_text takes one text or Document, a list has several"
    if type(given).__name__ in ("DatasetDict", "IterableDatasetDict"):
        return f"; give one of its splits: {', '.join(map(repr, given))}"
    if isinstance(given, Mapping):
        return "; pyarrow.table makes one of a dict of columns"
    if isinstance(given, (list, tuple)) and given and isinstance(given[0], Mapping):
        return "; pyarrow.Table.from_pylist makes one of dicts"
    if isinstance(given, Iterator):
        return "; list makes a list of texts or documents of it"
    return ""


def _reader_of_dataset(dataset: Any) -> pa.RecordBatchReader:
    """Hugging Face's: its rows may be a choice of those that its table has, so it is asked for them."""
    if not hasattr(dataset, "num_rows"):
        return _reader_of_stream(dataset)
    schema = dataset.features.arrow_schema.remove_metadata()

    def batches() -> Iterator[pa.RecordBatch]:
        for table in dataset.with_format("arrow").iter(batch_size=BATCH_ROWS):
            yield from table.cast(schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches())


def _reader_of_stream(dataset: Any) -> pa.RecordBatchReader:
    """A streaming one of Hugging Face's, by rows: tables it makes of each row alone, of types that may differ.

    It may not know its features: then the first rows tell them.
    """
    plain = dataset.with_format(None)
    rows = iter((plain if dataset.features is None else plain.decode(False)).iter(batch_size=BATCH_ROWS))
    if dataset.features is not None:
        schema = dataset.features.arrow_schema.remove_metadata()
    else:
        first = next(rows, None)
        if first is None:
            raise UsageError("the dataset has no rows, and does not know its features: nobody knows its columns")
        schema = _table_of_rows(first, None).schema
        rows = itertools.chain([first], rows)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in rows:
            yield from _table_of_rows(batch, schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches())


def _table_of_rows(batch: Mapping[str, Any], schema: pa.Schema | None) -> pa.Table:
    try:
        if schema is not None and batch.keys() - set(schema.names):
            raise KeyError(f"there is a column {min(batch.keys() - set(schema.names))!r}")
        return pa.Table.from_pydict(dict(batch), schema)
    except (KeyError, pa.ArrowException) as error:
        raise UsageError(
            f"rows of the dataset are of other types than its features, or its first rows, say: {error}; give it "
            "features (dataset.cast)"
        ) from error


def parquet_files(folder: Path, name: str) -> list[Path]:
    """The files of what a stage has written as `name`: one, or, on Spark, a folder of them. None: there is none."""
    product = folder / name
    if product.is_file():
        return [product]
    return sorted(file for file in product.glob("*.parquet") if not file.name.startswith(("_", ".")))


def batches_with_texts(
    table: Table | Sequence[Any], text_column: str, id_column: str | None = None
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Batches of at most BATCH_ROWS rows whose texts (and ids) are of type string, and their schema.

    A column of texts may be of any string or binary type; bytes are not checked, the kernels do that. Columns of views
    become plain strings, since kernels have to choose rows of them, and few pyarrows can.
    """
    reader = reader_of(_as_table(table, text_column))
    places = reader.schema.get_all_field_indices(text_column)
    if len(places) > 1:
        raise UsageError(f"the table has {len(places)} columns '{text_column}'")
    if not places:
        there = ", ".join(reader.schema.names)
        raise UsageError(f"the table has no column '{text_column}', only {there}; text_column names the texts")
    plain = pa.schema(_core.without_views(reader.schema))
    fields = [_field(field, field.name == text_column, field.name == id_column) for field in plain]
    schema = pa.schema(fields, reader.schema.metadata)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            for piece in pa.RecordBatchReader.from_stream(_core.plain_slices(batch, BATCH_ROWS, BATCH_BYTES)):
                columns = [as_type(column, field.type) for column, field in zip(piece.columns, fields, strict=True)]
                yield pa.record_batch(columns, schema=schema)

    return schema, batches()


def _as_table(table: Any, text_column: str) -> Any:
    """A table of texts, of a Series or of documents, and of what is a table as it is."""
    if _is_column(table) or (isinstance(table, (list, tuple)) and all(isinstance(one, _ONE_TEXT) for one in table)):
        return pa.table({text_column: array_of_texts(table)})
    if isinstance(table, (list, tuple)) and all(hasattr(one, "markup") for one in table):
        names = {"docId": "doc_id", "url": "url", text_column: "markup"}
        return pa.table({name: [getattr(one, attribute) for one in table] for name, attribute in names.items()})
    return table


_ONE_TEXT = (str, bytes, type(None))


def _field(field: pa.Field, is_text: bool, is_id: bool) -> pa.Field:
    if is_text:
        if not is_textual(field.type) and not pa.types.is_null(field.type):
            raise UsageError(f"column '{field.name}' is of type {field.type}, not of texts")
        return field.with_type(pa.string())
    return field.with_type(pa.string()) if is_id and is_textual(field.type) else field


def is_textual(type_: pa.DataType) -> bool:
    """Whether values are texts, or bytes that may be."""
    if pa.types.is_dictionary(type_):
        return is_textual(type_.value_type)
    checks = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
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


def texts_of(texts: Any, column: str) -> Iterator[pa.RecordBatch]:
    """Batches of one column of texts: of a table's column, of an Arrow array or Series, or of Python's texts."""
    if isinstance(texts, (str, bytes)):
        raise UsageError("several texts are expected, not one; give a list of it")
    if type(texts).__name__ == "LazyFrame":
        reader_of(texts)  # says what to do
    if isinstance(texts, Mapping):
        raise UsageError("several texts are expected, not a mapping; pyarrow.table makes a table of it")
    if isinstance(texts, (ArrowStream, ArrowArray, Readable, Dataset)) and not _is_column(texts):
        table: Any = texts
    else:
        table = pa.table({column: array_of_texts(texts)})
    schema, batches = batches_with_texts(table, column)
    place = schema.get_field_index(column)
    return (pa.record_batch([batch.column(place)], schema=pa.schema([schema.field(place)])) for batch in batches)


def _is_column(texts: object) -> bool:
    """An array, or a Series of pandas or polars: a stream of a column, not of a table."""
    is_series = type(texts).__name__ in ("Series", "ndarray", "StringArray") and hasattr(texts, "dtype")
    return is_series or isinstance(texts, (pa.Array, pa.ChunkedArray))


def array_of_texts(texts: Any) -> pa.Array | pa.ChunkedArray:
    """Texts of any kind, None for what is missing, as they are in Arrow, or as bytes."""
    if isinstance(texts, (pa.Array, pa.ChunkedArray)):
        return texts
    try:
        items = iter(texts)
    except TypeError:
        raise UsageError(f"several texts are expected, not {type(texts).__name__}") from None
    values = [text.encode("utf-8", "surrogatepass") if isinstance(text, str) else _no_nan(text) for text in items]
    try:
        return pa.array(values, pa.large_binary())
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UsageError(f"texts are expected: {error}") from error


def _no_nan(value: Any) -> Any:
    """None for what pandas has where a text is missing: NaN, or NA."""
    is_missing = (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"
    return None if is_missing else value
