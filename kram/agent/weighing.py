"""After a model call: what the provider counted goes to the estimator, and a prompt that was cut in silence is told.

A server that cuts drops the beginning, which is where the instructions stand. For the rest of the session the window of
a local server is taken as what it seems to be, so that nothing is lost any more.
"""

from __future__ import annotations

from kram.config import window_advice
from kram.events import Notice
from kram.messages import Completion, CompletionRequest
from kram.providers import nearby

from .bench import Bench


def weigh(bench: Bench, request: CompletionRequest, completion: Completion, model: str) -> None:
    """Takes in the usage of a whole answer of `provider/model`."""
    if not completion.finished or not completion.usage_reported or not model:
        return
    seen = bench.estimator.observe(model, request, completion.usage, session=bench.record.session_id)
    if not seen.cut:
        return
    provider = bench.gateway.roster.providers.get(model.partition("/")[0])
    known = bench.gateway.roster.model(model)
    # A vendor that counts oddly must not cost the person their session's detail: only a server whose window nobody told is
    # believed to have just that much.
    unknown = provider is not None and nearby(provider) and known is not None and not known.context_window
    if unknown:
        bench.record.refused(model, likely_window(seen.reported))
    if not seen.first_cut:
        return
    kept = f" kram keeps below {likely_window(seen.reported):,} in this session." if unknown else ""
    advice = window_advice(provider.name, provider.base_url) if provider and nearby(provider) else ""
    bench.emit(
        Notice(
            level="warning",
            text=f"{model} seems to have cut the prompt without a word: about {seen.counted:,} tokens were sent, it reports "
            f"{seen.reported:,}.{kept} {advice}".strip(),
        )
    )


def likely_window(reported: int) -> int:
    """Windows are powers of two nearly everywhere; the smallest that holds what was reported."""
    return 1 << max(0, reported - 1).bit_length()
