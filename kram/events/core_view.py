"""Our events under the names another conversation engine gives them, for programs that were written against those.

    view = CoreView()
    for name, payload in view.of(stamped.event): …

Names: query_started, query_completed, error, tool_start, tool_end, stream_chunk, metrics_update, compaction, agent_message.
"""

from __future__ import annotations

from collections.abc import Iterator

from kram.base import Json
from kram.messages import Usage, to_plain

from . import events

RESULT_CHARS = 2_000
"""A result in a `tool_end` is cut here; what is stored is not."""


class CoreView:
    """Remembers what payloads need and single events do not carry: the question, the model, the window, the round."""

    def __init__(self) -> None:
        self._query = ""
        self._model = ""
        self._used = self._window = 0
        self._round = -1
        self._open: dict[str, str] = {}

    def of(self, event: events.Event) -> Iterator[tuple[str, Json]]:
        """The events this one stands for, in order; none for what the other engine does not know."""
        match event:
            case events.TurnStarted():
                self._query, self._round = event.entry.content, -1
                yield "query_started", {"query": self._query, "model": self._model}
            case events.TurnFinished():
                yield from self._finished(event.result)
            case events.RouteStarted():
                self._model = event.candidates[0] if event.candidates else self._model
                self._round += event.purpose == "turn"
            case events.ContextMeasured():
                self._used, self._window = event.report.used, event.report.window
            case events.UsageChanged():
                yield "metrics_update", self._metrics(event.turn)
            case events.ToolStarted():
                self._open[event.id] = event.name
                yield (
                    "tool_start",
                    {
                        "tool_name": event.name,
                        "tool_call_id": event.id,
                        "arguments": to_plain(event.arguments),
                        "tool_index": event.index,
                    },
                )
            case events.ToolFinished():
                self._open.pop(event.id, None)
                yield "tool_end", _tool_end(event)
            case events.TextDelta():
                yield "stream_chunk", {"chunk": event.text, "content_type": "text"}
            case events.ReasoningDelta():
                yield "stream_chunk", {"chunk": event.text, "content_type": "reasoning"}
            case events.AssistantSaid():
                yield "agent_message", {"category": "interim" if event.interim else "answer", "message": event.text}
            case events.Compacted():
                yield "compaction", _compaction(event)
            case events.Notice() if event.level == "error":
                yield "error", {"message": event.text, "error": event.text}
            case _:
                pass

    def _finished(self, result: events.TurnResult) -> Iterator[tuple[str, Json]]:
        for call_id, name in self._open.items():
            reason = "the turn ended before a result came"
            yield (
                "tool_end",
                {"tool_call_id": call_id, "tool_name": name, "status": "failed", "result": reason, "duration_ms": 0},
            )
        self._open.clear()
        if result.error is not None:
            yield "error", {"message": result.error, "error": result.subtype}
            return
        yield (
            "query_completed",
            {
                "query": self._query,
                "response": result.text,
                "tokens": result.usage.total,
                "cost": result.usage.cost_usd or 0.0,
                "duration_ms": result.duration_ms,
            },
        )

    def _metrics(self, usage: Usage) -> Json:
        return {
            "total_tokens": usage.total,
            "context_tokens": self._used,
            "max_context_tokens": self._window,
            "iteration": max(0, self._round),
            "total_cost": usage.cost_usd or 0.0,
        }


def _tool_end(event: events.ToolFinished) -> Json:
    length = event.length or len(event.text)
    return {
        "tool_call_id": event.id,
        "tool_name": event.name,
        "status": "completed" if event.ok else "failed",
        "result": event.text[:RESULT_CHARS],
        "duration_ms": event.duration_ms,
        "result_truncated": length > RESULT_CHARS,
        "result_length": length,
    }


def _compaction(event: events.Compacted) -> Json:
    return {
        "strategy": event.strategy,
        "messages_before": event.messages_before,
        "messages_after": event.messages_after,
        "message_count_delta": event.messages_after - event.messages_before,
        "tokens_saved": max(0, event.tokens_before - event.tokens_after),
    }
