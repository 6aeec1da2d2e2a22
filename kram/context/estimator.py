"""Counts tokens the way each model does, as far as its provider's reports have taught: one for a process.

The context panel, the trigger of compaction and the gateway's window check all count with the `Meter` that this hands out
for a model, and after every call it is told what the provider counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kram.base import Data
from kram.messages import (
    CompletionRequest,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    Usage,
    to_json,
)

from .calibration import (
    CHEAP_RUNS,
    NAMES,
    START,
    TEXT,
    UNKNOWN,
    Calibration,
    Vector,
    learnt,
    predicted,
    vector,
    weighed,
)
from .features import Features, features
from .tokens import METER, Meter
from .truncation import Seen, implausible, is_cut

CACHED_CHARS = 60
"""Texts shorter than that are counted faster than looked up."""
MAX_CACHED = 20_000
MAX_DOUBT = 0.05
_MORE_MARKS = NAMES.index("more_marks")


class Observed(Data):
    """What came of a report. `cut`: the server seems to have dropped a part of the prompt; then nothing was learnt from it.
    `first_cut`: for the first time of this model in this session."""

    counted: int
    reported: int
    cut: bool = False
    first_cut: bool = False


class Estimator:
    """`meter` counts, `observe` learns, `quality` says how good it is; `export` and the constructor move it between runs."""

    def __init__(self, known: Mapping[str, Calibration] | None = None) -> None:
        self._known = {model: one for model, one in (known or {}).items() if one.usable()}
        self._cache: dict[str, Features] = {}
        self._meters: dict[str, tuple[Calibration, Meter]] = {}
        self._most: dict[tuple[str, str], Seen] = {}
        self._cut: set[tuple[str, str]] = set()

    def of(self, model: str) -> Calibration:
        return self._known.get(model, UNKNOWN)

    def meter(self, model: str) -> Meter:
        """How this model counts now: four bytes a token until it has reported once. The same object until it reports again,
        so that what was counted by it can be remembered."""
        known = self.of(model)
        if not known.calls:
            return METER
        made = self._meters.get(model)
        if made is None or made[0] is not known:
            made = self._meters[model] = (known, self._made(known))
        return made[1]

    def _made(self, known: Calibration) -> Meter:
        weights, counted = known.weights, dict[str, int]()
        blocks, tools, request = weights[TEXT:]

        def count(text: str) -> int:
            # The same texts are counted at every step of a session.
            found = counted.get(text)
            if found is None:
                if len(counted) >= MAX_CACHED:
                    counted.clear()
                found = counted[text] = _whole(weighed(weights, self.features(text)), text)
            return found

        return Meter(
            count=count,
            per_message=round(blocks),
            per_call=round(blocks),
            per_request=round(request),
            count_tools=lambda specs: round(tools * self._tools(specs)),
        )

    def quality(self, model: str) -> str:
        """In words, for the context panel."""
        known = self.of(model)
        if not known.calls:
            return "uncalibrated"
        if known.calls == 1:
            return "calibrated by 1 call"
        return f"±{max(1, round(known.error * 100))} % after {known.calls} calls"

    def doubt(self, model: str) -> float:
        """The share by which a count may well be off: twice its mean error, 5 % at most. Of what is uncalibrated nothing is
        known, and nothing is taken away for it."""
        known = self.of(model)
        return min(MAX_DOUBT, 2 * known.error) if known.calls > 1 else 0.0

    def observe(self, model: str, request: CompletionRequest, usage: Usage, *, session: str = "") -> Observed:
        """Takes in what a provider reported for a request that was answered whole. A request with pictures teaches nothing:
        nobody knows what they cost."""
        made_of = self._vector(request)
        known = self.of(model)
        plain = METER.count_tools(request.tools) + sum(METER.count(text) for text in _texts(request))
        counted = round(predicted(known, made_of) if known.calls else min(plain, _cautious(made_of)))
        now = Seen(counted=counted, reported=usage.input, plain=plain)
        if usage.input <= 0 or _pictures(request):
            return Observed(counted=counted, reported=usage.input)
        most = self._most.get((session, model))
        if is_cut(now, most):
            first = (session, model) not in self._cut
            self._cut.add((session, model))
            return Observed(counted=counted, reported=usage.input, cut=True, first_cut=first)
        if implausible(now):
            return Observed(counted=counted, reported=usage.input)
        if most is None or now.reported > most.reported:
            self._most[session, model] = now
        self._known[model] = learnt(known, made_of, usage.input)
        return Observed(counted=counted, reported=usage.input)

    def export(self) -> dict[str, Calibration]:
        return dict(self._known)

    def features(self, text: str) -> Features:
        if len(text) < CACHED_CHARS:
            return features(text)
        found = self._cache.get(text)
        if found is None:
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            found = self._cache[text] = features(text)
        return found

    def _vector(self, request: CompletionRequest) -> Vector:
        texts = list(_texts(request))
        rows = [self.features(text) for text in texts]
        total = [sum(column) for column in zip(*rows, strict=True)] if rows else [0] * TEXT
        return vector(total, blocks=len(texts), tools=self._tools(request.tools))

    def _tools(self, specs: Iterable[ToolSpec]) -> float:
        """The definitions' JSON by the starting weights; a model's own factor comes on top."""
        return sum(weighed(START, self.features(to_json(spec).decode())) for spec in specs)


def _cautious(made_of: Vector) -> float:
    """Of an unknown model, rather too few: too many would look like a prompt that was cut."""
    return predicted(UNKNOWN, made_of) - (START[_MORE_MARKS] - CHEAP_RUNS) * made_of[_MORE_MARKS]


def _whole(tokens: float, text: str) -> int:
    return max(1, round(tokens)) if text else 0


def _texts(request: CompletionRequest) -> Iterable[str]:
    """Everything that travels as text, a piece a block."""
    yield from request.segments()
    for message in request.messages:
        for block in message.content:
            match block:
                case TextBlock():
                    yield block.text
                case ThinkingBlock():
                    yield block.thinking or block.redacted
                case ToolUseBlock():
                    yield f"{block.name} {block.arguments}"
                case ToolResultBlock():
                    yield block.text
                case _:
                    pass


def _pictures(request: CompletionRequest) -> bool:
    blocks = (block for message in request.messages for block in message.content)
    return any(
        isinstance(block, ImageBlock) or (isinstance(block, ToolResultBlock) and bool(block.images)) for block in blocks
    )
