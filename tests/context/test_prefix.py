"""Within a turn a request begins with all of the one before it, so that the provider's cache holds; where not, it is named."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kram.context import ViewPolicy, build_view, first_difference, plan
from kram.messages import CompletionRequest, Entry, Kind, Message, TextBlock, ToolSpec, entry
from kram.runtime import Options, Runtime
from tests.support.byte_server import ByteServer, Request, Script
from tests.support.long_session import CONFIG
from tests.support.opened import ScriptedUser
from tests.support.vendor import answered, base_url

CALLS = 20


class Reader:
    """A model that reads file after file and then says it is done."""

    def __init__(self, protocol: str) -> None:
        self.protocol = protocol
        self.bodies: list[dict[str, Any]] = []

    def respond(self, request: Request) -> Script:
        self.bodies.append(request.json())
        number = len(self.bodies)
        calls = [("read_file", {"path": f"f{number}.txt"})] if number <= CALLS else []
        return answered(self.protocol, "I look.", calls, number=number)


async def played(folder: Path, protocol: str, window: int) -> list[dict[str, Any]]:
    (folder / "ws").mkdir()
    for number in range(1, CALLS + 1):
        text = "".join(f"{number} {row} and some words\n" for row in range(300))
        (folder / "ws" / f"f{number}.txt").write_text(text)
    reader = Reader(protocol)
    async with ByteServer(respond=reader.respond) as server:
        (folder / "home" / "config").mkdir(parents=True)
        text = CONFIG.format(protocol=protocol, url=base_url(protocol, server.url), window=window)
        (folder / "home" / "config" / "config.toml").write_text(text)
        env = {"KRAM_HOME": str(folder / "home")}
        runtime = await Runtime.open(folder / "ws", Options(), user=ScriptedUser(), env=env)
        assert (await runtime.send("read them all")).subtype == "success"
        await runtime.close()
    return reader.bodies


def pieces(body: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Name, bytes without the cache mark, and whether there is one, in the order a provider reads a request."""
    yield "tools", json.dumps(body["tools"]), False
    for at, part in enumerate(body["system"]):
        yield from _piece(f"system part {at}", part)
    for place, message in enumerate(body["messages"]):
        for at, block in enumerate(message["content"]):
            yield from _piece(f"message {place} ({message['role']}), block {at} ({block['type']})", block)


def _piece(name: str, part: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    bare = copy.deepcopy(part)
    marked = bare.pop("cache_control", None) is not None
    yield name, json.dumps(bare), marked


def differing(before: dict[str, Any], after: dict[str, Any]) -> str:
    """The name of the first part that is not repeated."""
    later = pieces(after)
    return next((name for name, data, _ in pieces(before) if next(later, ("", "", False))[1] != data), "")


async def test_a_turn_of_twenty_calls_only_adds_to_its_request(tmp_path: Path) -> None:
    bodies = await played(tmp_path, "anthropic", 400_000)
    assert len(bodies) == CALLS + 1
    for number, (before, after) in enumerate(pairwise(bodies), start=1):
        name = differing(before, after)
        assert not name, f"request {number + 1} differs from the one before it at: {name}"
        # What the last request wrote to the cache is where this one reads from it.
        marked = [place for place, (_, _, mark) in enumerate(pieces(before)) if mark]
        again = [place for place, (_, _, mark) in enumerate(pieces(after)) if mark]
        assert marked[-1] in again, f"request {number + 1} does not mark where the one before it ended"


async def test_in_a_small_window_the_prefix_changes_only_when_the_view_is_shaped_anew(tmp_path: Path) -> None:
    bodies = await played(tmp_path, "anthropic", 48_000)
    changed = [number for number, (before, after) in enumerate(pairwise(bodies)) if differing(before, after)]
    assert 1 <= len(changed) <= 5, changed


# --- the same of requests before any dialect ------------------------------------------------------------------------------


TOOL = ToolSpec(name="read_file", description="d", parameters={})


def request(
    *texts: str, system: tuple[str, ...] = ("base", "memory"), tools: tuple[ToolSpec, ...] = (TOOL,)
) -> CompletionRequest:
    roles = ("user", "assistant")
    messages = tuple(Message(role=roles[at % 2], content=(TextBlock(text=text),)) for at, text in enumerate(texts))  # type: ignore[arg-type]
    return CompletionRequest(messages=messages, system=system, tools=tools)


@pytest.mark.parametrize(
    ("after", "name"),
    [
        (request("a", "b", "c"), ""),
        (request("a", "b"), ""),
        (request("a", "x", "c"), "message 1, assistant, text"),
        (request("a"), "message 1, assistant, text"),
        (request("a", "b", system=("base", "other")), "system 1"),
        (request("a", "b", system=("base",)), "system 1"),
        (request("a", "b", tools=(msgspec.structs.replace(TOOL, description="e"),)), "tool read_file"),
    ],
)
def test_the_first_part_that_differs_is_named(after: CompletionRequest, name: str) -> None:
    assert first_difference(request("a", "b"), after) == name


def test_a_reminder_at_the_end_is_no_difference() -> None:
    said = TextBlock(text="a")
    told = TextBlock(text="<system-reminder>\nsoon\n</system-reminder>")
    before = CompletionRequest(messages=(Message(role="user", content=(said, told)),))
    after = CompletionRequest(messages=(Message(role="user", content=(said,)), *request("x", "y").messages[1:]))
    assert first_difference(before, after) == ""


def rounds(count: int) -> list[Entry]:
    entries = [entry(Kind.USER, "go")]
    for number in range(count):
        entries.append(entry(Kind.TOOL_CALL, "{}", tool_call_id=f"c{number}", tool_name="t"))
        entries.append(entry(Kind.TOOL_RESULT, "r" * 6_000, tool_call_id=f"c{number}", tool_name="t"))
    return entries


def test_a_shaped_view_keeps_its_shape_until_it_is_too_large_again() -> None:
    entries, room, policy = rounds(60), plan(60_000, 5_000), ViewPolicy()
    first = build_view(entries[:61], room, policy)
    assert first.stages == ("lod",)
    second = build_view(entries[:63], room, policy, shape=first.shape)
    assert second.shape is first.shape
    assert second.entries[:61] == first.entries
    assert build_view(entries[:63], room, policy).entries[:61] != first.entries, (
        "without it the border would have moved"
    )
    last = build_view(entries, room, policy, shape=first.shape)
    assert last.tokens <= room.target
    assert last.shape != first.shape


def test_a_shape_is_given_up_where_there_is_room_again() -> None:
    entries, policy = rounds(30), ViewPolicy()
    shaped = build_view(entries, plan(60_000, 5_000), policy)
    assert shaped.stages
    wide = build_view(entries, plan(400_000, 5_000), policy, shape=shaped.shape)
    assert (wide.stages, wide.entries) == ((), tuple(entries))
