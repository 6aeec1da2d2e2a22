"""Markdown as rows of the terminal: our own small renderer over markdown-it's tokens."""

from .code import code_pieces, known, language_of, line_segments, token_lines
from .stream import MarkdownText

__all__ = ["MarkdownText", "code_pieces", "known", "language_of", "line_segments", "token_lines"]
