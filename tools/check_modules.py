"""Holds the table of modules in docs/architecture.md against the includes of src/; fails with what is not allowed.

Looks as well for names of anonymous namespaces that two sources have: sources may be compiled as one. And for names
that a source takes from elsewhere and does not use: clang-tidy looks at sources together, and takes its neighbours' use
for its own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
OF_TESTS = "base/test_support.h"


def read_table() -> dict[str, set[str]]:
    """Which modules each module, or a file of one, may include by the table; `all above` are those of earlier rows."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    allowed: dict[str, set[str]] = {}
    for first, last in re.findall(r"^\| (`[^|]*) \|[^|]*\| ([^|]*) \|$", text, re.MULTILINE):
        named = set(re.findall(r"`([^`]+)`", last))
        if unknown := named - set(allowed):
            sys.exit(f"docs/architecture.md: {first} may include {sorted(unknown)}, which are no modules above it")
        if last.startswith("all above"):  # but those that are named
            named = set(allowed) - named
        allowed |= dict.fromkeys(re.findall(r"`([^`]+)`", first), named)
    return allowed


def calls_of(name: str, parameters: str) -> list[str]:
    """A function with its parameters' types, with and without those that have a default: as calls may name it."""
    each = [one.strip() for one in re.split(r",(?![^<]*>)", parameters) if one.strip()]
    needed = [one for one in each if "=" not in one]
    types = [re.sub(r"\s*\b\w+$", "", one.partition("=")[0].strip()) for one in each]
    return [f"{name}({', '.join(types[:count])})" for count in range(len(needed), len(types) + 1)]


def own_names(text: str) -> dict[str, str]:
    """Constants, enumerators, types, and functions with their parameters, of a source's anonymous namespaces.

    Aliases are among them, with the type that each stands for; of others that is empty.
    """
    names: dict[str, str] = {}
    for part in re.findall(r"^namespace \{\n(.*?)^\}  // namespace\n", text, re.MULTILINE | re.DOTALL):
        found = re.findall(r"^(?:constexpr|const)\b[^=({]*?\b(\w+)(?:\[\w*\])* ?(?:=|\{)", part, re.MULTILINE)
        found += re.findall(r"^(?:enum class|class|struct|enum|union) (\w+)", part, re.MULTILINE)
        for enumerators in re.findall(r"^enum (?!class)[^{;]*\{([^}]*)\}", part, re.MULTILINE):
            found += re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"//.*", "", enumerators))
        begin = r"^(?:\[\[[\w:, ]*\]\] )?[a-zA-Z][\w:<>,&* ]* \*?&?"
        functions = re.findall(begin + r"(\w+)\(([^()]*)\)(?: const)? \{", part, re.MULTILINE)
        found += [call for name, parameters in functions for call in calls_of(name, parameters)]
        names |= dict.fromkeys(found, "")
        names |= dict(re.findall(r"^using (\w+) = ([^;]+);", part, re.MULTILINE))
    return names


def repeated_names() -> list[str]:
    """What two sources, two tests of a module, or two Python sources call alike, unless it is one type."""
    owners: dict[tuple[str, str], tuple[Path, str]] = {}
    wrong = []
    for path in sorted(SOURCES.rglob("*.cc")):
        name = path.relative_to(SOURCES)
        together = str(name.parent) if name.stem.endswith("_test") else str(name.parent == Path("bindings"))
        for own, of in sorted(own_names(path.read_text(encoding="utf-8")).items()):
            other, of_other = owners.setdefault((together, own), (name, of))
            if other != name and (of == "" or of != of_other):
                wrong.append(f"src/{name}: {own} is in src/{other}, too, and they may be compiled as one")
    return wrong


def unused_names(text: str) -> list[str]:
    """What using-declarations and aliases of namespaces bring in, and nothing uses."""
    code = re.sub(r"(?:^|\s)// [^\n]*", "", text)
    taken = re.findall(r"^\s*using (?:[\w:]+::)?(\w+);", code, re.MULTILINE)
    taken += re.findall(r"^\s*namespace (\w+) = ", code, re.MULTILINE)
    return [name for name in taken if len(re.findall(rf"\b{name}\b", code)) < 2]


def main() -> None:
    """Goes through all sources."""
    allowed = read_table()
    wrong = repeated_names()
    for path in sorted([*SOURCES.rglob("*.h"), *SOURCES.rglob("*.cc")]):
        name = path.relative_to(SOURCES)
        module = str(name.parent)
        unused = unused_names(path.read_text(encoding="utf-8")) if path.suffix == ".cc" else []
        wrong += [f"src/{name}: {own} is brought in, and not used" for own in unused]
        if module not in allowed:
            wrong.append(f"src/{name}: {module} is no module of the table")
            continue
        may = allowed.get(str(name), allowed[module])
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            of = str(Path(included).parent)
            if (SOURCES / included).is_file() and of != module and of not in may:
                wrong.append(f"src/{name}: includes {included}, and {module} may not include {of}")
            if included == OF_TESTS and not name.stem.endswith(("_test", "_test_support")):
                wrong.append(f"src/{name}: includes {included}, which is for tests")
    if not allowed or wrong:
        sys.exit("\n".join(wrong) or "docs/architecture.md: there is no table of modules")


if __name__ == "__main__":
    main()
