"""The requests that have a summary written: of a transcript, of one stretch of a long one, and of several records as one."""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import head_tail
from kram.messages import CompletionRequest, Entry, Kind, user_text

from .sources import prompt_text
from .tokens import METER, Meter

MAX_ENTRY_CHARS = 4_000
MAX_SUMMARY_TOKENS = 2_000


def transcript_lines(folded: Sequence[Entry], max_chars: int = MAX_ENTRY_CHARS) -> list[str]:
    """Numbered lines `n. [kind] content`; contents longer than `max_chars` keep head and tail."""
    return [_line(number, one, max_chars) for number, one in enumerate(folded, start=1)]


def stretches(lines: Sequence[str], max_tokens: int, meter: Meter = METER) -> list[list[str]]:
    """The lines in order, in stretches of at most that many tokens; a line that is longer alone is cut to fit."""
    found: list[list[str]] = []
    used = 0
    for line in lines:
        cost = meter.count(line)
        if cost > max_tokens:
            line = line[: max(1, len(line) * max_tokens // (cost + 1))]
            cost = meter.count(line)
        if not found or used + cost > max_tokens:
            found.append([])
            used = 0
        found[-1].append(line)
        used += cost
    return found


def summary_request(
    lines: Sequence[str], *, earlier: str = "", focus: str = "", part: int = 1, of: int = 1, max_tokens: int = 0
) -> CompletionRequest:
    """One call without tools. An earlier record is given along to be carried on."""
    task = "Write the record of this transcript."
    if of > 1:
        task = f"This is part {part} of {of} of a transcript. Write the record of this part."
    return _request(task, [("earlier-record", earlier), ("transcript", "\n".join(lines))], focus, max_tokens)


def merge_request(
    records: Sequence[str], *, earlier: str = "", focus: str = "", max_tokens: int = 0
) -> CompletionRequest:
    """Makes one record out of the records of consecutive parts."""
    task = (
        "These are the records of consecutive parts of one session, oldest first. Write one record of the whole; where they "
        "disagree, the later part is right."
    )
    sections = [("earlier-record", earlier)]
    sections += [(f"record-{number}", text) for number, text in enumerate(records, start=1)]
    return _request(task, sections, focus, max_tokens)


def _request(task: str, sections: Sequence[tuple[str, str]], focus: str, max_tokens: int) -> CompletionRequest:
    if focus:
        task += f" Pay special attention to: {focus}"
    blocks = [f"<{name}>\n{_inside(text, name)}\n</{name}>" for name, text in sections if text.strip()]
    return CompletionRequest(
        system=(prompt_text("summary"),),
        messages=(user_text("\n\n".join([task, *blocks])),),
        max_tokens=max_tokens or MAX_SUMMARY_TOKENS,
    )


def _inside(text: str, name: str) -> str:
    """A closing tag inside the text would end the section early."""
    return text.replace(f"</{name}", f"<\\/{name}")


def _line(number: int, one: Entry, max_chars: int) -> str:
    label = one.tag or one.kind
    if one.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
        label = f"{one.kind} {one.tool_name}" + (" failed" if one.is_error else "")
    return f"{number}. [{label}] {head_tail(one.content, max_chars)}"
