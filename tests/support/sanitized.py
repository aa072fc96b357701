"""Which tests run under sanitizers, and which on the release build."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_sanitized(names: Iterable[str]) -> list[Any]:
    """Parameters of a test that takes long: the first runs under sanitizers, all others on the release build."""
    first, *others = names
    return [first, *(pytest.param(name, marks=pytest.mark.once) for name in others)]
