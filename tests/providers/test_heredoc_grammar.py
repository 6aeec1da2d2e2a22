"""The grammar: whatever keeps to it is prose or calls whose arguments fit their tools."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kram.messages import ToolSpec
from kram.providers.heredoc.grammar import COMPACT, FREE, Style, grammar
from kram.tools import ToolRegistry, builtin_tools
from tests.support.gbnf import Grammar
from tests.support.heredoc import runs, said, tool

REGISTRY = ToolRegistry(builtin_tools())


def unbounded(schema: Any) -> Any:
    """A schema without the upper bounds of numbers, which no grammar can count."""
    if isinstance(schema, dict):
        return {key: unbounded(value) for key, value in schema.items() if key != "maximum"}
    return schema


ODD = ToolSpec(
    name="odd",
    description="all kinds of parameters",
    parameters={
        "type": "object",
        "properties": {
            "plain": {"type": "string"},
            "short": {"type": "string", "maxLength": 3},
            "kind": {"enum": ["a", 'b"c', 3]},
            "count": {"type": "integer"},
            "share": {"type": ["number", "null"]},
            "flag": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
            "parts": {
                "type": "array",
                "items": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
            },
            "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
            "free": {},
            "with space": {"type": "object"},
        },
        "required": ["plain", "kind", "parts"],
    },
)
STYLES = {"free": FREE, "compact": COMPACT, "loose": Style(mixed=False), "tight": Style(loose=False)}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("tools", [REGISTRY.specs(), REGISTRY.compact_specs(), (ODD,)], ids=["all", "compact", "odd"])
@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_every_call_that_the_grammar_can_make_fits_its_tool(
    tools: tuple[ToolSpec, ...], style: Style, rng: random.Random
) -> None:
    schemas: dict[str, Any] = {one.name: unbounded(one.parameters) for one in tools}
    answer = Grammar(grammar(tools, choice="required", style=style)).derive(rng)
    done = said([answer], tools=tuple(schemas))
    assert 1 <= len(done.calls) <= style.calls
    assert done.text == ""
    for name, raw in done.calls:
        assert runs(raw, schemas[name]), raw


@pytest.mark.parametrize("tools", [REGISTRY.compact_specs(), (ODD,), ()], ids=["compact", "odd", "none"])
@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_prose_of_the_grammar_calls_nothing(tools: tuple[ToolSpec, ...], rng: random.Random) -> None:
    answer = Grammar(grammar(tools, choice="none")).derive(rng)
    assert said([answer], tools=[one.name for one in tools]).calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "a@b.c",
        "x @ y @@ z",
        "@@ -1 +1 @@"[1:].lstrip("@ "),
        "1. one\n2. two\n",
        "see @@end",
        "é ⚙\t\n\n```\ncode\n```",
    ],
)
def test_prose_may_be_anything_but_a_call(text: str) -> None:
    rules = Grammar(grammar([tool("a")]))
    assert rules.accepts(text)


@pytest.mark.parametrize(
    ("answer", "style", "accepted"),
    [
        ("@@call a\n{}\n@@end\n", COMPACT, False),
        ('@@call a\n{"x": "1"}\n@@end\n', COMPACT, True),
        ('@@call a\n{"x": "1", "y": "2"}\n@@end\n', COMPACT, True),
        ('@@call a\n{"y": "2", "x": "1"}\n@@end\n', COMPACT, False),
        ('@@call a\n{"x": "1", "z": "2"}\n@@end\n', COMPACT, False),
        ('@@call a\n{ "x" : "1" }\n@@end\n', COMPACT, False),
        ('@@call a\n{"x": 1}\n@@end\n', COMPACT, False),
        ('@@call a\n{"x": "1"}\n@@end\n' * 2, COMPACT, False),
        ('Well:\n@@call a\n{"x": "1"}\n@@end\n', COMPACT, False),
        ('@@call b\n{"x": "1"}\n@@end\n', COMPACT, False),
        ('@@call a\n{"x": "1"}\n@@end\n' * 4, FREE, True),
        ('@@call a\n{"x": "1"}\n@@end\n' * 5, FREE, False),
        ('Well:\n\n@@call a\n{"x": "1"}\n@@end\n', FREE, True),
        ('Well: @@call a\n{"x": "1"}\n@@end\n', FREE, False),
        ('@@call a\n{"x": "1"}\n@@end\nbye', FREE, False),
        ('@@call a\n{\n  x : "1" ,\n}\n@@end\n', FREE, True),
        ("@@call a\n{x: ~~~text\none\n~~~other\n~~~text\n}\n@@end\n", FREE, True),
        ('@@call a\n{x: ~~~text\none\n~~~text,\ny: "2"}\n@@end\n', FREE, True),
        ("@@call a\n{x: ~~~text\none\n~~~code\n}\n@@end\n", FREE, False),
        ("@@call a\n{x: ~~~\none\n~~~\n}\n@@end\n", FREE, False),
    ],
)
def test_what_a_call_may_look_like(answer: str, style: Style, accepted: bool) -> None:
    assert Grammar(grammar([tool("a", "x", optional=["y"])], style=style)).accepts(answer) is accepted


def test_a_chosen_tool_leaves_nothing_else() -> None:
    rules = Grammar(grammar([tool("a"), tool("b")], choice="b"))
    assert rules.accepts("@@call b\n{}\n@@end\n")
    assert not rules.accepts("@@call a\n{}\n@@end\n")
    assert not rules.accepts("Hello")


def test_calls_are_optional_unless_required() -> None:
    assert Grammar(grammar([tool("a")])).accepts("Hello")
    assert not Grammar(grammar([tool("a")], choice="required")).accepts("Hello")


def test_a_name_cannot_leave_its_literal() -> None:
    name = 'x"\nroot ::= "y'
    rules = Grammar(grammar([ToolSpec(name=name, description="", parameters={})], choice="required"))
    assert rules.accepts(f"@@call {name}\n{{}}\n@@end\n")


def test_the_order_of_tools_makes_no_difference() -> None:
    assert grammar([tool("a"), tool("b")]) == grammar([tool("b"), tool("a")])
    assert json.dumps(grammar([tool("b")]))
