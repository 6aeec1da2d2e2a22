"""The error tree's root and the errors of the ground floor.

    KramError                 what happened, where, what to do
    ├── UsageError            the person's input or configuration is wrong   (exit 2)
    ├── Interrupted           the person stopped it                          (exit 130)
    └── (one subtree per package: providers.errors, sessions.store, tools.tool, …)

Errors meant for the model are not here: see `kram.tools.tool.ToolFailed`.
"""

from __future__ import annotations


class KramError(Exception):
    """An error a person reads: what happened, where, and what to do about it."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        self.what = what
        self.where = where
        self.todo = todo
        super().__init__(self.text())

    def text(self) -> str:
        """One line for stderr or a notice."""
        line = f"{self.what} ({self.where})" if self.where else self.what
        return f"{line}. {self.todo}" if self.todo else line


class UsageError(KramError):
    """Wrong flags, arguments or configuration; names the file and the key where there is one."""

    exit_code = 2


class Interrupted(KramError):
    """The person stopped the work."""

    exit_code = 130
