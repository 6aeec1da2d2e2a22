"""What is wrong with a policy file, for the person who wrote it: the file, the key, and the closest key there is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kram.base import UsageError

from .rules import Rule

_UNKNOWN = re.compile(r"Object contains unknown field `(.+?)`")
_RULE_KEYS = tuple(Rule.__struct_fields__)


def explained(
    content: Mapping[str, Any], failure: str, path: Path, kind: type[msgspec.Struct], classes: Iterable[str]
) -> UsageError:
    """The error for what msgspec said about `content`."""
    what, _, place = failure.partition(" - at `$")
    place = place.rstrip("`").lstrip(".").replace("[...]", "")
    if found := _UNKNOWN.match(what):
        known = _RULE_KEYS if place.startswith("rules") else tuple(kind.__struct_fields__)
        key = f"{place}.{found[1]}" if place else found[1]
        return UsageError(f"Unknown key '{key}'", where=str(path), todo=closest(found[1], known))
    defaults = content.get("defaults")
    wrong = [one for one in defaults if one not in classes] if isinstance(defaults, Mapping) else []
    if wrong:
        return UsageError(f"Unknown key 'defaults.{wrong[0]}'", where=str(path), todo=closest(wrong[0], classes))
    return UsageError(f"Wrong value for '{place}': {what[:1].lower()}{what[1:]}", where=str(path))


def closest(name: str, known: Iterable[str]) -> str:
    """Advice that names what was probably meant, or all there is."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(names)}"
