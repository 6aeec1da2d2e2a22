"""One HTML page that needs nothing else: no script, no address it loads from, every text of the session escaped.

The page's own policy forbids loading as well, so that a mistake here could not be used. Outputs are folded, diffs coloured.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any

from kram.base import iso_utc, one_line, visible
from kram.messages import Entry, ImageBlock, Kind, ThinkingBlock, Usage

from .html_style import STYLE
from .pieces import Called, Exported, Said, pieces

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def as_html(exported: Exported) -> str:
    title = _text(exported.title)
    body = "\n".join(part for piece in pieces(exported.entries) for part in _piece(piece))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="kram">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="about">{_text(_about(exported))}</p>
{body}
</main>
</body>
</html>
"""


def _about(exported: Exported) -> str:
    usage = sum((one.usage for one in exported.entries if one.usage), start=Usage())
    parts = [iso_utc(exported.info.created_at)[:16].replace("T", " "), *exported.models, exported.info.id]
    if usage.total:
        parts.append(f"{usage.input} tokens in, {usage.output} out")
    if usage.cost_usd:
        parts.append(f"${usage.cost_usd:.4f}")
    return " · ".join(one_line(part, 200) for part in parts)


def _piece(piece: Said | Called) -> Iterator[str]:
    if isinstance(piece, Called):
        yield from _thoughts(piece.call)
        yield _call(piece)
        return
    one = piece.entry
    yield from _thoughts(one)
    match one.kind:
        case Kind.USER:
            yield f'<section class="said user"><div class="who">You</div><div class="plain">{_text(one.content)}</div>'
            yield from _pictures(one)
            yield "</section>"
        case Kind.ASSISTANT:
            if one.content.strip():
                who = _text(one_line(one.model, 80) or "Assistant")
                yield f'<section class="said"><div class="who">{who}</div>{_markdown(one.content)}</section>'
        case Kind.COMPACTION:
            yield _folded("Summary of what came before", _markdown(one.content))
        case Kind.TOOL_RESULT:
            yield _folded("Result", f"<pre>{_text(one.content)}</pre>")
        case _:
            yield f'<p class="note">{_text(one_line(one.tag or one.kind, 40))}: {_text(one.content)}</p>'


def _call(piece: Called) -> str:
    mark = '<span class="bad">✗</span>' if piece.failed else '<span class="good">✓</span>'
    name = f'<span class="name">{_text(one_line(piece.call.tool_name, 80))}</span>'
    subject = f" <code>{_text(piece.subject)}</code>" if piece.subject else ""
    took = piece.result.details.get("duration_ms") if piece.result else None
    time = f' <span class="soft">{took} ms</span>' if isinstance(took, int) else ""
    inner = _diff(piece.diff) if piece.diff else f"<pre>{_text(_arguments(piece))}</pre>"
    pictures = "".join(_pictures(piece.result)) if piece.result else ""
    return (
        f"<details{' open' if piece.diff else ''}><summary>{mark} {name}{subject}{time}</summary>"
        f"{inner}<pre>{_text(piece.output)}</pre>{pictures}</details>"
    )


def _arguments(piece: Called) -> str:
    return json.dumps(piece.arguments, ensure_ascii=False, indent=1) if piece.arguments else piece.call.content


def _diff(diff: str) -> str:
    rows = "".join(f'<span class="{_row_class(row)}">{_text(row)}</span>' for row in diff.splitlines())
    return f'<pre class="diff">{rows}</pre>'


def _row_class(row: str) -> str:
    if row.startswith(("+++", "---", "@@", "diff ", "index ")):
        return "hunk"
    return {"+": "add", "-": "del"}.get(row[:1], "same")


def _thoughts(one: Entry) -> Iterator[str]:
    text = "\n\n".join(part.thinking for part in one.parts if isinstance(part, ThinkingBlock) and part.thinking.strip())
    if text:
        yield _folded("Thinking", f'<div class="plain">{_text(text)}</div>')


def _pictures(one: Entry) -> Iterator[str]:
    """Pictures that are in the session; an address elsewhere is named and not loaded."""
    for part in one.parts:
        if not isinstance(part, ImageBlock):
            continue
        if part.media_type in IMAGE_TYPES and _is_base64(part.data):
            yield f'<p><img alt="picture" src="data:{part.media_type};base64,{part.data}"></p>'
        else:
            yield f'<p class="note">[picture: {_text(one_line(part.url or part.media_type, 200))}]</p>'


def _folded(title: str, inner: str) -> str:
    return f'<details><summary><span class="soft">{_text(title)}</span></summary>{inner}</details>'


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _markdown(text: str) -> str:
    """Rendered by a parser that takes HTML for text, refuses links that run something, and loads no picture."""
    return f"<div>{_parser().render(visible(text))}</div>"


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def _is_base64(data: str) -> bool:
    try:
        return bool(data) and bool(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return False
