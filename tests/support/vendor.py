"""One scripted answer in the bytes of each protocol, streamed: text, then calls. For servers that speak like a vendor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.support.byte_server import Script, answer, event, sse

PROTOCOLS = ("anthropic", "openai-chat", "openai-responses", "gemini")

Call = tuple[str, dict[str, Any]]


def base_url(protocol: str, url: str) -> str:
    """The server's address as the vendor's SDK would take it."""
    return url + {"anthropic": "", "openai-chat": "/v1", "openai-responses": "/v1", "gemini": "/v1beta"}[protocol]


def answered(
    protocol: str,
    text: str = "",
    calls: Sequence[Call] = (),
    *,
    number: int = 0,
    thinking: str = "",
    prompt_tokens: int = 0,
) -> Script:
    """A whole streamed answer with usage; call ids are numbered by `number`. Thinking comes first, with the vendor's proof.

    The prompt counts 125 tokens, or as many as given; of these 20 came from a cache and, where the protocol tells, 5 went
    into one.
    """
    made = {
        "anthropic": _anthropic,
        "openai-chat": _chat,
        "openai-responses": _responses,
        "gemini": _gemini,
    }[protocol]
    data = made(text, calls, number, thinking)
    return [_counted(protocol, data, prompt_tokens) if prompt_tokens else data]


def _counted(protocol: str, data: bytes, prompt_tokens: int) -> bytes:
    """The answer with another figure for the prompt, and its length told anew."""
    told = {
        "anthropic": (b'"input_tokens": 100', b'"input_tokens": %d' % (prompt_tokens - 25)),
        "openai-chat": (b'"prompt_tokens": 125', b'"prompt_tokens": %d' % prompt_tokens),
        "openai-responses": (b'"input_tokens": 125', b'"input_tokens": %d' % prompt_tokens),
        "gemini": (b'"promptTokenCount": 125', b'"promptTokenCount": %d' % prompt_tokens),
    }[protocol]
    _, body = data.split(b"\r\n\r\n", 1)
    return answer(body.replace(*told), content_type="text/event-stream")


def _anthropic(text: str, calls: Sequence[Call], number: int, thinking: str) -> bytes:
    usage = {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 5}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    index = 0
    if thinking:
        opened = {"type": "thinking", "thinking": "", "signature": ""}
        events.append({"type": "content_block_start", "index": index, "content_block": opened})
        for delta in (
            {"type": "thinking_delta", "thinking": thinking},
            {"type": "signature_delta", "signature": f"proof{number}"},
        ):
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
        index += 1
    if text:
        events.append({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}})
        for word in text.split(" "):
            delta = {"type": "text_delta", "text": word if word == text.split(" ", maxsplit=1)[0] else f" {word}"}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
        index += 1
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


def _chat(text: str, calls: Sequence[Call], number: int, thinking: str) -> bytes:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"reasoning_content": thinking})] if thinking else []
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


def _responses(text: str, calls: Sequence[Call], number: int, thinking: str) -> bytes:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "r", "status": "in_progress"}}]
    output: list[dict[str, Any]] = []
    if thinking:
        item: dict[str, Any] = {"type": "reasoning", "id": f"rs_{number}", "summary": []}
        events.append({"type": "response.output_item.added", "output_index": 0, "item": item})
        place: dict[str, Any] = {"output_index": 0, "item_id": item["id"], "summary_index": 0}
        events.append({"type": "response.reasoning_summary_text.delta", **place, "delta": thinking})
        summary = [{"type": "summary_text", "text": thinking}]
        done = {**item, "summary": summary, "encrypted_content": f"proof{number}"}
        events.append({"type": "response.output_item.done", "output_index": 0, "item": done})
        output.append(done)
    if text:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}
        at = len(output)
        place = {"output_index": at, "item_id": "msg_1", "content_index": 0}
        events.append({"type": "response.output_item.added", "output_index": at, "item": item})
        events.append({"type": "response.output_text.delta", **place, "delta": text})
        done = {**item, "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}
        events.append({"type": "response.output_item.done", "output_index": at, "item": done})
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


def _gemini(text: str, calls: Sequence[Call], number: int, thinking: str) -> bytes:
    def chunk(parts: list[dict[str, Any]], finish: str = "") -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        usage = {"promptTokenCount": 125, "candidatesTokenCount": 30, "cachedContentTokenCount": 20}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}

    events = [chunk([{"text": thinking, "thought": True}])] if thinking else []
    events += [chunk([{"text": text}])] if text else []
    parts: list[dict[str, Any]] = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    if thinking and parts:
        # The first call of an answer carries the proof of what was thought.
        parts[0]["thoughtSignature"] = f"cHJvb2Y{number}"
    events.append(chunk(parts, "STOP"))
    return sse(*events)
