"""Plain data: the durable entry, wire blocks, requests, stream events, usage, routes."""

from .accumulator import Accumulator
from .blocks import Block, ImageBlock, Message, Role, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, user_text
from .codec import from_json, to_json, to_plain
from .entry import Entry, Kind, Part, entry, in_order
from .kept import Fact, Said, Scope, SessionHit
from .request import CompletionRequest, Example, ThinkingMode, ToolSpec
from .route import Attempt, Factor, Ranked, Route
from .stream import (
    BlockStopped,
    Completion,
    MessageDelta,
    MessageStarted,
    MessageStopped,
    RedactedThinking,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSignature,
    ToolInputDelta,
    ToolUseStarted,
    ToolUseStopped,
    is_meaningful,
)
from .usage import Usage

__all__ = [
    "Accumulator",
    "Attempt",
    "Block",
    "BlockStopped",
    "Completion",
    "CompletionRequest",
    "Entry",
    "Example",
    "Fact",
    "Factor",
    "ImageBlock",
    "Kind",
    "Message",
    "MessageDelta",
    "MessageStarted",
    "MessageStopped",
    "Part",
    "Ranked",
    "RedactedThinking",
    "Role",
    "Route",
    "Said",
    "Scope",
    "SessionHit",
    "StreamEvent",
    "TextBlock",
    "TextDelta",
    "ThinkingBlock",
    "ThinkingDelta",
    "ThinkingMode",
    "ThinkingSignature",
    "ToolInputDelta",
    "ToolResultBlock",
    "ToolSpec",
    "ToolUseBlock",
    "ToolUseStarted",
    "ToolUseStopped",
    "Usage",
    "entry",
    "from_json",
    "in_order",
    "is_meaningful",
    "to_json",
    "to_plain",
    "user_text",
]
