"""Markdown: what was said as it is, calls as fenced blocks, diffs as diffs. Fences are longer than any inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kram.base import iso_utc, one_line, visible
from kram.messages import Entry, ImageBlock, Kind

from .pieces import Called, Exported, Said, pieces

_TICKS = re.compile(r"`{3,}")


def as_markdown(exported: Exported) -> str:
    info = exported.info
    head = [
        f"# {exported.title}",
        f"*{iso_utc(info.created_at)[:10]} · {', '.join(exported.models) or 'no model'} · {info.id}*",
    ]
    body = [
        part
        for piece in pieces(exported.entries)
        for part in (_call(piece) if isinstance(piece, Called) else _said(piece))
    ]
    return "\n\n".join([*head, *body]) + "\n"


def _said(piece: Said) -> Iterator[str]:
    one, text = piece.entry, visible(piece.entry.content).strip()
    match one.kind:
        case Kind.USER:
            yield "## You"
        case Kind.ASSISTANT:
            yield f"## {one_line(one.model, 80) or 'Assistant'}"
        case Kind.COMPACTION:
            yield "## Summary of what came before"
        case Kind.TOOL_RESULT:
            yield fenced(text)
            return
        case _:
            yield f"> *{one_line(one.tag or one.kind, 40)}:* {one_line(text, 2_000)}"
            return
    if text:
        yield text
    yield from _pictures(one)


def _call(piece: Called) -> Iterator[str]:
    mark = "✗" if piece.failed else "✓"
    yield f"**{mark} {one_line(piece.call.tool_name, 80)}**{f' `{_plain(piece.subject)}`' if piece.subject else ''}"
    if not piece.diff:
        yield fenced(visible(_arguments(piece)), "json")
    if piece.diff:
        yield fenced(visible(piece.diff), "diff")
    yield fenced(visible(piece.output))


def _arguments(piece: Called) -> str:
    return json.dumps(piece.arguments, ensure_ascii=False, indent=1) if piece.arguments else piece.call.content


def _pictures(one: Entry) -> Iterator[str]:
    for part in one.parts:
        if isinstance(part, ImageBlock):
            yield f"*[picture: {one_line(part.media_type, 40)}]*"


def _plain(text: str) -> str:
    return text.replace("`", "'")


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence no line of the text can close."""
    longest = max((len(match.group()) for match in _TICKS.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"
