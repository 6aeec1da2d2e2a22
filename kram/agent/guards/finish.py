"""Answers that are not answers: empty ones and ones cut off by the output limit. One small budget of continuations for both."""

from __future__ import annotations

from kram.context import BLANK_RETRY, CONTINUE_LENGTH
from kram.messages import Completion, TextBlock

from .verdict import OK, GuardResult, Reprompt, Stop

CONTINUATIONS = 3


class FinishGuard:
    """Judges a completion without calls. `reset` when calls ran: the model is making progress."""

    def __init__(self, continuations: int = CONTINUATIONS) -> None:
        self._allowed = continuations
        self._left = continuations

    def reset(self) -> None:
        self._left = self._allowed

    def judge(self, completion: Completion, problem: str = "") -> GuardResult:
        """`problem`: something in the text looked like a call and was not run; the model is told, while the budget lasts."""
        if problem:
            text = f"Your answer looked like a tool call but nothing was run: {problem}. Use the tool interface."
            return self._again(text) or OK
        blank = not any(isinstance(block, TextBlock) and block.text.strip() for block in completion.content)
        if completion.refusal or completion.stop_reason in ("refusal", "content_filter"):
            return OK if not blank else Stop(reason=completion.refusal or "The model declined to answer")
        if completion.stop_reason == "max_tokens":
            return self._again(CONTINUE_LENGTH) or OK
        if blank:
            return self._again(BLANK_RETRY) or Stop(reason="The model gave an empty answer again and again")
        return OK

    def _again(self, text: str) -> Reprompt | None:
        if self._left <= 0:
            return None
        self._left -= 1
        return Reprompt(text=text)
