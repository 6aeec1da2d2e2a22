"""Hard constraints: which candidates of a combo can take a request at all. Constraints are never scored."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from kram.base import Data
from kram.config import Combo, Model, Roster
from kram.messages import CompletionRequest, ImageBlock, Ranked

from .breaker import Breakers, BreakerView


class Candidate(Data):
    """One provider and model that may be tried; `domain` is its failure domain, `credential` names its account and key (as
    a fingerprint), `position` is its declared place from 0."""

    model: Model
    domain: str
    credential: str
    view: BreakerView
    position: int = 0

    @property
    def name(self) -> str:
        return self.model.name


class Sorted(Data):
    """Candidates that may be tried now, those that will be later (`resting`), and those that cannot take this request."""

    fitting: tuple[Candidate, ...]
    resting: tuple[Candidate, ...]
    left_out: tuple[Ranked, ...]


def eligible(
    combo: Combo,
    roster: Roster,
    request: CompletionRequest,
    breakers: Breakers,
    *,
    now_s: float,
    prompt_tokens: int = 0,
) -> Sorted:
    """Sorts a combo's candidates, each group in declared order. `prompt_tokens` is the estimate, 0 where it is unknown."""
    fitting: list[Candidate] = []
    resting: list[Candidate] = []
    left_out: list[Ranked] = []
    for position, name in enumerate(combo.candidates):
        model = roster.model(name)
        reason = "its provider is not configured" if model is None else _misfit(model, request, prompt_tokens)
        if model is None or reason:
            left_out.append(Ranked(candidate=name, eligible=False, reasons=(reason,)))
            continue
        account = failing_account(roster, model)
        domain, credential = f"{account}/{model.id}", _credential(account, roster.providers[model.provider].api_key)
        view = breakers.view(domain, credential, now_s)
        candidate = Candidate(model=model, domain=domain, credential=credential, view=view, position=position)
        if view.allowed:
            fitting.append(candidate)
        else:
            resting.append(candidate)
            left_out.append(Ranked(candidate=name, eligible=False, reasons=(view.reason,)))
    return Sorted(fitting=tuple(fitting), resting=tuple(resting), left_out=tuple(left_out))


def failing_account(roster: Roster, model: Model) -> str:
    """Accounts that share a key at one address fail together (each model of them on its own); the first one's name."""
    provider = roster.providers[model.provider]
    return next(
        name
        for name, other in roster.providers.items()
        if (other.kind, other.base_url, other.api_key) == (provider.kind, provider.base_url, provider.api_key)
        and (other.api_key or name == model.provider)
    )


def _credential(account: str, api_key: str) -> str:
    """Another key in the same account is another credential: what the old one did is not held against it."""
    return f"{account}#{hashlib.sha256(api_key.encode()).hexdigest()[:12]}"


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


def earliest(resting: Sequence[Candidate]) -> Candidate | None:
    """The resting candidate that may be tried first by itself, if any."""
    timed = [candidate for candidate in resting if candidate.view.until_s > 0 and not candidate.view.blocked]
    return min(timed, key=lambda candidate: candidate.view.until_s, default=None)
