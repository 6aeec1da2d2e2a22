"""The terminal: what it says of itself, its size, its character set, and whether a program left it raw."""

from __future__ import annotations

import locale
import os
import shutil
import sys
from collections.abc import Mapping
from functools import partial

from .finding import Finding, finding
from .scene import Scene

COLUMNS, ROWS = 60, 16
"""Below that the interface works, but lines are cut."""

_say = partial(finding, "terminal")


async def check_terminal(scene: Scene) -> list[Finding]:
    rows = [kind(scene.env), characters(scene.env, locale.getpreferredencoding(False))]
    if not (os.isatty(0) and os.isatty(1)) and not scene.on_screen:
        return [*rows, _say("screen", "skipped", "input or output is not a terminal here")]
    columns, lines = shutil.get_terminal_size()
    rows.append(size(columns, lines))
    if not scene.on_screen:
        rows.append(_mode())
    return rows


def kind(env: Mapping[str, str]) -> Finding:
    """TERM and the colours it promises."""
    term, depth = env.get("TERM", ""), env.get("COLORTERM", "")
    inside = next((f" inside {name}" for name, variable in _AROUND if env.get(variable)), "")
    if env.get("NO_COLOR"):
        return _say("kind", "ok", f"{term or 'no TERM'}{inside}, without colours (NO_COLOR)")
    if term in ("", "dumb"):
        return _say(
            "kind",
            "problem",
            f"TERM is {term or 'not set'}: the interface cannot be drawn",
            "export TERM=xterm-256color",
        )
    if depth in ("truecolor", "24bit"):
        return _say("kind", "ok", f"{term}{inside}, 16 million colours")
    if "256" in term or "direct" in term:
        todo = "export COLORTERM=truecolor if this terminal has all colours, as most have"
        return _say("kind", "ok", f"{term}{inside}, 256 colours", todo)
    return _say("kind", "warning", f"{term}{inside}: 16 colours at most", "export TERM=xterm-256color")


_AROUND = (("tmux", "TMUX"), ("screen", "STY"), ("ssh", "SSH_CONNECTION"))


def characters(env: Mapping[str, str], encoding: str) -> Finding:
    named = next((f"{name}={env[name]}" for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "no locale set")
    if encoding.lower().replace("-", "") == "utf8":
        return _say("characters", "ok", f"UTF-8 ({named})")
    return _say(
        "characters", "warning", f"{encoding} ({named}): lines and marks may look wrong", "export LC_ALL=C.UTF-8"
    )


def size(columns: int, lines: int) -> Finding:
    if columns < COLUMNS or lines < ROWS:
        return _say(
            "size", "warning", f"{columns} by {lines} is small", f"{COLUMNS} by {ROWS} or more shows whole lines"
        )
    return _say("size", "ok", f"{columns} by {lines}")


def _mode() -> Finding:
    try:
        import termios

        local = termios.tcgetattr(sys.stdin.fileno())[3]
    except (ImportError, OSError, ValueError):
        return _say("mode", "skipped", "cannot be asked here")
    missing = [
        name
        for name, flag in (("lines", termios.ICANON), ("echo", termios.ECHO), ("signals", termios.ISIG))
        if not local & flag
    ]
    if missing:
        return _say(
            "mode", "problem", f"a program left it without {', '.join(missing)}", "kram doctor --reset-terminal"
        )
    return _say("mode", "ok", "cooked, with echo")
