"""Web archives to clean Japanese text."""

import pyarrow as _pyarrow  # noqa: F401  (its libraries are used by the module)

from uzushio import _core
