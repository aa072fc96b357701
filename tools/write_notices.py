"""What a wheel holds besides our own code, with the licences: `write_notices.py OUTPUT BINARY...`.

Pinned sources and crates are linked in, npm packages are in the page of reports; Arrow's libraries are those of
pyarrow; libraries of the distribution are those that the binaries ask for, which auditwheel carries into the wheel.
What has no text at hand is only named.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "build" / "sources"
TEXTS = re.compile(r"(?i)(licen[cs]e|copying|notice|unlicense)([-.][\w.-]+)?$")
# Headers that are compiled in, by package.
HEADERS = ["nlohmann-json3-dev", "rapidjson-dev", "libcli11-dev"]
# What auditwheel carries into no wheel: of the platform (the list of manylinux); Arrow's, which are there already.
NOT_OURS = re.compile(r"linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|z|stdc\+\+|gcc_s)\.so|libarrow|libparquet", re.ASCII)

# What is linked into Arrow's libraries and not named in the licence that comes with them.
OF_ARROW = {
    "Abseil": "Apache-2.0",
    "AWS SDK for C++, aws-c-*, s2n-tls": "Apache-2.0",
    "Azure SDK for C++": "MIT",
    "bzip2": "bzip2-1.0.6",
    "crc32c": "BSD-3-Clause",
    "google-cloud-cpp": "Apache-2.0",
    "JSON for Modern C++": "MIT",
    "libcurl": "curl",
    "libxml2": "MIT",
    "mimalloc": "MIT",
    "simdjson": "Apache-2.0 OR MIT",
    "uriparser": "BSD-3-Clause",
    "utf8proc": "MIT",
}

HEAD = """\
Uzushio is licensed under the Apache License, Version 2.0. This package holds, besides, the works below under their
licences. KenLM is under the GNU Lesser General Public License: the sources of all of Uzushio, and the script that
builds this package of them with any version of KenLM, come with Uzushio (`./dev wheel`).
"""


@dataclass(frozen=True)
class Work:
    """Something that is not ours."""

    name: str
    terms: str
    texts: tuple[str, ...]


def texts_in(folder: Path) -> tuple[str, ...]:
    """The licences that lie in a folder."""
    found = sorted(path for path in folder.iterdir() if path.is_file() and TEXTS.match(path.name))
    return tuple(path.read_text(encoding="utf-8", errors="replace").strip() for path in found)


def pinned() -> list[Work]:
    """The C++ sources. Their versions are those of requirements/sources.txt."""
    terms = {"lexbor": "Apache-2.0", "kenlm": "LGPL-2.1-or-later"}
    terms |= {"liblinear": "BSD-3-Clause", "ada": "MIT OR Apache-2.0", "fasttext": "MIT"}
    works = [Work(name, terms[name], texts_in(SOURCES / name)) for name in terms]
    inner = "kenlm/util/double-conversion"
    return [*works, Work(f"double-conversion (in {inner})", "BSD-3-Clause", texts_in(SOURCES / inner))]


def crates() -> list[Work]:
    """The Rust crates that the library is linked of."""
    rustc = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    platform, version = (rustc.partition(f"{name}: ")[2].split("\n")[0] for name in ("host", "release"))
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--offline", f"--filter-platform={platform}"]
    command += ["--manifest-path", str(ROOT / "native" / "Cargo.toml")]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    packages = {package["id"]: package for package in told["packages"]}
    nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
    linked: set[str] = set()
    ahead = [told["resolve"]["root"]]
    while ahead:
        for dependency in nodes[ahead.pop()]["deps"]:
            crate = dependency["pkg"]
            of_build = all(kind["kind"] is not None for kind in dependency["dep_kinds"])
            if crate not in linked and not of_build and not is_macro(packages[crate]):
                linked.add(crate)
                ahead.append(crate)
    works = [work_of(packages[crate]) for crate in linked]
    return [*works, Work(f"Rust's standard library {version}", "MIT OR Apache-2.0", ())]


def is_macro(package: dict[str, Any]) -> bool:
    """Whether a crate is code of the compiler, not of the library."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def work_of(package: dict[str, Any]) -> Work:
    """A crate, with the licences in its folder or, of one in the pinned sources, above it."""
    folder = Path(package["manifest_path"]).parent
    texts = texts_in(folder)
    while not texts and SOURCES in folder.parents:
        folder = folder.parent
        texts = texts_in(folder)
    return Work(f"{package['name']} {package['version']}", package["license"] or "see below", texts)


def libraries(binaries: list[str]) -> list[Work]:
    """Libraries of the distribution, by the packages that they are of."""
    told = subprocess.run(["ldd", *binaries], capture_output=True, text=True, check=True).stdout
    files = {path for name, path in re.findall(r"^\s+(\S+) => (\S+)", told, re.MULTILINE) if not NOT_OURS.match(name)}
    packages = {package_of(Path(path)) or Path(path).name for path in files} | set(HEADERS)
    return [of_distribution(package) for package in packages]


def package_of(path: Path) -> str | None:
    """The package that a file is of, if any; where /lib is a link, it may be known by the other name."""
    if shutil.which("dpkg-query") is None:
        return None
    for name in (path.resolve(), Path("/usr", *path.resolve().parts[1:]), Path("/", *path.resolve().parts[2:])):
        found = subprocess.run(["dpkg-query", "-S", str(name)], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    return None


def of_distribution(package: str) -> Work:
    """What the package says of itself; of what is no package, only that it is of this system."""
    copyright_file = Path("/usr/share/doc", package, "copyright")
    if shutil.which("dpkg-query") is None or not copyright_file.is_file():
        return Work(package, "of the system that this was built on", ())
    asked = ["dpkg-query", "-W", "-f", "${Version}", package]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    text = copyright_file.read_text(encoding="utf-8", errors="replace").strip()
    terms = dict.fromkeys(re.findall(r"^License: *(\S.*)$", text, re.MULTILINE))
    return Work(f"{package} {version}", ", ".join(terms) or "see below", (text,))


def of_package(package: str, name: str, terms: str) -> Work:
    """What a Python package carries, with the licences in it."""
    of = metadata.distribution(package)
    files = [file for file in of.files or [] if TEXTS.match(Path(file).name)]
    return Work(f"{name} {of.version}", terms, tuple(str(file.read_text()).strip() for file in files))


def page() -> list[Work]:
    """The npm packages that the page of reports is bundled of: those of the lock file that are not its tools."""
    modules = ROOT / "build" / "report" / "node_modules"
    locked = json.loads((ROOT / "report" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    works = []
    for path, package in locked.items():
        name = path.removeprefix("node_modules/")
        if path and not package.get("dev") and "esbuild" not in name:
            terms = package.get("license", "see below")
            works.append(Work(f"{name} {package['version']}", terms, texts_in(modules / name)))
    return works


def packages() -> list[Work]:
    """The bindings' library; Arrow's libraries, whose licence has most of those of what is linked into them."""
    arrow = of_package("pyarrow", "Apache Arrow C++", "Apache-2.0, and below for what is linked into it")
    inner = [Work(f"{name} (in Apache Arrow C++)", terms, ()) for name, terms in OF_ARROW.items()]
    return [of_package("nanobind", "nanobind", "BSD-3-Clause"), arrow, *inner]


def main() -> None:
    """Writes each text once, under the names of the works that it is of."""
    output, binaries = Path(sys.argv[1]), sys.argv[2:]
    found = {*pinned(), *crates(), *page(), *libraries(binaries), *packages()}
    works = sorted(found, key=lambda work: work.name.lower())
    if bare := [work.name for work in works if not work.texts and work.terms == "see below"]:
        raise SystemExit(f"nothing says what these may be used for: {bare}")
    of_text: dict[str, list[str]] = defaultdict(list)
    for work in works:
        for text in work.texts:
            of_text[text].append(work.name)
    parts = [HEAD, *(f"  {work.name}: {work.terms}" for work in works)]
    parts += [f"\n{'=' * 80}\n{', '.join(names)}\n{'=' * 80}\n\n{text}" for text, names in of_text.items()]
    output.write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
