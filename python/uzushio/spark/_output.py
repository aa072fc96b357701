"""Output folders on the file system that Spark writes to: there whole, or marked as not complete.

As the local program does (src/storage/output_folder.h): a run writes to `.NAME.partial` beside its output's place and
renames that when it is whole; what it replaces is `.NAME.replaced` until then. Object stores can not rename a folder at
once: there a run writes in its place, and what it replaces is removed first. `_INCOMPLETE` is in a folder as long as it
is not whole and names the run, and, once all data are written, what the manifest will say, so that the next run
can end a commit that was cut off anywhere.

One run at a time writes an output, the one that has `.NAME.lock` beside it: on local (and mounted) file systems the
local program's lock, which goes with its process; elsewhere a file that says who holds it.
"""

from __future__ import annotations

import datetime
import fcntl
import json
import os
import re
import shutil
import socket
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from uzushio import _core
from uzushio._errors import InputError, RunError, UsageError
from uzushio._values import utf8
from uzushio.spark._paths import place_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MANIFEST, OLD_MANIFEST, INCOMPLETE = _core.MANIFEST, _core.OLD_MANIFEST, _core.INCOMPLETE
LOCAL_PARTS = "_parts"
"""Of the local program, in a folder under work."""
OBJECT_STORES = {"s3", "s3a"}
FILE_SYSTEMS = {"file", "hdfs", "viewfs"}
"""These tasks can write to, too, by pyarrow."""

_PROCESS = uuid.uuid4().hex


@dataclass(frozen=True)
class Storage:
    """The file systems that Spark knows. Paths without a scheme are local, but for those given to `whole`."""

    spark: SparkSession

    def _path(self, uri: str) -> tuple[Any, Any]:
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(for_spark(uri))
        return path.getFileSystem(self.spark._jsc.hadoopConfiguration()), path

    def scheme(self, uri: str) -> str:
        """`file`, `hdfs`, …"""
        return str(self._path(uri)[0].getScheme())

    def whole(self, uri: str) -> str:
        """The place as executors find it: a whole local path, or a URI that names the file system."""
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(uri)
        filesystem = path.getFileSystem(self.spark._jsc.hadoopConfiguration())
        qualified = filesystem.makeQualified(path).toUri()
        if qualified.getScheme() == "file":
            return os.path.normpath(str(qualified.getPath()))
        return str(filesystem.makeQualified(path).toString())

    def exists(self, uri: str) -> bool:
        """Whether there is a file or folder."""
        filesystem, path = self._path(uri)
        return bool(filesystem.exists(path))

    def is_folder(self, uri: str) -> bool:
        """Whether it is there and no file."""
        filesystem, path = self._path(uri)
        return bool(filesystem.getFileStatus(path).isDirectory())

    def make_folder(self, uri: str) -> None:
        """Makes it with those above it."""
        filesystem, path = self._path(uri)
        filesystem.mkdirs(path)

    def remove(self, uri: str) -> None:
        """Removes it with all that is in it."""
        if is_local(uri):  # Hadoop says nothing of what it could not remove
            if Path(uri).is_dir():
                shutil.rmtree(uri)
            else:
                Path(uri).unlink(missing_ok=True)
            return
        filesystem, path = self._path(uri)
        if not filesystem.delete(path, True) and filesystem.exists(path):
            raise InputError(f"{uri}: cannot be removed")

    def remove_empty(self, uri: str) -> None:
        """Removes a folder in which nothing is."""
        filesystem, path = self._path(uri)
        filesystem.delete(path, False)

    def rename(self, source: str, target: str) -> None:
        """Renames a file or folder; nothing is at the target."""
        if is_local(source):
            try:
                Path(source).rename(target)
            except OSError as error:
                raise InputError(f"{source}: cannot be renamed to {target}: {error.strerror}") from error
            return
        filesystem, path = self._path(source)
        if self.exists(target) or not filesystem.rename(path, self._path(target)[1]):
            raise InputError(f"{source}: cannot be renamed to {target}")

    def children(self, uri: str) -> list[str]:
        """The names of all in a folder."""
        if is_local(uri):
            return sorted(path.name for path in Path(uri).iterdir())
        filesystem, path = self._path(uri)
        return sorted(str(status.getPath().getName()) for status in filesystem.listStatus(path))

    def write(self, uri: str, text: str) -> None:
        """Writes a small file; on local file systems at once."""
        if is_local(uri):
            temporary = Path(f"{uri}.tmp")
            with temporary.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(uri)
            return
        filesystem, path = self._path(uri)
        self._write_stream(filesystem.create(path, True), text)

    def create(self, uri: str, text: str) -> bool:
        """Writes a small file that is not there yet; false when it is."""
        filesystem, path = self._path(uri)
        try:
            self._write_stream(filesystem.create(path, False), text)
        except Py4JJavaError:
            if filesystem.exists(path):
                return False
            raise
        return True

    @staticmethod
    def _write_stream(stream: Any, text: str) -> None:
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def read(self, uri: str) -> str:
        """Reads a small file."""
        if is_local(uri):
            return Path(uri).read_text(encoding="utf-8")
        filesystem, path = self._path(uri)
        stream = filesystem.open(path)
        try:
            jvm: Any = self.spark._jvm
            return str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def read_mark(self, uri: str) -> dict[str, Any] | None:
        """A mark, unless it is not there or damaged."""
        if not self.exists(uri):
            return None
        try:
            mark = json.loads(self.read(uri))
        except ValueError:
            return None
        return mark if isinstance(mark, dict) else None

    def place_in(self, folder: str, name: str, old_name: str) -> str:
        """What a run has in its output: where earlier versions wrote it, if it is there only."""
        new, old = f"{folder.rstrip('/')}/{name}", f"{folder.rstrip('/')}/{old_name}"
        return old if not self.exists(new) and self.exists(old) else new

    def read_manifest(self, folder: str) -> dict[str, Any] | None:
        """That of an output, unless it is not there or damaged."""
        return self.read_mark(self.place_in(folder, MANIFEST, OLD_MANIFEST))

    def has_manifest(self, folder: str) -> bool:
        """Whether an output is there."""
        return self.exists(self.place_in(folder, MANIFEST, OLD_MANIFEST))

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
        read = real(place if is_local(place) else storage.whole(place))
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


class OutputFolder:
    """The output of one run, under work as long as one is inside `with`. What is not committed then is removed."""

    def __init__(self, spark: SparkSession, uri: str, run: dict[str, Any], overwrite: bool) -> None:
        self.storage = Storage(spark)
        if "://" in uri:  # else it is a path in Spark's default file system
            uri = for_spark(place_of(uri))
        if (scheme := self.storage.scheme(uri)) not in OBJECT_STORES | FILE_SYSTEMS:
            raise UsageError(f"{uri}: no output can be on {scheme}://, but on a path, hdfs:// or s3a://")
        self.uri = self.storage.whole(uri)
        if is_local(self.uri) and Path(self.uri).is_symlink():  # the folder that it leads to is meant
            self.uri = os.path.realpath(self.uri)
        parent, _, name = self.uri.rpartition("/")
        if not name or parent.endswith(":/"):
            raise UsageError(f"--output {uri}: give the name of a new folder")
        self.run: dict[str, Any] = json.loads(json.dumps(run))
        self.overwrite = overwrite
        self.success: dict[str, Any] = {}
        self.done = False
        self.in_place = self.storage.scheme(self.uri) in OBJECT_STORES
        self.work = self.uri if self.in_place else f"{parent}/.{name}.partial"
        self._replaced = f"{parent}/.{name}.replaced"
        lock = f"{parent}/.{name}.lock"
        self._lock: _LocalLock | _FileLock = (
            _LocalLock(self.uri, lock) if is_local(self.uri) else _FileLock(self.storage, self.uri, lock)
        )
        self._is_ours = False
        self._is_whole = False
        self._replaces = False

    def __enter__(self) -> OutputFolder:
        self.done = self.is_done_at_rest()
        if self.done:
            return self
        self._lock.take()
        try:
            self._mend()
            self.done = self._is_done()  # by another run meanwhile, or mended
            if not self.done:
                self._prepare()
        except BaseException as error:
            clean_up_after(error, self._clean_up)
            raise
        if self.done:
            self._clean_up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        clean_up_after(error, self._clean_up)

    @property
    def scratch(self) -> str:
        """A folder for what is needed until the run ends."""
        return f"{self.work}/_scratch"

    def _clean_up(self) -> None:
        """Removes what is under work, unless it is whole: then the next run moves it to its place.

        Where the lock was taken away, what is there may be another run's.
        """
        try:
            if self._is_ours and not self._is_whole and self._lock.is_held():
                for name in self.storage.children(self.work):
                    if name != INCOMPLETE:  # which goes last: what a stop leaves is known for a run's
                        self.storage.remove(f"{self.work}/{name}")
                self.storage.remove(self.work)
        finally:
            self._lock.release()

    # --- what is there ---

    @property
    def _run_on_spark(self) -> dict[str, Any]:
        """The run under work. Not that of the local program, which would go on with what is there."""
        return {**self.run, "engine": "spark"}

    def _is_empty(self) -> bool:
        if not self.storage.exists(self.uri):
            return True
        return self.storage.is_folder(self.uri) and not self.storage.children(self.uri)

    def is_done_at_rest(self) -> bool:
        """Whether this run's output is there and whole: then nothing is touched, not even a lock."""
        if self.overwrite or self.storage.exists(f"{self.uri}/{INCOMPLETE}"):
            return False
        self.success = self.storage.read_manifest(self.uri) or {}
        if self.success.get("run") != self.run:
            return False
        self._check_whole(self.success)
        return True

    def _is_done(self) -> bool:
        """Whether this run is committed. Raises when what is there is not to be replaced."""
        if self._is_empty():
            return False
        storage = self.storage
        if storage.exists(f"{self.uri}/{INCOMPLETE}"):
            return self._is_unfinished()
        mark = storage.read_manifest(self.uri) or {}
        if "run" not in mark:
            raise UsageError(f"{self.uri}: exists and is no output of uzushio; choose another folder")
        if self.overwrite:
            self._check_replaceable(mark)
            return False
        if mark["run"] != self.run:
            raise UsageError(
                f"{self.uri}: holds the output of a run with other inputs or another configuration; "
                "choose another folder, or --overwrite"
            )
        self._check_whole(mark)
        self.success = mark
        return True

    def _check_whole(self, mark: dict[str, Any]) -> None:
        """Raises when a run that is done already has lost files."""
        there = dict(self.storage.files(self.uri))
        for file in mark.get("files", []):
            if there.get(file["path"]) != file["bytes"]:
                what = "has another size" if file["path"] in there else "is missing"
                raise RunError(
                    f"{self.uri}/{file['path']}: {what}, and the manifest lists it: this run was complete, and its "
                    "output is not whole any more; bring the file back, or make the output again with --overwrite"
                )

    def _is_unfinished(self) -> bool:
        """False where a run that may be begun anew was stopped in its place, or while its commit is being mended."""
        mark = self.storage.read_mark(f"{self.uri}/{INCOMPLETE}") or {}
        is_mine = self.overwrite or mark.get("run") == self._run_on_spark
        if "success" not in mark and not (self.in_place and is_mine):
            raise UsageError(f"{self.uri}: holds an output that is not complete; remove it, or choose another folder")
        return False

    def _check_replaceable(self, mark: dict[str, Any]) -> None:
        """Raises when there is anything but what its run has written."""
        listed = {file.get("path") for file in mark.get("files", [])} | {MANIFEST, OLD_MANIFEST, "_groups.jsonl.gz"}
        for path, _ in self.storage.files(self.uri):
            if path not in listed and not path.startswith("quarantine/_"):  # of earlier versions
                raise UsageError(
                    f"{self.uri}/{path}: was not written by the run whose output {self.uri} is; --overwrite would "
                    "remove it: move it away first"
                )

    def _mend(self) -> None:
        """Completes a commit that was stopped, or undoes it where the old output was put aside and no more."""
        storage = self.storage
        if not self.in_place:
            self._mend_work()
            if self._is_empty() and storage.has_manifest(self._replaced):
                self._check_put_aside()
                storage.remove_empty(self.uri)
                storage.rename(self._replaced, self.uri)
        mark = storage.read_mark(f"{self.uri}/{INCOMPLETE}") or {}
        if "success" in mark:
            self.success = mark["success"]
            self._replaces = mark.get("replaces") is True
            self._end_commit()

    def _check_put_aside(self) -> None:
        """Raises when the output that was put aside is not whole: it was being removed."""
        mark = self.storage.read_manifest(self._replaced) or {}
        there = dict(self.storage.files(self._replaced))
        if any(there.get(file["path"]) != file["bytes"] for file in mark.get("files", [])):
            raise UsageError(
                f"{self._replaced}: is what is left of an output that was replaced, and not whole; remove it"
            )

    def _mend_work(self) -> None:
        """Moves what this run has made to its place, when it is whole."""
        mark = self.storage.read_mark(f"{self.work}/{INCOMPLETE}") or {}
        if "success" not in mark or mark.get("run") != self._run_on_spark:
            return
        there = dict(self.storage.files(self.work))
        if all(there.get(file["path"]) == file["bytes"] for file in mark["success"]["files"]):
            self._is_done()  # raises when what is there is not to be replaced
            self.success = mark["success"]
            self._replaces = mark.get("replaces") is True
            self._move_in()
            self.overwrite = False  # it is done

    def _prepare(self) -> None:
        storage = self.storage
        if not self.in_place and not self._is_empty() and storage.exists(self._replaced):
            raise UsageError(f"{self._replaced}: is in the way of replacing {self.uri}; move it away, or remove it")
        if not self.in_place and storage.exists(self.work) and not storage.exists(f"{self.work}/{INCOMPLETE}"):
            own = {LOCAL_PARTS, f"{INCOMPLETE}.tmp"}  # of the local program, which makes them before the mark
            if not storage.is_folder(self.work) or set(storage.children(self.work)) - own:
                raise UsageError(
                    f"{self.work}: is in the way, and no unfinished run of uzushio; move it away, or choose another "
                    "--output"
                )
        if storage.exists(self.work) and not self.overwrite:
            mark = storage.read_mark(f"{self.work}/{INCOMPLETE}") or {}
            if mark.get("run", self._run_on_spark) != self._run_on_spark:
                raise UsageError(
                    f"{self.work}: an unfinished run with other inputs or another configuration, or of the local "
                    "program; finish it, remove it, or --overwrite"
                )
        storage.make_folder(self.work)
        storage.write(f"{self.work}/{INCOMPLETE}", _text({"run": self._run_on_spark}))  # first: the folder stays ours
        self._is_ours = True
        for name in storage.children(self.work):
            if name != INCOMPLETE:
                storage.remove(f"{self.work}/{name}")

    # --- commit ---

    def commit(self, counts: dict[str, Any], text_form: str = "") -> None:
        """Puts the output in its place. `text_form`: the form of its texts, where it is known."""
        storage = self.storage
        storage.remove(self.scratch)
        self._lock.check()
        self._rename_own()
        files = []
        for path, size in storage.files(self.work):
            if path.rpartition("/")[2].startswith("."):  # what a task has not finished
                storage.remove(f"{self.work}/{path}")
            elif path not in (INCOMPLETE, MANIFEST):
                files.append({"path": path, "bytes": size})
        self.success = {"counts": counts, "files": files, "run": self.run, "engine": "spark"}
        if text_form:
            self.success["text"] = text_form
        self._mark_whole()
        self._is_whole = True
        if not self.in_place:
            if self._is_done():
                raise UsageError(f"{self.uri}: the output of this run has been put there meanwhile")
            self._move_in()
        self._end_commit()

    def _rename_own(self) -> None:
        """Gives Parquet files of the hidden folder the ending that other programs do not look for."""
        folder = f"{self.work}/{_core.OWN_FOLDER}"
        for path, _ in self.storage.files(folder) if self.storage.exists(folder) else []:
            if path.endswith(".parquet") and not path.rpartition("/")[2].startswith("."):
                place, _, name = f"{folder}/{path}".rpartition("/")
                self.storage.rename(f"{place}/{name}", f"{place}/{name.removesuffix('.parquet')}{_core.OWN_ENDING}")
                self.storage.remove(f"{place}/.{name}.crc")  # which a local file system has beside it

    def _mark_whole(self) -> None:
        """The work is whole, and this is what its commit will do."""
        mark = {"run": self._run_on_spark, "success": self.success, "replaces": self._replaces}
        self.storage.write(f"{self.work}/{INCOMPLETE}", _text(mark))

    def _move_in(self) -> None:
        storage = self.storage
        is_there = not self._is_empty()
        # A run that was stopped may have put the old output aside already.
        self._replaces = is_there or (self._replaces and storage.exists(self._replaced))
        self._mark_whole()
        if is_there:
            storage.rename(self.uri, self._replaced)
        else:
            storage.remove_empty(self.uri)
        storage.rename(self.work, self.uri)
        if not storage.exists(f"{self.uri}/{INCOMPLETE}"):  # Hadoop renames into a folder that is there by then
            raise RunError(f"{self.uri}: something else was put there; the output is in a folder in it")

    def _end_commit(self) -> None:
        """What is left once the folder is in its place. A stop anywhere in here is made good by the next run."""
        storage = self.storage
        storage.remove(f"{self.uri}/{LOCAL_PARTS}")
        storage.remove(f"{self.uri}/{OLD_MANIFEST}.tmp")  # of an earlier version that was stopped
        storage.make_folder(f"{self.uri}/{MANIFEST}".rpartition("/")[0])
        storage.write(f"{self.uri}/{MANIFEST}", _text(self.success))
        if self._replaces:
            for manifest in (MANIFEST, OLD_MANIFEST):
                storage.remove(f"{self._replaced}/{manifest}")  # first: what is left is no output
            storage.remove(self._replaced)
        storage.remove(f"{self.uri}/{INCOMPLETE}")


def _text(mark: dict[str, Any]) -> str:
    return json.dumps(mark, indent=2, ensure_ascii=False) + "\n"


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


class _LocalLock:
    """The lock of the local program (src/storage/lock_file.h), which the system lets go of when the process ends."""

    def __init__(self, uri: str, path: str) -> None:
        self._uri = uri
        self._path = Path(path)
        self._file = -1

    def take(self) -> None:
        """Raises when another process has it."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            while not self._try():  # it has gone with the other's
                pass
        except BlockingIOError:
            raise UsageError(f"{self._uri}: another process is writing this output now") from None
        except OSError as error:
            raise UsageError(f"--output {self._uri}: cannot lock {self._path}: {error.strerror}") from error

    def _try(self) -> bool:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            raise
        self._file = file
        if self.is_held():
            return True
        self._close()
        return False

    def is_held(self) -> bool:
        """Whether it is this run's still."""
        try:
            return self._file >= 0 and os.path.samestat(os.fstat(self._file), self._path.lstat())
        except FileNotFoundError:
            return False

    def check(self) -> None:
        """Raises when it was taken away."""
        if not self.is_held():
            raise RunError(f"{self._path}: was removed while this run wrote; nothing is committed")

    def release(self) -> None:
        """Lets go of it."""
        if self._file < 0:
            return
        try:
            if self.is_held():
                self._path.unlink()  # before the lock goes: who waits for it finds that it is no longer the one
        finally:
            self._close()

    def _close(self) -> None:
        os.close(self._file)
        self._file = -1


class _FileLock:
    """A file that is there as long as a run writes, and says whose it is.

    Nothing removes it when a driver is killed; but another attempt of the same application, which Spark's cluster
    starts when the first has ended, takes it over.
    """

    def __init__(self, storage: Storage, uri: str, path: str) -> None:
        context = storage.spark.sparkContext
        self._storage = storage
        self._uri = uri
        self._path = path
        self._holder = {
            "application": str(context.applicationId),
            "host": socket.gethostname(),
            "process": _PROCESS,
            "since": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "run": uuid.uuid4().hex,
        }
        self._is_taken = False

    def take(self) -> None:
        """Raises when another run has it."""
        if not self._storage.create(self._path, _text(self._holder)):
            other = self._storage.read_mark(self._path) or {}
            is_former = other.get("application") == self._holder["application"] and other.get("process") != _PROCESS
            if not is_former:
                raise self._refusal(other)
            self._storage.write(self._path, _text(self._holder))
        # Some stores see whether a file is there, and write it then: the last of two has it.
        found = self._storage.read_mark(self._path) or {}
        if found != self._holder:
            raise self._refusal(found)
        self._is_taken = True

    def _refusal(self, other: dict[str, Any]) -> UsageError:
        who = f"application {other.get('application', 'unknown')} on {other.get('host', 'an unknown host')}"
        return UsageError(
            f"{self._uri}: {who} has been writing this output since {other.get('since', 'an unknown time')}; wait for "
            f"it or, if it was killed, remove {self._path}"
        )

    def is_held(self) -> bool:
        """Whether it is this run's still."""
        return self._is_taken and self._storage.read_mark(self._path) == self._holder

    def check(self) -> None:
        """Raises when it was taken away."""
        if not self.is_held():
            raise RunError(f"{self._path}: was removed while this run wrote; nothing is committed")

    def release(self) -> None:
        """Lets go of it."""
        if self.is_held():
            self._storage.remove(self._path)
        self._is_taken = False
