"""A tool call: one row that says what it does and how it went, below it the live tail, a preview or everything."""

from __future__ import annotations

from collections.abc import Mapping

from rich.segment import Segment
from rich.style import Style

from kram.base import JsonView
from kram.base.text import one_line, program_output
from kram.tui.lines import Joined, Line, Lines, Look, cells, fit, row

from .block import Block
from .call import QUIET, TAIL_FIRST, State, arguments_of, outcome, spelled_out, summary
from .diff import Diff, diff_lines, read_diff
from .folding import clipped, count, duration, plural, remark, whole

LIVE_ROWS = 5
PREVIEW_ROWS = 6
DIFF_ROWS = 12
KEPT_LIVE_CHARS = 16_384
MAX_SHOWN_CHARS = 400_000
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_S = 0.1
_GLYPHS: dict[State, str] = {
    "writing": "◌", "waiting": "○", "running": "◌", "ok": "✓", "failed": "✕", "denied": "⊘", "interrupted": "◼", "unknown": "?",
}  # fmt: skip
_WORDS: dict[State, str] = {
    "waiting": "waiting", "denied": "denied", "interrupted": "interrupted", "unknown": "outcome unknown",
}  # fmt: skip


class ToolBlock(Block):
    """`begin`, `progress` and `result` follow the call's life; each may be missing."""

    kind = "tool"

    def __init__(self, key: str, name: str, arguments: str = "", *, state: State = "waiting", at_ns: int = 0) -> None:
        super().__init__(key, at_ns=at_ns)
        self.name = one_line(name, 80)
        self.state: State = state
        self.settled = state != "writing"
        self._raw = arguments
        self._written = 0
        self._began_s: float | None = None
        self._live = ""
        self._text = ""
        self._details: JsonView = {}
        self._diff: Diff | None = None
        self._arguments: Mapping[str, object] | None = None
        self._lines: list[str] | None = None

    # --- its life -----------------------------------------------------------------------------------------------

    def write(self, characters: int) -> None:
        """The model is still writing the arguments."""
        self._written = characters
        self.changed()

    def begin(self, now_s: float) -> None:
        if self.state in ("waiting", "writing"):
            self.state, self._began_s = "running", now_s
            self.changed()

    def progress(self, output: str) -> None:
        """More live output; the newest is kept."""
        if self.state in ("waiting", "running"):
            self._live = (self._live + output)[-KEPT_LIVE_CHARS:]
            self.changed()

    def result(self, text: str, *, is_error: bool, status: str, details: JsonView) -> None:
        self.state = outcome(is_error=is_error, status=status, details=details)
        self._text, self._details, self._live = text, details, ""
        self._diff, self._lines = None, None
        self.changed()

    def lost(self) -> None:
        """No result is on record."""
        if self.state in ("waiting", "running"):
            self.state = "unknown"
            self.changed()

    # --- what it is ---------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self.state == "running"

    @property
    def tight(self) -> bool:
        return self.folded and not self._preview_rows() and self.state not in ("running", "writing")

    @property
    def foldable(self) -> bool:
        return bool(self._text or self._details.get("diff") or spelled_out(self.name, self.arguments))

    @property
    def artifact(self) -> str:
        return one_line(str(self._details.get("artifact") or ""), 40)

    @property
    def arguments(self) -> Mapping[str, object]:
        if self._arguments is None:
            self._arguments = arguments_of(self._raw)
        return self._arguments

    @property
    def diff(self) -> Diff | None:
        text = self._details.get("diff")
        if self._diff is None and isinstance(text, str) and text:
            self._diff = read_diff(text)
        return self._diff

    def _output(self) -> list[str]:
        if self._lines is None:
            text = program_output(self._text[:MAX_SHOWN_CHARS]).strip("\n")
            self._lines = text.split("\n") if text else []
        return self._lines

    def _preview_rows(self) -> int:
        """How many rows of the result stand below a folded header."""
        if self.state in ("failed", "interrupted", "unknown"):
            return PREVIEW_ROWS if self._text else 0
        if self.state != "ok":
            return 0
        if self._details.get("diff"):
            return DIFF_ROWS
        return 0 if self.name in QUIET or not self._text else PREVIEW_ROWS

    # --- how it looks -------------------------------------------------------------------------------------------

    def header(self, width: int, look: Look, now_s: float) -> Line:
        glyph, colour = _GLYPHS[self.state], _colour(self.state, look)
        if self.running:
            glyph = SPINNER[int(now_s / FRAME_S) % len(SPINNER)]
        facts = f"  {' · '.join(facts)}" if (facts := self._facts(now_s)) else ""
        name = fit(self.name, max(1, width - 4))
        room = width - 2 - cells(name) - cells(facts) - 2
        said = fit(summary(self.name, self.arguments), room) if room > 3 else ""
        segments = [Segment(f"{glyph} ", colour), Segment(name, look.strong)]
        if said:
            segments.append(Segment(f"  {said}", look.text))
        segments.append(Segment(facts, look.warning if self.state in ("unknown", "interrupted") else look.muted))
        return row(segments, width, look.text, left=2)

    def _facts(self, now_s: float) -> list[str]:
        if self.state == "writing":
            return [f"{count(self._written)} characters"] if self._written else []
        facts = [_WORDS[self.state]] if self.state in _WORDS else []
        if self.running and self._began_s is not None and now_s - self._began_s >= 1:
            facts.append(f"{int(now_s - self._began_s)} s")
        if isinstance(code := self._details.get("exit_code"), int) and code:
            facts.append(f"exit {code}")
        if self.diff:
            facts.append(f"+{self.diff.added} -{self.diff.removed}")
        elif self.state == "ok" and self.name in QUIET and self._text:
            facts.append(plural(len(self._output()), "line"))
        if self._details.get("edited_arguments"):
            facts.append("with your changes")
        took = self._details.get("duration_ms")
        if isinstance(took, int | float) and took >= 1:
            facts.append(duration(took))
        return facts

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        head = [self.header(width, look, now_s)]
        if self.state in ("writing", "waiting", "running"):
            return [*head, *self._tail(width, look)]
        return Joined(head, self._preview(width, look) if self.folded else self._everything(width, look))

    def _tail(self, width: int, look: Look) -> list[Line]:
        if not self._live:
            return []
        lines = program_output(self._live).rstrip("\n").split("\n")
        return clipped(lines[-LIVE_ROWS:], width, look, look.muted)

    def _preview(self, width: int, look: Look) -> Lines:
        limit = self._preview_rows()
        if not limit:
            return []
        if self.diff and self.state == "ok":
            part = diff_lines(self.diff, width, look, limit=limit)
            hidden = len(diff_lines(self.diff, width, look)) - len(part)
            return Joined(part, [remark(f"{plural(hidden, 'more row')} · ctrl+o", width, look)] if hidden else [])
        lines = self._output()
        shown = lines[-limit:] if self.name in TAIL_FIRST else lines[:limit]
        rows = clipped(shown, width, look, self._style(look))
        hidden = len(lines) - len(shown)
        if hidden:
            rows.append(remark(f"{plural(hidden, 'more line')} · ctrl+o", width, look))
        return rows

    def _everything(self, width: int, look: Look) -> Lines:
        said = spelled_out(self.name, self.arguments)
        lines: Lines = whole(said.split("\n"), width, look, look.muted) if said else []
        if self.diff:
            lines = Joined(lines, diff_lines(self.diff, width, look))
        else:
            output = self._output()
            lines = Joined(lines, whole(output, width, look, self._style(look)))
        left_out = len(self._text) - MAX_SHOWN_CHARS
        if self.artifact:
            lines = Joined(lines, [remark(f"everything is in {self.artifact}", width, look, look.link)])
        elif left_out > 0 and not self.diff:
            lines = Joined(lines, [remark(f"{left_out:,} more characters are stored, not shown", width, look)])
        return lines

    def _style(self, look: Look) -> Style:
        return look.text if self.state == "failed" else look.muted

    def estimate(self, width: int) -> int:
        if self.folded:
            if self._details.get("diff"):
                return 2 + DIFF_ROWS
            rows = self._preview_rows()
            return 1 + min(rows + 1, self._text.count("\n", 0, 4_000) + 1) if rows else 1
        return 2 + self._text.count("\n") + len(self._text) // max(8, width * 4)

    def plain(self) -> str:
        parts = [f"{self.name} {summary(self.name, self.arguments)}".rstrip()]
        if said := spelled_out(self.name, self.arguments):
            parts.append(said)
        if isinstance(diff := self._details.get("diff"), str) and diff:
            parts.append(program_output(diff).strip("\n"))
        elif self._text:
            parts.append(program_output(self._text).strip("\n"))
        return "\n".join(parts)


def _colour(state: State, look: Look) -> Style:
    if state == "ok":
        return look.success
    if state in ("failed", "denied"):
        return look.error
    return look.warning if state in ("unknown", "interrupted") else look.third
