"""Filters by functions of their own: their types are in _constructors.pyi, which is made of the declarations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from uzushio._arguments import check_names

if TYPE_CHECKING:
    from uzushio._filters import Filter, FilterDeclaration


class FilterConstructors:
    """What `Filter` has of functions: one for each filter, with its parameters as keywords."""


def add_constructors(kind: type[Filter], declarations: dict[str, FilterDeclaration]) -> None:
    """Gives the class a function for each filter."""
    for declaration in declarations.values():
        setattr(FilterConstructors, declaration.name, staticmethod(_constructor(kind, declaration)))


def _constructor(kind: type[Filter], declaration: FilterDeclaration) -> Callable[..., Filter]:
    names = [parameter.name for parameter in declaration.parameters]

    def make(**parameters: Any) -> Filter:
        check_names(f"Filter.{declaration.name}", parameters, names)
        return kind(declaration.name, **parameters)

    meanings = "\n".join(f"    {parameter.name}: {parameter.meaning}" for parameter in declaration.parameters)
    make.__doc__ = f"{declaration.summary}\n\n{meanings}".rstrip()
    make.__name__ = declaration.name
    make.__qualname__ = f"Filter.{declaration.name}"
    make.__module__ = kind.__module__
    keywords = [
        inspect.Parameter(
            parameter.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if parameter.default is None else parameter.default,
        )
        for parameter in declaration.parameters
    ]
    make.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    return make
