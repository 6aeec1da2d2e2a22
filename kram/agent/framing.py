"""What stands around the history of a call: the leading model, the prompt, the tools, and the room that is left."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.base import Data
from kram.config import Combo, Model
from kram.context import (
    Plan,
    Prompt,
    View,
    ViewPolicy,
    build_view,
    cache_price,
    context_report,
    for_plan,
    plan,
    with_entries,
)
from kram.events import ContextReport
from kram.messages import Example, ToolSpec

from .bench import Bench


class Frame(Data):
    """`guessed`: the window is not the model's stated one, but follows from a request it refused."""

    model: Model
    prompt: Prompt
    tools: tuple[ToolSpec, ...]
    plan: Plan
    examples: tuple[Example, ...] = ()
    guessed: bool = False


def frame(bench: Bench, combo: Combo, reminders: Sequence[tuple[str, str]] = ()) -> Frame:
    model = lead_model(bench, combo)
    prompt = bench.prompt.prompt(compact=model.compact, reminders=reminders)
    tools = bench.prompt.tools(compact=model.compact) if model.tools else ()
    examples = bench.prompt.examples(compact=model.compact) if tools else ()
    room = plan(
        bench.record.window(model.name, model.context_window),
        bench.estimator.meter(model.name).fixed((part.content for part in prompt.parts), tools),
        headroom=bench.view_policy.headroom,
        max_output=model.max_output,
        reserve=bench.view_policy.reserve,
        doubt=bench.estimator.doubt(model.name),
    )
    guessed = bench.record.guessed(model.name)
    return Frame(model=model, prompt=prompt, tools=tools, examples=examples, plan=room, guessed=guessed)


def lead_model(bench: Bench, combo: Combo) -> Model:
    """The model whose window and abilities shape the request: the first candidate that is known."""
    for candidate in combo.candidates:
        model = bench.gateway.roster.model(candidate)
        if model is not None:
            return model
    return Model(provider="none", id="none")


def policy_of(bench: Bench, around: Frame) -> ViewPolicy:
    """How this session is cut for this model: the settings, the person's marks, the turns' checkpoints, the room."""
    policy = msgspec.structs.replace(
        bench.view_policy,
        images=around.model.images,
        meter=bench.estimator.meter(around.model.name),
        marks=bench.record.marks,
        checkpoints=tuple(bench.record.checkpoints),
        costs=bench.record.costs,
    )
    return for_plan(policy, around.plan)


def view_of(bench: Bench, around: Frame, *, rescue: bool = False) -> View:
    """The history as it would go out now. Changes nothing."""
    return build_view(
        bench.record.entries,
        around.plan,
        policy_of(bench, around),
        images=around.model.images,
        shape=bench.record.shape,
        rescue=rescue,
    )


def report(bench: Bench, around: Frame, view: View) -> ContextReport:
    """The view's numbers by category."""
    policy = policy_of(bench, around)
    made = context_report(view, around.prompt, around.tools, around.plan, policy, model=around.model.name)
    return msgspec.structs.replace(made, quality=bench.estimator.quality(around.model.name))


def measure(bench: Bench) -> ContextReport:
    """What the next call would hold, item by item, by the count the trigger uses."""
    around = frame(bench, bench.combo())
    view = view_of(bench, around)
    whole = report(bench, around, view)
    entries, policy = bench.record.entries, policy_of(bench, around)
    return with_entries(whole, entries, view, policy, prompt=around.prompt, tools=around.tools)


def reread_price(bench: Bench, ids: Sequence[str]) -> int:
    """Tokens that would have to be read again, uncached, if these entries changed."""
    around = frame(bench, bench.combo())
    return cache_price(view_of(bench, around), bench.record.entries, ids, policy_of(bench, around))
