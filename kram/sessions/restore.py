"""Makes a session whole again after a crash: nothing is invented, nothing is redone, and every call has one result.

Text that was being written becomes an interrupted message. A call whose decision is on record but whose result is not has
an unknown outcome: its effect may have happened. A call without a decision never started.
"""

from __future__ import annotations

from kram.messages import Entry, Kind, Part, TextBlock, ThinkingBlock, entry

from .store import Store

UNKNOWN = (
    "Outcome unknown: kram ended before this call's result was stored. It may have taken effect in part or in full. "
    "Look before you run it again."
)
NEVER_RAN = "Not run: kram ended before this call started."


def restore(store: Store, session_id: str) -> list[Entry]:
    """Repairs what a dead process left and returns the entries a request is built from."""
    _finish_partials(store, session_id)
    entries = store.entries(session_id, after_compaction=True)
    answered = {one.tool_call_id for one in entries if one.kind == Kind.TOOL_RESULT}
    open_calls = [one for one in entries if one.kind == Kind.TOOL_CALL and one.tool_call_id not in answered]
    if open_calls:
        entries += store.append(session_id, *(_closing(store, session_id, call) for call in open_calls))
    return entries


def _finish_partials(store: Store, session_id: str) -> None:
    for entry_id, text, thinking, model in store.partials(session_id):
        parts: list[Part] = [ThinkingBlock(thinking=thinking)] if thinking else []
        if text:
            parts.append(TextBlock(text=text))
        store.append(
            session_id,
            entry(Kind.ASSISTANT, text, entry_id=entry_id, parts=tuple(parts), model=model, status="interrupted"),
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
