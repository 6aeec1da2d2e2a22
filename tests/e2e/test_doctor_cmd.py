"""`kram doctor` as a script or a person sees it, and the repair of a terminal that was left raw."""

from __future__ import annotations

import subprocess
import termios
import tty
from pathlib import Path

from tests.support.page_server import in_thread
from tests.support.program import Program
from tests.support.terminal import Terminal, clean_env, kram_argv
from tests.support.vendor import answered


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


def test_a_probe_prints_what_it_finds_and_configuration_shows_where_it_came_from(tmp_path: Path) -> None:
    pages = {
        "/v1/models": {"data": [{"id": "m", "max_model_len": 9_000}]},
        "/v1/chat/completions": answered("openai-chat", "one, two, red")[0],
    }
    with in_thread(pages) as server:
        kram = Program(tmp_path)
        kram.serve("openai-chat", f"{server.url}/v1")
        done = kram.run("doctor", "probe", "srv/m")
        assert done.code == 0, done.err
        assert "✓ images" in done.out
        assert "9,000 tokens, as it tells" in done.out
        shown = kram.run("config", "show").out
        rows = {line.split()[0]: line for line in shown.splitlines()}
        assert "probed" in rows["providers.srv.models.m.images"]
        assert "probed" not in rows["providers.srv.models.m.context_window"]
        lines = kram.run("doctor", "--probe", "srv/m", "--json").lines()
        assert lines[0]["name"] == "answer"
        assert lines[-1]["facts"]["images"] is True
        assert kram.run("doctor", "probe", "srv/m", "--forget").code == 0
        assert "probed" not in kram.run("config", "show").out
    assert kram.run("doctor", "probe", "srv/m").code == 1
    assert kram.run("doctor", "probe", "nonsense").code == 2
