"""The JSON of the core engine (see `imports.core_json`): role messages, totals, checkpoints by position. Without pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kram.messages import Entry, Kind, Usage

from .pieces import Exported


def as_core(exported: Exported) -> str:
    """What is folded into a summary is left out: the summary stands for it, as a message of the person."""
    kept = [one for one in exported.entries if one.id not in exported.folded and one.kind != Kind.NOTIFICATION]
    messages, places = _messages(kept)
    usage = sum((one.usage for one in exported.entries if one.usage), start=Usage())
    value: dict[str, Any] = {
        "messages": messages,
        "session_id": exported.info.id,
        "total_tokens": usage.total,
        "total_cost": usage.cost_usd or 0.0,
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
    }
    checkpoints = [
        {"start": places[start], "end": places[end], "summary": summary}
        for start, end, summary in exported.turns
        if start in places and end in places
    ]
    if checkpoints:
        value["checkpoints"] = checkpoints
    return json.dumps(value, ensure_ascii=False, indent=1)


def _messages(entries: Sequence[Entry]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The messages, and for each entry the position of the message it went into."""
    messages: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    for one in entries:
        if one.kind == Kind.TOOL_CALL:
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant", "content": ""})
            function = {"name": one.tool_name, "arguments": one.content or "{}"}
            calls = messages[-1].setdefault("tool_calls", [])
            calls.append({"id": one.tool_call_id, "type": "function", "function": function})
        elif one.kind == Kind.TOOL_RESULT:
            messages.append({"role": "tool", "content": one.content, "tool_call_id": one.tool_call_id})
        else:
            role = "assistant" if one.kind == Kind.ASSISTANT else "user"
            messages.append({"role": role, "content": one.content})
        places[one.id] = len(messages) - 1
    return messages, places
