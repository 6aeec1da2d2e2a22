"""The raw argument text of a call in a history, in the form a vendor wants it back. Text that is no JSON object is handed
over under a name of its own: vendors and chat templates refuse a history whose arguments they cannot parse.
"""

from __future__ import annotations

import json

from kram.base import Json

UNPARSED = "unparsed_arguments"


def as_object(text: str) -> Json:
    """The arguments as an object; blank text is an empty one."""
    if not text.strip():
        return {}
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else {UNPARSED: text}


def as_text(text: str) -> str:
    """The arguments as JSON text, byte for byte as the model wrote them where they are an object."""
    parsed = as_object(text)
    if not parsed:
        return "{}"
    return json.dumps(parsed, ensure_ascii=False) if UNPARSED in parsed else text
