"""What stands around every path: who may come in, a last catch so that nothing ends the server, the record of each request."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .exchange import Exchange
from .guard import Guard
from .problems import Problem
from .request import Asked
from .served import Served, Tell

log = logging.getLogger(__name__)

ASKED = "kram.asked"
"""Where in the scope a path leaves what was asked and the exchange that answers it."""

REFUSED = "kram.refused"
"""Where in the scope a path leaves the problem it answered with."""

CLIENT_GONE = 499


class Outer:
    """Wraps an application. `count` is told of every beginning (1) and end (-1), `tell` gets the record."""

    def __init__(self, inner: ASGIApp, guard: Guard, count: Callable[[int], None], tell: Tell) -> None:
        self._inner = inner
        self._guard = guard
        self._count = count
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        began_s = time.monotonic()
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._count(1)
        try:
            self._guard.check(scope["path"], Headers(scope=scope))
            await self._inner(scope, receive, watched)
        except Problem as problem:
            scope[REFUSED] = problem
            response = JSONResponse(problem.body(), status_code=problem.status, headers=problem.headers)
            await response(scope, receive, watched)
        except ClientDisconnect:
            status = status or CLIENT_GONE
        except Exception:
            # The application has answered 500 where it still could.
            log.exception("a request failed: %s %s", scope["method"], scope["path"])
        finally:
            self._count(-1)
            self._tell(_record(scope, status, round((time.monotonic() - began_s) * 1000)))


def _record(scope: Scope, status: int, duration_ms: int) -> Served:
    asked: Asked | None
    exchange: Exchange | None
    asked, exchange = scope.get(ASKED, (None, None))
    problem = exchange.problem if exchange else scope.get(REFUSED)
    return Served(
        method=scope["method"],
        path=scope["path"],
        status=status or CLIENT_GONE,
        duration_ms=duration_ms,
        end=exchange.end if exchange else "done",
        model=asked.model if asked else "",
        stream=asked.stream if asked else False,
        route=exchange.call.route if exchange else None,
        problem=problem.what if problem else "",
    )
