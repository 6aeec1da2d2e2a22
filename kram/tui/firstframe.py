"""The first frame, by plain escape codes, before anything heavy is imported; keys typed from then on reach the prompt.

The terminal is put into raw mode, so the kernel keeps every key until the interface reads it. `restore` undoes all of it
and is safe to call at any time, any number of times. Imports nothing but the standard library.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import termios
import tty
from contextlib import suppress
from typing import Any


class _Terminal:
    """The one terminal of this process: what it was like before it was touched."""

    saved: list[Any] | None = None


def paint() -> None:
    """Draws an empty session. Any failure costs the early frame only."""
    try:
        _Terminal.saved = termios.tcgetattr(0)
        tty.setraw(0, termios.TCSANOW)
        atexit.register(restore)
        size = shutil.get_terminal_size()
        rule = "─" * size.columns
        rows = max(1, size.lines - 2)
        line = f"\x1b[{rows - 1};1H\x1b[38;2;120;66;255m{rule}"
        mark = f"\x1b[{rows};2H\x1b[38;2;2;236;255m›\x1b[0m "
        os.write(1, f"\x1b[?1049h\x1b[2J{line}{mark}".encode())
    except (OSError, termios.error, ValueError):
        restore()


def restore() -> None:
    """The terminal as it was found: cooked, main screen, cursor shown, no mouse, no paste mode."""
    saved, _Terminal.saved = _Terminal.saved, None
    if saved is None:
        return
    with suppress(OSError):
        sys.stdout.flush()
        os.write(1, b"\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b[0m")
    with suppress(OSError, termios.error):
        termios.tcsetattr(0, termios.TCSANOW, saved)
