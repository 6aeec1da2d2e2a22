"""Walks the syntax tree: collects every simple command wherever it is nested, and the skeleton they hang in.

What is understood is a list of known node kinds. Everything else makes the text loose (its structure is known, its words
are not) or opaque (nobody may let it run unseen).
"""

from __future__ import annotations

import re

from .lexer import read_word
from .model import Assignment, Command, Redirect, Word
from .tree import Node, leaves, runs

_COMMANDS = frozenset({"command", "declaration_command", "unset_command", "test_command"})
_CONTAINERS = frozenset({
    "program", "list", "pipeline", "subshell", "compound_statement", "negated_command", "if_statement", "elif_clause",
    "else_clause", "while_statement", "do_group",
})  # fmt: skip
_LOOSE = {
    "for_statement": "a loop over values",
    "case_statement": "a case",
    "case_item": "a case",
    "function_definition": "a function",
    "command_substitution": "a command substitution",
    "process_substitution": "a process substitution",
    "c_style_for_statement": "",
    "arithmetic_expansion": "",
}
_TOKENS = frozenset({
    ";", "&", "\n", "&&", "||", "|", "|&", "(", ")", "{", "}", "!", "if", "then", "elif", "else", "fi", "while", "until",
    "do", "done",
})  # fmt: skip
_SEPARATORS = frozenset({";", "&", "\n", "&&", "||", "|", "|&", ")"})
_WHOLE = frozenset({
    "word", "string", "raw_string", "ansi_c_string", "number", "concatenation", "command_name", "simple_expansion",
    "expansion", "command_substitution", "process_substitution", "arithmetic_expansion", "extglob_pattern", "regex",
    "test_operator", "variable_name", "brace_expression", "translated_string", "array", "special_variable_name",
    "variable_assignment",
})  # fmt: skip
_KNOWN_ATOMS = _WHOLE - {"array", "brace_expression", "regex"}
_REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=", re.ASCII)
_NESTED = (
    _COMMANDS | _CONTAINERS | {"redirected_statement", "variable_assignment", "variable_assignments"} | set(_LOOSE)
)
_BLANK = re.compile(rb"\s*")


class Walk:
    """One use: `statement(root)`, then `commands`, `skeleton`, `opaque`, `loose`, `scraps` (text to read roughly)."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.commands: list[Command] = []
        self.skeleton: list[str | int] = []
        self.opaque = ""
        self.loose = ""
        self.scraps: list[str] = []

    # --- statements -----------------------------------------------------------------------------------------------

    def statement(self, node: Node) -> None:
        kind = node.type
        if kind in _COMMANDS:
            self._command(node, [])
        elif kind == "redirected_statement":
            self._redirected(node)
        elif kind in ("variable_assignment", "variable_assignments"):
            parts = node.children if kind == "variable_assignments" else [node]
            self._add(Command(assignments=tuple(self._assignment(one) for one in parts)))
        elif kind in _CONTAINERS:
            self._container(node)
        elif kind != "comment":
            self._other(node)

    def _container(self, node: Node) -> None:
        children = [child for child in node.children if child.type != "comment"]
        if node.type == "program" or len(children) > 1:
            self._no_gaps(node)
        for place, child in enumerate(children):
            if child.is_named:
                self.statement(child)
                if place + 1 < len(children) and children[place + 1].type not in _SEPARATORS:
                    self.skeleton.append("\n")
            elif child.type in _TOKENS:
                self.skeleton.append(child.type)
            else:
                self._refuse(f"'{child.type}'")

    def _other(self, node: Node) -> None:
        """A kind that can't be rebuilt: commands in it count all the same."""
        reason = _LOOSE.get(node.type, "")
        if reason:
            self.loose = self.loose or reason
        elif node.is_named:
            self._refuse(node.type.replace("_", " "))
        self._inside(node)

    def _inside(self, node: Node) -> None:
        for child in node.children:
            if child.type in _NESTED:
                self.statement(child)
            elif child.type in _REDIRECTS:
                self._add(Command(redirects=tuple(self._redirect(child)[0])))
            else:
                if child.type in ("array", "subscript", "brace_expression", "ERROR"):
                    self._refuse(child.type.replace("_", " "))
                self._inside(child)

    def _refuse(self, what: str) -> None:
        self.opaque = self.opaque or f"it holds {what}"

    def _no_gaps(self, node: Node) -> None:
        """Nothing but blanks may stand between the parts the grammar names."""
        at = node.start_byte
        for child in [*node.children, None]:
            end = child.start_byte if child is not None else node.end_byte
            if not _BLANK.fullmatch(self.source, at, max(at, end)):
                self._refuse("text that belongs to nothing")
            at = child.end_byte if child is not None else at

    def _add(self, command: Command) -> None:
        self.skeleton.append(len(self.commands))
        self.commands.append(command)

    # --- commands -------------------------------------------------------------------------------------------------

    def _redirected(self, node: Node) -> None:
        redirects = [child for child in node.children if child.type in _REDIRECTS]
        bodies = [child for child in node.children if child.type not in _REDIRECTS and child.type != "comment"]
        if len(bodies) > 1:
            self._refuse("a redirection of several things")
        if bodies and bodies[0].type not in _COMMANDS:
            self.statement(bodies[0])
            for extra in bodies[1:]:
                self.statement(extra)
            self._command(None, redirects)
        else:
            self._command(bodies[0] if bodies else None, redirects)

    def _command(self, node: Node | None, outside: list[Node]) -> None:
        assignments: list[Assignment] = []
        atoms: list[Node] = []
        redirects: list[Redirect] = []
        later: list[Node] = []
        for child in [*(node.children if node is not None else ()), *outside]:
            if child.type == "comment":
                continue
            if child.type in _REDIRECTS:
                found, arguments, rest = self._redirect(child)
                redirects += found
                atoms += arguments
                later += rest
            elif child.type == "variable_assignment" and not atoms:
                assignments.append(self._assignment(child))
            else:
                atoms += leaves([child], _WHOLE)
        words = tuple(self._word(start, end, group) for start, end, group in runs(atoms))
        if words and words[0].text == "[[":
            self._refuse("a [[ test")
        self._add(Command(words=words, assignments=tuple(assignments), redirects=tuple(redirects)))
        for child in later:
            if child.is_named:
                self.statement(child)
            elif child.type in _TOKENS:
                self.skeleton.append(child.type)
            else:
                self._refuse(f"'{child.type}'")

    def _word(self, start: int, end: int, nodes: list[Node]) -> Word:
        for node in nodes:
            if node.is_named and node.type not in _KNOWN_ATOMS:
                self._refuse(node.type.replace("_", " "))
            if node.type in ("command_substitution", "process_substitution"):
                self.statement(node)
            else:
                self._inside(node)
        word = read_word(self._text(start, end))
        if any(node.type == "process_substitution" for node in nodes):
            return Word(text="\ufffd", open="a process substitution")
        if word.open in ("an expansion that can run text", "an open quote", "it is not one word", "arithmetic"):
            self._refuse(word.open)
        return word

    def _assignment(self, node: Node) -> Assignment:
        raw = self._text(node.start_byte, node.end_byte)
        found = _ASSIGNMENT.match(raw)
        if found is None or raw[found.end() :].startswith("("):
            self._refuse("an array")
            self.scraps.append(raw)
            self._inside(node)
            return Assignment(name=raw[:40], value=Word(text="\ufffd", open="an array"))
        offset = node.start_byte + len(found[0].encode())
        inner = [child for child in node.children if child.start_byte >= offset]
        return Assignment(
            name=found[1], append=bool(found[2]), value=self._word(offset, node.end_byte, list(leaves(inner, _WHOLE)))
        )

    def _text(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "surrogatepass")

    # --- redirections ---------------------------------------------------------------------------------------------

    def _redirect(self, node: Node) -> tuple[list[Redirect], list[Node], list[Node]]:
        """The redirections in a node, words after them that are arguments, and what else a here-document's line holds."""
        if node.type == "heredoc_redirect":
            return self._document(node)
        descriptor = operator = ""
        atoms: list[Node] = []
        for child in node.children:
            if child.type == "file_descriptor":
                descriptor = self._text(child.start_byte, child.end_byte)
            elif not child.is_named and not operator:
                operator = child.type
            else:
                atoms += leaves([child], _WHOLE)
        if operator in (">&-", "<&-"):
            redirect = Redirect(operator=operator[:2], target=Word(text="-"), descriptor=descriptor)
            return [redirect], atoms, []
        groups = list(runs(atoms))
        if not groups or not operator:
            self._refuse("a redirection to nowhere")
            return [], atoms, []
        start, end, first = groups[0]
        rest = [atom for _, _, group in groups[1:] for atom in group]
        target = self._word(start, end, first)
        return [Redirect(operator=operator, target=target, descriptor=descriptor)], rest, []

    def _document(self, node: Node) -> tuple[list[Redirect], list[Node], list[Node]]:
        redirects: list[Redirect] = []
        words: list[Node] = []
        later: list[Node] = []
        start = body = end = None
        operator = descriptor = ""
        for child in node.children:
            match child.type:
                case "<<" | "<<-":
                    operator = child.type
                case "file_descriptor":
                    descriptor = self._text(child.start_byte, child.end_byte)
                case "heredoc_start":
                    start = child
                case "heredoc_body":
                    body = child
                case "heredoc_end":
                    end = child
                case kind if kind in _REDIRECTS:
                    found, more, rest = self._redirect(child)
                    redirects, words, later = redirects + found, words + more, later + rest
                case kind if kind in _WHOLE and not later:
                    words.append(child)
                case _:
                    later.append(child)
        if start is None or end is None:
            self._refuse("a here-document without an end")
            return redirects, words, later
        if body is not None:
            self._inside(body)
        last = max(child.end_byte for child in node.children if child not in (body, end))
        text = self._document_text(start, last, end, operator)
        return [Redirect(operator="<<<", target=text, descriptor=descriptor, document=True), *redirects], words, later

    def _document_text(self, start: Node, last: int, end: Node, operator: str) -> Word:
        """The text between the line the document starts on and its end, as the program would read it."""
        line = self.source.find(b"\n", last)
        if line < 0 or self.source[last:line].strip() or line + 1 > end.start_byte:
            self._refuse("a here-document of an unusual form")
            return Word(text="\ufffd", open="a here-document")
        text = self._text(line + 1, end.start_byte)
        if operator == "<<-":
            text = re.sub(r"(?m)^\t+", "", text)
        quoted = re.search(r"['\"\\]", self._text(start.start_byte, start.end_byte)) is not None
        if not quoted and re.search(r"[$`\\]", text):
            self.scraps.append(text)
            if operator == "<<-":
                self._refuse("a here-document with expansions")
            return Word(text=text, open="a here-document with expansions")
        return Word(text=text)
