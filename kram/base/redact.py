"""Takes secrets out of text before it is stored or logged: registered key values, and the shapes of well-known keys.

The shapes are the published prefixes of the vendors' keys. Masking is idempotent: masked text stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MIN_VALUE = 8
"""Shorter values are no keys but words; masking them would tear text apart."""

MASK = "[redacted]"

_SHAPES = re.compile(
    r"""
      sk-ant-[A-Za-z0-9_-]{20,}
    | sk-or-v1-[a-f0-9]{32,}
    | (?<![A-Za-z0-9])sk-(?:proj-)?[A-Za-z0-9_-]{32,}
    | AIza[A-Za-z0-9_-]{35}
    | ya29\.[A-Za-z0-9_-]{30,}
    | gh[pousr]_[A-Za-z0-9]{36,}
    | github_pat_[A-Za-z0-9_]{60,}
    | glpat-[A-Za-z0-9_-]{20,}
    | xox[abprs]-[A-Za-z0-9-]{20,}
    | (?<![A-Z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Z0-9])
    | (?<![A-Za-z0-9])(?:gsk|hf|fw|tgp_v1)_[A-Za-z0-9_-]{24,}
    | (?<![A-Za-z0-9])(?:xai|csk)-[A-Za-z0-9]{40,}
    | (?<![A-Za-z0-9])[sr]k_live_[A-Za-z0-9]{20,}
    | npm_[A-Za-z0-9]{36}
    | pypi-[A-Za-z0-9_-]{60,}
    | (?<=://)[^\s/:@"'\\]{1,100}:[^\s/@"'\\]{4,200}(?=@[^\s@])
    | -----BEGIN\x20[A-Z ]*PRIVATE\x20KEY-----.*?(?:-----END\x20[A-Z ]*PRIVATE\x20KEY-----|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_HINT = re.compile(
    r"sk-|[sr]k_live|AIza|ya29\.|gh[pousr]_|github_pat_|glpat-|xox|A[KS]IA|gsk_|hf_|fw_|tgp_|xai-|csk-|npm_|pypi-"
    r"|://[^\s/@]*@|PRIVATE KEY"
)


class Redactor:
    """`redact` is cheap on text without secrets. Keys that become known later are added with `add`."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: list[str] = []
        self.add(*values)

    def __repr__(self) -> str:
        return f"Redactor({len(self._values)} values)"

    def add(self, *values: str) -> None:
        """Registers key values; surrounding space is not part of a key, and values of fewer than 8 characters are no keys."""
        known = {*self._values, *(kept for value in values if len(kept := value.strip()) >= MIN_VALUE)}
        # The longest first, so that a key that contains another leaves no rest.
        self._values = sorted(known, key=len, reverse=True)

    def redact(self, text: str) -> str:
        for value in self._values:
            if value in text:
                text = text.replace(value, MASK)
        return _SHAPES.sub(MASK, text) if _HINT.search(text) else text
