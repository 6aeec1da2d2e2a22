"""Probing against servers with one peculiarity each: what is found, what is learnt from it, and what is left alone."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from kram.base import SystemClock
from kram.config import Kind, Model, Provider
from kram.providers import open_provider, quirks_of
from kram.providers.probing import ECHOES, Lab, Outcome, Report, probe_endpoint, tool_surface
from kram.providers.probing.basics import limits_in
from kram.providers.probing.extras import red_square
from tests.support.byte_server import sse
from tests.support.page_server import Asked, Refusal, serving

Body = dict[str, Any]
Page = Callable[[Asked], Any]


def refusal(text: str, status: int = 400) -> Refusal:
    return Refusal(status, {"error": {"message": text, "type": "invalid_request_error"}})


class Chat:
    """A chat server that does everything right; subclasses have a peculiarity. `bodies` is what it was sent."""

    models: Body = {"data": [{"id": "m", "max_model_len": 32_768}]}

    def __init__(self) -> None:
        self.bodies: list[Body] = []

    def refuses(self, body: Body) -> str:
        return ""

    def text(self, body: Body) -> str:
        asked = json.dumps(body["messages"])
        if "HERON" in asked:
            return "HERON"
        if body.get("grammar"):
            return "heron"
        if "response_format" in body:
            return '{"bird": "grey heron", "legs": 2}'
        if "image_url" in asked:
            return "Red."
        return "one, two, three, four, five"

    def calls(self, body: Body) -> list[tuple[str, str]]:
        names = [one["function"]["name"] for one in body.get("tools", ())]
        asked = body["messages"][-1]["content"]
        if body.get("grammar"):
            return []
        if "echo" in names and "JSON string" in str(asked):
            literal = str(asked).partition("unchanged: ")[2]
            return [("echo", json.dumps({"text": self.echoed(json.loads(literal))}))]
        if "weather" in names and "both cities" in str(asked):
            return [("weather", '{"city": "Oslo"}'), ("weather", '{"city": "Lima"}')]
        if "weather" in names and (body.get("tool_choice") == "required" or "weather" in str(asked)):
            return [("weather", '{"city": "Oslo"}')]
        return []

    def echoed(self, text: str) -> str:
        return text

    def cached(self, body: Body) -> int:
        same = [one for one in self.bodies[:-1] if one["messages"][0] == body["messages"][0]]
        return 900 if same and len(str(body["messages"][0])) > 2_000 else 0

    def page(self, asked: Asked) -> Any:
        body = asked.body
        self.bodies.append(body)
        if words := self.refuses(body):
            return refusal(words)
        calls = self.calls(body)
        text = "" if calls else self.text(body)
        cap = body.get("max_tokens") or body.get("max_completion_tokens") or 0
        counting = "Count from one" in json.dumps(body["messages"])
        finish = "tool_calls" if calls else "length" if counting and cap <= 30 else "stop"
        usage = {
            "prompt_tokens": 1_000,
            "completion_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": self.cached(body)},
        }
        made = [
            {"index": place, "id": f"c{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for place, (name, arguments) in enumerate(calls)
        ]
        if not body["stream"]:
            message = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
            return {
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": usage,
                "model": "m",
            }
        deltas: list[Body] = (
            [{"content": piece} for piece in re.findall(r"\S+\s*", text)] if text else [{"tool_calls": made}]
        )
        chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        last = {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
        told = [{"choices": [], "usage": usage}] if body.get("stream_options") else []
        return sse(*chunks, last, *told, done=True)

    def pages(self) -> dict[str, Any]:
        return {"/v1/models": self.models, "/v1/chat/completions": self.page}


async def probed(
    chat: Chat, *, model: Model | None = None, kind: Kind = "openai-chat"
) -> tuple[Report, dict[str, Outcome]]:
    told: list[Outcome] = []
    async with serving(chat.pages()) as server:
        config = Provider(name="one", kind=kind, base_url=f"{server.url}/v1", key_optional=True)
        report = await probe_endpoint(config, model or Model(provider="one", id="m"), SystemClock(), told.append)
    assert told == list(report.outcomes)
    return report, {one.name: one for one in told}


def answers(found: dict[str, Outcome]) -> dict[str, str]:
    return {name: one.answer for name, one in found.items()}


async def test_a_server_that_does_everything_right() -> None:
    report, found = await probed(Chat())
    assert set(answers(found).values()) <= {"yes", "no"}
    assert answers(found)["thinking"] == "no"
    assert report.facts.context_window == 32_768
    assert (report.facts.tools, report.facts.images, report.facts.max_tokens_field) == (True, True, "max_tokens")
    assert "900 of 1000" in found["prompt cache"].text
    assert "2 calls" in found["parallel calls"].text
    assert report.requests > 15


class OnlyCompletionTokens(Chat):
    def refuses(self, body: Body) -> str:
        return "Unsupported parameter: 'max_tokens'" if "max_tokens" in body else ""


class NoStreamOptions(Chat):
    def refuses(self, body: Body) -> str:
        return "extra fields not permitted: stream_options" if "stream_options" in body else ""


class NoTools(Chat):
    def refuses(self, body: Body) -> str:
        return "this model does not support tools" if body.get("tools") else ""


class NoImages(Chat):
    def refuses(self, body: Body) -> str:
        return "image input is not supported" if "image_url" in json.dumps(body) else ""


class NoReasoning(Chat):
    def refuses(self, body: Body) -> str:
        if "thinking" in body or "chat_template_kwargs" in body:
            return "unknown field thinking"
        return "unknown field reasoning_content" if "reasoning_content" in json.dumps(body["messages"]) else ""


class NeverNull(Chat):
    def refuses(self, body: Body) -> str:
        return "content must be a string" if any(one["content"] is None for one in body["messages"]) else ""


class NineCharacters(Chat):
    def refuses(self, body: Body) -> str:
        ids = [call["id"] for one in body["messages"] for call in one.get("tool_calls", ())]
        return "tool call id must be nine characters" if any(len(one) != 9 for one in ids) else ""


class NoUserAfterTool(Chat):
    def refuses(self, body: Body) -> str:
        roles = [one["role"] for one in body["messages"]]
        return "unexpected role user after role tool" if ("tool", "user") in itertools.pairwise(roles) else ""


@pytest.mark.parametrize(
    ("chat", "quirk"),
    [
        (OnlyCompletionTokens, "max_completion_tokens"),
        (NoStreamOptions, "no_stream_options"),
        (NoReasoning, "no_thinking_field"),
        (NoReasoning, "no_reasoning_replay"),
        (NeverNull, "empty_content"),
        (NineCharacters, "nine_char_ids"),
        (NoUserAfterTool, "assistant_after_tool"),
    ],
)
async def test_a_peculiarity_becomes_a_quirk_and_the_rest_is_found_as_before(chat: type[Chat], quirk: str) -> None:
    report, found = await probed(chat())
    assert quirk in (report.facts.quirks or ())
    assert "failed" not in answers(found).values()
    assert answers(found)["native tools"] == "yes"


@pytest.mark.parametrize(("status", "learnt"), [(500, False), (501, False), (503, None)])
async def test_a_server_error_is_a_refusal_only_where_it_means_one(status: int, learnt: bool | None) -> None:
    """503 is an outage: probing ends, and nothing is concluded."""

    class Fails(NoImages):
        def page(self, asked: Asked) -> Any:
            return refusal("no mmproj", status) if self.refuses(asked.body) else super().page(asked)

    report, _ = await probed(Fails())
    assert report.facts.images is learnt
    assert bool(report.problem) is (learnt is None)


async def test_one_accident_is_no_refusal() -> None:
    class Once(NoImages):
        def page(self, asked: Asked) -> Any:
            if self.refuses(asked.body) and not self.bodies.count({}):
                self.bodies.append({})
                return refusal("oops", 500)
            return Chat.page(self, asked) if "image_url" not in json.dumps(asked.body) else self.seen(asked)

        def seen(self, asked: Asked) -> Any:
            chunk = {"choices": [{"index": 0, "delta": {"content": "Red"}, "finish_reason": None}]}
            return sse(chunk, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, done=True)

        def cached(self, body: Body) -> int:
            return 0

    report, _ = await probed(Once())
    assert report.facts.images is True


async def test_what_was_learnt_makes_requests_that_the_server_takes() -> None:
    """The settings of the report, applied to the model, send what is taken at once."""
    report, _ = await probed(OnlyCompletionTokens())
    chat = OnlyCompletionTokens()
    again, _ = await probed(chat, model=Model(provider="one", id="m", quirks=report.facts.quirks or ()))
    assert not any("max_tokens" in body for body in chat.bodies[:2])
    assert again.facts.quirks == report.facts.quirks or again.facts.quirks is None


@pytest.mark.parametrize(("chat", "setting"), [(NoTools, "tools"), (NoImages, "images")])
async def test_what_is_refused_is_switched_off(chat: type[Chat], setting: str) -> None:
    report, _ = await probed(chat())
    assert getattr(report.facts, setting) is False


class Weak(Chat):
    """Takes everything and does nothing of it."""

    models: Body = {"data": []}

    def text(self, body: Body) -> str:
        return "I am a small model, and I do not know."

    def calls(self, body: Body) -> list[tuple[str, str]]:
        return []


async def test_a_weak_model_is_no_proof_that_its_server_lacks_anything() -> None:
    report, found = await probed(Weak())
    assert (report.facts.tools, report.facts.images) == (None, None)
    assert answers(found)["native tools"] == answers(found)["images"] == answers(found)["system text"] == "unknown"
    assert answers(found)["tool arguments"] == "no"


class TextOnly(NoTools):
    """Knows no tools, but writes a call as it is shown."""

    def text(self, body: Body) -> str:
        asked = json.dumps(body["messages"])
        return (
            '@@call weather\n{"city": "Oslo"}\n@@end'
            if "weather" in asked and not body.get("tools")
            else super().text(body)
        )


async def test_a_model_without_native_calls_calls_by_text() -> None:
    report, found = await probed(TextOnly())
    assert (answers(found)["native tools"], answers(found)["text calls"]) == ("no", "yes")
    assert (report.facts.tool_format, report.facts.tools) == ("heredoc", True)


async def test_a_model_that_calls_in_no_way_has_no_tools() -> None:
    report, found = await probed(NoTools())
    assert answers(found)["text calls"] == "no"
    assert (report.facts.tool_format, report.facts.tools) == (None, False)


async def test_native_calls_that_work_are_kept() -> None:
    report, found = await probed(Chat())
    assert "text calls" not in found
    assert report.facts.tool_format is None


class Thinking(Chat):
    def page(self, asked: Asked) -> Any:
        if "chat_template_kwargs" in asked.body or "thinking" in asked.body:
            self.bodies.append(asked.body)
            parts = [{"reasoning_content": "All but nine "}, {"reasoning_content": "ran."}, {"content": "9"}]
            chunks = [{"choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in parts]
            return sse(*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, done=True)
        return super().page(asked)


async def test_thoughts_go_back_to_a_model_that_thinks() -> None:
    chat = Thinking()
    _, found = await probed(chat)
    assert (found["thinking"].answer, found["thinking"].text) == ("yes", "thinks; its replay is taken")
    assert any("All but nine ran." in json.dumps(body["messages"]) for body in chat.bodies)


class CutsAtDelimiters(Chat):
    def echoed(self, text: str) -> str:
        return text.partition("</parameter>")[0]


class NoGrammarBesideTools(Chat):
    def refuses(self, body: Body) -> str:
        return "grammar cannot be combined with tools" if body.get("grammar") and body.get("tools") else ""


async def surface_of(chat: Chat, *, grammar: bool = True) -> Any:
    async with serving(chat.pages()) as server:
        config = Provider(name="one", kind="openai-chat", base_url=f"{server.url}/v1", key_optional=True)
        provider = open_provider(config)
        try:
            return await tool_surface(
                Lab(provider, config, Model(provider="one", id="m"), SystemClock()), grammar=grammar
            )
        finally:
            await provider.aclose()


async def test_a43_a_server_that_cuts_at_a_delimiter_damages_exactly_one_text() -> None:
    surface = await surface_of(CutsAtDelimiters())
    results = {echo.name: echo.result for echo in surface.echoes}
    assert results == {name: "lossy" if name == "delimiters" else "pass" for name in ECHOES}
    assert not surface.ok


async def test_a43_a_grammar_that_is_refused_beside_tools() -> None:
    surface = await surface_of(NoGrammarBesideTools())
    assert (surface.grammar, surface.grammar_with_tools, surface.ok) == (True, False, True)


async def test_a43_requests_are_forced_and_repeatable() -> None:
    chat = Chat()
    await surface_of(chat, grammar=False)
    assert len(chat.bodies) == len(ECHOES)
    assert {(one["tool_choice"], one["temperature"], one["seed"]) for one in chat.bodies} == {("required", 0, 1)}


async def test_a43_calls_that_are_no_json_or_lack_the_text() -> None:
    class Broken(Chat):
        def calls(self, body: Body) -> list[tuple[str, str]]:
            return [("echo", '{"text": ')] if len(self.bodies) % 2 else [("echo", '{"other": 1}')]

    surface = await surface_of(Broken(), grammar=False)
    assert {echo.result for echo in surface.echoes} == {"bad JSON"}


@pytest.mark.parametrize(
    ("page", "kind"),
    [(Refusal(401), "HTTP 401"), (Refusal(404), "HTTP 404"), (refusal("nothing works", 400), "does not answer")],
)
async def test_an_endpoint_that_cannot_be_probed_teaches_nothing(page: Any, kind: str) -> None:
    class Down(Chat):
        def page(self, asked: Asked) -> Any:
            return page

    report, _ = await probed(Down())
    assert kind in report.problem
    assert report.facts == type(report.facts)()


@pytest.mark.parametrize(
    ("complaint", "found"),
    [
        (
            "This model's maximum context length is 128000 tokens. However, you requested 50000016",
            {"context_window": 128_000},
        ),
        ("max_tokens: 50000000 > 64000, which is the maximum allowed number of output tokens", {"max_output": 64_000}),
        (
            "max_tokens is too large: 50000000. This model supports at most 16384 completion tokens",
            {"max_output": 16_384},
        ),
        ("'max_tokens' must be less than max_model_len=8192", {"context_window": 8_192}),
        ("the value must be an integer", {}),
        ("max_tokens 50000000 is too large", {}),
    ],
)
def test_limits_are_read_from_complaints(complaint: str, found: dict[str, int]) -> None:
    assert limits_in(complaint) == found


async def test_a_server_that_tells_no_window_says_it_when_asked_for_too_much() -> None:
    class Silent(Chat):
        models: Body = {"data": [{"id": "m"}]}

        def refuses(self, body: Body) -> str:
            too_much = (body.get("max_tokens") or 0) > 1_000_000
            return "maximum context length is 16384 tokens" if too_much else ""

    report, found = await probed(Silent())
    assert report.facts.context_window == 16_384
    assert "complaint" in found["context length"].text


def test_the_picture_is_one() -> None:
    data = red_square()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data.endswith(b"IEND\xaeB`\x82")


def test_quirks_of_a_profile_are_obeyed() -> None:
    config = Provider(name="one", kind="openai-chat", base_url="http://127.0.0.1:1/v1")
    model = Model(provider="one", id="m", quirks=("!llama_options", "empty_content"))
    assert quirks_of(config, model) == {"empty_content"}
