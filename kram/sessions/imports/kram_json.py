"""Our own JSON (`export.json_form`): everything as it was stored."""

from __future__ import annotations

from typing import Any

import msgspec

from kram.messages import Entry, Kind

from .imported import BadImport, Imported
from .values import table, words

VERSION = 1


def is_kram(value: dict[str, Any]) -> bool:
    return isinstance(value.get("entries"), list) and "version" in value


def read_kram(value: dict[str, Any]) -> Imported:
    """Raises `BadImport` for another version and for entries that are none."""
    if value.get("version") != VERSION:
        raise BadImport(f"This file has version {value.get('version')!r}", todo=f"This kram reads version {VERSION}")
    try:
        entries = msgspec.convert(value["entries"], tuple[Entry, ...])
    except msgspec.ValidationError as failure:
        raise BadImport(f"The entries cannot be read: {failure}") from failure
    known = {one.id for one in entries}
    if len(known) != len(entries) or "" in known:
        raise BadImport("Two entries have the same id, or one has none")
    markers = {one.id for one in entries if one.kind == Kind.COMPACTION}
    folded = {key: marker for key, marker in table(value.get("folded")).items() if key in known and marker in markers}
    head = table(value.get("session"))
    return Imported(
        form="kram",
        entries=entries,
        title=words(head.get("title")),
        workspace=words(head.get("workspace")),
        folded=folded,
        todos=tuple(value.get("todos") or ()),
    )
