"""OpenAI's Responses API: the newer of its two dialects, also spoken by OpenRouter, LM Studio, DeepSeek and others.

The pure halves; `provider` joins them with the network and is imported by whoever opens one.
"""

from .request import build
from .stream import Reader, read_body

__all__ = ["Reader", "build", "read_body"]
