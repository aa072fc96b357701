"""Sessions of our own, where the caller has none: with the Python that runs us, and silent but for errors."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uzushio._errors import RunError, UsageError
from uzushio.spark import _session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL_SETTINGS = {
    # What is shuffled is read where it was written, and most of it is hashes, which LZ4 takes its time for in vain.
    "spark.shuffle.compress": "false",
}
"""Of a new session on one machine."""

TESTED = ("3.5.", "4.3.")
"""The versions of PySpark whose workers the tests have run with our daemon; others have their own."""

DAEMON = {"spark.python.daemon.module": "uzushio_spark_daemon"}

SILENT_LOG = Path(__file__).with_name("log4j2.properties")


def settings(master: str) -> dict[str, str]:
    """Of a new session, where the user says nothing."""
    import pyspark

    local = LOCAL_SETTINGS if _session.is_local(master) else {}
    return local | (DAEMON if pyspark.__version__.startswith(TESTED) else {})


def session(name: str, master: str | None, given: Mapping[str, str], progress: bool) -> SparkSession:
    """A new session, or the one that is there. `given` are settings of the user's.

    Spark's progress bar is shown when `progress` says so and standard error is a terminal.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    _refuse_connect(master, given)
    builder: Any = SparkSession.builder
    for setting, value in given.items():
        builder = builder.config(setting, value)
    if SparkContext._active_spark_context is not None:
        return _classic(builder.getOrCreate())
    shown = {"spark.ui.showConsoleProgress": str(progress and sys.stderr.isatty()).lower()} | dict(given)
    with _machine(shown | ({"spark.master": master} if master else {})) as known:
        where = master or known.get("spark.master", "local[*]")
        for setting, value in settings(where).items():
            if setting not in known:
                builder = builder.config(setting, value)
        made = _classic(builder.appName(name).master(where).getOrCreate())
    _choose_python(made, known)
    return made


def _refuse_connect(master: str | None, given: Mapping[str, str]) -> None:
    remote = given.get("spark.remote") or os.environ.get("SPARK_REMOTE")
    mode = given.get("spark.api.mode") or os.environ.get("SPARK_API_MODE", "")
    if remote or mode.lower() == "connect" or "SPARK_CONNECT_MODE_ENABLED" in os.environ:
        raise UsageError("uzushio can not use Spark Connect; give --master, and no spark.remote nor SPARK_REMOTE")
    if (master or given.get("spark.master") or "").startswith("sc://"):
        raise UsageError(f"--master {master}: uzushio can not use Spark Connect; give the cluster's own URL")


def _classic(session: SparkSession) -> SparkSession:
    _session.require_classic(session)
    return session


def _choose_python(session: SparkSession, known: Mapping[str, str]) -> None:
    """The workers' Python: what the user names, on this machine the one that runs us, else that of the nodes' PATH."""
    context: Any = session.sparkContext
    if "spark.pyspark.python" in known:
        context.pythonExec = known["spark.pyspark.python"]
    elif "PYSPARK_PYTHON" not in os.environ and _session.is_local(context.master):
        context.pythonExec = sys.executable


# --- what Spark says while it starts ---


@contextmanager
def _machine(conf: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Starts Spark's virtual machine, unless spark-submit has; gives all settings that it knows."""
    from pyspark import SparkConf, SparkContext

    if "PYSPARK_GATEWAY_PORT" in os.environ or SparkContext._gateway is not None or log_is_wanted(conf):
        SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(list(conf.items())))
        yield dict(SparkConf().getAll()) | dict(conf)
        return
    with _Silence() as silence:
        silence.launch(conf)
        yield dict(SparkConf().getAll()) | dict(conf)


def log_is_wanted(conf: Mapping[str, str]) -> bool:
    """Whether the user has said what Spark's log is to be like."""
    from pyspark import find_spark_home

    home: Any = find_spark_home
    if "spark.log.level" in conf or "LOG4J_CONFIGURATION_FILE" in os.environ:
        return True
    said = [os.environ.get(name, "") for name in ("SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "PYSPARK_SUBMIT_ARGS")]
    said += [value for name, value in conf.items() if name.endswith("JavaOptions")]
    if any("log4j" in text for text in said):
        return True
    folder = Path(os.environ.get("SPARK_CONF_DIR") or Path(home._find_spark_home()) / "conf")
    return any(re.fullmatch(r"log4j2\.(properties|xml|ya?ml|jso?n)", path.name) for path in folder.glob("log4j2.*"))


class _Silence:
    """Holds back what the virtual machine writes to standard output and error until the session is there.

    What it writes then goes on to standard error: nothing, as its log is off, but the progress bar, what tasks print,
    and what it ends by.
    """

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._lock = threading.Lock()
        self._is_on = True

    def launch(self, conf: Mapping[str, str]) -> None:
        """Starts the virtual machine."""
        from pyspark import SparkConf, SparkContext, java_gateway
        from pyspark.errors import PySparkRuntimeError

        java: Any = java_gateway
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        read, write = os.pipe()
        os.environ["LOG4J_CONFIGURATION_FILE"] = str(SILENT_LOG)
        thread = threading.Thread(target=self._pass_on, args=(read,), daemon=True)
        thread.start()
        try:
            settings = SparkConf(loadDefaults=False).setAll(list(conf.items()))
            SparkContext._ensure_initialized(gateway=java.launch_gateway(settings, {"stdout": write, "stderr": write}))
        except (PySparkRuntimeError, OSError) as error:
            os.close(write)
            thread.join(timeout=5)
            raise RunError(f"Spark's virtual machine did not start: {self._last_words() or error}") from error
        else:
            os.close(write)
        finally:
            del os.environ["LOG4J_CONFIGURATION_FILE"]

    def _last_words(self) -> str:
        lines = b"".join(self._held).decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _pass_on(self, read: int) -> None:
        while block := os.read(read, 1 << 16):
            with self._lock:
                if self._is_on:
                    self._held.append(block)
                    continue
            with contextlib.suppress(OSError):  # nobody listens
                while block:
                    block = block[os.write(2, block) :]

    def __enter__(self) -> _Silence:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_on = False
            self._held.clear()
