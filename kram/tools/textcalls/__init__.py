"""Tool calls that a model wrote as text instead of calling: read only in dialects that real models emit, and only for
tools that were offered. What looks like a call but is cut off, broken or unknown runs nothing and is told to the model."""

from .reader import TextCall, TextCalls, read_text_calls

__all__ = ["TextCall", "TextCalls", "read_text_calls"]
