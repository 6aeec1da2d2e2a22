"""Grammar rules for the pieces of a call: JSON values by their schema, raw bodies, prose. Pure.

An object's required members come first, in the order of the schema, then optional ones, no more than there are. A raw body
has one of a few fixed tags, since a grammar cannot ask for the same free word twice. Upper bounds of numbers, patterns and
formats are left to the argument gate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from kram.base import JsonView

TAGS = ("text", "code")
_MAX_LENGTH = 1000
"""A longer bound on a string is left to the argument gate: a grammar grows with it."""

_MAX_ITEMS = 100
_MAX_DEPTH = 4
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# No numbered escapes: half of a surrogate pair is no text, and every character can stand for itself.
_CHAR = r'[^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]'
_COMMON = {
    # Prose: any text that does not begin with white space and does not hold the beginning of a call's mark.
    "text": r"[^ \t\r\n@] rest",
    "rest": r'( [^@] rest | "@" at )?',
    "at": r'( [^@] rest | "@" at-at )?',
    "at-at": r'( [^@c] rest | "@" at-at )?',
    "name": "[A-Za-z_] [A-Za-z0-9_.-]{0,63}",
    "char": _CHAR,
    "string": r'"\"" char* "\""',
    "positive": "[1-9] [0-9]{0,15}",
    "natural": '"0" | positive',
    "integer": '"-"? natural',
    "number": 'integer ( "." [0-9]{1,16} )? ( [eE] [-+]? [0-9]{1,3} )?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "value": "object | array | string | number | boolean | null",
    "object": '"{" gap ( string colon value ( comma string colon value )* )? gap "}"',
    "array": '"[" gap ( value ( comma value )* )? gap "]"',
}
_LOOSE = {"gap": r"[ \t\n]{0,16}", "colon": 'gap ":" gap', "comma": 'gap "," gap', "last": '( gap "," )? gap'}
_TIGHT = {"gap": '""', "colon": '": "', "comma": '", "', "last": '""'}
_REFERENCE = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|(?P<name>[a-z][a-z0-9-]*)')


class Rules:
    """Collects rules; `text` gives those that are reached from `root`."""

    def __init__(self, *, loose: bool) -> None:
        self._loose = loose
        self._rules = dict(_COMMON) | (_LOOSE if loose else _TIGHT)
        for tag in TAGS:
            self._rules |= _body(tag)
        self._rules["body"] = " | ".join(f"body-{tag}" for tag in TAGS)

    def add(self, name: str, rule: str) -> str:
        self._rules[name] = rule
        return name

    def text(self) -> str:
        wanted, seen = ["root"], []
        while wanted:
            name = wanted.pop()
            if name not in seen:
                seen.append(name)
                wanted += reversed(_references(self._rules[name]))
        return "".join(f"{name} ::= {self._rules[name]}\n" for name in seen)

    @staticmethod
    def quoted(text: str) -> str:
        """Text as the inside of a literal."""
        return "".join(_escape(char) for char in text)

    def object(self, name: str, schema: JsonView, depth: int = 0) -> str:
        """An object with a schema's own members only."""
        properties = schema.get("properties")
        members = properties if isinstance(properties, dict) else {}
        needed = schema.get("required")
        required = [key for key in members if isinstance(needed, list | tuple) and key in needed]
        optional = [key for key in members if key not in required]
        pairs = {key: self._pair(f"{name}-{n}", key, members[key], depth) for n, key in enumerate(members)}
        inside = self._members(name, [pairs[key] for key in required], [pairs[key] for key in optional])
        return self.add(name, f'"{{" gap {inside} "}}"' if inside else '"{}"')

    def _members(self, name: str, required: Sequence[str], optional: Sequence[str]) -> str:
        """A member's rule ends with what stands behind it: `-more` where another follows, `-last` where none does."""
        some = ""
        if optional:
            more = self.add(f"{name}-more", " | ".join(f"{pair}-more" for pair in optional))
            last = self.add(f"{name}-last", " | ".join(f"{pair}-last" for pair in optional))
            some = f"{more}{{0,{len(optional) - 1}}} {last}" if len(optional) > 1 else last
        if not required:
            return f"( {some} )?" if some else ""
        *before, end = required
        ending = f"( {end}-last | {end}-more {some} )" if some else f"{end}-last"
        return " ".join([*(f"{pair}-more" for pair in before), ending])

    def _pair(self, name: str, key: str, schema: Any, depth: int) -> str:
        schema = schema if isinstance(schema, dict) else {}
        quoted = f'"{self.quoted(json.dumps(key, ensure_ascii=False))}"'
        bare = f'( {quoted} | "{key}" )' if self._loose and _BARE.fullmatch(key) else quoted
        value = self._value(f"{name}-value", schema, depth + 1)
        raw = self._loose and "string" in _types(schema) and not {"enum", "maxLength"} & set(schema)
        for ending, behind in (("more", "comma"), ("last", "last")):
            values = f"( {value} {behind} | body gap )" if raw else f"{value} {behind}"
            self.add(f"{name}-{ending}", f"{bare} colon {values}")
        return name

    def _value(self, name: str, schema: JsonView, depth: int) -> str:
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return self.add(name, " | ".join(f'"{self.quoted(_json(one))}"' for one in schema["enum"]))
        for union in ("anyOf", "oneOf"):
            if isinstance(schema.get(union), list) and schema[union] and depth < _MAX_DEPTH:
                parts = [self._value(f"{name}-{n}", one, depth + 1) for n, one in enumerate(schema[union])]
                return self.add(name, " | ".join(parts))
        kinds = [self._typed(f"{name}-{kind}", kind, schema, depth) for kind in _types(schema)]
        return kinds[0] if len(kinds) == 1 else self.add(name, " | ".join(kinds)) if kinds else "value"

    def _typed(self, name: str, kind: str, schema: JsonView, depth: int) -> str:
        if kind == "string":
            longest = schema.get("maxLength")
            bounded = isinstance(longest, int) and longest <= _MAX_LENGTH
            return self.add(name, rf'"\"" char{{0,{longest}}} "\""') if bounded else "string"
        if kind == "integer" and isinstance(least := schema.get("minimum"), int) and least >= 0:
            return "positive" if least else "natural"
        if kind == "array" and isinstance(schema.get("items"), dict) and depth < _MAX_DEPTH:
            item = self._value(f"{name}-item", schema["items"], depth + 1)
            most = schema.get("maxItems")
            more = f"{{0,{max(0, most - 1)}}}" if isinstance(most, int) and most <= _MAX_ITEMS else "*"
            return self.add(name, f'"[" gap ( {item} ( comma {item} ){more} )? gap "]"')
        if kind == "object" and schema.get("properties") and depth < _MAX_DEPTH:
            return self.object(name, schema, depth + 1)
        return kind


def _types(schema: JsonView) -> list[str]:
    """The JSON types a schema names; none where it names none that is known."""
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list | tuple) else [kind]
    return [one for one in kinds if one in ("string", "integer", "number", "boolean", "null", "array", "object")]


def _body(tag: str) -> dict[str, str]:
    """`~~~tag`, lines, `~~~tag`; a line of the body may begin with tildes, but not with the tag's first letter behind them."""
    first = tag[0]
    line = rf'( [^~\n] [^\n]* | "~" ( [^~\n] [^\n]* | "~" ( [^~\n] [^\n]* | "~" ( [^{first}\n] [^\n]* )? )? )? )?'
    return {
        f"line-{tag}": rf'{line} "\n"',
        f"body-{tag}": rf'"~~~{tag}\n" line-{tag}* "~~~{tag}" ","? "\n"',
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return f"\\x{ord(char):02X}" if char < " " else char


def _references(rule: str) -> list[str]:
    return [found["name"] for found in _REFERENCE.finditer(rule) if found["name"]]
