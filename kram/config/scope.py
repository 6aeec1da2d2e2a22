"""What a trusted project's `.kram/config.toml` may say. It can choose and restrict, never widen, and never send keys elsewhere.

person    never from a project          project   as it stands
lower     only a smaller number         more      names are added, none is taken away        new   only what is not there yet
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from .keys import at, joined, leaves, merge, nested
from .settings import Settings

Scope: TypeAlias = Literal["person", "project", "lower", "more", "new"]

SCOPES: dict[str, Scope] = {
    "version": "project",
    "default_combo": "project",
    "theme": "person",
    # Addresses, keys, headers and proxies of a provider decide where code and keys go.
    "providers": "person",
    "combos": "new",
    "context.reserve": "project",
    "context.headroom": "project",
    "context.tail_messages": "project",
    "context.tail_tools": "project",
    "context.stub_above": "project",
    "context.view_cap": "project",
    "context.summary_combo": "project",
    "context.encoding": "project",
    "context.recall": "project",
    "context.transclusion": "project",
    "permissions": "person",
    "tools.disabled": "more",
    "tools.order": "project",
    "tools.max_turns": "lower",
    "tools.max_segments": "lower",
    "ui": "person",
}


def scope_of(path: Sequence[str]) -> Scope:
    """The scope of a key, or of the table it lies in; what nobody declared is the person's."""
    for length in range(len(path), 0, -1):
        if scope := SCOPES.get(".".join(path[:length])):
            return scope
    return "person"


def narrowed(layer: Mapping[str, Any], below: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What of a project's layer counts over the layers below, and the keys that do not, each with the reason."""
    kept: dict[str, Any] = {}
    refused: list[str] = []
    defaults = msgspec.to_builtins(Settings())
    for path, value in leaves(layer):
        current = at(below, path)
        current = at(defaults, path) if current is None else current
        match scope_of(path):
            case "project":
                merge(kept, nested(path, value))
            case "lower" if value <= current:
                merge(kept, nested(path, value))
            case "lower":
                refused.append(f"{joined(path)} (a project may only lower it)")
            case "more":
                merge(kept, nested(path, [*current, *(one for one in value if one not in current)]))
            case "new" if at(below, path[:2]) is None:
                merge(kept, nested(path, value))
            case "new":
                refused.append(f"{joined(path)} (you have your own)")
            case _:
                refused.append(f"{joined(path)} (only in your own configuration)")
    return kept, refused
