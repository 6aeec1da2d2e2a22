"""What a finished turn came to, written by code: asked, tools, files, commands, errors, answer. No model is called."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from kram.base import Data
from kram.messages import Entry, Kind

from .policy import Checkpoint
from .tail import said_by_person

Status: TypeAlias = Literal["completed", "error", "partial", "interrupted"]

READS: frozenset[str] = frozenset({"read_file"})
WRITES: frozenset[str] = frozenset({"write_file", "edit_file", "delete_file", "move_file"})
SHELLS: frozenset[str] = frozenset({"bash", "run_background"})
PATH_ARGUMENTS = ("path", "file_path", "new_path", "old_path")
ERROR_SIGNS = (
    "error:", "failed", "permission denied", "not found", "does not exist", "no such file", "timeout", "refused", "denied",
)  # fmt: skip
ASKED_CHARS, ERROR_CHARS, NARRATIVE_CHARS, RESULT_CHARS = 200, 150, 150, 200
SHOWN_COMMANDS = 3
SHORT_RESULT_CHARS = 1_000
"""A longer result is a text that was read, and may speak of errors without being one."""


class TurnSummary(Data):
    """The facts of one turn. `tools`: name -> how often."""

    asked: str = ""
    tools: Mapping[str, int] = {}
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    answer: str = ""
    status: Status = "completed"

    def narrative(self) -> str:
        """A few sentences; facts that are missing are left out."""
        parts = [f"Asked: {self.asked}"] if self.asked else []
        if self.tools:
            names = (f"{name} ({count}x)" if count > 1 else name for name, count in sorted(self.tools.items()))
            parts.append(f"Tools: {', '.join(names)}")
        if self.read:
            parts.append(f"Read: {', '.join(self.read)}")
        if self.modified:
            parts.append(f"Modified: {', '.join(self.modified)}")
        if self.commands:
            shown = "; ".join(self.commands[:SHOWN_COMMANDS])
            parts.append(
                f"Commands: {shown}"
                if len(self.commands) <= SHOWN_COMMANDS
                else f"{len(self.commands)} commands, first: {shown}"
            )
        if self.errors:
            parts.append(f"{len(self.errors)} error(s)")
        if self.answer:
            parts.append(f"Answer: {cut(self.answer, NARRATIVE_CHARS)}")
        if self.status != "completed":
            parts.append(f"Status: {self.status}")
        return ". ".join(parts)

    def actionable(self) -> str:
        """The same as bullets, for going on with the work."""
        rows = [("Question", self.asked), ("Read", ", ".join(self.read)), ("Modified", ", ".join(self.modified))]
        rows += [("Command", one) for one in self.commands] + [("Error", one) for one in self.errors]
        rows.append(("Result", cut(self.answer, RESULT_CHARS) if self.answer else f"none, status {self.status}"))
        return "\n".join(f"- {name}: {text}" for name, text in rows if text)


def summarise_turn(
    entries: Sequence[Entry],
    *,
    reads: Iterable[str] = READS,
    writes: Iterable[str] = WRITES,
    shells: Iterable[str] = SHELLS,
) -> TurnSummary:
    """The facts of a turn's entries. Results are matched to their calls by id."""
    calls = [one for one in entries if one.kind == Kind.TOOL_CALL]
    asked = next((one.content for one in entries if said_by_person(one)), "")
    answer = _final_answer(entries)
    errors = tuple(cut(one.content, ERROR_CHARS) for one in entries if one.kind == Kind.TOOL_RESULT and failed(one))
    return TurnSummary(
        asked=cut(asked, ASKED_CHARS),
        tools=Counter(one.tool_name for one in calls),
        read=_paths(calls, frozenset(reads)),
        modified=_paths(calls, frozenset(writes)),
        commands=tuple(_text(one, ("command", "cmd")) for one in calls if one.tool_name in frozenset(shells)),
        errors=errors,
        answer=answer.strip(),
        status=_status(answer.strip(), bool(calls), bool(errors)),
    )


def minimal_checkpoint(entries: Sequence[Entry]) -> Checkpoint:
    """What is kept where the summary took too long."""
    asked = next((one.content for one in entries if said_by_person(one)), "")
    text = f"Asked: {cut(asked, ASKED_CHARS)}. {len(entries)} steps; the details were not summarised"
    return Checkpoint(start=entries[0].id, end=entries[-1].id, summary=text)


def checkpoint_of(entries: Sequence[Entry]) -> Checkpoint:
    """The checkpoint of a turn, from its entries in order."""
    summary = summarise_turn(entries)
    return Checkpoint(
        start=entries[0].id,
        end=entries[-1].id,
        summary=summary.narrative() or summary.actionable(),
        status=summary.status,
    )


def cut(text: str, max_chars: int) -> str:
    """One line of at most that many characters, cut at a word where there is one in the second half."""
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    head = line[:max_chars]
    space = head.rfind(" ")
    return f"{head[:space] if space >= max_chars // 2 else head}..."


def failed(result: Entry) -> bool:
    """Whether a result tells of a failure, by its flag or, where it is short, by its first words."""
    if result.is_error or len(result.content) > SHORT_RESULT_CHARS:
        return result.is_error
    lower = result.content[:ERROR_CHARS].casefold()
    return any(sign in lower for sign in ERROR_SIGNS)


def _final_answer(entries: Sequence[Entry]) -> str:
    """The assistant's last words, where no call came behind them."""
    for one in reversed(entries):
        if one.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
            return ""
        if one.kind == Kind.ASSISTANT and one.content.strip():
            return one.content
    return ""


def _status(answer: str, called: bool, failures: bool) -> Status:
    if not answer:
        return "error" if failures else "interrupted"
    return "partial" if answer.endswith(("...", "…", ",", "(", "[")) else "completed"


def _paths(calls: Sequence[Entry], names: frozenset[str]) -> tuple[str, ...]:
    found = [_text(one, PATH_ARGUMENTS) for one in calls if one.tool_name in names]
    return tuple(dict.fromkeys(path for path in found if path))


def _text(call: Entry, names: Sequence[str]) -> str:
    try:
        arguments = json.loads(call.content or "{}")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    return next((value for name in names if isinstance(value := arguments.get(name), str)), "")
