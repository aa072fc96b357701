"""The servers of stores: nothing of them is left when a test fails."""

from __future__ import annotations

import sys
import threading

import pytest
from object_store import FaultyProxy, serve_behind, serve_store


def test_a_failing_test_leaves_no_server() -> None:
    """moto runs in a thread of this process."""
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), serve_store("moto"):
        raise ZeroDivisionError
    assert threading.active_count() == before


def test_a_server_that_does_not_start_leaves_no_proxy() -> None:
    """Its socket is closed."""
    proxy = FaultyProxy()
    with pytest.raises(RuntimeError, match="did not start"), serve_behind(proxy, [sys.executable, "-c", "exit(1)"]):
        pass
    assert proxy.fileno() == -1
