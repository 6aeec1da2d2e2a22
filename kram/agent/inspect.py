"""The next request as a person may read it: the parts it is made of, and the very body that would be sent."""

from __future__ import annotations

from kram.base import Data, Json
from kram.context import Prompt
from kram.messages import CompletionRequest, to_plain
from kram.providers import ProviderError

from .bench import Bench
from .framing import frame, view_of
from .step import build_request


class Inspection(Data):
    """`body` is the JSON that `model` would get (keys travel in headers and are not in it), None where nobody can answer;
    `tokens` the whole request by our estimate. `prompt.dynamic_boundary` system parts stay the same between calls."""

    model: str
    prompt: Prompt
    request: CompletionRequest
    tokens: int
    body: Json | None = None


def inspect_request(bench: Bench) -> Inspection:
    """What the next model call would send now, built by the same steps. Nothing is sent or stored."""
    around = frame(bench, bench.combo())
    view = view_of(bench, around)
    request = build_request(view, around, final=False, trace_id=bench.record.session_id)
    body: Json | None = None
    if around.model.provider in bench.gateway.roster.providers:
        try:
            body = to_plain(bench.gateway.provider(around.model.provider).body(request, around.model))
        except ProviderError:
            body = None
    return Inspection(
        model=around.model.name,
        prompt=around.prompt,
        request=request,
        tokens=view.tokens + around.plan.fixed,
        body=body,
    )
