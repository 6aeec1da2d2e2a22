"""The command that really runs after an automatic allow: rebuilt from what was judged, every word quoted.

A difference between this parser and the shell can then change a result, but it cannot smuggle a command in.
"""

from __future__ import annotations

import shlex
from typing import Any

from .parse import _parser, _Walk


def rebuilt(text: str) -> str:
    """The same commands and operators with every word single-quoted; "" where the text is not fully understood."""
    root = _parser().parse(text.encode("utf-8", "replace")).root_node
    if root.has_error:
        return ""
    return _statement(root)


def _statement(node: Any) -> str:
    match node.type:
        case "program":
            return "\n".join(_statement(child) for child in node.children if child.is_named and child.type != "comment")
        case "list" | "pipeline":
            pieces = [child.type if not child.is_named else _statement(child) for child in node.children]
            return " ".join(piece for piece in pieces if piece)
        case "redirected_statement":
            return " ".join(_statement(child) for child in node.children)
        case "file_redirect":
            operator, target = _Walk()._redirection(node)
            return f"{operator}{shlex.quote(target)}" if target is not None else operator
        case "command":
            walk = _Walk()
            walk._command(node, ())
            (command,) = walk.commands
            redirections = [f"{operator}{shlex.quote(target or '')}" for operator, target in command.redirections]
            return " ".join([*command.assignments, *(shlex.quote(word or "") for word in command.words), *redirections])
        case _:
            return ""
