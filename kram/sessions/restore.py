"""Makes a session whole again after a crash: nothing is invented, nothing is redone, and every call has one result.

Text that was being written becomes an interrupted message. A call whose decision is on record but whose result is not has
an unknown outcome: its effect may have happened. A call without a decision never started.
"""

from __future__ import annotations

from collections.abc import Iterator

from kram.messages import Entry, Kind, Part, TextBlock, ThinkingBlock, entry

from .entries import Partial
from .store import Store

UNKNOWN = (
    "Outcome unknown: kram ended before this call's result was stored. It may have taken effect in part or in full. "
    "Look before you run it again."
)
NEVER_RAN = "Not run: kram ended before this call started."


def restore(store: Store, session_id: str) -> list[Entry]:
    """Repairs what a dead process left and returns the entries a request is built from. Writes nothing to a whole session.

    Raises `SessionBusy` where there is something to repair and another process writes the session.
    """
    entries = store.entries(session_id, after_compaction=True)
    answered = {one.tool_call_id for one in entries if one.kind == Kind.TOOL_RESULT}
    open_calls = [one for one in entries if one.kind == Kind.TOOL_CALL and one.tool_call_id not in answered]
    partials = store.partials(session_id)
    repaired = [_closing(store, session_id, call) for call in open_calls]
    repaired += _interrupted(partials, {one.id for one in entries})
    entries += store.append(session_id, *repaired)
    if store.partials(session_id):
        store.drop_partials(session_id)
    return entries


def _interrupted(partials: list[Partial], known: set[str]) -> Iterator[Entry]:
    for partial in partials:
        if partial.entry_id in known or not (partial.text.strip() or partial.thinking.strip()):
            continue
        parts: list[Part] = [ThinkingBlock(thinking=partial.thinking)] if partial.thinking else []
        if partial.text:
            parts.append(TextBlock(text=partial.text))
        yield entry(
            Kind.ASSISTANT,
            partial.text,
            entry_id=partial.entry_id,
            parts=tuple(parts),
            model=partial.model,
            status="interrupted",
        )


def _closing(store: Store, session_id: str, call: Entry) -> Entry:
    started = any(one.decision != "deny" for one in store.decisions(session_id, call.tool_call_id))
    return entry(
        Kind.TOOL_RESULT,
        UNKNOWN if started else NEVER_RAN,
        tool_call_id=call.tool_call_id,
        tool_name=call.tool_name,
        is_error=True,
        status="unknown" if started else "interrupted",
        details={"status": "unknown" if started else "interrupted"},
    )
