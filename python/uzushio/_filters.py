"""Chains of filters on tables and texts."""

from __future__ import annotations

import html
import json
import math
import os
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, overload

import pyarrow as pa

from uzushio import _core
from uzushio._arguments import named
from uzushio._batched import Mapper, Predicate
from uzushio._constructors import FilterConstructors, add_constructors
from uzushio._documents import Document, Paragraph, parse_markup, shortened
from uzushio._errors import InputError, MissingFile, UsageError, in_words_of_python
from uzushio._presets import presets
from uzushio._statistics import Statistics, opened
from uzushio._streams import FilteredReader
from uzushio._summaries import LeftOut
from uzushio._tables import Table, batches_with_texts
from uzushio._values import text_of, to_json, utf8

_LOOKERS = {
    "url": "HostFilter looks at URLs, and OptOut does with robots_txt",
    "robots": "OptOut looks at rules for robots",
    "license": "License looks at licences",
}

TableOrTexts = Table | Sequence[str | bytes | None] | Sequence[Document]
"""A table, several texts, or documents."""

StatisticsLike = Statistics | str | bytes | os.PathLike[str]


class Filter(FilterConstructors):
    """A filter by name, with parameters: what `{class: NAME, parameter: value}` is in a configuration file.

    `filters()` lists the names, parameters and defaults. Each filter has a function of its name, too, whose keywords
    are its parameters, so that editors complete them and type checkers know them. Values are checked when a chain is
    made.

    >>> import uzushio
    >>> uzushio.Filter("CompressionRate", low=0.1)
    Filter('CompressionRate', low=0.1)
    >>> uzushio.Filter.CompressionRate(low=0.1) == uzushio.Filter("CompressionRate", low=0.1)
    True
    """

    def __init__(self, name: str, **parameters: float | str | Sequence[str]) -> None:
        """`parameters` that are not given have their defaults. One text will do where several may be given."""
        self.name = name
        self.parameters = parameters

    def __repr__(self) -> str:
        """As it was made."""
        return f"Filter({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in self.parameters.items())])})"

    def __eq__(self, other: object) -> bool:
        """Whether name and given parameters are the same."""
        return isinstance(other, Filter) and (self.name, self.parameters) == (other.name, other.parameters)

    def __hash__(self) -> int:
        """Of the name."""
        return hash(self.name)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a filter; its `default` is None where it has to be given. A list may be one text, too.

    `least` and `most` bound numbers (None: nothing does), `choices` texts.

    >>> import uzushio
    >>> low = uzushio.filters()["CompressionRate"].parameters[0]
    >>> low.name, low.type, low.default, low.least, low.most, low.meaning
    ('low', 'float', 0.0, 0.0, 2.0, 'documents below are removed')
    """

    name: str
    type: Literal["int", "float", "str", "list[str]"]
    default: float | str | list[str] | None
    meaning: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class FilterDeclaration:
    """What a filter is: `kind` says what it works on ("documents", "paragraphs", or "rewrites" paragraphs).

    `metrics` are the names and meanings of its columns in metrics: one, or several that `metric` names together.

    >>> import uzushio
    >>> declaration = uzushio.filters()["HiraganaRatio"]
    >>> declaration.kind, declaration.metric, declaration.metric_meaning
    ('documents', 'HiraganaRatio', 'code points U+3040-309F / all')
    >>> [name for name, _ in uzushio.filters()["SwallowQuality"].metrics][:2]
    ['num_letters', 'num_hiragana_letters']
    """

    name: str
    kind: Literal["documents", "paragraphs", "rewrites"]
    summary: str
    metric: str
    metric_meaning: str
    metrics: tuple[tuple[str, str], ...]
    parameters: tuple[Parameter, ...]


def filters() -> dict[str, FilterDeclaration]:
    """All filters by name, with their parameters, defaults, bounds and metrics.

    >>> import uzushio
    >>> list(uzushio.filters())[:3]
    ['AdjacentDuplicateParagraphs', 'Classifier', 'CompressionRate']
    """
    declarations = {}
    for item in json.loads(_core.filters()):
        parameters = []
        for parameter in item["parameters"]:
            least, most = parameter.get("range", (None, None))
            parameters.append(
                Parameter(
                    parameter["name"],
                    parameter["type"],
                    parameter.get("default"),
                    parameter["help"],
                    least,
                    most,
                    tuple(parameter["choices"]),
                )
            )
        metrics = tuple((name, meaning) for name, meaning in item["metrics"])
        declarations[item["name"]] = FilterDeclaration(**(item | {"parameters": tuple(parameters), "metrics": metrics}))
    return declarations


add_constructors(Filter, filters())


@dataclass(frozen=True)
class Removal:
    """Why a document or paragraph was removed: the filter, its place in the chain (from 0), its reason, the metric.

    `reason` is the filter's name with what decided, as folders of `--mode partitioned` have it; `bound` the metric's
    bound, for a reader; empty where chance decides. `detail` says what the reason does not: the entry of a list of
    hosts.

    >>> import uzushio
    >>> uzushio.FilterChain([uzushio.Filter("DocLength", low=50)]).apply_text("短い").removed
    Removal(filter='DocLength', step=0, reason='DocLength.Low(50)', metric=2.0, bound='< 50', detail='')
    """

    filter: str
    step: int
    reason: str
    metric: float
    bound: str
    detail: str = ""


@dataclass(frozen=True, repr=False)
class FilteredText:
    """What became of one text.

    `text` is what is left, plain, or None; `removed` says what removed the document, None when nothing did (all its
    paragraphs may be gone even so). `removed_paragraphs` has the paragraphs that were removed, and why.

    >>> import uzushio
    >>> chain = uzushio.FilterChain([uzushio.Filter("AdjacentDuplicateParagraphs")])
    >>> result = chain.apply_text("あ\\n\\nあ\\n\\nい")
    >>> result.text, [(paragraph.text, why.filter) for paragraph, why in result.removed_paragraphs]
    ('あ\\n\\nい', [('あ', 'AdjacentDuplicateParagraphs')])
    """

    doc_id: str
    text: str | None
    removed: Removal | None
    paragraphs: list[Paragraph]
    removed_paragraphs: list[tuple[Paragraph, Removal]]

    def __repr__(self) -> str:
        """What was decided, and the beginning of what is left.

        >>> import uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
        >>> chain("短い"), chain("長い文章")
        (<FilteredText removed by DocLength.Low(3): 2.0 < 3>, <FilteredText '長い文章', 1 paragraph>)
        """
        if self.removed is not None:
            why = f": {self.removed.metric} {self.removed.bound}" if self.removed.bound else ""
            return f"<FilteredText removed by {self.removed.reason}{why}>"
        left = "nothing is left" if self.text is None else repr(shortened(self.text, 40))
        counts = f"{len(self.paragraphs)} paragraph{'' if len(self.paragraphs) == 1 else 's'}"
        gone = f", {len(self.removed_paragraphs)} removed" if self.removed_paragraphs else ""
        return f"<FilteredText {left}, {counts}{gone}>"

    def _repr_html_(self) -> str:
        """The paragraphs, for notebooks: what was removed is struck through, with the reason."""
        head = (
            "" if self.removed is None else f"<p><b>{html.escape(self.removed.reason)}</b> {_bound(self.removed)}</p>"
        )
        rows = [f"<p>{html.escape(one.text)}</p>" for one in self.paragraphs]
        rows += [
            f"<p><del>{html.escape(one.text)}</del> <small>{html.escape(why.reason)} {_bound(why)}</small></p>"
            for one, why in self.removed_paragraphs
        ]
        return f"<div>{head}{''.join(rows)}</div>"


@dataclass(frozen=True, repr=False)
class Filtered:
    """What became of a table.

    `passed` and `removed` have the table's columns; `text` is plain (or with markup, if that is asked for) and of type
    string. `removed` has the column `filter` besides: the reason, as in `FilterChain.reasons`, in whose order its rows
    are; it is an error to look at it where it was not asked for. Of a filter of documents it has a row for each that is
    removed, as many as `counts` says, with the text that was left of it then, which may be empty. A document of which
    only paragraphs were removed is in both: what was removed, in `removed`. `bad_rows` are the numbers of rows, from 0,
    whose text is no UTF-8: they are in neither. `counts` has numbers of documents and paragraphs, and bytes and
    characters of text: `input`, `passed`, `empty` (documents of which nothing is left and that no filter removed) and
    `removed` by reason.

    >>> import pyarrow, uzushio
    >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
    >>> result = chain.apply(pyarrow.table({"docId": ["a", "b"], "text": ["短い", "長い文章"]}), removed=True)
    >>> result
    <Filtered 1 of 2 documents passed>
    >>> result.passed.to_pylist()
    [{'docId': 'b', 'text': '長い文章'}]
    >>> result.removed.to_pylist()
    [{'docId': 'a', 'text': '短い', 'filter': 'DocLength.Low(3)'}]
    >>> result.counts["passed"]
    {'characters': 4, 'documents': 1, 'paragraphs': 1, 'text_bytes': 12}
    """

    passed: pa.Table
    bad_rows: list[int]
    counts: dict[str, Any]
    _removed: pa.Table | None = field(default=None, repr=False)

    @property
    def removed(self) -> pa.Table:
        """What was removed. Errors: UsageError without `removed=True`."""
        if self._removed is None:
            raise UsageError("what was removed is not kept; call apply with removed=True")
        return self._removed

    def __repr__(self) -> str:
        """How many documents passed; the tables are in `passed` and `removed`."""
        given, passed = (self.counts[name]["documents"] for name in ("input", "passed"))
        return f"<Filtered {passed:,} of {given:,} documents passed>"


class FilterChain:
    """Filters, one after another.

    Made of `Filter`s (or of mappings with `class` and parameters), or by `from_file` of a configuration. It does not
    change: threads may share one, and pools of processes take it. Errors: UsageError, which says which filter and
    parameter, and the nearest right name.

    >>> import uzushio
    >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3), uzushio.Filter("HiraganaRatio", low=0.1)])
    >>> chain.apply_text("ひらがなの文章").text
    'ひらがなの文章'
    >>> chain.columns
    ['DocLength', 'HiraganaRatio']
    """

    @named("; FilterChain.from_file reads a configuration")
    def __init__(
        self, filters: FilterChain | Filter | Mapping[str, Any] | Iterable[Filter | Mapping[str, Any]]
    ) -> None:
        """In their order; one alone is a chain of one."""
        with in_words_of_python():
            self._core = _core.FilterChain.make(to_json(items_of(filters)))
        self._left_out: tuple[LeftOut, ...] = ()

    @classmethod
    @named("; values for ${{…}} are given as properties={{{name!r}: …}}")
    def from_file(
        cls, path: str | bytes | os.PathLike[str], properties: Mapping[str, str | float] | None = None
    ) -> FilterChain:
        """The chain of a HOCON file with the list `filters`; the original Uzushio's run unchanged.

        `properties` are values for `${name}` in it, looked up before the environment. Errors: UsageError with file,
        line and key.

        A configuration that is installed is known by its name (`presets` lists them). As in `run`, its filters whose
        models or word lists are not given are left out: a RuntimeWarning names them, `left_out` has them.

        >>> import tempfile, uzushio
        >>> with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        ...     _ = file.write('filters: [{"class": "DocLength", "low": ${least}}]')
        ...     file.flush()
        ...     uzushio.FilterChain.from_file(file.name, properties={"least": 50})
        FilterChain([Filter('DocLength', high=2147483647, low=50)])
        """
        if properties is not None and not isinstance(properties, Mapping):
            raise UsageError(
                f"properties: names and values are expected, as {{'least': 5}}, not {type(properties).__name__}"
            )
        chain = cls.__new__(cls)
        chain._left_out = ()
        texts = {name: utf8(text_of(value), name) for name, value in (properties or {}).items()}
        name = os.fsdecode(path)
        with in_words_of_python("--config"):
            if _is_preset(name):
                chain._core, missing = _core.metrics_chain(name, texts, [], "")
                chain._left_out = tuple(LeftOut(one | {"stage": name}) for one in json.loads(missing))
            else:
                chain._core = _core.FilterChain.read(name, texts)
        if chain._left_out:
            wants = "; ".join(f"{one.filter} wants {one.wanted}" for one in chain._left_out)
            warnings.warn(f"{name}: filters are left out: {wants}", RuntimeWarning, stacklevel=3)
        return chain

    @property
    def left_out(self) -> list[LeftOut]:
        """The filters of an installed configuration that `from_file` did without, and what they want."""
        return list(self._left_out)

    def to_file(self, path: str | bytes | os.PathLike[str]) -> None:
        """Writes a configuration, which `from_file` and the command line's `--config` read; a filter a line.

        All parameters are in it, defaults too, so that it stays the same chain. The file is there whole or as it was.
        Errors: MissingFile where its folder is not there, InputError.

        >>> import tempfile, uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     chain.to_file(f"{folder}/chain.conf")
        ...     uzushio.FilterChain.from_file(f"{folder}/chain.conf") == chain
        True
        """
        lines = ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in json.loads(self._core.to_json()))
        text = f"filters: [\n  {lines}\n]\n" if lines else "filters: []\n"
        file = Path(os.fsdecode(path))
        beside = file.with_name(f".{file.name}.{os.getpid()}.tmp")
        try:
            try:
                beside.write_text(text, encoding="utf-8")
                beside.replace(file)
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            kind = MissingFile if isinstance(error, FileNotFoundError) else InputError
            raise kind(f"{file}: {error.strerror}") from error

    @property
    def filters(self) -> list[Filter]:
        """The filters with all their parameters, defaults too."""
        return [
            Filter(item["class"], **{name: value for name, value in item.items() if name != "class"})
            for item in json.loads(self._core.to_json())
        ]

    @property
    def columns(self) -> list[str]:
        """The names of the chain's metrics: the columns of `metrics`."""
        return self._core.columns()

    @property
    def reasons(self) -> list[str]:
        """The reasons for which the chain removes, in order: the values of the column `filter` of what is removed."""
        return self._core.reasons()

    @named()
    def apply(
        self,
        table: TableOrTexts,
        statistics: StatisticsLike | None = None,
        *,
        text_column: str = "text",
        id_column: str = "docId",
        keep_markup: bool = False,
        removed: bool = False,
    ) -> Filtered:
        """Filters the documents of a table, a row each.

        `table` is anything with `__arrow_c_stream__` or `__arrow_c_array__` (pyarrow, pandas, polars, …), or a dataset
        of Hugging Face; or a list, array or Series of texts, or a list of `Document`s. Its `text_column` holds texts,
        plain or with markup, of any type for them (string, large string, view, bytes, dictionary); null is an empty
        text. `id_column` holds texts or integers, if it is there. Documents without an id are known by a hash of their
        text. The columns `url`, `robots` and `license` are looked at by HostFilter, OptOut and License only, and have
        to be there for them; OptOut looks at `url` with `robots_txt`. `statistics` (or their folder) say how often
        paragraphs occur; without, each occurs once. Rows keep their order. Equal to `uzushio filter` on the same
        documents, whose folders of what is removed have no empty texts.

        Errors: UsageError for what is no such table. The interpreter's lock is released while batches are filtered.

        >>> import pyarrow, uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("HiraganaRatio", low=0.5)])
        >>> table = pyarrow.table({"text": ["ひらがな", "漢字漢字", None]})
        >>> chain.apply(table).passed.to_pydict()
        {'text': ['ひらがな']}
        """
        options = {"partitioned": removed, "empty_rows": removed, "keep_markup": keep_markup}
        kernel = self._kernel(statistics, options, text_column, id_column)
        schema, batches = self._batches(table, text_column, id_column)
        passed: list[pa.RecordBatch] = []
        gone: dict[int, list[pa.RecordBatch]] = {}  # by reason: the order does not depend on the batches
        if removed and "filter" in schema.names:
            raise UsageError("the table has a column 'filter', which removed=True adds; give it another name")
        gone_schema = schema.append(pa.field("filter", pa.string()))
        reasons = self.reasons
        bad_rows: list[int] = []
        row = 0
        for batch in batches:
            folders, bad = kernel.filter(batch)
            bad_rows += [row + place for place in bad]
            row += batch.num_rows
            for folder, rows in folders:
                made = pa.record_batch(rows)
                if folder == 0:
                    passed.append(made)
                else:
                    names = pa.array([reasons[folder - 1]] * made.num_rows, pa.string())
                    rows_of_reason = pa.record_batch([*made.columns, names], schema=gone_schema)
                    gone.setdefault(folder, []).append(rows_of_reason)
        gone_rows = [rows for _, all_rows in sorted(gone.items()) for rows in all_rows]
        return Filtered(
            pa.Table.from_batches(passed, schema),
            bad_rows,
            self._counts(kernel),
            pa.Table.from_batches(gone_rows, gone_schema) if removed else None,
        )

    @named()
    def stream(
        self,
        table: TableOrTexts,
        statistics: StatisticsLike | None = None,
        *,
        text_column: str = "text",
        id_column: str = "docId",
        keep_markup: bool = False,
    ) -> FilteredReader:
        """Filters the documents of a table that may be larger than memory, as they are asked for.

        The arguments are those of `apply`; the table may as well be a reader, an archive of `read_warc`, a dataset of
        pyarrow, or a streaming one of Hugging Face. Returns a `pyarrow.RecordBatchReader`, whose `schema` is known at
        once, and which holds some thousand rows at a time. It can be closed, and knows `counts` and `bad_rows`. Rows
        are those of `apply(…).passed`, in order.

        Errors: UsageError for what is no such table; what the table's own reader raises, when it is read.

        >>> import pyarrow, uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("HiraganaRatio", low=0.5)])
        >>> reader = chain.stream(pyarrow.table({"text": ["ひらがな", "漢字漢字", None]}))
        >>> for batch in reader:
        ...     print(batch.to_pydict())
        {'text': ['ひらがな']}
        """
        kernel = self._kernel(statistics, {"partitioned": False, "keep_markup": keep_markup}, text_column, id_column)
        schema, batches = self._batches(table, text_column, id_column)
        bad_rows: list[int] = []
        return FilteredReader(schema, _passed(kernel, batches, bad_rows), lambda: self._counts(kernel), bad_rows)

    @named()
    def mapper(
        self,
        statistics: StatisticsLike | None = None,
        *,
        text_column: str = "text",
        id_column: str = "docId",
        keep_markup: bool = False,
    ) -> Mapper:
        """The chain as a function of batches, for `map` of datasets of Hugging Face, streaming ones too.

        `dataset.map(chain.mapper(), batched=True)` has the rows that pass, with their texts as they are left: the same
        as `apply`. It can be pickled (`num_proc`), and caches know it again by the chain and the statistics' checksum;
        files that the chain names (lists, models) are known by their path alone.

        >>> import datasets, uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("HiraganaRatio", low=0.5)])
        >>> rows = datasets.IterableDataset.from_generator(lambda: ({"text": text} for text in ("ひらがな", "漢字")))
        >>> list(rows.map(chain.mapper(), batched=True))
        [{'text': 'ひらがな'}]
        """
        return Mapper(self, opened(statistics), text_column, id_column, keep_markup)

    @named()
    def predicate(
        self,
        statistics: StatisticsLike | None = None,
        *,
        text_column: str = "text",
        id_column: str = "docId",
    ) -> Predicate:
        """The chain as a test of batches, for `filter` of datasets of Hugging Face, streaming ones too.

        `dataset.filter(chain.predicate(), batched=True)` has the rows that pass, as they were: filters of paragraphs
        change nothing, but a document of which they leave nothing does not pass. Otherwise as `mapper`.

        >>> import datasets, uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("HiraganaRatio", low=0.5)])
        >>> rows = datasets.IterableDataset.from_generator(lambda: ({"text": text} for text in ("ひらがな", "漢字")))
        >>> list(rows.filter(chain.predicate(), batched=True))
        [{'text': 'ひらがな'}]
        """
        return Predicate(self, opened(statistics), text_column, id_column)

    def _counts(self, kernel: _core.FilterKernel) -> dict[str, Any]:
        totals: dict[str, Any] = json.loads(kernel.totals())
        removed: dict[str, dict[str, int]] = {}
        for reason, counts in zip(self.reasons, totals["removed"], strict=True):
            sums = removed.setdefault(reason, dict.fromkeys(counts, 0))
            for name, count in counts.items():
                sums[name] += count
        return totals | {"removed": removed}

    @named()
    def apply_text(
        self,
        text: str | Document,
        doc_id: str | None = None,
        statistics: StatisticsLike | None = None,
        url: str | None = None,
        robots: str | None = None,
        license: str | None = None,
    ) -> FilteredText:
        """Filters one text, plain or with markup, or one document, and says why.

        Filters that decide at random do so by `doc_id`, which is by default the document's, or a hash of the text.
        HostFilter looks at `url`, OptOut at `robots` (and `url`, with `robots_txt`) and License at `license`, by
        default the document's, too. Errors: UsageError when one is in the chain, and has nothing to look at.

        >>> import uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("LinkCharRatio", high=0.5)])
        >>> page = uzushio.extract_html("<p><a href='/'>リンク</a>")
        >>> result = chain.apply_text(page)
        >>> result.text, result.removed.reason, result.removed.metric, result.removed.bound
        (None, 'LinkCharRatio.High(0.5)', 1.0, '> 0.5')
        """
        if not isinstance(text, (str, Document)):
            what = "; apply takes several" if isinstance(text, Iterable) and not isinstance(text, bytes) else ""
            raise UsageError(f"text: one text or Document is expected, not {type(text).__name__}{what}")
        if isinstance(text, Document):
            doc_id = text.doc_id if doc_id is None else doc_id
            url = text.url if url is None else url
            robots = text.robots if robots is None else robots
            license = text.license if license is None else license
            text = text.markup
        given = {"url": url, "robots": robots, "license": license}
        known: dict[str, str] = {}
        for name in self._core.known_columns():
            value = given[name]
            if value is None:
                raise UsageError(f"{_LOOKERS[name]}: give the text's as {name}")
            known[name] = utf8(value, name)
        kernel = self._kernel(statistics, {}, "text", "docId")
        doc_id = None if doc_id is None else utf8(doc_id, "doc_id")
        found = json.loads(kernel.filter_text(utf8(text, "text"), doc_id, known))
        left, gone = [], []
        for item in found["paragraphs"]:
            structure = f"\x1e{item['structure']}" if "structure" in item else ""
            for parsed in parse_markup(f"{item['path']}{structure}\x1c{item['marked']}"):
                paragraph = parsed._replace(score=item["score"] / 100)
                if "removed" in item:
                    gone.append((paragraph, _removal(item["removed"])))
                else:
                    left.append(paragraph)
        removed = _removal(found["removed"]) if "removed" in found else None
        passed = "\n\n".join(paragraph.text for paragraph in left) if removed is None and left else None
        return FilteredText(found["doc_id"], passed, removed, left, gone)

    @named()
    def metrics(
        self,
        table: TableOrTexts,
        statistics: StatisticsLike | None = None,
        *,
        text_column: str = "text",
        id_column: str = "docId",
    ) -> pa.Table:
        """Every metric of the chain for every document: a row each, `docId` string and a column float64 each metric.

        Of integer ids, `docId` has the decimals. `characters` and `bytes` int64 are those of the plain text,
        `keptCharacters` and `keptBytes` those that the chain's filters of paragraphs leave.

        The arguments are those of `apply`; no document is removed, filters of paragraphs are applied. A text that is no
        UTF-8 has NaN. Equal to `uzushio metrics` on the same documents.

        >>> import pyarrow, uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength"), uzushio.Filter("HiraganaRatio")])
        >>> table = chain.metrics(pyarrow.table({"docId": ["a"], "text": ["ひらがな漢字"]}))
        >>> table.select(["docId", "DocLength", "HiraganaRatio", "keptBytes"]).to_pylist()
        [{'docId': 'a', 'DocLength': 6.0, 'HiraganaRatio': 0.6666666666666666, 'keptBytes': 18}]
        """
        kernel = self._kernel(statistics, {}, text_column, id_column)
        _, batches = self._batches(table, text_column, id_column)
        fields = [pa.field("docId", pa.string(), nullable=False)]
        fields += [pa.field(name, pa.float64(), nullable=False) for name in self.columns]
        fields += [pa.field(name, pa.int64(), nullable=False) for name in _core.SIZE_COLUMNS]
        return pa.Table.from_batches(_measured(kernel, batches), pa.schema(fields))

    def _batches(
        self, table: TableOrTexts, text_column: str, id_column: str
    ) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """What the kernel takes. Errors: UsageError where a filter looks at a column that is not there."""
        schema, batches = batches_with_texts(table, text_column, id_column)
        _core.check_known_columns(self._core, schema)
        return schema, batches

    def _kernel(
        self, statistics: StatisticsLike | None, options: dict[str, Any], text_column: str, id_column: str
    ) -> _core.FilterKernel:
        """Kernels are one thread's, and cheap."""
        for argument, name in (("text_column", text_column), ("id_column", id_column)):
            if not isinstance(name, str):
                raise UsageError(f"{argument}: the name of one column is expected, not {name!r}")
        known = opened(statistics)
        index = known._mapped if known is not None else None
        columns = {"text_column": text_column, "id_column": id_column}
        return _core.FilterKernel(self._core, index, to_json(options | columns))

    def __call__(
        self,
        text: str | Document,
        doc_id: str | None = None,
        statistics: StatisticsLike | None = None,
        url: str | None = None,
        robots: str | None = None,
        license: str | None = None,
    ) -> FilteredText:
        """What `apply_text` says of one text.

        >>> import uzushio
        >>> uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])("短い").removed.reason
        'DocLength.Low(3)'
        """
        return self.apply_text(text, doc_id, statistics, url, robots, license)

    def __len__(self) -> int:
        """The number of filters."""
        return len(self.filters)

    def __bool__(self) -> bool:
        """True, even of a chain without filters."""
        return True

    def __iter__(self) -> Iterator[Filter]:
        """The filters, as `filters` has them."""
        return iter(self.filters)

    @overload
    def __getitem__(self, place: int) -> Filter: ...
    @overload
    def __getitem__(self, place: slice) -> FilterChain: ...
    def __getitem__(self, place: int | slice) -> Filter | FilterChain:
        """The filter at a place, or the chain of some.

        >>> import uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3), uzushio.Filter("NoContentDOM")])
        >>> chain[1], len(chain[:1])
        (Filter('NoContentDOM'), 1)
        """
        found = self.filters[place]
        return found if isinstance(found, Filter) else FilterChain(found)

    def __add__(self, other: FilterChain | Filter | Iterable[Filter | Mapping[str, Any]]) -> FilterChain:
        """This chain and then another, or more filters.

        >>> import uzushio
        >>> chain = uzushio.FilterChain([uzushio.Filter("DocLength", low=3)])
        >>> len(chain + uzushio.Filter("HiraganaRatio") + chain)
        3
        """
        if not isinstance(other, (FilterChain, Filter, Mapping, list, tuple)):
            return NotImplemented
        return FilterChain([*items_of(self), *items_of(other)])

    def __repr__(self) -> str:
        """The filters, as they would be made."""
        return f"FilterChain({self.filters!r})"

    def _repr_html_(self) -> str:
        """A table, for notebooks: a filter a row, what it measures, its parameters."""
        known = filters()
        rows = []
        for number, one in enumerate(self.filters):
            values = ", ".join(f"{name}={value!r}" for name, value in one.parameters.items())
            cells = (str(number), one.name, known[one.name].summary, values)
            rows.append(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>")
        head = "".join(f"<th>{name}</th>" for name in ("", "filter", "what it does", "parameters"))
        return f"<table><caption>FilterChain</caption><tr>{head}</tr>{''.join(rows)}</table>"

    def __eq__(self, other: object) -> bool:
        """Whether the chains do the same."""
        return isinstance(other, FilterChain) and self._core.to_json() == other._core.to_json()

    def __hash__(self) -> int:
        """Of all that is in it."""
        return hash(self._core.to_json())

    def __reduce__(self) -> tuple[Any, tuple[list[dict[str, Any]]]]:
        """By its configuration: pools of processes take it."""
        return FilterChain, (json.loads(self._core.to_json()),)


def _is_preset(name: str) -> bool:
    """Whether a chain that is installed is meant: by its name, with no file of it here."""
    return any(one.name == name and one.kind == "chain" for one in presets()) and not Path(name).exists()


def _bound(why: Removal) -> str:
    return html.escape(f"{why.metric} {why.bound}") if why.bound else ""


def items_of(filters: Any, what: str = "filters") -> list[dict[str, Any]]:
    """Filters as in a configuration."""
    if isinstance(filters, FilterChain):
        filters = filters.filters
    if isinstance(filters, (str, bytes, os.PathLike)):
        raise UsageError(
            f"{what}: a sequence of Filters is expected, not {filters!r}; FilterChain.from_file reads a "
            "configuration, [Filter('NAME')] is a chain of one"
        )
    if isinstance(filters, (Filter, Mapping)):
        filters = [filters]
    if not isinstance(filters, Iterable):
        raise UsageError(f"{what}: a sequence of Filters is expected, not {type(filters).__name__}")
    return [_item(place, item, what) for place, item in enumerate(filters)]


def _item(place: int, item: Any, what: str) -> dict[str, Any]:
    if isinstance(item, Filter):
        return {"class": item.name, **item.parameters}
    if isinstance(item, Mapping):
        if "class" not in item and "filters" in item:
            raise UsageError(
                f"{what}: a dict with the list `filters` is not taken; give the list itself, a FilterChain, or the "
                "path of a configuration file"
            )
        return dict(item)
    raise UsageError(f"{what}[{place}]: a Filter, or a mapping with 'class', is expected, not {item!r}")


def _passed(
    kernel: _core.FilterKernel, batches: Iterator[pa.RecordBatch], bad_rows: list[int]
) -> Generator[pa.RecordBatch, None, None]:
    row = 0
    for batch in batches:
        folders, bad = kernel.filter(batch)
        bad_rows += [row + place for place in bad]
        row += batch.num_rows
        for _, rows in folders:
            yield pa.record_batch(rows)


def _measured(kernel: _core.FilterKernel, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch(kernel.measure(batch))


def _removal(item: dict[str, Any]) -> Removal:
    metric = math.nan if item["metric"] is None else item["metric"]
    return Removal(item["filter"], item["step"], item["reason"], metric, item["bound"], item.get("detail", ""))
