"""Google's Gemini API (`generateContent`), as the Gemini developer endpoint speaks it.

The pure halves; `provider` joins them with the network and is imported by whoever opens one.
"""

from .request import build
from .stream import Reader, read_body

__all__ = ["Reader", "build", "read_body"]
