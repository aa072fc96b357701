"""Names of files and folders, as Spark wants them."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote_to_bytes

from uzushio._errors import UsageError

_URI = re.compile("([^/]*://[^/]*)(.*)", re.DOTALL)
"""A scheme with an authority, and a path."""


def no_glob(path: str) -> str:
    """A place to be read by Spark, which takes it for a pattern.

    >>> print(no_glob("file:///data/[new]"))
    file:///data/\\[new\\]
    """
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", path)


def place_of(name: str) -> str:
    """Where a name of the program's leads, as Hadoop and Arrow's file systems take it: URIs without escapes.

    In URIs the program takes %XX for a byte (src/storage/inputs.h). Local paths may be of any bytes.

    >>> place_of("s3a://bucket/100%25.parquet"), place_of("file:///data/100%25"), place_of("/data/100%25")
    ('s3a://bucket/100%.parquet', '/data/100%', '/data/100%25')
    """
    uri = _URI.match(name)
    if uri is None:
        return name
    place = uri[1] + os.fsdecode(unquote_to_bytes(os.fsencode(uri[2])))
    if place.startswith("file:///"):
        return place.removeprefix("file://")
    try:
        place.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name}: is no UTF-8, and Spark reads no such names") from error
    return place


def name_of(place: str) -> str:
    """The name by which the program finds a place.

    >>> name_of("s3a://bucket/100%.parquet"), name_of("/data/100%")
    ('s3a://bucket/100%25.parquet', '/data/100%')
    """
    uri = _URI.match(place)
    return place if uri is None else uri[1] + re.sub(r"[%*?\[]", lambda found: f"%{ord(found[0]):02X}", uri[2])
