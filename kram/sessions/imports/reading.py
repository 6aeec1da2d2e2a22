"""From a file's bytes to a session: finds out whose form it is, and reads it. Pure; nothing is stored."""

from __future__ import annotations

import json

import msgspec

from .claude_code import is_claude_code, read_claude_code
from .codex import is_codex, read_codex
from .core_json import is_core, read_core
from .imported import MAX_BYTES, BadImport, Imported
from .kram_json import is_kram, read_kram
from .values import json_lines

KNOWN = "a kram export, the core engine's JSON, a Claude Code session or a Codex rollout"


def read_import(data: bytes) -> Imported:
    """Raises `BadImport` for anything that is no session of a known form, and for an empty one."""
    if len(data) > MAX_BYTES:
        raise BadImport(f"The file is larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise BadImport(f"The file is no text: {failure.reason} at byte {failure.start}") from failure
    if not text.strip():
        raise BadImport("The file is empty")
    found = _read(text)
    if not found.entries:
        raise BadImport("There is nothing in this session")
    return _storable(found)


def _read(text: str) -> Imported:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as failure:
        if "\n" not in text.strip():
            raise BadImport(f"The file is no JSON: {failure}", todo=f"It should be {KNOWN}") from failure
        value = None
    if isinstance(value, dict) and is_kram(value):
        return read_kram(value)
    if isinstance(value, dict) and is_core(value):
        return read_core(value)
    records = list(json_lines(text)) if value is None else [value] if isinstance(value, dict) else []
    if is_codex(records):
        return read_codex(records)
    if is_claude_code(records):
        return read_claude_code(records)
    raise BadImport("This is no session that kram knows", todo=f"It should be {KNOWN}")


def _storable(found: Imported) -> Imported:
    """Halves of characters, which JSON can hold and no store, are replaced."""
    try:
        msgspec.json.encode(found)
    except UnicodeEncodeError:
        pass
    else:
        return found

    def clean(value: object) -> object:
        if isinstance(value, str):
            return value if value.isascii() else value.encode("utf-8", "replace").decode()
        if isinstance(value, dict):
            return {clean(key): clean(one) for key, one in value.items()}
        return [clean(one) for one in value] if isinstance(value, list | tuple) else value

    return msgspec.convert(clean(msgspec.to_builtins(found)), Imported)
