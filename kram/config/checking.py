"""From plain tables to typed settings. What does not fit is named: the file, the key, and the closest key there is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kram.base import UsageError

from .keys import at, joined, nested
from .settings import Settings

_STEP = re.compile(r"\.?([^.\[\]]+)|(\[\.\.\.\])|\[(\d+)\]")


def checked(value: Mapping[str, Any], kind: type[Settings], where: object) -> Settings:
    """The typed value. `where` is the file, variable or flag it came from. Raises `UsageError`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as failure:
        raise _explained(value, kind, str(where), str(failure)) from failure


def _explained(value: Mapping[str, Any], kind: type[Settings], where: str, text: str) -> UsageError:
    what, _, place = text.partition(" - at `$")
    path = _exact(value, kind, text, place.removesuffix("`"))
    if found := re.fullmatch(r"Object contains unknown field `(.+)`", what):
        known = _known(kind, path)
        return UsageError(f"Unknown key '{joined([*path, found[1]])}'", where=where, todo=closest(found[1], known))
    if key_itself := re.search(r" - at `key` in `\$(.*)`$", text):
        return UsageError(f"Wrong name in '{key_itself[1].lstrip('.')}': {what}", where=where)
    return UsageError(f"Wrong value for '{joined(path)}': {what[:1].lower()}{what[1:]}", where=where)


def _exact(value: Mapping[str, Any], kind: type[Settings], text: str, place: str) -> list[str]:
    """The path of an error. msgspec writes `[...]` for the name of a table's entry: here it is found by trying them."""
    path: list[str] = []
    for name, entry, index in _STEP.findall(place):
        if entry:
            table = at(value, path)
            names = list(table) if isinstance(table, Mapping) else []
            name = next((one for one in names if _fails(nested([*path, one], table[one]), kind, text)), "…")
        path.append(name or index)
    return path


def _fails(value: Mapping[str, Any], kind: type[Settings], text: str) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as failure:
        return str(failure) == text
    return False


def _known(kind: type[Any], path: Iterable[str]) -> list[str]:
    """The keys that exist in the table at a path."""
    info: Any = msgspec.inspect.type_info(kind)
    for step in path:
        if isinstance(info := _plain(info), msgspec.inspect.StructType):
            info = next((field.type for field in info.fields if field.encode_name == step), info)
        elif isinstance(info, msgspec.inspect.DictType):
            info = info.value_type
    info = _plain(info)
    return [field.encode_name for field in info.fields] if isinstance(info, msgspec.inspect.StructType) else []


def _plain(info: Any) -> Any:
    """The table among the types of an optional value."""
    if isinstance(info, msgspec.inspect.UnionType):
        tables = (msgspec.inspect.StructType, msgspec.inspect.DictType)
        return next((one for one in info.types if isinstance(one, tables)), info)
    return info


def closest(name: str, known: Iterable[str]) -> str:
    """Advice that names the key that was probably meant, or all there are."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(names) or 'nothing'}"
