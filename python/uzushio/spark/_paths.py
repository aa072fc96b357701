"""Names of files and folders, as Spark wants them."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from uzushio._errors import UsageError


def literal(name: str) -> str:
    r"""A name of the program's (src/io/inputs.h) as a path that Spark reads, and does not take for a glob.

    >>> literal("/data/[a] {b}/part*.parquet")
    '/data/\\[a\\] \\{b\\}/part\\*.parquet'
    >>> literal("s3a://bucket/100%25.parquet")
    's3a://bucket/100%.parquet'
    """
    if "://" in name:
        try:
            name = unquote_to_bytes(name).decode()
        except UnicodeDecodeError as error:
            raise UsageError(f"{name}: is no UTF-8, and Spark reads no such names") from error
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", name)
