"""The bash grammar (tree-sitter-bash, loaded on first use) and small helpers over its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

Node: TypeAlias = Any


@cache
def _parser() -> Any:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def root_of(source: bytes) -> Node:
    return _parser().parse(source).root_node


def count_of(root: Node) -> int:
    """How many nodes the tree has."""
    return int(root.descendant_count)


def leaves(nodes: list[Node], whole: frozenset[str]) -> Iterator[Node]:
    """The nodes that words are made of: those of the kinds in `whole`, and everything without children."""
    for node in nodes:
        if node.type in whole or not node.children:
            yield node
        else:
            yield from leaves(node.children, whole)


def runs(nodes: list[Node]) -> Iterator[tuple[int, int, list[Node]]]:
    """Neighbours without a gap between them, as (start, end, nodes): what the shell takes for one word."""
    group: list[Node] = []
    for node in sorted(nodes, key=lambda one: int(one.start_byte)):
        if group and node.start_byte > group[-1].end_byte:
            yield group[0].start_byte, group[-1].end_byte, group
            group = []
        group.append(node)
    if group:
        yield group[0].start_byte, group[-1].end_byte, group
