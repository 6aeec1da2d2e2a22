"""What is opened to be read, in a real terminal: the next request, and an output that was too long."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.program import Program
from tests.support.terminal import Terminal, kram_argv

SCRIPT = """
version = 1
[[steps]]
calls = [{ name = "bash", args = { command = "seq 1 30000" } }]
[[steps]]
text = "Counted."
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    (made.workspace / "AGENTS.md").write_text("Count in whole numbers.\n")
    return made


def screen(program: Program) -> Terminal:
    argv = kram_argv("--script", str(program.folder / "script.toml"), "--permission-mode", "auto", "--trust")
    return Terminal(argv, cwd=program.workspace, env=program.environment(), columns=100, rows=30)


def test_the_next_request_is_shown_part_by_part(program: Program) -> None:
    with screen(program) as terminal:
        terminal.until("for commands")
        terminal.type("/context prompt\r")
        text = terminal.until("cache boundary")
        assert text.index("base") < text.index("cache boundary") < text.index("project-context")
        terminal.press("esc")
        terminal.until(lambda text: "cache boundary" not in text)


def test_an_output_that_was_too_long_can_be_opened_whole(program: Program) -> None:
    with screen(program) as terminal:
        terminal.until("for commands")
        terminal.type("count\r")
        terminal.until("2 model calls")
        # The conversation takes the keys, and the newest stored output opens.
        terminal.press("tab")
        terminal.until("o whole output")
        terminal.type("o")
        terminal.until(lambda text: "The whole output" in text and "bash · art_" in text)
        terminal.press("up", "enter")
        terminal.until("23698")
        terminal.press("end")
        terminal.until("30000")
