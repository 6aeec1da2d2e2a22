"""Tracing through OpenTelemetry, the extra `kram[tracing]`: used where the environment names an endpoint, else not even imported.

Spans are `kram.Turn`, `kram.Shaper.Build` and `kram.streamChat`; where they go, the standard `OTEL_*` variables say.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from kram.base import NoTracer, Span, Tracer
from kram.base.tracing import Value

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
EXPORTER = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
PREFIX = "kram"

log = logging.getLogger(__name__)


class _OtelSpan:
    def __init__(self, span: Any) -> None:
        self._span = span

    def set(self, **attributes: Value) -> None:
        self._span.set_attributes(attributes)

    def failed(self, reason: str) -> None:
        from opentelemetry.trace import Status, StatusCode

        self._span.set_status(Status(StatusCode.ERROR, reason))


class OtelTracer:
    """`tracer` is OpenTelemetry's; every span's name begins with `prefix`."""

    def __init__(self, tracer: Any, prefix: str = PREFIX) -> None:
        self._tracer = tracer
        self._prefix = prefix

    def span(self, name: str, **attributes: Value) -> AbstractContextManager[Span]:
        return self._open(f"{self._prefix}.{name}", attributes)

    @contextmanager
    def _open(self, name: str, attributes: Mapping[str, Value]) -> Iterator[Span]:
        with self._tracer.start_as_current_span(name, attributes=dict(attributes)) as span:
            yield _OtelSpan(span)


def tracer_for(env: Mapping[str, str]) -> Tracer:
    """A tracer where an endpoint is named and the packages are there; else one that measures nothing, with a word in the log."""
    if not any(env.get(name) for name in ENDPOINTS):
        return NoTracer()
    try:
        found = importlib.util.find_spec(EXPORTER)
    except ModuleNotFoundError:
        found = None
    if found is None:
        log.warning(
            "an OpenTelemetry endpoint is named, but its packages are not installed: pip install 'kram[tracing]'"
        )
        return NoTracer()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": env.get("OTEL_SERVICE_NAME") or PREFIX}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return OtelTracer(provider.get_tracer(PREFIX))
