"""Answers that are not answers: empty ones, cut off by the output limit or by themselves, mere announcements. One small budget
of continuations for all of them."""

from __future__ import annotations

from kram.context import BLANK_RETRY, CONTINUE_LENGTH, FINISH_ANSWER, GO_AHEAD
from kram.messages import Completion, TextBlock

from .response import is_tentative, looks_truncated
from .verdict import OK, GuardResult, Reprompt, Stop

CONTINUATIONS = 3
ENDED = frozenset({"", "end_turn", "stop", "stop_sequence", "tool_use", "repetition"})
"""Reasons that mean the model is at its end; any other one it is asked about."""


class FinishGuard:
    """Judges a completion without calls. `reset` when calls ran: the model is making progress."""

    def __init__(self, continuations: int = CONTINUATIONS) -> None:
        self._allowed = continuations
        self._left = continuations

    def reset(self) -> None:
        self._left = self._allowed

    def judge(self, completion: Completion, problem: str = "", *, after_tools: bool = False) -> GuardResult:
        """`problem`: something in the text looked like a call and was not run; the model is told, while the budget lasts.
        `after_tools`: the turn had results, so that an announcement is not the answer to them."""
        if problem:
            told = f"Your answer looked like a tool call but nothing was run: {problem}. Use the tool interface."
            return self._again(told) or OK
        text = "".join(block.text for block in completion.content if isinstance(block, TextBlock))
        blank = not text.strip()
        if completion.refusal or completion.stop_reason in ("refusal", "content_filter"):
            return OK if not blank else Stop(reason=completion.refusal or "The model declined to answer")
        if completion.stop_reason == "max_tokens":
            return self._again(CONTINUE_LENGTH) or OK
        if blank:
            return self._again(BLANK_RETRY) or Stop(reason="The model gave an empty answer again and again")
        if completion.stop_reason not in ENDED:
            return self._again(CONTINUE_LENGTH) or OK
        if looks_truncated(text):
            return self._again(FINISH_ANSWER) or OK
        if after_tools and is_tentative(text):
            return self._again(GO_AHEAD) or OK
        return OK

    def _again(self, text: str) -> Reprompt | None:
        if self._left <= 0:
            return None
        self._left -= 1
        return Reprompt(text=text)
