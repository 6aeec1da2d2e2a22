"""Keys in an approval: what counts as an answer and what does not."""

from __future__ import annotations

from textual.app import App

from kram.events import ApprovalAnswer, ApprovalRequest
from kram.tui.dialogs.approval import GUARD_S, ApprovalDialog


class Host(App[None]):
    """Asks once; `answer` is what came of it, `now_s` the clock of the dialog."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 100.0
        self.answer: ApprovalAnswer | None = None

    def on_mount(self) -> None:
        request = ApprovalRequest(tool="bash", arguments={"command": "ls"}, summary="bash: ls", body="ls")
        self.push_screen(ApprovalDialog(request, monotonic=lambda: self.now_s), self._answered)

    def _answered(self, answer: ApprovalAnswer | None) -> None:
        self.answer = answer


async def test_a_key_right_after_its_appearance_is_no_answer() -> None:
    app = Host()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("y")
        assert app.answer is None
        app.now_s += GUARD_S + 0.1
        await pilot.press("y")
        assert app.answer == ApprovalAnswer(decision="once")


async def test_a_y_within_words_that_are_being_typed_is_no_answer() -> None:
    app = Host()
    async with app.run_test(size=(100, 30)) as pilot:
        app.now_s += 10
        await pilot.press("w", "h", "y")
        assert app.answer is None
        app.now_s += GUARD_S + 0.1
        await pilot.press("y")
        assert app.answer is not None


async def test_a_new_size_starts_the_wait_anew() -> None:
    app = Host()
    async with app.run_test(size=(100, 30)) as pilot:
        app.now_s += 10
        await pilot.resize_terminal(20, 5)
        await pilot.resize_terminal(100, 30)
        await pilot.press("y")
        assert app.answer is None


async def test_a_terminal_that_is_too_small_takes_no_yes() -> None:
    app = Host()
    async with app.run_test(size=(20, 5)) as pilot:
        app.now_s += 10
        await pilot.press("y")
        assert app.answer is None
