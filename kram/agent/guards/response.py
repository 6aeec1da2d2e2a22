"""Answers that end as if they were not at their end: cut off in the middle, or only saying what comes next."""

from __future__ import annotations

import unicodedata

_ANNOUNCING = (
    "first, let me",
    "first i'll",
    "i'll need to",
    "i'll start by",
    "i will start by",
    "i'm going to",
    "im going to",
    "i need to",
    "i will",
    "i'll",
    "let me think",
    "one moment",
    "give me",
    "let me",
)
_SHORT = frozenset({"done", "completed", "finished", "yes", "no", "success", "failed"})
_SHORT_STARTS = ("error:", "success:", "warning:")
ANNOUNCING_WORDS = 40
"""An answer of so many words says more than what comes next."""
SHORT_WORDS = 10


def looks_truncated(text: str) -> bool:
    """It breaks off: dots at the end, a comma, a hyphen, an odd sign, a code fence that is never closed."""
    text = text.strip()
    if not text:
        return False
    return text.endswith("...") or text.count("```") % 2 == 1 or _breaks_off(text)


def _breaks_off(text: str) -> bool:
    last = text[-1]
    if last in ",-":
        return True
    if "```" in text or "http" in text:
        return False
    category = unicodedata.category(last)
    # Letters, digits, marks on them, signs such as emoji and all punctuation may end a sentence.
    return not (category[0] in "LMNP" or category in ("So", "Sk"))


def is_incomplete(text: str) -> bool:
    """It breaks off, or is so short that it says nothing; an empty text is no answer at all and counts."""
    if text == "":
        return False
    stripped = text.strip()
    if looks_truncated(stripped):
        return True
    short = stripped.rstrip(".!?;:").lower()
    if short in _SHORT or stripped.lower().startswith(_SHORT_STARTS):
        return False
    return len(stripped.split()) < SHORT_WORDS


def is_tentative(text: str) -> bool:
    """It only announces what it is going to do."""
    start = text.lstrip().lower().replace("\u2019", "'")
    return bool(start) and len(start.split()) < ANNOUNCING_WORDS and start.startswith(_ANNOUNCING)
