"""An artifact to read: the whole of an output that was too long, in pieces that are fetched when they are opened."""

from __future__ import annotations

from functools import partial

from kram.runtime import Runtime
from kram.tui.blocks import Block, SectionBlock

PIECE_BYTES = 65_536
MAX_PIECES = 200


def artifact_blocks(runtime: Runtime, artifact_id: str) -> list[Block]:
    """Raises `NoArtifact` where there is none (any more)."""
    info = runtime.artifact(artifact_id)
    pieces = -(-info.size // PIECE_BYTES)
    blocks: list[Block] = [SectionBlock("head", f"{info.tool} · {info.id}", f"{info.size:,} bytes")]
    for number in range(min(pieces, MAX_PIECES)):
        start = number * PIECE_BYTES
        end = min(info.size, start + PIECE_BYTES)
        text = partial(_piece, runtime, artifact_id, start, end)
        blocks.append(SectionBlock(f"piece:{number}", f"bytes {start:,} to {end:,}", "", text))
    if pieces > MAX_PIECES:
        blocks.append(
            SectionBlock("more", f"and {pieces - MAX_PIECES} pieces more; the model's artifact_read reads them")
        )
    if len(blocks) == 2:
        blocks[1].toggle()
    return blocks


def _piece(runtime: Runtime, artifact_id: str, start: int, end: int) -> str:
    """Whole lines: the one that began in the piece before belongs there, the last one is read to its end."""
    text = runtime.artifact_text(artifact_id, start, end)
    if start and "\n" in text:
        text = text[text.index("\n") + 1 :]
    if not text.endswith("\n"):
        rest = runtime.artifact_text(artifact_id, end, end + PIECE_BYTES)
        text += rest[: rest.index("\n")] if "\n" in rest else rest
    return text
