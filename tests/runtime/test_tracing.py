"""Spans of a turn, as OpenTelemetry's own exporter sees them, and what a run without tracing costs: nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from kram.base import NoTracer
from kram.runtime import Runtime
from kram.runtime.tracing import OtelTracer, tracer_for
from tests.support.opened import opened

TWO_STEPS = """
[[steps]]
calls = [{ name = "list_dir", args = { path = "." } }]
[[steps]]
text = "An empty folder."
usage = { input = 120, output = 7, cache_read = 100 }
"""
BROKEN = '[[steps]]\nfault = { kind = "auth" }\n'


def traced(runtime: Runtime, prefix: str = "kram") -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    house = runtime._house
    house._bench = replace(house.bench, tracer=OtelTracer(provider.get_tracer("test"), prefix))
    return exporter


def by_name(exporter: InMemorySpanExporter) -> dict[str, list[ReadableSpan]]:
    found: dict[str, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        found.setdefault(span.name, []).append(span)
    return found


async def test_calls_and_views_lie_within_their_turn(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO_STEPS) as (runtime, _):
        exporter = traced(runtime)
        await runtime.send("what is here?")
        spans = by_name(exporter)
        (turn,) = spans["kram.Turn"]
        assert turn.context is not None
        assert [len(spans[name]) for name in ("kram.streamChat", "kram.Shaper.Build")] == [2, 2]
        for span in (*spans["kram.streamChat"], *spans["kram.Shaper.Build"]):
            assert span.parent is not None
            assert span.parent.span_id == turn.context.span_id
        last = spans["kram.streamChat"][-1].attributes or {}
        assert (last["tokens_in"], last["tokens_out"], last["tokens_cached"]) == (120, 7, 100)
        assert last["response_chars"] == len("An empty folder.")
        assert (turn.attributes or {})["n_tool_calls"] == 1
        assert (turn.attributes or {})["session_id"] == runtime.session.id


async def test_the_prefix_changes_every_name(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO_STEPS) as (runtime, _):
        exporter = traced(runtime, "agent")
        await runtime.send("what is here?")
        assert set(by_name(exporter)) == {"agent.Turn", "agent.streamChat", "agent.Shaper.Build"}


async def test_a_failing_model_ends_both_spans_with_an_error(tmp_path: Path) -> None:
    async with opened(tmp_path, BROKEN) as (runtime, _):
        exporter = traced(runtime)
        result = await runtime.send("hello")
        assert result.subtype == "error"
        spans = by_name(exporter)
        assert [span.status.status_code for span in spans["kram.Turn"]] == [StatusCode.ERROR]
        assert {span.status.status_code for span in spans["kram.streamChat"]} == {StatusCode.ERROR}


def test_without_an_endpoint_nothing_is_measured() -> None:
    assert isinstance(tracer_for({}), NoTracer)
