"""Chains as functions of batches, for `map` and `filter` of Hugging Face's datasets."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from uzushio._errors import UsageError
from uzushio._statistics import Statistics
from uzushio._tables import array_of_texts

if TYPE_CHECKING:
    from uzushio._filters import FilterChain

_ROW = "\x1frow"  # a name that no column has


@dataclass(frozen=True)
class _Batched:
    """What both have. They can be pickled, and equal ones are pickled alike: caches know them again."""

    chain: FilterChain
    statistics: Statistics | None
    text_column: str
    id_column: str

    def _left(self, batch: Any, keep_markup: bool) -> pa.Table:
        """What is left of a batch: the text, and the place of the row."""
        texts = array_of_texts(_column(batch, self.text_column))
        columns = {self.text_column: texts, _ROW: pa.array(range(len(texts)), pa.int64())}
        if self.id_column in _names(batch):
            ids = _column(batch, self.id_column)
            columns[self.id_column] = ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(list(ids))
        for name in self.chain._core.known_columns():
            if name in _names(batch):
                columns[name] = array_of_texts(_column(batch, name))
        filtered = self.chain.apply(
            pa.table(columns),
            self.statistics,
            text_column=self.text_column,
            id_column=self.id_column,
            keep_markup=keep_markup,
        )
        if filtered.bad_rows:
            first = filtered.bad_rows[0]
            said = (
                f"{len(filtered.bad_rows)} texts of a batch are no UTF-8 and are left out; the first is its row {first}"
            )
            warnings.warn(said, RuntimeWarning, stacklevel=3)
        return filtered.passed


@dataclass(frozen=True)
class Mapper(_Batched):
    """Filters a batch of rows; `FilterChain.mapper` makes it.

    Called with a batch (a dict of lists, or a table of pyarrow, pandas or polars, as the dataset is formatted), it
    gives one of the same kind with the rows that pass, and their texts as they are left.

    >>> import uzushio
    >>> mapper = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)]).mapper()
    >>> mapper({"text": ["短い", "長い文章"], "n": [1, 2]})
    {'text': ['長い文章'], 'n': [2]}
    """

    keep_markup: bool = False

    def __call__(self, batch: Any) -> Any:
        """The rows that pass."""
        left = self._left(batch, self.keep_markup)
        rows: list[int] = left[_ROW].to_pylist()
        texts = left[self.text_column]
        if isinstance(batch, Mapping):
            chosen = {name: [values[row] for row in rows] for name, values in batch.items()}
            return chosen | {self.text_column: texts.to_pylist()}
        if isinstance(batch, pa.Table):
            place = batch.schema.get_field_index(self.text_column)
            kind = batch.schema.field(place).type
            return batch.take(left[_ROW]).set_column(place, self.text_column, texts.cast(kind))
        if hasattr(batch, "iloc"):  # pandas
            chosen_rows = batch.iloc[rows].reset_index(drop=True)  # datasets makes a column of another index
            column = chosen_rows[self.text_column]
            kind = getattr(getattr(column.dtype, "categories", None), "dtype", column.dtype)  # new texts are in none
            chosen_rows[self.text_column] = type(column)(texts.to_pylist(), index=column.index, dtype=kind)
            return chosen_rows
        import polars

        return batch[rows].with_columns(polars.Series(self.text_column, texts.to_pylist(), polars.String))


@dataclass(frozen=True)
class Predicate(_Batched):
    """Tells which rows of a batch pass; `FilterChain.predicate` makes it.

    Called with a batch, as a `Mapper` is, it gives a bool for each row: whether anything is left of its text.

    >>> import uzushio
    >>> predicate = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)]).predicate()
    >>> predicate({"text": ["短い", "長い文章"], "n": [1, 2]})
    [False, True]
    """

    def __call__(self, batch: Any) -> list[bool]:
        """Whether each row passes."""
        rows = set(self._left(batch, False)[_ROW].to_pylist())
        return [row in rows for row in range(len(_column(batch, self.text_column)))]


def _names(batch: Any) -> list[str]:
    if isinstance(batch, pa.Table):
        return list(batch.column_names)
    if isinstance(batch, Mapping):
        return list(batch)
    if hasattr(batch, "columns"):
        return list(batch.columns)
    raise UsageError(f"a batch is expected, not {type(batch).__name__}; call map and filter with batched=True")


def _column(batch: Any, name: str) -> Any:
    names = _names(batch)
    if name not in names:
        raise UsageError(f"the batch has no column '{name}', only {', '.join(names)}; text_column names the texts")
    column = batch[name]
    if isinstance(column, str):
        raise UsageError("a batch is expected, not one row; call map and filter with batched=True")
    return column
