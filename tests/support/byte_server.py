"""A loopback server that plays scripted bytes: for what a well-behaved HTTP server can never be made to do.

Each request takes the next script; the last one is used for all that follow. With `respond` it is made from the request.
A script is a list of steps: bytes to send, `Sleep`, `Do` (something else), `HOLD` (silence until the other side leaves), `FIN`
and `RST`. Without one of the last two the connection stays open and waits for its next request.

    async with ByteServer([sse({"type": "ping"}), FIN]) as server: ...      in the running loop
    with ByteServer(...) as server: ...                                     in a thread of its own, for blocking tests
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any


class End(Enum):
    FIN = auto()
    RST = auto()
    HOLD = auto()


FIN, RST, HOLD = End.FIN, End.RST, End.HOLD


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Do:
    action: Callable[[], Awaitable[None]]


Step = bytes | Sleep | Do | End
Script = Sequence[Step]


@dataclass
class Request:
    """What came in. `target` is the path, or what a proxy is asked for; header names are lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""
    connection: int = 0

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class ByteServer:
    """`requests` fills as they come, `closed` counts connections that the other side ended."""

    scripts: Sequence[Script] | Script = ()
    host: str = "127.0.0.1"
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    closed: int = 0
    respond: Callable[[Request], Script] | None = None

    def __post_init__(self) -> None:
        self._scripts = _as_scripts(self.scripts)
        self._server: asyncio.Server | None = None
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread: threading.Thread | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def __aenter__(self) -> ByteServer:
        self._server = await asyncio.start_server(self._serve, self.host, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def __enter__(self) -> ByteServer:
        ready = threading.Event()

        async def run() -> None:
            async with self:
                self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
                ready.set()
                await self._over.wait()

        self._thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(10)

    async def until(self, *, requests: int = 0, closed: int = 0) -> None:
        """Waits until so many requests came and so many connections were closed by the other side."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= requests and self.closed >= closed)

    # --- one connection ---------------------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        number = self.connections
        try:
            while (request := await _read_request(reader)) is not None:
                request.connection = number
                self.requests.append(request)
                script = self._script(request)
                await self._note()
                if not await self._play(script, reader, writer):
                    return
            self.closed += 1
            await self._note()
        except (ConnectionError, asyncio.CancelledError):
            self.closed += 1
            await self._note()
        finally:
            self._tasks.discard(task)
            writer.close()

    def _script(self, request: Request) -> Script:
        if self.respond is not None:
            return self.respond(request)
        return self._scripts[min(len(self.requests), len(self._scripts)) - 1]

    async def _play(self, script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Plays a script; False where the connection is over."""
        for step in script:
            match step:
                case bytes():
                    writer.write(step)
                    await writer.drain()
                case Sleep():
                    await asyncio.sleep(step.seconds)
                case Do():
                    await step.action()
                case End.FIN:
                    return False
                case End.RST:
                    sock: socket.socket = writer.get_extra_info("socket")
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    writer.transport.abort()
                    return False
                case End.HOLD:
                    while await reader.read(65536):
                        pass
                    self.closed += 1
                    await self._note()
                    return False
        return True

    async def _note(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def _as_scripts(given: Sequence[Script] | Script) -> list[Script]:
    """One script is a list of one."""
    scripts: list[Script] = []
    steps: list[Step] = []
    for item in given:
        if isinstance(item, bytes | Sleep | Do | End):
            steps.append(item)
        else:
            scripts.append(item)
    return scripts or [steps]


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method=method, target=target, headers=headers, body=body)


# --- what to send -----------------------------------------------------------------------------------------------------


def head(content_type: str = "text/event-stream", *, status: int = 200, **headers: str) -> bytes:
    """The head of an answer whose body ends with the connection."""
    lines = [f"HTTP/1.1 {status} Scripted", f"Content-Type: {content_type}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def answer(body: Any, *, status: int = 200, content_type: str = "application/json", **headers: str) -> bytes:
    """A whole answer with its length: JSON unless `body` is bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Scripted", f"Content-Type: {content_type}", f"Content-Length: {len(data)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + data


def event(data: Any, name: str = "") -> bytes:
    """One server-sent event: JSON unless `data` is text."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def sse(*events: Any, done: bool = False) -> bytes:
    """A whole streamed answer with its length, so that the connection stays open."""
    body = b"".join(one if isinstance(one, bytes) else event(one) for one in events)
    return answer(body + (b"data: [DONE]\n\n" if done else b""), content_type="text/event-stream")


def chunk(data: bytes) -> bytes:
    """One piece of a chunked body; an empty one ends it."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
"""The head of a chunked stream; `chunk`s follow."""
