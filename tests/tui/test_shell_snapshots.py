"""Every screen and dialog as a picture, dark and light, at two sizes. After an intended change: `pytest tests/tui
--snapshot-update`, and look at the pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from textual.app import App
from textual.content import Content
from textual.screen import Screen

from kram.agent import Inspection
from kram.context import CompactionDraft, DraftItem, PromptPart, assemble
from kram.events import ApprovalRequest, ContextEntry, ContextItem, ContextReport, QueuedMessage, Todo
from kram.gateway import Measured, Scoreboard, Standing
from kram.messages import Attempt, CompletionRequest, Factor, Ranked, Route, ToolSpec, Usage, user_text
from kram.runtime.doctor import finding
from kram.tui.dialogs.approval import ApprovalDialog
from kram.tui.dialogs.ask_text import AskText
from kram.tui.dialogs.compaction import CompactionDialog
from kram.tui.dialogs.picker import Picker, Row
from kram.tui.dialogs.question import QuestionDialog
from kram.tui.dialogs.reading import ReadingDialog
from kram.tui.dialogs.text import TextDialog
from kram.tui.dialogs.workbench import Workbench
from kram.tui.keymap import rows as key_rows
from kram.tui.panels.checks import checks_content
from kram.tui.panels.context import context_content
from kram.tui.panels.inspector import inspector_blocks
from kram.tui.panels.processes import processes_content
from kram.tui.panels.route import route_content
from kram.tui.panels.strategy import strategy_content
from kram.tui.panels.todos import todos_content
from kram.tui.screens.chat import ChatScreen
from kram.tui.themes import load_themes, stylesheets
from kram.tui.welcome import welcome
from kram.tui.widgets.completions import Completion
from kram.tui.widgets.panel import PanelName
from kram.tui.widgets.route_bar import Rail
from kram.tui.widgets.status import Status
from kram.workspace import ProcessInfo
from tests.support.told import long_session

SIZES = [(120, 40), (80, 24)]
DIFF = """--- a/sum.py
+++ b/sum.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
"""
STATUS = Status(
    model="anthropic/claude-sonnet-4-5", used=48_000, window=200_000, tokens=61_500, cost_usd=0.42, processes=1
)


class Host(App[None]):
    """The session's layout over a standing conversation; `prepare` does the rest."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: str, prepare: Callable[[ChatScreen], Screen[Any] | None], *, empty: bool = False) -> None:
        super().__init__(css_path=[str(path) for path in stylesheets()])
        for one, _ in load_themes().values():
            self.register_theme(one)
        self.theme = theme
        self.animation_level = "none"
        self._prepare = prepare
        self._empty = empty
        self.arranged = False

    def get_default_screen(self) -> ChatScreen:
        return ChatScreen()

    def on_mount(self) -> None:
        self.call_after_refresh(self._arrange)

    def _arrange(self) -> None:
        chat = self.screen
        assert isinstance(chat, ChatScreen)
        chat.status.show(STATUS)
        if not self._empty:
            chat.conversation.load(long_session().entries)
        dialog = self._prepare(chat)
        if dialog is not None:
            self.push_screen(dialog)
        self.arranged = True


def nothing(chat: ChatScreen) -> None:
    """The session as it is."""


def greeting(chat: ChatScreen) -> None:
    chat.show_welcome(welcome("/home/you/project", "anthropic/claude-sonnet-4-5", (), ()))


def nobody(chat: ChatScreen) -> None:
    missing = (
        "No key in the environment: export ANTHROPIC_API_KEY",
        "No local server answered",
        "pip install 'kram[local]'",
    )
    chat.show_welcome(welcome("/home/you/project", "", missing, ()))


def queue(chat: ChatScreen) -> None:
    chat.queue.show(
        (
            QueuedMessage(id="1", text="and mind the umlauts", mode="steer"),
            QueuedMessage(id="2", text="then write the changelog", mode="queue"),
        )
    )


def completions(chat: ChatScreen) -> None:
    names = ("clear", "combo", "compact", "context", "copy", "cost")
    chat.prompt.put("/c")
    chat.completions.offer([Completion(insert=f"/{name}", text=f"/{name}", note=f"what {name} does") for name in names])


def panel(name: PanelName, content: Content) -> Callable[[ChatScreen], None]:
    def show(chat: ChatScreen) -> None:
        chat.panel.show(name, content)

    return show


CONTEXT = context_content(
    ContextReport(
        window=200_000,
        reserve=8_000,
        used=48_000,
        model="anthropic/claude-sonnet-4-5",
        items=(
            ContextItem(category="messages", tokens=41_000, count=60),
            ContextItem(category="system_prompt", tokens=900, count=2),
            ContextItem(category="tool_definitions", tokens=2_300, count=18),
            ContextItem(category="project_context", tokens=3_800, count=1),
            ContextItem(category="response_reserve", tokens=8_000),
            ContextItem(category="free", tokens=144_000),
        ),
    )
)
ROUTE = route_content(
    [
        Route(
            id="r",
            combo="default",
            strategy="smart",
            winner="openai/gpt-5",
            duration_ms=2_300,
            usage=Usage(input=12_000, cache_read=9_000, output=340, cost_usd=0.0123),
            ranking=(Ranked(candidate="local/smollm2-135m", eligible=False, reasons=("it takes no images",)),),
            attempts=(
                Attempt(
                    number=1,
                    provider="anthropic",
                    model="claude-sonnet-4-5",
                    outcome="error",
                    kind="server_error",
                    reason="HTTP 529: overloaded",
                    latency_ms=310,
                ),
                Attempt(number=2, provider="openai", model="gpt-5", outcome="success", latency_ms=1_900, ttft_ms=420),
            ),
        )
    ]
)
RAIL = Rail(
    strategy="smart",
    candidates=("anthropic/claude-sonnet-4-5", "openai/gpt-5", "gemini/gemini-flash-latest", "local/smollm2-135m"),
    attempts=(
        Attempt(
            number=1,
            provider="anthropic",
            model="claude-sonnet-4-5",
            outcome="error",
            kind="server_error",
            http_status=529,
            latency_ms=310,
        ),
        Attempt(number=2, provider="openai", model="gpt-5", outcome="streaming", ttft_ms=420),
    ),
)
BOARD = Scoreboard(
    combo="default",
    strategy="smart",
    rows=(
        Standing(
            ranked=Ranked(
                candidate="openai/gpt-5",
                score=0.91,
                reasons=("last-known-good",),
                factors=(
                    Factor(name="health", weight=0.3, value=1.0, contribution=0.3),
                    Factor(name="reliability", weight=0.2, value=0.98, contribution=0.196),
                    Factor(name="latency", weight=0.15, value=1.0, contribution=0.15),
                    Factor(name="cache_affinity", weight=0.15, value=0.0, contribution=0.0),
                ),
            ),
            measured=Measured(requests=41, success=0.98, ttft_ms=420.0, cost_usd=1.25),
        ),
        Standing(
            ranked=Ranked(candidate="anthropic/claude-sonnet-4-5", score=0.42),
            state="half-open",
            measured=Measured(requests=17, failures=4, success=0.61, ttft_ms=910.0),
        ),
        Standing(
            ranked=Ranked(candidate="local/smollm2-135m", eligible=False, reasons=("it takes no images",)),
        ),
    ),
)
TODOS = todos_content(
    (
        Todo(content="Read the code", status="completed"),
        Todo(content="Fix the sign", status="in_progress"),
        Todo(content="Run the tests"),
    )
)


def process(name: str, command: str, **fields: Any) -> ProcessInfo:
    return ProcessInfo(id=name, command=command, pid=4242, cwd="/home/you/project", started_at_ns=0, **fields)


def route_bar(chat: ChatScreen) -> None:
    chat.route_bar.show(RAIL)


def command_approval(chat: ChatScreen) -> Screen[Any]:
    return ApprovalDialog(
        ApprovalRequest(
            tool="bash",
            arguments={"command": "pytest -q && git push"},
            summary="bash: pytest -q && git push",
            body="pytest -q && git push",
            reason="no rule allows it",
            parts=("ask: pytest -q — no rule allows it", "ask: git push — the rule bash(git push*)"),
        ),
        monotonic=lambda: 0.0,
    )


def edit_approval(chat: ChatScreen) -> Screen[Any]:
    return ApprovalDialog(
        ApprovalRequest(
            tool="edit_file",
            arguments={"path": "sum.py"},
            summary="edit_file: sum.py",
            body="write /home/you/project/sum.py",
            diff=DIFF,
            reason="write access is decided by the default",
            rule="edit_file(sum.py)",
        ),
        monotonic=lambda: 0.0,
    )


def long_approval(chat: ChatScreen) -> Screen[Any]:
    body = "\n".join(f"echo line {number}" for number in range(80))
    request = ApprovalRequest(
        tool="bash", arguments={"command": body}, summary="bash", body=body, reason="it writes a lot", rule=""
    )
    return ApprovalDialog(request, monotonic=lambda: 0.0)


def question(chat: ChatScreen) -> Screen[Any]:
    return QuestionDialog(
        "Which of the two parsers should stay?", ("The old one", "The new one", "Both, behind a flag")
    )


def open_question(chat: ChatScreen) -> Screen[Any]:
    return QuestionDialog("What should the flag be called?", ())


def sessions(chat: ChatScreen) -> Screen[Any]:
    rows = [
        Row(key="new", text="A new session", mark="+"),
        Row(key="a", text="fix the sum", note="now · 12 entries", mark="●"),
        Row(key="b", text="umlauts in file names — 日本語", note="3 h ago · 140 entries"),
    ]
    acts: Any = {"ctrl+r": ("rename", lambda key: rows), "ctrl+x": ("delete (twice)", lambda key: rows)}
    return Picker("Sessions of this project", rows, acts=acts)


def models(chat: ChatScreen) -> Screen[Any]:
    return Picker(
        "Who answers",
        [
            Row(key="default", text="default", note="anthropic/claude-sonnet-4-5 → openai/gpt-5", mark="●"),
            Row(key="o", text="openai/gpt-5", note="400k · $OPENAI_API_KEY"),
            Row(key="l", text="local/smollm2-135m", note="135M 8k · built in"),
        ],
    )


def doctor(chat: ChatScreen) -> Screen[Any]:
    findings = [
        finding("configuration", "config.toml", "ok", "/home/me/.config/kram/config.toml"),
        finding("providers", "anthropic", "ok", "answers in 210 ms, 9 models"),
        finding(
            "providers",
            "ollama",
            "problem",
            "Cannot connect: connection refused",
            "Start the server at http://127.0.0.1:11434/v1",
        ),
        finding("terminal", "kind", "warning", "xterm: 16 colours at most", "export TERM=xterm-256color"),
        finding("programs", "editor", "skipped", "neither $VISUAL nor $EDITOR is set"),
    ]
    return TextDialog("Doctor", checks_content(findings))


def tools(chat: ChatScreen) -> Screen[Any]:
    rows = [
        Row(key="bash", text="bash", note="250 tokens · run a command", mark="●"),
        Row(key="grep", text="grep", note="190 tokens · search file contents", mark="○"),
    ]
    acts: Any = {"ctrl+t": ("on or off", lambda key: rows)}
    return Picker("Tools the model sees", rows, acts=acts)


def inspector(chat: ChatScreen) -> Screen[Any]:
    parts = (
        PromptPart(id="base", content="You are kram.\n" * 20),
        PromptPart(id="environment", content="Linux, main", refresh="run", source="machine"),
        PromptPart(id="project-context", content="Tabs, never spaces.", refresh="iteration", source="AGENTS.md"),
    )
    prompt = assemble(parts)
    request = CompletionRequest(
        system=prompt.system,
        messages=(user_text("Fix the sum"),),
        tools=(ToolSpec(name="bash", description="Run a command", parameters={"type": "object"}),),
    )
    found = Inspection(
        model="openai/gpt-5", prompt=prompt, request=request, tokens=1234, body={"model": "gpt-5", "stream": True}
    )
    blocks = inspector_blocks(found)
    for block in blocks[-1:] + blocks[2:3]:
        block.toggle()
    return ReadingDialog("The prompt", blocks)


class Window:
    """A window that stands still."""

    def context_report(self) -> ContextReport:
        items = [
            ContextEntry(
                id="part:base",
                kind="part",
                label="base",
                category="system_prompt",
                tokens=540,
                full_tokens=540,
                origin="builtin",
            )
        ]
        for number in range(60):
            turn = 30 - number // 2
            if number % 2:
                entry = ContextEntry(
                    id=f"e{number}",
                    kind="tool_result",
                    label=f"read_file src/module_{number}.py",
                    category="messages",
                    tokens=180 if number == 3 else 900 + 37 * number,
                    full_tokens=4_200 if number == 3 else 900 + 37 * number,
                    age=turn,
                    last_use=turn // 2,
                    origin="read_file",
                    mark={5: "pinned", 7: "dropped", 9: "shortened"}.get(number, ""),
                    shaped="lod" if number == 3 else "",
                )
            else:
                entry = ContextEntry(
                    id=f"e{number}",
                    kind="user",
                    label=f"and now module {number + 1}, with umlauts: größer — 日本語",
                    category="messages",
                    tokens=24,
                    full_tokens=24,
                    age=turn,
                    last_use=turn,
                    origin="person",
                )
            items.append(entry)
        return ContextReport(
            window=200_000,
            reserve=8_000,
            used=48_000,
            model="anthropic/claude-sonnet-4-5",
            target=150_000,
            items=(
                ContextItem(category="messages", tokens=41_000, count=60),
                ContextItem(category="system_prompt", tokens=900, count=2),
                ContextItem(category="tool_definitions", tokens=6_100, count=18),
                ContextItem(category="response_reserve", tokens=8_000),
                ContextItem(category="free", tokens=144_000),
            ),
            entries=tuple(items),
        )

    def item_text(self, item_id: str) -> str:
        return item_id

    def cache_price(self, ids: Sequence[str]) -> int:
        return 41_000

    def input_price(self, tokens: int) -> float | None:
        return tokens * 3 / 1_000_000

    def pin(self, ids: Sequence[str]) -> None: ...
    def drop(self, ids: Sequence[str]) -> None: ...
    def shorten(self, ids: Sequence[str]) -> None: ...
    def restore(self, ids: Sequence[str]) -> None: ...


def workbench(chat: ChatScreen) -> Screen[Any]:
    return Workbench(Window())


class Drafted:
    """Always the same draft."""

    async def draft_compaction(self, focus: str = "") -> CompactionDraft:
        def item(name: str, tokens: int, why: str) -> DraftItem:
            return DraftItem(id=name, kind="user", label=name, tokens=tokens, why=why)

        return CompactionDraft(
            id="d",
            trigger="manual",
            focus=focus,
            kept=(item("Fix the sum, and mind the umlauts", 12, "your words"), item("the last answer", 300, "recent")),
            summarised=(item("read_file sum.py", 2_400, ""), item("bash pytest -q", 5_200, "")),
            dropped=(item("list_dir", 80, "you dropped it"),),
            summary="Goal: add() adds.\nDone: the sign was turned, the tests pass.\nNext: the changelog.",
            tokens_before=48_000,
            tokens_after=9_100,
        )


def compaction(chat: ChatScreen) -> Screen[Any]:
    return CompactionDialog(Drafted(), "")


def help_dialog(chat: ChatScreen) -> Screen[Any]:
    lines = [Content.assemble((f"  {keys:<34}", "$accent"), text) for keys, text in key_rows()]
    return TextDialog("kram", Content("\n").join(lines))


def rename(chat: ChatScreen) -> Screen[Any]:
    return AskText("The session's title", "fix the sum")


VIEWS: dict[str, Callable[[ChatScreen], Screen[Any] | None]] = {
    "session": nothing,
    "welcome": greeting,
    "nobody": nobody,
    "queue": queue,
    "completions": completions,
    "route-bar": route_bar,
    "panel-context": panel("context", CONTEXT),
    "panel-route": panel("route", ROUTE),
    "panel-strategy": panel("strategy", strategy_content(BOARD, 0)),
    "panel-todos": panel("todos", TODOS),
    "panel-processes": panel(
        "processes",
        processes_content(
            [process("bg1", "npm run dev", state="running"), process("bg2", "make docs", state="exited", exit_code=2)],
            "bg2",
            "building…\nmake: *** [docs] Error 2\n",
        ),
    ),
    "approval-command": command_approval,
    "approval-edit": edit_approval,
    "approval-long": long_approval,
    "question": question,
    "question-open": open_question,
    "picker-sessions": sessions,
    "picker-models": models,
    "doctor": doctor,
    "picker-tools": tools,
    "help": help_dialog,
    "compaction": compaction,
    "inspector": inspector,
    "workbench": workbench,
    "rename": rename,
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", ["kram-dark", "kram-light"])
@pytest.mark.parametrize("view", sorted(VIEWS))
def test_view(snap_compare: Any, view: str, theme: str, size: tuple[int, int]) -> None:
    async def settle(pilot: Any) -> None:
        for field in pilot.app.screen.query("Input"):
            field.cursor_blink = False
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.2 if view == "workbench" else None)
        await pilot.pause()
        # The comparison would take a picture of a failure as well.
        assert pilot.app.arranged

    host = Host(theme, VIEWS[view], empty=view in ("welcome", "nobody"))
    assert snap_compare(host, terminal_size=size, run_before=settle)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 130, 160])
def test_route_bar(snap_compare: Any, width: int) -> None:
    """From signs alone to names with times."""

    async def settle(pilot: Any) -> None:
        await pilot.pause()
        assert pilot.app.arranged

    assert snap_compare(Host("kram-dark", route_bar), terminal_size=(width, 16), run_before=settle)
