"""The servers of stores: what they tell of themselves, and that nothing of them is left when a test fails."""

from __future__ import annotations

import sys
import threading
from urllib.request import Request, urlopen

import pytest
from azure_store import serve_azure_store, shared_access
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


def test_azure_tells_what_was_not_completed() -> None:
    """A blob of which blocks are there, and no list of them."""
    with serve_azure_store() as store:
        store.put("whole")
        assert store.uploads() == []
        place = f"{store.url}/store/begun?comp=block&blockid=MDAwMA==&{shared_access()}"
        with urlopen(Request(place, b"x", {"x-ms-version": "2021-12-02"}, method="PUT")):
            pass
        assert store.uploads() == ["begun"]
