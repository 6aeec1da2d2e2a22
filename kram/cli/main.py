"""The entry point: the first frame before anything heavy, then the command line."""

from __future__ import annotations

import os
import sys

COMMANDS = ("chat", "demo", "sessions", "models", "config", "doctor", "tools", "permissions", "serve")


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    from .arguments import arranged, wants_screen

    argv = sys.argv[1:]
    if wants_screen(argv, COMMANDS) and os.isatty(0) and os.isatty(1):
        # The first frame is on the screen before anything heavy is imported; what is typed meanwhile is kept.
        from kram.tui.firstframe import paint

        paint()
    from .app import app

    app(args=arranged(argv, COMMANDS), prog_name="kram")
