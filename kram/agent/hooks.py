"""What a host may put into a turn: a look at every round, and a hand on the calls before they are stored."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from kram.base import Data
from kram.messages import Completion, ToolUseBlock

OnCalls: TypeAlias = Callable[[Sequence[ToolUseBlock]], Sequence[ToolUseBlock] | None]
OnRound: TypeAlias = Callable[[int, int], None]

log = logging.getLogger(__name__)


class Hooks(Data):
    """`on_calls` gets the calls of an answer and gives those that count: more, fewer, others; none is no call at all.
    `on_round` gets the number of the round from 0 and how many messages the history has; what it raises is logged and
    disturbs nothing."""

    on_calls: OnCalls | None = None
    on_round: OnRound | None = None


def hooked(completion: Completion, hooks: Hooks) -> Completion:
    """The answer with the calls the host wants. Calls it leaves as they are keep their place between the texts."""
    if hooks.on_calls is None:
        return completion
    calls = [block for block in completion.content if isinstance(block, ToolUseBlock)]
    wanted = list(hooks.on_calls(tuple(calls)) or ())
    if wanted == calls:
        return completion
    kept = [block for block in completion.content if not isinstance(block, ToolUseBlock) or block in wanted]
    added = [block for block in wanted if block not in calls]
    return msgspec.structs.replace(completion, content=(*kept, *added))


def told_round(hooks: Hooks, number: int, messages: int) -> None:
    if hooks.on_round is None:
        return
    try:
        hooks.on_round(number, messages)
    except Exception:
        log.exception("a host's look at a round failed")
