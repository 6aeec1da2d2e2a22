"""Arguments against a tool's JSON Schema: first the two mistakes models make, in plain words, then the whole schema."""

from __future__ import annotations

from typing import Any

from kram.base import JsonView

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def problems(value: JsonView, schema: JsonView) -> str:
    """What is wrong, "" for arguments that fit."""
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    missing = sorted(str(name) for name in required if value.get(name) is None) if isinstance(required, list) else []
    if missing:
        return f"missing {', '.join(missing)}"
    wrong = sorted(
        f"{name} should be {kind}, got {_name(value[name])}"
        for name, described in properties.items()
        if name in value and isinstance(described, dict) and isinstance(kind := described.get("type"), str)
        if kind in _KINDS and not _is(value[name], kind)
    )
    if wrong:
        return "; ".join(wrong)
    return _whole(value, schema) if _needs_more(schema) else ""


def _is(value: Any, kind: str) -> bool:
    if kind in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, _KINDS[kind])


def _name(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return next((kind for kind in ("string", "number", "array", "object") if _is(value, kind)), "null")


def _needs_more(schema: JsonView) -> bool:
    """Whether the schema says more than names and plain types."""
    properties = schema.get("properties")
    described = properties.values() if isinstance(properties, dict) else ()
    plain = {"type", "description", "default", "title"}
    return any(not isinstance(one, dict) or set(one) - plain for one in described) or bool(
        set(schema) - {"type", "properties", "required", "description", "additionalProperties"}
    )


def _whole(value: JsonView, schema: JsonView) -> str:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, ValidationError

    try:
        errors: list[ValidationError] = sorted(
            Draft202012Validator(dict(schema)).iter_errors(dict(value)), key=lambda error: error.json_path
        )
    except SchemaError:
        return ""
    return "; ".join(f"{error.json_path.removeprefix('$.')}: {error.message[:200]}" for error in errors[:4])
