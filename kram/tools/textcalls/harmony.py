"""Channel markup (`<|channel|>…<|message|>…`): thinking, answer and calls in one text."""

from __future__ import annotations

import re

from kram.base import Data

_SEGMENT = re.compile(
    r"(?:<\|start\|>\w*)?(?P<head>(?:\s*to=[\w.]+\s*)?<\|channel\|>\w+[^<]*(?:<\|constrain\|>\w+\s*)?)<\|message\|>"
)
_RECIPIENT = re.compile(r"to=(?:functions\.)?(?P<name>[A-Za-z_][\w-]*)")


class Channels(Data):
    """`calls` are (name, JSON text); `text` and `reasoning` what else was said."""

    text: str
    reasoning: str
    calls: tuple[tuple[str, str], ...]


def channels(text: str) -> Channels | None:
    """None where the text has no channel markup."""
    opened = list(_SEGMENT.finditer(text))
    if not opened:
        return None
    said, thought, calls = [text[: opened[0].start()]], [], []
    for number, one in enumerate(opened):
        limit = opened[number + 1].start() if number + 1 < len(opened) else len(text)
        body = re.sub(r"<\|(?:end|call|return|start)\|>(?:assistant)?\s*$", "", text[one.end() : limit])
        recipient = _RECIPIENT.search(one["head"])
        if recipient:
            calls.append((recipient["name"], body))
        elif "analysis" in one["head"]:
            thought.append(body)
        else:
            said.append(body)
    return Channels(text="".join(said).strip(), reasoning="\n".join(thought), calls=tuple(calls))
