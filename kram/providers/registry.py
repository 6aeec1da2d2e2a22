"""Which adapter speaks which kind. Adapters are imported when one is opened, so that naming kinds costs nothing."""

from __future__ import annotations

import importlib
from typing import Any, get_args

from kram.base import UsageError
from kram.config import Kind
from kram.config import Provider as ProviderConfig

from .compat import default_quirks
from .errors import AuthFailed
from .provider import Provider

_OWN = {
    "llama-cpp": ("embedded", "EmbeddedProvider"),
    "script": ("scripted", "ScriptedProvider"),
}
_OVER_HTTP = {
    "anthropic": ("anthropic", "AnthropicProvider"),
    "openai-chat": ("openai_chat", "OpenAIChatProvider"),
    "openai-responses": ("openai_responses", "ResponsesProvider"),
    "gemini": ("gemini", "GeminiProvider"),
}


def open_provider(config: ProviderConfig) -> Provider:
    """An open provider; whoever opened it closes it. Nothing is sent and no server is started yet.

    Raises `UsageError` for an unknown kind or an unusable script, `AuthFailed` where a needed key is missing.
    """
    if config.kind not in _OWN and config.kind not in _OVER_HTTP:
        raise UsageError(
            f"Provider '{config.name}' has the unknown kind '{config.kind}'",
            todo=f"Use one of: {', '.join(get_args(Kind))}",
        )
    provider: Provider
    if config.kind in _OWN:
        provider = _loaded(*_OWN[config.kind])(config)
        return _with_text_calls(provider, config)
    if not config.api_key and not config.key_optional:
        raise AuthFailed(f"Provider '{config.name}' has no API key", where=config.name, todo=_key_advice(config))
    module, name = _OVER_HTTP[config.kind]
    provider = _loaded(f"{module}.provider", name)(config, _loaded("transport", "Transport")(config))
    return _with_text_calls(provider, config)


def _with_text_calls(provider: Provider, config: ProviderConfig) -> Provider:
    """The provider, wrapped where one of its models calls tools by text."""
    if all(model.tool_format == "native" for model in config.models) and config.kind != "llama-cpp":
        return provider
    local = config.kind == "llama-cpp" or "llama_options" in default_quirks(config.kind, config.base_url, "")
    wrapped: Provider = _loaded("heredoc", "HeredocProvider")(provider, results="tool" if local else "text")
    return wrapped


def _loaded(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"{__package__}.{module}"), name)


def _key_advice(config: ProviderConfig) -> str:
    return f"Set {config.api_key_env}, or run `kram --setup`" if config.api_key_env else "Run `kram --setup`"
