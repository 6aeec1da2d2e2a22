"""Inline Markdown as styled spans. Links go to the terminal only for http and https, percent-encoded; everything else is text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from markdown_it.token import Token
from rich.style import Style

from kram.tui.lines import Look, Span

from .parser import parse_inline

_BOLD = Style(bold=True)
_ITALIC = Style(italic=True)
_STRIKE = Style(strike=True)
_BARE_URL = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,:;!?)\]}]")
_PLAIN = re.compile(r"[\\`*_\[\]!<&~]|https?://")


def spans(content: str, base: Style, look: Look, env: dict[str, Any] | None = None) -> list[Span]:
    """The spans of one inline text; newlines in it stay line breaks, as a person typed them."""
    if not _PLAIN.search(content):
        return [(content, base)]
    return list(_walk(parse_inline(content, env), base, look))


def safe_link(url: str) -> str:
    """The URL as it may stand in an OSC 8 sequence, "" where it may not be opened from a terminal."""
    if not url.lower().startswith(("http://", "https://")) or len(url) > 2_000:
        return ""
    return quote(url, safe="%/:=&?~#+!$,;'@()*[]-._")


def _walk(tokens: Sequence[Token], base: Style, look: Look) -> Iterable[Span]:
    stack = [base]
    for token in tokens:
        style = stack[-1]
        match token.type:
            case "text" | "text_special" | "html_inline":
                yield from _text(token.content, style, look, linked=style.link is not None)
            case "code_inline":
                yield token.content, look.inline_code
            case "softbreak" | "hardbreak":
                yield "\n", style
            case "strong_open":
                stack.append(style + _BOLD)
            case "em_open":
                stack.append(style + _ITALIC)
            case "s_open":
                stack.append(style + _STRIKE)
            case "link_open":
                link = safe_link(str(token.attrGet("href") or ""))
                stack.append(style + look.link + Style(link=link) if link else style)
            case "link_close":
                linked = stack.pop()
                yield from _target(tokens, token, linked, look)
            case "strong_close" | "em_close" | "s_close":
                stack.pop()
            case "image":
                yield f"[image: {token.content or token.attrGet('src') or ''}]", style + look.muted
            case _:
                if token.content:
                    yield token.content, style


def _target(tokens: Sequence[Token], close: Token, linked: Style, look: Look) -> Iterable[Span]:
    """Where a link leads, said behind its text unless the text says it: nobody should have to trust a label."""
    at = next(index for index, token in enumerate(tokens) if token is close)
    opened = next((token for token in reversed(tokens[:at]) if token.type == "link_open"), None)
    href = str(opened.attrGet("href") or "") if opened else ""
    label = "".join(token.content for token in tokens[:at] if token.type in ("text", "code_inline"))
    if href and href not in label and opened is not None and opened.info != "auto":
        yield f" ({href})", look.muted


def _text(text: str, style: Style, look: Look, *, linked: bool) -> Iterable[Span]:
    if linked or "://" not in text:
        yield text, style
        return
    at = 0
    for found in _BARE_URL.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], style
        yield found.group(), style + look.link + Style(link=safe_link(found.group()))
        at = found.end()
    if at < len(text):
        yield text[at:], style
