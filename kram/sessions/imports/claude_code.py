"""Claude Code's session files (`~/.claude/projects/<folder>/<session>.jsonl`): one JSON record a line, linked by `parentUuid`.

The form is not documented by its maker. It is read as public descriptions and parsers have it: the JSON schema of
github.com/moru-ai/agent-schemas (`claude-code/v2.1.1`), and the sample files of github.com/daaain/claude-code-log
(`test/test_data`), which show abandoned branches, compaction (`compact_boundary`, `isCompactSummary`) and side chains.
Of several branches the one that leads to the last record counts; side chains (subagents) and the program's own notes do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kram.messages import ImageBlock, Usage

from .imported import BadImport, Imported
from .talk import Talk
from .values import count, items, nanoseconds, picture, table, words

SAID = ("user", "assistant")
NOT_SAID = ("<local-command-", "<command-name>", "<command-message>", "<system-reminder>", "Caveat: ")
INTERRUPTED = "[Request interrupted"


def is_claude_code(records: Sequence[dict[str, Any]]) -> bool:
    return any(
        one.get("type") in SAID and "message" in one and ("uuid" in one or "sessionId" in one) for one in records
    )


def read_claude_code(records: Sequence[dict[str, Any]]) -> Imported:
    """Raises `BadImport` where nothing was said."""
    talk = Talk()
    billed: set[str] = set()
    for record in _branch(records):
        if record.get("isSidechain") or record.get("isMeta") or record.get("isApiErrorMessage"):
            continue
        if record.get("type") == "user":
            _user(talk, record)
        elif record.get("type") == "assistant":
            _assistant(talk, record, billed)
    entries = talk.entries()
    if not entries:
        raise BadImport("Nothing was said in this Claude Code session")
    return Imported(
        form="claude-code",
        entries=entries,
        title=_title(records),
        workspace=next((cwd for one in records if (cwd := words(one.get("cwd")))), ""),
        folded=talk.folded,
    )


def _user(talk: Talk, record: dict[str, Any]) -> None:
    at, content = nanoseconds(record.get("timestamp")), table(record.get("message")).get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [table(one) for one in items(content)]
    for block in blocks:
        if block.get("type") == "tool_result":
            text, images = _result(block.get("content"))
            talk.result(
                words(block.get("tool_use_id")), text, at, is_error=block.get("is_error") is True, images=images
            )
    text = "\n\n".join(words(block.get("text")) for block in blocks if block.get("type") == "text")
    pictures = _pictures(blocks)
    if record.get("isCompactSummary"):
        talk.summary(text, at)
    elif text.startswith(INTERRUPTED):
        talk.note(text, "interrupted", at)
    elif not text.lstrip().startswith(NOT_SAID):
        talk.user(text, at, pictures)


def _assistant(talk: Talk, record: dict[str, Any], billed: set[str]) -> None:
    message, at = table(record.get("message")), nanoseconds(record.get("timestamp"))
    model = words(message.get("model"))
    if model == "<synthetic>":
        return
    name = f"anthropic/{model}" if model else ""
    for block in map(table, items(message.get("content"))):
        match block.get("type"):
            case "text":
                talk.say(words(block.get("text")), at, name)
            case "thinking":
                talk.think(words(block.get("thinking")), at, name)
            case "tool_use":
                talk.call(words(block.get("id")), words(block.get("name")), block.get("input"), at, name)
    # An answer is recorded block by block, and each record repeats what the whole answer used.
    identity = words(message.get("id"))
    if identity not in billed and any(table(one).get("type") != "thinking" for one in items(message.get("content"))):
        billed.add(identity)
        if (usage := _usage(table(message.get("usage")))).reported:
            talk.usage(usage)


def _usage(used: dict[str, Any]) -> Usage:
    read, written = count(used.get("cache_read_input_tokens")), count(used.get("cache_creation_input_tokens"))
    return Usage(
        input=count(used.get("input_tokens")) + read + written,
        output=count(used.get("output_tokens")),
        cache_read=read,
        cache_write=written,
    )


def _result(content: Any) -> tuple[str, list[ImageBlock]]:
    if isinstance(content, str):
        return content, []
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else table(one) for one in items(content)]
    return "\n".join(words(one.get("text")) for one in blocks if one.get("type") == "text"), _pictures(blocks)


def _pictures(blocks: Iterable[dict[str, Any]]) -> list[ImageBlock]:
    sources = [table(block.get("source")) for block in blocks if block.get("type") == "image"]
    found = [picture(source.get("media_type"), source.get("data")) for source in sources]
    return [one for one in found if one is not None]


def _title(records: Sequence[dict[str, Any]]) -> str:
    """A name the person gave, else what the program summed up last."""
    for kind, field in (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary")):
        found = [title for one in records if one.get("type") == kind and (title := words(one.get(field)))]
        if found:
            return found[-1]
    return ""


def _branch(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records that lead to the last thing said, in the order of the file.

    Calls that ran side by side branch as well: with an answer all of its blocks belong to it, and with a call its result.
    """
    by_id = {words(one.get("uuid")): at for at, one in enumerate(records) if one.get("uuid")}
    said = [at for at, one in enumerate(records) if one.get("type") in SAID and not one.get("isSidechain")]
    kept: set[int] = set()
    at = said[-1] if said else -1
    while at >= 0 and at not in kept:
        kept.add(at)
        at = _before(records, at, by_id, said)
    answers = {_answer_id(records[at]) for at in kept} - {""}
    kept |= {at for at in said if _answer_id(records[at]) in answers}
    calls = {call for at in kept for call in _block_ids(records[at], "tool_use", "id")}
    kept |= {at for at in said if calls.intersection(_block_ids(records[at], "tool_result", "tool_use_id"))}
    return [records[at] for at in sorted(kept)]


def _before(records: Sequence[dict[str, Any]], at: int, by_id: dict[str, int], said: Sequence[int]) -> int:
    """The parent; where it is not in the file the record said before it, -1 at the beginning."""
    parent = words(records[at].get("parentUuid")) or words(records[at].get("logicalParentUuid"))
    if not parent:
        return -1
    if (found := by_id.get(parent)) is not None:
        return found
    return max((other for other in said if other < at), default=-1)


def _answer_id(record: dict[str, Any]) -> str:
    return words(table(record.get("message")).get("id")) if record.get("type") == "assistant" else ""


def _block_ids(record: dict[str, Any], kind: str, field: str) -> set[str]:
    blocks = map(table, items(table(record.get("message")).get("content")))
    return {words(block.get(field)) for block in blocks if block.get("type") == kind}
