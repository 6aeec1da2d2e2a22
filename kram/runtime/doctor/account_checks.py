"""Who can answer: every account is asked for its list, all at once, and the combo in use must have somebody."""

from __future__ import annotations

from functools import partial

from kram.config import Provider, Roster, usable
from kram.providers import Listing, embedded_problem

from .finding import Finding, finding
from .scene import Scene

_say = partial(finding, "providers")


async def check_accounts(scene: Scene) -> list[Finding]:
    if scene.live is None:
        return [_say("accounts", "skipped", "the configuration has to be mended first")]
    listings = await scene.live.refresh(force=True)
    rows = [_listing(one) for one in listings]
    down = {one.provider for one in listings if one.state == "down"}
    return [*rows, _combo(scene.live.roster(), down)]


def _listing(one: Listing) -> Finding:
    models = f", {len(one.models)} model{'' if len(one.models) == 1 else 's'}" if one.models else ""
    match one.state:
        case "ok":
            return _say(one.provider, "ok", f"answers in {one.latency_ms} ms{models}")
        case "degraded":
            return _say(one.provider, "warning", f"{one.cause} ({one.latency_ms} ms){models}", one.todo)
        case "down":
            return _say(one.provider, "problem", one.cause, one.todo)


def _combo(roster: Roster, down: set[str]) -> Finding:
    """One candidate is enough: that is what a combo is for. Without any, accounts that are down are what it is about."""
    name = roster.default_combo
    combo = roster.combos.get(name)
    if combo is None:
        return _say("combo", "problem", "nobody can answer: " + " ".join(roster.missing), "`kram --setup`")
    left = [one for one in combo.candidates if _answers(roster.providers.get(one.partition("/")[0]), down)]
    if not left:
        return _say(f"combo {name}", "problem", "none of its candidates can answer", "`kram models` says why")
    lost = len(combo.candidates) - len(left)
    text = f"{len(left)} of {len(combo.candidates)} candidates can answer"
    return _say(f"combo {name}", "warning" if lost else "ok", text, "`kram models` says which" if lost else "")


def _answers(provider: Provider | None, down: set[str]) -> bool:
    if provider is None or not usable(provider) or provider.name in down:
        return False
    return provider.kind != "llama-cpp" or not embedded_problem(provider)
