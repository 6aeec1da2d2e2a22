"""The request that summarises what a compaction folds, and the entry that stands for it afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from kram.messages import CompletionRequest, Entry, Kind, entry, user_text

from .sources import prompt_text

FRAME = "The earlier part of this session, summarised for reference. It is a record, not a request.\n\n"
MAX_ENTRY_CHARS = 4_000


def summary_request(folded: Sequence[Entry], earlier: Sequence[Entry], *, focus: str = "") -> CompletionRequest:
    """One call without tools over numbered lines `n. [kind] content`; earlier summaries come first and are kept up."""
    lines = [_line(number, one) for number, one in enumerate([*earlier, *folded], start=1)]
    task = "Write the record of this transcript."
    if focus:
        task += f" Pay special attention to: {focus}"
    text = f"{task}\n\n<transcript>\n" + "\n".join(lines) + "\n</transcript>"
    return CompletionRequest(system=(prompt_text("summary"),), messages=(user_text(text),), max_tokens=4_000)


def _line(number: int, one: Entry) -> str:
    label = one.tag or one.kind
    if one.kind == Kind.TOOL_CALL:
        label = f"{one.kind} {one.tool_name}"
    content = one.content
    if len(content) > MAX_ENTRY_CHARS:
        half = MAX_ENTRY_CHARS // 2
        content = f"{content[:half]}\n… {len(content) - MAX_ENTRY_CHARS} characters left out …\n{content[-half:]}"
    return f"{number}. [{label}] {content}"


def marker(summary: str, folded: Sequence[Entry], *, trigger: str, tokens_before: int) -> Entry:
    """The compaction entry. Its time is that of the newest folded entry, so it sorts before what was kept."""
    newest = max(one.created_at for one in folded)
    return entry(
        Kind.COMPACTION,
        FRAME + summary.strip(),
        at_ns=newest,
        details={
            "trigger": trigger,
            "tokens_before": tokens_before,
            "subsumed": [{"id": one.id, "origin": one.origin} for one in folded],
        },
    )
