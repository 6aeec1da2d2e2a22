"""`/export` and `/import` as plain text, for every front end."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from kram.base import UsageError
from kram.sessions.export import FORMATS, format_of

from .transfer import Taken


class Transferring(Protocol):
    """The part of the runtime these commands use."""

    def export(self, form: str = "md", path: str = "") -> Path: ...

    def import_session(self, path: str) -> Taken: ...


async def export_command(session: Transferring, args: str) -> str:
    """`/export`, `/export html`, `/export notes.html`, `/export json copy.txt`."""
    first, _, rest = args.partition(" ")
    if not args:
        form, path = "md", ""
    elif first in FORMATS or first == "markdown":
        form, path = first, rest.strip()
    else:
        form, path = format_of(args), args
    return f"Written to {session.export(form, path)}"


async def import_command(session: Transferring, args: str) -> str:
    if not args:
        raise UsageError(
            "An import needs a file", todo="/import FILE: a kram export, a Claude Code session, a Codex rollout"
        )
    return session.import_session(args).told()
