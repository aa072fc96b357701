"""Web archives to clean Japanese text.

The stages as functions, with the command line's options: `extract`, `index`, `clean`, `stats`, `merge`, `filter`,
`metrics`, `minhash`, `decontaminate`, `overlap`, `report`, `hosts`, `host_lists`, `robots_txt`, `train_language`,
`train_classifier`, `train_lm`, `explain`; `run` for pipelines of them. What they do, on data in memory: `read_warc` and
`extract_html` give documents; a `FilterChain` filters tables and texts and measures them, by `Statistics` of a corpus;
`near_duplicates` finds groups.
Tables are those of any library with the Arrow C Data Interface. All errors are `Error`s.

>>> import uzushio
>>> page = uzushio.extract_html("<h1>見出し</h1><p>これは文章です。")
>>> uzushio.FilterChain([uzushio.Filter("DocLength", low=5)]).apply_text(page).text
'見出し\\n\\nこれは文章です。'
"""

from uzushio._batched import Mapper, Predicate
from uzushio._core import version as __version__
from uzushio._documents import (
    Document,
    Paragraph,
    QuarantinedRecord,
    WarcReader,
    extract_html,
    parse_markup,
    read_warc,
)
from uzushio._errors import Error, InputError, MissingFile, PageRejected, RunError, TooManyBadRecords, UsageError
from uzushio._filters import (
    Filter,
    FilterChain,
    FilterDeclaration,
    Filtered,
    FilteredText,
    Parameter,
    Removal,
    filters,
)
from uzushio._near_duplicates import near_duplicates
from uzushio._plots import plot_metrics
from uzushio._presets import Preset, presets
from uzushio._stages import (
    clean,
    decontaminate,
    explain,
    extract,
    host_lists,
    hosts,
    index,
    merge,
    metrics,
    minhash,
    overlap,
    report,
    robots_txt,
    run,
    stats,
    train_classifier,
    train_language,
    train_lm,
)
from uzushio._stages import filter as filter  # not in __all__: `import *` leaves Python's own
from uzushio._statistics import Frequency, Statistics
from uzushio._streams import FilteredReader
from uzushio._summaries import (
    Counts,
    DecontaminateSummary,
    ExtractSummary,
    FilterSummary,
    HostListsSummary,
    HostsSummary,
    IndexSummary,
    LeftOut,
    MetricsSummary,
    MinHashSummary,
    Overlap,
    OverlapSummary,
    Removed,
    ReportSummary,
    RobotsTxtSummary,
    RunStep,
    RunSummary,
    StatisticsSummary,
    StepTime,
    Summary,
    TrainClassifierSummary,
    TrainLanguageSummary,
    TrainLmSummary,
)

__all__ = [
    "Counts",
    "DecontaminateSummary",
    "Document",
    "Error",
    "ExtractSummary",
    "Filter",
    "FilterChain",
    "FilterDeclaration",
    "FilterSummary",
    "Filtered",
    "FilteredReader",
    "FilteredText",
    "Frequency",
    "HostListsSummary",
    "HostsSummary",
    "IndexSummary",
    "InputError",
    "LeftOut",
    "Mapper",
    "MetricsSummary",
    "MinHashSummary",
    "MissingFile",
    "Overlap",
    "OverlapSummary",
    "PageRejected",
    "Paragraph",
    "Parameter",
    "Predicate",
    "Preset",
    "QuarantinedRecord",
    "Removal",
    "Removed",
    "ReportSummary",
    "RobotsTxtSummary",
    "RunError",
    "RunStep",
    "RunSummary",
    "Statistics",
    "StatisticsSummary",
    "StepTime",
    "Summary",
    "TooManyBadRecords",
    "TrainClassifierSummary",
    "TrainLanguageSummary",
    "TrainLmSummary",
    "UsageError",
    "WarcReader",
    "__version__",
    "clean",
    "decontaminate",
    "explain",
    "extract",
    "extract_html",
    "filters",
    "host_lists",
    "hosts",
    "index",
    "merge",
    "metrics",
    "minhash",
    "near_duplicates",
    "overlap",
    "parse_markup",
    "plot_metrics",
    "presets",
    "read_warc",
    "report",
    "robots_txt",
    "run",
    "stats",
    "train_classifier",
    "train_language",
    "train_lm",
]
