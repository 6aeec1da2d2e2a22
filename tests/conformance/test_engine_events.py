"""Events as another conversation engine names them, its output manager and its buffer: behaviour by item (B5, B28 to B30)."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from kram.events import CoreView, OutputManager, TextBuffer
from tests.support.opened import opened

TWO_CALLS = """
[[steps]]
text = "I look."
calls = [{ name = "read_file", args = { path = "long.txt" } }, { name = "list_dir", args = { path = "." } }]
[[steps]]
thinking = "Clear."
text = "Done."
usage = { input = 100, output = 5 }
"""


async def told(folder: Path, script: str, *, stop_at: str = "") -> list[tuple[str, dict[str, Any]]]:
    """A turn's events under the other names."""
    (folder / "ws").mkdir()
    (folder / "ws" / "long.txt").write_text("thirty characters in one line\n" * 100)
    async with opened(folder, script, permission_mode="auto") as (runtime, _):
        view, found = CoreView(), []

        def hear(stamped: Any) -> None:
            for name, payload in view.of(stamped.event):
                found.append((name, payload))
                if name == stop_at:
                    runtime.interrupt()

        runtime.subscribe(hear)
        await runtime.send("look at both")
    return found


def named(found: list[tuple[str, dict[str, Any]]], name: str) -> list[dict[str, Any]]:
    return [payload for one, payload in found if one == name]


async def test_b5_two_calls_have_their_place(tmp_path: Path) -> None:
    found = await told(tmp_path, TWO_CALLS)
    assert [one["tool_index"] for one in named(found, "tool_start")] == [0, 1]
    assert [one["tool_name"] for one in named(found, "tool_start")] == ["read_file", "list_dir"]


async def test_b5_a_long_result_is_cut_in_the_event_only(tmp_path: Path) -> None:
    found = await told(tmp_path, TWO_CALLS)
    first = named(found, "tool_end")[0]
    assert first["result_truncated"]
    assert first["result_length"] >= 3000
    assert len(first["result"]) == 2000


async def test_b5_a_call_without_a_result_ends_as_failed(tmp_path: Path) -> None:
    script = TWO_CALLS.replace(
        '{ name = "list_dir", args = { path = "." } }', '{ name = "bash", args = { command = "sleep 60" } }'
    )
    found = await told(tmp_path, script, stop_at="tool_start")
    ends = {one["tool_call_id"]: one["status"] for one in named(found, "tool_end")}
    assert set(ends) == {one["tool_call_id"] for one in named(found, "tool_start")}
    assert "failed" in ends.values()


async def test_b5_a_query_starts_streams_measures_and_completes(tmp_path: Path) -> None:
    found = await told(tmp_path, TWO_CALLS)
    names = [name for name, _ in found]
    assert names[0] == "query_started"
    assert names[-1] == "query_completed"
    kinds = {one["content_type"] for one in named(found, "stream_chunk")}
    assert kinds == {"text", "reasoning"}
    done = named(found, "query_completed")[0]
    assert (done["query"], done["response"], done["tokens"]) == ("look at both", "Done.", 105)
    assert named(found, "metrics_update")[-1]["iteration"] == 1


async def test_b5_a_failure_is_an_error_and_no_completion(tmp_path: Path) -> None:
    found = await told(tmp_path, '[[steps]]\nfault = { kind = "auth" }\n')
    assert named(found, "error")
    assert not named(found, "query_completed")


def test_b28_an_empty_piece_is_no_event() -> None:
    output = OutputManager()
    output.content("")
    output.reasoning("")
    assert output.next() is None


def test_b29_what_finds_the_queue_full_is_dropped() -> None:
    output = OutputManager()
    for number in range(257):
        output.content(f"{number} ")
    assert output.waiting() == 256
    assert str(output.text).endswith("256 "), "the buffer has all of it"


def test_b29_an_events_own_key_wins_and_the_callers_dict_is_left_alone() -> None:
    metadata = {"chunk": "global", "session": "s1"}
    output = OutputManager(metadata=metadata)
    output.content("own")
    name, payload = output.next() or ("", {})
    assert (name, payload["chunk"], payload["session"]) == ("stream_chunk", "own", "s1")
    assert payload["timestamp"]
    assert metadata == {"chunk": "global", "session": "s1"}


def test_b29_content_is_told_as_chunk_and_message_reasoning_as_chunk_alone() -> None:
    published: list[str] = []
    output = OutputManager(publish=lambda name, payload: published.append(name))
    output.content("a")
    output.reasoning("b")
    output.error("c")
    assert published == ["stream_chunk", "agent_message", "stream_chunk", "error"]


def test_b29_after_close_everything_is_ignored_and_reset_empties() -> None:
    flushed: list[int] = []
    output = OutputManager(flush=lambda: flushed.append(1))
    output.content("a")
    output.reset()
    assert (output.waiting(), str(output.text), len(flushed)) == (0, "", 1)
    output.close()
    output.close()
    output.content("b")
    output.message("note", "c")
    assert (output.waiting(), str(output.text), len(flushed)) == (0, "", 1)


def test_b30_threads_lose_nothing() -> None:
    buffer = TextBuffer()

    def write() -> None:
        for _ in range(2000):
            buffer.append("äb")

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(buffer) == 4 * 2000 * 2
    buffer.reset()
    assert str(buffer) == ""
