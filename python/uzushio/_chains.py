"""Chains wherever one is an argument: a FilterChain, filters, or a configuration."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uzushio import _core
from uzushio._errors import InputError, UsageError
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
    config, properties = options.get("config"), options.get("properties")
    chains: dict[str, Any] = {}
    if config is not None and not isinstance(config, (str, bytes, os.PathLike)):
        _refuse(properties)
        chains["config"] = config
    of_properties = properties if isinstance(properties, Mapping) else {}
    of_properties = {name: value for name, value in of_properties.items() if isinstance(value, FilterChain)}
    if not chains and not of_properties:
        yield options
        return
    with _folder() as folder:
        named = dict(options)
        for name, chain in chains.items():
            named[name] = _file_of(chain, Path(folder, "chain.conf"))
        if of_properties:
            files = {
                name: _file_of(chain, Path(folder, f"{number}.conf"))
                for number, (name, chain) in enumerate(of_properties.items())
            }
            named["properties"] = {**options["properties"], **files}
        yield named


def _folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="uzushio-")
    except OSError as error:
        raise InputError(f"a chain is given to a stage as a temporary file, and none can be made: {error}") from error


def _file_of(chain: Any, path: Path) -> Path:
    if isinstance(chain, FilterChain):
        chain.to_file(path)
    else:  # stages may compare documents, which a FilterChain does not
        text = to_json(items_of(chain, "config"))
        _core.FilterChain.make(text, may_compare=True)
        path.write_text(f'{{"filters": {text}}}\n', encoding="utf-8")
    return path
