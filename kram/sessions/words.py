"""A person's or a model's query as words that a full-text index takes. Punctuation separates and can never be an error.

Words are runs of letters and digits of any script. Scripts without spaces between words (Chinese, Japanese, Thai, …) are
looked for as they stand inside the text, since an index of words has only whole sentences of them.
"""

from __future__ import annotations

import re
import unicodedata

from kram.base import Data

MAX_WORDS = 24
MAX_WORD_CHARS = 80

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|[^\W_{_UNSPACED}]+")


class Words(Data):
    """`match` for `MATCH` ("" where there is none), `inside` for `instr`; both hold. Nothing at all where a query has no word."""

    match: str
    inside: tuple[str, ...]
    all: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.all)


def words(query: str, *, unfinished: bool = False) -> Words:
    """All words must occur; with `unfinished` the last one is the beginning of a word, as while it is typed."""
    runs = [(found.group()[:MAX_WORD_CHARS], bool(found["unspaced"])) for found in _RUN.finditer(query)][:MAX_WORDS]
    spaced = [f'"{run}"' for run, unspaced in runs if not unspaced]
    if spaced and unfinished and not runs[-1][1]:
        spaced[-1] += "*"
    return Words(
        match=" AND ".join(spaced),
        inside=tuple(run for run, unspaced in runs if unspaced),
        all=tuple(run for run, _ in runs),
    )


def plain(text: str) -> str:
    """Without upper case and accents, for comparing."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in parts if not unicodedata.combining(one))


def excerpt(text: str, wanted: tuple[str, ...], limit: int) -> str:
    """At most `limit` characters of a text, from a little before the first of the words on."""
    if len(text) <= limit:
        return text
    folded = text.lower()
    places = [place for word in wanted if (place := folded.find(word.lower())) >= 0]
    start = max(0, min(places, default=0) - limit // 4)
    start = min(start, len(text) - limit)
    cut = text[start : start + limit]
    head = "…" if start else ""
    tail = "…" if start + limit < len(text) else ""
    return head + cut[len(head) : len(cut) - len(tail)] + tail
