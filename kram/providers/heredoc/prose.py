"""Where a call may begin in an answer's prose: not in a code block, not in inline code, not in a quotation.

Text that explains the syntax to a reader is no call, whoever wrote it.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_MAX_INDENT = 3


class Prose:
    """Follows the text that was said, piece by piece."""

    def __init__(self) -> None:
        self._fence = ""
        self._line = ""

    def take(self, text: str) -> None:
        *lines, rest = text.split("\n")
        for line in lines:
            self._end_line(self._line + line)
            self._line = ""
        self._line += rest

    @property
    def at_line_start(self) -> bool:
        """Whether only a small indentation stands on the line so far."""
        return not self._line.strip(" ") and len(self._line) <= _MAX_INDENT

    @property
    def in_code(self) -> bool:
        """Whether what follows is code, or quoted, or indented as code is."""
        indented = self._line.startswith(("\t", " " * (_MAX_INDENT + 1))) and not self._line.strip()
        return bool(self._fence) or indented or self._line.count("`") % 2 == 1 or self._line.lstrip().startswith(">")

    def _end_line(self, line: str) -> None:
        found = _FENCE.match(line)
        if found is None:
            return
        run, rest = found[1], found[2]
        if not self._fence:
            # Backticks behind the run make it inline code.
            self._fence = "" if run[0] == "`" and "`" in rest else run
        elif run[0] == self._fence[0] and len(run) >= len(self._fence) and not rest.strip():
            self._fence = ""
