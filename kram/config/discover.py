"""Looks for model servers on this machine: one short request each, all at the same time, never a failure.

Uses plain sockets, so that looking costs neither an HTTP library nor more than a moment.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from .catalog import LocalServer, catalog
from .models import Model, Provider

CONNECT_S = 0.3
ANSWER_S = 1.0
MAX_BYTES = 1_000_000
MAX_MODELS = 50


async def discover_local(
    servers: Iterable[LocalServer] | None = None, *, host: str = "127.0.0.1", env: Mapping[str, str] | None = None
) -> tuple[Provider, ...]:
    """A provider for every server that lists at least one model, in the catalogue's order."""
    wanted = catalog().locals if servers is None else tuple(servers)
    found = await asyncio.gather(*(_look(server, host) for server in wanted))
    return tuple(provider for provider in found if provider is not None)


async def _look(server: LocalServer, host: str) -> Provider | None:
    listing = await _get_json(host, server.port, "/v1/models")
    rows = listing.get("data") if isinstance(listing, dict) else None
    if not isinstance(rows, list):
        return None
    ids = [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]
    if not ids:
        return None
    windows = {row["id"]: _window(row) for row in rows if isinstance(row, dict) and row.get("id") in ids}
    models = tuple(Model(provider=server.name, id=one, context_window=windows.get(one, 0)) for one in ids[:MAX_MODELS])
    return Provider(
        name=server.name,
        kind="openai-chat",
        base_url=f"http://{host}:{server.port}/v1",
        key_optional=True,
        models=models,
        origin="local server",
    )


def _window(row: dict[str, Any]) -> int:
    """The context length under the names that servers use for it; 0 where they don't say."""
    meta = row.get("meta")
    for source, key in ((row, "max_model_len"), (row, "max_context_length"), (meta, "n_ctx"), (row, "context_length")):
        if isinstance(source, dict) and isinstance(source.get(key), int):
            return int(source[key])
    return 0


async def _get_json(host: str, port: int, path: str) -> Any:
    """The JSON of a plain GET, None for anything else."""
    try:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return None
    try:
        async with asyncio.timeout(ANSWER_S):
            writer.write(f"GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\nAccept: application/json\r\n\r\n".encode())
            await writer.drain()
            raw = await reader.read(MAX_BYTES)
            while not reader.at_eof() and len(raw) < MAX_BYTES:
                raw += await reader.read(MAX_BYTES - len(raw))
        head, _, body = raw.partition(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n", 1)[0] + b" ":
            return None
        start = body.find(b"{")
        return json.JSONDecoder().raw_decode(body[start:].decode("utf-8", "replace"))[0] if start >= 0 else None
    except (OSError, TimeoutError, ValueError):
        return None
    finally:
        writer.close()
