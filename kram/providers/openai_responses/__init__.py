"""OpenAI's Responses API: the newer of its two dialects, also spoken by OpenRouter, LM Studio, DeepSeek and others."""

from .provider import ResponsesProvider
from .request import build
from .stream import Reader, read_body

__all__ = ["Reader", "ResponsesProvider", "build", "read_body"]
