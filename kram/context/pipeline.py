"""The one place that decides what of a session the model sees.

    measure -> (over target: level of detail -> summary needed?) -> view -> render -> pairing

Every stage here is a pure function of entries and policy. The summary itself needs a model and writes to the store, so
it is made by the agent (`kram.agent.compaction`), which then builds the view again.
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import Data
from kram.messages import Entry, Kind, Message

from .budget import Plan
from .lod import lower_detail, pristine_tail
from .pairing import pair
from .render import render
from .tokens import estimate_entries
from .view import DEFAULT_CAP_CHARS, viewed


class ViewPolicy(Data):
    """How a view is cut: the pristine tail in messages and tool entries, where stubs and caps start, in characters, and
    the headroom below the budget in tokens (0: the usual, negative: none)."""

    tail_messages: int = 8
    tail_tools: int = 16
    stub_above_chars: int = 2_000
    cap_chars: int = DEFAULT_CAP_CHARS
    headroom: int = 0


class View(Data):
    """What one request carries of the history. `over_target`: a summary is due; `over_budget`: it would not fit at all."""

    messages: tuple[Message, ...]
    entries: tuple[Entry, ...]
    tokens: int
    stages: tuple[str, ...] = ()
    over_target: bool = False
    over_budget: bool = False


def build_view(entries: Sequence[Entry], plan: Plan, policy: ViewPolicy, *, images: bool = True) -> View:
    """The view of the entries since the last compaction. At or under target nothing is touched, so the prefix stays cached."""
    shown = [viewed(entry, policy.cap_chars) for entry in entries]
    tokens = estimate_entries(shown)
    stages: list[str] = []
    if not plan.unbudgeted and tokens > plan.target:
        keep = pristine_tail(shown, policy.tail_messages, policy.tail_tools)
        shown = lower_detail(shown, above_chars=policy.stub_above_chars, keep=keep)
        lower = estimate_entries(shown)
        if lower < tokens:
            stages.append("lod")
        tokens = lower
    return View(
        messages=pair(render(shown, images=images)),
        entries=tuple(shown),
        tokens=tokens,
        stages=tuple(stages),
        over_target=not plan.unbudgeted and tokens > plan.target,
        over_budget=not plan.unbudgeted and tokens > plan.history,
    )


def foldable(entries: Sequence[Entry], policy: ViewPolicy) -> list[Entry]:
    """What a summary may replace: everything before the pristine tail but earlier summaries and the person's last words."""
    keep = pristine_tail(entries, policy.tail_messages, policy.tail_tools)
    old = entries[: len(entries) - keep]
    last_user = next((entry.id for entry in reversed(entries) if entry.kind == Kind.USER), "")
    return [entry for entry in old if entry.id != last_user and entry.kind != Kind.COMPACTION]
