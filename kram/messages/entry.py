"""`Entry`: the one durable record of a session. Everything else (wire messages, the transcript on the
screen, exports) is computed from a list of entries ordered by `(created_at, id)`; the store's sequence
and `created_at` agree, since one writer stamps both.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

from kram.base import Data, JsonView, new_id

from .blocks import ImageBlock, TextBlock, ThinkingBlock
from .usage import Usage

Part: TypeAlias = TextBlock | ThinkingBlock | ImageBlock


class Kind(StrEnum):
    """The six kinds of entry. A host's own kind is stored as it is and treated as a notification."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    COMPACTION = "compaction"
    NOTIFICATION = "notification"


class Entry(Data, omit_defaults=True):
    """One step of a session, as it is stored.

    - `content`: the text; for a tool call its raw arguments (JSON text), for a tool result the text the model gets.
      A text stand-in even where `parts` are present.
    - `parts`: images of the user; thinking (with its signature) and text of an assistant, in the order they came.
    - `tag`: the label of a notification. `origin`: opaque to kram, survives storage and compaction.
    - `signature`: the provider's token on a tool call (see `ToolUseBlock.signature`).
    - `model`: `provider/model` that wrote an assistant entry or a call.
    - `details`: what a front end shows and the model never sees (diff, exit code, duration, route, verdict).
    - `status`: "" complete, "interrupted" cut off by the person or a crash, "unknown" a call without a known outcome.
    """

    id: str
    kind: str
    content: str = ""
    parts: tuple[Part, ...] = ()
    tool_call_id: str = ""
    tool_name: str = ""
    tag: str = ""
    origin: str = ""
    signature: str = ""
    model: str = ""
    is_error: bool = False
    status: str = ""
    usage: Usage | None = None
    details: JsonView = {}
    created_at: int = 0


def entry(kind: Kind | str, content: str = "", *, at_ns: int = 0, entry_id: str = "", **fields: Any) -> Entry:
    """An entry with a fresh id unless one is given; the store stamps `created_at` when it is 0."""
    return Entry(id=entry_id or new_id(), kind=str(kind), content=content, created_at=at_ns, **fields)


def in_order(entries: list[Entry]) -> list[Entry]:
    """By `created_at`, ties by id."""
    return sorted(entries, key=lambda e: (e.created_at, e.id))
