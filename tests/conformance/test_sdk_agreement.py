"""The official SDKs and our adapters, fed the same recorded answers by the same local server, and asked what they heard.

Text, reasoning, tool calls, finish reason and usage must agree. Where an SDK legitimately differs on a quirky body, `DIFFERS`
names the fields and says why. The same recordings then go the whole way: through our adapter and `kram serve` to the OpenAI
SDK, which has to hear what our adapter heard, whoever the provider was.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors as genai_errors
from google.genai import types as genai_types
from openai.lib.streaming.chat import ChatCompletionStreamState

from kram.config import Model, Provider
from kram.messages import Accumulator, CompletionRequest, ToolSpec, ToolUseBlock, user_text
from kram.providers import ProviderError, open_provider
from tests.support.byte_server import ByteServer, answer
from tests.support.serving import TOKEN, protocol_config, serving
from tests.support.vendor import base_url

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "streams"
PROTOCOLS = ("anthropic", "openai-chat", "openai-responses", "gemini")
MODEL = "m"
ASK: list[Any] = [{"role": "user", "content": "hi"}]
TOOLS: list[Any] = [{"type": "function", "function": {"name": "any", "parameters": {"type": "object"}}}]


@dataclass
class Heard:
    """What came of one recording. Calls are (id, name, arguments), arguments decoded where they are JSON."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    finish: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    error: str = ""
    crash: str = ""


@dataclass
class Case:
    protocol: str
    name: str
    meta: dict[str, Any]
    body: bytes
    streamed: bool

    @property
    def id(self) -> str:
        return f"{self.protocol}/{self.name}"

    @property
    def served(self) -> bytes:
        kind = self.meta["content_type"]
        return answer(self.body, status=self.meta["http_status"], content_type=kind)


def cases() -> list[Case]:
    found = []
    for path in (path for folder in PROTOCOLS for path in sorted((DATA / folder).glob("*.meta.json"))):
        name = path.name.removesuffix(".meta.json")
        stream = path.with_name(f"{name}.sse")
        body = stream if stream.exists() else path.with_name(f"{name}.json")
        found.append(
            Case(path.parent.name, name, json.loads(path.read_text()), body.read_bytes(), streamed=stream.exists())
        )
    return found


def decoded(arguments: str | None) -> Any:
    """Arguments as a value; text that is not JSON stays text."""
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return arguments


def usage(**figures: int | None) -> dict[str, int]:
    """Figures above zero: what is not reported and what is none are the same here."""
    return {name: figure for name, figure in figures.items() if figure}


def said_by(failure: Any) -> str:
    """The provider's own words in an SDK's error."""
    body = failure.body if isinstance(failure.body, dict) else {}
    inner = body.get("error", body)
    return (
        str(inner.get("cause") or inner.get("message", failure.message))
        if isinstance(inner, dict)
        else str(failure.message)
    )


# --- ours ---------------------------------------------------------------------------------------------------------------


async def ours(case: Case, url: str) -> Heard:
    provider = open_provider(Provider(name="p", kind=case.protocol, base_url=url, api_key="k"))
    tool = ToolSpec(name="any", description="", parameters={"type": "object", "properties": {}})
    request = CompletionRequest(messages=(user_text("hi"),), tools=(tool,), max_tokens=1000)
    heard, folded = Heard(), Accumulator()
    source = provider.stream if case.streamed else provider.complete
    try:
        async for event in source(request, Model(provider="p", id=MODEL)):
            folded.add(event)
    except ProviderError as failure:
        heard.error = failure.what
    finally:
        await provider.aclose()
    said = folded.completion()
    heard.text, heard.thinking, heard.finish = folded.text, folded.thinking, said.finish_reason
    heard.calls = [
        (block.id, block.name, decoded(block.arguments)) for block in said.content if isinstance(block, ToolUseBlock)
    ]
    figures = said.usage
    heard.usage = usage(
        input=figures.input,
        output=figures.output,
        cache_read=figures.cache_read,
        cache_write=figures.cache_write,
        reasoning=figures.reasoning,
    )
    return heard


# --- the SDKs -----------------------------------------------------------------------------------------------------------


async def by_anthropic(case: Case, url: str) -> Heard:
    heard = Heard()
    async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
        try:
            if case.streamed:
                async with client.messages.stream(model=MODEL, max_tokens=1000, messages=ASK) as stream:
                    said: Any = await stream.get_final_message()
            else:
                said = await client.messages.create(model=MODEL, max_tokens=1000, messages=ASK)
        except anthropic.APIError as failure:
            heard.error = said_by(failure)
            return heard
    heard.text = "".join(block.text for block in said.content if block.type == "text")
    heard.thinking = "".join(block.thinking for block in said.content if block.type == "thinking")
    heard.calls = [(block.id, block.name, block.input) for block in said.content if block.type == "tool_use"]
    heard.finish = said.stop_reason or ""
    read, write = said.usage.cache_read_input_tokens or 0, said.usage.cache_creation_input_tokens or 0
    details = getattr(said.usage, "output_tokens_details", None)
    heard.usage = usage(
        input=said.usage.input_tokens + read + write,
        output=said.usage.output_tokens,
        cache_read=read,
        cache_write=write,
        reasoning=getattr(details, "thinking_tokens", 0) if details else 0,
    )
    return heard


async def by_openai_chat(case: Case, url: str) -> Heard:
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        return await chat(client, MODEL, streamed=case.streamed)


async def chat(client: openai.AsyncOpenAI, model: str, *, streamed: bool, **options: Any) -> Heard:
    """One chat completion, folded by the SDK's own accumulator; what came before an error is kept."""
    heard = Heard()
    state: Any = ChatCompletionStreamState()
    said: Any = None
    try:
        if streamed:
            async for chunk in await client.chat.completions.create(
                model=model, messages=ASK, stream=True, stream_options={"include_usage": True}, **options
            ):
                state.handle_chunk(chunk)
                said = state.current_completion_snapshot
        else:
            said = await client.chat.completions.create(model=model, messages=ASK, **options)
    except openai.APIError as failure:
        heard.error = said_by(failure)
    if said is None:
        return heard
    choice = said.choices[0]
    message = choice.message
    heard.text = message.content or ""
    heard.thinking = reasoning_of(message)
    heard.calls = [(call.id, call.function.name, decoded(call.function.arguments)) for call in message.tool_calls or ()]
    heard.finish = choice.finish_reason or ""
    if said.usage is not None:
        prompt, completion = said.usage.prompt_tokens_details, said.usage.completion_tokens_details
        heard.usage = usage(
            input=said.usage.prompt_tokens,
            output=said.usage.completion_tokens,
            cache_read=prompt.cached_tokens if prompt else 0,
            cache_write=getattr(prompt, "cache_write_tokens", 0),
            reasoning=completion.reasoning_tokens if completion else 0,
        )
    return heard


def reasoning_of(message: Any) -> str:
    extra = message.model_extra or {}
    return extra.get("reasoning_content") or extra.get("reasoning") or ""


async def by_openai_responses(case: Case, url: str) -> Heard:
    heard, said = Heard(), None
    async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
        try:
            if case.streamed:
                async for event in await client.responses.create(model=MODEL, input="hi", stream=True):
                    said = getattr(event, "response", said)
            else:
                said = await client.responses.create(model=MODEL, input="hi")
        except openai.APIError as failure:
            heard.error = said_by(failure)
            return heard
    assert said is not None
    if said.error is not None:
        heard.error = said.error.message
    items: list[Any] = list(said.output)
    heard.text = said.output_text
    heard.thinking = "".join(
        part.text for item in items if item.type == "reasoning" for part in [*item.summary, *(item.content or ())]
    )
    heard.calls = [(item.call_id, item.name, decoded(item.arguments)) for item in items if item.type == "function_call"]
    heard.calls += [(item.call_id, item.name, item.input) for item in items if item.type == "custom_tool_call"]
    heard.finish = said.status or ""
    if said.usage is not None:
        heard.usage = usage(
            input=said.usage.input_tokens,
            output=said.usage.output_tokens,
            cache_read=said.usage.input_tokens_details.cached_tokens,
            reasoning=said.usage.output_tokens_details.reasoning_tokens,
        )
    return heard


async def by_google(case: Case, url: str) -> Heard:
    heard = Heard()
    options = genai_types.HttpOptions(base_url=url.removesuffix("/v1beta"), api_version="v1beta")
    client = genai.Client(api_key="k", http_options=options)
    answers: list[Any] = []
    figures: dict[str, Any] = {}
    try:
        if case.streamed:
            async for one in await client.aio.models.generate_content_stream(model=MODEL, contents="hi"):
                answers.append(one)
        else:
            answers.append(await client.aio.models.generate_content(model=MODEL, contents="hi"))
    except genai_errors.APIError as failure:
        heard.error = failure.message or "error"
        return heard
    for said in answers:
        for candidate in said.candidates or ():
            heard.finish = candidate.finish_reason.value if candidate.finish_reason else heard.finish
            take_parts(heard, (candidate.content.parts if candidate.content else None) or ())
        if said.usage_metadata:
            figures |= said.usage_metadata.model_dump(exclude_none=True)
    thoughts = figures.get("thoughts_token_count", 0)
    heard.usage = usage(
        input=figures.get("prompt_token_count"),
        output=figures.get("candidates_token_count", 0) + thoughts,
        cache_read=figures.get("cached_content_token_count"),
        reasoning=thoughts,
    )
    return heard


def take_parts(heard: Heard, parts: Iterable[Any]) -> None:
    for part in parts:
        if part.function_call:
            heard.calls.append((part.function_call.id or "", part.function_call.name, part.function_call.args or {}))
        elif part.text and part.thought:
            heard.thinking += part.text
        elif part.text:
            heard.text += part.text


SDKS: dict[str, Callable[[Case, str], Awaitable[Heard]]] = {
    "anthropic": by_anthropic,
    "openai-chat": by_openai_chat,
    "openai-responses": by_openai_responses,
    "gemini": by_google,
}

MADE_UP = "call_gemini_"
"""What ids begin with where the provider gave none; they are new every time."""

FIELDS = ("text", "thinking", "calls", "finish", "usage", "error", "crash")

DIFFERS: dict[str, tuple[set[str], str]] = {
    "anthropic/max-tokens-mid-tool": (
        {"calls"},
        "cut off inside a call: the SDK mends the broken JSON and shows a call; ours is unfinished and never runs",
    ),
    "openai-chat/json-mistral-thinking-content": (
        {"text", "thinking"},
        "content is a list with the reasoning in it, which the SDK hands on as it is, against its own type",
    ),
    "openai-chat/mistral-thinking-array": ({"crash"}, "the same streamed: the SDK cannot join lists without an index"),
    "openai-chat/mistral-tool-without-index": ({"crash"}, "calls come without `index`, which the SDK joins them by"),
    "openai-chat/openrouter-error-in-stream": (
        {"finish"},
        "the error stands beside `finish_reason: length`; ours is the error, a finish would be a second outcome",
    ),
    "openai-chat/tool-index-from-one": ({"crash"}, "the first call has index 1, for which the SDK has no place"),
    "openai-chat/variant-a-finish-null": (
        {"calls"},
        "id and name are sent twice; the SDK joins them as if they were pieces",
    ),
    "gemini/json-prompt-blocked": ({"error"}, "an answer without candidates: the SDK leaves judging it to its caller"),
    "gemini/no-args-and-thoughts": ({"calls"}, "arguments come in pieces, which the SDK leaves to its caller to join"),
    "gemini/partial-args-two-calls": ({"calls"}, "the same"),
}
"""`protocol/case` -> the fields in which the SDK may hear something else, and why that is right for us."""

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded answers are not here")
every_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)


def differing(mine: Heard, theirs: Heard) -> set[str]:
    if theirs.crash:
        return {"crash"}
    if all(call[0].startswith(MADE_UP) for call in mine.calls):
        mine.calls, theirs.calls = ([("", *call[1:]) for call in one.calls] for one in (mine, theirs))
    agrees = theirs.error[:60] in mine.error if theirs.error else not mine.error
    fields = {name for name in FIELDS if getattr(mine, name) != getattr(theirs, name)} - {"error"}
    return fields if agrees else fields | {"error"}


@needs_data
@every_case
async def test_the_official_sdk_hears_what_we_hear(case: Case) -> None:
    async with ByteServer([case.served]) as server:
        url = base_url(case.protocol, server.url)
        mine = await ours(case, url)
        try:
            theirs = await SDKS[case.protocol](case, url)
        except (LookupError, RuntimeError, TypeError) as failure:
            theirs = Heard(crash=repr(failure))
    allowed, _ = DIFFERS.get(case.id, (set(), ""))
    assert differing(mine, theirs) <= allowed, f"{mine}\n{theirs}"


@needs_data
def test_the_table_of_differences_names_real_cases() -> None:
    assert set(DIFFERS) <= {case.id for case in cases()}


# --- and the whole way --------------------------------------------------------------------------------------------------

CUT_OFF = {"anthropic/max-tokens-mid-tool", "openai-chat/openai-length-truncated-json"}
"""Streams that end inside a call: the pieces were passed on as they came, and the finish says `length`."""


@needs_data
@every_case
async def test_kram_serve_passes_on_what_our_adapter_heard(case: Case, tmp_path: Path) -> None:
    async with ByteServer([case.served]) as server:
        url = base_url(case.protocol, server.url)
        mine = await ours(case, url)
        config = protocol_config(case.protocol, url) + "\ngate = { reject_empty = false }\n"
        async with (
            serving(tmp_path, config) as endpoint,
            openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=TOKEN, max_retries=0) as client,
        ):
            theirs = await chat(client, "main", streamed=case.streamed, tools=TOOLS, max_tokens=1000)
    finish = theirs.finish
    mine.finish = theirs.finish = ""
    assert differing(mine, theirs) <= ({"calls"} if case.id in CUT_OFF else set()), f"{mine}\n{theirs}"
    if mine.error:
        assert finish in ("", "error")
    elif case.id in CUT_OFF:
        assert finish == "length"
    elif mine.calls:
        assert finish == "tool_calls"
    else:
        assert finish in ("stop", "length", "content_filter")
