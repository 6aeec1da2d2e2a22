"""Codex's rollout files (`~/.codex/sessions/…/rollout-….jsonl`): `{"timestamp", "type", "payload"}` a line.

The form is that of github.com/openai/codex: `RolloutItem` (`session_meta`, `response_item`, `compacted`, `turn_context`,
`event_msg`) and the response items in `codex-rs/protocol/src/models.rs`. Files of 2025's first half have the items without the
envelope, behind a first line with `id` and `timestamp`; those are read too. Encrypted reasoning cannot be read and is left out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kram.messages import ImageBlock, Usage

from .imported import BadImport, Imported
from .talk import Talk
from .values import count, data_url, items, nanoseconds, table, words

ENVELOPES = ("session_meta", "response_item", "compacted", "turn_context", "event_msg")
ITEMS = (
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
)
NOT_SAID = (
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<permissions",
    "<skill>",
)
ABORTED = "<turn_aborted>"


def is_codex(records: Sequence[dict[str, Any]]) -> bool:
    enveloped = any(one.get("type") in ENVELOPES and isinstance(one.get("payload"), dict) for one in records)
    return enveloped or any(one.get("type") in ITEMS and "message" not in one for one in records)


def read_codex(records: Sequence[dict[str, Any]]) -> Imported:
    """Raises `BadImport` where nothing was said."""
    talk, model, workspace = Talk(), "", ""
    for record in records:
        at = nanoseconds(record.get("timestamp"))
        payload = table(record.get("payload"))
        match record.get("type"):
            case "session_meta":
                workspace = workspace or words(payload.get("cwd"))
            case "turn_context":
                model = words(payload.get("model")) or model
            case "compacted":
                talk.summary(_compacted(payload), at)
            case "event_msg":
                _event(talk, payload)
            case "response_item":
                _item(talk, payload, at, f"openai/{model}" if model else "")
            case kind if kind in ITEMS:
                _item(talk, record, at, "")
    entries = talk.entries()
    if not entries:
        raise BadImport("Nothing was said in this Codex session")
    return Imported(form="codex", entries=entries, workspace=workspace, folded=talk.folded)


def _item(talk: Talk, item: dict[str, Any], at: int, model: str) -> None:
    match item.get("type"):
        case "message":
            _message(talk, item, at, model)
        case "reasoning":
            found = [*items(item.get("summary")), *items(item.get("content"))]
            talk.think("\n\n".join(text for one in found if (text := words(table(one).get("text")))), at, model)
        case "function_call":
            talk.call(words(item.get("call_id")), words(item.get("name")), item.get("arguments", ""), at, model)
        case "custom_tool_call":
            talk.call(words(item.get("call_id")), words(item.get("name")), {"input": item.get("input", "")}, at, model)
        case "local_shell_call":
            call_id = words(item.get("call_id")) or words(item.get("id"))
            talk.call(call_id, "local_shell", table(item.get("action")), at, model)
        case "function_call_output" | "custom_tool_call_output":
            text, is_error, images = _output(item.get("output"))
            talk.result(words(item.get("call_id")), text, at, is_error=is_error, images=images)


def _message(talk: Talk, item: dict[str, Any], at: int, model: str) -> None:
    text = _texts(item.get("content"))
    if item.get("role") == "assistant":
        talk.say(text, at, model)
    elif item.get("role") == "user":
        if text.lstrip().startswith(ABORTED):
            talk.note("The turn was stopped.", "interrupted", at)
        elif not text.lstrip().startswith(NOT_SAID):
            talk.user(text, at, _pictures(item.get("content")))


def _output(output: Any) -> tuple[str, bool, list[ImageBlock]]:
    """Text, whether it failed, pictures. Outputs are text, a list of parts, or an object; text may be a JSON object with the
    output and an exit code in it."""
    if isinstance(output, list):
        return _texts(output), False, _pictures(output)
    if isinstance(output, dict):
        return words(output.get("content")) or _texts(output.get("content")), output.get("success") is False, []
    text = words(output)
    if text.startswith('{"output"'):
        try:
            value = table(json.loads(text))
        except (ValueError, RecursionError):
            return text, False, []
        return words(value.get("output")), bool(count(table(value.get("metadata")).get("exit_code"))), []
    return text, False, []


def _compacted(payload: dict[str, Any]) -> str:
    """What stands for the history so far: its message, else what the replacement says last."""
    if text := words(payload.get("message")).strip():
        return text
    said = [
        text for one in map(table, items(payload.get("replacement_history"))) if (text := _texts(one.get("content")))
    ]
    return said[-1] if said else ""


def _event(talk: Talk, payload: dict[str, Any]) -> None:
    """Of what a screen was told only two things matter: tokens, and turns that were taken back."""
    if payload.get("type") == "token_count":
        used = table(table(payload.get("info")).get("last_token_usage"))
        usage = Usage(
            input=count(used.get("input_tokens")),
            output=count(used.get("output_tokens")),
            cache_read=count(used.get("cached_input_tokens")),
            reasoning=count(used.get("reasoning_output_tokens")),
        )
        if usage.reported:
            talk.usage(usage)
    elif payload.get("type") == "thread_rolled_back":
        talk.drop_turns(count(payload.get("num_turns")))


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text for one in map(table, items(content)) if (text := words(one.get("text"))))


def _pictures(content: Any) -> list[ImageBlock]:
    found = [data_url(one.get("image_url")) for one in map(table, items(content)) if one.get("type") == "input_image"]
    return [one for one in found if one is not None]
