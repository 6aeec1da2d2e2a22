"""The interface in a real terminal: a whole scripted turn, interruption, resume, at two sizes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.program import Program
from tests.support.terminal import Terminal, kram_argv

SIZES = [(120, 40), (80, 24)]

TURN = """
version = 1
model = "played"

[[steps]]
text = "I read it first."
calls = [{ name = "read_file", args = { path = "sum.py" } }]

[[steps]]
text = "One sign is wrong."
calls = [{ name = "edit_file", args = { path = "sum.py", old_string = "a - b", new_string = "a + b" } }]

[[steps]]
text = "Now I run it."
calls = [{ name = "bash", args = { command = "python3 sum.py" } }]

[[steps]]
expect = { last_result = "five 5" }
calls = [{ name = "ask_question", args = { question = "Keep the fix?", options = ["Yes, keep it", "No"] } }]

[[steps]]
expect = { last_result = "keep it" }
text = "Kept. **All done.**"
"""

LONG = """
version = 1
model = "played"

[[steps]]
text = "This takes a while."
calls = [{ name = "bash", args = { command = "sh -c 'sleep 600 & sleep 601'" } }]

[[steps]]
text = "Back again."
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    (made.workspace / "sum.py").write_text('def add(a, b):\n    return a - b\n\n\nprint("five", add(2, 3))\n')
    return (yield made)


def script(program: Program, text: str) -> str:
    path = program.folder / "script.toml"
    path.write_text(text)
    return str(path)


def screen(program: Program, size: tuple[int, int], *args: str) -> Terminal:
    return Terminal(
        kram_argv(*args),
        cwd=program.workspace,
        env=program.environment(),
        columns=size[0],
        rows=size[1],
    )


def sleepers() -> set[str]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if "sleep 60" in command:
                found.add(entry.name)
    return found


def until_ready(terminal: Terminal) -> None:
    terminal.until(lambda text: "played" in text or "script" in text)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_turn_with_reading_an_edit_a_run_and_a_question_and_its_resume(
    program: Program, size: tuple[int, int]
) -> None:
    path = script(program, TURN)
    with screen(program, size, "--script", path) as terminal:
        until_ready(terminal)
        terminal.type("fix the sum")
        terminal.press("enter")
        terminal.until("edit_file — may this run?")
        shown = terminal.until("y once")
        assert "a + b" in shown
        allow(terminal, "bash — may this run?")
        allow(terminal, "Keep the fix?")
        terminal.press("1")
        terminal.until("All done.")
        assert "return a + b" in (program.workspace / "sum.py").read_text()
        # Keys that came when the dialog was already gone stand in the prompt.
        terminal.press("ctrl+u")
        terminal.until("ask, / for commands")
        terminal.press("ctrl+d")
        assert terminal.ended() == 0
    with screen(program, size, "--script", path, "--continue") as terminal:
        shown = terminal.until("All done.")
        terminal.press("pgup", "pgup", "pgup", "pgup")
        shown += terminal.until("fix the sum")
        terminal.press("ctrl+d")
        assert terminal.ended() == 0
    for piece in ("bash", "edit_file", "a + b", "Keep the fix?"):
        assert piece in shown


def allow(terminal: Terminal, following: str) -> None:
    """Presses y until the dialog takes it: keys right after its appearance do not count."""

    def pressed(text: str) -> bool:
        if following in text:
            return True
        if "y once" in text:
            terminal.press("y")
        return False

    terminal.until(pressed)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_esc_ends_a_long_command_with_its_whole_tree(program: Program, size: tuple[int, int]) -> None:
    before = sleepers()
    with screen(program, size, "--script", script(program, LONG), "--permission-mode", "auto") as terminal:
        until_ready(terminal)
        terminal.type("wait")
        terminal.press("enter")
        terminal.until(lambda text: len(sleepers() - before) >= 2)
        terminal.press("esc")
        terminal.until("stopped")
        terminal.until(lambda text: not sleepers() - before)
        terminal.type("go on")
        terminal.press("enter")
        terminal.until("Back again.")


def test_typing_before_the_interface_stands_is_kept(program: Program) -> None:
    path = script(program, 'version = 1\n[[steps]]\nexpect = { last_user = "early bird" }\ntext = "Caught the worm."\n')
    with screen(program, (100, 30), "--script", path) as terminal:
        terminal.type("early bird")
        terminal.press("enter")
        terminal.until("Caught the worm.")


def test_a_paste_is_sent_exactly_and_never_by_itself(program: Program) -> None:
    path = script(program, 'version = 1\n[[steps]]\nexpect = { last_user = "line 399 äöü" }\ntext = "Got all."\n')
    with screen(program, (100, 30), "--script", path) as terminal:
        until_ready(terminal)
        terminal.paste("".join(f"line {number} äöü\n" for number in range(400)))
        shown = terminal.until("[paste #1: 401 lines]")
        assert "Got all." not in shown
        terminal.press("enter")
        terminal.until("Got all.")


@pytest.mark.parametrize("leave", ["quit", "terminated"])
def test_the_terminal_is_as_it_was_after_every_end(program: Program, leave: str) -> None:
    path = script(program, 'version = 1\n[[steps]]\ntext = "x"\n')
    around = ["sh", "-c", 'stty -g >before; "$@"; stty -g >after; echo over', "sh", *kram_argv("--script", path)]
    with Terminal(around, cwd=program.workspace, env=program.environment()) as terminal:
        until_ready(terminal)
        if leave == "quit":
            terminal.press("ctrl+d")
        else:
            (child,) = children_of(terminal.process.pid)
            os.kill(child, signal.SIGTERM)
        terminal.until("over")
        assert terminal.ended() == 0
    assert (program.workspace / "before").read_text() == (program.workspace / "after").read_text()
    sent = terminal.raw.decode("utf-8", "replace")
    for switched_on, switched_off in (
        ("\x1b[?1049h", "\x1b[?1049l"),
        ("\x1b[?25l", "\x1b[?25h"),
        ("\x1b[?2004h", "\x1b[?2004l"),
    ):
        assert sent.rfind(switched_off) > sent.rfind(switched_on)


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_steering_joins_the_running_turn_and_queued_words_follow_it(program: Program) -> None:
    path = script(
        program,
        """
        version = 1
        [[steps]]
        text = "Working."
        calls = [{ name = "bash", args = { command = "sh wait.sh" } }]
        [[steps]]
        expect = { last_user = "and the colour" }
        text = "Heard the colour."
        [[steps]]
        expect = { last_user = "after that" }
        text = "Heard the rest."
        """,
    )
    (program.workspace / "wait.sh").write_text("while [ ! -e go ]; do sleep 0.1; done\n")
    with screen(program, (100, 30), "--script", path, "--permission-mode", "auto") as terminal:
        until_ready(terminal)
        terminal.type("start")
        terminal.press("enter")
        terminal.until("bash")
        terminal.type("and the colour")
        terminal.press("enter")
        terminal.until("joins next")
        terminal.type("after that")
        terminal.press("alt+enter")
        terminal.until("after the turn")
        (program.workspace / "go").touch()
        terminal.until("Heard the colour.")
        terminal.until("Heard the rest.")


def test_a_key_pressed_twice_answers_a_dialog_once(program: Program) -> None:
    path = script(program, TURN)
    with screen(program, (100, 30), "--script", path) as terminal:
        until_ready(terminal)
        terminal.type("fix the sum")
        terminal.press("enter")
        terminal.until("edit_file — may this run?")
        terminal.until("y once")
        terminal.until(lambda text: "bash — may this run?" in text or bool(terminal.type("yyyy")))


def test_a_lost_terminal_ends_the_program_also_with_a_dialog_open(program: Program) -> None:
    terminal = screen(program, (80, 24), "--script", script(program, TURN))
    until_ready(terminal)
    terminal.type("fix the sum")
    terminal.press("enter")
    terminal.until("edit_file — may this run?")
    os.close(terminal.process.fd)
    assert os.waitpid(terminal.process.pid, 0)[0] == terminal.process.pid
    with screen(program, (80, 24), "--script", script(program, TURN), "--continue") as again:
        again.until("edit_file")
