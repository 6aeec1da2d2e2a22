"""A command's output as the model gets it: filtered; where it is too long, its ends and its trouble, and where the rest is.

Nothing is lost: whatever is hidden can be read from an artifact.
"""

from __future__ import annotations

import asyncio

from kram.base import Data, visible
from kram.tools.context import ToolContext
from kram.workspace import (
    TROUBLE_PATTERN,
    BadPattern,
    Capture,
    Filtered,
    FoundLine,
    NoArtifact,
    filter_output,
    text_of,
)

INLINE_BYTES = 50_000
PREVIEW_HEAD_CHARS = 4_000
PREVIEW_TAIL_CHARS = 8_000
TROUBLE_SHOWN = 20
TROUBLE_CHARS = 200
MAX_SEARCHED_BYTES = 50_000_000
SEARCH_TIMEOUT_S = 3.0
NO_OUTPUT = "(no output)"


class Shown(Data):
    """The text for the model and the artifact that holds the whole, "" where the text does."""

    text: str
    artifact: str = ""
    hidden_lines: int = 0


async def shown(capture: Capture, command: str, context: ToolContext, tool: str) -> Shown:
    """Takes what was captured; its file is gone or an artifact afterwards."""
    if not capture.spilled:
        filtered = filter_output(text_of(capture.head()), command)
        if _size(filtered.text) <= INLINE_BYTES:
            return await _short(capture, filtered, context, tool)
    return await _long(capture, command, context, tool)


async def _short(capture: Capture, filtered: Filtered, context: ToolContext, tool: str) -> Shown:
    if not filtered.hidden_lines:
        return Shown(text=filtered.text or NO_OUTPUT)
    artifact = await _keep(capture, context, tool)
    note = f"\n[filtered; the whole output: artifact_read {artifact}]" if artifact else ""
    return Shown(text=filtered.text + note, artifact=artifact, hidden_lines=filtered.hidden_lines)


async def _long(capture: Capture, command: str, context: ToolContext, tool: str) -> Shown:
    head, tail, hidden = capture.head(), capture.tail(), capture.hidden_bytes
    if hidden:
        first = filter_output(text_of(head, cut_end=True), command)
        last = filter_output(text_of(tail, cut_start=True), command)
    else:
        first = last = filter_output(text_of(head + tail), command)
    artifact = await _keep(capture, context, tool)
    where = _where(capture, artifact)
    if not hidden and len(first.text) <= PREVIEW_HEAD_CHARS + PREVIEW_TAIL_CHARS:
        return Shown(text=f"{first.text}\n{where}", artifact=artifact, hidden_lines=first.hidden_lines)
    trouble = await _trouble(capture, artifact, context)
    parts = [_head(first.text), "[… the middle is hidden …]"]
    if trouble:
        parts += ["[lines in it that look like trouble:]", *trouble]
        parts.append("[… and so on to the end …]")
    parts += [_tail(last.text), where]
    return Shown(text="\n".join(parts), artifact=artifact, hidden_lines=first.hidden_lines + last.hidden_lines)


async def _keep(capture: Capture, context: ToolContext, tool: str) -> str:
    """The artifact's id, "" where it could not be stored."""
    source = capture.take_file() or (None if capture.spilled else capture.head())
    if source is None:
        return ""
    try:
        return await asyncio.to_thread(
            context.artifacts.put, source, session_id=context.session_id, call_id=context.call_id, tool=tool
        )
    except OSError as failure:
        capture.problem = f"it could not be saved: {failure.strerror}"
        return ""


def _where(capture: Capture, artifact: str) -> str:
    size = f"{capture.total_bytes} bytes of output"
    if not artifact:
        return f"[{size}, too long to show whole; {capture.problem or 'it could not be saved'}]"
    saved = f"; {capture.problem}" if capture.problem else ""
    return (
        f"[{size}, too long to show whole{saved}. Read on with artifact_read {artifact}: offset and limit, or search]"
    )


async def _trouble(capture: Capture, artifact: str, context: ToolContext) -> list[str]:
    """The first lines between the shown ends that look like why something went wrong."""
    if not artifact or capture.file_bytes > MAX_SEARCHED_BYTES:
        return []
    try:
        async with asyncio.timeout(SEARCH_TIMEOUT_S):
            found = await context.artifacts.search(artifact, TROUBLE_PATTERN, ignore_case=True, limit=1_000)
    except (BadPattern, NoArtifact, TimeoutError):
        return []
    between = [one for one in found if PREVIEW_HEAD_CHARS < one.offset < capture.total_bytes - PREVIEW_TAIL_CHARS]
    rows = [_row(one) for one in between[:TROUBLE_SHOWN]]
    if len(between) > TROUBLE_SHOWN:
        rows.append(f"[at least {len(between) - TROUBLE_SHOWN} more]")
    return rows


def _row(found: FoundLine) -> str:
    return f"{found.line}: {visible(found.text[:TROUBLE_CHARS], keep_newlines=False)}"


def _head(text: str) -> str:
    """Whole lines where that is possible."""
    if len(text) <= PREVIEW_HEAD_CHARS:
        return text
    cut = text.rfind("\n", PREVIEW_HEAD_CHARS // 2, PREVIEW_HEAD_CHARS)
    return text[: cut if cut > 0 else PREVIEW_HEAD_CHARS]


def _tail(text: str) -> str:
    if len(text) <= PREVIEW_TAIL_CHARS:
        return text
    cut = text.find("\n", len(text) - PREVIEW_TAIL_CHARS, len(text) - PREVIEW_TAIL_CHARS // 2)
    return text[cut + 1 if cut > 0 else len(text) - PREVIEW_TAIL_CHARS :]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
