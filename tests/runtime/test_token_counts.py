"""What providers report reaches the estimator, the panel and the next run; a server that cuts prompts is found out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kram.events import Notice
from kram.runtime import Runtime
from tests.support.byte_server import sse
from tests.support.opened import Heard
from tests.support.page_server import Asked, PageServer, Refusal, serving


def answering(prompt_tokens: Callable[[Asked], int]) -> Callable[[Asked], bytes]:
    """A chat server that answers "ok" and counts as told."""

    def answer(asked: Asked) -> bytes:
        choice: dict[str, Any] = {"index": 0, "delta": {"content": "ok"}, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": "stop"}
        usage = {"prompt_tokens": prompt_tokens(asked), "completion_tokens": 2}
        return sse({"choices": [choice]}, {"choices": [last]}, {"choices": [], "usage": usage}, done=True)

    return answer


def size(asked: Asked) -> int:
    """Characters of everything that was sent as text."""
    messages = sum(len(str(one["content"])) for one in asked.body["messages"])
    return messages + len(str(asked.body.get("tools", "")))


@asynccontextmanager
async def opened(
    folder: Path, server: PageServer, window: int = 0, *, name: str = "one", kind: str = "openai-chat"
) -> AsyncIterator[tuple[Runtime, Heard]]:
    config = folder / "home" / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(
        f"""
        default_combo = "{name}/m"
        [providers.{name}]
        kind = "{kind}"
        base_url = "{server.url}/v1"
        key_optional = true
        [providers.{name}.models.m]
        {f"context_window = {window}" if window else ""}
        """
    )
    (folder / "ws").mkdir(exist_ok=True)
    runtime = await Runtime.open(folder / "ws", env={"KRAM_HOME": str(folder / "home")})
    try:
        yield runtime, Heard(runtime)
    finally:
        await runtime.close()


def warnings(heard: Heard, words: str) -> list[str]:
    return [one.text for one in heard.of(Notice) if words in one.text]


async def test_the_panel_counts_as_the_provider_does_and_says_how_well(tmp_path: Path) -> None:
    pages = {"/v1/chat/completions": answering(lambda asked: size(asked) // 2)}
    async with serving(pages) as server:
        async with opened(tmp_path, server) as (runtime, _):
            assert runtime.context_report().quality == "uncalibrated"
            plain = runtime.context_report().used
            for number in range(4):
                await runtime.send(f"message {number}")
            report = runtime.context_report()
            assert report.quality.endswith("% after 4 calls")
            assert abs(report.used - size(server.asked[-1]) // 2) < 0.1 * report.used
            assert report.used > 1.5 * plain
            assert report.quality in await runtime.commands["context"].run(runtime, "")
        async with opened(tmp_path, server) as (runtime, _):
            assert runtime.context_report().quality.endswith("% after 4 calls")
            assert runtime.context_report().used > 1.5 * plain


async def test_what_the_panel_shows_is_what_the_gateway_is_told(tmp_path: Path) -> None:
    pages = {"/v1/chat/completions": answering(lambda asked: size(asked) // 3)}
    async with serving(pages) as server, opened(tmp_path, server, window=100_000) as (runtime, _):
        for _ in range(3):
            await runtime.send("hello")
        report = runtime.context_report()
        shown = sum(one.tokens for one in report.items if one.category not in ("free", "response_reserve"))
        assert shown == report.used == runtime.inspect().tokens


async def test_a_server_that_cuts_prompts_in_silence_is_told_of_once_and_not_overfilled_again(tmp_path: Path) -> None:
    pages = {"/v1/chat/completions": answering(lambda asked: min(size(asked) // 4, 2_000))}
    async with serving(pages) as server, opened(tmp_path, server) as (runtime, heard):
        await runtime.send("word " * 4_000)
        assert runtime.context_report().window == 2_048
        await runtime.send("and again")
        (told,) = warnings(heard, "cut the prompt")
        assert "one/m" in told
        assert "2,048" in told
        assert "context_window" in told
        assert runtime.context_report().quality == "uncalibrated"


async def test_a_window_far_below_what_the_model_was_made_for_is_told_after_the_first_answer(tmp_path: Path) -> None:
    """Ollama tells the window only once the model is loaded."""
    loaded: list[str] = []

    def chat(asked: Asked) -> bytes:
        loaded.append("m")
        return answering(lambda one: size(one) // 4)(asked)

    pages = {
        "/v1/models": {"data": [{"id": "m"}]},
        "/v1/chat/completions": chat,
        "/api/version": {"version": "0.12.0"},
        "/api/ps": lambda _: {"models": [{"name": one, "context_length": 8_192} for one in loaded[:1]]},
        "/api/show": {"capabilities": ["completion", "tools"], "model_info": {"qwen3.context_length": 40_960}},
    }
    async with serving(pages) as server, opened(tmp_path, server, name="ollama") as (runtime, heard):
        await runtime.send("hello")
        await heard.until(lambda event: isinstance(event, Notice) and "8,192" in event.text)
        assert runtime.context_report().window == 8_192
        await runtime.send("again")
        (told,) = warnings(heard, "40,960")
        assert "OLLAMA_CONTEXT_LENGTH" in told


@pytest.mark.parametrize(
    ("page", "exact"),
    [({"input_tokens": 4_321}, True), (Refusal(500), False), ({"input_tokens": "many"}, False), ({}, False)],
)
async def test_a_vendor_that_counts_on_demand_is_believed_and_one_that_fails_costs_nothing(
    tmp_path: Path, page: Any, exact: bool
) -> None:
    pages = {"/v1/messages/count_tokens": page}
    async with serving(pages) as server, opened(tmp_path, server, kind="anthropic") as (runtime, _):
        estimate = runtime.inspect().tokens
        assert await runtime.count_exactly() == ((4_321, True) if exact else (estimate, False))
        assert (runtime.context_report().quality == "uncalibrated") is not exact
        sent = server.asked[-1].body
        assert set(sent) <= {"model", "messages", "system", "tools", "tool_choice", "thinking"}
        assert ("4,321" in await runtime.commands["context"].run(runtime, "exact")) is exact


async def test_a_vendor_that_does_not_count_is_not_asked(tmp_path: Path) -> None:
    async with serving({}) as server, opened(tmp_path, server) as (runtime, _):
        assert await runtime.count_exactly() == (runtime.inspect().tokens, False)
        assert server.asked == []
