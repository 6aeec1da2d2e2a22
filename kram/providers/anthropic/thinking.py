"""Whether and how the model thinks in one request, by the rules of the Messages API.

A budget of at least 1,024 tokens that is smaller than `max_tokens`; no forced tool; and, with a budget, no running round of
calls that began without thinking. Newer models take `adaptive` instead and know none of these rules but the forced tool.
"""

from __future__ import annotations

from kram.base import Data, Json
from kram.config import Model
from kram.messages import CompletionRequest, Message, ThinkingBlock, ToolResultBlock

MIN_BUDGET = 1024
_BUDGETS = {"minimal": 1024, "none": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 24_576, "max": 32_000}
_DEFAULT_BUDGET = 8192


class Thinking(Data):
    """`field` is the request's `thinking` ({} for none); `replay` whether the history keeps its thinking blocks."""

    field: Json
    max_tokens: int
    on: bool = False
    replay: bool = False


def decide(request: CompletionRequest, model: Model, max_tokens: int, *, adaptive: bool) -> Thinking:
    """The effective mode: the request's own, else the model's; "" leaves the field out and the history without thinking."""
    mode = request.thinking or model.thinking or ("enabled" if request.reasoning_budget > 0 else "")
    if mode == "disabled":
        return Thinking(field={"type": "disabled"}, max_tokens=max_tokens)
    forced = bool(request.tools) and request.tool_choice not in ("", "auto", "none")
    if mode != "enabled" or forced:
        return Thinking(field={}, max_tokens=max_tokens)
    if adaptive:
        return Thinking(field={"type": "adaptive"}, max_tokens=max_tokens, on=True, replay=True)
    if _round_without_thinking(request.messages):
        return Thinking(field={}, max_tokens=max_tokens)
    wanted = request.reasoning_budget or _BUDGETS.get(
        request.reasoning_effort or model.reasoning_effort, _DEFAULT_BUDGET
    )
    budget = max(MIN_BUDGET, wanted if request.reasoning_budget else min(wanted, max_tokens // 2))
    # The cap of the caller is meant for the answer: where the budget would eat it, the cap grows.
    room = max_tokens if max_tokens > budget else budget + max_tokens
    return Thinking(field={"type": "enabled", "budget_tokens": budget}, max_tokens=room, on=True, replay=True)


def is_own(block: ThinkingBlock) -> bool:
    """Whether this API made the block: it carries a signature or ciphertext, and not one that another adapter packed."""
    proof = block.redacted or block.signature
    return bool(proof) and ":" not in proof


def _round_without_thinking(messages: tuple[Message, ...]) -> bool:
    """Whether results are due to an assistant message that does not begin with thinking of this API's own."""
    if not messages or not any(isinstance(block, ToolResultBlock) for block in messages[-1].content):
        return False
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    if last is None or not last.content:
        return False
    first = last.content[0]
    return not (isinstance(first, ThinkingBlock) and is_own(first))
