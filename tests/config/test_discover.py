"""Looking for model servers, against servers that really listen, and against what listens and is none."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from kram.config import LocalServer, Provider, discover_local


def answer(value: Any, *, chunked: bool = False, status: str = "200 OK") -> bytes:
    body = json.dumps(value).encode()
    if not chunked:
        return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:]))
    return f"HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + pieces + b"0\r\n\r\n"


class Server:
    """Answers paths with what is given, and keeps what it was asked."""

    def __init__(self, pages: Mapping[str, Any], *, stays_open: bool = False, raw: bytes | None = None) -> None:
        self.pages, self.stays_open, self.raw = pages, stays_open, raw
        self.asked: list[str] = []
        self.keys: list[str] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2])
            body = await reader.readexactly(int(fields.get("content-length", 0)))
            path = head.split()[1]
            self.asked.append(path)
            self.keys.append(fields.get("authorization", ""))
            page = self.pages.get(path)
            if callable(page):
                page = page(json.loads(body))
            writer.write(self.raw if self.raw is not None else page if isinstance(page, bytes) else self._page(page))
            await writer.drain()
            if self.stays_open:
                await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _page(self, page: Any) -> bytes:
        return answer({}, status="404 Not Found") if page is None else answer(page)


@asynccontextmanager
async def running(*servers: Server) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for server in servers:
            listening = await stack.enter_async_context(await asyncio.start_server(server.serve, "127.0.0.1", 0))
            server.port = listening.sockets[0].getsockname()[1]
        yield


async def look(name: str, server: Server) -> Provider | None:
    async with running(server):
        found = await discover_local([LocalServer(name=name, port=server.port)])
    return found[0] if found else None


def listed(*ids: str, **more: Any) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": one, "object": "model", **more} for one in ids]}


async def test_a_server_with_models_becomes_a_provider_that_needs_no_key() -> None:
    server = Server({"/v1/models": listed("a", "b", max_model_len=32768)})
    found = await look("vllm", server)
    assert found is not None
    assert (found.name, found.kind, found.key_optional, found.api_key) == ("vllm", "openai-chat", True, "")
    assert found.base_url == f"http://127.0.0.1:{server.port}/v1"
    assert [(model.name, model.context_window) for model in found.models] == [("vllm/a", 32768), ("vllm/b", 32768)]


async def test_llama_cpp_tells_the_window_of_a_slot_not_that_of_the_training() -> None:
    pages = {
        "/v1/models": listed("m.gguf", meta={"n_ctx_train": 131072}),
        "/props": {"default_generation_settings": {"n_ctx": 4096}, "modalities": {"vision": True}},
    }
    found = await look("llama-cpp", Server(pages))
    assert found is not None
    assert (found.models[0].context_window, found.models[0].images) == (4096, True)


async def test_a_window_that_is_not_told_is_unknown() -> None:
    found = await look("llama-cpp", Server({"/v1/models": listed("m.gguf", meta={"n_ctx_train": 131072})}))
    assert found is not None
    assert found.models[0].context_window == 0


async def test_lm_studio_shows_what_is_loaded_first_and_no_embeddings() -> None:
    rows = [
        {"id": "idle", "type": "llm", "state": "not-loaded", "max_context_length": 131072},
        {"id": "embed", "type": "embeddings", "state": "loaded", "loaded_context_length": 512},
        {"id": "seeing", "type": "vlm", "state": "loaded", "max_context_length": 131072, "loaded_context_length": 8192},
    ]
    pages = {"/v1/models": listed("idle", "embed", "seeing"), "/api/v0/models": {"data": rows}}
    found = await look("lm-studio", Server(pages))
    assert found is not None
    assert [(one.id, one.context_window, one.images) for one in found.models] == [
        ("seeing", 8192, True),
        ("idle", 0, False),
    ]


async def test_ollama_tells_what_runs_what_a_model_can_and_what_its_file_sets() -> None:
    facts = {
        "plain": {"capabilities": ["completion"], "parameters": 'stop "x"\nnum_ctx    16384\n'},
        "embed": {"capabilities": ["embedding"]},
        "running": {"capabilities": ["completion", "tools", "vision"], "parameters": "num_ctx 2048"},
        "older": {"model_info": {"llama.context_length": 131072}},
    }
    pages = {
        "/v1/models": listed(*facts),
        "/api/ps": {"models": [{"name": "running", "context_length": 32768}]},
        "/api/show": lambda body: facts[body["model"]],
    }
    found = await look("ollama", Server(pages))
    assert found is not None
    assert [(one.id, one.context_window, one.tools, one.images) for one in found.models] == [
        ("running", 32768, True, True),
        ("plain", 16384, False, False),
        ("older", 0, True, False),
    ]


@pytest.mark.parametrize("stays_open", [False, True])
@pytest.mark.parametrize("chunked", [False, True])
async def test_answers_are_read_in_every_framing(chunked: bool, stays_open: bool) -> None:
    server = Server({"/v1/models": answer(listed("a"), chunked=chunked)}, stays_open=stays_open)
    found = await look("vllm", server)
    assert found is not None
    assert found.models[0].id == "a"


NONE = [
    b"HTTP/1.1 200 OK\r\n\r\n<html>sign in</html>",
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/v1/models\r\nContent-Length: 0\r\n\r\n",
    b"SSH-2.0-OpenSSH_9.2\r\n",
    b"",
    b"\x00\xff" * 100,
    b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000,
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    answer([]),
    answer({"data": None}),
    answer({"data": [1, {"id": 3}, {"id": ""}]}),
    answer({"data": []}),
    answer(listed("a"), status="401 Unauthorized"),
]


@pytest.mark.parametrize("raw", NONE)
async def test_what_listens_there_and_is_no_model_server_is_passed_over(raw: bytes) -> None:
    assert await look("vllm", Server({}, raw=raw)) is None


@pytest.mark.parametrize("name", ["ollama", "lm-studio", "llama-cpp", "vllm"])
@pytest.mark.parametrize(
    "odd", [None, 3, [], {"models": 1, "data": {}, "default_generation_settings": 7, "capabilities": 1}]
)
async def test_odd_details_cost_the_details_only(name: str, odd: Any) -> None:
    pages = dict.fromkeys(("/props", "/api/v0/models", "/api/ps", "/api/show"), answer(odd))
    found = await look(name, Server({**pages, "/v1/models": listed("a", max_model_len=True)}))
    assert found is not None
    assert [(model.id, model.context_window) for model in found.models] == [("a", 0)]


async def test_a_server_that_never_answers_keeps_nobody_from_being_found() -> None:
    silent, good = Server({}, raw=b"", stays_open=True), Server({"/v1/models": listed("a")})
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        async with running(silent, good):
            wanted = [
                LocalServer(name="ollama", port=closed.getsockname()[1]),
                LocalServer(name="lm-studio", port=silent.port),
                LocalServer(name="vllm", port=good.port),
            ]
            found = await discover_local(wanted)
    assert [provider.name for provider in found] == ["vllm"]


async def test_servers_come_in_the_order_they_were_asked_for() -> None:
    servers = [Server({"/v1/models": listed(str(number))}) for number in range(4)]
    async with running(*servers):
        wanted = [LocalServer(name=f"s{number}", port=server.port) for number, server in enumerate(servers)]
        found = await discover_local(wanted)
    assert [provider.name for provider in found] == ["s0", "s1", "s2", "s3"]


@pytest.mark.parametrize("path", ["", "/v1", "/v1/"])
async def test_the_server_of_the_variable_is_looked_at_too(path: str) -> None:
    server = Server({"/v1/models": listed("a")})
    async with running(server):
        env = {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.port}{path}"}
        (found,) = await discover_local([], env=env)
    assert (found.name, found.base_url) == ("openai-server", f"http://127.0.0.1:{server.port}/v1")
    assert found.origin == "$OPENAI_BASE_URL"
    assert set(server.keys) == {""}


async def test_its_key_goes_to_that_server_and_to_no_other() -> None:
    named, other = Server({"/v1/models": listed("a")}), Server({"/v1/models": listed("b")})
    async with running(named, other):
        env = {"OPENAI_BASE_URL": f"http://127.0.0.1:{named.port}/v1", "OPENAI_API_KEY": "Canary-Key"}
        found = await discover_local([LocalServer(name="vllm", port=other.port)], env=env)
    assert [provider.name for provider in found] == ["vllm", "openai-server"]
    assert set(named.keys) == {"bearer canary-key"}
    assert set(other.keys) == {""}
    assert "Canary" not in repr(found)


async def test_a_server_that_is_found_twice_is_there_once() -> None:
    server = Server({"/v1/models": listed("a")})
    async with running(server):
        env = {"OPENAI_BASE_URL": f"http://localhost:{server.port}/v1"}
        found = await discover_local([LocalServer(name="vllm", port=server.port)], env=env)
    assert [provider.name for provider in found] == ["vllm"]


@pytest.mark.parametrize("value", ["", "nonsense", "ftp://x/v1", "http://", "http://x:99999/v1", "http://a\r\nb:1/v1"])
async def test_a_variable_that_is_no_address_is_passed_over(value: str) -> None:
    assert await discover_local([], env={"OPENAI_BASE_URL": value}) == ()


async def test_a_key_with_a_line_break_is_never_sent() -> None:
    server = Server({"/v1/models": listed("a")})
    async with running(server):
        env = {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.port}", "OPENAI_API_KEY": "a\r\nX-Evil: 1"}
        assert await discover_local([], env=env) == ()
    assert server.asked == []


async def test_a_long_list_of_models_is_cut_and_not_asked_about_one_by_one() -> None:
    pages = {"/v1/models": listed(*map(str, range(500))), "/api/show": lambda _: {}}
    server = Server(pages)
    found = await look("ollama", server)
    assert found is not None
    assert len(found.models) == 50
    assert server.asked.count("/api/show") <= 16
