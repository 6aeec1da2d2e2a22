"""What can be chosen in a runtime: who answers, how calls are decided, which tools the model sees."""

from __future__ import annotations

from kram.agent import inspect_request, run_single
from kram.base import Json, JsonView, UsageError
from kram.config import Combo
from kram.events import ModeChanged
from kram.gateway import Scoreboard, scoreboard
from kram.messages import to_plain
from kram.permissions import Mode

from .choices import ToolInfo, tool_infos
from .held import Held


class ChoicesPart(Held):
    def label(self, candidate: str) -> str:
        """A model's name with its size, where that is known."""
        model = self._house.roster.model(candidate)
        return f"{candidate} ({model.size})" if model is not None and model.size else candidate

    @property
    def combo(self) -> Combo:
        return self._house.combo

    def set_model(self, name: str) -> Combo:
        """A combo's name or `provider/model`. Raises `UsageError` with the known names."""
        combo = self._house.choose(name)
        self.emit(ModeChanged(permission_mode=self.mode, combo=combo.name))
        return combo

    def set_strategy(self, name: str) -> Combo:
        """Routes the present combo another way until the session's end. Raises `UsageError` with the known names."""
        combo = self._house.route_by(name)
        self.emit(ModeChanged(permission_mode=self.mode, combo=combo.name))
        return combo

    def scoreboard(self) -> Scoreboard:
        """How the combo's candidates stand for the next call, by the router's own count."""
        found = inspect_request(self._bench)
        return scoreboard(self._house.gateway, self.combo, found.request, prompt_tokens=found.tokens)

    @property
    def mode(self) -> Mode:
        return self._house.mode

    def set_mode(self, mode: Mode) -> None:
        self._house.mode = mode
        self.emit(ModeChanged(permission_mode=mode, combo=self.combo.name))

    def tools(self) -> list[ToolInfo]:
        return tool_infos(self._house.registry)

    def tool_definition(self, name: str) -> Json:
        """A tool's definition as the model gets it. Raises `UsageError` for an unknown one."""
        if name not in [tool.name for tool in self._house.registry.all()]:
            raise UsageError(f"There is no tool '{name}'", todo="`kram tools list` shows what there is")
        definition: Json = to_plain(self._house.registry.spec(name))
        return definition

    async def run_tool(self, name: str, arguments: JsonView) -> Json:
        """Runs one tool under the gate, outside of any turn; the call and its result are on record like any other."""
        self.tool_definition(name)
        return await run_single(self._bench, name, arguments)

    def set_tool(self, name: str, *, enabled: bool) -> None:
        """Shows a tool to the model or hides it, from the next model call on."""
        self._house.registry.set_enabled(name, enabled=enabled)
