"""A small reader of GBNF grammars: which texts a grammar accepts, and random texts that it accepts.

Enough of llama.cpp's format for our own grammars: literals, character classes, groups, alternatives, `?`, `*`, `{m,n}`.
"""

from __future__ import annotations

import random
import re
from functools import cache
from typing import Any

Node = tuple[Any, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{\d+,\d+\}|[()|?*]|[a-z][a-z0-9-]*')
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_LETTERS = "ab:c,@~`'\"\\{}[]()<|é \n\t0-"


class Grammar:
    def __init__(self, text: str) -> None:
        rules = dict(line.split(" ::= ", 1) for line in text.splitlines())
        self.rules = {name: _parse(_TOKEN.findall(rule)) for name, rule in rules.items()}

    def accepts(self, text: str) -> bool:
        """Whether the whole text can be derived from `root`."""
        return len(text) in self._ends(text, ("rule", "root"))

    def _ends(self, text: str, root: Node) -> set[int]:
        @cache
        def ends(node: Node, at: int) -> frozenset[int]:
            match node:
                case ("text", literal):
                    return frozenset({at + len(literal)} if text.startswith(literal, at) else ())
                case ("class", allowed):
                    return frozenset({at + 1} if at < len(text) and allowed.fullmatch(text[at]) else ())
                case ("rule", name):
                    return ends(self.rules[name], at)
                case ("either", *parts):
                    return frozenset(end for part in parts for end in ends(part, at))
                case ("row", *parts):
                    found = frozenset({at})
                    for part in parts:
                        found = frozenset(end for start in found for end in ends(part, start))
                    return found
                case ("times", part, least, most):
                    done, front = set(), {at}
                    for count in range(most + 1):
                        if count >= least:
                            done |= front
                        front = {end for start in front for end in ends(part, start)} - done
                        if not front:
                            break
                    return frozenset(done)
            raise AssertionError(node)

        return set(ends(root, 0))

    def derive(self, rng: random.Random) -> str:
        """A random text; deep nesting is avoided by ending early."""
        return self._derive(("rule", "root"), rng, 0)

    def _derive(self, node: Node, rng: random.Random, depth: int) -> str:
        match node:
            case ("text", literal):
                return str(literal)
            case ("class", allowed):
                return rng.choice([one for one in _LETTERS + "xyz159_eu" if allowed.fullmatch(one)])
            case ("rule", name):
                return self._derive(self.rules[name], rng, depth + 1)
            case ("either", *parts):
                return self._derive(parts[-1] if depth > 60 else rng.choice(parts), rng, depth)
            case ("row", *parts):
                return "".join(self._derive(part, rng, depth) for part in parts)
            case ("times", part, least, most):
                wanted = least if depth > 60 else rng.randint(least, min(most, max(least, 3)))
                return "".join(self._derive(part, rng, depth) for _ in range(wanted))
        raise AssertionError(node)


def _parse(tokens: list[str]) -> Node:
    node, rest = _either(tokens)
    assert not rest, rest
    return node


def _either(tokens: list[str]) -> tuple[Node, list[str]]:
    row, tokens = _row(tokens)
    parts = [row]
    while tokens[:1] == ["|"]:
        row, tokens = _row(tokens[1:])
        parts.append(row)
    return (parts[0] if len(parts) == 1 else ("either", *parts)), tokens


def _row(tokens: list[str]) -> tuple[Node, list[str]]:
    parts: list[Node] = []
    while tokens and tokens[0] not in ("|", ")"):
        token, *tokens = tokens
        if token == "(":
            node, tokens = _either(tokens)
            assert tokens[:1] == [")"]
            tokens = tokens[1:]
        elif token[0] == '"':
            node = ("text", _unescaped(token[1:-1]))
        elif token[0] == "[":
            node = ("class", re.compile(token, re.DOTALL))
        else:
            node = ("rule", token)
        if tokens[:1] == ["?"]:
            node, tokens = ("times", node, 0, 1), tokens[1:]
        elif tokens[:1] == ["*"]:
            node, tokens = ("times", node, 0, 10**9), tokens[1:]
        elif tokens and tokens[0][0] == "{":
            least, most = map(int, tokens[0][1:-1].split(","))
            node, tokens = ("times", node, least, most), tokens[1:]
        parts.append(node)
    return ("row", *parts), tokens


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if code[0] == "x" else _ESCAPES.get(code, code)

    return re.sub(r"\\(x[0-9A-Fa-f]{2}|.)", one, text)
