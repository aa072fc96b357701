"""Output folders on the file system that Spark writes to: there whole, or marked as not complete.

As the local program does: a run writes beside its output's place and renames the folder when it is whole, or, where
folders can not be renamed at once (object stores), in its place. `_INCOMPLETE` is in it as long as it is not whole,
`_SUCCESS.json` from then on; both name the run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from uzushio._errors import InputError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUCCESS, INCOMPLETE = "_SUCCESS.json", "_INCOMPLETE"
OBJECT_STORES = {"s3", "s3a"}
FILE_SYSTEMS = {"file", "hdfs", "viewfs"}
"""These tasks can write to, too, by pyarrow."""


@dataclass(frozen=True)
class Storage:
    """The file systems that Spark knows."""

    spark: SparkSession

    def _path(self, uri: str) -> tuple[Any, Any]:
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(uri)
        return path.getFileSystem(self.spark._jsc.hadoopConfiguration()), path

    def scheme(self, uri: str) -> str:
        """`file`, `hdfs`, …"""
        return str(self._path(uri)[0].getScheme())

    def whole(self, uri: str) -> str:
        """The place as executors find it: a whole path, or a URI that names the file system."""
        filesystem, path = self._path(uri)
        qualified = filesystem.makeQualified(path).toUri()
        return str(qualified.getPath() if qualified.getScheme() == "file" else qualified.toString())

    def exists(self, uri: str) -> bool:
        """Whether there is a file or folder."""
        filesystem, path = self._path(uri)
        return bool(filesystem.exists(path))

    def make_folder(self, uri: str) -> None:
        """Makes it with those above it."""
        filesystem, path = self._path(uri)
        filesystem.mkdirs(path)

    def remove(self, uri: str) -> None:
        """Removes it with all that is in it."""
        filesystem, path = self._path(uri)
        filesystem.delete(path, True)

    def rename(self, source: str, target: str) -> None:
        """Renames a folder."""
        filesystem, path = self._path(source)
        if not filesystem.rename(path, self._path(target)[1]):
            raise InputError(f"{source}: cannot be renamed to {target}")

    def is_empty(self, uri: str) -> bool:
        """Whether nothing is in a folder."""
        filesystem, path = self._path(uri)
        return not list(filesystem.listStatus(path))

    def write(self, uri: str, text: str) -> None:
        """Writes a small file."""
        filesystem, path = self._path(uri)
        stream = filesystem.create(path, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def read(self, uri: str) -> str:
        """Reads a small file."""
        filesystem, path = self._path(uri)
        stream = filesystem.open(path)
        try:
            jvm: Any = self.spark._jvm
            return str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def files(self, uri: str) -> list[tuple[str, int]]:
        """The files below a folder: their paths below it, and bytes; in order of paths."""
        filesystem, path = self._path(uri)
        root = str(filesystem.makeQualified(path).toUri().getPath())
        found = []
        listing = filesystem.listFiles(path, True)
        while listing.hasNext():
            status = listing.next()
            name = str(status.getPath().toUri().getPath()).removeprefix(root).lstrip("/")
            if not name.endswith(".crc"):
                found.append((name, int(status.getLen())))
        return sorted(found)


class OutputFolder:
    """The output of one run."""

    def __init__(self, spark: SparkSession, uri: str, run: dict[str, Any], overwrite: bool) -> None:
        self.storage = Storage(spark)
        if (scheme := self.storage.scheme(uri)) not in OBJECT_STORES | FILE_SYSTEMS:
            raise UsageError(f"{uri}: no output can be on {scheme}://, but on a path, hdfs:// or s3a://")
        self.uri = self.storage.whole(uri.rstrip("/"))
        self.run = run
        self.success: dict[str, Any] = {}
        parent, _, name = self.uri.rpartition("/")
        beside = f"{parent}/.{name}.partial" if parent else f".{name}.partial"
        self.in_place = self.storage.scheme(self.uri) in OBJECT_STORES
        self.work = self.uri if self.in_place else beside
        self.done = self._is_done(overwrite)
        if not self.done:
            self._prepare(overwrite)

    def _is_done(self, overwrite: bool) -> bool:
        storage = self.storage
        if not storage.exists(self.uri) or storage.is_empty(self.uri):
            return False
        committed = storage.exists(f"{self.uri}/{SUCCESS}")
        if not committed and not storage.exists(f"{self.uri}/{INCOMPLETE}"):
            raise UsageError(f"{self.uri}: exists and is no output of uzushio; choose another folder")
        if overwrite or not committed:
            return False
        self.success = json.loads(storage.read(f"{self.uri}/{SUCCESS}"))
        if self.success.get("run") != self.run:
            raise UsageError(
                f"{self.uri}: holds the output of a run with other inputs or another configuration; "
                "choose another folder, or --overwrite"
            )
        return True

    def _prepare(self, overwrite: bool) -> None:
        storage = self.storage
        mark = f"{self.work}/{INCOMPLETE}"
        if storage.exists(mark) and not overwrite and json.loads(storage.read(mark)).get("run") != self.run:
            raise UsageError(
                f"{self.work}: an unfinished run with other inputs or another configuration; "
                "finish it, remove it, or --overwrite"
            )
        storage.remove(self.work)
        storage.make_folder(self.work)
        storage.write(mark, json.dumps({"run": self.run}, indent=2, ensure_ascii=False) + "\n")

    @property
    def scratch(self) -> str:
        """A folder for what is needed until the run ends."""
        return f"{self.work}/_scratch"

    def commit(self, counts: dict[str, Any]) -> None:
        """Puts the output in its place."""
        storage = self.storage
        storage.remove(self.scratch)
        files = [
            {"path": path, "bytes": size}
            for path, size in storage.files(self.work)
            if not path.startswith("quarantine/") and path not in (INCOMPLETE, SUCCESS)
        ]
        self.success = {"counts": counts, "files": files, "run": self.run, "engine": "spark"}
        text = json.dumps(self.success, indent=2, ensure_ascii=False) + "\n"
        if not self.in_place:
            if storage.exists(self.uri):
                storage.remove(self.uri)
            storage.rename(self.work, self.uri)
        storage.write(f"{self.uri}/{SUCCESS}", text)
        storage.remove(f"{self.uri}/{INCOMPLETE}")

    def abandon(self) -> None:
        """After an error: nothing is left."""
        if not self.done:
            self.storage.remove(self.work)
