"""What runs of stages return: values with names, which print well."""

from __future__ import annotations

import html
import json
import reprlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from uzushio import _core
from uzushio._arguments import nearest
from uzushio._errors import with_properties

_SHORT = reprlib.Repr()
_SHORT.maxdict, _SHORT.maxlist, _SHORT.maxstring, _SHORT.maxother = 3, 2, 80, 80


class Record(dict[str, Any]):
    """Values by name, as attributes and as items. They do not change.

    >>> import uzushio
    >>> record = uzushio.Counts(documents=2, paragraphs=5, text_bytes=120)
    >>> record.documents, record["documents"]
    (2, 2)
    >>> record
    Counts(documents=2, paragraphs=5, text_bytes=120)
    """

    _first: ClassVar[tuple[str, ...]] = ()
    """The names that `repr` shows; without any, all."""

    if not TYPE_CHECKING:  # what there is, is declared

        def __getattr__(self, name: str) -> Any:
            """The value of a name."""
            try:
                return self[name]
            except KeyError:
                hint = nearest(name, self)
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}") from None

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} does not change; dict(…) makes a copy that does")

    __setattr__ = __delattr__ = __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __dir__(self) -> Iterable[str]:
        """The names, too."""
        return [*super().__dir__(), *self]

    def __reduce__(self) -> tuple[Any, ...]:
        """By its values."""
        return type(self), (dict(self),)

    def __repr__(self) -> str:
        """The first values; long ones are cut."""
        names = [name for name in self._first if name in self] or list(self)
        values = [f"{name}={_short(self[name])}" for name in names]
        return f"{type(self).__name__}({', '.join(values + ['…'] * (len(names) < len(self)))})"

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        return f"<table><caption>{html.escape(type(self).__name__)}</caption>{_rows(self)}</table>"


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else _SHORT.repr(value).replace("...", "…")


def _rows(values: dict[str, Any]) -> str:
    return "".join(f"<tr><th>{html.escape(str(name))}</th>{_cell(value)}</tr>" for name, value in values.items())


def _cell(value: Any) -> str:
    """A value, escaped; what has parts is a table of its own."""
    if isinstance(value, bool) or value is None:
        return f"<td>{value}</td>"
    if isinstance(value, int):
        return f'<td style="text-align: right">{value:,}</td>'
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:,.4g}</td>'
    if isinstance(value, dict):
        return f"<td><table>{_rows(value)}</table></td>" if value else "<td>none</td>"
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        head = "".join(f"<th>{html.escape(str(name))}</th>" for name in value[0])
        lines = "".join(f"<tr>{''.join(map(_cell, item.values()))}</tr>" for item in value)
        return f"<td><table><tr>{head}</tr>{lines}</table></td>"
    if isinstance(value, list):
        return f"<td>{', '.join(html.escape(_short(item)) for item in value)}</td>"
    return f"<td>{html.escape(str(value))}</td>"


class Counts(Record):
    """Numbers of documents and paragraphs, and bytes (UTF-8) and characters (code points) of their texts.

    >>> import uzushio
    >>> uzushio.Counts(documents=1, paragraphs=2, text_bytes=30).text_bytes
    30
    """

    documents: int
    paragraphs: int
    text_bytes: int
    characters: int


class Removed(Counts):
    """What a filter has removed for one reason. `step` is its place in the chain, from 0.

    >>> import uzushio
    >>> removed = uzushio.Removed(documents=1, paragraphs=2, text_bytes=30, filter="A", reason="A.Low(1)", step=0)
    >>> removed.reason, removed.documents
    ('A.Low(1)', 1)
    """

    filter: str
    reason: str
    step: int


class StepTime(Record):
    """How long a filter took, in seconds of all threads together.

    >>> import uzushio
    >>> uzushio.StepTime(filter="DocLength", seconds=0.25).seconds
    0.25
    """

    filter: str
    seconds: float


class Summary(Record):
    """What a run has done. `print` shows what the command line says; in a notebook it is a table.

    `stage` is the command, `output` what it wrote, `seconds` how long this call took, `peak_memory_bytes` the most
    memory that this process has had. Values are attributes and items; `dict(summary)` and `json.dumps(summary)` work.

    >>> import uzushio
    >>> issubclass(uzushio.ExtractSummary, uzushio.Summary), issubclass(uzushio.Summary, dict)
    (True, True)
    """

    stage: str
    output: str
    seconds: float
    peak_memory_bytes: int

    def __str__(self) -> str:
        """As the command line says it, but for values of a configuration, which are told as Python gives them."""
        return with_properties(_core.summary_text(json.dumps(self)).rstrip("\n"))


class ExtractSummary(Summary):
    """Of `extract`. `records` = `documents` + the sum of `rejected` + the sum of `quarantined`, which are by reason.

    `languages` are documents by language; `damaged` those of pages that were damaged, by how (`body-truncated`,
    `body-checksum`, `undecodable-characters`), with U+FFFD in `replaced_characters` places; `file_bytes` were read,
    `decoded_bytes` is the records' size without compression, `text_bytes` the texts', `characters` their code points,
    `body_bytes` the pages' in full data, where that is written. By an index, `index` has the numbers of its rows,
    and `requests` were sent; `plan` says what a run would take, instead of all others.

    >>> import uzushio
    >>> uzushio.ExtractSummary(records=3, documents=2, rejected={"no-text": 1}, quarantined={}, seconds=0.5)
    ExtractSummary(records=3, documents=2, rejected={'no-text': 1}, quarantined={}, seconds=0.5)
    """

    _first = ("records", "documents", "rejected", "quarantined", "seconds", "output")
    records: int
    documents: int
    paragraphs: int
    rejected: dict[str, int]
    quarantined: dict[str, int]
    languages: dict[str, int]
    damaged: dict[str, int]
    replaced_characters: int
    file_bytes: int
    decoded_bytes: int
    text_bytes: int
    characters: int
    body_bytes: int
    threads: int
    index: dict[str, int]
    requests: int
    plan: dict[str, float]


class IndexSummary(Summary):
    """Of `index`. `records` = `rows` + the sum of `left_out` + the sum of `quarantined`, which are by reason.

    >>> import uzushio
    >>> uzushio.IndexSummary(records=3, rows=2, left_out={"warc-type/request": 1}, quarantined={}, seconds=0.5)
    IndexSummary(records=3, rows=2, left_out={'warc-type/request': 1}, quarantined={}, seconds=0.5)
    """

    _first = ("records", "rows", "left_out", "quarantined", "seconds", "output")
    records: int
    rows: int
    left_out: dict[str, int]
    quarantined: dict[str, int]
    file_bytes: int
    threads: int


class RobotsTxtSummary(Summary):
    """Of `robots_txt`. `records` = `captures` + the sum of `left_out` + the sum of `quarantined`, by reason.

    `captures` are responses to requests of robots.txt, of which `older` were not taken, as their origin has a newer
    one: `captures` = `origins` + `older`. `access` has the numbers of origins by what their file says; `cut` is the
    number of files of more than 500 KiB.

    >>> import uzushio
    >>> uzushio.RobotsTxtSummary(records=3, captures=2, origins=2, access={"rules": 1, "all": 1}, seconds=0.5)
    RobotsTxtSummary(records=3, origins=2, access={'all': 1, 'rules': 1}, seconds=0.5, …)
    """

    _first = ("records", "origins", "access", "left_out", "quarantined", "seconds", "output")
    records: int
    captures: int
    origins: int
    older: int
    cut: int
    access: dict[str, int]
    left_out: dict[str, int]
    quarantined: dict[str, int]
    file_bytes: int
    spilled_bytes: int


class StatisticsSummary(Summary):
    """Of `stats` and `merge`; the latter reads `inputs`, not documents, and has no numbers of these.

    `rows` is the number of rows of the table, `index_entries` that of the index, which has the paragraphs that occur
    more than once. `candidate_pairs` were compared, `near_pairs` are near-duplicates.

    >>> import uzushio
    >>> uzushio.StatisticsSummary(paragraphs=3, distinct_paragraphs=2, groups=2, rows=2, index_entries=1)
    StatisticsSummary(paragraphs=3, distinct_paragraphs=2, groups=2, index_entries=1, …)
    """

    _first = (
        "inputs",
        "documents",
        "paragraphs",
        "distinct_paragraphs",
        "groups",
        "index_entries",
        "seconds",
        "output",
    )
    documents: int
    documents_left_out: int
    inputs: int
    paragraphs: int
    text_bytes: int
    cuts_in_plain_text: int
    distinct_paragraphs: int
    distinct_text_bytes: int
    bucket_entries: int
    candidate_pairs: int
    near_pairs: int
    groups: int
    largest_group: int
    rows: int
    index_entries: int
    spilled_bytes: int
    quarantined: dict[str, int]


class FilterSummary(Summary):
    """Of `filter`. `empty` are documents of which no paragraph is left.

    `removed` has an item for each reason, in the chain's order.

    >>> import uzushio
    >>> uzushio.FilterSummary(passed={"documents": 3, "paragraphs": 9, "text_bytes": 99}, files=1).passed.documents
    3
    """

    _first = ("input", "passed", "empty", "quarantined", "seconds", "output")
    input: Counts
    passed: Counts
    empty: Counts
    removed: list[Removed]
    steps: list[StepTime]
    quarantined: dict[str, int]
    files: int
    bytes_out: int

    def __init__(self, *values: Any, **named: Any) -> None:
        """Parts have types of their own."""
        super().__init__(*values, **named)
        kinds: dict[str, type[Record]] = {"input": Counts, "passed": Counts, "empty": Counts}
        for name, kind in kinds.items():
            if name in self:
                dict.__setitem__(self, name, kind(self[name]))
        for name, kind in (("removed", Removed), ("steps", StepTime)):
            if name in self:
                dict.__setitem__(self, name, [kind(item) for item in self[name]])


class LeftOut(Record):
    """Filters of a class that a stage's chain did without, and what is `wanted` for them.

    >>> import uzushio
    >>> uzushio.LeftOut(stage="clean", filter="HostFilter", wanted="-P host_lists=FILE").wanted
    "properties={'host_lists': FILE}"
    """

    stage: str
    filter: str
    wanted: str

    def __init__(self, *values: Any, **named: Any) -> None:
        """Says what is wanted as Python gives it."""
        super().__init__(*values, **named)
        if "wanted" in self:
            dict.__setitem__(self, "wanted", with_properties(self["wanted"]))


class MetricsSummary(Summary):
    """Of `metrics`. `metrics` has the quantiles of each at 0, .01, .05, .25, .5, .75, .95, .99 and 1.

    `left_out` has the filters of the configuration whose models or word lists were not given.

    >>> import uzushio
    >>> uzushio.MetricsSummary(documents=1, metrics={"DocLength": [8.0] * 9}).metrics["DocLength"][-1]
    8.0
    """

    _first = ("documents", "metrics", "left_out", "quarantined", "seconds", "output")
    documents: int
    metrics: dict[str, list[float]]
    left_out: list[LeftOut]
    quarantined: dict[str, int]

    def __init__(self, *values: Any, **named: Any) -> None:
        """Filters that were left out have a type of their own."""
        super().__init__(*values, **named)
        if "left_out" in self:
            dict.__setitem__(self, "left_out", [LeftOut(item) for item in self["left_out"]])


class HostsSummary(Summary):
    """Of `hosts`. `without_host` documents have no URL with a host; they are the row whose host is empty.

    >>> import uzushio
    >>> uzushio.HostsSummary(documents=3, hosts=2, without_host=0).hosts
    2
    """

    _first = ("documents", "hosts", "without_host", "quarantined", "seconds", "output")
    documents: int
    hosts: int
    without_host: int
    spilled_bytes: int
    quarantined: dict[str, int]


class Overlap(Record):
    """What the datasets `a` and `b` share of one kind: urls, documents or paragraphs. Numbers are of distinct values.

    >>> import uzushio
    >>> uzushio.Overlap(kind="urls", a="x", b="y", both=2, either=8, jaccard=0.25).jaccard
    0.25
    """

    _first = ("kind", "both", "jaccard")
    kind: str
    a: str
    b: str
    countA: int
    countB: int
    both: int
    either: int
    shareOfA: float
    shareOfB: float
    jaccard: float


class OverlapSummary(Summary):
    """Of `overlap`. `datasets` has of each its name, what was read, and `distinct`, numbers by kind.

    >>> import uzushio
    >>> uzushio.OverlapSummary(datasets=[{"name": "a"}, {"name": "b"}], overlaps=[], quarantined={}).datasets[0]["name"]
    'a'
    """

    _first = ("overlaps", "quarantined", "seconds", "output")
    datasets: list[dict[str, Any]]
    overlaps: list[Overlap]
    quarantined: dict[str, int]
    spilled_bytes: int

    def __init__(self, *values: Any, **named: Any) -> None:
        """Rows have a type of their own."""
        super().__init__(*values, **named)
        if "overlaps" in self:
            dict.__setitem__(self, "overlaps", [Overlap(row) for row in self["overlaps"]])


class ReportSummary(Summary):
    """Of `report`. The page has `outputs`, `tables` of metrics among them; `sampled` of their documents are in it.

    With `against`, `diff` has the numbers of documents that are `equal`, `changed`, and in one of the corpora `a` and
    `b` alone (`only_a`, `only_b`), and whether they were `matched_by` docId or url.

    >>> import uzushio
    >>> print(uzushio.ReportSummary(stage="report", outputs=3, tables=1, sampled=253, bytes=81000, output="page.html"))
    ReportSummary(outputs=3, tables=1, sampled=253, bytes=81000, output='page.html', …)
    """

    _first = ("outputs", "tables", "sampled", "bytes", "diff", "seconds", "output")
    outputs: int
    tables: int
    sampled: int
    bytes: int
    diff: dict[str, Any]

    def __str__(self) -> str:
        """As `repr`."""
        return repr(self)


class HostListsSummary(Summary):
    """Of `host_lists`. `lists` has the entries of each; `first_bad` is the first of the lines that are none.

    >>> import uzushio
    >>> uzushio.HostListsSummary(lists={"adult": 5, "custom": 1}, quarantined={}).lists["adult"]
    5
    """

    _first = ("lists", "quarantined", "bytes", "seconds", "output")
    lists: dict[str, int]
    quarantined: dict[str, int]
    first_bad: str
    bytes: int


class MinHashSummary(Summary):
    """Of `minhash`. `documents` = `kept` + `duplicates`; with `index_only`, neither is there.

    `duplicates_of_other_indexes` are those of the duplicates that are like documents of `against` or `beside`;
    `documents_without_date` are taken for the oldest. `buckets` has the index, and `index_text_bytes` of texts, if it
    keeps these. `largest_groups` has the documents that most others are duplicates of: `duplicate_of`, an id, and
    `duplicates`, how many. With `url`, `older_captures` are those of a URL that has a newer one.
    With `contained`, so many of the duplicates are contained in longer documents, and of `frequent_passages`, only the
    longest documents that have them are looked at.

    >>> import uzushio
    >>> uzushio.MinHashSummary(documents=3, kept=2, duplicates=1, buckets=80)
    MinHashSummary(documents=3, kept=2, duplicates=1, …)
    """

    _first = ("documents", "kept", "duplicates", "quarantined", "seconds", "output")
    documents: int
    kept: int
    duplicates: int
    duplicates_of_other_indexes: int
    documents_without_date: int
    older_captures: int
    contained: int
    frequent_passages: int
    documents_without_url: int
    text_bytes: int
    buckets: int
    index_text_bytes: int
    largest_groups: list[dict[str, Any]]
    quarantined: dict[str, int]
    spilled_bytes: int
    files: int
    bytes_out: int


class DecontaminateSummary(Summary):
    """Of `decontaminate`. `documents` = `kept` + `contaminated`; `rows` are those of the report.

    `benchmarks` has of each file its `name`, `file`, `items`, those that cannot be found (`too_short`, `boilerplate`),
    those that are `repeated`, and those that were `found`.

    >>> import uzushio
    >>> uzushio.DecontaminateSummary(documents=3, kept=2, contaminated=1, rows=1)
    DecontaminateSummary(documents=3, kept=2, contaminated=1, …)
    """

    _first = ("documents", "kept", "contaminated", "quarantined", "seconds", "output")
    documents: int
    kept: int
    contaminated: int
    text_bytes: int
    rows: int
    benchmarks: list[dict[str, Any]]
    quarantined: dict[str, int]
    files: int
    bytes_out: int


class RunStep(Record):
    """A stage of a pipeline, for one value of each of its loops. `bytes` are its output's, `bytes_in` its inputs'.

    `summary` is what its command said when it was run, which was now unless `was_done`.

    >>> import uzushio
    >>> uzushio.RunStep(name="documents", command="extract", was_done=True, summary={"records": 3}).summary["records"]
    3
    """

    _first = ("name", "command", "was_done", "summary")
    name: str
    command: str
    was_done: bool
    bytes_in: int
    bytes: int
    summary: dict[str, Any]


class RunSummary(Summary):
    """Of `run`. `quarantined` are the records of all steps.

    With `plan`, nothing was run: `plan` has an item for each stage, with the `reasons` why its steps are not done, and
    `seconds` and `new_bytes` are what is left to do.

    >>> import uzushio
    >>> uzushio.RunSummary(steps=[{"name": "documents", "was_done": False}], left_out=[]).steps[0].name
    'documents'
    """

    _first = ("steps", "left_out", "quarantined", "seconds", "output")
    steps: list[RunStep]
    left_out: list[LeftOut]
    plan: list[dict[str, Any]]
    new_bytes: int
    quarantined: dict[str, int]

    def __init__(self, *values: Any, **named: Any) -> None:
        """Parts have types of their own."""
        super().__init__(*values, **named)
        for name, kind in (("steps", RunStep), ("left_out", LeftOut)):
            if name in self:
                dict.__setitem__(self, name, [kind(item) for item in self[name]])

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The value of a name."""
            if name == "steps" and "plan" in self:
                raise AttributeError("this is a plan, and nothing was run: its stages are in `plan`; print shows them")
            return super().__getattr__(name)


class TrainLanguageSummary(Summary):
    """Of `train_language`. `japanese` of the `texts` are Japanese; `right` are taken by the model for what they are.

    `distinct_grams` are in the texts, `grams` in the model, whose size is `bytes`.

    >>> import uzushio
    >>> uzushio.TrainLanguageSummary(texts=9, japanese=4, right=9, grams=70, bytes=764, output="ja.model")
    TrainLanguageSummary(texts=9, japanese=4, right=9, grams=70, bytes=764, output='ja.model')
    """

    _first = ("texts", "japanese", "right", "grams", "bytes", "seconds", "output")
    texts: int
    japanese: int
    right: int
    distinct_grams: int
    grams: int
    bytes: int
    quarantined: dict[str, int]

    def __str__(self) -> str:
        """As `repr`."""
        return repr(self)


class TrainClassifierSummary(Summary):
    """Of `train_classifier`. `words` are those of the model, whose size is `bytes`.

    `labels` has how many examples of each label the model was trained on, and how many are `held_out`. `held_out` says
    how well it tells these: `texts`, `accuracy`, `calibration_error`, and of each of the `labels` `precision`,
    `recall`, `f1`, `auc`, `calibration` in ten bins of probability, and the `threshold` from which on texts are taken
    so that F1 is highest. What is divided by nothing is None.

    >>> import uzushio
    >>> uzushio.TrainClassifierSummary(documents=9, training=8, words=70, bytes=764, output="quality.bin")
    TrainClassifierSummary(documents=9, training=8, words=70, bytes=764, output='quality.bin')
    """

    _first = ("documents", "training", "words", "bytes", "seconds", "output")
    documents: int
    training: int
    words: int
    bytes: int
    labels: list[dict[str, Any]]
    held_out: dict[str, Any]
    repeated: int
    """Held out, but in the training, too."""
    quarantined: dict[str, int]

    def __str__(self) -> str:
        """As `repr`."""
        return repr(self)


class TrainLmSummary(Summary):
    """Of `train_lm`. `bytes` is the size of the model.

    >>> import uzushio
    >>> print(uzushio.TrainLmSummary(stage="train-lm", tokens=12, paragraphs=3, documents=2, bytes=1000, output="m"))
    TrainLmSummary(documents=2, paragraphs=3, tokens=12, bytes=1000, output='m', …)
    """

    _first = ("documents", "paragraphs", "tokens", "bytes", "seconds", "output")
    documents: int
    paragraphs: int
    tokens: int
    cuts_in_plain_text: int
    bytes: int
    quarantined: dict[str, int]

    def __str__(self) -> str:
        """As `repr`."""
        return repr(self)


KINDS: dict[str, type[Summary]] = {
    "run": RunSummary,
    "extract": ExtractSummary,
    "index": IndexSummary,
    "robots-txt": RobotsTxtSummary,
    "stats": StatisticsSummary,
    "merge": StatisticsSummary,
    "filter": FilterSummary,
    "clean": FilterSummary,
    "metrics": MetricsSummary,
    "hosts": HostsSummary,
    "host-lists": HostListsSummary,
    "minhash": MinHashSummary,
    "decontaminate": DecontaminateSummary,
    "overlap": OverlapSummary,
    "report": ReportSummary,
    "train-language": TrainLanguageSummary,
    "train-classifier": TrainClassifierSummary,
    "train-lm": TrainLmSummary,
}
"""By command."""
