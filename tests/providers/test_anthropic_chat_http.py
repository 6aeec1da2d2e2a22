"""Anthropic and Chat Completions against a scripted loopback server: what goes over the wire, and what comes of its answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import (
    Accumulator,
    Completion,
    CompletionRequest,
    StreamEvent,
    TextBlock,
    ToolSpec,
    ToolUseBlock,
    user_text,
)
from kram.providers import Incomplete, Provider, ProviderError, RateLimited, ServerFailed, TimedOut, open_provider
from kram.providers.transport import Limits, Transport
from tests.support.byte_server import CHUNKED, FIN, HOLD, RST, ByteServer, Script, answer, chunk, event, head, sse

KEY = "key-canary-1234567890"
TOOL = ToolSpec(name="f", description="d", parameters={"type": "object", "properties": {}})
REQUEST = CompletionRequest(messages=(user_text("hi"),), tools=(TOOL,), trace_id="trace-1")
SHORT = Limits(first_byte_s=0.2, idle_s=0.2, nearby_s=0.2, silent_s=0.2, silent_idle_s=0.2)


def named(data: dict[str, Any]) -> bytes:
    return event(data, str(data["type"]))


ANTHROPIC = [
    named({"type": "message_start", "message": {"model": "claude", "usage": {"input_tokens": 3, "output_tokens": 1}}}),
    named({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    named({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello"}}),
    named({"type": "content_block_stop", "index": 0}),
    named(
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        }
    ),
    named(
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}}
    ),
    named({"type": "content_block_stop", "index": 1}),
    named({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}),
    named({"type": "message_stop"}),
]


def choice(finish: str | None = None, **delta: Any) -> bytes:
    return event({"model": "gpt", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


CHAT = [
    choice(role="assistant", content=""),
    choice(content="hello"),
    choice(tool_calls=[{"index": 0, "id": "t", "function": {"name": "f", "arguments": '{"a":'}}]),
    choice(tool_calls=[{"index": 0, "function": {"arguments": "1}"}}]),
    choice("tool_calls"),
    event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}}),
    event("[DONE]"),
]
STREAMS = {"anthropic": ANTHROPIC, "openai-chat": CHAT}
BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "type": "message",
        "model": "claude",
        "content": [{"type": "text", "text": "hello"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 5},
    },
    "openai-chat": {
        "model": "gpt",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "content": "hello",
                    "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": '{"a": 1}'}}],
                },
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 5},
    },
}
PATHS = {"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions"}
both = pytest.mark.parametrize("kind", ["anthropic", "openai-chat"])


def config(kind: Any, server: ByteServer, **more: Any) -> ProviderConfig:
    base = server.url if kind == "anthropic" else f"{server.url}/v1"
    return ProviderConfig(name="p", kind=kind, **({"base_url": base, "api_key": KEY} | more))


def impatient(kind: Any, server: ByteServer) -> Provider:
    from kram.providers.anthropic.provider import AnthropicProvider
    from kram.providers.openai_chat.provider import OpenAIChatProvider

    made = config(kind, server)
    adapter = AnthropicProvider if kind == "anthropic" else OpenAIChatProvider
    return adapter(made, Transport(made, limits=SHORT))


class Heard:
    """What came of one call, also where it failed."""

    def __init__(self) -> None:
        self.accumulator = Accumulator()
        self.error: ProviderError | None = None

    async def hear(self, events: AsyncIterator[StreamEvent]) -> Heard:
        try:
            async for one in events:
                self.accumulator.add(one)
        except ProviderError as error:
            self.error = error
        return self

    @property
    def completion(self) -> Completion:
        if self.error is not None:
            raise self.error
        return self.accumulator.completion()


async def asked(
    kind: Any, script: Script, *, stream: bool = True, patient: bool = True, **more: Any
) -> tuple[Heard, ByteServer]:
    async with ByteServer(script) as server:
        provider = open_provider(config(kind, server, **more)) if patient else impatient(kind, server)
        model = Model(provider="p", id="some-model")
        heard = await Heard().hear(provider.stream(REQUEST, model) if stream else provider.complete(REQUEST, model))
        await provider.aclose()
    return heard, server


def check_answer(completion: Completion) -> None:
    text, call = completion.content
    assert text == TextBlock(text="hello")
    assert isinstance(call, ToolUseBlock)
    assert (call.name, call.arguments.replace(" ", "")) == ("f", '{"a":1}')
    assert (completion.usage.input, completion.usage.output, completion.stop_reason) == (3, 5, "tool_use")
    assert completion.finished


@both
async def test_a_streamed_call(kind: str) -> None:
    heard, server = await asked(kind, [sse(*STREAMS[kind])])
    check_answer(heard.completion)
    (request,) = server.requests
    assert (request.method, request.target) == ("POST", PATHS[kind])
    assert request.json()["stream"] is True
    assert request.headers["x-trace-id"] == "trace-1"
    if kind == "anthropic":
        assert request.headers["x-api-key"] == KEY
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert "authorization" not in request.headers
    else:
        assert request.headers["authorization"] == f"Bearer {KEY}"


@both
async def test_c31_a_whole_call_asks_for_no_stream_and_gives_the_same_answer(kind: str) -> None:
    heard, server = await asked(kind, [answer(BODIES[kind])], stream=False)
    check_answer(heard.completion)
    assert server.requests[0].json()["stream"] is False
    assert "stream_options" not in server.requests[0].json()


@both
async def test_a_server_that_cannot_stream_is_read_all_the_same(kind: str) -> None:
    heard, _ = await asked(kind, [answer(BODIES[kind])])
    check_answer(heard.completion)


async def test_a_base_url_with_the_version_in_it_does_not_get_it_twice() -> None:
    async with ByteServer([sse(*ANTHROPIC)]) as server:
        provider = open_provider(config("anthropic", server, base_url=f"{server.url}/v1/"))
        check_answer((await Heard().hear(provider.stream(REQUEST, Model(provider="p", id="m")))).completion)
        await provider.aclose()
    assert server.requests[0].target == "/v1/messages"


async def test_without_a_key_no_credentials_are_sent() -> None:
    heard, server = await asked("openai-chat", [sse(*CHAT)], api_key="", key_optional=True)
    check_answer(heard.completion)
    assert "authorization" not in server.requests[0].headers


@both
@pytest.mark.parametrize("end", [FIN, RST])
async def test_p13_a_break_after_any_event_keeps_the_text_and_completes_no_call_too_early(kind: str, end: Any) -> None:
    events = STREAMS[kind]
    terminal = {"anthropic": len(events), "openai-chat": 5}[kind]
    closing = {"anthropic": 7, "openai-chat": 5}[kind]
    for count in range(1, terminal):
        heard, _ = await asked(kind, [CHUNKED, *(chunk(one) for one in events[:count]), end])
        assert heard.error is not None, count
        assert heard.error.retryable
        partial = heard.accumulator.completion()
        # A reset may overtake the last bytes, so at most what was sent has arrived.
        assert partial.content in ((), (TextBlock(text="hello"),)) or count >= closing


@both
async def test_a_break_behind_the_terminal_event_does_no_harm(kind: str) -> None:
    for end in (FIN, HOLD):
        heard, _ = await asked(kind, [CHUNKED, chunk(b"".join(STREAMS[kind])), end])
        check_answer(heard.completion)


@both
async def test_the_connection_of_a_finished_answer_serves_the_next_call(kind: str) -> None:
    async with ByteServer([CHUNKED, *(chunk(one) for one in STREAMS[kind]), chunk(b"")]) as server:
        provider = open_provider(config(kind, server))
        for _ in range(3):
            check_answer((await Heard().hear(provider.stream(REQUEST, Model(provider="p", id="m")))).completion)
        await provider.aclose()
    assert [request.connection for request in server.requests] == [1, 1, 1]


async def test_a_finished_chat_answer_survives_a_server_that_never_says_done() -> None:
    heard, _ = await asked("openai-chat", [head(), *CHAT[:-1], HOLD], patient=False)
    check_answer(heard.completion)


@both
async def test_a_stall_in_the_middle_is_a_timeout(kind: str) -> None:
    heard, _ = await asked(kind, [head(), *STREAMS[kind][:3], HOLD], patient=False)
    assert isinstance(heard.error, TimedOut)
    assert heard.accumulator.text == "hello"


@both
async def test_an_error_object_in_the_stream_is_that_error_with_its_place_and_without_the_key(kind: str) -> None:
    error = event({"type": "error", "error": {"type": "rate_limit_error", "message": f"slow {KEY}"}}, "error")
    heard, _ = await asked(kind, [sse(*STREAMS[kind][:3], error)])
    assert isinstance(heard.error, RateLimited)
    assert KEY not in heard.error.text()
    assert "p, 127.0.0.1" in heard.error.text()
    assert str(heard.error) == heard.error.text()


@both
async def test_p18_malformed_json_fails_the_attempt(kind: str) -> None:
    heard, _ = await asked(kind, [sse(STREAMS[kind][0], event('{"type": "content_'))])
    assert isinstance(heard.error, ServerFailed)


@both
async def test_p20_answers_without_an_answer(kind: str) -> None:
    for script in ([sse()], [answer(b"", content_type="text/event-stream")]):
        heard, _ = await asked(kind, script)
        assert isinstance(heard.error, Incomplete)
    for body in ({}, {"choices": []}, {"content": None}):
        heard, _ = await asked(kind, [answer(body)], stream=False)
        assert isinstance(heard.error, ServerFailed | Incomplete)
        assert heard.error.retryable


@both
async def test_c19_nothing_is_retried_by_an_adapter(kind: str) -> None:
    for script in ([answer({}, status=500)], [answer({}, status=429)], [CHUNKED, chunk(STREAMS[kind][0]), FIN], [RST]):
        heard, server = await asked(kind, script)
        assert heard.error is not None
        assert len(server.requests) == 1


async def test_two_calls_at_the_same_time_do_not_mix() -> None:
    import asyncio

    async with ByteServer([sse(*CHAT)]) as server:
        provider = open_provider(config("openai-chat", server))
        model = Model(provider="p", id="m")
        heard = await asyncio.gather(*(Heard().hear(provider.stream(REQUEST, model)) for _ in range(8)))
        await provider.aclose()
    for one in heard:
        check_answer(one.completion)


async def test_models_of_an_anthropic_account() -> None:
    listed = {
        "data": [{"id": "claude-x", "max_input_tokens": 200_000, "max_tokens": 64_000}, {"id": "claude-y"}, {"no": 1}]
    }
    known = Model(provider="p", id="claude-y", context_window=5)
    async with ByteServer([answer(listed)]) as server:
        provider = open_provider(config("anthropic", server, models=(known,)))
        first, second = await provider.list_models()
        await provider.aclose()
    assert server.requests[0].target.startswith("/v1/models")
    assert (first.id, first.context_window, first.max_output) == ("claude-x", 200_000, 64_000)
    assert second == known


async def test_models_of_chat_servers_with_whatever_they_tell() -> None:
    listed = {
        "data": [
            {"id": "plain"},
            {
                "id": "router/one",
                "context_length": 131_072,
                "top_provider": {"max_completion_tokens": 8192},
                "architecture": {"input_modalities": ["text", "image"]},
                "supported_parameters": ["temperature"],
                "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"},
            },
            {"id": "groq", "context_window": 8192, "max_completion_tokens": 4096},
            {"id": "vllm", "max_model_len": 4096},
            {"id": "llama", "meta": {"n_ctx_train": 2048}},
            {"id": "free", "pricing": {"prompt": "-1", "completion": "oops"}},
            {"id": ""},
            None,
        ]
    }
    async with ByteServer([answer(listed)]) as server:
        provider = open_provider(config("openai-chat", server))
        found = {model.id: model for model in await provider.list_models()}
        await provider.aclose()
    assert list(found) == ["plain", "router/one", "groq", "vllm", "llama", "free"]
    router = found["router/one"]
    assert (router.context_window, router.max_output, router.images, router.tools) == (131_072, 8192, True, False)
    assert router.price is not None
    assert (router.price.input, router.price.output, router.price.cache_read) == (3.0, 15.0, 0.3)
    assert [found[name].context_window for name in ("groq", "vllm", "llama")] == [8192, 4096, 0]
    assert found["llama"].trained_window == 2048
    assert found["free"].price is None
    assert found["plain"].tools


async def test_thinking_between_calls_is_asked_for_where_the_server_takes_the_header() -> None:
    thinking = CompletionRequest(messages=(user_text("hi"),), tools=(TOOL,), thinking="enabled")
    for quirks, sent in (((), False), (("interleaved_thinking",), True)):
        async with ByteServer([sse(*ANTHROPIC)]) as server:
            provider = open_provider(config("anthropic", server))
            model = Model(provider="p", id="claude-sonnet-4-5", quirks=quirks)
            await Heard().hear(provider.stream(thinking, model))
            await provider.aclose()
        assert ("anthropic-beta" in server.requests[0].headers) is sent
