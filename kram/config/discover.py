"""Looks for model servers: a few short requests each, all at the same time, never a failure.

Which models there are and how long a context they were really started with, where the server tells it: llama.cpp in
`/props`, vLLM in `/v1/models`, LM Studio in `/api/v0/models`, Ollama in `/api/ps` and `/api/show`. A length that nobody tells
stays 0, unknown: what a model was trained for says little about what a server gives it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

import msgspec

from .catalog import LocalServer, catalog
from .http_get import Site, ask, site
from .models import Model, Provider

MAX_MODELS = 50
MAX_QUESTIONS = 16
"""How many models of one server are asked about one by one."""

OTHER = "openai-server"
"""The name of the server that `OPENAI_BASE_URL` points at."""

_VENDOR = "api.openai.com"

Ask: TypeAlias = Callable[..., Awaitable[Any]]
"""One server's JSON at a path."""


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


def _named_server(env: Mapping[str, str]) -> Site | None:
    place = site(env.get("OPENAI_BASE_URL", "").strip())
    if place is None or place.host == _VENDOR:
        return None
    return place if place.path else msgspec.structs.replace(place, path="/v1")


async def _look(name: str, place: Site, key: str = "") -> Provider | None:
    listing = await ask(place, f"{place.path}/models", key=key)
    models = [Model(provider=name, id=row["id"], context_window=_window(row)) for row in _rows(listing, "data")]
    if not models:
        return None
    models = await _DETAILS.get(name, _llama_cpp)(partial(ask, place, key=key), models[:MAX_MODELS])
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


# --- what each server tells beside the list -----------------------------------------------------------------------------


async def _as_listed(told: Ask, models: list[Model]) -> list[Model]:
    return models


async def _llama_cpp(told: Ask, models: list[Model]) -> list[Model]:
    """One model, and the window each of its slots has."""
    props = await told("/props")
    if not isinstance(props, dict):
        return models
    window = _number(props.get("default_generation_settings"), "n_ctx")
    modalities = props.get("modalities")
    images = isinstance(modalities, dict) and modalities.get("vision") is True
    return [
        msgspec.structs.replace(model, context_window=window or model.context_window, images=images) for model in models
    ]


async def _lm_studio(told: Ask, models: list[Model]) -> list[Model]:
    """What is loaded comes first; embedding models cannot answer."""
    rows = {row["id"]: row for row in _rows(await told("/api/v0/models"), "data")}
    found = []
    for model in models:
        row = rows.get(model.id, {})
        if row.get("type") == "embeddings":
            continue
        window = _number(row, "loaded_context_length") or model.context_window
        found.append(msgspec.structs.replace(model, context_window=window, images=row.get("type") == "vlm"))
    return sorted(found, key=lambda model: rows.get(model.id, {}).get("state") != "loaded")


async def _ollama(told: Ask, models: list[Model]) -> list[Model]:
    """What runs comes first, with the window it runs with; then what a model's own file sets."""
    running, *shown = await asyncio.gather(
        told("/api/ps"), *(told("/api/show", body={"model": model.id}) for model in models[:MAX_QUESTIONS])
    )
    windows = {row["name"]: _number(row, "context_length") for row in _rows(running, "models", "name")}
    found = []
    for number, model in enumerate(models):
        facts = shown[number] if number < len(shown) and isinstance(shown[number], dict) else {}
        can = facts.get("capabilities")
        if isinstance(can, list) and "completion" not in can:
            continue
        window = windows.get(model.id) or _set_window(facts.get("parameters")) or model.context_window
        changed = msgspec.structs.replace(model, context_window=window)
        if isinstance(can, list):
            changed = msgspec.structs.replace(changed, tools="tools" in can, images="vision" in can)
        found.append(changed)
    return sorted(found, key=lambda model: model.id not in windows)


_DETAILS: dict[str, Callable[[Ask, list[Model]], Awaitable[list[Model]]]] = {
    "llama-cpp": _llama_cpp,
    "lm-studio": _lm_studio,
    "ollama": _ollama,
    "vllm": _as_listed,
}


def _rows(answer: Any, key: str, name: str = "id") -> list[dict[str, Any]]:
    """The named rows of a list in an answer; what does not look like it is left out."""
    rows = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get(name), str) and row[name]]


def _window(row: dict[str, Any]) -> int:
    """The context length under the names servers use for it in their list of models; 0 where they don't say."""
    return (
        _number(row, "max_model_len")
        or _number(row, "max_context_length")
        or _number(row, "context_length")
        or _number(row.get("meta"), "n_ctx")
    )


def _number(table: Any, key: str) -> int:
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**40 else 0


def _set_window(parameters: Any) -> int:
    found = re.search(r"^num_ctx\s+(\d{1,12})\s*$", parameters, re.MULTILINE) if isinstance(parameters, str) else None
    return int(found[1]) if found else 0
