"""Rows of a benchmark: the table that is printed, and build/bench/NAME.json."""

from __future__ import annotations

import json
import statistics
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Row:
    """One figure: its median, what it is measured on, and the target that it is held against."""

    metric: str
    value: float
    unit: str
    target: float | None = None
    better: str = "higher"
    input: str = ""
    threads: int = 1
    samples: list[float] = field(default_factory=list)
    holds: bool | None = None
    commit: str = ""


def row(metric: str, samples: list[float], unit: str, **more: object) -> Row:
    """A row of the samples' median."""
    result = Row(metric, statistics.median(samples), unit, samples=[round(s, 4) for s in samples])
    for name, value in more.items():
        setattr(result, name, value)
    if result.target is not None:
        higher = result.better == "higher"
        result.holds = result.value >= result.target if higher else result.value <= result.target
    return result


def write(name: str, rows: list[Row]) -> None:
    """Prints the table and writes the JSON."""
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    for item in rows:
        item.commit = head.stdout.strip()
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps([asdict(r) for r in rows], indent=1) + "\n")
    width = max(len(r.metric) for r in rows)
    for item in rows:
        target = ""
        if item.target is not None:
            sign = "≥" if item.better == "higher" else "≤"
            target = f"target {sign} {item.target:g}: {'holds' if item.holds else 'FALLS SHORT'}"
        low, high = min(item.samples), max(item.samples)
        print(f"{item.metric:<{width}}  {item.value:9.3f} {item.unit:<8} [{low:.3f} … {high:.3f}]  {target}")
    print(f"written to build/bench/{name}.json")
