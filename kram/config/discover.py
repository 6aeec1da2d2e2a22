"""Looks for model servers: a few short requests each, all at the same time, never a failure.

Which models there are, and what the server tells of them beside (see `served`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import msgspec

from .catalog import LocalServer, catalog
from .http_get import Site, ask, site
from .models import Model, Provider
from .served import listed, told_by

MAX_MODELS = 50

OTHER = "openai-server"
"""The name of the server that `OPENAI_BASE_URL` points at."""

_VENDOR = "api.openai.com"


async def discover_local(
    servers: Iterable[LocalServer] | None = None, *, host: str = "127.0.0.1", env: Mapping[str, str] | None = None
) -> tuple[Provider, ...]:
    """A provider for every server that lists at least one model, in the catalogue's order, `OPENAI_BASE_URL` last.

    `servers` None: the catalogue's. Nothing is sent to any other host but the one that variable names.
    """
    wanted = catalog().locals if servers is None else tuple(servers)
    looks = [_look(server.name, Site(host=host, port=server.port, path="/v1")) for server in wanted]
    if place := _named_server(env or {}):
        looks.append(_look(OTHER, place, (env or {}).get("OPENAI_API_KEY", "").strip()))
    found: dict[str, Provider] = {}
    for provider in await asyncio.gather(*looks):
        if provider is not None:
            # The variable may well point at one of the usual ports.
            found.setdefault(provider.base_url.replace("//localhost:", "//127.0.0.1:"), provider)
    return tuple(found.values())


async def ask_server(base_url: str, models: Sequence[Model], *, name: str = "", key: str = "") -> list[Model]:
    """The models of an OpenAI-compatible server nearby, with what that server tells of them beside its list.

    `name` as in the catalogue saves a few questions. Never fails: an address or a server that tells nothing changes nothing.
    """
    place = site(base_url)
    return list(models) if place is None else await told_by(name, partial(ask, place, key=key), models)


def _named_server(env: Mapping[str, str]) -> Site | None:
    place = site(env.get("OPENAI_BASE_URL", "").strip())
    if place is None or place.host == _VENDOR:
        return None
    return place if place.path else msgspec.structs.replace(place, path="/v1")


async def _look(name: str, place: Site, key: str = "") -> Provider | None:
    models = listed(name, await ask(place, f"{place.path}/models", key=key))
    if not models:
        return None
    models = await told_by(name, partial(ask, place, key=key), models[:MAX_MODELS])
    if not models:
        return None
    return Provider(
        name=name,
        kind="openai-chat",
        base_url=place.url,
        api_key=key,
        key_optional=True,
        models=tuple(models),
        origin="local server" if name != OTHER else "$OPENAI_BASE_URL",
    )
