"""What threads of Arrow's hold of Python's, at the end of the process."""

from __future__ import annotations

import atexit
import contextlib
import gc
import itertools
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LONGEST_WAIT = 5.0
"""Seconds for threads to let go of what they are about to. Takes them milliseconds; others may hold it for good."""

_TASKS = Path("/proc/self/task")
"""The threads of this process, on Linux."""

# Weak references without callbacks, which would be Python's code where an object is freed: an interrupt that comes then
# is dropped. Numbers are keys that need none.
_numbers = itertools.count()
_open: dict[int, weakref.ref[Any]] = {}
_held: dict[int, tuple[weakref.ref[Any], Callable[[], object | None]]] = {}
_are_read_elsewhere = False  # readers, in threads that are not the main one


def tell_holder(given: Any, holder: Callable[[], object | None]) -> None:
    """Says that a reader of Arrow's holds `given`, as Python's `holder()` does, unless it is gone.

    A thread of Arrow's may hold a reader for a moment after the function that read it has returned, and frees it then;
    which aborts the process where the interpreter, whose lock that takes, is at its end.
    """
    for number, (told, _) in list(_held.items()):
        if told() is None:
            _held.pop(number, None)
    _held[next(_numbers)] = weakref.ref(given), holder


def in_main_thread() -> bool:
    """Whether the current thread is Python's main one."""
    return threading.get_ident() == threading.main_thread().ident


def tell_thread() -> None:
    """Says that the current thread reads."""
    global _are_read_elsewhere
    if not in_main_thread():
        _are_read_elsewhere = True


def tell_error(error: BaseException) -> None:
    """Says that threads of Arrow's hold the error of a reader that they read, which they free in the same way."""
    if not in_main_thread():
        error._uzushio_held = held = _Held()  # type: ignore[attr-defined]
        tell_holder(held, lambda: None)


class _Held:
    """Goes when the error does."""


def close_at_exit(reader: Any) -> None:
    """Says that threads may read files of Python's for the reader, unless it is closed or gone."""
    for number, known in list(_open.items()):
        if known() is None:
            _open.pop(number, None)
    _open[next(_numbers)] = weakref.ref(reader)


def let_go() -> None:
    """Before the interpreter ends: readers are closed; what Python holds, too, is never freed, for the rest this waits.

    What is held and has a method `end` is ended, so that nothing is read any more. Where threads of Arrow's have read
    anything, one may be about to try once more, which fails, or in the middle of freeing what is gone for others. Done
    again, there is nothing to do.
    """
    others = _Others() if _are_read_elsewhere else None
    for known in list(_open.values()):
        if (reader := known()) is not None:
            with contextlib.suppress(Exception):  # of completing a file; nobody is there to hear
                reader.close()
    for number, (told, holder_of) in list(_held.items()):
        given = told()
        if given is not None and hasattr(given, "end"):
            given.end()
        holder = holder_of()
        if holder is not None:
            _never_free(holder)
            del _held[number]
        del given, holder
    if _is_any_held():  # Python itself may have errors
        for name in ("last_exc", "last_value", "last_traceback"):
            if hasattr(sys, name):
                setattr(sys, name, None)
        gc.collect()
    last = time.monotonic() + _LONGEST_WAIT
    while (_is_any_held() or not (others is None or others.are_at_rest())) and time.monotonic() < last:
        time.sleep(0.001)  # without the interpreter's lock, which they need
    _forget()


class _Others:
    """The threads that Python has not started."""

    def __init__(self) -> None:
        self._switches: dict[str, list[str]] = {}

    def are_at_rest(self) -> bool:
        """Whether they sleep, and have since this was asked before. True where the system does not say."""
        if not _TASKS.is_dir():
            return True
        own = {one.native_id for one in threading.enumerate() if not isinstance(one, threading._DummyThread)}
        own.add(threading.get_native_id())  # which a forked process may know by another number
        before, self._switches = self._switches, {}
        do_sleep = True
        for task in _TASKS.iterdir():
            if int(task.name) in own:
                continue
            with contextlib.suppress(OSError):  # it has ended
                status = (task / "status").read_text(encoding="ascii", errors="replace").splitlines()
                states = [line.split()[1] for line in status if line.startswith("State:")]
                do_sleep = do_sleep and not set(states) & {"R", "D"}
                self._switches[task.name] = [line for line in status if "voluntary_ctxt_switches:" in line]
        return do_sleep and self._switches == before


def _is_any_held() -> bool:
    return any(told() is not None for told, _ in list(_held.values()))


def _never_free(value: object) -> None:
    import ctypes  # which few processes need

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


def _forget() -> None:
    _held.clear()
    _open.clear()


def _forget_threads() -> None:
    """In a forked process they are not there."""
    global _are_read_elsewhere
    _are_read_elsewhere = False
    _forget()


for _ in range(2):  # an interrupt that comes at the end, or waits for it, ends the first before its work is done
    atexit.register(let_go)
os.register_at_fork(after_in_child=_forget_threads)
