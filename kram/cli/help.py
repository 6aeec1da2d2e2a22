"""`kram --help` shows the options of the nameless command together with the named ones."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class KramGroup(TyperGroup):
    """A group whose help lists what `kram [OPTIONS] [PROMPT]` takes."""

    _for_help = False

    def get_params(self, ctx: Any) -> list[Any]:
        params = list(super().get_params(ctx))
        chat = self.commands.get("chat")
        if self._for_help and chat is not None:
            own = {name for param in params for name in param.opts}
            params = [param for param in chat.get_params(ctx) if not own & set(param.opts)] + params
        return params

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._for_help = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._for_help = False

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS] [PROMPT]", "| COMMAND"]
