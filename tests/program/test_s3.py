"""Inputs on S3: servers of its own on this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_store import SERVERS, ObjectStore, serve_store
from pages import page
from program import PROGRAM
from warc_builder import build


@pytest.fixture(name="store", params=SERVERS)
def make_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """An empty one."""
    with serve_store(request.param) as store:
        yield store


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_archives_on_s3_are_read(store: ObjectStore, scheme: str, tmp_path: Path) -> None:
    """By their names, by folders and by globs; what is not there is a clear error."""
    for part in range(2):
        store.put(f"2023/{part}.warc.gz", build([page(number) for number in range(part, part + 3)], "warc.gz"))
    lacking = subprocess.run(
        [PROGRAM, "doctor"], capture_output=True, env=store.environment, check=False
    ).returncode

    def extract(name: str, code: int = 0) -> str:
        uri = f"{scheme}://store/{name}"
        return store.run(PROGRAM, "extract", uri, "--output", tmp_path / "out", "--overwrite", code=code)

    for name in ("2023", "2023/*.warc.gz"):
        assert "6 documents" in extract(name)
    assert f"{scheme}://store/2023: a folder, which can be read" in store.run(
        PROGRAM, "doctor", f"{scheme}://store/2023", code=lacking
    )
    assert f"missing  {scheme}://store/2024: " in store.run(PROGRAM, "doctor", f"{scheme}://store/2024", code=1)
    assert "3 documents" in extract("2023/1.warc.gz")
    assert f"{scheme}://store/2024: no such file or folder" in extract("2024", code=2)
    if (PROGRAM.parent / "python").is_dir():
        script = f"import uzushio; print(len(list(uzushio.read_warc('{scheme}://store/2023/0.warc.gz'))), 'documents')"
        path = str(PROGRAM.parent / "python")
        assert store.run(sys.executable, "-c", script, PYTHONPATH=path) == "3 documents\n"
