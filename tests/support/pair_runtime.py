"""A real runtime over two scripted servers: a workspace, a store, tools and processes, time that is skipped.

`a` speaks like OpenAI's chat API, `b` like Anthropic's; the combo tries `a` first.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kram import events
from kram.messages import Entry, Kind
from kram.runtime import Options, Runtime
from tests.support.byte_server import ByteServer, Request, Script
from tests.support.opened import Heard, ScriptedUser
from tests.support.pair import KEY, PROTOCOL, good
from tests.support.strict import assert_acceptable
from tests.support.swift import SwiftClock
from tests.support.vendor import base_url


@dataclass
class Desk:
    """`runtime` in `folder/ws`; `heard` is all it said; `clock` skips every wait and keeps it in `slept`."""

    runtime: Runtime
    heard: Heard
    a: ByteServer
    b: ByteServer
    clock: SwiftClock
    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "ws"

    def shown(self) -> str:
        """All text that streamed to the person."""
        return "".join(event.text for event in self.heard.of(events.TextDelta))

    def entries(self, kind: Kind) -> list[Entry]:
        return [entry for entry in self.runtime.entries() if entry.kind == kind]

    def check_requests(self) -> None:
        """Every request that was sent is one its vendor takes."""
        for name, server in (("a", self.a), ("b", self.b)):
            for request in server.requests:
                assert_acceptable(PROTOCOL[name], request.json())


def config(urls: dict[str, str], *, candidates: Sequence[str], extra: str = "") -> str:
    lines = ['default_combo = "pair"', f"[combos.pair]\ncandidates = {json.dumps(list(candidates))}"]
    for name, url in urls.items():
        protocol = PROTOCOL[name]
        lines.append(
            f'[providers.{name}]\nkind = "{protocol}"\nbase_url = "{base_url(protocol, url)}"\n'
            f'api_key_env = "KEY_{name.upper()}"\n[providers.{name}.models.m]\ncontext_window = 100000\n'
            "price = { input = 1.0, output = 2.0 }"
        )
    return "\n".join([extra, *lines])


@asynccontextmanager
async def desk(
    folder: Path,
    a: Sequence[Script] | Script | Callable[[Request], Script],
    b: Sequence[Script] | Script | Callable[[Request], Script] | None = None,
    *,
    candidates: Sequence[str] = ("a/m", "b/m"),
    user: ScriptedUser | None = None,
    extra: str = "",
    home: Path | None = None,
    **options: Any,
) -> AsyncIterator[Desk]:
    """`b` answers "from b" unless it is scripted. `extra` is TOML before everything else of the configuration. `home` is
    kram's own folder, `folder/home` unless given."""
    workspace, home = folder / "ws", home or folder / "home"
    workspace.mkdir(exist_ok=True)
    (home / "config").mkdir(parents=True, exist_ok=True)
    async with _server(a) as first, _server(good("from b", "b") if b is None else b) as second:
        text = config({"a": first.url, "b": second.url}, candidates=candidates, extra=extra)
        (home / "config" / "config.toml").write_text(text)
        clock = SwiftClock()
        runtime = await Runtime.open(
            workspace,
            Options(**options),
            user=user or ScriptedUser(),
            clock=clock,
            env={"KRAM_HOME": str(home), "PATH": "/usr/bin:/bin", "KEY_A": KEY["a"], "KEY_B": KEY["b"]},
        )
        try:
            yield Desk(runtime, Heard(runtime), first, second, clock, folder)
        finally:
            await runtime.close()


def _server(given: Sequence[Script] | Script | Callable[[Request], Script]) -> ByteServer:
    return ByteServer(respond=given) if callable(given) else ByteServer(given)
