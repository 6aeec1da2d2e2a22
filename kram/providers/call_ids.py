"""Ids of tool calls, made acceptable to a vendor. A history may hold ids of another vendor (`functions.read:0`), and vendors
differ in what they take: Anthropic letters, digits, `_` and `-`; OpenAI at most 40 characters; Mistral nine letters or digits.

The same id always becomes the same id, so that call and result keep matching; an acceptable id is not touched.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import TypeAlias

from kram.base import new_id

FitId: TypeAlias = Callable[[str], str]

_WORD = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NINE = re.compile(r"[A-Za-z0-9]{9}")
_MAX_OPENAI_CHARS = 40


def made_id() -> str:
    """A unique id for a call that came without one."""
    return f"call_{new_id().replace('-', '')[:24]}"


def word_id(call_id: str) -> str:
    """Letters, digits, `_` and `-`, at most 64 of them."""
    return call_id if _WORD.fullmatch(call_id) else f"call_{_digest(call_id)[:24]}"


def short_id(call_id: str) -> str:
    """At most 40 characters."""
    return call_id if 0 < len(call_id) <= _MAX_OPENAI_CHARS else f"call_{_digest(call_id)[:24]}"


def nine_id(call_id: str) -> str:
    """Exactly nine letters or digits."""
    return call_id if _NINE.fullmatch(call_id) else _digest(call_id)[:9]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
