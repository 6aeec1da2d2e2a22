"""The lists a session is steered with: sessions, models, tools, themes, commands, earlier prompts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from kram.runtime import Runtime
from kram.sessions import SessionInfo
from kram.tui.commands import all_commands
from kram.tui.dialogs.ask_text import AskText
from kram.tui.dialogs.picker import Picker, Row
from kram.tui.dialogs.text import TextDialog
from kram.tui.panels.checks import checks_content

from .chat import ChatScreen

NEW = "new"


class Pickers(ChatScreen):
    """The part of the session screen that shows lists; each method does what was chosen. Run in a worker."""

    @property
    def runtime(self) -> Runtime:
        raise NotImplementedError

    def show_session(self) -> None:
        raise NotImplementedError

    def notice(self, text: str, level: str = "info") -> None:
        raise NotImplementedError

    async def _pick(self, picker: Picker) -> str | None:
        return await self.app.push_screen_wait(picker)

    # --- sessions ---------------------------------------------------------------------------------------------------

    async def pick_session(self) -> None:
        acts: Any = {
            "ctrl+r": ("rename", self._rename),
            "ctrl+x": ("delete (twice)", self._delete),
        }
        self._doomed = ""
        chosen = await self._pick(
            Picker("Sessions of this project", self._session_rows(), acts=acts, deeper=self._said_in)
        )
        if chosen == NEW:
            self.runtime.new_session()
        elif chosen and chosen != self.runtime.session.id:
            self.runtime.open_session(chosen)
        else:
            return
        self.show_session()

    def _session_rows(self) -> list[Row]:
        current = self.runtime.session.id
        rows = [Row(key=NEW, text="A new session", mark="+")]
        return rows + [_session_row(one, current) for one in self.runtime.sessions()]

    def _said_in(self, query: str) -> list[Row]:
        """Sessions in which it was said, one row each, with the words."""
        current = self.runtime.session.id
        return [
            Row(
                key=hit.session_id,
                text=hit.title or hit.session_id,
                note=f"{_age(hit.said.at_ns)} · {hit.said.text}",
                mark="●" if hit.session_id == current else "»",
            )
            for hit in self.runtime.search_sessions(query)
        ]

    def _rename(self, key: str) -> Sequence[Row]:
        if key != NEW:

            def renamed(title: str | None) -> None:
                if title:
                    self.runtime.rename_session(key, title)

            self.app.push_screen(AskText("The session's title"), renamed)
        return self._session_rows()

    def _delete(self, key: str) -> Sequence[Row]:
        """Asked for twice in a row on the same session."""
        if key not in (NEW, self.runtime.session.id):
            if self._doomed == key:
                self.runtime.delete_session(key)
                self._doomed = ""
            else:
                self._doomed = key
                self.notify("Press ^x again to delete this session for good.")
        return self._session_rows()

    # --- models, tools, themes ----------------------------------------------------------------------------------------

    async def pick_model(self) -> None:
        """What is known is there at once; what the accounts offer right now joins as soon as they have answered."""
        rows = self._model_rows()
        if not rows:
            self.notice("No model is usable. " + " ".join(self.runtime.missing), "warning")
            return
        picker = Picker("Who answers", rows)

        async def look() -> None:
            await self.runtime.refresh_models()
            picker.replace(self._model_rows())

        looking = self.run_worker(look(), exit_on_error=False)
        chosen = await self._pick(picker)
        looking.cancel()
        if chosen:
            combo = self.runtime.set_model(chosen)
            self.notice(f"Now {combo.name}: {' → '.join(combo.candidates)}")

    def _model_rows(self) -> list[Row]:
        return [
            Row(
                key=one.name,
                text=one.name,
                note=" · ".join(
                    part for part in (one.why_not or one.note, "live list" if one.live else one.origin) if part
                ),
                mark="●" if one.current else " ",
            )
            for one in self.runtime.models()
        ]

    # --- the doctor -------------------------------------------------------------------------------------------------

    async def show_checks(self) -> None:
        self.notify("Looking at everything kram needs…")
        findings = await self.runtime.examine(on_screen=True)
        await self.app.push_screen_wait(TextDialog("Doctor", checks_content(findings)))

    async def pick_tools(self) -> None:
        await self._pick(
            Picker("Tools the model sees", self._tool_rows(), acts={"ctrl+t": ("on or off", self._toggle_tool)})
        )

    def _tool_rows(self) -> list[Row]:
        return [
            Row(
                key=one.name,
                text=one.name,
                note=f"{one.tokens} tokens · {one.summary}",
                mark="●" if one.enabled else "○",
            )
            for one in self.runtime.tools()
        ]

    def _toggle_tool(self, key: str) -> Sequence[Row]:
        enabled = {one.name: one.enabled for one in self.runtime.tools()}
        self.runtime.set_tool(key, enabled=not enabled[key])
        return self._tool_rows()

    async def pick_theme(self, name: str) -> str:
        names: list[str] = self.app.theme_names()  # type: ignore[attr-defined]
        if not name:
            rows = [Row(key=one, text=one, mark="●" if one == self.app.theme else " ") for one in names]
            name = await self._pick(Picker("Colours", rows)) or ""
        if name not in names:
            return f"There is no theme '{name}'. Themes: {', '.join(names)}." if name else ""
        self.app.theme = name
        return f"Colours: {name}."

    # --- commands and history -----------------------------------------------------------------------------------------

    async def pick_command(self) -> None:
        rows = [
            Row(key=f"/{name}", text=f"/{name} {usage}".rstrip(), note=note)
            for name, usage, note in all_commands(self.runtime)
        ]
        if chosen := await self._pick(Picker("Commands", rows)):
            self.prompt.put(chosen)
            self.prompt.focus()

    async def pick_history(self) -> None:
        items = list(dict.fromkeys(reversed(self.runtime.history())))
        rows = [Row(key=str(place), text=text) for place, text in enumerate(items)]
        if chosen := await self._pick(Picker("Earlier prompts", rows, query=self.prompt.text)):
            self.prompt.put(items[int(chosen)])


def _session_row(one: SessionInfo, current: str) -> Row:
    return Row(
        key=one.id,
        text=one.title or one.id,
        note=f"{_age(one.updated_at)} · {one.entries} entries",
        mark="●" if one.id == current else " ",
    )


def _age(at_ns: int) -> str:
    seconds = max(0, int(time.time() - at_ns / 1e9))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "now"
