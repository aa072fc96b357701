"""The wheel that `./dev wheel` has built: complete, clean under type checkers, and with nothing left behind.

It is installed in an environment of its own, from files only. Without a wheel in build/wheels the tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from program import ROOT
from wheels import WHEELS, wheel_of_tests

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
    wheel_of_tests()
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
        "presets/fineweb2-ja.conf",
        "presets/llm-jp-v4.conf",
        "presets/recommended.conf",
        "presets/swallow.conf",
        "presets/swallow-v2.conf",
        "presets/pipelines/fineweb2-ja.conf",
        "presets/pipelines/llm-jp-v4.conf",
        "presets/pipelines/recommended.conf",
        "presets/pipelines/swallow.conf",
        "presets/pipelines/swallow-v2.conf",
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


def test_shells_find_it(installed: Environment) -> None:
    """A page for each command, which `man` looks for beside the environment's programs, and completion."""
    share = installed.bin.parent / "share"
    names = json.loads(installed.run(installed.bin / "uzushio", "options", "--form", "json"))
    pages = {path.name: path.read_text(encoding="utf-8") for path in (share / "man" / "man1").iterdir()}
    assert set(pages) == {"uzushio.1", *(f"uzushio-{command['name']}.1" for command in names)}
    assert pages["uzushio-stats.1"] == installed.run(installed.bin / "uzushio", "man", "stats")
    for place, shell in {
        "bash-completion/completions/uzushio": "bash",
        "zsh/site-functions/_uzushio": "zsh",
        "fish/vendor_completions.d/uzushio.fish": "fish",
    }.items():
        assert (share / place).read_text("utf-8") == installed.run(installed.bin / "uzushio", "completion", shell)


def test_kernel_runs(installed: Environment) -> None:
    """A page through the module, in an environment that has pyarrow and nothing else."""
    script = "import uzushio; print(uzushio.extract_html('<p>これは<b>太い</b>字です。').paragraphs[0].text)"
    assert installed.run(installed.bin / "python", "-X", "utf8", "-c", script) == "これは太い字です。\n"


def test_libraries_travel(installed: Environment) -> None:
    """What is loaded comes from the wheel, or is part of any Linux."""
    package = installed.packages / "uzushio"
    for binary in [*package.glob("_core*.so"), *(package / "bin").iterdir(), *(package / "lib").iterdir()]:
        for line in installed.run("ldd", binary).splitlines():
            name, _, place = line.strip().partition(" => ")
            if SYSTEM.match(Path(name.split()[0]).name):
                continue
            folder = Path(place.split()[0]).resolve().parent
            assert folder in (package / "lib", installed.packages / "uzushio.libs"), f"{binary}: {line}"


def symbols(library: Path, *options: str) -> dict[str, str]:
    """The names that a library has for others, or wants of them, with their kinds."""
    command: list[str | Path] = ["nm", "-D", "--format=posix", *options, library]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name.partition("@")[0]: kind for name, kind in (line.split()[:2] for line in lines)}


def test_arrow_has_names_of_its_own(installed: Environment) -> None:
    """No library and no symbol of the wheel is called as one of pyarrow's, so none is taken for the other."""
    package = installed.packages / "uzushio"
    carried = sorted((package / "lib").iterdir())
    assert [path.name.partition(".")[0] for path in carried] == [
        "libuzushio_arrow",
        "libuzushio_arrow_compute",
        "libuzushio_arrow_s3",
        "libuzushio_parquet",
    ]
    (core,) = package.glob("_core*.so")
    assert set(symbols(core, "--defined-only")) == {"PyInit__core"}
    theirs: set[str] = set()
    for library in (installed.packages / "pyarrow").glob("lib*.so.*"):
        theirs |= set(symbols(library, "--defined-only"))
    platform = set().union(*(symbols(path, "--defined-only") for path in system_libraries(carried[0])))
    known = {"arrow_filesystem_get_registry"}  # which Arrow asks a library for that it has just loaded
    for binary in [core, package / "bin" / "uzushio", *carried]:
        assert set(symbols(binary)) & theirs - platform <= known, binary
        own = symbols(binary, "--defined-only")
        assert not [name for name, kind in own.items() if kind == "u" and not name.endswith(".uzushio")], binary
        said = subprocess.run(["readelf", "-d", binary], capture_output=True, text=True, check=True).stdout
        assert not re.findall(r"\[lib(?:arrow|parquet).*\]", said), binary


def system_libraries(library: Path) -> list[Path]:
    """The libraries of the system that one is linked with."""
    said = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    return [Path(found) for found in re.findall(r"=> (/\S+)", said)]


def test_licences_travel(installed: Environment) -> None:
    """Our own, and those of what is linked in or lies beside; by the beginnings of names, which packages have too."""
    (own,) = installed.packages.glob("uzushio-*.dist-info/licenses/LICENSE")
    assert own.read_bytes() == (ROOT / "LICENSE").read_bytes()
    notices = (installed.packages / "uzushio" / "NOTICES.txt").read_text(encoding="utf-8")
    libraries = [path.name for path in (installed.packages / "uzushio.libs").iterdir()]
    beside = [re.match("lib[a-z]{1,5}", name)[0] for name in libraries]  # type: ignore[index]
    assert beside
    for work in (
        "Apache Arrow C++ ",
        "lexbor",
        "kenlm",
        "fasttext",
        "sudachi ",
        "encoding_rs ",
        "nanobind ",
        "nlohmann-json3",
        "rapidjson",
        *beside,
    ):
        assert f"\n  {work}" in notices, work
    for text in ("Apache License", "GNU LESSER GENERAL PUBLIC LICENSE", "Permission is hereby granted"):
        assert text in notices


def test_pins_of_pyarrow_agree() -> None:
    """The wheel is built with what the build's environment has, and asks for what the oldest of tests has, or newer."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    asked = re.findall(r'"pyarrow>=([\d.]+)"', project)
    built = dict(re.findall(r'"pyarrow==([\d.]+); python_version (>=|<) \'3\.11\'"', project))

    def pinned(name: str) -> str:
        (pin,) = re.findall(r"^pyarrow==([\d.]+)$", (ROOT / "requirements" / name).read_text("utf-8"), re.MULTILINE)
        return str(pin)

    assert built[pinned("build.in")] == ">="
    assert [f"{version}.0.0" for version in asked] == [pinned("oldest.in")]


@pytest.mark.parametrize("compiler", [False, True])
def test_a_build_says_what_it_needs(compiler: bool, tmp_path: Path) -> None:
    """All at once, by the names that ./dev installs, where there is nothing but CMake, or a compiler, too."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("cmake", "ninja", *(("cc", "c++", "as", "ld") if compiler else ())):
        found = shutil.which(name)
        assert found, name
        (programs / name).symlink_to(found)
    said = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "build", "-DCMAKE_IGNORE_PREFIX_PATH=/;/usr;/usr/local"],
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode != 0
    named = set(re.findall(r"^    (\S+)", said.stderr, re.MULTILINE))
    assert ("g++" in named) != compiler
    (listed,) = re.findall(r"^packages=\((.*?)\)", (ROOT / "dev").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    of_tests = {"libgtest-dev", "libgmock-dev", "librapidcheck-dev"}
    of_choice = {"mold", "git", "ca-certificates", "python3", "python3-venv", "python3-dev"}
    pip_has = {"cmake", "ninja-build"}
    needed = {*listed.split(), "cargo"} - of_tests - of_choice - pip_has
    assert named == needed - ({"g++"} if compiler else set()), said.stderr


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
