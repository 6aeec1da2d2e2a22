"""Tools for models without tool calling of their own: described in the prompt, called by text, read back into tool events."""

from .grammar import grammar
from .provider import HeredocProvider
from .reader import HeredocReader

__all__ = ["HeredocProvider", "HeredocReader", "grammar"]
