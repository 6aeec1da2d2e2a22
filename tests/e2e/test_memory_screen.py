"""Memory and session search in a real terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Kind, entry
from kram.sessions import Store
from tests.support.program import Program
from tests.support.terminal import Terminal, kram_argv


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    (tmp_path / "script.toml").write_text('version = 1\nend = "repeat"\n[[steps]]\ntext = "Yes."\n')
    with Store.open(made.home / "kram" / "data" / "kram.db", SystemClock()) as store:
        for title, word in (("First", "an albatross"), ("Second", "a bittern")):
            session = store.create(made.workspace.resolve(), title)
            store.append(
                session.id, entry(Kind.USER, f"I saw {word} there"), entry(Kind.ASSISTANT, f"The {title} answer")
            )
    return made


def screen(program: Program) -> Terminal:
    argv = kram_argv("--script", str(program.folder / "script.toml"))
    return Terminal(argv, cwd=program.workspace, env=program.environment())


def facts(program: Program) -> list[tuple[str, str, bool]]:
    with Store.open(program.home / "kram" / "data" / "kram.db", SystemClock()) as store:
        return [(one.content, one.scope, one.pinned) for one in store.facts(program.workspace.resolve())]


def test_a_fact_is_kept_pinned_moved_changed_and_removed(program: Program) -> None:
    with screen(program) as terminal:
        terminal.until("K R A M")
        terminal.type("# the port is 8123\r")
        terminal.until("Remembered: #m1 [project] the port is 8123")
        terminal.type("## key sk-ant-api03-" + "Ab1" * 20 + "\r")
        terminal.until("holds a secret")
        terminal.type("/memory\r")
        terminal.until("What is remembered")
        terminal.press("down", "ctrl+p")
        terminal.until("▲ the port is 8123")
        terminal.press("ctrl+g")
        terminal.until("#m1 global")
        terminal.press("enter")
        terminal.until("Change #m1")
        terminal.type(" now\r")
        terminal.until("the port is 8123 now")
        terminal.until("What is remembered")
        assert facts(program) == [("the port is 8123 now", "global", True)]
        terminal.press("down", "ctrl+x")
        terminal.until("Press ^x again")
        terminal.press("ctrl+x")
        terminal.until(lambda text: "#m1 global" not in text)
        terminal.press("esc")
    assert facts(program) == []


def test_the_list_of_sessions_looks_inside_them_while_one_types(program: Program) -> None:
    with screen(program) as terminal:
        terminal.until("K R A M")
        terminal.type("/resume\r")
        terminal.until("Sessions of this project")
        terminal.type("bitt")
        terminal.until(lambda text: "» Second" in text and "a bittern there" in text)
        terminal.press("enter")
        terminal.until("The Second answer")
