"""The HTTP door against a real loopback server that plays scripted bytes."""

from __future__ import annotations

import asyncio
import gzip
import json
from contextlib import aclosing
from typing import Any

import pytest

from kram.base import UsageError
from kram.config import Provider
from kram.providers import (
    AuthFailed,
    ContextOverflow,
    Incomplete,
    InvalidRequest,
    ModelMissing,
    NetworkFailed,
    ProviderError,
    RateLimited,
    ServerEvent,
    ServerFailed,
    TimedOut,
)
from kram.providers.transport import Limits, Transport, WholeBody, encode
from tests.support.byte_server import (
    CHUNKED,
    FIN,
    HOLD,
    RST,
    ByteServer,
    Script,
    Sleep,
    answer,
    chunk,
    event,
    head,
    sse,
)

KEY = "sk-very-secret-key-0123456789"
SHORT = Limits(first_byte_s=0.2, idle_s=0.2, nearby_s=0.2, silent_s=0.2, silent_idle_s=0.2, whole_s=0.2, lookup_s=0.2)


def door(server: ByteServer, *, limits: Limits | None = None, **more: Any) -> Transport:
    settings = {"base_url": f"{server.url}/v1", "api_key": KEY} | more
    return Transport(Provider(name="test", kind="openai-chat", **settings), limits=limits)


async def events_of(transport: Transport, body: dict[str, Any] | None = None) -> list[ServerEvent]:
    headers = {"Authorization": f"Bearer {KEY}"}
    async with aclosing(transport.stream_events("/chat", body or {"a": 1}, headers)) as stream:
        return [one async for one in stream]


async def run(script: Script, **more: Any) -> list[ServerEvent]:
    async with ByteServer(script) as server:
        transport = door(server, **more)
        try:
            return await events_of(transport)
        finally:
            await transport.aclose()


async def failure(script: Script, **more: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await run(script, **more)
    error = caught.value
    assert KEY not in error.text()
    assert error.where.startswith("test, 127.0.0.1")
    return error


# --- what is sent -----------------------------------------------------------------------------------------------------


async def test_a_request_carries_json_headers_and_the_persons_own_headers_on_top() -> None:
    async with ByteServer([sse({"x": 1})]) as server:
        transport = door(server, headers={"X-Team": "core", "authorization": "Bearer mine-instead"})
        assert [one.data for one in await events_of(transport, {"text": "ä"})] == ['{"x": 1}']
        await transport.aclose()
    (request,) = server.requests
    assert (request.method, request.target) == ("POST", "/v1/chat")
    assert request.json() == {"text": "ä"}
    assert request.headers["authorization"] == "Bearer mine-instead"
    assert request.headers["x-team"] == "core"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["accept"] == "text/event-stream"


async def test_a_query_of_the_base_url_stays_and_joins_that_of_the_path() -> None:
    async with ByteServer([answer({"data": []})]) as server:
        transport = door(server, base_url=f"{server.url}/openai/?api-version=2025-01-01")
        await transport.get_json("/models?limit=5")
        await transport.aclose()
    assert server.requests[0].target == "/openai/models?api-version=2025-01-01&limit=5"


async def test_connections_are_used_again() -> None:
    async with ByteServer([sse({"x": 1})]) as server:
        transport = door(server)
        await transport.warm()
        for _ in range(3):
            await events_of(transport)
        await transport.aclose()
    assert [request.connection for request in server.requests] == [1, 1, 1]


@pytest.mark.parametrize("end", [FIN, RST], ids=["closed", "reset"])
async def test_a_kept_connection_that_just_ended_is_not_noticed(end: Any) -> None:
    good = [sse({"n": 1})]
    async with ByteServer([good, [end], good]) as server:
        transport = door(server)
        for number in range(2):
            assert await events_of(transport, {"number": number}) == [ServerEvent(data='{"n": 1}')]
        await transport.aclose()
    assert [request.json()["number"] for request in server.requests] == [0, 1, 1]
    assert [request.connection for request in server.requests] == [1, 1, 2]


@pytest.mark.parametrize("end", [FIN, RST], ids=["closed", "reset"])
async def test_a_new_connection_that_ends_is_a_failure_and_nothing_is_sent_again(end: Any) -> None:
    async with ByteServer([end]) as server:
        transport = door(server)
        with pytest.raises(NetworkFailed):
            await events_of(transport)
        await transport.aclose()
    assert len(server.requests) == 1


async def test_an_answer_that_is_no_http_is_not_asked_for_again() -> None:
    async with ByteServer([[sse({"n": 1})], [b"SSH-2.0-something\r\n\r\n", FIN]]) as server:
        transport = door(server)
        await events_of(transport)
        with pytest.raises(NetworkFailed):
            await events_of(transport)
        await transport.aclose()
    assert len(server.requests) == 2


def test_half_surrogates_do_not_stop_a_request() -> None:
    assert json.loads(encode({"text": "a\ud83db"})) == {"text": "a?b"}


@pytest.mark.parametrize(
    "proxy", ["localhost:8080", "ftp://x", "socks4://h:1", "http://", "socks5://h:notaport", "//h:1"]
)
def test_a_proxy_that_cannot_be_used_is_a_configuration_error(proxy: str) -> None:
    with pytest.raises(UsageError, match="proxy"):
        Transport(Provider(name="p", kind="openai-chat", proxy=proxy))


@pytest.mark.parametrize("proxy", ["http://h:1", "https://u:p@h:1", "socks5://u:p@h:1080"])
async def test_http_https_and_socks5_proxies_are_accepted(proxy: str) -> None:
    transport = Transport(Provider(name="p", kind="openai-chat", proxy=proxy))
    await transport.warm()
    await transport.aclose()


@pytest.mark.parametrize("url", ["api.example.com", "ftp://x/v1", "http://", "http://h:port/"])
def test_a_base_url_that_cannot_be_used_is_a_configuration_error(url: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        Transport(Provider(name="p", kind="openai-chat", base_url=url))


async def test_a_key_with_a_line_break_is_named_but_not_shown() -> None:
    async with ByteServer([sse()]) as server:
        transport = door(server)
        with pytest.raises(UsageError) as caught:
            await transport.get_json("/models", {"Authorization": f"Bearer {KEY}\r\nX-Evil: 1"})
        await transport.aclose()
    assert "Authorization" in caught.value.text()
    assert KEY not in caught.value.text()
    assert server.requests == []


async def test_the_configured_proxy_is_asked() -> None:
    async with ByteServer([answer({"data": [1]})]) as proxy:
        transport = door(proxy, base_url="http://model.invalid/v1", proxy=proxy.url)
        assert await transport.get_json("/models") == {"data": [1]}
        await transport.aclose()
    assert proxy.requests[0].target == "http://model.invalid/v1/models"


async def test_the_environments_proxy_is_asked_unless_no_proxy_excludes_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with ByteServer([answer({"data": [1]})]) as proxy, ByteServer([answer({"data": [2]})]) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        transport = door(server)
        assert await transport.get_json("/models") == {"data": [1]}
        await transport.aclose()
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        transport = door(server)
        assert await transport.get_json("/models") == {"data": [2]}
        await transport.aclose()


async def test_a_direct_transport_ignores_the_environments_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with ByteServer([answer({"data": [2]})]) as server:
        config = Provider(name="local", kind="openai-chat", base_url=server.url)
        transport = Transport(config, direct=True)
        assert await transport.get_json("/models") == {"data": [2]}
        await transport.aclose()


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidRequest),
        (401, AuthFailed),
        (403, AuthFailed),
        (404, ModelMissing),
        (408, TimedOut),
        (409, ServerFailed),
        (413, ContextOverflow),
        (422, InvalidRequest),
        (429, RateLimited),
        (500, ServerFailed),
        (502, ServerFailed),
        (503, ServerFailed),
        (529, ServerFailed),
        (204, InvalidRequest),
    ],
)
async def test_the_status_decides_and_the_providers_words_are_kept(status: int, kind: type[ProviderError]) -> None:
    body = {"error": {"message": "the reason", "type": "some_error"}} if status != 204 else b""
    error = await failure([answer(body, status=status)])
    assert type(error) is kind
    assert error.status == status
    assert status == 204 or "the reason" in error.what


async def test_a_context_overflow_is_told_from_other_bad_requests() -> None:
    text = "prompt is too long: 212000 tokens > 200000 maximum"
    assert isinstance(await failure([answer({"error": {"message": text}}, status=400)]), ContextOverflow)
    code = {"error": {"message": "reduce the length", "code": "context_length_exceeded"}}
    assert isinstance(await failure([answer(code, status=400)]), ContextOverflow)
    field = {"error": {"message": "Unsupported parameter: 'max_tokens'"}}
    assert type(await failure([answer(field, status=400)])) is InvalidRequest


async def test_an_echoed_key_is_masked() -> None:
    error = await failure([answer({"error": {"message": f"bad key {KEY}!"}}, status=401)])
    assert "bad key [secret]!" in error.what


async def test_a_refusal_is_one_clean_line_of_bounded_length() -> None:
    message = "a\x1b[31mred\u202e\n" + "x" * 5000
    error = await failure([answer({"error": {"message": message}}, status=400)])
    assert len(error.what) < 800
    assert all(character.isprintable() for character in error.what)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "vllm style"}, "vllm style"),
        ({"detail": [{"msg": "fastapi style"}]}, "fastapi style"),
        ({"error": "just text"}, "just text"),
        ([{"error": {"message": "google style"}}], "google style"),
        (b"plain words", "plain words"),
        (b"<html><head><title>502 Bad Gateway</title></head>", "502 Bad Gateway"),
        (b'{"error": {"message": "cut', "cut"),
        (b"\xff\xfe\x00", ""),
        (b"", "HTTP 500"),
    ],
)
async def test_error_bodies_of_every_shape(body: Any, said: str) -> None:
    assert said in (await failure([answer(body, status=500)])).what


async def test_the_wait_a_refusal_asks_for_is_kept_header_first() -> None:
    body = {"error": {"message": "slow", "retry_after": 50}}
    assert (await failure([answer(body, status=429, Retry_After="7")])).retry_after_s == 7
    assert (await failure([answer(body, status=429)])).retry_after_s == 50
    assert (await failure([answer({}, status=429, Retry_After="soon")])).retry_after_s is None


async def test_an_endless_error_body_is_cut() -> None:
    error = await failure([head("text/plain", status=500), b"x" * 300_000, HOLD], limits=SHORT)
    assert isinstance(error, ServerFailed)
    assert error.what.startswith("HTTP 500: xxx")


# --- redirects --------------------------------------------------------------------------------------------------------


async def test_a_redirect_to_another_host_is_not_followed() -> None:
    async with ByteServer([sse({"stolen": 1})]) as other:
        error = await failure([answer(b"", status=307, Location=f"{other.url}/v1/chat")])
        assert other.requests == []
    assert isinstance(error, InvalidRequest)
    assert "redirects" in error.what


async def test_a_redirect_within_the_origin_keeps_the_request() -> None:
    async with ByteServer([[answer(b"", status=308, Location="/v2/chat")], [sse({"x": 1})]]) as server:
        transport = door(server)
        assert len(await events_of(transport, {"q": 1})) == 1
        await transport.aclose()
    assert [(r.method, r.target, r.json()) for r in server.requests] == [
        ("POST", "/v1/chat", {"q": 1}),
        ("POST", "/v2/chat", {"q": 1}),
    ]


async def test_a_redirect_that_would_turn_the_request_into_a_get_is_refused() -> None:
    assert isinstance(await failure([answer(b"", status=302, Location="/login")]), InvalidRequest)


async def test_redirects_in_a_circle_end() -> None:
    assert "circle" in (await failure([answer(b"", status=307, Location="/v1/chat")])).what


# --- streams ----------------------------------------------------------------------------------------------------------


async def test_events_arrive_while_the_connection_is_still_open() -> None:
    async with ByteServer([CHUNKED, chunk(event({"n": 1})), HOLD]) as server:
        transport = door(server)
        async with aclosing(transport.stream_events("/chat", {})) as stream:
            assert (await anext(stream)).data == '{"n": 1}'
        await server.until(closed=1)
        await transport.aclose()


async def test_cancelling_closes_the_connection() -> None:
    async with ByteServer([CHUNKED, chunk(event({"n": 1})), HOLD]) as server:
        transport = door(server)
        got = asyncio.Event()

        async def read() -> None:
            async with aclosing(transport.stream_events("/chat", {})) as stream:
                async for _ in stream:
                    got.set()

        task = asyncio.create_task(read())
        await got.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.until(closed=1)
        await transport.aclose()


@pytest.mark.parametrize("script", [[RST], [FIN], [b"HTTP/1.1 200 OK\r\nContent-", FIN]])
async def test_a_connection_lost_before_the_answer_is_a_network_failure(script: Script) -> None:
    assert isinstance(await failure(script), NetworkFailed)


@pytest.mark.parametrize("end", [FIN, RST])
@pytest.mark.parametrize("sent", [0, 1, 3])
async def test_a_connection_lost_in_mid_stream_is_an_incomplete_answer(end: Any, sent: int) -> None:
    pieces = [chunk(event({"n": number})) for number in range(sent)]
    error = await failure([CHUNKED, *pieces, chunk(b"data: {")[:-2], end])
    assert isinstance(error, Incomplete | NetworkFailed)
    assert error.retryable


async def test_a_closed_port_is_a_network_failure_that_names_the_host() -> None:
    async with ByteServer([sse()]) as server:
        pass
    transport = door(server)
    with pytest.raises(NetworkFailed) as caught:
        await events_of(transport)
    await transport.aclose()
    assert "127.0.0.1" in caught.value.text()


async def test_a_server_without_tls_behind_https_is_not_tried_again() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(answer({}))
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    transport = Transport(Provider(name="test", kind="openai-chat", base_url=f"https://127.0.0.1:{port}"))
    async with server:
        with pytest.raises(NetworkFailed) as caught:
            await events_of(transport)
    await transport.aclose()
    assert not caught.value.retryable
    assert "secure" in caught.value.what


@pytest.mark.parametrize(
    "script",
    [
        [HOLD],
        [head(), HOLD],
        [head(), event({"n": 1}), HOLD],
        [head(), b": comment\n\n", HOLD],
    ],
    ids=["no head", "no first byte", "after an event", "comments only"],
)
async def test_silence_is_a_timeout(script: Script) -> None:
    error = await failure(script, limits=SHORT)
    assert isinstance(error, TimedOut)
    assert error.retryable


@pytest.mark.parametrize("noise", [event({"type": "ping"}, "ping"), event({"type": "keepalive"}), b": working\n\n"])
async def test_pings_and_comments_are_no_content(noise: bytes) -> None:
    """Pings come far faster than the limit and would be followed by an answer, which is not waited for."""
    noisy = [step for _ in range(150) for step in (noise, Sleep(0.01))]
    error = await failure([head(), event({"n": 1}), *noisy, event({"n": 2}), FIN], limits=SHORT)
    assert isinstance(error, TimedOut)
    assert "stalled" in error.what


async def test_a_drip_of_single_bytes_is_read() -> None:
    data = event({"text": "slow", "more": "x" * 30})
    drip = [step for byte in data for step in (bytes([byte]), Sleep(0.01))]
    received = await run([head(), *drip, FIN], limits=SHORT)
    assert json.loads(received[0].data)["text"] == "slow"


async def test_patience_is_not_used_up_while_the_reader_is_busy() -> None:
    async with ByteServer([head(), event({"n": 1}), event({"n": 2}), FIN]) as server:
        transport = door(server, limits=SHORT)
        found = []
        async with aclosing(transport.stream_events("/chat", {})) as stream:
            async for one in stream:
                found.append(one)
                await asyncio.sleep(0.3)
        await transport.aclose()
    assert len(found) == 2


async def test_a_compressed_stream_is_read_and_a_broken_one_named() -> None:
    data = gzip.compress(event({"n": 1}))
    assert len(await run([answer(data, content_type="text/event-stream", Content_Encoding="gzip")])) == 1
    error = await failure([answer(b"no gzip at all", content_type="text/event-stream", Content_Encoding="gzip")])
    assert isinstance(error, ServerFailed)


async def test_a_stream_beyond_the_limit_ends_by_name_also_when_it_was_small_on_the_wire() -> None:
    bomb = gzip.compress(b": \n" * 3_000_000)
    limits = Limits(max_stream_bytes=1_000_000)
    error = await failure([answer(bomb, content_type="text/event-stream", Content_Encoding="gzip")], limits=limits)
    assert "larger than" in error.what


async def test_a_line_without_end_ends_by_name() -> None:
    error = await failure([head(), b"data: ", b"x" * 2_000_000, FIN])
    assert isinstance(error, ServerFailed)


# --- bodies that are not what was asked for ---------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["text/html", "text/event-stream", "application/json"])
async def test_a_web_page_with_200_is_named(label: str) -> None:
    page = b"\n<!DOCTYPE html><html><title>Log in</title></html>"
    error = await failure([answer(page, content_type=label)])
    assert isinstance(error, ServerFailed)
    assert "not the API" in error.what
    assert "Log in" in error.what


async def test_plain_words_with_200_are_named() -> None:
    error = await failure([answer(b"Service is down", content_type="text/plain")])
    assert "not the API" in error.what


@pytest.mark.parametrize("label", ["application/json", "text/event-stream", "application/octet-stream"])
async def test_a_whole_json_answer_to_a_streamed_request_is_handed_over(label: str) -> None:
    body = {"choices": [{"message": {"content": "hi"}}]}
    (found,) = await run([answer(body, content_type=label)])
    assert isinstance(found, WholeBody)
    assert json.loads(found.data) == body


@pytest.mark.parametrize("label", ["application/json", "text/plain", "application/octet-stream"])
async def test_a_stream_with_a_wrong_label_is_read(label: str) -> None:
    assert len(await run([answer(event({"n": 1}), content_type=label)])) == 1


async def test_an_error_object_with_200_is_that_error() -> None:
    error = await failure([answer({"error": {"message": "Rate limit exceeded", "code": 429}})])
    assert isinstance(error, RateLimited)
    error = await failure([answer({"error": {"message": "no such thing", "type": "not_found_error"}})])
    assert isinstance(error, ModelMissing)


async def test_an_error_object_with_200_does_not_echo_the_key() -> None:
    assert "[secret]" in (await failure([answer({"error": {"message": f"key {KEY}"}})])).what


async def test_half_a_json_body_is_an_incomplete_answer() -> None:
    assert isinstance(await failure([answer(b'{"choices": [')]), Incomplete)


# --- whole answers ----------------------------------------------------------------------------------------------------


async def posted(script: Script, **more: Any) -> dict[str, Any]:
    async with ByteServer(script) as server:
        transport = door(server, **more)
        try:
            return await transport.post_json("/chat", {"q": 1}, {"Authorization": f"Bearer {KEY}"})
        finally:
            await transport.aclose()


async def test_a_json_answer_is_an_object_and_a_bare_list_is_wrapped() -> None:
    assert await posted([answer({"a": 1})]) == {"a": 1}
    assert await posted([answer([1, 2])]) == {"data": [1, 2]}


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ([answer(b"")], Incomplete),
        ([answer(b"<html>")], ServerFailed),
        ([answer(b"data: {}\n\n")], ServerFailed),
        ([answer(b'{"a":')], Incomplete),
        ([answer(b"[" * 100_000)], ServerFailed),
        ([answer(b'"text"')], ServerFailed),
        ([answer({"error": {"message": "x"}})], ServerFailed),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", FIN], Incomplete),
        ([HOLD], TimedOut),
        ([answer({}, status=500)], ServerFailed),
    ],
)
async def test_whole_answers_that_are_none(script: Script, kind: type[ProviderError]) -> None:
    with pytest.raises(ProviderError) as caught:
        await posted(script, limits=SHORT)
    assert type(caught.value) is kind


async def test_a_whole_answer_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ServerFailed, match="larger than"):
        await posted([answer({"a": "x" * 5000})], limits=Limits(max_body_bytes=1000))
