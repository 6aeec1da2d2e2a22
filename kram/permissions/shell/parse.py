"""Shell text in, what it holds out. Never raises, never runs anything, and bounded by size instead of by time."""

from __future__ import annotations

import logging

from .chars import MAX_CHARS, joined_lines, odd_character
from .model import Parsed
from .rough import suspects
from .tree import count_of, root_of
from .walk import Walk

MAX_NODES = 20_000
MAX_COMMANDS = 500
MAX_WORDS = 3_000
log = logging.getLogger(__name__)


def parse(text: str) -> Parsed:
    """Reads `text`. Whatever limit is met, its commands are still looked for, if only roughly."""
    if len(text) > MAX_CHARS:
        return _unread(text, f"it is longer than {MAX_CHARS} characters")
    try:
        return _read(text)
    except RecursionError:
        return _unread(text, "it is nested too deeply")
    except Exception:
        log.exception("shell text could not be read")
        return _unread(text, "it could not be read")


def _unread(text: str, reason: str) -> Parsed:
    return Parsed(commands=(), opaque=reason, suspects=tuple(suspects(text)))


def _read(text: str) -> Parsed:
    joined = joined_lines(text)
    source = joined.encode("utf-8", "surrogatepass")
    root = root_of(source)
    if count_of(root) > MAX_NODES:
        return _unread(text, "it has too many parts")
    walk = Walk(source)
    walk.statement(root)
    opaque = _objection(text, joined, root.has_error, walk)
    rough: tuple[tuple[str, ...], ...] = ()
    if opaque:
        rough = tuple(suspects(text))
    elif walk.scraps:
        rough = tuple(one for scrap in walk.scraps for one in suspects(scrap))
    return Parsed(
        commands=tuple(walk.commands),
        opaque=opaque,
        loose=walk.loose,
        skeleton=() if opaque or walk.loose else tuple(walk.skeleton),
        suspects=rough,
    )


def _objection(text: str, joined: str, broken: bool, walk: Walk) -> str:
    if odd := odd_character(text):
        return f"it holds the character {odd}"
    if broken:
        return "it does not parse"
    if "\\\n" in joined:
        return "a line is continued where it cannot be joined"
    if len(walk.commands) > MAX_COMMANDS or sum(len(one.words) for one in walk.commands) > MAX_WORDS:
        return "it has too many parts"
    return walk.opaque
