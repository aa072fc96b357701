"""Chains wherever one is an argument: a FilterChain, filters, or a configuration."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uzushio import _core
from uzushio._errors import UsageError
from uzushio._filters import Filter, FilterChain, items_of
from uzushio._values import to_json

ChainLike = FilterChain | Filter | Mapping[str, Any] | Iterable[Filter | Mapping[str, Any]] | str | os.PathLike[str]
"""A chain, one or several filters, or a configuration: its path or the name of one that is installed."""


def chain_of(given: ChainLike, properties: Mapping[str, str | float] | None = None) -> FilterChain:
    """The chain of an argument; `properties` are for a configuration. Errors: UsageError.

    >>> chain_of([Filter("DocLength", low=3)]) == chain_of({"class": "DocLength", "low": 3})
    True
    """
    if isinstance(given, (str, bytes, os.PathLike)):
        return FilterChain.from_file(given, properties=properties)
    _refuse(properties)
    return given if isinstance(given, FilterChain) else FilterChain(given)


def _refuse(properties: object) -> None:
    if properties is not None:
        raise UsageError("properties: they are for a configuration file; a chain has its values")


@contextmanager
def chains_in_files(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Options of a command, in which chains (`config`, and values of `properties`) are files while it runs.

    Commands know a chain by what is in it: a run that is done is known again whatever its file was called.
    """
    with tempfile.TemporaryDirectory(prefix="uzushio-") as folder:
        named = dict(options)
        config = named.get("config")
        if config is not None and not isinstance(config, (str, bytes, os.PathLike)):
            _refuse(named.get("properties"))
            named["config"] = _file_of(config, Path(folder, "chain.conf"))
        if isinstance(properties := named.get("properties"), Mapping):
            named["properties"] = {
                name: _file_of(value, Path(folder, f"{number}.conf")) if isinstance(value, FilterChain) else value
                for number, (name, value) in enumerate(properties.items())
            }
        yield named


def _file_of(chain: Any, path: Path) -> Path:
    if isinstance(chain, FilterChain):
        chain.to_file(path)
    else:  # stages may compare documents, which a FilterChain does not
        text = to_json(items_of(chain, "config"))
        _core.FilterChain.make(text, may_compare=True)
        path.write_text(f'{{"filters": {text}}}\n', encoding="utf-8")
    return path
