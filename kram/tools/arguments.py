"""The one place where a call's raw argument text is judged and mended.

    blank -> {} | cut off -> refused, never completed | loose JSON -> repaired by a scanner that never touches strings
    -> an object -> fits the schema -> Ready

A refused call is stored with a valid stand-in that holds the tail of what was written, so that the history always parses.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from kram.base import Data, Json, JsonView

from .loose_json import CutOff, Malformed, repair
from .schema import problems

TAIL_CHARS = 800


class Ready(Data):
    """Arguments that may run; `text` is their JSON as it is stored."""

    args: Json
    text: str


class Refused(Data):
    """Why nothing runs, for the model; `stand_in` is what is stored instead of the raw text."""

    text: str
    stand_in: str


Prepared: TypeAlias = Ready | Refused


def prepare(name: str, raw: str, schema: JsonView) -> Prepared:
    """Judges a call's arguments against its tool's schema."""
    if not raw.strip():
        return _fitting(name, {}, "{}", raw, schema)
    text = raw
    value: Any
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        try:
            text = repair(raw)
            value = json.loads(text)
        except CutOff:
            return _refused(
                raw,
                f"Truncation detected: the arguments of {name} end after {len(raw)} characters in the middle of a value. "
                "The call was NOT executed. Call it again with smaller arguments, in several calls if need be.",
            )
        except (Malformed, ValueError, RecursionError) as failure:
            return _refused(
                raw,
                f"The arguments of {name} are not valid JSON ({failure}). The call was NOT executed. Call it again.",
            )
    if isinstance(value, str) and isinstance(inner := _decoded(value), dict):
        text, value = value, inner
    if not isinstance(value, dict):
        return _refused(
            raw, f"INVALID arguments of {name}: they must be a JSON object, not {_kind(value)}. NOT executed."
        )
    return _fitting(name, value, text, raw, schema)


def _fitting(name: str, value: Json, text: str, raw: str, schema: JsonView) -> Prepared:
    given = {key: inner for key, inner in value.items() if inner is not None or _takes_null(schema, key)}
    if found := problems(given, schema):
        return _refused(
            raw, f"INVALID arguments of {name}: {found}. The call was NOT executed. Fix them and call again."
        )
    return Ready(args=value, text=text if text.strip() else "{}")


def _takes_null(schema: JsonView, key: str) -> bool:
    """An optional argument given as null means "not given", unless the schema has room for null."""
    properties = schema.get("properties")
    described = properties.get(key) if isinstance(properties, dict) else None
    if not isinstance(described, dict) or "type" not in described:
        return True
    kind = described["type"]
    return kind == "null" or (isinstance(kind, list) and "null" in kind)


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _refused(raw: str, text: str) -> Refused:
    stand_in = {"_error": text, "_raw_chars": len(raw), "_tail": raw[-TAIL_CHARS:]}
    return Refused(text=text, stand_in=json.dumps(stand_in, ensure_ascii=False))


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array"}[type(value)]


def normalise_name(name: str) -> str:
    """A tool's name without the channel markup that some models leave in it."""
    return name.split("<|", 1)[0].strip()
