"""Runs the interface and leaves the terminal as it was, whatever ends it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

from kram.events import UserPort
from kram.runtime import Runtime

from . import firstframe
from .app import KramApp


def run_tui(
    open_runtime: Callable[[UserPort], Awaitable[Runtime]],
    *,
    initial_prompt: str = "",
    theme: str = "",
    own_themes: Path | None = None,
    pick_session: bool = False,
    closing_panel: str = "",
) -> int:
    """The exit code. Raises the `KramError` that kept the runtime from opening, once the terminal is plain again."""
    app = KramApp(
        open_runtime,
        initial_prompt=initial_prompt,
        theme=theme,
        own_themes=own_themes,
        pick_session=pick_session,
        closing_panel=closing_panel,
    )
    try:
        return asyncio.run(_run(app))
    finally:
        firstframe.restore()


async def _run(app: KramApp) -> int:
    opened: list[Runtime] = []
    open_runtime = app.open_runtime

    async def remembered(user: UserPort) -> Runtime:
        runtime = await open_runtime(user)
        opened.append(runtime)
        return runtime

    app.open_runtime = remembered
    loop = asyncio.get_running_loop()
    codes = {signal.SIGTERM: 143, signal.SIGHUP: 129}
    for number, code in codes.items():
        loop.add_signal_handler(number, app.exit, code)
    try:
        ended = await app.run_async()
    finally:
        for runtime in opened:
            await runtime.close()
    if app.failure is not None:
        firstframe.restore()
        raise app.failure
    return ended or 0
