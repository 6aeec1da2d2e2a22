"""Responses and Gemini against a real local server: what goes over the wire, and what comes of its answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kram.base import Data
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import Accumulator, Completion, CompletionRequest, TextBlock, user_text
from kram.providers import AuthFailed, Incomplete, RateLimited, open_provider

KEY = "key-canary-1234567890"
REQUEST = CompletionRequest(messages=(user_text("hi"),), trace_id="trace-1")


class Received(Data):
    """One request as the server saw it."""

    line: str
    headers: dict[str, str]
    body: Any


class Server:
    """Answers every request with one prepared response and remembers the requests."""

    def __init__(self) -> None:
        self.status = "200 OK"
        self.kind = "text/event-stream"
        self.answer = b""
        self.received: list[Received] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *rows = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (row.partition(": ") for row in rows if row)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.received.append(Received(line=line, headers=headers, body=json.loads(body) if body else None))
        writer.write(
            f"HTTP/1.1 {self.status}\r\nContent-Type: {self.kind}\r\nContent-Length: {len(self.answer)}\r\n"
            "Connection: close\r\n\r\n".encode()
            + self.answer
        )
        await writer.drain()
        writer.close()


@asynccontextmanager
async def running() -> AsyncIterator[Server]:
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield server


def events(*objects: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(one).encode() + b"\r\n\r\n" for one in objects)


async def call(server: Server, kind: Any, *, stream: bool = True, model: str = "m") -> Completion:
    base = "v1beta" if kind == "gemini" else "v1"
    config = ProviderConfig(
        name="mine",
        kind=kind,
        base_url=f"http://127.0.0.1:{server.port}/{base}",
        api_key=KEY,
        headers={"X-Team": "core"},
    )
    provider = open_provider(config)
    accumulator = Accumulator()
    try:
        source = provider.stream if stream else provider.complete
        async for event in source(REQUEST, Model(provider="mine", id=model)):
            accumulator.add(event)
    finally:
        await provider.aclose()
    return accumulator.completion()


RESPONSES_BODY = {
    "status": "completed",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}],
    "usage": {"input_tokens": 3, "output_tokens": 1},
}
GEMINI_BODY = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}


async def test_responses_over_the_wire() -> None:
    async with running() as server:
        server.answer = events({"type": "response.completed", "response": RESPONSES_BODY})
        answer = await call(server, "openai-responses")
        (seen,) = server.received
    assert answer.content == (TextBlock(text="Hi"),)
    assert answer.usage.input == 3
    assert seen.line == "POST /v1/responses HTTP/1.1"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert (seen.headers["x-team"], seen.headers["x-trace-id"]) == ("core", "trace-1")
    assert (seen.body["stream"], seen.body["store"]) == (True, False)


async def test_gemini_over_the_wire_with_the_key_in_a_header_only() -> None:
    async with running() as server:
        server.answer = events(GEMINI_BODY)
        answer = await call(server, "gemini", model="gemini-2.5-flash")
        (seen,) = server.received
    assert answer.content == (TextBlock(text="Hi"),)
    assert seen.line == "POST /v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse HTTP/1.1"
    assert seen.headers["x-goog-api-key"] == KEY
    assert "authorization" not in seen.headers
    assert "key" not in seen.line


@pytest.mark.parametrize(
    ("kind", "body", "path"),
    [
        ("openai-responses", RESPONSES_BODY, "/v1/responses"),
        ("gemini", GEMINI_BODY, "/v1beta/models/m:generateContent"),
    ],
)
async def test_a_whole_answer_is_a_true_request_without_streaming(kind: str, body: dict[str, Any], path: str) -> None:
    async with running() as server:
        server.kind, server.answer = "application/json", json.dumps(body).encode()
        answer = await call(server, kind, stream=False)
        (seen,) = server.received
    assert answer.content == (TextBlock(text="Hi"),)
    assert path in seen.line
    assert "stream" not in seen.body


async def test_gemini_without_event_framing_is_read_all_the_same() -> None:
    async with running() as server:
        server.kind, server.answer = "application/json", json.dumps([GEMINI_BODY]).encode()
        assert (await call(server, "gemini")).content == (TextBlock(text="Hi"),)


@pytest.mark.parametrize("kind", ["openai-responses", "gemini"])
async def test_a_stream_that_ends_early_is_incomplete(kind: str) -> None:
    started: dict[str, dict[str, Any]] = {
        "openai-responses": {"type": "response.output_text.delta", "output_index": 0, "delta": "He"},
        "gemini": {"candidates": [{"content": {"parts": [{"text": "He"}]}}]},
    }
    async with running() as server:
        server.answer = events(started[kind])
        with pytest.raises(Incomplete):
            await call(server, kind)


@pytest.mark.parametrize("kind", ["openai-responses", "gemini"])
async def test_refusals_of_the_server_are_named_and_never_show_the_key(kind: str) -> None:
    async with running() as server:
        server.status, server.kind = "401 Unauthorized", "application/json"
        server.answer = json.dumps({"error": {"message": f"bad key {KEY}", "code": 401}}).encode()
        with pytest.raises(AuthFailed) as caught:
            await call(server, kind)
    assert KEY not in str(caught.value)
    assert caught.value.status == 401


async def test_the_delay_in_gemini_s_error_body_is_passed_on() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}]
    async with running() as server:
        server.status, server.kind = "429 Too Many Requests", "application/json"
        server.answer = json.dumps({"error": {"code": 429, "message": "Quota", "details": details}}).encode()
        with pytest.raises(RateLimited) as caught:
            await call(server, "gemini")
    assert caught.value.retry_after_s == 34.4


async def test_models_are_listed_with_what_the_provider_tells() -> None:
    models: dict[Any, dict[str, Any]] = {
        "gemini": {
            "models": [
                {
                    "name": "models/gemini-x",
                    "supportedGenerationMethods": ["generateContent"],
                    "inputTokenLimit": 1000,
                    "outputTokenLimit": 50,
                },
                {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]},
                "nonsense",
            ]
        },
        "openai-responses": {"data": [{"id": "gpt-b"}, {"id": "gpt-a"}, {"no": "id"}]},
    }
    found: dict[str, list[tuple[str, int]]] = {}
    async with running() as server:
        server.kind = "application/json"
        for kind, body in models.items():
            server.answer = json.dumps(body).encode()
            url = f"http://127.0.0.1:{server.port}/v1"
            provider = open_provider(ProviderConfig(name="mine", kind=kind, base_url=url, api_key=KEY))
            found[kind] = [(model.id, model.context_window) for model in await provider.list_models()]
            await provider.aclose()
    assert found == {"gemini": [("gemini-x", 1000)], "openai-responses": [("gpt-a", 0), ("gpt-b", 0)]}
