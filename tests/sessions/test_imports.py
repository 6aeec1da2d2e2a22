"""Sessions of other programs: read as their makers and parsers have them, whole afterwards, or refused with nothing changed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from kram.base import SystemClock
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.context import pair, render
from kram.messages import CompletionRequest, Entry, ImageBlock, Kind, ThinkingBlock, ToolSpec
from kram.providers import open_provider
from kram.sessions import Store
from kram.sessions.export import Exported, exported_text
from kram.sessions.imports import BadImport, Imported, read_import
from tests.support.strict import assert_acceptable
from tests.support.vendor import PROTOCOLS

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOOLS = tuple(ToolSpec(name=name, description="x", parameters={"type": "object"}) for name in ("Bash", "Read"))


def lines(*records: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(one) for one in records).encode()


def shape(found: Imported | Iterable[Entry]) -> list[tuple[str, str]]:
    entries = found.entries if isinstance(found, Imported) else found
    return [(one.kind, one.content if one.kind != Kind.TOOL_CALL else one.tool_name) for one in entries]


async def assert_a_next_request_is_valid(found: Imported) -> None:
    """What is in view, with a new message of the person, in the form of every vendor."""
    visible = [one for one in found.entries if one.id not in found.folded]
    messages = pair(render([*visible, Entry(id="new", kind=str(Kind.USER), content="go on")]))
    request = CompletionRequest(messages=messages, system=("s",), tools=TOOLS)
    for protocol in PROTOCOLS:
        model = Model(provider="p", id="m", context_window=100_000)
        config = ProviderConfig(
            name="p", kind=protocol, base_url="http://localhost:1", api_key="k" * 10, models=(model,)
        )
        provider = open_provider(config)
        try:
            assert_acceptable(protocol, provider.body(request, model))
        finally:
            await provider.aclose()


# --- Claude Code --------------------------------------------------------------------------------------------------------


class Claude:
    """Records as the program writes them: linked, one block a record."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self._number = 0
        self.last: str | None = None

    def add(self, kind: str, content: Any, *, parent: str | None = "", **more: Any) -> str:
        self._number += 1
        uuid = f"u{self._number}"
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {
                "id": more.pop("answer", f"msg_{self._number}"),
                "model": "claude-sonnet-4-5",
                "type": "message",
            }
            message["usage"] = {
                "input_tokens": 3,
                "cache_read_input_tokens": 4,
                "cache_creation_input_tokens": 5,
                "output_tokens": 6,
            }
        record = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last if parent == "" else parent,
            "sessionId": "s",
            "cwd": "/p",
            "isSidechain": False,
            "timestamp": f"2026-01-02T03:04:{self._number:02}.000Z",
            "message": message,
        }
        self.records.append(record | more)
        self.last = uuid
        return uuid

    def read(self) -> Imported:
        return read_import(lines(*self.records))


def use(call_id: str, name: str = "Bash", **arguments: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": call_id, "name": name, "input": arguments}]


def result(call_id: str, content: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": content, **more}]


async def test_a_claude_code_session_with_parallel_calls_a_picture_and_thinking() -> None:
    claude = Claude()
    claude.records.append({"type": "summary", "summary": "Looking around", "leafUuid": "x"})
    claude.records.append({"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}})
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    claude.add("user", [{"type": "text", "text": "what is here?"}, picture])
    claude.add("assistant", [{"type": "thinking", "thinking": "hm", "signature": "sig"}], answer="A")
    claude.add("assistant", [{"type": "text", "text": "I look."}], answer="A")
    first = claude.add("assistant", use("toolu_1", command="ls"), answer="A")
    second = claude.add("assistant", use("toolu_2", "Read", file_path="a"), answer="A")
    claude.add("user", result("toolu_2", [{"type": "text", "text": "aaa"}]), parent=second, toolUseResult={"x": 1})
    claude.add("user", result("toolu_1", "a b", is_error=True), parent=first)
    claude.add("assistant", [{"type": "text", "text": "Two files."}])
    found = claude.read()
    assert shape(found) == [
        ("user", "what is here?"),
        ("assistant", "I look."),
        ("tool_call", "Bash"),
        ("tool_call", "Read"),
        ("tool_result", "a b"),
        ("tool_result", "aaa"),
        ("assistant", "Two files."),
    ]
    said = found.entries[1]
    assert said.parts[0] == ThinkingBlock(thinking="hm"), "a signature of another account is worth nothing"
    assert said.usage is not None
    assert (said.usage.input, said.usage.cache_read, said.usage.cache_write, said.usage.output) == (12, 4, 5, 6)
    assert [one.usage for one in found.entries[2:6]] == [None] * 4, "what an answer used is counted once"
    assert found.entries[0].parts == (ImageBlock(media_type="image/png", data=PNG),)
    assert found.entries[4].is_error
    assert (found.title, found.workspace, said.model) == ("Looking around", "/p", "anthropic/claude-sonnet-4-5")
    assert json.loads(found.entries[2].content) == {"command": "ls"}
    await assert_a_next_request_is_valid(found)


async def test_of_several_branches_the_one_that_went_on_counts() -> None:
    claude = Claude()
    claude.add("user", "start")
    fork = claude.add("assistant", [{"type": "text", "text": "ready"}])
    claude.add("user", "first attempt")
    claude.add("assistant", use("toolu_1", command="rm"))
    claude.add("user", "second attempt", parent=fork)
    claude.add("assistant", [{"type": "text", "text": "better"}])
    found = claude.read()
    assert [text for _, text in shape(found)] == ["start", "ready", "second attempt", "better"]
    await assert_a_next_request_is_valid(found)


async def test_a_compaction_stands_for_what_came_before_it() -> None:
    claude = Claude()
    claude.add("user", "old")
    claude.add("assistant", [{"type": "text", "text": "old answer"}])
    claude.records.append(
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "cb",
            "parentUuid": None,
            "logicalParentUuid": claude.last,
        }
    )
    claude.add("user", "This session is being continued. Summary: much.", parent="cb", isCompactSummary=True)
    claude.add("user", "new")
    found = claude.read()
    assert [kind for kind, _ in shape(found)] == ["user", "assistant", "compaction", "user"]
    assert set(found.folded) == {found.entries[0].id, found.entries[1].id}
    assert set(found.folded.values()) == {found.entries[2].id}
    await assert_a_next_request_is_valid(found)


async def test_what_was_not_said_is_left_out() -> None:
    claude = Claude()
    claude.add("user", "Caveat: The messages below were generated", isMeta=True)
    claude.add("user", "<command-name>/clear</command-name>")
    claude.add("user", "<local-command-stdout>x</local-command-stdout>")
    claude.add("user", "real")
    side = claude.last
    claude.add("user", "do a part", isSidechain=True)
    claude.add("assistant", [{"type": "text", "text": "part done"}], isSidechain=True)
    claude.add("assistant", [{"type": "text", "text": "real answer"}], parent=side)
    claude.add("user", [{"type": "text", "text": "[Request interrupted by user]"}])
    synthetic = claude.add("assistant", [{"type": "text", "text": "API Error"}], isApiErrorMessage=True)
    assert synthetic
    assert shape(claude.read()) == [
        ("user", "real"),
        ("assistant", "real answer"),
        ("notification", "[Request interrupted by user]"),
    ]


async def test_a_session_that_was_killed_in_the_middle_of_a_call_is_whole() -> None:
    claude = Claude()
    claude.add("user", "go")
    claude.add("assistant", use("toolu_1", command="sleep 100"))
    found = read_import(lines(*claude.records) + b'\n{"type":"user","uuid":"u3","mess')
    assert [kind for kind, _ in shape(found)] == ["user", "tool_call", "tool_result"]
    assert (found.entries[2].is_error, found.entries[2].status) == (True, "unknown")
    await assert_a_next_request_is_valid(found)


# --- Codex --------------------------------------------------------------------------------------------------------------


def rollout(*items: dict[str, Any] | tuple[str, dict[str, Any]]) -> bytes:
    records = [
        {"timestamp": "2026-01-02T03:04:05.000Z", "type": "session_meta", "payload": {"id": "x", "cwd": "/work"}}
    ]
    for number, item in enumerate(items):
        kind, payload = item if isinstance(item, tuple) else ("response_item", item)
        records.append({"timestamp": f"2026-01-02T03:05:{number:02}.000Z", "type": kind, "payload": payload})
    return lines(*records)


def message(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


async def test_a_codex_rollout_with_calls_of_every_kind() -> None:
    data = rollout(
        message("developer", "rules"),
        message("user", "<environment_context>x</environment_context>"),
        ("event_msg", {"type": "user_message", "message": "list"}),
        message("user", "list the files"),
        ("turn_context", {"model": "gpt-5-codex", "cwd": "/work"}),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look"}], "encrypted_content": "zzz"},
        {"type": "function_call", "name": "exec_command", "arguments": '{"cmd":"ls"}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output":"a\\nb","metadata":{"exit_code":1}}'},
        {"type": "custom_tool_call", "name": "apply patch", "input": "*** Begin Patch", "call_id": "c2"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "output_text", "text": "Done!"}]},
        {
            "type": "local_shell_call",
            "call_id": "c3",
            "status": "completed",
            "action": {"type": "exec", "command": ["ls"]},
        },
        {"type": "function_call_output", "call_id": "c3", "output": {"content": "no", "success": False}},
        {"type": "web_search_call", "action": {"type": "search", "query": "x"}},
        message("assistant", "Two files."),
        (
            "event_msg",
            {
                "type": "token_count",
                "info": {"last_token_usage": {"input_tokens": 9, "output_tokens": 2, "cached_input_tokens": 4}},
            },
        ),
        ("future_record", {"safe": "ignored"}),
    )
    found = read_import(data)
    assert shape(found) == [
        ("user", "list the files"),
        ("tool_call", "exec_command"),
        ("tool_result", "a\nb"),
        ("tool_call", "apply_patch"),
        ("tool_result", "Done!"),
        ("tool_call", "local_shell"),
        ("tool_result", "no"),
        ("assistant", "Two files."),
    ]
    assert [one.is_error for one in found.entries if one.kind == Kind.TOOL_RESULT] == [True, False, True]
    assert found.entries[1].parts == (ThinkingBlock(thinking="I look"),)
    assert json.loads(found.entries[3].content) == {"input": "*** Begin Patch"}
    usage = found.entries[-1].usage
    assert usage is not None
    assert (usage.input, usage.output, usage.cache_read) == (9, 2, 4)
    assert (found.form, found.workspace, found.entries[-1].model) == ("codex", "/work", "openai/gpt-5-codex")
    await assert_a_next_request_is_valid(found)


async def test_a_codex_history_that_was_compacted_and_rolled_back() -> None:
    data = rollout(
        message("user", "old"),
        message("assistant", "old answer"),
        ("compacted", {"message": "", "replacement_history": [message("user", "the summary")]}),
        message("user", "taken back"),
        {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c1"},
        ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
        message("user", "new"),
    )
    found = read_import(data)
    assert shape(found) == [
        ("user", "old"),
        ("assistant", "old answer"),
        ("compaction", "the summary"),
        ("user", "new"),
    ]
    assert len(found.folded) == 2
    await assert_a_next_request_is_valid(found)


async def test_half_a_character_behind_an_escape_is_replaced() -> None:
    call = {"type": "function_call", "name": "f", "arguments": '{"cmd":"\\ud800 \\u00e9"}', "call_id": "c"}
    found = read_import(rollout(message("user", "a"), call))
    assert json.loads(found.entries[1].content) == {"cmd": "? é"}
    await assert_a_next_request_is_valid(found)


async def test_an_early_codex_file_without_envelopes() -> None:
    data = lines(
        {"id": "x", "timestamp": "2025-05-07T17:24:21.500Z", "instructions": None, "git": {}},
        {"record_type": "state"},
        message("user", "hi"),
        {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "a"},
        message("assistant", "hello"),
    )
    found = read_import(data)
    assert [kind for kind, _ in shape(found)] == ["user", "tool_call", "tool_result", "assistant"]
    await assert_a_next_request_is_valid(found)


# --- the core engine ----------------------------------------------------------------------------------------------------

CORE: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "count"},
        {
            "role": "assistant",
            "content": "I run it.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command":"wc"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "3"},
        {"role": "assistant", "content": "Three."},
        {"role": "user", "content": "thanks"},
    ],
    "session_id": "session_1",
    "total_tokens": 15,
    "total_cost": 0.5,
    "prompt_tokens": 10,
    "completion_tokens": 5,
    "checkpoints": [{"start": 1, "end": 4, "summary": "Counted: 3."}, {"start": 4, "end": 99, "summary": "nowhere"}],
}


async def test_the_core_engines_json_comes_in_and_goes_out_the_same(tmp_path: Path) -> None:
    found = read_import(json.dumps(CORE).encode())
    assert shape(found) == [
        ("user", "count"),
        ("assistant", "I run it."),
        ("tool_call", "Bash"),
        ("tool_result", "3"),
        ("assistant", "Three."),
        ("user", "thanks"),
    ]
    assert [(one.start, one.end, one.summary) for one in found.turns] == [
        (found.entries[0].id, found.entries[4].id, "Counted: 3.")
    ]
    await assert_a_next_request_is_valid(found)
    with Store.open(tmp_path / "kram.db", SystemClock()) as store:
        session = store.take_over("/w", found.entries)
        turns = tuple((one.start, one.end, one.summary) for one in found.turns)
        exported = Exported(info=store.get(session), entries=tuple(store.entries(session)), turns=turns)
        again = json.loads(exported_text(exported, "core"))
    assert again["messages"] == [
        {**one, "content": one["content"]} for one in CORE["messages"] if one["role"] != "system"
    ]
    assert again["checkpoints"] == [{"start": 0, "end": 3, "summary": "Counted: 3."}]
    totals = ("total_tokens", "total_cost", "prompt_tokens", "completion_tokens")
    assert {name: again[name] for name in totals} == {name: CORE[name] for name in totals}
    assert shape(read_import(json.dumps(again).encode())) == shape(found)


def test_no_checkpoints_are_none() -> None:
    bare = {key: value for key, value in CORE.items() if key != "checkpoints"}
    assert read_import(json.dumps(bare).encode()).turns == ()


# --- what cannot be read ------------------------------------------------------------------------------------------------

BAD = [
    b"", b" \n", b"{bad", b"[]", b"3", b"null", b"{}", b'"text"', b"plain text\nof two lines", b"\xff\xfe\x00", b"a,b\n1,2\n",
    b'{"messages": []}', b'{"messages": [3]}', b'{"messages": [{"content": "x"}]}', b'{"messages": [{"role": "king"}]}',
    b'{"version": 1, "entries": []}', b'{"version": 2, "entries": [{"id": "a", "kind": "user"}]}',
    b'{"version": 1, "entries": [{"id": 3}]}', b'{"version": 1, "entries": [{"id":"a","kind":"user"},{"id":"a","kind":"user"}]}',
    b'{"version": 1, "entries": [{"id":"","kind":"user"}]}', b'{"type":"user"}\nnot json\n{"type":"user"}', b"[" * 100_000,
    b'{"type":"summary","summary":"x"}\n{"type":"user","uuid":"1","message":{"role":"user","content":""}}',
    b'{"type":"session_meta","payload":{}}',
]  # fmt: skip


@pytest.mark.parametrize("data", BAD)
def test_what_is_no_session_is_refused(data: bytes) -> None:
    with pytest.raises(BadImport):
        read_import(data)


async def test_no_damage_to_a_file_leads_to_a_history_that_no_vendor_takes() -> None:
    """Values are taken out, doubled, or replaced by something else, at random places."""
    claude = Claude()
    claude.add("user", "go")
    for number in range(4):
        claude.add("assistant", [{"type": "text", "text": f"step {number}"}], answer=f"A{number}")
        claude.add("assistant", use(f"toolu_{number}", command="ls"), answer=f"A{number}")
        claude.add("user", result(f"toolu_{number}", "out"))
    codex = rollout(
        message("user", "a"),
        {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
        message("assistant", "b"),
    )
    sources = [claude.records, [json.loads(line) for line in codex.splitlines()]]
    dice = random.Random(11)
    read = 0
    for _ in range(150):
        records = json.loads(json.dumps(dice.choice(sources)))
        for _ in range(dice.randrange(1, 4)):
            spoil(dice, records)
        try:
            found = read_import(lines(*[one for one in records if isinstance(one, dict)]))
        except BadImport:
            continue
        read += 1
        await assert_a_next_request_is_valid(found)
    assert read > 50


def spoil(dice: random.Random, records: list[Any]) -> None:
    place: Any = records
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = dice.choice(keys)
        inner = place[key]
        if isinstance(inner, dict | list) and inner and dice.random() < 0.7:
            place = inner
            continue
        match dice.randrange(3):
            case 0:
                del place[key]
            case 1 if isinstance(place, list):
                place.insert(dice.randrange(len(place) + 1), json.loads(json.dumps(inner)))
            case _:
                place[key] = dice.choice([None, 3, "", "\ud800", [], {}, ["x"], True, -1, {"type": "text"}])
        return
