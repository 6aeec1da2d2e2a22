"""JSON Schema cut down to what Gemini's function declarations accept: a subset of OpenAPI 3.0's schema object, see
"Schema" in the Gemini API reference. Unknown keywords there are an error, so what has no counterpart is folded into
one that has (references, `allOf`, `oneOf`, `const`, type lists) or dropped; the tool itself still checks arguments
against the full schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kram.base import Json, JsonView

_KEPT = (
    "title",
    "description",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "minProperties",
    "maxProperties",
)
_FORMATS = {
    "string": {"date-time", "enum"},
    "number": {"float", "double"},
    "integer": {"int32", "int64"},
}
_TYPES = ("object", "array", "string", "integer", "number", "boolean")
_MAX_DEPTH = 24


def sanitise(schema: JsonView) -> Json:
    """The schema in Gemini's subset. References are resolved inside `schema`; a recursive one ends as a plain object."""
    return _node(schema, schema, ())


def _node(node: JsonView, root: JsonView, seen: tuple[str, ...]) -> Json:
    node, seen = _resolved(node, root, seen)
    if len(seen) > _MAX_DEPTH:
        return {"type": "object"}
    node = _merged(node, root, seen)
    found: Json = {key: node[key] for key in _KEPT if key in node}
    kinds = _kinds(node)
    nullable = "null" in kinds or node.get("nullable") is True
    real = [kind for kind in kinds if kind in _TYPES]
    choices = _choices(node)
    if choices:
        options = [option for option in choices if option.get("type") != "null"]
        nullable = nullable or len(options) < len(choices)
        if len(options) == 1:
            found = {**_node(options[0], root, (*seen, "")), **found}
        else:
            found["anyOf"] = [_node(option, root, (*seen, "")) for option in options]
    elif len(real) > 1:
        rest = {key: value for key, value in node.items() if key not in ("type", "title", "description")}
        return {
            **{key: found[key] for key in ("title", "description") if key in found},
            "anyOf": [_node({**rest, "type": kind}, root, (*seen, "")) for kind in real],
            **({"nullable": True} if nullable else {}),
        }
    else:
        _shape(found, node, real[0] if real else _guessed(node), root, seen)
    if nullable:
        found["nullable"] = True
    return found


def _shape(found: Json, node: JsonView, kind: str, root: JsonView, seen: tuple[str, ...]) -> None:
    """The keywords that belong to one type."""
    found["type"] = kind
    if node.get("format") in _FORMATS.get(kind, ()):
        found["format"] = node["format"]
    if kind == "object":
        properties = {
            str(name): _node(inner, root, (*seen, ""))
            for name, inner in _mapping(node.get("properties")).items()
            if isinstance(inner, Mapping)
        }
        if properties:
            found["properties"] = properties
        required = [name for name in node.get("required") or () if name in properties]
        if required:
            found["required"] = required
    elif kind == "array":
        items = node.get("items")
        found["items"] = _node(items, root, (*seen, "")) if isinstance(items, Mapping) and items else {"type": "string"}
    values = [value for value in _values(node) if value is not None]
    if values and kind == "string" and all(isinstance(value, str) for value in values):
        found["enum"] = values
    elif values:
        # Only strings may be enumerated there; the rest is told in words.
        told = "One of: " + ", ".join(str(value) for value in values)
        found["description"] = f"{found['description']} {told}" if found.get("description") else told


def _resolved(node: JsonView, root: JsonView, seen: tuple[str, ...]) -> tuple[JsonView, tuple[str, ...]]:
    """Follows `$ref` inside the document; keywords beside a reference win over those behind it."""
    while isinstance(reference := node.get("$ref"), str):
        beside = {key: value for key, value in node.items() if key != "$ref"}
        target = _lookup(root, reference)
        if target is None or reference in seen:
            return {"type": "object", **beside}, seen
        seen = (*seen, reference)
        node = {**target, **beside}
    return node, seen


def _lookup(root: JsonView, reference: str) -> JsonView | None:
    found: Any = root
    if not reference.startswith("#"):
        return None
    for step in reference.lstrip("#/").split("/"):
        if step:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _merged(node: JsonView, root: JsonView, seen: tuple[str, ...]) -> JsonView:
    """`allOf` folded into the node itself: properties and requirements add up, other keywords of the node win."""
    parts = node.get("allOf")
    if not isinstance(parts, list):
        return node
    merged: Json = {}
    own = {key: value for key, value in node.items() if key != "allOf"}
    for part in [*(_resolved(part, root, seen)[0] for part in parts if isinstance(part, Mapping)), own]:
        properties = {**_mapping(merged.get("properties")), **_mapping(part.get("properties"))}
        required = [*(merged.get("required") or ()), *(part.get("required") or ())]
        merged.update(part)
        if properties:
            merged["properties"] = properties
        if required:
            merged["required"] = list(dict.fromkeys(required))
    merged.pop("allOf", None)
    return merged


def _choices(node: JsonView) -> list[JsonView]:
    for key in ("anyOf", "oneOf"):
        options = node.get(key)
        if isinstance(options, list):
            return [option for option in options if isinstance(option, Mapping)]
    return []


def _values(node: JsonView) -> list[Any]:
    if "const" in node:
        return [node["const"]]
    values = node.get("enum")
    return values if isinstance(values, list) else []


def _kinds(node: JsonView) -> list[str]:
    kind = node.get("type")
    if isinstance(kind, str):
        return [kind.lower()]
    return [str(one).lower() for one in kind] if isinstance(kind, list) else []


def _guessed(node: JsonView) -> str:
    """A type for a node that names none; Gemini demands one."""
    if "properties" in node or "additionalProperties" in node:
        return "object"
    if "items" in node:
        return "array"
    values = _values(node)
    if values and all(isinstance(value, bool) for value in values):
        return "boolean"
    if values and all(isinstance(value, int) for value in values):
        return "integer"
    return "string" if values or not node or set(node) <= {"title", "description", "default"} else "object"


def _mapping(value: Any) -> JsonView:
    return value if isinstance(value, Mapping) else {}
