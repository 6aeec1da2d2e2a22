"""What vendors refuse, as checks on request bodies: stricter than any one of them, so that no history of ours ever is.

`problems(protocol, body)` lists every breach; `assert_acceptable` fails with the list. Protocols are the provider kinds.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

Body = dict[str, Any]

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
_MAX_CACHE_MARKS = 4


def problems(protocol: str, body: Body) -> list[str]:
    """Every breach, in words; empty for a request any server of the kind accepts."""
    found = list(_CHECKS[protocol](body))
    try:
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, TypeError, ValueError) as error:
        found.append(f"not sendable as JSON: {error}")
    return found


def assert_acceptable(protocol: str, body: Body) -> None:
    found = problems(protocol, body)
    assert not found, "\n".join([f"{protocol} would refuse this request:", *found])


# --- anthropic --------------------------------------------------------------------------------------------------------


def _anthropic(body: Body) -> Iterator[str]:
    yield from _required(body, "model", "max_tokens", "messages")
    messages = body.get("messages") or []
    yield from _turns([message["role"] for message in messages], "user", "assistant")
    yield from _tool_names(tool["name"] for tool in body.get("tools", ()))
    yield from _anthropic_blocks(body, messages)
    yield from _anthropic_pairs(messages)
    thinking = body.get("thinking") or {}
    budgeted = thinking.get("type") == "enabled"
    if budgeted and not 1024 <= thinking.get("budget_tokens", 0) < body.get("max_tokens", 0):
        yield "thinking: the budget must be at least 1024 and below max_tokens"
    if thinking.get("type") in ("enabled", "adaptive"):
        if body.get("temperature", 1) != 1:
            yield "thinking: the temperature cannot be set"
        if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
            yield "thinking: a tool cannot be forced"
    if json.dumps(body).count('"cache_control"') > _MAX_CACHE_MARKS:
        yield "more than four cache marks"
    if messages and messages[-1]["role"] == "assistant" and _ends_in_space(messages[-1]["content"]):
        yield "the last assistant message ends in white space"


def _anthropic_blocks(body: Body, messages: list[Body]) -> Iterator[str]:
    thinks = (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")
    uses_tools = False
    for place, message in enumerate(messages):
        where = f"message {place}"
        if not message["content"]:
            yield f"{where}: empty content"
        for block in message["content"]:
            kind = block["type"]
            uses_tools = uses_tools or kind in ("tool_use", "tool_result")
            if kind == "text" and not block["text"].strip():
                yield f"{where}: blank text"
            if kind == "thinking" and not block.get("signature"):
                yield f"{where}: thinking without a signature"
            if kind in ("thinking", "redacted_thinking"):
                if not thinks:
                    yield f"{where}: thinking in the history of a request without thinking"
                if "cache_control" in block:
                    yield f"{where}: a cache mark on thinking"
            if kind == "tool_use" and not isinstance(block["input"], dict):
                yield f"{where}: input is no object"
            if kind in ("tool_use", "thinking", "redacted_thinking") and message["role"] != "assistant":
                yield f"{where}: {kind} by the user"
            if kind in ("tool_result", "image") and message["role"] != "user":
                yield f"{where}: {kind} by the assistant"
    if uses_tools and not body.get("tools"):
        yield "the history has calls, the request no tools"


def _anthropic_pairs(messages: list[Body]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for place, message in enumerate(messages):
        calls = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        seen.update(calls)
        yield from (f"message {place}: bad id {call!r}" for call in calls if not _ANTHROPIC_ID.fullmatch(call))
        following = messages[place + 1]["content"] if place + 1 < len(messages) else []
        results = [block["tool_use_id"] for block in following if block["type"] == "tool_result"]
        if message["role"] == "assistant" and calls != results:
            yield f"message {place}: calls {calls} are answered by {results}"
        kinds = [block["type"] == "tool_result" for block in message["content"]]
        if kinds != sorted(kinds, reverse=True):
            yield f"message {place}: results behind other content"
    yield from (f"id {call!r} is used {count} times" for call, count in seen.items() if count > 1)
    if messages and any(block["type"] == "tool_result" for block in messages[0]["content"]):
        yield "message 0: a result without a call"


def _ends_in_space(content: list[Body]) -> bool:
    last: Body = content[-1] if content else {}
    return last.get("type") == "text" and last["text"] != last["text"].rstrip()


# --- openai-chat ------------------------------------------------------------------------------------------------------


def _chat(body: Body) -> Iterator[str]:
    yield from _required(body, "model", "messages")
    messages = body.get("messages") or []
    if not any(message["role"] == "user" for message in messages):
        yield "no user message"
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "both output caps"
    if "stream_options" in body and not body.get("stream"):
        yield "stream_options without a stream"
    if "tool_choice" in body and not body.get("tools"):
        yield "tool_choice without tools"
    yield from _tool_names(tool["function"]["name"] for tool in body.get("tools", ()))
    due: list[str] = []
    seen: Counter[str] = Counter()
    for place, message in enumerate(messages):
        where = f"message {place}"
        role = message["role"]
        if role == "system" and place:
            yield f"{where}: a system message that is not the first"
        if role == "tool":
            if not due or message["tool_call_id"] != due[0]:
                yield f"{where}: the result of {message['tool_call_id']!r}, due is {due}"
            due = [call for call in due if call != message["tool_call_id"]]
            continue
        if due:
            yield f"{where}: calls {due} are not answered"
            due = []
        if role == "assistant":
            yield from _chat_assistant(message, where)
            due = [call["id"] for call in message.get("tool_calls", ())]
            seen.update(due)
        elif not message.get("content"):
            yield f"{where}: empty content"
    if due:
        yield f"at the end: calls {due} are not answered"
    yield from (f"id {call!r} is used {count} times" for call, count in seen.items() if count > 1)


def _chat_assistant(message: Body, where: str) -> Iterator[str]:
    if not message.get("content") and not message.get("tool_calls"):
        yield f"{where}: an assistant message without content"
    for call in message.get("tool_calls", ()):
        if not call.get("id") or len(call["id"]) > 40:
            yield f"{where}: bad id {call.get('id')!r}"
        try:
            parsed = json.loads(call["function"]["arguments"])
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            yield f"{where}: arguments are no JSON object"


# --- openai-responses -------------------------------------------------------------------------------------------------


def _responses(body: Body) -> Iterator[str]:
    yield from _required(body, "model", "input")
    if body.get("store") is not False:
        yield "the answer would be stored"
    yield from _tool_names(tool["name"] for tool in body.get("tools", ()))
    items = body.get("input") or []
    calls: list[str] = []
    due: list[str] = []
    for place, item in enumerate(items):
        kind = item.get("type") or "message"
        if kind == "function_call":
            calls.append(item["call_id"])
            due.append(item["call_id"])
        elif kind == "function_call_output":
            if not due or due[0] != item["call_id"]:
                yield f"item {place}: the output of {item['call_id']!r}, due is {due}"
            due = [call for call in due if call != item["call_id"]]
        elif kind == "reasoning":
            if place + 1 == len(items) or items[place + 1].get("role") == "user":
                yield f"item {place}: reasoning that nothing follows"
        elif due:
            yield f"item {place}: calls {due} are not answered"
    if due:
        yield f"at the end: calls {due} are not answered"
    yield from (f"call {call!r} is used {n} times" for call, n in Counter(calls).items() if n > 1)


# --- gemini -----------------------------------------------------------------------------------------------------------


def _gemini(body: Body) -> Iterator[str]:
    yield from _required(body, "contents")
    contents = body.get("contents") or []
    yield from _turns([content["role"] for content in contents], "user", "model")
    declared = [tool for group in body.get("tools", ()) for tool in group.get("functionDeclarations", ())]
    yield from _tool_names(tool["name"] for tool in declared)
    for place, content in enumerate(contents):
        if not content["parts"]:
            yield f"content {place}: no parts"
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        following = contents[place + 1]["parts"] if place + 1 < len(contents) else []
        answers = [part["functionResponse"] for part in following if "functionResponse" in part]
        if content["role"] == "model" and [_key(c) for c in calls] != [_key(a) for a in answers]:
            yield f"content {place}: calls {[_key(c) for c in calls]} are answered by {[_key(a) for a in answers]}"
        if any(not isinstance(call.get("args", {}), dict) for call in calls):
            yield f"content {place}: args are no object"
    if contents and any("functionResponse" in part for part in contents[0]["parts"]):
        yield "content 0: a response without a call"


def _key(part: Body) -> tuple[str, str]:
    return part["name"], part.get("id", "")


# --- shared -----------------------------------------------------------------------------------------------------------


def _required(body: Body, *fields: str) -> Iterator[str]:
    yield from (f"{name} is missing" for name in fields if not body.get(name))


def _turns(roles: list[str], first: str, second: str) -> Iterator[str]:
    wanted = [(first, second)[place % 2] for place in range(len(roles))]
    if roles != wanted:
        yield f"roles do not alternate from {first}: {roles}"


def _tool_names(names: Iterable[str]) -> Iterator[str]:
    counted = Counter(names)
    yield from (f"bad tool name {name!r}" for name in counted if not _NAME.fullmatch(name))
    yield from (f"tool {name!r} is declared {count} times" for name, count in counted.items() if count > 1)


_CHECKS = {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses, "gemini": _gemini}
