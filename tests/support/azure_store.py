"""A server of Azure Blob Storage on this machine, Azurite, and what is on it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import pytest
from object_store import FaultyProxy, ObjectStore, RefusingProxy, serve_behind

BUILD = Path(__file__).resolve().parent.parent.parent / "build"
NODE = BUILD / "node" / "bin" / "node"
SERVER = BUILD / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
MISSING = f"Azurite is not installed: there is no {SERVER}; ./dev setup installs it"
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Of the only account of each Azurite; everybody knows it."""
VERSION = "2021-12-02"


def shared_access(permissions: str = "rwdlacup") -> str:
    """A SAS token of the account, for all of its containers."""
    given = {"sv": VERSION, "ss": "b", "srt": "sco", "sp": permissions, "se": "2099-01-01T00:00:00Z"}
    order = [ACCOUNT, given["sp"], given["ss"], given["srt"], "", given["se"], "", "", given["sv"], "", ""]
    signed = hmac.new(base64.b64decode(KEY), "\n".join(order).encode(), hashlib.sha256).digest()
    return urlencode(given | {"sig": base64.b64encode(signed).decode()})


class AzureProxy(RefusingProxy):
    """Cuts answers, too."""

    def __init__(self) -> None:
        super().__init__()
        self.cuts = 0  # how many answers of `cut` are cut, within their bodies or, if `is_closed`, before them
        self.cut = ""
        self.is_closed = False

    def end_of_answer(self, path: str, content: bytes) -> int | None:
        """How much of an answer is handed back."""
        with self.lock:
            if self.cuts == 0 or re.search(self.cut, path) is None or not (self.is_closed or len(content) > 1):
                return len(content)
            self.cuts -= 1
            return None if self.is_closed else len(content) // 2


class AzureContainer(ObjectStore):
    """A container, `store`, whose commands go through a proxy."""

    uri = f"abfs://store@{ACCOUNT}.dfs.core.windows.net"

    def __init__(self, url: str, proxy: FaultyProxy, folder: str) -> None:
        """`folder` is for what commands make before it is put."""
        self.url = f"{url}/{ACCOUNT}"
        self.endpoint = f"{proxy.url}/{ACCOUNT}"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("AZURE_")}
        self.environment = {
            **inherited,
            "TMPDIR": folder,
            "AZURE_STORAGE_CONNECTION_STRING": f"AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={self.endpoint};",
        }
        self._ask("PUT", "/store", {"restype": "container"})

    def _ask(
        self, method: str, path: str, more: dict[str, str] | None = None, body: bytes = b"", **headers: str
    ) -> bytes:
        query = "&".join([shared_access(), urlencode(more or {})])
        given = {"x-ms-version": VERSION, **{name.replace("_", "-"): value for name, value in headers.items()}}
        asked = Request(f"{self.url}{path}?{query}", body if method == "PUT" else None, given, method=method)
        with urlopen(asked) as answer:
            return bytes(answer.read())

    def _list(self, **wanted: str) -> dict[str, int]:
        """The sizes of blobs."""
        found: dict[str, int] = {}
        marker = ""
        while True:
            asked = {"restype": "container", "comp": "list", "marker": marker, **wanted}
            listed = ElementTree.fromstring(self._ask("GET", "/store", asked).decode("utf-8-sig"))
            for blob in listed.iter("Blob"):
                found[blob.findtext("Name") or ""] = int(blob.findtext("Properties/Content-Length") or 0)
            marker = listed.findtext("NextMarker") or ""
            if not marker:
                return found

    def sizes(self, prefix: str, marks: bool = False) -> dict[str, int]:
        """Of all objects below a folder, by their names without it; with those by which Arrow marks folders, or not."""
        found = {name.removeprefix(prefix + "/"): size for name, size in self._list(prefix=prefix + "/").items()}
        return {name: size for name, size in found.items() if marks or not (name == "" or name.endswith("/"))}

    def checksums(self, prefix: str) -> dict[str, str]:
        """Of all objects below a folder, by their names without it, and without those by which Arrow marks folders."""
        return {name: hashlib.md5(self.get(f"{prefix}/{name}")).hexdigest() for name in self.sizes(prefix)}

    def names(self, prefix: str) -> list[str]:
        """Those of all objects below a folder, without it, and without those by which Arrow marks folders."""
        return sorted(self.sizes(prefix))

    def uploads(self) -> list[Any]:
        """The names of blobs that have blocks and were never completed."""
        return sorted(self._list(include="uncommittedblobs").keys() - self._list().keys())

    def put(self, name: str, content: bytes = b"") -> None:
        """An object."""
        self._ask("PUT", f"/store/{quote(name)}", None, content, x_ms_blob_type="BlockBlob")

    def get(self, name: str) -> bytes:
        """What an object has."""
        return self._ask("GET", f"/store/{quote(name)}")

    def delete(self, name: str) -> None:
        """Removes an object, if it is there, whoever has leased it."""
        try:
            self._ask("DELETE", f"/store/{quote(name)}")
        except HTTPError as error:
            if error.code in (HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED):
                ends = {"x_ms_lease_action": "break", "x_ms_lease_break_period": "0"}
                self._ask("PUT", f"/store/{quote(name)}", {"comp": "lease"}, b"", **ends)
                self._ask("DELETE", f"/store/{quote(name)}")
            elif error.code != HTTPStatus.NOT_FOUND:
                raise

    def check(self, prefix: str) -> None:
        """An output is what its manifest lists, and nothing else but marks of folders that others may use."""
        self.check_files(prefix)
        marks = {name for name in self.sizes(prefix, marks=True) if name.startswith(".uzushio/") and name.endswith("/")}
        assert marks <= {".uzushio/"}
        assert not self.uploads()


class AzureStore(AzureContainer):
    """With a proxy that refuses."""

    def __init__(self, url: str, proxy: AzureProxy, folder: str) -> None:
        super().__init__(url, proxy, folder)
        self.proxy = proxy


@contextmanager
def serve_azure(proxy: FaultyProxy) -> Iterator[tuple[str, str]]:
    """A server behind a proxy: its address, and a folder for what commands make."""
    if not (SERVER.exists() and NODE.exists()):
        proxy.server_close()
        pytest.skip(MISSING)
    command = [str(NODE), str(SERVER), "--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence"]
    command += ["--disableTelemetry", "--skipApiVersionCheck", "--silent", "--extentMemoryLimit", "256"]
    with serve_behind(proxy, command) as served:
        yield served


@contextmanager
def serve_azure_store() -> Iterator[AzureStore]:
    """One as long as this lasts, with an empty container."""
    proxy = AzureProxy()
    with serve_azure(proxy) as (url, folder):
        yield AzureStore(url, proxy, folder)
