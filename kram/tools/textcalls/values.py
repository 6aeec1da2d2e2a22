"""Values inside text calls: JSON at a position, Python literals in call syntax, strings typed by a tool's schema.

Nothing here repairs what is cut off: a value that does not end is no value.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from kram.base import Json, JsonView

_decoder = json.JSONDecoder()
_WORDS = {"true": True, "false": False, "null": None}


class NotACall(Exception):
    """The text at hand is no complete call."""


def skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def json_at(text: str, position: int) -> tuple[Any, int]:
    """The JSON value that starts here (white space skipped) and where it ends. Raises `NotACall`."""
    try:
        return _decoder.raw_decode(text, skip_space(text, position))
    except (ValueError, RecursionError) as failure:
        raise NotACall(f"broken or cut-off JSON: {failure}") from failure


def as_arguments(value: Any) -> Json:
    """Arguments as an object; one that was encoded twice is decoded. Raises `NotACall` for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as failure:
            raise NotACall("the arguments are a string, not an object") from failure
    if not isinstance(value, dict):
        raise NotACall(f"the arguments are {type(value).__name__}, not an object")
    return value


def typed(text: str, schema: JsonView, name: str) -> Any:
    """A parameter's text as the type its schema wants; a string stays exactly as it is."""
    wanted = _type(schema, name)
    stripped = text.strip()
    if wanted in ("string", ""):
        return text if wanted == "string" else _guess(text)
    try:
        return json.loads(stripped)
    except ValueError:
        lowered = stripped.lower()
        return _WORDS.get(lowered, text)


def _type(schema: JsonView, name: str) -> str:
    properties = schema.get("properties")
    described = properties.get(name) if isinstance(properties, dict) else None
    kind = described.get("type") if isinstance(described, dict) else None
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "string")
    return kind if isinstance(kind, str) else ""


def _guess(text: str) -> Any:
    try:
        return json.loads(text.strip())
    except ValueError:
        return text


def one_newline_off(text: str) -> str:
    """The text without the one line break a template puts on each side; the value's own stay."""
    text = text.removeprefix("\r\n") if text.startswith("\r\n") else text.removeprefix("\n")
    return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")


def keyword_call(text: str) -> tuple[str, Json]:
    """`name(key=value, …)` with Python or JSON literals. Raises `NotACall`."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as failure:
        raise NotACall("not a complete call expression") from failure
    return call_node(tree)


def call_node(node: ast.expr) -> tuple[str, Json]:
    """A call in a syntax tree as name and keyword arguments."""
    if not isinstance(node, ast.Call) or node.args:
        raise NotACall("not a call with named arguments")
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "call":
        func = func.value
    if not isinstance(func, ast.Name):
        raise NotACall("not a plain tool name")
    return func.id, {word.arg: _literal(word.value) for word in node.keywords if word.arg}


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError) as failure:
        raise NotACall("an argument is no literal") from failure
