"""All probes of one model in order, told as they end, and what follows from them as settings of the model.

Some twenty-five requests of a few words each. What could not be told changes nothing: a weak model that ignores a tool is no
proof that its server has none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import msgspec

from kram.base import Clock, KramError
from kram.config import Model, ModelSettings
from kram.config import Provider as ProviderConfig
from kram.providers.errors import ProviderError, TimedOut
from kram.providers.live import Opener
from kram.providers.registry import open_provider

from .basics import answers, context_length, output_cap, prompt_cache, streams, system_text, whole_answers
from .extras import images, json_format, thinking
from .lab import CHAT, Lab
from .outcome import Outcome, Report
from .surface import surface_outcomes, tool_surface
from .tools import call_history, forced_call, native_calls, parallel_calls, text_calls

Probe: TypeAlias = Callable[[Lab], Awaitable[Outcome]]
Tell: TypeAlias = Callable[[Outcome], None]

FIRST: dict[str, Probe] = {
    "answer": answers,
    "streaming": streams,
    "whole answers": whole_answers,
    "output cap": output_cap,
    "context length": context_length,
    "system text": system_text,
    "native tools": native_calls,
}
WITH_TOOLS: dict[str, Probe] = {
    "forced call": forced_call,
    "parallel calls": parallel_calls,
    "history with calls": call_history,
}
LAST: dict[str, Probe] = {
    "JSON answers": json_format,
    "images": images,
    "thinking": thinking,
    "prompt cache": prompt_cache,
}
PROBES = (*FIRST, *WITH_TOOLS, *LAST)


async def probe_endpoint(
    config: ProviderConfig, model: Model, clock: Clock, tell: Tell, *, opener: Opener = open_provider
) -> Report:
    """Never raises for what the other side does. A failure in the middle ends it, with what was found so far and no settings."""
    outcomes: list[Outcome] = []
    try:
        # Opened so that calls by text can be tried, begun with native ones.
        provider = opener(
            msgspec.structs.replace(config, models=(msgspec.structs.replace(model, tool_format="heredoc"),))
        )
    except KramError as failure:
        return Report(candidate=model.name, problem=failure.what, todo=failure.todo)
    lab = Lab(provider, config, msgspec.structs.replace(model, tool_format="native"), clock)

    def found(outcome: Outcome) -> None:
        outcomes.append(outcome)
        lab.learn(outcome.facts, outcome.quirks)
        tell(outcome)

    try:
        await _all(lab, found)
    except ProviderError as failure:
        return Report(
            candidate=model.name,
            outcomes=tuple(outcomes),
            requests=lab.requests,
            problem=failure.what,
            todo=failure.todo,
        )
    finally:
        await provider.aclose()
    return Report(
        candidate=model.name,
        outcomes=tuple(outcomes),
        facts=_settings(model, lab.model, outcomes),
        requests=lab.requests,
    )


async def _all(lab: Lab, found: Tell) -> None:
    native = False
    for name, probe in FIRST.items():
        outcome = await _in_time(name, probe, lab)
        found(outcome)
        native = native or (name == "native tools" and outcome.answer == "yes")
        if name == "answer" and outcome.answer == "failed":
            raise ProviderError(f"it does not answer: {outcome.text}", todo="Check the model's name and its options")
    if lab.model.tools:
        for name, probe in WITH_TOOLS.items():
            found(await _in_time(name, probe, lab))
        for outcome in await _surface(lab):
            found(outcome)
            native = native or (outcome.name == "tool arguments" and outcome.answer in ("yes", "partly"))
    if not native and lab.config.kind in CHAT:
        found(await _in_time("text calls", text_calls, lab))
    for name, probe in LAST.items():
        found(await _in_time(name, probe, lab))


async def _in_time(name: str, probe: Probe, lab: Lab) -> Outcome:
    """A slow answer ends one probe; only the first one has to come."""
    try:
        return await probe(lab)
    except TimedOut as failure:
        return Outcome(name=name, answer="failed", text=failure.what)


async def _surface(lab: Lab) -> list[Outcome]:
    try:
        return surface_outcomes(await tool_surface(lab, grammar=lab.config.kind in CHAT))
    except TimedOut as failure:
        return [Outcome(name="tool arguments", answer="failed", text=failure.what)]


def _settings(before: Model, after: Model, outcomes: list[Outcome]) -> ModelSettings:
    """Everything that was learnt for certain, also where it is what was known: a catalogue may change."""
    facts: dict[str, Any] = {}
    for outcome in outcomes:
        facts |= outcome.facts
    if after.quirks != before.quirks:
        facts["quirks"] = after.quirks
    return msgspec.convert(facts, ModelSettings)
