"""Which step of a script answers a request, and whether a request is as a step expects. No playing here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kram.messages import CompletionRequest, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock

from .errors import InvalidRequest
from .script_format import Condition, Script, Step

_SHOWN = 200


class Position:
    """Where a script stands. One per open provider; choosing never waits, so concurrent calls get different steps."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._plain = [step for step in script.steps if step.when is None]
        self._aside = [step for step in script.steps if step.when is not None]
        self._used: dict[int, int] = {}
        self._cursor = 0
        self._faults: set[int] = set()

    def choose(self, request: CompletionRequest) -> tuple[int, Step]:
        """The number (from 1) and the step that answers this call. Raises `InvalidRequest` where there is none or the
        step expects another request."""
        step = self._matching(request) or self._next(request)
        number = next(at for at, one in enumerate(self._script.steps, 1) if one is step)
        if step.expect is not None and (wrong := mismatch(step.expect, request)):
            raise InvalidRequest(f"Step {number} of the script expects {wrong}", where=self._script.name)
        return number, step

    def _matching(self, request: CompletionRequest) -> Step | None:
        for place, step in enumerate(self._aside):
            fresh = step.repeat == 0 or self._used.get(place, 0) < step.repeat
            if fresh and step.when is not None and not mismatch(step.when, request):
                self._used[place] = self._used.get(place, 0) + 1
                return step
        return None

    def _next(self, request: CompletionRequest) -> Step:
        if self._script.position == "history":
            return self._by_history(request)
        place = self._cursor
        self._cursor += 1
        step = self._nth(place, self._plain)
        if step is None:
            raise self._at_end(len(self._plain))
        return step

    def _by_history(self, request: CompletionRequest) -> Step:
        """The step behind as many answers as the request holds, after the faults in front of it, each once."""
        answered = sum(message.role == "assistant" for message in request.messages)
        answers = [step for step in self._plain if _answers(step)]
        step = self._nth(answered, answers)
        if step is None:
            raise self._at_end(len(answers))
        place = next(at for at, one in enumerate(self._plain) if one is step)
        first = place
        while first > 0 and not _answers(self._plain[first - 1]):
            first -= 1
        for at in range(first, place):
            if at not in self._faults:
                self._faults.add(at)
                return self._plain[at]
        return step

    def _nth(self, place: int, steps: list[Step]) -> Step | None:
        """The step for the call number `place` (from 0), with repeats counted and the script's end obeyed."""
        total = sum(step.repeat for step in steps)
        endless = any(step.repeat == 0 for step in steps)
        if not steps or (place >= total and not endless and self._script.end == "error"):
            return None
        if place >= total and not endless:
            if self._script.end == "repeat":
                return steps[-1]
            place %= total
        for step in steps:
            if step.repeat == 0 or place < step.repeat:
                return step
            place -= step.repeat
        return None

    def _at_end(self, steps: int) -> InvalidRequest:
        return InvalidRequest(
            f"The script has no step for this call: all {steps} are played",
            where=self._script.name,
            todo='Add a step, or set `end = "loop"` or `end = "repeat"`',
        )


def mismatch(condition: Condition, request: CompletionRequest) -> str:
    """What does not hold, as the end of a sentence "… expects …"; "" where all holds."""
    texts: list[tuple[str, str, Callable[[CompletionRequest], str]]] = [
        (condition.contains, "the messages", lambda given: "\n".join(_all_texts(given))),
        (condition.last_user, "the last user message", _last_user),
        (condition.last_result, "the last tool result", _last_result),
        (condition.system, "the system text", lambda given: given.system_text()),
    ]
    for wanted, what, found in texts:
        if wanted and wanted.casefold() not in (text := found(request)).casefold():
            return f"{what} to contain {wanted!r}, but it is {_shown(text)}"
    offered = [tool.name for tool in request.tools]
    if condition.tool and condition.tool not in offered:
        return f"the tool {condition.tool!r} to be offered, but only these are: {', '.join(offered) or 'none'}"
    if condition.no_tools and offered:
        return f"no tools to be offered, but {len(offered)} are"
    if condition.result_is_error is not None:
        last = next(_results(request), None)
        if (last is not None and last.is_error) != condition.result_is_error:
            return f"the last tool result {'' if condition.result_is_error else 'not '}to be an error"
    return ""


def _answers(step: Step) -> bool:
    """Whether a step leaves an answer in the history: a fault does only where something was said before it."""
    if step.fault is None:
        return True
    said = bool(step.content() or step.events)
    return said and (step.fault.after or 0) > 0


def _results(request: CompletionRequest) -> Iterator[ToolResultBlock]:
    """Tool results, the latest first."""
    for message in reversed(request.messages):
        for block in reversed(message.content):
            if isinstance(block, ToolResultBlock):
                yield block


def _last_result(request: CompletionRequest) -> str:
    return next((block.text for block in _results(request)), "")


def _last_user(request: CompletionRequest) -> str:
    return next(
        (text for message in reversed(request.messages) if message.role == "user" and (text := message.text())), ""
    )


def _all_texts(request: CompletionRequest) -> Iterator[str]:
    for message in request.messages:
        for block in message.content:
            match block:
                case TextBlock() | ToolResultBlock():
                    yield block.text
                case ThinkingBlock():
                    yield block.thinking
                case ToolUseBlock():
                    yield f"{block.name} {block.arguments}"
                case _:
                    continue


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
