"""A proxy before a store that answers as one far away does: after a while, at a rate, and busy at times."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

BLOCK = 1 << 16
BUSY = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>SlowDown</Code>'
    b"<Message>Please reduce your request rate.</Message></Error>"
)


@dataclass
class Limits:
    """What a connection has to wait for."""

    latency: float = 0.0  # seconds until an answer begins
    rate: float = 1e12  # bytes of answers a second
    busy_every: int = 0  # each so many-th request is answered with 503; 0: none


@dataclass
class Served:
    """Requests, and their answers."""

    requests: int = 0
    busy: int = 0  # of these, answered with 503
    bytes: int = 0  # of answers, without their heads
    owed: float = 0.0  # seconds that all of them take by the limits alone, one after the other
    most_at_once: int = 0
    began: float = 0.0  # the first
    ended: float = 0.0  # the last


class SlowProxy:
    """Answers as long as its loop runs. Takes GET and HEAD: what a request has behind its head is not handed on."""

    def __init__(self, there: str, limits: Limits) -> None:
        place = urlsplit(there)
        self.there = (str(place.hostname), int(place.port or 80))
        self.limits = limits
        self.url = ""
        self._served = Served()
        self._at_once = 0

    def take(self) -> Served:
        """What was served since this was asked last."""
        served, self._served = self._served, Served()
        return served

    async def run(self, begun: threading.Event, ended: asyncio.Event) -> None:
        """Serves on a free port of this machine."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        begun.set()
        await ended.wait()
        server.close()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._answer(await reader.readuntil(b"\r\n\r\n"), writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return  # the other end has gone
        finally:
            writer.close()

    async def _answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        served, limits, began = self._served, self.limits, time.monotonic()
        served.began = served.began or began
        served.requests += 1
        number = served.requests
        self._at_once += 1
        served.most_at_once = max(served.most_at_once, self._at_once)
        sent = 0
        try:
            if limits.busy_every and number % limits.busy_every == 0:
                served.busy += 1
                await asyncio.sleep(limits.latency)
                body = b"" if head.startswith(b"HEAD ") else BUSY
                writer.write(b"HTTP/1.1 503 Slow Down\r\nContent-Length: %d\r\n\r\n" % len(BUSY) + body)
                await writer.drain()
                return
            sent = await self._hand_on(head, writer, began + limits.latency)
        finally:
            self._at_once -= 1
            served.bytes += sent
            served.owed += limits.latency + sent / limits.rate
            served.ended = time.monotonic()

    async def _hand_on(self, head: bytes, writer: asyncio.StreamWriter, begins: float) -> int:
        """Has the store answer, from a time on. The store ends each connection, and this side keeps its own."""
        reader, there = await asyncio.open_connection(*self.there)
        try:
            there.write(re.sub(rb"(?im)^connection:[^\r]*\r\n", b"", head)[:-2] + b"Connection: close\r\n\r\n")
            answer = await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(max(begins - time.monotonic(), 0))
            writer.write(re.sub(rb"(?im)^connection:[^\r]*\r\n", b"", answer))
            sent, begins = 0, time.monotonic()
            while block := await reader.read(BLOCK):
                writer.write(block)
                await writer.drain()
                sent += len(block)
                ahead = begins + sent / self.limits.rate - time.monotonic()
                if ahead > 0:
                    await asyncio.sleep(ahead)
            return sent
        finally:
            there.close()


@contextmanager
def serve_slowly(there: str, limits: Limits) -> Iterator[SlowProxy]:
    """A proxy as long as this lasts, in a thread."""
    proxy, begun, ended = SlowProxy(there, limits), threading.Event(), asyncio.Event()
    with closing(asyncio.new_event_loop()) as loop:

        def serve() -> None:
            loop.run_until_complete(proxy.run(begun, ended))

        thread = threading.Thread(target=serve)
        thread.start()
        begun.wait()
        try:
            yield proxy
        finally:
            loop.call_soon_threadsafe(ended.set)
            thread.join()
