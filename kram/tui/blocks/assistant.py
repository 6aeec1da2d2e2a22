"""What the model said, as Markdown. While it streams, finished parts stand and only the open end is laid out again."""

from __future__ import annotations

from rich.segment import Segment

from kram.base.text import visible
from kram.tui.lines import Line, Lines, Look, row
from kram.tui.markdown import MarkdownText

from .block import Block, estimated_rows

NAME = "kram"
MARGIN = 2
CUT_OFF = "cut off here"


class AssistantBlock(Block):
    """`lead`: the first text of an answer, which carries the name. `interrupted`: it was cut off."""

    kind = "assistant"

    def __init__(
        self,
        key: str,
        text: str = "",
        *,
        lead: bool = False,
        interrupted: bool = False,
        streaming: bool = False,
        at_ns: int = 0,
    ) -> None:
        super().__init__(key, at_ns=at_ns)
        self.lead = lead
        self.interrupted = interrupted
        self.settled = not streaming
        self._held = ""
        self._raw = text
        self._pieces: list[str] = []
        self._markdown: MarkdownText | None = None

    def feed(self, text: str) -> None:
        """More text. A carriage return at the end waits for what follows."""
        self._pieces.append(text)
        text = self._held + text
        self._held = "\r" if text.endswith("\r") else ""
        self._text().feed(visible(text.removesuffix("\r")))
        self.changed()

    @property
    def raw(self) -> str:
        """The text as it came."""
        if self._pieces:
            self._raw += "".join(self._pieces)
            self._pieces.clear()
        return self._raw

    def settle(self, *, key: str, at_ns: int, interrupted: bool) -> None:
        """It is stored now and stays as it is."""
        self.key, self.at_ns, self.interrupted, self.settled = key, at_ns, interrupted, True
        clean = visible(self.raw)
        if self._text().source == clean:
            self._text().finish()
        else:
            # An emoji or a line end was torn by the stream; read as a whole it is right.
            self._markdown = MarkdownText(clean, finished=True)
        self.changed()

    def _text(self) -> MarkdownText:
        if self._markdown is None:
            self._markdown = MarkdownText(visible(self._raw), finished=self.settled)
        return self._markdown

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        lines = self._text().lines(width, look, MARGIN)
        if self.lead:
            lines.insert(0, _name(width, look))
        if self.interrupted:
            lines.append(row([Segment(f"{' ' * MARGIN}✂ {CUT_OFF}", look.warning)], width, look.text, mute=True))
        return lines or [row([], width, look.text, used=0)]

    def release(self, *, parse: bool = True) -> bool:
        if self._markdown is None:
            return False
        if self.settled and parse:
            self._markdown = None
        else:
            self._markdown.release()
        return True

    def estimate(self, width: int) -> int:
        text = self.raw
        return estimated_rows(text, width - 2 * MARGIN) + int(self.lead) + int(self.interrupted)

    def plain(self) -> str:
        return visible(self.raw)


def _name(width: int, look: Look) -> Line:
    letters = [Segment(letter, style) for letter, style in zip(NAME, look.tag, strict=True)]
    return row(letters, width, look.text, used=len(NAME), mute=True)
