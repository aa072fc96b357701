"""What a run on Spark has failed by, in a line."""

from __future__ import annotations

import re

_MANY_LINES = "Traceback (most recent call last):"


def cause_of(error: Exception) -> str | None:
    """The cause of an exception of Spark's or of a file system; none where it is a fault of the program.

    >>> cause_of(ValueError("a fault of the program")) is None
    True
    >>> cause_of(PermissionError(13, "Permission denied", "/out"))
    "[Errno 13] Permission denied: '/out'"
    >>> cause_of(TimeoutError())
    'TimeoutError'
    """
    if isinstance(error, OSError):
        return "; ".join(line.strip() for line in str(error).splitlines() if line.strip()) or type(error).__name__
    kind = type(error).__module__
    if not kind.startswith(("py4j.", "pyspark.")):
        return None
    return cause_in(str(error))


def cause_in(text: str) -> str:
    """The cause that many lines of Java and Python tell of.

    >>> cause_in("Job aborted: …\\nuzushio._errors.InputError: a.warc: cut off\\n\\tat java…")
    'a.warc: cut off'
    >>> trace = 'Traceback (most recent call last):\\n  File "x.py", line 1\\nValueError: no number\\n\\n\\tat java…'
    >>> cause_in("Job aborted: …\\nCaused by: org.apache.spark.api.python.PythonException: " + trace)
    'Python in Spark: ValueError: no number'
    >>> cause_in("Job aborted\\nCaused by: java.io.IOException: No space left on device\\n\\tat java…")
    'Spark: java.io.IOException: No space left on device'
    """
    if ours := re.findall(r"^\s*uzushio[\w.]*(?:Error|TooManyBadRecords): (.*)", text, re.MULTILINE):
        return str(ours[-1])
    if said := _last_of_traceback(text):
        hint = "; PYSPARK_PYTHON names the workers' Python" if "No module named" in said else ""
        return f"Python in Spark: {said}{hint}"
    if did_not_start := re.search(r"Error from python worker:\s*\n\s*(.*)", text):
        return f"Python in Spark did not start: {did_not_start[1]}; PYSPARK_PYTHON names it"
    if "Python worker exited unexpectedly" in text or "Python worker process terminated" in text:
        return "a Python worker of Spark has crashed or was killed; if memory ran out, give less --memory"
    if causes := re.findall(r"^Caused by: (.*)", text, re.MULTILINE):
        return f"Spark: {causes[-1]}"
    lines = [line.strip().removeprefix(": ") for line in text.splitlines()]
    told = [line for line in lines if line and not line.startswith(("An error occurred while calling", "at "))]
    return f"Spark: {told[0] if told else 'failed, and does not say why'}"


def _last_of_traceback(text: str) -> str | None:
    """What the last Python exception in a text says: the first line after the frames, which are indented further."""
    before, found, after = text.rpartition(_MANY_LINES)
    if not found:
        return None
    start = before.rpartition("\n")[2]
    indent = len(start) - len(start.lstrip()) if not start.strip() else 0
    for line in after.split("\n")[1:]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            return line.strip()
    return None
