"""A session of any length through the real runtime against a server that speaks like a vendor and looks at every request.

The model in it reads, lists, writes, keeps a todo list, asks, has long turns, and fails where it is told to. Each request is
checked by `inspect`: acceptable to the strictest vendor, within the window, and still holding what must never be lost.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kram import events
from kram.context import estimate
from kram.messages import Kind
from kram.runtime import Options, Runtime
from tests.support.byte_server import ByteServer, Request, Script, answer
from tests.support.opened import ScriptedUser
from tests.support.strict import assert_acceptable
from tests.support.vendor import Call, answered, base_url

WINDOW = 32_000
RULE = "Every function name ends in _zebra; this rule holds for all files."
PINNED = "The deployment key is rotated by tulip-42 every full moon."
SUMMARY = "Goal: keep the shop running.\nProgress: many files were read.\nNext: go on."
CONFIG = """
default_combo = "main"
[providers.srv]
kind = "{protocol}"
base_url = "{url}"
key_optional = true
[providers.srv.models.m]
context_window = {window}
max_output = 4000
price = {{ input = 1.0, output = 4.0 }}
[combos.main]
candidates = ["srv/m"]
"""

Step = tuple[str, list[Call]]
"""What the model says, and the calls it makes; the last step of a turn has none."""


@dataclass
class Story:
    """One session as it unfolds: what the model is to do, what must hold now, and what was seen."""

    protocol: str = "anthropic"
    window: int = WINDOW
    no_summaries: range = range(0)
    overflow_at: int = -1
    every_long: int = 29
    writes_long: bool = False
    turn: int = 0
    steps: list[Step] = field(default_factory=list)
    words: str = ""
    question: str = ""
    todos: list[str] = field(default_factory=list)
    requests: int = 0
    summaries: int = 0
    refused: int = 0
    largest: int = 0
    wrong: list[str] = field(default_factory=list)
    stages: Counter[str] = field(default_factory=Counter)
    triggers: Counter[str] = field(default_factory=Counter)

    # --- the server ---------------------------------------------------------------------------------------------------

    def respond(self, request: Request) -> Script:
        body = request.json()
        assert_acceptable(self.protocol, body)
        tokens = _tokens(body)
        if "record of a working session" in json.dumps(body.get("system", body["messages"][:1])):
            if self.turn in self.no_summaries:
                return [answer({"error": {"type": "invalid_request_error", "message": "no"}}, status=400)]
            self.summaries += 1
            self._within(tokens, "a request for a summary")
            return answered(self.protocol, SUMMARY, prompt_tokens=tokens)
        if self.turn == self.overflow_at and not self.refused:
            self.refused += 1
            message = "prompt is too long: 40000 tokens > 32000 maximum"
            return [answer({"error": {"type": "invalid_request_error", "message": message}}, status=400)]
        self.requests += 1
        self.largest = max(self.largest, tokens)
        self._within(tokens, f"turn {self.turn}")
        self._inspect(body)
        text, calls = self.steps.pop(0) if self.steps else ("Nothing more.", [])
        for name, arguments in calls:
            if name == "todo_write":
                self.todos = [todo["content"] for todo in arguments["todos"]]
            if name == "ask_question":
                self.question = arguments["question"]
        return answered(self.protocol, text, calls, number=self.requests, prompt_tokens=tokens)

    def _within(self, tokens: int, what: str) -> None:
        if tokens > self.window - self.window // 8:
            self.wrong.append(f"{what}: {tokens} tokens")

    def _inspect(self, body: dict[str, Any]) -> None:
        text = "\n".join(_texts(body))
        wanted = {
            "the rule": RULE,
            "the pinned item": PINNED,
            "the last words": self.words,
            "the question": self.question,
        }
        wanted |= {f"todo {number}": todo for number, todo in enumerate(self.todos)}
        self.wrong += [f"turn {self.turn}: {name} is gone" for name, one in wanted.items() if one not in text]

    # --- the model ----------------------------------------------------------------------------------------------------

    def plan(self, number: int) -> None:
        """Turn `number`: every sort of work at its own rhythm, so that they meet in all combinations."""
        dice = random.Random(number)
        self.turn = number
        self.words = f"Request {number}: look after part {number * 7 % 101} of the shop, word for word."
        steps: list[Step] = []
        for place in range(20 if number % self.every_long == self.every_long - 1 else dice.randint(0, 2)):
            path = f"f{dice.randint(0, 11)}.txt" if place % 2 else f"f{number % 12}.txt"
            calls: list[Call] = [("read_file", {"path": path})]
            steps.append((f"I look at {path}.", [*calls, ("bash", {"command": "ls"})] if number % 6 == 0 else calls))
        if self.writes_long and number % self.every_long == 0:
            steps += [
                ("I write.", [("write_file", {"path": f"w{row}.txt", "content": _lines(row)})]) for row in range(20)
            ]
        if number % 7 == 0:
            todos = [{"content": f"step {number}-{row} of the plan", "status": "pending"} for row in range(4)]
            steps.append(("", [("todo_write", {"todos": todos})]))
        if number % 13 == 5:
            steps.append(("", [("ask_question", {"question": f"Which colour shall door {number} have?"})]))
            steps.append(("Good.", [("read_file", {"path": "f1.txt"})]))
        if number % 9 == 4:
            steps.append(("I write.", [("write_file", {"path": f"made{number % 5}.txt", "content": _lines(number)})]))
        asks = f" Shall I paint wall {number} too?" if number % 5 == 0 else ""
        self.steps = [*steps, (f"Turn {number} is done.{asks}", [])]

    def after(self, number: int) -> None:
        """What stands in the room for the next turn."""
        self.question = f"Shall I paint wall {number} too?" if number % 5 == 0 else ""

    def hear(self, stamped: events.Stamped) -> None:
        if isinstance(stamped.event, events.Compacted):
            self.stages[stamped.event.strategy] += 1
            self.triggers[stamped.event.trigger] += 1


async def play(folder: Path, turns: int, story: Story) -> Runtime:
    """Plays the story and returns the runtime, still open."""
    workspace = folder / "ws"
    workspace.mkdir()
    (workspace / "AGENTS.md").write_text(f"# Rules\n{RULE}\n")
    for number in range(12):
        lines = (
            f"row {row} of file {number}: {random.Random(row * 31 + number).random()}"
            for row in range(60 + number * 20)
        )
        (workspace / f"f{number}.txt").write_text("\n".join(lines))
    server = ByteServer(respond=story.respond)
    await server.__aenter__()
    config = folder / "home" / "config"
    config.mkdir(parents=True)
    text = CONFIG.format(protocol=story.protocol, url=base_url(story.protocol, server.url), window=story.window)
    (config / "config.toml").write_text(text)
    options = Options(permission_mode="auto", trust=True)
    env = {"KRAM_HOME": str(folder / "home")}
    runtime = await Runtime.open(workspace, options, user=ScriptedUser(answers=["green"]), env=env)
    runtime.subscribe(story.hear)
    try:
        await _turns(runtime, turns, story)
    except BaseException:
        await runtime.close()
        raise
    finally:
        await server.__aexit__()
    return runtime


async def _turns(runtime: Runtime, turns: int, story: Story) -> None:
    story.steps, story.words = [("I keep that in mind.", [])], PINNED
    assert (await runtime.send(PINNED)).subtype == "success"
    runtime.pin([one.id for one in runtime.entries() if one.kind == Kind.USER])
    for number in range(1, turns + 1):
        story.plan(number)
        result = await runtime.send(story.words)
        assert result.subtype == "success", f"turn {number}: {result.error}"
        story.after(number)


def _lines(number: int) -> str:
    return "".join(f"line {row} of {number}\n" for row in range(400))


def _tokens(body: dict[str, Any]) -> int:
    """What the request takes, counted by its texts, calls and tool definitions."""
    return sum(estimate(text) for text in _texts(body)) + estimate(
        json.dumps(body.get("tools", []), separators=(",", ":"))
    )


def _texts(body: dict[str, Any]) -> Iterator[str]:
    for part in body.get("system") or ():
        yield part["text"]
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
            match block["type"]:
                case "text":
                    yield block["text"]
                case "tool_use":
                    yield json.dumps(block["input"], ensure_ascii=False)
                case "tool_result":
                    inner = block["content"]
                    yield inner if isinstance(inner, str) else "\n".join(one.get("text", "") for one in inner)
        for call in message.get("tool_calls") or ():
            yield call["function"]["arguments"]
