"""What a person is shown about tool calls never runs; what is cut off never runs; the rest runs as written."""

from __future__ import annotations

import pytest

from kram.tools.textcalls import read_text_calls

TOOLS = {
    "bash": {"type": "object", "properties": {"command": {"type": "string"}}},
    "read_file": {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}},
}
CALL = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'


@pytest.mark.parametrize(
    "prose",
    [
        f"A model calls a tool like this:\n```xml\n{CALL}\n```\nand waits.",
        'Write `<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>` to call it.',
        'The config is:\n```json\n{"name": "my-package", "version": "1"}\n```',
        'To list files use\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```\nwhich prints them.',
        "I made tool_calls to the API.",
        "name: bash\nargs: none that I know of",
        '{"name": "kram", "dependencies": {}}',
        "",
    ],
)
def test_prose_about_calls_runs_nothing(prose: str) -> None:
    read = read_text_calls(prose, TOOLS)
    assert read.calls == ()
    assert read.text == prose


@pytest.mark.parametrize("cut", range(1, len(CALL) - len("</tool_call>") - 1))
def test_a_call_cut_anywhere_before_its_end_runs_nothing(cut: int) -> None:
    assert read_text_calls(CALL[:cut], TOOLS).calls == ()


def test_one_bad_call_spoils_the_good_one() -> None:
    read = read_text_calls(CALL + CALL.replace("bash", "rocket"), TOOLS)
    assert read.calls == ()
    assert "rocket" in read.problem


def test_values_take_the_types_of_the_schema_and_strings_stay_exact() -> None:
    text = "<function=read_file>\n<parameter=path>\n12\n</parameter>\n<parameter=limit>\n12\n</parameter>\n</function>"
    (call,) = read_text_calls(text, TOOLS).calls
    assert call.arguments == {"path": "12", "limit": 12}


def test_a_fenced_call_at_the_end_of_an_answer_is_one() -> None:
    read = read_text_calls('I look.\n\n```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```', TOOLS)
    assert [call.name for call in read.calls] == ["bash"]
    assert read.text.strip() == "I look."


@pytest.mark.parametrize("text", ["{" * 200_000, "[" * 200_000, "<tool_call>" * 20_000, "`" * 100_000])
def test_hostile_text_ends_without_a_call(text: str) -> None:
    assert read_text_calls(text, TOOLS).calls == ()
