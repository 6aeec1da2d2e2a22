"""Watches what a model writes for a block repeated over and over, in its text and in each call's arguments.

A hit needs a block of 24 to 1,024 bytes, three copies back to back and 512 bytes of them. Shorter cycles (blank lines, table
rules, tabs) are how people write and never count; numbered rows differ and never match.
"""

from __future__ import annotations

from kram.base import Data

from .verdict import GuardResult, NoticeModel, Stop

MIN_PERIOD = 24
MAX_PERIOD = 1024
MIN_COPIES = 3
MIN_SPAN = 512
SCAN_EVERY = 256
SAMPLE_CHARS = 200
MAX_RETRIES = 2


class Repeated(Data):
    """`trailing` is how many bytes at the end are redundant copies; `where` is `content` or `tool:<name> arguments`."""

    where: str
    period: int
    copies: int
    sample: str

    @property
    def trailing(self) -> int:
        return (self.copies - 1) * self.period


class RepetitionGuard:
    """One stream of text. `feed` returns the hit once there is one."""

    def __init__(
        self,
        where: str,
        *,
        min_period: int = MIN_PERIOD,
        max_period: int = MAX_PERIOD,
        min_copies: int = MIN_COPIES,
        min_span: int = MIN_SPAN,
    ) -> None:
        self._where = where
        self._min_period = min_period
        self._max_period = max_period
        self._min_copies = min_copies
        self._min_span = min_span
        self._window = max(max_period * min_copies, min_span + max_period)
        self._tail = b""
        self._unscanned = 0

    def feed(self, text: str) -> Repeated | None:
        data = text.encode("utf-8", "surrogatepass")
        self._tail = (self._tail + data)[-self._window - len(data) :]
        self._unscanned += len(data)
        if self._unscanned < SCAN_EVERY:
            return None
        self._unscanned = 0
        return self._scan(self._tail[-self._window :])

    def _scan(self, window: bytes) -> Repeated | None:
        """Looks for earlier copies of the last few bytes: their distance is the only period the end can have."""
        needle = window[-self._min_period :]
        if len(needle) < self._min_period:
            return None
        at = len(window) - len(needle)
        while (at := window.rfind(needle, 0, at + len(needle) - 1)) >= 0:
            period = len(window) - len(needle) - at
            if period > self._max_period:
                return None
            span = _periodic_span(window, period)
            if span >= max(self._min_span, self._min_copies * period):
                # The nearest copy gives the smallest period; a cycle below the minimum is ordinary text.
                return self._hit(window, period, span) if period >= self._min_period else None
        return None

    def _hit(self, window: bytes, period: int, span: int) -> Repeated:
        sample = window[-period:].decode("utf-8", "replace")[:SAMPLE_CHARS]
        return Repeated(where=self._where, period=period, copies=span // period, sample=sample)


def _periodic_span(window: bytes, period: int) -> int:
    """How many bytes at the end repeat with this period, found by halving."""
    shifted_length = len(window) - period
    low, high = 0, shifted_length
    while low < high:
        middle = (low + high + 1) // 2
        if window[len(window) - middle :] == window[shifted_length - middle : shifted_length]:
            low = middle
        else:
            high = middle - 1
    return low + period


class CutGuard:
    """What follows a cut: the model is told, and after too many in a row the turn ends."""

    def __init__(self, retries: int = MAX_RETRIES) -> None:
        self._retries = retries
        self._cuts = 0

    def reset(self) -> None:
        """A round without a cut."""
        self._cuts = 0

    def judge(self, repeated: Repeated) -> GuardResult:
        self._cuts += 1
        if self._cuts > self._retries:
            return Stop(reason=f"The model keeps looping in its {repeated.where}")
        return NoticeModel(
            tag="repetition",
            text=f"Your answer was cut: its {repeated.where} repeated the same {repeated.period} bytes again and again. "
            "Continue differently, without that passage.",
        )


def trimmed(text: str, repeated: Repeated) -> str:
    """The text without the redundant copies at its end."""
    data = text.encode("utf-8", "surrogatepass")
    return data[: max(0, len(data) - repeated.trailing)].decode("utf-8", "ignore")
