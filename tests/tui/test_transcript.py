"""Watched or loaded: the same conversation."""

from __future__ import annotations

import random

import pytest

from kram.events import EntryAdded, Notice, TextDelta, ToolStarted
from kram.messages import Kind, TextBlock, ThinkingBlock, entry
from kram.tui.lines import DARK, look
from kram.tui.transcript import Transcript
from tests.support.told import Told, long_session

LOOK = look(DARK)


def shown(transcript: Transcript, width: int = 80) -> list[str]:
    """Everything that would be on an endless screen, folds open and closed."""
    rows: list[str] = []
    for block in transcript.blocks:
        for _ in range(2):
            rows += [line.text.rstrip() for line in block.render(width, LOOK)]
            block.toggle()
        rows.append("")
    return rows


def watched(told: Told) -> Transcript:
    transcript = Transcript(lambda: 0.0)
    mirror: list[object] = []
    for stamped in told.events:
        for change in transcript.apply(stamped):
            mirror[change.index : change.index + change.removed] = [None] * change.added
    assert len(mirror) == len(transcript.blocks)
    return transcript


def loaded(told: Told) -> Transcript:
    transcript = Transcript(lambda: 0.0)
    transcript.load(told.entries)
    return transcript


def test_a_session_shown_live_and_reloaded_is_the_same() -> None:
    told = long_session()
    assert shown(watched(told)) == shown(loaded(told))


@pytest.mark.parametrize("width", [20, 43, 140])
def test_it_is_the_same_at_any_width(width: int) -> None:
    told = long_session()
    assert shown(watched(told), width) == shown(loaded(told), width)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_same_for_any_session(seed: int) -> None:
    rng = random.Random(seed)
    told = Told()
    texts = [
        "Yes.",
        "# A\n\ntext\n",
        "- a\n- b\n\n  c\n",
        "see [a]\n\n[a]: https://x.org\n",
        "```\nx\n",
        "👩\u200d🚀 a\r\nb",
        " \n",
    ]
    for _ in range(rng.randint(1, 5)):
        told.asks("go")
        for _ in range(rng.randint(0, 3)):
            pieces: list[str | tuple[str, dict[str, object]]] = []
            for _ in range(rng.randint(1, 4)):
                pieces.append(rng.choice(texts) if rng.random() < 0.5 else ("bash", {"command": "ls"}))
            calls = told.answers(*pieces, thinking=rng.choice(["", "hm", "a\nb"]), pace=rng.randint(1, 30))
            for call in calls:
                told.runs(
                    call, "bash", "x\n" * rng.randint(0, 20), ok=rng.random() < 0.7, output=["y\n"] * rng.randint(0, 3)
                )
        told.ends()
    assert shown(watched(told)) == shown(loaded(told))


def test_a_summary_stands_behind_what_it_folded_wherever_it_was_stored() -> None:
    told = long_session()
    folded = told.entries[2]
    told.store(
        Kind.COMPACTION, "what happened", at_ns=folded.created_at, details={"tokens_before": 9000, "subsumed": [{}] * 3}
    )
    live, reloaded = watched(told), loaded(told)
    assert shown(live) == shown(reloaded)
    kinds = [block.kind for block in live.blocks]
    assert "compaction" in kinds[1:-1]
    told.entries.insert(3, told.entries.pop())
    assert shown(loaded(told)) == shown(live)


def test_blocks_that_streamed_stay_the_same_objects_when_they_are_stored() -> None:
    told = Told()
    told.asks("go")
    told.answers("A paragraph.\n\nAnother one.", thinking="hm")
    transcript = Transcript()
    seen = []
    for stamped in told.events:
        transcript.apply(stamped)
        if isinstance(stamped.event, TextDelta):
            seen = transcript.blocks[1:]
    assert transcript.blocks[1:3] == seen
    assert all(block.settled for block in transcript.blocks)


def test_an_interrupted_answer_and_an_unknown_outcome_say_so() -> None:
    told = Told()
    told.asks("go")
    (call,) = told.answers("half", ("bash", {"command": "x"}))
    told.finishes(call, "bash", "The outcome is not known.", ok=False, status="unknown")
    told.answers("and the", status="interrupted")
    text = "\n".join(shown(loaded(told)))
    assert "outcome unknown" in text
    assert "cut off" in text


def test_a_call_without_a_result_is_of_unknown_outcome_when_loaded() -> None:
    told = Told()
    told.asks("go")
    told.answers(("bash", {"command": "sleep 9"}))
    assert "outcome unknown" in "\n".join(shown(loaded(told)))


def test_what_streamed_and_was_never_stored_goes_with_the_turn() -> None:
    told = Told()
    told.asks("go")
    told.emit(TextDelta(text="lost words"))
    told.ends()
    transcript = watched(told)
    assert "lost words" not in "\n".join(shown(transcript))


def test_a_notice_stands_before_what_still_streams() -> None:
    told = Told()
    told.asks("go")
    told.emit(TextDelta(text="growing"))
    told.emit(Notice(text="a provider is slow", level="warning"))
    told.emit(TextDelta(text=" still"))
    assert [block.kind for block in watched(told).blocks] == ["user", "notice", "assistant"]
    assert watched(told).blocks[-1].plain() == "growing still"


def test_an_entry_that_is_told_twice_is_shown_once() -> None:
    told = Told()
    told.asks("go")
    told.events += told.events
    assert len(watched(told).blocks) == 1


def test_a_running_call_is_running_until_its_result() -> None:
    told = Told()
    told.asks("go")
    (call,) = told.answers(("bash", {"command": "x"}))
    transcript = watched(told)
    told.emit(ToolStarted(id=call, name="bash", arguments={}))
    transcript.apply(told.events[-1])
    assert transcript.live
    told.finishes(call, "bash", "done")
    for stamped in told.events[-2:]:
        transcript.apply(stamped)
    assert not transcript.live


def test_thinking_that_a_provider_keeps_private_is_named_without_a_text() -> None:
    transcript = Transcript()
    said = entry(Kind.ASSISTANT, "hi", parts=(ThinkingBlock(redacted="xyz"), TextBlock(text="hi")))
    transcript.load([said])
    assert "xyz" not in "\n".join(shown(transcript))
    assert [block.kind for block in transcript.blocks] == ["thinking", "assistant"]


def test_the_receipt_counts_what_the_turn_used_and_opens_to_the_route() -> None:
    told = long_session()
    receipts = [block for block in loaded(told).blocks if block.kind == "receipt"]
    assert len(receipts) == 2
    (folded,) = [line.text for line in receipts[0].render(120, LOOK)]
    assert "vendor/model" in folded
    assert "15.0k cached" in folded
    assert "$0.0421" in folded
    assert "4 tool calls" in folded
    receipts[0].toggle()
    opened = "\n".join(line.text for line in receipts[0].render(120, LOOK))
    assert "429 slow down" in opened
    assert "healthy; cheapest" in opened


def test_a_steering_message_does_not_end_the_turn() -> None:
    kinds = [block.kind for block in loaded(long_session()).blocks]
    steered = len(kinds) - 1 - kinds[::-1].index("user")
    assert "receipt" not in kinds[steered - 3 : steered]


def test_foreign_control_characters_never_reach_a_row() -> None:
    told = Told()
    nasty = "a\x1b]0;title\x07\x9b2J\u202eb\u200b\r\n"
    told.asks(nasty)
    (call, question) = told.answers(
        nasty, (nasty, {"command": nasty}), ("ask_question", {"question": nasty, "options": [nasty]}), thinking=nasty
    )
    told.runs(
        call,
        "bash",
        nasty * 3,
        ok=False,
        output=[nasty],
        diff=f"--- a/x\n+++ b/{nasty}\n@@ -1 +1 @@\n-{nasty}\n+{nasty}\n",
    )
    told.runs(question, "ask_question", nasty)
    told.store(Kind.NOTIFICATION, nasty, tag="x\x1b[0m")
    told.store(Kind.COMPACTION, nasty)
    told.emit(Notice(text=nasty))
    for transcript in (watched(told), loaded(told)):
        text = "".join(shown(transcript)) + "".join(block.plain() for block in transcript.blocks)
        assert not set(text) & set("\x1b\x07\x9b\u202e\u200b\r\0")


def test_every_kind_of_event_is_accepted() -> None:
    transcript = Transcript()
    told = Told()
    stored = entry(Kind.USER, "x")
    told.emit(EntryAdded(entry=stored))
    assert transcript.apply(told.events[0])
