"""Runs the interface: builds the runtime once the first frame stands, and says afterwards how to come back."""

from __future__ import annotations

import os
from pathlib import Path

from kram.events import UserPort
from kram.runtime import Options, Runtime

HUNG_UP = 129


def run_screen(
    root: Path, options: Options, prompt: str, *, pick_session: bool = False, closing_panel: str = ""
) -> int:
    """The exit code. `pick_session` opens the session list first; `closing_panel` opens a panel after the first turn."""
    # Textual paints at most this often; at its usual 60 a key waits a frame longer while a reply streams in.
    os.environ.setdefault("TEXTUAL_FPS", "120")
    from kram.tui.run import run_tui

    opened: list[Runtime] = []

    async def open_runtime(user: UserPort) -> Runtime:
        runtime = await Runtime.open(root, options, user=user)
        opened.append(runtime)
        return runtime

    code = run_tui(
        open_runtime,
        initial_prompt=prompt,
        theme=options.theme,
        pick_session=pick_session,
        closing_panel=closing_panel,
    )
    if code == HUNG_UP:
        # Python would try to write to the dead terminal once more on its way out.
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    elif opened and opened[0].used and not options.isolated:
        print(f"To go on: kram --resume {opened[0].session.id}")
    return code
