"""The provider-neutral wire model: two roles and five kinds of block.

Blocks exist only between the context pipeline and a provider; what is stored is `entry.Entry`.
System text is not a message (see `request.CompletionRequest`); a tool result lives in a user message.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data


class TextBlock(Data, tag="text"):
    text: str


class ThinkingBlock(Data, tag="thinking"):
    """A model's reasoning. `signature` proves it to the provider that made it; `redacted` is an encrypted
    block that is replayed but never shown (`thinking` is then empty)."""

    thinking: str = ""
    signature: str = ""
    redacted: str = ""


class ImageBlock(Data, tag="image"):
    """An image: base64 `data` with its media type, or a `url`."""

    media_type: str = "image/png"
    data: str = ""
    url: str = ""


class ToolUseBlock(Data, tag="tool_use"):
    """A call as the model wrote it: `arguments` is the raw JSON text, "" meaning `{}`.

    `signature` is an opaque token that some providers attach to a call and want back (Gemini's thought signature).
    """

    id: str
    name: str
    arguments: str = ""
    signature: str = ""


class ToolResultBlock(Data, tag="tool_result"):
    tool_use_id: str
    tool_name: str = ""
    text: str = ""
    images: tuple[ImageBlock, ...] = ()
    is_error: bool = False


Block: TypeAlias = TextBlock | ThinkingBlock | ImageBlock | ToolUseBlock | ToolResultBlock
Role: TypeAlias = Literal["user", "assistant"]


class Message(Data):
    role: Role
    content: tuple[Block, ...]

    def text(self) -> str:
        """All text blocks joined."""
        return "".join(block.text for block in self.content if isinstance(block, TextBlock))

    def tool_uses(self) -> tuple[ToolUseBlock, ...]:
        return tuple(block for block in self.content if isinstance(block, ToolUseBlock))


def user_text(text: str) -> Message:
    """A user message of one text block."""
    return Message(role="user", content=(TextBlock(text=text),))
