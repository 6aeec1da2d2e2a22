"""The JSON of the core engine: role messages as vendors have them, totals, and checkpoints of turns by position.

    {"messages": [{"role", "content", "tool_calls": [{"id", "function": {"name", "arguments"}}], "tool_call_id"}],
     "session_id", "total_tokens", "total_cost", "prompt_tokens", "completion_tokens",
     "checkpoints": [{"start", "end", "summary"}]}

Pictures are not in it. System messages are left out: every request has its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kram.messages import Usage

from .imported import BadImport, Imported, Turn
from .talk import Talk
from .values import count, data_url, items, table, words


def is_core(value: dict[str, Any]) -> bool:
    return isinstance(value.get("messages"), list)


def read_core(value: dict[str, Any]) -> Imported:
    """Raises `BadImport` for messages that are none."""
    talk = Talk()
    made: list[list[str]] = []
    for number, message in enumerate(value["messages"]):
        role = words(table(message).get("role"))
        if role not in ("system", "developer", "user", "assistant", "tool"):
            raise BadImport(f"Message {number} has no role that is known")
        before = talk.ids()
        _tell(talk, role, message)
        made.append(talk.ids()[len(before) :])
    cost = value.get("total_cost")
    usage = Usage(
        input=count(value.get("prompt_tokens")),
        output=count(value.get("completion_tokens")),
        cost_usd=float(cost) if isinstance(cost, int | float) and cost > 0 else None,
    )
    if usage.total or usage.cost_usd:
        talk.usage(usage)
    return Imported(form="core", entries=talk.entries(), turns=tuple(_turns(value.get("checkpoints"), made)))


def _tell(talk: Talk, role: str, message: dict[str, Any]) -> None:
    text = _text(message.get("content"))
    match role:
        case "user":
            pictures = [
                data_url(table(part.get("image_url")).get("url")) for part in map(table, items(message.get("content")))
            ]
            talk.user(text, 0, [one for one in pictures if one is not None])
        case "assistant":
            talk.say(text, 0)
            for call in map(table, items(message.get("tool_calls"))):
                function = table(call.get("function")) or call
                talk.call(words(call.get("id")), words(function.get("name")), function.get("arguments", ""), 0)
        case "tool":
            talk.result(words(message.get("tool_call_id")), text, 0)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(words(part.get("text")) for part in map(table, items(content)) if part.get("text"))


def _turns(checkpoints: Any, made: list[list[str]]) -> Iterator[Turn]:
    """Checkpoints whose positions exist and that say something."""
    for one in map(table, items(checkpoints)):
        start, end, summary = (
            one.get("start", one.get("start_index")),
            one.get("end", one.get("end_index")),
            one.get("summary"),
        )
        if isinstance(start, int) and isinstance(end, int) and 0 <= start <= end < len(made) and words(summary).strip():
            ids = [entry_id for part in made[start : end + 1] for entry_id in part]
            if ids:
                yield Turn(start=ids[0], end=ids[-1], summary=words(summary))
