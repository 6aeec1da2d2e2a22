"""Our own JSON, version 1: everything as it is stored, so that an import gives the same session again."""

from __future__ import annotations

import json
from typing import Any

from kram.messages import to_plain

from .pieces import Exported

VERSION = 1


def as_json(exported: Exported) -> str:
    value: dict[str, Any] = {
        "version": VERSION,
        "session": to_plain(exported.info),
        "entries": [to_plain(one) for one in exported.entries],
    }
    if exported.folded:
        value["folded"] = dict(exported.folded)
    if exported.todos:
        value["todos"] = to_plain(exported.todos)
    return json.dumps(value, ensure_ascii=False, indent=1)
