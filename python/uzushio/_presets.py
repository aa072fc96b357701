"""Configurations that are installed with the module."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from uzushio._errors import UsageError

_FOLDER = Path(__file__).parent / "presets"
_PROPERTY = re.compile(r" {3}-P (\w+)=(\S+) +(.*)")


@dataclass(frozen=True, repr=False)
class Preset:
    """A configuration that is known by its name.

    `kind` is where it is named: a `chain` as `config` of `filter` and `metrics`, and in `FilterChain.from_file`; a
    `clean` one as `config` of `clean`; a `pipeline` as `preset` of `run`. `summary` says what it is, `properties` the
    values that it takes, by name, and what they mean. `path` is the file, to be read or copied.

    >>> import uzushio
    >>> [preset] = [one for one in uzushio.presets() if (one.kind, one.name) == ("pipeline", "swallow")]
    >>> preset.summary[:40], list(preset.properties)
    ('From web archives to clean text without ', ['ng_words', 'host_lists', 'markdown'])
    """

    name: str
    kind: Literal["chain", "clean", "pipeline"]
    summary: str
    properties: dict[str, str]
    path: Path

    def __repr__(self) -> str:
        """Its kind and name, and the beginning of what it is.

        >>> import uzushio
        >>> uzushio.presets()[5]
        <Preset chain 'uzushio': The chain of the Uzushio corpus (pipeline_03a.conf of the or…>
        """
        most = 60
        return f"<Preset {self.kind} {self.name!r}: {self.summary[:most]}{'…' if len(self.summary) > most else ''}>"


def presets() -> list[Preset]:
    """The configurations that are installed, chains first, by name. Errors: UsageError where there is none.

    >>> import uzushio
    >>> [preset.name for preset in uzushio.presets() if preset.kind == "chain"]
    ['fineweb2-ja', 'llm-jp-v4', 'recommended', 'swallow', 'swallow-v2', 'uzushio']
    """
    files = [*_FOLDER.glob("*.conf"), *_FOLDER.glob("pipelines/*.conf")]
    if not files:
        raise UsageError(f"{_FOLDER}: no preset is installed; install the package again")
    return sorted(map(_preset, files), key=lambda one: (one.kind, one.name))


def _preset(path: Path) -> Preset:
    lines = path.read_text(encoding="utf-8").splitlines()
    is_chain = any(line.startswith("filters:") for line in lines)
    kind: Literal["chain", "clean", "pipeline"] = "chain" if is_chain else "clean"
    if path.parent.name == "pipelines":
        kind = "pipeline"
    comment = [line.removeprefix("#") for line in lines[: next(n for n, line in enumerate(lines) if line[:1] != "#")]]
    blank = comment.index("") if "" in comment else len(comment)
    found = [match for line in comment if (match := _PROPERTY.fullmatch(line))]
    properties = {match[1]: match[3] for match in found}
    return Preset(path.stem, kind, " ".join(line.strip() for line in comment[:blank]), properties, path)
