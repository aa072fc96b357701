"""Types of uzushio._constructors, from the filters that the module declares: `filter_stubs.py MODULE_FOLDER OUTPUT`."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

HEAD = '''# Made by tools/filter_stubs.py of the filters that are declared.
from collections.abc import Sequence
from typing import Literal

from uzushio._filters import Filter, FilterDeclaration

class FilterConstructors:
    """What `Filter` has of functions: one for each filter, with its parameters as keywords."""

'''

TAIL = """
def add_constructors(kind: type[Filter], declarations: dict[str, FilterDeclaration]) -> None: ...
"""

TYPES = {"int": "int", "float": "float", "bool": "bool", "str": "str", "list[str]": "str | Sequence[str]"}


def annotation(parameter: dict[str, Any]) -> str:
    """The type of one parameter."""
    choices = parameter["choices"]
    if not choices:
        return TYPES[parameter["type"]]
    one = f"Literal[{', '.join(json.dumps(choice) for choice in choices)}]"
    return f"{one} | Sequence[{one}]" if parameter["type"] == "list[str]" else one


def keyword(parameter: dict[str, Any]) -> str:
    """One parameter, with its default, which editors show."""
    default = parameter.get("default")
    shown = "" if default is None else f" = {default!r}" if isinstance(default, (int, float, str)) else " = ..."
    return f"        {parameter['name']}: {annotation(parameter)}{shown},\n"


def function(item: dict[str, Any]) -> str:
    """The constructor of one filter."""
    keywords = "".join(map(keyword, item["parameters"]))
    lines = "".join(f"        {one['name']}: {one['help']}\n" for one in item["parameters"])
    text = f"{item['summary']}\n\n{lines}        ".replace("\\", "\\\\") if lines else item["summary"]
    arguments = f"\n        *,\n{keywords}    " if keywords else ""
    return f'    @staticmethod\n    def {item["name"]}({arguments}) -> Filter:\n        """{text}"""\n'


def main() -> None:
    """Writes the file where it has changed."""
    sys.path.insert(0, sys.argv[1])
    items = json.loads(importlib.import_module("_core").filters())
    text = HEAD + "\n".join(map(function, items)) + TAIL
    output = Path(sys.argv[2])
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
