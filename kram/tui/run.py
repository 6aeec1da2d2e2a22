"""Runs the interface and leaves the terminal as it was, whatever ends it."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from kram.base import KramError
from kram.base.spawn import kill_all
from kram.events import UserPort
from kram.runtime import Runtime

from . import firstframe
from .app import KramApp

EXIT_S = 2.5
"""How long an orderly end may take after a signal."""


class InterfaceFailed(KramError):
    """An exception in the interface ended it; the session is stored up to then."""

    exit_code = 70

    def __init__(self, cause: BaseException, opened: Sequence[Runtime]) -> None:
        session = opened[0].session.id if opened else ""
        super().__init__(
            f"The interface failed: {type(cause).__name__}",
            where=str(opened[0].log_path) if opened else "",
            todo=f"Your session is stored: kram --resume {session}" if session else "Please report it",
        )


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
        loop.add_signal_handler(number, _leave, app, code)
    try:
        ended = await app.run_async()
    finally:
        for runtime in opened:
            await runtime.close()
    if app.failure is not None:
        firstframe.restore()
        raise app.failure
    if app.crash is not None:
        firstframe.restore()
        raise InterfaceFailed(app.crash, opened)
    return ended or 0


def _leave(app: KramApp, code: int) -> None:
    """Ends the program in good order, or, where a dead terminal holds it up, without: everything said is on disk already."""
    app.exit(code)
    last_resort = threading.Timer(EXIT_S, _end, (code,))
    last_resort.daemon = True
    last_resort.start()


def _end(code: int) -> None:
    kill_all()
    os._exit(code)
