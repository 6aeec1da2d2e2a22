"""The running server: a socket bound first (so that its address is known and a taken port is an error), then uvicorn on it."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from kram.base import UsageError

from .app import Service

log = logging.getLogger(__name__)

GRACE_S = 5.0
"""How long answers may take to end after the server was asked to stop; streams are told at once."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any free one. Raises `UsageError` where the address cannot be had."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as failure:
        raise UsageError(f"'{host}' is no address of this machine: {failure.strerror or failure}") from failure
    family, kind, protocol, _, address = found[0]
    sock = socket.socket(family, kind, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(address)
        sock.listen(128)
    except OSError as failure:
        sock.close()
        raise UsageError(
            f"Cannot listen on {host}:{port}: {failure.strerror}", todo="Try another --port; 0 takes any free one"
        ) from failure
    sock.setblocking(False)
    return sock


def url_of(sock: socket.socket) -> str:
    """The address of a bound socket as a client writes it."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def serve(app: ASGIApp, service: Service, sock: socket.socket, stop: asyncio.Event) -> None:
    """Serves until `stop` is set: no new connection, running streams ended with an error finish, then the end."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        loop="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=round(GRACE_S),
    )
    _keep_quiet()
    server = _Server(config)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(server.serve(sockets=[sock]))
        asked = group.create_task(stop.wait())
        await asyncio.wait((running, asked), return_when=asyncio.FIRST_COMPLETED)
        service.stopping.set()
        server.should_exit = True
        await running
        asked.cancel()


class _IntoOurLog(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        log.handle(record)


def _keep_quiet() -> None:
    """What uvicorn says goes into our log; without a handler Python would print its warnings on the terminal."""
    logger = logging.getLogger("uvicorn")
    logger.propagate = False
    logger.handlers = [_IntoOurLog()]


class _Server(uvicorn.Server):
    """Signals belong to whoever runs the loop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
