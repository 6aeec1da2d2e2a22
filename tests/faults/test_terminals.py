"""Signals and terminals that do not do what one hopes: lost, stopped, resized, tiny, dumb, closed, stuck, flooded."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.processes import alive
from tests.support.program import Program
from tests.support.terminal import Terminal, clean_env, kram_argv

BUSY = """
version = 1
[[steps]]
text = "This takes a while."
calls = [{ name = "bash", args = { command = "echo $$ > shell.pid; sleep 700 & sleep 700" } }]
[[steps]]
text = "Back again."
"""
CALM = """
version = 1
end = "repeat"
[[steps]]
text = "Here I am."
"""
ASKING = """
version = 1
[[steps]]
calls = [{ name = "bash", args = { command = "touch done.txt" } }]
[[steps]]
text = "Over."
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def scripted(program: Program, text: str) -> str:
    path = program.folder / "script.toml"
    path.write_text(text)
    return str(path)


def screen(program: Program, text: str, *args: str, columns: int = 100, rows: int = 30) -> Terminal:
    argv = kram_argv("--script", scripted(program, text), *args)
    return Terminal(argv, cwd=program.workspace, env=program.environment(), columns=columns, rows=rows)


def working(program: Program, terminal: Terminal) -> int:
    """Starts the long command and gives its shell's process id."""
    terminal.until("for commands")
    terminal.type("go\r")
    pid_file = program.workspace / "shell.pid"
    terminal.until(lambda text: pid_file.exists() and bool(pid_file.read_text().strip()))
    return int(pid_file.read_text())


def assert_resumes(program: Program) -> None:
    """The session is there, its call has a result, and the prompt works."""
    with screen(program, CALM, "--continue") as again:
        again.until("This takes a while.")
        again.type("and now\r")
        again.until("Here I am.")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["x02-sigterm", "x01-sighup"]
)
def test_a_signal_ends_the_turn_its_children_and_the_program(program: Program, number: int, code: int) -> None:
    with screen(program, BUSY, "--permission-mode", "auto") as terminal:
        shell = working(program, terminal)
        os.kill(terminal.process.pid, number)
        assert terminal.ended() == code
    assert not alive(shell)
    assert_resumes(program)


def test_x01_a_terminal_that_is_gone_ends_everything(program: Program) -> None:
    terminal = screen(program, BUSY, "--permission-mode", "auto")
    shell = working(program, terminal)
    # The number stays taken, or the next terminal would get it while this one is still held.
    os.dup2(os.open(os.devnull, os.O_RDWR), terminal.process.fd)
    _, status = os.waitpid(terminal.process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 129
    assert not alive(shell)
    assert_resumes(program)


@pytest.mark.parametrize("times", [1, 2], ids=["x02-once", "x02-twice"])
def test_an_interrupt_ends_a_headless_run_with_130(program: Program, times: int) -> None:
    running = program.start("-p", "go", "--script", scripted(program, BUSY), "--permission-mode", "auto")
    pid_file = program.workspace / "shell.pid"
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert running.poll() is None
        select.select([], [], [], 0.05)
    for _ in range(times):
        running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "Traceback" not in err
    assert not alive(int(pid_file.read_text()))


def test_x03_stopped_and_continued_the_screen_comes_back(program: Program) -> None:
    with screen(program, CALM) as terminal:
        terminal.until("for commands")
        os.kill(terminal.process.pid, signal.SIGSTOP)
        select.select([], [], [], 0.3)
        terminal.type("while you slept\r")
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.until("Here I am.")
        assert "while you slept" in terminal.text()


def test_x04_a_storm_of_sizes_ends_at_the_last_one(program: Program) -> None:
    dice = random.Random(4)
    with screen(program, CALM) as terminal:
        terminal.until("for commands")
        terminal.type("hello\r")
        terminal.until("Here I am.")
        for _ in range(300):
            terminal.process.setwinsize(dice.randrange(1, 200), dice.randrange(1, 500))
            terminal._read(0)
        terminal.resize(90, 25)
        terminal.type("still there?\r")
        terminal.until(lambda text: text.count("Here I am.") == 2 and "still there?" in text)


@pytest.mark.parametrize("size", [(20, 5), (10, 2), (1, 1)], ids=["x05-20x5", "x05-10x2", "x05-1x1"])
def test_a_tiny_terminal_never_answers_blindly(program: Program, size: tuple[int, int]) -> None:
    with screen(program, ASKING, columns=size[0], rows=size[1]) as terminal:
        # What is typed before the terminal is raw has line feeds for Enter; there is no room here to see when it is.
        select.select([], [], [], 5.0)
        terminal.type("go\r")
        # The call waits for a person; a key that could not be meant for a dialog nobody can read does not run it.
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            terminal._read(0.2)
            terminal.type("y")
        # Keys that are still on their way count for what stands there when they arrive.
        select.select([], [], [], 2.0)
        assert not (program.workspace / "done.txt").exists()
        terminal.resize(100, 30)
        terminal.until("may this run?")
        terminal.until(lambda text: "Over." in text or bool(terminal.type("y")))
        assert (program.workspace / "done.txt").exists()


@pytest.mark.parametrize(
    "change",
    [{"TERM": "dumb"}, {"TERM": ""}, {"TERM": "no-such-terminal"}, {"NO_COLOR": "1"}, {"LANG": "C", "LC_ALL": "C"}],
    ids=["x06-dumb", "x06-unset", "x06-unknown", "x06-no-color", "x06-lang-c"],
)
def test_any_environment_answers_or_says_why_not(program: Program, change: dict[str, str]) -> None:
    program.env.update(change)
    done = program.run("-p", "hi", "--script", scripted(program, CALM))
    assert (done.code, done.out.strip()) == (0, "Here I am."), done.err
    shown = program.run("--script", scripted(program, CALM))
    assert shown.code == 2
    assert "terminal" in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"], ids=lambda one: f"x06-{one}")
def test_closed_streams_are_no_reason_for_a_traceback(program: Program, closed: str) -> None:
    redirect = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-"}[closed]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirect}', "sh", *kram_argv("-p", "hi", "--script", scripted(program, CALM))],
        cwd=program.workspace,
        env=clean_env(program.home),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    if closed != "stdout":
        assert done.stdout.strip() == "Here I am."


def test_x06_a_reader_that_went_away_ends_it_quietly(program: Program) -> None:
    argv = kram_argv("-p", "hi", "--script", scripted(program, CALM), "--output-format", "stream-json")
    done = subprocess.run(
        ["sh", "-c", '"$@" | true', "sh", *argv],
        cwd=program.workspace,
        env=clean_env(program.home),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_x07_a_terminal_nobody_reads_can_be_left_by_a_signal(program: Program) -> None:
    flood = CALM.replace('text = "Here I am."', 'text = """' + "word " * 20_000 + '"""')
    terminal = screen(program, flood)
    terminal.until("for commands")
    terminal.type("talk\r")
    # Nothing is read any more: the pty's buffer fills and writes block.
    select.select([], [], [], 2.0)
    os.kill(terminal.process.pid, signal.SIGTERM)
    deadline = time.monotonic() + 15
    while terminal.process.isalive() and time.monotonic() < deadline:
        select.select([], [], [], 0.05)
    assert not terminal.process.isalive()


def test_x08_a_huge_paste_with_escapes_and_newlines_stays_text(program: Program) -> None:
    with screen(program, ASKING) as terminal:
        terminal.until("for commands")
        terminal.paste("y\x1b[31m\rline\n" * 20_000)
        text = terminal.until("[paste #1", deadline_s=60)
        assert "may this run?" not in text
        assert not (program.workspace / "done.txt").exists()


def test_x08_a_paste_answers_no_dialog(program: Program) -> None:
    with screen(program, ASKING) as terminal:
        terminal.until("for commands")
        terminal.type("go\r")
        terminal.until("may this run?")
        select.select([], [], [], 0.6)
        terminal.paste("y\nyes\n")
        select.select([], [], [], 0.5)
        assert "may this run?" in terminal.text()
        assert not (program.workspace / "done.txt").exists()


def test_x09_a_failure_of_the_interface_is_told_logged_and_loses_nothing(program: Program) -> None:
    program.env["KRAM_FAULTPOINT"] = "screen:edited:7"
    program.env["ANTHROPIC_API_KEY"] = "sk-ant-api03-canary-canary-canary-canary"
    with screen(program, CALM) as terminal:
        terminal.until("for commands")
        terminal.type("hello\r")
        terminal.until("Here I am.")
        terminal.type("more")
        assert terminal.ended() == 70
        shown = terminal.text()
    assert "InjectedFault" in shown
    assert "kram --resume" in shown
    assert "Traceback" not in shown
    report = (program.home / "kram" / "state" / "log" / "kram.log").read_text()
    assert "the interface failed" in report
    assert "canary" not in report + shown
    del program.env["KRAM_FAULTPOINT"]
    with screen(program, CALM, "--continue") as again:
        again.until("hello")
        again.type("again\r")
        again.until("Here I am.")


def test_x09_a_failure_inside_a_tool_is_a_result_and_the_turn_goes_on(program: Program) -> None:
    program.env["KRAM_FAULTPOINT"] = "tool:before:1"
    done = program.run(
        "-p", "go", "--script", scripted(program, ASKING), "--permission-mode", "auto", "--output-format", "json"
    )
    assert done.code == 0, done.err
    assert done.object()["text"] == "Over."
    assert [call["ok"] for call in done.object()["tool_calls"]] == [False]
