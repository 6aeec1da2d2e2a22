"""Takes secrets out of text before it is stored or logged: registered key values, and the shapes of well-known keys."""

from __future__ import annotations

import re
from collections.abc import Iterable

MIN_VALUE = 8
MASK = "[redacted]"

_SHAPES = re.compile(
    r"""
      sk-ant-[A-Za-z0-9_-]{20,}
    | sk-or-v1-[a-f0-9]{32,}
    | sk-(?:proj-)?[A-Za-z0-9_-]{32,}
    | AIza[A-Za-z0-9_-]{35}
    | gh[pousr]_[A-Za-z0-9]{36,}
    | github_pat_[A-Za-z0-9_]{60,}
    | glpat-[A-Za-z0-9_-]{20,}
    | xox[abprs]-[A-Za-z0-9-]{20,}
    | AKIA[0-9A-Z]{16}
    | npm_[A-Za-z0-9]{36}
    | pypi-[A-Za-z0-9_-]{60,}
    | -----BEGIN\x20[A-Z ]*PRIVATE\x20KEY-----.*?(?:-----END\x20[A-Z ]*PRIVATE\x20KEY-----|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_HINT = re.compile(r"sk-|AIza|gh[pousr]_|github_pat_|glpat-|xox|AKIA|npm_|pypi-|PRIVATE KEY")


class Redactor:
    """`redact` is cheap on text without secrets."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        # The longest first, so that a key that contains another leaves no rest.
        self._values = sorted({value for value in values if len(value) >= MIN_VALUE}, key=len, reverse=True)

    def redact(self, text: str) -> str:
        for value in self._values:
            if value in text:
                text = text.replace(value, MASK)
        return _SHAPES.sub(MASK, text) if _HINT.search(text) else text
