"""Anthropic's prompt-cache marks on content parts, for gateways that pass them on (OpenRouter with Claude).

The same places as in the vendor's own dialect: behind the stable part of the system text, and on the newest messages.
"""

from __future__ import annotations

from kram.base import Json
from kram.messages import CompletionRequest

_MARKED_MESSAGES = 2
_REMINDER = "<system-reminder>"


def system_content(request: CompletionRequest) -> list[Json]:
    """The system text as one or two parts, the stable one marked."""
    parts: list[Json] = []
    groups = (request.system[: request.dynamic_boundary], request.system[request.dynamic_boundary :])
    for group, marked in zip(groups, (True, False), strict=True):
        text = "\n\n".join(segment.strip() for segment in group if segment.strip())
        if text:
            parts.append({"type": "text", "text": text} | (_MARK if marked else {}))
    return parts


def mark(spoken: list[Json]) -> None:
    """Marks the newest tool or user message, and the newest one before the assistant's last words."""
    left, behind_assistant = _MARKED_MESSAGES, True
    for message in reversed(spoken):
        if message["role"] == "assistant":
            behind_assistant = True
        elif message["role"] in ("user", "tool") and behind_assistant and left and _marked(message):
            left, behind_assistant = left - 1, False


def _marked(message: Json) -> bool:
    """Marks the last part that stays; False where there is none. A text with a reminder in it changes from call to call."""
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in reversed(parts):
        if part["type"] != "text" or (part["text"] and _REMINDER not in part["text"]):
            part.update(_MARK)
            message["content"] = parts
            return True
    return False


_MARK: Json = {"cache_control": {"type": "ephemeral"}}
