"""Places of outputs that Spark reaches by Hadoop's file systems, on servers of this machine."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from google_store import serve_google
from object_store import FaultyProxy, serve_store
from program import ROOT
from versitygw import KEY, SECRET

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HADOOP = "hadoop-client-api-3.3.4.jar"
"""Of the Spark that the parts are for."""
MISSING = "there are no parts of this Hadoop in build/hadoop; ./dev setup fetches them where Maven is"
STORES = ("viewfs", "s3a", "hdfs", "gs")
"""A file system that renames, of Hadoop's own; versitygw; a cluster of HDFS in the driver; fake-gcs-server."""


def find_jars() -> list[Path]:
    """What Hadoop needs for stores, and for a cluster of its own; nothing where it is another Hadoop's."""
    spark = importlib.util.find_spec("pyspark")
    if spark is None or not (Path(str(spark.origin)).parent / "jars" / HADOOP).exists():
        return []
    return sorted((ROOT / "build" / "hadoop").glob("*.jar"))


def s3a_settings(url: str) -> dict[str, str]:
    """Of Hadoop, for a server of S3."""
    return {
        "fs.s3a.endpoint": url,
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": KEY,
        "fs.s3a.secret.key": SECRET,
        "fs.s3a.attempts.maximum": "1",
        "fs.s3a.multiobjectdelete.enable": "false",  # of which versitygw refuses some, and Hadoop tries again
        "fs.s3a.retry.limit": "1",
    }


@dataclass(frozen=True)
class Place:
    """A folder for outputs, which nobody else has."""

    spark: SparkSession
    uri: str
    folder: Path | None = None
    """The same, where it is one on this machine: Java takes its time."""

    def files(self) -> dict[str, str]:
        """All files below it: texts by paths."""
        from uzushio.spark._output import Storage

        if self.folder is not None:
            paths = [path for path in self.folder.rglob("*") if path.is_file() and path.suffix != ".crc"]
            return {
                path.relative_to(self.folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
                for path in paths
            }

        storage = Storage(self.spark)
        found = storage.files(self.uri) if storage.exists(self.uri) else []
        return {name: self.read(name) for name, _ in found}

    def read(self, name: str) -> str:
        """What a file has."""
        filesystem, path = self._path(name)
        jvm: Any = self.spark._jvm
        stream = filesystem.open(path)
        try:
            return str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, name: str, text: str) -> None:
        """A file, as Spark's tasks do."""
        if self.folder is None:
            write_text(self.spark, f"{self.uri}/{name}", text)
            return
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)  # of another text

    def delete(self, name: str) -> None:
        """Removes a file, or a folder."""
        filesystem, path = self._path(name)
        assert filesystem.delete(path, True)

    def _path(self, name: str) -> tuple[Any, Any]:
        from uzushio.spark._output import Storage

        return Storage(self.spark).path(f"{self.uri}/{name}")

    def seen(self, name: str = "output") -> dict[str, str] | None:
        """What a reader sees of an output: texts by the names that tasks gave; none where there is none.

        Each file that the manifest lists is there.
        """
        files = self.files()
        if f"{name}/_INCOMPLETE" in files or f"{name}/.uzushio/manifest.json" not in files:
            return None
        manifest = json.loads(files[f"{name}/.uzushio/manifest.json"])
        hash = manifest.get("name_hash")
        paths = {file["path"]: file["bytes"] for file in manifest["files"]}
        assert {path: len(files[f"{name}/{path}"].encode()) for path in paths} == paths
        return {path.replace(f"-{hash}", "").replace(f"/{hash}/", "/"): files[f"{name}/{path}"] for path in paths}

    def is_only(self, name: str = "output") -> bool:
        """Whether nothing is there but an output, and that is its manifest and what this lists."""
        files = self.files()
        manifest = json.loads(files[f"{name}/.uzushio/manifest.json"])
        listed = [f"{name}/{file['path']}" for file in manifest["files"]]
        return sorted(files) == sorted([*listed, f"{name}/.uzushio/manifest.json"])


def write_text(spark: SparkSession, uri: str, text: str) -> None:
    """A file by Hadoop, with the folders above it."""
    from uzushio.spark._output import Storage

    filesystem, path = Storage(spark).path(uri)
    stream = filesystem.create(path, True)
    try:
        stream.write(bytearray(text.encode()))
    finally:
        stream.close()


class Servers:
    """Those that were asked for, as long as the session is there."""

    def __init__(self, spark: SparkSession, stack: contextlib.ExitStack) -> None:
        self._spark = spark
        self._stack = stack
        self._roots: dict[str, str] = {}
        self._places = 0
        self._data = Path()  # of viewfs

    def place(self, kind: str) -> Place:
        """A new one. Skips the test where the server, or Hadoop's part for it, is not there."""
        if kind not in self._roots:
            self._roots[kind] = getattr(self, f"_start_{kind}")()
        self._places += 1
        name = f"place-{self._places}"
        folder = self._data / name if kind == "viewfs" else None
        return Place(self._spark, f"{self._roots[kind]}/{name}", folder)

    def _set(self, settings: dict[str, str]) -> None:
        configuration: Any = self._spark._jsc
        for name, value in settings.items():
            configuration.hadoopConfiguration().set(name, value)

    def _folder(self) -> str:
        return self._stack.enter_context(tempfile.TemporaryDirectory(prefix="uzushio-hadoop-"))

    def _start_viewfs(self) -> str:
        self._data = Path(self._folder())
        self._set({"fs.viewfs.mounttable.tests.link./data": f"file://{self._data}"})
        return "viewfs://tests/data"

    def _start_s3a(self) -> str:
        if not find_jars():
            pytest.skip(MISSING)
        store = self._stack.enter_context(serve_store("versitygw"))
        self._set(s3a_settings(store.environment["AWS_ENDPOINT_URL"]))
        return "s3a://store"

    def _start_hdfs(self) -> str:
        if not find_jars():
            pytest.skip(MISSING)
        jvm: Any = self._spark._jvm
        context: Any = self._spark._jsc
        configuration = jvm.org.apache.hadoop.conf.Configuration(context.hadoopConfiguration())
        configuration.set("hdfs.minidfs.basedir", self._folder())
        cluster = jvm.org.apache.hadoop.hdfs.MiniDFSCluster.Builder(configuration).numDataNodes(1).build()
        self._stack.callback(cluster.shutdown)
        cluster.waitActive()
        return f"hdfs://127.0.0.1:{cluster.getNameNodePort()}"

    def _start_gs(self) -> str:
        if not find_jars():
            pytest.skip(MISSING)
        proxy = FaultyProxy()
        self._stack.enter_context(serve_google(proxy))
        self._set(
            {
                "fs.gs.impl": "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem",
                "fs.gs.storage.root.url": f"{proxy.url}/",
                "fs.gs.http.max.retry": "1",
                "fs.gs.auth.service.account.enable": "false",
                "fs.gs.auth.null.enable": "true",
                "fs.gs.project.id": "tests",
            }
        )
        filesystem, path = Place(self._spark, "gs://store")._path("")
        filesystem.mkdirs(path)
        return "gs://store"


@contextlib.contextmanager
def serve_hadoop(spark: SparkSession) -> Iterator[Servers]:
    """Servers as long as this lasts."""
    with contextlib.ExitStack() as stack:
        yield Servers(spark, stack)
