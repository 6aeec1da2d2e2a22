"""Reads shell text with tree-sitter. What is understood is a list of known node kinds; anything else makes the text opaque.

Opaque text may still be approved by a person, and denied commands in it are still found; it is never allowed by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from kram.base import Data

MAX_CHARS = 64_000
_ODD = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]"
    r"|[\ud800-\udfff]|[\U000e0000-\U000e007f]"
)
_GROUPING = frozenset({"program", "list", "pipeline", "redirected_statement", "command"})
_WORDS = frozenset({"word", "raw_string", "string", "number", "concatenation", "string_content", "command_name"})
_OPERATORS = frozenset({"&&", "||", ";", "|", "\n", "comment", '"'})


class Command(Data):
    """One simple command: its words after quote removal (None where only the shell knows), and what surrounds it."""

    words: tuple[str | None, ...]
    assignments: tuple[str, ...] = ()
    redirections: tuple[tuple[str, str | None], ...] = ()

    @property
    def static(self) -> bool:
        return all(word is not None for word in self.words)

    def known(self) -> tuple[str, ...]:
        """The words with a mark for those that are not known."""
        return tuple("\ufffd" if word is None else word for word in self.words)


class Parsed(Data):
    """`commands` in the order they stand; `opaque` says why the text is not fully understood, "" where it is."""

    commands: tuple[Command, ...]
    opaque: str = ""


@cache
def _parser() -> Any:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def parse(text: str) -> Parsed:
    """Never raises and never runs anything."""
    if len(text) > MAX_CHARS:
        return Parsed(commands=tuple(_by_words(text)), opaque=f"it is longer than {MAX_CHARS} characters")
    joined = text.replace("\\\n", "") if "'" not in text and "<<" not in text else text
    root = _parser().parse(joined.encode("utf-8", "replace")).root_node
    walk = _Walk()
    walk.visit(root)
    opaque = walk.opaque
    if odd := _ODD.search(text):
        opaque = f"it holds the character U+{ord(odd[0]):04X}"
    elif root.has_error:
        opaque = "it does not parse"
    elif "\\\n" in joined:
        opaque = "a line is continued inside quotes"
    commands = walk.commands if not opaque else [*walk.commands, *_by_words(text)]
    return Parsed(commands=tuple(commands), opaque=opaque)


def _by_words(text: str) -> Iterator[Command]:
    """A rough cut into commands, used only to find denied ones in text that is not understood."""
    for piece in re.split(r"[;&|\n(){}`]|\$\(|<\(|>\(", text):
        words = tuple(word.strip("'\"\\") for word in piece.split())
        if words:
            yield Command(words=words)


class _Walk:
    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.opaque = ""

    def visit(self, node: Any) -> None:
        if node.type == "command":
            self._command(node, ())
            return
        if node.type == "redirected_statement":
            self._redirected(node)
            return
        if node.is_named and node.type not in _GROUPING and node.type != "comment":
            self._refuse(f"it uses {node.type.replace('_', ' ')}")
        elif not node.is_named and node.type not in _OPERATORS:
            self._refuse(f"it uses '{node.type}'")
        for child in node.children:
            self.visit(child)

    def _refuse(self, reason: str) -> None:
        self.opaque = self.opaque or reason

    def _redirected(self, node: Any) -> None:
        body, redirections = None, []
        for child in node.children:
            if child.type == "file_redirect":
                redirections.append(self._redirection(child))
            elif body is None and child.type in ("command", "pipeline", "list"):
                body = child
            else:
                self._refuse(f"it uses {child.type.replace('_', ' ')}")
                self.visit(child)
        if body is None:
            self._refuse("a redirection stands alone")
        elif body.type == "command":
            self._command(body, tuple(redirections))
        else:
            self.visit(body)
            if redirections:
                self.commands.append(Command(words=(), redirections=tuple(redirections)))

    def _redirection(self, node: Any) -> tuple[str, str | None]:
        operator, target = "", None
        for child in node.children:
            if child.type == "file_descriptor":
                operator = child.text.decode() + operator
            elif not child.is_named:
                operator += child.type
            else:
                target = self._word(child)
        return operator, target

    def _command(self, node: Any, redirections: tuple[tuple[str, str | None], ...]) -> None:
        words: list[str | None] = []
        assignments: list[str] = []
        inner = list(redirections)
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(child.text.decode("utf-8", "replace"))
                self._inside(child)
            elif child.type == "file_redirect":
                inner.append(self._redirection(child))
            elif child.type == "command_name":
                words.append(self._word(child.children[0] if child.children else child))
            elif child.is_named and child.type in _WORDS:
                words.append(self._word(child))
            else:
                words.append(None)
                self._inside(child)
                if child.type not in ("simple_expansion", "expansion", "command_substitution", "ansi_c_string"):
                    self._refuse(f"it uses {child.type.replace('_', ' ')}")
        self.commands.append(Command(words=tuple(words), assignments=tuple(assignments), redirections=tuple(inner)))

    def _word(self, node: Any) -> str | None:
        """The word's text after quote removal, None where an expansion decides it."""
        raw: str = node.text.decode("utf-8", "replace")
        match node.type:
            case "raw_string":
                return raw[1:-1]
            case "number":
                return raw
            case "word":
                return _plain_word(raw)
            case "string":
                return self._string(node)
            case "concatenation":
                parts = [self._word(child) for child in node.children]
                return None if any(part is None for part in parts) else "".join(part or "" for part in parts)
            case _:
                self._inside(node)
                return None

    def _string(self, node: Any) -> str | None:
        raw = node.text.decode("utf-8", "replace")
        if any(child.type not in ('"', "string_content") for child in node.children):
            self._inside(node)
            return None
        inner = raw[1:-1]
        if "$" in inner or "`" in inner:
            return None
        return re.sub(r"\\([$`\"\\])", r"\1", inner)

    def _inside(self, node: Any) -> None:
        """Commands hidden in expansions count too."""
        for child in node.children:
            if child.type in ("command_substitution", "process_substitution", "subshell"):
                self._refuse("it uses a substitution")
                for inner in child.children:
                    if inner.is_named:
                        self.visit(inner)
            else:
                self._inside(child)


def _plain_word(raw: str) -> str | None:
    """An unquoted word without anything the shell would expand."""
    if "\\" in raw:
        if re.search(r"\\[\n]", raw):
            return None
        raw = re.sub(r"\\(.)", r"\1", raw)
        return raw if not re.search(r"[*?\[\]{}~$`!]", raw) else None
    if re.search(r"[*?\[\]{}$`!]", raw) or raw.startswith("~") or re.search(r"[=:]~", raw):
        return None
    return raw
