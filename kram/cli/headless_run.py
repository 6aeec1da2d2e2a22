"""Runs `kram -p`: stdin in, the answer or JSON out, SIGINT and SIGTERM as an interruption."""

from __future__ import annotations

import asyncio
import json
import select
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from kram.base import Interrupted, JsonView, KramError, UsageError
from kram.headless import Format, NobodyUser, Printer, check_schema, failure_object, run_feed, run_print
from kram.runtime import Options, Runtime

STDIN_WAIT_S = 3.0
"""How long a prompt on the command line waits for a first byte on an open pipe."""


def run_headless(
    root: Path,
    options: Options,
    prompt: str,
    *,
    output: Format,
    feed: bool,
    partial: bool,
    schema_file: Path | None,
) -> int:
    """The exit code. With JSON output even a run that cannot start prints its one result object."""
    printer = Printer(output, _out, _err, partial=partial, to_screen=sys.stdout is not None and sys.stdout.isatty())
    try:
        schema = _schema(schema_file)
        text = prompt if feed else _with_stdin(prompt)
        if not text and not feed:
            raise UsageError("No prompt", todo='Give one: kram -p "…", or pipe it in')
        return asyncio.run(_run(root, options, text, printer, feed=feed, schema=schema))
    except asyncio.CancelledError:
        return Interrupted.exit_code
    except KramError as failure:
        if output != "text":
            printer.object(failure_object(str(failure)))
        raise


async def _run(
    root: Path, options: Options, prompt: str, printer: Printer, *, feed: bool, schema: JsonView | None
) -> int:
    runtime = await Runtime.open(root, options, user=None if feed else NobodyUser())
    loop = asyncio.get_running_loop()
    whole = asyncio.current_task()

    def stop() -> None:
        """The turn first; without one, or asked again, the whole run."""
        if not runtime.interrupt() and whole is not None:
            whole.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        if feed:
            return await run_feed(runtime, _stdin_lines(), printer, prompt=prompt)
        return await run_print(runtime, prompt, printer, schema=schema)
    finally:
        await runtime.close()


def _with_stdin(prompt: str) -> str:
    """What is piped in follows the prompt. A pipe that stays silent is not waited for when there is a prompt already."""
    if sys.stdin is None or sys.stdin.isatty():
        return prompt
    if prompt and not select.select([sys.stdin], [], [], STDIN_WAIT_S)[0]:
        _err("kram: nothing came on stdin; going on with the prompt alone\n")
        return prompt
    piped = sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    return "\n\n".join(part for part in (prompt, piped) if part)


async def _stdin_lines() -> AsyncIterator[bytes]:
    """Lines end at LF only."""
    reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    while line := await reader.readline():
        yield line


def _schema(path: Path | None) -> JsonView | None:
    if path is None:
        return None
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as failure:
        raise UsageError(f"Cannot read the schema: {failure}", where=str(path)) from failure
    return check_schema(value, str(path))


def _out(text: str) -> None:
    """Raises `BrokenPipeError` when the reader is gone, `KramError` when stdout cannot be written otherwise."""
    if sys.stdout is None:
        raise KramError("The answer cannot be written: stdout is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as failure:
        raise KramError(f"The answer cannot be written: {failure.strerror}") from failure


def _err(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
