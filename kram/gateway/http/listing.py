"""`GET /v1/models` and `GET /admin/status`: what can be asked for, and how it stands."""

from __future__ import annotations

from kram.base import Json, UsageError
from kram.config import Combo, Model, Roster, usable
from kram.gateway.gateway import Gateway
from kram.gateway.standing import scoreboard
from kram.messages import CompletionRequest, to_plain

_NO_REQUEST = CompletionRequest(messages=())


def models(roster: Roster, created: int) -> Json:
    """Combos first, then `provider/model` of every account that has its key."""
    rows = [_row(name, created, "kram", candidates=list(combo.candidates)) for name, combo in roster.combos.items()]
    rows += [_model(one, created) for one in _usable_models(roster)]
    return {"object": "list", "data": rows}


def model(roster: Roster, created: int, name: str) -> Json | None:
    """One row of the same list."""
    rows: list[Json] = models(roster, created)["data"]
    return next((row for row in rows if row["id"] == name), None)


def status(gateway: Gateway, default: Combo | None) -> Json:
    """Every combo with its strategy and its candidates in the order the next call would try them: scores, breakers, figures.
    Looking changes nothing."""
    roster = gateway.roster
    return {
        "default_combo": default.name if default else None,
        "combos": [_combo(gateway, combo) for combo in roster.combos.values()],
        "providers": [
            {"name": one.name, "kind": one.kind, "base_url": one.base_url, "origin": one.origin, "usable": usable(one)}
            for one in roster.providers.values()
        ],
        "telemetry": to_plain(gateway.telemetry.export()),
        "missing": list(roster.missing),
    }


def _usable_models(roster: Roster) -> list[Model]:
    return [model for provider in roster.providers.values() if usable(provider) for model in provider.models]


def _model(one: Model, created: int) -> Json:
    facts: Json = {"tools": one.tools, "images": one.images}
    if one.context_window:
        facts["context_window"] = one.context_window
    if one.max_output:
        facts["max_output"] = one.max_output
    return _row(one.name, created, one.provider, **facts)


def _row(name: str, created: int, owner: str, **facts: object) -> Json:
    return {"id": name, "object": "model", "created": created, "owned_by": owner, **facts}


def _combo(gateway: Gateway, combo: Combo) -> Json:
    row: Json = {"name": combo.name, "strategy": combo.strategy or "priority", "origin": combo.origin}
    try:
        board = scoreboard(gateway, combo, _NO_REQUEST)
    except UsageError as failure:
        return {**row, "problem": failure.text(), "candidates": []}
    candidates = [
        {
            "name": one.name,
            "eligible": one.ranked.eligible,
            "score": one.ranked.score,
            "factors": to_plain(one.ranked.factors),
            "reasons": list(one.ranked.reasons),
            "breaker": {"state": one.state, "wait_ms": round(one.wait_s * 1000)},
            "measured": to_plain(one.measured),
            "price": to_plain(one.price),
        }
        for one in board.rows
    ]
    return {**row, "drawn": board.drawn, "candidates": candidates}
