"""`kram serve` in the test's own loop: real socket, real uvicorn, real configuration, scripted or byte-serving models behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kram.base import SystemClock
from kram.gateway import Gateway
from kram.gateway.http import Guard, Served, Service, application, bind, serve, url_of
from kram.runtime import Options, Serving

TOKEN = "a-token-for-tests"


class QuickClock(SystemClock):
    """Waits for nobody; what it was asked to wait is in `slept`."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


@dataclass
class Endpoint:
    """A running server. `told` holds a record of every request that has ended."""

    url: str
    service: Service
    told: list[Served] = field(default_factory=list)
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    async def until_told(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.told) < count:
                await asyncio.sleep(0.01)


def script_config(folder: Path, scripts: dict[str, Sequence[dict[str, Any]]]) -> str:
    """A configuration with one provider a script (named like it, model `m`) and the combo `main` over all of them in order."""
    lines = ['default_combo = "main"']
    for name, steps in scripts.items():
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in ({"version": 1}, *steps)) + "\n", "utf-8")
        lines += [f"[providers.{name}]", 'kind = "script"', f"script = '{path}'", "key_optional = true"]
        lines += [f'[providers.{name}.models."m"]', "images = true"]
    lines += ["[combos.main]", f"candidates = {json.dumps([f'{name}/m' for name in scripts])}"]
    return "\n".join(lines)


def protocol_config(protocol: str, url: str) -> str:
    """A configuration with the one provider `srv` of that kind at that address."""
    return f"""
        default_combo = "main"
        [providers.srv]
        kind = "{protocol}"
        base_url = "{url}"
        key_optional = true
        [providers.srv.models."m"]
        images = true
        [combos.main]
        candidates = ["srv/m"]
        """


@asynccontextmanager
async def serving(folder: Path, config: str, *, options: Options | None = None) -> AsyncIterator[Endpoint]:
    home = folder / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "config.toml").write_text(config, "utf-8")
    workspace = folder / "ws"
    workspace.mkdir()
    opened = await Serving.open(
        workspace, options or Options(), clock=QuickClock(), env={"KRAM_HOME": str(home), "PATH": ""}
    )
    try:
        async with served(Service(opened.gateway, opened.default, "0")) as endpoint:
            yield endpoint
    finally:
        await opened.close()


@asynccontextmanager
async def serving_gateway(gateway: Gateway) -> AsyncIterator[Endpoint]:
    """The same over a gateway of the test's own making."""
    async with served(Service(gateway, next(iter(gateway.roster.combos.values()), None), "0")) as endpoint:
        yield endpoint


@asynccontextmanager
async def served(service: Service) -> AsyncIterator[Endpoint]:
    sock = bind("127.0.0.1", 0)
    endpoint = Endpoint(url=url_of(sock), service=service)
    app = application(service, Guard(token=TOKEN), endpoint.told.append)
    async with asyncio.TaskGroup() as group:
        group.create_task(serve(app, service, sock, endpoint.stop))
        try:
            yield endpoint
        finally:
            endpoint.stop.set()
