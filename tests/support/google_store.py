"""A server of Google Cloud Storage on this machine, and what is on it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from object_store import FaultyProxy, ObjectStore, RefusingProxy, serve_behind

BINARY = Path(__file__).resolve().parent.parent.parent / "build" / "fake-gcs-server" / "fake-gcs-server"
MISSING = f"fake-gcs-server is not built: there is no {BINARY}; ./dev setup builds it where Go 1.25 or newer is"


class GoogleProxy(RefusingProxy):
    """Counts no PUT for `every`: after a 503, the client asks how much has arrived, and this server ends the upload."""

    spared = "PUT"


class GoogleBucket(ObjectStore):
    """A bucket, `store`, whose commands go through a proxy."""

    uri = "gs://anonymous@store"  # the server asks for no credentials

    def __init__(self, url: str, proxy: FaultyProxy, folder: str) -> None:
        """`folder` is for what commands make before it is put."""
        self.url = url
        self.environment = {
            **os.environ,
            "TMPDIR": folder,
            "CLOUD_STORAGE_EMULATOR_ENDPOINT": proxy.url,
        }
        self._ask("POST", "/storage/v1/b", json.dumps({"name": "store"}).encode())

    def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        asked = Request(self.url + path, body, {"Content-Type": "application/json"}, method=method)
        with urlopen(asked) as answer:
            return bytes(answer.read())

    def _items(self, prefix: str) -> dict[str, Any]:
        found = json.loads(self._ask("GET", f"/storage/v1/b/store/o?maxResults=1000&prefix={quote(prefix + '/')}"))
        assert "nextPageToken" not in found
        return {item["name"].removeprefix(prefix + "/"): item for item in found.get("items", [])}

    def sizes(self, prefix: str) -> dict[str, int]:
        """Of all objects below a folder, by their names without it."""
        return {name: int(item["size"]) for name, item in self._items(prefix).items()}

    def checksums(self, prefix: str) -> dict[str, str]:
        """Of all objects below a folder, by their names without it."""
        return {name: str(item["md5Hash"]) for name, item in self._items(prefix).items()}

    def uploads(self) -> None:
        """Google Cloud Storage does not list them."""

    def put(self, name: str, content: bytes = b"") -> None:
        """An object."""
        self._ask("POST", f"/upload/storage/v1/b/store/o?uploadType=media&name={quote(name, safe='')}", content)

    def get(self, name: str) -> bytes:
        """What an object has."""
        return self._ask("GET", f"/storage/v1/b/store/o/{quote(name, safe='')}?alt=media")

    def delete(self, name: str) -> None:
        """Removes an object, if it is there."""
        try:
            self._ask("DELETE", f"/storage/v1/b/store/o/{quote(name, safe='')}")
        except HTTPError as error:
            if error.code != HTTPStatus.NOT_FOUND:
                raise

    def check(self, prefix: str) -> None:
        """An output is what its manifest lists, and nothing else."""
        self.check_files(prefix)


class GoogleStore(GoogleBucket):
    """With a proxy that refuses."""

    def __init__(self, url: str, proxy: GoogleProxy, folder: str) -> None:
        super().__init__(url, proxy, folder)
        self.proxy = proxy


@contextmanager
def serve_google(proxy: FaultyProxy) -> Iterator[tuple[str, str]]:
    """A server behind a proxy: its address, and a folder for what commands make."""
    if not BINARY.exists():
        proxy.server_close()
        pytest.skip(MISSING)
    command = [str(BINARY), "-scheme", "http", "-host", "127.0.0.1", "-port", "0", "-backend", "memory"]
    # Answers say where an upload goes on: at the proxy.
    with serve_behind(proxy, [*command, "-external-url", proxy.url]) as served:
        yield served


@contextmanager
def serve_google_store() -> Iterator[GoogleStore]:
    """One as long as this lasts, with an empty bucket."""
    proxy = GoogleProxy()
    with serve_google(proxy) as (url, folder):
        yield GoogleStore(url, proxy, folder)
