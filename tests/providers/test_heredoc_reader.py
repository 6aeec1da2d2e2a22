"""Answers that call tools by text: what is shown, what is called, and what never runs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kram.messages import TextDelta, ToolInputDelta, ToolUseStarted, ToolUseStopped
from kram.providers.heredoc import HeredocReader
from tests.support.heredoc import refusal, said

TOOLS = ("list_dir", "write_file", "bash")


def one(answer: str) -> Any:
    """The arguments of the only call."""
    done = said([answer], tools=TOOLS)
    ((_, raw),) = done.calls
    return json.loads(raw)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{}", {}),
        ("", {}),
        ('{"a": "x\\n\\"y\\" \\u00e9"}', {"a": 'x\n"y" é'}),
        ("{'a': 'it\\'s \"x\"'}", {"a": 'it\'s "x"'}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ("{a: 1, b: -2.5e3, c: True, d: None, e: false}", {"a": 1, "b": -2500.0, "c": True, "d": None, "e": False}),
        ('{a: [1, {b: "x",},], c: {},}', {"a": [1, {"b": "x"}], "c": {}}),
        ('{ "a"\n:\n"x"\n}', {"a": "x"}),
        ("{a: `x \"y\" 'z'`}", {"a": "x \"y\" 'z'"}),
        ("{a: ````\n```py\nx\n```\n````, b: 1}", {"a": "```py\nx\n```", "b": 1}),
        ("{a: ```py\nx\n```}", {"a": "x"}),
        ("{a: ~~~t\n~~~t\n}", {"a": ""}),
        ("{a: ~~~t\n\n~~~t\n}", {"a": ""}),
        ("{a: ~~~t\nx\n\n~~~t\n}", {"a": "x\n"}),
        ("{a: ~~~t\n@@end\n@@call bash\n{}\n ~~~t\n~~~tt\n~~~t\n}", {"a": "@@end\n@@call bash\n{}\n ~~~t\n~~~tt"}),
        ("{a: ~~~t\n\\n stays, \"so\" do 'these' ⚙\n~~~t\n}", {"a": "\\n stays, \"so\" do 'these' ⚙"}),
        ("{a: ~~~t  \r\nx\r\n~~~t\r\n}", {"a": "x\r"}),
        ("{$a-b.c: 1}", {"$a-b.c": 1}),
    ],
)
def test_a_value_is_read_exactly(value: str, expected: dict[str, Any]) -> None:
    assert one(f"@@call bash\n{value}\n@@end\n") == expected


@pytest.mark.parametrize("text", ["end\n", "", "\n\n", "~~~t", "x\n~~~\n", "```\n"])
def test_a_body_may_hold_anything_but_its_own_last_line(text: str) -> None:
    assert one(f"@@call write_file\n{{content: ~~~body\n{text}\n~~~body\n}}\n@@end") == {"content": text}


@pytest.mark.parametrize(
    "answer",
    [
        "```\n@@call bash\n{}\n@@end\n```",
        "~~~\n@@call bash\n{}\n@@end\n~~~",
        "````md\n```\n@@call bash\n{}\n```\n@@call bash\n{}\n````",
        "Write `@@call bash` and then the arguments.",
        "Write `@@call bash\n`.",
        "    @@call bash\n    {}",
        "> @@call bash\n> {}",
        "The mark is @@call NAME\nand so on.",
        "I would @@call nobody\n{}",
        "@@caller\n@@call\n@@end\n@@ -1,2 +1,2 @@",
        "@@end",
    ],
)
def test_what_only_speaks_of_calls_is_shown_and_runs_nothing(answer: str) -> None:
    done = said([answer], tools=TOOLS)
    assert done.calls == ()
    assert done.text == answer.strip()


def test_a_call_behind_a_closed_code_block_runs() -> None:
    done = said(["```\nx = 1\n```\n@@call bash\n{command: 'ls'}\n@@end"], tools=TOOLS)
    assert done.calls == (("bash", '{"command":"ls"}'),)
    assert done.text == "```\nx = 1\n```"


def test_a_call_in_the_middle_of_a_line_runs_where_its_tool_is_offered() -> None:
    assert said(["Let me see: @@call list_dir\n{}\n@@end"], tools=TOOLS).calls == (("list_dir", "{}"),)


@pytest.mark.parametrize(
    "answer",
    [
        "@@call write_file",
        "@@call write_file\n",
        "@@call ",
        "@@call write_file\n{",
        '@@call write_file\n{"path": "a", "content": "clas',
        '@@call write_file\n{"path": "a", "content": "ends with \\',
        "@@call write_file\n{path: ~~~t\nline\n",
        "@@call write_file\n{path: ~~~t\nline\n~~~t",
        "@@call write_file\n{path: ~~~t",
        "@@call write_file\n{path: ```\nline\n",
        "@@call write_file\n{path: `line",
        "@@call write_file\n{a: 1, b: tru",
        "@@call write_file\n{a: [1, 2",
        "@@call write_file\n{a: 1\n@@end\n",
        "@@call write_file\n{a: 1,\n@@end\nmore",
        "@@call write_file\n@@call bash\n{}\n@@end",
    ],
)
@pytest.mark.parametrize("cut", [True, False])
def test_a_call_that_is_cut_off_is_refused_as_cut_off(answer: str, cut: bool) -> None:
    done = said([answer], tools=TOOLS, cut=cut)
    name, raw = done.calls[0]
    assert "runcation" in refusal(name, raw)
    assert "NOT executed" in refusal(name, raw)
    assert "@@" not in done.text


@pytest.mark.parametrize(
    "value", ["{a: foo bar}", '{"a": 1 2}', '{"a" 1}', '{"a": }', "{a: 1; b: 2}", "{1: 2}", "[1]", '"x"', "42", "hello"]
)
def test_a_call_that_is_broken_is_refused_and_the_next_one_is_read(value: str) -> None:
    done = said([f"@@call bash\n{value}\n@@end\n@@call list_dir\n{{}}\n@@end\nok"], tools=TOOLS)
    assert refusal(*done.calls[0])
    assert done.calls[1] == ("list_dir", "{}")
    assert done.text == "ok"


def test_two_numbers_never_become_one() -> None:
    ((_, raw),) = said(['@@call bash\n{"a": 1 2}\n@@end']).calls
    assert "12" not in raw


def test_depth_has_an_end() -> None:
    ((name, raw),) = said(["@@call bash\n{a: " + "[" * 5000]).calls
    assert refusal(name, raw)


def test_an_unknown_tool_is_called_by_its_name_and_a_missing_name_has_a_stand_in() -> None:
    done = said(["@@call nonsense\n{}\n@@end\n@@call  \n{}\n@@end"], tools=TOOLS)
    assert [name for name, _ in done.calls] == ["nonsense", "unnamed"]


def test_arguments_come_while_they_are_written() -> None:
    reader = HeredocReader(TOOLS)
    assert [type(event) for event in reader.feed("Hello ")] == [TextDelta]
    assert [type(event) for event in reader.feed("\n@@call write_file\n")] == [ToolUseStarted]
    (first,) = reader.feed('{"content": ~~~t\none\n')
    assert first == ToolInputDelta(index=first.index, text='{"content":"one')
    (second,) = reader.feed("two and")
    assert second.text == "\\ntwo and"
    assert reader.in_call
    assert [type(event) for event in reader.feed(" more\n~~~t\n}")] == [ToolInputDelta, ToolUseStopped]
    assert reader.close() == []


@pytest.mark.parametrize("held", ["@", "@@", "@@ca", "@@call"])
def test_a_half_written_mark_is_shown_unless_a_limit_cut_it_off(held: str) -> None:
    assert said([f"text {held}"]).text == f"text {held}"
    assert said([f"text {held}"], cut=True).text == ("text" if len(held) > 1 else f"text {held}")


PIECES = st.sampled_from(
    [
        "Some words. ", "\n", "\n\n", "@@call bash\n", "@@call list_dir\n", "@@call none\n", "@@end\n", "@@end", "@@ca",
        "{}", "{\n", '"a": ', "b: ", '"x \\" y"', "'z'", "~~~t\n", "~~~t", "~~~t,\n", "`", "```\n", "````\n", ", ", "}",
        "[", "]", "1.5", "-", "True", "null", "\\", "é⚙", "  ", "\t", "~", "> ", '"', "{command: `ls`}\n@@end\n",
    ]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(PIECES, max_size=25), st.data())
def test_how_a_stream_is_cut_makes_no_difference(pieces: list[str], data: st.DataObject) -> None:
    answer = "".join(pieces)
    whole = said([answer], tools=TOOLS)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(answer)), max_size=12)))
    chunks = [answer[start:end] for start, end in zip([0, *cuts], [*cuts, len(answer)], strict=True)]
    assert said(chunks, tools=TOOLS) == whole
    assert said(list(answer), tools=TOOLS) == whole
    assert whole.unfinished == 0


@settings(deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_a_call_is_never_shown(pieces: list[str]) -> None:
    shown = said(["@@call bash\n{}\n@@end\n", "".join(pieces)], tools=TOOLS).text
    for mark in re.finditer(r"^ {0,3}@@call (?:bash|list_dir)$", shown, re.MULTILINE):
        # What is shown stands in code.
        assert "```" in shown[: mark.start()] or "~~~" in shown[: mark.start()]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4), st.booleans())
def test_json_arguments_come_through_as_they_are(arguments: dict[str, Any], ascii_only: bool) -> None:
    raw = json.dumps(arguments, ensure_ascii=ascii_only)
    assert one(f"@@call bash\n{raw}\n@@end\n") == arguments


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_comes_through_a_body(text: str) -> None:
    tag = "t"
    while f"~~~{tag}" in text:
        tag += "t"
    assert one(f"@@call write_file\n{{content: ~~~{tag}\n{text}\n~~~{tag}\n}}\n@@end") == {"content": text}
