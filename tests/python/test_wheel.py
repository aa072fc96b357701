"""The wheel that `./dev wheel` has built: complete, clean under type checkers, and with nothing left behind.

It is installed in an environment of its own, from files only. Without a wheel in build/wheels the tests are skipped.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from program import PROGRAM, ROOT

WHEELS = ROOT / "build" / "wheels"
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"

pytestmark = [pytest.mark.module, pytest.mark.xdist_group("wheel")]

# What every Linux that the wheel is for has (the list of manylinux).
SYSTEM = re.compile(r"linux-vdso\.so|ld-linux-[\w-]+\.so|lib(c|m|dl|rt|pthread|z|stdc\+\+|gcc_s)\.so", re.ASCII)

SCRIPT = """
from pathlib import Path

import uzushio

page = uzushio.extract_html(Path("page.html").read_text(), url="http://example.jp/")
texts: list[str] = [paragraph.text for paragraph in page.paragraphs]
print(page.charset, texts)
"""


class Environment:
    """A virtual environment with the wheel in it."""

    def __init__(self, folder: Path) -> None:
        """Makes it, from the files in build/wheels only."""
        venv.create(folder, with_pip=False)
        self.bin = folder / "bin"
        self.packages = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
        pip: list[str | Path] = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
        pip += ["--python", self.bin / "python", "install", "--no-index", "--find-links", WHEELS, "uzushio"]
        subprocess.run(pip, check=True)

    def run(self, *command: str | Path) -> str:
        """What a command of the environment says, without this run's settings and outside this tree."""
        kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "TMPDIR")}
        kept["PATH"] = f"{self.bin}:/usr/bin:/bin"
        done = subprocess.run(command, cwd=self.bin, env=kept, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The environment that the tests share."""
    wheels = list(WHEELS.glob(f"uzushio-*-{TAG}-*.whl"))
    if not wheels:
        pytest.skip(f"no wheel of {TAG} in build/wheels; ./dev wheel builds one")
    if wheels[0].stat().st_mtime < PROGRAM.stat().st_mtime:
        pytest.skip(f"{wheels[0].name} is older than the program; ./dev wheel builds a new one")
    return Environment(tmp_path_factory.mktemp("wheel") / "environment")


def version() -> str:
    """The one in CMakeLists.txt."""
    found = re.search(r"project\(uzushio VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert found
    return found[1]


def test_holds_program_module_and_types(installed: Environment) -> None:
    """Everything that the package has, and the tools beside the program."""
    package = installed.packages / "uzushio"
    for name in (
        "py.typed",
        "_core.pyi",
        "__init__.py",
        "__main__.py",
        "spark/__init__.py",
        "spark/worker/tasks.py",
        "bin/uzushio",
    ):
        assert (package / name).is_file(), name
    for tool in ("lmplz", "build_binary"):
        assert os.access(package / "bin" / tool, os.X_OK), tool
    sources = {path.relative_to(ROOT / "python") for path in (ROOT / "python").rglob("*.py")}
    modules = [*package.rglob("*.py"), *installed.packages.glob("uzushio*.py")]
    assert {path.relative_to(installed.packages) for path in modules} == sources


def test_program_runs(installed: Environment) -> None:
    """As a command, as a module, and by its place in the package; its tools too."""
    program = installed.packages / "uzushio" / "bin" / "uzushio"
    for command in ([installed.bin / "uzushio"], [installed.bin / "python", "-m", "uzushio"], [program]):
        assert version() in installed.run(*command, "--version")
    assert (
        installed.run(installed.bin / "python", "-c", "import uzushio; print(uzushio.__version__)").strip() == version()
    )
    libraries = installed.run("ldd", program.with_name("lmplz"))
    assert "not found" not in libraries


def test_kernel_runs(installed: Environment) -> None:
    """A page through the module, in an environment that has pyarrow and nothing else."""
    script = "import uzushio; print(uzushio.extract_html('<p>これは<b>太い</b>字です。').paragraphs[0].text)"
    assert installed.run(installed.bin / "python", "-X", "utf8", "-c", script) == "これは太い字です。\n"


def test_libraries_travel(installed: Environment) -> None:
    """What is loaded comes from the wheel, from pyarrow, or is part of any Linux."""
    package = installed.packages / "uzushio"
    for binary in [*package.glob("_core*.so"), *(package / "bin").iterdir()]:
        for line in installed.run("ldd", binary).splitlines():
            name, _, place = line.strip().partition(" => ")
            if SYSTEM.match(Path(name.split()[0]).name):
                continue
            folder = Path(place.split()[0]).resolve().parent
            assert folder in (installed.packages / "pyarrow", installed.packages / "uzushio.libs"), f"{binary}: {line}"


def test_licences_travel(installed: Environment) -> None:
    """Our own, and those of what is linked in or lies beside; by the beginnings of names, which packages have too."""
    (own,) = installed.packages.glob("uzushio-*.dist-info/licenses/LICENSE")
    assert own.read_bytes() == (ROOT / "LICENSE").read_bytes()
    notices = (installed.packages / "uzushio" / "NOTICES.txt").read_text(encoding="utf-8")
    libraries = [path.name for path in (installed.packages / "uzushio.libs").iterdir()]
    beside = [re.match("lib[a-z]{1,5}", name)[0] for name in libraries]  # type: ignore[index]
    assert beside
    for work in ("lexbor", "kenlm", "sudachi ", "encoding_rs ", "nanobind ", "nlohmann-json3", *beside):
        assert f"\n  {work}" in notices, work
    for text in ("Apache License", "GNU LESSER GENERAL PUBLIC LICENSE", "Permission is hereby granted"):
        assert text in notices


def test_pins_of_pyarrow_agree() -> None:
    """The wheel asks for the series it was built with, which is that of the build's environment."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    built = dict(re.findall(r'"pyarrow==([\d.]+); python_version (>=|<) \'3\.11\'"', project))
    for pin, series in built.items():
        needed = re.search(rf'"pyarrow>=([\d.]+),<([\d.]+); python_version {series} \'3\.11\'"', project)
        assert needed
        assert needed[1] == pin
        major, minor = (int(part) for part in pin.split(".")[:2])
        assert needed[2] == f"{major}.{minor + 1}"
    (pinned,) = re.findall(r"pyarrow==([\d.]+)", (ROOT / "requirements" / "build.in").read_text(encoding="utf-8"))
    assert built[pinned] == ">="


def test_users_script_is_typed(installed: Environment, tmp_path: Path) -> None:
    """`mypy --strict` finds the types of an installed wheel."""
    mypy = ROOT / "build" / "lint-venv" / "bin" / "mypy"
    if not mypy.is_file():
        pytest.skip("no mypy: ./dev lint")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    said = subprocess.run(
        [mypy, "--strict", "--config-file=", "--python-executable", installed.bin / "python", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout
