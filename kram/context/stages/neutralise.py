"""Chat-template markers in tool results are broken, before anything is cut, so that a cut cannot make one."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.context.policy import StageReport, ViewPolicy
from kram.context.view import neutralise, staged
from kram.messages import Entry, Kind


def neutralised(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    return staged("neutralise", entries, [_defused(one) for one in entries], policy, finishing=True)


def _defused(one: Entry) -> Entry:
    if one.kind != Kind.TOOL_RESULT or (text := neutralise(one.content)) == one.content:
        return one
    return msgspec.structs.replace(one, content=text)
