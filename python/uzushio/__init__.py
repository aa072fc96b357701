"""Web archives to clean Japanese text.

The stages as functions, with the command line's options: `extract`, `stats`, `merge`, `filter`, `metrics`,
`train_lm`, `explain`. What they do, on data in memory: `read_warc` and `extract_html` give documents; a `FilterChain`
filters tables and texts and measures them, by `Statistics` of a corpus; `near_duplicates` finds groups. Tables are
those of any library with the Arrow C Data Interface. All errors are `Error`s.

>>> import uzushio
>>> page = uzushio.extract_html("<h1>見出し</h1><p>これは文章です。")
>>> uzushio.FilterChain([uzushio.Filter("DocLength", low=5)]).apply_text(page).text
'見出し\\n\\nこれは文章です。'
"""

import pyarrow as _pyarrow  # noqa: F401  (its libraries are used by the module)

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
from uzushio._errors import Error, InputError, PageRejected, RunError, TooManyBadRecords, UsageError
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
from uzushio._stages import explain, extract, filter, merge, metrics, stats, train_lm
from uzushio._statistics import Frequency, Statistics

__all__ = [
    "Document",
    "Error",
    "Filter",
    "FilterChain",
    "FilterDeclaration",
    "Filtered",
    "FilteredText",
    "Frequency",
    "InputError",
    "PageRejected",
    "Paragraph",
    "Parameter",
    "QuarantinedRecord",
    "Removal",
    "RunError",
    "Statistics",
    "TooManyBadRecords",
    "UsageError",
    "WarcReader",
    "__version__",
    "explain",
    "extract",
    "extract_html",
    "filter",
    "filters",
    "merge",
    "metrics",
    "near_duplicates",
    "parse_markup",
    "read_warc",
    "stats",
    "train_lm",
]
