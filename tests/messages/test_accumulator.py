"""Stream events fold into one answer, in arrival order, with raw argument text."""

from kram.messages import (
    Accumulator,
    BlockStopped,
    Entry,
    MessageDelta,
    MessageStopped,
    StreamEvent,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ThinkingDelta,
    ThinkingSignature,
    ToolInputDelta,
    ToolUseBlock,
    ToolUseStarted,
    ToolUseStopped,
    Usage,
    entry,
    from_json,
    in_order,
    to_json,
)


def fold(*events: StreamEvent) -> Accumulator:
    accumulator = Accumulator()
    for event in events:
        accumulator.add(event)
    return accumulator


def test_text_and_a_call_in_order() -> None:
    done = fold(
        TextDelta(text="a"),
        ToolUseStarted(index=0, id="1", name="t"),
        ToolInputDelta(index=0, text='{"a":'),
        ToolInputDelta(index=0, text="1}"),
        ToolUseStopped(index=0),
        MessageDelta(stop_reason="tool_use"),
        MessageStopped(),
    ).completion()
    assert done.content == (TextBlock(text="a"), ToolUseBlock(id="1", name="t", arguments='{"a":1}'))
    assert done.finished


def test_a_call_that_was_not_closed_is_kept_apart() -> None:
    done = fold(ToolUseStarted(index=0, id="1", name="t"), ToolInputDelta(index=0, text='{"a":')).completion()
    assert done.content == ()
    assert done.unfinished[0].arguments == '{"a":'


def test_interleaved_calls_keep_their_own_arguments() -> None:
    done = fold(
        ToolUseStarted(index=0, id="1", name="x"),
        ToolUseStarted(index=1, id="2", name="y"),
        ToolInputDelta(index=0, text="{}"),
        ToolInputDelta(index=1, text='{"b":2}'),
        ToolUseStopped(index=0),
        ToolUseStopped(index=1),
    ).completion()
    assert [block.arguments for block in done.content if isinstance(block, ToolUseBlock)] == ["{}", '{"b":2}']


def test_a_signature_belongs_to_the_thinking_before_it() -> None:
    done = fold(ThinkingDelta(text="hm"), ThinkingSignature(signature="s"), TextDelta(text="x")).completion()
    assert done.content == (ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="x"))


def test_block_stops_separate_texts() -> None:
    done = fold(TextDelta(text="a"), BlockStopped(), TextDelta(text="b")).completion()
    assert done.content == (TextBlock(text="a"), TextBlock(text="b"))


def test_the_last_figure_of_each_field_wins() -> None:
    done = fold(MessageDelta(input=5, output=1), MessageDelta(output=7)).completion()
    assert (done.usage.input, done.usage.output) == (5, 7)
    assert not fold(MessageDelta(stop_reason="end_turn")).completion().usage_reported


def test_usage_adds_and_splits() -> None:
    first = Usage(input=1000, cache_read=900, output=50)
    total = first + Usage(input=1200, output=70, cost_usd=0.5)
    assert (total.total, total.processed, total.cache_read, total.cost_usd) == (2320, 1300, 900, 0.5)


def test_an_entry_without_usage_has_no_usage_key_and_round_trips() -> None:
    plain = entry("user", "hi", at_ns=3)
    assert b"usage" not in to_json(plain)
    full = entry("assistant", "x", parts=(ThinkingBlock(thinking="t", signature="s"),), usage=Usage(input=1), at_ns=4)
    assert from_json(to_json(full), Entry) == full


def test_entries_sort_by_time_then_id() -> None:
    late, b, a = entry("user", at_ns=2), entry("user", at_ns=1, entry_id="b"), entry("user", at_ns=1, entry_id="a")
    assert in_order([late, b, a]) == [a, b, late]
