"""Where servers deviate from their dialect, as data: named quirks that the request builders obey.

Readers need none of them: they take every deviation that was ever seen. A model's `quirks` in the configuration add to
the defaults found here; a name with `!` in front takes a default away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from kram.base import Data
from kram.config import Model, Provider

QUIRKS: dict[str, str] = {
    # openai-chat, reasoning in the history
    "no_reasoning_replay": "reasoning never goes back: the server refuses unknown fields of a message, or has no use for it",
    "recent_reasoning": "reasoning goes back only within the turn that is going on (DeepSeek)",
    "replay_as_reasoning": "reasoning goes back in the field `reasoning` instead of `reasoning_content`",
    "reasoning_details": "reasoning goes back as `reasoning_details`, with its signatures (OpenRouter, Vercel)",
    # openai-chat, options
    "no_thinking_field": "the request must not have `thinking`",
    "reasoning_object": "thinking, effort and budget travel in one object `reasoning` (OpenRouter)",
    "llama_options": "takes llama.cpp's and vLLM's own fields: grammar, reasoning_budget_tokens, chat_template_kwargs",
    "fixed_sampling": "the model refuses a temperature (and, at OpenAI, stop sequences)",
    "max_completion_tokens": "the output cap travels as `max_completion_tokens`, whatever the model says",
    "no_stream_options": "the request must not have `stream_options`",
    "no_seed": "the request must not have `seed`",
    # openai-chat, messages
    "cache_marks": "takes Anthropic's cache marks on content parts (OpenRouter with Claude)",
    "nine_char_ids": "call ids are exactly nine letters or digits (Mistral)",
    "name_in_results": "a tool message names its tool",
    "assistant_after_tool": "user text must not follow a tool message directly",
    "empty_content": 'an assistant message with calls only has content "" instead of null',
    # anthropic
    "adaptive_thinking": "thinking is `adaptive`; a budget is deprecated or refused",
    "shown_thinking": "thinking is asked to come as a readable summary, which newer models leave out otherwise",
    "interleaved_thinking": "takes the beta header for thinking between calls",
    "no_output_config": "the request must not have `output_config`",
}


class Rule(Data):
    """Quirks of servers whose host matches `host`, for models whose id matches `model`. Both are searched, without case."""

    kind: str
    host: str
    quirks: tuple[str, ...]
    model: str = ""


_PLAIN = ("no_thinking_field", "no_reasoning_replay")
_CHAT = "openai-chat"
_FIXED = r"claude-(opus|sonnet|haiku)-4-[7-9]|claude-(opus|sonnet|haiku|fable|mythos)-([5-9]|preview)"
_ADAPTIVE = r"claude-(opus|sonnet)-4-[6-9]|claude-(opus|sonnet|haiku|fable|mythos)-([5-9]|preview)"

RULES: tuple[Rule, ...] = (
    Rule(kind=_CHAT, host=r"(^|\.)api\.openai\.com$|\.azure\.com$", quirks=_PLAIN),
    Rule(
        kind=_CHAT,
        host=r"(^|\.)api\.openai\.com$|\.azure\.com$",
        model=r"^(o\d|gpt-[5-9])",
        quirks=("fixed_sampling", "max_completion_tokens"),
    ),
    Rule(
        kind=_CHAT,
        host=r"(^|\.)openrouter\.ai$|ai-gateway\.vercel\.sh$",
        quirks=("reasoning_details", "reasoning_object"),
    ),
    Rule(
        kind=_CHAT,
        host=r"(^|\.)openrouter\.ai$|ai-gateway\.vercel\.sh$",
        model=r"anthropic/|claude",
        quirks=("cache_marks",),
    ),
    Rule(kind=_CHAT, host=r"(^|\.)groq\.com$|(^|\.)cerebras\.ai$|(^|\.)x\.ai$", quirks=_PLAIN),
    Rule(kind=_CHAT, host=r"generativelanguage\.googleapis\.com$", quirks=_PLAIN),
    Rule(
        kind=_CHAT,
        host=r"(^|\.)mistral\.ai$",
        quirks=(*_PLAIN, "no_stream_options", "no_seed", "nine_char_ids", "name_in_results"),
    ),
    Rule(kind=_CHAT, host=r"(^|\.)deepseek\.com$", quirks=("recent_reasoning",)),
    Rule(kind=_CHAT, host=r"^(localhost|127\.|\[?::1)", quirks=("llama_options",)),
    Rule(
        kind="anthropic",
        host="",
        model=_ADAPTIVE,
        quirks=("adaptive_thinking",),
    ),
    Rule(kind="anthropic", host="", model=_FIXED, quirks=("fixed_sampling",)),
    Rule(kind="anthropic", host=r"(^|\.)api\.anthropic\.com$", model=_ADAPTIVE, quirks=("shown_thinking",)),
    Rule(
        kind="anthropic",
        host=r"(^|\.)api\.anthropic\.com$",
        model=r"claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$",
        quirks=("interleaved_thinking",),
    ),
)


def default_quirks(kind: str, base_url: str, model_id: str) -> frozenset[str]:
    """What is known of a server and model. `base_url` "" is the vendor's own."""
    host = urlsplit(base_url).hostname or _OWN_HOST.get(kind, "")
    found: set[str] = set()
    for rule in RULES:
        if rule.kind == kind and _hit(rule.host, host) and _hit(rule.model, model_id):
            found.update(rule.quirks)
    return frozenset(found)


def quirks_of(config: Provider, model: Model) -> frozenset[str]:
    """The quirks in force for a model of a provider."""
    return adjusted(default_quirks(config.kind, config.base_url, model.id), model.quirks)


def adjusted(defaults: Iterable[str], named: Iterable[str]) -> frozenset[str]:
    """Defaults with a person's own names applied, `!name` taking one away."""
    wanted = set(defaults)
    for name in named:
        if name.startswith("!"):
            wanted.discard(name[1:])
        else:
            wanted.add(name)
    return frozenset(wanted)


_OWN_HOST = {"anthropic": "api.anthropic.com", "openai-chat": "api.openai.com"}


def _hit(pattern: str, text: str) -> bool:
    return not pattern or re.search(pattern, text, re.IGNORECASE) is not None
