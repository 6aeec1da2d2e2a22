"""`kram -p`: one turn, or with `--input-format stream-json` as many as stdin brings. Nobody is ever prompted."""

from __future__ import annotations

import msgspec

from kram.base import JsonView
from kram.events import TurnResult
from kram.messages import Usage
from kram.runtime import Runtime

from .notes import tell_notes
from .printer import Printer
from .schema import ATTEMPTS, fitting_answer, schema_prompt


async def run_print(runtime: Runtime, prompt: str, printer: Printer, *, schema: JsonView | None = None) -> int:
    """Runs one prompt and returns the exit code."""
    runtime.subscribe(printer.event)
    printer.session(runtime)
    await tell_notes(runtime)
    result = await (runtime.send(prompt) if schema is None else _send_for_schema(runtime, prompt, schema))
    printer.result(result)
    return result.exit_code


async def _send_for_schema(runtime: Runtime, prompt: str, schema: JsonView) -> TurnResult:
    """Asks again, with what was wrong, while attempts are left."""
    results = [await runtime.send(f"{prompt}\n\n{schema_prompt(schema)}")]
    while results[-1].subtype == "success":
        text, problem = fitting_answer(results[-1].text, schema)
        if not problem:
            return msgspec.structs.replace(summed(results), text=text)
        if len(results) == ATTEMPTS:
            error = f"No answer fitted the schema: {problem}"
            return msgspec.structs.replace(summed(results), subtype="error", exit_code=1, error=error)
        again = f"Your answer does not fit the schema: {problem}. Answer again with the JSON value alone."
        results.append(await runtime.send(again))
    return summed(results)


def summed(results: list[TurnResult]) -> TurnResult:
    """The last result with what all of them used."""
    return msgspec.structs.replace(
        results[-1],
        usage=sum((result.usage for result in results), start=Usage()),
        model_calls=sum(result.model_calls for result in results),
        tool_calls=tuple(call for result in results for call in result.tool_calls),
        compactions=sum(result.compactions for result in results),
        duration_ms=sum(result.duration_ms for result in results),
        route=tuple(route for result in results for route in result.route),
    )
