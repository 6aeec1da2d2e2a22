"""The programs that are measured: a bare Textual app with an input, and the same with the conversation above it.

Run by the benchmark in a pty: `python -m tests.bench.subject bare|conversation [MESSAGES]`. Commands come as function
keys: F5 streams 100 tokens a second, F6 stops it, F7 shows an 80 KB reply as fast as it can, F8 writes the figures of the
process to the file named in KRAM_BENCH_FILE.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widgets import Input, Static

from kram.events import EntryAdded, Stamped, TextDelta
from kram.messages import Entry, Kind, entry
from kram.tui.widgets.conversation import Conversation
from tests.support.told import ANSWER

WORDS = [
    "The",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "the",
    "**lazy**",
    "dog",
    "and",
    "`code`",
    "keeps",
    "running.",
    "",
]


def many(count: int) -> list[Entry]:
    """A conversation of questions and Markdown answers."""
    return [
        entry(Kind.ASSISTANT if n % 2 else Kind.USER, f"message {n}\n\n{ANSWER if n % 2 else 'please'}", at_ns=n + 1)
        for n in range(count)
    ]


def reply(size: int) -> str:
    """A Markdown reply of about `size` bytes that ends with a mark."""
    section = ANSWER + "\n\n" + " ".join(WORDS) * 8 + "\n\n"
    return (section * (size // len(section.encode()) + 1)) + "\n\nEND-OF-REPLY\n"


class Subject(App[None]):
    CSS = "Input { dock: bottom; }"
    AUTO_FOCUS = "Input"

    def __init__(self, kind: str, messages: int) -> None:
        super().__init__()
        self.kind = kind
        self.messages = messages
        self.streaming = False
        self.figures: dict[str, float] = {}
        self._seq = 0

    def compose(self) -> ComposeResult:
        yield Conversation(widget_id="view") if self.kind == "conversation" else Static("bare", id="view")
        prompt = Input()
        prompt.cursor_blink = False
        yield prompt

    def on_mount(self) -> None:
        if self.kind == "conversation" and self.messages:
            entries = many(self.messages)
            began = time.perf_counter()
            self.query_one(Conversation).load(entries)
            self.call_after_refresh(self._opened, began)

    def _opened(self, began: float) -> None:
        self.figures["open_ms"] = (time.perf_counter() - began) * 1000

    def tell(self, event: object) -> None:
        self._seq += 1
        if self.kind == "conversation":
            stamped = Stamped(seq=self._seq, at="", turn=1, event=event)  # type: ignore[arg-type]
            self.query_one(Conversation).apply(stamped)

    async def key_f5(self) -> None:
        self.streaming = True
        self.run_worker(self._stream())

    async def key_f6(self) -> None:
        self.streaming = False

    async def key_f7(self) -> None:
        self.run_worker(self._unpaced())

    async def key_f8(self) -> None:
        figures = {**self.figures, "cpu_s": time.process_time(), "pss_mb": pss_mb()}
        target = Path(os.environ["KRAM_BENCH_FILE"])
        temporary = target.with_suffix(".tmp")
        temporary.write_text(json.dumps(figures))
        temporary.replace(target)

    async def _stream(self) -> None:
        number = 0
        due = time.perf_counter()
        while self.streaming:
            word = WORDS[number % len(WORDS)]
            self.tell(TextDelta(text=word + (" " if number % 60 else ".\n\n")))
            number += 1
            due += 0.01
            await asyncio.sleep(max(0.0, due - time.perf_counter()))

    async def _unpaced(self) -> None:
        text = reply(80_000)
        cpu, began = time.process_time(), time.perf_counter()
        for at in range(0, len(text), 40):
            self.tell(TextDelta(text=text[at : at + 40], entry_id="big"))
            if at % 4000 == 0:
                await asyncio.sleep(0)
        self.tell(EntryAdded(entry=entry(Kind.ASSISTANT, text, entry_id="big")))
        if self.kind == "conversation":
            self.query_one(Conversation).draw_now()
        self.figures["reply_ms"] = (time.perf_counter() - began) * 1000
        self.figures["reply_cpu_ms"] = (time.process_time() - cpu) * 1000


def pss_mb() -> float:
    """Proportional memory of this process, 0 where the system does not tell."""
    try:
        text = Path("/proc/self/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("Pss:")), 0.0)


if __name__ == "__main__":
    Subject(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0).run()
