"""Types of uzushio._stages, from the options that the program declares: `stage_stubs.py PROGRAM OUTPUT`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HEAD = """# Made by tools/stage_stubs.py of the options that `uzushio options --form json` tells.
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, overload

from uzushio._chains import ChainLike
from uzushio._commands import Inputs, Path
from uzushio._filters import FilterChain
from uzushio._progress import Progress
from uzushio._summaries import (
    DecontaminateSummary,
    ExtractSummary,
    FilterSummary,
    HostListsSummary,
    HostsSummary,
    IndexSummary,
    MetricsSummary,
    MinHashSummary,
    OverlapSummary,
    ReportSummary,
    RobotsTxtSummary,
    RunSummary,
    StatisticsSummary,
    TrainClassifierSummary,
    TrainLanguageSummary,
    TrainLmSummary,
)
from uzushio._table_inputs import TableInputs
"""

SUMMARIES = {
    "run": "RunSummary",
    "extract": "ExtractSummary",
    "index": "IndexSummary",
    "robots-txt": "RobotsTxtSummary",
    "stats": "StatisticsSummary",
    "merge": "StatisticsSummary",
    "filter": "FilterSummary",
    "clean": "FilterSummary",
    "metrics": "MetricsSummary",
    "minhash": "MinHashSummary",
    "decontaminate": "DecontaminateSummary",
    "overlap": "OverlapSummary",
    "report": "ReportSummary",
    "train-language": "TrainLanguageSummary",
    "train-classifier": "TrainClassifierSummary",
    "hosts": "HostsSummary",
    "host-lists": "HostListsSummary",
    "train-lm": "TrainLmSummary",
}

TABLES = {"stats", "merge", "minhash"}
"""The commands whose inputs may be in memory (COMMANDS of uzushio._table_inputs)."""

TYPES = {"flag": "bool", "integer": "int", "size": "int | str", "share": "float", "text": "str", "path": "Path"}


def annotation(option: dict[str, Any]) -> str:
    """The type of one option's keyword."""
    if option["name"] == "P":
        return "Mapping[str, str | float | FilterChain] | None"
    if option["name"] == "config":
        return "ChainLike" if option["required"] else "ChainLike | None"
    one = TYPES[option["type"]]
    if option["choices"]:
        one = f"Literal[{', '.join(json.dumps(choice) for choice in option['choices'])}]"
    if option["implicit_value"] is not None:
        one = f"bool | {one}"
    if option["list"]:
        one += f" | Iterable[{one}]" if option["type"] in ("text", "path") else f" | Sequence[{one}]"
    return one if option["type"] == "flag" or option["required"] else f"{one} | None"


def keyword(option: dict[str, Any]) -> str:
    """One parameter."""
    default = "" if option["required"] else " = False" if option["type"] == "flag" else " = None"
    return f"    {option['keyword']}: {annotation(option)}{default},\n"


def function(command: dict[str, Any]) -> str:
    """The signature of a command's function."""
    options = [option for option in command["options"] if option["python"] and option["name"] != "output"]
    keywords = "".join(keyword(option) for option in options)
    name = command["name"].replace("-", "_")
    positional = command["positional"]
    inputs = "TableInputs" if command["name"] in TABLES else "Inputs"
    first = f"inputs: {inputs}" if positional["list"] else f"{positional['name'].lower()}: Path | None"
    rest = f"{keywords}    progress: Progress | bool | None = None,\n) -> {SUMMARIES[command['name']]}: ...\n"
    one = f"def {name}(\n    {first},\n    output: Path,\n    *,\n{rest}"
    if positional["required"]:
        return one
    return f"@overload\n{one}@overload\ndef {name}(\n    {first} = ...,\n    *,\n    output: Path,\n{rest}"


def main() -> None:
    """Writes the file where it has changed."""
    program, output = sys.argv[1], Path(sys.argv[2])
    commands = json.loads(
        subprocess.run([program, "options", "--form", "json"], check=True, capture_output=True).stdout
    )
    stages = [command for command in commands if any(option["name"] == "output" for option in command["options"])]
    text = HEAD + "\n" + "".join(map(function, stages)) + "def explain(doc_id: str, folder: Path) -> str: ...\n"
    if not output.exists() or output.read_text() != text:
        output.write_text(text)


if __name__ == "__main__":
    main()
