"""The context workbench and the review of a compaction, in a real terminal over a real session of two thousand items."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Kind, entry
from kram.sessions import Store
from tests.support.program import Program
from tests.support.terminal import Terminal, kram_argv

SCRIPT = """
version = 1
end = "repeat"
[[steps]]
when = { no_tools = true }
repeat = 0
text = "Goal: count. Done: much of it."
[[steps]]
text = "Yes."
"""
TURNS = 1000


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    made.run("--version")
    asyncio.run(filled(made))
    return made


async def filled(program: Program) -> None:
    """A session of a thousand turns, as another kram would have left it."""
    data = program.home / "kram" / "data"
    data.mkdir(parents=True, exist_ok=True)
    store = Store.open(data / "kram.db", SystemClock())
    session = store.create(program.workspace, "counting")
    for number in range(TURNS):
        store.append(
            session.id,
            entry(Kind.USER, f"What comes after {number}? " + "please " * 20),
            entry(Kind.ASSISTANT, f"It is {number + 1}. " + "indeed " * 20, model="script/script"),
        )
    store.close()


def screen(program: Program, columns: int = 120, rows: int = 40) -> Terminal:
    argv = kram_argv("--script", str(program.folder / "script.toml"), "-c")
    return Terminal(argv, cwd=program.workspace, env=program.environment(), columns=columns, rows=rows)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_an_item_is_found_dropped_and_restored(program: Program, size: tuple[int, int]) -> None:
    with screen(program, *size) as terminal:
        terminal.until("It is 1000.")
        terminal.press("f2")
        terminal.until(lambda text: "shaped from" in text and "What comes after 0?" in text)
        terminal.type("after 777")
        terminal.until(lambda text: "What comes after 777?" in text and "after 0?" not in text)
        terminal.until("are then read")
        terminal.press("ctrl+d")
        terminal.until("✕")
        terminal.until("Restoring adds")
        terminal.press("ctrl+r")
        terminal.until(lambda text: "✕" not in text and "Dropping frees" in text)
        terminal.press("enter")
        terminal.until("In the window")
        terminal.press("esc")
        terminal.until("^d drop")
        terminal.press("esc")
        terminal.until(lambda text: "^d drop" not in text)


def test_a_compaction_is_reviewed_edited_accepted_and_taken_back(program: Program) -> None:
    with screen(program) as terminal:
        terminal.until("It is 1000.")
        terminal.type("/compact\r")
        terminal.until(lambda text: "◆ kept" in text and "Goal: count." in text)
        terminal.press("esc")
        terminal.until("Nothing was changed.")
        terminal.type("/compact\r")
        terminal.until(lambda text: "◆ kept" in text and "Goal: count." in text)
        terminal.type("By hand. ")
        terminal.until("By hand. Goal")
        terminal.press("ctrl+s")
        terminal.until("/uncompact takes it back")
        terminal.type("/context prompt\r")
        terminal.until("cache boundary")
        terminal.press("esc")
        terminal.until(lambda text: "cache boundary" not in text)
        terminal.type("/uncompact\r")
        terminal.until("The last compaction is taken back")
    with_summary = program.run("sessions", "list")
    assert "counting" in with_summary.out
