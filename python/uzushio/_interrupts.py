"""Ctrl-C while the main thread waits for threads of Arrow's, and they for batches that Python makes.

Python handles signals in its main thread, between its own instructions. pyarrow's `write_dataset` keeps that thread
until the source is at its end, and reads the source in others: an interrupt would wait as long. So what makes batches
looks for interrupts that wait, and raises the KeyboardInterrupt itself. Arrow hands it on to the main thread, where
Python's handler, which is replaced for that, then raises no second one. Handlers of programs are left alone.
"""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
import time

from uzushio import _core
from uzushio._at_exit import tell_error

_TURN = 0.2
"""Seconds in which a main thread that is free handles an interrupt by itself."""

_SOON = 0.05
"""Seconds in which a reader has told its error."""

_handled = 0  # of the interrupts that were counted
_comes_again = False  # one that `again` sends
_shown: BaseException | None = None  # when it was sent
_NUMBER = "_uzushio_interrupt"  # of exceptions that were raised for the main thread: the interrupt's


def watch() -> None:
    """From now on `check` knows of interrupts. Where the main thread is not the caller, nothing changes."""
    global _handled
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # where threading knows another main thread than Python
            signal.signal(signal.SIGINT, _handle)
    _core.count_interrupts()
    _handled = _core.interrupts()  # by whoever was there; what waits now, this thread handles itself


def check() -> None:
    """Errors: KeyboardInterrupt, in a thread that is not Python's, where an interrupt waits for the main thread."""
    if _core.interrupts() == _handled or signal.getsignal(signal.SIGINT) is not _handle or _is_pythons():
        return
    last = time.monotonic() + _TURN
    while (number := _core.interrupts()) != _handled:
        if time.monotonic() >= last:
            raise _numbered(number)
        time.sleep(0.005)  # without the interpreter's lock, which the main thread may want


def again() -> None:
    """A KeyboardInterrupt that is about to become another error, of who reads by the C stream interface, comes again.

    Otherwise `except ValueError` would be the end of it. Here it would only be raised in its own place.
    """
    global _comes_again, _shown
    is_main = threading.get_ident() == threading.main_thread().ident
    if is_main and signal.getsignal(signal.SIGINT) is _handle:
        _comes_again, _shown = True, _last_shown()
        timer = threading.Timer(_SOON, _thread.interrupt_main)
        timer.daemon = True
        timer.start()


def _numbered(number: int) -> KeyboardInterrupt:
    error = KeyboardInterrupt()
    setattr(error, _NUMBER, number)
    tell_error(error)
    return error


def _is_pythons() -> bool:
    """Whether the current thread was started by Python, or is its main one."""
    now = threading.get_ident()
    return any(one.ident == now and not isinstance(one, threading._DummyThread) for one in threading.enumerate())


def _last_shown() -> BaseException | None:
    """The error that nobody handled, from when it is shown."""
    return getattr(sys, "last_value", None)


def _handle(number: int, frame: object) -> None:
    """As Python's own handler, but for an interrupt of which the main thread has the exception already."""
    global _handled, _comes_again, _shown
    before, _handled = _handled, _core.interrupts()
    is_shown = _comes_again and _handled == before and _last_shown() is not _shown
    _comes_again, _shown = False, None
    if is_shown:
        return  # it would disturb what shows the reader's error, which says what it was
    error = sys.exc_info()[1] or _last_shown()
    while error is not None:
        if getattr(error, _NUMBER, 0) > before:
            return
        error = error.__context__
    raise KeyboardInterrupt
