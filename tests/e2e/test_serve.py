"""`kram serve` as its clients meet it: the official OpenAI SDK, unchanged, and bare HTTP where a status or a byte matters."""

from __future__ import annotations

import asyncio
import base64
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel

from kram.base import SystemClock
from kram.config import Combo, Provider, Roster
from kram.gateway import Gateway
from tests.support.byte_server import HOLD, ByteServer, event, head
from tests.support.serving import TOKEN, Endpoint, protocol_config, script_config, serving, serving_gateway
from tests.support.strict import assert_acceptable
from tests.support.vendor import PROTOCOLS, answered, base_url

ASK: list[Any] = [{"role": "user", "content": "hi"}]
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "read_file",
            "description": "Reads a file.",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        },
    }
]
USAGE = {"input": 900, "output": 40, "cache_read": 300, "reasoning": 7}


def sdk(endpoint: Endpoint, *, token: str = TOKEN) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=endpoint.base_url, api_key=token, max_retries=0, timeout=30)


def bare(endpoint: Endpoint, **headers: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=endpoint.url, headers={"Authorization": f"Bearer {TOKEN}", **headers}, timeout=30, trust_env=False
    )


# --- answers ------------------------------------------------------------------------------------------------------------


async def test_a_chat_is_answered_with_text_usage_and_who_said_it(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "Hello you.", "usage": USAGE}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await client.chat.completions.create(model="main", messages=ASK)
    assert said.object == "chat.completion"
    assert said.model == "a/m"
    assert said.choices[0].message.content == "Hello you."
    assert said.choices[0].finish_reason == "stop"
    assert said.usage is not None
    assert (said.usage.prompt_tokens, said.usage.completion_tokens, said.usage.total_tokens) == (900, 40, 940)
    assert said.usage.prompt_tokens_details is not None
    assert said.usage.prompt_tokens_details.cached_tokens == 300
    assert said.usage.completion_tokens_details is not None
    assert said.usage.completion_tokens_details.reasoning_tokens == 7
    assert said.model_extra is not None
    assert said.model_extra["kram"]["attempts"] == 1


async def test_usage_that_nobody_reported_is_not_made_up(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "Hm."}, {"text": "Hm."}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await client.chat.completions.create(model="main", messages=ASK)
        chunks = [
            chunk
            async for chunk in await client.chat.completions.create(
                model="main", messages=ASK, stream=True, stream_options={"include_usage": True}
            )
        ]
    assert said.usage is None
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)


async def test_a_stream_brings_deltas_a_finish_and_the_usage_where_it_is_asked_for(tmp_path: Path) -> None:
    step = {"thinking": "First this.", "text": "Hello you there.", "usage": USAGE}
    config = script_config(tmp_path, {"a": [step, step]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        plain = [c async for c in await client.chat.completions.create(model="main", messages=ASK, stream=True)]
        counted = [
            c
            async for c in await client.chat.completions.create(
                model="main", messages=ASK, stream=True, stream_options={"include_usage": True}
            )
        ]
    assert "".join(c.choices[0].delta.content or "" for c in plain) == "Hello you there."
    assert len([c for c in plain if c.choices[0].delta.content]) > 1
    thought = "".join((c.choices[0].delta.model_extra or {}).get("reasoning_content", "") for c in plain)
    assert thought == "First this."
    assert plain[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in plain if c.choices[0].finish_reason] == ["stop"]
    assert all(c.usage is None for c in plain)
    assert len({c.id for c in plain}) == 1
    assert counted[-1].choices == []
    assert counted[-1].usage is not None
    assert counted[-1].usage.prompt_tokens == 900


async def test_the_bytes_of_a_stream_end_with_done(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "x\u2028y\nz"}]})
    async with serving(tmp_path, config) as endpoint, bare(endpoint) as client:
        answer = await client.post("/v1/chat/completions", json={"model": "main", "stream": True, "messages": ASK})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.endswith("data: [DONE]\n\n")
    assert all(line.startswith("data: ") for line in answer.text.split("\n") if line)


async def test_a_tool_is_called_and_its_result_comes_back_with_all_a_provider_wants_back(tmp_path: Path) -> None:
    """The SDK's own message object goes back as it is, streamed or not: ids, arguments, and the provider's signatures."""
    first = {
        "events": [
            {"type": "thinking_delta", "text": "Which file?"},
            {"type": "thinking_signature", "signature": "proof-of-thought"},
            {"type": "text_delta", "text": "I look."},
            {"type": "tool_use_start", "index": 4, "id": "call_1", "name": "read_file", "signature": "proof-of-call"},
            {"type": "tool_input_delta", "index": 4, "text": '{"path": '},
            {"type": "tool_input_delta", "index": 4, "text": '"a.py"}'},
            {"type": "tool_use_stop", "index": 4},
            {"type": "tool_use_start", "index": 9, "id": "call_2", "name": "read_file"},
            {"type": "tool_use_stop", "index": 9},
            {"type": "message_delta", "stop_reason": "tool_use"},
            {"type": "message_stop"},
        ]
    }
    second = {"text": "It has a main.", "expect": {"last_result": "def main"}}
    config = script_config(tmp_path, {"a": [first, second, first, second]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await client.chat.completions.create(model="main", messages=ASK, tools=TOOLS)
        whole = said.choices[0]
        await round_trip(client, whole.message)
        async with client.chat.completions.stream(model="main", messages=ASK, tools=TOOLS) as stream:
            streamed = (await stream.get_final_completion()).choices[0]
        await round_trip(client, streamed.message)
    for choice in (whole, streamed):
        assert choice.finish_reason == "tool_calls"
        calls = choice.message.tool_calls or []
        assert [(call.id, call.function.name) for call in calls if call.type == "function"] == [
            ("call_1", "read_file"),
            ("call_2", "read_file"),
        ]
        assert [json.loads(call.function.arguments) for call in calls if call.type == "function"] == [
            {"path": "a.py"},
            {},
        ]
        extra = choice.message.model_extra or {}
        assert extra["reasoning_content"] == "Which file?"
        assert extra["reasoning_details"][0]["signature"] == "proof-of-thought"
        assert (calls[0].model_extra or {})["extra_content"]["kram"]["signature"] == "proof-of-call"


async def round_trip(client: AsyncOpenAI, message: Any) -> None:
    history = [
        *ASK,
        message,
        {"role": "tool", "tool_call_id": "call_1", "content": "def main(): ..."},
        {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "def main(): pass"}]},
    ]
    said = await client.chat.completions.create(model="main", messages=history, tools=TOOLS)
    assert said.choices[0].message.content == "It has a main."


class Answer(BaseModel):
    count: int


async def test_structured_output_of_the_sdk_is_parsed(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": '{"count": 3}'}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await client.chat.completions.parse(model="main", messages=ASK, response_format=Answer)
    assert said.choices[0].message.parsed == Answer(count=3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_every_kind_of_provider_stands_behind_it(tmp_path: Path, protocol: str) -> None:
    """A request with everything in it becomes one that the vendor's own rules accept; the answer is the same for all."""
    pixel = base64.b64encode(b"\x89PNG pixel").decode()
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
    messages: list[Any] = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "See:"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}},
            ],
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "four lines"},
        {"role": "system", "content": "The file has changed since."},
        {"role": "user", "content": "And now?"},
    ]
    script = answered(protocol, "Four.", [("read_file", {"path": "b"})])
    async with (
        ByteServer(script) as vendor,
        serving(tmp_path, protocol_config(protocol, base_url(protocol, vendor.url))) as endpoint,
        sdk(endpoint) as client,
    ):
        options: dict[str, Any] = {"max_completion_tokens": 500, "temperature": 0.5, "stop": ["END"], "seed": 7}
        helper = client.chat.completions.stream(model="main", messages=messages, tools=TOOLS, **options)
        async with helper as chunks:
            said = (await chunks.get_final_completion()).choices[0]
    body = vendor.requests[0].json()
    assert_acceptable(protocol, body)
    found = pieces(body)
    assert {"Be brief.", pixel, 500} <= set(found)
    for words in ("four lines", "The file has changed since.", "And now?"):
        assert any(words in str(piece) for piece in found)
    assert said.message.content == "Four."
    assert [json.loads(c.function.arguments) for c in said.message.tool_calls or ()] == [{"path": "b"}]
    assert said.finish_reason == "tool_calls"


def pieces(value: Any) -> list[Any]:
    """Every leaf of a JSON value, data URLs without their head."""
    if isinstance(value, dict):
        return [piece for one in value.values() for piece in pieces(one)]
    if isinstance(value, list):
        return [piece for one in value for piece in pieces(one)]
    return [value.partition("base64,")[2] if isinstance(value, str) and value.startswith("data:") else value]


# --- which model --------------------------------------------------------------------------------------------------------


async def test_combos_and_single_models_are_listed_and_found(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "a speaks"}], "b": [{"text": "b speaks"}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        names = [model.id async for model in client.models.list()]
        one = await client.models.retrieve("b/m")
        said = await client.chat.completions.create(model="b/m", messages=ASK)
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("nobody")
    assert names[:1] == ["main"]
    assert {"a/m", "b/m"} <= set(names)
    assert one.id == "b/m"
    assert said.choices[0].message.content == "b speaks"


async def test_an_unknown_model_is_answered_by_the_default_combo(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "here"}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await client.chat.completions.create(model="gpt-4o", messages=ASK)
    assert said.model == "a/m"


async def test_without_any_combo_an_unknown_model_is_a_bad_request() -> None:
    gateway = Gateway(Roster(providers={}, combos={}), refuse_to_open, SystemClock())
    async with serving_gateway(gateway) as endpoint, sdk(endpoint) as client:
        with pytest.raises(openai.BadRequestError) as caught:
            await client.chat.completions.create(model="gpt-4o", messages=ASK)
    assert caught.value.code == "model_not_found"


async def test_the_next_candidate_answers_when_the_first_fails_before_a_word(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"fault": {"kind": "auth"}}], "b": [{"text": "b speaks"}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await client.chat.completions.create(model="main", messages=ASK)
    assert said.model == "b/m"
    assert (said.model_extra or {})["kram"]["attempts"] == 2


async def test_the_run_header_keeps_a_run_at_its_provider(tmp_path: Path) -> None:
    steps = [{"text": "x", "repeat": 0}]
    config = script_config(tmp_path, {"a": steps, "b": steps, "c": steps})
    config += '\nstrategy = "smart"\noptions = { exploration = 1.0 }\n'
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        winners = [
            (
                await client.chat.completions.create(
                    model="main",
                    messages=[{"role": "user", "content": f"step {number}"}],
                    extra_headers={"X-Kram-Run-Id": "run-1"},
                )
            ).model
            for number in range(12)
        ]
    assert len(set(winners)) == 1


# --- failures -----------------------------------------------------------------------------------------------------------


def refuse_to_open(config: Provider) -> Any:
    raise RuntimeError(f"a bug in opening {config.name}")


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ("{oops", None),
        ("[]", None),
        ({"model": "main"}, "messages"),
        ({"model": "main", "messages": []}, "messages"),
        ({"model": 3, "messages": ASK}, "model"),
        ({"model": "main", "messages": ASK, "n": 2}, "n"),
        ({"model": "main", "messages": ASK, "max_tokens": 0}, "max_tokens"),
        ({"model": "main", "messages": [{"role": "robot", "content": "x"}]}, "messages[0].role"),
        ({"model": "main", "messages": [{"role": "user", "content": 3}]}, "messages[0].content"),
    ],
)
async def test_a_bad_request_is_told_what_is_wrong(tmp_path: Path, body: Any, param: str | None) -> None:
    config = script_config(tmp_path, {"a": [{"text": "x"}]})
    async with serving(tmp_path, config) as endpoint, bare(endpoint) as client:
        content = body if isinstance(body, str) else json.dumps(body)
        answer = await client.post("/v1/chat/completions", content=content)
        again = await client.post("/v1/chat/completions", json={"model": "main", "messages": ASK})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["param"] == param
    assert error["message"]
    assert again.status_code == 200


async def test_when_everyone_fails_the_answer_says_who_did_what(tmp_path: Path) -> None:
    limit = {"fault": {"kind": "rate_limit", "status": 429, "retry_after_s": 7, "message": "slow down"}, "repeat": 0}
    refused = {"fault": {"kind": "auth", "status": 401, "message": "bad key"}, "repeat": 0}
    config = script_config(tmp_path, {"a": [refused], "b": [limit]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        with pytest.raises(openai.InternalServerError) as caught:
            await client.chat.completions.create(model="main", messages=ASK)
    assert caught.value.status_code == 502
    error: Any = caught.value.body
    assert error["combo"] == "main"
    assert error["retryable"] is True
    assert error["cause"] == "slow down"
    assert error["attempts"][0]["provider"] == "a"
    assert {one["kind"] for one in error["attempts"]} == {"auth", "rate_limit"}
    assert error["attempts"][0]["http_status"] == 401
    assert 0 < error["retry_after_ms"] <= 7000
    assert 1 <= int(caught.value.response.headers["retry-after"]) <= 7
    assert caught.value.response.headers["x-should-retry"] == "true"


@pytest.mark.parametrize("stream", [False, True])
async def test_what_no_retry_can_help_is_not_called_retryable(tmp_path: Path, stream: bool) -> None:
    config = script_config(tmp_path, {"a": [{"fault": {"kind": "context_overflow", "message": "too long"}}]})
    async with serving(tmp_path, config) as endpoint, bare(endpoint) as client:
        answer = await client.post("/v1/chat/completions", json={"messages": ASK, "stream": stream})
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "context_length_exceeded"
    assert answer.json()["error"]["retryable"] is False
    assert answer.headers["x-should-retry"] == "false"
    assert "retry-after" not in answer.headers


async def test_nobody_who_can_take_it_is_503(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "x"}]}).replace("images = true", "images = false")
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    asked: list[Any] = [{"role": "user", "content": [image]}]
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        with pytest.raises(openai.InternalServerError) as caught:
            await client.chat.completions.create(model="main", messages=asked)
    assert caught.value.status_code == 503
    assert caught.value.code == "no_eligible_provider"
    assert "main" in caught.value.message


async def test_a_window_that_is_far_too_small_is_left_out(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "a speaks"}], "b": [{"text": "b speaks"}]})
    config = config.replace("images = true", "context_window = 1000", 1)
    long = "word " * 4000
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await client.chat.completions.create(model="main", messages=[{"role": "user", "content": long}])
    assert said.model == "b/m"


async def test_a_failure_after_the_first_word_is_an_explicit_error_finish(tmp_path: Path) -> None:
    broken = {"text": "one two three four", "fault": {"kind": "incomplete", "after": 2}}
    config = script_config(tmp_path, {"a": [broken, broken], "b": [{"text": "never"}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client, bare(endpoint) as http:
        heard = ""
        with pytest.raises(openai.APIError, match="incomplete"):
            async for chunk in await client.chat.completions.create(model="main", messages=ASK, stream=True):
                heard += chunk.choices[0].delta.content or ""
        raw = await http.post("/v1/chat/completions", json={"messages": ASK, "stream": True})
    assert heard == "one two "
    *_, last, done = [line for line in raw.text.split("\n") if line]
    assert done == "data: [DONE]"
    finish = json.loads(last.removeprefix("data: "))
    assert finish["choices"][0]["finish_reason"] == "error"
    assert finish["error"]["attempts"][-1]["outcome"] == "error"


async def test_a_call_that_was_never_finished_does_not_look_like_one_to_run(tmp_path: Path) -> None:
    calls = [{"name": "read_file", "raw": '{"path": "a', "open": True}]
    config = script_config(tmp_path, {"a": [{"calls": calls}, {"calls": calls}]})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        with pytest.raises(openai.APIError, match="never finished"):
            async for _ in await client.chat.completions.create(model="main", messages=ASK, tools=TOOLS, stream=True):
                pass
        said = await client.chat.completions.create(model="main", messages=ASK, tools=TOOLS)
    assert not said.choices[0].message.tool_calls


class BrokenDice(random.Random):
    """A bug in the gateway itself; what goes wrong in an adapter is a failed attempt."""

    def sample(self, *_: object, **__: object) -> Any:
        raise RuntimeError("a bug with details")


async def test_a_bug_answers_500_and_the_server_goes_on() -> None:
    broken = Provider(name="p", kind="script", key_optional=True)
    drawn = Combo(name="main", candidates=("p/m", "p/n"), strategy="p2c")
    gateway = Gateway(
        Roster(providers={"p": broken}, combos={"main": drawn}), refuse_to_open, SystemClock(), rng=BrokenDice()
    )
    async with serving_gateway(gateway) as endpoint, bare(endpoint) as client:
        for stream in (False, True):
            answer = await client.post("/v1/chat/completions", json={"messages": ASK, "stream": stream})
            assert answer.status_code == 500
            assert "bug" not in answer.text
        assert (await client.get("/health")).json()["status"] == "ok"


# --- who may come -------------------------------------------------------------------------------------------------------


async def test_only_the_token_opens_and_health_needs_none(tmp_path: Path) -> None:
    config = script_config(tmp_path, {"a": [{"text": "x"}]})
    async with serving(tmp_path, config) as endpoint:
        async with sdk(endpoint, token="wrong") as client:
            with pytest.raises(openai.AuthenticationError) as caught:
                await client.chat.completions.create(model="main", messages=ASK)
            assert caught.value.code == "invalid_api_key"
        async with httpx.AsyncClient(base_url=endpoint.url, trust_env=False) as client:
            assert (await client.get("/v1/models")).status_code == 401
            assert (await client.get("/admin/status")).status_code == 401
            assert (await client.get("/health")).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "rebound.example"}, 403),
        ({"Host": "127.0.0.1.rebound.example:80"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "[::1]:9"}, 200),
        ({"Host": "LOCALHOST:9"}, 200),
        ({"Origin": "https://page.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_web_pages_and_foreign_host_names_stay_outside(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    config = script_config(tmp_path, {"a": [{"text": "x"}]})
    async with serving(tmp_path, config) as endpoint, bare(endpoint, **headers) as client:
        assert (await client.get("/v1/models")).status_code == status


# --- leaving ------------------------------------------------------------------------------------------------------------


@pytest.fixture
async def silent_vendor() -> AsyncIterator[ByteServer]:
    async with ByteServer([HOLD]) as vendor:
        yield vendor


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_leaves_ends_the_providers_call(
    tmp_path: Path, silent_vendor: ByteServer, stream: bool
) -> None:
    config = protocol_config("openai-chat", f"{silent_vendor.url}/v1")
    async with serving(tmp_path, config) as endpoint:
        async with bare(endpoint) as client, asyncio.TaskGroup() as group:
            post = group.create_task(client.post("/v1/chat/completions", json={"messages": ASK, "stream": stream}))
            await silent_vendor.until(requests=1)
            post.cancel()
        await silent_vendor.until(closed=1)
        await endpoint.until_told(1)
    assert endpoint.told[0].end == "gone"
    assert endpoint.told[0].route is not None
    assert [one.outcome for one in endpoint.told[0].route.attempts] == ["cancelled"]


async def test_a_client_that_leaves_in_the_middle_of_a_stream_ends_it(tmp_path: Path) -> None:
    start = head() + event({"id": "x", "choices": [{"index": 0, "delta": {"content": "word "}}]})
    async with (
        ByteServer([start, HOLD]) as vendor,
        serving(tmp_path, protocol_config("openai-chat", f"{vendor.url}/v1")) as endpoint,
        sdk(endpoint) as client,
    ):
        stream = await client.chat.completions.create(model="main", messages=ASK, stream=True)
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        await stream.close()
        await vendor.until(closed=1)
        await endpoint.until_told(1)
    assert endpoint.told[0].end == "gone"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_server_that_stops_tells_those_who_wait(
    tmp_path: Path, silent_vendor: ByteServer, stream: bool
) -> None:
    config = protocol_config("openai-chat", f"{silent_vendor.url}/v1")
    async with serving(tmp_path, config) as endpoint, bare(endpoint) as client, asyncio.TaskGroup() as group:
        post = group.create_task(client.post("/v1/chat/completions", json={"messages": ASK, "stream": stream}))
        await silent_vendor.until(requests=1)
        endpoint.stop.set()
        answer = await post
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "stopping"


async def test_many_at_once_get_their_own_answers(tmp_path: Path) -> None:
    steps = [{"when": {"last_user": f"number {n}!"}, "text": f"answer {n}", "pace": 200, "repeat": 0} for n in range(8)]
    config = script_config(tmp_path, {"a": steps})
    async with serving(tmp_path, config) as endpoint, sdk(endpoint) as client:
        said = await asyncio.gather(
            *(
                client.chat.completions.create(model="main", messages=[{"role": "user", "content": f"number {n}!"}])
                for n in range(8)
            )
        )
        status = await endpoint_status(endpoint)
    assert [one.choices[0].message.content for one in said] == [f"answer {n}" for n in range(8)]
    combo = next(one for one in status["combos"] if one["name"] == "main")
    assert combo["strategy"] == "priority"
    assert combo["candidates"][0]["measured"]["requests"] == 8
    assert combo["candidates"][0]["breaker"]["state"] == "closed"
    assert status["default_combo"] == "main"


async def endpoint_status(endpoint: Endpoint) -> Any:
    async with bare(endpoint) as client:
        return (await client.get("/admin/status")).json()
