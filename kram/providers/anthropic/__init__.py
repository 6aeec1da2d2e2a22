"""Anthropic's Messages API, also spoken by gateways in front of other models.

The pure halves; `provider` joins them with the network and is imported by whoever opens one.
"""

from .request import build
from .stream import Reader, read_body

__all__ = ["Reader", "build", "read_body"]
