"""Servers of S3 on this machine, and what is on them."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import boto3  # type: ignore[import-untyped]
import pytest
from moto.server import ThreadedMotoServer
from sanitized import first_sanitized
from versitygw import BINARY, KEY, MISSING, SECRET, serve, serve_versitygw

SERVERS = ("moto", "versitygw")
"""moto takes any signature, and is there in each environment of the tests; versitygw is a server that people use."""
ON_EACH_SERVER = pytest.mark.parametrize("store", first_sanitized(SERVERS), indirect=True)
"""Tests in which a server may answer in its own way; moto is enough for what is built on that, and for sanitizers."""


class ObjectStore:
    """A bucket, `store`."""

    def __init__(self, url: str, folder: str) -> None:
        """`folder` is for what commands make before it is put: its names tell only what the place is called."""
        self.environment = {
            **os.environ,
            "TMPDIR": folder,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": url,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        self.client: Any = boto3.client(
            "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET
        )
        self.client.create_bucket(Bucket="store")

    def run(self, *command: object, code: int = 0, **more: str) -> str:
        """What a command that reaches the store says; it must exit with `code`."""
        return self.run_in(None, *command, code=code, **more)

    def run_in(self, folder: Path | None, /, *command: object, code: int = 0, **more: str) -> str:
        """The same in a folder."""
        environment = self.environment | more
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, env=environment, cwd=folder, check=False
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    uri = "s3://store"

    def checksums(self, prefix: str) -> dict[str, str]:
        """Of all objects below a folder, by names without it, and without those by which Arrow marks folders."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="store", Prefix=prefix + "/")
        found = [(str(item["Key"]), str(item["ETag"])) for page in pages for item in page.get("Contents", [])]
        return {key.removeprefix(prefix + "/"): checksum for key, checksum in found if not key.endswith("/")}

    def sizes(self, prefix: str) -> dict[str, int]:
        """Of the same objects."""
        return {name: len(self.get(f"{prefix}/{name}")) for name in self.names(prefix)}

    def names(self, prefix: str) -> list[str]:
        """Those of all objects below a folder, without it, and without those by which Arrow marks folders."""
        return sorted(self.checksums(prefix))

    def uploads(self) -> list[Any] | None:
        """Those in parts that were neither completed nor aborted; None where a store does not tell."""
        return list(self.client.list_multipart_uploads(Bucket="store").get("Uploads", []))

    def put(self, name: str, content: bytes = b"") -> None:
        """An object."""
        self.client.put_object(Bucket="store", Key=name, Body=content)

    def put_folder(self, folder: Path) -> None:
        """The files of a local folder, below its name."""
        for path in folder.iterdir():
            self.put(f"{folder.name}/{path.name}", path.read_bytes())

    def get(self, name: str) -> bytes:
        """What an object has."""
        return bytes(self.client.get_object(Bucket="store", Key=name)["Body"].read())

    def delete(self, name: str) -> None:
        """Removes an object."""
        self.client.delete_object(Bucket="store", Key=name)

    def manifest(self, prefix: str) -> Any:
        """That of an output."""
        return json.loads(self.get(f"{prefix}/.uzushio/manifest.json"))

    def copy(self, prefix: str, folder: Path) -> Path:
        """A local copy of a folder, as other programs make it."""
        for name in self.names(prefix):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.get(f"{prefix}/{name}"))
        return folder

    def check_files(self, prefix: str) -> None:
        """An output is what its manifest lists, and nothing else."""
        manifest = self.manifest(prefix)
        listed = [file["path"] for file in manifest["files"]]
        assert self.names(prefix) == sorted([*listed, ".uzushio/manifest.json"])
        for file in manifest["files"]:
            assert len(self.get(f"{prefix}/{file['path']}")) == file["bytes"]
            assert manifest["name_hash"] in file["path"]

    def check(self, prefix: str) -> None:
        """The same, and no upload is left, and no mark of a folder but one."""
        self.check_files(prefix)
        marks = self.client.list_objects_v2(Bucket="store", Prefix=f"{prefix}/.uzushio/")["Contents"]
        assert {item["Key"] for item in marks if item["Key"].endswith("/")} <= {f"{prefix}/.uzushio/"}
        assert not self.uploads()


_OF_A_HOP = ("content-length", "transfer-encoding", "connection", "expect")


class _Handler(BaseHTTPRequestHandler):
    """Hands requests on, but for those that are to fail."""

    protocol_version = "HTTP/1.1"
    server: FaultyProxy

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while length := int(self.rfile.readline(), 16):
            body += self.rfile.read(length)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def _hand_on(self) -> None:
        body = self._body()
        if self.server.fails(self.command, self.path):
            self.send_response(self.server.status)
            for name, value in self.server.said.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        there = http.client.HTTPConnection(self.server.host, self.server.port)
        given = {name: value for name, value in self.headers.items() if name.lower() not in _OF_A_HOP}
        there.request(self.command, self.path, body, given | {"Content-Length": str(len(body))})
        answer = there.getresponse()
        content = answer.read()
        self.server.was_answered()
        end = self.server.end_of_answer(self.path, content)
        if end is None:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in (*_OF_A_HOP, "date", "server"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", length or "0")
        self.end_headers()
        self.wfile.write(content[:end])
        self.close_connection |= end < len(content)
        there.close()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _hand_on

    def handle_expect_100(self) -> bool:
        """Asks for a body only where there is one: Azure's library can not read an error that comes with this."""
        return self.headers.get("Content-Length") == "0" or super().handle_expect_100()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class FaultyProxy(ThreadingHTTPServer):
    """Before a store: requests of a method whose paths match are refused; `refused` counts them."""

    daemon_threads = True
    request_queue_size = 128  # a client waits a second for a connection

    def __init__(self, url: str = "http://127.0.0.1", method: str = "", pattern: str = "") -> None:
        """Of the store; its port may be set later."""
        super().__init__(("127.0.0.1", 0), _Handler)
        place = urlsplit(url)
        self.host, self.port = str(place.hostname), int(place.port or 80)
        self.method, self.pattern, self.refused = method, pattern, 0
        self.status = 403  # of refusals; no client tries these again
        self.said: dict[str, str] = {}  # headers of refusals

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def fails(self, method: str, path: str) -> bool:
        """Whether a request is refused."""
        failing = method == self.method and re.search(self.pattern, path) is not None
        self.refused += failing
        return failing

    def end_of_answer(self, path: str, content: bytes) -> int | None:
        """How many bytes of an answer's body are handed back before the connection ends; None: not even its head."""
        return len(content)

    def was_answered(self) -> None:
        """The store has done what a request wants, and its answer is not handed back yet."""


class RefusingProxy(FaultyProxy):
    """Lets the first `passed` matching requests through, and refuses `most` of them and every `every`th request."""

    spared = ""  # a method whose requests are not counted for `every`

    def __init__(self, url: str = "http://127.0.0.1") -> None:
        super().__init__(url)
        self.passed = self.every = self.seen = 0
        self.most = 1 << 30
        self.lock = threading.Lock()

    def fails(self, method: str, path: str) -> bool:
        """Whether a request is refused."""
        with self.lock:
            failing = super().fails(method, path)
            if failing and (self.passed > 0 or self.refused > self.most):
                self.passed -= self.passed > 0
                self.refused -= 1
                failing = False
            self.seen += method != self.spared
            if method != self.spared and self.every > 0 and self.seen % self.every == 0:
                self.refused += 1
                failing = True
            return failing


class RefusingStore(ObjectStore):
    """A bucket whose commands go through a proxy that refuses."""

    def __init__(self, url: str, proxy: RefusingProxy, folder: str) -> None:
        super().__init__(url, folder)
        self.environment["AWS_ENDPOINT_URL"] = proxy.url
        self.proxy = proxy


Proxy = TypeVar("Proxy", bound=FaultyProxy)


@contextmanager
def serving(proxy: Proxy) -> Iterator[Proxy]:
    """As long as this lasts."""
    thread = threading.Thread(target=proxy.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()


@contextmanager
def serve_behind(proxy: FaultyProxy, command: list[str]) -> Iterator[tuple[str, str]]:
    """A server that chooses its port, behind a proxy: its address, and a folder for what commands make."""
    with proxy, tempfile.TemporaryDirectory(prefix="uzushio-store-") as made, serve(command, Path(made) / "log") as url:
        proxy.port = int(url.rpartition(":")[2])
        temporary = Path(made) / "temporary"
        temporary.mkdir()
        with serving(proxy):
            yield url, str(temporary)


@contextmanager
def serve_faulty(store: ObjectStore, method: str, pattern: str) -> Iterator[tuple[FaultyProxy, dict[str, str]]]:
    """A proxy before a store, and what leads a command to it."""
    with serving(FaultyProxy(store.environment["AWS_ENDPOINT_URL"], method, pattern)) as proxy:
        yield proxy, {"AWS_ENDPOINT_URL": proxy.url}


@contextmanager
def _serve_moto() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        with urlopen(Request(f"{url}/moto-api/reset", method="POST")):  # all servers of a process have the same buckets
            pass
        yield url
    finally:
        server.stop()


@contextmanager
def _serve_s3(server: str) -> Iterator[tuple[str, str]]:
    """One of SERVERS: its address, and a folder for what commands make."""
    if server == "versitygw" and not BINARY.exists():
        pytest.skip(MISSING)
    with tempfile.TemporaryDirectory(prefix="uzushio-store-") as made:
        temporary, buckets = Path(made) / "temporary", Path(made) / "buckets"
        temporary.mkdir()
        buckets.mkdir()
        with _serve_moto() if server == "moto" else serve_versitygw(buckets, Path(made) / "log") as url:
            yield url, str(temporary)


@contextmanager
def serve_store(server: str = "moto") -> Iterator[ObjectStore]:
    """One of SERVERS as long as this lasts, with an empty bucket."""
    with _serve_s3(server) as (url, folder):
        yield ObjectStore(url, folder)


@contextmanager
def serve_refusing_store(server: str) -> Iterator[RefusingStore]:
    """The same behind a proxy."""
    with _serve_s3(server) as (url, folder), serving(RefusingProxy(url)) as proxy:
        yield RefusingStore(url, proxy, folder)
