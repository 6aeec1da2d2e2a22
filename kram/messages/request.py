"""One request to a model, before any provider's dialect."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data, JsonView

from .blocks import Message

ThinkingMode: TypeAlias = Literal["", "enabled", "disabled"]


class ToolSpec(Data):
    """A tool as the model sees it; `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: JsonView


class Example(Data):
    """An exchange that shows a model how it is done: what a person said, the call that followed (if `tool` names one) with
    its result, and the words at the end. Blank parts are left out."""

    said: str
    tool: str = ""
    arguments: JsonView = {}
    result: str = ""
    answer: str = ""


class CompletionRequest(Data):
    """System segments, messages, tools and options.

    - `system`: segments in order; blank ones are dropped, the rest is joined by a blank line.
    - `dynamic_boundary`: how many leading segments are stable between calls; the prompt-cache mark goes after them (0: none).
    - options: None or "" means unset and is absent on the wire, which differs from 0.
    - `tool_choice`: "" | auto | required | none | a tool's name. `trace_id` is sent as `X-Trace-Id` where allowed.
    - `examples`: shown only to models that call tools by text and learn it that way; every other adapter leaves them out.
    """

    messages: tuple[Message, ...]
    system: tuple[str, ...] = ()
    dynamic_boundary: int = 0
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 0
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    thinking: ThinkingMode = ""
    reasoning_effort: str = ""
    reasoning_budget: int = 0
    tool_choice: str = ""
    response_format: JsonView | None = None
    grammar: str = ""
    trace_id: str = ""
    examples: tuple[Example, ...] = ()

    def segments(self) -> tuple[str, ...]:
        """System segments, trimmed, without blank ones."""
        return tuple(text for text in (segment.strip() for segment in self.system) if text)

    def system_text(self) -> str:
        """All segments joined by a blank line."""
        return "\n\n".join(self.segments())
