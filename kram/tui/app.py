"""The application: themes, one session screen, the runtime opened once the first frame stands."""

from __future__ import annotations

import difflib
import logging
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from textual.app import App

from kram.base import KramError, UsageError
from kram.events import UserPort
from kram.runtime import Runtime

from .chords import teach
from .driver import KramDriver
from .screens.session import SessionScreen
from .themes import load_themes, stylesheets
from .user import TuiUser

log = logging.getLogger(__name__)

DEFAULT_THEME = "kram-dark"

OpenRuntime: TypeAlias = Callable[[UserPort], Awaitable[Runtime]]


class KramApp(App[int]):
    """`open_runtime` is awaited after the first paint; what is sent until then waits for it."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        open_runtime: OpenRuntime,
        *,
        initial_prompt: str = "",
        theme: str = "",
        own_themes: Path | None = None,
        pick_session: bool = False,
        closing_panel: str = "",
    ) -> None:
        teach()
        self._themes = load_themes(own_themes)
        name = self.known_theme(theme or DEFAULT_THEME)
        super().__init__(
            driver_class=KramDriver,
            css_path=[str(path) for path in stylesheets(own_themes)],
            ansi_color=self._themes[name][1],
        )
        for made, _ in self._themes.values():
            self.register_theme(made)
        self.theme = name
        self.animation_level = "none"
        self.open_runtime = open_runtime
        self._chosen_theme = theme
        self._session_screen = SessionScreen(
            initial_prompt=initial_prompt, pick_first=pick_session, closing_panel=closing_panel
        )
        self.failure: KramError | None = None
        self.crash: BaseException | None = None

    def get_default_screen(self) -> SessionScreen:
        return self._session_screen

    def on_mount(self) -> None:
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        self.run_worker(self._open(), name="opening", exit_on_error=False)

    async def _open(self) -> None:
        """A runtime that cannot be opened ends the program with its reason, which is said on the plain terminal."""
        try:
            runtime = await self.open_runtime(TuiUser(self))
            if not self._chosen_theme:
                self.theme = self.known_theme(runtime.theme)
            self._session_screen.rebind(runtime.keymap)
        except KramError as failure:
            self.failure = failure
            self.exit(failure.exit_code)
            return
        self._session_screen.enter(runtime)

    def _fatal_error(self) -> None:
        """Something of ours raised. What went wrong goes into the log, where keys are taken out; Textual would print it with
        the values of all variables."""
        log.critical("the interface failed", exc_info=True)
        self.crash = sys.exc_info()[1]
        self._close_messages_no_wait()

    def known_theme(self, name: str) -> str:
        """Raises `UsageError` with the closest name for a theme that does not exist."""
        if name not in self._themes:
            near = difflib.get_close_matches(name, self._themes, n=1)
            hint = f"Did you mean '{near[0]}'?" if near else f"Themes: {', '.join(self._themes)}"
            raise UsageError(f"There is no theme '{name}'", todo=hint)
        return name

    def theme_names(self) -> list[str]:
        return list(self._themes)
