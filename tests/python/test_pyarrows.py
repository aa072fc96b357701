"""The module of the wheel beside the oldest pyarrow that is supported, and beside the newest.

The wheel carries an Arrow of its own; what crosses between the two is the Arrow C Data Interface. Without a wheel in
build/wheels the tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import boto3  # type: ignore[import-untyped]
import pytest
from moto.server import ThreadedMotoServer
from pages import page
from program import ROOT
from warc_builder import build
from wheels import wheel_of_tests

pytestmark = pytest.mark.module

PYTHONS = {"oldest": ROOT / "build" / "oldest-venv" / "bin" / "python", "newest": Path(sys.executable)}
VERSIONS = {"oldest": "oldest.in", "newest": "build.in"}
pyarrows = pytest.mark.parametrize("which", PYTHONS)


@pytest.fixture(scope="module", name="package")
def unpack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `uzushio` of the wheel is in."""
    folder = tmp_path_factory.mktemp("package")
    with zipfile.ZipFile(wheel_of_tests()) as wheel:
        for member in wheel.infolist():
            path = Path(wheel.extract(member, folder))
            if (member.external_attr >> 16) & 0o111:
                path.chmod(0o755)
    return folder


def run(which: str, package: Path, *arguments: object, **settings: str) -> str:
    """What Python says with a pyarrow, the wheel's module and these arguments; it must say no more and end well."""
    python = PYTHONS[which]
    if not python.is_file():
        pytest.skip(f"no {python.relative_to(ROOT)}: ./dev setup")
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "PATH", "TMPDIR")}
    environment = {**kept, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", **settings}
    command = [str(python), "-X", "utf8", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def pinned(which: str) -> str:
    """The pyarrow of the environment."""
    lines = (ROOT / "requirements" / VERSIONS[which]).read_text("utf-8").splitlines()
    (version,) = (line.removeprefix("pyarrow==") for line in lines if line.startswith("pyarrow=="))
    return version


@pyarrows
def test_module(which: str, package: Path) -> None:
    """The module's own tests."""
    said = run(
        *(which, package, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
        *("-o", f"pythonpath=tests/support tools {package}", "tests/python/test_python.py"),
        "tests/python/test_arguments.py",
        UZUSHIO_BIN=str(package / "uzushio" / "bin" / "uzushio"),
    )
    assert " passed" in said


@pyarrows
@pytest.mark.parametrize("order", [["uzushio"], ["pyarrow"], ["uzushio", "global"], ["pyarrow", "global"]])
def test_two_arrows(which: str, order: list[str], package: Path) -> None:
    """Neither is taken for the other, in threads and pools of processes, whichever is first, and if all see all."""
    assert run(which, package, ROOT / "tests" / "support" / "two_arrows.py", *order) == f"{pinned(which)}\n"


@pyarrows
def test_preloaded_arrow(which: str, package: Path) -> None:
    """An Arrow that the system puts before all others."""
    folder = Path(run(which, package, "-c", "import pyarrow; print(pyarrow.get_library_dirs()[0])").strip())
    (library,) = folder.glob("libarrow.so.[0-9]*")
    script = ROOT / "tests" / "support" / "two_arrows.py"
    assert run(which, package, script, "uzushio", LD_PRELOAD=str(library)) == f"{pinned(which)}\n"


S3 = """
import pyarrow.fs, uzushio
def theirs():
    return pyarrow.fs.FileSystem.from_uri("s3://pages/0.warc.gz")[0].get_file_info("pages/0.warc.gz").size
def ours():
    return len(list(uzushio.read_warc("s3://pages/0.warc.gz")))
print(*[work() for work in ORDER], *[work() for work in ORDER])
"""


@pyarrows
@pytest.mark.parametrize("order", ["(ours, theirs)", "(theirs, ours)"])
def test_two_libraries_of_s3(which: str, order: str, package: Path) -> None:
    """Each has its own, which begins and ends."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
        store = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
        store.create_bucket(Bucket="pages")
        archive = build([page(number) for number in range(3)], "warc.gz")
        store.put_object(Bucket="pages", Key="0.warc.gz", Body=archive)
        settings = {"AWS_ENDPOINT_URL": url, "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}
        settings |= {name.upper(): value for name, value in keys.items()}
        sizes = {"(ours, theirs)": [3, len(archive)] * 2, "(theirs, ours)": [len(archive), 3] * 2}[order]
        said = run(which, package, "-c", S3.replace("ORDER", order), **settings)
        assert said.split() == [str(size) for size in sizes]
    finally:
        server.stop()
