"""A proxy before a store that ends a program at one of the requests that change something, or refuses these."""

from __future__ import annotations

import http.client
import subprocess
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

from crashes import LONGEST
from object_store import FaultyProxy
from program import PROGRAM

CHANGES = ("PUT", "POST", "DELETE")
FROM_THEN_ON = "503 from then on"
STATUS = {"403": 403, "503": 503, "500": 500, FROM_THEN_ON: 503}
LEASE = " (lease)"  # of Azure: an object is leased before it is deleted
KILLED = ("killed before", "killed after")  # before the request, or when it is done and not answered


class CrashProxy(FaultyProxy):
    """Counts requests that change something, from 0; at one of them, one of STATUS or KILLED happens."""

    def __init__(self, url: str = "http://127.0.0.1") -> None:
        super().__init__(url)
        self.at, self.kind, self.changes = -1, "", list[str]()
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Condition()
        self._connections = 0
        self._killer = 0  # the thread whose answer is the last of the process

    def run(
        self, command: list[str], folder: Path, at: int = -1, kind: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """The program in a folder, to its end, and to that of its requests."""
        self.at, self.kind, self.changes, self._killer = at, kind, [], 0
        self.status = STATUS.get(kind, 503)
        with self._lock:
            self._process = subprocess.Popen(
                [PROGRAM, *command],
                cwd=folder,
                env=environment,
                text=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        try:
            said = self._process.communicate(timeout=LONGEST)[1]
        finally:
            self._process.kill()
        # Behind all connections of the process.
        with closing(http.client.HTTPConnection("127.0.0.1", self.server_address[1])) as last:
            last.request("GET", "/")
            last.getresponse().read()
        with self._lock:
            self._lock.wait_for(lambda: self._connections == 0)
        return subprocess.CompletedProcess(command, self._process.returncode, "", said)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """All requests of a connection."""
        with self._lock:
            self._connections += 1
        super().process_request_thread(request, client_address)
        with self._lock:
            self._connections -= 1
            self._lock.notify_all()

    def fails(self, method: str, path: str) -> bool:
        """Whether a request is refused. What a process asks for when it has been killed is no more done."""
        with self._lock:
            if self._killer and method != "GET":
                return True
            if method not in CHANGES:
                return False
            at = len(self.changes)
            place, _, query = path.partition("?")
            self.changes.append(f"{method} {place}{LEASE if 'comp=lease' in query else ''}")
            if self.kind == "killed after" and at == self.at:
                self._killer = threading.get_ident()
                return False
            if self.kind == "killed before" and at == self.at:
                self._kill()
                return True
            return self.kind in STATUS and (at == self.at or (at > self.at and self.kind == FROM_THEN_ON))

    def was_answered(self) -> None:
        """Kills the process that shall not hear it."""
        if self._killer == threading.get_ident():
            self._kill()

    def _kill(self) -> None:
        self._killer = self._killer or threading.get_ident()
        assert self._process is not None
        self._process.kill()

    def handle_error(self, request: object, client_address: object) -> None:
        """Nobody is there who would hear an answer."""
