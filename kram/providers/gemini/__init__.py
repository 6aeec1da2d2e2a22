"""Google's Gemini API (`generateContent`), as the Gemini developer endpoint speaks it."""

from .provider import GeminiProvider
from .request import build
from .stream import Reader, read_body

__all__ = ["GeminiProvider", "Reader", "build", "read_body"]
