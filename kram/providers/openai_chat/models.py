"""One entry of a server's `GET /models`. OpenAI tells an id only; others add windows, abilities and prices, each in its way
(OpenRouter, Groq, vLLM, LM Studio, llama.cpp, Mistral).
"""

from __future__ import annotations

from typing import Any

from kram.base import Json
from kram.config import Model, Price

_WINDOW = ("context_length", "context_window", "max_model_len", "max_context_length")
_OUTPUT = ("max_completion_tokens", "max_output_tokens")


def read_model(item: Json, provider: str) -> Model | None:
    """The model as far as the server describes it; None for an entry without an id."""
    model_id = item.get("id")
    if not isinstance(model_id, str) or not model_id:
        return None
    top, meta = _dict(item.get("top_provider")), _dict(item.get("meta"))
    window = _count(item, _WINDOW) or _count(top, _WINDOW) or _count(meta, ("n_ctx",))
    return Model(
        provider=provider,
        id=model_id,
        context_window=window,
        trained_window=_count(meta, ("n_ctx_train",)),
        max_output=_count(item, _OUTPUT) or _count(top, _OUTPUT),
        tools=_tools(item),
        images=_images(item),
        price=_price(_dict(item.get("pricing"))),
    )


def _tools(item: Json) -> bool:
    """Whether it can call tools; True where the server does not say."""
    supported = item.get("supported_parameters")
    if isinstance(supported, list):
        return "tools" in supported
    return _dict(item.get("capabilities")).get("function_calling") is not False


def _images(item: Json) -> bool:
    inputs = _dict(item.get("architecture")).get("input_modalities")
    return (isinstance(inputs, list) and "image" in inputs) or _dict(item.get("capabilities")).get("vision") is True


def _price(pricing: Json) -> Price | None:
    """OpenRouter's dollars per token (as text) in dollars per million."""
    figures = {
        key: _dollars(pricing.get(key)) for key in ("prompt", "completion", "input_cache_read", "input_cache_write")
    }
    given, taken = figures["prompt"], figures["completion"]
    if given is None or taken is None:
        return None
    return Price(
        input=given, output=taken, cache_read=figures["input_cache_read"], cache_write=figures["input_cache_write"]
    )


def _dollars(value: Any) -> float | None:
    try:
        price = float(value) * 1_000_000
    except (TypeError, ValueError):
        return None
    return round(price, 6) if 0 <= price < 1e9 else None


def _count(item: Json, keys: tuple[str, ...]) -> int:
    return next((item[key] for key in keys if isinstance(item.get(key), int) and item[key] > 0), 0)


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
