"""`/artifacts`: the outputs that were too long to show, as plain text for every front end."""

from __future__ import annotations

import time
from typing import Protocol

from kram.base import UsageError, iso_utc
from kram.workspace import KEPT_DAYS, ArtifactInfo, NoArtifact

SHOWN_BYTES = 8_000


class Keeping(Protocol):
    """The part of the runtime this command uses."""

    def artifact_list(self, *, everywhere: bool = False) -> list[ArtifactInfo]: ...
    def artifact_text(self, artifact_id: str, start: int, end: int) -> str: ...


async def artifacts_command(session: Keeping, args: str) -> str:
    """`/artifacts` of this session, `/artifacts all`, or the beginning of one."""
    if args and args != "all":
        try:
            return session.artifact_text(args, 0, SHOWN_BYTES)
        except NoArtifact as failure:
            raise UsageError(str(failure), todo="/artifacts lists them") from failure
    found = session.artifact_list(everywhere=args == "all")
    rows = [f"{one.id}  {artifact_note(one)}" for one in found]
    return "\n".join(rows) or f"No output was kept. Long ones are, for {KEPT_DAYS} days."


def artifact_note(one: ArtifactInfo) -> str:
    """Whose it is, its size, and how long it is kept."""
    left_h = max(0, (one.created_at + KEPT_DAYS * 86_400 * 10**9 - time.time_ns()) // (3_600 * 10**9))
    left = f"{left_h // 24} days" if left_h >= 48 else f"{left_h} h"
    return f"{one.tool} · {one.size:,} bytes · {iso_utc(one.created_at)[:16].replace('T', ' ')} · kept {left} more"
