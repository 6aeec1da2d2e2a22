"""Which adapter a provider of the configuration opens, and what a person is told when it cannot."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from kram.base import UsageError
from kram.config import Provider as ProviderConfig
from kram.providers import AuthFailed, open_provider

KEY = "sk-canary-1234567890"


@pytest.mark.parametrize(
    ("kind", "adapter"),
    [
        ("anthropic", "AnthropicProvider"),
        ("openai-chat", "OpenAIChatProvider"),
        ("openai-responses", "ResponsesProvider"),
        ("gemini", "GeminiProvider"),
        ("llama-cpp", "EmbeddedProvider"),
    ],
)
async def test_every_kind_opens_its_adapter_and_closes_unused(kind: Any, adapter: str) -> None:
    provider = open_provider(ProviderConfig(name="mine", kind=kind, api_key=KEY))
    assert type(getattr(provider, "inside", provider)).__name__ == adapter
    assert provider.name == "mine"
    await provider.aclose()


def test_an_unknown_kind_lists_the_choices() -> None:
    config = msgspec.structs.replace(ProviderConfig(name="mine", kind="gemini"), kind="openai")
    with pytest.raises(UsageError) as caught:
        open_provider(config)
    for word in ("mine", "'openai'", "anthropic", "openai-chat", "openai-responses", "gemini", "llama-cpp", "script"):
        assert word in str(caught.value)


def test_a_missing_key_names_the_variable_to_set() -> None:
    with pytest.raises(AuthFailed, match="GEMINI_API_KEY") as caught:
        open_provider(ProviderConfig(name="google", kind="gemini", api_key_env="GEMINI_API_KEY"))
    assert "google" in str(caught.value)
    assert not caught.value.retryable


async def test_a_server_that_needs_no_key_opens_without_one() -> None:
    config = ProviderConfig(name="lan", kind="openai-chat", base_url="http://127.0.0.1:1234/v1", key_optional=True)
    await open_provider(config).aclose()


def test_naming_the_registry_loads_no_adapter_and_no_network() -> None:
    code = (
        "import sys, kram.providers\n"
        "heavy = ('httpx', 'xllamacpp', 'kram.providers.transport', 'kram.providers.gemini')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
