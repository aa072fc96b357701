"""Names of files and folders, as Spark wants them."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from uzushio._errors import UsageError


def no_glob(path: str) -> str:
    """A place to be read by Spark, which takes it for a pattern.

    >>> print(no_glob("file:///data/[new]"))
    file:///data/\\[new\\]
    """
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", path)


def of_uri(name: str) -> str:
    """A URI as the program takes it (src/io/inputs.h), with what it escapes.

    >>> of_uri("s3a://bucket/100%25.parquet")
    's3a://bucket/100%.parquet'
    """
    try:
        return unquote_to_bytes(name).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: is no UTF-8, and Spark reads no such names") from error
