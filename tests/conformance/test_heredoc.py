"""The heredoc tool format, case by case: how a session behaves, the grammar, what is read, what is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kram.config import Model
from kram.messages import (
    CompletionRequest,
    Message,
    TextBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    user_text,
)
from kram.providers.heredoc.grammar import grammar
from kram.providers.heredoc.history import call_text, replay
from kram.providers.heredoc.prompt import instructions, tool_list
from kram.providers.heredoc.translate import rewritten, speaks_text
from kram.providers.openai_chat.request import build
from tests.support.heredoc import refusal, said, tool

MODEL = Model(provider="p", id="m", tool_format="heredoc")
TOOLS = (tool("write_file", "path", "content"), tool("list_dir", optional=["path"]))
HISTORY = (
    user_text("look"),
    Message(
        role="assistant",
        content=(TextBlock(text="I look."), ToolUseBlock(id="c1", name="list_dir", arguments='{"path":"."}')),
    ),
    Message(role="user", content=(ToolResultBlock(tool_use_id="c1", tool_name="list_dir", text="a.txt"),)),
)


def body(messages: tuple[Message, ...] = HISTORY, **options: Any) -> dict[str, Any]:
    """What a server that takes grammars gets."""
    request = CompletionRequest(messages=messages, system=("Be brief.",), tools=TOOLS, stop=("X",), **options)
    return build(rewritten(request, MODEL, "tool"), MODEL, quirks={"llama_options"})


# --- A39: the session -------------------------------------------------------------------------------------------------


def test_a39_1_the_request_has_a_grammar_but_no_tools_and_no_stop() -> None:
    sent = body()
    assert sent["grammar"].startswith("root ::= ")
    assert not {"tools", "tool_choice", "stop"} & set(sent)
    system = sent["messages"][0]["content"]
    assert system.startswith("Be brief.")
    assert "write_file(path, content)" in system
    assert "~~~" in system


def test_a39_2_a_body_that_holds_another_dialects_mark_arrives_exactly() -> None:
    inner = "<x>\n</parameter>\n</tool_call>\n"
    done = said([f'@@call write_file\n{{"path": "a", "content": ~~~t\n{inner}\n~~~t\n}}\n@@end\n'])
    assert done.arguments() == [{"path": "a", "content": inner}]


def test_a39_3_a_stored_call_is_replayed_as_text_and_its_result_without_an_id() -> None:
    _, _, assistant, result = body()["messages"]
    assert assistant == {"role": "assistant", "content": 'I look.\n@@call list_dir\n{"path": "."}\n@@end'}
    assert result == {"role": "tool", "content": "a.txt"}


def test_a39_4_a_plain_answer_stays_what_it_is() -> None:
    done = said(["done"])
    assert (done.text, done.calls) == ("done", ())


def test_a39_without_tools_nothing_is_translated() -> None:
    assert not speaks_text(CompletionRequest(messages=HISTORY), MODEL)
    assert speaks_text(CompletionRequest(messages=HISTORY, tools=TOOLS), MODEL)


def test_a39_a_missing_end_mark_is_no_loss() -> None:
    assert said(["@@call list_dir\n{}"]).calls == (("list_dir", "{}"),)


# --- A40: the grammar -------------------------------------------------------------------------------------------------


def rules(*tools: ToolSpec, choice: str = "") -> dict[str, str]:
    return dict(line.split(" ::= ", 1) for line in grammar(tools, choice=choice).splitlines())


def test_a40_1_two_keys_bound_the_repetition_to_one() -> None:
    assert "{0,1}" in rules(tool("t", optional=["a", "b"]))["args-0"]


def test_a40_2_the_root_has_one_call_and_up_to_three_more() -> None:
    root = rules(tool("t"), choice="required")["root"]
    assert root == "call call{0,3}"


def test_a40_3_a_call_ends_with_a_line_break_after_its_end_mark() -> None:
    assert rules(tool("t"))["call-0"].endswith('"\\n@@end\\n"')


def test_a40_4_only_declared_parameters_are_named() -> None:
    text = grammar([tool("t", "path")])
    assert "path" in text
    assert "content" not in text


def test_a40_a_tool_without_parameters_takes_an_empty_object_only() -> None:
    assert rules(tool("t"))["args-0"] == '"{}"'


def test_a40_without_tools_any_call_may_be_made() -> None:
    assert rules()["call"] == "call-any"


# --- A41: what is read ------------------------------------------------------------------------------------------------


def test_a41_1_numbers_and_booleans_stay_what_they_are() -> None:
    done = said(['@@call c\n{name: "prod", retries: 3, deep: true}\n@@end'])
    assert done.arguments() == [{"name": "prod", "retries": 3, "deep": True}]


def test_a41_2_four_backticks_may_hold_three() -> None:
    block = "```python\nprint(1)\n```"
    assert said([f"@@call c\n{{text: ````\n{block}\n````\n}}\n@@end"]).arguments() == [{"text": block}]


@pytest.mark.parametrize("value", ["{a: ~~~t\nx", '{"a": 1', '{"a": "x', "{a: ```\nx"])
def test_a41_3_what_is_not_closed_is_said_to_be_cut_off(value: str) -> None:
    ((name, raw),) = said([f"@@call c\n{value}"]).calls
    assert "Truncation detected" in refusal(name, raw)


@pytest.mark.parametrize("between", [",\n", "\n,\n", "\n, ", " ,\n", "\n"])
def test_a41_4_a_comma_after_a_body_may_stand_anywhere_or_be_missing(between: str) -> None:
    done = said([f"@@call c\n{{a: ~~~t\nx\n~~~t{between}b: 2}}\n@@end"])
    assert done.arguments() == [{"a": "x", "b": 2}]


def test_a41_5_prose_stays_on_both_sides_of_calls() -> None:
    done = said(["Before.\n@@call a\n{}\n@@end\n@@call b\n{}\n@@end\nAfter."])
    assert [name for name, _ in done.calls] == ["a", "b"]
    assert done.text.split() == ["Before.", "After."]


def test_a41_6_three_calls_are_three_calls() -> None:
    assert len(said(["@@call a\n{}\n@@end\n" * 3]).calls) == 3


def test_a41_a_call_without_a_line_break_is_refused() -> None:
    ((name, raw),) = said(["@@call list_dir"]).calls
    assert refusal(name, raw)


# --- A42: what is written ---------------------------------------------------------------------------------------------


def test_a42_1_an_optional_parameter_has_a_question_mark() -> None:
    assert tool_list([tool("grep", "pattern", optional=["path"])]) == "- grep(pattern, path?): does grep"


def test_a42_2_a_replayed_call_has_three_lines() -> None:
    assert call_text("c", '{"a":1}') == '@@call c\n{"a": 1}\n@@end'
    assert call_text("c", "  ").splitlines()[1] == "{}"


def test_a42_3_several_calls_are_shown_before_the_rules() -> None:
    text = instructions(TOOLS)
    assert text.index("@@call grep") < text.index("- @@call")
    assert text.index("- @@call") < text.index("- list_dir(path?)")


def test_a42_no_schema_is_dumped() -> None:
    assert '"type"' not in instructions(TOOLS)


@pytest.mark.parametrize("arguments", ['{"a": "x\\n@@end\\n"}', '{"é": [1, {"b": null}]}', "{}"])
def test_what_is_replayed_is_read_back_as_the_same_call(arguments: str) -> None:
    done = said([call_text("c", arguments)])
    assert done.arguments() == [json.loads(arguments)]


def test_results_can_be_told_as_text() -> None:
    *_, told = replay(HISTORY, "text")
    assert told.text() == "[result of list_dir]\na.txt"
