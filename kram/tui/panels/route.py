"""The route trace: every model call of a turn, what was tried for it, why, and what it cost. Compactions and the calls of
subagents are calls like any other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from textual.content import Content

from kram.base import one_line
from kram.messages import Attempt, Factor, Ranked, Route

from .marks import mark_of

FAINT = "$foreground 60%"
WIDTH = 44


def by_turn(routes: Sequence[Route]) -> list[tuple[Route, ...]]:
    """Routes in the turns they belong to, oldest first; a call outside of any turn stands alone with its like."""
    return [tuple(group) for _, group in groupby(routes, key=lambda route: route.turn)]


def route_content(routes: Sequence[Route], *, words: str = "", number: int = 1, of: int = 1) -> Content:
    """A turn's calls. `words` is what the person had said, `number` and `of` place the turn among those on record."""
    if not routes:
        return Content("No model call yet.")
    rows: list[Content] = []
    if of > 1:
        rows.append(Content.styled(f"Turn {number} of {of} · Alt+Up/Down: another", "$foreground 50%"))
    if words:
        rows.append(Content.styled(f"› {one_line(words, WIDTH)}", "italic"))
    rows += [Content.styled(_totals(routes), FAINT), Content("")]
    for place, route in enumerate(routes, start=1):
        rows += [*_call(place, route), Content("")]
    return Content("\n").join(rows[:-1])


def _totals(routes: Sequence[Route]) -> str:
    attempts = [attempt for route in routes for attempt in route.attempts]
    fallbacks = sum(attempt.outcome in ("error", "rejected") for attempt in attempts)
    providers = {attempt.provider for attempt in attempts}
    seconds = sum(route.duration_ms for route in routes) / 1000
    facts = [_count(len(routes), "call"), _count(len(attempts), "attempt"), _count(len(providers), "provider")]
    if fallbacks:
        facts.insert(2, _count(fallbacks, "fallback"))
    return " · ".join([*facts, f"{seconds:.1f} s"])


def _call(place: int, route: Route) -> list[Content]:
    purpose = "" if route.purpose == "turn" else f" ({route.purpose})"
    rows = [Content.styled(f"{place}. {one_line(route.combo, 24)} · {route.strategy}{purpose}", "bold")]
    for attempt in route.attempts:
        rows += _attempt(attempt, _row_of(route, attempt))
    for ranked in route.ranking:
        if not ranked.eligible:
            rows.append(Content.styled(f"   – {ranked.candidate}: {', '.join(ranked.reasons)}", FAINT))
    usage = route.usage
    if usage.reported:
        cost = "" if usage.cost_usd is None else f" · ${usage.cost_usd:.4f}"
        rows.append(
            Content.styled(f"   {usage.input:,} in ({usage.cache_read:,} cached) · {usage.output:,} out{cost}", FAINT)
        )
    return rows


def _attempt(attempt: Attempt, ranked: Ranked | None) -> list[Content]:
    mark, color = mark_of(attempt.outcome)
    first = f" · first word {attempt.ttft_ms} ms" if attempt.ttft_ms is not None else ""
    again = f" · round {attempt.round}" if attempt.round > 1 else ""
    rows = [
        Content.assemble((f" {mark} ", color), one_line(attempt.name, WIDTH - 3)),
        Content.styled(f"   {attempt.latency_ms} ms{first}{again}", FAINT),
    ]
    if attempt.reason:
        rows.append(Content.styled(f"   {one_line(attempt.reason, 160)}", "$warning"))
    elif ranked is not None and (why := _why(ranked)):
        rows.append(Content.styled(f"   {why}", FAINT))
    return rows


def _row_of(route: Route, attempt: Attempt) -> Ranked | None:
    return next((row for row in route.ranking if row.candidate == attempt.name), None)


def _why(ranked: Ranked) -> str:
    """The score, what weighed most, and the router's own reasons."""
    facts = [] if ranked.score is None else [f"score {ranked.score:.2f}"]
    best: Factor | None = max(ranked.factors, key=lambda factor: factor.contribution, default=None)
    if best is not None and not ranked.reasons:
        facts.append(f"most of it {best.name.replace('_', ' ')}")
    return " · ".join([*facts, *ranked.reasons])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
