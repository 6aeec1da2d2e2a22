"""The model that comes as a package: there, readable, and with which window. It is not loaded for that."""

from __future__ import annotations

import asyncio
from functools import partial

from kram.providers import embedded_model, embedded_problem

from .finding import Finding, finding
from .scene import Scene

_say = partial(finding, "embedded model")


async def check_embedded(scene: Scene) -> list[Finding]:
    own = [] if scene.live is None else [one for one in scene.live.base.providers.values() if one.kind == "llama-cpp"]
    if not own:
        reason = await asyncio.to_thread(embedded_problem)
        return [_say("local", "skipped", reason or "there, and used by nobody")]
    rows = []
    for provider in own:
        reason = await asyncio.to_thread(embedded_problem, provider)
        model = None if reason else await asyncio.to_thread(embedded_model, provider)
        if model is None:
            rows.append(_say(provider.name, "problem", reason))
        else:
            size = f", {model.size} parameters" if model.size else ""
            rows.append(_say(provider.name, "ok", f"{model.id}{size}, window {model.context_window:,}"))
    return rows
