"""The person's own words through a compaction: how many of them go on verbatim, and how they are written down."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.base import Data
from kram.messages import Entry

from .policy import ViewPolicy
from .tail import said_by_person

WORDS_TOKENS = 4_000
"""At most this much of the person's earlier words is kept verbatim, and no more than an eighth of the room there is."""
ONE_SHARE = 0.5
"""Of that bound, what a single message may take; the rest of a longer one is only in the summary."""


class Word(Data):
    """One message of the person as it is kept: whole, or its head where it is long (`cut`: characters left out)."""

    id: str
    text: str
    cut: int = 0


def words_bound(policy: ViewPolicy) -> int:
    """Tokens."""
    return min(WORDS_TOKENS, policy.goal // 8) if policy.goal > 0 else WORDS_TOKENS


def said_in(entries: Sequence[Entry]) -> list[Word]:
    """The person's messages among these entries, blank ones left out."""
    return [Word(id=one.id, text=text) for one in entries if said_by_person(one) and (text := one.content.strip())]


def kept_words(words: Sequence[Word], policy: ViewPolicy) -> tuple[Word, ...]:
    """The newest words that fit the bound, in order of time; a message that is too long keeps its head."""
    left = words_bound(policy)
    one_bound = round(left * ONE_SHARE)
    kept: list[Word] = []
    for word in reversed(words):
        fitting = word
        if policy.meter.count(word.text) > one_bound:
            head = _head(word.text, one_bound, policy)
            fitting = Word(id=word.id, text=head, cut=word.cut + len(word.text) - len(head))
        cost = policy.meter.count(fitting.text)
        if cost > left or not fitting.text:
            break
        left -= cost
        kept.append(fitting)
    return tuple(reversed(kept))


def within(entries: Sequence[Entry], policy: ViewPolicy) -> list[Entry]:
    """The newest of these entries that fit the same bound whole."""
    left = words_bound(policy)
    kept: list[Entry] = []
    for one in reversed(entries):
        left -= policy.meter.entry(one)
        if left < 0:
            break
        kept.append(one)
    return kept[::-1]


def words_text(words: Sequence[Word]) -> str:
    """A list, oldest first."""
    return "\n".join(
        f"{number}. {word.text}" + (f" … [{word.cut} characters more]" if word.cut else "")
        for number, word in enumerate(words, start=1)
    )


def words_in(details: object) -> tuple[Word, ...]:
    """What an earlier marker kept."""
    try:
        return msgspec.convert(details or (), tuple[Word, ...])
    except msgspec.ValidationError:
        return ()


def _head(text: str, tokens: int, policy: ViewPolicy) -> str:
    """The longest head of at most that many tokens, found by halving."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if policy.meter.count(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low]
