"""The last stage: a call without a result and a result without an earlier call leave the view. Nothing is invented.

What was said or thought in front of a call that leaves stays. `kram.context.pairing` then brings the messages themselves
into the order that vendors insist on.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.context.policy import StageReport, ViewPolicy
from kram.context.view import staged
from kram.messages import Entry, Kind, TextBlock


def paired(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    called: dict[str, int] = {}
    answered: dict[str, int] = {}
    for at, one in enumerate(entries):
        if one.kind == Kind.TOOL_CALL:
            called.setdefault(one.tool_call_id or one.id, at)
        elif one.kind == Kind.TOOL_RESULT and (one.tool_call_id or one.id) in called:
            answered.setdefault(one.tool_call_id or one.id, at)
    kept: list[Entry] = []
    for at, one in enumerate(entries):
        call_id = one.tool_call_id or one.id
        if one.kind == Kind.TOOL_CALL and (call_id not in answered or called[call_id] != at):
            kept += _said(one)
        elif one.kind != Kind.TOOL_RESULT or answered.get(call_id) == at:
            kept.append(one)
    return staged("pairing", entries, kept, policy, finishing=True)


def _said(call: Entry) -> list[Entry]:
    """The words that led to a call, as the assistant's own entry."""
    if not call.parts:
        return []
    text = "".join(part.text for part in call.parts if isinstance(part, TextBlock))
    return [
        msgspec.structs.replace(
            call, kind=str(Kind.ASSISTANT), content=text, tool_call_id="", tool_name="", signature=""
        )
    ]
