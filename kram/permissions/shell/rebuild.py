"""The command that really runs after an automatic allow: rebuilt from what was judged, every word single-quoted.

A difference between this parser and the shell can then change a result, but it cannot smuggle a command in.
"""

from __future__ import annotations

from .model import Command, Parsed, Redirect


def rebuilt(parsed: Parsed) -> str:
    """The same commands and operators; "" where a word is not known or the text can't be rebuilt."""
    if parsed.opaque or parsed.loose or not parsed.skeleton:
        return ""
    pieces: list[str] = []
    for step in parsed.skeleton:
        piece = step if isinstance(step, str) else _command(parsed.commands[step])
        if piece is None:
            return ""
        pieces.append(piece)
    return _spaced(pieces)


def _spaced(pieces: list[str]) -> str:
    text = ""
    for piece in pieces:
        text += piece if not text or text.endswith("\n") or piece == "\n" else f" {piece}"
    return text.strip()


def _command(command: Command) -> str | None:
    if command.open or any(one.value.open for one in command.assignments):
        return None
    parts = [f"{one.name}{'+' if one.append else ''}={quoted(one.value.text)}" for one in command.assignments]
    texts = command.texts()
    keywords = _timed(texts)
    parts += [word if place < keywords else quoted(word) for place, word in enumerate(texts)]
    for redirect in command.redirects:
        piece = _redirect(redirect)
        if piece is None:
            return None
        parts.append(piece)
    return " ".join(parts)


def _timed(texts: tuple[str, ...]) -> int:
    """`time` is a word of the language: quoted it would name a program that is often not there."""
    if texts[:1] != ("time",) or len(texts) == 1:
        return 0
    return 2 if texts[1] == "-p" else 1


def _redirect(redirect: Redirect) -> str | None:
    if redirect.target.open:
        return None
    target = redirect.target.text
    if redirect.document:
        if not target:
            return f"{redirect.descriptor}</dev/null"
        # A here-string ends with a line break of its own, as a here-document's last line does.
        return f"{redirect.descriptor}<<<{quoted(target.removesuffix(chr(10)))}"
    return f"{redirect.descriptor}{redirect.operator}{quoted(target)}"


def quoted(word: str) -> str:
    """Single-quoted always: also what could be taken for an alias or a word of the shell's own language."""
    return "'" + word.replace("'", "'\"'\"'") + "'"
