"""Kept outputs, exports, imports and new sessions in a real terminal: the screen shows the session that is open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.program import Program
from tests.support.terminal import Terminal, kram_argv

SCRIPT = """
version = 1
[[steps]]
calls = [{ name = "bash", args = { command = "seq 1 40000" } }]
[[steps]]
text = "Counted to the end."
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    (tmp_path / "script.toml").write_text(SCRIPT)
    record = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "cwd": "/far"}
    said = {"message": {"role": "user", "content": "a question asked elsewhere"}}
    (made.workspace / "other.jsonl").write_text(json.dumps(record | said))
    return made


def test_an_output_is_opened_the_session_exported_left_and_another_imported(program: Program) -> None:
    argv = kram_argv("--script", str(program.folder / "script.toml"), "--permission-mode", "auto")
    with Terminal(argv, cwd=program.workspace, env=program.environment()) as terminal:
        terminal.until("K R A M")
        terminal.type("count\r")
        terminal.until("Counted to the end.")
        terminal.type("/artifacts\r")
        terminal.until(lambda text: "Kept outputs" in text and "228,894 bytes" in text)
        terminal.press("enter")
        terminal.until("The whole output")
        terminal.press("esc")
        terminal.until(lambda text: "The whole output" not in text)
        terminal.type("/export page.html\r")
        terminal.until("Written to")
        assert "Counted to the end." in (program.workspace / "page.html").read_text()
        terminal.type("/new\r")
        terminal.until(lambda text: "Counted to the end." not in text)
        terminal.type("/import other.jsonl\r")
        terminal.until("a question asked elsewhere")
        terminal.until("Imported 1 entry (Claude Code)")
