"""A loopback HTTP server of named pages: JSON by path, with what it was asked. For readers of lists and details."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Refusal:
    """An answer that is not 200."""

    status: int
    body: Any = None


SILENCE = object()
"""A page that never comes: the connection is held until the other side leaves."""


@dataclass
class Asked:
    """One request as it came in; header names are lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any = None


@dataclass
class PageServer:
    """`pages`: path without query -> JSON value, bytes (sent as they are), `Refusal`, `SILENCE`, or a function of the request
    that returns one of these. Anything else is 404."""

    pages: Mapping[str, Any]
    asked: list[Asked] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        return [one.path for one in self.asked]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Requests of one connection until the other side leaves it."""
        try:
            while (asked := await _request(reader)) is not None:
                self.asked.append(asked)
                page = self.pages.get(
                    asked.path.partition("?")[0], Refusal(404, {"error": {"message": "no such page"}})
                )
                if callable(page):
                    page = page(asked)
                if page is SILENCE:
                    await reader.read()
                    return
                writer.write(page if isinstance(page, bytes) else _answer(page))
                await writer.drain()
                if asked.headers.get("connection", "").lower() == "close":
                    return
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


async def _request(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *rows = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (row.partition(": ") for row in rows if row)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
    except asyncio.IncompleteReadError:
        return None
    method, target, _ = line.split(" ", 2)
    return Asked(method, target, headers, json.loads(raw) if raw else None)


def _answer(page: Any) -> bytes:
    status, body = (page.status, page.body) if isinstance(page, Refusal) else (200, page)
    data = b"" if body is None else json.dumps(body).encode()
    head = f"HTTP/1.1 {status} Page\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


@asynccontextmanager
async def serving(pages: Mapping[str, Any]) -> AsyncIterator[PageServer]:
    server = PageServer(pages)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield server


@contextmanager
def in_thread(pages: Mapping[str, Any]) -> Iterator[PageServer]:
    """The same in a thread of its own, for tests that block."""
    ready, over = threading.Event(), asyncio.Event()
    running: list[tuple[PageServer, asyncio.AbstractEventLoop]] = []

    async def run() -> None:
        async with serving(pages) as server:
            running.append((server, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert ready.wait(10)
    server, loop = running[0]
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
