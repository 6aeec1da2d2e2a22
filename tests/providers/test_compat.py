"""Which quirks are in force where, and that no name of one is a typing error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kram.providers
from kram.config import Model, Provider
from kram.providers.compat import QUIRKS, RULES, default_quirks, quirks_of


def test_every_quirk_of_a_rule_is_described_and_every_described_one_is_obeyed() -> None:
    used = {name for rule in RULES for name in rule.quirks}
    assert used <= set(QUIRKS)
    sources = [path.read_text() for path in Path(kram.providers.__path__[0]).rglob("*.py") if path.name != "compat.py"]
    obeyed = {name for source in sources for name in re.findall(r'"([a-z_]+)" (?:not )?in quirks', source)}
    assert obeyed >= set(QUIRKS) - {"interleaved_thinking"}
    assert obeyed <= set(QUIRKS)


@pytest.mark.parametrize(
    ("base_url", "model", "has", "lacks"),
    [
        ("", "gpt-5", {"max_completion_tokens", "fixed_sampling", "no_thinking_field"}, set()),
        ("", "gpt-4o", {"no_reasoning_replay"}, {"fixed_sampling", "max_completion_tokens"}),
        ("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", {"reasoning_details", "cache_marks"}, set()),
        ("https://openrouter.ai/api/v1", "openai/gpt-5", {"reasoning_object"}, {"cache_marks", "fixed_sampling"}),
        ("https://api.mistral.ai/v1", "x", {"nine_char_ids", "no_stream_options"}, set()),
        ("https://api.deepseek.com", "x", {"recent_reasoning"}, {"no_thinking_field"}),
        ("http://127.0.0.1:8080/v1", "x", {"llama_options"}, {"no_thinking_field"}),
        ("https://api.openai.com.evil.example/v1", "gpt-5", set(), {"fixed_sampling"}),
        ("https://unknown.example/v1", "gpt-5", set(), set(QUIRKS)),
    ],
)
def test_servers_are_known_by_their_host(base_url: str, model: str, has: set[str], lacks: set[str]) -> None:
    found = default_quirks("openai-chat", base_url, model)
    assert has <= found
    assert not lacks & found


@pytest.mark.parametrize(
    ("model", "adaptive", "fixed"),
    [
        ("claude-sonnet-4-5", False, False),
        ("claude-haiku-4-5-20251001", False, False),
        ("claude-opus-4-6", True, False),
        ("claude-opus-4-7", True, True),
        ("claude-sonnet-5", True, True),
        ("claude-opus-5-5", True, True),
        ("claude-3-7-sonnet-20250219", False, False),
        ("claude-sonnet-4-20250514", False, False),
    ],
)
def test_generations_of_claude(model: str, adaptive: bool, fixed: bool) -> None:
    found = default_quirks("anthropic", "https://gateway.example", model)
    assert ("adaptive_thinking" in found, "fixed_sampling" in found) == (adaptive, fixed)


def test_a_model_adds_and_takes_away() -> None:
    provider = Provider(name="p", kind="openai-chat", base_url="https://api.mistral.ai/v1")
    model = Model(provider="p", id="m", quirks=("empty_content", "!nine_char_ids"))
    found = quirks_of(provider, model)
    assert "empty_content" in found
    assert "nine_char_ids" not in found
    assert "no_seed" in found
