"""One scripted answer in the bytes of each protocol, streamed: text, then calls. For servers that speak like a vendor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.support.byte_server import Script, event, sse

PROTOCOLS = ("anthropic", "openai-chat", "openai-responses", "gemini")

Call = tuple[str, dict[str, Any]]


def base_url(protocol: str, url: str) -> str:
    """The server's address as the vendor's SDK would take it."""
    return url + {"anthropic": "", "openai-chat": "/v1", "openai-responses": "/v1", "gemini": "/v1beta"}[protocol]


def answered(protocol: str, text: str = "", calls: Sequence[Call] = (), *, number: int = 0) -> Script:
    """A whole streamed answer with usage; call ids are numbered by `number`."""
    made = {
        "anthropic": _anthropic,
        "openai-chat": _chat,
        "openai-responses": _responses,
        "gemini": _gemini,
    }[protocol]
    return [made(text, calls, number)]


def _anthropic(text: str, calls: Sequence[Call], number: int) -> bytes:
    usage = {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 5}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    index = 0
    if text:
        events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        for word in text.split(" "):
            delta = {"type": "text_delta", "text": word if word == text.split(" ", maxsplit=1)[0] else f" {word}"}
            events.append({"type": "content_block_delta", "index": 0, "delta": delta})
        events.append({"type": "content_block_stop", "index": 0})
        index = 1
    for place, (name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
        index += 1
    reason = "tool_use" if calls else "end_turn"
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 30}})
    events.append({"type": "message_stop"})
    return sse(*(event(one, one["type"]) for one in events))


def _chat(text: str, calls: Sequence[Call], number: int) -> bytes:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": piece}) for piece in text.splitlines(keepends=True)]
    for place, (name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        start = {"index": place, "id": f"call_{number}_{place}", "type": "function", "function": function}
        events.append(chunk({"tool_calls": [start]}))
        rest = {"index": place, "function": {"arguments": json.dumps(arguments)}}
        events.append(chunk({"tool_calls": [rest]}))
    events.append(chunk({}, "tool_calls" if calls else "stop"))
    usage = {"prompt_tokens": 125, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 20}}
    events.append({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [], "usage": usage})
    return sse(*events, done=True)


def _responses(text: str, calls: Sequence[Call], number: int) -> bytes:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "r", "status": "in_progress"}}]
    output: list[dict[str, Any]] = []
    if text:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}
        place = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
        events.append({"type": "response.output_item.added", "output_index": 0, "item": item})
        events.append({"type": "response.output_text.delta", **place, "delta": text})
        done = {**item, "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}
        events.append({"type": "response.output_item.done", "output_index": 0, "item": done})
        output.append(done)
    for name, arguments in calls:
        index = len(output)
        call_id = f"call_{number}_{index}"
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": call_id, "name": name, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        place = {"output_index": index, "item_id": f"fc_{index}"}
        text_arguments = json.dumps(arguments)
        events.append({"type": "response.function_call_arguments.delta", **place, "delta": text_arguments})
        events.append({"type": "response.function_call_arguments.done", **place, "arguments": text_arguments})
        done = {**item, "arguments": text_arguments, "status": "completed"}
        events.append({"type": "response.output_item.done", "output_index": index, "item": done})
        output.append(done)
    usage = {"input_tokens": 125, "output_tokens": 30, "total_tokens": 155}
    usage["input_tokens_details"] = {"cached_tokens": 20}  # type: ignore[assignment]
    response = {"id": "r", "status": "completed", "model": "m", "output": output, "usage": usage}
    events.append({"type": "response.completed", "response": response})
    return sse(*(event(one, one["type"]) for one in events))


def _gemini(text: str, calls: Sequence[Call], number: int) -> bytes:
    def chunk(parts: list[dict[str, Any]], finish: str = "") -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        usage = {"promptTokenCount": 125, "candidatesTokenCount": 30, "cachedContentTokenCount": 20}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}

    events = [chunk([{"text": text}])] if text else []
    parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    events.append(chunk(parts, "STOP"))
    return sse(*events)
