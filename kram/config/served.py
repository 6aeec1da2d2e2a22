"""What a model server on this machine or network tells of itself beside its list of models: the window it really gives,
what a model was made for, what it can.

llama.cpp tells in `/props`, vLLM in the list itself, LM Studio in `/api/v0/models`, Ollama in `/api/ps` and `/api/show`.
The window that counts is what the server was started with; what a model was trained for is kept beside it, so that the
difference can be told. A length that nobody tells stays 0, unknown.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec

from .catalog import catalog
from .models import Model

MAX_QUESTIONS = 16
"""How many models of one server are asked about one by one."""

Ask: TypeAlias = Callable[..., Awaitable[Any]]
"""One server's JSON at a path, None where there is none; `body` is posted."""

Details: TypeAlias = Callable[[Ask, list[Model]], Awaitable[list[Model]]]


async def told_by(name: str, told: Ask, models: Sequence[Model]) -> list[Model]:
    """The models with what the server of that name tells; a name that is not known may be any of them."""
    reader = DETAILS.get(name) or await _recognised(told)
    return await reader(told, list(models))


async def _recognised(told: Ask) -> Details:
    """Which server it is, by the page that only this one has."""
    props, rows, version = await asyncio.gather(told("/props"), told("/api/v0/models"), told("/api/version"))
    if isinstance(props, dict) and "default_generation_settings" in props:
        return _llama_cpp
    if rows_of(rows, "data"):
        return _lm_studio
    return _ollama if isinstance(version, dict) and "version" in version else _as_listed


def listed(provider: str, listing: Any) -> list[Model]:
    """The models of a `/v1/models` answer with the windows it tells."""
    return [_listed(provider, row) for row in rows_of(listing, "data")]


def _listed(provider: str, row: dict[str, Any]) -> Model:
    window = (
        number(row, "max_model_len")
        or number(row, "max_context_length")
        or number(row, "context_length")
        or number(row.get("meta"), "n_ctx")
    )
    trained = number(row.get("meta"), "n_ctx_train")
    return Model(provider=provider, id=row["id"], context_window=window, trained_window=trained)


async def _as_listed(told: Ask, models: list[Model]) -> list[Model]:
    return models


async def _llama_cpp(told: Ask, models: list[Model]) -> list[Model]:
    """One model, and the window each of its slots has."""
    props = await told("/props")
    if not isinstance(props, dict):
        return models
    window = number(props.get("default_generation_settings"), "n_ctx")
    modalities = props.get("modalities")
    images = isinstance(modalities, dict) and modalities.get("vision") is True
    return [
        msgspec.structs.replace(model, context_window=window or model.context_window, images=images) for model in models
    ]


async def _lm_studio(told: Ask, models: list[Model]) -> list[Model]:
    """What is loaded comes first; embedding models cannot answer."""
    rows = {row["id"]: row for row in rows_of(await told("/api/v0/models"), "data")}
    found = []
    for model in models:
        row = rows.get(model.id, {})
        if row.get("type") == "embeddings":
            continue
        changed = msgspec.structs.replace(
            model,
            context_window=number(row, "loaded_context_length") or model.context_window,
            trained_window=number(row, "max_context_length") or model.trained_window,
            images=row.get("type") == "vlm",
        )
        can = row.get("capabilities")
        found.append(msgspec.structs.replace(changed, tools="tool_use" in can) if isinstance(can, list) else changed)
    return sorted(found, key=lambda model: rows.get(model.id, {}).get("state") != "loaded")


async def _ollama(told: Ask, models: list[Model]) -> list[Model]:
    """What runs comes first, with the window it runs with; then what a model's own file sets."""
    running, *shown = await asyncio.gather(
        told("/api/ps"), *(told("/api/show", body={"model": model.id}) for model in models[:MAX_QUESTIONS])
    )
    windows = {row["name"]: number(row, "context_length") for row in rows_of(running, "models", "name")}
    found = []
    for place, model in enumerate(models):
        facts = shown[place] if place < len(shown) and isinstance(shown[place], dict) else {}
        can = facts.get("capabilities")
        if isinstance(can, list) and "completion" not in can:
            continue
        window = windows.get(model.id) or _set_window(facts.get("parameters")) or model.context_window
        trained = _trained_window(facts.get("model_info")) or model.trained_window
        changed = msgspec.structs.replace(model, context_window=window, trained_window=trained)
        if isinstance(can, list):
            changed = msgspec.structs.replace(changed, tools="tools" in can, images="vision" in can)
        found.append(changed)
    return sorted(found, key=lambda model: model.id not in windows)


DETAILS: dict[str, Details] = {
    "llama-cpp": _llama_cpp,
    "lm-studio": _lm_studio,
    "ollama": _ollama,
    "vllm": _as_listed,
}


_ADVICE = {
    "ollama": "Start Ollama with OLLAMA_CONTEXT_LENGTH=32768, or give the model a file with `PARAMETER num_ctx 32768`.",
    "lm-studio": "Load the model with a longer context in LM Studio.",
    "llama-cpp": "Start llama-server with a larger --ctx-size.",
    "vllm": "Start vLLM with a larger --max-model-len.",
}


def server_kind(name: str, base_url: str) -> str:
    """Which of the catalogue's local servers an account is, by its name, else by the usual port; "" where that says nothing."""
    if name in DETAILS:
        return name
    port = urlsplit(base_url).port if ":" in base_url else None
    return next((one.name for one in catalog().locals if one.port == port), "")


def window_advice(name: str, base_url: str) -> str:
    """How a server is given a larger window."""
    usual = "Start the server with a longer context, or set `context_window` of that model in the configuration."
    return _ADVICE.get(server_kind(name, base_url), usual)


def rows_of(answer: Any, key: str, name: str = "id") -> list[dict[str, Any]]:
    """The named rows of a list in an answer; what does not look like it is left out."""
    rows = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get(name), str) and row[name]]


def number(table: Any, key: str) -> int:
    """A sensible count, else 0."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**40 else 0


def _set_window(parameters: Any) -> int:
    found = re.search(r"^num_ctx\s+(\d{1,12})\s*$", parameters, re.MULTILINE) if isinstance(parameters, str) else None
    return int(found[1]) if found else 0


def _trained_window(info: Any) -> int:
    """`ARCHITECTURE.context_length` of the model file's head."""
    if not isinstance(info, dict):
        return 0
    return next((number(info, key) for key in info if isinstance(key, str) and key.endswith(".context_length")), 0)
