"""What a project would bring, for a person to look at before they trust it: each file, what such a file can do, what changed.

Reads the disk and blocks; executes and obeys nothing.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path

from kram.base import Data, read_bytes

from .trust import TrustState, TrustStore

MAX_TEXT_BYTES = 64_000
_WHAT = (
    (".kram/config.toml", "settings: which models answer, what is restricted"),
    (".kram/permissions.toml", "rules that ask or deny; these count already"),
    (".kram/lsp.toml", "language servers: programs that are started"),
    (".kram/skills", "skills: texts for the model, with scripts it may run"),
    (".kram/commands", "slash commands: texts for the model"),
    (".kram/tools", "tools: programs the model may run"),
    (".mcp.json", "MCP servers: programs that are started, addresses that are called"),
)
INSTRUCTIONS = "instructions: sent to the model with every message"


class TrustItem(Data):
    """One file. `change`: `+` new, `-` gone, `~` changed since it was trusted, "" otherwise. `text`: its content, cut where it
    is long; `diff`: unified, "" where there is nothing to compare with."""

    name: str
    what: str
    change: str = ""
    text: str = ""
    diff: str = ""


class TrustReview(Data):
    """`state` is what an answer is bound to. `items`: what can run or configure first, then instructions."""

    state: TrustState
    items: tuple[TrustItem, ...]

    @property
    def open(self) -> bool:
        """Whether there is something to ask that was not answered yet."""
        return bool(self.items) and self.state.standing in ("new", "changed") and not self.state.problem


def review(store: TrustStore, workspace: Path, instructions: Sequence[Path] = ()) -> TrustReview:
    """`instructions`: the project's instruction files that would be sent."""
    state = store.state(workspace)
    root = Path(os.path.realpath(workspace))
    changes = {line[2:]: line[0] for line in state.changes}
    gone = [name for name, mark in changes.items() if mark == "-"]
    items = [_item(store, root, name, changes.get(name, ""), state) for name in (*state.files, *gone)]
    items.sort(key=lambda item: (not item.change, item.name))
    items += [TrustItem(name=os.path.relpath(path, root), what=INSTRUCTIONS, text=_text(path)) for path in instructions]
    return TrustReview(state=state, items=tuple(items))


def _item(store: TrustStore, root: Path, name: str, change: str, state: TrustState) -> TrustItem:
    text = "" if change == "-" else _text(Path(os.path.realpath(root / name)))
    before = store.copy(state.before[name]) if change in ("~", "-") and name in state.before else None
    diff = "" if before is None else _diff(before, text, name)
    return TrustItem(name=name, what=_what(name), change=change, text=text, diff=diff)


def _what(name: str) -> str:
    return next((words for top, words in _WHAT if name == top or name.startswith(f"{top}/")), "")


def _text(path: Path) -> str:
    try:
        content = read_bytes(path, MAX_TEXT_BYTES + 1)
    except OSError as failure:
        return f"(cannot be shown: {failure.strerror or failure})"
    cut = "\n(cut here: the file is longer)" if len(content) > MAX_TEXT_BYTES else ""
    return content[:MAX_TEXT_BYTES].decode("utf-8", "replace") + cut


def _diff(before: str, now: str, name: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), now.splitlines(), f"{name} (trusted)", f"{name} (now)", lineterm=""
    )
    return "\n".join(lines)
