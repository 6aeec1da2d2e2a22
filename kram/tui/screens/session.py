"""The session screen: events in, keys and commands out. What the person does goes to the runtime, what it says is shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence

from kram.base import KramError, crash_point
from kram.events import Notice, Stamped, TurnStarted
from kram.runtime import MODES, Runtime
from kram.tui.commands import all_commands, run_command
from kram.tui.completion import command_completions, file_completions, mention
from kram.tui.editor import edited
from kram.tui.history import History
from kram.tui.keymap import bindings
from kram.tui.notify import ask_for_attention, set_title
from kram.tui.turns import Turns
from kram.tui.welcome import welcome
from kram.tui.widgets.completions import Completion
from kram.tui.widgets.prompt import Prompt

from .follower import Follower
from .onboarding import Onboarding

QUIT_WITHIN_S = 1.0


class SessionScreen(Onboarding):
    """Everything typed before the session can begin is kept and acted on then."""

    def __init__(self, *, initial_prompt: str, pick_first: bool, closing_panel: str) -> None:
        super().__init__()
        self._runtime: Runtime | None = None
        self._initial = initial_prompt
        self._pick_first = pick_first
        self._closing_panel = closing_panel
        self._unsent: list[Prompt.Submitted] = []
        self._begun = False
        self._notes: list[str] = []
        self._files: list[str] | None = None
        self._last_interrupt = 0.0
        self._shown = ""
        self._offered_for = ""
        self._follower = Follower(self)
        self.history = History(list)
        self._plain_bindings = self._bindings
        self.rebind({})

    @property
    def runtime(self) -> Runtime:
        assert self._runtime is not None, "the runtime is open once the screen was entered"
        return self._runtime

    @property
    def opened(self) -> bool:
        return self._runtime is not None

    def rebind(self, changes: Mapping[str, str]) -> None:
        """The session's keys with the person's changes. Raises `UsageError` for a binding that does not exist."""
        self._bindings = self._plain_bindings.copy()
        for binding in bindings(changes):
            self._bindings.bind(binding.key, binding.action, binding.description, show=False, priority=binding.priority)

    # --- start ------------------------------------------------------------------------------------------------------

    def enter(self, runtime: Runtime) -> None:
        """The runtime is open: show its session, ask what has to be asked, then act on what was typed meanwhile."""
        self._runtime = runtime
        self.history = History(runtime.history)
        self._turns = Turns(runtime, self._work, self._turn_ended)
        runtime.subscribe(self._heard)
        self.show_session()
        runtime.warm()
        if draft := runtime.draft():
            if not self.prompt.text:
                self.prompt.put(draft)
            runtime.save_draft("")
        self._work(self._begin())

    async def _begin(self) -> None:
        await self.first_questions()
        self._notes = await self.startup_notes()
        if self._pick_first:
            await self.pick_session()
        self._begun = True
        self._show_notes()
        if self._initial and not self._pick_first:
            self.say(self._initial)
        for early in self._unsent:
            self.on_prompt_submitted(early)
        self._unsent.clear()

    def _show_notes(self) -> None:
        """In the welcome of an empty session, else at its end."""
        if not self.runtime.entries():
            self.show_session()
            return
        for note in self._notes:
            self.runtime.emit(Notice(text=note, level="warning"))

    def show_session(self) -> None:
        """Draws the open session from the store."""
        self._shown = self.runtime.session.id
        entries = self.runtime.entries()
        self.conversation.load(entries)
        runtime = self.runtime
        if entries:
            self.show_welcome(None)
        else:
            model = " → ".join(map(runtime.label, runtime.combo.candidates)) or runtime.combo.name
            missing = runtime.missing if not runtime.combo.candidates else ()
            self.show_welcome(welcome(str(runtime.workspace.root), model, missing, self._notes))
        self._follower.refresh()
        set_title(self.app, f"kram · {runtime.session.title or runtime.workspace.root.name}")

    def _work(self, work: Awaitable[None]) -> None:
        async def run() -> None:
            try:
                await work
            except KramError as failure:
                self.notice(str(failure), "warning")

        self.run_worker(run(), exit_on_error=True)

    # --- events -----------------------------------------------------------------------------------------------------

    def _heard(self, stamped: Stamped) -> None:
        if not self.is_running:
            return
        self.conversation.apply(stamped)
        if isinstance(stamped.event, TurnStarted):
            self.conversation.follow_end()
        self._follower.hear(stamped.event)

    def notice(self, text: str, level: str = "info") -> None:
        """A line in the conversation."""
        self.show_welcome(None)
        self.runtime.emit(Notice(text=text, level="warning" if level == "warning" else "info"))
        self.conversation.follow_end()

    def _turn_ended(self) -> None:
        ask_for_attention(self.app, "kram is done")
        self._files = None
        if self._closing_panel:
            self.open_panel(self._closing_panel)
            self._closing_panel = ""

    # --- the prompt -------------------------------------------------------------------------------------------------

    def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        text = event.text.strip("\n")
        if not text.strip():
            return
        if not self._begun:
            self._unsent.append(event)
            return
        self.completions.offer([])
        self.history.add(text)
        self.runtime.add_history(text)
        if text.startswith("/") and not text.startswith("//"):
            self._work(self._command(text))
        elif text.startswith("!"):
            self._work(self._shell(text[1:].strip()))
        elif text.startswith("#"):
            self._work(
                self._command(f"/memory add {'global ' if text.startswith('##') else ''}{text.lstrip('#').strip()}")
            )
        else:
            self.say(text, later=event.later)

    def say(self, text: str, *, later: bool = False) -> None:
        self.show_welcome(None)
        self.conversation.follow_end()
        self._turns.say(text, later=later)

    async def _command(self, line: str) -> None:
        answer = await run_command(self, line)
        if self.runtime.session.id != self._shown:
            self.show_session()
        if answer:
            self.notice(answer)

    async def _shell(self, command: str) -> None:
        """`!`: through the same gate as any other call; the result is on record for the model."""
        if command:
            self.show_welcome(None)
            await self.runtime.run_tool("bash", {"command": command})

    async def on_prompt_edited(self, event: Prompt.Edited) -> None:
        crash_point("screen:edited")
        self.query_one("#prompt-box").set_class(self.prompt.text.startswith("!"), "shell")
        if self._runtime is None:
            return
        if event.first_line and event.before.startswith("/"):
            self._offer(command_completions(event.before, all_commands(self.runtime)), event.before)
        elif (typed := mention(event.before)) is not None:
            if self._files is None:
                self._files = []
                self._files = await asyncio.to_thread(self.runtime.files)
            self._offer(await file_completions(typed, self._files), event.before)
        else:
            self._offer([])

    def _offer(self, items: Sequence[Completion], before: str = "") -> None:
        self._offered_for = before
        self.completions.offer(items)
        self.prompt.completing = self.completions.open

    def on_prompt_key(self, event: Prompt.Key) -> None:
        if self.completions.open and event.key in ("up", "down", "tab", "enter"):
            self._completion_key(event.key)
            return
        match event.key:
            case "up":
                self._recall(self.history.older(self.prompt.whole_text()))
            case "down":
                self._recall(self.history.newer())
            case "tab" if self._runtime is not None and self.runtime.busy:
                self.prompt.submit(later=True)
            case "tab" if not self.prompt.text:
                self.conversation.focus()
            case "help":
                self.show_help()
            case "history":
                self._work(self.pick_history())

    def _completion_key(self, key: str) -> None:
        if key in ("up", "down"):
            self.completions.move(1 if key == "down" else -1)
            return
        row, column = self.prompt.cursor_location
        before = self.prompt.document.get_line(row)[:column]
        if before != self._offered_for and not self._offer_again(before):
            if key == "enter":
                self.prompt.submit()
            return
        chosen = self.completions.chosen()
        typed = len(before) if before.startswith("/") else len(mention(before) or "") + 1
        whole = key == "enter" and chosen.insert.startswith("/") and not chosen.insert.endswith(" ")
        self.prompt.complete(typed, chosen.insert)
        self._offer([])
        if whole:
            self.prompt.submit()

    def _offer_again(self, before: str) -> bool:
        """Keys may come faster than the list follows: what is chosen is chosen for what stands there now."""
        items = command_completions(before, all_commands(self.runtime)) if before.startswith("/") else []
        self._offer(items, before)
        return bool(items)

    def _recall(self, text: str | None) -> None:
        if text is not None:
            self.prompt.put(text)
            self._offer([])

    # --- actions ----------------------------------------------------------------------------------------------------

    def action_stop(self) -> None:
        """Esc: what is open closes first; then the turn stops and what was waiting comes back to the prompt."""
        if self.completions.open:
            self._offer([])
        elif self.conversation.unmark():
            pass
        elif self._runtime is not None and self.runtime.busy:
            taken = self._turns.stop()
            if taken:
                self.prompt.put("\n".join([*taken, self.prompt.whole_text()]).rstrip("\n"))
        elif self.panel.showing is not None:
            self.open_panel(self.panel.showing)
        self.prompt.focus()

    def action_clear_or_quit(self) -> None:
        now = time.monotonic()
        if self.prompt.text:
            self.prompt.clear_prompt()
        elif self._runtime is not None and self.runtime.busy:
            self._turns.stop()
        elif now - self._last_interrupt < QUIT_WITHIN_S:
            self.leave()
        else:
            self.status.hint("Ctrl+C again to quit")
        self._last_interrupt = now

    def action_quit_if_empty(self) -> None:
        if not self.prompt.text:
            self.leave()
        else:
            self.prompt.action_delete_right()

    def action_cycle_mode(self) -> None:
        mode = MODES[(MODES.index(self.runtime.mode) + 1) % len(MODES)]
        self.runtime.set_mode(mode)

    def action_toggle_output(self) -> None:
        self.conversation.action_toggle_output()

    def action_todos(self) -> None:
        self.open_panel("todos")

    def action_panel(self, name: str) -> None:
        self.open_panel(name)

    def action_workbench(self) -> None:
        if self.opened:
            self.show_workbench()

    def action_panel_step(self, by: int) -> None:
        self._follower.panels.step(by)

    def action_panel_scroll(self, by: int) -> None:
        self.panel.scroll_lines(by)

    def action_editor(self) -> None:
        self.open_editor()

    def action_redraw(self) -> None:
        self.app.refresh(repaint=True, layout=True)

    def action_palette(self) -> None:
        self._work(self.pick_command())

    def action_page_up(self) -> None:
        self.conversation.action_page_up()

    def action_page_down(self) -> None:
        self.conversation.action_page_down()

    def action_scroll_home(self) -> None:
        self.conversation.action_scroll_home()

    def action_scroll_end(self) -> None:
        self.conversation.action_scroll_end()

    # --- what commands ask for --------------------------------------------------------------------------------------

    def leave(self) -> None:
        """Quits; what is written and not sent is kept."""
        if self._runtime is not None:
            self.runtime.save_draft(self.prompt.whole_text())
        self.app.exit(0)

    def open_panel(self, name: str) -> None:
        """Opens a panel, or closes it when it is the one that is open."""
        self._follower.panels.open(None if self.panel.showing == name else name)

    def open_editor(self) -> None:
        with self.app.suspend():
            text = edited(self.prompt.whole_text())
        if text is not None:
            self.prompt.put(text)

    def copy_last(self) -> str:
        text = self._follower.last_answer
        if not text:
            return "There is no answer to copy yet."
        self.app.copy_to_clipboard(text)
        return f"Copied {len(text)} characters."

    def toggle_plan(self) -> str:
        self.runtime.set_mode("ask" if self.runtime.mode == "plan" else "plan")
        return f"Permission mode: {self.runtime.mode}."

    def retry(self) -> None:
        said = [entry.content for entry in self.runtime.entries() if entry.kind == "user"]
        if said:
            self.say(said[-1])
