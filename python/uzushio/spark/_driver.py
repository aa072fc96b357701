"""Steps of a pipeline on Spark, for `uzushio run --on spark`, which starts this and asks it in lines of JSON.

A question is {"do": "check" or "run", "arguments": [STAGE, …]}, with the arguments of `python -m uzushio.spark`. The
answer is {"summary": {…}}, or {"error": TEXT, "is_usage": whether the arguments are wrong}; while something runs,
{"note": TEXT} goes before it now and then. One session serves all
questions; the first that is to run something makes it. The first line on standard output is the answer to none, and
says whether there is a PySpark. The end of standard input ends the process, with what is at work.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from uzushio._errors import Error, UsageError
from uzushio.spark import __main__ as stages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Answer = dict[str, Any]

SECONDS_OF_NOTES = 1.0
"""Between notes of what is at work."""


class Driver:
    """The session, and what is asked of it."""

    def __init__(self, settings: argparse.Namespace) -> None:
        """`settings` have the master and settings of Spark."""
        self._settings = settings
        self._session: SparkSession | None = None

    def answer(self, question: dict[str, Any]) -> Answer:
        """To a question."""
        begin = time.monotonic()
        try:
            options = stages.read_options(question["arguments"])
            options.master, options.conf = self._settings.master, self._settings.conf
            if question["do"] == "check":
                return {}
            session = self._session_for(options)
            _check_paths(session, options)
            summary = stages.run(session, options)
        except Error as error:
            return {"error": stages.with_notes(error, str(error)), "is_usage": isinstance(error, UsageError)}
        except Exception as error:
            from uzushio.spark import _failures

            cause = _failures.cause_of(error)
            if cause is None:
                raise
            return {"error": stages.with_notes(error, cause)}
        return {"summary": summary | {"seconds": time.monotonic() - begin}}

    def _session_for(self, options: argparse.Namespace) -> SparkSession:
        if self._session is None:
            self._session = stages.new_session(options)
        return self._session

    def note(self) -> str:
        """What Spark works on."""
        if self._session is None:
            return "Spark starts"
        tracker = self._session.sparkContext.statusTracker()
        stages_at_work = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        tasks = [(stage.numCompletedTasks, stage.numTasks) for stage in stages_at_work if stage is not None]
        if not tasks:
            return "on Spark"
        return f"on Spark: {sum(done for done, _ in tasks)} of {sum(all for _, all in tasks)} tasks of a step"

    def stop(self) -> None:
        """Ends the session."""
        if self._session is not None:
            self._session.stop()


def _check_paths(session: SparkSession, options: argparse.Namespace) -> None:
    """Refuses paths that are others on Spark than here."""
    where = stages.default_scheme(session)
    names = [options.output, *options.inputs, getattr(options, "stats", None)]
    if where != "file" and any(name is not None and "://" not in name for name in names):
        raise UsageError(
            f"paths are of {where}:// here, and a run's paths are of a local or mounted file system; "
            "give --conf spark.hadoop.fs.defaultFS=file:///"
        )


def _listen(questions: queue.SimpleQueue[dict[str, Any] | None], at_work: threading.Event) -> None:
    for line in sys.stdin:
        questions.put(json.loads(line))
    if at_work.is_set():
        os._exit(stages.FAILED)
    questions.put(None)


def serve(driver: Driver, answers: TextIO) -> None:
    """Answers until nobody asks."""
    lock = threading.Lock()

    def say(answer: Answer) -> None:
        with lock:
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

    say({})
    questions: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    at_work = threading.Event()
    threading.Thread(target=_listen, args=(questions, at_work), daemon=True).start()
    while (question := questions.get()) is not None:
        at_work.set()
        ended = threading.Event()
        telling = threading.Thread(target=_tell, args=(driver, say, ended), daemon=True)
        telling.start()
        answer = driver.answer(question)
        ended.set()
        telling.join()
        at_work.clear()
        say(answer)


def _tell(driver: Driver, say: Callable[[Answer], None], ended: threading.Event) -> None:
    with contextlib.suppress(Exception):  # Spark ends: the answer will say why
        while not ended.wait(SECONDS_OF_NOTES):
            say({"note": driver.note()})


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the settings, and serves."""
    parser = argparse.ArgumentParser(prog="python -m uzushio.spark._driver", allow_abbrev=False)
    parser.add_argument("--master")
    parser.add_argument("--conf", action="append", default=[])
    settings = parser.parse_args(arguments)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what Spark and what it starts print
    try:
        import pyspark  # noqa: F401
    except ImportError:
        print(
            json.dumps({"error": f"{sys.executable} has no PySpark; pip install pyspark", "is_usage": True}),
            file=answers,
            flush=True,
        )
        return stages.USAGE
    driver = Driver(settings)
    serve(driver, answers)
    driver.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
