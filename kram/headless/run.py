"""`kram -p`: one turn, or with `--input-format stream-json` as many as stdin brings. Nobody is ever prompted."""

from __future__ import annotations

import msgspec

from kram.base import JsonView
from kram.events import TurnResult
from kram.runtime import Runtime

from .printer import Printer
from .schema import ATTEMPTS, fitting_answer, schema_prompt


async def run_print(runtime: Runtime, prompt: str, printer: Printer, *, schema: JsonView | None = None) -> int:
    """Runs one prompt and returns the exit code."""
    runtime.subscribe(printer.event)
    printer.session(runtime)
    result = await (runtime.send(prompt) if schema is None else _send_for_schema(runtime, prompt, schema))
    printer.result(result)
    return result.exit_code


async def _send_for_schema(runtime: Runtime, prompt: str, schema: JsonView) -> TurnResult:
    """Asks again, with what was wrong, while attempts are left."""
    result = await runtime.send(f"{prompt}\n\n{schema_prompt(schema)}")
    for attempt in range(1, ATTEMPTS + 1):
        if result.subtype != "success":
            return result
        text, problem = fitting_answer(result.text, schema)
        if not problem:
            return msgspec.structs.replace(result, text=text)
        if attempt == ATTEMPTS:
            break
        result = await runtime.send(
            f"Your answer does not fit the schema: {problem}. Answer again with the JSON value alone."
        )
    return msgspec.structs.replace(
        result, subtype="error", exit_code=1, error=f"No answer fitted the schema: {problem}"
    )
