"""Output folders of Spark.

Tasks write to a folder that no other run has, and the code that commits the local program's outputs makes the files the
output: src/storage/local_task_output.h does so on local and mounted file systems, src/storage/store_task_output.h on
object stores and HDFS, by Hadoop's file systems, which are here.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from uzushio import _core
from uzushio._errors import InputError, UsageError
from uzushio._values import utf8
from uzushio.spark import _failures
from uzushio.spark._paths import place_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUT_WHOLE = {"s3", "s3a", "gs"}
"""Stores on which a file that Hadoop writes is there when it is closed, whole."""
BY_BLOCKS = {"abfs", "abfss"}
"""And on which it is there when it is begun, and nothing is renamed over another at once."""
RENAMING = {"hdfs", "viewfs"}
"""File systems that rename over another file at once."""

SCRATCH = "_scratch"

_PROCESS = uuid.uuid4().hex


@dataclass(frozen=True)
class Storage:
    """The file systems that Spark knows. Paths without a scheme are local, but for those given to `whole`."""

    spark: SparkSession

    def path(self, uri: str) -> tuple[Any, Any]:
        """Hadoop's file system, and its path."""
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(for_spark(uri))
        return path.getFileSystem(self.spark._jsc.hadoopConfiguration()), path

    def by_hadoop(self, uri: str) -> str:
        """A URI with the scheme that Hadoop has for its store.

        S3 is `s3a`, unless there is something else by the name `s3`, as on EMR.
        """
        uri = re.sub("^gcs:", "gs:", uri)
        if not uri.startswith("s3:"):
            return uri
        jvm: Any = self.spark._jvm
        try:
            jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass("s3", self.spark._jsc.hadoopConfiguration())
        except Py4JJavaError:
            return f"s3a{uri[2:]}"
        return uri

    def whole(self, uri: str) -> str:
        """The place as executors find it: a whole local path, or a URI that names the file system."""
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(self.by_hadoop(uri))
        filesystem = path.getFileSystem(self.spark._jsc.hadoopConfiguration())
        qualified = filesystem.makeQualified(path).toUri()
        if qualified.getScheme() == "file":
            return os.path.normpath(str(qualified.getPath()))
        return str(filesystem.makeQualified(path).toString())

    def exists(self, uri: str) -> bool:
        """Whether there is a file or folder."""
        filesystem, path = self.path(uri)
        return bool(filesystem.exists(path))

    def remove(self, uri: str) -> None:
        """Removes it with all that is in it."""
        if is_local(uri):  # Hadoop says nothing of what it could not remove
            if Path(uri).is_dir():
                shutil.rmtree(uri)
            else:
                Path(uri).unlink(missing_ok=True)
            return
        filesystem, path = self.path(uri)
        if not filesystem.delete(path, True) and filesystem.exists(path):
            raise InputError(f"{uri}: cannot be removed")

    def files(self, uri: str) -> list[tuple[str, int]]:
        """The files below a folder: their paths below it, and bytes; in order of paths."""
        filesystem, path = self.path(uri)
        root = str(filesystem.makeQualified(path).toUri().getPath())
        found = []
        listing = filesystem.listFiles(path, True)
        while listing.hasNext():
            status = listing.next()
            name = str(status.getPath().toUri().getPath()).removeprefix(root).lstrip("/")
            if not name.endswith(".crc"):
                found.append((name, int(status.getLen())))
        return sorted(found)

    def name_in(self, folder: str, name: str) -> str:
        """What a file of a committed output is called there."""
        if is_local(folder):
            return name
        scheme, _, path = folder.partition("://")
        text = HadoopFiles(self, scheme).read(f"{path}/{_core.MANIFEST}")
        hash = json.loads(text or b"{}").get(_core.NAME_HASH)
        return name if hash is None else _core.stored_name(name, hash)


class HadoopFiles:
    """What a commit does with files, by Hadoop's file systems, for the module: StoreFiles of src/storage/store_files.h.

    Paths are those of URIs without their scheme. Several threads call it.
    """

    def __init__(self, storage: Storage, scheme: str) -> None:
        self._storage = storage
        self._scheme = scheme

    def _path(self, path: str) -> tuple[Any, Any]:
        return self._storage.path(f"{self._scheme}://{path}")

    def list(self, folder: str) -> dict[str, int]:
        """The files below a folder, with their bytes; none where there is no folder."""
        with _in_a_line(folder):
            try:
                return {f"{folder}/{name}": size for name, size in self._storage.files(f"{self._scheme}://{folder}")}
            except Py4JJavaError as error:
                if not _is_missing(error):
                    raise
                return {}

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        filesystem, there = self._path(path)
        with _in_a_line(path):
            try:
                return bool(filesystem.getFileStatus(there).isFile())
            except Py4JJavaError as error:
                if not _is_missing(error):
                    raise
                return False

    def read(self, path: str) -> bytes | None:
        """A small file, or none where there is none."""
        filesystem, there = self._path(path)
        jvm: Any = self._storage.spark._jvm
        with _in_a_line(path):
            try:
                stream = filesystem.open(there)
            except Py4JJavaError as error:
                if not _is_missing(error):
                    raise
                return None
            try:
                return bytes(jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()

    def put(self, path: str, content: bytes) -> None:
        """Writes a small file, so that others see the one before or this.

        On `abfs`, which can not do so, they may see a part of it for a moment.
        """
        is_lock = path.rpartition("/")[2].startswith(_core.LOCK_BEGINNING)  # of which nothing is read but its name
        with _in_a_line(path):
            if is_lock or self._scheme not in RENAMING:
                self._create(path, content)
            else:
                self._replace(path, content)

    def _create(self, path: str, content: bytes) -> None:
        filesystem, there = self._path(path)
        stream = filesystem.create(there, True)
        try:
            stream.write(bytearray(content))
            if self._scheme in RENAMING:
                stream.hsync()
        except BaseException:
            if self._scheme in RENAMING:  # elsewhere, closing would put what there is in the place of the one before
                stream.close()
            raise
        stream.close()

    def _replace(self, path: str, content: bytes) -> None:
        """By another file, which only the writer that has the lock makes."""
        spark: Any = self._storage.spark
        hadoop = spark._jvm.org.apache.hadoop.fs
        temporary = f"{self._folder_of_output(path)}/{_core.PUT_TEMPORARY}"
        self._create(temporary, content)
        _, source = self._path(temporary)
        _, target = self._path(path)
        how = spark.sparkContext._gateway.new_array(hadoop.Options.Rename, 1)
        how[0] = hadoop.Options.Rename.OVERWRITE
        context = hadoop.FileContext.getFileContext(target.toUri(), spark._jsc.hadoopConfiguration())
        context.rename(source, target, how)

    @staticmethod
    def _folder_of_output(path: str) -> str:
        folder = path.rpartition("/")[0]
        return folder.removesuffix(f"/{_core.OWN_FOLDER}")

    def delete(self, path: str) -> None:
        """Removes a file, if it is there."""
        filesystem, there = self._path(path)
        with _in_a_line(path):
            if not filesystem.delete(there, False) and filesystem.exists(there):
                raise InputError("cannot be removed")

    def move(self, source: str, target: str) -> None:
        """Renames a file; nothing is at the target."""
        filesystem, there = self._path(source)
        with _in_a_line(source):
            if self._scheme != "s3a":  # which has no folders
                filesystem.mkdirs(self._path(target.rpartition("/")[0])[1])
            if not filesystem.rename(there, self._path(target)[1]):
                raise InputError(f"cannot be renamed to {self._scheme}://{target}")

    def drop_if_empty(self, folder: str) -> None:
        """Removes a folder in which nothing is."""
        filesystem, there = self._path(folder)
        with contextlib.suppress(Py4JJavaError):  # it is not there, or not empty
            if filesystem.getFileStatus(there).isDirectory():
                filesystem.delete(there, False)

    def drop_tree(self, folder: str) -> None:
        """Removes a folder, if it is there, with all that is in it."""
        with _in_a_line(folder):
            self._storage.remove(f"{self._scheme}://{folder}")


def _is_missing(error: Py4JJavaError) -> bool:
    return str(error.java_exception.getClass().getName()) == "java.io.FileNotFoundException"


@contextlib.contextmanager
def _in_a_line(place: str) -> Iterator[None]:
    """Tells of Java's errors in a line."""
    try:
        yield
    except Py4JJavaError as error:
        raise InputError(f"{_failures.cause_of(error)} ({place})") from error


def is_local(uri: str) -> bool:
    """Whether it is a path, and no URI."""
    return uri.startswith("/")


def for_spark(uri: str) -> str:
    """A place for Spark, which takes paths without a scheme for those of its default file system.

    >>> for_spark("/data/pages"), for_spark("hdfs://data/pages")
    ('file:///data/pages', 'hdfs://data/pages')
    """
    utf8(uri, "Spark has no names but of UTF-8")
    return f"file://{uri}" if is_local(uri) else uri


def real(uri: str) -> str:
    """A place by the one name that it has: without links, and as one scheme of those for one store.

    >>> real("file:///data/a"), real("s3a://data/a")
    ('/data/a', 's3://data/a')
    """
    if uri.startswith("file:"):
        uri = re.sub("^file:/*", "/", uri)
    return os.path.realpath(uri) if is_local(uri) else re.sub("^s3[an]?:", "s3:", uri)


def is_in(uri: str, folder: str) -> bool:
    """Whether a real place is in a folder, or is it.

    >>> is_in("/data/a/b", "/data/a"), is_in("/data/ab", "/data/a")
    (True, False)
    """
    return f"{uri}/".startswith(f"{folder}/")


def check_inputs(storage: Storage, output: str, names: Iterable[str]) -> None:
    """Refuses what is read in the output, which would be replaced, and an output that is in a folder that is read."""
    replaced = real(output)
    for name in names:
        place = place_of(name)
        if is_local(replaced) and "://" in place and not place.startswith("file:"):
            continue  # of another file system, which Hadoop need not know
        try:
            read = real(place if is_local(place) else storage.whole(place))
        except Py4JJavaError:  # Hadoop does not know it, and no output lies there
            continue
        if is_in(read, replaced):
            raise UsageError(f"{name}: lies in the output {output}; choose another folder")
        if is_in(replaced, read):
            raise UsageError(f"{output}: lies in {name}, which is read; choose another folder")


def check_apart(uri: str, other: str) -> None:
    """Refuses outputs that are one or lie in one another.

    >>> check_apart("/data/a", "/data/ab")
    """
    if is_in(real(uri), real(other)) or is_in(real(other), real(uri)):
        raise UsageError(f"{uri} and {other}: one output lies in the other; choose folders beside one another")


def has_attempts(master: str) -> bool:
    """Whether a cluster starts a driver that has failed again, by the same name, which no other application has.

    >>> has_attempts("yarn"), has_attempts("k8s://https://a"), has_attempts("local[2]"), has_attempts("spark://a:7077")
    (True, True, False, False)
    """
    return master.startswith(("yarn", "k8s://"))


class OutputFolder:
    """The output of one run, under work as long as one is inside `with`. What is not committed then is removed."""

    def __init__(self, spark: SparkSession, uri: str, run: dict[str, Any], overwrite: bool) -> None:
        self.storage = Storage(spark)
        self.uri = _place_of_output(self.storage, uri)
        self.run: dict[str, Any] = json.loads(json.dumps(run))
        self.overwrite = overwrite
        self.success: dict[str, Any] = {}
        self.done = False
        self.work = ""
        """Where tasks write."""
        self._output: _core.TaskOutput | None = None
        self._names: dict[str, str] = {}

    def __enter__(self) -> OutputFolder:
        output = self._open()
        self._output, self.done, self.success = output, output.done, json.loads(output.success()) or {}
        if not self.done:
            beside = "" if is_local(self.uri) else f"{self.uri.rpartition('/')[0]}/"
            self.work = f"{beside}{output.folder}"
        return self

    def _open(self) -> _core.TaskOutput:
        run = json.dumps(self.run)
        if is_local(self.uri):
            return _core.local_task_output(self.uri, run, self.overwrite)
        scheme, _, path = self.uri.partition("://")
        name = re.sub("^s3a:", "s3:", self.uri)
        # What another attempt of the application, which a cluster starts when the first has ended, knows it by.
        context = self.storage.spark.sparkContext
        about = {
            "application": str(context.applicationId),
            "process": _PROCESS,
            "has_attempts": has_attempts(str(context.master)),
        }
        files = HadoopFiles(self.storage, scheme)
        return _core.store_task_output(files, path, name, run, self.overwrite, json.dumps(about))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._output is not None:
            clean_up_after(error, self._output.close)

    def is_done(self) -> bool:
        """Whether this run is committed. Nothing is left of the look."""
        with self as output:
            return output.done

    @property
    def scratch(self) -> str:
        """A folder for what is needed until the run ends."""
        return f"{self.work}/{SCRATCH}"

    def rename(self, source: str, target: str) -> None:
        """Has a file that tasks have written below `work` called otherwise in the output."""
        self._names[source] = target

    def commit(self, counts: dict[str, Any], text_form: str = "") -> None:
        """Puts the output in its place. `text_form`: the form of its texts, where it is known."""
        if self._output is None:
            raise ValueError("an output is committed inside `with`")
        written = [(path, size) for path, size in self.storage.files(self.work) if not _is_left(path)]
        files = [{"path": _own_ending(self._names.get(path, path)), "bytes": size} for path, size in written]
        success: dict[str, Any] = {"counts": counts, "files": files, "engine": "spark"}
        if text_form:
            success["text"] = text_form
        self._output.commit(json.dumps(success), [path for path, _ in written])
        self.success = json.loads(self._output.success())


def _has_credentials(scheme: str, rest: str) -> bool:
    """Whether a URI has any before its bucket; a secret may have a slash.

    >>> _has_credentials("s3", "KEY:SEC/RET@bucket/out"), _has_credentials("hdfs", "host:8020/a@b")
    (True, False)
    """
    authority = rest.partition("/")[0]
    if scheme in BY_BLOCKS:  # CONTAINER@ACCOUNT
        return ":" in authority.partition("@")[0] and "@" in authority
    return "@" in authority or (":" in authority and "@" in rest and scheme not in {"hdfs", "viewfs"})


def _place_of_output(storage: Storage, uri: str) -> str:
    """The whole place of an output. Errors: nothing is known of its file system, or it names no folder."""
    given = utf8(uri, "Spark has no names but of UTF-8")
    if "://" in uri:  # else it is a path in Spark's default file system
        uri = for_spark(place_of(uri))
        scheme, _, rest = uri.partition("://")
        if _has_credentials(scheme, rest):
            raise UsageError(
                f"{scheme}://…{rest[rest.rindex('@') :]}: Hadoop takes no credentials from a URI; give them by its "
                "configuration"
            )
        _check_scheme(uri)
    try:
        place = storage.whole(uri)
    except Py4JJavaError as error:
        raise UsageError(f"--output {given}: {_failures.cause_of(error)}") from error
    if not is_local(place):
        _check_scheme(place)
    if is_local(place) and Path(place).is_symlink():  # the folder that it leads to is meant
        place = os.path.realpath(place)
    parent, _, name = place.rpartition("/")
    if not name or parent.endswith(":/"):
        raise UsageError(f"--output {given}: give the name of a new folder")
    return place


def _check_scheme(uri: str) -> None:
    scheme = uri.partition("://")[0]
    if scheme not in {"file", "gcs"} | PUT_WHOLE | BY_BLOCKS | RENAMING:
        raise UsageError(
            f"{uri}: no output can be on {scheme}://, but on a path, s3://, gs://, abfs://, hdfs:// or viewfs://"
        )


def _is_left(path: str) -> bool:
    """Whether a file below `work` is none of the output: what tasks have not finished, or what was needed meanwhile.

    >>> [_is_left(path) for path in ("_scratch/a", "b/_temporary/0/c", ".uzushio/.index.1f", ".uzushio/index")]
    [True, True, True, False]
    """
    *folders, name = path.split("/")
    return name.startswith(".") or folders[:1] == [SCRATCH] or "_temporary" in folders


def _own_ending(path: str) -> str:
    """A name of the output. Parquet files of its hidden folder end as other programs do not look for.

    >>> _own_ending("a.parquet"), _own_ending(".uzushio/a.parquet/b.parquet")
    ('a.parquet', '.uzushio/a.parquet/b.pq')
    """
    if not path.startswith(f"{_core.OWN_FOLDER}/") or not path.endswith(".parquet"):
        return path
    return path.removesuffix(".parquet") + _core.OWN_ENDING


def clean_up_after(error: BaseException | None, clean_up: Callable[[], object]) -> None:
    """Cleans up. What fails then is told with the error before it, not instead of it."""
    try:
        clean_up()
    except Exception as second:
        if error is None:
            raise
        notes = getattr(error, "__notes__", [])  # as add_note, which Python has from 3.11 on
        error.__notes__ = [*notes, f"uzushio: cleaning up failed too: {second}"]


def at_end(clean_up: Callable[[], object]) -> Callable[..., None]:
    """The same for `ExitStack.push`."""
    return lambda kind, error, trace: clean_up_after(error, clean_up)
