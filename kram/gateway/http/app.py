"""The HTTP application: four paths behind one guard, every failure answered in OpenAI's error shape, one record a request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from kram.base import KramError, UsageError, iso_utc
from kram.config import Combo, choose
from kram.gateway.gateway import Gateway

from .exchange import RUN_KEY, Exchange
from .guard import Guard
from .listing import model, models, status
from .outer import ASKED, REFUSED, Outer
from .problems import Problem, internal
from .request import Asked, parse
from .served import Tell

MAX_BODY_BYTES = 64 * 1024 * 1024


class Service:
    """What the paths share. `default` answers for names that nobody has; None where there is nobody at all."""

    def __init__(self, gateway: Gateway, default: Combo | None, version: str) -> None:
        self.gateway = gateway
        self.default = default
        self.version = version
        self.stopping = asyncio.Event()
        self.running = self.ended = 0
        self.started_ns = gateway.clock.now_ns()

    def count(self, change: int) -> None:
        """A request begins (1) or has ended (-1)."""
        self.running += change
        self.ended += change < 0

    def combo(self, name: str) -> Combo:
        """The combo or single model of that name, else the default. Raises `Problem` (400) where there is neither."""
        if name:
            try:
                return choose(self.gateway.roster, name)
            except UsageError:
                pass
        if self.default is None:
            raise Problem(
                f"There is no combo or model '{name}', and no default combo",
                param="model",
                code="model_not_found",
            )
        return self.default

    # --- the paths ------------------------------------------------------------------------------------------------

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": self.version})

    async def models(self, request: Request) -> Response:
        return JSONResponse(models(self.gateway.roster, self.started_ns // 1_000_000_000))

    async def model(self, request: Request) -> Response:
        name = request.path_params["name"]
        row = model(self.gateway.roster, self.started_ns // 1_000_000_000, name)
        if row is None:
            raise Problem(f"There is no combo or model '{name}'", status=404, param="model", code="model_not_found")
        return JSONResponse(row)

    async def status(self, request: Request) -> Response:
        clock = self.gateway.clock
        facts = {
            "version": self.version,
            "started_at": iso_utc(self.started_ns),
            "uptime_ms": (clock.now_ns() - self.started_ns) // 1_000_000,
            "requests": {"running": self.running, "ended": self.ended},
        }
        return JSONResponse({**facts, **status(self.gateway, self.default)})

    async def completions(self, request: Request) -> Exchange:
        asked = parse(await _body(request))
        exchange = self._exchange(asked, request.headers.get(RUN_KEY, ""))
        request.scope[ASKED] = (asked, exchange)
        return exchange

    def _exchange(self, asked: Asked, run_key: str) -> Exchange:
        return Exchange(self.gateway, asked, self.combo(asked.model), run_key=run_key, stopping=self.stopping)


def application(service: Service, guard: Guard, tell: Tell) -> ASGIApp:
    """The whole application; `tell` gets a record of every request when it has ended."""
    paths: tuple[tuple[str, str, Callable[[Request], Awaitable[object]]], ...] = (
        ("GET", "/health", service.health),
        ("GET", "/v1/models", service.models),
        ("GET", "/v1/models/{name:path}", service.model),
        ("POST", "/v1/chat/completions", service.completions),
        ("GET", "/admin/status", service.status),
    )
    inner = Starlette(
        routes=[Route(path, endpoint, methods=[method]) for method, path, endpoint in paths],
        exception_handlers={HTTPException: _no_such_path, KramError: _problem, Exception: _internal},
    )
    return Outer(inner, guard, service.count, tell)


async def _body(request: Request) -> bytes:
    parts: list[bytes] = []
    taken = 0
    async for part in request.stream():
        taken += len(part)
        if taken > MAX_BODY_BYTES:
            raise Problem(f"The body is larger than {MAX_BODY_BYTES} bytes", status=413, code="request_too_large")
        parts.append(part)
    return b"".join(parts)


def _answered(problem: Problem) -> Response:
    return JSONResponse(problem.body(), status_code=problem.status, headers=problem.headers)


async def _problem(request: Request, failure: Exception) -> Response:
    problem = failure if isinstance(failure, Problem) else Problem(str(failure))
    request.scope[REFUSED] = problem
    return _answered(problem)


async def _internal(request: Request, failure: Exception) -> Response:
    return _answered(internal())


async def _no_such_path(request: Request, failure: Exception) -> Response:
    assert isinstance(failure, HTTPException)
    what = f"{failure.detail}: {request.method} {request.url.path}"
    return JSONResponse(
        Problem(what, status=failure.status_code, code="not_found").body(),
        status_code=failure.status_code,
        headers=failure.headers,
    )
