"""From entries to what the model sees: grouping, pairing, stubs, caps."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kram.context import (
    Folding,
    ViewPolicy,
    build_view,
    cap,
    foldable,
    lower_detail,
    make_marker,
    neutralise,
    pair,
    plan,
    pristine_tail,
    render,
    stub,
)
from kram.messages import (
    Entry,
    ImageBlock,
    Kind,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    entry,
)

UNBUDGETED = plan(0, 0)


def call(call_id: str, at: int = 0) -> Entry:
    return entry(Kind.TOOL_CALL, "{}", tool_call_id=call_id, tool_name="read_file", at_ns=at)


def result(call_id: str, text: str = "ok", at: int = 0, **fields: object) -> Entry:
    return entry(Kind.TOOL_RESULT, text, tool_call_id=call_id, tool_name="read_file", at_ns=at, **fields)


def user(text: str = "u") -> Entry:
    return entry(Kind.USER, text)


def assistant(text: str = "a") -> Entry:
    return entry(Kind.ASSISTANT, text)


def test_text_and_its_calls_become_one_assistant_message() -> None:
    messages = render([assistant("t"), call("c1"), call("c2"), result("c1"), result("c2")])
    assert [message.role for message in messages] == ["assistant", "user"]
    assert [type(block) for block in messages[0].content] == [TextBlock, ToolUseBlock, ToolUseBlock]
    assert [block.tool_use_id for block in messages[1].content if isinstance(block, ToolResultBlock)] == ["c1", "c2"]


def test_a_notification_is_a_tagged_user_message() -> None:
    (message,) = render([entry(Kind.NOTIFICATION, "x", tag="nudge")])
    assert message.text() == "[nudge] x"


def test_an_unknown_kind_renders_like_a_notification() -> None:
    (message,) = render([entry("friction", "x")])
    assert (message.role, message.text()) == ("user", "[friction] x")


def test_a_compaction_is_framed() -> None:
    (message,) = render([entry(Kind.COMPACTION, "sum")])
    assert message.text().startswith("[compacted]\n")


def test_images_are_left_out_for_models_without_eyes() -> None:
    picture = entry(Kind.USER, "look", parts=(ImageBlock(data="AA=="),))
    assert any(isinstance(block, ImageBlock) for block in render([picture])[0].content)
    assert not any(isinstance(block, ImageBlock) for block in render([picture], images=False)[0].content)


def test_thinking_keeps_its_place_before_a_call() -> None:
    thought = msgspec.structs.replace(call("c"), parts=(ThinkingBlock(thinking="hm", signature="s"),))
    (message,) = render([thought])
    assert [type(block) for block in message.content] == [ThinkingBlock, ToolUseBlock]


def test_an_error_result_is_prefixed_once() -> None:
    message = render([call("a"), result("a", "boom", is_error=True)])[1]
    assert [b.text for b in message.content if isinstance(b, ToolResultBlock)] == ["ERROR: boom"]
    again = render([call("a"), result("a", "ERROR: boom", is_error=True)])[1]
    assert [b.text for b in again.content if isinstance(b, ToolResultBlock)] == ["ERROR: boom"]


def shape(messages: tuple[Message, ...]) -> list[tuple[str, list[str]]]:
    def name(block: object) -> str:
        match block:
            case ToolUseBlock():
                return f"use {block.id}"
            case ToolResultBlock():
                return f"result {block.tool_use_id}"
            case _:
                return "text"

    return [(message.role, [name(block) for block in message.content]) for message in messages]


def test_pairing_drops_a_call_without_result_and_keeps_its_sibling_text() -> None:
    messages = pair(render([user(), assistant("t"), call("c1")]))
    assert shape(messages) == [("user", ["text"]), ("assistant", ["text"])]


def test_pairing_drops_a_result_without_call() -> None:
    assert shape(pair(render([user(), result("zzz")]))) == [("user", ["text"])]


def test_pairing_respects_order() -> None:
    assert shape(pair(render([user(), result("c"), call("c")]))) == [("user", ["text"])]


def test_results_follow_their_calls_in_call_order_whatever_came_between() -> None:
    messages = pair(render([user(), call("a"), call("b"), result("b"), user("steer"), result("a")]))
    assert shape(messages) == [
        ("user", ["text"]),
        ("assistant", ["use a", "use b"]),
        ("user", ["result a", "result b", "text"]),
    ]


def test_a_message_left_with_thinking_only_disappears() -> None:
    thought = msgspec.structs.replace(call("c"), parts=(ThinkingBlock(thinking="hm"),))
    assert shape(pair(render([user(), thought]))) == [("user", ["text"])]


KINDS = st.sampled_from(["user", "assistant", "call", "result", "note"])


@given(st.lists(st.tuples(KINDS, st.integers(0, 4)), max_size=30))
def test_any_history_becomes_one_that_strict_servers_accept(steps: list[tuple[str, int]]) -> None:
    entries: list[Entry] = []
    called: set[str] = set()
    for kind, number in steps:
        call_id = f"c{number}"
        if kind == "call" and call_id not in called:
            called.add(call_id)
            entries.append(call(call_id))
        elif kind == "result":
            entries.append(result(call_id))
        elif kind != "call":
            entries.append(entry({"note": "notification"}.get(kind, kind), "x"))
    messages = pair(render(entries))
    for before, after in pairwise(messages):
        assert before.role != after.role
    for position, message in enumerate(messages):
        uses = [block.id for block in message.tool_uses()]
        if uses:
            answers = [b.tool_use_id for b in messages[position + 1].content if isinstance(b, ToolResultBlock)]
            assert answers == uses
    results = [b.tool_use_id for m in messages for b in m.content if isinstance(b, ToolResultBlock)]
    assert len(results) == len(set(results))


U, A, TC, TR = "user", "assistant", "tool_call", "tool_result"


@pytest.mark.parametrize(
    ("kinds", "messages", "tools", "kept"),
    [
        ([], 5, 5, 0),
        ([U, A, U, A], 5, 5, 4),
        ([U, A, U, A, U, A], 3, 0, 3),
        ([TC, A, TR, U], 2, 1, 3),
        (["compaction", U], 1, 0, 2),
        (["notification", U, A], 1, 0, 1),
        ([U, A], -1, -1, 0),
    ],
)
def test_pristine_tail(kinds: list[str], messages: int, tools: int, kept: int) -> None:
    assert pristine_tail([entry(kind) for kind in kinds], messages, tools) == kept


def test_a_stub_names_the_entry_and_keeps_a_head() -> None:
    long = entry(Kind.TOOL_RESULT, "x" * 10_000, entry_id="abc-123")
    short = stub(long, 4_000)
    assert "event_id=abc-123" in short.content
    assert "len=10000" in short.content
    assert short.content.count("x") == 2_000
    assert stub(long, 50).content.count("x") == 100


def test_under_target_nothing_is_touched() -> None:
    entries = [user(), call("c"), result("c", "y" * 9_000), assistant()]
    view = build_view(entries, plan(200_000, 1_000), ViewPolicy())
    assert view.stages == ()
    assert view.entries == tuple(entries)


def test_over_target_old_results_are_stubbed_and_recent_ones_stay() -> None:
    entries = [user()]
    for number in range(40):
        entries += [call(f"c{number}"), result(f"c{number}", "y" * 9_000)]
    view = build_view(entries, plan(60_000, 5_000), ViewPolicy())
    assert view.stages == ("lod",)
    assert len(view.entries[-1].content) == 9_000
    assert "event_id=" in view.entries[2].content


def test_calls_keep_their_arguments_when_detail_is_lowered() -> None:
    wide = entry(Kind.TOOL_CALL, '{"content":"' + "z" * 5_000 + '"}', tool_call_id="w", tool_name="write_file")
    assert lower_detail([wide, user()], above_chars=100, keep=1)[0] is wide


def test_the_persons_last_words_are_never_folded() -> None:
    entries = [user("old"), assistant(), user("the task")]
    for number in range(30):
        entries += [call(f"c{number}"), result(f"c{number}")]
    folded = foldable(entries, ViewPolicy()).folded
    assert "the task" not in [one.content for one in folded]
    assert "old" in [one.content for one in folded]


def test_a_marker_sorts_before_what_was_kept_and_remembers_origins() -> None:
    folded = [entry(Kind.USER, "a", at_ns=5, origin="x"), entry(Kind.ASSISTANT, "b", at_ns=9)]
    made = make_marker(folded, ViewPolicy(), Folding(folded=tuple(folded)), "sum", trigger="manual")
    assert made.created_at == 9
    assert made.details["subsumed"][0]["origin"] == "x"


def test_special_tokens_are_defused_in_tool_results_only() -> None:
    assert neutralise("a<|im_start|>system </parameter>") == "a&lt;|im_start|>system </parameter>"
    view = build_view([user("<|x|>"), call("c"), result("c", "<|x|>")], UNBUDGETED, ViewPolicy())
    assert view.entries[0].content == "<|x|>"
    assert view.entries[2].content == "&lt;|x|>"


def test_a_cap_keeps_head_and_tail_and_says_so() -> None:
    text = cap("h" * 400 + "t" * 100, 90)
    assert text.startswith("h" * 60)
    assert text.endswith("t" * 30)
    assert "truncated" in text
    assert cap("日" * 200, 90).encode()
