"""`kram doctor` as a script or a person sees it, and the repair of a terminal that was left raw."""

from __future__ import annotations

import subprocess
import termios
import tty
from pathlib import Path

from tests.support.page_server import in_thread
from tests.support.program import Program
from tests.support.terminal import Terminal, clean_env, kram_argv


def test_in_order_or_not_shows_in_the_exit_code(tmp_path: Path) -> None:
    with in_thread({"/v1/models": {"data": [{"id": "m"}]}}) as server:
        kram = Program(tmp_path, env={"TERM": "xterm-256color"})
        kram.serve("openai-chat", f"{server.url}/v1")
        done = kram.run("doctor")
        assert done.code == 0, done.out
        assert "✓ srv: answers in" in done.out
        assert "\x1b" not in done.out
        kram.configure("themee = 1")
        done = kram.run("doctor", "--json")
    assert done.code == 1
    told = done.object()
    assert told["state"] == "problem"
    assert "themee" in told["findings"][0]["text"]
    assert {"family", "name", "state", "text", "todo"} <= set(told["findings"][0])


def test_a_terminal_that_was_left_raw_is_repaired(tmp_path: Path) -> None:
    """What a killed program leaves: raw mode, the other screen, no cursor, mouse reports, paste marks."""
    (tmp_path / "home").mkdir()
    argv = " ".join(kram_argv("doctor", "--reset-terminal"))
    with Terminal(["/bin/sh"], cwd=tmp_path, env=clean_env(tmp_path / "home")) as terminal:
        terminal.until("$" if "$" in terminal.text() else lambda screen: bool(screen.strip()))
        before = termios.tcgetattr(terminal.process.fd)
        terminal.type("printf '\\033[?1049h\\033[?25l\\033[?1003h\\033[?2004hgone'\r")
        terminal.until("gone")
        tty.setraw(terminal.process.fd)
        terminal.type(f"{argv}\n")
        terminal.until(lambda _: b"the terminal is as it should be" in terminal.raw)
        after = termios.tcgetattr(terminal.process.fd)
        assert after[3] & before[3] & (termios.ICANON | termios.ECHO | termios.ISIG) == before[3] & (
            termios.ICANON | termios.ECHO | termios.ISIG
        )
        assert after[0] & termios.ICRNL
        assert after[1] & termios.OPOST
        tail = bytes(terminal.raw).rpartition(b"gone")[2]
        for sequence in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1003l", b"\x1b[?2004l"):
            assert sequence in tail


def test_without_a_terminal_there_is_nothing_to_repair(tmp_path: Path) -> None:
    kram = Program(tmp_path)
    argv = kram_argv("doctor", "--reset-terminal")
    done = subprocess.run(
        argv, env=kram.environment(), cwd=tmp_path, start_new_session=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "no terminal" in done.stderr) == (2, True)
