"""One small GET tells what an account offers and whether it can be reached. Bodies have the shapes servers really send."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from kram.base import SystemClock
from kram.config import Kind
from kram.config import Provider as ProviderConfig
from kram.providers import Listing, list_live
from tests.support.page_server import SILENCE, PageServer, Refusal, serving

KEY = "sk-canary-0123456789abcdef"


class Ticking(SystemClock):
    """Each look at it is `step` seconds later."""

    def __init__(self, step: float) -> None:
        self.step, self.at = step, 0.0

    def monotonic(self) -> float:
        self.at += self.step
        return self.at


async def listing(
    server: PageServer, kind: Kind = "openai-chat", *, name: str = "one", path: str = "/v1", **more: Any
) -> Listing:
    config = ProviderConfig(name=name, kind=kind, base_url=server.url + path, api_key=KEY, api_key_env="ONE_KEY")
    return await list_live(config, more.pop("clock", SystemClock()), **more)


OPENAI = {"object": "list", "data": [{"id": "gpt-x", "object": "model", "created": 1, "owned_by": "o"}]}
ANTHROPIC = {
    "data": [
        {"type": "model", "id": "claude-x", "display_name": "X", "max_input_tokens": 200000, "max_tokens": 64000},
    ],
    "has_more": False,
}
GEMINI = {
    "models": [
        {
            "name": "models/gemini-x",
            "inputTokenLimit": 1048576,
            "outputTokenLimit": 65536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {"name": "models/embed", "supportedGenerationMethods": ["embedContent"]},
    ]
}
OPENROUTER = {
    "data": [
        {
            "id": "vendor/model:free",
            "context_length": 131072,
            "architecture": {"input_modalities": ["text", "image"]},
            "pricing": {"prompt": "0.0000002", "completion": "0.0000006", "input_cache_read": "0.00000005"},
            "top_provider": {"context_length": 131072, "max_completion_tokens": 8192},
            "supported_parameters": ["tools", "tool_choice"],
        }
    ]
}


@pytest.mark.parametrize(
    ("kind", "path", "page", "body", "wanted"),
    [
        ("openai-chat", "/v1", "/v1/models", OPENAI, ("gpt-x", 0, 0)),
        ("openai-responses", "/v1", "/v1/models", OPENAI, ("gpt-x", 0, 0)),
        ("anthropic", "", "/v1/models", ANTHROPIC, ("claude-x", 200000, 64000)),
        ("gemini", "/v1beta", "/v1beta/models", GEMINI, ("gemini-x", 1048576, 65536)),
        ("openai-chat", "/api/v1", "/api/v1/models", OPENROUTER, ("vendor/model:free", 131072, 8192)),
    ],
)
async def test_each_kind_lists_its_models(kind: Kind, path: str, page: str, body: Any, wanted: Any) -> None:
    async with serving({page: body}) as server:
        found = await listing(server, kind, path=path)
    assert (found.state, found.cause) == ("ok", "")
    assert [(one.id, one.context_window, one.max_output) for one in found.models] == [wanted]
    assert all(one.provider == "one" for one in found.models)


async def test_prices_and_abilities_come_along_where_they_are_told() -> None:
    async with serving({"/v1/models": OPENROUTER}) as server:
        (model,) = (await listing(server)).models
    assert (model.tools, model.images) == (True, True)
    assert model.price is not None
    assert (model.price.input, model.price.output, model.price.cache_read) == (0.2, 0.6, 0.05)


PROPS = {"default_generation_settings": {"n_ctx": 4096}, "modalities": {"vision": False}}
OLLAMA_SHOW = {
    "capabilities": ["completion", "tools"],
    "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
}


@pytest.mark.parametrize(
    ("pages", "wanted"),
    [
        ({"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx_train": 32768}}]}, "/props": PROPS}, (4096, 32768)),
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": 16384}]}}, (16384, 0)),
        (
            {
                "/v1/models": {"data": [{"id": "m"}]},
                "/api/v0/models": {
                    "data": [{"id": "m", "type": "llm", "max_context_length": 131072, "loaded_context_length": 8192}]
                },
            },
            (8192, 131072),
        ),
        (
            {
                "/v1/models": {"data": [{"id": "m"}]},
                "/api/version": {"version": "0.12.0"},
                "/api/ps": {"models": [{"name": "m", "context_length": 4096}]},
                "/api/show": OLLAMA_SHOW,
            },
            (4096, 40960),
        ),
        (
            {"/v1/models": {"data": [{"id": "m"}]}, "/api/version": {"version": "0.12.0"}, "/api/show": OLLAMA_SHOW},
            (0, 40960),
        ),
    ],
    ids=["llama.cpp", "vllm", "lm-studio", "ollama-running", "ollama-idle"],
)
async def test_a_server_nearby_is_asked_for_the_window_it_really_gives(pages: Any, wanted: tuple[int, int]) -> None:
    """Whatever name the person gave it."""
    async with serving(pages) as server:
        (model,) = (await listing(server, name="mine")).models
    assert (model.context_window, model.trained_window) == wanted


@pytest.mark.parametrize(
    ("page", "state", "kind", "cause"),
    [
        (Refusal(401, {"error": {"message": f"bad key {KEY}"}}), "down", "auth", "invalid key"),
        (Refusal(403), "down", "auth", "invalid key"),
        (Refusal(429), "down", "rate_limit", "no quota"),
        (Refusal(500), "down", "server_error", "HTTP 500"),
        (Refusal(400, {"error": {"message": "no"}}), "down", "invalid_request", "HTTP 400: no"),
        (Refusal(404), "degraded", "", "answers, but has no list of models"),
        (Refusal(405), "degraded", "", "answers, but has no list of models"),
    ],
)
async def test_what_is_wrong_has_a_name(page: Any, state: str, kind: str, cause: str) -> None:
    async with serving({"/v1/models": page}) as server:
        found = await listing(server)
    assert (found.state, found.kind, found.cause, found.models) == (state, kind, cause, ())
    assert KEY not in str(found)


async def test_a_rejected_key_names_the_variable_it_came_from() -> None:
    async with serving({"/v1/models": Refusal(401)}) as server:
        assert "ONE_KEY" in (await listing(server)).todo


async def test_silence_ends_at_the_limit() -> None:
    async with serving({"/v1/models": SILENCE}) as server:
        found = await listing(server, limit_s=0.05)
    assert (found.state, found.kind) == ("down", "timeout")
    assert "0.05 s" in found.cause


async def test_slow_is_degraded() -> None:
    async with serving({"/v1/models": OPENAI}) as server:
        found = await listing(server, clock=Ticking(1.6))
    assert (found.state, found.cause, found.latency_ms) == ("degraded", "slow", 1600)
    assert found.models


async def test_nobody_there_says_which_server_to_start() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        found = await listing(PageServer({}, port=held.getsockname()[1]))
    assert (found.state, found.kind) == ("down", "network")
    assert str(held) and "Start the server at http://127.0.0.1" in found.todo


@pytest.mark.parametrize(
    "config",
    [
        ProviderConfig(name="one", kind="openai-chat", base_url="nonsense", api_key=KEY),
        ProviderConfig(name="one", kind="anthropic"),
        ProviderConfig(name="one", kind="openai-chat", base_url="http://127.0.0.1:1", api_key="a\nb"),
    ],
)
async def test_what_cannot_be_sent_is_down_and_no_error(config: ProviderConfig) -> None:
    found = await list_live(config, SystemClock())
    assert found.state == "down"
    assert found.cause
    assert KEY not in str(found)
