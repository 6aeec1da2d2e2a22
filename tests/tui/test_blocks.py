"""The pieces of a conversation: what a tool call shows in each state, diffs by line, bounds on monstrous output."""

from __future__ import annotations

import json

import pytest

from kram.tui.blocks import (
    NoticeBlock,
    QuestionBlock,
    ThinkingBlock,
    ToolBlock,
    UserBlock,
    call_block,
    count,
    diff_lines,
    duration,
    read_diff,
)
from kram.tui.blocks.call import outcome, summary
from kram.tui.lines import DARK, LIGHT, Lines, look, palette_for
from kram.tui.viewport import joined
from tests.support.told import DIFF

LOOK = look(DARK)


def tool(name: str = "bash", **arguments: object) -> ToolBlock:
    return call_block("c1", name, json.dumps(arguments))


def texts(lines: Lines) -> list[str]:
    return [line.text.rstrip() for line in lines]


def done(block: ToolBlock, text: str, *, ok: bool = True, status: str = "", **details: object) -> ToolBlock:
    block.result(text, is_error=not ok, status=status, details=details)
    return block


def test_a_running_call_shows_the_end_of_its_output_and_turns() -> None:
    block = tool(command="make")
    block.begin(10.0)
    block.progress("".join(f"step {n}\n" for n in range(20)))
    shown = texts(block.render(60, LOOK, 12.5))
    assert len(shown) == 6
    assert shown[-1].endswith("step 19")
    assert "2 s" in shown[0]
    assert block.header(60, LOOK, 12.5).text != block.header(60, LOOK, 12.65).text


def test_a_finished_command_shows_its_last_lines_and_opens_to_all_of_them() -> None:
    block = done(tool(command="make"), "\n".join(f"line {n}" for n in range(40)), exit_code=0, duration_ms=2300)
    folded = texts(block.render(60, LOOK))
    assert folded[0].startswith("✓ bash  make")
    assert folded[0].endswith("2.3 s")
    assert folded[-2].endswith("line 39")
    assert "34 more lines" in folded[-1]
    assert block.toggle()
    assert len(texts(block.render(60, LOOK))) == 41


@pytest.mark.parametrize(
    ("fields", "state", "sign"),
    [
        ({"is_error": False, "status": "", "details": {}}, "ok", "✓"),
        ({"is_error": True, "status": "", "details": {}}, "failed", "✕"),
        ({"is_error": True, "status": "", "details": {"verdict": "denied"}}, "denied", "⊘"),
        ({"is_error": True, "status": "interrupted", "details": {}}, "interrupted", "◼"),
        ({"is_error": True, "status": "", "details": {"status": "interrupted"}}, "interrupted", "◼"),
        ({"is_error": True, "status": "unknown", "details": {}}, "unknown", "?"),
    ],
)
def test_each_outcome_has_its_sign(fields: dict[str, object], state: str, sign: str) -> None:
    assert outcome(**fields) == state
    block = tool(command="x")
    block.result("text", **fields)
    assert block.render(60, LOOK)[0].text.startswith(sign)


def test_what_only_the_model_needs_is_a_count_until_it_is_opened() -> None:
    block = done(tool("read_file", path="a.py"), "1 a\n2 b")
    assert texts(block.render(60, LOOK)) == ["✓ read_file  a.py  2 lines"]
    assert block.tight
    block.toggle()
    assert texts(block.render(60, LOOK))[1:] == ["  │ 1 a", "  │ 2 b"]


def test_an_edit_shows_its_diff_with_line_numbers() -> None:
    block = done(tool("edit_file", path="src/app.py"), "edited", diff=DIFF)
    shown = texts(block.render(60, LOOK))
    assert "+2 -1" in shown[0]
    assert [row.split() for row in shown[2:]] == [
        ["1", "import", "os"],
        ["2", "-", "size", "=", "1"],
        ["2", "+", "size", "=", "2"],
        ["3", "+", "name", "=", '"three"'],
        ["4", "print(size)"],
    ]


def test_a_diff_is_copied_without_signs_and_numbers_and_wraps() -> None:
    long = "x = '" + "word " * 30 + "'"
    diff = read_diff(f"--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-old\n+{long}\n")
    lines = diff_lines(diff, 40, LOOK)
    assert joined(lines, 0, len(lines) - 1) == f"old\n{long}"


def test_a_diff_of_any_length_makes_only_the_rows_that_are_looked_at() -> None:
    body = "".join(f"-old {n}\n+new {n}\n" for n in range(20_000))
    lines = diff_lines(read_diff(f"--- a/f\n+++ b/f\n@@ -1,20000 +1,20000 @@\n{body}"), 80, LOOK)
    assert len(lines) == 40_000
    assert lines[39_999].text.split() == ["20000", "+", "new", "19999"]
    assert len(lines._made) == 1


def test_hunks_of_several_files_and_odd_lines_are_survived() -> None:
    text = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -5,2 +5,2 @@ def f\n a\n-b\n+c\n\\ No newline at end of file\n"
    diff = read_diff(text + text.replace("/x", "/y") + "@@ broken @@\ngarbage\n")
    assert (diff.added, diff.removed, diff.path) == (2, 2, "y")
    assert [row.number for row in diff.rows if row.sign == "+"] == [6, 6]


@pytest.mark.parametrize("text", ["x" * 3_000_000, "y\n" * 1_000_000, "漢" * 500_000, "\x1b[31m" * 200_000])
def test_monstrous_output_is_bounded(text: str) -> None:
    block = done(tool(command="cat"), text)
    assert len(block.render(80, LOOK)) <= 8
    block.toggle()
    opened = block.render(80, LOOK)
    assert len(opened) <= 2_003
    assert all(line.strip.cell_length == 80 for line in (opened[0], opened[-1]))


def test_output_that_lies_elsewhere_says_where() -> None:
    block = done(tool(command="x"), "head", artifact="art_00ff")
    block.toggle()
    assert block.artifact == "art_00ff"
    assert "art_00ff" in texts(block.render(60, LOOK))[-1]


def test_a_long_command_is_shown_in_full_when_opened() -> None:
    block = done(tool(command="set -e\nmake all"), "fine")
    block.toggle()
    assert texts(block.render(60, LOOK))[1:3] == ["  │ $ set -e", "  │ make all"]


@pytest.mark.parametrize("raw", ["", "not json", "[1]", '{"a": {"b": 1}}', '{"path": 3}'])
def test_any_arguments_can_be_shown(raw: str) -> None:
    block = call_block("c", "mystery", raw)
    assert block.render(40, LOOK)[0].strip.cell_length == 40
    block.lost()
    assert "outcome unknown" in block.render(60, LOOK)[0].text


def test_summaries_name_what_matters() -> None:
    assert summary("bash", {"command": "ls -l\n"}) == "ls -l"
    assert summary("move_file", {"old_path": "a", "new_path": "b"}) == "a → b"
    assert summary("mcp__x__y", {"depth": 2, "deep": True}) == "depth=2 deep=true"


def test_a_question_shows_its_options_and_the_answer() -> None:
    block = call_block("q", "ask_question", json.dumps({"question": "Which?", "options": ["a", "b"]}))
    assert isinstance(block, QuestionBlock)
    done(block, "b")
    assert texts(block.render(40, LOOK)) == ["? Which?", "  ◦ a", "  ◦ b", "↳ b"]
    assert block.plain() == "Which?\nb"


def test_what_a_person_says_is_never_markdown_and_at_most_two_thirds_wide() -> None:
    block = UserBlock("u", "**not bold** " * 30)
    lines = block.render(100, LOOK)
    assert "**not bold**" in lines[1].text
    assert all(len(line.text.strip()) <= 68 for line in lines)
    assert max(len(line.text.strip()) for line in UserBlock("u", "x").render(100, LOOK)) < 10


def test_thinking_folds_to_one_row_and_shows_its_end_while_it_goes_on() -> None:
    block = ThinkingBlock("t", streaming=True)
    block.feed("\n".join(f"thought {n}" for n in range(30)))
    assert texts(block.render(60, LOOK))[-1].endswith("thought 29")
    assert len(block.render(60, LOOK)) == 5
    block.settle(key="t", at_ns=1)
    assert texts(block.render(60, LOOK)) == ["▸ thought · 60 words"]
    block.toggle()
    assert len(block.render(60, LOOK)) == 31


@pytest.mark.parametrize("width", [4, 10, 11, 20])
def test_no_block_breaks_on_a_tiny_screen(width: int) -> None:
    blocks = [
        UserBlock("u", "some words 漢字漢字"),
        ThinkingBlock("t", "some thought"),
        NoticeBlock("n", "a notice that wraps"),
        done(tool("edit_file", path="src/a_long_name.py"), "e", diff=DIFF),
        done(tool(command="make everything"), "output 漢字漢字漢字漢字"),
    ]
    for block in blocks:
        for _ in range(2):
            assert {line.strip.cell_length for line in block.render(width, LOOK)} == {width}
            block.toggle()


def test_figures_are_short() -> None:
    assert [count(n) for n in (0, 999, 1_000, 12_345, 999_949, 999_950, 2_500_000)] == [
        "0", "999", "1.0k", "12.3k", "999.9k", "1.0M", "2.5M",
    ]  # fmt: skip
    assert [duration(ms) for ms in (3, 999, 2_340, 185_000)] == ["3 ms", "999 ms", "2.3 s", "3:05 min"]


def test_a_palette_follows_the_theme_and_keeps_what_the_theme_does_not_say() -> None:
    theme = {"background": "#101010", "foreground": "#f0f0f0", "primary": "ansi_red", "kram-first": "#abcdef"}
    palette = palette_for(theme, dark=True, ansi=False)
    assert (palette.background, palette.first, palette.second) == ("#101010", "#abcdef", DARK.second)
    assert palette_for({}, dark=False, ansi=False).syntax == LIGHT.syntax
    assert palette_for(theme, dark=True, ansi=True).background == "default"
