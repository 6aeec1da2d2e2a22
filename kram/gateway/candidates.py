"""Hard constraints: which candidates of a combo can take a request at all. Constraints are never scored."""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import Data
from kram.config import Combo, Model, Roster
from kram.messages import CompletionRequest, ImageBlock, Ranked


class Candidate(Data):
    """One provider and model that may be tried."""

    provider: str
    model: Model

    @property
    def name(self) -> str:
        return self.model.name


def eligible(
    combo: Combo, roster: Roster, request: CompletionRequest, *, prompt_tokens: int = 0
) -> tuple[list[Candidate], list[Ranked]]:
    """The candidates that fit, in declared order, and those left out with the reason.

    `prompt_tokens` is the estimate, 0 where it is unknown.
    """
    fitting: list[Candidate] = []
    left_out: list[Ranked] = []
    for name in combo.candidates:
        model = roster.model(name)
        reason = "its provider is not configured" if model is None else _misfit(model, request, prompt_tokens)
        if model is None or reason:
            left_out.append(Ranked(candidate=name, eligible=False, reasons=(reason,)))
        else:
            fitting.append(Candidate(provider=model.provider, model=model))
    return fitting, left_out


def _misfit(model: Model, request: CompletionRequest, prompt_tokens: int) -> str:
    if request.tools and not model.tools:
        return "it has no tools"
    if not model.images and has_images(request):
        return "it takes no images"
    if model.context_window and prompt_tokens > model.context_window:
        return f"the prompt of about {prompt_tokens} tokens is larger than its window of {model.context_window}"
    return ""


def has_images(request: CompletionRequest) -> bool:
    return any(isinstance(block, ImageBlock) for message in request.messages for block in message.content)


def ranked(candidates: Sequence[Candidate], reasons: Sequence[str] = ()) -> list[Ranked]:
    """A plain ranking without scores, for the record."""
    return [Ranked(candidate=candidate.name, reasons=tuple(reasons)) for candidate in candidates]
