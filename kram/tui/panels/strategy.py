"""The strategy panel: the combo's candidates as the router sees them, and how the score of one comes about."""

from __future__ import annotations

from textual.content import Content

from kram.base import one_line
from kram.gateway import Scoreboard, Standing
from kram.messages import Ranked

FAINT = "$foreground 60%"
WIDTH = 44
BADGES = {"closed": ("●", "$success"), "half-open": ("◐", "$warning"), "open": ("○", "$error")}


def strategy_content(board: Scoreboard, focus: int) -> Content:
    """`focus` is the row that is explained, counted round the end."""
    rows = [Content.styled(f"{one_line(board.combo, 24)} · {board.strategy}", "bold")]
    if board.drawn:
        rows.append(Content.styled("Each call draws or turns anew; this is one order.", FAINT))
    if not board.rows:
        return Content("\n").join([*rows, Content("No candidate.")])
    rows.append(Content(""))
    chosen = board.rows[focus % len(board.rows)]
    for place, one in enumerate(board.rows, start=1):
        rows += _candidate(place, one, shown=one is chosen)
    rows += [Content(""), *_explained(chosen)]
    if len(board.rows) > 1:
        rows += [Content(""), Content.styled("Alt+Up/Down: explain another", "$foreground 40%")]
    return Content("\n").join(rows)


def _candidate(place: int, one: Standing, *, shown: bool) -> list[Content]:
    badge, color = BADGES[one.state]
    if not one.ranked.eligible:
        badge, color = "–", FAINT
    score = "" if one.ranked.score is None else f" {one.ranked.score:.2f}"
    head = Content.assemble(
        ("▸" if shown else " ", "$accent"),
        f"{place}. ",
        (f"{badge} ", color),
        one_line(one.name, WIDTH - 12),
        (score, "bold"),
    )
    return [head, Content.styled(f"      {_figures(one)}", FAINT)]


def _figures(one: Standing) -> str:
    measured = one.measured
    if not measured.requests:
        return "not called yet"
    facts = [f"{measured.success:.0%} ok" if measured.success is not None else "", _ms(measured.ttft_ms)]
    if measured.cost_usd is not None:
        facts.append(f"${measured.cost_usd:.2f} so far")
    return " · ".join([*filter(None, facts), f"{measured.requests} calls"])


def _ms(value: float | None) -> str:
    return "" if value is None else f"first word {value:.0f} ms"


def _explained(one: Standing) -> list[Content]:
    rows = [Content.styled(one_line(one.name, WIDTH), "bold")]
    ranked = one.ranked
    if not ranked.eligible:
        wait = f" ({one.wait_s:.0f} s)" if one.wait_s >= 1 else ""
        return [*rows, Content.styled(f"left out: {', '.join(ranked.reasons)}{wait}", "$warning")]
    if not ranked.factors:
        why = ", ".join(ranked.reasons) or "its place in the combo"
        return [*rows, Content.styled(f"this strategy does not score: {why}", FAINT)]
    rows += [_factor_row(ranked, place) for place in range(len(ranked.factors))]
    rows.append(Content.styled(f"{'total':<16}{'':>16}{ranked.score or 0:>7.3f}", "bold"))
    summed = sum(factor.contribution for factor in ranked.factors)
    if ranked.score is not None and ranked.score - summed > 1e-9:
        rows.insert(-1, Content(f"{'last good':<16}{'boost':>16}{ranked.score - summed:>7.3f}"))
    if ranked.reasons:
        rows.append(Content.styled(", ".join(ranked.reasons), "$accent"))
    return rows


def _factor_row(ranked: Ranked, place: int) -> Content:
    factor = ranked.factors[place]
    name = factor.name.replace("_", " ")
    return Content(f"{name:<16}{factor.value:>6.0%} × {factor.weight:>6.1%} {factor.contribution:>7.3f}")
