"""One call by hand, outside of any turn: the same gate, the same record."""

from __future__ import annotations

import json

from kram.base import Json, JsonView
from kram.messages import Completion, ToolUseBlock

from .bench import Bench
from .calls import prepare_calls
from .entries import answer_entries
from .tool_runner import Batch, run_calls


async def run_single(bench: Bench, name: str, arguments: JsonView) -> Json:
    """Runs a tool and returns `{"tool", "ok", "verdict", "result", "error", "artifact", "duration_ms"}`."""
    block = ToolUseBlock(id="", name=name, arguments=json.dumps(dict(arguments)))
    (call,) = prepare_calls(Completion(content=(block,)), bench.registry, bench.record.call_ids())
    bench.record.append(*answer_entries(Completion(content=(block,)), [call.written]))
    batch = Batch([call])
    await run_calls(bench, batch)
    (ran,) = batch.finished
    result = ran.result
    return {
        "tool": name,
        "ok": not result.is_error,
        "verdict": "deny" if ran.denied else "allow",
        "result": None if result.is_error else result.text,
        "error": result.text if result.is_error else None,
        "artifact": result.details.get("artifact"),
        "duration_ms": ran.duration_ms,
    }
