"""The scripted provider: its format, how a step is chosen, faults, pacing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from kram.base import UsageError
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import (
    Accumulator,
    Completion,
    CompletionRequest,
    Message,
    StreamEvent,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    user_text,
)
from kram.providers import Incomplete, InvalidRequest, ProviderError, RateLimited, open_provider
from kram.providers.script_format import Script, Step, dump_jsonl, parse_script
from kram.providers.scripted import ScriptedProvider

CONFIG = ProviderConfig(name="demo", kind="script")
MODEL = Model(provider="demo", id="demo-1")
HI = CompletionRequest(messages=(user_text("hi"),))


class ToldClock:
    """Sleeps take no time and are written down."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now_ns(self) -> int:
        return 0

    def monotonic(self) -> float:
        return sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def provider(text: str, *, clock: ToldClock | None = None) -> ScriptedProvider:
    return ScriptedProvider(CONFIG, parse_script(f"version = 1\n{text}"), clock=clock or ToldClock())


async def play(scripted: ScriptedProvider, request: CompletionRequest = HI, *, stream: bool = True) -> Completion:
    accumulator = Accumulator()
    events = scripted.stream(request, MODEL) if stream else scripted.complete(request, MODEL)
    async for event in events:
        accumulator.add(event)
    return accumulator.completion()


def said(answer: Completion) -> str:
    return "".join(block.text for block in answer.content if isinstance(block, TextBlock))


def answered(*texts: str) -> CompletionRequest:
    """A request whose history holds these answers."""
    messages = [user_text("hi")]
    for text in texts:
        messages += [Message(role="assistant", content=(TextBlock(text=text),)), user_text("go on")]
    return CompletionRequest(messages=tuple(messages))


# --- what a step says ---------------------------------------------------------------------------------------------------


async def test_thinking_text_calls_and_usage() -> None:
    scripted = provider(
        """
        model = "demo-model"
        [[steps]]
        thinking = "Look first."
        text = "I will  read it.\\n"
        calls = [{ name = "read_file", args = { path = "ä.py", limit = 3 } }, { name = "ls", id = "c2" }]
        usage = { input = 900, output = 40, cache_read = 800 }
        """
    )
    answer = await play(scripted)
    thinking, text, call, ls = answer.content
    assert thinking == ThinkingBlock(thinking="Look first.")
    assert text == TextBlock(text="I will  read it.\n")
    assert isinstance(call, ToolUseBlock)
    assert json.loads(call.arguments) == {"path": "ä.py", "limit": 3}
    assert ls == ToolUseBlock(id="c2", name="ls", arguments="{}")
    assert (answer.usage.input, answer.usage.output, answer.usage.cache_read) == (900, 40, 800)
    assert (answer.stop_reason, answer.model, answer.finished) == ("tool_use", "demo-model", True)


async def test_parts_say_things_in_any_order() -> None:
    scripted = provider(
        """
        [[steps]]
        parts = [{ text = "a" }, { call = { name = "t" } }, { thinking = "b" }, { text = "c" }]
        """
    )
    kinds = [type(block) for block in (await play(scripted)).content]
    assert kinds == [TextBlock, ToolUseBlock, ThinkingBlock, TextBlock]


async def test_broken_and_unclosed_calls() -> None:
    scripted = provider(
        """
        [[steps]]
        calls = [{ name = "edit", raw = '{"path": "a' }, { name = "cut", raw = '{"p', open = true }]
        stop_reason = "max_tokens"
        """
    )
    answer = await play(scripted)
    assert [call.arguments for call in answer.content if isinstance(call, ToolUseBlock)] == ['{"path": "a']
    assert [call.name for call in answer.unfinished] == ["cut"]
    assert answer.stop_reason == "max_tokens"


async def test_usage_that_is_left_out_is_not_reported() -> None:
    assert not (await play(provider('[[steps]]\ntext = "x"'))).usage_reported


async def test_recorded_events_are_played_as_they_are_and_survive_the_file() -> None:
    recorded: list[StreamEvent] = [
        event async for event in provider('[[steps]]\ntext = "one two"\ncalls = [{ name = "t" }]').stream(HI, MODEL)
    ]
    script = Script(version=1, name="bug", steps=(Step(events=tuple(recorded)),))
    again = parse_script(dump_jsonl(script), jsonl=True)
    assert again == script
    replayed = [event async for event in ScriptedProvider(CONFIG, again).stream(HI, MODEL)]
    assert replayed == recorded


async def test_a_buffered_call_gives_the_same_answer_without_the_pace() -> None:
    clock = ToldClock()
    text = '[[steps]]\ntext = "one two three"\nrepeat = 2\npace = 4'
    scripted = provider(text, clock=clock)
    streamed = await play(scripted)
    assert clock.slept == [0.25, 0.25, 0.25]
    assert await play(scripted, stream=False) == streamed
    assert len(clock.slept) == 3


async def test_delays_and_pauses() -> None:
    clock = ToldClock()
    await play(provider('[[steps]]\ndelay_s = 2\nparts = [{ text = "a b", pause_s = 0.5 }]', clock=clock))
    assert clock.slept == [2, 0.5]


# --- which step -----------------------------------------------------------------------------------------------------------


async def test_steps_answer_in_order_and_the_end_is_an_error() -> None:
    scripted = provider('[[steps]]\ntext = "a"\n[[steps]]\ntext = "b"')
    assert [(await play(scripted)).content for _ in range(2)] == [(TextBlock(text="a"),), (TextBlock(text="b"),)]
    with pytest.raises(InvalidRequest, match="all 2 are played") as caught:
        await play(scripted)
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("head", "repeat", "wanted"),
    [
        ('end = "loop"', 1, "ababa"),
        ('end = "repeat"', 1, "abbbb"),
        ('end = "loop"', 2, "aabaa"),
        ('end = "error"', 0, "aaaaa"),
    ],
)
async def test_scripts_that_go_on(head: str, repeat: int, wanted: str) -> None:
    scripted = provider(f'{head}\n[[steps]]\ntext = "a"\nrepeat = {repeat}\n[[steps]]\ntext = "b"')
    assert "".join([said(await play(scripted)) for _ in range(5)]) == wanted


async def test_every_open_provider_has_its_own_position() -> None:
    script = parse_script('version = 1\n[[steps]]\ntext = "a"\n[[steps]]\ntext = "b"')
    first, second = ScriptedProvider(CONFIG, script), ScriptedProvider(CONFIG, script)
    await play(first)
    assert (await play(second)).content == (TextBlock(text="a"),)


async def test_calls_at_the_same_time_get_different_steps() -> None:
    scripted = provider("".join(f'[[steps]]\ntext = "{number}"\n' for number in range(8)))
    answers = await asyncio.gather(*(play(scripted) for _ in range(8)))
    assert {answer.content for answer in answers} == {(TextBlock(text=str(number)),) for number in range(8)}


async def test_a_step_with_a_condition_answers_out_of_order_and_no_other_call() -> None:
    scripted = provider(
        """
        [[steps]]
        when = { system = "SUMMARISE" }
        text = "summary"
        [[steps]]
        text = "a"
        [[steps]]
        text = "b"
        """
    )
    helper = CompletionRequest(messages=(user_text("long"),), system=("Please summarise this.",))
    assert (await play(scripted)).content == (TextBlock(text="a"),)
    assert (await play(scripted, helper)).content == (TextBlock(text="summary"),)
    assert (await play(scripted, helper)).content == (TextBlock(text="b"),)


async def test_history_finds_the_step_in_a_resumed_session_and_starts_over_in_a_new_one() -> None:
    text = 'position = "history"\n[[steps]]\ntext = "a"\n[[steps]]\ntext = "b"\n[[steps]]\ntext = "c"'
    assert (await play(provider(text), answered("a", "b"))).content == (TextBlock(text="c"),)
    scripted = provider(text)
    for history, wanted in ((answered("a"), "b"), (answered(), "a"), (answered(), "a")):
        assert (await play(scripted, history)).content == (TextBlock(text=wanted),)
    with pytest.raises(InvalidRequest):
        await play(scripted, answered("a", "b", "c"))


async def test_history_plays_the_faults_in_front_of_a_step_once() -> None:
    scripted = provider(
        """
        position = "history"
        [[steps]]
        text = "a"
        [[steps]]
        fault = { kind = "rate_limit" }
        [[steps]]
        fault = { kind = "network" }
        [[steps]]
        text = "b"
        """
    )
    kinds = []
    for _ in range(2):
        with pytest.raises(ProviderError) as caught:
            await play(scripted, answered("a"))
        kinds.append(caught.value.kind)
    assert kinds == ["rate_limit", "network"]
    assert (await play(scripted, answered("a"))).content == (TextBlock(text="b"),)


RESULT = Message(role="user", content=(ToolResultBlock(tool_use_id="c", text="def main()", is_error=True),))
TOOL = ToolSpec(name="read_file", description="", parameters={})


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ('last_result = "DEF main"', ""),
        ('last_result = "class"', "last tool result to contain 'class', but it is 'def main()'"),
        ('last_user = "hello"', "last user message to contain 'hello', but it is 'hi'"),
        ('contains = "main"', ""),
        ('contains = "nowhere"', "the messages to contain 'nowhere'"),
        ('system = "x"', "system text to contain 'x', but it is ''"),
        ('tool = "read_file"', ""),
        ('tool = "bash"', "only these are: read_file"),
        ("no_tools = true", "no tools to be offered, but 1 are"),
        ("result_is_error = true", ""),
        ("result_is_error = false", "last tool result not to be an error"),
    ],
)
async def test_expectations_say_what_came_instead(condition: str, problem: str) -> None:
    scripted = provider(f'[[steps]]\nexpect = {{ {condition} }}\ntext = "ok"')
    request = CompletionRequest(messages=(user_text("hi"), RESULT), tools=(TOOL,))
    if not problem:
        assert (await play(scripted, request)).content == (TextBlock(text="ok"),)
        return
    with pytest.raises(InvalidRequest) as caught:
        await play(scripted, request)
    assert problem in str(caught.value)
    assert "Step 1" in str(caught.value)


# --- faults ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        "network",
        "timeout",
        "server_error",
        "rate_limit",
        "auth",
        "invalid_request",
        "context_overflow",
        "model_missing",
        "content_rejected",
        "incomplete",
    ],
)
async def test_every_fault_has_the_kind_of_the_real_one(kind: str) -> None:
    scripted = provider(f'[[steps]]\nfault = {{ kind = "{kind}", status = 418, message = "told" }}')
    with pytest.raises(ProviderError, match="told") as caught:
        await play(scripted)
    assert (caught.value.kind, caught.value.status) == (kind, 418)


async def test_a_rate_limit_carries_its_delay() -> None:
    with pytest.raises(RateLimited) as caught:
        await play(provider('[[steps]]\nfault = { kind = "rate_limit", retry_after_s = 1.5 }'))
    assert caught.value.retry_after_s == 1.5


async def broken(text: str) -> tuple[str, ProviderError]:
    """The text that came before the break, and the break."""
    heard = ""
    try:
        async for event in provider(text).stream(HI, MODEL):
            heard += event.text if isinstance(event, TextDelta) else ""
    except ProviderError as error:
        return heard, error
    raise AssertionError("it did not break")


async def test_a_break_in_the_middle_and_a_missing_end() -> None:
    heard, error = await broken('[[steps]]\ntext = "one two three"\nfault = { kind = "network", after = 2 }')
    assert (heard, error.kind) == ("one two ", "network")
    heard, error = await broken('[[steps]]\ntext = "one two three"\nfault = { kind = "incomplete" }')
    assert heard == "one two three"
    assert isinstance(error, Incomplete)
    heard, error = await broken('[[steps]]\ntext = "one"\nfault = { kind = "timeout", after = 99 }')
    assert (heard, error.kind) == ("one", "timeout")


async def test_silence_lasts_until_it_is_cancelled() -> None:
    scripted = provider('[[steps]]\ntext = "one two"\nfault = { kind = "hang", after = 1 }')
    seen = asyncio.Event()

    async def listen() -> None:
        async for event in scripted.stream(HI, MODEL):
            if isinstance(event, TextDelta):
                seen.set()

    task = asyncio.create_task(listen())
    await seen.wait()
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- the file -------------------------------------------------------------------------------------------------------------


def opened(path: Path) -> Any:
    return open_provider(ProviderConfig(name="demo", kind="script", script=str(path)))


async def test_a_file_of_either_kind(tmp_path: Path) -> None:
    toml, jsonl = tmp_path / "tour.toml", tmp_path / "tour.jsonl"
    toml.write_text('version = 1\n[[steps]]\ntext = "hé"\n', encoding="utf-8")
    jsonl.write_text('{"version": 1}\n\n{"text": "hé"}\n', encoding="utf-8")
    for path in (toml, jsonl):
        scripted = opened(path)
        assert scripted.script.name == "tour"
        assert (await play(scripted)).content == (TextBlock(text="hé"),)
        assert [model.name for model in await scripted.list_models()] == ["demo/script"]
        await scripted.aclose()


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.toml", "version = 1\n[[steps]]\ntxt = 'x'", ["txt", "$.steps[0]", "did you mean `text`"]),
        ("a.toml", "version = 1\n[[steps]]\ncalls = [{ nme = 'x' }]", ["nme", "calls"]),
        ("a.toml", "version = 1\nstep = 3", ["step", "did you mean `steps`"]),
        ("a.toml", "version = 2", ["version = 1"]),
        ("a.toml", "[[steps]]", ["version = 1"]),
        ("a.toml", "version = ", ["not TOML"]),
        ("a.toml", "version = 1\n[[steps]]\nfault = { kind = 'nope' }", ["nope", "fault"]),
        ("a.toml", "version = 1\n[[steps]]\ntext = 'x'\nparts = [{ text = 'y' }]", ["step 1"]),
        ("a.toml", "version = 1\n[[steps]]\nparts = [{ text = 'y', thinking = 'z' }]", ["exactly one"]),
        ("a.toml", "version = 1\n[[steps]]\ncalls = [{ name = 't', args = {}, raw = '' }]", ["both"]),
        ("a.toml", "version = 1\n[[steps]]\ndelay_s = -1", ["negative"]),
        ("a.jsonl", '{"version": 1}\n{"text": ', ["line 2"]),
        ("a.jsonl", '{"version": 1}\n{"txt": "x"}', ["txt", "did you mean `text`"]),
        ("a.jsonl", "", ["header"]),
    ],
)
def test_a_mistake_names_the_file_and_the_key(tmp_path: Path, name: str, content: str, told: list[str]) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        opened(path)
    for one in (str(path), *told):
        assert one in str(caught.value)


def test_a_missing_file_and_a_missing_setting(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gone"):
        opened(tmp_path / "gone.toml")
    with pytest.raises(UsageError, match="no `script`"):
        open_provider(CONFIG)
