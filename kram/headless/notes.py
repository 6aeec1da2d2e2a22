"""What a person should know before a run without a screen starts: said as notices, so on stderr or as events."""

from __future__ import annotations

from kram.events import Notice
from kram.runtime import Runtime

HOW_TO_TRUST = "`kram config trust` does that for good, --trust for one run"


async def tell_notes(runtime: Runtime) -> None:
    notes = runtime.notes()
    if untrusted := await runtime.trust_note():
        notes.append(f"{untrusted} ({HOW_TO_TRUST})")
    for note in notes:
        runtime.emit(Notice(text=note, level="warning"))
