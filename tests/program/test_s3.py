"""Inputs on S3: a server of its own on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import boto3  # type: ignore[import-untyped]
import pytest
from moto.server import ThreadedMotoServer
from pages import page
from program import PROGRAM
from warc_builder import build


@pytest.fixture(name="server")
def make_server() -> Iterator[str]:
    """An S3 server with the bucket `pages`; its URL."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_archives_on_s3_are_read(server: str, scheme: str, tmp_path: Path) -> None:
    """By their names, by folders and by globs; what is not there is a clear error."""

    store = boto3.client(
        "s3", endpoint_url=server, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    store.create_bucket(Bucket="pages")
    for part in range(2):
        archive = build([page(number) for number in range(part, part + 3)], "warc.gz")
        store.put_object(Bucket="pages", Key=f"2023/{part}.warc.gz", Body=archive)
    environment = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_ENDPOINT_URL": server,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }

    def run(*command: object, code: int = 0) -> str:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    lacking = subprocess.run([PROGRAM, "doctor"], capture_output=True, env=environment, check=False).returncode

    def extract(name: str, code: int = 0) -> str:
        uri = f"{scheme}://pages/{name}"
        return run(PROGRAM, "extract", uri, "--output", tmp_path / "out", "--overwrite", code=code)

    for name in ("2023", "2023/*.warc.gz"):
        assert "6 documents" in extract(name)
    assert f"{scheme}://pages/2023: a folder, which can be read" in run(
        PROGRAM, "doctor", f"{scheme}://pages/2023", code=lacking
    )
    assert f"missing  {scheme}://pages/2024: " in run(PROGRAM, "doctor", f"{scheme}://pages/2024", code=1)
    assert "3 documents" in extract("2023/1.warc.gz")
    assert f"{scheme}://pages/2024: no such file or folder" in extract("2024", code=2)
    if (PROGRAM.parent / "python").is_dir():
        script = f"import uzushio; print(len(list(uzushio.read_warc('{scheme}://pages/2023/0.warc.gz'))), 'documents')"
        environment["PYTHONPATH"] = str(PROGRAM.parent / "python")
        assert run(sys.executable, "-c", script) == "3 documents\n"
