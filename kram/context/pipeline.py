"""The one place that decides what of a session the model sees.

    marks -> measure -> (over target: dedupe -> lod -> checkpoint -> summary?) -> (nothing else helps: structural ->
    emergency) -> neutralise -> view -> pairing

Every stage is a pure function of entries and policy (see `stages`). The summary needs a model and writes to the store, so
it is made by the agent (`kram.agent.compaction`), which then builds the view again. At or under target nothing is touched,
so the prefix of the prompt stays cached; once shaped, a view keeps its shape until it is too large again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from kram.base import Data
from kram.messages import Entry, Message

from .budget import Plan
from .pairing import pair
from .policy import StageReport, ViewPolicy
from .render import render
from .shape import UNSHAPED, Shape, shape_of
from .stages import apply_marks, capped, checkpoint, dedupe, emergency, lod, neutralised, paired, structural
from .view import measure

Stage: TypeAlias = Callable[[Sequence[Entry], ViewPolicy], tuple[list[Entry], StageReport]]

SHAPING: tuple[Stage, ...] = (dedupe, lod, checkpoint)
RESCUE: tuple[Stage, ...] = (structural, emergency)
FINISHING: tuple[Stage, ...] = (neutralised, capped, paired)
GOAL = 0.75
"""Of the target: how far shaping goes once it has begun, so that it is not due again with the next message."""

WIDER = 1.25
"""How much more room there has to be than when a shape was made until the whole is looked at again: entries only grow."""


class View(Data):
    """What one request carries of the history. `over_target`: a summary is due; `over_budget`: it would not fit at all.

    `reports` are those of the stages that touched something now; `tokens_unshaped` is what they began with, 0 where none
    did. `shape` is to be given to the next build.
    """

    messages: tuple[Message, ...]
    entries: tuple[Entry, ...]
    tokens: int
    tokens_unshaped: int = 0
    reports: tuple[StageReport, ...] = ()
    shape: Shape = UNSHAPED
    over_target: bool = False
    over_budget: bool = False

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages that shape this view."""
        return self.shape.stages


def build_view(
    entries: Sequence[Entry],
    plan: Plan,
    policy: ViewPolicy,
    *,
    images: bool = True,
    shape: Shape = UNSHAPED,
    rescue: bool = False,
) -> View:
    """The view of the entries since the last compaction. `rescue` allows the stages that lose what no summary holds, and
    only where the budget is exceeded."""
    policy = for_plan(msgspec.structs.replace(policy, images=images), plan)
    marked, report = apply_marks(entries, policy)
    shaped, shape, reports = _shaped(marked, plan, policy, shape)
    if rescue and not plan.unbudgeted and measure(shaped, policy) > plan.history:
        shaped, more = _run(RESCUE, shaped, policy, plan.history)
        shape, reports = _joined(marked, shaped, shape, more), [*reports, *more]
    final, finishing = _run(FINISHING, shaped, policy)
    tokens = policy.meter.entries(final)
    return View(
        messages=pair(render(final)),
        entries=tuple(final),
        tokens=tokens,
        tokens_unshaped=reports[0].tokens_before if reports else 0,
        reports=tuple(one for one in (report, *reports, *finishing) if one.touched),
        shape=shape,
        over_target=not plan.unbudgeted and tokens > plan.target,
        over_budget=not plan.unbudgeted and tokens > plan.history,
    )


def for_plan(policy: ViewPolicy, plan: Plan) -> ViewPolicy:
    """The policy with what shaping aims at in that room."""
    if plan.unbudgeted:
        return msgspec.structs.replace(policy, goal=0, limit=0)
    return msgspec.structs.replace(policy, goal=max(1, round(plan.target * GOAL)), limit=max(1, plan.history))


def _shaped(
    marked: list[Entry], plan: Plan, policy: ViewPolicy, shape: Shape
) -> tuple[list[Entry], Shape, list[StageReport]]:
    """The entries in their shape: none where there is room, the one they had where that is enough, else a new one."""
    if plan.unbudgeted:
        return _only_always(marked, policy)
    if shape and plan.target <= shape.target * WIDER:
        again = shape.applied(marked)
        if measure(again, policy) <= plan.target:
            return again, shape, []
    elif measure(marked, policy) <= plan.target:
        return _only_always(marked, policy)
    shaped, reports = _run(SHAPING, marked, policy, policy.goal)
    made = shape_of(marked, shaped, [(one.name, one.touched) for one in reports])
    return shaped, msgspec.structs.replace(made, target=plan.target), [one for one in reports if one.touched]


def _only_always(marked: list[Entry], policy: ViewPolicy) -> tuple[list[Entry], Shape, list[StageReport]]:
    if not policy.always_lod:
        return marked, UNSHAPED, []
    lowered, report = lod(marked, policy)
    return lowered, shape_of(marked, lowered, [(report.name, report.touched)]), [report]


def _run(
    stages: Sequence[Stage], entries: list[Entry], policy: ViewPolicy, until: int = -1
) -> tuple[list[Entry], list[StageReport]]:
    """Stage after stage, as long as there are more than `until` tokens."""
    reports: list[StageReport] = []
    for stage in stages:
        if until >= 0 and measure(entries, policy) <= until:
            break
        entries, report = stage(entries, policy)
        reports.append(report)
    return entries, reports


def _joined(marked: list[Entry], shaped: list[Entry], shape: Shape, more: Sequence[StageReport]) -> Shape:
    """The earlier shape and what came on top of it, as one."""
    made = shape_of(marked, shaped, [(one.name, one.touched) for one in more])
    return msgspec.structs.replace(
        made, stages=(*shape.stages, *made.stages), by={**shape.by, **made.by}, target=shape.target
    )
