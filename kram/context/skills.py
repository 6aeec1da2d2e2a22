"""Skills in a conversation: a user text in an envelope that names the skill. After a compaction the latest of each skill
that was invoked before it goes on word for word, within limits that are stated here."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from kram.messages import Entry, Kind

from .tokens import METER, Meter

SKILL_TOKENS = 5_000
ALL_SKILLS_TOKENS = 25_000
CUT_NOTE = "\n[the rest of this skill was cut to save room; open its file for the whole]"

_OPENING = re.compile(r'<invoked-skill name="([^"]*)"')
_CLOSING = "\n</invoked-skill>\n</system-reminder>"


def skill_text(name: str, path: str, body: str, *, base_directory: str = "") -> str:
    """The envelope of an invoked skill."""
    base = f"Base directory of this skill: {base_directory}\n" if base_directory else ""
    return f'<system-reminder>\n<invoked-skill name="{_plain(name)}" path="{_plain(path)}">\n{base}{body}{_CLOSING}'


def skill_name(text: str) -> str:
    """The name of the skill a text carries; "" for any other text."""
    if not text.startswith("<system-reminder>"):
        return ""
    found = _OPENING.search(text)
    return found.group(1).strip() if found else ""


def cut_skill(text: str, max_chars: int) -> str:
    """The envelope with its body cut to `max_chars`; unchanged where that is 0 or less or it is short enough."""
    body_at = text.find(">\n", text.find("<invoked-skill")) + 2
    body = text[body_at:].removesuffix(_CLOSING)
    if max_chars <= 0 or len(body) <= max_chars:
        return text
    return text[:body_at] + body[:max_chars] + CUT_NOTE + _CLOSING


def is_skill(entry: Entry) -> bool:
    return entry.kind in (Kind.USER, Kind.NOTIFICATION) and bool(skill_name(entry.content))


def active_skills(entries: Sequence[Entry], meter: Meter = METER) -> list[Entry]:
    """The latest invocation of each skill, newest first while they fit 25,000 tokens (5,000 each), in order of time."""
    latest: dict[str, Entry] = {}
    for one in reversed(entries):
        if is_skill(one):
            latest.setdefault(skill_name(one.content), one)
    left = ALL_SKILLS_TOKENS
    kept: set[str] = set()
    for one in latest.values():
        cost = min(SKILL_TOKENS, meter.entry(one))
        if cost <= left:
            left -= cost
            kept.add(one.id)
    return [one for one in entries if one.id in kept]


def trimmed_skills(entries: Sequence[Entry]) -> list[Entry]:
    """Skills from before the last compaction, cut to 5,000 tokens each; later ones are whole."""
    last = max((at for at, one in enumerate(entries) if one.kind == Kind.COMPACTION), default=-1)
    return [
        msgspec.structs.replace(one, content=cut_skill(one.content, SKILL_TOKENS * 4))
        if at < last and is_skill(one) and len(one.content) > SKILL_TOKENS * 4
        else one
        for at, one in enumerate(entries)
    ]


def _plain(value: str) -> str:
    return value.replace('"', "'").replace("<", "(").replace(">", ")")
