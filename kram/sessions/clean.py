"""What is taken out before anything is stored: secrets, and halves of characters that no file can hold.

An entry without either is stored as it is, and found to be so in one look over its JSON. Signatures and image data are a
provider's own and are never touched; thinking that had to be changed loses its signature, which would no longer fit.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from kram.base import Redactor
from kram.messages import Entry, Kind, Part, TextBlock, ThinkingBlock, to_json


def clean_text(text: str, redactor: Redactor) -> str:
    return redactor.redact(_whole(text))


def clean_json(value: object, redactor: Redactor) -> bytes:
    """Any value as JSON that may be stored."""
    try:
        raw = to_json(value)
        text = raw.decode()
        if redactor.redact(text) == text:
            return raw
    except UnicodeEncodeError:
        pass
    return to_json(_deep(msgspec.to_builtins(value), redactor))


def clean_entry(entry: Entry, redactor: Redactor) -> tuple[Entry, bytes]:
    """The entry as it may be stored, and its JSON."""
    try:
        raw = to_json(entry)
        text = raw.decode()
        if redactor.redact(text) == text:
            return entry, raw
    except UnicodeEncodeError:
        pass
    cleaned = msgspec.structs.replace(
        entry,
        content=_content(entry, redactor),
        parts=tuple(_part(part, redactor) for part in entry.parts),
        details=_deep(entry.details, redactor),
    )
    return cleaned, to_json(cleaned)


def _content(entry: Entry, redactor: Redactor) -> str:
    """A call's arguments stay JSON: they are cleaned value by value, since a secret's end may lie beyond a quote."""
    if entry.kind == Kind.TOOL_CALL:
        try:
            return json.dumps(_deep(json.loads(entry.content), redactor), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return clean_text(entry.content, redactor)


def _part(part: Part, redactor: Redactor) -> Part:
    if isinstance(part, TextBlock):
        return TextBlock(text=clean_text(part.text, redactor))
    if isinstance(part, ThinkingBlock):
        thinking = clean_text(part.thinking, redactor)
        signature = part.signature if thinking == part.thinking else ""
        return msgspec.structs.replace(part, thinking=thinking, signature=signature)
    return part


def _deep(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return clean_text(value, redactor)
    if isinstance(value, dict):
        return {clean_text(key, redactor): _deep(inner, redactor) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_deep(inner, redactor) for inner in value]
    return value


def _whole(text: str) -> str:
    """Lone surrogates become question marks: they are no characters, and UTF-8 has no place for them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
