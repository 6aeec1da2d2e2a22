"""Making a request fit: shape, compact, and where nothing else helps cut; never a loop, never a dead end.

At most `max_compactions` summaries are tried in a turn. A provider that refuses a request as too long is believed: its
window is taken as smaller from then on, the session is folded once, and the call is made once more.
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import KramError
from kram.config import Combo
from kram.context import View, foldable, todo_missing, todo_reminder, window_for
from kram.context import measure as measure_entries
from kram.events import Compacted
from kram.gateway import AllFailed
from kram.providers import ContextOverflow

from .bench import Bench
from .compaction import compact
from .framing import Frame, frame, policy_of, view_of
from .limits import Tally
from .reminding import Reminder

MIN_GAIN = 0.1
"""Of what shaping aims at: less than that is not worth a summary."""
REFUSED_SHARE = 0.7
"""Of a history that was refused as too long, what is taken as its room from then on."""


class ContextFull(KramError):
    """The session does not fit, whatever is cut."""


async def fit(bench: Bench, tally: Tally, combo: Combo, reminders: Sequence[Reminder]) -> tuple[Frame, View]:
    """What stands around the next call, and its view, within the budget. The todo list is added where the view has lost it.
    Raises `ContextFull` and `StoreError`."""
    around = frame(bench, combo, reminders)
    view = await fitting_view(bench, tally, around)
    todos = bench.todos.get()
    told = any(name == "todo" for name, _ in reminders)
    if told or around.model.compact or not todo_missing(todos, view.entries):
        return around, view
    around = frame(bench, combo, [*reminders, ("todo", todo_reminder(todos))])
    return around, await fitting_view(bench, tally, around)


async def fitting_view(bench: Bench, tally: Tally, around: Frame) -> View:
    """The view for the next call, within the budget. Raises `ContextFull` and `StoreError`."""
    view = view_of(bench, around)
    while view.over_target and _may_fold(bench, tally, around):
        if not (await compact(bench, tally, trigger="auto", around=around)).done:
            break
        view = view_of(bench, around)
    return _adopted(bench, view, around, "auto")


async def fit_after_refusal(
    bench: Bench, tally: Tally, combo: Combo, reminders: Sequence[Reminder], *, refused: Frame, view: View
) -> tuple[Frame, View]:
    """The provider knows its window better than our estimate: for this session the window is smaller than that request
    was. Folds what there is, and cuts the rest. Raises `ContextFull` and `StoreError`."""
    room = window_for(refused.plan.fixed, round(view.tokens * REFUSED_SHARE))
    bench.record.refused(refused.model.name, room, guessed=True)
    around = frame(bench, combo, reminders)
    if tally.compaction_tries < bench.limits.max_compactions:
        await compact(bench, tally, trigger="reactive", around=around)
    return around, _adopted(bench, view_of(bench, around), around, "reactive")


def full(around: Frame, view: View, cause: str = "") -> ContextFull:
    room = f"{around.plan.history} of a window of {around.plan.window}" if around.plan.window else "an unknown window"
    return ContextFull(
        f"The session does not fit the model: about {view.tokens} tokens of history, room for {room}"
        + (f"; {cause}" if cause else ""),
        where=around.model.name,
        todo="Choose a model with a larger window, unpin or drop entries, or start a new session with /new",
    )


def refusal_cause(failure: AllFailed) -> str:
    refusals = [one.what for one in failure.failures if isinstance(one, ContextOverflow)]
    return refusals[-1] if refusals else failure.what


def _may_fold(bench: Bench, tally: Tally, around: Frame) -> bool:
    if tally.compaction_tries >= bench.limits.max_compactions:
        return False
    policy = policy_of(bench, around)
    gain = measure_entries(foldable(bench.record.entries, policy).folded, policy)
    return gain > 0 and gain >= policy.goal * MIN_GAIN


def _adopted(bench: Bench, view: View, around: Frame, trigger: str) -> View:
    """Keeps the view's shape for the next call, and tells of it where it is a new one."""
    if view.over_budget:
        view = view_of(bench, around, rescue=True)
    # A window that was guessed from a refusal is no reason to give up: the provider will say.
    if view.over_budget and not around.guessed:
        raise full(around, view)
    if view.shape and view.shape != bench.record.shape:
        bench.emit(
            Compacted(
                strategy=view.shape.stages[-1],
                trigger=trigger,
                messages_before=len(bench.record.entries),
                messages_after=len(view.entries),
                tokens_before=view.tokens_unshaped,
                tokens_after=view.tokens,
            )
        )
    bench.record.shape = view.shape
    return view
