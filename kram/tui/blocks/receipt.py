"""The receipt below a turn: which model, what it read and wrote, what came from a cache, cost, time. Opened, it tells for
each model call why that model answered and what was tried before. Only what was recorded is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.segment import Segment
from rich.style import Style

from kram.base import Data, JsonView
from kram.base.text import one_line
from kram.messages import Route, Usage
from kram.tui.lines import Line, Lines, Look, cells, fit, row

from .block import Block
from .folding import count, duration, plural


class CallRecord(Data):
    """One model call of a turn. `route` is the stored route as plain data; it is read when the receipt is opened."""

    model: str
    usage: Usage | None = None
    route: JsonView | None = None


class ReceiptBlock(Block):
    """`took_ms` is the time from the first to the last entry of the turn, 0 where it is not known."""

    kind = "receipt"

    def __init__(
        self, key: str, calls: Sequence[CallRecord], *, tools: int = 0, took_ms: float = 0, at_ns: int = 0
    ) -> None:
        super().__init__(key, at_ns=at_ns)
        self._calls = tuple(calls)
        self._tools = tools
        self._took_ms = took_ms

    @property
    def foldable(self) -> bool:
        return True

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        text = fit(f"{'▸' if self.folded else '▾'} {self._summary()}", width)
        head = row([Segment(text, look.muted if self.folded else look.text)], width, look.text, mute=True)
        if self.folded:
            return [head]
        lines = [head]
        for number, call in enumerate(self._calls, start=1):
            lines += self._call(number, call, width, look)
        return lines

    def _summary(self) -> str:
        models = list(dict.fromkeys(one_line(call.model, 60) for call in self._calls if call.model))
        facts = [models[-1] if len(models) == 1 else f"{plural(len(models), 'model')}"] if models else []
        usage = sum((call.usage for call in self._calls if call.usage), start=Usage())
        if usage.reported:
            cached = f" ({count(usage.cache_read)} cached)" if usage.cache_read else ""
            facts += [f"{count(usage.input)} in{cached}", f"{count(usage.output)} out"]
        if usage.cost_usd is not None:
            facts.append(money(usage.cost_usd))
        if len(self._calls) > 1:
            facts.append(plural(len(self._calls), "model call"))
        if retries := sum(_retries(call) for call in self._calls):
            facts.append("1 retry" if retries == 1 else f"{retries} retries")
        if self._tools:
            facts.append(plural(self._tools, "tool call"))
        if self._took_ms > 0:
            facts.append(duration(self._took_ms))
        return " · ".join(facts)

    def _call(self, number: int, call: CallRecord, width: int, look: Look) -> list[Line]:
        route = read_route(call.route)
        usage = call.usage or (route.usage if route else Usage())
        facts = [one_line(call.model or "unknown model", 60)]
        if usage.reported:
            facts += [f"{count(usage.input)} in", f"{count(usage.cache_read)} cached", f"{count(usage.output)} out"]
        if usage.cost_usd is not None:
            facts.append(money(usage.cost_usd))
        if route and route.duration_ms:
            facts.append(duration(route.duration_ms))
        lines = [_fact(f"{number}. {' · '.join(facts)}", width, look, look.text)]
        if route is None:
            return lines
        if route.combo:
            lines.append(_fact(f"   {one_line(route.combo, 40)}, strategy {one_line(route.strategy, 30)}", width, look))
        if route.sent:
            parts = [f"{name.replace('_', ' ')} {count(tokens)}" for name, tokens in route.sent.items()]
            lines.append(_fact(f"   sent, estimated: {', '.join(parts)}", width, look))
        for ranked in route.ranking:
            if ranked.candidate == route.winner and ranked.reasons:
                lines.append(_fact(f"   chosen: {one_line('; '.join(ranked.reasons), 200)}", width, look))
        for attempt in route.attempts:
            if attempt.outcome != "success":
                reason = one_line(attempt.reason or attempt.kind, 120)
                style = look.error if attempt.outcome == "error" else look.warning
                lines.append(
                    _fact(f"   {attempt.outcome}: {one_line(attempt.name, 60)} · {reason}", width, look, style)
                )
        return lines

    def estimate(self, width: int) -> int:
        return 1 if self.folded else 1 + 3 * len(self._calls)

    def plain(self) -> str:
        return self._summary()


def money(usd: float) -> str:
    """Cents and up with two digits, less with four."""
    return f"${usd:.2f}" if usd >= 0.1 else f"${usd:.4f}"


def read_route(stored: JsonView | None) -> Route | None:
    """The route of a stored answer; None where there is none or an older program wrote another shape."""
    if not stored:
        return None
    try:
        return msgspec.convert(stored, Route, strict=False)
    except msgspec.ValidationError:
        return None


def _retries(call: CallRecord) -> int:
    """Attempts that did not answer, as they are on record."""
    attempts = (call.route or {}).get("attempts")
    return sum(one.get("outcome") in ("error", "rejected") for one in attempts) if isinstance(attempts, list) else 0


def _fact(text: str, width: int, look: Look, style: Style | None = None) -> Line:
    text = fit(text, max(1, width - 2))
    return row(
        [Segment("  ", look.text), Segment(text, style or look.faint)], width, look.text, left=2, used=cells(text) + 2
    )
