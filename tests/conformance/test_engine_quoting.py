"""Quoting tool output in replies (A27), results that come later (A28)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kram.context.transclude import NOTE, Slots, expand_entries, filled, sections, slots_of, system_note
from kram.messages import Kind, TextBlock, entry
from kram.tools.lift import lift_of, pending_text
from tests.support.opened import opened


def test_a27_sections_are_slots_and_the_whole_is_output_without_tags() -> None:
    assert slots_of("before <stdout>1</stdout> mid") == {"stdout": "1", "OUTPUT": "before 1 mid"}
    assert slots_of("<a>x</b>") == {"OUTPUT": "<a>x</b>"}
    assert slots_of("<report>a\nb</report>")["report"] == "a\nb"
    assert slots_of("<a><b>x</b></a>") == {"a": "<b>x</b>", "b": "x", "OUTPUT": "x"}
    assert sections("<b>1</b><a>2</a>") == ["a", "b"]


def test_a27_only_known_placeholders_are_filled() -> None:
    assert filled('{"k":1} {ghost} {OUTPUT}', {"OUTPUT": "ALL"}) == '{"k":1} {ghost} ALL'


def test_a27_the_last_writer_wins() -> None:
    slots = Slots()
    slots.capture("<n>1</n>")
    slots.capture("<n>2</n>")
    assert slots.fill("{n}") == "2"


def test_a27_the_note_stands_only_where_there_are_tools_and_it_is_wanted() -> None:
    assert system_note("s", tools=[], wanted=True) == "s"
    assert system_note("s", tools=["t"], wanted=False) == "s"
    assert system_note("", tools=["t"], wanted=True) == NOTE
    assert system_note("s", tools=["t"], wanted=True).startswith("s\n\n")


def test_a27_a_history_is_expanded_in_a_copy() -> None:
    history = [
        entry(Kind.USER, "{OUTPUT}"),
        entry(Kind.TOOL_RESULT, "<x>1</x>", tool_call_id="c"),
        entry(Kind.ASSISTANT, "It is {x}.", parts=(TextBlock(text="It is {x}."),)),
    ]
    shown = expand_entries(history)
    assert [one.content for one in shown] == ["{OUTPUT}", "<x>1</x>", "It is 1."]
    assert shown[2].parts == (TextBlock(text="It is 1."),)
    assert history[2].content == "It is {x}."


QUOTING = """
[[steps]]
calls = [{ name = "read_file", args = { path = "r.txt" } }]
[[steps]]
text = "R: {report}"
[[steps]]
text = "Now: {report}"
"""


async def test_a27_the_reply_is_stored_raw_and_shown_expanded_and_slots_end_with_the_turn(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "r.txt").write_text("<report>a heron</report>\n")
    async with opened(tmp_path, QUOTING) as (runtime, _):
        result = await runtime.send("report")
        assert result.text == "R: a heron"
        said = [one for one in runtime.entries() if one.kind == Kind.ASSISTANT]
        assert said[-1].content == "R: {report}"
        assert said[-1].details["shown"] == "R: a heron"
        result = await runtime.send("and now")
        assert result.text == "Now: {report}"


ENCODED = """
[[steps]]
calls = [{ name = "bash", args = { command = "cat rows.json" } }]
[[steps]]
expect = { last_result = "[2]id,name" }
text = "{OUTPUT}"
"""


async def test_a26_a27_the_model_reads_the_encoded_result_and_quotes_the_raw_one(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    raw = '[{"id":1,"name":"a"},{"id":2,"name":"b"}]'
    (tmp_path / "ws" / "rows.json").write_text(raw)
    config = tmp_path / "home" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[context]\nencoding = "tightc"\n')
    async with opened(tmp_path, ENCODED, permission_mode="auto") as (runtime, _):
        result = await runtime.send("rows")
        assert result.subtype == "success", result.error
        assert result.text.strip() == raw


def test_a28_a_promise_is_told_with_its_ids_and_its_deadline() -> None:
    lift = lift_of('{"pending":true,"correlation_id":"abc","ttl_s":30}')
    assert lift is not None
    text = pending_text(lift, "call_1")
    assert all(part in text for part in ("correlation_id=abc", "tool_call_id=call_1", "30s"))
    endless = lift_of('{"pending":true,"correlation_id":"abc","ttl_s":0}')
    assert endless is not None
    assert "due" not in pending_text(endless, "call_1")


@pytest.mark.parametrize(
    "result",
    [
        '{"pending":false,"correlation_id":"a"}',
        '{"pending":true}',
        "done",
        "",
        ' {"pending":true,"correlation_id":"a"}',
        "{",
    ],
)
def test_a28_everything_else_is_an_ordinary_result(result: str) -> None:
    assert lift_of(result) is None
