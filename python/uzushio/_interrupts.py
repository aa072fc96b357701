"""Ctrl-C while the main thread waits for threads of Arrow's, and they for batches that Python makes.

Python handles signals in its main thread, between its own instructions. pyarrow's `write_dataset` keeps that thread
until the source is at its end, and reads the source in others: an interrupt would wait as long. So what makes batches
looks for interrupts that wait, and raises the KeyboardInterrupt itself. Arrow hands it on to the main thread, where
Python's handler, which is replaced for that, then raises no second one. It is put back when no reader is left to be
read: others, such as `asyncio.run`, look whether it is there. Handlers of programs are left alone.
"""

from __future__ import annotations

import atexit
import contextlib
import signal
import sys
import threading
import time
import traceback
from types import FrameType
from typing import NamedTuple

from uzushio import _core
from uzushio._at_exit import tell_error

_TURN = 0.2
"""Seconds in which a main thread that is free handles an interrupt by itself."""

_AT_WORK = 0.005
"""Seconds of the processor, of that many, that a main thread which waits for batches does not take."""

_SOON = 0.05
"""Seconds in which a reader has told its error."""


_READS = ("read", "__next__", "again")
"""Functions of readers, which those call that lose exceptions."""


class _Raised(NamedTuple):
    """A KeyboardInterrupt that was raised for the main thread in another."""

    error: KeyboardInterrupt
    number: int  # of interrupts until then
    frame: FrameType | None  # the main thread's, which called what waits


class _Lost(NamedTuple):
    """A KeyboardInterrupt of the main thread that may have become another error."""

    error: KeyboardInterrupt
    number: int  # of interrupts until then
    shown: BaseException | None  # the last error that was shown until then


_handled = 0  # of the interrupts that were counted
_raised: list[_Raised] = []  # until the main thread handles the interrupt itself
_lost: _Lost | None = None


def watch() -> _core.Watch | None:
    """Until what it returns is freed, `check` knows of interrupts. Nothing changes where another thread calls it."""
    global _handled
    if threading.current_thread() is not threading.main_thread():
        return None
    watched = _core.Watch(_restore)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # where threading knows another main thread than Python
            signal.signal(signal.SIGINT, _handle)
    _core.count_interrupts()
    _handled = _core.interrupts()  # by whoever was there; what waits now, this thread handles itself
    _raised.clear()
    return watched


def _restore() -> None:
    """Puts Python's handler back when nothing is watched any more. In the main thread."""
    try:
        if not _core.is_watched():
            if signal.getsignal(signal.SIGINT) is _handle:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            _core.count_interrupts()  # by which batches end early
    except BaseException:  # of a signal that came meanwhile
        _core.call_in_main_thread(_restore)
        raise


def check() -> None:
    """Errors: KeyboardInterrupt, in a thread that is not Python's, where an interrupt waits for the main thread.

    Not where that does something else, and handles the interrupt when it is done.
    """
    if _core.interrupts() == _handled or signal.getsignal(signal.SIGINT) is not _handle or _is_pythons():
        return
    if _reads_elsewhere():
        return
    last, work = time.monotonic() + _TURN, _work_of_main()
    while (number := _core.interrupts()) != _handled:
        if time.monotonic() >= last:
            if _work_of_main() - work > _AT_WORK:
                return
            error = KeyboardInterrupt()
            tell_error(error)
            _raised.append(_Raised(error, number, sys._current_frames().get(threading.main_thread().ident or 0)))
            raise error
        time.sleep(0.005)  # without the interpreter's lock, which the main thread may want


def again(error: KeyboardInterrupt) -> None:
    """One that is about to become another error, of who reads by the C stream interface, comes again.

    Otherwise `except ValueError` would be the end of it. Here it would only be raised in its own place.
    """
    global _lost
    if threading.get_ident() != threading.main_thread().ident or signal.getsignal(signal.SIGINT) is not _handle:
        return
    is_first = _lost is None
    _lost = _Lost(error, _core.interrupts(), _last_shown())
    if is_first:
        _come_soon()


def _come_soon() -> None:
    timer = threading.Timer(_SOON, _core.call_in_main_thread, [_come_again])
    timer.daemon = True
    with contextlib.suppress(RuntimeError):  # at the end of the process
        timer.start()


def _come_again() -> None:
    """Errors: KeyboardInterrupt, unless what was lost is known otherwise. In the main thread."""
    global _lost
    if _reads():
        _come_soon()  # here it would be lost, too
        return
    lost, _lost = _lost, None
    if lost is None or lost.number != _core.interrupts():  # the next one has come
        return
    if signal.getsignal(signal.SIGINT) not in (_handle, signal.default_int_handler):
        return
    if _last_shown() is not lost.shown:
        return  # it would disturb what shows the reader's error, which says what it was
    trace = lost.error.__traceback__
    if trace is not None and not _is_of(trace.tb_frame, "uzushio"):
        return  # it went on to who reads, as it is
    raise KeyboardInterrupt


def _forget() -> None:
    global _lost
    _lost = None
    _raised.clear()


atexit.register(_forget)  # errors hold readers


def _pythons() -> set[int | None]:
    """The threads that Python started, and its main one."""
    return {one.ident for one in threading.enumerate() if not isinstance(one, threading._DummyThread)}


def _is_pythons() -> bool:
    """Whether the current thread is one of them."""
    return threading.get_ident() in _pythons()


def _is_of(frame: FrameType, package: str) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == package


def _reads_elsewhere() -> bool:
    """Whether another thread of Python's is within a function of pyarrow's, and the main thread is not."""
    frames = sys._current_frames()
    main = threading.main_thread().ident
    readers = {one for one in _pythons() if one in frames and _is_of(frames[one], "pyarrow")}
    return bool(readers) and main not in readers


def _work_of_main() -> float:
    """Seconds of the processor that the main thread has taken; 0 where the system does not say."""
    clock = getattr(time, "pthread_getcpuclockid", None)
    main = threading.main_thread().ident
    return 0.0 if clock is None or main is None else time.clock_gettime(clock(main))


def _last_shown() -> BaseException | None:
    """The error that nobody handled, from when it is shown."""
    return getattr(sys, "last_value", None)


def _handle(number: int, frame: object) -> None:
    """As Python's own handler, but for an interrupt of which the main thread has the exception already."""
    global _handled
    if not _core.is_watched():  # a program that found this handler has put it back
        _core.call_in_main_thread(_restore)
    before, _handled = _handled, _core.interrupts()
    is_known = any(one.number > before and _has_passed(one) for one in _raised)
    if is_known:
        _raised.clear()
        return
    _forget()
    error = KeyboardInterrupt()
    if any(getattr(one.f_locals.get("self"), "forgets_errors", False) for one in _reads()):
        again(error)  # may come before the first line of what would do that
    raise error


def _reads() -> list[FrameType]:
    """Calls of readers, by code that may lose exceptions, that the current thread is in."""
    stack = [frame for frame, _ in traceback.walk_stack(None)]
    return [one for one in stack if one.f_code.co_name in _READS and _is_of(one, "uzushio")]


def _has_passed(raised: _Raised) -> bool:
    """Whether the main thread has it, or had: some code handles an exception without a signal's having its turn."""
    return raised.frame in [frame for frame, _ in traceback.walk_tb(raised.error.__traceback__)]
