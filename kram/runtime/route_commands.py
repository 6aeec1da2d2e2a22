"""Commands about who answers: `/strategy` and `/route` as plain text, for every front end."""

from __future__ import annotations

from typing import Protocol

from kram.config import Combo
from kram.gateway import STRATEGIES, Scoreboard, Standing
from kram.messages import Attempt, Route


class Routed(Protocol):
    """The part of the runtime these commands use."""

    @property
    def combo(self) -> Combo: ...
    def routes(self) -> list[Route]: ...
    def scoreboard(self) -> Scoreboard: ...
    def set_strategy(self, name: str) -> Combo: ...


async def strategy_command(session: Routed, args: str) -> str:
    """Sets the strategy, or tells the present one with how the candidates stand."""
    if args:
        combo = session.set_strategy(args)
        return f"{combo.name} is routed by {combo.strategy} in this session."
    board = session.scoreboard()
    others = ", ".join(name for name in sorted(STRATEGIES) if name != board.strategy)
    return "\n".join([f"{board.combo} · {board.strategy}", *map(_standing, board.rows), f"Others: {others}"])


def _standing(one: Standing) -> str:
    if not one.ranked.eligible:
        return f"  –       {one.name}: {', '.join(one.ranked.reasons)}"
    score = "     " if one.ranked.score is None else f"{one.ranked.score:5.2f}"
    why = f"  ({', '.join(one.ranked.reasons)})" if one.ranked.reasons else ""
    return f"  {score}   {one.name}{why}"


async def route_command(session: Routed, args: str) -> str:
    """The model calls of the latest turn with every attempt."""
    routes = session.routes()
    if not routes:
        return "No model call yet."
    return "\n".join(line for route in routes if route.turn == routes[-1].turn for line in _call(route))


def _call(route: Route) -> list[str]:
    purpose = "" if route.purpose == "turn" else f" ({route.purpose})"
    return [f"{route.combo} · {route.strategy}{purpose} · {route.duration_ms} ms", *map(_attempt, route.attempts)]


def _attempt(attempt: Attempt) -> str:
    reason = f": {attempt.reason}" if attempt.reason else ""
    return f"  {attempt.outcome:<9} {attempt.name} {attempt.latency_ms} ms{reason}"
