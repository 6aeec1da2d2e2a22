"""Rows of the terminal: styles, wrapping by cell width, and lines that know how they are copied."""

from .line import Joined, LazyLines, Line, Lines, blank, cells, chop, fit, row
from .palette import ANSI, DARK, LIGHT, Look, Palette, look, palette_for
from .wrap import Row, Span, cut_line, cut_lines, hard_rows, row_count, wrap

__all__ = [
    "ANSI",
    "DARK",
    "LIGHT",
    "Joined",
    "LazyLines",
    "Line",
    "Lines",
    "Look",
    "Palette",
    "Row",
    "Span",
    "blank",
    "cells",
    "chop",
    "cut_line",
    "cut_lines",
    "fit",
    "hard_rows",
    "look",
    "palette_for",
    "row",
    "row_count",
    "wrap",
]
