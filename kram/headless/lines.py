"""Events and results as the JSON of `--output-format json` and `stream-json`."""

from __future__ import annotations

from typing import Any

from kram import events
from kram.base import Json
from kram.messages import to_plain

PRINTED: dict[type, str] = {
    events.TextDelta: "delta",
    events.ReasoningDelta: "reasoning",
    events.AssistantSaid: "assistant",
    events.ToolStarted: "tool_start",
    events.ToolFinished: "tool_result",
    events.Notice: "notice",
    events.QuestionAsked: "question",
    events.ApprovalAsked: "approval",
    events.RouteStarted: "route_start",
    events.RouteAttempted: "route_attempt",
    events.RouteDone: "route_done",
    events.SegmentStarted: "segment",
    events.ContextMeasured: "context",
    events.Compacted: "compaction",
    events.ProcessChanged: "process",
    events.TodosChanged: "todo",
    events.Retrying: "retry",
}
"""The events that are printed; all others are for front ends in this process."""


def event_line(event: Any, *, seq: int, at: str, turn: int) -> Json:
    """One event with its place; the fields of a nested record (`request`, `report`, `route`) stand at the top."""
    fields: Json = to_plain(event)
    kind = fields.pop("type")
    for nested in ("request", "report"):
        if isinstance(fields.get(nested), dict):
            fields.update(fields.pop(nested))
    return {"type": kind, "seq": seq, "at": at, "turn": turn, **fields}


def result_object(result: events.TurnResult) -> Json:
    """The one object of `--output-format json` and the last line of `stream-json`."""
    usage = result.usage
    return {
        "type": "result",
        "subtype": result.subtype,
        "session_id": result.session_id,
        "text": result.text,
        "usage": {
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
            "cost_usd": usage.cost_usd,
        },
        "model_calls": result.model_calls,
        "tool_calls": [to_plain(call) for call in result.tool_calls],
        "compactions": result.compactions,
        "duration_ms": result.duration_ms,
        "route": [to_plain(route) for route in result.route],
        "error": result.error,
    }


def failure_object(text: str, session_id: str = "") -> Json:
    """The result object of a run that failed before a turn could start."""
    return result_object(events.TurnResult(subtype="error", session_id=session_id, error=text))
