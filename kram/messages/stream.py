"""Normalised stream events: what every provider's bytes become.

Order: `MessageStarted?`, then deltas, then `MessageDelta` and `MessageStopped` last. A stream that ends
without `MessageStopped` did not finish; a provider raises then (see `kram.providers.errors`).
`index` tells parallel calls apart; providers that don't number calls get a number from their adapter.
"""

from __future__ import annotations

from typing import TypeAlias

from kram.base import Data

from .blocks import Block, ToolUseBlock
from .usage import Usage


class MessageStarted(Data, tag="message_start"):
    """The first sign of an answer, with the provider's own model name where it tells it."""

    model: str = ""


class TextDelta(Data, tag="text_delta"):
    text: str


class ThinkingDelta(Data, tag="thinking_delta"):
    text: str


class ThinkingSignature(Data, tag="thinking_signature"):
    """Proof for the thinking block that is open (a block of its own where none is)."""

    signature: str


class RedactedThinking(Data, tag="redacted_thinking"):
    """An encrypted thinking block: replayed, never shown."""

    data: str


class BlockStopped(Data, tag="block_stop"):
    """The open text or thinking block ends here; the next delta of that kind opens a new one."""


class ToolUseStarted(Data, tag="tool_use_start"):
    index: int
    id: str
    name: str
    signature: str = ""


class ToolInputDelta(Data, tag="tool_input_delta"):
    """More of a call's raw argument text."""

    index: int
    text: str


class ToolUseStopped(Data, tag="tool_use_stop"):
    """The call is complete. A call that never gets this is not to be run."""

    index: int


class MessageDelta(Data, tag="message_delta"):
    """Stop reason and usage. Figures are absolute, never increments: the last one of each field wins; None is not reported.

    `stop_reason`: end_turn, tool_use, max_tokens, stop_sequence, refusal, pause_turn, content_filter, or the provider's own word.
    `finish_reason` is always the provider's own word.
    """

    stop_reason: str = ""
    finish_reason: str = ""
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    refusal: str = ""


class MessageStopped(Data, tag="message_stop"):
    """The provider's terminal event was seen."""


StreamEvent: TypeAlias = (
    MessageStarted
    | TextDelta
    | ThinkingDelta
    | ThinkingSignature
    | RedactedThinking
    | BlockStopped
    | ToolUseStarted
    | ToolInputDelta
    | ToolUseStopped
    | MessageDelta
    | MessageStopped
)


def is_meaningful(event: StreamEvent) -> bool:
    """Whether an event commits an attempt: visible text, a tool call, or thinking that a person sees."""
    if isinstance(event, TextDelta | ThinkingDelta):
        return bool(event.text.strip())
    return isinstance(event, ToolUseStarted | RedactedThinking)


class Completion(Data):
    """What a stream adds up to (`accumulator`), in arrival order. `finished` is False if the terminal event is missing:
    `content` then holds what came, and tool calls that were not closed are left out of it (see `unfinished`)."""

    content: tuple[Block, ...] = ()
    stop_reason: str = ""
    finish_reason: str = ""
    refusal: str = ""
    usage: Usage = Usage()
    usage_reported: bool = False
    model: str = ""
    finished: bool = False
    unfinished: tuple[ToolUseBlock, ...] = ()
